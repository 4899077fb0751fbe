package warehouse

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"service/store/sqltext"
)

// Bounds of every kind of warehouse.
const (
	MaxRow      = 1 << 20          // bytes of one row
	MaxTables   = 200              // of one introspection
	PreviewRows = 20               // that are shown of an uploaded file
	AskTime     = 10 * time.Second // of every call but Query
	LeaveTime   = 2 * time.Second  // for ending a query after its caller has left
)

// Texts of errors that all kinds of warehouses share. A % is replaced by a name from the query or the catalog.
const (
	SayAuth       = "The warehouse refused the user or the password."
	SayBroken     = "The connection to the warehouse broke. Try again."
	SayTimeout    = "The query took too long. Narrow it by a shorter period or fewer columns, or aggregate more."
	SayTooLarge   = "The query needs more memory or space than the warehouse gives. Narrow it, or aggregate more."
	SayType       = "A value does not fit the type that the SQL gives it. Cast it, or leave out the rows that do not fit."
	SayOneSelect  = sqltext.OneSelect
	SayGroupBy    = "A column must be in GROUP BY, or in an aggregate such as sum(…)."
	SayAmbiguous  = "A column is ambiguous: write it with its table."
	SayAmbiguousN = `Column "%" is ambiguous: write it with its table.`
	SayLongRow    = "A row of the query is larger than 1 MiB. Leave out the large columns, or cut them with left(…)."
	SayNoTable    = "A table does not exist. introspect_schema lists the tables."
	SayNoTableN   = `There is no table "%". introspect_schema lists the tables.`
	SayNoColumn   = "A column does not exist. introspect_schema lists the columns of a table."
	SayNoColumnN  = `There is no column "%". introspect_schema lists the columns of a table.`
	SayUnparsed   = "The SQL cannot be parsed."
	SayNoDatabase = "The warehouse has no database of that name."
	SayFull       = "The warehouse takes no more connections at the moment."
	SayCost       = "A run of the query reads about %s, and this connection allows %s. Read fewer columns or a shorter period, " +
		"or have the connection's owner raise its limit."
	SayNoTLS = "The warehouse does not speak TLS. Switch it on there, or choose \"Off\" for a private host."
	SayCert  = "The certificate of the warehouse cannot be verified. Use a host name that it covers, " +
		`or choose "Encrypt, and trust any certificate".`
	SayInClear  = `A warehouse on a public address needs TLS: choose "Verify the certificate" or "Encrypt, and trust any certificate".`
	SayNoIssuer = "The address of the token endpoint does not answer as OAuth requires. Check it."
	SayScope    = "The identity provider does not issue tokens for these scopes. Check them behind the address of the token endpoint."
	SayDenied   = "The warehouse user may not do that. It needs SELECT on the tables it reads."
	SayDeniedN  = `The warehouse user may not read "%". Grant it SELECT, or use another table.`
)

// About returns the sentence with, in which name replaces %, or the sentence without if name is empty.
func About(name, with, without string) string {
	if name == "" {
		return without
	}
	return strings.ReplaceAll(with, "%", name)
}

// Size is a number of bytes in the unit that warehouses bill.
func Size(bytes int64) string {
	n, unit := float64(bytes), "B"
	for _, larger := range []string{"kB", "MB", "GB", "TB", "PB"} {
		if n < 999.5 {
			break
		}
		n, unit = n/1000, larger
	}
	return strconv.FormatFloat(n, 'g', 3, 64) + " " + unit
}

// SameColumn refuses a query with two columns of one name.
func SameColumn(name string) *Error {
	return Errorf(Refused, `Two columns of the query are called "%s". Give one of them another name with AS.`, name)
}

// Ended returns the error of a query that failed with err: err itself if it is an [Error] already, or that its time ran out or that ctx
// ended. timeout is whether the warehouse reported a timeout. It returns nil for any other err.
func Ended(ctx context.Context, err error, timeout bool) error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	switch {
	case timeout, errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return Errorf(Timeout, SayTimeout)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return nil
}

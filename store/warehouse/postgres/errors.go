package postgres

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"service/store/pattern"
	"service/store/sqltext"
	"service/store/warehouse"
)

// ours marks an error of the sink rather than of the warehouse.
type ours struct{ error }

// connectError translates a failure to connect or to sign in.
func connectError(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	if bad, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch {
		case strings.HasPrefix(bad.Code, "28"):
			return warehouse.Errorf(warehouse.Auth, warehouse.SayAuth)
		case bad.Code == "3D000":
			return warehouse.Errorf(warehouse.Connect, warehouse.SayNoDatabase)
		case strings.HasPrefix(bad.Code, "53"):
			return warehouse.Errorf(warehouse.Connect, warehouse.SayFull)
		}
		return warehouse.Errorf(warehouse.Connect, "The warehouse refused the connection (code %s).", bad.Code)
	}
	if errors.Is(err, errRounds) {
		return roundsError()
	}
	if known := warehouse.DialError(err); known != nil {
		return known
	}
	if strings.Contains(err.Error(), "server refused TLS") {
		return warehouse.Errorf(warehouse.Connect, warehouse.SayNoTLS)
	}
	return warehouse.Errorf(warehouse.Connect, "The host does not answer as a Postgres server does. Check address and port.")
}

// named matches names in a message of Postgres. The names are from the query or the catalog, never from the rows.
var named = pattern.New(`"([^"]{1,128})"|(?:column|function|table|operator) ([\w.]{1,128})`)

// translateError translates an error of the warehouse into our own message. sql is the query, for the position, or empty if the statement
// was our own.
func translateError(ctx context.Context, err error, sql string) error {
	if err == nil {
		return nil
	}
	bad, ok := errors.AsType[*pgconn.PgError](err)
	if ended := warehouse.Ended(ctx, err, ok && bad.Code == "57014"); ended != nil {
		return ended
	}
	switch {
	case errors.As(err, new(*pgproto3.ExceededMaxBodyLenErr)):
		return warehouse.Errorf(warehouse.TooLarge, warehouse.SayLongRow)
	case !ok:
		return warehouse.Errorf(warehouse.Connect, warehouse.SayBroken)
	}
	e := &warehouse.Error{Class: class(bad.Code)}
	if pos := int(bad.Position) - utf8.RuneCountInString(cursor); sql != "" && pos > 0 {
		e.Line, e.Column = sqltext.Position(sql, offset(sql, pos))
	}
	name := ""
	if m := named.FindStringSubmatch(bad.Message); m != nil {
		name = m[1] + m[2]
	}
	e.Message = sentence(e.Class, bad.Code, name)
	return warehouse.Advise(e, sqltext.Postgres, sql)
}

func class(code string) warehouse.Class {
	switch {
	case code == "42501":
		return warehouse.Permission
	case code == "0A000", code == "25006", code == "25001", code == "42P03": // not supported, read-only, in a transaction, a second cursor
		return warehouse.Refused
	case code == "42P01", code == "42703", code == "42883", code == "3F000", code == "42704", code == "42P02":
		return warehouse.Unknown
	case strings.HasPrefix(code, "22"), code == "42804", code == "42846", code == "42725", code == "42P08", code == "42P18", code == "42P21",
		code == "42P22", code == "21000":
		return warehouse.Type
	case strings.HasPrefix(code, "53"), strings.HasPrefix(code, "54"):
		return warehouse.TooLarge
	case strings.HasPrefix(code, "42"):
		return warehouse.Syntax
	}
	return warehouse.Failed
}

// sentences are the messages of codes that are more specific than their class.
var sentences = map[string]string{
	"22012": "The SQL divides by zero. Use nullif(…, 0).",
	"22007": "A text is not a date or time of the form that the SQL expects.",
	"22008": "A date or time is out of range.",
	"22009": "A time zone is not known, or out of range.",
	"22023": "A function was given a value that it does not take. Check its parameters, such as the name of a unit or a time zone.",
	"22003": "A number is too large for its type. Cast it to a larger one, such as numeric, before calculating.",
	"22001": "A text is longer than its type allows. Cast it to text.",
	"2201B": "A regular expression is not valid.",
	"22025": "A pattern of LIKE ends with its escape character.",
	"22021": "A text has bytes that are not valid in the encoding of the warehouse.",
	"22P05": "A character does not exist in the encoding of the warehouse.",
	"22026": "Values have lengths that do not go together.",
	"22004": "A value that must be there is NULL.",
	"22011": "The position or length for a part of a text is negative.",
	"2202E": "An array is written with brackets that do not fit, or its parts have different lengths.",
	"22030": "JSON has the same key twice.", "22032": "A text is not valid JSON.", "22033": "An index of JSON is out of range.",
	"2201E": "A logarithm needs a number above 0.", "2201F": "A root or power of this number does not exist.",
	"2201G": "The bounds of width_bucket are not valid.", "2201W": "LIMIT must not be negative.", "2201X": "OFFSET must not be negative.",
	"2200M": "A text is not valid XML.", "2200N": "A text is not valid XML content.",
	"42804": "The types of these values differ, as in CASE, UNION or a comparison. Cast one of them.",
	"42846": "Values of this type cannot be cast to that type.",
	"42725": "More than one function or operator fits the values. Cast them.",
	"42P08": "The type of a parameter is not clear. Cast it, as in $1::date.", "42P18": "The type of a value is not clear. Cast it.",
	"42P21": "Texts with different collations are compared. Write COLLATE after one of them.",
	"42P22": "The collation of a comparison is not clear. Write COLLATE after one of the texts.",
	"21000": "A subquery that may give one row gives several. Add LIMIT 1 or an aggregate.",
	"42P20": "A window function is not allowed here: move it to a subquery.",
	"42P19": "A recursive query refers to itself where it cannot.",
	"42P10": "ORDER BY or DISTINCT ON refers to a column that is not in the list of SELECT.",
	"42712": "Two tables of the query have the same name. Give one of them another with AS.",
	"42701": "A column is named twice.", "42723": "A function is defined twice.", "42622": "A name is too long.",
	"42P09": "An alias is ambiguous. Give the tables different ones.",
	"42809": "This is not a function or table of the kind that the SQL uses it as.",
}

func sentence(c warehouse.Class, code, name string) string {
	switch c {
	case warehouse.Permission:
		return warehouse.About(name, warehouse.SayDeniedN, warehouse.SayDenied)
	case warehouse.Syntax:
		if said := sentences[code]; said != "" {
			return said
		}
		if code == "42803" {
			return warehouse.About(name, `Column "%" must be in GROUP BY, or in an aggregate such as sum(…).`, warehouse.SayGroupBy)
		}
		if code == "42702" {
			return warehouse.About(name, warehouse.SayAmbiguousN, warehouse.SayAmbiguous)
		}
		return warehouse.About(name, `The SQL cannot be parsed near "%".`, warehouse.SayUnparsed)
	case warehouse.Unknown:
		switch code {
		case "42P01", "3F000":
			return warehouse.About(name, warehouse.SayNoTableN, warehouse.SayNoTable)
		case "42703":
			return warehouse.About(name, warehouse.SayNoColumnN, warehouse.SayNoColumn)
		case "42883":
			return warehouse.About(name, `There is no function or operator "%" for values of these `+
				`types.`, "A function or operator does not exist for values of these types.")
		case "42P02":
			return "The SQL uses a parameter that has no value."
		}
		return warehouse.About(name, `There is no "%".`, "A name does not exist.")
	case warehouse.Type:
		if said := sentences[code]; said != "" {
			return said
		}
		return warehouse.SayType
	case warehouse.Refused:
		return warehouse.SayOneSelect
	case warehouse.TooLarge:
		return warehouse.SayTooLarge
	}
	return "The warehouse could not run the query (code " + code + ")."
}

// offset converts a position in characters, from 1, to one in bytes, from 0.
func offset(sql string, position int) int {
	for at := range sql {
		if position--; position == 0 {
			return at
		}
	}
	return len(sql)
}

package postgres

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"service/store/warehouse"
)

// ours marks an error of the sink: it is not the warehouse's.
type ours struct{ error }

// connectError words a failure to connect or to sign in.
func connectError(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	if bad, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch {
		case strings.HasPrefix(bad.Code, "28"):
			return warehouse.Errorf(warehouse.Auth, warehouse.SayAuth)
		case bad.Code == "3D000":
			return warehouse.Errorf(warehouse.Connect, "The warehouse has no database of that name.")
		case strings.HasPrefix(bad.Code, "53"):
			return warehouse.Errorf(warehouse.Connect, "The warehouse takes no more connections at the moment.")
		}
		return warehouse.Errorf(warehouse.Connect, "The warehouse refused the connection (code %s).", bad.Code)
	}
	if known := warehouse.DialError(err); known != nil {
		return known
	}
	if strings.Contains(err.Error(), "server refused TLS") {
		return warehouse.Errorf(warehouse.Connect, "The warehouse does not speak TLS. Switch it on there, or choose TLS off for a private host.")
	}
	return warehouse.Errorf(warehouse.Connect, "The host does not answer as a Postgres server does. Check address and port.")
}

// named are the names that Postgres quotes in a message: they come from the
// query, or from the catalog, never from the rows.
var named = regexp.MustCompile(`"([^"]{1,128})"|(?:column|function|table|operator) ([\w.]{1,128})`)

// word puts an error of the warehouse into our own words. sql is the query, for
// the position; empty when the statement was ours.
func word(ctx context.Context, err error, sql string) error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*warehouse.Error](err); ok {
		return known
	}
	bad, ok := errors.AsType[*pgconn.PgError](err)
	var long *pgproto3.ExceededMaxBodyLenErr
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded), ok && bad.Code == "57014":
		return warehouse.Errorf(warehouse.Timeout, warehouse.SayTimeout)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &long):
		return warehouse.Errorf(warehouse.TooLarge, "A row of the query is larger than 1 MiB. Leave out the large columns, or cut them with left(…).")
	case !ok:
		return warehouse.Errorf(warehouse.Connect, warehouse.SayBroken)
	}
	e := &warehouse.Error{Class: class(bad.Code)}
	if pos := int(bad.Position) - utf8.RuneCountInString(cursor); sql != "" && pos > 0 {
		e.Line, e.Column = position(sql, pos)
	}
	name := ""
	if m := named.FindStringSubmatch(bad.Message); m != nil {
		name = m[1] + m[2]
	}
	e.Message = sentence(e.Class, bad.Code, name)
	return e
}

func class(code string) warehouse.Class {
	switch {
	case code == "42501":
		return warehouse.Permission
	case code == "0A000", code == "25006", code == "25001", code == "42P03": // not supported, read-only, in a transaction, a second cursor
		return warehouse.Refused
	case code == "42P01", code == "42703", code == "42883", code == "3F000", code == "42704", code == "42P02":
		return warehouse.Unknown
	case strings.HasPrefix(code, "22"), code == "42804", code == "42846", code == "42725":
		return warehouse.Type
	case strings.HasPrefix(code, "53"), strings.HasPrefix(code, "54"):
		return warehouse.TooLarge
	case strings.HasPrefix(code, "42"):
		return warehouse.Syntax
	}
	return warehouse.Failed
}

func sentence(c warehouse.Class, code, name string) string {
	about := func(with, without string) string {
		if name == "" {
			return without
		}
		return strings.ReplaceAll(with, "%", name)
	}
	switch c {
	case warehouse.Permission:
		return about(warehouse.SayDeniedN, warehouse.SayDenied)
	case warehouse.Syntax:
		if code == "42803" {
			return about(`Column "%" must be in GROUP BY, or in an aggregate such as sum(…).`, warehouse.SayGroupBy)
		}
		if code == "42702" {
			return about(warehouse.SayAmbiguousN, warehouse.SayAmbiguous)
		}
		return about(`The SQL cannot be parsed near "%".`, "The SQL cannot be parsed.")
	case warehouse.Unknown:
		switch code {
		case "42P01", "3F000":
			return about(`There is no table "%". introspect_schema lists the tables.`, "A table does not exist. introspect_schema lists the tables.")
		case "42703":
			return about(`There is no column "%". introspect_schema lists the columns of a table.`, "A column does not exist. introspect_schema lists the columns of a table.")
		case "42883":
			return about(`There is no function or operator "%" for values of these types.`, "A function or operator does not exist for values of these types.")
		case "42P02":
			return "The SQL uses a parameter that has no value."
		}
		return about(`There is no "%".`, "A name does not exist.")
	case warehouse.Type:
		if code == "22012" {
			return "The SQL divides by zero. Use nullif(…, 0)."
		}
		return warehouse.SayType
	case warehouse.Refused:
		return warehouse.SayOneSelect
	case warehouse.TooLarge:
		return warehouse.SayTooLarge
	}
	return "The warehouse could not run the query (code " + code + ")."
}

// position turns a place in characters, from 1, into line and column.
func position(sql string, pos int) (line, column int) {
	line, column = 1, 1
	for i, r := range []rune(sql) {
		if i == pos-1 {
			break
		}
		if column++; r == '\n' {
			line, column = line+1, 1
		}
	}
	return line, column
}

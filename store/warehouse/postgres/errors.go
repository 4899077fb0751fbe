package postgres

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"service/store/sqltext"
	"service/store/warehouse"
)

// ours marks an error of the sink, which is not the warehouse's.
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

// named matches names in a message of Postgres. They come from the query or the catalog, never from
// the rows.
var named = regexp.MustCompile(`"([^"]{1,128})"|(?:column|function|table|operator) ([\w.]{1,128})`)

// translateError translates an error of the warehouse into our own words. sql is the query, for the
// position; empty if the statement was our own.
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
	switch c {
	case warehouse.Permission:
		return warehouse.About(name, warehouse.SayDeniedN, warehouse.SayDenied)
	case warehouse.Syntax:
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

// offset turns a position in characters, from 1, into one in bytes, from 0.
func offset(sql string, position int) int {
	for at := range sql {
		if position--; position == 0 {
			return at
		}
	}
	return len(sql)
}

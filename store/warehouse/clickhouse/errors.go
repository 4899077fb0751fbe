package clickhouse

import (
	"context"
	"errors"
	"strconv"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"

	"service/store/pattern"
	"service/store/sqltext"
	"service/store/warehouse"
)

// connectError translates a failure to connect or to sign in.
func connectError(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return warehouse.DialError(context.DeadlineExceeded)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	if known, ok := errors.AsType[*warehouse.Error](err); ok {
		return known
	}
	if bad, ok := errors.AsType[*driver.Exception](err); ok {
		switch bad.Code {
		case 192, 193, 194, 516, 517:
			return warehouse.Errorf(warehouse.Auth, warehouse.SayAuth)
		case 195, 291, 497:
			return warehouse.Errorf(warehouse.Auth, "The warehouse does not let this user in, or not into that database.")
		case 81:
			return warehouse.Errorf(warehouse.Connect, warehouse.SayNoDatabase)
		case 202, 203, 439:
			return warehouse.Errorf(warehouse.Connect, warehouse.SayFull)
		}
		return warehouse.Errorf(warehouse.Connect, "The warehouse refused the connection (code %d).", bad.Code)
	}
	if known := warehouse.DialError(err); known != nil {
		return known
	}
	return warehouse.Errorf(warehouse.Connect,
		"The host does not answer as a ClickHouse server does on its native port. Check address, port and TLS.")
}

// translateError translates an error of the warehouse into our own message. sql is the query that was sent after prefix, for the position,
// or empty if the statement was our own.
func (s *session) translateError(ctx context.Context, err error, sql, prefix string) error {
	if err == nil && ctx.Err() == nil {
		return nil
	}
	bad, ok := errors.AsType[*driver.Exception](err)
	if ended := warehouse.Ended(ctx, err, ok && class(bad.Code) == warehouse.Timeout); ended != nil {
		return ended
	}
	switch {
	case errors.As(err, new(*column.UnsupportedColumnTypeError)):
		return warehouse.Errorf(warehouse.Type,
			"A column has a type that cannot be shown. Turn it into text with toString(…), or finish an aggregate with finalizeAggregation(…).")
	case s.over():
		return warehouse.Errorf(warehouse.TooLarge, warehouse.SayLongRow)
	case !ok:
		return warehouse.Errorf(warehouse.Connect, warehouse.SayBroken)
	}
	e := &warehouse.Error{Class: class(bad.Code)}
	if e.Class == warehouse.Syntax && sql != "" {
		if m := failedAt.FindStringSubmatch(bad.Message); m != nil {
			at, _ := strconv.Atoi(m[1])
			if at -= len(prefix) + 1; at >= 0 && at <= len(sql) {
				e.Line, e.Column = sqltext.Position(sql, at)
			}
		}
	}
	e.Message = sentence(e.Class, bad)
	return warehouse.Advise(e, sqltext.ClickHouse, sql)
}

// failedAt matches the position in a syntax error, in bytes from 1.
var failedAt = pattern.New(`failed at position (\d+)`)

// named matches names in a message. The names are from the query, so they are safe to show.
var named = pattern.New("(?:[Ii]dentifier:?|columns?:?|name|Dictionary) \\(?[`'\"]([A-Za-z0-9_.]{1,128})[`'\"]|" +
	"(?:Unknown (?:aggregate )?function|Table|Database) [`'\"]?([A-Za-z0-9_.]{1,128})")

func class(code int32) warehouse.Class {
	switch code {
	case 291, 497, 495:
		return warehouse.Permission
	case 16, 46, 47, 60, 81, 8, 10, 20, 352:
		return warehouse.Unknown
	case 6, 26, 27, 38, 41, 43, 44, 53, 69, 70, 72, 130, 153, 321, 349, 386, 407, 427, 457, 636:
		return warehouse.Type
	case 164, 179, 344, 452, 48:
		return warehouse.Refused
	case 159, 160, 394, 209:
		return warehouse.Timeout
	case 158, 161, 162, 167, 168, 191, 241, 243, 307, 396, 306:
		return warehouse.TooLarge
	case 36, 42, 62, 184, 207, 215, 35, 34, 80, 125, 206, 403, 558:
		return warehouse.Syntax
	}
	return warehouse.Failed
}

// types are the messages of errors about values and types that are more specific than their class.
var types = map[int32]string{
	6:   "A text cannot be read as the type that the SQL gives it. Functions that end with OrNull give NULL for such texts.",
	38:  "A text is not a date. toDateOrNull(…) gives NULL for such texts.",
	41:  "A text is not a date and time. parseDateTimeBestEffortOrNull(…) gives NULL for such texts.",
	43:  "A function or operator does not take values of these types. Cast them, as in toString(…) or toFloat64(…).",
	53:  "The types of these values differ. Cast one of them.",
	69:  "A parameter of a function is out of its bounds.",
	70:  "Values of this type cannot be cast to that type.",
	72:  "A text is not a number. toFloat64OrNull(…) gives NULL for such texts.",
	153: "The SQL divides by zero. Use nullIf(…, 0).",
	349: "NULL is not allowed for this type. Use assumeNotNull(…), ifNull(…) or a Nullable type.",
	386: "The values have no type in common. Cast them to one.",
	407: "A decimal number is too large for its type. Cast it to one with more digits, as by toDecimal128(…, 4).",
	427: "A regular expression is not valid.",
}

func sentence(c warehouse.Class, bad *driver.Exception) string {
	name := ""
	if m := named.FindStringSubmatch(bad.Message); m != nil && (c == warehouse.Unknown || c == warehouse.Syntax) {
		name = m[1] + m[2]
	}
	switch c {
	case warehouse.Permission:
		return warehouse.SayDenied
	case warehouse.Unknown:
		switch bad.Code {
		case 60, 81:
			return warehouse.About(name, warehouse.SayNoTableN, warehouse.SayNoTable)
		case 46:
			return warehouse.About(name, `There is no function "%".`, "A function does not exist.")
		}
		return warehouse.About(name, warehouse.SayNoColumnN, warehouse.SayNoColumn)
	case warehouse.Syntax:
		switch bad.Code {
		case 215:
			return warehouse.SayGroupBy
		case 36, 42, 34, 35:
			return "A function is called with parameters that it does not take."
		case 558:
			return "Write UNION ALL, or UNION DISTINCT: UNION alone means neither here."
		case 206:
			return "A subquery or a table function needs a name where several are joined: write AS after it."
		case 207:
			return warehouse.About(name, warehouse.SayAmbiguousN, warehouse.SayAmbiguous)
		}
		return warehouse.SayUnparsed
	case warehouse.Type:
		if said := types[bad.Code]; said != "" {
			return said
		}
		return warehouse.SayType
	case warehouse.Refused:
		if bad.Code == 179 {
			return "Two columns of the query have the same name. Give one of them another name with AS."
		}
		return warehouse.SayOneSelect
	case warehouse.TooLarge:
		return warehouse.SayTooLarge
	}
	return "The warehouse could not run the query (code " + strconv.Itoa(int(bad.Code)) + ")."
}

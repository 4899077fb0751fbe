package mysql

import (
	"context"
	"errors"
	"strconv"
	"strings"

	driver "github.com/go-sql-driver/mysql"

	"service/store/pattern"
	"service/store/sqltext"
	"service/store/warehouse"
)

// connectError translates a failure to connect or to sign in.
func connectError(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	if bad, ok := errors.AsType[*driver.MySQLError](err); ok {
		switch bad.Number {
		case 1045, 1698, 1251, 1275, 2054, 2059:
			return warehouse.Errorf(warehouse.Auth, warehouse.SayAuth)
		case 1044:
			return warehouse.Errorf(warehouse.Auth, "The warehouse does not let this user into that database.")
		case 1820, 1862, 3118, 4151:
			return warehouse.Errorf(warehouse.Auth, "The user of the warehouse is locked, or its password has expired.")
		case 1049:
			return warehouse.Errorf(warehouse.Connect, warehouse.SayNoDatabase)
		case 1040, 1203, 1226:
			return warehouse.Errorf(warehouse.Connect, warehouse.SayFull)
		case 1129, 1130:
			return warehouse.Errorf(warehouse.Connect, "The warehouse takes no connections from this service's address. Allow it there.")
		}
		return warehouse.Errorf(warehouse.Connect, "The warehouse refused the connection (code %d).", bad.Number)
	}
	switch {
	case errors.Is(err, driver.ErrNoTLS):
		return warehouse.Errorf(warehouse.Connect, warehouse.SayNoTLS)
	case errors.Is(err, driver.ErrUnknownPlugin), errors.Is(err, driver.ErrCleartextPassword),
		errors.Is(err, driver.ErrOldPassword), errors.Is(err, driver.ErrNativePassword):
		return warehouse.Errorf(warehouse.Auth, "The user of the warehouse signs in by a method that is not supported. Use one with a password.")
	}
	if known := warehouse.DialError(err); known != nil {
		return known
	}
	return warehouse.Errorf(warehouse.Connect, "The host does not answer as a MySQL server does. Check address and port.")
}

// translateError translates an error of the warehouse into our own message. query is the query, for the position, or empty if the statement
// was our own.
func translateError(ctx context.Context, err error, query string) error {
	if err == nil {
		return nil
	}
	bad, ok := errors.AsType[*driver.MySQLError](err)
	if ended := warehouse.Ended(ctx, err, ok && class(bad.Number) == warehouse.Timeout); ended != nil {
		return ended
	}
	if !ok {
		return warehouse.Errorf(warehouse.Connect, warehouse.SayBroken)
	}
	if bad.Number == 1060 && query != "" {
		return warehouse.SameColumn(named(bad.Message))
	}
	e := &warehouse.Error{Class: class(bad.Number), Message: sentence(bad)}
	if bad.Number == 1064 {
		near, line := quotedAt(bad.Message)
		if e.Line, e.Column = find(query, near, line); e.Line > 0 {
			word, _, _ := strings.Cut(strings.TrimLeft(near, " \t\r\n"), "\n")
			if fields := strings.Fields(word); len(fields) > 0 && len(fields[0]) <= 60 {
				e.Message = `The SQL cannot be parsed near "` + fields[0] + `".`
			}
		}
	}
	if placed[bad.Number] && e.Line == 0 {
		e.Line, e.Column = mentioned(query, named(bad.Message), bad.Number)
	}
	return warehouse.Advise(e, sqltext.MySQL, query)
}

// placed are errors about a name of the query whose position the server does not report.
var placed = map[uint16]bool{1054: true, 1146: true, 1109: true, 1305: true, 1630: true, 1052: true}

// mentioned returns the first position of a name in a query: of a column, alone or after a table, of a table, or of a function. It returns
// 0 if the query does not contain the name.
func mentioned(query, name string, number uint16) (line, column int) {
	parts := strings.Split(name, ".")
	q := sqltext.Read(query)
	for i := range q.Tokens {
		if !strings.EqualFold(strings.Trim(q.Text(i), "`"), parts[len(parts)-1]) || !q.Named(i) {
			continue
		}
		if called := q.Called(i); called != (number == 1305 || number == 1630) || len(parts) > 1 && !q.Is(i-1, ".") {
			continue
		}
		if q.Is(i-1, "as") {
			continue
		}
		if len(parts) > 1 && i > 1 {
			i -= 2
		}
		return sqltext.Position(query, q.Tokens[i].From)
	}
	return 0, 0
}

func class(number uint16) warehouse.Class {
	switch number {
	case 1044, 1142, 1143, 1227, 1370, 1345, 1356, 4102:
		return warehouse.Permission
	case 1054, 1109, 1146, 1305, 1630, 1046, 1049, 1176, 4091:
		return warehouse.Unknown
	case 1267, 1270, 1271, 1253, 1273, 1115, 1302, 1292, 1264, 1366, 1411, 1690, 1425, 1426, 1427, 1525, 3140, 3141, 3143, 3144, 3146,
		4037, 4038, 4078, 1139, 1298, 3685, 3686, 3687, 3688, 3689, 3690, 3691, 3692, 3693, 3694, 3695, 3696, 3697:
		return warehouse.Type
	case 1792, 1172, 1295, 1314, 1235, 1166, 1060:
		return warehouse.Refused
	case 1969, 3024, 1317, 1205, 1907, 3168:
		return warehouse.Timeout
	case 1021, 1037, 1038, 1041, 1104, 1114, 1118, 1153, 1206, 1301, 3636, 4006:
		return warehouse.TooLarge
	case 1052, 1055, 1056, 1064, 1066, 1111, 1140, 1149, 1222, 1241, 1242, 1247, 1248, 1318, 1582, 1583, 3593, 4015, 4016, 4018:
		return warehouse.Syntax
	}
	return warehouse.Failed
}

func sentence(bad *driver.MySQLError) string {
	name := named(bad.Message)
	switch bad.Number {
	case 1054:
		return warehouse.About(name, warehouse.SayNoColumnN, warehouse.SayNoColumn)
	case 1109, 1146, 1049:
		return warehouse.About(name, warehouse.SayNoTableN, warehouse.SayNoTable)
	case 1046:
		return "The connection names no database, so write tables with theirs, such as sales.orders."
	case 1305, 1630:
		return warehouse.About(name, `There is no function "%".`, "A function does not exist.")
	case 1052:
		return warehouse.About(name, warehouse.SayAmbiguousN, warehouse.SayAmbiguous)
	case 1055, 1140:
		return warehouse.SayGroupBy
	case 1111:
		return "An aggregate such as sum(…) is not allowed here, in WHERE or in another aggregate: move it to a subquery, or to HAVING."
	case 1242:
		return "A subquery that may give one row gives several."
	case 1248:
		return "Every subquery in FROM needs a name."
	case 1582, 1583, 1318:
		return warehouse.About(name, `The function "%" is called with parameters that it does not `+
			`take.`, "A function is called with parameters that it does not take.")
	case 1166:
		return "A column of the query needs a shorter name. Give it one with AS."
	case 1267, 1270, 1271:
		return "Texts with different collations are compared or joined. Write the same COLLATE after each, such as COLLATE utf8mb4_unicode_ci."
	case 1253, 1273, 1115, 1302:
		return "A collation or character set does not exist, or does not go with the other. Use utf8mb4 and a collation of it."
	case 1292, 1525, 1411:
		return "A text is not a date, time or number of the form that the SQL expects."
	case 1264, 1690:
		return "A number is too large for its type. Cast it to a larger one, such as DECIMAL(38, 4), before calculating."
	case 1366:
		return "A text cannot be read as the type that the SQL gives it, or has characters that its character set lacks."
	case 1426, 1425, 1427:
		return "A DECIMAL has more digits than there can be, or more behind the point than in all."
	case 3140, 3141, 3143, 3146, 3144, 4037, 4038:
		return "A text is not valid JSON, or a path in JSON is not valid."
	case 1139, 3685, 3686, 3687, 3688, 3689, 3690, 3691, 3692, 3693, 3694, 3695, 3696, 3697:
		return "A regular expression is not valid."
	case 1298:
		return "A time zone is not known to the warehouse."
	case 4078:
		return "The types of these values do not go together. Cast one of them."
	case 1222:
		return "The parts of UNION, INTERSECT or EXCEPT must have the same number of columns."
	case 1241:
		return "A subquery or a list has more columns than its place takes."
	case 1247:
		return "An alias is used where it is not known yet."
	case 1066:
		return "Two tables of the query have the same name. Give one of them another with AS."
	case 1056:
		return "GROUP BY cannot use this column: it is an aggregate."
	case 3593, 4015, 4016, 4018:
		return "A window function is not allowed here: move it to a subquery."
	case 1365:
		return "The SQL divides by zero. Use nullif(…, 0)."
	case 3636:
		return "The recursion goes deeper than the warehouse allows."
	}
	switch class(bad.Number) {
	case warehouse.Permission:
		if bad.Number != 1142 {
			name = ""
		}
		return warehouse.About(name, warehouse.SayDeniedN, warehouse.SayDenied)
	case warehouse.Unknown:
		return warehouse.About(name, `There is no "%".`, "A name does not exist.")
	case warehouse.Syntax:
		return warehouse.SayUnparsed
	case warehouse.Type:
		return warehouse.SayType
	case warehouse.Refused:
		return warehouse.SayOneSelect
	case warehouse.TooLarge:
		return warehouse.SayTooLarge
	}
	return "The warehouse could not run the query (code " + strconv.Itoa(int(bad.Number)) + ")."
}

// quotes are the names that the server quotes in a message. In the errors whose names are shown, the names are from the query or the
// catalog, never from the rows.
var quotes = pattern.New("'([^']{1,128})'|`([^`]{1,128})`\\.`([^`]{1,128})`")

// named returns the name that a message is about. A table's name is without its database.
func named(message string) string {
	// "… denied to user 'u'@'h' for table `d`.`t`": do not show the user's name.
	if _, table, ok := strings.Cut(message, " for table "); ok {
		message = table
	}
	if m := routine.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	m := quotes.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	name := m[1] + m[3]
	if database, table, ok := strings.Cut(name, "."); ok && strings.HasPrefix(message, "Table ") && database != "" {
		return table
	}
	return name
}

// routine matches the function that does not exist according to a message.
var routine = pattern.New(`^FUNCTION (?:.*\.)?([^.]{1,128}) does not exist`)

var near = pattern.New(`(?s) near '(.*)' at line (\d+)$`)

// quotedAt returns the part of the query that a syntax error quotes, and its line.
func quotedAt(message string) (text string, line int) {
	m := near.FindStringSubmatch(message)
	if m == nil {
		return "", 0
	}
	line, _ = strconv.Atoi(m[2])
	return m[1], line
}

// find returns the position in query of the text that the server quotes from it, which is up to 80 characters from the mistake on.
func find(query, text string, line int) (l, column int) {
	if query == "" || line == 0 {
		return 0, 0
	}
	start := 0
	for range line - 1 {
		next := strings.IndexByte(query[start:], '\n')
		if next < 0 {
			return line, 0
		}
		start += next + 1
	}
	at := len(query) - len(text)
	if !strings.HasSuffix(query, text) || at < start {
		at = strings.Index(query[start:], text)
		if at < 0 {
			return line, 0
		}
		at += start
	}
	return sqltext.Position(query, at)
}

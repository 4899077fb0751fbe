package snowflake

import (
	"net/http"
	"strconv"
	"strings"

	"service/store/pattern"
	"service/store/rawjson"
	"service/store/warehouse"
	"service/store/warehouse/rest"
)

// A wrong is the translation of the errors of a code. The name replaces % in a sentence, if it may be shown.
type wrong struct {
	class         warehouse.Class
	name          *pattern.Pattern // finds the name in the message; nil for none
	with, without string
}

// quoted matches the first name in single quotes.
var quoted = pattern.New(`'([A-Za-z0-9_.]{1,128})'`)

// called matches the name of a function that does not exist.
var called = pattern.New(`Unknown function ([A-Za-z0-9_.]{1,128})`)

// wrongs are the codes of errors of SQL. Values of data, which some messages contain, are never shown.
var wrongs = map[string]wrong{
	"000904": {warehouse.Unknown, quoted, warehouse.SayNoColumnN, warehouse.SayNoColumn},
	"001003": {warehouse.Syntax, nil, "", warehouse.SayUnparsed},
	"002028": {warehouse.Syntax, quoted, warehouse.SayAmbiguousN, warehouse.SayAmbiguous},
	"002003": {
		warehouse.Unknown, quoted, `There is no table "%", or the user's role may not read it. introspect_schema lists the tables.`,
		warehouse.SayNoTable,
	},
	"002043": {warehouse.Unknown, nil, "", warehouse.SayNoDatabase},
	"002140": {warehouse.Unknown, called, `There is no function "%".`, "A function does not exist."},
	"001044": {warehouse.Type, nil, "", "A function or operator does not take values of these types. Cast them, as in TO_VARCHAR(…)."},
	"100038": {warehouse.Type, nil, "", "A text is not a number. TRY_TO_NUMBER(…) gives NULL for such texts."},
	"100040": {warehouse.Type, nil, "", "A text is not a date. TRY_TO_DATE(…) gives NULL for such texts."},
	"100035": {warehouse.Type, nil, "", "A text is not a date and time. TRY_TO_TIMESTAMP(…) gives NULL for such texts."},
	"100051": {warehouse.Type, nil, "", "The SQL divides by zero. Use DIV0NULL(…), or NULLIF(…, 0)."},
	"003001": {warehouse.Permission, nil, "", warehouse.SayDenied},
	"000606": {warehouse.Permission, nil, "", "The user has no warehouse to run queries. Give it a default warehouse, and USAGE on it."},
	"000630": {warehouse.Timeout, nil, "", warehouse.SayTimeout},
	"000604": {warehouse.Failed, nil, "", "The query was cancelled in Snowflake."},
	"000008": {warehouse.Refused, nil, "", warehouse.SayOneSelect},
}

// place matches the position of an error: its line, from 1, and its column, from 0.
var place = pattern.New(`error line ([0-9]{1,6}) at position ([0-9]{1,6})`)

// Fault translates an answer that is not a success: {"code", "sqlState", "message", …}.
func (e *engine) Fault(a rest.Answer, st rest.Statement) *warehouse.Error {
	code, text := "", ""
	if rawjson.Valid(a.Body) {
		code, text = rest.PickText(a.Body, "code"), rest.PickText(a.Body, "message")
	}
	switch a.Status {
	case http.StatusUnauthorized:
		if e.issuer != nil {
			return warehouse.Errorf(warehouse.Auth, "Snowflake refused the token of the identity provider. A security integration of the account "+
				"must trust it, and map it to a user.")
		}
		return warehouse.Errorf(warehouse.Auth,
			"Snowflake refused the user, its key or its token. The public key must be the user's, and the clock of"+
				" this machine right.")
	case http.StatusForbidden:
		return warehouse.Errorf(warehouse.Permission,
			"Snowflake does not let this user use its SQL API from here. Check the account's network policy.")
	case http.StatusRequestTimeout:
		return warehouse.Errorf(warehouse.Timeout, warehouse.SayTimeout)
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout:
		return warehouse.Errorf(warehouse.Busy, "Snowflake takes no more requests at the moment. Try again in a little while.")
	case http.StatusNotFound:
		if strings.HasPrefix(code, "39") || text == "" {
			return warehouse.Errorf(warehouse.Failed, "Snowflake no longer has the query, or the host is not that of an account. Try again.")
		}
	}
	if strings.Contains(strings.ToLower(text), "timezone") && st.Zone != "UTC" {
		return warehouse.SayZone(st.Zone)
	}
	if strings.Contains(text, "in the group by clause") {
		return warehouse.Errorf(warehouse.Syntax, warehouse.SayGroupBy)
	}
	if strings.Contains(text, "Bind variable") {
		return warehouse.Errorf(warehouse.Refused, "The SQL uses a parameter that has no value.")
	}
	w, ok := wrongs[code]
	if !ok {
		if !digits.MatchString(code) {
			code = strconv.Itoa(a.Status)
		}
		return warehouse.Errorf(warehouse.Failed, "Snowflake could not run the query (code %s).", code)
	}
	shown := ""
	if w.name != nil {
		if m := w.name.FindStringSubmatch(text); m != nil {
			shown = e.shown(m[1])
		}
	}
	bad := warehouse.Errorf(w.class, "%s", warehouse.About(shown, w.with, w.without))
	if m := place.FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[1])
		column, _ := strconv.Atoi(m[2])
		st.Locate(bad, line, column+1)
	}
	return bad
}

var digits = pattern.New(`^[0-9]{1,8}$`)

// shown returns a name of a message in the form used here, without the connection's own database and schema.
func (e *engine) shown(name string) string {
	name = strings.TrimPrefix(name, e.database+".")
	name = strings.TrimPrefix(name, e.schema+".")
	parts := strings.Split(name, ".")
	for i, part := range parts {
		parts[i] = known(part)
	}
	return strings.Join(parts, ".")
}

package databricks

import (
	"net/http"
	"strconv"
	"strings"

	"service/store/pattern"
	"service/store/rawjson"
	"service/store/warehouse"
	"service/store/warehouse/rest"
)

// Fault translates an answer that is not a success: {"error_code", "message"}.
func (e *engine) Fault(a rest.Answer, st rest.Statement) *warehouse.Error {
	code := ""
	if rawjson.Valid(a.Body) {
		code = rest.PickText(a.Body, "error_code")
		if rest.PickText(a.Body, "error") == "invalid_client" { // of the token's endpoint: RFC 6749, 5.2
			return warehouse.Errorf(warehouse.Auth, sayAuth)
		}
	}
	switch {
	case a.Status == http.StatusUnauthorized:
		return warehouse.Errorf(warehouse.Auth, sayAuth)
	case a.Status == http.StatusForbidden:
		return warehouse.Errorf(warehouse.Permission,
			"Databricks does not let this user use the SQL warehouse. It needs the permission CAN USE on it, and access to the workspace from here.")
	case a.Status == http.StatusTooManyRequests, a.Status >= 500:
		return warehouse.Errorf(warehouse.Busy, "Databricks takes no more requests at the moment. Try again in a little while.")
	case a.Status == http.StatusNotFound && code == "RESOURCE_DOES_NOT_EXIST", code == "INVALID_PARAMETER_VALUE":
		return warehouse.Errorf(warehouse.Connect, "The workspace has no SQL warehouse of that id.")
	case a.Status == http.StatusNotFound:
		return warehouse.Errorf(warehouse.Failed, sayGone)
	}
	return e.wrong(code, rest.PickText(a.Body, "message"), st)
}

const sayAuth = "Databricks refused the token, or the service principal and its secret. They may be deleted or expired."

// A wrong is the translation of the errors of a class. The name in the message replaces % in a sentence, if it may be shown.
type wrong struct {
	class         warehouse.Class
	with, without string
}

// wrongs are errors by the first word of their class: "Error classes". Values of data, which some messages contain, are never shown.
var wrongs = map[string]wrong{
	"PARSE_SYNTAX_ERROR":         {warehouse.Syntax, "", warehouse.SayUnparsed},
	"PARSE_EMPTY_STATEMENT":      {warehouse.Syntax, "", warehouse.SayUnparsed},
	"UNRESOLVED_COLUMN":          {warehouse.Unknown, warehouse.SayNoColumnN, warehouse.SayNoColumn},
	"TABLE_OR_VIEW_NOT_FOUND":    {warehouse.Unknown, warehouse.SayNoTableN, warehouse.SayNoTable},
	"SCHEMA_NOT_FOUND":           {warehouse.Unknown, `There is no schema "%".`, warehouse.SayNoDatabase},
	"NO_SUCH_CATALOG_EXCEPTION":  {warehouse.Unknown, `There is no catalog "%".`, warehouse.SayNoDatabase},
	"UNRESOLVED_ROUTINE":         {warehouse.Unknown, `There is no function "%".`, "A function does not exist."},
	"AMBIGUOUS_REFERENCE":        {warehouse.Syntax, warehouse.SayAmbiguousN, warehouse.SayAmbiguous},
	"MISSING_AGGREGATION":        {warehouse.Syntax, "", warehouse.SayGroupBy},
	"MISSING_GROUP_BY":           {warehouse.Syntax, "", warehouse.SayGroupBy},
	"DATATYPE_MISMATCH":          {warehouse.Type, "", sayCast},
	"CAST_INVALID_INPUT":         {warehouse.Type, "", sayTry},
	"CAST_OVERFLOW":              {warehouse.Type, "", sayTry},
	"ARITHMETIC_OVERFLOW":        {warehouse.Type, "", sayTry},
	"NUMERIC_VALUE_OUT_OF_RANGE": {warehouse.Type, "", sayTry},
	"CANNOT_PARSE_TIMESTAMP":     {warehouse.Type, "", sayTry},
	"DIVIDE_BY_ZERO":             {warehouse.Type, "", "The SQL divides by zero. Use try_divide(…), or NULLIF(…, 0)."},
	"INSUFFICIENT_PERMISSIONS":   {warehouse.Permission, "", warehouse.SayDenied},
	"UNBOUND_SQL_PARAMETER":      {warehouse.Refused, "", "The SQL uses a parameter that has no value."},
}

const sayCast = "A function or operator does not take values of these types. Cast them, as in CAST(… AS STRING)."

const sayTry = "A value does not fit the type that the SQL gives it. try_cast(… AS …) gives NULL for such values."

var (
	// class matches the class of an error, of which the first word counts.
	class = pattern.New(`^\[([A-Z_]{1,60})[A-Z_.]{0,60}\]`)
	// named matches the first name in backticks, which is of the query or the catalog.
	named = pattern.New("`([A-Za-z0-9_]{1,128})`(?:\\.`([A-Za-z0-9_]{1,128})`)?(?:\\.`([A-Za-z0-9_]{1,128})`)?")
	// place matches the position of an error: its line, from 1, and its column, from 0.
	place = pattern.New(`line ([0-9]{1,6}),? pos ([0-9]{1,6})`)
	// word matches a code that can be shown.
	word = pattern.New(`^[A-Z_]{1,60}$`)
)

// wrong translates the error of a statement.
func (e *engine) wrong(code, text string, st rest.Statement) *warehouse.Error {
	name := ""
	if m := class.FindStringSubmatch(text); m != nil {
		name = m[1]
	}
	w, ok := wrongs[name]
	switch {
	case ok:
	case code == "TEMPORARILY_UNAVAILABLE", code == "WORKSPACE_TEMPORARILY_UNAVAILABLE", code == "SERVICE_UNDER_MAINTENANCE":
		return warehouse.Errorf(warehouse.Busy, "Databricks takes no more requests at the moment. Try again in a little while.")
	case code == "DEADLINE_EXCEEDED":
		return warehouse.Errorf(warehouse.Timeout, warehouse.SayTimeout)
	case code == "RESOURCE_EXHAUSTED":
		return warehouse.Errorf(warehouse.TooLarge, warehouse.SayTooLarge)
	case code == "CANCELLED", code == "ABORTED":
		return warehouse.Errorf(warehouse.Failed, sayCancelled)
	case word.MatchString(name):
		return warehouse.Errorf(warehouse.Failed, "Databricks could not run the query (%s).", name)
	case word.MatchString(code):
		return warehouse.Errorf(warehouse.Failed, "Databricks could not run the query (%s).", code)
	default:
		return warehouse.Errorf(warehouse.Failed, "Databricks could not run the query.")
	}
	shown := ""
	if m := named.FindStringSubmatch(text); m != nil && w.with != "" {
		shown = strings.Join(m[1:], ".")
		shown = strings.TrimPrefix(strings.TrimPrefix(strings.TrimRight(shown, "."), e.catalog+"."), e.schema+".")
	}
	bad := warehouse.Errorf(w.class, "%s", warehouse.About(shown, w.with, w.without))
	if m := place.FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[1])
		column, _ := strconv.Atoi(m[2])
		st.Locate(bad, line, column+1)
	}
	return bad
}

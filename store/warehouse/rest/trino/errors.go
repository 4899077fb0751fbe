package trino

import (
	"net/http"
	"strconv"
	"strings"

	"service/store/pattern"
	"service/store/warehouse"
	"service/store/warehouse/rest"
)

// Fault translates an answer that is not a success. Its body is a text.
func (e *engine) Fault(a rest.Answer, st rest.Statement) *warehouse.Error {
	switch a.Status {
	case http.StatusUnauthorized:
		return warehouse.Errorf(warehouse.Auth, warehouse.SayAuth)
	case http.StatusForbidden:
		return warehouse.Errorf(warehouse.Permission, "Trino does not let this user run queries. Check its access control and impersonation.")
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return warehouse.Errorf(warehouse.Busy, "Trino takes no more requests at the moment. Try again in a little while.")
	case http.StatusNotFound, http.StatusGone:
		return warehouse.Errorf(warehouse.Failed, sayGone)
	case http.StatusBadRequest:
		if strings.Contains(strings.ToLower(string(a.Body[:min(len(a.Body), 1000)])), "zone") && st.Zone != "UTC" {
			return warehouse.SayZone(st.Zone)
		}
	}
	return warehouse.Errorf(warehouse.Failed, "Trino refused the request (HTTP %d).", a.Status)
}

// A wrong is the translation of the errors of a name. The name in the message replaces % in a sentence, if it may be shown.
type wrong struct {
	class         warehouse.Class
	with, without string
}

// names finds the name in the messages of errors about names. Values of data, which other messages contain, are never shown.
var names = pattern.New(`^(?:line [0-9]+:[0-9]+: )?(?:Column|Table|Schema|Catalog|Function) '([A-Za-z0-9_.$]{1,128})' `)

// wrongs are errors by their errorName: StandardErrorCode.
var wrongs = map[string]wrong{
	"SYNTAX_ERROR":               {warehouse.Syntax, "", warehouse.SayUnparsed},
	"COLUMN_NOT_FOUND":           {warehouse.Unknown, warehouse.SayNoColumnN, warehouse.SayNoColumn},
	"TABLE_NOT_FOUND":            {warehouse.Unknown, warehouse.SayNoTableN, warehouse.SayNoTable},
	"SCHEMA_NOT_FOUND":           {warehouse.Unknown, `There is no schema "%".`, warehouse.SayNoDatabase},
	"CATALOG_NOT_FOUND":          {warehouse.Unknown, `There is no catalog "%".`, warehouse.SayNoDatabase},
	"FUNCTION_NOT_FOUND":         {warehouse.Unknown, `There is no function "%".`, "A function does not exist."},
	"TYPE_NOT_FOUND":             {warehouse.Unknown, "", "A type does not exist."},
	"AMBIGUOUS_NAME":             {warehouse.Syntax, warehouse.SayAmbiguousN, warehouse.SayAmbiguous},
	"EXPRESSION_NOT_AGGREGATE":   {warehouse.Syntax, "", warehouse.SayGroupBy},
	"MISSING_GROUP_BY":           {warehouse.Syntax, "", warehouse.SayGroupBy},
	"NESTED_AGGREGATION":         {warehouse.Syntax, "", "An aggregate or window function is where none can be."},
	"EXPRESSION_NOT_SCALAR":      {warehouse.Syntax, "", "An aggregate or window function is where none can be."},
	"INVALID_PARAMETER_USAGE":    {warehouse.Refused, "", "The SQL uses a parameter that has no value."},
	"TYPE_MISMATCH":              {warehouse.Type, "", sayCast},
	"INVALID_LITERAL":            {warehouse.Type, "", "A literal is not a value of its type."},
	"INVALID_CAST_ARGUMENT":      {warehouse.Type, "", sayTry},
	"INVALID_FUNCTION_ARGUMENT":  {warehouse.Type, "", sayTry},
	"NUMERIC_VALUE_OUT_OF_RANGE": {warehouse.Type, "", sayTry},
	"DIVISION_BY_ZERO":           {warehouse.Type, "", "The SQL divides by zero. Use NULLIF(…, 0)."},
	"PERMISSION_DENIED":          {warehouse.Permission, "", warehouse.SayDenied},
	"READ_ONLY_VIOLATION":        {warehouse.Refused, "", warehouse.SayOneSelect},
	"INVALID_SESSION_PROPERTY": {
		warehouse.Permission, "", "Trino does not accept the limits of time and bytes that the connection sets. The user must be allowed to " +
			"set query_max_run_time and query_max_scan_physical_bytes.",
	},
	"EXCEEDED_TIME_LIMIT":            {warehouse.Timeout, "", warehouse.SayTimeout},
	"EXCEEDED_CPU_LIMIT":             {warehouse.Timeout, "", warehouse.SayTimeout},
	"OPTIMIZER_TIMEOUT":              {warehouse.Timeout, "", warehouse.SayTimeout},
	"EXCEEDED_SCAN_LIMIT":            {warehouse.TooLarge, sayScan, sayScan},
	"EXCEEDED_GLOBAL_MEMORY_LIMIT":   {warehouse.TooLarge, "", warehouse.SayTooLarge},
	"EXCEEDED_LOCAL_MEMORY_LIMIT":    {warehouse.TooLarge, "", warehouse.SayTooLarge},
	"EXCEEDED_FUNCTION_MEMORY_LIMIT": {warehouse.TooLarge, "", warehouse.SayTooLarge},
	"EXCEEDED_SPILL_LIMIT":           {warehouse.TooLarge, "", warehouse.SayTooLarge},
	"CLUSTER_OUT_OF_MEMORY":          {warehouse.TooLarge, "", warehouse.SayTooLarge},
	"QUERY_TEXT_TOO_LARGE":           {warehouse.TooLarge, "", "The SQL is longer than Trino takes."},
	"QUERY_QUEUE_FULL":               {warehouse.Busy, "", warehouse.SayFull},
	"NO_NODES_AVAILABLE":             {warehouse.Busy, "", warehouse.SayFull},
	"SERVER_STARTING_UP":             {warehouse.Busy, "", "Trino is starting. Try again in a little while."},
	"SERVER_SHUTTING_DOWN":           {warehouse.Busy, "", "Trino is shutting down. Try again in a little while."},
	"USER_CANCELED":                  {warehouse.Failed, "", "The query was cancelled in Trino."},
	"ADMINISTRATIVELY_KILLED":        {warehouse.Failed, "", "The query was cancelled in Trino."},
	"ABANDONED_QUERY":                {warehouse.Failed, "", sayGone},
}

const (
	sayGone = "Trino no longer has the query, or the host is not that of a coordinator. Try again."
	sayCast = "A function or operator does not take values of these types. Cast them, as in CAST(… AS varchar)."
	sayTry  = "A value does not fit the type that the SQL gives it. TRY_CAST(… AS …) gives NULL for such values."
	sayScan = "The query read more than % from storage, which is what this connection allows it. Read fewer columns or a shorter period, " +
		"or have the connection's owner raise its limit."
)

// word matches an errorName that can be shown.
var word = pattern.New(`^[A-Z_]{1,60}$`)

// wrong translates a QueryError.
func (e *engine) wrong(raw []byte, st rest.Statement) *warehouse.Error {
	line, _ := strconv.Atoi(string(rest.Pick(raw, "errorLocation", "lineNumber")))
	column, _ := strconv.Atoi(string(rest.Pick(raw, "errorLocation", "columnNumber")))
	name, text := rest.PickText(raw, "errorName"), rest.PickText(raw, "message")
	return Translate("Trino", name, text, e.catalog+"."+e.schema+".", line, column, st)
}

// Translate translates the error of a statement on a server of a vendor. name is of StandardErrorCode, and text the message. prefix is left
// out of names. line and column are those of the error in the SQL that was sent, or 0.
func Translate(vendor, name, text, prefix string, line, column int, st rest.Statement) *warehouse.Error {
	w, ok := wrongs[name]
	switch {
	case ok:
	case word.MatchString(name):
		return warehouse.Errorf(warehouse.Failed, "%s could not run the query (%s).", vendor, name)
	default:
		return warehouse.Errorf(warehouse.Failed, "%s could not run the query.", vendor)
	}
	if strings.Contains(text, "ime zone") && st.Zone != "UTC" && name != "INVALID_FUNCTION_ARGUMENT" {
		return warehouse.SayZone(st.Zone)
	}
	shown := ""
	if name == "EXCEEDED_SCAN_LIMIT" {
		shown = warehouse.Size(st.Scan)
	}
	if m := names.FindStringSubmatch(text); m != nil && w.with != "" {
		shown = strings.TrimPrefix(m[1], prefix)
	}
	sentence := strings.ReplaceAll(warehouse.About(shown, w.with, w.without), "Trino", vendor)
	bad := warehouse.Errorf(w.class, "%s", sentence)
	st.Locate(bad, line, column)
	return bad
}

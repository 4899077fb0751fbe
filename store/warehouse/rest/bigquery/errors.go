package bigquery

import (
	"net/http"
	"strconv"
	"strings"

	"service/store/pattern"
	"service/store/rawjson"
	"service/store/warehouse"
	"service/store/warehouse/rest"
)

// ended returns the error with which a job has ended, or nil.
func (e *engine) ended(body []byte, st rest.Statement) error {
	if bad := rest.Pick(body, "status", "errorResult"); bad != nil {
		return e.translate(http.StatusOK, rest.PickText(bad, "reason"), rest.PickText(bad, "message"), st)
	}
	return nil
}

// Fault translates an answer that is not a success: {"error": {"code", "message", "errors": [{"reason", "message"}]}}.
func (e *engine) Fault(a rest.Answer, st rest.Statement) *warehouse.Error {
	reason, text := "", ""
	if rawjson.Valid(a.Body) {
		text = rest.PickText(a.Body, "error", "message")
		for first := range rawjson.Elements(rest.Pick(a.Body, "error", "errors")) {
			reason = rest.PickText(first, "reason")
			break
		}
	}
	return e.translate(a.Status, reason, text, st)
}

// reasons are the classes of errors that their reason alone determines. The map sentences has their messages; a reason that is not in it
// has the message of its class.
var reasons = map[string]warehouse.Class{
	"accessDenied": warehouse.Permission, "rateLimitExceeded": warehouse.Busy, "jobRateLimitExceeded": warehouse.Busy,
	"backendError": warehouse.Busy, "internalError": warehouse.Busy, "tableUnavailable": warehouse.Busy,
	"quotaExceeded": warehouse.TooLarge, "bytesBilledLimitExceeded": warehouse.TooLarge, "resourcesExceeded": warehouse.TooLarge,
	"billingTierLimitExceeded": warehouse.TooLarge, "responseTooLarge": warehouse.TooLarge,
	"timeout": warehouse.Timeout, "stopped": warehouse.Failed, "jobBackendError": warehouse.Failed, "jobInternalError": warehouse.Failed,
	"billingNotEnabled": warehouse.Connect, "blocked": warehouse.Connect, "notImplemented": warehouse.Refused,
}

var sentences = map[string]string{
	"accessDenied": "The service account may not do that. It needs the roles BigQuery Data Viewer on the dataset and " +
		"BigQuery Job User on the project.",
	"quotaExceeded": "The quota of the project in BigQuery is used up. Wait until it is renewed, or have it raised.",
	"bytesBilledLimitExceeded": "The query would read more bytes than this connection allows. Read fewer columns or a shorter period, " +
		"or have the connection's owner raise its limit.",
	"stopped":           "The query was cancelled in BigQuery.",
	"jobBackendError":   "BigQuery had a fault of its own. Try again.",
	"jobInternalError":  "BigQuery had a fault of its own. Try again.",
	"billingNotEnabled": "Billing is not enabled for the project in Google Cloud.",
	"blocked":           "BigQuery has blocked this operation for the time being.",
	"notImplemented":    "BigQuery does not offer this.",
}

const sayBusy = "BigQuery takes no more requests of this project at the moment. Try again in a little while."

func (e *engine) translate(status int, reason, text string, st rest.Statement) *warehouse.Error {
	class, known := reasons[reason]
	switch {
	case status == http.StatusUnauthorized && e.federation != nil:
		return warehouse.Errorf(warehouse.Auth,
			"BigQuery refused the identity of the connection. Its service account may be deleted or disabled.")
	case status == http.StatusUnauthorized:
		return warehouse.Errorf(warehouse.Auth,
			"BigQuery refused the key of the service account. It may be deleted, or the clock of this machine wrong.")
	case known && class == warehouse.Busy, status == http.StatusTooManyRequests, status >= 500 && !known:
		return warehouse.Errorf(warehouse.Busy, sayBusy)
	case reason == "bytesBilledLimitExceeded" && billed.MatchString(text):
		m := billed.FindStringSubmatch(text)
		allowed, _ := strconv.ParseInt(m[1], 10, 64)
		needed, _ := strconv.ParseInt(m[2], 10, 64)
		return warehouse.Errorf(class, warehouse.SayCost, warehouse.Size(needed), warehouse.Size(allowed))
	case known && sentences[reason] != "":
		return warehouse.Errorf(class, "%s", sentences[reason])
	case class == warehouse.TooLarge:
		return warehouse.Errorf(class, warehouse.SayTooLarge)
	case class == warehouse.Timeout:
		return warehouse.Errorf(class, warehouse.SayTimeout)
	case status == http.StatusForbidden:
		return warehouse.Errorf(warehouse.Permission, "%s", sentences["accessDenied"])
	case strings.HasPrefix(text, "Not found: Job"):
		return warehouse.Errorf(warehouse.Failed, "BigQuery no longer has the query. Try again.")
	}
	bad := e.wrong(text, st)
	if m := position.FindStringSubmatch(text); m != nil && !st.Own {
		bad.Line, _ = strconv.Atoi(m[1])
		bad.Column, _ = strconv.Atoi(m[2])
	}
	if bad.Class == "" {
		bad.Class, bad.Message = warehouse.Failed, "BigQuery could not run the query."
		if word.MatchString(reason) {
			bad.Message = "BigQuery could not run the query (" + reason + ")."
		}
	}
	return bad
}

// billed matches the limit of bytes and the bytes that a query would need.
var billed = pattern.New(`limit for bytes billed: ([0-9]{1,18})\. ([0-9]{1,18}) or higher required`)

// position matches the position of an error, at the end of its message.
var position = pattern.New(`at \[([0-9]{1,6}):([0-9]{1,6})\]\s*$`)

// word matches a reason that can be shown.
var word = pattern.New(`^[A-Za-z]{1,40}$`)

// name matches a name of the query, with or without quotes.
const name = "[`\"']?([A-Za-z0-9_.:-]{1,128}?)[`\"']?"

// wrongs are the forms of messages about SQL. In a sentence, % is replaced by the name that the message contains, if it may be shown. Some
// messages contain values of data, which are never shown.
var wrongs = []struct {
	form          *pattern.Pattern
	class         warehouse.Class
	with, without string
}{
	{pattern.New(`^Syntax error: `), warehouse.Syntax, "", warehouse.SayUnparsed},
	{
		pattern.New("^Unrecognized name: " + name + `(?:;| at |$)`),
		warehouse.Unknown, warehouse.SayNoColumnN, warehouse.SayNoColumn,
	},
	{
		pattern.New("^(?:Name|Field name) " + name + ` (?:not found inside|does not exist in)`),
		warehouse.Unknown, warehouse.SayNoColumnN, warehouse.SayNoColumn,
	},
	{
		pattern.New("^Function not found: " + name + `(?:;| at |$)`),
		warehouse.Unknown, `There is no function "%".`, "A function does not exist.",
	},
	{
		pattern.New("^(?:Not found: (?:Table|View) |Table not found: )" + name + `(?:;| was not found| at |\.?$)`),
		warehouse.Unknown, warehouse.SayNoTableN, warehouse.SayNoTable,
	},
	{pattern.New(`^Not found: (?:Dataset|Project)`), warehouse.Unknown, "", warehouse.SayNoDatabase},
	{pattern.New(`must be qualified with a dataset|missing dataset`), warehouse.Unknown, "", warehouse.SayNoTable},
	{
		pattern.New("^Column (?:name )?" + name + ` is ambiguous`),
		warehouse.Syntax, warehouse.SayAmbiguousN, warehouse.SayAmbiguous,
	},
	{pattern.New(`neither grouped nor aggregated`), warehouse.Syntax, "", warehouse.SayGroupBy},
	{
		pattern.New(`^(?:Aggregate|Analytic) function .*not allowed in`),
		warehouse.Syntax, "", "An aggregate or window function is where none can be.",
	},
	{
		pattern.New("^Duplicate column names in the result .*Found duplicate\\(s\\): " + name + `(?:,|$)`),
		warehouse.Refused, `Two columns of the query are called "%". Give one of them another name with AS.`,
		"Two columns of the query have the same name. Give one of them another name with AS.",
	},
	{
		pattern.New(`^Query parameter|^Undeclared query parameters`),
		warehouse.Refused, "", "The SQL uses a parameter that has no value.",
	},
	{
		pattern.New(`^No matching signature`),
		warehouse.Type, "", "A function or operator does not take values of these types. Cast them, as in CAST(… AS STRING).",
	},
	{pattern.New(`(?i)^division by zero`), warehouse.Type, "", "The SQL divides by zero. Use SAFE_DIVIDE(…), or NULLIF(…, 0)."},
	{
		pattern.New(`(?i)^(?:Bad|Invalid|Could not|Cannot|Failed to|Error while) .*|overflow|out of range`),
		warehouse.Type, "", "A value does not fit the type that the SQL gives it. SAFE_CAST(… AS …) gives NULL for such values.",
	},
	{pattern.New(`^Only SELECT|multi-statement`), warehouse.Refused, "", warehouse.SayOneSelect},
}

// zones matches errors about the time zone of a statement.
var zones = pattern.New(`(?i)time[_ ]?zone`)

func (e *engine) wrong(text string, st rest.Statement) *warehouse.Error {
	if zones.MatchString(text) && st.Zone != "UTC" {
		return warehouse.SayZone(st.Zone)
	}
	for _, w := range wrongs {
		m := w.form.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		shown := ""
		if len(m) > 1 {
			shown = strings.TrimPrefix(m[1], e.project+":")
			shown = strings.TrimPrefix(strings.TrimPrefix(shown, e.project+"."), e.dataset+".")
		}
		return warehouse.Errorf(w.class, "%s", warehouse.About(shown, w.with, w.without))
	}
	return &warehouse.Error{}
}

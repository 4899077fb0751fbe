package athena

import (
	"net/http"
	"strconv"
	"strings"

	"service/store/pattern"
	"service/store/rawjson"
	"service/store/warehouse"
	"service/store/warehouse/rest"
	"service/store/warehouse/rest/trino"
)

const (
	sayGone = "Athena no longer has the query. Try again."
	sayBusy = "Athena takes no more requests at the moment. Try again in a little while."
)

// signing are the types of errors about the signature of a request: "Common Errors".
var signing = map[string]bool{
	"UnrecognizedClientException": true, "InvalidSignatureException": true, "IncompleteSignature": true, "SignatureDoesNotMatch": true,
	"InvalidClientTokenId": true, "MissingAuthenticationTokenException": true, "ExpiredTokenException": true, "RequestExpired": true,
}

// Fault translates an answer that is not a success: {"__type", "message"}. The type may have a prefix that ends with #.
func (e *engine) Fault(a rest.Answer, _ rest.Statement) *warehouse.Error {
	kind, text := "", ""
	if rawjson.Valid(a.Body) {
		kind = rest.PickText(a.Body, "__type")
		kind = kind[strings.LastIndexByte(kind, '#')+1:]
		text = rest.PickText(a.Body, "message") + rest.PickText(a.Body, "Message")
	}
	switch {
	case signing[kind]:
		return warehouse.Errorf(warehouse.Auth, "AWS refused the access key. It may be deleted, its secret another, or the clock "+
			"of this machine wrong.")
	case kind == "AccessDeniedException":
		return warehouse.Errorf(warehouse.Permission, "The access key may not do that in Athena. It needs athena:StartQueryExecution, "+
			"GetQueryExecution, GetQueryResults, StopQueryExecution and GetWorkGroup on the workgroup.")
	case kind == "ThrottlingException", kind == "TooManyRequestsException", a.Status == http.StatusTooManyRequests, a.Status >= 500:
		return warehouse.Errorf(warehouse.Busy, sayBusy)
	case strings.Contains(text, "WorkGroup") && strings.Contains(text, "not found"):
		return warehouse.Errorf(warehouse.Connect, `Athena has no workgroup "%s" in the region %s.`, e.workgroup, e.region)
	case strings.Contains(text, "was not found"):
		return warehouse.Errorf(warehouse.Failed, sayGone)
	case strings.Contains(text, "No output location"):
		return warehouse.Errorf(warehouse.Refused, `The workgroup "%s" has no location for results. Set one in Athena, under Workgroups.`,
			e.workgroup)
	case word.MatchString(kind):
		return warehouse.Errorf(warehouse.Failed, "Athena refused the request (%s).", kind)
	}
	return warehouse.Errorf(warehouse.Failed, "Athena refused the request (HTTP %d).", a.Status)
}

var (
	// word matches a type of an error that can be shown.
	word = pattern.New(`^[A-Za-z]{1,60}$`)
	// reason matches the reason of a query that has failed: the name of an error of Trino, and a message.
	reason = pattern.New(`^([A-Z_]{1,60}): `)
	// place matches the position at the beginning of a message.
	place = pattern.New(`^line ([0-9]{1,6}):([0-9]{1,6}): `)
)

// failed translates the reason of a query that has not succeeded, after it has scanned a number of bytes.
func (e *engine) failed(state, text string, scanned int64, st rest.Statement) *warehouse.Error {
	lower := strings.ToLower(text)
	switch m := reason.FindStringSubmatch(text); {
	case strings.Contains(lower, "bytes scanned limit"):
		return warehouse.Errorf(warehouse.TooLarge, "The query scanned %s, more than its workgroup allows. Read fewer columns or "+
			"a shorter period, or have the limit of the workgroup raised in Athena.", warehouse.Size(max(0, scanned)))
	case state == "CANCELLED":
		return warehouse.Errorf(warehouse.Failed, "The query was cancelled in Athena.")
	case strings.Contains(lower, "exhausted resources"):
		return warehouse.Errorf(warehouse.TooLarge, warehouse.SayTooLarge)
	case strings.Contains(lower, "query timeout"):
		return warehouse.Errorf(warehouse.Timeout, warehouse.SayTimeout)
	case strings.Contains(lower, "access denied"), strings.Contains(lower, "insufficient permissions"):
		return warehouse.Errorf(warehouse.Permission, "The access key may not read that. It needs glue:GetTable and "+
			"glue:GetPartitions on the table, "+
			"s3:GetObject on its files, and s3:PutObject where results are written.")
	case m != nil:
		message := strings.TrimPrefix(text, m[0])
		line, column := 0, 0
		if p := place.FindStringSubmatch(message); p != nil {
			line, _ = strconv.Atoi(p[1])
			column, _ = strconv.Atoi(p[2])
		}
		return trino.Translate("Athena", m[1], message, "awsdatacatalog."+e.database+".", line, column, st)
	}
	return warehouse.Errorf(warehouse.Failed, "Athena could not run the query.")
}

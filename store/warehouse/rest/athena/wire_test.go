package athena_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/rest/athena"
	"service/store/warehouse/rest/resttest"
)

// TestThrottled: "ThrottlingException", "TooManyRequestsException: Indicates that the request was throttled", and failures of the service.
func TestThrottled(t *testing.T) {
	resttest.Throttled(t, start, []string{"GetWorkGroup", "describe", "start", "GetQueryExecution", "GetQueryResults"},
		resttest.Err(http.StatusBadRequest, "TooManyRequestsException", "slow down"),
		resttest.Err(http.StatusInternalServerError, "InternalServerException", ""))
}

// TestExpiredToken: a request whose signature is refused is signed once more, and no more.
func TestExpiredToken(t *testing.T) {
	resttest.Expired(t, start, "GetWorkGroup", resttest.Err(http.StatusForbidden, "InvalidSignatureException", "Signature expired"))
}

// TestBrokenAnswers: a query whose start is answered to nobody is not started twice, because of its ClientRequestToken.
func TestBrokenAnswers(t *testing.T) {
	resttest.BrokenAnswers(t, start, resttest.Break{Operation: "start", Served: true, Runs: 2},
		resttest.Break{Operation: "GetQueryExecution", Runs: 2}, resttest.Break{Operation: "GetQueryResults", Runs: 2})
}

// TestLostStatements: the error names a query that no longer exists or was cancelled by another user.
func TestLostStatements(t *testing.T) {
	t.Parallel()
	for want, end := range map[string]func(s *resttest.Server[col], id string){
		"Athena no longer has the query. Try again.": (*resttest.Server[col]).Forget,
		"The query was cancelled in Athena.":         (*resttest.Server[col]).Cancel,
	} {
		s := start(t)
		s.Before(func(_ http.ResponseWriter, r *http.Request) bool {
			var ask struct{ QueryExecutionId string }
			if json.Unmarshal(resttest.Body(r), &ask); operation(r) == "GetQueryExecution" {
				if run := s.Run(ask.QueryExecutionId); run != nil && run.Slow {
					end(s, ask.QueryExecutionId)
				}
			}
			return false
		})
		_, bad := resttest.Ask(t, s.At(""), tongue.Slow, time.Minute)
		if bad == nil || bad.Class != warehouse.Failed || bad.Message != want {
			t.Errorf("%v, want %s", bad, want)
		}
	}
}

// TestBytes: GetQueryExecution has the bytes that a query has scanned.
func TestBytes(t *testing.T) { resttest.Bytes(t, start, -1) }

// TestFacts: a test of a connection can report what was negotiated.
func TestFacts(t *testing.T) {
	resttest.Facts(t, start, "athena", "sign-in: access key, Signature Version 4", "workgroup: dashboards", "region: ")
}

// TestLeftEarly: a statement whose caller left before the answer to its submission is cancelled.
func TestLeftEarly(t *testing.T) { resttest.LeftEarly(t, start, "start", tongue.Slow) }

// TestPrivate: without permission of the operator no private address is dialled.
func TestPrivate(t *testing.T) { resttest.Private(t, start) }

// TestCost: no query runs in a workgroup that does not limit the data scanned per query, or limits it above what the connection allows.
func TestCost(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int64]string{
		0:             `The workgroup "dashboards" has no limit of data scanned per query. Set one of at most 2 GB in Athena`,
		2_000_000_001: `The workgroup "dashboards" lets a query scan 2 GB, and this connection allows 2 GB. Lower that limit in Athena`,
		5_000_000_000: `The workgroup "dashboards" lets a query scan 5 GB, and this connection allows 2 GB. Lower that limit in Athena`,
	} {
		s := startLimited(t, limit)
		_, bad := resttest.Ask(t, s.At(""), resttest.One, time.Minute)
		if bad == nil || bad.Class != warehouse.Refused || !strings.HasPrefix(bad.Message, want) || len(s.Runs()) > 0 {
			t.Errorf("%d: %v, %d queries", limit, bad, len(s.Runs()))
		}
	}
	s := start(t)
	s.Disturb("GetWorkGroup", 1, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"WorkGroup":{"State":"DISABLED","Configuration":{"BytesScannedCutoffPerQuery":1000}}}`)
	})
	if _, bad := resttest.Ask(t, s.At(""), resttest.One, time.Minute); bad == nil || !strings.Contains(bad.Message, "is not enabled") {
		t.Error(bad)
	}
}

// TestOpen: the region is that of the host, or in front of the workgroup; a target that cannot be one is refused before anything is
// dialled.
func TestOpen(t *testing.T) {
	t.Parallel()
	good := warehouse.Target{Host: "athena.eu-central-1.amazonaws.com", Database: "shop", Place: "dashboards", User: keyID, Password: secret}
	for _, host := range []string{
		good.Host, "athena-fips.us-gov-west-1.amazonaws.com", "athena.cn-north-1.amazonaws.com.cn",
		"vpce-0a1b.athena.ap-southeast-2.vpce.amazonaws.com",
	} {
		at := good
		at.Host = host
		if _, err := athena.Open(at, warehouse.Dialer{}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	for name, spoil := range map[string]func(t *warehouse.Target){
		"no database":         func(t *warehouse.Target) { t.Database = "" },
		"no workgroup":        func(t *warehouse.Target) { t.Place = "" },
		"no region":           func(t *warehouse.Target) { t.Host = "10.0.0.7" },
		"a name like it":      func(t *warehouse.Target) { t.Host = "notathena.eu-central-1.amazonaws.com" },
		"no secret":           func(t *warehouse.Target) { t.Password = "" },
		"a secret with lines": func(t *warehouse.Target) { t.Password = "a\nb" },
		"a region with lines": func(t *warehouse.Target) { t.Place = "eu\r\nX: y/dashboards" },
	} {
		at := good
		spoil(&at)
		if _, err := athena.Open(at, warehouse.Dialer{}); err == nil {
			t.Error(name)
		}
	}
}

// TestFaults: an error of AWS is in our words, and names what to do.
func TestFaults(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]resttest.Fault{
		"It needs athena:StartQueryExecution": resttest.Err(400, "AccessDeniedException", "s3cret"),
		`no workgroup "dashboards" in the region eu-central-1`: resttest.Err(400, "InvalidRequestException", "WorkGroup dashboards "+
			"is not found."),
		"AWS refused the access key":                      resttest.Err(403, "UnrecognizedClientException", "s3cret"),
		"has no location for results":                     resttest.Err(400, "InvalidRequestException", "No output location provided."),
		"Athena refused the request (MetadataException).": resttest.Err(400, "MetadataException", "s3cret"),
		"Athena refused the request (HTTP 418).":          resttest.Err(418, "<b>", "s3cret"),
	} {
		s := start(t)
		s.Disturb("GetWorkGroup", 100, func(w http.ResponseWriter, _ *http.Request) { refuse(w, f) })
		_, bad := resttest.Ask(t, s.At(""), resttest.One, time.Minute)
		if bad == nil || !strings.Contains(bad.Message, want) || strings.Contains(bad.Message, "s3cret") {
			t.Errorf("%v, want %s", bad, want)
		}
	}
}

// TestRogueServer: a malicious answer of a server reaches no other host, costs little memory, and ends the call with an error of ours.
func TestRogueServer(t *testing.T) {
	at := func(operation string, class warehouse.Class, text string) resttest.Attempt {
		return resttest.Try(operation, class, resttest.Say(http.StatusOK, text))
	}
	const column = `{"Name":"n","Type":"bigint"}`
	result := func(columns, rows string) string {
		return `{"ResultSet":{"ResultSetMetadata":{"ColumnInfo":[` + columns + `]},"Rows":[` + rows + `]}}`
	}
	const head = `{"Data":[{"VarCharValue":"n"}]}`
	rows := func(row string) resttest.Attempt {
		return at("GetQueryResults", warehouse.Failed, result(column, head+","+row))
	}
	state := func(class warehouse.Class, text string) resttest.Attempt {
		return at("GetQueryExecution", class, `{"QueryExecution":`+text+`}`)
	}
	operations := []string{"GetWorkGroup", "describe", "start", "GetQueryExecution", "GetQueryResults"}
	resttest.Hostile(t, start, operations, map[string]resttest.Attempt{
		"no workgroup":      at("GetWorkGroup", warehouse.Refused, `{}`),
		"no id":             at("start", warehouse.Failed, `{}`),
		"a long id":         at("start", warehouse.Failed, `{"QueryExecutionId":"`+strings.Repeat("x", 1000)+`"}`),
		"no state":          state(warehouse.Failed, `{}`),
		"a query for ever":  state(warehouse.Timeout, `{"Status":{"State":"RUNNING"}}`),
		"another statement": state(warehouse.Refused, `{"Status":{"State":"SUCCEEDED"},"StatementType":"DML","SubstatementType":"INSERT"}`),
		"a definition":      state(warehouse.Refused, `{"Status":{"State":"SUCCEEDED"},"StatementType":"DDL","SubstatementType":"SELECT"}`),
		"an error that quotes": state(warehouse.Failed,
			`{"Status":{"State":"FAILED","StateChangeReason":"s3cret: s3cret"}}`),
		"a huge position": state(warehouse.Syntax,
			`{"Status":{"State":"FAILED","StateChangeReason":"SYNTAX_ERROR: line 999999999999999999999:1: s3cret"}}`),
		"no columns":          at("GetQueryResults", warehouse.Failed, result("", head)),
		"many columns":        at("GetQueryResults", warehouse.Failed, result(strings.Repeat(column+",", 400_000)+"{}", head)),
		"a column, no type":   at("GetQueryResults", warehouse.Failed, result(`{"Name":"n"}`, head)),
		"no names":            at("GetQueryResults", warehouse.Failed, result(column, "")),
		"other names":         at("GetQueryResults", warehouse.Failed, result(column, `{"Data":[{"VarCharValue":"m"}]}`)),
		"many names":          at("GetQueryResults", warehouse.Failed, result(column, `{"Data":[`+strings.Repeat(`{},`, 1<<20)+`{}]}`)),
		"more cells":          rows(`{"Data":[{"VarCharValue":"1"},{"VarCharValue":"2"}]}`),
		"a million cells":     rows(`{"Data":[` + strings.Repeat(`{},`, 1<<20) + `{}]}`),
		"no cells":            rows(`{}`),
		"rows of numbers":     rows(`1`),
		"cells of numbers":    rows(`{"Data":[1]}`),
		"a number for a text": rows(`{"Data":[{"VarCharValue":[1]}]}`),
		"a word for a number": rows(`{"Data":[{"VarCharValue":"s3cret"}]}`),
		"an endless page": resttest.Try("GetQueryResults", warehouse.TooLarge,
			resttest.Endless(http.StatusOK, `{"ResultSet":{"Rows":[`, head+",")),
	})
}

// TestEndlessPages: pages without rows do not go on for longer than the call may take.
func TestEndlessPages(t *testing.T) {
	t.Parallel()
	s := start(t)
	n := 0
	met := s.Disturb("GetQueryResults", 1<<30, func(w http.ResponseWriter, _ *http.Request) {
		rows := []any{}
		if n++; n <= 2 { // the description, and the first page
			rows = append(rows, data([]any{"n"}))
		}
		resttest.Answer(w, http.StatusOK, map[string]any{"NextToken": fmt.Sprint(n), "ResultSet": map[string]any{
			"Rows": rows, "ResultSetMetadata": map[string]any{"ColumnInfo": []col{colOf("n", "bigint")}},
		}})
	})
	if _, bad := resttest.Ask(t, s.At(""), resttest.One, 2*time.Second); bad == nil || bad.Class != warehouse.Timeout || met.Load() > 60 {
		t.Errorf("%v after %d requests", bad, met.Load())
	}
}

// TestIntrospectEnds: the connector soon stops reading from a server that sends far more tables or columns than requested.
func TestIntrospectEnds(t *testing.T) {
	resttest.EndlessCatalog(t, start, "GetQueryResults", func(_ *http.Request, from int, rows []resttest.Row) []byte {
		var all []any
		if from <= len(rows) { // the description, and the first page
			var names []any
			for _, c := range catalogColumns {
				names = append(names, c.Name)
			}
			all = append(all, data(names))
		}
		for _, row := range rows {
			all = append(all, data([]any{"shop", row.Table, "table", row.Column, "bigint", "NO", nil}))
		}
		text, _ := json.Marshal(map[string]any{"NextToken": fmt.Sprint(from), "ResultSet": map[string]any{
			"Rows": all, "ResultSetMetadata": map[string]any{"ColumnInfo": catalogColumns},
		}})
		return text
	})
}

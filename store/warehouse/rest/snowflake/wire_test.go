package snowflake_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/rest/resttest"
	"service/store/warehouse/rest/snowflake"
	"service/store/warehouse/warehousetest"
)

// TestThrottled: "429: The application must slow down the frequency", "503: The application may retry with backoff".
func TestThrottled(t *testing.T) {
	resttest.Throttled(t, start, []string{"describe", "submit", "status"},
		resttest.Err(http.StatusTooManyRequests, "390429", "Too many requests"), resttest.Err(http.StatusServiceUnavailable, "390503", "Busy"))
}

// TestExpiredToken: "401: … expired, invalid token. The application must obtain a new access token for retry."
func TestExpiredToken(t *testing.T) {
	resttest.Expired(t, start, "describe", resttest.Err(http.StatusUnauthorized, "390114", "Authentication token has expired."))
}

// TestBrokenAnswers: a submission whose answer breaks off is repeated with retry=true, and does not run twice: "Resubmitting a request to
// execute SQL statements". Two runs are the description and EXPLAIN.
func TestBrokenAnswers(t *testing.T) {
	resttest.BrokenAnswers(t, start, resttest.Break{Operation: "submit", Served: true, Runs: 3}, resttest.Break{Operation: "status", Runs: 3})
}

// TestLostStatements: a statement that no longer exists before its rows were read is submitted once more. The error names one that is lost
// again, and one that was cancelled by another user.
func TestLostStatements(t *testing.T) {
	t.Parallel()
	handle := func(r *http.Request) string { return r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:] }
	const lost = "Snowflake no longer has the query, or the host is not that of an account. Try again."
	for _, try := range []struct {
		sql  string
		end  func(s *resttest.Server[col], id string)
		n    int32 // times that it ends
		want string
	}{
		{resttest.One, (*resttest.Server[col]).Forget, 1, ""},
		{resttest.One, (*resttest.Server[col]).Forget, 2, lost},
		{tongue.Slow, (*resttest.Server[col]).Cancel, 1, "The query was cancelled in Snowflake."},
	} {
		s := start(t)
		s.Disturb("status", try.n, func(w http.ResponseWriter, r *http.Request) {
			try.end(s, handle(r))
			s.Serve(w, r)
		})
		table, bad := resttest.Ask(t, s.At(""), try.sql, time.Minute)
		switch {
		case try.want == "" && (bad != nil || len(table.Rows) != 1):
			t.Errorf("lost once: %v, %v", table.Rows, bad)
		case try.want != "" && (bad == nil || bad.Class != warehouse.Failed || bad.Message != try.want):
			t.Errorf("%v, want %s", bad, try.want)
		}
	}
}

// TestBytes: EXPLAIN estimates the bytes, which count as read.
func TestBytes(t *testing.T) { resttest.Bytes(t, start, 160_000) }

// TestUnknownBytes: a statement that Snowflake does not explain runs without a limit of bytes, and is refused with one.
func TestUnknownBytes(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Disturb("explain", 1<<30, func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, resttest.Err(http.StatusUnprocessableEntity, "002049", "SQL compilation error: Bind variable ? not set."))
	})
	if table, bad := resttest.Ask(t, s.At(""), resttest.One, time.Minute); bad != nil || len(table.Rows) != 1 {
		t.Error(bad)
	}
	at := s.TargetAt("")
	at.MaxBytes = 1_000_000
	c, err := snowflake.Open(at, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	runs := len(s.Runs())
	if _, bad := resttest.Ask(t, c, resttest.One, time.Minute); bad == nil || bad.Class != warehouse.Refused || len(s.Runs()) != runs+1 {
		t.Errorf("%v, %d runs", bad, len(s.Runs())-runs)
	}
}

// TestFacts: a test of a connection can report what was negotiated.
func TestFacts(t *testing.T) {
	resttest.Facts(t, start, "snowflake", "sign-in: key pair", "version: 9.1.0", "role: DASHBOARDS", "warehouse: SMALL",
		"limit of a run: none")
}

// TestLeftEarly: a statement whose caller left before the answer to its submission is cancelled.
func TestLeftEarly(t *testing.T) { resttest.LeftEarly(t, start, "submit", tongue.Slow) }

// TestPrivate: without permission of the operator no private address is dialled.
func TestPrivate(t *testing.T) { resttest.Private(t, start) }

// TestAccessToken: a password that is not a key is a programmatic access token: "Authenticating to the server".
func TestAccessToken(t *testing.T) {
	t.Parallel()
	s := start(t)
	headers := make(chan http.Header, 1)
	s.Disturb("describe", 1, func(w http.ResponseWriter, r *http.Request) {
		headers <- r.Header
		refuse(w, resttest.Err(http.StatusForbidden, "390422", "IP is not allowed to access Snowflake"))
	})
	at := s.TargetAt("")
	at.Password = "token-word"
	c, err := snowflake.Open(at, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, bad := resttest.Ask(t, c, resttest.One, time.Minute); bad == nil || bad.Class != warehouse.Permission {
		t.Error(bad)
	}
	h := <-headers
	if h.Get("Authorization") != "Bearer token-word" || h.Get("X-Snowflake-Authorization-Token-Type") != "PROGRAMMATIC_ACCESS_TOKEN" {
		t.Error(h)
	}
	at.Password = "two words"
	if _, err := snowflake.Open(at, warehouse.Dialer{}); err == nil || !strings.Contains(err.Error(), "not a programmatic access token") {
		t.Error(err)
	}
	at.Password = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMII\n"
	if _, err := snowflake.Open(at, warehouse.Dialer{}); err == nil || !strings.Contains(err.Error(), "unencrypted") {
		t.Error(err)
	}
}

// TestTag: a statement has the tags of its context as query_tag.
func TestTag(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx := warehouse.WithTags(t.Context(), map[string]string{"workspace": "w", "dashboard": "d"})
	if _, err := s.At("").Query(ctx, resttest.One, nil, warehousetest.Wide, &warehousetest.Table{}); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Runs() {
		if tag := r.Sent.(sent).Parameters.QueryTag; tag != "dashboard=d workspace=w" {
			t.Errorf("%q", tag)
		}
	}
}

// TestRogueServer: a malicious answer of a server reaches no other host, costs little memory, and ends the call with an error of ours.
func TestRogueServer(t *testing.T) {
	const handle = "536fad38-b564-4dc5-9892-a4543504df6c"
	result := func(more, rows string) string {
		return fmt.Sprintf(`{"statementHandle":"%s","resultSetMetaData":{"rowType":[{"name":"N","type":"fixed","scale":0}]%s},"data":[%s]}`,
			handle, more, rows)
	}
	describe := func(class warehouse.Class, status int, text string) resttest.Attempt {
		return resttest.Try("describe", class, resttest.Say(status, text))
	}
	status := func(class warehouse.Class, status int, text string) resttest.Attempt {
		return resttest.Try("status", class, resttest.Say(status, text))
	}
	const ok, accepted = http.StatusOK, http.StatusAccepted
	resttest.Hostile(t, start, []string{"describe", "submit", "status"}, map[string]resttest.Attempt{
		"a handle that is not": describe(warehouse.Failed, accepted, `{"statementHandle":"../../evil"}`),
		"no columns":           describe(warehouse.Failed, ok, `{"statementHandle":"`+handle+`","data":[]}`),
		"many columns": describe(warehouse.Failed, ok,
			`{"statementHandle":"`+handle+`","resultSetMetaData":{"rowType":[`+strings.Repeat(`{"type":"fixed"},`, 1<<18)+`{}]}}`),
		"other columns":         status(warehouse.Failed, ok, strings.Replace(result("", ""), "fixed", "text", 1)),
		"more cells":            status(warehouse.Failed, ok, result("", `["1","2"]`)),
		"a million cells":       status(warehouse.Failed, ok, result("", `[`+strings.Repeat(`"1",`, 1<<20)+`"1"]`)),
		"a row that is not":     status(warehouse.Failed, ok, result("", `"1"`)),
		"a number for a text":   status(warehouse.Failed, ok, result("", `[1]`)),
		"a word for a number":   status(warehouse.Failed, ok, result("", `["s3cret"]`)),
		"many empty partitions": status(warehouse.Timeout, ok, result(`,"partitionInfo":[`+strings.Repeat("{},", 1<<20)+"{}]", "")),
		"a statement for ever":  status(warehouse.Timeout, accepted, `{"statementHandle":"`+handle+`"}`),
		"an error that quotes":  describe(warehouse.Failed, http.StatusUnprocessableEntity, `{"code":"s3cret","message":"s3cret"}`),
	})
}

// TestIntrospectEnds: the connector soon stops reading from a server that sends far more tables or columns than requested.
func TestIntrospectEnds(t *testing.T) {
	resttest.EndlessCatalog(t, start, "status", func(_ *http.Request, from int, rows []resttest.Row) []byte {
		body := map[string]any{}
		if from == 0 {
			body["resultSetMetaData"] = map[string]any{"rowType": catalogColumns, "partitionInfo": make([]struct{}, 1<<16)}
		}
		var data [][]any
		for _, row := range rows {
			data = append(data, []any{"SHOP", row.Table, "table", row.Column, "NUMBER(0)", "NO", nil})
		}
		body["data"] = data
		text, _ := json.Marshal(body)
		return text
	})
}

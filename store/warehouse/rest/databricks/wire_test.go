package databricks_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/rest/databricks"
	"service/store/warehouse/rest/resttest"
	"service/store/warehouse/warehousetest"
)

// TestThrottled: "429 … Retry-After"; error_code TEMPORARILY_UNAVAILABLE.
func TestThrottled(t *testing.T) {
	resttest.Throttled(t, start, []string{"token", "describe", "submit", "status"},
		resttest.Err(http.StatusTooManyRequests, "REQUEST_LIMIT_EXCEEDED", "slow down"),
		resttest.Err(http.StatusServiceUnavailable, "TEMPORARILY_UNAVAILABLE", "busy"))
}

// TestExpiredToken: "Each access token is valid for one hour, after which a new token is automatically requested."
func TestExpiredToken(t *testing.T) {
	resttest.Expired(t, start, "describe", resttest.Err(http.StatusUnauthorized, "UNAUTHENTICATED", "Token is expired"))
}

// TestTokenIsKept: a service principal asks for one token for several calls, and for another when the first is refused.
func TestTokenIsKept(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.At("")
	tokens := s.Disturb("token", 0, nil)
	for range 3 {
		if _, bad := resttest.Ask(t, c, resttest.One, time.Minute); bad != nil {
			t.Fatal(bad)
		}
	}
	if tokens.Load() != 1 {
		t.Errorf("%d tokens", tokens.Load())
	}
	refused := false
	s.Before(func(w http.ResponseWriter, r *http.Request) bool {
		switch op := operation(r); {
		case op == "token":
			tokens.Add(1)
		case op == "describe" && !refused:
			refused = true
			refuse(w, resttest.Err(http.StatusUnauthorized, "UNAUTHENTICATED", "Token is expired"))
			return true
		}
		return false
	})
	if _, bad := resttest.Ask(t, c, resttest.One, time.Minute); bad != nil || tokens.Load() != 2 {
		t.Errorf("%v, %d tokens", bad, tokens.Load())
	}
}

// TestSignIn: a secret that is refused is an error of signing in, and a personal access token is sent as it is, without asking for another.
func TestSignIn(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Disturb("token", 100, func(w http.ResponseWriter, _ *http.Request) {
		resttest.Answer(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client", "error_description": "s3cret"})
	})
	if _, bad := resttest.Ask(t, s.At(""), resttest.One, time.Minute); bad == nil || bad.Class != warehouse.Auth {
		t.Error(bad)
	}
	at := s.TargetAt("")
	at.User, at.Password = "", token // which the stand-in accepts
	c, err := databricks.Open(at, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	if table, bad := resttest.Ask(t, c, resttest.One, time.Minute); bad != nil || len(table.Rows) != 1 {
		t.Error(table, bad)
	}
}

// TestBrokenAnswers: a statement is submitted again if the answer to its submission is lost. One run is the description.
func TestBrokenAnswers(t *testing.T) {
	resttest.BrokenAnswers(t, start, resttest.Break{Operation: "token", Runs: 2}, resttest.Break{Operation: "submit", Served: true, Runs: 3},
		resttest.Break{Operation: "status", Runs: 2})
}

// TestLostStatements: the error names a statement that no longer exists or was cancelled by another user.
func TestLostStatements(t *testing.T) {
	id := func(r *http.Request) string { return r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:] }
	resttest.Lost(t, start, "status", id, tongue.Slow,
		"Databricks no longer has the query, or the host is not that of a workspace. Try again.", "The query was cancelled in Databricks.")
}

// TestFacts: a test of a connection can report what was negotiated.
func TestFacts(t *testing.T) {
	resttest.Facts(t, start, "databricks", "version: 2026.10", "read-only: one SELECT")
}

// TestLeftEarly: a statement whose caller left before the answer to its submission is cancelled.
func TestLeftEarly(t *testing.T) { resttest.LeftEarly(t, start, "submit", tongue.Slow) }

// TestPrivate: without permission of the operator no private address is dialled.
func TestPrivate(t *testing.T) { resttest.Private(t, start) }

// TestExternalLinks: a result that is too large for INLINE is read from the storage, chunk by chunk, without credentials.
func TestExternalLinks(t *testing.T) {
	t.Parallel()
	s := start(t)
	links := s.Disturb("link", 0, nil)
	table, bad := resttest.Ask(t, s.At(""), large, time.Minute)
	if bad != nil || len(table.Rows) != 20_000 || table.Rows[19_999][0] != int64(20_000) || links.Load() != 4 {
		t.Errorf("%d rows from %d links: %v", len(table.Rows), links.Load(), bad)
	}
	var dispositions []string
	for _, r := range s.Runs() {
		if r.SQL == large {
			dispositions = append(dispositions, r.Sent.(sent).Disposition)
		}
	}
	if len(dispositions) != 3 { // described, inline and by links
		t.Error(dispositions)
	}
}

// TestTruncated: a result that a limit of the service has cut is marked as truncated, though all of its rows were read.
func TestTruncated(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Recorded["SELECT n FROM wide"] = resttest.Many([]col{colOf("n", "STRING")}, 5, func(int) []any {
		return []any{strings.Repeat("x", 900_000)}
	})
	var table warehousetest.Table
	stats, err := s.At("").Query(t.Context(), "SELECT n FROM wide", nil, warehouse.Limits{Rows: 10, Bytes: 1 << 21, Time: time.Minute}, &table)
	if err != nil || stats != (warehouse.Stats{Rows: 2, Truncated: true}) {
		t.Errorf("%+v, %v", stats, err)
	}
}

// TestSlowWarehouse: a warehouse that does not plan a query in ten seconds is probably starting.
func TestSlowWarehouse(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Disturb("describe", 1, func(w http.ResponseWriter, _ *http.Request) {
		resttest.Answer(w, http.StatusOK, map[string]any{"statement_id": "x", "status": map[string]any{"state": "CANCELED"}})
	})
	if _, bad := resttest.Ask(t, s.At(""), resttest.One, time.Minute); bad == nil || bad.Class != warehouse.Timeout ||
		!strings.Contains(bad.Message, "starting") {
		t.Error(bad)
	}
}

// TestOpen: a target that cannot be one is refused before anything is dialled.
func TestOpen(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *warehouse.Target){
		"no catalog":         func(t *warehouse.Target) { t.Database = "" },
		"no warehouse":       func(t *warehouse.Target) { t.Place = "" },
		"half a path":        func(t *warehouse.Target) { t.Place = "/sql/1.0/warehouses/" },
		"another path":       func(t *warehouse.Target) { t.Place = "../../x" },
		"no secret":          func(t *warehouse.Target) { t.Password = "" },
		"a secret and lines": func(t *warehouse.Target) { t.Password = "a\r\nX: y" },
	} {
		at := start(t).TargetAt("")
		spoil(&at)
		if _, err := databricks.Open(at, warehouse.Dialer{}); err == nil {
			t.Error(name)
		}
	}
}

// TestTags: a statement has the tags of its context as query_tags.
func TestTags(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx := warehouse.WithTags(t.Context(), map[string]string{"workspace": "w", "dashboard": "d"})
	if _, err := s.At("").Query(ctx, resttest.One, nil, warehousetest.Wide, &warehousetest.Table{}); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Runs() {
		if tags := fmt.Sprint(r.Sent.(sent).Tags); tags != "[{dashboard d} {workspace w}]" {
			t.Errorf("%s", tags)
		}
	}
}

// TestRogueServer: a malicious answer of a server reaches no other host, costs little memory, and ends the call with an error of ours.
func TestRogueServer(t *testing.T) {
	const ok = http.StatusOK
	at := func(operation string, class warehouse.Class, text string) resttest.Attempt {
		return resttest.Try(operation, class, func(w http.ResponseWriter, inside string, _ int32) {
			fmt.Fprint(w, strings.ReplaceAll(text, "INSIDE", inside))
		})
	}
	const column = `{"name":"n","type_text":"BIGINT"}`
	manifest := func(columns string) string {
		return `{"status":{"state":"SUCCEEDED"},"manifest":{"schema":{"columns":[` + columns + `]}},"result":`
	}
	rows := func(rows string) resttest.Attempt {
		return at("status", warehouse.Failed, manifest(column)+`{"data_array":`+rows+`}}`)
	}
	link := func(class warehouse.Class, link string) resttest.Attempt {
		return at("status", class, manifest(column)+`{"external_links":[`+link+`]}}`)
	}
	const one = `{"external_link":"https://a.amazonaws.com/"}`
	resttest.Hostile(t, start, []string{"token", "describe", "submit", "status"}, map[string]resttest.Attempt{
		"no token":             at("token", warehouse.Failed, `{"token_type":"Bearer","expires_in":3600}`),
		"a token with lines":   at("token", warehouse.Failed, `{"access_token":"s3cret\r\nX: y","token_type":"Bearer","expires_in":3600}`),
		"no id":                at("submit", warehouse.Failed, `{"statement_id":"../../x","status":{"state":"PENDING"}}`),
		"no state":             at("describe", warehouse.Failed, `{}`),
		"no columns":           at("describe", warehouse.Failed, manifest("")+`{}}`),
		"many columns":         at("describe", warehouse.Failed, manifest(strings.Repeat(column+",", 400_000)+"{}")+`{}}`),
		"a statement for ever": at("status", warehouse.Timeout, `{"status":{"state":"RUNNING"}}`),
		"never inline": at("status", warehouse.TooLarge,
			`{"status":{"state":"FAILED","error":{"message":"Inline byte limit exceeded"}}}`),
		"an endless chunk": resttest.Try("status", warehouse.TooLarge, resttest.Endless(ok, manifest(column)+`{"data_array":[`, `["1"],`)),
		"chunks in a ring": at("status", warehouse.Failed, manifest(column)+`{"data_array":[],"next_chunk_index":0}}`),
		"chunks backwards": at("status", warehouse.Failed, manifest(column)+`{"data_array":[],"next_chunk_index":-1}}`),
		"a link inside":    link(warehouse.Refused, `{"external_link":"INSIDE/latest/meta-data"}`),
		"a link to a metadata service": link(warehouse.Refused,
			`{"external_link":"http://169.254.169.254/latest/meta-data/iam/security-credentials/"}`),
		"a link to another port":   link(warehouse.Refused, `{"external_link":"https://x.amazonaws.com:8443/"}`),
		"a link in clear":          link(warehouse.Refused, `{"external_link":"http://x.amazonaws.com/"}`),
		"a link to a like name":    link(warehouse.Refused, `{"external_link":"https://evilamazonaws.com/"}`),
		"a link with a user":       link(warehouse.Failed, `{"external_link":"https://amazonaws.com@INSIDE/"}`),
		"a link that is not":       link(warehouse.Failed, `{"external_link":"::"}`),
		"an empty link":            link(warehouse.Failed, `{}`),
		"two links":                link(warehouse.Failed, one+","+one),
		"a link with headers":      link(warehouse.Refused, `{"external_link":"https://a.amazonaws.com/","http_headers":{"Authorization":"x"}}`),
		"more cells":               rows(`[["1","2"]]`),
		"a million cells":          rows(`[[` + strings.Repeat(`"1",`, 1<<20) + `"1"]]`),
		"no cells":                 rows(`[[]]`),
		"rows of numbers":          rows(`[1,2]`),
		"a number for a text":      rows(`[[1]]`),
		"a word for a number":      rows(`[["s3cret"]]`),
		"other columns":            at("status", warehouse.Failed, manifest(`{"name":"n","type_text":"STRING"}`)+`{"data_array":[["s3cret"]]}}`),
		"an error that quotes":     at("describe", warehouse.Failed, `{"status":{"state":"FAILED","error":{"error_code":"s3cret"}}}`),
		"an error that quotes too": at("describe", warehouse.Failed, `{"status":{"state":"FAILED","error":{"message":"[s3cret] s3cret"}}}`),
	})
}

// TestRogueStorage: the storage cannot redirect the program, and its answers are bounded.
func TestRogueStorage(t *testing.T) {
	outside := func(t testing.TB) *resttest.Server[col] {
		s := start(t)
		s.Recorded[resttest.One] = tooLarge(s.Recorded[resttest.One])
		return s
	}
	resttest.Hostile(t, outside, []string{"link"}, map[string]resttest.Attempt{
		"no rows":         resttest.Try("link", warehouse.Failed, resttest.Say(http.StatusNotFound, "<Error>s3cret</Error>")),
		"an expired link": resttest.Try("link", warehouse.Failed, resttest.Say(http.StatusForbidden, "<Error>s3cret</Error>")),
		"busy for long":   resttest.Try("link", warehouse.Busy, resttest.Say(http.StatusServiceUnavailable, "{}")),
		"other rows":      resttest.Try("link", warehouse.Failed, resttest.Say(http.StatusOK, `[["s3cret"]]`)),
		"endless rows":    resttest.Try("link", warehouse.TooLarge, resttest.Endless(http.StatusOK, `[`, `["1"],`)),
	})
}

// TestIntrospectEnds: the connector soon stops reading from a server that sends far more tables or columns than requested.
func TestIntrospectEnds(t *testing.T) {
	page := func(from int, rows []resttest.Row) map[string]any {
		var data [][]any
		for _, row := range rows {
			data = append(data, []any{"shop", row.Table, "table", row.Column, "bigint", "NO", nil})
		}
		return map[string]any{"data_array": data, "next_chunk_index": from/len(rows) + 1}
	}
	whole := func(t testing.TB) *resttest.Server[col] {
		s := start(t)
		inner := s.Serve
		s.Serve = func(w http.ResponseWriter, r *http.Request) {
			if operation(r) != "status" {
				inner(w, r)
				return
			}
			resttest.Answer(w, http.StatusOK, map[string]any{
				"status":   map[string]any{"state": "SUCCEEDED"},
				"manifest": map[string]any{"schema": map[string]any{"columns": catalogColumns}},
				"result":   map[string]any{"data_array": []any{}, "next_chunk_index": 1},
			})
		}
		return s
	}
	resttest.EndlessCatalog(t, whole, "chunk", func(_ *http.Request, from int, rows []resttest.Row) []byte {
		text, _ := json.Marshal(page(from+len(rows), rows))
		return text
	})
}

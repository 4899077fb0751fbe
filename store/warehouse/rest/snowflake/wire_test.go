package snowflake_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/rest/snowflake"
	"service/store/warehouse/warehousetest"
)

// ask runs a query with a time limit.
func ask(t *testing.T, c warehouse.Connector, sql string, limit time.Duration) (warehousetest.Table, *warehouse.Error) {
	t.Helper()
	var table warehousetest.Table
	_, err := c.Query(t.Context(), sql, nil, warehouse.Limits{Rows: 50_000, Bytes: 16 << 20, Time: limit}, &table)
	bad, ok := errors.AsType[*warehouse.Error](err)
	if err != nil && !ok {
		t.Fatalf("its error is not in our words: %v", err)
	}
	return table, bad
}

// of is the operation of a request: submit, status or cancel.
func of(r *http.Request) string {
	switch {
	case r.Method == http.MethodGet:
		return "status"
	case strings.HasSuffix(r.URL.Path, "/cancel"):
		return "cancel"
	}
	return "submit"
}

// disturb has f answer the first n requests of an operation.
func (s *standIn) disturb(operation string, n int32, f func(w http.ResponseWriter, r *http.Request)) *atomic.Int32 {
	var met atomic.Int32
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		if of(r) != operation || met.Add(1) > n {
			return false
		}
		f(w, r)
		return true
	}
	return &met
}

// TestThrottled: "429: The application must slow down the frequency", "503: The application may retry with backoff".
func TestThrottled(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		for _, operation := range []string{"submit", "status"} {
			s, open := start(t)
			s.disturb(operation, 1, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "1")
				s.refuse(w, fault{status, "390429", "Too many requests"})
			})
			began := time.Now()
			table, bad := ask(t, open(""), "SELECT 1 AS n", time.Minute)
			if took := time.Since(began); bad != nil || len(table.Rows) != 1 || took < time.Second {
				t.Errorf("%d of %s: %v after %s: %v", status, operation, table.Rows, took, bad)
			}
		}
	}
}

// TestExpiredToken: "401: … expired, invalid token. The application must obtain a new access token for retry."
func TestExpiredToken(t *testing.T) {
	t.Parallel()
	for n, want := range map[int32]warehouse.Class{1: "", 100: warehouse.Auth} {
		s, open := start(t)
		met := s.disturb("submit", n, func(w http.ResponseWriter, _ *http.Request) {
			s.refuse(w, fault{http.StatusUnauthorized, "390114", "Authentication token has expired."})
		})
		table, bad := ask(t, open(""), "SELECT 1 AS n", time.Minute)
		if want == "" && (bad != nil || len(table.Rows) != 1) || want != "" && (bad == nil || bad.Class != want || met.Load() != 2) {
			t.Errorf("%v, %v after %d requests", table.Rows, bad, met.Load())
		}
	}
}

// TestBrokenAnswers: a submission whose answer breaks off is repeated with retry=true, and does not run twice: "Resubmitting a request to
// execute SQL statements".
func TestBrokenAnswers(t *testing.T) {
	t.Parallel()
	hangUp := func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, `{"data":[["1`)
		w.(http.Flusher).Flush()
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			conn.Close()
		}
	}
	for _, operation := range []string{"submit", "status"} {
		s, open := start(t)
		var met atomic.Int32
		s.before = func(w http.ResponseWriter, r *http.Request) bool {
			if of(r) != operation || operation == "submit" && r.URL.Query().Get("async") == "" || met.Add(1) > 1 {
				return false
			}
			if operation == "submit" {
				s.submit(httptest.NewRecorder(), r)
			}
			hangUp(w)
			return true
		}
		table, bad := ask(t, open(""), "SELECT 1 AS n", time.Minute)
		if bad != nil || len(table.Rows) != 1 || len(s.runs) != 2 { // one is the description
			t.Errorf("%s: %v, %v, %d statements", operation, table.Rows, bad, len(s.runs))
		}
	}
}

// TestLostStatements: the error names a statement that no longer exists or was cancelled by another user.
func TestLostStatements(t *testing.T) {
	t.Parallel()
	for want, end := range map[string]func(s *standIn, handle string){
		"Snowflake no longer has the query, or the host is not that of an account. Try again.": func(s *standIn, handle string) {
			delete(s.runs, handle)
		},
		"The query was cancelled in Snowflake.": func(s *standIn, handle string) {
			s.runs[handle].done = true
			close(s.runs[handle].cancelled)
		},
	} {
		s, open := start(t)
		s.disturb("status", 1, func(w http.ResponseWriter, r *http.Request) {
			handle := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
			s.mu.Lock()
			end(s, handle)
			s.mu.Unlock()
			s.status(w, r, handle)
		})
		if _, bad := ask(t, open(""), slow, time.Minute); bad == nil || bad.Class != warehouse.Failed || bad.Message != want {
			t.Errorf("%v, want %s", bad, want)
		}
	}
}

// TestAccessToken: a password that is not a key is a programmatic access token: "Authenticating to the server".
func TestAccessToken(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	headers := make(chan http.Header, 1)
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		headers <- r.Header
		s.refuse(w, fault{http.StatusForbidden, "390422", "IP is not allowed to access Snowflake"})
		return true
	}
	at := s.target("")
	at.Password = "token-word"
	c, err := snowflake.Open(at, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, bad := ask(t, c, "SELECT 1 AS n", time.Minute); bad == nil || bad.Class != warehouse.Permission {
		t.Error(bad)
	}
	h := <-headers
	if h.Get("Authorization") != "Bearer token-word" || h.Get("X-Snowflake-Authorization-Token-Type") != "PROGRAMMATIC_ACCESS_TOKEN" {
		t.Error(h)
	}
	at.Password = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMII\n"
	if _, err := snowflake.Open(at, warehouse.Dialer{}); err == nil || !strings.Contains(err.Error(), "unencrypted") {
		t.Error(err)
	}
}

// TestTag: a statement has the tags of its context as query_tag.
func TestTag(t *testing.T) {
	t.Parallel()
	s, open := start(t)
	ctx := warehouse.WithTags(t.Context(), map[string]string{"workspace": "w", "dashboard": "d"})
	if _, err := open("").Query(ctx, "SELECT 1 AS n", nil, warehousetest.Wide, &warehousetest.Table{}); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.runs {
		if r.tag != "dashboard=d workspace=w" {
			t.Errorf("%q", r.tag)
		}
	}
}

// TestRogueServer: a malicious answer of a server reaches no other host and ends the call with an error of ours.
func TestRogueServer(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer inside.Close()
	const handle = "536fad38-b564-4dc5-9892-a4543504df6c"
	metadata := `{"statementHandle":"` + handle + `","resultSetMetaData":{"rowType":[{"name":"N","type":"fixed","scale":0}]%s},"data":[%s]}`
	many := strings.Repeat("{},", 1<<20)
	say := func(status int, text string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", inside.URL)
			w.WriteHeader(status)
			io.WriteString(w, text)
		}
	}
	for name, try := range map[string]struct {
		operation string
		answer    func(http.ResponseWriter, *http.Request)
		class     warehouse.Class
	}{
		"a redirect":            {"submit", say(307, ""), warehouse.Connect},
		"a handle that is not":  {"submit", say(202, `{"statementHandle":"../../evil"}`), warehouse.Failed},
		"no columns":            {"submit", say(200, `{"statementHandle":"`+handle+`","data":[]}`), warehouse.Failed},
		"other columns":         {"status", say(200, strings.Replace(fmt.Sprintf(metadata, "", ""), "fixed", "text", 1)), warehouse.Failed},
		"more cells":            {"status", say(200, fmt.Sprintf(metadata, "", `["1","2"]`)), warehouse.Failed},
		"a row that is not":     {"status", say(200, fmt.Sprintf(metadata, "", `"1"`)), warehouse.Failed},
		"a number for a text":   {"status", say(200, fmt.Sprintf(metadata, "", `[1]`)), warehouse.Failed},
		"a word for a number":   {"status", say(200, fmt.Sprintf(metadata, "", `["s3cret"]`)), warehouse.Failed},
		"many empty partitions": {"status", say(200, fmt.Sprintf(metadata, `,"partitionInfo":[`+many+"{}]", "")), warehouse.Timeout},
		"a statement for ever":  {"status", say(202, `{"statementHandle":"`+handle+`"}`), warehouse.Timeout},
		"an error that quotes":  {"submit", say(422, `{"code":"s3cret","message":"s3cret"}`), warehouse.Failed},
		"HTML":                  {"submit", say(200, "<html>"), warehouse.Connect},
	} {
		t.Run(name, func(t *testing.T) {
			s, open := start(t)
			met := s.disturb(try.operation, 1<<30, try.answer)
			began := time.Now()
			_, bad := ask(t, open(""), "SELECT 1 AS n", 2*time.Second)
			if bad == nil || bad.Class != try.class || strings.Contains(bad.Message, "s3cret") {
				t.Errorf("%v, want class %s", bad, try.class)
			}
			if took := time.Since(began); took > 30*time.Second || met.Load() > 60 {
				t.Errorf("it took %s and %d requests", took, met.Load())
			}
		})
	}
	if reached.Load() > 0 {
		t.Error("a redirect was followed")
	}
}

// TestPrivate: without leave of the operator no private address is dialled.
func TestPrivate(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	c, err := snowflake.Open(s.target(""), warehouse.Dialer{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "private or local address") {
		t.Error(err)
	}
}

// TestIntrospectEnds: the connector soon stops reading from a server that sends far more tables or columns than requested.
func TestIntrospectEnds(t *testing.T) {
	t.Parallel()
	introspect := func(t *testing.T, row func(i int) (table, column string), sent chan<- int) ([]warehouse.Table, error) {
		s, open := start(t)
		total, from := 0, 0
		s.before = func(w http.ResponseWriter, r *http.Request) bool {
			if of(r) != "status" {
				return false
			}
			body := map[string]any{}
			if from == 0 {
				body["resultSetMetaData"] = map[string]any{"rowType": catalogColumns, "partitionInfo": make([]struct{}, 1<<16)}
			}
			rows := make([][]any, 400)
			for i := range rows {
				table, column := row(from + i)
				rows[i] = []any{"SHOP", table, "table", column, "NUMBER(0)", "NO", nil}
			}
			from += len(rows)
			body["data"] = rows
			text, _ := json.Marshal(body)
			n, _ := w.Write(text)
			total += n
			return true
		}
		tables, err := open("").Introspect(t.Context(), warehouse.Introspection{})
		sent <- total
		return tables, err
	}
	warehousetest.EndlessCatalogs(t, warehouse.MaxCatalog+(16<<20), introspect)
}

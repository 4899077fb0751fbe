package bigquery_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard/cube"
	"service/store/message"
	"service/store/warehouse"
	"service/store/warehouse/rest/bigquery"
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

// of reports whether a request is of a method of the reference: dry, insert, results or cancel.
func of(r *http.Request, method string) bool {
	switch {
	case strings.HasSuffix(r.URL.Path, "/cancel"):
		return method == "cancel"
	case strings.Contains(r.URL.Path, "/queries/"):
		return method == "results"
	}
	return method == "jobs"
}

// disturb has f answer the first n requests of a method.
func (s *standIn) disturb(method string, n int32, f func(w http.ResponseWriter, r *http.Request)) *atomic.Int32 {
	var met atomic.Int32
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		if !of(r, method) || met.Add(1) > n {
			return false
		}
		f(w, r)
		return true
	}
	return &met
}

// TestThrottled: a request to a busy warehouse is repeated at the time that it names, and no sooner. "Error messages", rateLimitExceeded:
// "Slow down the request rate"; backendError: "retry your requests"; RFC 9110, 10.2.3: Retry-After is seconds or a date.
func TestThrottled(t *testing.T) {
	t.Parallel()
	for name, try := range map[string]struct {
		status int
		reason string
		after  func() string
		least  time.Duration
	}{
		"429, seconds": {http.StatusTooManyRequests, "", func() string { return "1" }, time.Second},
		"503, a date": {
			http.StatusServiceUnavailable, "backendError",
			func() string { return time.Now().Add(2 * time.Second).UTC().Format(http.TimeFormat) }, time.Second,
		},
		"403, nothing": {http.StatusForbidden, "rateLimitExceeded", func() string { return "" }, 500 * time.Millisecond},
	} {
		for _, method := range []string{"jobs", "results"} {
			t.Run(name+", "+method, func(t *testing.T) {
				t.Parallel()
				s, open := start(t)
				s.disturb(method, 1, func(w http.ResponseWriter, _ *http.Request) {
					if after := try.after(); after != "" {
						w.Header().Set("Retry-After", after)
					}
					s.refuse(w, fault{try.status, try.reason, "Exceeded rate limits"})
				})
				began := time.Now()
				table, bad := ask(t, open(""), "SELECT 1 AS n", time.Minute)
				if took := time.Since(began); bad != nil || len(table.Rows) != 1 || took < try.least {
					t.Errorf("%v after %s: %v", table.Rows, took, bad)
				}
			})
		}
	}
	t.Run("for longer than the call may take", func(t *testing.T) {
		t.Parallel()
		s, open := start(t)
		met := s.disturb("jobs", 100, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			s.refuse(w, fault{http.StatusTooManyRequests, "rateLimitExceeded", "Exceeded rate limits"})
		})
		began := time.Now()
		_, bad := ask(t, open(""), "SELECT 1 AS n", time.Minute)
		if bad == nil || bad.Class != warehouse.Busy || time.Since(began) > 30*time.Second || met.Load() != 1 {
			t.Errorf("%v after %s and %d requests", bad, time.Since(began), met.Load())
		}
	})
}

// TestExpiredToken: a token that is no longer good is made anew, once.
func TestExpiredToken(t *testing.T) {
	t.Parallel()
	for n, want := range map[int32]warehouse.Class{1: "", 100: warehouse.Auth} {
		s, open := start(t)
		met := s.disturb("jobs", n, func(w http.ResponseWriter, _ *http.Request) {
			s.refuse(w, fault{http.StatusUnauthorized, "authError", "Request had invalid authentication credentials."})
		})
		table, bad := ask(t, open(""), "SELECT 1 AS n", time.Minute)
		switch {
		case want == "" && (bad != nil || len(table.Rows) != 1):
			t.Errorf("%v, %v", table.Rows, bad)
		case want != "" && (bad == nil || bad.Class != want || met.Load() != 2):
			t.Errorf("%v after %d requests", bad, met.Load())
		}
	}
}

// TestBrokenAnswers: the request of a truncated answer is repeated. A job whose start was answered to nobody is found, by its name, to have
// started: "Error messages", duplicate.
func TestBrokenAnswers(t *testing.T) {
	t.Parallel()
	hangUp := func(w http.ResponseWriter, part string) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, part)
		w.(http.Flusher).Flush()
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
	}
	t.Run("start", func(t *testing.T) {
		t.Parallel()
		s, open := start(t)
		var starts atomic.Int32
		s.before = func(w http.ResponseWriter, r *http.Request) bool {
			if of(r, "jobs") && starts.Add(1) == 2 { // the first is the dry run
				s.insert(httptest.NewRecorder(), r)
				hangUp(w, `{"kind":`)
				return true
			}
			return false
		}
		table, bad := ask(t, open(""), "SELECT 1 AS n", time.Minute)
		if bad != nil || len(table.Rows) != 1 || starts.Load() != 3 || len(s.jobs) != 1 {
			t.Errorf("%v, %v, %d requests, %d jobs", table.Rows, bad, starts.Load(), len(s.jobs))
		}
	})
	t.Run("page", func(t *testing.T) {
		t.Parallel()
		s, open := start(t)
		s.disturb("results", 1, func(w http.ResponseWriter, _ *http.Request) { hangUp(w, `{"jobComplete":true,"rows":[{"f":[{"v":"1`) })
		table, bad := ask(t, open(""), "SELECT 1 AS n", time.Minute)
		if diff := cmp.Diff([][]any{{int64(1)}}, table.Rows); diff != "" || bad != nil {
			t.Error(diff, bad)
		}
	})
	t.Run("each time", func(t *testing.T) {
		t.Parallel()
		s, open := start(t)
		met := s.disturb("results", 100, func(w http.ResponseWriter, _ *http.Request) { hangUp(w, `{"jobComplete":`) })
		_, bad := ask(t, open(""), "SELECT 1 AS n", time.Minute)
		if bad == nil || bad.Class != warehouse.Connect || bad.Message != warehouse.SayBroken || met.Load() != 3 {
			t.Errorf("%v after %d requests", bad, met.Load())
		}
	})
}

// TestLostStatements: the error names a job that no longer exists or was cancelled by another user. "Error messages", notFound and stopped.
func TestLostStatements(t *testing.T) {
	t.Parallel()
	for want, end := range map[string]func(s *standIn, id string){
		"BigQuery no longer has the query. Try again.": func(s *standIn, id string) { delete(s.jobs, id) },
		"The query was cancelled in BigQuery.": func(s *standIn, id string) {
			s.jobs[id].done = true
			close(s.jobs[id].cancelled)
		},
	} {
		s, open := start(t)
		s.disturb("results", 1, func(w http.ResponseWriter, r *http.Request) {
			id := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
			s.mu.Lock()
			end(s, id)
			s.mu.Unlock()
			s.results(w, r, id)
		})
		if _, bad := ask(t, open(""), slow, time.Minute); bad == nil || bad.Class != warehouse.Failed || bad.Message != want {
			t.Errorf("%v, want %s", bad, want)
		}
	}
}

// TestCost: a query that would read more than the connection allows does not run. The limit is sent too: JobConfigurationQuery,
// maximumBytesBilled.
func TestCost(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	at := s.target("")
	at.MaxBytes = 150_000
	c, err := bigquery.Open(at, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	const sql = "SELECT id FROM orders WHERE id <= 700"
	_, bad := ask(t, c, sql, time.Minute)
	want := "A run of the query reads about 160 kB, and this connection allows 150 kB. Read fewer columns or a shorter period, " +
		"or have the connection's owner raise its limit."
	if bad == nil || bad.Class != warehouse.TooLarge || bad.Message != want || len(s.jobs) > 0 {
		t.Errorf("%d jobs, %v", len(s.jobs), bad)
	}
	if _, err := c.Describe(t.Context(), sql, nil); err == nil || err.Error() != want { // nor is it valid
		t.Error(err)
	}
	// The dry run only estimates the bytes: BigQuery refuses a job that reads more than its limit.
	lying := s.recorded[sql]
	lying.breaks = fault{http.StatusInternalServerError, "bytesBilledLimitExceeded", "Query exceeded limit for bytes billed: 150000."}
	lying.bytes = 1
	s.recorded[sql] = lying
	_, bad = ask(t, c, sql, time.Minute)
	if bad == nil || bad.Class != warehouse.TooLarge || !strings.Contains(bad.Message, "raise its limit") {
		t.Errorf("%v", bad)
	}
	for _, j := range s.jobs {
		if j.most != "150000" {
			t.Errorf("maximumBytesBilled is %s", j.most)
		}
	}
}

// TestLabels: a job has the tags of its context. Job, JobConfiguration, labels.
func TestLabels(t *testing.T) {
	t.Parallel()
	s, open := start(t)
	ctx := warehouse.WithTags(t.Context(), map[string]string{"workspace": "0b6d…", "Dashboard": strings.Repeat("Sales ", 20)})
	ctx = warehouse.WithTags(ctx, map[string]string{"version": "7"})
	var table warehousetest.Table
	if _, err := open("").Query(ctx, "SELECT 1 AS n", nil, warehousetest.Wide, &table); err != nil {
		t.Fatal(err)
	}
	for _, j := range s.jobs {
		want := map[string]string{"workspace": "0b6d-", "dashboard": strings.Repeat("sales-", 20)[:63], "version": "7"}
		if diff := cmp.Diff(want, j.labels); diff != "" {
			t.Error(diff)
		}
	}
}

// TestOpen: a key that is not one, or a dataset that cannot be one, is refused before anything is dialled.
func TestOpen(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	for name, spoil := range map[string]func(t *warehouse.Target){
		"no key":   func(t *warehouse.Target) { t.Password = "" },
		"not JSON": func(t *warehouse.Target) { t.Password = "s3cret" },
		"another type": func(t *warehouse.Target) {
			t.Password = strings.Replace(t.Password, "service_account", "authorized_user", 1)
		},
		"half a key":     func(t *warehouse.Target) { t.Password = strings.Replace(t.Password, "MII", "ABC", 1) },
		"no dataset":     func(t *warehouse.Target) { t.Database = "" },
		"half of a name": func(t *warehouse.Target) { t.Database = "acme-prod." },
	} {
		at := s.target("")
		spoil(&at)
		_, err := bigquery.Open(at, warehouse.Dialer{})
		_, ours := errors.AsType[*warehouse.Error](err)
		if _, refused := message.As(err); !ours && !refused || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCancelledOnce: a statement is cancelled when its caller leaves, and not when it has ended.
func TestCancelledOnce(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	c, err := bigquery.Open(s.target(""), warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	cancels := s.disturb("cancel", 0, nil)
	if _, bad := ask(t, c, "SELECT 1 AS n", time.Minute); bad != nil {
		t.Fatal(bad)
	}
	c.Leave()
	if cancels.Load() != 0 {
		t.Error("a job that had ended was cancelled")
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for s.running() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := c.Query(ctx, slow, nil, warehousetest.Wide, &warehousetest.Table{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	c.Leave()
	if cancels.Load() != 1 || s.running() != 0 {
		t.Errorf("%d cancellations, %d jobs are left", cancels.Load(), s.running())
	}
}

// TestOtherDatasets: a table of another dataset is found by its name with the dataset, and has names as SQL writes them.
func TestOtherDatasets(t *testing.T) {
	t.Parallel()
	s, open := start(t)
	s.recorded[strings.ReplaceAll(catalog, "`shop`", "`crm`")] = recorded{schema: catalogColumns, rows: func(p params) (int, func(int) []any) {
		return 1, func(int) []any { return []any{"crm", *p.values["p1"], "table", "Order", "NUMERIC(10)", "YES", nil} }
	}}
	for asked, want := range map[string]string{"crm.leads": "crm.leads", "acme-prod.crm.my-leads": "crm.`my-leads`"} {
		tables, err := open("").Introspect(t.Context(), warehouse.Introspection{Table: asked})
		all := []warehouse.Table{{Name: want, Kind: "table", Columns: []warehouse.TableColumn{
			{Column: cube.Column{Name: "Order", Type: cube.Integer}, Nullable: true},
		}}}
		if diff := cmp.Diff(all, tables); diff != "" || err != nil {
			t.Error(diff, err)
		}
	}
}

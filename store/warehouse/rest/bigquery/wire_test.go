package bigquery_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard/cube"
	"service/store/message"
	"service/store/warehouse"
	"service/store/warehouse/rest/bigquery"
	"service/store/warehouse/rest/resttest"
	"service/store/warehouse/warehousetest"
)

// TestThrottled: "Error messages", rateLimitExceeded: "Slow down the request rate"; backendError: "retry your requests".
func TestThrottled(t *testing.T) {
	resttest.Throttled(t, start, []string{"insert", "results"},
		resttest.Err(http.StatusTooManyRequests, "", "Exceeded rate limits"),
		resttest.Err(http.StatusServiceUnavailable, "backendError", "Try again"),
		resttest.Err(http.StatusForbidden, "rateLimitExceeded", "Exceeded rate limits"))
}

// TestExpiredToken: a token that is no longer good is made anew, once.
func TestExpiredToken(t *testing.T) {
	resttest.Expired(t, start, "plan", resttest.Err(http.StatusUnauthorized, "authError", "Request had invalid authentication credentials."))
}

// TestBrokenAnswers: if the answer to the start of a job is lost, the second start reports by its name that it has started: "Error
// messages", duplicate.
func TestBrokenAnswers(t *testing.T) {
	resttest.BrokenAnswers(t, start, resttest.Break{Operation: "insert", Served: true, Runs: 1}, resttest.Break{Operation: "results", Runs: 1})
}

// TestLostStatements: the error names a job that no longer exists or was cancelled by another user. "Error messages", notFound and stopped.
func TestLostStatements(t *testing.T) {
	id := func(r *http.Request) string { return r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:] }
	resttest.Lost(t, start, "results", id, tongue.Slow,
		"BigQuery no longer has the query. Try again.", "The query was cancelled in BigQuery.")
}

// TestBytes: a dry run estimates the bytes, and the results have those that were processed.
func TestBytes(t *testing.T) { resttest.Bytes(t, start, 160_000) }

// TestFacts: a test of a connection can report what was negotiated.
func TestFacts(t *testing.T) {
	resttest.Facts(t, start, "bigquery", "sign-in: key of a service account",
		"signed in as: reader@acme-prod.iam.gserviceaccount.com",
		"limit of a run: 150 GB", "limit of a month: none")
}

// TestLeftEarly: a statement whose caller left before the answer to its submission is cancelled.
func TestLeftEarly(t *testing.T) { resttest.LeftEarly(t, start, "insert", tongue.Slow) }

// TestPrivate: without permission of the operator no private address is dialled.
func TestPrivate(t *testing.T) { resttest.Private(t, start) }

// TestCost: a query that would read more than the connection allows does not run. The limit is sent too: JobConfigurationQuery,
// maximumBytesBilled.
func TestCost(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.TargetAt("")
	at.MaxBytes = 150_000
	c, err := bigquery.Open(at, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	const sql = "SELECT id FROM orders WHERE id <= 700"
	_, bad := resttest.Ask(t, c, sql, time.Minute)
	want := "A run of the query reads about 160 kB, and this connection allows 150 kB. Read fewer columns or a shorter period, " +
		"or have the connection's owner raise its limit."
	if bad == nil || bad.Class != warehouse.TooLarge || bad.Message != want || len(s.Runs()) > 0 {
		t.Errorf("%d jobs, %v", len(s.Runs()), bad)
	}
	if _, err := c.Describe(t.Context(), sql, nil); err == nil || err.Error() != want { // nor is it valid
		t.Error(err)
	}
	// The dry run only estimates the bytes: BigQuery refuses a job that reads more than its limit.
	lying := s.Recorded[sql]
	lying.Breaks = resttest.Err(http.StatusInternalServerError, "bytesBilledLimitExceeded", "Query exceeded limit for bytes billed: 150000.")
	lying.Bytes = 1
	s.Recorded[sql] = lying
	_, bad = resttest.Ask(t, c, sql, time.Minute)
	if bad == nil || bad.Class != warehouse.TooLarge || !strings.Contains(bad.Message, "raise its limit") {
		t.Errorf("%v", bad)
	}
	for _, j := range s.Runs() {
		if most := j.Sent.(sentJob).Configuration.Query.MaximumBytesBilled; most != "150000" {
			t.Errorf("maximumBytesBilled is %s", most)
		}
	}
}

// TestLabels: a job has the tags of its context. Job, JobConfiguration, labels.
func TestLabels(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx := warehouse.WithTags(t.Context(), map[string]string{"workspace": "0b6d…", "Dashboard": strings.Repeat("Sales ", 20)})
	ctx = warehouse.WithTags(ctx, map[string]string{"version": "7"})
	var table warehousetest.Table
	if _, err := s.At("").Query(ctx, "SELECT 1 AS n", nil, warehousetest.Wide, &table); err != nil {
		t.Fatal(err)
	}
	for _, j := range s.Runs() {
		want := map[string]string{"workspace": "0b6d-", "dashboard": strings.Repeat("sales-", 20)[:63], "version": "7"}
		if diff := cmp.Diff(want, j.Sent.(sentJob).Configuration.Labels); diff != "" {
			t.Error(diff)
		}
	}
}

// TestOpen: a key that is not one, or a dataset that cannot be one, is refused before anything is dialled.
func TestOpen(t *testing.T) {
	t.Parallel()
	s := start(t)
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
		at := s.TargetAt("")
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
	s := start(t)
	c := s.At("")
	cancels := s.Disturb("cancel", 0, nil)
	if _, bad := resttest.Ask(t, c, "SELECT 1 AS n", time.Minute); bad != nil {
		t.Fatal(bad)
	}
	c.Leave()
	if cancels.Load() != 0 {
		t.Error("a job that had ended was cancelled")
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for s.Running() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := c.Query(ctx, tongue.Slow, nil, warehousetest.Wide, &warehousetest.Table{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	c.Leave()
	if cancels.Load() != 1 || s.Running() != 0 {
		t.Errorf("%d cancellations, %d jobs are left", cancels.Load(), s.Running())
	}
}

// TestOtherDatasets: a table of another dataset is found by its name with the dataset, and has names as SQL writes them.
func TestOtherDatasets(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Recorded[strings.ReplaceAll(catalog, "`shop`", "`crm`")] = recorded{
		Cols: catalogColumns,
		Rows: func(p resttest.Params) (int, func(int) []any) {
			return 1, func(int) []any { return []any{"crm", p.Args[0], "table", "Order", "NUMERIC(10)", "YES", nil} }
		},
	}
	for asked, want := range map[string]string{"crm.leads": "crm.leads", "acme-prod.crm.my-leads": "crm.`my-leads`"} {
		tables, err := s.At("").Introspect(t.Context(), warehouse.Introspection{Table: asked})
		all := []warehouse.Table{{Name: want, Kind: "table", Columns: []warehouse.TableColumn{
			{Column: cube.Column{Name: "Order", Type: cube.Integer}, Nullable: true},
		}}}
		if diff := cmp.Diff(all, tables); diff != "" || err != nil {
			t.Error(diff, err)
		}
	}
}

package refresh_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/server/refresh"
	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/storetest"
	"service/store/warehouse"
	"service/store/warehouse/duckdb"
	"service/store/warehouse/duckdb/worker"
)

func TestMain(m *testing.M) {
	if worker.Dispatch() {
		return
	}
	storetest.Main(m)
}

// A bench is a store with a workspace, and the real engine for uploads and self.
type bench struct {
	*store.Store
	engine *duckdb.Engine
	member store.Member
	log    *slog.Logger
	done   chan string

	patience time.Duration // with busy sources; 0 is the usual one
	memory   int64         // of the rows of a refresh; 0 is the usual one
	alone    bool          // no other process refreshes
}

func setup(t testing.TB, opts ...func(*store.Options)) *bench {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	engine, err := duckdb.New(duckdb.Config{Argv: []string{os.Args[0], "query-worker"}, Log: log, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	s, _ := storetest.New(t, append(opts, func(o *store.Options) { o.Engine = engine })...)
	b := &bench{Store: s, engine: engine, log: log, done: make(chan string, 100)}
	b.member = b.workspace(t, "acme")
	return b
}

func (b *bench) workspace(t testing.TB, slug string) store.Member {
	t.Helper()
	a, err := b.Accounts.EnsureAccount(t.Context(),
		store.Identity{Issuer: "https://id.example", Subject: slug, Email: slug + "@example.com", Verified: true})
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.Workspaces.CreateWorkspace(t.Context(), a.ID, slug, slug)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (b *bench) start(t testing.TB) *refresh.Worker {
	t.Helper()
	w, err := refresh.New(refresh.Config{
		Store: b.Store, Log: b.log, Patience: b.patience, Memory: b.memory, Alone: b.alone,
		Done: func(state string, _ time.Duration) { b.done <- state },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			t.Error("stop:", err)
		}
	})
	return w
}

func (b *bench) wait(t testing.TB) string {
	t.Helper()
	select {
	case state := <-b.done:
		return state
	case <-time.After(30 * time.Second):
		t.Fatal("no refresh ended within 30 s")
		return ""
	}
}

func (b *bench) publish(t testing.TB, m store.Member, slug, text string, connection, upload uuid.UUID) store.Published {
	t.Helper()
	s, err := dashboard.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	definitions := map[string][]byte{}
	for _, d := range s.Datasets {
		definitions[d.ID] = d.Definition(s)
	}
	p, err := b.Dashboards.Publish(t.Context(), m, store.Publication{
		Slug: slug, Filename: "index.html", DefaultName: s.Title, DefaultChart: "kpi", Spec: s, ContentType: "application/json",
		Content: []byte(text), Connection: connection, Files: store.NewFiles(upload, s.Sheet, s.Uploads).WithOwn(s),
		Definitions: definitions, Panels: len(s.Panels),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (b *bench) status(t testing.TB, m store.Member, slug string) store.RefreshStatus {
	t.Helper()
	s, err := b.Refreshes.RefreshStatus(t.Context(), m, slug)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const weather = "day,weather,rain\n2026-01-01,rain,10\n2026-01-02,sun,0\n2026-01-03,rain,4.5\n"

func TestRefreshOfAnUpload(t *testing.T) {
	t.Parallel()
	b := setup(t)
	up, err := b.Uploads.AddUpload(t.Context(), b.member, "weather.csv", []byte(weather))
	if err != nil {
		t.Fatal(err)
	}
	b.start(t)
	b.publish(t, b.member, "weather", `{"version":1,"title":"Weather","datasets":[
		{"id":"days","sql":"SELECT weather, sum(rain) AS rain, count(*) AS days FROM upload GROUP BY 1 ORDER BY 1"}],
		"panels":[{"type":"kpi","value":"rain"}]}`, up.Connection.ID, up.Upload.ID)
	if got := b.wait(t); got != store.RunSucceeded {
		t.Fatalf("%s: %+v", got, b.status(t, b.member, "weather").Run)
	}
	s := b.status(t, b.member, "weather")
	if len(s.Results) != 1 || s.Results[0].Rows != 2 || s.Dashboard.RefreshedAt == nil {
		t.Fatalf("%+v", s)
	}
	rows, err := b.Dashboards.Rows(t.Context(), b.member, s.Results[0])
	if err != nil {
		t.Fatal(err)
	}
	c, err := cube.Decode(rows)
	if err != nil || c.Value(0, 0) != "rain" || c.Value(0, 1) != 14.5 || c.Value(0, 2) != int64(2) {
		t.Errorf("%v %v %v, %v", c.Value(0, 0), c.Value(0, 1), c.Value(0, 2), err)
	}
}

// TestRowsOfARefreshAreBounded: each dataset is far from its limit, of which NULLs are the cheapest to send, and
// all together are too much. Results that fit are stored, and the others report that they do not.
func TestRowsOfARefreshAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.memory = 3 << 20
	b.start(t)
	wide := "1 AS n"
	for _, column := range "abcdefghi" {
		wide += ", NULL::BIGINT AS " + string(column)
	}
	datasets := ""
	for i := range 10 {
		datasets += fmt.Sprintf(`,{"id":"wide_%d","row_limit":200000,"sql":"SELECT %s FROM range(12500)"}`, i, wide)
	}
	b.publish(t, b.member, "wide", `{"version":1,"title":"Wide","connection":"self",
		"datasets":[{"id":"small","sql":"SELECT 1 AS n"}`+datasets+`],
		"panels":[{"type":"kpi","value":"n","data":"small"}]}`, uuid.Nil, uuid.Nil)
	if got := b.wait(t); got != store.RunPartial {
		t.Fatalf("%s: %+v", got, b.status(t, b.member, "wide").Run)
	}
	s := b.status(t, b.member, "wide")
	kept := 0 // of 1 MB each
	for _, d := range s.Run.Datasets {
		switch {
		case d.State == store.RunSucceeded && d.ID != "small":
			kept++
		case d.State == store.RunSucceeded:
		case d.ID == "small" || !strings.Contains(d.Error, "more than 3 MiB of memory together"):
			t.Errorf("%s: %s", d.ID, d.Error)
		}
	}
	if kept != 3 || len(s.Results) != kept+1 {
		t.Errorf("%d datasets of 4 MB are kept in 12 MiB, %d stored", kept, len(s.Results))
	}
}

// TestRefreshOfSeveralFiles joins files, and gives each dataset its own. The files come from the spec.
func TestRefreshOfSeveralFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := map[string]uuid.UUID{}
	var connection uuid.UUID
	for name, data := range map[string]string{
		"weather": weather, "days": "day,holiday\n2026-01-01,true\n2026-01-03,false\n", "own": "n\n7\n", "other": "n\n8\n9\n",
	} {
		up, err := b.Uploads.AddUpload(t.Context(), b.member, name+".csv", []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		ids[name], connection = up.Upload.ID, up.Connection.ID
	}
	b.start(t)
	text := fmt.Sprintf(`{"version":1,"title":"Weather","uploads":{"weather":"%s","days":"%s"},"datasets":[
		{"id":"joined","sql":"SELECT holiday, sum(rain) AS rain FROM weather JOIN days USING (day) GROUP BY 1 ORDER BY 1"},
		{"id":"own","upload":"%s","sql":"SELECT sum(n) AS n, (SELECT count(*) FROM days) AS days FROM upload"},
		{"id":"other","upload":"%s","sql":"SELECT sum(n) AS n FROM upload"}],
		"panels":[{"type":"kpi","data":"own","value":"n"}]}`, ids["weather"], ids["days"], ids["own"], ids["other"])
	b.publish(t, b.member, "weather", text, connection, uuid.Nil)
	if got := b.wait(t); got != store.RunSucceeded {
		t.Fatalf("%s: %+v", got, b.status(t, b.member, "weather").Run)
	}
	got := map[string]string{}
	for _, r := range b.status(t, b.member, "weather").Results {
		raw, err := b.Dashboards.Rows(t.Context(), b.member, r)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := cube.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		for row := range rows.Rows() {
			for column := range rows.Columns() {
				got[r.Dataset] += fmt.Sprint(rows.Value(row, column), " ")
			}
		}
	}
	if diff := cmp.Diff(map[string]string{"joined": "false 4.5 true 10 ", "own": "7 2 ", "other": "17 "}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRefreshOfSelfFailsInPart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.start(t)
	b.publish(t, b.member, "us", `{"version":1,"title":"Us","datasets":[
		{"id":"good","sql":"SELECT event, sum(count) AS n FROM metrics GROUP BY 1"},
		{"id":"bad","sql":"SELECT nothing, sum(count) AS n FROM metrics GROUP BY 1"}],
		"panels":[{"type":"kpi","data":"good","value":"n"},{"type":"kpi","data":"bad","value":"n"}]}`, uuid.Nil, uuid.Nil)
	if got := b.wait(t); got != store.RunPartial {
		t.Fatal(got)
	}
	s := b.status(t, b.member, "us")
	if len(s.Results) != 1 || s.Results[0].Dataset != "good" ||
		!strings.HasPrefix(s.Run.Error, `Dataset "bad": `) || s.Dashboard.FailingSince == nil {
		t.Errorf("%+v %+v", s.Run, s.Results)
	}
	if d := s.Run.Datasets; len(d) != 2 || d[0].State != store.RunSucceeded ||
		d[1].State != store.RunFailed || !strings.Contains(d[1].Error, "nothing") {
		t.Errorf("%+v", d)
	}
}

// TestBindingsThatNeverRefresh: a dashboard that can be published but not refreshed has the reason.
func TestBindingsThatNeverRefresh(t *testing.T) {
	t.Parallel()
	b := setup(t)
	up, err := b.Uploads.AddUpload(t.Context(), b.member, "weather.csv", []byte(weather))
	if err != nil {
		t.Fatal(err)
	}
	b.start(t)
	text := `{"version":1,"title":"W","datasets":[{"id":"d","sql":"SELECT sum(rain) AS rain FROM upload"}],` +
		`"panels":[{"type":"kpi","value":"rain"}]}`
	second, err := b.Workspaces.CreateWorkspace(t.Context(), b.member.Account(), "second", "Second")
	if err != nil {
		t.Fatal(err)
	}
	b.publish(t, second, "w", text, up.Connection.ID, up.Upload.ID)
	if got := b.wait(t); got != store.RunFailed {
		t.Error(got)
	}
	if got := b.status(t, second, "w").Run.Error; !strings.HasPrefix(got, "The connection belongs to another workspace than the dashboard") {
		t.Error(got)
	}
	b.publish(t, b.member, "w", text, up.Connection.ID, up.Upload.ID)
	if got := b.wait(t); got != store.RunSucceeded {
		t.Error(got)
	}
	for _, gone := range []struct {
		remove func() error
		why    string
	}{
		{
			func() error { _, err := b.Uploads.DeleteUpload(t.Context(), b.member, up.Upload.ID); return err },
			"The uploaded file was deleted. Publish the dashboard again with another one.",
		},
		{
			func() error { return b.Connections.DeleteConnection(t.Context(), b.member, up.Connection.ID) },
			"The connection of this dashboard was deleted. Publish it again with another one.",
		},
	} {
		if err := gone.remove(); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Refreshes.TriggerRefresh(t.Context(), b.member, "w"); err == nil || err.Error() != gone.why {
			t.Errorf("a trigger is not refused: %v", err)
		}
		s := b.status(t, b.member, "w")
		if _, err := b.Dashboards.RestoreVersion(t.Context(), b.member, "w", s.Dashboard.VersionID); err != nil {
			t.Fatal(err)
		}
		if got := b.wait(t); got != store.RunFailed {
			t.Error(got)
		}
		if s = b.status(t, b.member, "w"); s.Run.Error != gone.why || len(s.Results) != 1 {
			t.Errorf("%s; the last good rows: %+v", s.Run.Error, s.Results)
		}
	}
}

// slow represents a warehouse that is busy until the test ends its queries.
type slow struct {
	warehouse.Connector
	began, end chan struct{}
}

func (slow) Placeholder(int) string { return "?" }
func (s slow) Query(ctx context.Context, _ string, _ []any, _ warehouse.Limits, _ warehouse.Sink) (warehouse.Stats, error) {
	s.began <- struct{}{}
	select {
	case <-ctx.Done():
		return warehouse.Stats{}, context.Cause(ctx)
	case <-s.end:
		return warehouse.Stats{}, warehouse.Errorf(warehouse.Auth, "The warehouse refused the user or the password.")
	}
}

func (b *bench) busy(t testing.TB, m store.Member) uuid.UUID {
	t.Helper()
	if err := b.Workspaces.SetPlan(t.Context(), m.Workspace(), "paid"); err != nil {
		t.Fatal(err)
	}
	paid, err := b.Members.Member(t.Context(), m.Account(), m.Workspace())
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.Connections.AddWarehouse(t.Context(), paid, "postgres", "Slow",
		warehouse.Target{Host: "db", Port: 1, User: "u", TLS: warehouse.TLSOff})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Connections.TestConnection(t.Context(), paid, c.ID); err != nil {
		t.Fatal(err)
	}
	return c.ID
}

func (slow) Ping(context.Context) error { return nil }

const one = `{"version":1,"title":"S","datasets":[{"id":"d","sql":"SELECT 1 AS n"}],"panels":[{"type":"kpi","value":"n"}]}`

// TestOneWorkspaceNeverStarvesAnother queues many slow refreshes of one workspace
// first: those of two others still run.
func TestOneWorkspaceNeverStarvesAnother(t *testing.T) {
	t.Parallel()
	far := slow{began: make(chan struct{}, 100), end: make(chan struct{})}
	b := setup(t, func(o *store.Options) {
		o.Warehouses = map[string]store.Open{"postgres": func(warehouse.Target) (warehouse.Connector, error) { return far, nil }}
	})
	c := b.busy(t, b.member)
	for i := range 12 {
		b.publish(t, b.member, fmt.Sprint("slow-", i), one, c, uuid.Nil)
	}
	others := []store.Member{b.workspace(t, "second"), b.workspace(t, "third")}
	for _, m := range others {
		b.publish(t, m, "quick", one, uuid.Nil, uuid.Nil)
	}
	b.start(t)
	for range others {
		if got := b.wait(t); got != store.RunSucceeded {
			t.Error(got)
		}
	}
	if n := len(far.began); n > 2 {
		t.Errorf("%d refreshes of one workspace ran at once, want at most 2", n)
	}
	close(far.end)
}

// tagged is a warehouse that keeps the tags of its queries.
type tagged struct {
	warehouse.Connector
	tags chan map[string]string
}

func (tagged) Placeholder(int) string     { return "?" }
func (tagged) Ping(context.Context) error { return nil }

func (c tagged) Query(ctx context.Context, _ string, _ []any, _ warehouse.Limits, _ warehouse.Sink) (warehouse.Stats, error) {
	c.tags <- warehouse.TagsOf(ctx)
	return warehouse.Stats{}, warehouse.Errorf(warehouse.Failed, "Enough.")
}

// TestQueriesAreTagged: a warehouse can show for which dashboard of which workspace a query runs.
func TestQueriesAreTagged(t *testing.T) {
	t.Parallel()
	far := tagged{tags: make(chan map[string]string, 1)}
	b := setup(t, func(o *store.Options) {
		o.Warehouses = map[string]store.Open{"postgres": func(warehouse.Target) (warehouse.Connector, error) { return far, nil }}
	})
	b.publish(t, b.member, "s", one, b.busy(t, b.member), uuid.Nil)
	b.start(t)
	tags := <-far.tags
	for _, name := range []string{"workspace", "dashboard", "version"} {
		if uuid.Validate(tags[name]) != nil {
			t.Errorf("the %s is %q", name, tags[name])
		}
	}
	if len(tags) != 3 {
		t.Errorf("the tags are %v", tags)
	}
	b.wait(t)
}

// TestStoppingHandsRunsBack: a worker that stops in the middle of a run leaves it
// queued, and the next worker performs it.
func TestStoppingHandsRunsBack(t *testing.T) {
	t.Parallel()
	far := slow{began: make(chan struct{}, 10), end: make(chan struct{})}
	b := setup(t, func(o *store.Options) {
		o.Warehouses = map[string]store.Open{"postgres": func(warehouse.Target) (warehouse.Connector, error) { return far, nil }}
	})
	b.publish(t, b.member, "s", one, b.busy(t, b.member), uuid.Nil)
	w, err := refresh.New(refresh.Config{Store: b.Store, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-far.began
	late, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Stop(late); err != nil {
		t.Error(err)
	}
	if s := b.status(t, b.member, "s"); s.Run.State != store.RunQueued {
		t.Fatalf("%+v", s.Run)
	}
	close(far.end)
	b.start(t)
	if got := b.wait(t); got != store.RunFailed {
		t.Error(got)
	}
}

// told is a warehouse with a given answer for each dataset.
type told struct {
	slow
	answer func(sql string) error
}

func (f told) Query(_ context.Context, sql string, _ []any, _ warehouse.Limits, sink warehouse.Sink) (warehouse.Stats, error) {
	if err := f.answer(sql); err != nil {
		return warehouse.Stats{}, err
	}
	return warehouse.Stats{Rows: 1}, errors.Join(sink.Columns([]cube.Column{{Name: "n", Type: cube.Integer}}), sink.Row([]any{int64(1)}))
}

// TestBusySourcesAreAskedAgain: a query that a busy source did not run is tried again later, and the refresh does not fail.
func TestBusySourcesAreAskedAgain(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	far := told{answer: func(string) error {
		if asked.Add(1) < 3 {
			return warehouse.Errorf(warehouse.Busy, "too many queries are waiting; try again in a few seconds")
		}
		return nil
	}}
	b := setup(t, func(o *store.Options) {
		o.Warehouses = map[string]store.Open{"postgres": func(warehouse.Target) (warehouse.Connector, error) { return far, nil }}
	})
	b.publish(t, b.member, "s", one, b.busy(t, b.member), uuid.Nil)
	b.start(t)
	if got := b.wait(t); got != store.RunSucceeded || asked.Load() != 3 {
		t.Errorf("%s after %d questions: %s", got, asked.Load(), b.status(t, b.member, "s").Run.Error)
	}
}

// TestOnlyUnreachedConnectionsFail: a run counts against a connection if none of its datasets got an answer, and for it if one did. A run
// that asked nothing does not count.
func TestOnlyUnreachedConnectionsFail(t *testing.T) {
	t.Parallel()
	down := warehouse.Errorf(warehouse.Connect, "Nothing answers on that port of the host: the connection was refused.")
	barred := warehouse.Errorf(warehouse.Auth, "The warehouse refused the user or the password.")
	busy := warehouse.Errorf(warehouse.Busy, "Too many queries run on the warehouse at the moment. Try again in a little while.")
	wrong := warehouse.Errorf(warehouse.Unknown, "There is no such table.")
	var first, second error
	far := told{answer: func(sql string) error {
		if strings.Contains(sql, "1") {
			return first
		}
		return second
	}}
	b := setup(t, func(o *store.Options) {
		o.Warehouses = map[string]store.Open{"postgres": func(warehouse.Target) (warehouse.Connector, error) { return far, nil }}
	})
	b.patience = time.Nanosecond // a busy connection stays busy
	id := b.busy(t, b.member)
	b.publish(t, b.member, "s", `{"version":1,"title":"S","datasets":[{"id":"a","sql":"SELECT 1 AS n"},{"id":"b","sql":"SELECT 2 AS n"}],
		"panels":[{"type":"kpi","data":"a","value":"n"},{"type":"kpi","data":"b","value":"n"}]}`, id, uuid.Nil)
	for i, run := range []struct {
		first, second error
		want          string
	}{
		{down, nil, ""},
		{down, nil, ""},
		{nil, down, ""}, // three in a row, and each had an answer
		{down, down, ""},
		{down, wrong, ""}, // an error is an answer
		{down, down, ""},
		{down, busy, ""},
		{busy, busy, ""}, // nothing was asked, so the count is unchanged
		{busy, barred, barred.Message},
	} {
		first, second = run.first, run.second
		if i == 0 {
			b.start(t)
		} else if _, err := b.Refreshes.TriggerRefresh(t.Context(), b.member, "s"); err != nil {
			t.Fatal(err)
		}
		b.wait(t)
		c, err := b.Connections.OwnConnection(t.Context(), b.member, id)
		if err != nil || (c.Status == store.StatusFailing) != (run.want != "") || c.StatusReason != run.want {
			t.Fatalf("run %d: %s, %s, %v; want %q", i, c.Status, c.StatusReason, err, run.want)
		}
	}
}

// TestConnectionThatFailsThriceIsFailing: it is active again after a successful test.
func TestConnectionThatFailsThriceIsFailing(t *testing.T) {
	t.Parallel()
	far := slow{began: make(chan struct{}, 10), end: make(chan struct{})}
	close(far.end)
	b := setup(t, func(o *store.Options) {
		o.Warehouses = map[string]store.Open{"postgres": func(warehouse.Target) (warehouse.Connector, error) { return far, nil }}
	})
	id := b.busy(t, b.member)
	b.start(t)
	b.publish(t, b.member, "s", one, id, uuid.Nil)
	for i := range 3 {
		if c, err := b.Connections.OwnConnection(t.Context(), b.member, id); err != nil || c.Status != store.StatusActive {
			t.Errorf("after %d failures: %s, %v", i, c.Status, err)
		}
		if i > 0 {
			if _, err := b.Refreshes.TriggerRefresh(t.Context(), b.member, "s"); err != nil {
				t.Fatal(err)
			}
		}
		b.wait(t)
	}
	// The next one is refused before anything is asked: that does not count for or against the warehouse.
	const refused = "is not active (status: failing)"
	if _, err := b.Refreshes.TriggerRefresh(t.Context(), b.member, "s"); err == nil || !strings.Contains(err.Error(), refused) {
		t.Errorf("a trigger is not refused: %v", err)
	}
	if _, err := b.Dashboards.RestoreVersion(t.Context(), b.member, "s", b.status(t, b.member, "s").Dashboard.VersionID); err != nil {
		t.Fatal(err)
	}
	b.wait(t)
	if c, err := b.Connections.OwnConnection(t.Context(), b.member, id); err != nil ||
		c.Status != store.StatusFailing || c.StatusReason != "The warehouse refused the user or the password." {
		t.Errorf("after 3 failures and a refused run: %s, %s, %v", c.Status, c.StatusReason, err)
	}
	m, _ := b.Members.Member(t.Context(), b.member.Account(), "acme")
	if c, err := b.Connections.TestConnection(t.Context(), m, id); err != nil || c.Status != store.StatusActive {
		t.Errorf("after a test: %s, %v", c.Status, err)
	}
}

// TestDeadProcessesAreSucceeded: a starting worker immediately queues again the runs of a dead process; if it is alone, also those of a
// process that was alive a moment ago.
func TestDeadProcessesAreSucceeded(t *testing.T) {
	t.Parallel()
	for name, alone := range map[string]bool{"beside others": false, "alone": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			ctx := t.Context()
			dead, err := store.New(b.Pool(), store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if alone {
				if err := dead.Jobs.RenewLease(ctx); err != nil {
					t.Fatal(err)
				}
			}
			b.publish(t, b.member, "s", one, uuid.Nil, uuid.Nil)
			held, err := dead.Refreshes.StartNext(ctx, store.Shares{Workspace: 1, Account: 1})
			if err != nil {
				t.Fatal(err)
			}
			b.alone = alone
			b.start(t)
			if _, err := dead.Refreshes.FinishRun(ctx, held, store.Outcome{}); !errors.Is(err, store.ErrTakenOver) {
				t.Fatal("the run is the dead process's still")
			}
			if got := b.wait(t); got != store.RunSucceeded {
				t.Error(got)
			}
		})
	}
}

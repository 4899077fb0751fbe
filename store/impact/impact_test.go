package impact_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/impact"
	"service/store/storetest"
	"service/store/warehouse"
	"service/store/warehouse/duckdb"
	"service/store/warehouse/duckdb/worker"
)

func TestMain(m *testing.M) {
	worker.Dispatch() // the test binary is its own query worker
	storetest.Main(m)
}

// bench is a workspace with uploads that are read by real workers.
type bench struct {
	*store.Store
	t     testing.TB
	owner store.Member
}

func setup(t testing.TB, engine func(store.Engine) store.Engine) bench {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e, err := duckdb.New(duckdb.Config{Argv: []string{self, worker.Command}, Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	s, _ := storetest.New(t, func(o *store.Options) { o.Engine = engine(e) })
	a, err := s.Accounts.EnsureAccount(t.Context(), store.Identity{Issuer: "i", Subject: "ada", Email: "ada@example.com", Verified: true})
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Workspaces.CreateWorkspace(t.Context(), a.ID, "acme", "Acme")
	if err != nil {
		t.Fatal(err)
	}
	return bench{s, t, m}
}

func real(e store.Engine) store.Engine { return e }

func (b bench) upload(data string) store.Added {
	b.t.Helper()
	added, err := b.Uploads.AddUpload(b.t.Context(), b.owner, "data.csv", []byte(data))
	if err != nil {
		b.t.Fatal(err)
	}
	return added
}

// publish publishes a spec over files, and fills its datasets with a row each.
func (b bench) publish(slug string, from store.Added, files store.Files, spec string) {
	b.t.Helper()
	ctx := b.t.Context()
	s, err := dashboard.Parse([]byte(spec))
	if err != nil {
		b.t.Fatal(err)
	}
	p, err := b.Dashboards.Publish(ctx, b.owner, store.Publication{
		Slug: slug, Filename: dashboard.DefaultFile, DefaultName: strings.ToUpper(slug), DefaultChart: "kpi", Spec: storetest.Spec([]byte(spec)),
		ContentType: "application/json", Content: []byte(spec), Connection: from.Connection.ID, Files: files.WithOwn(s),
	})
	if err != nil {
		b.t.Fatal(err)
	}
	j, err := b.Refreshes.StartRun(ctx, store.RefreshArgs{Workspace: p.Dashboard.WorkspaceID, Run: p.Run.ID}, 100)
	if err != nil {
		b.t.Fatal(err)
	}
	var o store.Outcome
	for _, d := range s.Datasets {
		rows := cube.NewBuilder([]cube.Column{{Name: "n", Type: cube.Integer}})
		if err := rows.Add([]any{int64(1)}); err != nil {
			b.t.Fatal(err)
		}
		o.Datasets = append(o.Datasets, store.DatasetResult{
			RunDataset: store.RunDataset{ID: d.ID, State: store.RunSucceeded, Rows: 1}, Definition: d.Definition(s), Cube: rows.Cube(),
		})
	}
	if _, err := b.Refreshes.FinishRun(ctx, j, o); err != nil {
		b.t.Fatal(err)
	}
}

func (b bench) compare(ctx context.Context, upload uuid.UUID, data string) impact.Comparison {
	b.t.Helper()
	file, err := b.Uploads.OfferFile(b.t.Context(), b.owner, upload, "new.csv", []byte(data))
	if err != nil {
		b.t.Fatal(err)
	}
	d, err := b.Uploads.Upload(b.t.Context(), b.owner, upload)
	if err != nil {
		b.t.Fatal(err)
	}
	f, err := b.Uploads.UploadFile(b.t.Context(), b.owner, upload, file)
	if err != nil {
		b.t.Fatal(err)
	}
	c, err := impact.Compare(ctx, b.Store, b.owner, d, f, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

const weather = "day,city,rain,note\n2026-01-01,Berlin,1.5,7\n2026-01-02,Paris,0,8\n"

// TestCompare finds what each dashboard would lack, and nothing else.
func TestCompare(t *testing.T) {
	t.Parallel()
	b := setup(t, real)
	up := b.upload(weather)
	other := b.upload("city,people\nBerlin,3\nParis,2\n")
	plain := store.OneFile(up.Upload.ID)
	one := func(slug, sql, panel string) {
		b.publish(slug, up, plain, fmt.Sprintf(`{"datasets":[{"id":"d","sql":"%s"}],"panels":[%s]}`, sql, panel))
	}
	one("rain", "SELECT city, sum(rain) AS mm FROM upload GROUP BY 1", `{"type":"bar","x":"city","y":"mm"}`)
	one("days", "SELECT day, count(*) AS days FROM upload GROUP BY 1", `{"type":"line","x":"day","y":"days"}`)
	one("star", "SELECT * FROM upload", `{"type":"table","columns":["day","city","rain"]}`)
	one("notes", "SELECT CAST(note AS INTEGER) AS note, count(*) AS n FROM upload GROUP BY 1", `{"type":"bar","x":"note","y":"n"}`)
	one("paris", "SELECT city, count(*) AS n FROM upload WHERE city = 'Paris' GROUP BY 1", `{"type":"bar","x":"city","y":"n"}`)
	one("broken", "SELECT sum(snow) AS snow FROM upload", `{"type":"kpi","value":"snow"}`)
	one("count", "SELECT count(*) AS n FROM upload", `{"type":"kpi","value":"n"}`)
	b.publish("elsewhere", up, store.OneFile(other.Upload.ID), `{"datasets":[{"id":"d","sql":"SELECT sum(rain) AS rain FROM upload"}]}`)
	// The file of a name, and that of one dataset: only the datasets that read the replaced file are tried.
	b.publish("joined", up, store.Files{{Table: "w", Upload: up.Upload.ID}, {Table: "people", Upload: other.Upload.ID}},
		`{"datasets":[{"id":"both","sql":"SELECT p.people, sum(w.rain) AS rain FROM w JOIN people p USING (city) GROUP BY 1"},
		{"id":"people","sql":"SELECT sum(people) AS n FROM people"}],"panels":[{"type":"kpi","data":"people","value":"n"}]}`)
	b.publish("own", up, store.OneFile(other.Upload.ID), fmt.Sprintf(
		`{"datasets":[{"id":"own","upload":"%s","sql":"SELECT max(rain) AS most FROM upload"},
		{"id":"rest","sql":"SELECT sum(people) AS n FROM upload"}],"panels":[
			{"type":"kpi","data":"own","value":"most","target":9}]}`, up.Upload.ID))

	const readers = 9
	type problems = map[string][]impact.Problem
	found := func(c impact.Comparison) problems {
		out := problems{}
		for _, d := range c.Dashboards {
			if d.Name != strings.ToUpper(d.Slug) {
				t.Errorf("%s is called %s", d.Slug, d.Name)
			}
			out[d.Slug] = d.Problems
		}
		return out
	}
	missing := func(dataset, nearest string, columns ...string) impact.Problem {
		return impact.Problem{Kind: impact.Missing, Dataset: dataset, Columns: columns, Nearest: nearest}
	}
	for _, tt := range []struct {
		name, data string
		columns    []impact.Column
		same       int
		want       problems
	}{
		{"the same", weather, nil, 4, problems{}},
		{
			"more rows and columns", "day,city,rain,note,sun\n2026-01-01,Berlin,1.5,7,3\n2026-01-05,Paris,2,8,4\n",
			[]impact.Column{{Name: "sun", After: cube.Integer}},
			4,
			problems{},
		},
		{
			"whole numbers", "day,city,rain,note\n2026-01-01,Berlin,1,7\n2026-01-05,Paris,2,8\n",
			[]impact.Column{{Name: "rain", Before: cube.Number, After: cube.Integer}},
			3,
			problems{},
		},
		{
			"another name", "day,city,rainfall,note\n2026-01-01,Berlin,1.5,7\n2026-01-02,Paris,0,8\n",
			[]impact.Column{{Name: "rain", Before: cube.Number}, {Name: "rainfall", After: cube.Number}},
			3,
			problems{
				"rain": {missing("d", "rainfall", "rain")}, "joined": {missing("both", "rainfall", "rain")},
				"own":  {missing("own", "rainfall", "rain")},
				"star": {missing("d", "rainfall", "rain")},
			},
		},
		{"fewer columns", "a,note,b\n1,7,2\n", []impact.Column{
			{Name: "day", Before: cube.Date},
			{Name: "city", Before: cube.Text},
			{Name: "rain", Before: cube.Number},
			{Name: "a", After: cube.Integer},
			{Name: "b", After: cube.Integer},
		}, 1, problems{
			"rain": {missing("d", "", "city", "rain")}, "days": {missing("d", "", "day")}, "paris": {missing("d", "", "city")},
			"joined": {missing("both", "", "city", "rain")}, "own": {missing("own", "", "rain")},
			"star": {missing("d", "", "day", "city", "rain")},
		}},
		{"other types", "day,city,rain,note\nMonday,Berlin,much,many\nTuesday,Paris,little,7\n", []impact.Column{
			{Name: "day", Before: cube.Date, After: cube.Text},
			{Name: "rain", Before: cube.Number, After: cube.Text},
			{Name: "note", Before: cube.Integer, After: cube.Text},
		}, 1, problems{
			"rain":   {{Kind: impact.Fails, Dataset: "d", Text: `the function "sum" does not take these types: sum(VARCHAR)`}},
			"joined": {{Kind: impact.Fails, Dataset: "both", Text: `the function "sum" does not take these types: sum(VARCHAR)`}},
			"own": {
				{Kind: impact.Retyped, Dataset: "own", Columns: []string{"most"}, Before: cube.Number, After: cube.Text},
				{Kind: impact.Panels, Text: `panels[0].target: is for numbers, and "most" is of type text; leave it out`},
			},
			"days": {{Kind: impact.Retyped, Dataset: "d", Columns: []string{"day"}, Before: cube.Date, After: cube.Text}},
			"notes": {{
				Kind: impact.Fails, Dataset: "d",
				Text: "a value cannot be converted to INT32; TRY_CAST gives NULL for such values",
			}},
			"star": {
				{Kind: impact.Retyped, Dataset: "d", Columns: []string{"day"}, Before: cube.Date, After: cube.Text},
				{Kind: impact.Retyped, Dataset: "d", Columns: []string{"rain"}, Before: cube.Number, After: cube.Text},
				{Kind: impact.Retyped, Dataset: "d", Columns: []string{"note"}, Before: cube.Integer, After: cube.Text},
			},
		}},
		{"other rows", "day,city,rain,note\n2026-01-01,Berlin,1.5,7\n", nil, 4, problems{
			"paris": {{Kind: impact.Empty, Dataset: "d"}},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := b.compare(t.Context(), up.Upload.ID, tt.data)
			if diff := cmp.Diff(tt.want, found(c)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.columns, c.Columns); diff != "" || c.Same != tt.same || c.Readers != readers {
				t.Errorf("%d same, %d readers, columns (-want +got):\n%s", c.Same, c.Readers, diff)
			}
			if broken, unchecked := c.Broken(); broken != len(tt.want) || unchecked != 0 {
				t.Errorf("%d broken, %d unchecked", broken, unchecked)
			}
		})
	}
}

// busy is an engine without a place for a question about a file of two rows or fewer, if full. It records the most time that a question
// had left.
type busy struct {
	store.Engine
	full *bool
	left *time.Duration
}

func (b busy) Open(t warehouse.Tenant, key string, tables []warehouse.DataTable) warehouse.Connector {
	return full{b.Engine.Open(t, key, tables), b}
}

type full struct {
	warehouse.Connector
	busy busy
}

func (f full) In(zone *time.Location) warehouse.Connector { return full{f.Connector.In(zone), f.busy} }

func (f full) Describe(ctx context.Context, sql string, args []any) ([]cube.Column, error) {
	if end, ok := ctx.Deadline(); ok {
		*f.busy.left = max(*f.busy.left, time.Until(end))
	}
	if *f.busy.full {
		return nil, warehouse.Errorf(warehouse.Busy, "too many queries are waiting; try again in a few seconds")
	}
	return f.Connector.Describe(ctx, sql, args)
}

// TestWhatCannotBeTriedIsSaid shows that dashboards are reported as not checked without a worker or enough time.
func TestWhatCannotBeTriedIsSaid(t *testing.T) {
	t.Parallel()
	var noPlace bool
	var left time.Duration
	b := setup(t, func(e store.Engine) store.Engine { return busy{e, &noPlace, &left} })
	up := b.upload(weather)
	b.publish("rain", up, store.OneFile(up.Upload.ID), `{"datasets":[{"id":"d","sql":"SELECT sum(rain) AS mm FROM upload"}]}`)
	b.publish("slow", up, store.OneFile(up.Upload.ID),
		`{"datasets":[{"id":"d","sql":"SELECT sum(a.range * b.range % 7) AS n FROM range(1000000) a, range(1000000) b, upload"}]}`)
	c := b.compare(t.Context(), up.Upload.ID, weather)
	want := []impact.Dashboard{{Slug: "slow", Name: "SLOW", Problems: []impact.Problem{{Kind: impact.Unchecked, Dataset: "d"}}}}
	if diff := cmp.Diff(want, c.Dashboards); diff != "" {
		t.Error(diff)
	}
	// Questions may start workers, and a start is not a part of a query's time.
	if left <= 5*time.Second || left > impact.AllTime {
		t.Errorf("a question had %s left, want more than a query and at most %s", left, impact.AllTime)
	}
	noPlace = true
	c = b.compare(t.Context(), up.Upload.ID, weather)
	if broken, unchecked := c.Broken(); broken != 0 || unchecked != 2 {
		t.Errorf("%d broken, %d unchecked: %+v", broken, unchecked, c.Dashboards)
	}
}

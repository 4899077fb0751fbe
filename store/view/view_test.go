package view_test

import (
	"bytes"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/page"
	"service/store/storetest"
	"service/store/view"
)

const salesSpec = `{"version":1,"title":"Sales",
	"datasets":[{"id":"d","sql":"SELECT n FROM t","columns":{"n":{"agg":"sum"}}}],"panels":[{"type":"kpi","value":"n"}]}`

// bench is a workspace with its owner, and a reader of its dashboards.
type bench struct {
	*store.Store
	pool  *pgxpool.Pool
	views *view.Renderer
	owner store.Member
}

func setup(t testing.TB, now func() time.Time) *bench {
	t.Helper()
	b := &bench{}
	b.Store, b.pool = storetest.New(t, func(o *store.Options) { o.Now = now })
	b.views = view.New(view.Config{
		Store: b.Store, Now: now,
		URL: func(workspace, slug string) string { return "https://" + workspace + ".example.com/" + slug },
	})
	a, err := b.Accounts.EnsureAccount(t.Context(), store.Identity{
		Issuer: "https://id.example", Subject: "ada", Email: "ada@example.com", Verified: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if b.owner, err = b.Workspaces.CreateWorkspace(t.Context(), a.ID, "acme", "Acme"); err != nil {
		t.Fatal(err)
	}
	return b
}

// note publishes a Markdown page.
func (b *bench) note(t testing.TB, slug, text string) store.Published {
	t.Helper()
	return b.publish(t, store.Publication{Slug: slug, ContentType: dashboard.TypeMarkdown, Content: []byte(text)})
}

// spec publishes a spec with the dataset d.
func (b *bench) spec(t testing.TB, slug, spec string) store.Published {
	t.Helper()
	return b.publish(t, store.Publication{
		Slug: slug, Spec: storetest.Spec([]byte(spec)), ContentType: "application/json", Content: []byte(spec),
		Definitions: map[string][]byte{"d": []byte("same")}, Panels: 1,
	})
}

func (b *bench) publish(t testing.TB, p store.Publication) store.Published {
	t.Helper()
	p.Filename, p.DefaultName, p.DefaultChart = dashboard.DefaultFile, p.Slug, "kpi"
	out, err := b.Dashboards.Publish(t.Context(), b.owner, p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// finish performs the active run of p as a worker would, with rows of a column n.
func (b *bench) finish(t testing.TB, p store.Published, rows int) {
	t.Helper()
	j, err := b.Refreshes.StartRun(t.Context(), store.RefreshArgs{Workspace: p.Dashboard.WorkspaceID, Run: p.Run.ID}, 2)
	if err != nil {
		t.Fatal(err)
	}
	build := cube.NewBuilder([]cube.Column{{Name: "n", Type: cube.Integer}})
	for i := range rows {
		if err := build.Add([]any{int64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	done := store.DatasetResult{
		RunDataset: store.RunDataset{ID: "d", State: store.RunSucceeded, Rows: rows}, Definition: []byte("same"), Cube: build.Cube(),
	}
	state, err := b.Refreshes.FinishRun(t.Context(), j, store.Outcome{Datasets: []store.DatasetResult{done}})
	if err != nil || state != store.RunSucceeded {
		t.Fatal(state, err)
	}
}

// TestRowsOfAPageAreBounded: if there are more rows than the memory allows, those refreshed last are read, and the panels of the others
// show a notice.
func TestRowsOfAPageAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Now)
	content := []byte(`{"version":1,"title":"Sales",
			"datasets":[{"id":"d","sql":"SELECT n FROM t"},{"id":"f","sql":"SELECT n FROM t"},{"id":"e","sql":"SELECT n FROM t"}],
			"panels":[{"type":"table","data":"d"},{"type":"table","data":"e"},{"type":"table","data":"f"}]}`)
	b.finish(t, b.publish(t, store.Publication{
		Slug: "sales", Spec: storetest.Spec(content), ContentType: "application/json", Panels: 3, Content: content,
		Definitions: map[string][]byte{"d": []byte("same"), "e": []byte("same"), "f": []byte("same")},
	}), 20_000)
	if _, err := b.pool.Exec(t.Context(), `
		INSERT INTO dataset (workspace_id, version_id, dataset, definition, sha256, columns, row_count, truncated, refreshed_at)
		SELECT workspace_id, version_id, id, definition, sha256, columns, row_count, truncated, refreshed_at + interval '1 hour'
		  FROM dataset, unnest('{e,f}'::text[]) id`,
	); err != nil {
		t.Fatal(err)
	}
	d, err := b.Dashboards.Dashboard(t.Context(), b.owner, "sales")
	if err != nil {
		t.Fatal(err)
	}
	for memory, want := range map[int]string{0: "d e f", 150_000: "e f", 1: "f"} { // of 160 kB each, of which 95 kB count
		v, err := view.New(view.Config{Store: b.Store, Memory: memory}).View(t.Context(), b.owner, d, uuid.Nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(slices.Sorted(maps.Keys(v.Cubes)), " "); got != want {
			t.Errorf("in %d bytes: rows of %s, want %s", memory, got, want)
		}
		for i, s := range page.Summaries(v.View) {
			left := v.Cubes[v.Spec.Panels[i].Data] == nil
			if (s.Problem == "Not drawn: there is too much data on this page.") != left || s.Empty {
				t.Errorf("in %d bytes: the panel of %s says %q, %q", memory, v.Spec.Panels[i].Data, s.Problem, s.Text)
			}
		}
	}
}

// A dashboard whose versions are gone, as can be restored from a backup, has no page.
func TestNoPageWithoutVersion(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Now)
	d := store.Dashboard{WorkspaceID: b.owner.WorkspaceID(), Slug: "old", Filename: dashboard.DefaultFile}
	if _, err := b.views.Page(t.Context(), b.owner, d, view.Request{File: dashboard.DefaultFile}); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
}

// Parameters that a page neither reads nor names do not make another page, so that a caller cannot have the same page drawn repeatedly.
func TestUnknownParametersShareAPage(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Now)
	b.note(t, "notes", "# Notes")
	b.spec(t, "sales", `{"version":1,"title":"Sales","datasets":[{"id":"d","sql":"SELECT n FROM t"}],
		"filters":[{"column":"n"}],"panels":[{"type":"table","data":"d"}]}`)
	for _, tc := range []struct {
		slug, query string
		shared      bool
	}{
		{"notes", "z=1", true},
		{"notes", "f.n=1&panel=0&format=csv", true},
		{"sales", "z=1", true},
		{"sales", "f.m=1", false}, // the page names the unknown filter
		{"sales", "f.n.also=1&panel=0", false},
		{"sales", "f.n=1", false},
		{"sales", "f.n.from=2026-01-01", false},
		{"sales", "p0.sort=n", false},
		{"sales", "p0.q=acme", false},
		{"sales", "p0.page=2", false},
		{"sales", "p1.page=2&p00.page=2&px.sort=n", true},
		{"sales", "p0.page=1&p0.q=+&p0.sort=", true},
		{"sales", "p0.q", true},
		{"sales", "p0.other=3", false},
		{"sales", "p0.page=-3", false},
		{"sales", "p0.page=two", false},
	} {
		d, err := b.Dashboards.Dashboard(t.Context(), b.owner, tc.slug)
		if err != nil {
			t.Fatal(err)
		}
		show := func(query string) *view.Page {
			t.Helper()
			values, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			p, err := b.views.Page(t.Context(), b.owner, d, view.Request{File: dashboard.DefaultFile, Query: values})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		if plain, asked := show(""), show(tc.query); (plain == asked) != tc.shared || show(tc.query) != asked {
			t.Errorf("%s?%s: shared %v, want %v, and kept", tc.slug, tc.query, plain == asked, tc.shared)
		}
	}
}

// A preview is marked as one, with its time, and links to the current page.
func TestPreview(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	b := setup(t, func() time.Time { return at })
	old := b.note(t, "notes", "# Notes\n\nThe first.")
	at = at.Add(26 * time.Hour)
	b.note(t, "notes", "# Notes\n\nThe second.")
	b.spec(t, "notes", salesSpec)

	show := func(version uuid.UUID) string {
		t.Helper()
		d, err := b.Dashboards.Dashboard(t.Context(), b.owner, "notes")
		if err != nil {
			t.Fatal(err)
		}
		p, err := b.views.Page(t.Context(), b.owner, d, view.Request{File: "index.html", Version: version})
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(string(p.Body), "</style>")
		return body
	}
	got := show(old.Dashboard.VersionID)
	for _, want := range []string{
		"The first.", "Preview of the version of <time datetime=\"2026-03-04T09:00:00Z\"", "not the current one",
		`<a href="https://acme.example.com/notes">Open the current page</a>`, "Published <time datetime=\"2026-03-04T09:00:00Z\"",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the preview lacks %s", want)
		}
	}
	if got := show(uuid.Nil); strings.Contains(got, "Preview") ||
		!strings.Contains(got, "No data yet") && !strings.Contains(got, "first refresh") {
		t.Error("the current page is not what was published last")
	}
	d, err := b.Dashboards.Dashboard(t.Context(), b.owner, "notes")
	if err != nil {
		t.Fatal(err)
	}
	if got := show(d.VersionID); strings.Contains(got, "Preview") {
		t.Error("the current version is called a preview")
	}
}

// BenchmarkPage requests a page like a browser: from the cache; and drawn anew, for a query that was not sent before. The other benchmarks
// measure its parts: reading the data of a page, and drawing it.
func BenchmarkPage(b *testing.B) {
	s := setup(b, time.Now)
	s.finish(b, s.spec(b, "sales", salesSpec), 10_000)
	d, err := s.Dashboards.Dashboard(b.Context(), s.owner, "sales")
	if err != nil {
		b.Fatal(err)
	}
	ask := func(b *testing.B, query url.Values) {
		b.Helper()
		if _, err := s.views.Page(b.Context(), s.owner, d, view.Request{File: "index.html", Query: query}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("cached", func(b *testing.B) {
		for b.Loop() {
			ask(b, nil)
		}
	})
	ruled := d // by row rules; the bare alternative to "cached" is a page without any
	ruled.Access = []byte(`[{"column": "region", "is": "member.region"}, {"column": "team", "is": "member.team"}]`)
	reader := s.reader(b, map[string][]string{"region": {"EMEA", "APAC"}, "team": {"core"}})
	b.Run("cached, with two row rules", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.views.Page(b.Context(), reader, ruled, view.Request{File: "index.html"}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("drawn", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			ask(b, url.Values{"version": {time.Duration(i).String()}})
		}
	})
	v, err := s.views.View(b.Context(), s.owner, d, uuid.Nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("reading alone", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.views.View(b.Context(), s.owner, d, uuid.Nil, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("drawing alone", func(b *testing.B) {
		for b.Loop() {
			if _, err := page.Render(b.Context(), v.View); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// A picture is drawn once for the same contents, and again for other filters, rows or widths.
func TestPicturesAreKept(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	b := setup(t, func() time.Time { return now })
	p := b.spec(t, "sales", salesSpec)
	b.finish(t, p, 3)
	draw := func(query url.Values, p view.Picture) *view.Page {
		t.Helper()
		d, err := b.Dashboards.Dashboard(t.Context(), b.owner, "sales")
		if err != nil {
			t.Fatal(err)
		}
		out, err := b.views.Picture(t.Context(), b.owner, d, query, p)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	png := view.Picture{Format: "png"}
	first := draw(nil, png)
	if draw(nil, png) != first || draw(url.Values{"made-up": {"x"}}, png) != first {
		t.Error("a picture is drawn again")
	}
	for _, other := range []view.Picture{{Format: "pdf"}, {Format: "png", Panel: 1}, {Format: "png", Width: page.MailWidth}} {
		if got := draw(nil, other); got == first || bytes.Equal(got.Body, first.Body) {
			t.Errorf("%+v is the same picture", other)
		}
	}
	b.finish(t, b.spec(t, "sales", salesSpec), 4)
	if again := draw(nil, png); again == first || bytes.Equal(again.Body, first.Body) {
		t.Error("other rows have the same picture")
	}
}

// The summaries of panels are computed once for the same rows, and again for others.
func TestSaidIsKept(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	b := setup(t, func() time.Time { return at })
	said := func(slug string) []page.Summary {
		t.Helper()
		d, err := b.Dashboards.DetailWith(t.Context(), b.owner, slug, store.PartPage)
		if err != nil {
			t.Fatal(err)
		}
		v, err := b.views.Of(t.Context(), b.owner, d, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, want := b.views.Said(b.owner, d, v), page.Summaries(v.View)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-worked out, +kept):\n%s", slug, diff)
		}
		return got
	}
	p := b.spec(t, "sales", salesSpec)
	waiting := said("sales")
	b.finish(t, p, 3)
	three := said("sales")
	if again := said("sales"); &again[0] != &three[0] {
		t.Error("worked out twice for the same rows")
	}
	if cmp.Equal(waiting, three) || !strings.Contains(three[0].Text, "3") {
		t.Errorf("rows are not told: %+v, then %+v", waiting, three)
	}
	again, err := b.Refreshes.TriggerRefresh(t.Context(), b.owner, "sales")
	if err != nil {
		t.Fatal(err)
	}
	p.Run = again.Run
	b.finish(t, p, 4)
	if four := said("sales"); cmp.Equal(four, three) {
		t.Errorf("the rows of another refresh are not told: %+v", four)
	}
	at = at.Add(24 * time.Hour)
	if later := said("sales"); &later[0] == &three[0] {
		t.Error("kept for another day")
	}
}

// The log names the place where a stored document does not parse, and quotes nothing of it. A page or a tool that shows the problems of a
// spec finds none in the error.
func TestStoredThatDoesNotParse(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Now)
	b.spec(t, "spec", strings.Replace(salesSpec, `"value":"n"`, `"value":"n","title":["secret"]`, 1))
	b.publish(t, store.Publication{
		Slug: "report", ContentType: dashboard.TypeReport,
		Content: []byte(`{"title":"Report","datasets":[{"id":"d","rows":[{"n":1},"secret"]}]}`),
	})
	for slug, at := range map[string]string{"spec": "panels[0].title", "report": "datasets[0].rows[1]"} {
		d, err := b.Dashboards.Dashboard(t.Context(), b.owner, slug)
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.views.View(t.Context(), b.owner, d, uuid.Nil, nil)
		if want := "version " + d.VersionID.String() + ": what is stored does not parse: " + at; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if _, ok := errors.AsType[*dashboard.Problems](err); ok {
			t.Errorf("%s: the error has the problems, which callers are shown", slug)
		}
	}
}

package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/message"
	"service/store/storetest"
)

// bench is a store with a workspace and its owner.
type bench struct {
	*store.Store
	pool  *pgxpool.Pool
	owner store.Member
}

func setup(t testing.TB, opts ...func(*store.Options)) bench {
	t.Helper()
	s, pool := storetest.New(t, opts...)
	b := bench{Store: s, pool: pool}
	b.owner = b.workspace(t, b.account(t, "ada@example.com"), "acme")
	return b
}

func (b bench) account(t testing.TB, email string) uuid.UUID {
	t.Helper()
	a, err := b.Accounts.EnsureAccount(t.Context(), store.Identity{Issuer: "https://id.example", Subject: email, Email: email, Verified: true})
	if err != nil {
		t.Fatal(err)
	}
	return a.ID
}

func (b bench) workspace(t testing.TB, account uuid.UUID, slug string) store.Member {
	t.Helper()
	m, err := b.Workspaces.CreateWorkspace(t.Context(), account, slug, strings.ToUpper(slug))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// spec publishes a spec with one dataset.
func (b bench) spec(t testing.TB, m store.Member, slug, content string) store.Published {
	t.Helper()
	p, err := b.Dashboards.Publish(t.Context(), m, store.Publication{
		Slug: slug, Filename: "index.html", DefaultName: slug, DefaultChart: "kpi", Spec: storetest.Spec([]byte(content)),
		ContentType: "application/json",
		Content:     []byte(content), Definitions: map[string][]byte{"d": []byte("same")}, Panels: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// note publishes a Markdown page.
func (b bench) note(t testing.TB, slug, text string) store.Published {
	t.Helper()
	p, err := b.Dashboards.Publish(t.Context(), b.owner, store.Publication{
		Slug: slug, Filename: dashboard.DefaultFile, DefaultName: slug, DefaultChart: "document",
		ContentType: dashboard.TypeMarkdown, Content: []byte(text),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// finish performs the active run of p as a worker would, with rows.
func (b bench) finish(t testing.TB, p store.Published, rows int) string {
	t.Helper()
	ctx := t.Context()
	j, err := b.Refreshes.StartRun(ctx, store.RefreshArgs{Workspace: p.Dashboard.WorkspaceID, Run: p.Run.ID}, 2)
	if err != nil {
		t.Fatal(err)
	}
	o := store.Outcome{Error: "no rows", Took: time.Second}
	d := store.DatasetResult{RunDataset: store.RunDataset{ID: "d", State: store.RunFailed, Error: "no rows"}, Definition: []byte("same")}
	if rows >= 0 {
		build := cube.NewBuilder([]cube.Column{{Name: "n", Type: cube.Integer}})
		for i := range rows {
			if err := build.Add([]any{int64(i)}); err != nil {
				t.Fatal(err)
			}
		}
		o.Error, d.Error, d.State, d.Rows, d.Cube = "", "", store.RunSucceeded, rows, build.Cube()
	}
	o.Datasets = []store.DatasetResult{d}
	state, err := b.Refreshes.FinishRun(ctx, j, o)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func refusal(t testing.TB, err error, want string) {
	t.Helper()
	no, ok := message.As(err)
	if !ok {
		t.Fatalf("got %v, want a refusal: %s", err, want)
	}
	if no.Error() != want {
		t.Errorf("got  %s\nwant %s", no, want)
	}
}

func TestPublishKeepsMetadataAndMakesVersions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	first := b.spec(t, b.owner, "sales", `{"v":1}`)
	if !first.Created || first.Dashboard.Name != "sales" || first.Run.State != store.RunQueued || first.Run.Cause != store.CausePublish {
		t.Errorf("first publish: %+v", first)
	}
	name, chart := "Sales", "bar"
	second, err := b.Dashboards.Publish(ctx, b.owner, store.Publication{
		Slug: "sales", Filename: "index.html", Spec: &dashboard.Spec{}, ContentType: "application/json", Content: []byte(`{"v":2}`),
		Name: &name, Chart: &chart, Tags: []string{"a", "b"}, DefaultName: "x", DefaultChart: "x",
	})
	if err != nil {
		t.Fatal(err)
	}
	if second.Created || second.Dashboard.ID != first.Dashboard.ID || second.Dashboard.VersionID == first.Dashboard.VersionID {
		t.Errorf("second publish: %+v", second)
	}
	third := b.spec(t, b.owner, "sales", `{"v":3}`)
	d := third.Dashboard
	if diff := cmp.Diff([]any{"Sales", "bar", []string{"a", "b"}}, []any{d.Name, d.Chart, d.Tags}); diff != "" {
		t.Error("omitted metadata was not preserved:", diff)
	}
	_, err = b.Dashboards.Publish(ctx, b.owner, store.Publication{
		Slug: "sales", Filename: "data.csv", ContentType: "text/csv", Content: []byte("a\n1\n"),
	})
	refusal(t, err, `dashboard "sales" holds the file "index.html", not "data.csv": publish to "sales/index.html", or use another slug`)
	versions, err := b.Dashboards.Versions(ctx, b.owner, "sales")
	if err != nil || len(versions) != 3 || !versions[0].Current || versions[2].Title != "sales" || versions[1].Title != "Sales" {
		t.Errorf("versions: %+v, %v", versions, err)
	}
	if diff := cmp.Diff([][]string{{"spec changed"}, {`name: "sales" → "Sales"`, "tags changed", `chart: "kpi" → "bar"`, "spec changed"}, {}},
		[][]string{versions[0].Changes, versions[1].Changes, versions[2].Changes}); diff != "" {
		t.Error("changes:", diff)
	}
	content, err := b.Dashboards.VersionContent(ctx, b.owner, versions[1])
	if err != nil || string(content) != `{"v":2}` {
		t.Errorf("content %s, %v", content, err)
	}
	runs, err := b.Refreshes.Runs(ctx, b.owner, "sales", 10)
	if err != nil || len(runs) != 3 || runs[0].State != store.RunQueued || runs[1].State != store.RunCancelled ||
		runs[2].State != store.RunCancelled {
		t.Errorf("a new version did not cancel the queued runs before it: %+v, %v", runs, err)
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, err := b.Dashboards.Publish(t.Context(), b.owner, store.Publication{
		Slug: "s", Filename: "index.html", DefaultName: "n", DefaultChart: "c", Spec: &dashboard.Spec{}, ContentType: "application/json",
		Content: []byte("{}"), DryRun: true,
	})
	if err != nil || !p.Created {
		t.Fatalf("%+v, %v", p, err)
	}
	var left int
	if err := b.pool.QueryRow(t.Context(), `
		SELECT (SELECT count(*) FROM dashboard) + (SELECT count(*) FROM version) + (SELECT count(*) FROM blob) + (SELECT count(*) FROM slug)
		     + (SELECT count(*) FROM refresh_run) +
		       (SELECT count(*) FROM activity)`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d rows were left, %v", left, err)
	}
}

func TestFirstPublishesOfOneSlugAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	errs := make(chan error)
	for i := range 4 {
		go func() {
			_, err := b.Dashboards.Publish(context.Background(), b.owner, store.Publication{
				Slug: "race", Filename: "index.html", DefaultName: "n", DefaultChart: "c", Spec: &dashboard.Spec{},
				ContentType: "application/json", Content: fmt.Append(nil, i),
			})
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	versions, err := b.Dashboards.Versions(t.Context(), b.owner, "race")
	if err != nil || len(versions) != 4 {
		t.Errorf("%d versions, %v", len(versions), err)
	}
}

func TestRename(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	id := b.spec(t, b.owner, "old", `{}`).Dashboard.ID
	b.spec(t, b.owner, "other", `{}`)
	to := func(s string) *string { return &s }

	u, err := b.Dashboards.UpdateDashboard(ctx, b.owner, "old", store.Update{NewSlug: to("new"), Name: to("New")})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{"new", "old", []string{"old"}, []string{"slug", "name"}},
		[]any{u.Dashboard.Slug, u.Previous, u.Aliases, u.Changed}); diff != "" {
		t.Error(diff)
	}
	if d, err := b.Dashboards.Dashboard(ctx, b.owner, "old"); err != nil || d.ID != id || d.Slug != "new" {
		t.Errorf("by alias: %+v, %v", d, err)
	}
	_, err = b.Dashboards.UpdateDashboard(ctx, b.owner, "other", store.Update{NewSlug: to("old")})
	refusal(t, err, `slug "old" is already taken`)
	_, err = b.Dashboards.UpdateDashboard(ctx, b.owner, "other", store.Update{NewSlug: to("new")})
	refusal(t, err, `slug "new" is already taken`)
	_, err = b.Dashboards.UpdateDashboard(ctx, b.owner, "gone", store.Update{NewSlug: to("x")})
	refusal(t, err, `dashboard not found for slug "gone"`)
	if _, err = b.Dashboards.UpdateDashboard(ctx, b.owner, "gone", store.Update{Name: to("x")}); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	if u, err = b.Dashboards.UpdateDashboard(ctx, b.owner, "new", store.Update{NewSlug: to("old")}); err != nil || u.Dashboard.Slug != "old" ||
		u.Aliases[0] != "new" {
		t.Errorf("renaming back: %+v, %v", u, err)
	}
	if p := b.spec(t, b.owner, "new", `{"again":1}`); p.Created || p.Dashboard.Slug != "old" {
		t.Errorf("publishing to an alias: %+v", p)
	}
	if u, err = b.Dashboards.UpdateDashboard(ctx, b.owner, "old", store.Update{Name: to("New")}); err != nil || len(u.Changed) != 0 {
		t.Errorf("a change to the same: %+v, %v", u.Changed, err)
	}
	del, err := b.Dashboards.DeleteDashboard(ctx, b.owner, "new")
	if diff := cmp.Diff(store.Deleted{Slug: "old", Versions: 2, Aliases: []string{"new"}, VersionID: u.Dashboard.VersionID}, del,
		cmpopts.IgnoreFields(store.Deleted{}, "Until"), cmpopts.EquateEmpty()); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for _, slug := range []string{"old", "new"} {
		if p := b.spec(t, b.owner, slug, `{}`); !p.Created {
			t.Errorf("%s is not free after deletion", slug)
		}
	}
}

func TestRetention(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	named := func(i int) *string { s := fmt.Sprint("v", i); return &s }
	for i := range store.MaxNamed {
		p := b.spec(t, b.owner, "s", fmt.Sprint(i))
		if n, err := b.Dashboards.NameVersion(ctx, b.owner, "s", p.Dashboard.VersionID, named(i)); err != nil || n.Named != i+1 {
			t.Fatal(n.Named, err)
		}
	}
	for i := range 25 {
		b.spec(t, b.owner, "s", fmt.Sprint("auto", i))
	}
	versions, err := b.Dashboards.Versions(ctx, b.owner, "s")
	if err != nil || len(versions) != store.MaxListed {
		t.Fatalf("%d versions, %v; want %d", len(versions), err, store.MaxListed)
	}
	_, err = b.Dashboards.NameVersion(ctx, b.owner, "s", versions[3].ID, named(99))
	refusal(t, err, `dashboard "s" has 30 named versions already, the most there can be. Take the name of another version away first.`)
	if _, err := b.Dashboards.NameVersion(ctx, b.owner, "s", versions[49].ID, nil); err != nil {
		t.Fatal(err)
	}
	if versions, _ = b.Dashboards.Versions(ctx, b.owner, "s"); len(versions) != store.MaxListed-1 {
		t.Errorf("%d versions after a name was removed: it should be pruned at once", len(versions))
	}
	if _, err := b.Dashboards.NameVersion(ctx, b.owner, "s", uuid.New(), nil); !errors.Is(err, store.ErrNoVersion) {
		t.Error(err)
	}
	if _, err := b.Dashboards.NameVersion(ctx, b.owner, "none", uuid.New(), nil); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
}

func TestRefreshStoresRowsAndRestoreBringsThemBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	p := b.spec(t, b.owner, "s", `{"v":1}`)
	if got := b.finish(t, p, 3); got != store.RunSucceeded {
		t.Fatal(got)
	}
	first, err := b.Refreshes.RefreshStatus(ctx, b.owner, "s")
	if err != nil || first.Run.State != store.RunSucceeded || len(first.Results) != 1 || first.Results[0].Rows != 3 ||
		first.Dashboard.RefreshedAt == nil {
		t.Fatalf("%+v, %v", first, err)
	}
	stored, err := b.Dashboards.Rows(ctx, b.owner, first.Results[0])
	if err != nil {
		t.Fatal(err)
	}
	c, err := cube.Decode(stored)
	if err != nil || c.Rows() != 3 || c.Value(2, 0) != int64(2) {
		t.Fatal(c, err)
	}
	// The same definition: its rows are kept. Another one: they are not.
	if kept, _ := b.Dashboards.Results(ctx, b.owner, b.spec(t, b.owner, "s", `{"v":2}`).Dashboard.VersionID); len(kept) != 1 {
		t.Errorf("rows of an unchanged dataset were not kept: %+v", kept)
	}
	other, err := b.Dashboards.Publish(ctx, b.owner, store.Publication{
		Slug: "s", Filename: "index.html", Spec: &dashboard.Spec{}, ContentType: "application/json",
		Content: []byte(`{"v":3}`), Definitions: map[string][]byte{"d": []byte("other")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if kept, _ := b.Dashboards.Results(ctx, b.owner, other.Dashboard.VersionID); len(kept) != 0 {
		t.Errorf("rows of a changed dataset were kept: %+v", kept)
	}
	// A failed run stores nothing, and the dashboard has the time since when it fails.
	if got := b.finish(t, other, -1); got != store.RunFailed {
		t.Error(got)
	}
	if d, _ := b.Dashboards.Dashboard(ctx, b.owner, "s"); d.FailingSince == nil || *d.RunState != store.RunFailed {
		t.Errorf("%+v", d)
	}
	restored, err := b.Dashboards.RestoreVersion(ctx, b.owner, "s", p.Dashboard.VersionID)
	if err != nil {
		t.Fatal(err)
	}
	if rows, _ := b.Dashboards.Results(ctx, b.owner, restored.Dashboard.VersionID); len(rows) != 1 || rows[0].Rows != 3 {
		t.Errorf("a restore did not bring the rows back: %+v", rows)
	}
	if restored.Dashboard.FailingSince != nil || restored.Run.Cause != store.CauseRestore {
		t.Errorf("%+v", restored)
	}
	if v, _ := b.Dashboards.Versions(ctx, b.owner, "s"); len(v) != 4 || v[0].Cause != store.CauseRestore {
		t.Errorf("%+v", v)
	}
	if _, err := b.Dashboards.RestoreVersion(ctx, b.owner, "s", uuid.New()); !errors.Is(err, store.ErrNoVersion) {
		t.Error(err)
	}
}

func TestTriggerIsDeduplicatedAndBudgeted(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *store.Options) { o.RefreshBudget = 3 })
	ctx := t.Context()
	p := b.spec(t, b.owner, "s", `{}`)
	tr, err := b.Refreshes.TriggerRefresh(ctx, b.owner, "s")
	if err != nil || !tr.Deduplicated || tr.Run.ID != p.Run.ID || tr.WorkspaceLeft != 2 {
		t.Fatalf("%+v, %v", tr, err)
	}
	b.finish(t, p, 1)
	if tr, err = b.Refreshes.TriggerRefresh(ctx, b.owner, "s"); err != nil || tr.Deduplicated || tr.Run.State != store.RunQueued {
		t.Fatalf("%+v, %v", tr, err)
	}
	// The budget is the workspace's: another member shares it, another workspace does not.
	if _, err := b.Members.AddMember(ctx, uuid.Nil, "acme", "bob@example.com", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	bob := b.account(t, "bob@example.com")
	member, err := b.Members.Member(ctx, bob, "acme")
	if err != nil {
		t.Fatal("a waiting membership was not bound at the first sign-in:", err)
	}
	if tr, err = b.Refreshes.TriggerRefresh(ctx, member, "s"); err != nil || tr.WorkspaceLeft != 0 {
		t.Fatalf("%+v, %v", tr, err)
	}
	_, err = b.Refreshes.TriggerRefresh(ctx, b.owner, "s")
	refusal(t, err, "Too many refresh triggers right now. Wait about a minute and try again.")
	elsewhere := b.workspace(t, bob, "bobs")
	b.spec(t, elsewhere, "s", `{}`)
	if _, err = b.Refreshes.TriggerRefresh(ctx, elsewhere, "s"); err != nil {
		t.Error(err)
	}
	_, err = b.Dashboards.Publish(ctx, b.owner, store.Publication{
		Slug: "static", Filename: "index.html", DefaultName: "n", DefaultChart: "c",
		ContentType: "text/markdown", Content: []byte("# hi"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = b.Refreshes.TriggerRefresh(ctx, elsewhere, "static"); !errors.Is(err, store.ErrNotFound) {
		t.Error("a dashboard of another workspace:", err)
	}
}

func TestListingIsPagedAndSealed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	for i := range 5 {
		b.spec(t, b.owner, fmt.Sprint("d", i), `{}`)
	}
	in := []store.Member{b.owner}
	var slugs []string
	page := store.DashboardPage{}
	for cursor := ""; ; cursor = page.Next {
		var err error
		if page, err = b.Dashboards.ListDashboards(ctx, in, store.DashboardQuery{Limit: 2, Cursor: cursor}); err != nil {
			t.Fatal(err)
		}
		for _, d := range page.Dashboards {
			slugs = append(slugs, d.Slug)
		}
		if want := 5 - len(slugs); page.Left != want {
			t.Errorf("%d left, want %d", page.Left, want)
		}
		if page.Next == "" {
			break
		}
	}
	if diff := cmp.Diff([]string{"d4", "d3", "d2", "d1", "d0"}, slugs); diff != "" {
		t.Error(diff)
	}
	first, _ := b.Dashboards.ListDashboards(ctx, in, store.DashboardQuery{Limit: 2})
	other := b.workspace(t, b.account(t, "eve@example.com"), "eves")
	for name, try := range map[string]struct {
		in     []store.Member
		cursor string
	}{
		"of another workspace": {[]store.Member{other}, first.Next},
		"changed":              {in, "_" + first.Next[1:]},
		"cut":                  {in, first.Next[1:]},
		"no base64":            {in, "%%%"},
	} {
		if _, err := b.Dashboards.ListDashboards(ctx, try.in, store.DashboardQuery{Limit: 2, Cursor: try.cursor}); !errors.Is(err,
			store.ErrCursor) {
			t.Errorf("a cursor %s: %v", name, err)
		}
	}
	ended, end := context.WithCancel(ctx)
	end()
	for length, asked := range map[int]bool{300: true, 301: false} { // no name contains a longer text, so the database is not asked
		none, err := b.Dashboards.ListDashboards(ended, in, store.DashboardQuery{Limit: 9, Search: strings.Repeat("d", length)})
		if len(none.Dashboards) > 0 || (err != nil) != asked {
			t.Errorf("a text of %d finds %v, %v", length, none.Dashboards, err)
		}
	}
	found, err := b.Dashboards.ListDashboards(ctx, in, store.DashboardQuery{Limit: 9, Search: "D3"})
	if err != nil || len(found.Dashboards) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
}

// countOf is how many events of a log are of a kind.
func countOf(log []store.AuditEntry, action string) (n int) {
	for _, e := range log {
		if e.Action == action {
			n++
		}
	}
	return n
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	b := setup(t, func(o *store.Options) { o.Now = func() time.Time { return now } })
	ctx := t.Context()
	p := b.spec(t, b.owner, "s", `{}`)
	b.finish(t, p, 1)
	daily, err := store.ParseSchedule("daily 02:30", "Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.Refreshes.SetSchedule(ctx, b.owner, "s", daily)
	if err != nil || d.NextRunAt == nil {
		t.Fatal(d, err)
	}
	if n, err := b.Refreshes.Tick(ctx); n != 0 || err != nil {
		t.Error(n, err)
	}
	now = now.AddDate(0, 0, 3) // three runs were missed: they become one
	if n, err := b.Refreshes.Tick(ctx); n != 1 || err != nil {
		t.Error(n, err)
	}
	if n, err := b.Refreshes.Tick(ctx); n != 0 || err != nil {
		t.Error(n, err)
	}
	if d, _ = b.Dashboards.Dashboard(ctx, b.owner, "s"); *d.RunState != store.RunQueued || !d.NextRunAt.After(now) {
		t.Errorf("%v %v", *d.RunState, d.NextRunAt)
	}
	off, _ := store.ParseSchedule("off", "")
	if d, err = b.Refreshes.SetSchedule(ctx, b.owner, "s", off); err != nil || d.NextRunAt != nil {
		t.Error(d, err)
	}
	for _, again := range []store.Schedule{off, daily, daily, off, off} { // only what changes something is logged
		if d, err = b.Refreshes.SetSchedule(ctx, b.owner, "s", again); err != nil || (d.NextRunAt == nil) != again.Off() {
			t.Error(d, err)
		}
	}
	if log, err := b.Audit.AuditLog(ctx, b.owner, store.AuditQuery{Limit: 99}); err != nil || countOf(log, "dashboard.schedule") != 4 {
		t.Errorf("%d changes of the schedule are logged, want 4; %v", countOf(log, "dashboard.schedule"), err)
	}
	for _, bad := range [][2]string{
		{"", ""},
		{"* * * * *", ""},
		{"1m", ""},
		{"*/4 * * * *", ""},
		{"0 0 31 2 *", ""},
		{"TZ=0 0 0 * * *", ""},
		{"0 0 0 * * *", ""},
		{"@daily", ""},
		{"daily 24:00", ""},
		{"weekly funday 10:00", ""},
		{"1h", "Mars/Base"},
		{"1h", "Local"},
	} {
		if _, err := b.Refreshes.ParseSchedule(bad[0], bad[1]); err == nil {
			t.Errorf("schedule %q %q was taken", bad[0], bad[1])
		} else if _, ok := message.As(err); !ok {
			t.Errorf("schedule %q: %v is no refusal", bad, err)
		}
	}
	weekly, err := store.ParseSchedule("weekly mon 09:00", "UTC")
	if got := weekly.Next(now, 2); err != nil || len(got) != 2 || got[0].Weekday() != time.Monday || got[1].Sub(got[0]) != 7*24*time.Hour {
		t.Error(got, err)
	}
}

func TestWorkspaceShareOfRefreshes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	var started []store.Job
	for i := range 3 {
		p := b.spec(t, b.owner, fmt.Sprint("s", i), `{}`)
		j, err := b.Refreshes.StartRun(ctx, store.RefreshArgs{Workspace: b.owner.WorkspaceID(), Run: p.Run.ID}, 2)
		switch {
		case i < 2 && err != nil, i == 2 && !errors.Is(err, store.ErrBusy):
			t.Errorf("run %d: %v", i, err)
		}
		started = append(started, j)
	}
	if err := b.Refreshes.ReleaseRun(ctx, started[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Refreshes.StartRun(ctx, store.RefreshArgs{Workspace: b.owner.WorkspaceID(), Run: started[2].Run}, 2); err != nil {
		t.Error(err)
	}
	if _, err := b.Refreshes.StartRun(ctx, store.RefreshArgs{Workspace: b.owner.WorkspaceID(), Run: uuid.New()}, 2); !errors.Is(err,
		store.ErrNotFound) {
		t.Error(err)
	}
}

// TestDashboardFromBeforeVersions: nothing is stored of it, and nothing breaks.
func TestDashboardFromBeforeVersions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	b.spec(t, b.owner, "old", `{}`)
	if _, err := b.pool.Exec(ctx, `UPDATE dashboard SET version_id = NULL; DELETE FROM version`); err != nil {
		t.Fatal(err)
	}
	d, err := b.Dashboards.Dashboard(ctx, b.owner, "old")
	if err != nil || d.VersionID != uuid.Nil || d.Refreshable() {
		t.Fatalf("%+v, %v", d, err)
	}
	if v, err := b.Dashboards.Versions(ctx, b.owner, "old"); err != nil || len(v) != 0 {
		t.Errorf("%+v, %v", v, err)
	}
	if _, err := b.Dashboards.Content(ctx, b.owner, d); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	if p := b.spec(t, b.owner, "old", `{"v":1}`); p.Created {
		t.Error("a publish made a second dashboard")
	}
	if v, err := b.Dashboards.Versions(ctx, b.owner, "old"); err != nil || len(v) != 1 || !v[0].Current {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestListingOrders(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	b := setup(t, func(o *store.Options) { o.Now = func() time.Time { return now } })
	ctx := t.Context()
	for _, slug := range []string{"b", "c", "a", "d"} {
		p := b.spec(t, b.owner, slug, `{}`)
		now = now.Add(time.Minute)
		if slug != "d" {
			b.finish(t, p, 1)
		}
	}
	now = now.Add(time.Minute)
	again := b.spec(t, b.owner, "b", `{"v":2}`)
	b.finish(t, again, 1)
	for sort, want := range map[store.Sort]string{
		store.SortNewest: "d a c b", store.SortName: "a b c d", store.SortUpdated: "b d a c", store.SortStale: "d c a b", "nonsense": "d a c b",
	} {
		var slugs []string
		for cursor := ""; ; {
			page, err := b.Dashboards.ListDashboards(ctx, []store.Member{b.owner}, store.DashboardQuery{Sort: sort, Limit: 3, Cursor: cursor})
			if err != nil {
				t.Fatal(sort, err)
			}
			for _, d := range page.Dashboards {
				slugs = append(slugs, d.Slug)
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
		if got := strings.Join(slugs, " "); got != want {
			t.Errorf("%q: %s, want %s", sort, got, want)
		}
	}
	page, err := b.Dashboards.ListDashboards(ctx, []store.Member{b.owner}, store.DashboardQuery{Sort: store.SortName, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Dashboards.ListDashboards(ctx, []store.Member{b.owner},
		store.DashboardQuery{Limit: 1, Cursor: page.Next}); !errors.Is(err, store.ErrCursor) {
		t.Error("a cursor of another order:", err)
	}
}

// A part of a detail that is not asked for is empty, and the others are as in the whole. The tag of its rows is the page's.
func TestDetailWith(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := setup(t, func(o *store.Options) { o.Engine = numberEngine{} })
	added, err := b.Uploads.AddUpload(ctx, b.owner, "a.csv", []byte("n\n1\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := b.spec(t, b.owner, "sales", `{"version":1}`)
	b.finish(t, p, 2)
	if _, err := b.pool.Exec(ctx, `
		INSERT INTO slug (workspace_id, slug, dashboard_id) SELECT workspace_id, 'former', id FROM dashboard;
		UPDATE version SET connection_id = (SELECT id FROM connection), upload_id = '`+added.Upload.ID.String()+`';
		UPDATE dashboard SET colors = '{"region":{"North":1}}'`); err != nil {
		t.Fatal(err)
	}
	whole, err := b.Dashboards.Detail(ctx, b.owner, "former")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := b.Dashboards.Dashboard(ctx, b.owner, "sales")
	if err != nil {
		t.Fatal(err)
	}
	if whole.RowsTag == "" || len(whole.Aliases) != 1 || len(whole.Colors) != 1 || whole.Bound == nil || len(whole.Bound.Uploads) != 1 {
		t.Fatalf("a part is missing: %+v", whole)
	}
	if diff := cmp.Diff(plain, whole.Dashboard); diff != "" {
		t.Errorf("the dashboard alone is another (-alone +detail):\n%s", diff)
	}
	for _, with := range []store.Part{0, store.PartPage, store.PartSource} {
		want := whole
		if with&store.PartPage == 0 {
			want.Aliases, want.Colors, want.RowsTag = nil, nil, ""
		}
		if with&store.PartSource == 0 {
			want.Bound = nil
		}
		got, err := b.Dashboards.DetailWith(ctx, b.owner, "sales", with)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(store.Connection{})); diff != "" {
			t.Errorf("with %d (-want +got):\n%s", with, diff)
		}
	}
}

package refresh_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/message"
	"service/store/view"
)

// person adds a member with a region.
func (b *bench) person(t *testing.T, name, role, region string) store.Member {
	t.Helper()
	a, err := b.Accounts.EnsureAccount(t.Context(), store.Identity{
		Issuer: "https://id.example", Subject: name, Email: name + "@example.com",
		Verified: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Members.AddMember(t.Context(), uuid.Nil, "acme", name+"@example.com", role); err != nil {
		t.Fatal(err)
	}
	if region != "" {
		if err := b.Members.SetAttribute(t.Context(), b.member, a.ID, "region", []string{region}); err != nil {
			t.Fatal(err)
		}
	}
	m, err := b.Store.Members.Member(t.Context(), a.ID, "acme")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// regions returns the regions whose rows a page shows m, or how it is closed to them.
func (b *bench) regions(t *testing.T, views *view.Renderer, m store.Member, slug string, version uuid.UUID) string {
	t.Helper()
	d, err := b.Dashboards.Dashboard(t.Context(), m, slug)
	if err != nil {
		t.Fatal(err)
	}
	v, err := views.View(t.Context(), m, d, version, url.Values{})
	if err != nil {
		return err.Error()
	}
	var out []string
	for _, c := range v.Cubes {
		at := c.Index("region")
		for row := range c.Rows() {
			if at < 0 {
				out = append(out, "a row without region")
			} else if region := c.Value(row, at).(string); !slices.Contains(out, region) {
				out = append(out, region)
			}
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

const (
	openRows  = `{"title": "I", "datasets": [{"id": "mrr", "sql": "SELECT * FROM (VALUES ('EMEA', 1), ('APAC', 2)) t (region, mrr)"}]}`
	ruledRows = `{"title": "I", "datasets": [{"id": "mrr", "sql": "SELECT * FROM (VALUES ('EMEA', 1), ('APAC', 2)) t (region, mrr)"}],
		"access": [{"data": "mrr", "column": "region", "is": "member.region"}]}`
	joinedRows = `{"title": "J", "datasets": [{"id": "d", "from": ["investors/mrr"], "sql": "SELECT 'EMEA' AS region, sum(mrr) AS mrr ` +
		`FROM mrr"}]}`
)

// TestRowRulesComeAlong: row rules also apply to the datasets that read the rows, even if the rules are newer than the reader. A person
// with some of the rows cannot find out the others by SQL, by alerts or by earlier versions.
func TestRowRulesComeAlong(t *testing.T) {
	t.Parallel()
	b := setup(t)
	views := view.New(view.Config{Store: b.Store})
	bob, vera := b.person(t, "bob", store.RoleEditor, "EMEA"), b.person(t, "vera", store.RoleViewer, "APAC")
	none := b.person(t, "nora", store.RoleViewer, "")
	b.start(t)
	b.publish(t, b.member, "investors", openRows, uuid.Nil, uuid.Nil)
	b.settle(t)
	first := b.publish(t, bob, "board", reading("investors/mrr"), uuid.Nil, uuid.Nil)
	b.publish(t, bob, "deep", reading("board/d"), uuid.Nil, uuid.Nil)
	b.publish(t, bob, "joined", joinedRows, uuid.Nil, uuid.Nil)
	b.publish(t, bob, "told", strings.Replace(reading("investors/mrr"), `]}`,
		`], "alerts": [{"id": "some", "data": "d", "value": "mrr", "by": "region", "if": ">", "than": 0}]}`, 1), uuid.Nil, uuid.Nil)
	b.settle(t)
	all := func(want map[string]string, when string) {
		t.Helper()
		for key, want := range want {
			slug, who, _ := strings.Cut(key, " ")
			m := map[string]store.Member{"bob": bob, "vera": vera, "nora": none, "owner": b.member}[who]
			if got := b.regions(t, views, m, slug, uuid.Nil); got != want {
				t.Errorf("%s: %s sees %q of %s, want %q", when, who, got, slug, want)
			}
		}
	}
	all(map[string]string{"board bob": "APAC EMEA", "deep vera": "APAC EMEA", "joined vera": "EMEA"}, "without rules")
	before := len(b.notices(t))
	if before == 0 {
		t.Error("the alert was not judged without rules")
	}
	second := b.publish(t, bob, "board", reading("investors/mrr"), uuid.Nil, uuid.Nil)
	if second.Dashboard.VersionID == first.Dashboard.VersionID {
		t.Fatal("no new version")
	}
	b.settle(t)

	b.publish(t, b.member, "investors", ruledRows, uuid.Nil, uuid.Nil) // not yet refreshed: the rules count at once
	all(map[string]string{
		"board bob": "EMEA", "board vera": "APAC", "board nora": "", "board owner": "APAC EMEA",
		"deep bob": "EMEA", "deep vera": "APAC", "deep nora": "", "joined vera": "", "joined nora": "",
	}, "with a rule")
	if got := b.regions(t, views, vera, "board", first.Dashboard.VersionID); got != store.ErrNoVersion.Error() {
		t.Errorf("an earlier version shows %q", got)
	}
	b.settle(t)
	if _, err := b.Refreshes.TriggerRefresh(t.Context(), b.member, "joined"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Refreshes.TriggerRefresh(t.Context(), b.member, "told"); err != nil {
		t.Fatal(err)
	}
	b.idle(t)
	if got := b.status(t, b.member, "joined").Run.Error; !strings.Contains(got, "whoever published this dashboard does not get all of them") {
		t.Errorf("SQL of an editor over all rows: %q", got)
	}
	if _, err := b.Pool().Exec(t.Context(), `DELETE FROM alert_state`); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Refreshes.TriggerRefresh(t.Context(), b.member, "told"); err != nil {
		t.Fatal(err)
	}
	b.settle(t)
	if got := b.notices(t); len(got) != before {
		t.Errorf("an alert was judged over rows that its publisher does not get: %+v", got[before:])
	}
	for text, want := range map[string]string{
		joinedRows: `datasets[0].from: "investors/mrr" shows each reader some of its rows, and you do not get all of them`,
		strings.Replace(reading("investors/mrr"), `]}`, `], "alerts": [{"id": "some", "data": "d", "value": "mrr", "if": ">", "than": `+
			`0}]}`, 1): `alerts: dataset "d" has rows of "investors/mrr"`,
	} {
		if got := b.refused(t, bob, "more", text); !strings.HasPrefix(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if _, err := b.Dashboards.RestoreVersion(t.Context(), bob, "joined", b.status(t, b.member, "joined").Dashboard.VersionID); err == nil {
		t.Error("an editor restored SQL over rows of which they get some")
	}
	if got := b.refused(t, b.member, "joined", joinedRows); got != "" {
		t.Errorf("an owner: %s", got)
	}
	b.settle(t)
	all(map[string]string{"joined vera": "", "joined bob": "EMEA"}, "with SQL of an owner that returns the column")
	// A rule that was loosened at its source is loosened here.
	b.publish(t, b.member, "investors", openRows, uuid.Nil, uuid.Nil)
	all(map[string]string{"board vera": "APAC EMEA", "deep nora": "APAC EMEA"}, "without the rule")
}

// A source with rules that is deleted, or drops the dataset, leaves its rules with the rows that were read of it.
func TestRowRulesOutliveTheirSource(t *testing.T) {
	t.Parallel()
	b := setup(t)
	views := view.New(view.Config{Store: b.Store})
	vera := b.person(t, "vera", store.RoleViewer, "APAC")
	b.start(t)
	b.publish(t, b.member, "investors", ruledRows, uuid.Nil, uuid.Nil)
	b.settle(t)
	board := b.publish(t, b.member, "board", reading("investors/mrr"), uuid.Nil, uuid.Nil)
	b.settle(t)
	check := func(when string) {
		t.Helper()
		if got := b.regions(t, views, vera, "board", uuid.Nil); got != "APAC" {
			t.Errorf("%s: vera sees %q", when, got)
		}
	}
	check("at first")
	b.publish(t, b.member, "investors", `{"title": "I", "datasets": [{"id": "other", "sql": "SELECT 1 AS n"}]}`, uuid.Nil, uuid.Nil)
	check("after the dataset was dropped")
	b.settle(t)
	check("after the refresh that failed")
	if _, err := b.Dashboards.DeleteDashboard(t.Context(), b.member, "investors"); err != nil {
		t.Fatal(err)
	}
	b.settle(t)
	check("after the source was deleted")
	if _, err := b.Dashboards.RestoreVersion(t.Context(), b.member, "board", board.Dashboard.VersionID); err != nil {
		t.Fatal(err)
	}
	check("after the reader was restored")
	others := strings.NewReplacer("EMEA", "AMER", "APAC", "ANZ").Replace(openRows)
	b.publish(t, b.member, "investors", others, uuid.Nil, uuid.Nil) // another dashboard of the same slug, without rules
	b.settle(t)
	check("while another dashboard has the slug")
	b.publish(t, b.member, "board", reading("investors/mrr"), uuid.Nil, uuid.Nil)
	if got := b.regions(t, views, vera, "board", uuid.Nil); got != "" && got != "AMER ANZ" { // before or after its refresh
		t.Errorf("rows of the former source are shown without its rules: %q", got)
	}
	b.settle(t)
	if got := b.regions(t, views, vera, "board", uuid.Nil); got != "AMER ANZ" {
		t.Errorf("of the new source vera sees %q", got)
	}
}

// Members of another workspace read nothing of this one, and viewers of a dashboard get its rows by its rules.
func TestFeedOfOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	views := view.New(view.Config{Store: b.Store})
	other, bob := b.workspace(t, "other"), b.person(t, "bob", store.RoleEditor, "EMEA")
	b.start(t)
	b.publish(t, b.member, "investors", ruledRows, uuid.Nil, uuid.Nil)
	b.settle(t)
	ref := dashboard.Ref{Slug: "investors", Dataset: "mrr"}
	if _, err := views.Feed(t.Context(), other, ref); err == nil {
		t.Error("a member of another workspace reads it")
	} else if _, ok := message.As(err); !ok {
		t.Error(err)
	}
	if all, err := b.Refreshes.Offered(t.Context(), other, 10); err != nil || len(all) != 0 {
		t.Error(all, err)
	}
	fed, err := views.Feed(t.Context(), bob, ref)
	if err != nil {
		t.Fatal(err)
	}
	if fed.Whole || fed.Cube.Rows() != 1 || fed.Cube.Value(0, 0) != "EMEA" {
		t.Errorf("an editor who gets some of the rows: whole %t, %d rows", fed.Whole, fed.Cube.Rows())
	}
	if diff := cmp.Diff([]dashboard.Access{{Data: "mrr", Column: "region", Attribute: "region"}}, fed.Rules); diff != "" {
		t.Error(diff)
	}
	if fed, err = views.Feed(t.Context(), b.member, ref); err != nil || !fed.Whole || fed.Cube.Rows() != 2 {
		t.Error(fed, err)
	}
}

// A source that is deleted while a reader's refresh runs leaves the reader with its rows, and the reason at the next one.
func TestSourceDeletedDuringRefresh(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, b.member, "investors", openRows, uuid.Nil, uuid.Nil)
	w := b.start(t)
	b.settle(t)
	b.publish(t, b.member, "board", reading("investors/mrr"), uuid.Nil, uuid.Nil)
	b.settle(t)
	rows := b.table(t, "board", "d")
	if err := w.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Refreshes.TriggerRefresh(t.Context(), b.member, "board"); err != nil {
		t.Fatal(err)
	}
	j, err := b.Refreshes.StartNext(t.Context(), store.Shares{Workspace: 2, Account: 3}) // the refresh begins
	if err != nil {
		t.Fatal(err)
	}
	fed, err := b.Refreshes.JobFeeds(t.Context(), j)
	if err != nil || len(fed.All) != 1 || fed.All[0].Problem != "" {
		t.Fatal(fed, err)
	}
	if _, err := b.Dashboards.DeleteDashboard(t.Context(), b.member, "investors"); err != nil {
		t.Fatal(err)
	}
	if raw, err := b.Refreshes.FedRows(t.Context(), j, fed.All[0]); err != nil || len(raw) == 0 {
		t.Errorf("rows that were found are gone: %v", err)
	}
	state, err := b.Refreshes.FinishRun(t.Context(), j, store.Outcome{
		Fed: fed.All, Datasets: []store.DatasetResult{{RunDataset: store.RunDataset{ID: "d", State: store.RunFailed, Error: "x"}}},
	})
	if err != nil || state != store.RunFailed {
		t.Fatal(state, err)
	}
	// because the rows that it read are not the current ones
	next, err := b.Refreshes.StartNext(t.Context(), store.Shares{Workspace: 2, Account: 3})
	if err != nil || next.Dashboard != j.Dashboard {
		t.Fatal(next, err)
	}
	if fed, err = b.Refreshes.JobFeeds(t.Context(), next); err != nil || !strings.Contains(fed.All[0].Problem, "was deleted") {
		t.Error(fed, err)
	}
	if got := b.table(t, "board", "d"); got != rows {
		t.Errorf("rows %q, want %q", got, rows)
	}
}

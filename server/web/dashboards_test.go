package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/storetest"
)

// publish publishes a refreshable dashboard.
func (s *site) publish(t *testing.T, m store.Member, slug, name string, tags ...string) store.Published {
	t.Helper()
	content := fmt.Appendf(nil, `{"version": 1, "title": "%s",
			"datasets": [{"id": "orders", "sql": "SELECT day, sum(amount) AS revenue FROM orders GROUP BY 1"}],
			"panels": [{"type": "table", "columns": ["day", "revenue"]}]}`, slug)
	p, err := s.store.Dashboards.Publish(t.Context(), m, store.Publication{
		Slug: slug, Filename: "index.html", Name: &name, DefaultChart: "line", Tags: tags, Spec: storetest.Spec(content),
		ContentType: "application/json",
		Content:     content,
		Definitions: map[string][]byte{"orders": []byte(slug)}, Panels: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// exec changes the database directly, without the store.
func (s *site) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := s.pool.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func TestDashboardsList(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	for i := range 30 {
		s.publish(t, m, fmt.Sprintf("board-%02d", i), fmt.Sprintf("Board %02d", i), []string{"even", "odd & <b>"}[i%2])
	}
	page := p.get("/w/engine/").
		want(http.StatusOK, "Board 29", "Board 06", "Next page (6 more)", "odd &amp; &lt;b&gt;").
		lacks("Board 05", "<b>", "First page", "Favourites", "Recently opened", "Mine")
	next := between(t, page.body, `<a class="button" href="`, `">Next page`)
	p.get(strings.ReplaceAll(next, "&amp;", "&")).want(http.StatusOK, "Board 05", "Board 00", "First page").lacks("Board 06", "Next page")
	p.get("/w/engine/?after=nonsense").want(http.StatusNotFound)

	p.get("/w/engine/?q=board-07").want(http.StatusOK, "Board 07", `value="board-07"`).lacks("Board 08")
	p.get("/w/engine/?tag=even").want(http.StatusOK, "Board 28", `aria-current="true" title="Show all"`).lacks("Board 27")
	p.get("/w/engine/?"+url.Values{"tag": {"odd & <b>"}, "q": {"Board 2"}}.Encode()).want(http.StatusOK, "Board 27").
		lacks("Board 26", "Board 07")
	p.get("/w/engine/?q=%3Cscript%3E").want(http.StatusOK, "Nothing matches", "&lt;script&gt;").lacks("<script>")
}

// between returns the text between two marks.
func between(t *testing.T, s, before, after string) string {
	t.Helper()
	end := strings.Index(s, after)
	if end < 0 {
		t.Fatalf("%q is missing", after)
	}
	start := strings.LastIndex(s[:end], before)
	if start < 0 {
		t.Fatalf("%q is missing", before)
	}
	return s[start+len(before) : end]
}

func TestFreshness(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	p.get("/w/engine/").want(http.StatusOK, "Refreshing now")

	good := s.now().Add(-3 * time.Hour).UTC().Truncate(time.Second)
	s.exec(t, `UPDATE refresh_run SET state = 'failed', started_at = queued_at, finished_at = queued_at, error = 'no'`)
	p.get("/w/engine/").want(http.StatusOK, "No data yet").lacks("thumbnail.png")
	s.exec(t, `UPDATE dashboard SET refreshed_at = $1`, good)
	p.get("/w/engine/").want(http.StatusOK, "thumbnail.png",
		`Updated <time datetime="`+good.Format(time.RFC3339)+`" title="`+good.Format("2 Jan 2006, 15:04:05 UTC")+`">3 h ago</time>`)
	s.exec(t, `UPDATE refresh_run SET state = 'partial'`)
	p.get("/w/engine/").want(http.StatusOK, "Partly updated")
	s.exec(t, `UPDATE refresh_run SET state = 'failed'`)
	s.exec(t, `UPDATE dashboard SET failing_since = $1`, good.Add(time.Hour))
	p.get("/w/engine/").want(http.StatusOK, "Refresh failing since", "2 h ago")
}

func TestDashboardDetails(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	first := s.publish(t, m, "sales", "Sales <i>")
	s.publish(t, m, "sales", "Sales 2")
	const at = "/w/engine/d/sales"
	version := at + "/versions/" + first.Dashboard.VersionID.String()

	p.get(at).
		want(http.StatusOK, "Sales 2", "Only members of Engine can open this.", "current",
			"?version="+first.Dashboard.VersionID.String(),
			"SELECT day, sum(amount) AS revenue FROM orders GROUP BY 1", "<code>self</code>", "queued").lacks("<i>")

	p.post(version+"/name", url.Values{"name": {"Before <b>"}}).
		want(http.StatusOK, "The version is now called Before &lt;b&gt; and will be kept.", "<strong>Before &lt;b&gt;</strong>")
	p.post(version+"/name", url.Values{"name": {strings.Repeat("x", 301)}}).
		want(http.StatusUnprocessableEntity, "name exceeds 300-char limit (got 301)",
			`value="`+strings.Repeat("x", 301)+`"`, `aria-describedby="name-`+first.Dashboard.VersionID.String()+`-problem`)
	p.post(version+"/name", url.Values{"name": {" "}}).want(http.StatusOK, "The version no longer has a name.").lacks("<strong>Before")

	p.post(version+"/restore", nil).want(http.StatusOK, "The version is restored.", "Sales &lt;i&gt;", "restored")
	p.post(at+"/versions/0190a8f2-0000-7000-8000-000000000000/restore", nil).
		want(http.StatusUnprocessableEntity, "That version no longer exists")
	p.post(at+"/versions/nonsense/restore", nil).want(http.StatusUnprocessableEntity, "That version no longer exists")

	// The schedule, and problems with it.
	p.post(at+"/schedule", url.Values{"schedule": {"* * * * *"}, "timezone": {"UTC"}}).
		want(http.StatusUnprocessableEntity, "runs more often than every 5 minutes", `value="* * * * *"`, `aria-invalid="true"`)
	p.post(at+"/schedule", url.Values{"schedule": {"daily 07:00"}, "timezone": {"Mars/Base"}}).
		want(http.StatusUnprocessableEntity, "is not an IANA time zone", `value="Mars/Base"`,
			`value="daily 07:00"`, `aria-describedby="timezone-problem" autofocus`)
	p.post(at+"/schedule", url.Values{"schedule": {"daily 07:00"}, "timezone": {"Asia/Tokyo"}}).
		want(http.StatusOK, "The schedule is set: Every day at 07:00 (Asia/Tokyo).", "07:00 JST", "22:00 UTC", "Next runs")
	p.post(at+"/schedule", url.Values{"schedule": {"off"}, "timezone": {"UTC"}}).want(http.StatusOK, "The schedule is off.").lacks("Next runs")

	// Refreshes: one at a time, within the budget.
	p.post(at+"/refresh", nil).want(http.StatusOK, "A refresh is already under way.")
	s.exec(t, `UPDATE refresh_run SET state = 'failed', started_at = queued_at, finished_at = queued_at + interval '1.5 s',
		error = 'The warehouse said <no>.'
		WHERE state = 'queued'`)
	p.get(at).want(http.StatusOK, "The warehouse said &lt;no&gt;.", "1.5 s")
	p.post(at+"/refresh", nil).want(http.StatusOK, "A refresh is queued.")
	for range store.RateTrigger.Ceiling {
		s.store.Rates.Allow(t.Context(), store.RateTrigger, m.Account().String())
	}
	p.post(at+"/refresh", nil).want(http.StatusUnprocessableEntity, "Too many refresh triggers right now.")

	// Name and tags, which are kept as typed if they are refused.
	p.post(at+"/details", url.Values{"title": {" "}, "tags": {"a, b"}}).
		want(http.StatusUnprocessableEntity, "name must be a non-empty string", `value="a, b"`, `aria-describedby="title-problem" autofocus`)
	p.post(at+"/details", url.Values{"title": {"Revenue & more"}, "tags": {" weekly, money,,weekly "}}).
		want(http.StatusOK, "Name and tags are saved.", "<h1>Revenue &amp; more</h1>", `value="weekly, money"`)
	p.post(at+"/details", url.Values{"title": {strings.Repeat("é", 301)}, "tags": {"a, " + strings.Repeat("b", 101)}}).
		want(http.StatusUnprocessableEntity, "name exceeds 300-char limit (got 301)", "tags[1] exceeds 100-char limit (got 101)")
	p.post(at+"/details", url.Values{"title": {"Revenue"}, "tags": {strings.Repeat("a", 10) + strings.Repeat(",b", 10)}}).
		want(http.StatusOK, "Name and tags are saved.")
	s.exec(t, `UPDATE dashboard SET tags = '{" first","a, b","last "}'`) // as a client may have set them
	p.post(at+"/details", url.Values{"title": {"Revenue, renamed"}, "tags": {" first, a, b, last "}}).
		want(http.StatusOK, "<h1>Revenue, renamed</h1>")
	if d, err := s.store.Dashboards.Dashboard(t.Context(), m, "sales"); err != nil ||
		!slices.Equal(d.Tags, []string{" first", "a, b", "last "}) {
		t.Errorf("renaming changed the tags: %q, %v", d.Tags, err)
	}
	commas := slices.Repeat([]string{"a, b"}, 30)
	s.exec(t, `UPDATE dashboard SET tags = $1`, commas)
	p.post(at+"/details", url.Values{"title": {"Revenue, again"}, "tags": {strings.Join(commas, ", ")}}).
		want(http.StatusOK, "<h1>Revenue, again</h1>")
	p.post(at+"/details", url.Values{"title": {"Revenue"}, "tags": {""}}).want(http.StatusOK, "<h1>Revenue</h1>", `name="tags" value=""`)

	// An alias redirects to the page of the dashboard.
	slug := "revenue"
	if _, err := s.store.Dashboards.UpdateDashboard(t.Context(), m, "sales", store.Update{NewSlug: &slug}); err != nil {
		t.Fatal(err)
	}
	moved := p.once().get(at).want(http.StatusMovedPermanently)
	if got := moved.header.Get("Location"); got != "/w/engine/d/revenue" {
		t.Errorf("moved to %s", got)
	}
	p.get(at).want(http.StatusOK, "These former slugs redirect to it: sales")
}

// A schedule is chosen from a list, with a time of day, and is shown in words and as the same choice, even if a client has
// set it. Other schedules are written in cron.
func TestScheduleIsChosen(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	const at = "/w/engine/d/sales"
	p.get(at).want(http.StatusOK, "No schedule", `<option value="off" selected>`).lacks("this minute", "Next runs")
	for _, c := range []struct{ rhythm, at, cron, stored, words, shown string }{
		{"15m", "", "", "15m", "Every 15 minutes", "15m"},
		{"1h", "07:00", "", "1h", "Every hour", "1h"},
		{"daily", "07:30", "", "daily 07:30", "Every day at 07:30 (Asia/Tokyo)", "daily"},
		{"weekdays", "06:05", "", "5 6 * * 1-5", "Monday to Friday at 06:05 (Asia/Tokyo)", "weekdays"},
		{"weekly-0", "23:59", "", "weekly sun 23:59", "Weekly on Sunday at 23:59 (Asia/Tokyo)", "weekly-0"},
		{"monthly-28", "00:00", "", "0 0 28 * *", "Monthly on day 28 at 00:00 (Asia/Tokyo)", "monthly-28"},
		{"other", "", "weekly friday 09:00", "weekly friday 09:00", "Weekly on Friday at 09:00 (Asia/Tokyo)", "weekly-5"},
		{"other", "", "0  7 * * 1", "0  7 * * 1", "Weekly on Monday at 07:00 (Asia/Tokyo)", "weekly-1"},
		{"other", "", "0 7 31 * *", "0 7 31 * *", "0 7 31 * * (Asia/Tokyo)", "other"},
		{"other", "", "*/10 8-18 * * 1-5", "*/10 8-18 * * 1-5", "*/10 8-18 * * 1-5 (Asia/Tokyo)", "other"},
		{"off", "07:00", "", "", "The schedule is off.", "off"},
	} {
		p.post(at+"/schedule", url.Values{"rhythm": {c.rhythm}, "at": {c.at}, "schedule": {c.cron}, "timezone": {"Asia/Tokyo"}}).
			want(http.StatusOK, c.words, `<option value="`+c.shown+`" selected>`)
		stored := ""
		err := s.pool.QueryRow(t.Context(), `SELECT coalesce((SELECT expression FROM schedule), '')`).Scan(&stored)
		if err != nil || stored != c.stored {
			t.Errorf("%s %s is stored as %q, want %q; %v", c.rhythm, c.at, stored, c.stored, err)
		}
	}
	p.post(at+"/schedule", url.Values{"rhythm": {"daily"}, "at": {"7"}, "timezone": {"UTC"}}).
		want(http.StatusUnprocessableEntity, "Write a time of the day", `<option value="daily" selected>`,
			`aria-describedby="at-problem" autofocus`)
	p.post(at+"/schedule", url.Values{"rhythm": {"other"}, "schedule": {"0 7 * *"}, "timezone": {"UTC"}}).
		want(http.StatusUnprocessableEntity, "is not one of", `<option value="other" selected>`, `value="0 7 * *"`)
	p.post(at+"/schedule", url.Values{"rhythm": {"refresh"}, "timezone": {"UTC"}}).want(http.StatusUnprocessableEntity, "is not one of")

	// A run is shown with one time if the zones agree, and otherwise with both times.
	p.post(at+"/schedule", url.Values{"rhythm": {"daily"}, "at": {"07:00"}, "timezone": {"Europe/London"}})
	p.post("/account/timezone", url.Values{"timezone": {"Europe/London"}})
	if n := strings.Count(p.get(at).body, ", 07:00 "); n != 3 {
		t.Errorf("three runs are shown %d times", n)
	}
	p.post("/account/timezone", url.Values{"timezone": {"Asia/Kolkata"}})
	p.get(at).want(http.StatusOK, ", 07:00 ", " IST</time>")
}

// The newest rows of long histories are visible, the others are folded.
func TestHistoriesUnfold(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	first := s.publish(t, m, "sales", "Sales")
	const at = "/w/engine/d/sales"
	for range newestShown - 1 {
		s.publish(t, m, "sales", "Sales")
	}
	p.get(at).want(http.StatusOK).lacks("Older versions", "Earlier refreshes")
	s.publish(t, m, "sales", "Sales")
	p.get(at).want(http.StatusOK, "Older versions", "Earlier refreshes")
	p.post(at+"/versions/"+first.Dashboard.VersionID.String()+"/name", url.Values{"name": {strings.Repeat("x", 301)}}).
		want(http.StatusUnprocessableEntity, `<details class="older" open>`)
}

// The page of a dashboard shows why it cannot be refreshed, and no data of another workspace.
func TestDashboardSource(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	other, err := s.store.Workspaces.CreateWorkspace(t.Context(), m.Account(), "zoo", "Zoo")
	if err != nil {
		t.Fatal(err)
	}
	s.publish(t, m, "sales", "Sales")
	connect := func(in store.Member, label, status string) {
		t.Helper()
		id := uuid.Must(uuid.NewV7())
		s.exec(t, `INSERT INTO connection (workspace_id, id, owner_id, kind, label, status, secret) VALUES ($1, $2, $3, 'postgres', $4, $5, '')`,
			in.WorkspaceID(), id, m.Account(), label, status)
		s.exec(t, `UPDATE version SET connection_id = $1`, id)
	}
	const at = "/w/engine/d/sales"
	connect(m, "Warehouse <1>", "active")
	p.get(at).want(http.StatusOK, "Warehouse &lt;1&gt;", "(postgres)").lacks("cannot be refreshed")
	connect(m, "Resting", "disabled")
	p.get(at).want(http.StatusOK, "Resting", "This dashboard cannot be refreshed", "status: disabled")
	connect(other, "Lions", "active")
	p.get(at).want(http.StatusOK, "This dashboard cannot be refreshed", "belongs to another workspace").lacks("Lions")
	s.exec(t, `UPDATE version SET connection_id = $1`, uuid.Must(uuid.NewV7()))
	p.get(at).want(http.StatusOK, "The connection was deleted.")
}

func TestStaticDashboardDetails(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	if _, err := s.store.Dashboards.Publish(t.Context(), m, store.Publication{
		Slug: "notes", Filename: "index.html", DefaultName: "Notes", DefaultChart: "document",
		ContentType: "text/markdown", Content: []byte("# Notes"),
	}); err != nil {
		t.Fatal(err)
	}
	p.get("/w/engine/").want(http.StatusOK, "Published <time", "thumbnail.png")
	p.get("/w/engine/d/notes").want(http.StatusOK, "This dashboard is static").lacks("Refresh now", "Refresh history")
	p.post("/w/engine/d/notes/refresh", nil).want(http.StatusUnprocessableEntity, "there is nothing to refresh")
	p.post("/w/engine/d/notes/schedule", url.Values{"schedule": {"1h"}, "timezone": {"UTC"}}).
		want(http.StatusUnprocessableEntity, "there is nothing to refresh")
}

package web

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"

	"service/server/browsertest"
	"service/store"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	bob := s.signIn(t, "bob@lovelace.org")
	if _, err := s.store.Members.AddMember(t.Context(), m.Account(), "engine", "bob@lovelace.org", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	const at = "/w/engine/settings"
	bob.get(at).want(http.StatusOK, "Only an owner").lacks("Delete the workspace")
	bob.post(at+"/name", url.Values{"name": {"Mine"}}).want(http.StatusUnprocessableEntity)
	bob.post(at+"/delete", url.Values{"slug": {"engine"}}).want(http.StatusUnprocessableEntity)
	p.post(at+"/name", url.Values{"name": {" "}}).want(http.StatusUnprocessableEntity, "must be a non-empty string")
	p.post(at+"/name", url.Values{"name": {"Difference & Engine"}}).
		want(http.StatusOK, "The workspace has its new name.", "Difference &amp; Engine")
	p.post(at+"/delete", url.Values{"slug": {"Engine"}}).want(http.StatusUnprocessableEntity, "to delete the workspace.")
	p.get(at).want(http.StatusOK)
	p.post(at+"/delete", url.Values{"slug": {"engine"}}).want(http.StatusOK, "is deleted.", "Create your workspace")
	p.get(at).want(http.StatusNotFound)
}

func TestDeleteDashboard(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales <1>")
	p.get("/w/engine/d/sales").want(http.StatusOK, "/w/engine/d/sales/delete")
	p.get("/w/engine/d/sales/delete").want(http.StatusOK, "Delete Sales &lt;1&gt;?", "You can restore it until",
		"another dashboard can use <code>sales</code>").
		lacks("undone")
	p.get("/w/engine/d/sales").want(http.StatusOK) // the page of the question does not delete
	p.post("/w/engine/d/sales/delete", nil).want(http.StatusOK, "The dashboard is deleted.")
	p.get("/w/engine/d/sales").want(http.StatusNotFound)
	p.get("/w/engine/d/sales/delete").want(http.StatusNotFound)
}

func TestAuditLog(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	const at = "/w/engine/audit"
	for range 60 {
		s.publish(t, m, "sales", "Sales")
	}
	if _, err := s.store.Members.AddMember(t.Context(), m.Account(), "engine", "=cmd()@evil.example", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	p.post("/account/timezone", url.Values{"timezone": {"Asia/Kolkata"}}).want(http.StatusOK)

	page := p.get(at).
		want(http.StatusOK, "ada@lovelace.org added =cmd()@evil.example as editor", "ada@lovelace.org published dashboard sales",
			"Asia/Kolkata", "Older").
		lacks("Newest")
	older := between(t, page.body, `<a class="button" href="/w/engine/audit?after=`, `">Older`)
	p.get(at+"?after="+older).want(http.StatusOK, "created the workspace", "Newest").lacks("Older")
	p.get(at+"?kind=member").want(http.StatusOK, "=cmd()@evil.example").lacks("published")

	// By person and by day, in the person's zone.
	p.get(at+"?who=operator").want(http.StatusOK, "No events match")
	p.get(at+"?who="+m.Account().String()).want(http.StatusOK, "published dashboard sales", `selected>ada@lovelace.org`)
	s.exec(t, `UPDATE audit SET at = '2026-03-01T19:00:00Z' WHERE action = 'workspace.create'`) // 00:30 on the 2nd in India
	p.get(at+"?from=2026-03-02&to=2026-03-02").want(http.StatusOK, "created the workspace", "2 Mar 2026, 00:30", `value="2026-03-02"`).
		lacks("published")
	p.get(at+"?to=2026-03-01").want(http.StatusOK, "No events match")
	p.get(at+"?from=2026-03-03&kind=workspace").want(http.StatusOK, "No events match")
	p.get(at+"?from=yesterday").want(http.StatusUnprocessableEntity, "Write a date as year-month-day",
		`value="yesterday"`, `aria-describedby="from-problem" autofocus`)
	p.get(at+"?from=2026-03-03&to=2026-03-02").
		want(http.StatusUnprocessableEntity, "The first day is after the last one.", "Nothing is shown.").
		lacks("No events match", "Nothing was changed")
	p.get(at + "?who=nonsense").want(http.StatusNotFound)
	p.get(at + ".csv?from=yesterday").want(http.StatusNotFound)
	p.get(at + "?kind=nonsense").want(http.StatusNotFound)
	p.get(at + "?after=nonsense").want(http.StatusNotFound)

	out := p.get(at + ".csv?kind=member").want(http.StatusOK)
	rows, err := csv.NewReader(strings.NewReader(out.body)).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][2] != "member.add" || rows[1][3] != "'=cmd()@evil.example" {
		t.Errorf("rows %v, %v", rows, err)
	}
	// All events, however many, and cells that spreadsheets do not read as formulas.
	s.exec(t, `INSERT INTO audit (id, workspace_id, account_id, action, subject, at)
		SELECT gen_random_uuid(), $1, $2, 'upload.add', (ARRAY['=a', '+a', '-a', '@a', E'\ta', E'\ra', '＝a', 'a=', ''])[1 + i % 9],
		now() + i * interval '1 ms' FROM generate_series(0, 11999) i`,
		m.WorkspaceID(), m.Account())
	all, err := csv.NewReader(strings.NewReader(p.get(at + ".csv?kind=upload").want(http.StatusOK).body)).ReadAll()
	if err != nil || len(all) != 12_001 {
		t.Fatalf("%d rows, %v", len(all), err)
	}
	cells := map[string]int{}
	for _, row := range all[1:] {
		cells[row[3]]++
	}
	if len(cells) != 9 || cells["'=a"] == 0 || cells["'+a"] == 0 || cells["'-a"] == 0 ||
		cells["'@a"] == 0 || cells["'\ta"] == 0 || cells["'＝a"] == 0 || cells["a="] == 0 || cells[""] == 0 {
		t.Errorf("cells %v", cells)
	}
	if got := out.header.Get("Content-Disposition"); got != `attachment; filename="audit-engine.csv"` {
		t.Errorf("Content-Disposition: %s", got)
	}
}

// A new client appears on the page that waits for it.
func TestWaitingForTheFirstCall(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	p.get("/w/engine/connect").
		want(http.StatusOK, "Waiting for the first call…", `data-poll="/connect/calls"`, "claude plugin install service@service")
	p.get("/connect/calls").want(http.StatusOK, "No client has been allowed yet.").lacks("<html", "Connected</span>")
	_, handle := p.authorize(s.register(t, "Codex", "http://127.0.0.1:4000/callback"))
	p.once().post("/consent", url.Values{"request": {handle}, "workspace": {"engine"}, "decision": {"allow"}}).want(http.StatusSeeOther)
	p.get("/connect/calls").want(http.StatusOK, "Waiting for the first call…", "Codex")
	grants, err := s.store.OAuth.ListGrants(t.Context(), m.Account(), uuid.Nil)
	if err != nil || len(grants) != 1 {
		t.Fatalf("%+v, %v", grants, err)
	}
	if err := s.store.OAuth.NoteCall(t.Context(), store.Grant{ID: grants[0].ID}); err != nil {
		t.Fatal(err)
	}
	p.get("/connect/calls").want(http.StatusOK, "Connected</span>", "Codex", "last used").lacks("Waiting")
}

// The page shows by itself that a client was allowed, and then its first call.
func TestWaitingInChromium(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	b := browsertest.Open(t)
	b.Visit(s.url + "/sign-in?return_to=/w/engine/connect")
	b.Follow(chromedp.SendKeys(`#email`, "ada@lovelace.org\r"))
	if said := b.Text(`#calls`); !strings.Contains(said, "No client has been allowed yet.") {
		t.Errorf("it shows %s", said)
	}
	_, handle := p.authorize(s.register(t, "Codex", "http://127.0.0.1:4000/callback"))
	p.once().post("/consent", url.Values{"request": {handle}, "workspace": {"engine"}, "decision": {"allow"}}).want(http.StatusSeeOther)
	b.Do(chromedp.WaitVisible(`#calls li .badge.warn`))
	grants, err := s.store.OAuth.ListGrants(t.Context(), m.Account(), uuid.Nil)
	if err != nil || len(grants) != 1 {
		t.Fatalf("%+v, %v", grants, err)
	}
	if err := s.store.OAuth.NoteCall(t.Context(), store.Grant{ID: grants[0].ID}); err != nil {
		t.Fatal(err)
	}
	b.Do(chromedp.WaitVisible(`#calls li .badge.good`))
	if said := b.Text(`#calls li`); !strings.Contains(said, "Connected") || !strings.Contains(said, "Codex") {
		t.Errorf("it shows %s", said)
	}
}

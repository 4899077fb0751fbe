package web

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"service/store"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	bob := s.signIn(t, "bob@lovelace.org")
	if _, err := s.store.AddMember(t.Context(), m.Account(), "engine", "bob@lovelace.org", store.RoleMember); err != nil {
		t.Fatal(err)
	}
	const at = "/w/engine/settings"
	bob.get(at).want(http.StatusOK, "Only an owner").lacks("Delete the workspace")
	bob.post(at+"/name", url.Values{"name": {"Mine"}}).want(http.StatusUnprocessableEntity)
	bob.post(at+"/delete", url.Values{"slug": {"engine"}}).want(http.StatusUnprocessableEntity)
	p.post(at+"/name", url.Values{"name": {" "}}).want(http.StatusUnprocessableEntity, "must not be empty")
	p.post(at+"/name", url.Values{"name": {"Difference & Engine"}}).want(http.StatusOK, "The workspace has its new name.", "Difference &amp; Engine")
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
	p.get("/w/engine/d/sales/delete").want(http.StatusOK, "Delete Sales &lt;1&gt;?", "1 version")
	p.get("/w/engine/d/sales").want(http.StatusOK) // to ask is not to delete
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
	if _, err := s.store.AddMember(t.Context(), m.Account(), "engine", "=cmd()@evil.example", store.RoleMember); err != nil {
		t.Fatal(err)
	}
	p.post("/account/timezone", url.Values{"timezone": {"Asia/Kolkata"}}).want(http.StatusOK)

	page := p.get(at).want(http.StatusOK, "ada@lovelace.org added =cmd()@evil.example as member", "ada@lovelace.org published dashboard sales", "Asia/Kolkata", "Older").lacks("Newest")
	older := between(t, page.body, `<a class="button" href="/w/engine/audit?after=`, `">Older`)
	p.get(at+"?after="+older).want(http.StatusOK, "created the workspace", "Newest").lacks("Older")
	p.get(at+"?kind=member").want(http.StatusOK, "=cmd()@evil.example").lacks("published")
	p.get(at + "?kind=nonsense").want(http.StatusNotFound)
	p.get(at + "?after=nonsense").want(http.StatusNotFound)

	out := p.get(at + ".csv?kind=member").want(http.StatusOK)
	rows, err := csv.NewReader(strings.NewReader(out.body)).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][2] != "member.add" || rows[1][3] != "'=cmd()@evil.example" {
		t.Errorf("rows %v, %v", rows, err)
	}
	if got := out.header.Get("Content-Disposition"); got != `attachment; filename="audit-engine.csv"` {
		t.Errorf("Content-Disposition: %s", got)
	}
}

// A new client shows up where the page waits for it.
func TestWaitingForTheFirstCall(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	p.get("/w/engine/connect").want(http.StatusOK, "Waiting for the first call…", `data-poll="/connect/calls"`, "claude plugin install service@service")
	p.get("/connect/calls").want(http.StatusOK, "No client has been allowed yet.").lacks("<html", "Connected</span>")
	_, handle := p.authorize(s.register(t, "Codex", "http://127.0.0.1:4000/callback"))
	p.once().post("/consent", url.Values{"request": {handle}, "workspace": {"engine"}, "decision": {"allow"}}).want(http.StatusSeeOther)
	p.get("/connect/calls").want(http.StatusOK, "Waiting for the first call…", "Codex")
	grants, err := s.store.ListGrants(t.Context(), m.Account(), uuid.Nil)
	if err != nil || len(grants) != 1 {
		t.Fatalf("%+v, %v", grants, err)
	}
	if err := s.store.NoteCall(t.Context(), store.Grant{ID: grants[0].ID}); err != nil {
		t.Fatal(err)
	}
	p.get("/connect/calls").want(http.StatusOK, "Connected</span>", "Codex", "last used").lacks("Waiting")
}

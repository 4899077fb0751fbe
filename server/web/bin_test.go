package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"

	"service/store"
)

// The bin lists deleted dashboards. A member restores a dashboard, under another slug if its own is taken; only an owner erases.
func TestBin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, m := s.owner(t, "ada@lovelace.org", "engine")
	eve, lair := s.owner(t, "eve@evil.example", "lair")
	if _, err := s.store.Members.AddMember(t.Context(), m.Account(), "engine", "bob@lovelace.org", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	bob := s.signIn(t, "bob@lovelace.org")
	const at = "/w/engine/bin"
	ada.get(at).want(http.StatusOK, "No deleted dashboards", "Then it is erased.")
	ada.get("/w/engine/").want(http.StatusOK, `href="/w/engine/bin"`)
	first := s.publish(t, m, "sales", "Sales <1>").Dashboard
	ada.post("/w/engine/d/sales/delete", nil).want(http.StatusOK, "The dashboard is deleted.")
	s.deleted(t, lair, "secret")
	bob.get(at).want(http.StatusOK, "Sales &lt;1&gt;", "<code>sales</code>", "kept until", "by ada@lovelace.org").
		lacks("Erase now", "secret", "New slug")
	restore, erase := at+"/"+first.ID.String()+"/restore", at+"/"+first.ID.String()+"/erase"
	bob.post(restore, nil).want(http.StatusOK, "The dashboard is back.", "Sales &lt;1&gt;")
	bob.post(restore, nil).want(http.StatusNotFound)

	ada.post("/w/engine/d/sales/delete", nil)
	s.publish(t, m, "sales", "Another")
	ada.get(at).want(http.StatusOK, "Another dashboard has the slug <code>sales</code> now.", `value="sales-2"`, "Erase now")
	ada.post(restore, nil).want(http.StatusUnprocessableEntity, "Another dashboard has the slug sales now.", `value="sales-2"`)
	ada.post(restore, url.Values{"slug": {"sales"}}).want(http.StatusUnprocessableEntity, "Another dashboard has the slug sales now.")
	ada.post(restore, url.Values{"slug": {"No Slug"}}).want(http.StatusUnprocessableEntity, "must match [a-z0-9-]", `value="No Slug"`)
	ada.post(restore, url.Values{"slug": {"sales-2"}}).want(http.StatusOK, "The dashboard is back.", "/w/engine/d/sales-2/delete")

	ada.post("/w/engine/d/sales-2/delete", nil)
	bob.post(erase, nil).want(http.StatusUnprocessableEntity, "Only an owner of the workspace can erase a deleted dashboard.")
	for _, p := range []string{restore, erase} { // from another workspace, by its address and by one's own
		eve.post(p, nil).want(http.StatusNotFound)
		eve.post("/w/lair"+p[len("/w/engine"):], nil).want(http.StatusNotFound)
	}
	eve.get("/w/lair/bin/" + first.ID.String() + "/erase").want(http.StatusNotFound)
	ada.get(at + "/nonsense/erase").want(http.StatusNotFound)
	ada.get(at + "/" + uuid.NewString() + "/erase").want(http.StatusNotFound)
	ada.get(at + "?after=nonsense").want(http.StatusNotFound)
	ada.get(erase).want(http.StatusOK, "Erase Sales &lt;1&gt;?", "This cannot be undone.")
	ada.post(erase, nil).want(http.StatusOK, "The dashboard is erased.", "No deleted dashboards")
	ada.post(erase, nil).want(http.StatusNotFound)
	ada.get("/w/engine/audit").
		want(http.StatusOK, "bob@lovelace.org brought the deleted dashboard sales back", "ada@lovelace.org erased dashboard sales-2")
}

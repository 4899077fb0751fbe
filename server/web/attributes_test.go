package web

import (
	"net/http"
	"net/url"
	"testing"

	"service/store"
)

// TestMemberAttributes: owners set the attributes of members, one value in each line; a member sees only their own.
func TestMemberAttributes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	owner, m := s.owner(t, "ada@lovelace.org", "engine")
	p := s.signIn(t, "bob@lovelace.org")
	if _, err := s.store.Members.AddMember(t.Context(), m.Account(), "engine", "bob@lovelace.org", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	const at = "/w/engine/members"
	bob, ada := s.account(t, "bob@lovelace.org"), s.account(t, "ada@lovelace.org")
	form := func(member, name, values string) url.Values {
		return url.Values{"member": {member}, "attribute": {name}, "values": {values}}
	}
	owner.post(at+"/attribute", form(bob, " region ", " EMEA \r\nAsia, <Pacific>\r\n\r\n")).
		want(http.StatusOK, "The attributes of bob@lovelace.org are saved.", "region = Asia, &lt;Pacific&gt; | EMEA")
	owner.post(at+"/attribute", form(ada, "team", "core")).want(http.StatusOK, "team = core")
	p.get(at).want(http.StatusOK, "region = Asia").lacks("team = core", "Values, one in each line")
	owner.post(at+"/attribute", form(bob, "Region", "x")).want(http.StatusUnprocessableEntity, "must begin with a small letter")
	owner.post(at+"/attribute", form("nonsense", "region", "x")).want(http.StatusNotFound)
	p.post(at+"/attribute", form(bob, "region", "AMER")).
		want(http.StatusUnprocessableEntity, "Only an owner of the workspace can change its members.")
	owner.get("/w/engine/audit").want(http.StatusOK, "ada@lovelace.org set the attribute region of bob@lovelace.org").lacks("EMEA")
	owner.post(at+"/attribute", form(bob, "region", "")).want(http.StatusOK).lacks("region =")
}

package web

import (
	"encoding/hex"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
)

func TestMembers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	owner, _ := s.owner(t, "ada@lovelace.org", "engine")
	bob := s.signIn(t, "bob@lovelace.org")
	const at = "/w/engine/members"

	owner.get(at).want(http.StatusOK, "ada@lovelace.org", "The last owner stays", "Add a member")
	owner.post(at, url.Values{"email": {"bob@lovelace.org"}, "role": {"member"}}).want(http.StatusOK, "bob@lovelace.org is now a member of Engine.")
	owner.post(at, url.Values{"email": {"Ada@lovelace.org"}, "role": {"member"}}).want(http.StatusUnprocessableEntity, "ada@lovelace.org is the last owner")
	owner.post(at, url.Values{"email": {"carla@lovelace.org"}, "role": {"owner"}}).
		want(http.StatusOK, "carla@lovelace.org becomes an owner with the first sign-in.", "Waits for first sign-in")
	owner.post(at, url.Values{"email": {"not an address"}, "role": {"member"}}).
		want(http.StatusUnprocessableEntity, "is not an e-mail address", `value="not an address"`)
	owner.get(at).want(http.StatusOK, "Add a member") // an owner still
	s.signIn(t, "carla@lovelace.org").get("/w/engine/").want(http.StatusOK)

	// A member sees the list, and can only leave.
	bob.get(at).want(http.StatusOK, "ada@lovelace.org", "Leave Engine").lacks("Add a member", "Remove ada@lovelace.org")
	bob.post(at, url.Values{"email": {"eve@lovelace.org"}, "role": {"owner"}}).want(http.StatusUnprocessableEntity, "Only an owner of the workspace can change its members.")
	bob.post(at+"/remove", url.Values{"email": {"ada@lovelace.org"}}).want(http.StatusUnprocessableEntity, "Only an owner of the workspace can change its members.")
	bob.post(at+"/remove", url.Values{"email": {"bob@lovelace.org"}}).want(http.StatusOK, "You have left Engine.")
	bob.get(at).want(http.StatusNotFound)

	// Owners remove each other, down to the last.
	owner.post(at+"/remove", url.Values{"email": {"nobody@lovelace.org"}}).want(http.StatusNotFound)
	owner.post(at+"/remove", url.Values{"email": {"carla@lovelace.org"}}).want(http.StatusOK, "carla@lovelace.org was removed.")
	owner.post(at+"/remove", url.Values{"email": {"ada@lovelace.org"}}).want(http.StatusUnprocessableEntity, "is the last owner")
	owner.get(at).want(http.StatusOK)
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	other, _ := s.owner(t, "mallory@evil.example", "lair")
	p.get("/clients").want(http.StatusOK, "No client is connected", "claude mcp add")

	_, handle := p.authorize(s.register(t, "Claude <Code>", "http://127.0.0.1:4000/callback"))
	p.once().post("/consent", url.Values{"request": {handle}, "workspace": {"engine"}, "decision": {"allow"}}).want(http.StatusSeeOther)
	grants, err := s.store.ListGrants(t.Context(), m.Account(), uuid.Nil)
	if err != nil || len(grants) != 1 {
		t.Fatalf("%d grants, %v", len(grants), err)
	}
	id := url.Values{"grant": {grants[0].ID.String()}}
	p.get("/w/engine/clients").want(http.StatusOK, "Claude &lt;Code&gt;", "Locked to engine")
	p.get("/w/engine/connect").want(http.StatusOK, "Claude &lt;Code&gt;", "Waiting for the first call…")
	other.get("/connect").want(http.StatusOK, "No client has been allowed yet.")
	other.post("/clients/revoke", id).want(http.StatusOK, "had no access")
	p.get("/clients").want(http.StatusOK, "Claude &lt;Code&gt;") // somebody else's is out of reach
	p.post("/w/engine/clients/revoke", id).want(http.StatusOK, "Access of Claude &lt;Code&gt; is revoked.", "No client is connected")
	p.post("/clients/revoke", id).want(http.StatusOK, "had no access any more")
	p.post("/clients/revoke", url.Values{"grant": {"nonsense"}}).want(http.StatusNotFound)
}

func TestAccount(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.signIn(t, "ada@lovelace.org")
	second := s.signIn(t, "ada@lovelace.org")
	other := s.signIn(t, "bob@lovelace.org")

	p.get("/account").want(http.StatusOK, "ada@lovelace.org", "This browser", "/account/sessions/end\"")
	p.post("/account/timezone", url.Values{"timezone": {"Mars/Base"}}).want(http.StatusUnprocessableEntity, "is not an IANA name", `value="Mars/Base"`)
	p.post("/account/timezone", url.Values{"timezone": {"Europe/Berlin"}}).want(http.StatusOK, "Your time zone is Europe/Berlin.", `value="Europe/Berlin"`)

	account, err := s.store.AccountByEmail(t.Context(), "ada@lovelace.org")
	if err != nil {
		t.Fatal(err)
	}
	sessions, err := s.store.ListSessions(t.Context(), account.ID)
	if err != nil || len(sessions) != 2 {
		t.Fatalf("%d sessions, %v", len(sessions), err)
	}
	for _, session := range sessions { // somebody else's sessions are out of reach
		other.post("/account/sessions/end", url.Values{"session": {hex.EncodeToString(session.Hash)}})
	}
	second.get("/account").want(http.StatusOK, "ada@lovelace.org")

	page := p.get("/account").want(http.StatusOK)
	id := between(t, page.body, `name="session" value="`, "\">\n        <button class=\"button slim\">Sign out")
	p.post("/account/sessions/end", url.Values{"session": {id}}).want(http.StatusOK, "That browser is signed out.")
	second.once().get("/account").want(http.StatusFound)

	third := s.signIn(t, "ada@lovelace.org")
	p.post("/account/sessions/end-all", nil).want(http.StatusOK, "Sign in")
	p.once().get("/account").want(http.StatusFound)
	third.once().get("/account").want(http.StatusFound)
	other.get("/account").want(http.StatusOK)
}

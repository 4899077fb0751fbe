package web

import (
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"service/store"
)

func TestMembers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	owner, m := s.owner(t, "ada@lovelace.org", "engine")
	bob := s.signIn(t, "bob@lovelace.org")
	const at = "/w/engine/members"

	owner.get(at).want(http.StatusOK, "ada@lovelace.org", "The only owner cannot leave: make someone else an owner first", "Add a member")
	owner.post(at, url.Values{"email": {"bob@lovelace.org"}, "role": {"editor"}}).
		want(http.StatusOK, "bob@lovelace.org is now an editor of Engine.")
	owner.post(at, url.Values{"email": {"Ada@lovelace.org"}, "role": {"editor"}}).
		want(http.StatusUnprocessableEntity, "ada@lovelace.org is already a member")
	owner.post(at, url.Values{"email": {"carla@lovelace.org"}, "role": {"owner"}}).
		want(http.StatusOK, "carla@lovelace.org becomes an owner at the first sign-in.", "Waiting for first sign-in")
	owner.post(at, url.Values{"email": {"not an address"}, "role": {"editor"}}).
		want(http.StatusUnprocessableEntity, "is not an e-mail address", `value="not an address"`)
	owner.get(at).want(http.StatusOK, "Add a member") // still an owner
	s.signIn(t, "carla@lovelace.org").get("/w/engine/").want(http.StatusOK)

	// A member sees the list, and can only leave.
	ada, bobID, carla := s.account(t, "ada@lovelace.org"), s.account(t, "bob@lovelace.org"), s.account(t, "carla@lovelace.org")
	bob.get(at).want(http.StatusOK, "ada@lovelace.org", "Leave Engine").lacks("Add a member", "Remove ada@lovelace.org")
	bob.post(at, url.Values{"email": {"eve@lovelace.org"}, "role": {"owner"}}).
		want(http.StatusUnprocessableEntity, "Only an owner of the workspace can change its members.", `value="eve@lovelace.org"`)
	bob.post(at+"/remove", url.Values{"member": {ada}}).
		want(http.StatusUnprocessableEntity, "Only an owner of the workspace can change its members.")
	bob.post(at+"/role", url.Values{"member": {bobID}, "role": {"owner"}}).
		want(http.StatusUnprocessableEntity, "Only an owner of the workspace can change its members.")
	bob.post(at+"/remove", url.Values{"member": {bobID}}).want(http.StatusOK, "You have left Engine.")
	bob.get(at).want(http.StatusNotFound)

	// Owners can remove each other, except for the last one, and see the consequences first.
	owner.post(at+"/remove", url.Values{"member": {bobID}}).want(http.StatusNotFound)
	owner.post(at+"/remove", url.Values{"member": {"nonsense"}}).want(http.StatusNotFound)
	owner.post(at+"/role", url.Values{"member": {carla}, "role": {"editor"}}).
		want(http.StatusOK, "carla@lovelace.org is now an editor of Engine.")
	owner.post(at+"/role", url.Values{"member": {carla}, "role": {"king"}}).
		want(http.StatusUnprocessableEntity, "must be owner, editor or viewer")
	owner.post(at+"/role", url.Values{"member": {ada}, "role": {"editor"}}).
		want(http.StatusUnprocessableEntity, "ada@lovelace.org is the last owner")
	s.exec(t, `INSERT INTO connection (workspace_id, id, owner_id, kind, label, status, secret)
		SELECT id, $1, $1, 'postgres', 'Sales', 'active', '' FROM workspace WHERE slug = 'engine'`, carla)
	s.publish(t, m, "sales", "Sales")
	s.exec(t, `UPDATE version SET connection_id = $1`, carla)
	owner.get(at).want(http.StatusOK, "0 AI clients connected here lose access.",
		"1 connection can no longer be used.", "1 dashboard on those connections stops refreshing.")
	owner.post(at+"/remove", url.Values{"member": {carla}}).want(http.StatusOK, "carla@lovelace.org was removed.")
	owner.post(at+"/remove", url.Values{"member": {ada}}).want(http.StatusUnprocessableEntity, "is the last owner")
	owner.get(at).want(http.StatusOK)
}

// A person without a verified address is a member like others: listed by name, made an
// owner, and removed.
func TestMembersWithoutAnAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	owner, m := s.owner(t, "ada@lovelace.org", "engine")
	const at = "/w/engine/members"
	nora, err := s.store.Accounts.EnsureAccount(t.Context(),
		store.Identity{Issuer: "https://else.example", Subject: "1", Email: "nora@lovelace.org", Name: "Nora <i>"})
	if err != nil {
		t.Fatal(err)
	}
	s.exec(t, `INSERT INTO membership (account_id, workspace_id) VALUES ($1, $2)`, nora.ID, m.WorkspaceID())
	owner.get(at).want(http.StatusOK, "<strong>Nora &lt;i&gt;</strong>", "no verified e-mail").lacks("nora@lovelace.org")
	owner.post(at+"/role", url.Values{"member": {nora.ID.String()}, "role": {"owner"}}).
		want(http.StatusOK, "Nora &lt;i&gt; is now an owner of Engine.")
	owner.post(at+"/remove", url.Values{"member": {nora.ID.String()}}).want(http.StatusOK, "Nora &lt;i&gt; was removed.").
		lacks("no verified e-mail")
}

// A person can delete their account: they see the consequences and type the address. It
// is refused if a workspace with other members would have no owner.
func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	if _, err := s.store.Workspaces.CreateWorkspace(t.Context(), m.Account(), "attic", "Attic <1>"); err != nil {
		t.Fatal(err)
	}
	bob := s.signIn(t, "bob@lovelace.org")
	if _, err := s.store.Members.AddMember(t.Context(), m.Account(), "engine", "bob@lovelace.org", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	const at = "/account/delete"
	confirmed := url.Values{"confirm": {"Ada@lovelace.org"}, "workspace": {"attic"}}
	p.get("/account").want(http.StatusOK, `href="/account/delete"`)
	p.get(at).want(http.StatusOK, "You are the only owner of", `href="/w/engine/members"`).lacks("Delete my account")
	p.post(at, confirmed).want(http.StatusUnprocessableEntity, "This account is the last owner of workspace &#34;engine&#34;.")

	if err := s.store.Members.SetRole(t.Context(), m, uuid.MustParse(s.account(t, "bob@lovelace.org")), store.RoleOwner); err != nil {
		t.Fatal(err)
	}
	p.get(at).want(http.StatusOK, "You leave 2 workspaces.", "Attic &lt;1&gt;",
		"because nobody else is a member there", `name="workspace" value="attic"`, "signed out in 1 browser")
	p.post(at, url.Values{"confirm": {"eve@evil.example"}, "workspace": {"attic"}}).
		want(http.StatusUnprocessableEntity, `Type &#34;ada@lovelace.org&#34; to delete your account.`,
			`value="eve@evil.example"`, `aria-invalid="true" aria-describedby="confirm-problem" autofocus`)
	p.post(at, url.Values{"confirm": {"ada@lovelace.org"}}).
		want(http.StatusUnprocessableEntity, "There is nobody else in workspace &#34;attic&#34;")
	p.post(at, confirmed).want(http.StatusOK, "Your account is deleted", "Sign in")
	p.once().get("/account").want(http.StatusFound)
	bob.get("/w/engine/members").want(http.StatusOK).lacks("ada@lovelace.org")
	if _, err := s.store.Members.Member(t.Context(), m.Account(), "attic"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the workspace with nobody else: %v", err)
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	other, _ := s.owner(t, "mallory@evil.example", "lair")
	p.get("/clients").want(http.StatusOK, "No client is connected", "claude mcp add")

	_, handle := p.authorize(s.register(t, "Claude <Code>", "http://127.0.0.1:4000/callback"))
	p.once().post("/consent", url.Values{"request": {handle}, "workspace": {"engine"}, "decision": {"allow"}}).want(http.StatusSeeOther)
	grants, err := s.store.OAuth.ListGrants(t.Context(), m.Account(), uuid.Nil)
	if err != nil || len(grants) != 1 {
		t.Fatalf("%d grants, %v", len(grants), err)
	}
	id := url.Values{"grant": {grants[0].ID.String()}}
	p.get("/w/engine/clients").want(http.StatusOK, "Claude &lt;Code&gt;", "Locked to engine")
	p.get("/w/engine/connect").want(http.StatusOK, "Claude &lt;Code&gt;", "Waiting for the first call…")
	other.get("/connect").want(http.StatusOK, "No client has been allowed yet.")
	other.post("/clients/revoke", id).want(http.StatusOK, "no longer had access")
	p.get("/clients").want(http.StatusOK, "Claude &lt;Code&gt;") // another person's grant cannot be ended
	p.post("/w/engine/clients/revoke", id).want(http.StatusOK, "Access of Claude &lt;Code&gt; is revoked.", "No client is connected")
	p.post("/clients/revoke", id).want(http.StatusOK, "no longer had access")
	p.post("/clients/revoke", url.Values{"grant": {"nonsense"}}).want(http.StatusNotFound)
}

func TestAccount(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.signIn(t, "ada@lovelace.org")
	second := s.signIn(t, "ada@lovelace.org")
	other := s.signIn(t, "bob@lovelace.org")

	p.get("/account").want(http.StatusOK, "ada@lovelace.org", "This browser", "/account/sessions/end\"")
	p.post("/account/timezone", url.Values{"timezone": {"Mars/Base"}}).
		want(http.StatusUnprocessableEntity, "is not an IANA name", `name="timezone" value="Mars/Base"`)
	p.post("/account/timezone", url.Values{"timezone": {"Europe/Berlin"}}).
		want(http.StatusOK, "Your time zone is Europe/Berlin.", `name="timezone" value="Europe/Berlin"`)
	// A page that was opened before the choice sends the browser's zone too late.
	for _, on := range []string{"", "on"} {
		page := p.post("/account/shortcuts", url.Values{"shortcuts": {on}})
		if strings.Contains(page.body, " data-shortcuts>") != (on == "on") {
			t.Errorf("shortcuts are on, after %q was asked for", on)
		}
	}
	browser := url.Values{"timezone": {"Asia/Tokyo"}, "quiet": {""}}
	p.post("/account/timezone", browser).want(http.StatusNoContent)
	p.get("/account").want(http.StatusOK, `name="timezone" value="Europe/Berlin"`)
	other.post("/account/timezone", browser).want(http.StatusNoContent)
	other.get("/account").want(http.StatusOK, `name="timezone" value="Asia/Tokyo"`)

	account, err := s.store.Accounts.AccountByEmail(t.Context(), "ada@lovelace.org")
	if err != nil {
		t.Fatal(err)
	}
	sessions, err := s.store.Sessions.ListSessions(t.Context(), account.ID)
	if err != nil || len(sessions) != 2 {
		t.Fatalf("%d sessions, %v", len(sessions), err)
	}
	for _, session := range sessions { // other people's sessions cannot be ended
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

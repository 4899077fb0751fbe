package web

import (
	"crypto/sha256"
	"errors"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"service/store"
)

var invitationLink = regexp.MustCompile(`http://app\.localhost:\d+(/invitations\?token=\w+)`)

// A visitor becomes a member by a link and a sign-in; a link works once, for a week, and
// until there is a newer one.
func TestInvitation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	owner, m := s.owner(t, "ada@lovelace.org", "engine")
	const at = "/w/engine/members"
	link := func() string {
		t.Helper()
		page := owner.post(at+"/link", url.Values{"email": {"bob@work.example"}}).want(http.StatusOK, "Invitation link for bob@work.example")
		return invitationLink.FindStringSubmatch(page.body)[1]
	}
	owner.post(at, url.Values{"email": {"bob@work.example"}, "role": {"editor"}}).
		want(http.StatusOK, "Waiting for first sign-in", "New link")
	first := link()
	link()

	// The link leads to this installation, for any Host header.
	r := owner.request(http.MethodPost, at+"/link", url.Values{"email": {"bob@work.example"}})
	r.Host = "app.localhost:1"
	page := owner.do(r).want(http.StatusOK, s.url+"/invitations?token=").lacks("localhost:1/")
	second := invitationLink.FindStringSubmatch(page.body)[1]
	owner.get(at).want(http.StatusOK).lacks(second)

	p := s.browser(t)
	away := p.get(second).
		want(http.StatusOK, "Join Engine", "<strong>ada@lovelace.org</strong> invites you.", "as an <strong>editor</strong>").
		lacks("bob@work.example", "Not now").body
	p.get(second+"x").want(http.StatusNotFound, "no longer valid").lacks("Engine", "ada@lovelace.org") // a guessed token reveals nothing
	p.post("/invitations", url.Values{"token": {second[len("/invitations?token="):]}}).want(http.StatusForbidden, "You are signed out")
	away = html.UnescapeString(between(t, away, `<a class="button primary" href="`, `">Sign in</a>`))
	page = p.signIn(s.url+away, "bob@home.example").want(http.StatusOK, "Join Engine", "as an <strong>editor</strong>", "bob@home.example")
	if page.url.RequestURI() != second {
		t.Errorf("back at %s", page.url)
	}
	token := second[len("/invitations?token="):]

	// A member is told that they are a member already, and the link stays valid for the invited person.
	owner.get(second).want(http.StatusOK, "You are a member already", `href="/w/engine/"`).lacks("Join Engine")
	owner.post("/invitations", url.Values{"token": {token}}).want(http.StatusConflict, "You are a member already")
	p.get("/w/engine/").want(http.StatusNotFound) // opening the link is not joining
	p.get(first).want(http.StatusNotFound)
	s.ahead.Store(int64(7*24*time.Hour + time.Minute))
	hash := sha256.Sum256([]byte(token))
	if _, err := s.store.Members.AcceptInvitation(t.Context(), m.Account(), hash[:]); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("after a week: %v", err)
	}
	s.ahead.Store(0)
	p.post("/invitations", url.Values{"token": {token}}).want(http.StatusOK, "You have joined Engine.")
	owner.get(at).want(http.StatusOK, "bob@home.example").lacks("bob@work.example")
	s.signIn(t, "eve@evil.example").post("/invitations", url.Values{"token": {token}}).want(http.StatusNotFound) // it is used up

	// Signing in with the invited address is enough, and the page of the link explains that.
	owner.post(at, url.Values{"email": {"dora@work.example"}, "role": {"editor"}}).want(http.StatusOK)
	page = owner.post(at+"/link", url.Values{"email": {"dora@work.example"}}).want(http.StatusOK)
	dora := s.signIn(t, "dora@work.example")
	dora.get(invitationLink.FindStringSubmatch(page.body)[1]).want(http.StatusNotFound, "You may already be a member")
	dora.get("/w/engine/").want(http.StatusOK)

	// A member can make neither links nor owners.
	if _, err := s.store.Members.AddMember(t.Context(), m.Account(), "engine", "carla@work.example", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	p.post(at+"/link", url.Values{"email": {"carla@work.example"}}).want(http.StatusUnprocessableEntity, "Only an owner")
	p.post(at, url.Values{"email": {"bob@home.example"}, "role": {"owner"}}).want(http.StatusUnprocessableEntity, "Only an owner")
	owner.post(at, url.Values{"email": {"bob@home.example"}, "role": {"owner"}}).
		want(http.StatusUnprocessableEntity, "bob@home.example is already a member")
	owner.get(at).want(http.StatusOK, "Withdraw the invitation of carla@work.example", "their link stops working")
	owner.post(at+"/withdraw", url.Values{"email": {"carla@work.example"}}).
		want(http.StatusOK, "The invitation of carla@work.example is withdrawn.").lacks("Waiting for first sign-in")
	owner.post(at+"/withdraw", url.Values{"email": {"carla@work.example"}}).want(http.StatusNotFound)
	s.signIn(t, "carla@work.example").get("/w/engine/").want(http.StatusNotFound)
}

// A visitor who follows a link to a page in a browser without earlier visits first gets a page about this service, and gets
// to the link's page by signing in. The page reveals nothing that is not in the link. Other visitors are redirected to the
// sign-in at once.
func TestStrangers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Secret sales")
	there := s.app.URL("engine", "sales")
	for address, leads := range map[string]string{
		"/w/engine/d/sales": strings.TrimPrefix(s.url, "http://") + "/w/engine/d/sales",
		"/visit?" + url.Values{"to": {there + "?f.day=x"}, "nonce": {strings.Repeat("A", 43)}}.Encode(): strings.TrimPrefix(there, "http://"),
	} {
		navigate := func(p *person) reply {
			r := p.request(http.MethodGet, address, nil)
			r.Header.Set("Sec-Fetch-Dest", "document")
			return p.do(r)
		}
		p := s.browser(t)
		page := navigate(p).want(http.StatusOK, "The link leads to <strong>"+leads+"</strong>.").lacks("Secret", "f.day=x</strong>")
		away := html.UnescapeString(between(t, page.body, `<a class="button primary" href="`, `">Sign in</a>`))
		want := "/sign-in?" + url.Values{"return_to": {address}}.Encode()
		if away != want {
			t.Errorf("it leads to %s, want %s", away, want)
		}
		if got := p.once().get(address); got.status != http.StatusFound && got.status != http.StatusSeeOther {
			t.Errorf("what does not say that it opens a page gets %d", got.status)
		}
		ada.get("/w/engine/")
		ada.post("/sign-out", nil)
		if got := navigate(ada.once()); got.status != http.StatusFound && got.status != http.StatusSeeOther {
			t.Errorf("who was here before gets %d", got.status)
		}
		ada.signIn(s.url+"/sign-in", "ada@lovelace.org")
	}
	r := s.browser(t).request(http.MethodGet, "/visit?to=https%3A%2F%2Fevil.example%2Fx", nil)
	r.Header.Set("Sec-Fetch-Dest", "document")
	s.browser(t).do(r).want(http.StatusBadRequest).lacks("evil.example")
}

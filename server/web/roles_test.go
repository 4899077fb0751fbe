package web

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/store"
	"service/store/dashboard/locale"
)

// forViewers are the routes of a workspace that viewers use. All others are refused to them.
var forViewers = map[string][]string{
	http.MethodGet: {
		"/w/{workspace}", "/w/{workspace}/", "/w/{workspace}/connect", "/w/{workspace}/clients", "/w/{workspace}/members",
		"/w/{workspace}/alerts", "/w/{workspace}/settings", "/w/{workspace}/d/{dashboard}", "/w/{workspace}/d/{dashboard}/thumbnail.png",
		"/w/{workspace}/d/{dashboard}/send", "/w/{workspace}/d/{dashboard}/send/{subscription}",
	},
	http.MethodPost: {
		"/w/{workspace}/clients/revoke", "/w/{workspace}/members/remove", "/w/{workspace}/d/{dashboard}/star",
		"/w/{workspace}/d/{dashboard}/send", "/w/{workspace}/d/{dashboard}/send/{subscription}",
		"/w/{workspace}/d/{dashboard}/send/{subscription}/end", "/w/{workspace}/d/{dashboard}/send/{subscription}/allow",
	},
}

// isForViewers reports whether viewers use a route by some method.
func isForViewers(route string) bool {
	return slices.Contains(forViewers[http.MethodGet], route) || slices.Contains(forViewers[http.MethodPost], route)
}

// viewer signs in a person and makes them a viewer of engine.
func (s *site) viewer(t *testing.T, m store.Member, email string) *person {
	t.Helper()
	p := s.signIn(t, email)
	if _, err := s.store.Members.AddMember(t.Context(), m.Account(), m.Workspace(), email, store.RoleViewer); err != nil {
		t.Fatal(err)
	}
	return p
}

// A viewer requests every route of the router: each page that is not for viewers is refused, and so is each change, which changes nothing;
// the pages for viewers have no SQL, connection, file, reason of a failure, or link to a refused page.
func TestViewersAndEveryRoute(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v := s.victim(t)
	account, err := s.store.Accounts.AccountByEmail(t.Context(), "ada@lovelace.org")
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.store.Members.Member(t.Context(), account.ID, "engine")
	if err != nil {
		t.Fatal(err)
	}
	s.exec(t, `UPDATE connection SET label = 'Secret Label'`)
	s.exec(t, `UPDATE version SET connection_id = (SELECT id FROM connection WHERE kind = 'postgres') WHERE kind = 'spec'`)
	s.exec(t, `UPDATE refresh_run SET state = 'failed', error = 'secret_error', started_at = queued_at, finished_at = queued_at`)
	secrets := []string{"sum(amount)", "FROM orders", "Secret Label", "secret_error", "rain.csv", "second.csv", "open-sesame", "db.example"}
	p := s.viewer(t, m, "vic@lovelace.org")

	refused := regexp.MustCompile(`(?:href|action)="(/w/engine[^"?#]*)`)
	tried := 0
	for route, path := range v.pages {
		if !strings.HasPrefix(route, "/w/") {
			continue
		}
		tried++
		if !slices.Contains(forViewers[http.MethodGet], route) {
			p.once().get(path).lacks(secrets...).
				want(http.StatusForbidden, "This is not for viewers", "An owner can make you an editor: ada@lovelace.org.")
			continue
		}
		got := p.once().get(path)
		if got.status == http.StatusForbidden {
			t.Errorf("GET %s is refused to viewers", route)
		}
		got.lacks(secrets...)
		for _, link := range refused.FindAllStringSubmatch(got.body, -1) {
			for other, at := range v.pages {
				if bare, _, _ := strings.Cut(at, "?"); bare == link[1] && strings.HasPrefix(other, "/w/") && !isForViewers(other) {
					t.Errorf("GET %s shows viewers %s, which is refused to them", route, link[1])
				}
			}
			for _, d := range v.deeds {
				if d.path == link[1] && strings.HasPrefix(d.route, "/w/") && !isForViewers(d.route) {
					t.Errorf("GET %s shows viewers the form of %s, which is refused to them", route, link[1])
				}
			}
		}
	}
	if tried < 25 {
		t.Fatalf("only %d pages were tried", tried)
	}
	p.get("/w/engine/").want(http.StatusOK, "Sales again", "/w/engine/d/sales/star").
		lacks("/w/engine/connections", "/w/engine/audit", "/w/engine/bin")

	before := s.state(t)
	tried = 0
	for _, d := range v.deeds {
		if !strings.HasPrefix(d.route, "/w/") || slices.Contains(forViewers[http.MethodPost], d.route) {
			continue
		}
		tried++
		p.once().do(d.request(p)).want(http.StatusForbidden, "This is not for viewers").lacks(secrets...)
		if diff := cmp.Diff(before, s.state(t)); diff != "" {
			t.Fatalf("%s by a viewer changed something (-before +after):\n%s", d.route, diff)
		}
	}
	if tried < 25 {
		t.Fatalf("only %d changes were tried", tried)
	}
	// The routes for viewers return nothing of others.
	for _, d := range v.deeds {
		if !slices.Contains(forViewers[http.MethodPost], d.route) || strings.HasSuffix(d.route, "/star") || strings.HasSuffix(d.route, "/send") {
			continue
		}
		p.once().do(d.request(p))
		if diff := cmp.Diff(before, s.state(t)); diff != "" {
			t.Fatalf("%s by a viewer changed something (-before +after):\n%s", d.route, diff)
		}
	}
	// A viewer stars a dashboard and has it sent to themselves, and leaves.
	p.post("/w/engine/d/sales/star", url.Values{"star": {"on"}, "return_to": {"/w/engine/"}}).want(http.StatusOK, `aria-pressed="true"`)
	p.post("/w/engine/d/sales/send", url.Values{"rhythm": {"weekly-1"}, "at": {"09:00"}}).want(http.StatusOK)
	p.get("/w/engine/d/sales").want(http.StatusOK, "vic@lovelace.org", "Sending", "Send me this").
		lacks("Refresh now", "Duplicate", "Refresh history", "Source", "Name and tags", "Delete")
	p.post("/w/engine/members/remove", url.Values{"member": {s.account(t, "vic@lovelace.org")}}).want(http.StatusOK, "You have left Engine.")
}

// The role counts at the moment of a request, and a copy into another workspace is refused to viewers of either.
func TestRoleNow(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	owner, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	p := s.viewer(t, m, "vic@lovelace.org")
	vic := s.account(t, "vic@lovelace.org")
	role := func(role string) {
		t.Helper()
		owner.post("/w/engine/members/role", url.Values{"member": {vic}, "role": {role}}).want(http.StatusOK)
	}
	p.get("/w/engine/audit").want(http.StatusForbidden)
	role(store.RoleEditor)
	p.get("/w/engine/audit").want(http.StatusOK, "made vic@lovelace.org an editor")
	role("member") // as forms of release 0.6.0
	p.get("/w/engine/members").want(http.StatusOK, "editor")
	role(store.RoleViewer)
	p.get("/w/engine/audit").want(http.StatusForbidden)

	_, own := s.owner(t, "mallory@evil.example", "lair")
	if _, err := s.store.Members.AddMember(t.Context(), own.Account(), "lair", "vic@lovelace.org", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	s.publish(t, own, "theirs", "Theirs")
	copyOf := func(slug, workspace string) url.Values {
		return url.Values{"workspace": {workspace}, "title": {"Copy"}, "slug": {slug + "-copy"}}
	}
	p.post("/w/engine/d/sales/copy", copyOf("sales", "lair")).want(http.StatusForbidden)
	p.get("/w/lair/d/theirs/copy").want(http.StatusOK, `value="lair"`).lacks(`value="engine"`)
	p.post("/w/lair/d/theirs/copy", copyOf("theirs", "engine")).want(http.StatusUnprocessableEntity, "Choose one of the list.")
	p.post("/w/lair/d/theirs/copy", copyOf("theirs", "lair")).want(http.StatusOK, "This is the copy.")
}

// An editor deletes dashboards that they published first; the others' dashboards have no button, and the form is refused.
func TestEditorsDeleteTheirOwn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, m := s.owner(t, "ada@lovelace.org", "engine")
	p := s.signIn(t, "bob@lovelace.org")
	if _, err := s.store.Members.AddMember(t.Context(), m.Account(), "engine", "bob@lovelace.org", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	account, err := s.store.Accounts.AccountByEmail(t.Context(), "bob@lovelace.org")
	if err != nil {
		t.Fatal(err)
	}
	bob, err := s.store.Members.Member(t.Context(), account.ID, "engine")
	if err != nil {
		t.Fatal(err)
	}
	s.publish(t, m, "adas", "By Ada")
	s.publish(t, bob, "bobs", "By Bob")
	const no = "your role is editor, and dashboard &#34;adas&#34; was first published by ada@lovelace.org: ask them to do it"
	p.get("/w/engine/d/adas").want(http.StatusOK, "Only owners, and the person who first published this dashboard, can delete it.", "Save").
		lacks("/w/engine/d/adas/delete")
	p.get("/w/engine/d/adas/delete").want(http.StatusUnprocessableEntity, no)
	p.post("/w/engine/d/adas/delete", nil).want(http.StatusUnprocessableEntity, no)
	p.get("/w/engine/d/bobs").want(http.StatusOK, "/w/engine/d/bobs/delete")
	p.get("/w/engine/d/bobs/delete").want(http.StatusOK)
	p.post("/w/engine/d/bobs/delete", nil).want(http.StatusOK, "The dashboard is deleted.")
}

// TestAddedMembersGetAMail: an added person gets a mail with a link to the workspace, or with an invitation that works for any address that
// their provider reports.
func TestAddedMembersGetAMail(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	owner, _ := s.owner(t, "ada@lovelace.org", "engine")
	s.signIn(t, "bob@lovelace.org")
	type mail struct {
		in   store.Invitation
		link string
		once bool
		lang string
	}
	var sent []mail
	reason := ""
	s.app.Invite = func(_ context.Context, l *locale.Locale, in store.Invitation, link string, once bool) (string, error) {
		sent = append(sent, mail{in, link, once, l.Lang})
		return reason, nil
	}
	const at = "/w/engine/members"
	owner.post(at, url.Values{"email": {"Bob@lovelace.org"}, "role": {"viewer"}}).
		want(http.StatusOK, "A mail with the link was sent to bob@lovelace.org.")
	owner.post(at, url.Values{"email": {"new@work.example"}, "role": {"editor"}}).
		want(http.StatusOK, "new@work.example becomes an editor at the first sign-in.", "A mail with the link was sent to new@work.example.")
	if len(sent) != 2 || sent[0].once || sent[0].link != s.url+"/w/engine/" || !sent[1].once || sent[1].in.Role != store.RoleEditor ||
		sent[1].in.By != "ada@lovelace.org" || sent[1].in.Name != "Engine" || sent[0].lang != "en" {
		t.Fatalf("%+v", sent)
	}
	other := s.signIn(t, "new@home.example")
	page := other.get(strings.TrimPrefix(sent[1].link, s.url)).want(http.StatusOK, "You are invited to the workspace", "editor")
	token := between(t, page.body, `name="token" value="`, `"><p class="actions">`)
	other.post("/invitations", url.Values{"token": {token}}).want(http.StatusOK, "You have joined Engine.")

	// A changed role of somebody who waits, a refused address and a refused visitor send nothing.
	owner.post(at, url.Values{"email": {"late@work.example"}, "role": {"editor"}}).want(http.StatusOK)
	owner.post(at, url.Values{"email": {"late@work.example"}, "role": {"viewer"}, "again": {"on"}}).
		want(http.StatusOK, "late@work.example becomes a viewer at the first sign-in.")
	owner.post(at, url.Values{"email": {"not an address"}, "role": {"editor"}}).want(http.StatusUnprocessableEntity)
	other.post(at, url.Values{"email": {"friend@work.example"}, "role": {"owner"}}).
		want(http.StatusUnprocessableEntity, "Only an owner of the workspace can change its members.")
	if len(sent) != 3 {
		t.Errorf("%d mails, want 3", len(sent))
	}
	reason = "The mail server refuses the recipient's address (550)."
	owner.post(at, url.Values{"email": {"bad@work.example"}, "role": {"editor"}}).
		want(http.StatusOK, "bad@work.example becomes an editor", "The mail with the link was not sent: The mail server refuses")
	for range store.RateInvite.Ceiling {
		owner.post(at, url.Values{"email": {"more@work.example"}, "role": {"editor"}})
	}
	if len(sent) > store.RateInvite.Ceiling {
		t.Errorf("%d mails in a minute, want at most %d", len(sent), store.RateInvite.Ceiling)
	}
	owner.get(at).want(http.StatusOK, "more@work.example")
}

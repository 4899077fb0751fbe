package auth_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestAllow(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := w.signedIn(t, "ana@example.com")
	w.workspace(t, "acme", "ana@example.com")
	for workspace, lock := range map[string]string{"acme": "workspace", "": "none"} {
		c := w.client(t)
		a := b.allow(c.handle(), workspace)
		u := a.to(t)
		q := u.Query()
		if a.StatusCode != http.StatusSeeOther || !strings.HasPrefix(u.String(), callback+"?") ||
			q.Get("code") == "" || q.Get("state") != c.state || q.Get("iss") != w.base {
			t.Errorf("workspace %q: status %d to %s", workspace, a.StatusCode, u)
		}
		got := w.call(t, c.pair(c.redeem(q.Get("code"))).access).json(t)
		if got["lock"] != lock || got["workspace"] != workspace ||
			got["account"] != w.account(t, "ana@example.com").ID.String() || got["client"] != c.id {
			t.Errorf("workspace %q: %v", workspace, got)
		}
		if n := w.count(t, `
			SELECT count(*) FROM audit a JOIN oauth_grant g ON a.subject = g.id::text
			 WHERE a.action = 'grant.create' AND g.client_id = $1
			AND a.account_id = g.account_id AND a.workspace_id IS NOT DISTINCT FROM g.workspace_id
			   AND a.detail = jsonb_build_object('client', 'Test client', 'lock', $2::text)`, c.id, lock); n != 1 {
			t.Errorf("workspace %q: %d audit rows", workspace, n)
		}
	}
	if n := w.count(t, `SELECT count(*) FROM oauth_grant WHERE lock = 'legacy'`); n != 0 {
		t.Error("a new grant is legacy")
	}
	if n := w.count(t,
		`SELECT count(*) FROM oauth_grant WHERE ends_at - created_at = '180 days' AND expires_at - created_at = '30 days'`); n != 2 {
		t.Errorf("%d grants with the lifetimes of the design", n)
	}
}

func TestDeny(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := w.signedIn(t, "ana@example.com")
	c := w.client(t)
	handle := c.handle()
	a := b.post(w.app+"/consent", url.Values{"request": {handle}, "decision": {"deny"}})
	q := a.to(t).Query()
	if a.StatusCode != http.StatusSeeOther || q.Get("error") != "access_denied" ||
		q.Get("error_description") != "The user declined the authorization request." ||
		q.Get("state") != c.state || q.Get("iss") != w.base || q.Has("code") {
		t.Errorf("status %d to %s", a.StatusCode, a.Header.Get("Location"))
	}
	if again := b.post(w.app+"/consent", url.Values{"request": {handle}, "decision": {"deny"}}); again.to(t).String() != a.to(t).String() {
		t.Errorf("cancelled by a double click: status %d to %s", again.StatusCode, again.Header.Get("Location"))
	}
	wantStatus(t, "cancelled, then allowed", b.allow(handle, ""), http.StatusBadRequest)
	wantStatus(t, "cancelled, then shown", b.get(w.app+"/consent?request="+handle), http.StatusBadRequest)
	if n := w.count(t, `SELECT count(*) FROM oauth_grant`); n != 0 {
		t.Errorf("%d grants", n)
	}
}

func TestAllowRefuses(t *testing.T) {
	t.Parallel()
	w := setup(t)
	bo := w.signedIn(t, "bo@example.com")
	w.workspace(t, "bos", "bo@example.com")
	b := w.signedIn(t, "ana@example.com")
	w.workspace(t, "acme", "ana@example.com")
	c := w.client(t)
	handle := c.handle()

	for _, workspace := range []string{"bos", "nowhere", "ACME", "acme ", uuid.Nil.String()} {
		wantStatus(t, "workspace "+workspace, b.allow(handle, workspace), http.StatusBadRequest)
	}
	wantStatus(t, "no request", b.allow("", "acme"), http.StatusBadRequest)
	wantStatus(t, "an unknown request", b.allow(strings.Repeat("a", 43), "acme"), http.StatusBadRequest)
	if a := w.browser(t).allow(handle, "acme"); !strings.Contains(a.Header.Get("Location"), "/sign-in?") {
		t.Errorf("signed out: status %d to %s", a.StatusCode, a.Header.Get("Location"))
	}
	// A post from another origin, including a workspace host, decides nothing.
	for _, header := range [][]string{
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"},
		{"Origin", "null"},
		{"Origin", "https://evil.example"},
		{"Origin", "http://acme." + w.domain},
	} {
		wantStatus(t, strings.Join(header, ": "), b.allow(handle, "acme", header...), http.StatusForbidden)
	}
	// These attempts did not use up the request.
	wantStatus(t, "a good answer after all", b.allow(handle, "acme", "Sec-Fetch-Site", "same-origin"), http.StatusSeeOther)
	wantStatus(t, "for no workspace now", b.allow(handle, ""), http.StatusBadRequest)
	wantStatus(t, "by somebody else", bo.allow(handle, "acme"), http.StatusBadRequest)
	wantStatus(t, "by somebody else, for theirs", bo.allow(handle, "bos"), http.StatusBadRequest)
	wantStatus(t, "cancelled after all",
		b.post(w.app+"/consent", url.Values{"request": {handle}, "decision": {"deny"}}), http.StatusBadRequest)
	wantStatus(t, "shown again", b.get(w.app+"/consent?request="+handle), http.StatusBadRequest)

	// Every client gets its own consent, even if the person is signed in and has allowed it before.
	if a := b.get(b.follow(b.get(c.authorizeURL())).Request.URL.String()); a.StatusCode != http.StatusOK ||
		!strings.Contains(a.body, "Test client "+callback+" dashboards") {
		t.Errorf("a second authorization: status %d: %s", a.StatusCode, a.body)
	}

	late := c.handle()
	w.clock.advance(30*time.Minute - time.Second)
	wantStatus(t, "in the last second", b.get(w.app+"/consent?request="+late), http.StatusOK)
	w.clock.advance(time.Second)
	wantStatus(t, "too late, shown", b.get(w.app+"/consent?request="+late), http.StatusBadRequest)
	wantStatus(t, "too late, allowed", b.allow(late, "acme"), http.StatusBadRequest)
	if n := w.count(t, `SELECT count(*) FROM oauth_grant`); n != 1 {
		t.Errorf("%d grants, want 1", n)
	}
}

// After a transient failure of any step nothing was decided, and confirming
// again is safe (specification, "Authentication").
func TestAllowAfterFailure(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := w.signedIn(t, "ana@example.com")
	w.workspace(t, "acme", "ana@example.com")
	w.sql(t, `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'transient'; END $$`)
	c := w.client(t)
	handle := c.handle()
	for _, step := range []string{
		"INSERT ON oauth_grant", "INSERT ON oauth_token", "UPDATE ON oauth_client", "INSERT ON audit", "UPDATE ON oauth_request",
	} {
		verb, table, _ := strings.Cut(step, " ON ")
		w.sql(t, `CREATE TRIGGER fail BEFORE `+verb+` ON `+table+` FOR EACH ROW EXECUTE FUNCTION fail()`)
		wantStatus(t, step, b.allow(handle, "acme"), http.StatusServiceUnavailable)
		w.sql(t, `DROP TRIGGER fail ON `+table)
		if n := w.count(t, `SELECT (SELECT count(*) FROM oauth_grant) + (SELECT count(*) FROM oauth_token)`); n != 0 {
			t.Errorf("%s: %d rows are left", step, n)
		}
	}
	code := b.allow(handle, "acme").to(t).Query().Get("code")
	wantStatus(t, "the code after five failures", c.redeem(code), http.StatusOK)
}

// The browser that sends a form twice drops the answer to the first: the client gets the second code,
// and the request counts as allowed once.
func TestAllowTwice(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := w.signedIn(t, "ana@example.com")
	w.workspace(t, "acme", "ana@example.com")
	code := func(handle string) string { return b.allow(handle, "acme").to(t).Query().Get("code") }

	for _, second := range []bool{true, false} {
		c := w.client(t)
		handle := c.handle()
		codes := []string{code(handle), code(handle)}
		if codes[0] == "" || codes[1] == "" || codes[0] == codes[1] {
			t.Fatalf("codes %q", codes)
		}
		if second {
			codes[0], codes[1] = codes[1], codes[0]
		}
		got := c.pair(c.redeem(codes[0]))
		wantStatus(t, "the other code", c.redeem(codes[1]), http.StatusBadRequest)
		wantStatus(t, "a call after that", w.call(t, got.access), http.StatusOK)
		wantStatus(t, "allowed again after the exchange", b.allow(handle, "acme"), http.StatusBadRequest)
	}
	if n := w.count(t, `SELECT count(*) FROM oauth_grant`); n != 2 {
		t.Errorf("%d grants, want one for each client", n)
	}
	if n := w.count(t, `SELECT count(*) FROM audit WHERE action = 'grant.create'`); n != 2 {
		t.Errorf("%d audit rows, want one for each client", n)
	}

	c := w.client(t)
	handle := c.handle()
	code(handle)
	w.clock.advance(time.Minute - time.Second)
	late := code(handle)
	w.clock.advance(time.Second)
	wantStatus(t, "once the first code has expired", b.allow(handle, "acme"), http.StatusBadRequest)
	wantStatus(t, "the second code then", c.redeem(late), http.StatusBadRequest)

	revoked := c.handle()
	code(revoked)
	w.sql(t, `UPDATE oauth_grant SET revoked_at = now() WHERE revoked_at IS NULL`)
	wantStatus(t, "once the grant was revoked", b.allow(revoked, "acme"), http.StatusBadRequest)
}

func TestConcurrentAllows(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := w.signedIn(t, "ana@example.com")
	c := w.client(t)
	handle := c.handle()
	answers := make([]answer, 3)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = b.allow(handle, "") })
	}
	wg.Wait()
	good := 0
	for _, a := range answers {
		if c.redeem(a.to(t).Query().Get("code")).StatusCode == http.StatusOK {
			good++
		}
	}
	if n := w.count(t, `SELECT count(*) FROM oauth_grant WHERE revoked_at IS NULL`); good != 1 || n != 1 {
		t.Errorf("%d codes are good for %d grants, want one of each", good, n)
	}
}

// Removing a member while they confirm either refuses the confirmation or revokes its grant.
func TestAllowWhileRemoved(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.signedIn(t, "ana@example.com")
	w.workspace(t, "acme", "ana@example.com")
	bo := w.signedIn(t, "bo@example.com")
	for range 10 {
		if _, err := w.store.Members.AddMember(t.Context(), uuid.Nil, "acme", "bo@example.com", "member"); err != nil {
			t.Fatal(err)
		}
		handle := w.client(t).handle()
		var wg sync.WaitGroup
		wg.Go(func() { bo.allow(handle, "acme") })
		wg.Go(func() {
			if err := w.store.Members.RemoveMember(t.Context(), "acme", "bo@example.com"); err != nil {
				t.Errorf("removing: %v", err)
			}
		})
		wg.Wait()
		if n := w.count(t, `SELECT count(*) FROM oauth_grant WHERE revoked_at IS NULL`); n != 0 {
			t.Fatalf("%d grants outlive the membership", n)
		}
	}
}

package auth_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := w.browser(t)
	a := b.signIn(w.app+"/sign-in?return_to="+url.QueryEscape("/dash?q=%20a%2Fb&x=1;2"), "Ana@Example.com")
	if a.body != "signed in as ana@example.com" || a.Request.URL.RequestURI() != "/dash?q=%20a%2Fb&x=1;2" {
		t.Errorf("%s at %s", a.body, a.Request.URL)
	}
	if n := w.account(t, "ana@example.com").Name; n != "Ana" {
		t.Errorf("name %q", n)
	}
	u, err := url.Parse(w.app)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range b.c.Jar.Cookies(u) {
		if strings.Contains(c.Name, "__Host-") {
			t.Errorf("cookie %s on http", c.Name)
		}
	}
	wantStatus(t, "another browser", w.browser(t).get(w.app+"/"), http.StatusUnauthorized)

	first := w.account(t, "ana@example.com").ID
	w.signedIn(t, "ana@example.com")
	if again := w.account(t, "ana@example.com").ID; again != first || w.count(t, `SELECT count(*) FROM account`) != 1 {
		t.Error("a second sign-in made a second account")
	}
}

// Every return path stays on the app's origin (RFC 9700, section 4.11).
func TestReturnTo(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for to, want := range map[string]string{
		"/a/b?c=d":            "/a/b?c=d",
		"/visit?to=http://x/": "/visit?to=http://x/",
		"":                    "/", "evil": "/", "//evil.example/": "/", `/\evil.example`: "/", `/./\evil.example`: "/",
		`/x\..\y`: "/", `/x?a=\`: `/x?a=\`, "https://evil.example/": "/", "javascript:alert(1)": "/",
		"@evil.example/": "/", "/\tx": "/", "/\r\nSet-Cookie: x=1": "/", "/#x": "/", "/\x00": "/", "/\xff": "/", ".evil.example/": "/",
	} {
		b := w.browser(t)
		back := b.follow(b.get(w.app + "/sign-in?return_to=" + url.QueryEscape(to)))
		a := b.post(back.Request.URL.String(), url.Values{"email": {"ana@example.com"}})
		a = b.get(a.Header.Get("Location"))
		if got := a.Header.Get("Location"); a.StatusCode != http.StatusSeeOther || got != w.app+want {
			t.Errorf("%q: status %d to %s, want %s", to, a.StatusCode, got, w.app+want)
		}
	}
}

// A callback counts once, in the browser that started it, in time.
func TestSignInState(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for name, attack := range map[string]func(b *browser, back *url.URL) answer{
		"no state": func(b *browser, back *url.URL) answer {
			return b.get(w.app + "/sign-in/callback?code=" + back.Query().Get("code"))
		},
		"nothing": func(b *browser, _ *url.URL) answer { return b.get(w.app + "/sign-in/callback") },
		"another state": func(b *browser, back *url.URL) answer {
			return b.get(strings.Replace(back.String(), "state=", "state=x", 1))
		},
		"two states": func(b *browser, back *url.URL) answer {
			return b.get(back.String() + "&state=" + back.Query().Get("state"))
		},
		"another person": func(_ *browser, back *url.URL) answer { return w.browser(t).get(back.String()) },
		"another person with a sign-in of their own": func(_ *browser, back *url.URL) answer {
			victim := w.browser(t)
			victim.get(w.app + "/sign-in")
			return victim.get(back.String())
		},
		"too late": func(b *browser, back *url.URL) answer {
			w.clock.advance(10 * time.Minute)
			return b.get(back.String())
		},
		"a second time": func(b *browser, back *url.URL) answer {
			b.get(back.String())
			return b.get(back.String())
		},
	} {
		b := w.browser(t)
		back := b.atProvider(w.app+"/sign-in", "ana@example.com").to(t)
		a := attack(b, back)
		if a.StatusCode != http.StatusBadRequest || a.Header.Get("Set-Cookie") != "" ||
			!strings.Contains(a.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s: status %d, %v", name, a.StatusCode, a.Header)
		}
	}
	// Two tabs do not interfere with each other.
	b := w.browser(t)
	one := b.atProvider(w.app+"/sign-in?return_to=/one", "ana@example.com")
	two := b.atProvider(w.app+"/sign-in?return_to=/two", "ana@example.com")
	if got := b.follow(one).Request.URL.Path + b.follow(two).Request.URL.Path; got != "/one/two" {
		t.Errorf("two tabs ended at %s", got)
	}
}

// Cookies that a sibling host planted beside the person's own do not lead into any account, before,
// during and after a sign-in.
func TestTossedSignIn(t *testing.T) {
	t.Parallel()
	w := setup(t)
	u, err := url.Parse(w.app)
	if err != nil {
		t.Fatal(err)
	}
	cookie := func(b *browser, name string) *http.Cookie {
		t.Helper()
		for _, c := range b.c.Jar.Cookies(u) {
			if strings.HasPrefix(c.Name, name+"_") {
				return c
			}
		}
		t.Fatalf("no cookie %s", name)
		return nil
	}
	sent := func(target string, cookies ...*http.Cookie) answer {
		t.Helper()
		var all []string
		for _, c := range cookies {
			all = append(all, c.Name+"="+c.Value)
		}
		return do(t, w.http, request(t, http.MethodGet, target, nil, "Cookie", strings.Join(all, "; ")))
	}
	eve, ana := w.signedIn(t, "eve@example.com"), w.signedIn(t, "ana@example.com")
	evil, own := cookie(eve, "session"), cookie(ana, "session")
	for name, cookies := range map[string][]*http.Cookie{
		"before": {evil, own}, "after": {own, evil}, "around": {evil, own, evil},
		"twice before": {evil, evil, own}, "alone, twice": {evil, evil}, "one's own, twice": {own, own},
	} {
		if a := sent(w.app+"/", cookies...); a.StatusCode != http.StatusUnauthorized || strings.Contains(a.body, "@") {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.body)
		}
	}

	// Eve's own way back from the provider, in a browser with a sign-in under way.
	for name, order := range map[string]func(evil, own *http.Cookie) []*http.Cookie{
		"before": func(evil, own *http.Cookie) []*http.Cookie { return []*http.Cookie{evil, own} },
		"after":  func(evil, own *http.Cookie) []*http.Cookie { return []*http.Cookie{own, evil} },
		"none":   func(_, own *http.Cookie) []*http.Cookie { return []*http.Cookie{own} },
	} {
		eve, ana := w.browser(t), w.browser(t)
		back := eve.atProvider(w.app+"/sign-in", "eve@example.com").to(t).String()
		mine := ana.atProvider(w.app+"/sign-in", "ana@example.com").to(t).String()
		n := w.count(t, `SELECT count(*) FROM web_session`)
		targets := []string{back}
		if name != "none" {
			targets = append(targets, mine)
		}
		for _, target := range targets {
			a := sent(target, order(cookie(eve, "sign-in"), cookie(ana, "sign-in"))...)
			if a.StatusCode != http.StatusBadRequest || a.Header.Get("Set-Cookie") != "" {
				t.Errorf("%s: %d %v", name, a.StatusCode, a.Header)
			}
		}
		if now := w.count(t, `SELECT count(*) FROM web_session`); now != n {
			t.Errorf("%s: %d sessions were made", name, now-n)
		}
	}

	// A session that ends is dead in every copy.
	host := "http://acme." + w.domain
	if a := ana.follow(ana.get(host + "/sales")); a.body != "signed in as ana@example.com" {
		t.Fatal(a.body)
	}
	acme, err := url.Parse(host)
	if err != nil {
		t.Fatal(err)
	}
	kept := ana.c.Jar.Cookies(acme)
	ana.signIn(w.app+"/sign-in", "eve@example.com") // somebody else, without signing out
	wantStatus(t, "the session before", sent(w.app+"/", own), http.StatusUnauthorized)
	for _, c := range kept {
		wantStatus(t, c.Name+" of the session before", sent(host+"/sales", c), http.StatusFound)
	}
}

// An ID token that differs from the requested one signs nobody in.
func TestIDToken(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for name, tamper := range map[string]func(map[string]any){
		"nonce":            func(c map[string]any) { c["nonce"] = "x" },
		"no nonce":         func(c map[string]any) { delete(c, "nonce") },
		"issuer":           func(c map[string]any) { c["iss"] = "https://evil.example" },
		"audience":         func(c map[string]any) { c["aud"] = "other" },
		"two audiences":    func(c map[string]any) { c["aud"] = []string{"service", "other"} },
		"authorized party": func(c map[string]any) { c["azp"] = "other" },
		"expired":          func(c map[string]any) { c["exp"] = w.clock.Now().Add(-time.Second).Unix() },
		"not yet":          func(c map[string]any) { c["nbf"] = w.clock.Now().Add(time.Hour).Unix() },
		"no subject":       func(c map[string]any) { delete(c, "sub") },
	} {
		w.idp.Tamper(tamper)
		b := w.browser(t)
		a := b.signIn(w.app+"/sign-in?return_to=/here", "ana@example.com")
		if a.StatusCode != http.StatusBadRequest || !strings.Contains(a.body, "/sign-in?return_to=%2Fhere") {
			t.Errorf("%s: status %d: %s", name, a.StatusCode, a.body)
		}
		wantStatus(t, name, b.get(w.app+"/"), http.StatusUnauthorized)
	}
	if n := w.count(t, `SELECT (SELECT count(*) FROM account) + (SELECT count(*) FROM web_session)`); n != 0 {
		t.Errorf("%d rows", n)
	}
	w.idp.Tamper(func(c map[string]any) { c["aud"], c["azp"] = []string{"service", "other"}, "service" })
	w.signedIn(t, "ana@example.com")
}

// While the provider is down people see that, and keep the page that they wanted to open.
func TestProviderDown(t *testing.T) {
	t.Parallel()
	w := setup(t)
	c := w.client(t)
	handle := c.handle()
	b := w.browser(t)
	start := w.app + "/consent?request=" + handle

	w.idpUp(false) // before it was ever found
	a := b.follow(b.get(start))
	if a.StatusCode != http.StatusBadGateway || !strings.Contains(a.body, "return_to="+url.QueryEscape("/consent?request="+handle)) {
		t.Errorf("discovery: status %d: %s", a.StatusCode, a.body)
	}
	w.idpUp(true)
	w.idp.Fail(true) // between code and token
	a = b.signIn(start, "ana@example.com")
	if a.StatusCode != http.StatusBadGateway || !strings.Contains(a.body, "return_to="+url.QueryEscape("/consent?request="+handle)) {
		t.Errorf("exchange: status %d: %s", a.StatusCode, a.body)
	}
	w.idp.Fail(false)
	if a = b.signIn(start, "ana@example.com"); a.StatusCode != http.StatusOK || !strings.Contains(a.body, "Test client") {
		t.Errorf("after it: status %d: %s", a.StatusCode, a.body)
	}
	wantStatus(t, "allow", b.allow(handle, ""), http.StatusSeeOther)

	// A person who changes their mind at the provider is not signed in either.
	back := w.browser(t)
	state := back.get(w.app + "/sign-in").to(t).Query().Get("state")
	wantStatus(t, "cancelled", back.get(w.app+"/sign-in/callback?error=access_denied&state="+state), http.StatusBadRequest)
}

// An address counts only if the provider has verified it.
func TestVerifiedEmail(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.signedIn(t, "ana@example.com")
	w.workspace(t, "acme", "ana@example.com")
	if waits, err := w.store.Members.AddMember(t.Context(), uuid.Nil, "acme", "Bo@Example.com", "owner"); err != nil || !waits {
		t.Fatalf("%v, %v", waits, err)
	}
	for _, verified := range []any{false, "false", nil, "yes", 1} {
		w.idp.Tamper(func(c map[string]any) {
			c["email_verified"], c["sub"] = verified, fmt.Sprint("stranger ", verified)
			if verified == nil {
				delete(c, "email_verified")
			}
		})
		b := w.browser(t)
		if a := b.signIn(w.app+"/sign-in", "bo@example.com"); a.body != "signed in as " {
			t.Errorf("verified %v: %s", verified, a.body)
		}
	}
	if n := w.count(t, `SELECT count(*) FROM invitation`); n != 1 {
		t.Fatalf("an unverified address took the invitation")
	}
	// A stranger who only claims an address cannot be added by it later.
	if waits, err := w.store.Members.AddMember(t.Context(), uuid.Nil, "acme", "bo@example.com", "owner"); err != nil || !waits {
		t.Errorf("%v, %v", waits, err)
	}
	w.idp.Tamper(func(c map[string]any) { c["email_verified"] = "true" }) // as some providers write it
	w.signedIn(t, "bo@example.com")
	bo := w.account(t, "bo@example.com")
	m, err := w.store.Members.Member(t.Context(), bo.ID, "acme")
	if err != nil || m.Role() != store.RoleOwner {
		t.Errorf("%v, %v", m, err)
	}
	if n := w.count(t,
		`SELECT count(*) FROM audit WHERE action = 'member.join' AND account_id = $1 AND workspace_id = $2 AND subject = 'bo@example.com'`,
		bo.ID, m.WorkspaceID()); n != 1 {
		t.Errorf("%d audit rows", n)
	}
	if n := w.count(t, `SELECT count(*) FROM invitation`); n != 0 {
		t.Error("the invitation is still there")
	}
	// The key is the subject: with a new address it is the same person.
	w.idp.Tamper(func(c map[string]any) { c["sub"], c["email"] = bo.Subject, "bo@new.example" })
	w.browser(t).signIn(w.app+"/sign-in", "bo@example.com")
	if again := w.account(t, "bo@new.example"); again.ID != bo.ID {
		t.Error("a new address made a new account")
	}
}

// An id that was known before a sign-in is worth nothing after it.
func TestFixation(t *testing.T) {
	t.Parallel()
	w := setup(t)
	u, err := url.Parse(w.app)
	if err != nil {
		t.Fatal(err)
	}
	session := func(b *browser) *http.Cookie {
		t.Helper()
		for _, c := range b.c.Jar.Cookies(u) {
			if strings.HasPrefix(c.Name, "session") {
				return c
			}
		}
		t.Fatal("no session cookie")
		return nil
	}
	b := w.signedIn(t, "eve@example.com")
	planted := session(b)
	victim := w.browser(t)
	victim.c.Jar.SetCookies(u, []*http.Cookie{{Name: planted.Name, Value: planted.Value, Path: "/"}})
	if a := victim.signIn(w.app+"/sign-in", "ana@example.com"); a.body != "signed in as ana@example.com" {
		t.Fatal(a.body)
	}
	if session(victim).Value == planted.Value {
		t.Error("the planted id is the victim's session")
	}
	wantStatus(t, "the planted session", b.get(w.app+"/"), http.StatusUnauthorized)
	good := planted.Name + "=" + session(victim).Value
	wantStatus(t, "the good cookie", do(t, w.http, request(t, http.MethodGet, w.app+"/", nil, "Cookie", good)), http.StatusOK)
	two := do(t, w.http, request(t, http.MethodGet, w.app+"/", nil, "Cookie", good+"; "+planted.Name+"="+planted.Value))
	wantStatus(t, "two cookies of one name", two, http.StatusUnauthorized)
}

func TestSessionLifetime(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := w.signedIn(t, "ana@example.com")
	for range 4 {
		w.clock.advance(6 * 24 * time.Hour)
		wantStatus(t, "used every six days", b.get(w.app+"/"), http.StatusOK)
	}
	w.clock.advance(6*24*time.Hour - time.Second)
	wantStatus(t, "just before 30 days", b.get(w.app+"/"), http.StatusOK)
	w.clock.advance(time.Second)
	wantStatus(t, "after 30 days", b.get(w.app+"/"), http.StatusUnauthorized)

	b = w.signedIn(t, "ana@example.com")
	w.clock.advance(7 * 24 * time.Hour)
	wantStatus(t, "idle for seven days", b.get(w.app+"/"), http.StatusUnauthorized)

	b = w.signedIn(t, "ana@example.com")
	host := "http://acme." + w.domain + "/sales"
	b.follow(b.get(host))
	for range 4 { // a person who only reads dashboards is not idle
		w.clock.advance(6 * 24 * time.Hour)
		wantStatus(t, "read every six days", b.get(host), http.StatusOK)
	}
	w.clock.advance(6 * 24 * time.Hour)
	wantStatus(t, "after 30 days", b.get(host), http.StatusFound)
}

func TestSignOut(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := w.signedIn(t, "ana@example.com")
	for _, header := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "null"}, {"Origin", "http://acme." + w.domain},
	} {
		wantStatus(t, strings.Join(header, ": "), b.post(w.app+"/sign-out", nil, header...), http.StatusForbidden)
	}
	if a := b.get(w.app + "/sign-out"); a.StatusCode != http.StatusMethodNotAllowed || a.Header.Get("Allow") != "POST" {
		t.Errorf("GET: status %d", a.StatusCode)
	}
	wantStatus(t, "still signed in", b.get(w.app+"/"), http.StatusOK)
	host := "http://acme." + w.domain
	if a := b.follow(b.get(host + "/sales")); a.body != "signed in as ana@example.com" {
		t.Fatal(a.body)
	}
	elsewhere := w.signedIn(t, "ana@example.com")
	a := b.post(w.app+"/sign-out", url.Values{"return_to": {"//evil.example"}}, "Sec-Fetch-Site", "same-origin")
	if a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != w.app+"/" {
		t.Errorf("status %d to %s", a.StatusCode, a.Header.Get("Location"))
	}
	wantStatus(t, "on the app", b.get(w.app+"/"), http.StatusUnauthorized)
	wantStatus(t, "on the workspace host", b.get(host+"/sales"), http.StatusFound)
	wantStatus(t, "in another browser", elsewhere.get(w.app+"/"), http.StatusOK)
	ana := w.account(t, "ana@example.com").ID
	if sessions, err := w.store.Sessions.ListSessions(t.Context(), ana); err != nil || len(sessions) != 1 || sessions[0].UserAgent == "" {
		t.Errorf("%+v, %v", sessions, err)
	}
	if err := w.store.Sessions.EndSessions(t.Context(), ana); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, "signed out everywhere", elsewhere.get(w.app+"/"), http.StatusUnauthorized)
}

func TestSignInFailsClosed(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := w.signedIn(t, "ana@example.com")
	fresh := w.browser(t)
	back := fresh.atProvider(w.app+"/sign-in", "bo@example.com").to(t)
	w.sql(t, `ALTER TABLE web_session RENAME TO away`)
	wantStatus(t, "a session", b.get(w.app+"/"), http.StatusServiceUnavailable)
	wantStatus(t, "a visit", b.get(w.app+"/visit?to=http://acme."+w.domain+"/"), http.StatusServiceUnavailable)
	wantStatus(t, "a new session", fresh.get(back.String()), http.StatusServiceUnavailable)
	wantStatus(t, "sign-out", b.post(w.app+"/sign-out", nil), http.StatusServiceUnavailable)
	if n := w.count(t, `SELECT count(*) FROM account WHERE email = 'bo@example.com'`); n != 0 {
		t.Error("half a sign-in was stored")
	}
	w.pool.Close()
	wantStatus(t, "a sign-in", fresh.get(w.app+"/sign-in"), http.StatusServiceUnavailable)
	wantStatus(t, "a callback", fresh.get(back.String()), http.StatusServiceUnavailable)
}

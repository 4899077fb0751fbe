package auth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/auth"
)

// A signed-out visitor signs in and returns to the page that they wanted, byte for byte
// (specification, "Visibility"; decision 57).
func TestVisit(t *testing.T) {
	t.Parallel()
	w := setup(t)
	host := "http://acme." + w.domain
	for _, path := range []string{
		"/sales", "/", "/sales/data.csv?x=%20a%2Fb&y=1;2&&z", "//evil.example/x", "/a%2fb?q=%E2%82%AC+1", "/?to=http://evil.example",
	} {
		b := w.browser(t)
		first := b.get(host + path)
		if first.StatusCode != http.StatusFound || !strings.HasPrefix(first.Header.Get("Location"), w.app+"/visit?") {
			t.Errorf("%s: status %d to %s", path, first.StatusCode, first.Header.Get("Location"))
		}
		a := b.signIn(host+path, "ana@example.com")
		if a.body != "signed in as ana@example.com" || a.Request.URL.Host != "acme."+w.domain || a.Request.URL.RequestURI() != path {
			t.Errorf("%s: ended at %s: %s", path, a.Request.URL, a.body)
		}
	}
	// For somebody who is signed in on the app, a visit to a second host needs no interaction.
	b := w.signedIn(t, "ana@example.com")
	if a := b.follow(b.get("http://other." + w.domain + "/x")); a.body != "signed in as ana@example.com" {
		t.Errorf("%s at %s", a.body, a.Request.URL)
	}
	// A plain link of the app needs no nonce.
	if a := b.get(w.app + "/visit?to=" + url.QueryEscape(host+"/sales")); a.StatusCode != http.StatusSeeOther ||
		a.Header.Get("Location") != host+"/sales" {
		t.Errorf("status %d to %s", a.StatusCode, a.Header.Get("Location"))
	}
}

func TestVisitRefuses(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := w.signedIn(t, "ana@example.com")
	for _, to := range []string{
		"", "/sales", "//acme." + w.domain + "/", "https://acme." + w.domain + "/",
		"javascript:alert(1)", "http://evil.example/", "http://evil.example/." + w.domain,
		"http://acme." + w.domain + ".evil.example/", "http://acme." + w.domain + "@evil.example/",
		"http://evil.example#." + w.domain + "/", `http://evil.example\.` + w.domain + "/",
		"http://a.b." + w.domain + "/", "http://." + w.domain + "/", "http://" + w.domain + "/",
		"http://acme.localhost:1/", "http://acme.localhost/", w.app + "/",
		"http://ACME." + w.domain + "/", "http://user@acme." + w.domain + "/", "HTTP://acme." + w.domain + "/",
		"http://acme." + w.domain + "/\r\nx", "http://acme." + w.domain + "?x",
		"http://%61cme." + w.domain + "/", "http://acme." + w.domain + `\@evil.example/`,
	} {
		a := b.get(w.app + "/visit?to=" + url.QueryEscape(to) + "&nonce=" + strings.Repeat("A", 43))
		if a.StatusCode != http.StatusBadRequest || a.Header.Get("Location") != "" {
			t.Errorf("%q: status %d to %s", to, a.StatusCode, a.Header.Get("Location"))
		}
	}
	good := url.QueryEscape("http://acme." + w.domain + "/")
	wantStatus(t, "two destinations", b.get(w.app+"/visit?to="+good+"&to="+good), http.StatusBadRequest)
}

// A ticket is good once, within a minute, on its host and in its browser.
func TestTicket(t *testing.T) {
	t.Parallel()
	w := setup(t)
	host := "http://acme." + w.domain
	ticket := func(b *browser) string {
		t.Helper()
		a := b.get(b.get(b.get(host + "/sales").Header.Get("Location")).Header.Get("Location"))
		return a.Request.URL.String() // was shown once
	}
	unused := func(b *browser) string {
		t.Helper()
		to := b.get(b.get(host + "/sales").Header.Get("Location")).Header.Get("Location")
		if !strings.HasPrefix(to, host+"/.session?ticket=") {
			t.Fatalf("no ticket, but %s", to)
		}
		return to
	}
	signedIn := func(b *browser, at string) bool {
		return b.get(at).StatusCode == http.StatusOK
	}

	b := w.signedIn(t, "ana@example.com")
	used := ticket(b)
	wantStatus(t, "a second time", b.get(used), http.StatusBadRequest)
	if !signedIn(b, host+"/sales") {
		t.Error("not signed in after the first time")
	}

	b = w.signedIn(t, "ana@example.com")
	stolen := unused(b)
	thief := w.browser(t)
	wantStatus(t, "in a browser without a visit", thief.get(stolen), http.StatusBadRequest)
	stolen = unused(b)
	thief.get(host + "/sales")
	wantStatus(t, "in a browser with its own visit", thief.get(stolen), http.StatusBadRequest)
	wantStatus(t, "in the right one after that", b.get(stolen), http.StatusBadRequest)
	if signedIn(thief, host+"/sales") || signedIn(b, host+"/sales") {
		t.Error("signed in by a stolen ticket")
	}

	// Somebody else's ticket does not sign this browser in as them.
	eve := w.signedIn(t, "eve@example.com")
	victim := w.browser(t)
	victim.get(host + "/sales")
	wantStatus(t, "a ticket that was handed over", victim.get(unused(eve)), http.StatusBadRequest)

	moved := strings.Replace(unused(b), "//acme.", "//other.", 1)
	b.get("http://other." + w.domain + "/x") // so that it has a visit there
	wantStatus(t, "on another host", b.get(moved), http.StatusBadRequest)

	late := unused(b)
	w.clock.advance(time.Minute)
	wantStatus(t, "too late", b.get(late), http.StatusBadRequest)
	wantStatus(t, "no ticket", b.get(host+"/.session"), http.StatusBadRequest)

	ended := unused(b)
	if err := w.store.Sessions.EndSessions(t.Context(), w.account(t, "ana@example.com").ID); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, "of a session that has ended", b.get(ended), http.StatusBadRequest)
}

// However a ticket is attacked, it signs in only the browser that requested it, and at most once.
func TestTicketAttacks(t *testing.T) {
	t.Parallel()
	w := setup(t)
	host := "http://acme." + w.domain
	victim := w.signedIn(t, "ana@example.com")
	eve := w.signedIn(t, "eve@example.com")
	sessions := func(email string) int {
		t.Helper()
		return w.count(t, `SELECT count(*) FROM host_session h JOIN web_session s ON s.hash = h.session_hash WHERE s.account_id = $1`,
			w.account(t, email).ID)
	}
	ticket := func(b *browser) string { // not used yet
		t.Helper()
		to := b.get(b.get(host + "/sales").Header.Get("Location")).Header.Get("Location")
		if !strings.HasPrefix(to, host+"/.session?ticket=") {
			t.Fatalf("no ticket, but %s", to)
		}
		return to
	}
	visitCookie := func(b *browser) *http.Cookie {
		t.Helper()
		u, err := url.Parse(host)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range b.c.Jar.Cookies(u) {
			if strings.HasPrefix(c.Name, "visit") {
				return c
			}
		}
		t.Fatal("no cookie of a visit")
		return nil
	}

	good := ticket(victim)
	secret := good[strings.Index(good, "=")+1:]
	own, evil := visitCookie(victim), func() *http.Cookie { eve.get(host + "/sales"); return visitCookie(eve) }()
	flipped := []byte(secret)
	flipped[7] ^= 1
	for name, attack := range map[string]struct{ query, cookies string }{
		"truncated":             {secret[:len(secret)-1], own.String()},
		"half":                  {secret[:20], own.String()},
		"longer":                {secret + "A", own.String()},
		"a bit flipped":         {string(flipped), own.String()},
		"in other letters":      {strings.ToUpper(secret), own.String()},
		"with a space":          {secret + "%20", own.String()},
		"with a NUL":            {secret + "%00", own.String()},
		"its hash":              {base64.RawURLEncoding.EncodeToString(hashOf(secret)), own.String()},
		"empty":                 {"", own.String()},
		"none but the cookie's": {own.Value, own.String()},
	} {
		a := do(t, w.http, request(t, http.MethodGet, host+"/.session?ticket="+attack.query, nil, "Cookie", attack.cookies))
		if a.StatusCode != http.StatusBadRequest || a.Header.Get("Set-Cookie") != "" ||
			sessions("ana@example.com")+sessions("eve@example.com") != 0 {
			t.Errorf("%s: status %d, %d sessions", name, a.StatusCode, sessions("ana@example.com"))
		}
	}
	// A planted cookie beside one's own, in either order, and alone: the ticket is used up, or not read.
	for name, cookies := range map[string]string{
		"planted before":  evil.String() + "; " + own.String(),
		"planted after":   own.String() + "; " + evil.String(),
		"the same twice":  own.String() + "; " + own.String(),
		"without a value": own.Name + "=", "none": "",
	} {
		a := do(t, w.http, request(t, http.MethodGet, good, nil, "Cookie", cookies))
		if a.StatusCode != http.StatusBadRequest || sessions("ana@example.com") != 0 {
			t.Errorf("%s: status %d, %d sessions", name, a.StatusCode, sessions("ana@example.com"))
		}
	}

	// Twenty at once: one wins.
	won := make(chan int, 20)
	for range 20 {
		r := request(t, http.MethodGet, good, nil, "Cookie", own.String())
		go func() {
			a, err := w.http.Do(r)
			if err != nil {
				won <- 0
				return
			}
			a.Body.Close()
			won <- a.StatusCode
		}()
	}
	statuses := map[int]int{}
	for range 20 {
		statuses[<-won]++
	}
	if statuses[http.StatusSeeOther] != 1 || statuses[http.StatusBadRequest] != 19 || sessions("ana@example.com") != 1 {
		t.Errorf("twenty at once: %v, %d sessions", statuses, sessions("ana@example.com"))
	}

	// Eve makes the victim request a ticket for her browser; the victim uses it up themselves.
	nonce := base64.RawURLEncoding.EncodeToString(hashOf(evil.Value))
	to := victim.get(w.app + "/visit?" + url.Values{"to": {host + "/sales"}, "nonce": {nonce}}.Encode()).Header.Get("Location")
	wantStatus(t, "a ticket for another browser", victim.get(to), http.StatusBadRequest)
	wantStatus(t, "in that browser, afterwards", eve.get(to), http.StatusBadRequest)

	late := ticket(victim)
	w.sql(t, `DELETE FROM host_session`)
	wantStatus(t, "sign-out", victim.post(w.app+"/sign-out", nil), http.StatusSeeOther)
	wantStatus(t, "after the sign-out", victim.get(late), http.StatusBadRequest)
	if n := w.count(t, `SELECT count(*) FROM host_session`) +
		w.count(t, `SELECT count(*) FROM host_ticket WHERE session_hash NOT IN (SELECT hash FROM web_session)`); n != 0 {
		t.Errorf("%d sessions or tickets are left", n)
	}
}

func hashOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// A session of one host is not valid on another, and ends with the membership.
func TestHostSession(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.signedIn(t, "ana@example.com")
	w.workspace(t, "acme", "ana@example.com")
	b := w.signedIn(t, "bo@example.com")
	if _, err := w.store.Members.AddMember(t.Context(), uuid.Nil, "acme", "bo@example.com", "member"); err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"acme.", "other."} {
		if a := b.follow(b.get("http://" + host + w.domain + "/x")); a.body != "signed in as bo@example.com" {
			t.Fatal(a.body)
		}
	}
	acme, err := url.Parse("http://acme." + w.domain)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range b.c.Jar.Cookies(acme) {
		a := do(t, w.http, request(t, http.MethodGet, "http://third."+w.domain+"/x", nil, "Cookie", c.Name+"="+c.Value))
		wantStatus(t, c.Name+" on another host", a, http.StatusFound)
		a = do(t, w.http, request(t, http.MethodGet, w.app+"/", nil, "Cookie", c.Name+"="+c.Value))
		wantStatus(t, c.Name+" on the app", a, http.StatusUnauthorized)
	}
	if err := w.store.Members.RemoveMember(t.Context(), "acme", "bo@example.com"); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, "after the removal", b.get("http://acme."+w.domain+"/x"), http.StatusFound)
	wantStatus(t, "elsewhere", b.get("http://other."+w.domain+"/x"), http.StatusOK)
}

// On https every cookie is Secure, bound to its host by its name, and out of
// reach of scripts (decision 56).
func TestCookies(t *testing.T) {
	t.Parallel()
	w := setup(t)
	s, err := auth.New(t.Context(), auth.Config{
		BaseURL: "https://mcp.example.com", AppURL: "https://app.d.example", DashboardDomain: "D.example",
		OIDC: auth.OIDC{Issuer: w.issuer, ClientID: "service", ClientSecret: "x"}, Store: w.store,
	})
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, h http.HandlerFunc, target string) string {
		t.Helper()
		rec := httptest.NewRecorder()
		h(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil))
		cookies := rec.Result().Cookies()
		if len(cookies) != 1 {
			t.Fatalf("%s: %d cookies, status %d", target, len(cookies), rec.Code)
		}
		c := cookies[0]
		if c.Name != name || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
			t.Errorf("%s: %s", target, c)
		}
		return rec.Header().Get("Location")
	}
	check("__Host-sign-in", s.SignIn, "https://app.d.example/sign-in")
	if to := check("__Host-visit", s.StartVisit, "https://acme.d.example/x"); !strings.HasPrefix(to, "https://app.d.example/visit?") ||
		!strings.Contains(to, "to=https%3A%2F%2Facme.d.example%2Fx") {
		t.Errorf("to %s", to)
	}
	rec := httptest.NewRecorder()
	s.SignOut(rec, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://app.d.example/sign-out", nil))
	if got := rec.Header().Get("Set-Cookie"); got != "__Host-session=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax" {
		t.Errorf("sign-out: %s", got)
	}

	// A sibling host cannot set a cookie whose name begins with __Host-, and over https other cookies do
	// not count.
	planted := w.signedIn(t, "eve@example.com")
	u, err := url.Parse(w.app)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range planted.c.Jar.Cookies(u) {
		if !strings.HasPrefix(c.Name, "session") {
			continue
		}
		for name, counts := range map[string]bool{
			"__Host-session": true, "session": false, c.Name: false, "session_443": false,
			"__host-session": false, "__Secure-session": false, "__HOST-SESSION": false,
			"\u2000__Host-session": false, "=__Host-session": false, "x=__Host-session": false,
			"__Host-session; __Host-session": false, "__Host-session=x; __Host-session": false,
		} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://app.d.example/", nil)
			r.Header.Set("Cookie", name+"="+c.Value)
			if session, ok, err := s.Session(r); ok != counts || err != nil {
				t.Errorf("cookie %s: signed in %v as %s, %v", name, ok, session.Account.Email, err)
			}
		}
	}

	// The same over http, for those that carry a session.
	b := w.browser(t)
	a := b.get("http://acme." + w.domain + "/x")
	for range 20 {
		for _, c := range a.Cookies() {
			if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Domain != "" || c.Secure || c.Path != "/" {
				t.Errorf("%s: %s", a.Request.URL.Path, c)
			}
		}
		if strings.Contains(a.body, "Development sign-in") {
			a = b.post(a.Request.URL.String(), url.Values{"email": {"ana@example.com"}})
			continue
		}
		if a.StatusCode == http.StatusOK {
			break
		}
		a = b.get(a.to(t).String())
	}
	if a.body != "signed in as ana@example.com" {
		t.Errorf("ended at %s", a.Request.URL)
	}
}

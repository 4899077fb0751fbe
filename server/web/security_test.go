package web

import (
	"encoding/base64"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"service/auth"
	"service/store"
)

// guarded fails the test if an answer can be shown in a frame, or kept in a shared cache.
func guarded(t *testing.T, what string, r reply) {
	t.Helper()
	if !strings.Contains(r.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		t.Errorf("%s: %d without protection: %v", what, r.status, r.header)
	}
	if r.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s: Cache-Control: %s", what, r.header.Get("Cache-Control"))
	}
	for name := range r.header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("%s: other origins may read it: %s", what, name)
		}
	}
}

// Dashboards are other people's pages on sibling hosts, which are the same site as the
// app, so requests from there must not change anything. The test also sends each request
// from the app itself, where it does change something.
func TestPostsFromElsewhereAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v := s.victim(t)
	sibling := strings.Replace(s.url, "app.", "engine.", 1)
	attacks := map[string]http.Header{
		"from a sibling":                         {"Sec-Fetch-Site": {"same-site"}, "Origin": {sibling}},
		"from a sibling that hides its origin":   {"Sec-Fetch-Site": {"same-site"}, "Origin": {"null"}},
		"from a sibling without an origin":       {"Sec-Fetch-Site": {"same-site"}},
		"from a sibling, in an old browser":      {"Origin": {sibling}},
		"from the MCP host":                      {"Origin": {s.base}},
		"from another port":                      {"Sec-Fetch-Site": {"same-site"}, "Origin": {"http://app.localhost:1"}},
		"from another port, in an old browser":   {"Origin": {"http://app.localhost:1"}},
		"from afar":                              {"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}},
		"from afar without an origin":            {"Sec-Fetch-Site": {"cross-site"}},
		"from a sandboxed frame":                 {"Sec-Fetch-Site": {"cross-site"}, "Origin": {"null"}},
		"from a sandboxed frame, old browser":    {"Origin": {"null"}},
		"from a name that begins like the app's": {"Origin": {s.url + ".evil.example"}},
		"from a name that ends like the app's":   {"Origin": {strings.Replace(s.url, "app.", "evilapp.", 1)}},
		"by a word that browsers do not say":     {"Sec-Fetch-Site": {"same-origin, cross-site"}, "Origin": {sibling}},
		"with two origins":                       {"Origin": {sibling, s.url}},
		"as the user's own doing, by a forger":   {"Sec-Fetch-Site": {"cross-site", "none"}, "Origin": {sibling}},
	}
	p := v.once()
	encodings := []string{"application/x-www-form-urlencoded", "multipart/form-data", "text/plain"}
	names := slices.Sorted(maps.Keys(attacks))
	before := s.state(t)
	for i, d := range v.deeds {
		for j, name := range names {
			r := d.encoded(p, encodings[(i+j)%len(encodings)])
			maps.Copy(r.Header, attacks[name])
			got := p.do(r).want(http.StatusForbidden)
			if d.route != "/sign-out" && !strings.Contains(got.body, "nothing was changed") {
				t.Errorf("%s, %s: %s", d.route, name, got.body)
			}
			if len(got.header["Set-Cookie"]) > 0 {
				t.Errorf("%s, %s: it sets a cookie", d.route, name)
			}
			guarded(t, d.route+", "+name, got)
		}
		if diff := cmp.Diff(before, s.state(t)); diff != "" {
			t.Fatalf("attacks on %s changed something (-before +after):\n%s", d.route, diff)
		}
	}
	for _, d := range v.deeds {
		before := s.state(t)
		r := d.request(p)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		r.Header.Set("Origin", s.url)
		if got := p.do(r); got.status >= 400 {
			t.Errorf("%s from the app itself: %d\n%s", d.route, got.status, got.body)
		}
		if cmp.Equal(before, s.state(t)) {
			t.Errorf("%s from the app itself changes nothing, so the attacks prove nothing", d.route)
		}
		if d.route == "/account/sessions/end-all" || d.route == "/account/delete" {
			v.signIn("/sign-in", "ada@lovelace.org")
		}
	}
}

// GET requests, and methods that an address does not accept, change nothing: links,
// images and prefetching browsers send such requests from anywhere.
func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v := s.victim(t)
	p := v.once()
	// Rows that a sign-in writes before there is a session, except for the rate limit of
	// its address. They are useless without the cookie of the browser that began it.
	begun := map[string]string{"/sign-in": "sign_in", "/visit": "host_ticket"}
	before := s.state(t)
	for route, path := range v.pages {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			got := p.do(p.request(method, path, nil))
			if got.status >= 500 {
				t.Errorf("%s %s: %d\n%s", method, path, got.status, got.body)
			}
			after := s.state(t)
			if table := begun[route]; table != "" {
				others := cmpopts.IgnoreMapEntries(func(name, _ string) bool { return name == table || name == "rate_counter" })
				if diff := cmp.Diff(before, after, others); diff != "" || before[table] == after[table] {
					t.Errorf("%s %s changed more than %s, or nothing (-before +after):\n%s", method, route, table, diff)
				}
				before = after
			} else if diff := cmp.Diff(before, after); diff != "" {
				t.Fatalf("%s %s changed something (-before +after):\n%s", method, route, diff)
			}
		}
	}
	for _, d := range v.deeds {
		for _, method := range []string{
			http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodTrace, "post",
		} {
			if _, page := v.pages[d.route]; page && (method == http.MethodGet || method == http.MethodHead) {
				continue // tested above
			}
			r := d.request(p)
			r.Method = method
			r.URL.RawQuery = d.form.Encode()
			r.Header.Set("X-HTTP-Method-Override", http.MethodPost)
			got := p.do(r).want(http.StatusMethodNotAllowed)
			guarded(t, method+" "+d.route, got)
		}
	}
	if diff := cmp.Diff(before, s.state(t)); diff != "" {
		t.Errorf("methods that are not taken changed something (-before +after):\n%s", diff)
	}
}

func TestSignedOutPostsChangeNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v := s.victim(t)
	p := s.browser(t).once()
	before := s.state(t)
	for _, d := range v.deeds {
		if d.route == "/unsubscribe" || d.route == "/channels/leave" { // their links suffice: see TestUnsubscribe and TestLeaveChannel
			continue
		}
		switch got := p.do(d.request(p)); d.route {
		case "/sign-out", "/theme", "/consent": // open to everybody
		default:
			got.want(http.StatusForbidden, "You are signed out", `href="/sign-in?return_to=%2f"`)
		}
		if diff := cmp.Diff(before, s.state(t)); diff != "" {
			t.Fatalf("%s, signed out, changed something (-before +after):\n%s", d.route, diff)
		}
	}
}

// On every route, a workspace of other people looks like one that does not exist, and so
// does everything in it.
func TestStrangersFindNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v := s.victim(t)
	p, _ := s.owner(t, "mallory@evil.example", "lair")
	missing := p.get("/w/missing/").want(http.StatusNotFound)
	for route, path := range v.pages {
		if !strings.HasPrefix(route, "/w/") {
			continue
		}
		foreign := p.get(path).want(http.StatusNotFound)
		same := strings.ReplaceAll(foreign.body, path, "/w/missing/")
		if diff := cmp.Diff(missing.body, same); diff != "" {
			t.Errorf("%s differs from a missing workspace (-missing +foreign):\n%s", route, diff)
		}
	}
	before := s.state(t)
	for _, d := range v.deeds {
		foreign := strings.HasPrefix(d.route, "/w/")
		if !foreign && !slices.Contains([]string{"/clients/revoke", "/account/sessions/end", "/consent"}, d.route) {
			continue // it only affects the visitor
		}
		if got := p.once().do(d.request(p)); foreign {
			got.want(http.StatusNotFound)
		}
		if diff := cmp.Diff(before, s.state(t)); diff != "" {
			t.Fatalf("%s by a stranger changed something (-before +after):\n%s", d.route, diff)
		}
	}
	for _, path := range []string{
		"/nothing", "/w", "/w/", "/w/lair/nothing", "/consent/", "/assets/app.css", "/index.html", "/w/lair/d/none",
	} {
		p.get(path).want(http.StatusNotFound, "This page does not exist")
	}
	s.browser(t).get("/nothing?a=1").want(http.StatusNotFound, "Sign in", "return_to=%2fnothing%3fa%3d1")
}

// The return path is kept byte for byte.
func TestSignInReturns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.owner(t, "ada@lovelace.org", "engine")
	const path = "/w/engine/?q=a%20b+c&tag=%C3%BC&&x"
	p := s.browser(t)
	away := p.once().get(path).want(http.StatusFound).header.Get("Location")
	back := p.once()
	at := p.signIn(s.url+away, "ada@lovelace.org").want(http.StatusOK)
	if got := at.url.RequestURI(); got != path {
		t.Errorf("returned to %s, want %s", got, path)
	}
	for _, evil := range []string{"//evil.example/", `/\evil.example/`, "https://evil.example/", "/\t/evil.example", "javascript:alert(1)"} {
		res := back.post("/theme", url.Values{"theme": {"dark"}, "return_to": {evil}}).want(http.StatusSeeOther)
		if got := res.header.Get("Location"); got != "/" {
			t.Errorf("return_to %q leads to %s", evil, got)
		}
	}
}

var inline = regexp.MustCompile(`(?i)<style|\sstyle=|<script(?:>| [^>]*>[^<])|\son[a-z]+=|javascript:`)

// Every page works under its own policy.
func TestPolicy(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v := s.victim(t)
	p := v.person
	v.pages["of what is missing"] = "/nothing"
	for route, path := range v.pages {
		page := p.once().get(path)
		if strings.HasPrefix(route, "/assets/") || route == "/favicon.ico" || route == "/robots.txt" {
			page.header.Set("Cache-Control", "no-store") // the same for everybody
		}
		guarded(t, route, page)
		if found := inline.FindString(page.body); found != "" && !strings.HasPrefix(route, "/sign-in") {
			t.Errorf("%s holds %q, which the policy forbids", path, found)
		}
		if page.status >= 300 && page.status < 400 || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") ||
			route == "/connect/calls" || strings.HasPrefix(route, "/sign-in") {
			continue
		}
		policy := page.header.Get("Content-Security-Policy")
		if strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %s", path, policy)
		}
		for _, want := range []string{"default-src 'none'", "base-uri 'none'", "require-trusted-types-for 'script'", "trusted-types answers"} {
			if !slices.Contains(strings.Split(policy, "; "), want) {
				t.Errorf("%s: policy %s lacks %s", path, policy, want)
			}
		}
		for _, want := range []string{`lang="en"`, "<h1>", `href="#main"`, `<main id="main"`, "<title>"} {
			if !strings.Contains(page.body, want) {
				t.Errorf("%s lacks %s", path, want)
			}
		}
	}
	page := p.get("/connect")
	for _, link := range regexp.MustCompile(`(?:href|src)="(/assets/[^"]+)"`).FindAllStringSubmatch(page.body, -1) {
		file := p.get(link[1]).want(http.StatusOK)
		if got := file.header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: Cache-Control %s", link[1], got)
		}
	}
}

// The page of an internal error names the request, and nothing else.
func TestFailure(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.signIn(t, "ada@lovelace.org")
	s.pool.Close()
	r := p.request(http.MethodGet, "/account", nil)
	r.Header.Set("X-Request-Id", "req-4711")
	p.do(r).want(http.StatusInternalServerError, "Something went wrong", "req-4711").lacks("pool", "pgx")
}

func TestMethods(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.browser(t).once()
	for address, allow := range map[string]string{
		"/": "GET, HEAD", "/theme": "POST", "/consent": "GET, HEAD, POST",
		"/w/engine/": "GET, HEAD", "/w/engine/d/sales/refresh": "POST", "/sign-out": "POST",
	} {
		got := p.do(p.request(http.MethodDelete, address, nil)).want(http.StatusMethodNotAllowed)
		if got.header.Get("Allow") != allow {
			t.Errorf("%s: Allow %s, want %s", address, got.header.Get("Allow"), allow)
		}
	}
	p.do(p.request(http.MethodDelete, "/nothing", nil)).want(http.StatusNotFound)
	head := p.do(p.request(http.MethodHead, "/", nil)).want(http.StatusOK)
	if head.body != "" {
		t.Error("HEAD has a body")
	}
	guarded(t, "a form that is too large",
		p.post("/theme", url.Values{"theme": {strings.Repeat("x", maxForm)}}).want(http.StatusRequestEntityTooLarge))
}

func TestTheme(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.browser(t)
	p.post("/theme", url.Values{"theme": {"dark"}, "return_to": {"/?x=1"}}).want(http.StatusOK, `data-theme="dark"`)
	p.post("/theme", url.Values{"theme": {`"><script>`}}).want(http.StatusOK, `data-theme="dark"`)
	p = s.signIn(t, "ada@lovelace.org")
	p.post("/theme", url.Values{"theme": {"light"}, "return_to": {"/account"}}).want(http.StatusOK, `data-theme="light"`)
	s.signIn(t, "ada@lovelace.org").get("/account").want(http.StatusOK, `data-theme="light"`) // the account's, in every browser
}

// Cookies that a sibling host may have set do not count: over https their names lack the
// prefix, and otherwise there are two of one name.
func TestTossedCookies(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	authorization, err := auth.New(t.Context(), auth.Config{
		BaseURL: "https://d.example", AppURL: "https://app.d.example", DashboardDomain: "d.example", Store: s.store,
		OIDC: auth.OIDC{Issuer: "https://id.example", ClientID: "service"},
	})
	if err != nil {
		t.Fatal(err)
	}
	secure := New(Config{
		Store: s.store, Auth: authorization,
		MCPURL: "https://d.example/mcp", AppURL: "https://app.d.example", URL: s.app.URL,
	})
	port := strings.TrimPrefix(s.url, "http://app.localhost:")
	flash := base64.RawURLEncoding.EncodeToString([]byte("Call 0900"))
	for _, tc := range []struct {
		app        *App
		cookies    string
		dark, told bool
	}{
		{secure, "__Host-theme=dark; __Host-flash=" + flash, true, true},
		{secure, "theme=dark; flash=" + flash, false, false},
		{secure, "theme_" + port + "=dark; flash_" + port + "=" + flash, false, false},
		{secure, "__Host-theme=dark; __Host-theme=light; __Host-flash=" + flash + "; __Host-flash=" + flash, false, false},
		{s.app, "theme_" + port + "=dark; flash_" + port + "=" + flash, true, true},
		{s.app, "theme_" + port + "=dark; theme_" + port + "=light; flash_" + port + "=" + flash + "; flash_" + port + "=", false, false},
		{s.app, "theme=dark; flash=" + flash, false, false},
		{s.app, "__Host-theme=dark; __Host-flash=" + flash, false, false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set("Cookie", tc.cookies)
		rec := httptest.NewRecorder()
		tc.app.ServeHTTP(rec, r)
		dark, told := strings.Contains(rec.Body.String(), `data-theme="dark"`), strings.Contains(rec.Body.String(), "Call 0900")
		if dark != tc.dark || told != tc.told {
			t.Errorf("%s: dark %v, told %v", tc.cookies, dark, told)
		}
	}
}

// A request that was shown to one account cannot be allowed by another account that
// signed in later.
func TestConsentOfWhomItWasShownTo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	if _, err := s.store.Members.AddMember(t.Context(), m.Account(), "engine", "bob@lovelace.org", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	shownTo := func(page reply) string {
		t.Helper()
		found := regexp.MustCompile(`name="account" value="([^"]+)"`).FindStringSubmatch(page.body)
		if found == nil {
			t.Fatalf("the page does not name its account:\n%s", page.body)
		}
		return found[1]
	}
	page, handle := p.authorize(s.register(t, "Claude Code", "http://127.0.0.1:4000/callback"))
	answer := url.Values{"request": {handle}, "account": {shownTo(page)}, "workspace": {"engine"}, "decision": {"allow"}}
	p.signIn("/sign-in", "bob@lovelace.org")
	before := s.state(t)
	page = p.post("/consent", answer).want(http.StatusConflict, "bob@lovelace.org", "Your answer was not sent yet")
	if diff := cmp.Diff(before, s.state(t)); diff != "" {
		t.Errorf("it changed something (-before +after):\n%s", diff)
	}
	answer.Set("account", shownTo(page))
	p.once().post("/consent", answer).want(http.StatusSeeOther)
}

// Bytes that are invalid in every field are refused and not logged as failures, so that
// nobody can fill the log with them.
func TestOddBytes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v := s.victim(t)
	p := v.once()
	for _, odd := range []string{"\x00", "\xff", "\u202e" + strings.Repeat("9", 400)} {
		for _, d := range v.deeds {
			for name := range d.form {
				changed := d
				changed.form = maps.Clone(d.form)
				for _, value := range []string{odd, d.form.Get(name) + odd} {
					changed.form.Set(name, value)
					if got := p.do(changed.request(p)); got.status >= 500 {
						t.Errorf("%s with %s=%.20q: %d", d.route, name, value, got.status)
					}
				}
			}
		}
		for route, path := range v.pages {
			before, after, _ := strings.Cut(path, "?")
			query := url.Values{}
			for _, name := range []string{"q", "tag", "after", "kind", "token", "request", "return_to", "to", "sort", "state"} {
				query.Set(name, odd)
			}
			if got := p.get(before + "?" + query.Encode() + "&" + after); got.status >= 500 {
				t.Errorf("%s with %.20q: %d", route, odd, got.status)
			}
		}
		if got := p.send("/w/engine/uploads", "rain"+odd+".csv", "n\n1\n"); got.status >= 500 {
			t.Errorf("a file with %.20q in its name: %d", odd, got.status)
		}
		slug := url.PathEscape(odd)
		for _, path := range []string{"/w/" + slug + "/", "/w/engine/d/" + slug, "/w/engine/connections/" + slug, "/assets/" + slug} {
			if got := p.get(path); got.status >= 500 {
				t.Errorf("%s: %d", path, got.status)
			}
		}
	}
}

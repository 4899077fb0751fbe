package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"
)

// posts are the addresses of every route that changes something, with the
// parameters filled in.
func (s *site) posts(t *testing.T) []string {
	t.Helper()
	var all []string
	fill := strings.NewReplacer("{workspace}", "engine", "{dashboard}", "sales", "{token}", "x",
		"{version}", "0190a8f2-0000-7000-8000-000000000000", "{connection}", "0190a8f2-0000-7000-8000-000000000000", "{upload}", "0190a8f2-0000-7000-8000-000000000000")
	err := chi.Walk(s.app.routes().(chi.Routes), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if method != http.MethodGet {
			if method != http.MethodPost {
				t.Errorf("%s %s: changes are POSTs", method, route)
			}
			all = append(all, strings.ReplaceAll(fill.Replace(route), "/*/", "/"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 27 {
		t.Fatalf("only %d routes found: %v", len(all), all)
	}
	return all
}

// Dashboards are other people's pages on sibling hosts, which are the same site
// as the app: nothing that comes from there may change anything.
func TestPostsFromElsewhereAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, _ := s.owner(t, "ada@lovelace.org", "engine")
	sibling := strings.Replace(s.url, "app.", "engine.", 1)
	for _, address := range s.posts(t) {
		for _, header := range []http.Header{
			{"Sec-Fetch-Site": {"same-site"}, "Origin": {sibling}},
			{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}},
			{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"null"}},
			{"Origin": {sibling}},
			{"Origin": {"null"}},
		} {
			r := p.request(http.MethodPost, address, url.Values{"name": {"x"}, "slug": {"x"}, "email": {"x@y.z"}, "role": {"owner"}, "theme": {"dark"}})
			for name, values := range header {
				r.Header[name] = values
			}
			p.once().do(r).want(http.StatusForbidden, "nothing was changed")
		}
	}
	p.get("/account").want(http.StatusOK, `data-theme="auto"`) // still signed in, and nothing changed
	p.get("/w/engine/members").want(http.StatusOK).lacks("x@y.z")
}

func TestSignedOutPostsChangeNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.owner(t, "ada@lovelace.org", "engine")
	p := s.browser(t).once()
	for _, address := range s.posts(t) {
		switch res := p.post(address, url.Values{"email": {"x@y.z"}, "role": {"owner"}}); address {
		case "/sign-out", "/theme", "/consent": // for everybody
		default:
			res.want(http.StatusForbidden, "You are signed out", `href="/sign-in?return_to=%2f"`)
		}
	}
}

// A workspace of others is a workspace that does not exist, on every route.
func TestStrangersFindNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.owner(t, "ada@lovelace.org", "engine")
	p, _ := s.owner(t, "mallory@evil.example", "lair")
	missing := p.get("/w/missing/").want(http.StatusNotFound)
	for _, path := range []string{"/", "/members", "/connect", "/clients", "/d/sales", "/d/sales/delete", "/connections", "/uploads", "/audit", "/audit.csv", "/settings"} {
		foreign := p.get("/w/engine" + path).want(http.StatusNotFound)
		same := strings.ReplaceAll(foreign.body, "/w/engine"+path, "/w/missing/")
		if diff := cmp.Diff(missing.body, same); diff != "" {
			t.Errorf("%s differs from a missing workspace (-missing +foreign):\n%s", path, diff)
		}
	}
	for _, address := range s.posts(t) {
		if strings.HasPrefix(address, "/w/") {
			p.once().post(address, url.Values{"email": {"mallory@evil.example"}, "role": {"owner"}}).want(http.StatusNotFound)
		}
	}
	for _, path := range []string{"/nothing", "/w", "/w/", "/w/lair/nothing", "/consent/", "/assets/app.css", "/index.html", "/w/lair/d/none"} {
		p.get(path).want(http.StatusNotFound, "There is nothing here")
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

// Every page is whole under the policy it is sent with.
func TestPolicy(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	pages := []string{
		"/", "/connect", "/clients", "/account", "/workspaces/new", "/nothing",
		"/w/engine/", "/w/engine/connect", "/w/engine/clients", "/w/engine/members", "/w/engine/d/sales", "/w/engine/d/sales/delete",
		"/w/engine/connections", "/w/engine/uploads", "/w/engine/audit", "/w/engine/settings",
	}
	for _, path := range pages {
		page := p.get(path)
		if found := inline.FindString(page.body); found != "" {
			t.Errorf("%s holds %q, which the policy forbids", path, found)
		}
		policy := page.header.Get("Content-Security-Policy")
		if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'") {
			t.Errorf("%s: policy %s", path, policy)
		}
		if got := page.header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control %s", path, got)
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

// A failure of ours names the request, and nothing else.
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
		"/": "GET, HEAD", "/theme": "POST", "/consent": "GET, HEAD, POST", "/w/engine/": "GET, HEAD", "/w/engine/d/sales/refresh": "POST", "/sign-out": "POST",
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
	p.post("/theme", url.Values{"theme": {strings.Repeat("x", maxForm)}}).want(http.StatusRequestEntityTooLarge)
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

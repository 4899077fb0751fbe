package main

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/oauth2"

	"service/store/storetest"
)

// A realm is a running program behind a proxy that ends TLS, as in production, on
// dash.localhost, a domain whose hosts can share cookies in browsers. Ada owns acme, bob
// is a member there, sam is signed in and not a member of a workspace, and mallory owns
// lair and controls the pages of a sibling host, evil.
type realm struct {
	*site
	domain string // with the port
	mcp    string // origin of the MCP host
	evil   string // origin of the sibling, at another port: browsers ignore the port for sites and cookies

	ada, bob, sam, mallory *browser
	token                  string // ada's, locked to acme

	turns []turn // the targets of attacks on return paths

	mu     sync.Mutex
	lures  map[string]string // pages of evil, by path
	plants []string          // cookies that evil sets with each page
	came   []string          // requests that reached the program with one of its cookies: method, path and origin
}

// at returns an address on a host below the domain.
func (r *realm) at(label, path string) string { return "https://" + label + "." + r.domain + path }

// lure adds a page to the sibling, and returns its address.
func (r *realm) lure(path, page string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lures[path] = page
	return r.evil + path
}

// plant makes the sibling set cookies.
func (r *realm) plant(cookies ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plants = cookies
}

// visited returns the requests with a session since the last call.
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
	r.site = startSite(t, "SERVICE_BASE_URL="+r.mcp)
	r.app = r.at("app", "")
	program, err := url.Parse("http://127.0.0.1:" + r.port)
	if err != nil {
		t.Fatal(err)
	}
	quiet := log.New(io.Discard, "", 0) // browsers try a certificate twice, and disconnect
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
		_, _ = io.WriteString(w, r.lures[req.URL.Path]) // fails only if the browser has disconnected
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
	for path, body := range map[string]string{
		"notes":         "# Notes\n\nkept by " + canary,
		"data/data.csv": "a,b\n<html><script>document.title='ran'</script>," + canary + "\n",
	} {
		r.publish(t, path, body)
	}
	return r
}

// browser returns a browser that accepts the proxy's certificate.
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

// cookies returns the cookies that b has for a host.
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

// once sends a request without following a redirect. It sends exactly the given cookies.
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
	client := &http.Client{
		Transport:     r.ada.client.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return send(t, client, req)
}

// unwatched are the tables that change without any relevant action.
var unwatched = []string{
	"activity",        // how often dashboards are viewed, written later
	"dashboard_use",   // when somebody opened them last, likewise; favourites are compared
	"rate_counter",    // how often a client has called
	"refresh_process", // the running processes, every ten seconds
}

// state returns the contents of all tables that are compared, by table.
func (s *site) state(t *testing.T) map[string]string {
	t.Helper()
	all := storetest.State(t, s.db, unwatched...)
	var favourites string
	err := s.db.QueryRow(t.Context(), `
		SELECT coalesce(string_agg(account_id || ' ' || dashboard_id, ', ' ORDER BY account_id, dashboard_id), '')
		FROM dashboard_use WHERE starred_at IS NOT NULL`).Scan(&favourites)
	if err != nil {
		t.Fatal(err)
	}
	all["favourites"] = favourites
	return all
}

// unchanged fails the test if any table but the named ones has changed.
func (s *site) unchanged(t *testing.T, what string, before map[string]string, but ...string) {
	t.Helper()
	others := cmpopts.IgnoreMapEntries(func(table, _ string) bool { return slices.Contains(but, table) })
	if diff := cmp.Diff(before, s.state(t), others); diff != "" {
		t.Errorf("%s changed something (-before +after):\n%s", what, diff)
	}
}

// TestAttacks has mallory, who owns a workspace and a sibling host, try the known
// attacks on sessions and hosts (RFC 9700, sections 4.7, 4.11, 4.13 and 4.16).
// server/web tests every form of the app, and auth every cookie and ticket.
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
		{"sessions", (*realm).sessions}, // ends the sessions
	} {
		t.Run(class.name, func(t *testing.T) { class.run(r, t) })
	}
}

// pathsOf returns the paths of all hosts but the app.
func (r *realm) pathsOf() map[string][]string {
	return map[string][]string{
		r.mcp: {
			"/", "/mcp", "/mcp/", "/healthz", "/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource",
			"/.well-known/oauth-protected-resource/mcp", "/register", "/token", "/nothing",
		},
		r.at("acme", ""): {
			"/", "/notes", "/notes/index.html", "/data", "/data/data.csv", "/notes?version=x", "/nothing", "/.session",
			"/.session?ticket=x", "/favicon.ico", "/robots.txt", "/assets/none.js", "/a/b/c", "/%2e%2e/notes",
		},
		r.at("a.b", ""):    {"/", "/notes", "/mcp"},
		r.at("mcp", ""):    {"/", "/notes"},
		r.at("nobody", ""): {"/", "/notes"},
	}
}

// looking requests every address of the other hosts, with every method and all the
// cookies that a browser would send from a sibling: nothing changes. server/web does the
// same for the app.
func (r *realm) looking(t *testing.T) {
	r.ada.get(r.at("acme", "/notes"))
	before := r.state(t)
	for origin, paths := range r.pathsOf() {
		cookies := r.cookies(t, r.ada, origin)
		for _, path := range paths {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"} {
				if method == "POST" && path == "/register" {
					continue // open to the world by design: it reads no cookies
				}
				got := r.once(t, method, origin+path, cookies, strings.NewReader("slug=notes&decision=allow&grant_type=authorization_code"),
					"Content-Type", "application/x-www-form-urlencoded", "Origin", r.evil,
					"Sec-Fetch-Site", "same-site", "X-HTTP-Method-Override", "DELETE")
				if got.status >= 500 {
					t.Errorf("%s %s%s: %d", method, origin, path, got.status)
				}
				if method != "GET" && method != "HEAD" && strings.Contains(got.body, canary) {
					t.Errorf("%s %s%s: it answers with a page", method, origin, path)
				}
				if cors := got.header.Get("Access-Control-Allow-Origin"); cors != "" &&
					(cors != "*" || got.header.Get("Access-Control-Allow-Credentials") != "" || origin != r.mcp) {
					t.Errorf("%s %s%s: other origins may read it: %v", method, origin, path, got.header)
				}
			}
		}
	}
	r.unchanged(t, "asking by every method", before)

	// An authorization request is stored for everybody who opens it, and grants nothing.
	before = r.state(t)
	c := r.register(t)
	r.request(t, r.ada, c)
	r.unchanged(t, "opening an authorization request", before, "oauth_client", "oauth_request")
}

package server

import (
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
)

var verbs = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "BREW"}

func TestMCPTakesOnlyPOST(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, path := range []string{"/mcp", "/mcp/"} {
		for _, verb := range verbs {
			if verb == "POST" {
				continue
			}
			for _, token := range []string{"-", "Bearer acme"} { // clients probe with GET before they have a token
				r := f.do(t, verb, path, "", "Authorization", token)
				if r.status != 405 || !slices.Equal(r.header.Values("Allow"), []string{"POST"}) {
					t.Errorf("%s %s: %d, allow %v", verb, path, r.status, r.header["Allow"])
				}
			}
		}
		same(t, f.do(t, "POST", path, request("1", "ping", "")), 200, result("1", "{}"))
		same(t, f.do(t, "POST", path+"?x=1", request("1", "ping", "")), 200, result("1", "{}"))
	}
}

func TestEveryOtherPathIsNotFound(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, path := range []string{
		"/", "//", "/mcp/x", "/mcpx", "/mcp//", "//mcp", "/MCP", "/%6Dcp", "/./mcp", "/x/../mcp",
		"/mcp%2F", "/mcp;x", "/sse", "/healthz/", "/register/", "/consent", "/sign-in",
		"/metrics", "/livez", "/readyz", "/debug/pprof/", "/revoke",
		"/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/mcp",
		"/.well-known/oauth-protected-resource/", "/.well-known/oauth-protected-resource/mcp//", "/.well-known/oauth-protected-resource/other",
		"/robots.txt", "/favicon.ico", "/acme/sales",
	} {
		for _, verb := range verbs {
			if r := f.do(t, verb, path, request("1", "ping", "")); r.status != 404 || r.header.Get("Location") != "" {
				t.Errorf("%s %s: %d", verb, path, r.status)
			}
		}
	}
}

// net/http would answer OPTIONS * itself.
func TestOPTIONSOfTheServerIsNotFound(t *testing.T) {
	t.Parallel()
	r := run(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "OPTIONS * HTTP/1.1\r\nHost: mcp.example.test\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 404 ") {
		t.Errorf("%v, %.200s", err, got)
	}
}

func TestRoutesOfTheMCPHost(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for path, route := range map[string]struct{ allow, says string }{
		"/healthz": {"GET, HEAD", "ok"},
		"/.well-known/oauth-authorization-server":     {"GET, HEAD, OPTIONS", "server metadata"},
		"/.well-known/oauth-protected-resource":       {"GET, HEAD, OPTIONS", "resource metadata"},
		"/.well-known/oauth-protected-resource/mcp":   {"GET, HEAD, OPTIONS", "resource metadata"},
		"/.well-known/oauth-protected-resource/mcp/":  {"GET, HEAD, OPTIONS", "resource metadata"},
		"/.well-known/oauth-protected-resource?a=%zz": {"GET, HEAD, OPTIONS", "resource metadata"},
		"/register":           {"POST, OPTIONS", "register"},
		"/authorize":          {"GET", "authorize"},
		"/authorize?client=1": {"GET", "authorize"},
		"/token":              {"POST, OPTIONS", "token"},
	} {
		for _, verb := range verbs {
			r := f.do(t, verb, path, "", "Authorization", "-")
			if slices.Contains(strings.Split(route.allow, ", "), verb) {
				if r.status != 200 || verb != "HEAD" && r.body != route.says {
					t.Errorf("%s %s: %d %q", verb, path, r.status, r.body)
				}
			} else if r.status != 405 || r.header.Get("Allow") != route.allow {
				t.Errorf("%s %s: %d, allow %q", verb, path, r.status, r.header.Get("Allow"))
			}
		}
	}
	if r := f.do(t, "GET", "/healthz", ""); r.body != "ok" || r.header.Get("Content-Type") != "text/plain" {
		t.Errorf("healthz: %+v", r)
	}
}

func TestHostDecides(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for host, says := range map[string]string{
		"mcp.example.test":        "mcp", // has the form of a workspace's host, but is the base URL's
		"MCP.Example.Test:443":    "mcp",
		"example.test":            "mcp",
		"127.0.0.1:8080":          "mcp",
		"[::1]:8080":              "mcp",
		"elsewhere.example":       "mcp",
		"app.example.test.evil":   "mcp",
		"notexample.test":         "mcp",
		"a.b.example.test":        "mcp",
		".example.test":           "mcp",
		"app.example.test":        "web",
		"APP.EXAMPLE.TEST:8443":   "web",
		"app.example.test.":       "web",
		"acme.example.test":       "host",
		"Acme.Example.Test:12345": "host",
		"www.example.test":        "host",
	} {
		want := says
		if says == "mcp" {
			want = "ok"
		}
		if r := f.do(t, "GET", "/healthz", "", "Host", host); r.status != 200 || r.body != want {
			t.Errorf("%s: %d %q, want %q", host, r.status, r.body, want)
		}
	}
	for _, host := range []string{"app.example.test", "acme.example.test"} {
		if r := f.do(t, "POST", "/mcp", request("1", "ping", ""), "Host", host); r.body == result("1", "{}") {
			t.Errorf("%s answers JSON-RPC", host)
		}
	}
}

// Behind a proxy that passes on another Host, everything but the probes is not found. The answer names what to compare, also for
// methods that no route has.
func TestUnknownHostNamesTheSettings(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, host := range []string{"127.0.0.1:8080", "backend", "a.b.example.test"} {
		for _, verb := range []string{"GET", "POST", "BREW"} {
			r := f.do(t, verb, "/", "", "Host", host)
			want := "404 page not found: this service has no host of this name.\n" +
				"Its hosts are mcp.example.test (SERVICE_BASE_URL), app.example.test and <workspace>.example.test (SERVICE_DASHBOARD_DOMAIN).\n" +
				"A proxy must pass on the Host header of the request, and these settings must have the names by which people reach the proxy.\n"
			if r.status != 404 || r.body != want || !strings.HasPrefix(r.header.Get("Content-Type"), "text/plain") {
				t.Errorf("%s / on %s: %d %q", verb, host, r.status, r.body)
			}
		}
	}
	if r := f.do(t, "GET", "/", "", "Host", "mcp.example.test"); r.body != "404 page not found\n" {
		t.Errorf("the MCP host answers %q", r.body)
	}
}

// Browsers treat a name with a trailing dot as another host, so a sign-in that ends on
// the host without it would not have its cookies.
func TestWorkspaceHostHasOneSpelling(t *testing.T) {
	t.Parallel()
	hosts := make(chan string, 10)
	f := setup(t, func(c *Config) {
		c.Host = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { hosts <- r.Host })
	})
	for _, host := range []string{"acme.example.test", "Acme.Example.TEST", "acme.example.test:8443"} {
		f.do(t, "GET", "/sales", "", "Host", host)
		if got := <-hosts; got != strings.ToLower(host) {
			t.Errorf("%s became %s", host, got)
		}
	}
	for host, want := range map[string]string{
		"acme.example.test.":      "https://acme.example.test//a%2Fb/../c?x=%zz",
		"Acme.example.test.:8443": "https://acme.example.test//a%2Fb/../c?x=%zz",
	} {
		r := f.do(t, "GET", "//a%2Fb/../c?x=%zz", "", "Host", host)
		if got := r.header.Get("Location"); r.status != http.StatusPermanentRedirect || got != want {
			t.Errorf("%s: %d to %q, want %q", host, r.status, got, want)
		}
	}
}

func TestHostsGetPathsAsSent(t *testing.T) {
	t.Parallel()
	paths := make(chan string, 2)
	f := setup(t, func(c *Config) {
		c.Host = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { paths <- r.RequestURI })
	})
	for _, target := range []string{"//a/../b%2Fc?x=%zz&y=+", "/sales/"} {
		f.do(t, "GET", target, "", "Host", "acme.example.test")
		if got := <-paths; got != target {
			t.Errorf("got %q, want %q", got, target)
		}
	}
}

func TestConfigurationIsChecked(t *testing.T) {
	t.Parallel()
	good := setup(t).server.config
	for name, change := range map[string]func(*Config){
		"base URL":  func(c *Config) { c.BaseURL = "mcp.example.test" },
		"Auth":      func(c *Config) { c.Auth = nil },
		"Tools":     func(c *Config) { c.Tools = nil },
		"Prompts":   func(c *Config) { c.Prompts = nil },
		"Resources": func(c *Config) { c.Resources = nil },
	} {
		bad := good
		change(&bad)
		if _, err := New(bad); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

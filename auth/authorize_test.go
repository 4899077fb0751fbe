package auth_test

import (
	"context"
	"crypto/rand"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"service/auth"
)

// Until client and redirect URI are known to belong together, nobody is sent
// anywhere (RFC 9700, sections 4.1 and 4.11).
func TestAuthorizeNeverRedirects(t *testing.T) {
	t.Parallel()
	w := setup(t)
	c := w.client(t, `{"redirect_uris":["https://c.example/cb","http://localhost:1/cb"]}`)
	c.redirect = "https://c.example/cb"
	good := c.authorizeURL()
	tests := []struct {
		name, url string
		status    int
		code      string
	}{
		{"unknown client", c.authorizeURL("client_id", "4c9e6c2e-0e0c-4d1c-9d55-0d8f2e9b8f00"), http.StatusUnauthorized, "invalid_client"},
		{"client id that is none", c.authorizeURL("client_id", "x"), http.StatusUnauthorized, "invalid_client"},
		{"client id with NUL", c.authorizeURL("client_id", "\x00"), http.StatusUnauthorized, "invalid_client"},
		{"client id in another form", c.authorizeURL("client_id", "{"+c.id+"}"), http.StatusUnauthorized, "invalid_client"},
		{"no client", c.authorizeURL("client_id", ""), http.StatusUnauthorized, "invalid_client"},
		{"two clients", good + "&client_id=" + c.id, http.StatusBadRequest, "invalid_request"},
		{"no redirect", c.authorizeURL("redirect_uri", ""), http.StatusBadRequest, "invalid_request"},
		{"two redirects", good + "&redirect_uri=" + url.QueryEscape(c.redirect), http.StatusBadRequest, "invalid_request"},
		{"two redirects, evil last", good + "&redirect_uri=https://evil.example/", http.StatusBadRequest, "invalid_request"},
		{"malformed query", good + "&%zz", http.StatusBadRequest, "invalid_request"},
		{"semicolons", good + ";x=1", http.StatusBadRequest, "invalid_request"},
		{"a query without end", good + "&x=" + strings.Repeat("x", 17<<10), http.StatusBadRequest, "invalid_request"},
	}
	for _, uri := range []string{
		"https://evil.example/", "https://c.example/cb/", "https://c.example/cb?",
		"https://c.example/cb?x=1", "https://c.example/cb#x", "https://c.example/CB",
		"https://c.example:8443/cb", "http://c.example/cb", "https://c.example.evil.example/cb",
		"https://c.example@evil.example/cb", "https://c.example/cb/../x",
		"//c.example/cb", "javascript:alert(1)", "javascript://c.example/cb",
		"data:text/html,x", "http://127.0.0.1:1/cb", "http://localhost:1/other", "",
	} {
		tests = append(tests, struct {
			name, url string
			status    int
			code      string
		}{"redirect to " + uri, c.authorizeURL("redirect_uri", uri), http.StatusBadRequest, "invalid_request"})
	}
	for _, test := range tests {
		a := do(t, w.http, request(t, http.MethodGet, test.url, nil))
		if a.StatusCode != test.status || a.Header.Get("Location") != "" || !strings.Contains(a.body, test.code) {
			t.Errorf("%s: status %d to %q: %s", test.name, a.StatusCode, a.Header.Get("Location"), a.body)
		}
		csp := a.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") ||
			!strings.Contains(csp, "frame-ancestors 'none'") || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers %v", test.name, a.Header)
		}
	}
	w.pool.Close()
	if a := do(t, w.http, request(t, http.MethodGet, good, nil)); a.StatusCode != http.StatusServiceUnavailable ||
		a.Header.Get("Location") != "" {
		t.Errorf("no database: status %d", a.StatusCode)
	}
}

// TestRedirectsOfEarlierReleases: 0.6.0 registered schemes that open other programs than the client.
// Browsers are no longer redirected to them.
func TestRedirectsOfEarlierReleases(t *testing.T) {
	t.Parallel()
	w := setup(t)
	c := w.client(t)
	for uri, status := range map[string]int{
		"ms-msdt:/id": http.StatusBadRequest, "search-ms:query=x": http.StatusBadRequest, "http://example.com/cb": http.StatusBadRequest,
		"cursor://anysphere.cursor-mcp/oauth/callback": http.StatusSeeOther,
	} {
		w.sql(t, `UPDATE oauth_client SET redirect_uris = ARRAY[$1]`, uri)
		for what, address := range map[string]string{
			"a request": c.authorizeURL("redirect_uri", uri), "a mistake": c.authorizeURL("redirect_uri", uri, "response_type", "token"),
		} {
			a := do(t, w.http, request(t, http.MethodGet, address, nil))
			if a.StatusCode != status || (a.Header.Get("Location") != "") != (status == http.StatusSeeOther) {
				t.Errorf("%s to return to %s: status %d to %q", what, uri, a.StatusCode, a.Header.Get("Location"))
			}
			if status == http.StatusBadRequest && (!strings.Contains(a.body, "invalid_request") || strings.Contains(a.body, uri)) {
				t.Errorf("%s to return to %s: %s", what, uri, a.body)
			}
		}
	}
}

// Other errors are returned to the client, with state and issuer.
func TestAuthorizeTellsTheClient(t *testing.T) {
	t.Parallel()
	w := setup(t)
	c := w.client(t)
	good := c.authorizeURL()
	tests := []struct{ name, url, code string }{
		{"no response type", c.authorizeURL("response_type", ""), "invalid_request"},
		{"implicit", c.authorizeURL("response_type", "token"), "unsupported_response_type"},
		{"hybrid", c.authorizeURL("response_type", "code id_token"), "unsupported_response_type"},
		{"no PKCE", c.authorizeURL("code_challenge", "", "code_challenge_method", ""), "invalid_request"},
		{"no challenge", c.authorizeURL("code_challenge", ""), "invalid_request"},
		{"no method, which means plain", c.authorizeURL("code_challenge_method", ""), "invalid_request"},
		{"plain", c.authorizeURL("code_challenge_method", "plain"), "invalid_request"},
		{"s256", c.authorizeURL("code_challenge_method", "s256"), "invalid_request"},
		{"short challenge", c.authorizeURL("code_challenge", "abc"), "invalid_request"},
		{"challenge in another alphabet", c.authorizeURL("code_challenge", strings.Repeat("+", 43)), "invalid_request"},
		{"fragment mode", c.authorizeURL("response_mode", "fragment"), "invalid_request"},
		{"form mode", c.authorizeURL("response_mode", "form_post"), "invalid_request"},
		{"request object", c.authorizeURL("request", "eyJ"), "invalid_request"},
		{"request URI", c.authorizeURL("request_uri", "https://evil.example/"), "invalid_request"},
		{"repeated scope", good + "&scope=x", "invalid_request"},
		{"repeated challenge", good + "&code_challenge=" + strings.Repeat("a", 43), "invalid_request"},
		{"another resource", c.authorizeURL("resource", "https://evil.example/mcp"), "invalid_target"},
		{"a resource that starts alike", c.authorizeURL("resource", w.base+"/mcp/x"), "invalid_target"},
		{"two resources", good + "&resource=https://evil.example/mcp", "invalid_target"},
	}
	for _, test := range tests {
		a := do(t, w.http, request(t, http.MethodGet, test.url, nil))
		u := a.to(t)
		q := u.Query()
		if a.StatusCode != http.StatusSeeOther || !strings.HasPrefix(u.String(), callback+"?") || q.Get("error") != test.code ||
			q.Get("error_description") == "" || q.Get("state") != c.state || q.Get("iss") != w.base || q.Has("code") {
			t.Errorf("%s: status %d to %s", test.name, a.StatusCode, u)
		}
	}
	for name, address := range map[string]string{
		"no state": c.authorizeURL("state", "", "response_type", "token"), "two states": good + "&state=other",
		"state with NUL": c.authorizeURL("state", "\x00"), "state that is no text": c.authorizeURL("state", "\xff"),
	} {
		if u := do(t, w.http, request(t, http.MethodGet, address, nil)).to(t); u.Query().Has("state") || u.Query().Get("error") == "" {
			t.Errorf("%s: %s", name, u)
		}
	}
	if n := w.count(t, `SELECT count(*) FROM oauth_request`); n != 0 {
		t.Errorf("%d refused requests were stored", n)
	}
	w.sql(t, `ALTER TABLE oauth_request RENAME TO away`)
	if u := do(t, w.http, request(t, http.MethodGet, good, nil)).to(t); u.Query().Get("error") != "temporarily_unavailable" ||
		u.Query().Get("state") != c.state {
		t.Errorf("no table: %s", u)
	}
}

// A browser is not redirected to a site without a click because of an error that the owner of the site
// can cause.
func TestErrorsNeedAClick(t *testing.T) {
	t.Parallel()
	w := setup(t)
	c := w.client(t, `{"redirect_uris":["https://evil.example/cb","https://localhost:1/cb","com.example.app:/cb"]}`)
	for redirect, click := range map[string]bool{
		"https://evil.example/cb": true, "https://localhost:1/cb": false, "com.example.app:/cb": false,
	} {
		c.redirect = redirect
		a := do(t, w.http, request(t, http.MethodGet, c.authorizeURL("response_type", "token"), nil))
		if !click {
			if a.StatusCode != http.StatusSeeOther || a.to(t).Query().Get("error") != "unsupported_response_type" {
				t.Errorf("%s: status %d to %s", redirect, a.StatusCode, a.Header.Get("Location"))
			}
			continue
		}
		link := html.UnescapeString(a.body)
		if a.StatusCode != http.StatusBadRequest || a.Header.Get("Location")+a.Header.Get("Refresh") != "" ||
			!strings.Contains(link, "unsupported_response_type: response_type must be code.") ||
			!strings.Contains(link, `<a href="`+redirect+"?error=unsupported_response_type&") || !strings.Contains(link, "state="+c.state) {
			t.Errorf("%s: status %d, %s", redirect, a.StatusCode, a.body)
		}
	}
	w.sql(t, `ALTER TABLE oauth_request RENAME TO away`)
	c.redirect = "https://evil.example/cb"
	if a := do(t, w.http, request(t, http.MethodGet, c.authorizeURL(), nil)); a.StatusCode != http.StatusServiceUnavailable ||
		a.Header.Get("Location") != "" || a.Header.Get("Retry-After") == "" {
		t.Errorf("no table: status %d to %q", a.StatusCode, a.Header.Get("Location"))
	}
}

func TestAuthorizeStoresTheRequest(t *testing.T) {
	t.Parallel()
	w := setup(t)
	c := w.client(t, `{"client_name":"Test client","redirect_uris":["http://127.0.0.1:1/cb?a=%20b"]}`)
	c.redirect = "http://127.0.0.1:61234/cb?a=%20b"
	for name, address := range map[string]string{
		"everything":               c.authorizeURL(),
		"no scope":                 c.authorizeURL("scope", ""),
		"scopes there are none of": c.authorizeURL("scope", "openid offline_access"),
		"no resource":              c.authorizeURL("resource", ""),
		"the origin":               c.authorizeURL("resource", w.base),
		"the origin and a slash":   c.authorizeURL("resource", w.base+"/"),
		"the endpoint and a slash": c.authorizeURL("resource", w.base+"/mcp/"),
		"parameters of others":     c.authorizeURL("prompt", "consent", "nonce", "x"),
	} {
		a := do(t, w.http, request(t, http.MethodGet, address, nil))
		u := a.to(t)
		if a.StatusCode != http.StatusSeeOther || !strings.HasPrefix(u.String(), w.app+"/consent?request=") ||
			a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: status %d to %s", name, a.StatusCode, u)
			continue
		}
		p, err := w.auth.PendingRequest(t.Context(), u.Query().Get("request"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.ClientName != "Test client" || p.RedirectURI != c.redirect || p.RedirectHost != "127.0.0.1:61234" || !p.Loopback || p.PrivateUse ||
			p.FormAction != "http://127.0.0.1:61234" || p.Scope != "dashboards" || !p.Expires.Equal(w.clock.Now().Add(30*time.Minute)) {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if n := w.count(t, `SELECT count(*) FROM oauth_request WHERE resource = $1`, w.base+"/mcp"); n != 8 {
		t.Errorf("%d requests for the canonical resource, want 8", n)
	}
}

// The consent screen gets the properties of other kinds of redirect URI.
func TestPendingRequest(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for uri, want := range map[string]struct {
		host, action  string
		loopback, app bool
	}{
		"https://claude.ai/api/mcp/auth_callback":      {"claude.ai", "https://claude.ai", false, false},
		"http://[::1]:99/cb":                           {"[::1]:99", "http:", true, false},
		"cursor://anysphere.cursor-mcp/oauth/callback": {"cursor:", "cursor:", false, true},
	} {
		c := w.client(t, `{"redirect_uris":["`+uri+`"]}`)
		c.redirect = uri
		p, err := w.auth.PendingRequest(t.Context(), c.handle())
		if err != nil || p.RedirectHost != want.host || p.FormAction != want.action || p.Loopback != want.loopback || p.PrivateUse != want.app {
			t.Errorf("%s: %+v, %v", uri, p, err)
		}
	}
}

// TestBadTokensAreAnsweredLate has one address send many tokens that are not good, and one good token. Requests without a
// token do not count, because clients begin with one.
func TestBadTokensAreAnsweredLate(t *testing.T) {
	t.Parallel()
	held := 0
	w := setup(t, func(c *auth.Config) { c.Delay = func(context.Context) { held++ } })
	_, _, tokens := w.connected(t, "ana@example.com", "acme")
	ask := func(token string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, w.base+"/mcp", nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		rec := httptest.NewRecorder()
		w.mcp.ServeHTTP(rec, r)
		return rec.Code
	}
	for range 400 {
		if code := ask(""); code != http.StatusUnauthorized {
			t.Fatal(code)
		}
	}
	if held != 0 {
		t.Errorf("%d requests without a token are held", held)
	}
	for range 700 {
		if code := ask("svc_at_" + rand.Text()); code != http.StatusUnauthorized {
			t.Fatal(code)
		}
	}
	if held < 100 || held > 400 { // a window may end in between
		t.Errorf("%d of 700 bad tokens are held", held)
	}
	before := held
	if code := ask(tokens.access); code != http.StatusOK || held != before {
		t.Errorf("a good token: %d, held: %t", code, held > before)
	}
}

// TestFloodsStoreLittle has one address begin 2,000 authorizations and 2,000 sign-ins, and request
// 2,000 tokens.
func TestFloodsStoreLittle(t *testing.T) {
	t.Parallel()
	w := setup(t)
	c := w.client(t)
	flood := func(name, method, target string, handler http.HandlerFunc, most int) {
		t.Helper()
		var refused atomic.Int64
		var wg sync.WaitGroup
		for range 2000 { // concurrently: requests that wait for each other are counted too
			wg.Go(func() {
				rec := httptest.NewRecorder()
				r := httptest.NewRequestWithContext(t.Context(), method, target, nil)
				if handler(rec, r); rec.Code != http.StatusTooManyRequests {
					return
				}
				if refused.Add(1); rec.Header().Get("Retry-After") != "60" {
					t.Errorf("%s: %v", name, rec.Header())
				}
			})
		}
		wg.Wait()
		if n := refused.Load(); n < int64(2000-2*most) { // a window may end in between
			t.Errorf("%s: %d are refused", name, n)
		}
	}
	flood("authorize", http.MethodGet, c.authorizeURL(), w.auth.Authorize, 120)
	flood("sign-in", http.MethodGet, w.app+"/sign-in", w.auth.SignIn, 120)
	flood("token", http.MethodPost, w.base+"/token", w.auth.Token, 1200)
	var requests, signIns int
	err := w.pool.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM oauth_request), (SELECT count(*) FROM sign_in)").
		Scan(&requests, &signIns)
	if err != nil || requests > 240 || signIns > 240 {
		t.Errorf("%d requests, %d sign-ins, %v", requests, signIns, err)
	}
}

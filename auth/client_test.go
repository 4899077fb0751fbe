package auth_test

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
)

// client is a registered MCP client with one authorization under way.
type client struct {
	*world
	t                    *testing.T
	id, secret, redirect string
	verifier, state      string
}

const callback = "http://127.0.0.1:1234/callback"

func (w *world) register(t *testing.T, metadata string) answer {
	t.Helper()
	return do(t, w.http, request(t, http.MethodPost, w.base+"/register", strings.NewReader(metadata), "Content-Type", "application/json"))
}

func (w *world) client(t *testing.T, metadata ...string) *client {
	t.Helper()
	body := `{"client_name":"Test client","redirect_uris":["` + callback + `"]}`
	if len(metadata) > 0 {
		body = metadata[0]
	}
	a := w.register(t, body)
	if a.StatusCode != http.StatusCreated {
		t.Fatalf("register: status %d: %s", a.StatusCode, a.body)
	}
	v := a.json(t)
	secret, _ := v["client_secret"].(string)
	return &client{
		world: w, t: t, id: v["client_id"].(string), secret: secret,
		redirect: callback, verifier: oauth2.GenerateVerifier(), state: rand.Text(),
	}
}

// authorizeURL is a good authorization request with changes: an empty value
// takes a parameter out.
func (c *client) authorizeURL(changes ...string) string {
	q := url.Values{
		"response_type": {"code"}, "client_id": {c.id}, "redirect_uri": {c.redirect}, "scope": {"dashboards"}, "state": {c.state},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(c.verifier)}, "code_challenge_method": {"S256"}, "resource": {c.base + "/mcp"},
	}
	change(q, changes)
	return c.base + "/authorize?" + q.Encode()
}

func change(q url.Values, changes []string) {
	for i := 0; i < len(changes); i += 2 {
		q.Del(changes[i])
		if changes[i+1] != "" {
			q.Set(changes[i], changes[i+1])
		}
	}
}

// handle starts an authorization and returns the handle from the browser's address.
func (c *client) handle() string {
	c.t.Helper()
	a := do(c.t, c.http, request(c.t, http.MethodGet, c.authorizeURL(), nil))
	u := a.to(c.t)
	if a.StatusCode != http.StatusSeeOther || !strings.HasPrefix(u.String(), c.app+"/consent?request=") {
		c.t.Fatalf("authorize: status %d to %s", a.StatusCode, u)
	}
	return u.Query().Get("request")
}

// allow confirms an authorization as the person who is signed in at b.
func (b *browser) allow(handle, workspace string, header ...string) answer {
	b.t.Helper()
	return b.post(b.app+"/consent", url.Values{"request": {handle}, "decision": {"allow"}, "workspace": {workspace}}, header...)
}

// code takes the client through consent and returns its code.
func (c *client) code(b *browser, workspace string) string {
	c.t.Helper()
	a := b.allow(c.handle(), workspace)
	code := a.to(c.t).Query().Get("code")
	if a.StatusCode != http.StatusSeeOther || code == "" {
		c.t.Fatalf("allow: status %d: %s %s", a.StatusCode, a.body, a.Header.Get("Location"))
	}
	return code
}

// token posts a form to the token endpoint, authenticating as the client.
func (c *client) token(form url.Values, changes ...string) answer {
	c.t.Helper()
	form.Set("client_id", c.id)
	if c.secret != "" {
		form.Set("client_secret", c.secret)
	}
	change(form, changes)
	return do(c.t, c.http,
		request(c.t, http.MethodPost, c.base+"/token", strings.NewReader(form.Encode()),
			"Content-Type", "application/x-www-form-urlencoded"))
}

func (c *client) redeem(code string, changes ...string) answer {
	c.t.Helper()
	return c.token(url.Values{
		"grant_type": {"authorization_code"}, "code": {code},
		"redirect_uri": {c.redirect}, "code_verifier": {c.verifier},
	}, changes...)
}

func (c *client) refresh(token string, changes ...string) answer {
	c.t.Helper()
	return c.token(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}}, changes...)
}

// pair is the tokens of a client.
type pair struct {
	access, refresh string
	expiresIn       time.Duration
}

func (c *client) pair(a answer) pair {
	c.t.Helper()
	if a.StatusCode != http.StatusOK {
		c.t.Fatalf("token: status %d: %s", a.StatusCode, a.body)
	}
	v := a.json(c.t)
	refresh, _ := v["refresh_token"].(string)
	return pair{v["access_token"].(string), refresh, time.Duration(v["expires_in"].(float64)) * time.Second}
}

// connected returns a client that has tokens for a person, and that person's browser.
func (w *world) connected(t *testing.T, email, workspace string) (*client, *browser, pair) {
	t.Helper()
	b := w.signedIn(t, email)
	if workspace != "" {
		w.workspace(t, workspace, email)
	}
	c := w.client(t)
	return c, b, c.pair(c.redeem(c.code(b, workspace)))
}

// call calls the MCP endpoint with a bearer token.
func (w *world) call(t *testing.T, token string) answer {
	t.Helper()
	return do(t, w.http, request(t, http.MethodPost, w.base+"/mcp", strings.NewReader("{}"), "Authorization", "Bearer "+token))
}

func wantStatus(t *testing.T, what string, a answer, status int) {
	t.Helper()
	if a.StatusCode != status {
		t.Errorf("%s: status %d, want %d: %s", what, a.StatusCode, status, a.body)
	}
}

// wantError checks an error of the JSON endpoints, and the rules that apply to all of them.
func wantError(t *testing.T, what string, a answer, status int, code string) {
	t.Helper()
	v := a.json(t)
	if a.StatusCode != status || v["error"] != code {
		t.Errorf("%s: status %d %v, want %d %s", what, a.StatusCode, v, status, code)
	}
	if d, _ := v["error_description"].(string); d == "" || len(v) != 2 {
		t.Errorf("%s: body %s, want error and error_description alone", what, a.body)
	}
	if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s: headers %v", what, a.Header)
	}
}

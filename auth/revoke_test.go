package auth_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"service/auth"
)

// revoke posts a form to the revocation endpoint, which the metadata names, as the client.
func (c *client) revoke(token string, changes ...string) answer {
	c.t.Helper()
	metadata := do(c.t, c.http, request(c.t, http.MethodGet, c.base+"/.well-known/oauth-authorization-server", nil)).json(c.t)
	endpoint, _ := metadata["revocation_endpoint"].(string)
	if !strings.HasPrefix(endpoint, c.app+"/") {
		c.t.Fatalf("the revocation endpoint is %q, want one on the app's host", endpoint)
	}
	form := url.Values{"token": {token}, "client_id": {c.id}}
	if c.secret != "" {
		form.Set("client_secret", c.secret)
	}
	change(form, changes)
	return do(c.t, c.http, request(c.t, http.MethodPost, endpoint, strings.NewReader(form.Encode()),
		"Content-Type", "application/x-www-form-urlencoded", "Origin", "https://inspector.example", "Sec-Fetch-Site", "cross-site"))
}

// A revoked token of either type ends its grant: neither the access token nor the refresh token is
// good any more, and the audit log names the person as its cause.
func TestRevokeToken(t *testing.T) {
	t.Parallel()
	for _, hint := range []string{"", "access_token", "refresh_token", "made_up"} {
		for _, which := range []string{"access", "refresh"} {
			w := setup(t)
			c, _, tokens := w.connected(t, "ana@example.com", "acme")
			token := map[string]string{"access": tokens.access, "refresh": tokens.refresh}[which]
			a := c.revoke(token, "token_type_hint", hint)
			if a.StatusCode != http.StatusOK || a.body != "" || a.Header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s, hint %q: %d %q %v", which, hint, a.StatusCode, a.body, a.Header)
			}
			wantStatus(t, "a call then", w.call(t, tokens.access), http.StatusUnauthorized)
			wantError(t, "a refresh then", c.refresh(tokens.refresh), http.StatusBadRequest, "invalid_grant")
			wantStatus(t, "once more", c.revoke(token), http.StatusOK)
			if n := w.count(t, `SELECT count(*) FROM audit WHERE action = 'grant.revoke' AND detail->>'self' = 'true'`); n != 1 {
				t.Errorf("%s: the audit log has %d entries of the person's own", which, n)
			}
		}
	}
}

// A client cannot end tokens of another client, and cannot learn which tokens exist.
func TestRevokeAttacks(t *testing.T) {
	t.Parallel()
	w := setup(t)
	c, b, tokens := w.connected(t, "ana@example.com", "acme")
	other := w.client(t)
	confidential := w.client(t, `{"redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"client_secret_post"}`)
	code := c.code(b, "acme")
	for what, a := range map[string]answer{
		"another client":        other.revoke(tokens.refresh),
		"one with a secret":     confidential.revoke(tokens.access),
		"a token that is none":  c.revoke("svc_at_made_up"),
		"a code":                c.revoke(code),
		"a token of no form":    c.revoke("\x00' OR 1=1"),
		"a very long one":       c.revoke(strings.Repeat("x", 10_000)),
		"access as another one": other.revoke(tokens.access, "token_type_hint", "access_token"),
	} {
		if a.StatusCode != http.StatusOK || a.body != "" {
			t.Errorf("%s: %d %s", what, a.StatusCode, a.body)
		}
	}
	wantError(t, "an unknown client", c.revoke(tokens.access, "client_id", "nobody"), http.StatusUnauthorized, "invalid_client")
	wantError(t, "a wrong secret", confidential.revoke(tokens.access, "client_secret", "x"), http.StatusUnauthorized, "invalid_client")
	wantError(t, "no secret", confidential.revoke(tokens.access, "client_secret", ""), http.StatusUnauthorized, "invalid_client")
	wantError(t, "no token", c.revoke("", "token", ""), http.StatusBadRequest, "invalid_request")
	wantStatus(t, "a call after all that", w.call(t, tokens.access), http.StatusOK)
	wantStatus(t, "the code after all that", c.redeem(code), http.StatusOK)
	a := do(t, w.http, request(t, http.MethodGet, w.app+"/revoke?token="+tokens.access+"&client_id="+c.id, nil))
	wantError(t, "GET", a, http.StatusMethodNotAllowed, "invalid_request")
	wantStatus(t, "the MCP host", do(t, w.http, request(t, http.MethodPost, w.base+"/revoke", strings.NewReader(""))), http.StatusNotFound)
	if strings.Contains(w.logs.String(), tokens.access) || strings.Contains(w.logs.String(), tokens.refresh) {
		t.Error("a token is in the log")
	}
}

// Redirect URIs of desktop clients, as they register them: known ones, those that the operator added,
// domains in reverse. An operator cannot add a scheme that a browser or the system handles.
func TestRedirectSchemes(t *testing.T) {
	t.Parallel()
	w := setup(t, func(c *auth.Config) { c.RedirectSchemes = []string{"myclient", "x-our.tool+mcp"} })
	for uri, taken := range map[string]bool{
		"workbuddy://workbuddy/mcp/connector%3Asales/oauth/callback": true,
		"positron://vscode.github-authentication/did-authenticate":   true,
		"cherrystudio://oauth/callback":                              true,
		"qoder://mcp/oauth/callback":                                 true,
		"trae-cn://mcp/oauth/callback":                               true,
		"void://mcp/oauth/callback":                                  true,
		"myclient://callback":                                        true,
		"x-our.tool+mcp://callback":                                  true,
		"com.example.app:/oauth2redirect":                            true,
		"com.example.app://callback":                                 true,
		"io.github.someone.tool:/cb?x=1":                             true,
		"yourclient://callback":                                      false,
		"myclientx://callback":                                       false,
		"search-ms:query=x":                                          false,
		"ms-msdt:/id":                                                false,
		"javascript:alert(1)":                                        false,
		"shell:startup":                                              false,
	} {
		a := w.register(t, `{"redirect_uris":["`+uri+`"],"token_endpoint_auth_method":"none"}`)
		if !taken {
			wantError(t, uri, a, http.StatusBadRequest, "invalid_redirect_uri")
			continue
		}
		if a.StatusCode != http.StatusCreated {
			t.Errorf("%s: %d %s", uri, a.StatusCode, a.body)
			continue
		}
		c := &client{world: w, t: t, id: a.json(t)["client_id"].(string), redirect: uri, verifier: strings.Repeat("v", 43), state: "s"}
		to := do(t, w.http, request(t, http.MethodGet, c.authorizeURL(), nil)).to(t).String()
		if !strings.HasPrefix(to, w.app+"/consent?request=") {
			t.Errorf("%s is registered, and authorizing leads to %s", uri, to)
		}
	}
	for _, scheme := range []string{
		"javascript", "data", "file", "vbscript", "http", "https", "mailto", "ws", "", "My", "my client", "my:", "my://", "1x", "ünder",
		strings.Repeat("x", 65),
	} {
		if auth.CheckRedirectScheme(scheme) == nil {
			t.Errorf("an operator can add %q", scheme)
		}
	}
}

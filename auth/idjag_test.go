package auth_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"service/auth"
	"service/auth/authtest"
	"service/store"
)

// enterprise is a world whose identity provider exchanges ID tokens for ID-JAGs, in which bob belongs to acme.
type enterprise struct {
	*world
	idp    *authtest.Issuer
	issuer string
	bob    store.Account

	clientID string // of the client that the assertions are for
}

func newEnterprise(t *testing.T, opts ...func(*auth.Config)) *enterprise {
	t.Helper()
	e := &enterprise{}
	var client func() string
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	e.issuer = server.URL
	e.world = setup(t, append([]func(*auth.Config){func(c *auth.Config) { c.IDJAG, c.OIDC.Issuer = true, server.URL }}, opts...)...)
	e.idp = authtest.NewIssuer(t, e.clock.Now)
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, r *http.Request) {
		res, err := http.Get(e.idp.URL + "/keys")
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer res.Body.Close()
		_, _ = io.Copy(w, res.Body)
	})
	discovery := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"issuer": server.URL, "jwks_uri": server.URL + "/keys", "token_endpoint": server.URL + "/token",
			"authorization_endpoint": server.URL + "/authorize", "response_types_supported": []string{"code"},
			"code_challenge_methods_supported": []string{"S256"}, "id_token_signing_alg_values_supported": []string{"RS256"},
		})
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", discovery)
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", discovery)
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) { // RFC 8693
		if r.PostFormValue("requested_token_type") != "urn:ietf:params:oauth:token-type:id-jag" || r.PostFormValue("subject_token") != "bob's" {
			http.Error(w, `{"error":"invalid_request"}`, http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"issued_token_type": "urn:ietf:params:oauth:token-type:id-jag", "token_type": "N_A", "expires_in": 300,
			"access_token": e.assert(t, map[string]any{
				"aud": r.PostFormValue("audience"), "resource": r.PostFormValue("resource"), "client_id": client(),
			}),
		})
	})
	client = func() string { return e.clientID }
	var err error
	bob := store.Identity{Issuer: e.issuer, Subject: "bob", Email: "bob@example.com", Verified: true}
	if e.bob, err = e.store.Accounts.EnsureAccount(t.Context(), bob); err != nil {
		t.Fatal(err)
	}
	if _, err := e.store.Workspaces.CreateWorkspace(t.Context(), e.bob.ID, "acme", "Acme"); err != nil {
		t.Fatal(err)
	}
	return e
}

// assert signs a good ID-JAG about bob, with other claims in place of some of its own; a nil value removes a claim.
func (e *enterprise) assert(t testing.TB, other map[string]any) string {
	return e.idp.SignAs(t, "oauth-id-jag+jwt", "RS256", e.assertion(other))
}

func (e *enterprise) assertion(other map[string]any) map[string]any {
	claims := e.idp.Claims(e.base, "bob")
	claims["iss"], claims["client_id"], claims["resource"] = e.issuer, e.clientID, e.base+"/mcp"
	maps.Copy(claims, other)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	return claims
}

func (e *enterprise) present(t *testing.T, assertion string, more ...string) answer {
	t.Helper()
	form := url.Values{
		"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {assertion}, "client_id": {e.clientID},
	}
	change(form, more)
	b := e.browser(t)
	return b.post(e.base+"/token", form)
}

// The client side of the Go SDK goes through the whole flow: an ID token, the exchange at the provider, and the grant here.
func TestIDJAGEndToEnd(t *testing.T) {
	t.Parallel()
	e := newEnterprise(t)
	e.clientID = e.client(t).id
	handler, err := extauth.NewEnterpriseHandler(&extauth.EnterpriseHandlerConfig{
		IdPIssuerURL: e.issuer, IdPCredentials: &oauthex.ClientCredentials{ClientID: "at-the-provider"},
		MCPAuthServerURL: e.base, MCPResourceURI: e.base + "/mcp", MCPCredentials: &oauthex.ClientCredentials{ClientID: e.clientID},
		MCPScopes: []string{"dashboards"}, HTTPClient: e.http,
		IDTokenFetcher: func(context.Context) (*oauth2.Token, error) {
			return (&oauth2.Token{}).WithExtra(map[string]any{"id_token": "bob's"}), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	first := e.call(t, "none")
	req := request(t, http.MethodPost, e.base+"/mcp", nil)
	if err := handler.Authorize(t.Context(), req, &http.Response{StatusCode: first.StatusCode, Body: http.NoBody, Request: req}); err != nil {
		t.Fatal(err)
	}
	source, err := handler.TokenSource(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token, err := source.Token()
	if err != nil {
		t.Fatal(err)
	}
	who := e.call(t, token.AccessToken).json(t)
	if who["account"] != e.bob.ID.String() || who["workspace"] != "acme" || who["client"] != e.clientID {
		t.Errorf("%v", who)
	}
	if until := time.Until(token.Expiry); token.RefreshToken != "" || until > store.TrustLifetime+time.Minute {
		t.Errorf("a refresh token %q, for %s", token.RefreshToken, until)
	}
	meta := do(t, e.http, request(t, http.MethodGet, e.base+"/.well-known/oauth-authorization-server", nil)).json(t)
	if meta["authorization_grant_profiles_supported"] == nil {
		t.Errorf("the metadata do not name the profile: %v", meta)
	}
}

// An assertion that differs in anything from a good one gives nothing.
func TestIDJAGRefused(t *testing.T) {
	t.Parallel()
	e := newEnterprise(t)
	e.clientID = e.client(t).id
	other := e.client(t).id
	ok := e.present(t, e.assert(t, nil))
	wantStatus(t, "a good one", ok, http.StatusOK)
	now := e.clock.Now()
	for name, claims := range map[string]map[string]any{
		"another issuer":         {"iss": e.idp.URL},
		"another audience":       {"aud": "https://else.example"},
		"the MCP endpoint":       {"aud": e.base + "/mcp"},
		"two audiences":          {"aud": []string{e.base, "https://else.example"}},
		"no audience":            {"aud": nil},
		"another client":         {"client_id": other},
		"no client":              {"client_id": nil},
		"another resource":       {"resource": "https://else.example/mcp"},
		"two resources":          {"resource": []string{e.base + "/mcp", "https://else.example/mcp"}},
		"expired":                {"exp": now.Add(-time.Minute).Unix()},
		"no expiry":              {"exp": nil},
		"old":                    {"iat": now.Add(-11 * time.Minute).Unix()},
		"of the future":          {"iat": now.Add(2 * time.Minute).Unix()},
		"no iat":                 {"iat": nil},
		"no jti":                 {"jti": nil},
		"no subject":             {"sub": nil},
		"somebody else":          {"sub": "eve"},
		"somebody by an address": {"sub": "eve", "email": "bob@example.com", "email_verified": true},
	} {
		wantError(t, name, e.present(t, e.assert(t, claims)), http.StatusBadRequest, "invalid_grant")
	}
	for _, algorithm := range []string{"stranger", "HS256"} {
		a := e.present(t, e.idp.SignAs(t, "oauth-id-jag+jwt", algorithm, e.assertion(nil)))
		wantError(t, algorithm, a, http.StatusBadRequest, "invalid_grant")
	}
	for _, kind := range []string{"JWT", "at+jwt", ""} { // an ID token or access token of the provider is not an assertion
		wantError(t, "type "+kind, e.present(t, e.idp.SignAs(t, kind, "RS256", e.assertion(nil))), http.StatusBadRequest, "invalid_grant")
	}
	used := e.assert(t, nil)
	wantStatus(t, "once", e.present(t, used), http.StatusOK)
	wantError(t, "twice", e.present(t, used), http.StatusBadRequest, "invalid_grant")
	wantError(t, "an unknown client", e.present(t, e.assert(t, nil), "client_id", uuid.NewString()), http.StatusUnauthorized, "invalid_client")
	wantError(t, "no client", e.present(t, e.assert(t, nil), "client_id", ""), http.StatusUnauthorized, "invalid_client")
	wantError(t, "the assertion of another client", e.present(t, e.assert(t, nil), "client_id", other), http.StatusBadRequest, "invalid_grant")
	wantError(t, "another workspace", e.present(t, e.assert(t, nil), "workspace", "nowhere"), http.StatusBadRequest, "invalid_grant")

	if _, err := e.store.Workspaces.CreateWorkspace(t.Context(), e.bob.ID, "second", "Second"); err != nil {
		t.Fatal(err)
	}
	wantError(t, "two workspaces", e.present(t, e.assert(t, nil)), http.StatusBadRequest, "invalid_grant")
	named := e.present(t, e.assert(t, nil), "workspace", "second").json(t)
	if who := e.call(t, named["access_token"].(string)).json(t); who["workspace"] != "second" {
		t.Errorf("%v", who)
	}
	e.sql(t, `UPDATE account SET removed_at = now() WHERE id = $1`, e.bob.ID)
	wantError(t, "a removed person", e.present(t, e.assert(t, nil), "workspace", "acme"), http.StatusBadRequest, "invalid_grant")
}

// Without the operator's setting there are no such grants.
func TestIDJAGIsOff(t *testing.T) {
	t.Parallel()
	e := newEnterprise(t, func(c *auth.Config) { c.IDJAG = false })
	e.clientID = e.client(t).id
	wantError(t, "off", e.present(t, e.assert(t, nil)), http.StatusBadRequest, "unsupported_grant_type")
}

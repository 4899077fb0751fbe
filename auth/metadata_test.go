package auth_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMetadata(t *testing.T) {
	t.Parallel()
	w := setup(t)
	resource := map[string]any{
		"resource": w.base + "/mcp", "authorization_servers": []any{w.base}, "scopes_supported": []any{"dashboards"},
		"bearer_methods_supported": []any{"header"}, "resource_name": "service",
	}
	slashed := maps.Clone(resource)
	slashed["resource"] = w.base + "/mcp/"
	for path, want := range map[string]map[string]any{
		"/.well-known/oauth-authorization-server": {
			"issuer": w.base, "authorization_endpoint": w.base + "/authorize", "token_endpoint": w.base + "/token",
			"registration_endpoint": w.base + "/register", "scopes_supported": []any{"dashboards"}, "response_types_supported": []any{"code"},
			"response_modes_supported": []any{"query"}, "grant_types_supported": []any{"authorization_code", "refresh_token"},
			"code_challenge_methods_supported":               []any{"S256"},
			"token_endpoint_auth_methods_supported":          []any{"none", "client_secret_post", "client_secret_basic"},
			"revocation_endpoint":                            w.app + "/revoke",
			"revocation_endpoint_auth_methods_supported":     []any{"none", "client_secret_post", "client_secret_basic"},
			"authorization_response_iss_parameter_supported": true,
		},
		"/.well-known/oauth-protected-resource":      resource,
		"/.well-known/oauth-protected-resource/mcp":  resource,
		"/.well-known/oauth-protected-resource/mcp/": slashed,
	} {
		// Headers that anybody sends change nothing.
		a := do(t, w.http,
			request(t, http.MethodGet, w.base+path, nil, "X-Forwarded-Host", "evil.example",
				"X-Forwarded-Proto", "https", "Origin", "https://evil.example"))
		if diff := cmp.Diff(want, a.json(t)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
		if a.Header.Get("Access-Control-Allow-Origin") != "*" ||
			a.Header.Get("Access-Control-Allow-Credentials") != "" || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers %v", path, a.Header)
		}
	}
}

// A client may compare the resource with its address byte for byte: the metadata name the address that
// the client uses, with or without the slash, and its tokens are good at both.
func TestResourceIsTheAddressGiven(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := w.signedIn(t, "ana@example.com")
	for _, address := range []string{w.base + "/mcp", w.base + "/mcp/"} {
		a := do(t, w.http, request(t, http.MethodPost, address, strings.NewReader("{}")))
		_, rest, _ := strings.Cut(a.Header.Get("WWW-Authenticate"), `resource_metadata="`)
		named, _, _ := strings.Cut(rest, `"`)
		inserted := w.base + "/.well-known/oauth-protected-resource" + strings.TrimPrefix(address, w.base) // RFC 9728, section 3.1
		for _, at := range []string{named, inserted} {
			if got := do(t, w.http, request(t, http.MethodGet, at, nil)).json(t)["resource"]; got != address {
				t.Errorf("%s: the metadata at %s name %v", address, at, got)
			}
		}
		c := w.client(t)
		tokens := c.pair(c.redeem(c.code(b, ""), "resource", address))
		for _, at := range []string{w.base + "/mcp", w.base + "/mcp/"} {
			call := do(t, w.http, request(t, http.MethodPost, at, strings.NewReader("{}"), "Authorization", "Bearer "+tokens.access))
			wantStatus(t, at+" with a token of "+address, call, http.StatusOK)
		}
	}
}

func TestCORS(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for path, method := range map[string]string{
		"/.well-known/oauth-authorization-server": "GET", "/.well-known/oauth-protected-resource": "GET",
		"/.well-known/oauth-protected-resource/mcp": "GET", "/register": "POST", "/token": "POST",
	} {
		a := do(t, w.http,
			request(t, http.MethodOptions, w.base+path, nil, "Origin", "https://inspector.example", "Access-Control-Request-Method", method))
		if a.StatusCode != http.StatusNoContent || a.body != "" || a.Header.Get("Access-Control-Allow-Origin") != "*" ||
			!strings.Contains(a.Header.Get("Access-Control-Allow-Methods"), method) ||
			!strings.Contains(a.Header.Get("Access-Control-Allow-Headers"), "Mcp-Protocol-Version") {
			t.Errorf("OPTIONS %s: status %d, %v", path, a.StatusCode, a.Header)
		}
		a = do(t, w.http, request(t, http.MethodDelete, w.base+path, nil))
		wantError(t, "DELETE "+path, a, http.StatusMethodNotAllowed, "invalid_request")
		if !strings.Contains(a.Header.Get("Allow"), method) {
			t.Errorf("DELETE %s: allow %q", path, a.Header.Get("Allow"))
		}
	}
	a := do(t, w.http, request(t, http.MethodPost, w.base+"/authorize", nil))
	if a.StatusCode != http.StatusMethodNotAllowed || a.Header.Get("Allow") != "GET" {
		t.Errorf("POST /authorize: status %d", a.StatusCode)
	}
}

package auth_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/auth"
	"service/store/message"
)

func TestRegister(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tests := []struct {
		name, body string
		want       map[string]any // members that the answer must have
		secret     bool
	}{
		{
			"only what is required", `{"redirect_uris":["http://localhost:1/cb"]}`,
			map[string]any{
				"client_name": "Unnamed client", "redirect_uris": []any{"http://localhost:1/cb"}, "token_endpoint_auth_method": "none",
				"grant_types": []any{"authorization_code", "refresh_token"}, "response_types": []any{"code"}, "scope": "dashboards",
			},
			false,
		},
		{
			"a desktop client with three URIs and members of its own",
			`{"client_name":"Cursor","application_type":"web","software_id":"x",` +
				`"redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback","https://c.example/cb","http://localhost:2/cb"],` +
				`"token_endpoint_auth_method":"none"}`,
			map[string]any{"client_name": "Cursor"},
			false,
		},
		{
			"unknown grant and response types",
			`{"redirect_uris":["https://c.example/cb"],` +
				`"grant_types":["authorization_code","urn:ietf:params:oauth:grant-type:device_code"],` +
				`"response_types":["code","id_token"],"scope":"openid offline_access"}`,
			map[string]any{"grant_types": []any{"authorization_code"}, "response_types": []any{"code"}, "scope": "dashboards"},
			false,
		},
		{
			"a secret in the body",
			`{"redirect_uris":["https://c.example/cb"],"token_endpoint_auth_method":"client_secret_post"}`,
			map[string]any{"client_secret_expires_at": 0.0},
			true,
		},
		{
			"a secret in the header",
			`{"redirect_uris":["https://c.example/cb"],"token_endpoint_auth_method":"client_secret_basic"}`,
			map[string]any{"client_secret_expires_at": 0.0},
			true,
		},
		{
			"a name of many lines",
			`{"client_name":"Claude\n\u202eedoC","redirect_uris":["https://c.example/cb"]}`,
			map[string]any{"client_name": "Claude edoC"},
			false,
		},
		{
			"a name of blanks",
			`{"client_name":"\u3164\u115f\u1160\uffa0\u2800\u200b\u180b\ufe0f","redirect_uris":["https://c.example/cb"]}`,
			map[string]any{"client_name": "Unnamed client"},
			false,
		},
	}
	for _, test := range tests {
		a := w.register(t, test.body)
		got := a.json(t)
		if a.StatusCode != http.StatusCreated || a.Header.Get("Cache-Control") != "no-store" ||
			a.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: status %d, %v", test.name, a.StatusCode, a.Header)
		}
		if got["client_id"] == "" || got["client_id_issued_at"] != float64(w.clock.Now().Unix()) {
			t.Errorf("%s: %v", test.name, got)
		}
		if _, secret := got["client_secret"]; secret != test.secret {
			t.Errorf("%s: %v", test.name, got)
		}
		for k, v := range test.want {
			if diff := cmp.Diff(v, got[k]); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", test.name, k, diff)
			}
		}
	}
}

func TestRegisterRefuses(t *testing.T) {
	t.Parallel()
	w := setup(t)
	uris := func(n int) string { return strings.TrimSuffix(strings.Repeat(`"https://c.example/cb",`, n), ",") }
	tests := []struct{ name, body, code string }{
		{"no JSON", `redirect_uris=https://c.example/cb`, "invalid_client_metadata"},
		{"nothing", ``, "invalid_client_metadata"},
		{"an array", `[]`, "invalid_client_metadata"},
		{"two values", `{"redirect_uris":["https://c.example/cb"]}{}`, "invalid_client_metadata"},
		{"URIs of another type", `{"redirect_uris":"https://c.example/cb"}`, "invalid_client_metadata"},
		{"no URIs", `{}`, "invalid_redirect_uri"},
		{"null", `null`, "invalid_redirect_uri"},
		{"an empty list", `{"redirect_uris":[]}`, "invalid_redirect_uri"},
		{"21 URIs", `{"redirect_uris":[` + uris(21) + `]}`, "invalid_redirect_uri"},
		{"script", `{"redirect_uris":["https://c.example/cb","javascript:alert(1)"]}`, "invalid_redirect_uri"},
		{"http elsewhere", `{"redirect_uris":["http://c.example/cb"]}`, "invalid_redirect_uri"},
		{"no code grant", `{"redirect_uris":["https://c.example/cb"],"grant_types":["client_credentials"]}`, "invalid_client_metadata"},
		{"refresh alone", `{"redirect_uris":["https://c.example/cb"],"grant_types":["refresh_token"]}`, "invalid_client_metadata"},
		{"no code response", `{"redirect_uris":["https://c.example/cb"],"response_types":["token"]}`, "invalid_client_metadata"},
		{"keys", `{"redirect_uris":["https://c.example/cb"],"token_endpoint_auth_method":"private_key_jwt"}`, "invalid_client_metadata"},
		{"too much", `{"redirect_uris":["https://c.example/cb"],"x":"` + strings.Repeat("x", 64<<10) + `"}`, "invalid_client_metadata"},
	}
	for _, test := range tests {
		wantError(t, test.name, w.register(t, test.body), http.StatusBadRequest, test.code)
	}
	if n := w.count(t, `SELECT count(*) FROM oauth_client`); n != 0 {
		t.Errorf("%d refused registrations were stored", n)
	}
	if a := w.register(t, `{"redirect_uris":[`+uris(20)+`]}`); a.StatusCode != http.StatusCreated {
		t.Errorf("20 URIs: status %d", a.StatusCode)
	}
	w.pool.Close()
	wantError(t, "no database", w.register(t, `{"redirect_uris":["https://c.example/cb"]}`),
		http.StatusServiceUnavailable, "temporarily_unavailable")
}

// from registers once from an address, and reports the status.
func from(t *testing.T, w *world, peer, forwarded string) answer {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost,
		w.base+"/register", strings.NewReader(`{"redirect_uris":["https://c.example/cb"]}`))
	r.RemoteAddr = peer
	if forwarded != "" {
		r.Header.Set("X-Forwarded-For", forwarded)
	}
	rec := httptest.NewRecorder()
	w.auth.Register(rec, r)
	return answer{rec.Result(), rec.Body.String()}
}

func TestRegisterRateLimit(t *testing.T) {
	t.Parallel()
	w := setup(t, func(c *auth.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")} })
	spend := func(peer func(int) string, forwarded func(int) string) {
		t.Helper()
		for i := range 30 {
			if a := from(t, w, peer(i), forwarded(i)); a.StatusCode != http.StatusCreated {
				t.Fatalf("registration %d: status %d: %s", i+1, a.StatusCode, a.body)
			}
		}
		a := from(t, w, peer(30), forwarded(30))
		wantError(t, "the 31st", a, http.StatusTooManyRequests, "rate_limited")
		if a.Header.Get("Retry-After") != "60" || a.json(t)["error_description"] != message.TooManyRegistrations {
			t.Errorf("the 31st: %v %s", a.Header, a.body)
		}
	}
	at := func(s string) func(int) string { return func(int) string { return s } }
	spoof := func(i int) string { return "203.0.113." + string(rune('0'+i%10)) }

	spend(at("198.51.100.1:99"), at(""))          // a direct peer
	spend(at("198.51.100.2:99"), spoof)           // who pretends to be another address
	spend(at("10.0.0.1:99"), func(i int) string { // a client behind a proxy, which pretends so too
		return spoof(i) + ", 198.51.100.3"
	})
	spend(func(i int) string { return "[2001:db8:0:1::" + string(rune('a'+i%6)) + "]:99" }, at("")) // one /64
	spend(at("not an address"), at(""))
	for _, peer := range []string{"[2001:db8:0:2::1]:99", "198.51.100.4:99"} {
		if a := from(t, w, peer, ""); a.StatusCode != http.StatusCreated {
			t.Errorf("%s shares the count of others: status %d", peer, a.StatusCode)
		}
	}
}

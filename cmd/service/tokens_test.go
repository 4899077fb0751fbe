package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/oauth2"
)

// confidential is a client with a secret, as it registered itself.
type confidential struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`

	Access   string `json:"access_token"`
	Refresh  string `json:"refresh_token"`
	verifier string
}

func (s *site) register(t *testing.T) *confidential {
	t.Helper()
	res, err := http.Post(s.base+"/register", "application/json", strings.NewReader(`{"client_name":"Journey <client>",
		"redirect_uris":["http://127.0.0.1:1/callback"],
		"grant_types":["authorization_code","refresh_token"],"token_endpoint_auth_method":"client_secret_post"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	c := &confidential{verifier: oauth2.GenerateVerifier()}
	if err := json.NewDecoder(res.Body).Decode(c); err != nil || c.Secret == "" {
		t.Fatalf("%+v, %v", c, err)
	}
	return c
}

// allow has b consent and returns the code.
func (s *site) allow(t *testing.T, c *confidential, b *browser, workspace string) string {
	t.Helper()
	b.get(s.base + "/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {c.ID},
		"redirect_uri": {"http://127.0.0.1:1/callback"}, "resource": {s.base + "/mcp"}, "state": {"s"},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(c.verifier)}, "code_challenge_method": {"S256"},
	}.Encode())
	b.submit("/consent", url.Values{"workspace": {workspace}, "decision": {"allow"}})
	if b.away == nil {
		t.Fatalf("Allow led to %s (%d)", b.last.url, b.last.status)
	}
	return b.away.Query().Get("code")
}

// exchange calls /token with the client's secret.
func (s *site) exchange(t *testing.T, c *confidential, values url.Values) reply {
	t.Helper()
	values.Set("client_id", c.ID)
	values.Set("client_secret", c.Secret)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+"/token", strings.NewReader(values.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return send(t, http.DefaultClient, req)
}

func (s *site) redeem(t *testing.T, c *confidential, code string) {
	t.Helper()
	r := s.exchange(t, c, url.Values{
		"grant_type": {"authorization_code"}, "code": {code},
		"code_verifier": {c.verifier}, "redirect_uri": {"http://127.0.0.1:1/callback"},
	})
	if err := json.Unmarshal([]byte(r.body), c); err != nil || c.Access == "" || c.Refresh == "" {
		t.Fatalf("%d %s", r.status, r.body)
	}
}

// TestOnlyAccessTokensOpen tries at /mcp secrets that are not access tokens, tokens that have
// ended or are for another audience, and tokens in the wrong place (RFC 6750, section 2.1).
func TestOnlyAccessTokensOpen(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	ada := s.browser(t)
	ada.signIn(s.app+"/", "ada@example.com")
	ada.submit("/workspaces", url.Values{"name": {"Acme"}, "slug": {"acme"}})
	c, gone := s.register(t), s.register(t)
	s.redeem(t, c, s.allow(t, c, ada, "acme"))
	s.redeem(t, gone, s.allow(t, gone, ada, "acme"))
	unused := s.allow(t, c, ada, "acme")
	elsewhere := s.grant(t, "ada@example.com", "workspace", "acme")
	s.exec(t, `UPDATE oauth_grant SET resource = 'https://elsewhere.example/mcp' WHERE id = $1`, s.grantOf(t, elsewhere))
	asleep := s.grant(t, "ada@example.com", "workspace", "acme")
	s.exec(t, `UPDATE oauth_grant SET expires_at = now() - interval '1 second' WHERE id = $1`, s.grantOf(t, asleep))

	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	ask := func(query, body string, headers ...string) reply {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+"/mcp"+query, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(headers); i += 2 {
			req.Header.Add(headers[i], headers[i+1])
		}
		return send(t, http.DefaultClient, req)
	}
	for _, scheme := range []string{"Bearer ", "bearer "} {
		if r := ask("", ping, "Authorization", scheme+c.Access); r.status != 200 || !strings.Contains(r.body, `"result"`) {
			t.Fatalf("a good token: %d %s", r.status, r.body)
		}
	}
	if r := ask("", ping, "Authorization", "Bearer "+gone.Access); r.status != 200 {
		t.Fatal(r.status)
	}
	s.exec(t, `DELETE FROM oauth_client WHERE id = $1`, gone.ID)

	form := []string{"Content-Type", "application/x-www-form-urlencoded"}
	for _, tc := range []struct {
		name, query, body string
		headers           []string
	}{
		{"nothing", "", ping, nil},
		{"refresh token", "", ping, []string{"Authorization", "Bearer " + c.Refresh}},
		{"code", "", ping, []string{"Authorization", "Bearer " + unused}},
		{"code behind the prefix of an access token", "", ping, []string{"Authorization", "Bearer svc_at_" + unused}},
		{"client secret", "", ping, []string{"Authorization", "Bearer " + c.Secret}},
		{"cookie of a session", "", ping, []string{"Authorization", "Bearer " + ada.given[len(ada.given)-1]}},
		{"token in the query", "?access_token=" + c.Access, ping, nil},
		{
			"token in the body", "",
			`{"jsonrpc":"2.0","id":1,"method":"ping","access_token":"` + c.Access + `","params":{"access_token":"` + c.Access + `"}}`, nil,
		},
		{"token in a cookie", "", ping, []string{"Cookie", "access_token=" + c.Access}},
		{"token in another scheme", "", ping, []string{"Authorization", "Basic " + c.Access}},
		{"token without a scheme", "", ping, []string{"Authorization", c.Access}},
		{"token with more behind it", "", ping, []string{"Authorization", "Bearer " + c.Access + "x"}},
		{"token in other letters", "", ping, []string{"Authorization", "Bearer " + strings.ToUpper(c.Access)}},
		{"two headers", "", ping, []string{"Authorization", "Bearer " + c.Access, "Authorization", "Bearer " + c.Access}},
		{"expired token", "", ping, []string{"Authorization", "Bearer " + s.accessToken(t, s.grantOf(t, c.Access), "-1 second")}},
		{"token of an ended session", "", ping, []string{"Authorization", "Bearer " + asleep}},
		{"token for another audience", "", ping, []string{"Authorization", "Bearer " + elsewhere}},
		{"token of a deleted client", "", ping, []string{"Authorization", "Bearer " + gone.Access}},
		{"batch", "", "[" + ping + "]", []string{"Authorization", "Bearer " + c.Refresh}},
	} {
		r := ask(tc.query, tc.body, tc.headers...)
		want := `Bearer resource_metadata="` + s.base + `/.well-known/oauth-protected-resource"`
		if got := r.header.Values("WWW-Authenticate"); r.status != http.StatusUnauthorized ||
			len(got) != 1 || !strings.HasPrefix(got[0], want) || strings.Contains(r.body, "jsonrpc") {
			t.Errorf("%s: %d %q %s", tc.name, r.status, got, r.body)
		}
	}
	if r := ask("", "access_token="+c.Access, form...); r.status != http.StatusBadRequest || !strings.Contains(r.body, "-32700") {
		t.Errorf("a token in a form: %d %s", r.status, r.body)
	}

	// Nor is one kind of token accepted as another at /token.
	other := s.register(t)
	for name, r := range map[string]reply{
		"access token as refresh token": s.exchange(t, c, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {c.Access}}),
		"code as refresh token":         s.exchange(t, c, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {unused}}),
		"refresh token as code": s.exchange(t, c,
			url.Values{"grant_type": {"authorization_code"}, "code": {c.Refresh}, "code_verifier": {c.verifier}}),
		"refresh token of another client": s.exchange(t, other, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {c.Refresh}}),
	} {
		if r.status != http.StatusBadRequest || !strings.Contains(r.body, "invalid_grant") {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
	if r := ask("", ping, "Authorization", "Bearer "+c.Access); r.status != 200 {
		t.Errorf("a good token after all that: %d", r.status)
	}
}

// TestNoSecretIsTold acts as a person and two clients, and searches for their secrets
// and data in the log, and for the secrets in all answers.
func TestNoSecretIsTold(t *testing.T) {
	t.Parallel()
	s := startSite(t, "SERVICE_LOG_LEVEL=debug")
	ada := s.browser(t)
	ada.signIn(s.app+"/", "ada@example.com")
	ada.submit("/workspaces", url.Values{"name": {"Acme"}, "slug": {"acme"}})
	public, c := s.connect(t, ada, "acme"), s.register(t)
	code := s.allow(t, c, ada, "acme")
	s.redeem(t, c, code)
	unused := s.allow(t, c, ada, "acme")

	file := filepath.Join(t.TempDir(), "rain.csv")
	if err := os.WriteFile(file, []byte("day,place,mm\n2026-01-01,cell-"+canary+",3\n2026-01-02,cell-"+canary+",4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.admin(t, "upload", "add", "acme", "ada@example.com", file)
	connection := public.call("list_connections", nil).data["connections"].([]any)[0].(map[string]any)
	source := map[string]any{"connection": connection["id"], "upload": connection["uploads"].([]any)[0].(map[string]any)["id"]}
	var told strings.Builder // all answers of the tools
	call := func(tool string, args map[string]any) answer {
		t.Helper()
		for k, v := range source {
			args[k] = v
		}
		a := public.call(tool, args)
		told.WriteString(a.text)
		return a
	}
	sql := "SELECT day, place, sum(mm) AS mm FROM upload WHERE place <> 'literal-" + canary + "' GROUP BY 1, 2"
	call("validate_cube_sql", map[string]any{"sql": sql})
	call("validate_cube_sql", map[string]any{"sql": "SELECT nothing_" + canary + " FROM upload"})
	call("explore_data", map[string]any{"sql": "SELECT CAST(place AS integer) AS n FROM upload"}) // the engine's error quotes the cell
	spec := func(sql string) map[string]any {
		return map[string]any{
			"title": "Rain", "datasets": []any{map[string]any{"id": "d", "sql": sql}},
			"panels": []any{map[string]any{"type": "table", "columns": []string{"day", "place", "mm"}}},
		}
	}
	if got := call("publish_dashboard", map[string]any{"path": "rain", "spec": spec(sql)}); got.failed {
		t.Fatal(got.text)
	}
	public.refreshed("rain")
	call("publish_dashboard", map[string]any{ // its refresh fails
		"path": "fails", "spec": spec("SELECT day, place, CAST(place AS integer) AS mm FROM upload"),
	})
	eventually(t, func() error {
		if state := call("get_refresh_status", map[string]any{"slug": "fails"}).data["state"]; state != "failed" {
			return fmt.Errorf("the state is %v", state)
		}
		return nil
	})
	for _, tool := range []string{
		"get_dashboard", "get_dashboard_spec", "get_source_config", "verify_dashboard",
		"list_dashboard_versions", "list_dashboards", "check_readiness",
	} {
		call(tool, map[string]any{"path": "rain", "slug": "rain"})
	}
	if got := ada.get(s.workspace("acme") + "/rain?place=filter-" + canary); got.status != 200 {
		t.Fatal(got.status)
	}
	for _, path := range []string{
		"/", "/account", "/clients", "/connect", "/w/acme/", "/w/acme/d/rain", "/w/acme/members", "/w/acme/clients",
	} {
		if got := ada.get(s.app + path); got.status != 200 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	public.refreshToken()
	s.exchange(t, c, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {c.Refresh}})
	s.exchange(t, c, url.Values{"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {c.verifier}}) // replayed
	s.call(t, c.Access+"x", "ping", `{}`)
	ada.submit("/sign-out", nil)
	s.stop()

	secrets := slices.Concat(ada.given, []string{
		public.token.AccessToken, public.token.RefreshToken, public.code, c.Secret, c.Access, c.Refresh, c.verifier, code, unused,
	})
	if len(ada.given) < 3 || len(ada.passed) < 3 || slices.Contains(secrets, "") {
		t.Fatalf("the secrets are not known: %d cookies, %d in addresses, %q", len(ada.given), len(ada.passed), secrets)
	}
	for _, secret := range secrets {
		if strings.Contains(told.String(), secret) || strings.Contains(ada.read.String(), secret) {
			t.Errorf("an answer contains %.12s…", secret)
		}
	}
	log := s.log.String()
	for _, want := range []string{`msg="tool call"`, "msg=request", "used a second time", "refresh"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s: does this test still look at it?", want)
		}
	}
	for _, secret := range slices.Concat(secrets, ada.passed, []string{canary}) {
		if strings.Contains(log, secret) {
			t.Errorf("the log contains %.12s…:\n%s", secret, linesWith(log, secret))
		}
	}
}

package auth_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRedeemCode(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := w.signedIn(t, "ana@example.com")
	c := w.client(t)
	a := c.redeem(c.code(b, ""), "resource", w.base+"/mcp")
	v := a.json(t)
	access, refresh := v["access_token"].(string), v["refresh_token"].(string)
	if !strings.HasPrefix(access, "svc_at_") || !strings.HasPrefix(refresh, "svc_rt_") || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s %v", a.body, a.Header)
	}
	want := map[string]any{
		"access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": 3000.0, "scope": "dashboards",
	}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantStatus(t, "redirect_uri left out, as OAuth 2.1 has it", c.redeem(c.code(b, ""), "redirect_uri", ""), http.StatusOK)

	only := w.client(t, `{"redirect_uris":["`+callback+`"],"grant_types":["authorization_code"]}`)
	v = only.redeem(only.code(b, "")).json(t)
	if _, ok := v["refresh_token"]; ok || v["access_token"] == nil {
		t.Errorf("a client that may not refresh got %v", v)
	}
	wantError(t, "and tries", only.refresh("svc_rt_x"), http.StatusBadRequest, "unauthorized_client")
}

// A code is good once, for a minute, with the verifier, client and redirect URI it was made for; any
// other attempt uses it up (RFC 9700, section 4.5).
func TestCodeAttacks(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := w.signedIn(t, "ana@example.com")
	c, other := w.client(t), w.client(t)
	for name, changes := range map[string][]string{
		"another verifier":   {"code_verifier", strings.Repeat("x", 43)},
		"the challenge":      {"code_verifier", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWdbuQK8LZwC0"},
		"another redirect":   {"redirect_uri", "http://127.0.0.1:1235/callback"},
		"an alias of it":     {"redirect_uri", "http://localhost:1234/callback"},
		"another client":     {"client_id", other.id},
		"as a refresh token": {"grant_type", "refresh_token", "refresh_token", "CODE"},
	} {
		code := c.code(b, "")
		for i := range changes {
			changes[i] = strings.ReplaceAll(changes[i], "CODE", code)
		}
		wantError(t, name, c.redeem(code, changes...), http.StatusBadRequest, "invalid_grant")
		if name != "as a refresh token" {
			wantError(t, name+", then right", c.redeem(code), http.StatusBadRequest, "invalid_grant")
		}
	}
	for name, changes := range map[string][]string{"no verifier": {"code_verifier", ""}, "no code": {"code", ""}} {
		wantError(t, name, c.redeem(c.code(b, ""), changes...), http.StatusBadRequest, "invalid_request")
	}
	wantError(t, "another resource", c.redeem(c.code(b, ""), "resource", "https://evil.example/mcp"), http.StatusBadRequest, "invalid_target")
	wantError(t, "a code that never was", c.redeem("x"), http.StatusBadRequest, "invalid_grant")

	code := c.code(b, "")
	w.clock.advance(time.Minute)
	wantError(t, "too late", c.redeem(code), http.StatusBadRequest, "invalid_grant")
}

// A code that is sent twice has leaked: the grant is revoked, and stays revoked although the answer is
// an error.
func TestCodeReplay(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := w.signedIn(t, "ana@example.com")
	c := w.client(t)
	code := c.code(b, "")
	p := c.pair(c.redeem(code))
	wantStatus(t, "before the replay", w.call(t, p.access), http.StatusOK)
	wantError(t, "replay", c.redeem(code), http.StatusBadRequest, "invalid_grant")
	wantStatus(t, "access token after the replay", w.call(t, p.access), http.StatusUnauthorized)
	wantError(t, "refresh token after the replay", c.refresh(p.refresh), http.StatusBadRequest, "invalid_grant")
	if n := w.count(t, `SELECT count(*) FROM audit WHERE action = 'grant.revoke' AND detail->>'reason' = 'replay of a code'`); n != 1 {
		t.Errorf("%d audit rows", n)
	}

	// Eight at once: at most one gets tokens, and the others' replay ends them.
	code = c.code(b, "")
	answers := make([]answer, 8)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = c.redeem(code) })
	}
	wg.Wait()
	good := 0
	for _, a := range answers {
		if a.StatusCode != http.StatusOK {
			wantError(t, "one of eight", a, http.StatusBadRequest, "invalid_grant")
			continue
		}
		good++
		wantStatus(t, "what the winner got", w.call(t, c.pair(a).access), http.StatusUnauthorized)
	}
	if good != 1 {
		t.Errorf("%d of 8 got tokens", good)
	}
}

func TestTokenRequest(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := w.signedIn(t, "ana@example.com")
	c := w.client(t)
	form := func() url.Values {
		return url.Values{"grant_type": {"authorization_code"}, "code": {"x"}, "code_verifier": {"x"}, "client_id": {c.id}}
	}
	post := func(target, body, kind string) answer {
		return do(t, w.http, request(t, http.MethodPost, target, strings.NewReader(body), "Content-Type", kind))
	}
	const urlencoded = "application/x-www-form-urlencoded"
	tests := []struct {
		name   string
		a      answer
		status int
		code   string
	}{
		{"nothing", post(w.base+"/token", "", urlencoded), http.StatusBadRequest, "invalid_request"},
		{"JSON", post(w.base+"/token", `{"grant_type":"authorization_code"}`, "application/json"), http.StatusBadRequest, "invalid_request"},
		{"no content type", post(w.base+"/token", form().Encode(), ""), http.StatusBadRequest, "invalid_request"},
		{"in the URL", post(w.base+"/token?"+form().Encode(), "", urlencoded), http.StatusBadRequest, "invalid_request"},
		{"not a form", post(w.base+"/token", "%zz", urlencoded), http.StatusBadRequest, "invalid_request"},
		{"repeated", post(w.base+"/token", form().Encode()+"&code=y", urlencoded), http.StatusBadRequest, "invalid_request"},
		{
			"too much", post(w.base+"/token", form().Encode()+"&x="+strings.Repeat("x", 64<<10), urlencoded),
			http.StatusBadRequest, "invalid_request",
		},
		{"password", c.token(url.Values{"grant_type": {"password"}}), http.StatusBadRequest, "unsupported_grant_type"},
		{"client credentials", c.token(url.Values{"grant_type": {"client_credentials"}}), http.StatusBadRequest, "unsupported_grant_type"},
		{"no refresh token", c.token(url.Values{"grant_type": {"refresh_token"}}), http.StatusBadRequest, "invalid_request"},
		{
			"two resources", post(w.base+"/token", form().Encode()+"&resource="+w.base+"&resource="+w.base, urlencoded),
			http.StatusBadRequest, "invalid_target",
		},
		{"unknown client", c.token(form(), "client_id", "4c9e6c2e-0e0c-4d1c-9d55-0d8f2e9b8f00"), http.StatusUnauthorized, "invalid_client"},
		{"no client", c.token(form(), "client_id", ""), http.StatusUnauthorized, "invalid_client"},
		{"NUL in the client", c.token(form(), "client_id", "\x00"), http.StatusUnauthorized, "invalid_client"},
		{"NUL in the code", c.redeem("\x00"), http.StatusBadRequest, "invalid_grant"},
	}
	for _, test := range tests {
		wantError(t, test.name, test.a, test.status, test.code)
	}
	code := c.code(b, "")
	w.sql(t, `ALTER TABLE oauth_token RENAME TO away`)
	a := c.redeem(code)
	wantError(t, "no table", a, http.StatusServiceUnavailable, "temporarily_unavailable")
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	w.sql(t, `ALTER TABLE away RENAME TO oauth_token`)
	wantStatus(t, "again", c.redeem(code), http.StatusOK)
	w.pool.Close()
	wantError(t, "no database", c.redeem(code), http.StatusServiceUnavailable, "temporarily_unavailable")
}

func TestClientAuthentication(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := w.signedIn(t, "ana@example.com")
	post := w.client(t, `{"redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"client_secret_post"}`)
	public := w.client(t)
	basic := func(c *client, id, secret string, changes ...string) answer {
		form := url.Values{
			"grant_type": {"authorization_code"}, "code": {c.code(b, "")}, "redirect_uri": {c.redirect}, "code_verifier": {c.verifier},
		}
		change(form, changes)
		r := request(t, http.MethodPost, w.base+"/token", strings.NewReader(form.Encode()), "Content-Type", "application/x-www-form-urlencoded")
		r.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(secret))
		return do(t, w.http, r)
	}
	wantStatus(t, "secret in the body", post.redeem(post.code(b, "")), http.StatusOK)
	wantStatus(t, "secret in the header", basic(post, post.id, post.secret), http.StatusOK)
	wantStatus(t, "both name the client", basic(post, post.id, post.secret, "client_id", post.id), http.StatusOK)
	wantStatus(t, "public client, empty password", basic(public, public.id, ""), http.StatusOK)
	for name, a := range map[string]answer{
		"no secret":                post.redeem(post.code(b, ""), "client_secret", ""),
		"wrong secret":             post.redeem(post.code(b, ""), "client_secret", "svc_cs_wrong"),
		"a secret of a public one": public.redeem(public.code(b, ""), "client_secret", "x"),
		"wrong in the header":      basic(post, post.id, "wrong"),
		"empty in the header":      basic(post, post.id, ""),
		"unknown in the header":    basic(post, "x", "x"),
		"public one with a secret": basic(public, public.id, "x"),
	} {
		wantError(t, name, a, http.StatusUnauthorized, "invalid_client")
		if got := a.Header.Get("WWW-Authenticate"); strings.Contains(name, "header") && !strings.HasPrefix(got, "Basic ") {
			t.Errorf("%s: challenge %q", name, got)
		}
	}
	wantError(t, "two ways", basic(post, post.id, post.secret, "client_secret", post.secret), http.StatusBadRequest, "invalid_request")
	wantError(t, "two clients", basic(post, post.id, post.secret, "client_id", public.id), http.StatusBadRequest, "invalid_request")
}

package devidp_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"service/auth/devidp"
)

func config(issuer string) devidp.Config {
	return devidp.Config{
		Issuer: issuer, ClientID: "service", ClientSecret: "secret", RedirectURIs: []string{"http://app.localhost:8080/sign-in/callback"},
		People: []devidp.Person{{Email: "ana@example.com", Name: "Ana <Admin>"}},
	}
}

func TestOnlyOnThisMachine(t *testing.T) {
	t.Parallel()
	for _, issuer := range []string{"http://localhost:8081", "http://127.0.0.1:8081", "http://[::1]:8081/idp", "http://idp.localhost:8081"} {
		if _, err := devidp.New(config(issuer)); err != nil {
			t.Errorf("%s: %v", issuer, err)
		}
	}
	for _, issuer := range []string{
		"", "https://localhost:8081", "http://example.com", "http://10.0.0.1", "http://localhost.example.com", "http://0.0.0.0:8081",
		"https://idp.example.com",
	} {
		if _, err := devidp.New(config(issuer)); err == nil {
			t.Errorf("%s is accepted", issuer)
		}
	}
	broken := config("http://localhost:8081")
	broken.ClientSecret = ""
	if _, err := devidp.New(broken); err == nil {
		t.Error("a client without a secret is accepted")
	}
}

type provider struct {
	*devidp.Provider
	t        *testing.T
	now      time.Time
	verifier string
}

func start(t *testing.T) *provider {
	t.Helper()
	p := &provider{t: t, now: time.Now(), verifier: oauth2.GenerateVerifier()}
	cfg := config("http://localhost:8081")
	cfg.Now = func() time.Time { return p.now }
	var err error
	if p.Provider, err = devidp.New(cfg); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *provider) do(method, target string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(p.t.Context(), method, "http://localhost:8081"+target, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	rec := httptest.NewRecorder()
	p.ServeHTTP(rec, r)
	return rec
}

func (p *provider) request(changes ...string) string {
	q := url.Values{
		"response_type": {"code"}, "client_id": {"service"}, "scope": {"openid email"},
		"redirect_uri": {"http://app.localhost:8080/sign-in/callback"},
		"state":        {"s"}, "nonce": {"n"},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(p.verifier)}, "code_challenge_method": {"S256"},
	}
	for i := 0; i < len(changes); i += 2 {
		q.Set(changes[i], changes[i+1])
	}
	return "/authorize?" + q.Encode()
}

func TestSignInPage(t *testing.T) {
	t.Parallel()
	p := start(t)
	page := p.do(http.MethodGet, p.request(), nil)
	body := page.Body.String()
	if page.Code != http.StatusOK || strings.Count(body, "<form") != 1 || !strings.Contains(body, `name="email" type="text"`) ||
		!strings.Contains(body, "For development only") || !strings.Contains(body, "Ana &lt;Admin&gt; (ana@example.com)") {
		t.Errorf("status %d: %s", page.Code, body)
	}
	if !strings.Contains(page.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		t.Errorf("%v", page.Header())
	}
	for _, change := range [][]string{
		{"client_id", "other"},
		{"redirect_uri", "http://evil.example/"},
		{"redirect_uri", "http://app.localhost:8080/sign-in/callback/"},
		{"response_type", "token"},
		{"scope", "email"},
		{"code_challenge_method", "plain"},
		{"code_challenge", ""},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			rec := p.do(method, p.request(change...), url.Values{"email": {"a@b"}})
			if rec.Code != http.StatusBadRequest || rec.Header().Get("Location") != "" {
				t.Errorf("%s %v: status %d to %q", method, change, rec.Code, rec.Header().Get("Location"))
			}
		}
	}
	for _, email := range []string{"", "ana", "@example.com", "ana@", "a b@example.com"} {
		rec := p.do(http.MethodPost, p.request(), url.Values{"email": {email}})
		if rec.Code != http.StatusBadRequest || !strings.Contains(rec.Body.String(), "not an e-mail address") {
			t.Errorf("%q: status %d", email, rec.Code)
		}
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	p := start(t)
	code := func(form url.Values) string {
		t.Helper()
		rec := p.do(http.MethodPost, p.request(), form)
		u, err := url.Parse(rec.Header().Get("Location"))
		if err != nil || rec.Code != http.StatusSeeOther || u.Query().Get("state") != "s" {
			t.Fatalf("status %d to %s", rec.Code, u)
		}
		return u.Query().Get("code")
	}
	exchange := func(code string, changes ...string) *httptest.ResponseRecorder {
		form := url.Values{
			"grant_type": {"authorization_code"}, "code": {code}, "client_id": {"service"}, "client_secret": {"secret"},
			"redirect_uri": {"http://app.localhost:8080/sign-in/callback"}, "code_verifier": {p.verifier},
		}
		for i := 0; i < len(changes); i += 2 {
			form.Set(changes[i], changes[i+1])
		}
		return p.do(http.MethodPost, "/token", form)
	}
	anybody := url.Values{"email": {"Anybody@Example.org"}}
	good := code(anybody)
	rec := exchange(good)
	var answer map[string]any
	if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || rec.Code != http.StatusOK || answer["id_token"] == nil {
		t.Fatalf("status %d: %s", rec.Code, rec.Body)
	}
	for name, rec := range map[string]*httptest.ResponseRecorder{
		"a second time":    exchange(good),
		"another verifier": exchange(code(anybody), "code_verifier", "x"),
		"another redirect": exchange(code(anybody), "redirect_uri", "http://evil.example/"),
		"unknown code":     exchange("x"),
	} {
		if rec.Code != http.StatusBadRequest {
			t.Errorf("%s: status %d", name, rec.Code)
		}
	}
	if rec := exchange(code(anybody), "client_secret", "x"); rec.Code != http.StatusUnauthorized {
		t.Errorf("wrong secret: status %d", rec.Code)
	}
	late := code(url.Values{"email": {""}, "person": {"ana@example.com"}})
	p.now = p.now.Add(2 * time.Minute)
	if rec := exchange(late); rec.Code != http.StatusBadRequest {
		t.Errorf("too late: status %d", rec.Code)
	}
	p.Fail(true)
	if rec := exchange(code(anybody)); rec.Code != http.StatusServiceUnavailable {
		t.Errorf("failing: status %d", rec.Code)
	}
	if devidp.Subject(" Ana@Example.com") != devidp.Subject("ana@example.com") || devidp.Subject("a@b") == devidp.Subject("b@a") {
		t.Error("a subject is not its e-mail address's")
	}
}

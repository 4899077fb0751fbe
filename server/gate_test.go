package server

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/auth"
	"service/store"
	"service/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// gated is a server behind the real gate.
type gated struct {
	*fixture
	auth    *auth.Server
	store   *store.Store
	pool    *pgxpool.Pool
	account store.Account
	client  string // that token was for last
}

func setupGated(t *testing.T) *gated {
	t.Helper()
	g := &gated{}
	g.store, g.pool = storetest.New(t)
	var err error
	g.account, err = g.store.Accounts.EnsureAccount(t.Context(), store.Identity{
		Issuer: "https://idp.example.test", Subject: "ana", Email: "ana@example.test", Verified: true, Name: "Ana",
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.store.Workspaces.CreateWorkspace(t.Context(), g.account.ID, "acme", "Acme"); err != nil {
		t.Fatal(err)
	}
	g.auth, err = auth.New(t.Context(), auth.Config{
		BaseURL: "https://mcp.example.test", AppURL: "https://app.example.test", DashboardDomain: "example.test",
		OIDC: auth.OIDC{Issuer: "https://idp.example.test", ClientID: "service"}, Store: g.store, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	g.fixture = setup(t, func(c *Config) { c.Auth = g.auth })
	return g
}

// token gets a token as a client does: register, authorize, be approved, exchange.
func (g *gated) token(t *testing.T) string {
	t.Helper()
	const redirect = "http://127.0.0.1:7777/callback"
	var client struct {
		ID string `json:"client_id"`
	}
	r := g.do(t, "POST", "/register", `{"client_name":"c","redirect_uris":["`+redirect+`"],"token_endpoint_auth_method":"none"}`,
		"Authorization", "-", "Content-Type", "application/json")
	if err := json.Unmarshal([]byte(r.body), &client); err != nil || r.status != 201 {
		t.Fatalf("register: %d %s", r.status, r.body)
	}
	g.client = client.ID
	const verifier = "0123456789012345678901234567890123456789012"
	challenge := sha256.Sum256([]byte(verifier))
	r = g.do(t, "GET", "/authorize?"+url.Values{
		"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {redirect}, "state": {"s"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}, "code_challenge_method": {"S256"},
	}.Encode(), "", "Authorization", "-")
	consent, err := url.Parse(r.header.Get("Location"))
	if err != nil || r.status != http.StatusSeeOther {
		t.Fatalf("authorize: %d %s", r.status, r.body)
	}
	back, err := g.auth.Approve(t.Context(), consent.Query().Get("request"), g.account.ID, "acme")
	if err != nil {
		t.Fatal(err)
	}
	callback, err := url.Parse(back)
	if err != nil {
		t.Fatal(err)
	}
	var issued struct {
		AccessToken string `json:"access_token"`
	}
	r = g.do(t, "POST", "/token", url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client.ID}, "redirect_uri": {redirect},
		"code": {callback.Query().Get("code")}, "code_verifier": {verifier},
	}.Encode(), "Authorization", "-", "Content-Type", "application/x-www-form-urlencoded")
	if err := json.Unmarshal([]byte(r.body), &issued); err != nil || issued.AccessToken == "" {
		t.Fatalf("token: %d %s", r.status, r.body)
	}
	return issued.AccessToken
}

func TestTheWayIn(t *testing.T) {
	t.Parallel()
	g := setupGated(t)
	const challenge = `Bearer resource_metadata="https://mcp.example.test/.well-known/oauth-protected-resource"`
	for _, header := range []string{"-", "Bearer svc_at_made_up", "Basic YTpi"} {
		r := g.post(t, request("1", "tools/list", ""), "Authorization", header)
		if !strings.HasPrefix(r.header.Get("WWW-Authenticate"), challenge) || r.status != 401 {
			t.Errorf("%s: %d %v", header, r.status, r.header)
		}
	}
	for _, path := range []string{
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server",
	} {
		if r := g.do(t, "GET", path, ""); r.status != 200 || !strings.Contains(r.body, "https://mcp.example.test") {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
		if r := g.do(t, "HEAD", path, ""); r.status != 200 || r.body != "" {
			t.Errorf("HEAD %s: %d", path, r.status)
		}
	}
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server", "/register", "/token"} {
		if r := g.do(t, "OPTIONS", path, ""); r.status != 204 || r.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("OPTIONS %s: %d %v", path, r.status, r.header)
		}
	}

	bearer := "Bearer " + g.token(t)
	same(t, g.post(t, act("1", "caller"), "Authorization", bearer), 200, result("1", textOf(g.client)))
	if strings.Contains(g.logs.String(), strings.TrimPrefix(bearer, "Bearer ")) {
		t.Error("the token is in the log")
	}
}

func TestRevocationHoldsAtOnce(t *testing.T) {
	t.Parallel()
	g := setupGated(t)
	bearer := "Bearer " + g.token(t)
	same(t, g.post(t, request("1", "ping", ""), "Authorization", bearer), 200, result("1", "{}"))
	grants, err := g.store.OAuth.ListGrants(t.Context(), g.account.ID, uuid.Nil)
	if err != nil || len(grants) != 1 {
		t.Fatalf("%v, %v", grants, err)
	}
	if err := g.store.OAuth.RevokeGrant(t.Context(), g.account.ID, grants[0].ID); err != nil {
		t.Fatal(err)
	}
	if r := g.post(t, request("1", "ping", ""), "Authorization", bearer); r.status != 401 {
		t.Errorf("after revocation: %d", r.status)
	}
}

// The gate fails closed: the call is not let in, and the answer does not claim that the
// token is bad.
func TestGateWithoutDatabaseIs503(t *testing.T) {
	t.Parallel()
	g := setupGated(t)
	bearer := "Bearer " + g.token(t)
	g.pool.Close()
	for _, body := range []string{request("1", "ping", ""), `"` + strings.Repeat("a", anonymousBody) + `"`} {
		if r := g.post(t, body, "Authorization", bearer); r.status != 503 {
			t.Errorf("%d %s", r.status, clip(r.body, 200))
		}
	}
	if r := g.post(t, request("1", "ping", ""), "Authorization", "-"); r.status != 401 {
		t.Errorf("without a token: %d", r.status)
	}
}

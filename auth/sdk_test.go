package auth_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"service/auth"
	"service/auth/authtest"
)

// The go-sdk's own client gets from the first refusal to a tool's answer without help, and stays
// connected after its access token has expired.
func TestSDKClient(t *testing.T) {
	t.Parallel()
	w := setup(t)
	person := w.signedIn(t, "ana@example.com")
	w.workspace(t, "acme", "ana@example.com")
	account := w.account(t, "ana@example.com").ID.String()

	server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "where"},
		func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			g, _ := auth.GrantFrom(ctx)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: g.Account.String() + " in " + g.Member.Workspace()}}}, nil, nil
		})
	endpoint := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, DisableLocalhostProtection: true})
	w.mcp = w.auth.Bearer(endpoint)

	consents := 0
	oauth, err := sdkauth.NewAuthorizationCodeHandler(&sdkauth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &sdkauth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "SDK client", RedirectURIs: []string{callback}, GrantTypes: []string{"authorization_code", "refresh_token"},
		}},
		AuthorizationCodeFetcher: func(_ context.Context, args *sdkauth.AuthorizationArgs) (*sdkauth.AuthorizationResult, error) {
			consents++
			handle := person.get(args.URL).to(t).Query().Get("request")
			q := person.allow(handle, "acme").to(t).Query()
			return &sdkauth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
		},
		Client: &http.Client{Transport: authtest.Transport(t)},
	})
	if err != nil {
		t.Fatal(err)
	}
	transport := &mcp.StreamableClientTransport{
		Endpoint: w.base + "/mcp", HTTPClient: &http.Client{Transport: authtest.Transport(t)},
		OAuthHandler: oauth, DisableStandaloneSSE: true,
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()

	where := func() string {
		t.Helper()
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "where"})
		if err != nil {
			t.Fatal(err)
		}
		return res.Content[0].(*mcp.TextContent).Text
	}
	if got := where(); got != account+" in acme" || consents != 1 {
		t.Fatalf("answer %q after %d consents", got, consents)
	}

	source, err := oauth.TokenSource(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token, err := source.Token()
	if err != nil {
		t.Fatal(err)
	}
	if left := time.Until(token.Expiry); left < 49*time.Minute || left > 50*time.Minute {
		t.Errorf("the client believes its token lives %v", left)
	}
	// The library's clock is the real one: mark the token as expired there, so that it refreshes, and
	// advance the server's clock.
	w.clock.advance(51 * time.Minute)
	if a := w.call(t, token.AccessToken); a.StatusCode != http.StatusUnauthorized {
		t.Fatalf("the old token still opens: status %d", a.StatusCode)
	}
	token.Expiry = time.Now().Add(-time.Minute)
	if got := where(); got != account+" in acme" {
		t.Errorf("after the refresh: %q", got)
	}
	if consents != 1 || w.count(t, `SELECT count(*) FROM oauth_token WHERE kind = 'refresh'`) != 2 {
		t.Errorf("%d consents: the client did not refresh", consents)
	}
}

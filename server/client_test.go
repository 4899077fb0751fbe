package server

import (
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// asAcme adds the bearer token that the SDK's client would get from its OAuth flow.
type asAcme struct{ next http.RoundTripper }

func (a asAcme) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer acme")
	return a.next.RoundTrip(r)
}

// The SDK's own client works with this server at its newest revision and at each older
// one.
func TestSDKClient(t *testing.T) {
	t.Parallel()
	for asked, agreed := range map[string]string{
		"": "2025-06-18", "2026-07-28": "2025-06-18", "2025-11-25": "2025-06-18",
		"2025-06-18": "2025-06-18", "2025-03-26": "2025-06-18", "2024-11-05": "2024-11-05",
	} {
		t.Run("asked "+asked, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
				Endpoint: f.URL + "/mcp", HTTPClient: &http.Client{Transport: asAcme{f.Client().Transport}},
			}, &mcp.ClientSessionOptions{ProtocolVersion: asked})
			if err != nil {
				t.Fatal(err)
			}
			init := session.InitializeResult()
			if init.ProtocolVersion != agreed || init.ServerInfo.Name != "service" {
				t.Errorf("initialized with %+v", init)
			}
			if err := session.Ping(t.Context(), nil); err != nil {
				t.Error(err)
			}
			if list, err := session.ListTools(t.Context(), nil); err != nil || len(list.Tools) != 2 {
				t.Errorf("tools: %+v, %v", list, err)
			}
			res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "act", Arguments: map[string]any{"text": "structured"}})
			if err != nil || res.IsError || res.Content[0].(*mcp.TextContent).Text != "<b>&" {
				t.Errorf("call: %+v, %v", res, err)
			}
			if res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "nope"}); err != nil || !res.IsError {
				t.Errorf("unknown tool: %+v, %v", res, err)
			}
			var n int
			for _, err := range session.Resources(t.Context(), nil) {
				if n++; err != nil {
					t.Error(err)
				}
			}
			if n != 1 {
				t.Errorf("%d resources", n)
			}
			if res, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "service://acme/sales"}); err != nil ||
				res.Contents[0].Text != "<b>hi</b>" {
				t.Errorf("read: %+v, %v", res, err)
			}
			if list, err := session.ListResourceTemplates(t.Context(), nil); err != nil ||
				list.ResourceTemplates[0].URITemplate != "service://{handle}/{slug}" {
				t.Errorf("templates: %+v, %v", list, err)
			}
			if list, err := session.ListPrompts(t.Context(), nil); err != nil || len(list.Prompts) != 1 {
				t.Errorf("prompts: %+v, %v", list, err)
			}
			if _, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "refreshable_dashboard"}); err != nil {
				t.Error(err)
			}
			if err := session.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

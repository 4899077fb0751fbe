package prompts_test

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"service/prompts"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// connect returns a client's session with a server that has the prompts.
func connect(t *testing.T) *mcp.ClientSession {
	t.Helper()
	srv := mcp.NewServer(&mcp.Implementation{Name: "service", Version: "0.6.0"}, nil)
	prompts.Register(srv)
	here, there := mcp.NewInMemoryTransports()
	if _, err := srv.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func TestListIsAsCommitted(t *testing.T) {
	t.Parallel()
	session := connect(t)
	res, err := session.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	type prompt struct {
		*mcp.Prompt
		Messages []*mcp.PromptMessage `json:"messages"` // without arguments
	}
	var all []prompt
	for _, p := range res.Prompts {
		got, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: p.Name})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, prompt{p, got.Messages})
	}
	got, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	const file = "testdata/prompts.golden.json"
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the prompts changed (-want +got); if intended, run the test with -update:\n%s", diff)
	}
}

func expand(t *testing.T, s *mcp.ClientSession, name string, args map[string]string) string {
	t.Helper()
	res, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Messages) != 1 || res.Messages[0].Role != "user" {
		t.Fatalf("%s expands into %d messages, want one of the user's", name, len(res.Messages))
	}
	return res.Messages[0].Content.(*mcp.TextContent).Text
}

func TestRefreshableDashboardFollowsTheFlow(t *testing.T) {
	t.Parallel()
	s := connect(t)
	for _, args := range []map[string]string{
		nil,
		{"connection": "0b9f8a52-6a3b-4c1e-9a7e-51d0d3d4f111"},
		{"grain": "weekly"},
		{"connection": `a "quoted" %d word`, "grain": "every full moon"},
	} {
		text := expand(t, s, "refreshable_dashboard", args)
		last := -1
		for _, step := range []string{"check_readiness", "validate_cube_sql", "publish_dashboard", "get_refresh_status"} {
			at := strings.Index(text, step)
			if at <= last {
				t.Errorf("args %v: %s is mentioned at %d, after a later step at %d:\n%s", args, step, at, last, text)
			}
			last = at
		}
		for _, word := range args {
			if !strings.Contains(text, word) {
				t.Errorf("the argument %q is not filled in as given:\n%s", word, text)
			}
		}
		if !strings.Contains(text, "until the first refresh has completed") || !strings.Contains(text, "spec") {
			t.Errorf("the flow does not go on to the end of the first refresh:\n%s", text)
		}
	}
	if text := expand(t, s, "refreshable_dashboard", nil); !strings.Contains(text, `"self"`) || !strings.Contains(text, "daily") {
		t.Errorf("omitted arguments have no stand-ins:\n%s", text)
	}
}

func TestAuditMyDashboards(t *testing.T) {
	t.Parallel()
	text := expand(t, connect(t), "audit_my_dashboards", nil)
	if !strings.Contains(text, "list_dashboards") {
		t.Errorf("the audit does not begin with list_dashboards:\n%s", text)
	}
	if strings.Contains(text, "get_refresh_status for each") || !strings.Contains(text, "without a schedule") {
		t.Errorf("the audit calls a tool for each dashboard, or does not look at schedules:\n%s", text)
	}
}

func TestUnknownPromptIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := connect(t).GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "static_publish"}); err == nil {
		t.Error("the retired prompt expands")
	}
}

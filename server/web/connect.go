package web

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
)

// connectPage tells how each AI client is connected to this installation.
type connectPage struct {
	URL     string
	Clients []clientGuide
	Grants  []grantRow // what is connected already, the newest first
}

// grantsShown is how many connected clients the page shows.
const grantsShown = 3

// A clientGuide is one client's section.
type clientGuide struct {
	ID, Name string
	Steps    string
	Code     []codeBlock
	After    string
	Link     template.URL // installs in one click; empty: none
	LinkText string
}

type codeBlock struct{ Label, Text string }

func (a *App) connect(v *visit) error {
	page, err := a.connectPage(v)
	if err != nil {
		return err
	}
	return a.render(v, http.StatusOK, screen{
		name: "connect", title: "Connect your AI client", tab: tabConnect,
		data: page,
	})
}

func (a *App) connectPage(v *visit) (connectPage, error) {
	page := connectPage{URL: a.MCPURL, Clients: clientGuides(a.MCPURL)}
	grants, err := a.grants(v)
	page.Grants = grants[:min(len(grants), grantsShown)]
	return page, err
}

// calls is the part of the page that tells how far the first client has come:
// what the script asks for while it waits.
func (a *App) calls(v *visit) error {
	page, err := a.connectPage(v)
	if err != nil {
		return err
	}
	var part bytes.Buffer
	if err := a.screens["connect"].ExecuteTemplate(&part, "calls", page); err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = part.WriteTo(v.w) // or the reader has gone
	return nil
}

// State changes when a client is allowed, or calls for the first time: when there is
// something new to tell.
func (p connectPage) State() string {
	var state strings.Builder
	for _, g := range p.Grants {
		fmt.Fprintf(&state, "%s %t ", g.ID, g.UsedAt != nil)
	}
	return state.String()
}

// clientGuides are the ways of the common clients to connect to mcp.
func clientGuides(mcp string) []clientGuide {
	return []clientGuide{
		{
			ID: "plugin", Name: "Claude Code plugin",
			Steps: "The plugin brings the connection and the prompts together. Run these in a checkout of this service's repository:",
			Code:  []codeBlock{{"Commands", "claude plugin marketplace add ./\nclaude plugin install service@service"}},
		},
		{
			ID: "claude-code", Name: "Claude Code",
			Steps: "Run this once in a terminal:",
			Code:  []codeBlock{{"Command", "claude mcp add --transport http service " + mcp}},
			After: "Then type /mcp in Claude Code, choose service and authenticate. Add --scope user to have it in every project. Two entries are two authorizations: that is how you use two workspaces.",
		},
		{
			ID: "claude", Name: "Claude.ai and Claude Desktop",
			Steps: "Open Settings → Connectors → Add custom connector, and paste the address:",
			Code:  []codeBlock{{"Address", mcp}},
			After: "Claude.ai calls from the internet, so the address must be reachable from there.",
		},
		{
			ID: "cursor", Name: "Cursor",
			Steps: "Add this to ~/.cursor/mcp.json, or to .cursor/mcp.json of one project:",
			Code:  []codeBlock{{"mcp.json", indented(map[string]any{"mcpServers": map[string]any{"service": map[string]any{"url": mcp}}})}},
			Link: template.URL("https://cursor.com/en/install-mcp?" + url.Values{
				"name": {"service"}, "config": {base64.StdEncoding.EncodeToString([]byte(compact(map[string]any{"url": mcp})))},
			}.Encode()),
			LinkText: "Add to Cursor",
		},
		{
			ID: "vscode", Name: "VS Code",
			Steps: "Add this to .vscode/mcp.json:",
			Code:  []codeBlock{{"mcp.json", indented(map[string]any{"servers": map[string]any{"service": map[string]any{"type": "http", "url": mcp}}})}},
			Link: template.URL("https://insiders.vscode.dev/redirect/mcp/install?" + url.Values{
				"name": {"service"}, "config": {compact(map[string]any{"type": "http", "url": mcp})},
			}.Encode()),
			LinkText: "Add to VS Code",
		},
		{
			ID: "codex", Name: "Codex",
			Steps: "Run this once in a terminal; it opens the browser at once:",
			Code:  []codeBlock{{"Command", "codex mcp add service --url " + mcp}},
		},
		{
			ID: "gemini", Name: "Gemini CLI",
			Steps: "Run this once in a terminal:",
			Code:  []codeBlock{{"Command", "gemini mcp add --transport http service " + mcp}},
			After: "Servers are off in folders that Gemini CLI does not trust.",
		},
		{
			ID: "mcp-remote", Name: "Clients that only start programs",
			Steps: "Let mcp-remote stand in between. This is the usual form of the configuration:",
			Code: []codeBlock{{"Configuration", indented(map[string]any{"mcpServers": map[string]any{"service": map[string]any{
				"command": "npx", "args": []string{"mcp-remote", mcp},
			}}})}},
		},
	}
}

func indented(v any) string {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // maps of strings
	}
	return string(b)
}

func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of strings
	}
	return string(b)
}

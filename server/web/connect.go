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
	reader
	URL    string
	Code   map[string]string       // what is copied, by client
	Links  map[string]template.URL // what installs in one click, by client
	Grants []grantRow              // what is connected already, the newest first
}

// grantsShown is how many connected clients the page shows.
const grantsShown = 3

func (a *App) connect(v *visit) error {
	page, err := a.connectPage(v)
	if err != nil {
		return err
	}
	return a.render(v, http.StatusOK, screen{
		name: "connect", title: tabConnect, tab: tabConnect,
		data: page,
	})
}

func (a *App) connectPage(v *visit) (connectPage, error) {
	page := connectPage{reader: a.readerOf(v), URL: a.MCPURL, Code: clientCode(a.MCPURL), Links: clientLinks(a.MCPURL)}
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

// clientCode is what connects each client to mcp, as its own documentation writes it.
func clientCode(mcp string) map[string]string {
	return map[string]string{
		"plugin":      "claude plugin marketplace add ./\nclaude plugin install service@service",
		"claude-code": "claude mcp add --transport http service " + mcp,
		"cursor":      indented(map[string]any{"mcpServers": map[string]any{"service": map[string]any{"url": mcp}}}),
		"vscode":      indented(map[string]any{"servers": map[string]any{"service": map[string]any{"type": "http", "url": mcp}}}),
		"codex":       "codex mcp add service --url " + mcp,
		"gemini":      "gemini mcp add --transport http service " + mcp,
		"mcp-remote": indented(map[string]any{"mcpServers": map[string]any{"service": map[string]any{
			"command": "npx", "args": []string{"mcp-remote", mcp},
		}}}),
	}
}

// clientLinks are the links that add mcp to a client.
func clientLinks(mcp string) map[string]template.URL {
	link := func(base, config string) template.URL {
		return template.URL(base + "?" + url.Values{"name": {"service"}, "config": {config}}.Encode())
	}
	return map[string]template.URL{
		"cursor": link("https://cursor.com/en/install-mcp", base64.StdEncoding.EncodeToString([]byte(compact(map[string]any{"url": mcp})))),
		"vscode": link("https://insiders.vscode.dev/redirect/mcp/install", compact(map[string]any{"type": "http", "url": mcp})),
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

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

// connectPage shows how to connect each AI client to this installation.
type connectPage struct {
	reader
	URL     string
	Code    map[string]string       // command or configuration to copy, by client
	Links   map[string]template.URL // one-click installation, by client
	Grants  []grantRow              // newest first, at most grantsShown
	Clients string                  // address of the list of all clients
}

// grantsShown is the number of connected clients on the page.
const grantsShown = 3

func (a *App) connect(v *visit) error {
	page, err := a.connectPage(v)
	if err != nil {
		return err
	}
	return a.render(v, http.StatusOK, screen{
		name: "connect", title: v.Text(tabConnect), tab: tabConnect,
		data: page,
	})
}

func (a *App) connectPage(v *visit) (connectPage, error) {
	page := connectPage{reader: a.readerOf(v), URL: a.MCPURL, Code: clientCode(a.MCPURL), Links: clientLinks(a.MCPURL), Clients: clientsURL(v)}
	grants, err := a.grants(v)
	page.Grants = grants[:min(len(grants), grantsShown)]
	return page, err
}

// calls answers the page's script with only the list of clients. The script polls it
// while it waits for a first call.
func (a *App) calls(v *visit) error {
	page, err := a.connectPage(v)
	if err != nil {
		return err
	}
	t, err := a.template(v.Locale, "connect")
	if err != nil {
		return err
	}
	var part bytes.Buffer
	if err := t.ExecuteTemplate(&part, "calls", page); err != nil {
		return err
	}
	v.release()
	a.Kept(v.r.Context(), part.Len())
	a.header(v)
	_, _ = part.WriteTo(v.w) // fails only when the client has disconnected
	return nil
}

// State returns a string that changes when a client is allowed, or calls for the first
// time. The script replaces the list when it changes.
func (p connectPage) State() string {
	var state strings.Builder
	for _, g := range p.Grants {
		fmt.Fprintf(&state, "%s %t ", g.ID, g.UsedAt != nil)
	}
	return state.String()
}

// clientCode returns the command or configuration that connects each client to the
// address mcp, in the form of the client's own documentation.
func clientCode(mcp string) map[string]string {
	return map[string]string{
		"plugin": "claude plugin marketplace add ./\nclaude plugin install service@service --config server_url=" + mcp +
			"\nclaude mcp login plugin:service:service",
		"claude-code": "claude mcp add --transport http service " + mcp + "\nclaude mcp login service",
		"cursor":      indented(map[string]any{"mcpServers": map[string]any{"service": map[string]any{"url": mcp}}}),
		"vscode":      indented(map[string]any{"servers": map[string]any{"service": map[string]any{"type": "http", "url": mcp}}}),
		"codex":       "codex mcp add service --url " + mcp,
		"opencode":    "opencode mcp add service --url " + mcp + "\nopencode mcp auth service",
		"inspector":   "npx @modelcontextprotocol/inspector --transport http --server-url " + mcp,
		"gemini":      "gemini mcp add --transport http service " + mcp,
		"mcp-remote": indented(map[string]any{"mcpServers": map[string]any{"service": map[string]any{
			"command": "npx", "args": []string{"mcp-remote", mcp},
		}}}),
	}
}

// clientLinks returns links that add mcp to a client.
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

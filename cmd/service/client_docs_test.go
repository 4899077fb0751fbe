package main

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A clientPage has the texts that people copy from a page of docs/clients.
type clientPage struct {
	name    string
	command string
	config  map[string]any
	link    string // link that installs, up to the query with the configuration
	decode  func(string) ([]byte, error)
	linked  map[string]any
}

// clientPages returns all pages, for an address.
func clientPages(address string) []clientPage {
	remote := map[string]any{"type": "http", "url": address}
	wrap := func(key string, entry map[string]any) map[string]any {
		return map[string]any{key: map[string]any{"service": entry}}
	}
	return []clientPage{
		{
			name: "claude-code", config: wrap("mcpServers", remote),
			command: "claude mcp add --transport http service " + address + "\nclaude mcp login service",
		},
		{name: "claude-ai"},
		{
			name: "cursor", config: wrap("mcpServers", map[string]any{"url": address}),
			link: "https://cursor.com/en/install-mcp?", decode: base64.StdEncoding.DecodeString, linked: map[string]any{"url": address},
		},
		{
			name: "vscode", config: wrap("servers", remote),
			link:   "https://insiders.vscode.dev/redirect/mcp/install?",
			decode: func(s string) ([]byte, error) { return []byte(s), nil }, linked: remote,
		},
		{name: "codex", command: "codex mcp add service --url " + address},
		{name: "gemini-cli", command: "gemini mcp add --transport http service " + address, config: wrap("mcpServers", remote)},
		{
			name: "opencode", command: "opencode mcp add service --url " + address + "\nopencode mcp auth service",
			config: map[string]any{
				"$schema": "https://opencode.ai/config.json",
				"mcp":     map[string]any{"service": map[string]any{"type": "remote", "url": address}},
			},
		},
		{name: "inspector", command: "npx @modelcontextprotocol/inspector --transport http --server-url " + address},
		{name: "mcp-remote", config: wrap("mcpServers", map[string]any{"command": "npx", "args": []any{"mcp-remote", address}})},
	}
}

// installs checks the installing link of a page. The link ends before the character end.
func (c clientPage) installs(t *testing.T, page, end string) {
	t.Helper()
	_, query, _ := strings.Cut(page, c.link)
	query, _, _ = strings.Cut(query, end)
	values, err := url.ParseQuery(query)
	if err != nil || values.Get("name") != "service" {
		t.Errorf("%s: %v, %v", c.name, values, err)
	}
	text, err := c.decode(values.Get("config"))
	if err != nil || !cmp.Equal(object(text), c.linked) {
		t.Errorf("%s: the link installs %s, %v", c.name, text, err)
	}
}

// object returns a text parsed as a JSON object; nil if it is not one.
func object(text []byte) (v map[string]any) {
	if json.Unmarshal(text, &v) != nil {
		return nil
	}
	return v
}

// Commands copied from a page work unchanged on the user's own machine.
func TestClientDocs(t *testing.T) {
	t.Parallel()
	address := defaultAddress(t)
	for _, c := range clientPages(address) {
		page := string(readFile(t, "docs/clients/"+c.name+".md"))
		if !strings.Contains(page, address) || !strings.Contains(page, "\n"+c.command) {
			t.Errorf("%s lacks the address or the command", c.name)
		}
		if !strings.Contains(string(readFile(t, "docs/clients/README.md")), "("+c.name+".md)") {
			t.Errorf("%s is not in the index", c.name)
		}
		if c.config != nil {
			if diff := cmp.Diff(c.config, object([]byte(block(t, page, "json")))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
		if c.link != "" {
			c.installs(t, page, ")")
		}
	}
}

// The web app shows the same, with the installation's own address.
func TestClientPagesAreThoseOfTheWebApp(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	ada := site.browser(t)
	ada.signIn(site.app+"/", "ada@example.com")
	ada.submit("/workspaces", url.Values{"name": {"Acme"}, "slug": {"acme"}})
	page := ada.get(site.app + "/w/acme/connect")
	var copied []string
	for _, m := range regexp.MustCompile(`(?s)<pre class="copy"[^>]*>(.*?)</pre>`).FindAllStringSubmatch(page.text, -1) {
		copied = append(copied, html.UnescapeString(m[1]))
	}
	// The plugin too, which would use the user's own machine without it.
	plugin := "claude plugin marketplace add ./\nclaude plugin install service@service --config server_url=" + site.base +
		"/mcp\nclaude mcp login plugin:service:service"
	if !slices.Contains(copied, plugin) {
		t.Errorf("the plugin: %s is not among %q", plugin, copied)
	}
	for _, text := range copied {
		if !strings.Contains(text, site.base+"/mcp") {
			t.Errorf("nothing names the address of this installation in %s", text)
		}
	}
	for _, c := range clientPages(site.base + "/mcp") {
		switch {
		case c.command != "":
			if !slices.Contains(copied, c.command) {
				t.Errorf("%s: %s is not among %q", c.name, c.command, copied)
			}
		case c.config != nil:
			if !slices.ContainsFunc(copied, func(text string) bool { return cmp.Equal(object([]byte(text)), c.config) }) {
				t.Errorf("%s: %v is not among %q", c.name, c.config, copied)
			}
		}
		if c.link != "" {
			c.installs(t, html.UnescapeString(page.text), `"`)
		}
	}
}

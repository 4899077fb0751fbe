package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"service/tools"
)

// docs/tools.md is generated from the registry, so both always agree.
func TestDocumentationIsCurrent(t *testing.T) {
	t.Parallel()
	golden(t, "../docs/tools.md", document(t))
}

func document(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(`# Tools

<!-- Generated from package tools: go test ./tools -run TestDocumentationIsCurrent -update -->

The MCP tools, as clients see them. Your AI client calls them. A tool returns a sentence and, between
` + "`BEGIN_JSON` and `END_JSON`" + `, one line of JSON. If a call is refused, ` + "`isError`" + ` is set and the sentence
contains the fix. Unknown arguments are ignored and listed in ` + "`ignored`" + `. ` +
		"`slug`" + ` and ` + "`path`" + ` are interchangeable. ` +
		`The spec that publish_dashboard
takes is described in [its reference](spec/).

| Tool | Title | Changes | Also returns structuredContent | Calls a minute |
|---|---|---|---|---|
`)
	rates := map[string]string{
		"publish_dashboard": "60 for each account", "validate_cube_sql": "120 for each account",
		"explore_data": "120 for each account", "introspect_schema": "120 for each account",
		"trigger_refresh": "20 for each account, and the workspace's budget",
	}
	for _, d := range tools.Definitions() {
		structured := "no"
		switch {
		case d.Name == "publish_dashboard":
			structured = "body mode"
		case traits[d.Name].structured:
			structured = "yes"
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s | %s |\n", d.Name, d.Name, d.Title, effect(d.Annotations), structured, rates[d.Name])
	}
	for _, d := range tools.Definitions() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", d.Name, escape(d.Description))
		writeParameters(t, &b, d.InputSchema.(json.RawMessage))
	}
	return b.Bytes()
}

// effect returns the effect of a call of a tool, in a word or two.
func effect(a *mcp.ToolAnnotations) string {
	words := []string{}
	switch {
	case a.ReadOnlyHint:
		words = append(words, "nothing")
	case *a.DestructiveHint:
		words = append(words, "may replace or remove")
	default:
		words = append(words, "adds")
	}
	if a.IdempotentHint && !a.ReadOnlyHint {
		words = append(words, "repeatable")
	}
	if *a.OpenWorldHint {
		words = append(words, "runs SQL on the source")
	}
	return strings.Join(words, "; ")
}

// writeParameters writes the parameters in the order of the schema.
func writeParameters(t *testing.T, b *bytes.Buffer, raw json.RawMessage) {
	t.Helper()
	s := parseSchema(t, raw)
	if len(s.Properties) == 0 {
		b.WriteString("Takes no arguments.\n")
		return
	}
	b.WriteString("| Argument | Type | |\n|---|---|---|\n")
	for _, name := range memberNames(t, raw, "properties") {
		p := s.Properties[name]
		kind := p.Type.(string)
		if kind == "array" {
			kind = "array of " + p.Items.Type.(string) + "s"
		}
		if slices.Contains(s.Required, name) {
			kind += ", required"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, kind, escape(p.Description))
	}
}

// memberNames returns the names of an object's members, in their order.
func memberNames(t *testing.T, raw json.RawMessage, member string) []string {
	t.Helper()
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(raw, &whole); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(whole[member]))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			t.Fatal(err)
		}
		names = append(names, name.(string))
	}
	return names
}

// escape escapes the characters that Markdown would read as markup.
func escape(s string) string {
	return strings.NewReplacer("<", "\\<", "|", "\\|").Replace(s)
}

package tools_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"service/tools"
)

// traits are the annotations and other properties of every tool, repeated here so that
// every change is deliberate.
var traits = map[string]struct {
	title                                  string
	readOnly, destructive, idempotent, ext bool // annotations
	structured                             bool // sends structuredContent
	schema                                 bool // declares its schema
	dashboard                              bool // takes a workspace
	viewers                                bool // viewers may call it
}{
	"check_readiness":           {"Check readiness", true, false, true, false, true, true, false, true},
	"list_dashboards":           {"List dashboards", true, false, true, false, true, true, true, true},
	"get_dashboard":             {"Get dashboard", true, false, true, false, false, false, true, true},
	"publish_dashboard":         {"Publish dashboard", false, true, false, true, true, false, true, false},
	"update_dashboard":          {"Update dashboard details", false, true, true, false, false, false, true, false},
	"delete_dashboard":          {"Delete dashboard", false, true, true, false, false, false, true, false},
	"list_dashboard_versions":   {"List dashboard versions", true, false, true, false, true, false, true, true},
	"restore_dashboard_version": {"Restore dashboard version", false, true, false, false, false, false, true, false},
	"update_dashboard_version":  {"Name dashboard version", false, false, true, false, false, false, true, false},
	"get_dashboard_spec":        {"Get dashboard spec", true, false, true, false, false, false, true, false},
	"derive_dashboard_spec":     {"Derive spec from dashboard", true, false, true, false, false, false, true, false},
	"get_source_config":         {"Get source configuration", true, false, true, false, false, false, true, false},
	"verify_dashboard":          {"Verify dashboard", true, false, true, true, false, false, true, false},
	"set_refresh_schedule":      {"Set refresh schedule", false, true, true, false, true, true, true, false},
	"get_refresh_status":        {"Get refresh status", true, false, true, false, false, false, true, true},
	"trigger_refresh":           {"Refresh now", false, false, false, true, false, false, true, false},
	"list_connections":          {"List connections", true, false, true, false, true, true, false, true},
	"introspect_schema":         {"Inspect schema", true, false, true, true, true, true, false, false},
	"validate_cube_sql":         {"Validate SQL", true, false, true, true, true, true, false, false},
	"explore_data":              {"Explore data", true, false, true, true, true, true, false, false},
}

// The surface is a contract with clients: every change must be visible in review.
func TestListIsAsCommitted(t *testing.T) {
	t.Parallel()
	defs := tools.Definitions()
	slices.SortFunc(defs, func(a, b *mcp.Tool) int { return strings.Compare(a.Name, b.Name) }) // tools/list sorts by name
	golden(t, "testdata/tools.golden.json", indented(t, defs))
}

func indented(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
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
		t.Errorf("%s is out of date (-want +got); if the change is meant, run the tests with -update:\n%s", file, diff)
	}
}

func TestEveryToolIsDescribed(t *testing.T) {
	t.Parallel()
	defs := tools.Definitions()
	if len(defs) != len(traits) {
		t.Errorf("%d tools, want %d", len(defs), len(traits))
	}
	orders := regexp.MustCompile(`(?i)\b(must|always|never|important)\b[^"]`) // "never" is the name of a state
	for _, d := range defs {
		want, ok := traits[d.Name]
		if !ok {
			t.Errorf("%s is not a tool of the specification", d.Name)
			continue
		}
		if len("mcp__plugin_service_service__"+d.Name) > 64 {
			t.Errorf("%s: its name in clients is longer than 64 characters", d.Name)
		}
		a := d.Annotations
		if d.Title != want.title || a.ReadOnlyHint != want.readOnly || *a.DestructiveHint != want.destructive ||
			a.IdempotentHint != want.idempotent || *a.OpenWorldHint != want.ext {
			t.Errorf("%s: title or annotations are not as decided", d.Name)
		}
		wire := string(indented(t, a))
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if !strings.Contains(wire, `"`+hint+`"`) {
				t.Errorf("%s: %s is not explicit on the wire", d.Name, hint)
			}
		}
		if n := utf8.RuneCountInString(d.Description); n < 120 {
			t.Errorf("%s: the description has %d characters, want at least 120", d.Name, n)
		}
		if word := orders.FindString(d.Description); word != "" {
			t.Errorf("%s: the description orders the model about: %q", d.Name, word)
		}
		if (d.OutputSchema != nil) != want.schema {
			t.Errorf("%s: declares an output schema: %v, want %v", d.Name, d.OutputSchema != nil, want.schema)
		}
	}
}

func TestMetaKeepsToolsAtHand(t *testing.T) {
	t.Parallel()
	always, long := map[string]bool{}, map[string]bool{}
	for _, d := range tools.Definitions() {
		if d.Meta["anthropic/alwaysLoad"] == true {
			always[d.Name] = true
		}
		if _, ok := d.Meta["anthropic/maxResultSizeChars"]; ok {
			long[d.Name] = true
		}
	}
	if diff := cmp.Diff(map[string]bool{"check_readiness": true, "list_dashboards": true, "publish_dashboard": true}, always); diff != "" {
		t.Errorf("always loaded (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]bool{"get_dashboard": true, "get_dashboard_spec": true, "introspect_schema": true}, long); diff != "" {
		t.Errorf("long results (-want +got):\n%s", diff)
	}
}

// A schema is a JSON Schema, with the keywords that the tools use.
type schema struct {
	Type                 any                `json:"type"`
	Description          string             `json:"description"`
	Properties           map[string]*schema `json:"properties"`
	Items                *schema            `json:"items"`
	Required             []string           `json:"required"`
	Enum                 []any              `json:"enum"`
	AdditionalProperties any                `json:"additionalProperties"`
	Ref                  *string            `json:"$ref"`
	AnyOf                []any              `json:"anyOf"`
	OneOf                []any              `json:"oneOf"`
	AllOf                []any              `json:"allOf"`
	Not                  any                `json:"not"`
	Pattern              *string            `json:"pattern"`
	MaxLength            *int               `json:"maxLength"`
}

func parseSchema(t *testing.T, raw any) *schema {
	t.Helper()
	s := &schema{}
	if err := json.Unmarshal(raw.(json.RawMessage), s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestInputSchemasArePlain(t *testing.T) {
	t.Parallel()
	for _, d := range tools.Definitions() {
		s := parseSchema(t, d.InputSchema)
		if s.Type != "object" || s.Properties == nil {
			t.Errorf("%s: the schema is not an object with properties", d.Name)
		}
		plain(t, d.Name, s)
		for name, p := range s.Properties {
			hasDefault := strings.Contains(p.Description, "Default") || strings.Contains(p.Description, "No default")
			if !hasDefault || !strings.Contains(p.Description, "Example: ") {
				t.Errorf("%s.%s: the description names no default or no example: %q", d.Name, name, p.Description)
			}
			if p.Pattern != nil || p.MaxLength != nil {
				t.Errorf("%s.%s: a pattern lets clients hold back what the specification has a sentence for", d.Name, name)
			}
			if name == "visibility" {
				t.Errorf("%s advertises the retired visibility", d.Name)
			}
		}
		if _, ok := s.Properties["workspace"]; ok != traits[d.Name].dashboard {
			t.Errorf("%s takes a workspace: %v, want %v", d.Name, ok, traits[d.Name].dashboard)
		}
		for _, name := range s.Required {
			if s.Properties[name] == nil {
				t.Errorf("%s requires %s, which is not a property", d.Name, name)
			}
		}
	}
}

// plain checks that every client can read s.
func plain(t *testing.T, at string, s *schema) {
	t.Helper()
	if _, ok := s.Type.(string); !ok {
		t.Errorf("%s: type is %v, want one string", at, s.Type)
	}
	if s.Ref != nil || s.AnyOf != nil || s.OneOf != nil || s.AllOf != nil || s.Not != nil {
		t.Errorf("%s: has a reference or a combinator", at)
	}
	if _, ok := s.AdditionalProperties.(bool); ok {
		t.Errorf("%s: has a boolean schema", at)
	}
	for _, v := range s.Enum {
		if _, ok := v.(string); !ok {
			t.Errorf("%s: has an enum of other things than strings", at)
		}
	}
	for name, p := range s.Properties {
		plain(t, at+"."+name, p)
	}
	if s.Items != nil {
		plain(t, at+"[]", s.Items)
	}
	if s.Type == "array" && s.Items == nil {
		t.Errorf("%s: an array of nothing said", at)
	}
}

// The text that models always see costs tokens in every conversation.
func TestSurfaceIsSmall(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(tools.Definitions()); err != nil {
		t.Fatal(err)
	}
	if n := b.Len(); n > 40_000 {
		t.Errorf("tools/list has %d bytes, want at most 40,000: about 10,000 tokens", n)
	}
}

func TestInstructions(t *testing.T) {
	t.Parallel()
	if n := utf8.RuneCountInString(tools.Instructions); n > 2000 {
		t.Errorf("the instructions have %d characters, clients cut them at 2,048", n)
	}
	first := tools.Instructions[:512] // some clients show the model only these
	at := 0
	for _, word := range []string{
		"Dashboard publishing service", "check_readiness", "list_connections", "introspect_schema", "explore_data", "publish_dashboard",
		"dry_run", "get_refresh_status", "verify_dashboard", "list_dashboards",
	} {
		i := strings.Index(first[at:], word)
		if i < 0 {
			t.Errorf("the first 512 characters of the instructions do not name %s, or not in the order of the calls", word)
			continue
		}
		at += i
	}
	for name := range traits {
		if !strings.Contains(tools.Instructions, name) {
			t.Errorf("the instructions do not name %s, and descriptions of other tools do not either", name)
		}
	}
	for _, name := range regexp.MustCompile(`[a-z]+_[a-z_]+`).FindAllString(tools.Instructions, -1) {
		if _, ok := traits[name]; !ok && name != "dry_run" {
			t.Errorf("the instructions name %s, which is not a tool", name)
		}
	}
}

// Texts that name other tools do not keep the old name of a renamed tool.
func TestTextsNameToolsThatExist(t *testing.T) {
	t.Parallel()
	fields := regexp.MustCompile(`^(next_cursor|version_id|max_bytes|dry_run|run_id|next_step|can_refresh|spec_sha|row_limit|` +
		`retry_after_seconds|failing_since|` +
		`last_[a-z_]+|next_run_at|date_range|row_count|remove_name|if_version|previous_version_id|next_run|draft_note|json_extract)$`)
	for _, d := range tools.Definitions() {
		for _, name := range regexp.MustCompile(`\b[a-z]+_[a-z_]+\b`).FindAllString(d.Description, -1) {
			if _, ok := traits[name]; !ok && !fields.MatchString(name) {
				t.Errorf("%s names %s, which is not a tool", d.Name, name)
			}
		}
	}
}

func TestEveryToolHasTranscripts(t *testing.T) {
	t.Parallel()
	cases := map[string]int{}
	for _, file := range transcripts(t) {
		tool, _, _ := strings.Cut(filepath.Base(file), ".")
		cases[tool]++
	}
	for name := range traits {
		if cases[name] < 2 {
			t.Errorf("%s has %d transcripts, want one of its grants and one of its answers", name, cases[name])
		}
	}
}

package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"service/tools"
)

// Budgets of schemas, in bytes of JSON, above which clients change what the model sees: the
// budget of Codex, from its pull requests 23904 and 31497, and that of a client that then
// removes the whole schema.
const (
	codexBudget      = 4_000
	laterCodexBudget = 5_000
	emptyBudget      = 4_096
)

// cutSchema returns the part of a schema that a model behind Codex receives, by the rule that its pull requests 23904 and 27084 describe:
// unknown keywords are removed; above the budget, descriptions are removed; if that is not enough, every object and list from the third
// level on becomes {}.
func cutSchema(t *testing.T, raw json.RawMessage, budget int) (cut map[string]any, bare, collapsed bool) {
	t.Helper()
	if err := json.Unmarshal(raw, &cut); err != nil {
		t.Fatal(err)
	}
	eachSchema(cut, 0, func(s map[string]any, _ int) {
		maps.DeleteFunc(s, func(keyword string, _ any) bool {
			return !slices.Contains([]string{"type", "description", "enum", "items", "properties", "required", "additionalProperties"}, keyword)
		})
		if s["type"] == "object" && s["properties"] == nil {
			s["properties"] = map[string]any{}
		}
	})
	if size(t, cut) > budget {
		bare = true
		eachSchema(cut, 0, func(s map[string]any, _ int) { delete(s, "description") })
	}
	if size(t, cut) > budget {
		collapsed = true
		eachSchema(cut, 0, func(s map[string]any, depth int) {
			if depth >= 3 && (s["properties"] != nil || s["items"] != nil || s["additionalProperties"] != nil) {
				clear(s)
			}
		})
	}
	return cut, bare, collapsed
}

// eachSchema calls do for s and the schemas in it, the outer ones first.
func eachSchema(s map[string]any, depth int, do func(s map[string]any, depth int)) {
	do(s, depth)
	if properties, ok := s["properties"].(map[string]any); ok {
		for _, p := range properties {
			eachSchema(p.(map[string]any), depth+1, do)
		}
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		if inner, ok := s[keyword].(map[string]any); ok {
			eachSchema(inner, depth+1, do)
		}
	}
}

// size returns the number of bytes of v as JSON on one line.
func size(t *testing.T, v any) int {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Len() - 1
}

// A model behind a client that cuts schemas still sees the keys of a spec, of a dataset and
// of a panel. The committed file is all that it sees of publish_dashboard's arguments.
func TestSchemasSurviveCuts(t *testing.T) {
	t.Parallel()
	for _, d := range tools.Definitions() {
		raw := d.InputSchema.(json.RawMessage)
		for _, budget := range []int{codexBudget, laterCodexBudget} {
			cut, bare, collapsed := cutSchema(t, raw, budget)
			if collapsed {
				t.Errorf("%s: without descriptions, the schema is over %d bytes, so its inner parts become {}", d.Name, budget)
			}
			if bare && d.Name != "publish_dashboard" {
				t.Errorf("%s: the schema has %d bytes, over %d, so descriptions go", d.Name, len(raw), budget)
			}
			if d.Name != "publish_dashboard" {
				continue
			}
			if budget == codexBudget {
				golden(t, "testdata/publish_dashboard.cut.json", indented(t, cut))
			}
			for at, keys := range map[string]string{
				"": "path spec patch body connection upload uploads name tags chart if_version dry_run workspace",
				"/spec": "version title description timezone params datasets columns filters events panels alerts deliver " +
					"layout locale currency",
				"/spec/datasets/[]":           "id sql upload row_limit columns",
				"/spec/datasets/[]/columns/*": "label format role agg ratio good",
				"/spec/params/[]":             "id type default",
				"/spec/filters/[]":            "column label default data",
				"/spec/panels/[]": "type title subtitle data width value compare target sparkline x y bars lines grain series facet size label total " +
					"rows values horizontal stack labels scale reference thresholds columns sort limit other markdown area bins",
			} {
				have := properties(t, cut, at)
				for _, key := range strings.Fields(keys) {
					if have[key] == nil {
						t.Errorf("the model does not see %s of %s%s", key, d.Name, at)
					}
				}
			}
			if kinds := properties(t, cut, "/spec/panels/[]")["type"].(map[string]any)["enum"]; kinds == nil {
				t.Error("the model does not see which types of panels there are")
			}
		}
		if len(raw) > emptyBudget && d.Name != "publish_dashboard" {
			t.Errorf("%s: the schema has %d bytes; a client replaces those over %d by an empty object", d.Name, len(raw), emptyBudget)
		}
	}
}

// properties returns the properties of the schema at a path: [] are a list's items, *
// the values of an object with any keys.
func properties(t *testing.T, s map[string]any, path string) map[string]any {
	t.Helper()
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		var next any
		switch name {
		case "":
			next = s
		case "[]":
			next = s["items"]
		case "*":
			next = s["additionalProperties"]
		default:
			inner, _ := s["properties"].(map[string]any)
			next = inner[name]
		}
		found, ok := next.(map[string]any)
		if !ok {
			t.Errorf("the schema has no %s of %s", name, path)
			return nil
		}
		s = found
	}
	found, _ := s["properties"].(map[string]any)
	return found
}

// A reader simulates a model behind a client that cuts schemas: it uses only words that it
// has read in the instructions, in descriptions, in schemas as cut, and in answers.
type reader struct {
	*world
	known map[string]bool // words
}

// newReader returns a reader that has read everything that a client has at the start, with
// schemas cut by cut.
func newReader(w *world, cut func(raw json.RawMessage) any) *reader {
	r := &reader{w, map[string]bool{}}
	r.read(tools.Instructions)
	for _, d := range tools.Definitions() {
		r.read(d.Name, d.Description, string(indented(w.t.(*testing.T), cut(d.InputSchema.(json.RawMessage)))))
	}
	return r
}

var word = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

func (r *reader) read(texts ...string) {
	for _, text := range texts {
		for _, w := range word.FindAllString(text, -1) {
			r.known[w] = true
		}
	}
}

// ask calls a tool, reads the answer, and fails the test if the arguments have a key that
// the reader has not read.
func (r *reader) ask(tool string, arguments map[string]any) result {
	r.t.Helper()
	var check func(v any)
	check = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, value := range v {
				if !r.known[key] {
					r.t.Errorf("%s: nothing that the model has read has the key %q", tool, key)
				}
				check(value)
			}
		case []any:
			for _, item := range v {
				check(item)
			}
		}
	}
	b, err := json.Marshal(arguments)
	r.must(err)
	var plain any
	r.must(json.Unmarshal(b, &plain))
	check(plain)
	answer := r.call(tool, string(b))
	r.read(answer.Text)
	return answer
}

// explore calls explore_data for rows and returns its draft of a spec.
func (r *reader) explore(sql string) map[string]any {
	r.t.Helper()
	answer := r.ask("explore_data", map[string]any{"sql": sql})
	data, _ := jsonOf(answer.Text)
	var explored struct {
		Draft    map[string]any
		NextStep string `json:"next_step"`
	}
	r.must(json.Unmarshal(data, &explored))
	if !strings.Contains(explored.NextStep, "publish_dashboard") {
		r.t.Errorf("the answer does not name the next call: %q", explored.NextStep)
	}
	return explored.Draft
}

// Models whose client hides descriptions, or the whole schema, publish a page with three
// panels: with the first call when they use the draft, and with the second at the latest
// when they use the description and the refusal.
func TestModelsBehindCutsPublish(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	const sql = "SELECT day, event, sum(count) AS n FROM metrics GROUP BY 1, 2"
	published := func(t *testing.T, r *reader, slug string, answer result, panels int) {
		t.Helper()
		if answer.IsError || answer.Internal != "" {
			t.Fatalf("refused: %s%s", answer.Text, answer.Internal)
		}
		stored := r.call("get_dashboard_spec", object("slug", slug)).Text
		if n := strings.Count(stored, `"type":`); n != panels {
			t.Errorf("the page has %d panels, want %d: %s", n, panels, stored)
		}
	}
	for name, cut := range map[string]func(raw json.RawMessage) any{
		"without descriptions": func(raw json.RawMessage) any {
			cut, _, _ := cutSchema(t, raw, codexBudget)
			return cut
		},
		"an empty object": func(raw json.RawMessage) any {
			if len(raw) > emptyBudget {
				return map[string]any{}
			}
			return raw
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReader(w, cut)
			slug := "draft-" + strings.ReplaceAll(strings.ToLower(name), " ", "-")
			draft := r.explore(sql)
			panels, _ := draft["panels"].([]any)
			answer := r.ask("publish_dashboard", map[string]any{"path": slug, "spec": draft})
			published(t, r, slug, answer, len(panels))
			if len(panels) < 3 {
				t.Errorf("the draft has %d panels, want at least three", len(panels))
			}

			// A page without a draft: three panels from the description. One has a key of another
			// product, which the model knows from elsewhere, so the reader does not check it.
			r = newReader(w, cut)
			r.known["metric"] = true
			own := func(measure string) map[string]any {
				return map[string]any{"path": slug + "-own", "spec": map[string]any{
					"title": "Activity", "datasets": []any{map[string]any{"id": "d", "sql": sql}}, "filters": []any{map[string]any{"column": "day"}},
					"panels": []any{
						map[string]any{"type": "kpi", measure: "n"},
						map[string]any{"type": "line", "x": "day", "y": "n"},
						map[string]any{"type": "pie", "label": "event", "value": "n"},
					},
				}}
			}
			answer = r.ask("publish_dashboard", own("metric"))
			meant := regexp.MustCompile(`panels\[0\]\.metric: .*did you mean "(\w+)"\?`).FindStringSubmatch(answer.Text)
			if meant == nil {
				t.Fatalf("the refusal does not name the right key: %s", answer.Text)
			}
			published(t, r, slug+"-own", r.ask("publish_dashboard", own(meant[1])), 3)
		})
	}
}

// Requests with a longer description were refused by OpenAI and Azure.
const maxDescription = 1024

// A description has facts about its own tool. A directory refuses descriptions that name others or instruct the model.
func TestDescriptionsAreOfTheirToolAlone(t *testing.T) {
	t.Parallel()
	steering := regexp.MustCompile(`(?i)\b(you|your|please|call (this|it)|use this|first|instead|` +
		`before calling|prefer|should|not instructions)\b`)
	texts := func(d string, raw any) map[string]string {
		out := map[string]string{"": d}
		var whole map[string]any
		if raw == nil {
			return out
		}
		if err := json.Unmarshal(raw.(json.RawMessage), &whole); err != nil {
			t.Fatal(err)
		}
		eachSchema(whole, 0, func(s map[string]any, _ int) {
			if text, ok := s["description"].(string); ok {
				out[fmt.Sprintf("a parameter (%.40s…)", text)] = text
			}
		})
		return out
	}
	for _, d := range tools.Definitions() {
		if n := utf8.RuneCountInString(d.Description); n > maxDescription || len(d.Description) > maxDescription {
			t.Errorf("%s: the description has %d characters, want at most %d", d.Name, n, maxDescription)
		}
		for at, text := range texts(d.Description, d.InputSchema) {
			for other := range traits {
				if other != d.Name && strings.Contains(text, other) {
					t.Errorf("%s %s: the description names %s", d.Name, at, other)
				}
			}
		}
		if steers := steering.FindString(d.Description); steers != "" && !factual(d.Name, steers) {
			t.Errorf("%s: the description steers the model: %q", d.Name, steers)
		}
		if d.Annotations.Title != d.Title || d.Title == "" {
			t.Errorf("%s: annotations.title is %q, want %q", d.Name, d.Annotations.Title, d.Title)
		}
	}
}

// factual reports whether a word that could steer is part of a fact in a tool's description.
func factual(tool, word string) bool {
	return word == "first" && slices.Contains([]string{
		"list_dashboards", "list_dashboard_versions", "explore_data", "derive_dashboard_spec",
	}, tool)
}

package dashboard

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard/cube"
	"service/store/dashboard/locale"
)

// Each type of panel is described in full: a type of which something is
// forgotten fails here, and not on somebody's page.
func TestPanelTypes(t *testing.T) {
	t.Parallel()
	examples := panelExamples(t)
	seen := map[string]bool{}
	for _, pt := range types {
		t.Run(pt.name, func(t *testing.T) {
			for _, name := range append([]string{pt.name}, pt.also...) {
				if seen[name] {
					t.Errorf("%s is the name of two types", name)
				}
				seen[name] = true
			}
			if pt.doc == "" {
				t.Error("it does not say what it shows")
			}
			if pt.width < 2 || pt.width > fullWidth {
				t.Errorf("width %d", pt.width)
			}
			own := slices.Concat(pt.required, pt.optional)
			if len(own) == 0 {
				t.Error("it takes no key of its own")
			}
			for i, key := range own {
				if !slices.Contains(keyNames(keyOrder), key.name) {
					t.Errorf("key %s is not in keyOrder, so nothing reads it", key.name)
				}
				if key.read == nil && key.name != keyData.name && key.name != keyEvents.name {
					t.Errorf("nothing reads key %s", key.name)
				}
				if key.doc == "" && key.note == "" {
					t.Errorf("key %s is not described", key.name)
				}
				if slices.Contains(keyNames(own[:i]), key.name) {
					t.Errorf("key %s is listed twice", key.name)
				}
			}
			for key := range pt.hints {
				if slices.Contains(pt.keys(), key) {
					t.Errorf("it takes key %s, of which a hint says that it does not", key)
				}
			}
			if pt.needsData() && pt.check == nil {
				t.Error("nothing checks its columns")
			}
			testPanelExamples(t, pt, examples[pt.name])
		})
	}
}

// testPanelExamples reads the examples that the reference has of a type: all
// its required keys are required, and a panel without a title gets one.
func testPanelExamples(t *testing.T, pt *panelType, examples []json.RawMessage) {
	if len(examples) == 0 {
		t.Fatal("docs/spec has no example")
	}
	for _, example := range examples {
		s, err := Parse(inSpec(example))
		if err != nil {
			t.Fatalf("%s\n%v", example, err)
		}
		if _, err := s.Check(exampleColumns(s)); err != nil {
			t.Errorf("%s\n%v", example, err)
		}
		p := s.Panels[0]
		if pt.title == nil {
			t.Fatal("it says nothing of a title")
		}
		if title := p.DefaultTitle(locale.For(""), Label); (title != "") != pt.needsData() {
			t.Errorf("default title %q", title)
		}
		if NeedsData(p.Type) != (p.Data != "") {
			t.Errorf("dataset %q", p.Data)
		}
		var keys map[string]json.RawMessage
		if err := json.Unmarshal(example, &keys); err != nil {
			t.Fatal(err)
		}
		for _, key := range pt.required {
			without := map[string]json.RawMessage{}
			for k, v := range keys {
				if k != key.name {
					without[k] = v
				}
			}
			raw, err := json.Marshal(without)
			if err != nil {
				t.Fatal(err)
			}
			want := "panels[0]." + key.name + ": is missing"
			if _, err := Parse(inSpec(raw)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("without %s: %v", key.name, err)
			}
		}
	}
}

// Every key of a panel has a fragment of the schema, which refuses what Parse
// refuses; see [TestSchemaMutations] for the values.
func TestPanelKeys(t *testing.T) {
	t.Parallel()
	properties := readSchema(t).at(t, "panels []").Properties
	for _, key := range keyOrder {
		fragment := properties[key.name]
		if fragment == nil || fragment.Type == "" {
			t.Errorf("the schema has no key %s", key.name)
			continue
		}
		if key.words == "" || key.describe() == "" || !key.terse && fragment.Description != cmp.Or(key.brief, key.describe()) {
			t.Errorf("key %s: takes %q, is described as %q, in the schema as %q", key.name, key.words, key.describe(), fragment.Description)
		}
		if !slices.Contains(panelKeys(), key.name) {
			t.Errorf("no type takes key %s", key.name)
		}
	}
	if len(properties) != len(keyOrder) {
		t.Errorf("%d properties, %d keys", len(properties), len(keyOrder))
	}
}

// A type without an entry is refused, and no other problem of its panel is reported.
func TestPanelTypeWithoutEntry(t *testing.T) {
	t.Parallel()
	_, err := Parse(inSpec([]byte(`{"type": "barrels", "value": "revenue"}`)))
	want := `panels[0].type: "barrels" is not one of the possible values; possible values: ` + strings.Join(PanelTypes(), ", ")
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	s := &Spec{Datasets: []Dataset{{ID: "d"}}, Panels: []Panel{{Type: "barrels", Data: "d"}}}
	columns := map[string][]cube.Column{"d": {{Name: "revenue", Type: cube.Number}}}
	if _, err := s.Check(columns); err != nil || s.Panels[0].DefaultTitle(locale.For(""), Label) != "" || NeedsData("barrels") {
		t.Errorf("a panel of no type: %v", err)
	}
}

func TestDefaultTitle(t *testing.T) {
	t.Parallel()
	label := func(column string) string {
		return map[string]string{"sku": "SKU", "net": "Net revenue"}[column]
	}
	for want, p := range map[string]Panel{
		"Net revenue":                 {Type: KPI, Value: "net"},
		"Net revenue and SKU by SKU":  {Type: Bar, Y: []string{"net", "sku"}, X: "sku"},
		"SKU and net revenue by SKU":  {Type: Scatter, X: "sku", Y: []string{"net"}, Label: "sku"},
		"SKU by net revenue and SKU":  {Type: Heatmap, X: "net", Y: []string{"sku"}, Value: "sku"},
		"Distribution of net revenue": {Type: Histogram, Value: "net"},
		"SKU by net revenue":          {Type: Histogram, Value: "net", Weight: "sku"},
		"SKU and net revenue":         {Type: Candlestick, X: "day", Low: "sku", High: "net"},
		"Distribution of SKU by SKU":  {Type: Box, X: "sku", Value: "sku"},
		"Net revenue and SKU":         {Type: Combo, Bars: []string{"net"}, Lines: []string{"sku"}},
		"Net revenue by SKU":          {Type: Pie, Label: "sku", Value: "net"},
		"Daily sales":                 {Type: Table, Data: "daily_sales"},
		"Area":                        {Type: Area, Y: []string{"unknown"}},
		"":                            {Type: Text, Markdown: "M"},
	} {
		if got := p.DefaultTitle(locale.For(""), label); got != want {
			t.Errorf("%s: got %q, want %q", p.Type, got, want)
		}
	}
}

// inSpec is a spec with one panel of the reference, and the dataset that it names.
func inSpec(panel []byte) []byte {
	if bytes.Contains(panel, []byte(`"prices"`)) {
		return []byte(`{"datasets": [{"id": "prices", "sql": "SELECT day, open, high, low, close, volume FROM quote"}], "panels": [` +
			string(panel) + `]}`)
	}
	if bytes.Contains(panel, []byte(`"visits"`)) {
		return []byte(`{"datasets": [{"id": "visits", "sql": "SELECT day, page, minutes FROM visit"}], "panels": [` + string(panel) + `]}`)
	}
	if bytes.Contains(panel, []byte(`"projects"`)) {
		return []byte(`{"datasets": [{"id": "projects", "sql": "SELECT project, team, started, ended FROM project"}], "panels": [` +
			string(panel) + `]}`)
	}
	return []byte(`{"datasets": [{"id": "orders", "sql": "SELECT day, country, channel, sum(amount) AS revenue, ` +
		`count(*) AS orders FROM sales ` +
		`GROUP BY 1, 2, 3", "columns": {"aov": {"ratio": ["revenue", "orders"]}}}], "filters": [{"column": "day"}], "panels": [` +
		string(panel) + `]}`)
}

// panelExamples are the reference's examples of panels, by type.
func panelExamples(t *testing.T) map[string][]json.RawMessage {
	t.Helper()
	out := map[string][]json.RawMessage{}
	for _, m := range regexp.MustCompile("(?s)```json panel\n(.*?)```").FindAllSubmatch(reference(t), -1) {
		var panel struct{ Type string }
		if err := json.Unmarshal(m[1], &panel); err != nil {
			t.Fatal(err)
		}
		out[panel.Type] = append(out[panel.Type], m[1])
	}
	return out
}

// The reference's tables of the keys of panels are those of the types.
func TestDocsPanelKeys(t *testing.T) {
	t.Parallel()
	const begin, end = "<!-- keys of panels: written by make generate -->\n", "<!-- end of the keys of panels -->\n"
	const panelsPage = docsSpec + "panels.md"
	text, err := os.ReadFile(panelsPage)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok1 := strings.Cut(string(text), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no %s", panelsPage, begin)
	}
	want := []byte(head + begin + panelReference(t) + end + tail)
	if *update {
		if err := os.WriteFile(panelsPage, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(text, want) {
		t.Errorf("%s is out of date; run make generate", panelsPage)
	}
}

// panelReference is the part of the reference that is made of the types.
func panelReference(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	list := func(keys []panelKey) string {
		if len(keys) == 0 {
			return ""
		}
		return "`" + strings.Join(keyNames(keys), "`, `") + "`"
	}
	table := func(keys []panelKey) {
		b.WriteString("| Key | Takes | Meaning |\n|---|---|---|\n")
		for _, k := range keys {
			meaning := strings.Join(k.meanings(), "<br>")
			if k.name == keyType.name {
				meaning = "Required." // the table of types has the rest
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.name, k.words, meaning)
		}
	}
	every := keyNames(everyPanel)
	table(everyPanel)
	b.WriteString("\n| Type | Shows | Needs | Can have |\n|---|---|---|---|\n")
	for _, pt := range types {
		need := list(pt.required)
		if pt.either[0] != nil {
			need = list(pt.either[0]) + " or " + list(pt.either[1])
		}
		at := strings.TrimPrefix(pageOf(t, pt.name), "panels.md")
		fmt.Fprintf(&b, "| [`%s`](%s#%s) | %s | %s | %s |\n", pt.name, at, pt.name, pt.doc, need, list(pt.optional))
	}
	b.WriteString(axisReference() + "\n")
	table(slices.DeleteFunc(slices.Clone(keyOrder), func(k panelKey) bool { return slices.Contains(every, k.name) }))
	return b.String()
}

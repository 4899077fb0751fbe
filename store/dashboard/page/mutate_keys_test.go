package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// TestMutantsOfKeys does as [TestMutants] with panels that have several keys at once: those that the type requires, and up to five others
// of the schema, with the values of [keyTrial] or with values that the schema describes. A key that is added to the schema takes part
// without a change here.
func TestMutantsOfKeys(t *testing.T) {
	t.Parallel()
	try := newKeyTrial(t)
	forms := readForms(t)
	passed, n := tryMutants(t, mutants/4, func(seed uint64) *mutant { return newKeyMutant(t, seed, try, forms) })
	if passed < n/10 {
		t.Errorf("%d of %d cases passed the checks: the test sees too little", passed, n)
	}
}

// A form is a part of the schema of specs.
type form struct {
	Type       any
	Enum       []any
	Properties map[string]*form
	Items      *form
	Minimum    *float64
	Maximum    *float64
	MinItems   int
	Required   []string
}

func readForms(t *testing.T) *form {
	t.Helper()
	out := &form{}
	if err := json.Unmarshal(dashboard.Forms(), out); err != nil {
		t.Fatal(err)
	}
	return out
}

// newKeyMutant returns a mutant with panels of the columns of try.
func newKeyMutant(t *testing.T, seed uint64, try *keyTrial, forms *form) *mutant {
	m := &mutant{chooser: chooser{rand.New(rand.NewPCG(seed, 31))}, seed: seed}
	doc := m.page(forms)
	one := forms.Properties["panels"].Items
	var panels []any
	for range 1 + m.IntN(2) {
		kind := m.of(dashboard.PanelTypes()...)
		panel := m.valid(doc, try, one, kind)
		for tries, added := 0, m.IntN(6); tries < 30 && added > 0; tries++ {
			key := m.of(try.keys...)
			before := maps.Clone(panel)
			with, value := try.with(kind, key)
			raw := json.RawMessage(value)
			if m.rarely(2) {
				raw = encoded(t, m.fromForm(one.Properties[key], key))
			}
			for k, v := range try.keysOf(with...) {
				if _, has := panel[k]; !has {
					panel[k] = v
				}
			}
			panel[key] = raw
			if m.passes(t, doc, panel, try.columns) || m.rarely(40) {
				added--
			} else {
				panel = before
			}
		}
		panels = append(panels, panel)
	}
	doc["panels"] = panels
	m.raw = encoded(t, doc)
	m.columns, m.cubes = maps.Clone(try.columns), map[string]*cube.Cube{}
	for _, id := range slices.Sorted(maps.Keys(m.columns)) {
		switch {
		case m.rarely(4):
			m.cubes[id] = try.cubes[id]
		case !m.rarely(30):
			m.cubes[id] = m.oddRows(t, m.columns[id])
		}
	}
	return m
}

// page returns a document without panels.
func (m *mutant) page(forms *form) map[string]any {
	const times = `,"sql":"SELECT day, n, m FROM t"},{"id":"h","sql":"SELECT day, n, m, part FROM t"}`
	doc := map[string]any{
		"title": m.text(), "timezone": m.of("UTC", "America/Santiago", "Pacific/Apia"), "locale": m.of("en-US", "ar", "ja", "de-DE"),
		"datasets": json.RawMessage("[" + keyTrialData + "," + strings.Replace(keyTrialData, `"d"`, `"e"`, 1) + `,{"id":"f"` + times +
			`,{"id":"g","sql":"SELECT name, part, day, until, n FROM t"}]`),
		"filters": []any{
			map[string]any{"column": "name", "multiple": m.rarely(2)},
			map[string]any{"column": "part"},
			map[string]any{"column": "day", "default": m.of("all", "last_90_days", "this_year", "last_7_days")},
		},
	}
	for _, key := range []string{"week_starts", "layout", "contents", "currency"} {
		if m.rarely(3) {
			if v := m.fromForm(forms.Properties[key], key); v != "" && key != "currency" {
				doc[key] = v
			}
		}
	}
	if m.rarely(2) {
		doc["events"] = []any{
			map[string]any{"on": "2026-11-02", "label": m.text()},
			map[string]any{"on": "0001-01-01", "to": m.of("9999-12-31", "0001-01-01"), "label": m.text(), "tone": "bad"},
		}
	}
	if m.rarely(3) {
		doc["columns"] = map[string]any{"part": map[string]any{"colors": map[string]any{"ay": "blue"}, "order": []any{"by", "ay"}}}
	}
	return doc
}

// valid returns a panel of a type that passes the checks, of the keys that the type requires.
func (m *mutant) valid(doc map[string]any, try *keyTrial, one *form, kind string) map[string]any {
	with, _ := try.with(kind, "title")
	out := map[string]any{}
	for k, v := range try.keysOf(with...) {
		out[k] = v
	}
	if m.rarely(2) && out["data"] != nil { // another dimension, or another measure
		for _, key := range []string{"x", "label", "value", "y", "series"} {
			raw, has := out[key]
			if has && m.rarely(2) {
				if out[key] = m.fromForm(one.Properties[key], key); !m.passes(try.T, doc, out, try.columns) {
					out[key] = raw
				}
			}
		}
	}
	return out
}

// passes reports whether a panel passes the checks.
func (m *mutant) passes(t *testing.T, doc, panel map[string]any, columns map[string][]cube.Column) bool {
	alone := maps.Clone(doc)
	alone["panels"] = []any{panel}
	s, err := dashboard.Parse(encoded(t, alone))
	if err == nil {
		_, err = s.Check(columns)
	}
	return err == nil
}

// text returns a text that breaks layouts.
func (m *mutant) text() string {
	return m.of("Title", "a\u0301\u0301\u0301", strings.Repeat("\u0301", 300), "\u202eabc\u202c", strings.Repeat("\u200f", 50)+"x",
		strings.Repeat("W", 10_000), strings.Repeat("two words ", 1000), "😀👩‍👩‍👧‍👦", "مرحبا \u2067abc", "\u200b", "<b>&amp;",
		"{{d.n}} {{d.nothing}}", "名前", "%d %s", "\t", "１２３", "\u0000\u0001", "\u202e")
}

var trialColumns = []string{"day", "name", "part", "n", "m", "q", "r", "until"}

// fromForm returns a value that a schema describes, mostly.
func (m *mutant) fromForm(f *form, key string) any {
	if f == nil {
		return m.value()
	}
	if len(f.Enum) > 0 {
		return f.Enum[m.IntN(len(f.Enum))]
	}
	kind, _ := f.Type.(string)
	if several, ok := f.Type.([]any); ok {
		kind = fmt.Sprint(several[m.IntN(len(several))])
	}
	switch kind {
	case "boolean":
		return m.rarely(2)
	case "integer", "number":
		if f.Minimum != nil && f.Maximum != nil {
			return int(*f.Minimum) + m.IntN(int(*f.Maximum-*f.Minimum)+1)
		}
		return []any{0, 1, -1, 2, 3, 0.5, -1e308, 1e308, 5e-324, -5e-324, 1e15, 7, 1e-9, 4294967297}[m.IntN(14)]
	case "array":
		out := []any{}
		for range f.MinItems + m.IntN(3) {
			out = append(out, m.fromForm(f.Items, key))
		}
		return out
	case "object":
		out := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(f.Properties)) {
			if slices.Contains(f.Required, k) || m.rarely(2) {
				out[k] = m.fromForm(f.Properties[k], k)
			}
		}
		return out
	}
	switch key {
	case "title", "subtitle", "description", "markdown", "group", "label":
		if key != "label" || m.rarely(2) {
			return m.text()
		}
	case "on", "from", "to":
		if m.rarely(2) {
			return m.of("2026-11-02", "0001-01-01", "9999-12-31 23:59", "2026-10-25 02:30", "1700-01-01")
		}
	case "compare":
		return m.of("previous_period", "previous_year", "previous_week", "previous_month", "previous_quarter", "n", "m", "q")
	}
	return m.of(trialColumns...)
}

// atAnyTime gives a view what only some addresses have: a wall, a version of another day, a failed refresh.
func (m *mutant) atAnyTime(v *View) {
	if m.rarely(4) {
		v.Query.Set("wall", m.of("", "dark", "light"))
		v.Header.Wall = WallOf(v.Query)
	}
	if m.rarely(8) {
		v.Now = []time.Time{
			{},
			time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
			time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC),
		}[m.IntN(4)]
	}
	if m.rarely(8) {
		v.Header.Preview, v.Header.VersionTime = true, now
	}
	if m.rarely(8) {
		v.Header.State, v.Header.FailingSince = "failed", now.Add(-time.Hour)
		v.Header.Errors = map[string]string{"d": m.text()}
		v.Truncated = map[string]bool{"d": true}
	}
}

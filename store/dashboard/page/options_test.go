package page

import (
	"net/url"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// TestOptions: a parameter with options has a control, is part of links, and is in the words of the page; the page reports an address with
// an unknown option.
func TestOptions(t *testing.T) {
	t.Parallel()
	s, err := dashboard.Parse([]byte(`{"locale": "de-DE", "params": [
			{"id": "least", "type": "number", "options": [1000, 0.5], "default": 1000},
			{"id": "since", "type": "date_range", "options": ["last_7_days", "2026-01-01/2026-03-31"], "default": "last_7_days", "label": "Zeit"},
			{"id": "unused", "type": "text", "options": ["a", "b"], "default": "a"}],
		"datasets": [{"id": "d", "sql": "SELECT k, sum(n) AS n FROM t WHERE n > {{least}} AND d >= {{since.start}} GROUP BY 1"}],
		"filters": [{"column": "k"}], "panels": [{"type": "table"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	b := cube.NewBuilder([]cube.Column{{Name: "k", Type: cube.Text}, {Name: "n", Type: cube.Integer}})
	for _, row := range [][]any{{"a", int64(1)}, {"b", int64(2)}} {
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	v := View{
		Spec: s, Cubes: map[string]*cube.Cube{"d": b.Cube()}, Now: now,
		Header: Header{Workspace: "Acme", Slug: "options", Name: "Options", AsOf: now, State: "succeeded"},
	}
	v.Query = url.Values{"p.least": {"0.5"}, "p.since": {"last_7_days"}}
	html := string(render(t, v))
	for _, want := range []string{
		`<label>Least<select name="p.least"><option value="1000">1.000</option><option value="0.5" selected>0,5</option></select></label>`,
		`<label>Zeit<select name="p.since"><option value="last_7_days" selected>Letzte 7 Tage</option>` +
			`<option value="2026-01-01/2026-03-31">1. Jan. 2026 – 31. März 2026</option>`,
		`Least: 0,5 · Zeit: Letzte 7 Tage · K: `, `?p.least=0.5&amp;f.k=a`, `panel=0&amp;format=csv&amp;p.least=0.5`, `class="reset" href="?"`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(html, "p.unused") || strings.Contains(html, "p.since=") {
		t.Error("the page has a control that changes nothing, or the default in its links")
	}
	if d := Digested(v); len(d.Filters) < 2 || d.Filters[0] != "Least: 0,5" {
		t.Errorf("a mail has %q", d.Filters)
	}
	v.Query = url.Values{"p.least": {"7"}}
	if html := string(render(t, v)); !strings.Contains(html, "„7“") || !strings.Contains(html, `<option value="1000" selected>`) {
		t.Error("the page takes a value that is no option, or does not tell of it")
	}
	if _, err := CSV(v, 0); err == nil {
		t.Error("a file is of the default where its address asks for another value")
	}
}

package page

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// drawnWords are the words of a drawing, without the punctuation of tooltips and links.
func drawnWords(drawn string) []string {
	return strings.FieldsFunc(drawn, func(r rune) bool { return strings.ContainsRune(" \n\",.:;", r) })
}

// labelled is a page of one panel that calls a value of name and part Alpha.
func (t *keyTrial) labelled(value string, keys ...string) View {
	t.Helper()
	v, _, ok := t.view(keys...)
	if !ok {
		t.Fatal("the panel is refused: ", keys)
	}
	for i := range v.Spec.Datasets {
		d := &v.Spec.Datasets[i]
		for _, name := range []string{"name", "part"} {
			d.Columns = append(d.Columns, dashboard.Meta{Name: name, Labels: map[string]string{value: "Alpha"}})
		}
	}
	return v
}

// Panels of all types write the values of a dimension by the names that the spec gives them, and no panel writes such a value as it is.
func TestValueNamesOfAllTypes(t *testing.T) {
	t.Parallel()
	try := newKeyTrial(t)
	tried := 0
	for _, kind := range dashboard.PanelTypes() {
		with, _ := try.with(kind, "width")
		for _, value := range []string{"ax", "ay"} {
			plain, _, _ := try.view(with...)
			if !slices.Contains(drawnWords(draws(plain)), value) {
				continue
			}
			tried++
			after := draws(try.labelled(value, with...))
			if !strings.Contains(after, "Alpha") {
				t.Errorf("%s: nothing has the name of %s", kind, value)
			}
			if slices.Contains(drawnWords(after), value) {
				t.Errorf("%s: %s is written as it is: %s", kind, value, after)
			}
		}
	}
	if tried < 10 {
		t.Errorf("%d panels write values", tried)
	}
}

// One dictionary of the page names the values in several datasets; that of a dataset's column takes precedence. Tables, filters, texts, CSV
// and searches have the names, which also determine the order; addresses keep the values.
func TestValueNames(t *testing.T) {
	t.Parallel()
	s, cubes, err := dashboard.ParseReport([]byte(`{"datasets": [
		{"id": "d", "columns": ["kind", {"name": "n", "agg": "sum"}], "rows": [["a", 3], ["b", 2], ["c", 1], [null, 4]]},
		{"id": "e", "columns": [{"name": "kind", "labels": {"b": "Beta only"}}, {"name": "n", "agg": "sum"}], "rows": [["a", 3], ["b", 2]]}],
		"columns": {"kind": {"labels": {"a": "Zulu", "b": "Bravo & co", "missing": "M"}}},
		"filters": [{"column": "kind"}],
		"panels": [{"type": "table", "data": "d", "sort": "kind"}, {"type": "table", "data": "e"},
			{"type": "bar", "data": "d", "x": "kind", "y": "n", "sort": "kind"},
			{"type": "text", "markdown": "{{e.kind}}"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	v := View{Spec: s, Cubes: cubes, Now: now, Header: Header{AsOf: now}}
	_, drawn := recorded(t, v, 0)
	order := ""
	for _, name := range []string{"Bravo & co", "c", "Zulu", "Not set"} {
		at := strings.Index(drawn.String(), `row "`+name+`"`)
		if at < 0 || at < strings.Index(drawn.String(), `row "`+order+`"`) {
			t.Errorf("%s is not a row after %s:\n%s", name, order, drawn)
		}
		order = name
	}
	if _, own := recorded(t, v, 1); !strings.Contains(own.String(), `"Beta only"`) || strings.Contains(own.String(), "Bravo") {
		t.Error("the names of the column do not take precedence: ", own)
	}
	doc := string(render(t, v))
	for _, want := range []string{`value="b"`, "Bravo &amp; co", "f.kind=b"} {
		if !strings.Contains(doc, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	csv, err := CSV(v, 0)
	if err != nil || !strings.Contains(string(csv), "Zulu,3\n") {
		t.Errorf("CSV: %s %v", csv, err)
	}
	v.Query = url.Values{"p0.q": {"zulu"}}
	if _, found := recorded(t, v, 0); !strings.Contains(found.String(), `"Zulu"`) || strings.Contains(found.String(), "Bravo") {
		t.Errorf("the search for a name finds %s", found)
	}
}

// Names that cannot be meant are refused by the key.
func TestValueNameProblems(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ ofColumn, ofPage, want string }{
		{`"labels": {"a": "A"}`, ``, ``},
		{``, `"kind": {"labels": {"a": "A"}, "order": ["b", "a"], "colors": {"a": "red"}}`, ``},
		{`"labels": {"a": 1}`, ``, `columns.kind.labels.a: must be a string, not a number`},
		{`"labels": {"a": ""}`, ``, `columns.kind.labels.a: is empty; leave the value out, and it is shown as it is`},
		{`"labels": {}`, ``, ``},
		{`"value_labels": {"a": "A"}`, ``, `did you mean "labels"?`},
		{``, `"kind": {"names": {"a": "A"}}`, `did you mean "labels"?`},
		{``, `"n": {"labels": {"1": "A"}}`, `columns.n.labels: are names of the values of a dimension, and "n" is a measure in dataset "d"`},
		{``, `"day": {"labels": {"2026-01-01": "A"}}`, `columns.day.labels: "day" is of type date in dataset "d", and times have a format`},
		{``, `"kind": {"label": "A"}`, `"labels" here names its values`},
		{`"role": "measure", "labels": {"a": "A"}`, ``, `labels: are names of the values of a dimension, and this is a measure; leave it out`},
	} {
		s, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT kind, day, sum(n) AS n FROM t GROUP BY 1, 2",
			"columns": {"kind": {` + tc.ofColumn + `}}}], "columns": {` + tc.ofPage + `}, "panels": [{"type": "table"}]}`))
		if err == nil {
			_, err = s.Check(map[string][]cube.Column{"d": {
				{Name: "kind", Type: cube.Text}, {Name: "day", Type: cube.Date}, {Name: "n", Type: cube.Integer},
			}})
		}
		if got := fmt.Sprint(err); (tc.want == "") != (err == nil) || !strings.Contains(got, tc.want) {
			t.Errorf("{%s} {%s}: %s, want %s", tc.ofColumn, tc.ofPage, got, tc.want)
		}
	}
}

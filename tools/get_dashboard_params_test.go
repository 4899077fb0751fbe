package tools_test

import (
	"strings"
	"testing"
)

// get_dashboard reads a page with values of its params and filters, as the address of the page does.
func TestPanelsOfChosenParams(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	spec := map[string]any{
		"params": []any{map[string]any{"id": "region", "type": "text", "default": "EU", "options": []any{"EU", "US"}}},
		"datasets": []any{map[string]any{
			"id": "d", "sql": "SELECT day, kind, sum(CASE WHEN {{region}} = 'US' THEN 10 * n ELSE n END) AS n FROM " +
				"(VALUES (DATE '2026-01-02', 'a', 1), (DATE '2026-01-03', 'b', 2), (DATE '2026-01-04', 'c', 4)) t(day, kind, n) GROUP BY 1, 2",
		}},
		"filters": []any{map[string]any{"column": "kind"}, map[string]any{"column": "day", "default": "all"}},
		"panels":  []any{map[string]any{"type": "kpi", "value": "n"}},
	}
	if r := w.call("publish_dashboard", object("path", "page", "spec", spec)); r.IsError || r.Internal != "" {
		t.Fatalf("%.500s %s", r.Text, r.Internal)
	}
	w.refresh()
	for _, tc := range []struct {
		params string
		want   string // of the summary
	}{
		{`null`, "7."},
		{`{}`, "7."},
		{`{"region":"EU"}`, "7."},
		{`{"region":"US"}`, "70."},
		{`{"region":"US","kind":["a","c"]}`, "50."},
		{`{"kind":"b"}`, "2."},
		{`{"day.from":"2026-01-03"}`, "6."},
		{`{"region":"Mars"}`, "The address asks for “Mars”, which this panel cannot show."},
		{`{"country":"DE"}`, "There is no filter country here, so the address does not filter by it."},
	} {
		out, text := w.readDashboard(`{"path":"page","include":["summary"],"params":` + tc.params + `}`)
		if got := out.Panels[0].Summary; !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.params, got, tc.want)
		}
		if chosen := strings.Contains(text, "https://acme.example.test/page?"); chosen != (len(tc.params) > 4) {
			t.Errorf("%s: the address is named: %v: %.300s", tc.params, chosen, text)
		}
	}
	if out, _ := w.readDashboard(`{"path":"page","params":{"region":null}}`); out.Panels[0].Summary != "7." {
		t.Errorf("null: %q", out.Panels[0].Summary)
	}
	_, text := w.readDashboard(`{"path":"page","include":["summary"],"params":{"region":"US","kind":["a","c"]}}`)
	if want := "Chosen as in https://acme.example.test/page?f.kind=a&f.kind=c&p.region=US"; !strings.Contains(text, want) {
		t.Errorf("the sentence does not have %q: %.400s", want, text)
	}
	body, _ := w.readDashboard(`{"path":"page","include":["body"],"params":{"region":"US"},"max_bytes":30000}`)
	if !strings.Contains(body.Body.Content, ">70<") {
		t.Error("the body is not that of the chosen value")
	}
	for params, want := range map[string]string{
		`"region"`:             `params must be an object (got string)`,
		`["region"]`:           `params must be an object (got array)`,
		`{"region":{}}`:        `params.region must be a string, a number, a boolean or a list of these (got object)`,
		`{"region":["US",{}]}`: `params.region must be a string, a number, a boolean or a list of these (got object)`,
		`{"region":"\u0000"}`:  `params.region must not contain the zero character (U+0000)`,
	} {
		if r := w.call("get_dashboard", `{"path":"page","params":`+params+`}`); !r.IsError || r.Text != want {
			t.Errorf("%s: %q, want %q", params, r.Text, want)
		}
	}
	w.call("publish_dashboard", object("path", "note", "body", "# Note"))
	want := `"note" has no panels, so it has no params or filters to choose.`
	if r := w.call("get_dashboard", `{"path":"note","params":{"a":"b"}}`); !r.IsError || r.Text != want {
		t.Errorf("a note: %q, want %q", r.Text, want)
	}
}

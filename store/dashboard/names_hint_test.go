package dashboard

import (
	"fmt"
	"strings"
	"testing"
)

// TestNamesAreSentToColumns: the refusal of other names for values in a panel contains the members to write, and a spec with them is
// accepted.
func TestNamesAreSentToColumns(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ panel, want, columns string }{
		{`"type": "slope", "label": "c", "x": "d", "value": "v", "names": {"DE": "Germany"}`, "", `"c": {"labels": {"DE": "Germany"}}`},
		{
			`"type": "slope", "label": "c", "x": "d", "value": "v", "names": true`,
			"the ends of all lines have names", `"c": {"labels": {"…": "…"}}`,
		},
		{`"type": "map", "area": "c", "value": "v", "names": {"DE": "Germany"}`, "", `"c": {"labels": {"DE": "Germany"}}`},
		{`"type": "map", "lat": "v", "lon": "w", "label": "k", "names": "auto"`, "points have the names of label", `"k": {"labels": {"…": "…"}}`},
		{
			`"type": "heatmap", "x": "c", "y": "k", "value": "v", "names": {"x": "X-ray", "z": "Z"}`, "",
			`"k": {"labels": {"x": "X-ray", "z": "Z"}}`,
		},
		{`"type": "heatmap", "x": "c", "y": ["k"], "value": "v", "names": ["x"]`, "", `"k": {"labels": {"…": "…"}}`},
		{`"type": "bar", "x": "c", "y": "v", "names": {"DE": 4}`, "", `"c": {"labels": {"…": "…"}}`},
		{`"type": "bar", "x": "d", "series": "k", "y": "v", "value_labels": {"x": "X"}`, "", `"k": {"labels": {"x": "X"}}`},
		{`"type": "pie", "label": "c", "value": "v", "aliases": {"DE": "Germany"}`, "", `"c": {"labels": {"DE": "Germany"}}`},
		{`"type": "pivot", "rows": ["c"], "values": ["v"], "names": {"DE": "Germany"}`, "", `"c": {"labels": {"DE": "Germany"}}`},
	} {
		parse := func(columns, panel string) string {
			_, _, err := ParseReport(fmt.Appendf(nil, `{"columns": {%s}, "datasets": [{"id": "d", "columns": {"v": {"agg": "sum"}}, "rows": [
				{"c": "DE", "d": "2026-01-01", "k": "x", "v": 1.5, "w": 2.5}]}], "panels": [{%s}]}`, columns, panel))
			return fmt.Sprint(err)
		}
		got := parse("", tc.panel)
		if want := `at the top of the spec: "columns": {` + tc.columns + "}"; !strings.Contains(got, want) || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %s, want %s %s", tc.panel, got, tc.want, want)
		}
		if got := parse(tc.columns, `"type": "table"`); got != "<nil>" {
			t.Errorf("%s is refused: %s", tc.columns, got)
		}
	}
}

// TestSignsAndCutsAreExplained: so do those of a plus sign, of limit and legend of a timeline, and of labels at the top of a spec.
func TestSignsAndCutsAreExplained(t *testing.T) {
	t.Parallel()
	const span = `"type": "timeline", "label": "c", "start": "d", "end": "e", `
	for _, tc := range []struct{ members, panel, column, want string }{
		{
			"", `"type": "kpi", "data": "d", "value": "v", "sign": true`, "",
			`a plus before positive numbers belongs to their column: in datasets, write "columns": {"v": {"sign": true}}; ` +
				`the change of compare has its sign by itself`,
		},
		{"", `"type": "kpi", "data": "d", "value": "v", "show_sign": true`, "", `"columns": {"v": {"sign": true}}`},
		{"", `"type": "bar", "x": "c", "y": ["v"], "sign": true`, "", `"columns": {"v": {"sign": true}}`},
		{"", `"type": "waterfall", "label": "c", "value": "v", "plus": true`, "", `"columns": {"v": {"sign": true}}`},
		{"", `"type": "kpi", "value": "v"`, `"format": "+number1"`, `"+number1" has a plus sign`},
		{"", span + `"limit": 10`, "", `leaves those that matter: "where": {"c": ["…"]}, or ORDER BY … LIMIT 10 in the sql`},
		{"", span + `"legend": "none"`, "", `only "series" and "thresholds" have a legend`},
		{"", span + `"series": "k", "legend": false`, "", `leave "series" out for spans of one colour`},
		{`"labels": {"DE": "Germany"}, `, `"type": "table"`, "", `"columns": {"…": {"labels": {"DE": "Germany"}}}`},
	} {
		_, _, err := ParseReport(fmt.Appendf(nil, `{%s"datasets": [{"id": "d", "columns": {"v": {%s}}, "rows": [
			{"c": "DE", "d": "2026-01-01", "e": "2026-01-02", "k": "x", "v": 1.5, "w": 2.5}]}], "panels": [{%s}]}`, tc.members, tc.column, tc.panel))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %s %s: %v, want %s", tc.members, tc.panel, tc.column, err, tc.want)
		}
	}
	for _, panel := range []string{
		`"type": "text", "markdown": "{{d.v | sign}}"`, `"type": "table", "columns": [{"column": "v", "sign": true}]`,
	} {
		if _, _, err := ParseReport(fmt.Appendf(nil, `{"datasets": [{"id": "d", "rows": [{"v": 1}]}], "panels": [{%s}]}`, panel)); err != nil {
			t.Errorf("%s: %v", panel, err)
		}
	}
}

package page

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// rowsWhere returns the rows of a cube with a text in a column.
func rowsWhere(t *testing.T, all *cube.Cube, column, text string) *cube.Cube {
	t.Helper()
	b := cube.NewBuilder(all.Columns())
	for row := range all.Rows() {
		if all.Value(row, all.Index(column)) != text {
			continue
		}
		cells := make([]any, len(all.Columns()))
		for i := range cells {
			cells[i] = all.Value(row, i)
		}
		if err := b.Add(cells); err != nil {
			t.Fatal(err)
		}
	}
	return b.Cube()
}

// A panel of a part of the rows shows the same as one of a dataset that has only these rows: in its sentence, its drawing, its notes and
// its CSV, in each type, with and without facets, comparisons and gaps.
func TestWhereIsLikeFewerRows(t *testing.T) {
	t.Parallel()
	try := newKeyTrial(t)
	more := map[string][]string{
		"kpi":     {`"sparkline":"day"`, `"value":"r"`},
		"line":    {`"series":"name","limit":3`, `"gaps":"zero"`, `"facet":"name"`, `"average":{"of":3}`, `"reference":[{"kind":"average"}]`},
		"bar":     {`"x":"day","grain":"week"`, `"share":"first","horizontal":true`},
		"heatmap": {`"value":"r"`}, "map": {`"value":"r"`}, "table": {`"columns":[{"column":"n"}],"total":true`},
		"pivot": {`"rows":["day"],"values":["r"],"heat":"all"`},
	}
	for _, kind := range dashboard.PanelTypes() {
		if !dashboard.NeedsData(kind) {
			continue
		}
		for _, also := range append([]string{""}, more[kind]...) {
			with := []string{`"type":"` + kind + `","data":"d","title":"T"`, try.base[kind]}
			if kind == dashboard.Candlestick {
				with = append(with, `"data":"h"`)
			}
			if also != "" {
				with = append(with, also)
			}
			data := "d"
			switch kind {
			case dashboard.Candlestick:
				data = "h"
			case dashboard.Timeline:
				data = "g"
			}
			part, _, ok := try.view(append(slices.Clone(with), `"where":{"part":"ay"}`)...)
			if !ok {
				t.Errorf("%s %s: where is refused", kind, also)
				continue
			}
			few, spec := part, *part.Spec
			spec.Panels = slices.Clone(spec.Panels)
			spec.Panels[0].Where = nil
			few.Spec = &spec
			few.Cubes = map[string]*cube.Cube{data: rowsWhere(t, try.cubes[data], "part", "ay")}
			few.Colors = few.Colors.With(part.Spec, part.Cubes) // which the whole dataset decides
			got, want := Summaries(part)[0], Summaries(few)[0]
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %s: -fewer rows +where:\n%s", kind, also, diff)
			}
			if diff := cmp.Diff(csvOf(t, few, 0), csvOf(t, part, 0)); diff != "" {
				t.Errorf("%s %s: CSV: -fewer rows +where:\n%s", kind, also, diff)
			}
			if diff := cmp.Diff(draws(few), draws(part)); diff != "" {
				t.Errorf("%s %s: drawing: -fewer rows +where:\n%s", kind, also, diff)
			}
		}
	}
}

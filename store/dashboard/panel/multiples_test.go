package panel

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
)

// facetRows returns rows of three regions; the last one lacks a place and has the largest values.
func facetRows() (columns []string, rows [][]any) {
	for i, region := range []string{"North", "South", "West"} {
		for k, name := range []string{"ax", "bx", "cx", "dx"} {
			for d := range 3 {
				if region == "West" && name == "bx" {
					continue
				}
				v := float64((i + 1) * (10*k + d + 1))
				rows = append(rows, []any{day("2026-03-01").AddDate(0, 0, d+i), name, region, v, v / 4})
			}
		}
	}
	return []string{"day date", "name text", "region text", "n number sum", "m number sum"}, rows
}

// facetPanels returns panels with small plots, of the types that do not group their rows by the facet themselves.
func facetPanels() []dashboard.Panel {
	return []dashboard.Panel{
		{Type: dashboard.Combo, X: "name", Bars: []string{"n"}, Lines: []string{"m"}},
		{Type: dashboard.Histogram, Value: "n"},
		{Type: dashboard.Box, X: "name", Value: "n"},
		{Type: dashboard.Waterfall, Label: "name", Value: "n"},
		{Type: dashboard.Heatmap, X: "name", Y: []string{"day"}, Value: "n"},
		{Type: dashboard.Calendar, X: "day", Value: "n"},
		{Type: dashboard.Pie, Label: "name", Value: "n"},
		{Type: dashboard.Funnel, Label: "name", Value: "n"},
		{Type: dashboard.Slope, Label: "name", X: "day", Value: "n"},
		{Type: dashboard.Treemap, Levels: []string{"name"}, Value: "n"},
	}
}

// TestMultiplesAreOfTheirRows: the table of each small plot equals that of a panel of only the rows of its value; missing places are added,
// so that all plots have the same.
func TestMultiplesAreOfTheirRows(t *testing.T) {
	t.Parallel()
	columns, rows := facetRows()
	text := func(p *Panel, row []any) string {
		var out []string
		for i, v := range row {
			out = append(out, p.Env.Cell(p.Grid.Columns[i].Column, p.Grid.Columns[i].Grain, v))
		}
		return strings.Join(out, "|")
	}
	for _, spec := range facetPanels() {
		switch spec.Type {
		case dashboard.Histogram, dashboard.Slope, dashboard.Heatmap, dashboard.Funnel:
			continue // its bins, ends, columns and earlier steps are those of all rows
		}
		small := spec
		small.Facet = "region"
		p, _ := recorded(t, tiny([]dashboard.Panel{small}, columns, rows...), 0)
		f := p.Content.(*facetPanel)
		if len(f.plots) != 3 {
			t.Fatalf("%s: %d plots", spec.Type, len(f.plots))
		}
		for _, plot := range f.plots {
			var own [][]any
			for _, row := range rows {
				if row[2] == plot.Title {
					own = append(own, row)
				}
			}
			alone, _ := recorded(t, tiny([]dashboard.Panel{spec}, columns, own...), 0)
			var want, got []string
			for _, row := range alone.Grid.Rows {
				want = append(want, text(alone, row))
			}
			for _, row := range plot.Grid.Rows {
				if slices.ContainsFunc(row[1:], func(v any) bool { return v != nil }) || len(row) == 2 {
					got = append(got, text(plot.Panel, row))
				}
			}
			missing := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return slices.Contains(got, s) })
			if len(missing) > 0 {
				t.Errorf("%s of %s: %q is missing in %q", spec.Type, plot.Title, missing, got)
			}
		}
		if n := p.Grid.Columns[1].Name; n != "region" {
			t.Errorf("%s: the second column of the table is %q", spec.Type, n)
		}
	}
}

// TestMultiplesShareTheirScales: small plots have one scale, one order of places, and one range of ramps and bars; with facet_scale free
// each plot has its own.
func TestMultiplesShareTheirScales(t *testing.T) {
	t.Parallel()
	columns, rows := facetRows()
	for _, spec := range facetPanels() {
		of := func(scale string) (scales, places map[string]bool) {
			spec.Facet, spec.FacetScale = "region", scale
			p, c := recorded(t, tiny([]dashboard.Panel{spec}, columns, rows...), 0)
			scales, places = map[string]bool{}, map[string]bool{}
			for i, plot := range p.Content.(*facetPanel).plots {
				switch of := plot.plot.(type) {
				case onRamp:
					if d, _, _ := of.ramp(); spec.Type != dashboard.Treemap {
						scales[fmt.Sprint(d.lo, d.hi)] = true
					}
				case *funnelPanel:
					scales[fmt.Sprint(of.most)] = true
				case *histogramPanel:
					scales[fmt.Sprint(of.bins.edges, c.Plots[i].Left)] = true
				case *slopePanel:
					l := plot.laid(of.chart())
					scales[fmt.Sprint(l.Axes[0].Lo, l.Axes[0].Hi)] = true
				case charted:
					scales[fmt.Sprint(c.Plots[i].Left)] = true
				}
				var names []string
				for _, row := range plot.Grid.Rows {
					names = append(names, plot.Env.Cell(plot.Grid.Columns[0].Column, plot.Grid.Columns[0].Grain, row[0]))
				}
				places[strings.Join(names, "|")] = true
			}
			return scales, places
		}
		scales, places := of("")
		if len(scales) > 1 {
			t.Errorf("%s: the plots have the scales %v", spec.Type, scales)
		}
		if len(places) != 1 && spec.Type != dashboard.Treemap && spec.Type != dashboard.Slope && spec.Type != dashboard.Calendar {
			t.Errorf("%s: the plots have the places %v", spec.Type, places)
		}
		if free, _ := of(dashboard.FacetFree); len(free) < 2 && spec.Type != dashboard.Pie && spec.Type != dashboard.Treemap {
			t.Errorf("%s: free plots have the scales %v", spec.Type, free)
		}
	}
}

// TestMultiplesAreCut: of many values those with the largest measure are drawn, or those with the most rows.
func TestMultiplesAreCut(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 30 {
		for k := range 1 + i%3 {
			rows = append(rows, []any{fmt.Sprintf("f%02d", i), string(rune('a' + k)), float64(100 - i), float64(i)})
		}
	}
	columns := []string{"name text", "part text", "n number sum", "q number none"}
	for _, tc := range []struct {
		panel       dashboard.Panel
		first, last string
	}{
		{dashboard.Panel{Type: dashboard.Pie, Label: "part", Value: "n", Facet: "name"}, "f01", "f29"},
		{dashboard.Panel{Type: dashboard.Box, Value: "q", Facet: "name"}, "f00", "f29"},
	} {
		v := tiny([]dashboard.Panel{tc.panel}, columns, rows...)
		p, c := recorded(t, v, 0)
		f := p.Content.(*facetPanel)
		sums := map[string]float64{}
		for _, row := range rows {
			sums[row[0].(string)] += map[bool]float64{true: row[2].(float64), false: 1}[tc.panel.Type == dashboard.Pie]
		}
		least, cut := math.Inf(1), math.Inf(-1)
		drawn := map[string]bool{}
		for _, plot := range f.plots {
			drawn[plot.Title] = true
			least = min(least, sums[plot.Title])
		}
		for name, sum := range sums {
			if !drawn[name] {
				cut = max(cut, sum)
			}
		}
		if len(f.plots) != maxFacets || codes(v) != "cut panels[0].facet" || cut > least || !strings.Contains(c.String(), "facets 24 in") {
			t.Errorf("%s: %d plots, warnings %q, the smallest of them has %v and one that is left out %v",
				tc.panel.Type, len(f.plots), codes(v), least, cut)
		}
		if !strings.Contains(strings.Join(p.Notes, " "), "The 24 largest of 30 values of name") {
			t.Errorf("%s: %q", tc.panel.Type, p.Notes)
		}
	}
}

// TestRampsOfMultiplesKeepTheirDomain: colours of a measure that does not add up are those of all rows, with any filters.
func TestRampsOfMultiplesKeepTheirDomain(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Heatmap, X: "day", Y: []string{"name"}, Value: "n", Facet: "region"}},
		[]string{"day date", "name text", "region text", "n number avg"},
		[]any{day("2026-03-01"), "a", "North", 1.0}, []any{day("2026-03-02"), "b", "North", 9.0}, []any{day("2026-03-01"), "b", "South", 5.0})
	v.Spec.Filters = []dashboard.Filter{{Column: "name"}}
	v.Query = map[string][]string{"f.name": {"b"}}
	p, _ := recorded(t, v, 0)
	if len(p.Data.Rows) != 2 {
		t.Fatalf("%d rows, warnings %s", len(p.Data.Rows), codes(v))
	}
	for _, plot := range p.Content.(*facetPanel).plots {
		if d := plot.plot.(*heatmapPanel).domain; d.lo != 1 || d.hi != 9 || d.shown != 1 {
			t.Errorf("the colours of %s are from %v to %v, of %d cells", plot.Title, d.lo, d.hi, d.shown)
		}
	}
}

// TestStocksOfMultiples: the time of a stock is that of all rows, so a plot without rows at that time has no value.
func TestStocksOfMultiples(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Heatmap, X: "part", Y: []string{"name"}, Value: "n", Facet: "region"}},
		[]string{"day date", "name text", "part text", "region text", "n number last"},
		[]any{day("2026-03-01"), "a", "p", "North", 1.0}, []any{day("2026-03-01"), "a", "p", "South", 2.0},
		[]any{day("2026-03-02"), "a", "p", "North", 3.0})
	v.Spec.Datasets[0].Columns[4].Along = "day"
	p, _ := recorded(t, v, 0)
	got := map[string]any{}
	for _, plot := range p.Content.(*facetPanel).plots {
		got[plot.Title] = plot.Empty
		if plot.plot != nil {
			got[plot.Title] = plot.Grid.Rows[0][1]
		}
	}
	if got["North"] != 3.0 || got["South"] != "Every value is missing." {
		t.Errorf("%v", got)
	}
}

// TestPartsOfFacets: the rows and groups of one category are those that a filter selects.
func TestPartsOfFacets(t *testing.T) {
	t.Parallel()
	columns, rows := facetRows()
	p := open(tiny([]dashboard.Panel{{Type: dashboard.Pie, Label: "name", Value: "n", Facet: "region"}}, columns, rows...)).Panel(0)
	total := 0
	for _, plot := range p.Content.(*facetPanel).plots {
		n := 0
		for _, row := range rows {
			if row[2] == plot.Title {
				n++
			}
		}
		if len(plot.ofValue) != n {
			t.Errorf("%s has %d rows, want %d", plot.Title, len(plot.ofValue), n)
		}
		total += len(plot.ofValue)
	}
	if total != len(rows) {
		t.Errorf("%d rows, want %d", total, len(rows))
	}
	g := p.Data.Group(p.Data.Rows, cube.Query{By: []cube.Dim{{Column: "region"}, {Column: "name"}}}).Of(0, 2)
	if g.Len() != 3 || len(g.Axes[0]) != 4 {
		t.Errorf("%d groups of %v", g.Len(), g.Axes)
	}
}

// TestLinesOfMultiples: a line of a kind is that of the rows of each plot, and named there; a line that all plots have is named once, above
// them. The scale that they share has a place for all of these lines.
func TestLinesOfMultiples(t *testing.T) {
	t.Parallel()
	columns, rows := facetRows()
	for _, spec := range []dashboard.Panel{
		{Type: dashboard.Line, X: "name", Y: []string{"n"}},
		{Type: dashboard.Area, X: "name", Y: []string{"n"}},
		{Type: dashboard.Bar, X: "name", Y: []string{"n"}},
		{Type: dashboard.Combo, X: "name", Bars: []string{"n"}, Lines: []string{"m"}},
		{Type: dashboard.Scatter, X: "m", Y: []string{"n"}, Label: "name"},
	} {
		spec.Facet = "region"
		spec.Reference = []dashboard.Reference{{Kind: "average"}, {Value: 200, Label: "Goal"}}
		for i := range spec.Reference {
			spec.Reference[i].Axis = dashboard.AxisY
		}
		p, c := recorded(t, tiny([]dashboard.Panel{spec}, columns, rows...), 0)
		if len(c.Items) == 0 || c.Items[len(c.Items)-1].Name != "Goal 200" {
			t.Errorf("%s: the legend is %+v, want the line of all plots in it", spec.Type, c.Items)
		}
		var drawn []float64 // the places of all lines
		for _, l := range c.Lines {
			if l.Stroke == canvas.ReferenceLine {
				drawn = append(drawn, l.Y1.V)
			}
		}
		for i, plot := range p.Content.(*facetPanel).plots {
			sums := map[string]float64{}
			for _, row := range rows {
				if row[2] == plot.Title {
					sums[row[1].(string)] += row[3].(float64)
				}
			}
			average := 0.0
			for _, v := range sums {
				average += v / float64(len(sums))
			}
			axis := leftAxis(t, c.Plots[i].Labels, false)
			at := drawn[min(2*i, len(drawn)):min(2*i+2, len(drawn))]
			if len(at) != 2 || math.Abs(at[0]-axis(average)) > 1e-6 || math.Abs(at[1]-axis(200)) > 1e-6 {
				t.Errorf("%s: the lines of %s are at %v, want them at %v and %v", spec.Type, plot.Title, at, axis(average), axis(200))
			}
			named := 0
			for _, l := range c.Plots[i].Labels {
				if strings.HasPrefix(l.Text, "Average ") {
					named++
				}
				if strings.HasPrefix(l.Text, "Goal") {
					t.Errorf("%s: %s names the line of all plots", spec.Type, plot.Title)
				}
			}
			if named != 1 {
				t.Errorf("%s: %s names its average %d times", spec.Type, plot.Title, named)
			}
		}
	}
}

// TestBarsThatLieInMultiples: bars that lie have one scale in all plots.
func TestBarsThatLieInMultiples(t *testing.T) {
	t.Parallel()
	columns, rows := facetRows()
	spec := dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"n"}, Facet: "region", Horizontal: true}
	for scale, full := range map[string]int{"": 1, dashboard.FacetFree: 3} { // how many bars are as long as their strip
		spec.FacetScale = scale
		_, c := recorded(t, tiny([]dashboard.Panel{spec}, columns, rows...), 0)
		n := 0
		for _, r := range c.Rects {
			if r.Width.V == 1 {
				n++
			}
		}
		if n != full || len(c.Rects) != 11 {
			t.Errorf("%q: %d of %d bars fill their strip, want %d", scale, n, len(c.Rects), full)
		}
	}
}

// TestTimelinesOfMultiples: the rows of each value are under its name, along one axis of time, with the same colours.
func TestTimelinesOfMultiples(t *testing.T) {
	t.Parallel()
	spec := dashboard.Panel{Type: dashboard.Timeline, Label: "name", Start: "from", End: "to", Series: "state", Facet: "team"}
	v := tiny([]dashboard.Panel{spec}, []string{"name text", "team text", "state text", "from date", "to date"},
		[]any{"a", "Web", "open", day("2026-01-01"), day("2026-01-31")},
		[]any{"b", "Web", "done", day("2026-01-11"), day("2026-01-31")},
		[]any{"c", "Data", "done", day("2026-01-21"), day("2026-02-19")})
	v.Now = day("2025-01-01")
	p, c := recorded(t, v, 0)
	if len(c.Plots) != 2 || c.Plots[0].Title != "Data" || len(c.Plots[0].Rects) != 1 || len(c.Plots[1].Rects) != 2 || len(c.Items) != 2 {
		t.Fatalf("%d plots, the legend is %v", len(c.Plots), c.Items)
	}
	data, web := c.Plots[0].Rects[0], c.Plots[1].Rects
	if math.Abs(data.X.V-20.0/50) > 1e-9 || data.X.V+data.Width.V != 1 || web[0].X.V != 0 || math.Abs(web[0].Width.V-31.0/50) > 1e-9 {
		t.Errorf("the bars are at %v, and at %v and %v", data, web[0], web[1])
	}
	if data.Color != web[1].Color || data.Color == web[0].Color {
		t.Errorf("the bars have the colors %v, and %v and %v", data.Color, web[0].Color, web[1].Color)
	}
	if len(p.Grid.Rows) != 3 || p.Grid.Columns[1].Name != "team" {
		t.Errorf("the table has %d rows and the columns %v", len(p.Grid.Rows), p.Grid.Columns)
	}
}

// TestComparedMultiples: each plot has the earlier period of its own rows, at places that all of them share.
func TestComparedMultiples(t *testing.T) {
	t.Parallel()
	spec := dashboard.Panel{Type: dashboard.Line, X: "day", Y: []string{"n"}, Facet: "name", Grain: "month"}
	spec.Compare = []string{dashboard.PreviousYear}
	var rows [][]any
	for month := range 24 {
		at := day("2024-01-01").AddDate(0, month, 0)
		rows = append(rows, []any{at, "a", float64(month)})
		if month < 20 && month != 3 {
			rows = append(rows, []any{at, "b", float64(100 * month)})
		}
	}
	v := tiny([]dashboard.Panel{spec}, []string{"day date", "name text", "n number sum"}, rows...)
	v.Now, v.AsOf = day("2026-01-05"), day("2026-01-05")
	v.Spec.Filters = []dashboard.Filter{{Column: "day"}}
	v.Query = map[string][]string{"f.day": {"custom"}, "f.day.from": {"2025-01-01"}, "f.day.to": {"2025-12-31"}}
	p, c := recorded(t, v, 0)
	if len(c.Plots) != 2 || len(c.Items) != 2 || len(p.Grid.Rows) != 24 {
		t.Fatalf("%d plots, %d rows, legend %v", len(c.Plots), len(p.Grid.Rows), c.Items)
	}
	for i, want := range []int{12, 11} { // the earlier year of b lacks April
		plot := p.Content.(*facetPanel).plots[i].Panel
		n := 0
		for _, v := range plot.before.split.exact[0] {
			n += map[bool]int{v != nil: 1}[true]
		}
		if n != want {
			t.Errorf("%s: %d values of the earlier year, want %d", plot.Title, n, want)
		}
	}
}

// TestEmptyPlotsOfValues: a small plot all of whose values are without a place, such as those of a hidden period, does not state that they
// are missing; one without values does.
func TestEmptyPlotsOfValues(t *testing.T) {
	t.Parallel()
	rows := [][]any{
		{day("2026-08-01"), "a", "k1", 3.0},
		{day("2026-09-01"), "a", "k2", 4.0},
		{day("2026-10-01"), "a", "k1", 5.0},
		{day("2026-09-01"), "b", "k3", 1.0},
		{day("2026-09-01"), "c", "k1", nil},
		{day("2026-11-01"), "d", "k4", 2.0},
	}
	const none, off = "Every value is missing.", "No value is on the axis."
	for _, tc := range []struct{ keys, b, c, d string }{
		{`"type": "line", "x": "day", "y": "n", "partial": "hide"`, "", none, off},
		{`"type": "bar", "x": "day", "y": "n", "partial": "hide"`, "", none, off},
		{`"type": "combo", "x": "day", "bars": "n", "lines": "n2", "partial": "hide"`, "", none, off},
		{`"type": "bar", "x": "kind", "y": "n", "limit": 2`, off, none, off},
		{`"type": "line", "x": "day", "y": "n", "series": "kind", "limit": 2, "partial": "show"`, off, none, off},
		{`"type": "slope", "label": "kind", "x": "day", "value": "n"`, off, none, ""},
		{`"type": "heatmap", "x": "day", "y": "kind", "value": "n", "partial": "hide"`, "", none, off},
		{`"type": "box", "x": "day", "value": "n", "partial": "hide"`, "", none, off},
		{`"type": "calendar", "x": "day", "value": "n"`, "", none, ""},
	} {
		columns := []string{"day date", "part text", "kind text", "n number sum", "n2 number sum"}
		var all [][]any
		for _, row := range rows {
			all = append(all, append(row[:4:4], row[3]))
		}
		p := open(tinySpec(t, `{`+tc.keys+`, "facet": "part"}`, columns, all...)).Panel(0)
		f, ok := p.Content.(*facetPanel)
		if !ok {
			t.Errorf("%s: %s%s", tc.keys, p.Problem, p.Empty)
			continue
		}
		for i, want := range []string{"", tc.b, tc.c, tc.d} {
			if got := f.plots[i].Empty; got != want {
				t.Errorf("%s: plot %s: %q, want %q", tc.keys, f.plots[i].Title, got, want)
			}
		}
	}
}

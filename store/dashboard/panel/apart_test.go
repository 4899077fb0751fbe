package panel

import (
	"slices"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/chart"
)

// TestLabelsTellApart: in one legend, and on the marks of one panel, different values have different texts.
func TestLabelsTellApart(t *testing.T) {
	t.Parallel()
	values := func(vs ...float64) [][]any {
		var rows [][]any
		for i, v := range vs {
			rows = append(rows, []any{day("2026-03-01").AddDate(0, 0, i), string(rune('a' + i)), v, "all", v / 3, v})
		}
		return rows
	}
	texts := func(l chart.Layer) (out []string) {
		switch l := l.(type) {
		case *chart.Cells:
			for _, c := range l.Cells {
				out = append(out, c.Text)
			}
		case *chart.Bars:
			for _, b := range l.Bars {
				out = append(out, b.Texts[1])
			}
		case *chart.Spans:
			for _, b := range l.Spans {
				out = append(out, b.Texts[1])
			}
		case *chart.CellOutline:
			for _, c := range l.Cells {
				if c.Text != "" {
					out = append(out, c.Text)
				}
			}
		case *chart.Areas:
			for _, a := range l.Root.Children {
				out = append(out, a.Text)
			}
		}
		return out
	}
	yes := true
	for name, tc := range map[string]struct {
		of     []float64
		legend []string // the first and the last
		marks  []string
	}{
		"close":     {[]float64{2168, 2175, 2182}, []string{"2,168", "2,182"}, []string{"2,168", "2,175", "2,182"}},
		"closer":    {[]float64{1234002, 1234003, 1234004}, []string{"1,234,002", "1,234,004"}, []string{"1,234,002", "1,234,003", "1,234,004"}},
		"apart":     {[]float64{2100, 3200, 4300}, []string{"2.1K", "4.3K"}, []string{"2.1K", "3.2K", "4.3K"}},
		"same unit": {[]float64{5123456, 6e6, 20.1e6}, []string{"5.1M", "20.1M"}, []string{"5.1M", "6.0M", "20.1M"}},
		"compact":   {[]float64{5123456, 6e6, 20.1e6}, []string{"5.1M", "20.1M"}, []string{"5.1M", "6.0M", "20.1M"}},
		"bytes":     {[]float64{1.5e6, 3e6, 512}, nil, []string{"1.5\u00a0MB", "3.0\u00a0MB", "512\u00a0B"}},
		"tiny":      {[]float64{1e-12, 1.0000001e-12}, []string{"1.0000000e−12", "1.0000001e−12"}, nil},
	} {
		format := ""
		if name == "compact" || name == "bytes" {
			format = " " + name
		}
		columns := []string{"d date", "name text", "v number sum" + format, "one text", "w number sum", "u number none" + format}
		v := tiny([]dashboard.Panel{
			{Type: dashboard.Heatmap, X: "name", Y: []string{"one"}, Value: "v", Labels: &yes},
			{Type: dashboard.Treemap, Levels: []string{"name"}, Value: "v", Ramp: &dashboard.Ramp{}},
			{Type: dashboard.Calendar, X: "d", Value: "v", Labels: &yes},
			{Type: dashboard.Bar, X: "name", Y: []string{"v"}, Sort: "name", Labels: &yes},
			{Type: dashboard.Combo, X: "name", Bars: []string{"v"}, Lines: []string{"w"}, Sort: "name", Labels: &yes},
			{Type: dashboard.Box, X: "name", Value: "u", Sort: "name", Labels: &yes},
			{Type: dashboard.Waterfall, Label: "d", Value: "v", Labels: &yes},
		}, columns, values(tc.of...)...)
		e := open(v)
		heat, tree := e.Panel(0).Content.(*heatmapPanel), e.Panel(1).Content.(*treemapPanel)
		calendar, bars := e.Panel(2).Content.(*calendarPanel), e.Panel(3).Content.(*barPanel)
		for panel, d := range map[*Panel]*domain{heat.Panel: &heat.domain, tree.Panel: &tree.domain, calendar.Panel: &calendar.domain} {
			key := e.key(d, panel.col("v"))
			if got := []string{key.Texts[0], key.Texts[len(key.Texts)-1]}; tc.legend != nil && !slices.Equal(got, tc.legend) {
				t.Errorf("%s: the legend of the %s is %q, want %q", name, panel.Spec.Type, got, tc.legend)
			}
		}
		if tc.marks == nil {
			continue
		}
		reversed := slices.Clone(tc.marks) // the largest first
		if slices.Reverse(reversed); name == "bytes" {
			reversed = []string{tc.marks[1], tc.marks[0], tc.marks[2]}
		}
		if got := texts(heat.chart().Under[0]); !slices.Equal(got, tc.marks) {
			t.Errorf("%s: the cells are %q, want %q", name, got, tc.marks)
		}
		if got := texts(tree.chart().Over[0]); !slices.Equal(got, reversed) {
			t.Errorf("%s: the areas are %q, want %q", name, got, reversed)
		}
		days := calendar.half(&calendar.years[0], 0, calendar.weekdays()).Under[0]
		combo, boxes := e.Panel(4).Content.(*comboPanel), e.Panel(5).Content.(*boxPanel)
		for of, layer := range map[string]chart.Layer{
			"bars": bars.chart().Under[0], "days": days, "bars of the combo": combo.chart().Under[0], "boxes": boxes.chart().Under[0],
		} {
			if got := texts(layer); !slices.Equal(got, tc.marks) {
				t.Errorf("%s: the %s are %q, want %q", name, of, got, tc.marks)
			}
		}
		if got := texts(e.Panel(6).Content.(*waterfallPanel).chart().Under[0]); !slices.Equal(got[:3], signed(tc.marks)) {
			t.Errorf("%s: the changes are %q, want those of %q", name, got, tc.marks)
		}
	}
}

// signed returns texts with a plus sign.
func signed(texts []string) []string {
	out := slices.Clone(texts)
	for i := range out {
		out[i] = "+" + out[i]
	}
	return out
}

// TestAxisOfNumbers: numbers on an axis have the same number of decimals, and small ones have an exponent.
func TestAxisOfNumbers(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i, x := range []float64{2.9, 3, 3.1} {
		rows = append(rows, []any{x, float64(i+1) * 2e-12})
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "x", Y: []string{"v"}}}, []string{"x number", "v number sum"}, rows...)
	v.Spec.Datasets[0].Columns[0].Role = dashboard.Dimension
	l := open(v).Panel(0).Content.(*linePanel)
	if got, want := l.Env.axisTexts(l.split), []string{"2.9", "3.0", "3.1"}; !slices.Equal(got, want) {
		t.Errorf("the axis is %q, want %q", got, want)
	}
	for _, tc := range []struct {
		format string
		want   []string
	}{
		{"", []string{"0", "2e−12", "4e−12", "6e−12"}},
		{"currency", []string{"$0", "$2e−12", "$4e−12", "$6e−12"}},
		{"percent", []string{"0%", "2e−10%", "4e−10%", "6e−10%"}},
		{"duration", []string{"0\u00a0s", "2e−12\u00a0s", "4e−12\u00a0s", "6e−12\u00a0s"}},
	} {
		s := chart.NewScale(0, 6e-12, true, chart.Plain)
		if got := l.Env.tickTexts(s, tc.format); !slices.Equal(got, tc.want) {
			t.Errorf("%q: the gridlines are %q, want %q", tc.format, got, tc.want)
		}
	}
}

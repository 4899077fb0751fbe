package panel

import (
	"fmt"
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestSketchOfPages: the sketch of a table names the rows of the page, as the page does, and not only how many it does not show itself.
func TestSketchOfPages(t *testing.T) {
	t.Parallel()
	for rows, want := range map[int]string{8: "", 9: "… 1 more row", 10: "… 2 more rows", 160: "… 2 more rows · 1–10 of 160"} {
		var all [][]any
		for i := range rows {
			all = append(all, []any{fmt.Sprint(i), int64(i)})
		}
		p := open(tiny([]dashboard.Panel{{Type: dashboard.Table, PageSize: 10}}, []string{"who text", "n integer sum"}, all...)).Panel(0)
		got := ""
		for line := range strings.Lines(p.sketchText()) {
			if strings.HasPrefix(line, "…") {
				got = strings.TrimSpace(line)
			}
		}
		if got != want {
			t.Errorf("%d rows: %q, want %q", rows, got, want)
		}
	}
}

// TestSketchOfRows: the sketch of a heat map has the name of each row that it draws, and the number of the others.
func TestSketchOfRows(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 6, 12, 16, 17, 20} {
		for _, tooltip := range [][]string{nil, {"n"}} {
			var rows [][]any
			for i := range n {
				for j := range 7 {
					rows = append(rows, []any{fmt.Sprintf("row-%02d", i), fmt.Sprint("c", j), int64(100*i + j), int64(j)})
				}
			}
			p := open(tiny([]dashboard.Panel{{Type: dashboard.Heatmap, X: "col", Y: []string{"who"}, Value: "of", Tooltip: tooltip}},
				[]string{"who text", "col text", "of integer sum", "n integer sum"}, rows...)).Panel(0)
			got := p.sketchText()
			for i := range n {
				if has := strings.Count("\n"+got, fmt.Sprintf("\nrow-%02d ", i)); has != 1 && i < 16 || has != 0 && i >= 16 {
					t.Errorf("row %d of %d is named %d times\n%s", i, n, has, got)
				}
			}
			want := map[int]string{17: "… 1 more row\n", 20: "… 4 more rows\n"}[n]
			if !strings.Contains(got, want) || want == "" && strings.Contains(got, "more row") {
				t.Errorf("%d rows, want %q:\n%s", n, want, got)
			}
			if unnamed := strings.Count(got, "\n       █") + strings.Count(got, "\n       ·"); unnamed > 0 {
				t.Errorf("%d lines of marks of %d rows have no name\n%s", unnamed, n, got)
			}
		}
	}
}

// TestSketchOfTimelines: the sketch of a timeline has a line for each row that it draws, and the number of the others, with now in view or
// not.
func TestSketchOfTimelines(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 16, 17, 26, 60} {
		for _, begin := range []string{"2026-11-20", "2020-01-01"} {
			var rows [][]any
			for i := range n {
				from := day(begin).AddDate(0, 0, i%9)
				rows = append(rows, []any{fmt.Sprintf("task-%02d", i), from, from.AddDate(0, 0, 5)})
			}
			p := open(tiny([]dashboard.Panel{{Type: dashboard.Timeline, Label: "who", Start: "from", End: "to"}},
				[]string{"who text", "from date", "to date"}, rows...)).Panel(0)
			got, named := p.sketchText(), 0
			for line := range strings.Lines(got) {
				if many := strings.Count(line, "task-"); many > 1 {
					t.Errorf("%d rows from %s: %d are on one line\n%s", n, begin, many, got)
				} else {
					named += many
				}
			}
			left := ""
			if n > named {
				left = fmt.Sprintf("… %d more row", n-named)
			}
			if named < min(n, 16) || !strings.Contains(got, left) || left == "" && strings.Contains(got, "more row") {
				t.Errorf("%d rows from %s: %d are named, want %q\n%s", n, begin, named, left, got)
			}
		}
	}
}

// TestSketchOfWideRows: a row whose spans overlap is drawn only if all its lanes have a line.
func TestSketchOfWideRows(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 15 {
		rows = append(rows, []any{fmt.Sprintf("task-%02d", i), day("2026-11-01").AddDate(0, 0, i), day("2026-11-20")})
	}
	for i := range 8 {
		rows = append(rows, []any{"wide", day("2026-11-16").AddDate(0, 0, i), day("2026-12-20")})
	}
	p := open(tiny([]dashboard.Panel{{Type: dashboard.Timeline, Label: "who", Start: "from", End: "to"}},
		[]string{"who text", "from date", "to date"}, rows...)).Panel(0)
	if got := p.sketchText(); strings.Contains(got, "wide") || !strings.Contains(got, "task-14") || !strings.HasSuffix(got, "… 1 more row") {
		t.Error(got)
	}
}

// TestSketchOfSmallPlots: small plots of funnels and timelines are drawn, not only told in their sentences.
func TestSketchOfSmallPlots(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		panel dashboard.Panel
		want  []string
	}{
		{dashboard.Panel{Type: dashboard.Funnel, Label: "step", Value: "n"}, []string{"blue █▅ 6", "red  █▅ 5"}},
		{dashboard.Panel{Type: dashboard.Timeline, Label: "who", Start: "a", End: "b", Series: "step"}, []string{"█ 1", "blue\nw ┈", "red\nv ░"}},
	} {
		tc.panel.Facet = "team"
		p := open(tiny([]dashboard.Panel{tc.panel}, []string{"who text", "team text", "step text", "a date", "b date", "n integer sum"},
			[]any{"w", "blue", "1", day("2026-03-01"), day("2026-05-01"), int64(10)},
			[]any{"w", "blue", "2", day("2026-05-01"), day("2026-05-09"), int64(6)},
			[]any{"v", "red", "1", day("2026-02-15"), day("2026-03-01"), int64(9)},
			[]any{"v", "red", "2", day("2026-01-15"), day("2026-02-01"), int64(5)})).Panel(0)
		got := p.sketchText()
		for _, want := range tc.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s has no %q:\n%s", tc.panel.Type, want, got)
			}
		}
	}
}

// TestSketchesNameValuesBeyondTheAxis: a line of a small plot ends with its last value, also if the axis does not reach that.
func TestSketchesNameValuesBeyondTheAxis(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i, part := range []string{"a", "b"} {
		for d := range 4 {
			rows = append(rows, []any{day("2026-01-01").AddDate(0, 0, d), part, float64((d + 1) * 100 * (i + 1))})
		}
	}
	for _, keys := range []string{
		`"type": "line", "y_max": 250`, `"type": "line", "scale": "log", "y_max": 250`, `"type": "area", "y_max": 250`,
		`"type": "bar", "y_max": 250`,
	} {
		v := tinySpec(t, `{`+keys+`, "x": "day", "y": "n", "facet": "part"}`, []string{"day date", "part text", "n number sum"}, rows...)
		s := summaries(v)[0].Sketch
		for _, want := range []string{" 400", " 800"} {
			if !strings.Contains(s, want) {
				t.Errorf("%s: no%s in\n%s", keys, want, s)
			}
		}
	}
}

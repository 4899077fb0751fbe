package panel

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
)

// boxedDays are seven rows of each working day, and the median of these, by days since the first.
func boxedDays() (rows [][]any, xs, medians []float64) {
	days, xs, _ := workdays()
	for i := range xs {
		var of []float64
		for k := range 7 {
			v := days[2*i][2].(float64) + float64(k*k%5)
			of = append(of, v)
			rows = append(rows, []any{days[2*i][0], v})
		}
		_, _, median, _, _, _ := quartilesOf(of)
		medians = append(medians, median)
	}
	return rows, xs, medians
}

// TestLinesOverBoxes: the trend and the moving average of boxes along times are those of a line of their medians, which the test computes,
// and are drawn where they are on the axis.
func TestLinesOverBoxes(t *testing.T) {
	t.Parallel()
	rows, xs, medians := boxedDays()
	boxes := dashboard.Panel{Type: dashboard.Box, X: "day", Value: "n", Trend: "linear", Average: 5}
	p, c := recorded(t, tiny([]dashboard.Panel{boxes}, []string{"day date", "n number none"}, rows...), 0)
	var line [][]any
	for i, x := range xs {
		line = append(line, []any{day("2026-03-02").AddDate(0, 0, int(x)), medians[i]})
	}
	of := dashboard.Panel{Type: dashboard.Line, X: "day", Y: []string{"n"}, Trend: "linear", Average: 5}
	want := open(tiny([]dashboard.Panel{of}, []string{"day date", "n number sum"}, line...)).Panel(0)
	sameAverages(t, "a box", p, want)

	got := p.Content.(*boxPanel).over
	trends, averages := overlaid(c)
	if len(trends) != 1 || len(averages) != 1 {
		t.Fatalf("%d trends, %d averages", len(trends), len(averages))
	}
	slope, r2 := exactFit(xs, medians)
	span := (xs[len(xs)-1] - xs[0]) / (got.at[len(got.at)-1] - got.at[0]) // days in the width
	words := want.Content.(*linePanel).over.trends[0].text
	if fit := got.trends[0]; !near(fit.Slope/span, slope) || !near(fit.R2, r2) || fit.text != words || !strings.Contains(p.Summary, words) {
		t.Errorf("%v a day, R² %v, %q; want %v, %v, %q; said %q", fit.Slope/span, fit.R2, fit.text, slope, r2, words, p.Summary)
	}
	scale := leftAxis(t, c.Labels, false)
	for i, x := range [...]float64{xs[0], xs[len(xs)-1]} {
		y := scale(mean(medians)+slope*(x-mean(xs))) * 1000
		if drawn := trends[0].Points[i]; math.Abs(float64(drawn.X)-(got.at[0]+(x-xs[0])/span)*1000) > 1 || math.Abs(float64(drawn.Y)-y) > 1 {
			t.Errorf("the trend is drawn to %+v, want %v", drawn, y)
		}
	}
	names := fmt.Sprint(c.Items)
	for _, name := range []string{words, "Median, 5-day average"} {
		if !strings.Contains(names, name) {
			t.Errorf("the legend %s has no %q", names, name)
		}
	}
}

// Boxes of names have no order along which a line would be, and readers and author are told so.
func TestLinesOverBoxesOfNames(t *testing.T) {
	t.Parallel()
	boxes := dashboard.Panel{Type: dashboard.Box, X: "k", Value: "n", Trend: "linear", Average: 2}
	v := tiny([]dashboard.Panel{boxes}, []string{"k text", "n number none"},
		[]any{"a", 1.0}, []any{"b", 2.0}, []any{"c", 4.0}, []any{"d", 5.0})
	p, c := recorded(t, v, 0)
	if trends, averages := overlaid(c); len(trends)+len(averages) > 0 || codes(v) != "key_ignored panels[0].average, panels[0].trend" {
		t.Errorf("%d trends, %d averages, warnings %q", len(trends), len(averages), codes(v))
	}
	if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, "No trend: values of K have no order of their own.") {
		t.Errorf("notes %q", notes)
	}
}

// Events are in the box of their day, and a line marks each.
func TestEventsOfBoxes(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 40 {
		rows = append(rows, []any{day("2026-01-01").AddDate(0, 0, i/4), float64(i * i % 17)})
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Box, X: "at", Value: "n"}}, []string{"at date", "n number none"}, rows...)
	v.Spec.Events.List = []dashboard.Event{happened("2026-01-03", "a"), happened("2026-01-09", "b"), happened("2026-02-01", "after")}
	p, c := recorded(t, v, 0)
	if got := placesOf(p); got != "250 a, 850 b" { // the middles of the third and the ninth of ten
		t.Errorf("events at %q", got)
	}
	var lines []float64
	for _, l := range c.Lines {
		if l.Stroke == canvas.EventLine {
			lines = append(lines, l.X1.V)
		}
	}
	if !slices.EqualFunc(lines, []float64{0.25, 0.85}, samePlace) ||
		!strings.Contains(p.Summary, "Events: a (Jan 3, 2026), b (Jan 9, 2026).") {
		t.Errorf("lines at %v; said %q", lines, p.Summary)
	}
	if codes(v) != "left_out events" { // the one after the last box
		t.Errorf("warnings %q", codes(v))
	}
}

// TestTonesOfMedians: a threshold gives the median of a box, and what a candle closes at, a dot in the colour of its tone, at its value;
// incomplete periods have none. The legend and the sentence have the conditions.
func TestTonesOfMedians(t *testing.T) {
	t.Parallel()
	good, bad := canvas.ToneColor("good"), canvas.ToneColor("bad")
	tones := []dashboard.Threshold{{If: ">=", Value: 20, Tone: "good"}, {If: "<", Value: 10, Tone: "bad"}}
	closes := []float64{4, 15, 25, 30} // the last is of the day that is not over
	var boxRows, candleRows [][]any
	for i, v := range closes {
		at := day("2026-11-17").AddDate(0, 0, i)
		boxRows = append(boxRows, []any{at, v - 3}, []any{at, v}, []any{at, v + 9})
		candleRows = append(candleRows, []any{at, v - 1, v + 2, v - 2, v})
	}
	ranges := candlesOf(func(p *dashboard.Panel) { p.Open, p.Close, p.High, p.Thresholds = "", "", "c", tones }, candleRows...)
	five := dashboard.Panel{Type: dashboard.Box, X: "day", Low: "l", Q1: "o", Median: "c", Q3: "c2", High: "h", Thresholds: tones}
	var fiveRows [][]any
	for _, r := range candleRows {
		fiveRows = append(fiveRows, append(slices.Clone(r), r[4]))
	}
	for name, v := range map[string]Input{
		"a box": tiny([]dashboard.Panel{{Type: dashboard.Box, X: "day", Value: "n", Thresholds: tones}},
			[]string{"day date", "n number none"}, boxRows...),
		"a computed box": tiny([]dashboard.Panel{five}, append(slices.Clone(candleColumns), "c2 number none"), fiveRows...),
		"a candle":       candlesOf(func(p *dashboard.Panel) { p.Thresholds = tones }, candleRows...),
		"a range":        ranges,
	} {
		p, c := recorded(t, v, 0)
		scale := leftAxis(t, c.Labels, false)
		got := map[canvas.Color][]float64{}
		for _, d := range c.Circles {
			if d.Color == good || d.Color == bad {
				got[d.Color] = append(got[d.Color], d.X.V)
				if v := map[canvas.Color]float64{good: closes[2], bad: closes[0]}[d.Color]; !samePlace(d.Y.V, scale(v)) {
					t.Errorf("%s: a dot at %v, want %v", name, d.Y.V, scale(v))
				}
			}
		}
		if len(got[good]) != 1 || len(got[bad]) != 1 || got[bad][0] != 0.125 || got[good][0] != 0.625 {
			t.Errorf("%s: dots at %v", name, got)
		}
		if text := p.Summary; !strings.Contains(text, "≥ 20: 1 of 3. < 10: 1 of 3.") {
			t.Errorf("%s: said %q", name, text)
		}
		if names := fmt.Sprint(c.Items); !strings.Contains(names, "≥ 20") || !strings.Contains(names, "< 10") {
			t.Errorf("%s: legend %s", name, names)
		}
		safe(t, render(t, v))
	}
}

// TestCompareOfMarks: boxes, candles, ranges and combos whose spec compares with the year before have its medians, last values and sums at
// the places of this year, in gray and in the table, which has the changes; the legend names both.
func TestCompareOfMarks(t *testing.T) {
	t.Parallel()
	columns := append(slices.Clone(candleColumns), "n number sum", "m number sum percent")
	var rows [][]any
	closes, sums, values := map[time.Time]float64{}, map[time.Time]float64{}, map[time.Time][]float64{}
	for i := range 700 {
		at := day("2026-11-18").AddDate(0, 0, i-699)
		if i%13 == 0 {
			continue
		}
		v := float64(i%29) + float64(i)/50
		rows = append(rows, []any{at, v - 1, v + 2, v - 2, v, v, 0.5})
		month := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
		closes[month], sums[month], values[month] = v, sums[month]+v, append(values[month], v)
	}
	medianOf := map[time.Time]float64{}
	part := map[time.Time]float64{} // the sums up to where this year reaches
	for month, of := range values {
		_, _, medianOf[month], _, _, _ = quartilesOf(of)
		part[month] = sums[month]
	}
	running := time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC) // is compared up to the last day with rows
	part[running] = 0
	var half []float64
	for _, r := range rows {
		if at := r[0].(time.Time); !at.Before(running) && !at.After(day("2025-11-18")) {
			part[running], closes[running], half = part[running]+r[5].(float64), r[4].(float64), append(half, r[4].(float64))
		}
	}
	_, _, medianOf[running], _, _, _ = quartilesOf(half)
	for name, tc := range map[string]struct {
		panel dashboard.Panel
		want  map[time.Time]float64
	}{
		"boxes":   {dashboard.Panel{Type: dashboard.Box, Value: "c"}, medianOf},
		"candles": {dashboard.Panel{Type: dashboard.Candlestick, Open: "o", High: "h", Low: "l", Close: "c"}, closes},
		"combos":  {dashboard.Panel{Type: dashboard.Combo, Bars: []string{"n"}, Lines: []string{"m"}}, part},
	} {
		tc.panel.X, tc.panel.Grain, tc.panel.Compare = "day", "month", []string{"previous_year"}
		v := tiny([]dashboard.Panel{tc.panel}, columns, rows...)
		v.Spec.Filters = []dashboard.Filter{{Column: "day"}}
		v.Query = url.Values{"f.day": {"this_year"}}
		p, c := recorded(t, v, 0)
		at := map[string]int{}
		for i, col := range p.Grid.Columns {
			at[col.Label] = i
		}
		before, change := at["Period before"], at["Change"]
		if before == 0 || change == 0 {
			t.Fatalf("%s: the table has the columns %v; notes %q", name, at, p.Notes)
		}
		own := map[string]string{"boxes": "Median", "candles": "C", "combos": "N"}[name]
		scale := leftAxis(t, c.Labels, false)
		for x, row := range p.Grid.Rows {
			month := row[0].(cube.Category).Value.(time.Time)
			want, ok := tc.want[month.AddDate(-1, 0, 0)]
			if got := number(row[before]); ok && !near(got, want) || !ok && !math.IsNaN(got) {
				t.Errorf("%s: beside %s is %v, want %v", name, month.Format(time.DateOnly), got, want)
			}
			if now, got := number(row[at[own]]), number(row[change]); ok && math.Abs(got-(now-want)) > 1e-9 {
				t.Errorf("%s: a change of %v in %s, want %v", name, got, month.Format(time.DateOnly), now-want)
			}
			if !ok || name == "combos" {
				continue
			}
			y, middle, found := scale(want)*1000, (float64(x)+0.5)/float64(len(p.Grid.Rows))*1000, false
			for _, curve := range c.Curves {
				found = found || curve.Color == canvas.OtherColor && curve.Thin && slices.ContainsFunc(curve.Points, func(at canvas.Point) bool {
					return math.Abs(float64(at.Y)-y) <= 1 && math.Abs(float64(at.X)-middle) <= 1
				})
			}
			if !found {
				t.Errorf("%s: no gray line is at %v in %s", name, want, month.Format(time.DateOnly))
			}
		}
		if gray := slices.ContainsFunc(c.Rects, func(r canvas.Rect) bool { return r.Color == canvas.OtherColor }); name == "combos" && !gray {
			t.Error("no gray bars")
		}
		if names := fmt.Sprint(c.Items); !strings.Contains(names, "Jan 2025 – Nov 2025") {
			t.Errorf("%s: legend %s", name, names)
		}
		if !strings.Contains(p.Summary, "Period before: latest ") {
			t.Errorf("%s: said %q", name, p.Summary)
		}
		if got := codes(v); got != "" {
			t.Errorf("%s: warnings %q", name, got)
		}
		safe(t, render(t, v))
	}
}

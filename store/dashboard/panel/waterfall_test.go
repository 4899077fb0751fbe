package panel

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
)

// bridge is a waterfall of named changes.
func bridge(change func(*dashboard.Panel), agg string, rows ...[]any) Input {
	panel := dashboard.Panel{Type: dashboard.Waterfall, Label: "kind", Value: "n"}
	if change != nil {
		change(&panel)
	}
	return tiny([]dashboard.Panel{panel}, []string{"kind text", "n number " + agg}, rows...)
}

// shown returns the rows of the table behind a panel: name, value, running total.
func shown(p *Panel) string {
	var out []string
	for _, row := range p.Grid.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = plain(v)
		}
		out = append(out, strings.Join(cells, " "))
	}
	return strings.Join(out, ", ")
}

// plain returns a value as in a CSV with dates at midnight.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case time.Time:
		return v.Format(time.DateOnly)
	case cube.Category:
		return plain(v.Value)
	}
	return fmt.Sprint(v)
}

// TestWaterfallNumbers: changes of cents, of many days and shops, add up to the cent, with any filter; the bars begin and end at the
// running totals.
func TestWaterfallNumbers(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 1))
	kinds := []string{"New", "Expansion", "Contraction", "Churn", "Refunds"}
	var rows [][]any
	cents := map[string]map[string]int64{"": {}, "north": {}, "south": {}}
	for d := range 200 {
		for _, shop := range []string{"north", "south"} {
			for k, kind := range kinds {
				n := r.Int64N(10_000) - int64(k)*2000
				rows = append(rows, []any{day("2026-01-01").AddDate(0, 0, d), shop, kind, cube.Decimal(fmt.Sprintf("%.2f", float64(n)/100))})
				cents[shop][kind] += n
				cents[""][kind] += n
			}
		}
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Waterfall, Label: "kind", Value: "amount", Upright: true}},
		[]string{"day date", "shop text", "kind text", "amount number sum currency2"}, rows...)
	v.Spec.Filters = []dashboard.Filter{{Column: "shop"}}
	exact := func(c int64) string {
		return strings.TrimRight(strings.TrimRight(big.NewRat(c, 100).FloatString(2), "0"), ".")
	}
	for shop, want := range cents {
		if v.Query = nil; shop != "" {
			v.Query = map[string][]string{"f.shop": {shop}}
		}
		var lines []string
		sum := int64(0)
		p := open(v).Panel(0)
		drawn := record(p)
		axis, links := leftAxis(t, drawn.Labels, false), drawn.Strokes(canvas.LinkLine)
		for i, kind := range kinds {
			from := sum
			sum += want[kind]
			lines = append(lines, kind+" "+exact(want[kind])+" "+exact(sum))
			lo, hi := float64(min(from, sum))/100, float64(max(from, sum))/100
			bar, next := drawn.Rects[i], drawn.Rects[i+1]
			if high := max(axis(lo)-axis(hi), 0.003); math.Abs(bar.Y.V-axis(hi)) > 1e-9 || math.Abs(bar.Height.V-high) > 1e-9 {
				t.Errorf("%q: %s is drawn as %+v, want it from %v to %v", shop, kind, bar, axis(hi), axis(lo))
			}
			if l := links[i]; math.Abs(l.Y1.V-axis(float64(sum)/100)) > 1e-9 || !samePlace(l.X1.V, bar.X.V+bar.Width.V) || l.X2 != next.X {
				t.Errorf("%q: from %s a line at %+v", shop, kind, l)
			}
		}
		lines = append(lines, "Total "+exact(sum)+" "+exact(sum))
		if got, want := shown(p), strings.Join(lines, ", "); got != want {
			t.Errorf("%q\ngot  %s\nwant %s", shop, got, want)
		}
	}
}

// TestWaterfallTotals: total is the name of the closing bar, or of rows that are totals; warnings report totals that do not fit, and other
// rows that look like one.
func TestWaterfallTotals(t *testing.T) {
	t.Parallel()
	row := func(kind string, n float64) []any { return []any{kind, n} }
	months := [][]any{row("Start", 100), row("In", 30), row("Out", -20), row("Half", 110), row("More", 5), row("End", 115)}
	for _, tc := range []struct {
		total       []string
		none        bool
		rows        [][]any
		want        string
		codes, says string
	}{
		{nil, false, months[:3], "Start 100 100, In 30 130, Out -20 110, Total 110 110", "doubtful panels[0].total", ""},
		{nil, true, months[:3], "Start 100 100, In 30 130, Out -20 110", "doubtful panels[0].total", ""},
		{[]string{"Now"}, false, months[:3], "Start 100 100, In 30 130, Out -20 110, Now 110 110", "doubtful panels[0].total", ""},
		{[]string{"Start", "Now"}, false, months[:3], "Start 100 100, In 30 130, Out -20 110, Now 110 110", "", ""},
		{
			[]string{"Start", "Half", "End"},
			false, months,
			"Start 100 100, In 30 130, Out -20 110, Half 110 110, More 5 115, End 115 115", "", "",
		},
		{
			[]string{"Half"},
			false, slices.Concat(months[:3], [][]any{row("Half", 112), row("More", 5)}),
			"Start 100 100, In 30 130, Out -20 110, Half 112 112, More 5 117", "doubtful panels[0].total, doubtful panels[0].total",
			"Half is 112; what comes before it adds up to 110.",
		},
		{nil, false, months[:4], "Start 100 100, In 30 130, Out -20 110, Half 110 220, Total 220 220", "doubtful panels[0].total", ""},
		{[]string{"Nothing", "Start"}, false, months[:2], "Start 100 100, In 30 130", "doubtful panels[0].total", ""},
	} {
		v := bridge(func(p *dashboard.Panel) { p.Total, p.NoTotal = tc.total, tc.none }, "sum", tc.rows...)
		p := open(v).Panel(0)
		if got := shown(p); got != tc.want {
			t.Errorf("total %q\ngot  %s\nwant %s", tc.total, got, tc.want)
		}
		if got := codes(v); got != tc.codes || strings.Join(p.Notes, " ") != tc.says {
			t.Errorf("total %q of %s: warnings %q, notes %q", tc.total, tc.want, got, p.Notes)
		}
	}
}

// TestWaterfallOpening: a first change that is named like an opening balance, and is the largest, is probably a total. The warning has the
// fragment that draws it as one, and that fragment causes no warning.
func TestWaterfallOpening(t *testing.T) {
	t.Parallel()
	rows := func(first string, n float64) [][]any { return [][]any{{first, n}, {"New", 30.}, {"Churn", -20.}} }
	for _, tc := range []struct {
		total []string
		none  bool
		rows  [][]any
		want  string // the list of the fragment; "" for no warning
	}{
		{[]string{"Closing"}, false, rows("Opening", 100), `["Opening","Closing"]`},
		{nil, false, rows("Anfangsbestand", 100), `["Anfangsbestand","Total"]`},
		{nil, true, rows("Solde d'ouverture", 100), `["Solde d'ouverture"]`},
		{nil, false, rows("期初余额", 100), `["期初余额","Total"]`},
		{nil, false, rows("Saldo inicial", 100), `["Saldo inicial","Total"]`},
		{[]string{"Opening", "Closing"}, false, rows("Opening", 100), ""},
		{nil, false, rows("Opening a shop", 20), ""}, // the others are larger
		{nil, false, rows("Start", -100), ""},
		{nil, false, rows("Restarts", 100), ""},
	} {
		v := bridge(func(p *dashboard.Panel) { p.Total, p.NoTotal = tc.total, tc.none }, "sum", tc.rows...)
		got := ""
		for _, w := range warnings(v) {
			got += w.Message
		}
		want := ""
		if tc.want != "" {
			want = `"` + tc.rows[0][0].(string) + `" is named like an opening balance, and is drawn as an increase; "total": ` + tc.want +
				` draws it as a total.`
		}
		if got != want {
			t.Errorf("%v of %q: %s, want %s", tc.rows[0], tc.total, got, want)
		}
		if want == "" {
			continue
		}
		var total []string
		if err := json.Unmarshal([]byte(tc.want), &total); err != nil {
			t.Fatal(err)
		}
		v = bridge(func(p *dashboard.Panel) { p.Total = total }, "sum", tc.rows...)
		if bars := open(v).Panel(0).Content.(*waterfallPanel).bars; !bars[0].total || bars[len(bars)-1].closing == tc.none || codes(v) != "" {
			t.Errorf("%q: warnings %q: %s", total, codes(v), shown(open(v).Panel(0)))
		}
	}
}

// TestWaterfallOfManyNames: of many names the largest changes are kept and the others are one bar, so that the total is correct; totals are
// kept, and between totals nothing is merged.
func TestWaterfallOfManyNames(t *testing.T) {
	t.Parallel()
	var rows [][]any
	sum := 0
	for i := range 30 {
		n := (i*7919)%61 - 30
		rows = append(rows, []any{string(rune('a'+i%26)) + string(rune('a'+i/26)), float64(n)})
		sum += n
	}
	largest := slices.Clone(rows)
	slices.SortStableFunc(largest, func(a, b []any) int { return int(math.Abs(b[1].(float64)) - math.Abs(a[1].(float64))) })
	total := func(n int) []any { return []any{"Sum", float64(n)} }
	for _, tc := range []struct {
		limit, bars, merged int
		rows                [][]any
		total               []string
		codes               string
		horizontal          bool
	}{
		{0, 14, 12, rows, nil, "merged panels[0].limit", false},
		{0, 14, 12, append(slices.Clone(rows), total(sum)), []string{"Sum"}, "merged panels[0].limit", false},
		{5, 7, 5, rows, nil, "", false},
		{20, 22, 20, rows, nil, "", true},
		{0, 14, 0, rows[:13], nil, "", false},
		{0, 17, 0, append(append(slices.Clone(rows[:14]), total(0)), rows[14]), []string{"Sum", "End"}, "doubtful panels[0].total", true},
	} {
		v := bridge(func(p *dashboard.Panel) { p.Limit, p.Total = tc.limit, tc.total }, "sum", tc.rows...)
		p := open(v).Panel(0)
		w := p.Content.(*waterfallPanel)
		if len(w.bars) != tc.bars || codes(v) != tc.codes || w.horizontal() != tc.horizontal {
			t.Errorf("limit %d: %d bars, horizontal %t, warnings %q: %s", tc.limit, len(w.bars), w.horizontal(), codes(v), shown(p))
		}
		if last := w.bars[len(w.bars)-1]; tc.limit+tc.merged > 0 && (last.value != float64(sum) || !last.total) {
			t.Errorf("limit %d: it ends with %+v, want %d", tc.limit, last, sum)
		}
		if tc.merged == 0 {
			continue
		}
		least := math.Abs(largest[tc.merged-1][1].(float64))
		for _, b := range w.bars {
			if !b.total && !b.cat.Other && math.Abs(b.value) < least {
				t.Errorf("limit %d: %s is drawn, and one of %v is not", tc.limit, b.name, least)
			}
		}
		if other := w.bars[len(w.bars)-2]; !other.cat.Other {
			t.Errorf("limit %d: %s stands before the total", tc.limit, other.name)
		}
	}
}

// TestWaterfallRefuses: rows of a measure without an agg add up here, unless they would be merged; ratios and averages never do.
func TestWaterfallRefuses(t *testing.T) {
	t.Parallel()
	for agg, want := range map[string][2]string{
		"none": {"", "A number here could be wrong"}, "sum": {}, "avg": {"A waterfall", "A waterfall"},
	} {
		for i, rows := range [][][]any{{{"a", 1.0}, {"b", 2.0}}, {{"a", 1.0}, {"a", 2.0}}} {
			p := open(bridge(nil, agg, rows...)).Panel(0)
			if !strings.HasPrefix(p.Problem, want[i]) || want[i] == "" && p.Problem != "" {
				t.Errorf("%s of %v: %q", agg, rows, p.Problem)
			}
		}
	}
}

// TestWaterfallOfTimes: times that are months are named as months, in their order, and too many times are rolled up with the same sum.
func TestWaterfallOfTimes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		n, step    int
		grain      string
		bars       int
		first      string
		codes, agg string
	}{
		{12, 31, "", 13, "Jan 1, 2025", "", "none"},
		{300, 1, "", 45, "Week of Dec 30, 2024", "rolled_up panels[0].grain", "none"},
		{300, 1, "month", 11, "Jan 2025", "", "sum"},
		{3000, 1, "day", 34, "Q1 2025", "rolled_up panels[0].grain", "sum"},
	} {
		var rows [][]any
		sum := 0.0
		for i := range tc.n {
			v := float64(i%13 - 5)
			rows = append(rows, []any{day("2025-01-01").AddDate(0, 0, i*tc.step), v})
			sum += v
		}
		v := tiny([]dashboard.Panel{{Type: dashboard.Waterfall, Label: "day", Value: "n", Grain: tc.grain}},
			[]string{"day date", "n number " + tc.agg}, rows...)
		p := open(v).Panel(0)
		w := p.Content.(*waterfallPanel)
		if len(w.bars) != tc.bars || w.bars[0].name != tc.first || w.bars[len(w.bars)-1].value != sum || codes(v) != tc.codes {
			t.Errorf("%+v: %d bars from %s to %v, want %v, warnings %q", tc, len(w.bars), w.bars[0].name, w.bars[len(w.bars)-1].value, sum, codes(v))
		}
	}
	monthly := tiny([]dashboard.Panel{{Type: dashboard.Waterfall, Label: "day", Value: "n"}}, []string{"day date", "n number sum"},
		[]any{day("2025-11-01"), 1.0}, []any{day("2025-12-01"), 2.0}, []any{day("2026-01-01"), nil}, []any{nil, 3.0})
	if got := shown(open(monthly).Panel(0)); got != "2025-11-01 1 1, 2025-12-01 2 3, 2026-01-01  3,  3 6, Total 6 6" {
		t.Error(got)
	}
}

// TestWaterfallColors: a rise is green if it is good, and red if it is bad.
func TestWaterfallColors(t *testing.T) {
	t.Parallel()
	for good, want := range map[string][2]string{"": {"blue", "orange"}, "up": {"green", "red"}, "down": {"red", "green"}} {
		v := bridge(nil, "sum", []any{"a", 2.0}, []any{"b", -1.0})
		v.Spec.Datasets[0].Columns[1].Good = good
		w := open(v).Panel(0).Content.(*waterfallPanel)
		if w.bars[0].color != namedColor(want[0]) || w.bars[1].color != namedColor(want[1]) || w.bars[2].color != canvas.OtherColor {
			t.Errorf("good %q: %v", good, w.bars)
		}
	}
}

// TestWaterfallCountsItsChanges: the sentence counts the changes that have a value, and not the places that a small plot shares with
// others.
func TestWaterfallCountsItsChanges(t *testing.T) {
	t.Parallel()
	v := tinySpec(t, `{"type": "waterfall", "label": "day", "value": "n", "facet": "part"}`,
		[]string{"day date", "part text", "n number sum"},
		[]any{day("2026-01-01"), "a", 3.0}, []any{day("2026-02-01"), "a", -1.0}, []any{day("2026-02-01"), "b", 5.0},
		[]any{day("2026-03-01"), "b", nil}, []any{day("2026-04-01"), "b", 1.0}, []any{day("2026-05-01"), "a", 0.0})
	got := summaries(v)[0].Text
	for _, want := range []string{"a: 3 changes add up to 2.", "b: 2 changes add up to 6."} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}

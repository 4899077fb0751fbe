package panel

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
)

// TestTicksHaveOneNotation: an axis has one number of decimals and one unit, and no gridline loses
// digits, also beyond 1e18.
func TestTicksHaveOneNotation(t *testing.T) {
	t.Parallel()
	f := format.Formatter{Locale: locale.For("en-US"), Currency: "USD"}
	p := &Panel{Rows: Rows{Settings: Settings{Env: &Env{Formatter: f}}}}
	for _, tc := range []struct {
		format string
		hi     float64
		step   float64
		want   string
	}{
		{"", 2000, 250, "0 250 500 750 1,000 1,250 1,500 1,750 2,000"},
		{"integer", 2000, 500, "0 500 1,000 1,500 2,000"},
		{"", 6000, 2000, "0 2K 4K 6K"},
		{"", 2, 0.5, "0.0 0.5 1.0 1.5 2.0"},
		{"", 2e6, 500_000, "0 0.5M 1.0M 1.5M 2.0M"},
		{"currency", 1e5, 25_000, "$0 $25K $50K $75K $100K"},
		{"currency2", 1, 0.5, "$0.00 $0.50 $1.00"},
		{"percent", 0.1, 0.025, "0.0% 2.5% 5.0% 7.5% 10.0%"},
		{"bytes", 2e9, 5e8, "0.0 GB 0.5 GB 1.0 GB 1.5 GB 2.0 GB"},
		{"", 2.5e19, 1.25e19, "0 1.25e+19 2.50e+19"},
		{"currency", 2.5e19, 1.25e19, "$0 $1.25e+19 $2.50e+19"},
		{"currency_compact", 4e18, 2e18, "$0 $2e+18 $4e+18"},
	} {
		got := strings.ReplaceAll(strings.Join(p.Env.tickTexts(chart.Scale{Hi: tc.hi, Step: tc.step}, tc.format), " "), format.NBSP, " ")
		if got != tc.want {
			t.Errorf("%q to %v by %v: %s, want %s", tc.format, tc.hi, tc.step, got, tc.want)
		}
	}
	for e := -6; e < 24; e++ {
		for _, k := range []float64{1, 1.7, 2.3, 3.1, 4.9, 6.6, 8.2} {
			for _, unit := range []string{"", "integer", "number", "currency", "percent", "bytes"} {
				s := chart.NewScale(0, k*math.Pow10(e), true, unitOf(unit))
				texts := p.Env.tickTexts(s, unit)
				if again := slices.Compact(slices.Clone(texts)); len(again) < len(texts) {
					t.Errorf("%s to %ge%d: %q", unit, k, e, texts)
				}
				decimals := map[int]bool{}
				for i, text := range texts {
					_, fraction, _ := strings.Cut(strings.TrimRight(text, " %KMBTGP"+format.NBSP), ".")
					if s.Ticks()[i] != 0 {
						fraction, _, _ = strings.Cut(fraction, "e")
						decimals[len(fraction)] = true
					}
				}
				if len(decimals) > 1 && e >= -3 {
					t.Errorf("%s to %ge%d: %q", unit, k, e, texts)
				}
			}
		}
	}
}

// TestShortFormsOfAColumnAreAlike: short forms below each other all have a decimal, or none of them has.
func TestShortFormsOfAColumnAreAlike(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{
		{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "name"}, {Column: "n"}, {Column: "m"}, {Column: "size"}}},
		{Type: dashboard.Bar, X: "name", Y: []string{"n"}, Horizontal: true},
	}, []string{"name text", "n integer sum compact", "m integer sum currency_compact", "size integer sum bytes"},
		[]any{"a", int64(5_100_000), int64(5000), int64(1_500_000)}, []any{"b", int64(6_000_000), int64(6000), int64(3_000_000)},
		[]any{"c", int64(20_100_000), int64(950), int64(512)})
	doc := string(render(t, v))
	for _, want := range []string{">6.0M<", ">20.1M<", ">$5K<", ">$950<", ">1.5\u00a0MB<", ">3.0\u00a0MB<", ">512\u00a0B<"} {
		if !strings.Contains(doc, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Contains(doc, ">6M<") {
		t.Error("6M stands among numbers with decimals")
	}
}

// TestLabelsDifferWhereValuesDo: shortened values at bars stay different.
func TestLabelsDifferWhereValuesDo(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 14 {
		rows = append(rows, []any{fmt.Sprintf("name %02d", i), int64(2610 + 7*i)})
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "name", Y: []string{"n"}}}, []string{"name text", "n integer sum"}, rows...)
	doc := string(render(t, v))
	if strings.Contains(doc, ">2.6K<") || strings.Contains(doc, ">2.7K<") {
		t.Error("different values have one label")
	}
	cells := tiny([]dashboard.Panel{{Type: dashboard.Heatmap, X: "name", Y: []string{"kind"}, Value: "n", Labels: new(true)}},
		[]string{"name text", "kind text", "n integer sum"},
		[]any{"a", "x", int64(2601)}, []any{"b", "x", int64(2612)}, []any{"a", "y", int64(2649)}, []any{"b", "y", int64(9000)})
	doc = string(render(t, cells))
	for _, want := range []string{">2,601</text>", ">2,612</text>", ">2,649</text>"} {
		if !strings.Contains(doc, want) {
			t.Errorf("no cell has the label %s", want)
		}
	}
	values := []chart.MarkValue{{Texts: [2]string{"2,610", "2.6K"}}, {Texts: [2]string{"2,617", "2.6K"}}}
	if chart.ToldApart(values); values[0].Texts[1] != "2,610" || values[1].Texts[1] != "2,617" {
		t.Errorf("the labels are %v", values)
	}
}

// TestNamesMakeNoRanges: of names in an order the largest are kept, and numbers, brackets and times are merged.
func TestNamesMakeNoRanges(t *testing.T) {
	t.Parallel()
	var named, numbered [][]any
	for i := range 70 {
		named = append(named, []any{fmt.Sprintf("%c%c name", 'A'+(i*7)%26, 'a'+i%26), "x", int64(i + 1)})
		numbered = append(numbered, []any{int64(i), "x", int64(i + 1)})
	}
	for _, kind := range []string{dashboard.Heatmap, dashboard.Bar, dashboard.Box, dashboard.Waterfall, dashboard.Pivot} {
		for column, rows := range map[string][][]any{"k text": named, "k integer": numbered} {
			panel := dashboard.Panel{Type: kind, X: "k", Y: []string{"n"}, Value: "n", Label: "k"}
			if kind == dashboard.Heatmap {
				panel.Y = []string{"o"}
			}
			if kind == dashboard.Pivot {
				panel = dashboard.Panel{Type: kind, Rows: []string{"o"}, Columns: []dashboard.TableColumn{{Column: "k"}}, Values: []string{"n"}}
			}
			v := tiny([]dashboard.Panel{panel}, []string{column, "o text", "n integer sum"}, rows...)
			if column == "k text" {
				v.Spec.Columns = []dashboard.Appearance{{Column: "k", Order: dashboard.Order{Rows: true}}}
			}
			doc := string(render(t, v))
			if column == "k text" && strings.Contains(doc, "name – ") {
				t.Errorf("%s: names make ranges", kind)
			}
		}
	}
}

// TestEmptyBinsStayOnTheAxis: steps between numbers without rows are drawn, whether the query or the page made the bins.
func TestEmptyBinsStayOnTheAxis(t *testing.T) {
	t.Parallel()
	axis := func(values ...any) []string {
		var rows [][]any
		for _, x := range values {
			rows = append(rows, []any{x, int64(1), int64(2)})
		}
		v := tiny([]dashboard.Panel{{Type: dashboard.Heatmap, X: "x", Y: []string{"y"}, Value: "n"}},
			[]string{"x number", "y integer", "n integer sum"}, rows...)
		v.Spec.Datasets[0].Columns[0].Role, v.Spec.Datasets[0].Columns[1].Role = dashboard.Dimension, dashboard.Dimension
		return open(v).Panel(0).Content.(*heatmapPanel).axes[0]
	}
	if got := strings.Join(axis(2.4, 2.5, 2.7, 3.0), " "); got != "2.4 2.5 2.6 2.7 2.8 2.9 3.0" {
		t.Errorf("the axis is %s", got)
	}
	if got := axis(1.0, 1.5, 400.0); len(got) != 3 {
		t.Errorf("numbers far apart are %q", got)
	}
	var many []any
	for i := range 60 {
		many = append(many, float64(i)/10, float64(i+200)/10)
	}
	got := axis(many...)
	for i := 1; i < len(got); i++ {
		_, before, _ := strings.Cut(got[i-1], "<")
		from, _, _ := strings.Cut(got[i], "–")
		if before != from {
			t.Errorf("%q is followed by %q", got[i-1], got[i])
		}
	}
}

// TestWeightIsWhatAHistogramCounts: the sentence has the same unit as the bars.
func TestWeightIsWhatAHistogramCounts(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Histogram, Value: "age", Weight: "people", Bins: 5}},
		[]string{"age integer max", "people integer sum"},
		[]any{int64(10), int64(300)}, []any{int64(20), int64(500)}, []any{int64(30), int64(200)})
	got := open(v).Panel(0).Summary
	if !strings.HasPrefix(got, "People from 10 to 30: 1,000 in all, most in 20") || !strings.Contains(got, "(500)") {
		t.Errorf("the sentence is %q", got)
	}
}

// TestSmallSeriesLieOnTop: independent of the order of the legend and the colors.
func TestSmallSeriesLieOnTop(t *testing.T) {
	t.Parallel()
	for _, small := range []string{"a", "m", "z"} {
		var rows [][]any
		for i := range 200 {
			rows = append(rows, []any{[]string{"b", "n"}[i%2], float64(i), float64(i % 17)})
		}
		for i := range 5 {
			rows = append(rows, []any{small, float64(i * 30), float64(i)})
		}
		v := tiny([]dashboard.Panel{{Type: dashboard.Scatter, X: "x", Y: []string{"y"}, Series: "s"}},
			[]string{"s text", "x number max", "y number max"}, rows...)
		p := open(v).Panel(0).Content.(*scatterPanel)
		for _, s := range p.spots[len(p.spots)-5:] {
			if p.legend[s.series].name != small {
				t.Errorf("on top is %s, not %s", p.legend[s.series].name, small)
			}
		}
	}
}

// TestOneEntryIsCalledOther: if a value is called Other, the merged values have another name; the total of a stack includes all series; and
// a limit above the number of colors is reported.
func TestOneEntryIsCalledOther(t *testing.T) {
	t.Parallel()
	for _, agg := range []string{"sum", "none"} {
		for _, name := range []string{"Other", "other ", "Mining"} {
			var rows [][]any
			total := map[int]float64{}
			for d := range 4 {
				for i := range 14 {
					industry := fmt.Sprintf("Industry %02d", i)
					if i == 13 {
						industry = name
					}
					rows = append(rows, []any{day("2026-03-01").AddDate(0, 0, d), industry, float64(10 + i)})
					total[d] += float64(10 + i)
				}
			}
			v := tiny([]dashboard.Panel{{Type: dashboard.Area, X: "day", Y: []string{"n"}, Series: "industry", Stack: true, Limit: 14}},
				[]string{"day date", "industry text", "n number " + agg}, rows...)
			p := open(v).Panel(0)
			s := p.Content.(*linePanel).split
			var names []string
			sum := 0.0
			for i, se := range s.series {
				names = append(names, strings.ToLower(strings.TrimSpace(se.name)))
				sum += s.value[i][0]
			}
			if slices.Sort(names); len(slices.Compact(slices.Clone(names))) != len(names) || len(names) != canvas.MaxSeries+1 {
				t.Errorf("%s, %s: the series are %q", agg, name, names)
			}
			if sum != total[0] {
				t.Errorf("%s, %s: a stack of %v, want %v", agg, name, sum, total[0])
			}
			if !slices.ContainsFunc(p.Warnings, func(w dashboard.Warning) bool { return strings.HasSuffix(w.Path, ".limit") }) {
				t.Errorf("no warning says what became of limit: %v", p.Warnings)
			}
			if merged := slices.IndexFunc(p.Warnings, func(w dashboard.Warning) bool { return w.Code == dashboard.WarnMerged }); merged >= 0 &&
				!strings.Contains(p.Warnings[merged].Message, `the rest as "`+s.series[len(s.series)-1].name+`"`) {
				t.Errorf("%s, %s: the warning names another entry than the legend: %s", agg, name, p.Warnings[merged].Message)
			}
		}
	}
}

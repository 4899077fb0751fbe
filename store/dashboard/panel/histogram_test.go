package panel

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// histogramOf is a panel of numbers in a column "n" of a type, which change completes.
func histogramOf(kind string, change func(*dashboard.Panel), values ...any) Input {
	panel := dashboard.Panel{Type: dashboard.Histogram, Value: "n"}
	if change != nil {
		change(&panel)
	}
	var rows [][]any
	for i, v := range values {
		rows = append(rows, []any{v, int64(i%3 + 1), string(rune('a' + i%2))})
	}
	typ, role, _ := strings.Cut(kind, " dimension")
	v := tiny([]dashboard.Panel{panel}, []string{"n " + typ, "w integer sum", "k text"}, rows...)
	if role == "" && typ != kind {
		v.Spec.Datasets[0].Columns[0].Role = dashboard.Dimension
	}
	return v
}

// decimals reads a number of the test exactly as it is written.
func decimals(t *testing.T, v any) *big.Rat {
	t.Helper()
	text := fmt.Sprint(v)
	switch v := v.(type) {
	case float64:
		text = strconv.FormatFloat(v, 'g', -1, 64)
	case cube.Decimal:
		text = string(v)
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%v is no number", v)
	}
	return r
}

// counted returns the amounts of a histogram's bins, counted row by row, in exact fractions.
func counted(t *testing.T, edges []any, closed bool, values []any, weight func(i int) float64) []float64 {
	t.Helper()
	out := make([]float64, len(edges)-1)
	for i, v := range values {
		if v == nil {
			continue
		}
		n := decimals(t, v)
		for bin := range out {
			above := n.Cmp(decimals(t, edges[bin+1]))
			if n.Cmp(decimals(t, edges[bin])) >= 0 && (above < 0 || above == 0 && closed && bin == len(out)-1) {
				out[bin] += weight(i)
			}
		}
	}
	return out
}

// TestHistogramCounts: bars have the counts that the test computes, for values on edges, negative, missing, all equal, very large, very
// small, and beyond 64 bits.
func TestHistogramCounts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 2))
	random := func(n int, draw func() any) []any {
		out := make([]any, n)
		for i := range out {
			if out[i] = draw(); r.IntN(20) == 0 {
				out[i] = nil
			}
		}
		return out
	}
	cases := map[string]struct {
		kind   string
		values []any
	}{
		"on edges":  {"number none", []any{0.1, 0.2, 0.3, 0.30000000000000004, 0.6, 0.7, 0.1 + 0.2, 0.8, 0.9, 1.0, 1.1, 0.0}},
		"negative":  {"number none", []any{-5.0, -4.5, -0.5, 0.0, 0.5, 4.5, 5.0, nil}},
		"one value": {"number none", []any{3.7, 3.7, nil, 3.7}},
		"one zero":  {"number none", []any{0.0}},
		"one whole": {"integer none", []any{int64(7), int64(7)}},
		"tenths":    {"number none", random(400, func() any { return float64(r.IntN(101)-50) / 10 })},
		"hundredth": {"number none", random(400, func() any { return float64(r.IntN(2001)) / 100 })},
		"whole":     {"integer none", random(300, func() any { return int64(r.IntN(101)) })},
		"few whole": {"integer dimension", random(300, func() any { return int64(r.IntN(6) - 2) })},
		"large":     {"number none", random(100, func() any { return r.NormFloat64() * 1e300 })},
		"largest":   {"number none", []any{-math.MaxFloat64, math.MaxFloat64, 0.0, 1.0, -math.MaxFloat64 / 2}},
		"smallest":  {"number none", []any{5e-324, 1e-323, 1.5e-323, 2e-323, 1e-322}},
		"tiny":      {"number none", []any{5e-300, 1e-299, 1.5e-299, 2e-299, 1e-298}},
		"far apart": {"number none", []any{1e-300, 1e300, 1.0}},
		"close":     {"number none", []any{1e15, 1e15 + 0.125, 1e15 + 0.25, 1e15 + 0.375, 1e15 + 0.5, 1e15 + 1}},
		"64 bits":   {"integer none", []any{int64(math.MinInt64), int64(-1), int64(0), int64(math.MaxInt64), int64(math.MaxInt64 - 1)}},
		"long": {"integer none", random(60, func() any {
			return cube.Decimal("123456789012345678901234567" + fmt.Sprintf("%03d", r.IntN(1000)))
		})},
		"exact": {"number none", []any{
			cube.Decimal("0.1000000000000000000001"), cube.Decimal("0.0999999999999999999999"), 0.1, 0.2, 0.3,
			cube.Decimal("0.2000000000000000000001"), 1.0,
		}},
	}
	for name, tc := range cases {
		for _, bins := range []int{0, 1, 2, 7, 20, 100} {
			for _, weighted := range []bool{false, true} {
				v := histogramOf(tc.kind, func(p *dashboard.Panel) {
					if p.Bins = bins; weighted {
						p.Weight = "w"
					}
				}, tc.values...)
				p := open(v).Panel(0)
				h, ok := p.Content.(*histogramPanel)
				if !ok {
					t.Fatalf("%s: %s%s", name, p.Problem, p.Empty)
				}
				weight := func(i int) float64 {
					if weighted {
						return float64(i%3 + 1)
					}
					return 1
				}
				want := counted(t, h.bins.edges, h.bins.closed, tc.values, weight)
				sum, all := 0.0, 0.0
				for i, v := range tc.values {
					if v != nil {
						all += weight(i)
					}
				}
				for i := range want {
					exact, _ := cube.Float(p.Grid.Rows[i][1])
					if h.amount[i] != want[i] || exact != want[i] {
						t.Errorf("%s in %d: %s has %v, in the table %v, want %v", name, bins, h.names[i], h.amount[i], exact, want[i])
					}
					sum += h.amount[i]
				}
				if sum != all {
					t.Errorf("%s in %d: %v of %v are in bins", name, bins, sum, all)
				}
				if name != "largest" && name != "smallest" { // there are too few numbers for edges
					checkBins(t, name, h, bins)
				}
			}
		}
	}
}

// checkBins checks that bins are round, of equal width, and about as many as wished.
func checkBins(t *testing.T, name string, h *histogramPanel, wished int) {
	t.Helper()
	width := new(big.Rat).Sub(decimals(t, h.bins.edges[1]), decimals(t, h.bins.edges[0]))
	digits := strings.Trim(strings.Replace(width.FloatString(400), ".", "", 1), "0")
	if !slices.Contains([]string{"1", "2", "25", "5"}, digits) {
		t.Errorf("%s: bins are %s wide", name, digits)
	}
	for i, e := range h.bins.edges {
		at := decimals(t, e)
		if !new(big.Rat).Quo(at, width).IsInt() {
			t.Errorf("%s: an edge at %v is no multiple of %v", name, e, width)
		}
		if i > 0 && new(big.Rat).Sub(at, decimals(t, h.bins.edges[i-1])).Cmp(width) != 0 {
			t.Errorf("%s: the bin before %v is not as wide as others", name, e)
		}
	}
	if n := h.bins.len(); wished > 0 && (n > 2*wished+1 || n > 150) {
		t.Errorf("%s: %d bins, %d wished", name, n, wished)
	}
	if h.amount[0] == 0 && h.Spec.Weight == "" || h.amount[len(h.amount)-1] == 0 && h.Spec.Weight == "" {
		t.Errorf("%s: an empty bin at an end: %v", name, h.amount)
	}
	seen := map[string]bool{}
	for _, n := range h.names {
		if seen[n] {
			t.Errorf("%s: two bins are %s", name, n)
		}
		seen[n] = true
	}
}

// TestHistogramNames: an edge is written with all its digits, even if its format rounds.
func TestHistogramNames(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		kind   string
		bins   int
		values []any
		names  string
	}{
		{"integer none", 2, []any{int64(3), int64(7), int64(18)}, "0–9 10–19"},
		{"integer none", 5, []any{int64(1), int64(2), int64(5)}, "1 2 3 4 5"},
		{"integer none", 2, []any{int64(20), int64(35), int64(40)}, "20–29 30–39 40–49"},
		{"number none", 2, []any{0.0, 1.0, 2.0}, "0–<1 1–2"},
		{"number none currency", 4, []any{0.0, 2.0}, "$0.0–<$0.5 $0.5–<$1.0 $1.0–<$1.5 $1.5–$2.0"},
		{"number none percent", 4, []any{0.01, 0.1}, "0.0%–<2.5% 2.5%–<5.0% 5.0%–<7.5% 7.5%–10.0%"},
		{"number none currency_compact", 2, []any{0.0, 50_000.0, 99_000.0}, "$0–<$50K $50K–<$100K"},
		{"number none currency_compact", 4, []any{0.0, 4000.0, 9_900.0}, "$0–<$2.5K $2.5K–<$5K $5K–<$7.5K $7.5K–<$10K"},
		{"number none currency_compact", 4, []any{0.0, 400.0, 4_900_000.0, 5_000_000.0}, "$0–<$1M $1M–<$2M $2M–<$3M $3M–<$4M $4M–$5M"},
		{"number none compact", 4, []any{12_500.0, 12_900.0, 13_500.0}, "12,500–<12,750 12,750–<13,000 13,000–<13,250 13,250–13,500"},
		{"number none duration", 3, []any{0.0, 400.0, 800.0}, "0 s–<5 m 5 m–<10 m 10 m–<15 m"},
		{"integer dimension", 3, []any{int64(1990), int64(2010), int64(2015)}, "1990–1999 2000–2009 2010–2019"},
		{"number none", 3, []any{-30.0, -10.0, 25.0}, "−40–<−20 −20–<0 0–<20 20–<40"},
	} {
		v := histogramOf(tc.kind, func(p *dashboard.Panel) { p.Bins = tc.bins }, tc.values...)
		h := open(v).Panel(0).Content.(*histogramPanel)
		if got := strings.ReplaceAll(strings.Join(h.names, " "), format.NBSP, " "); got != tc.names {
			t.Errorf("%s of %v in %d:\n%s, want\n%s", tc.kind, tc.values, tc.bins, got, tc.names)
		}
	}
}

// TestHistogramOfEdges: the edges of the spec are kept; the area of a bar represents its count if bins differ in width, and values outside
// are reported.
func TestHistogramOfEdges(t *testing.T) {
	t.Parallel()
	v := histogramOf("number none", func(p *dashboard.Panel) { p.Edges = []float64{0, 10, 20, 60, 100} },
		-1.0, 0.0, 5.0, 10.0, 19.5, 20.0, 21.0, 30.0, 59.0, 60.0, 100.0, 100.5, nil)
	p, c := recorded(t, v, 0)
	h := p.Content.(*histogramPanel)
	if want := []float64{2, 2, 4, 2}; !slices.Equal(h.amount, want) {
		t.Errorf("counts %v, want %v", h.amount, want)
	}
	scale := c.Rects[0].Height.V * c.Rects[0].Width.V / 2 // of one row
	for i, r := range c.Rects {
		if area := r.Height.V * r.Width.V; math.Abs(area-scale*h.amount[i]) > 1e-9 {
			t.Errorf("bar %d has the area %v, want %v", i, area, scale*h.amount[i])
		}
		if i > 0 && math.Abs(c.Rects[i-1].X.V+c.Rects[i-1].Width.V-r.X.V) > 1e-9 || !r.Touching {
			t.Errorf("bar %d does not touch the one before", i)
		}
	}
	if x := c.Rects[2].X.V; math.Abs(x-0.2) > 1e-9 {
		t.Errorf("the edge at 20 of 100 lies at %v", x)
	}
	const notes = "1 row without a value is left out. 2 rows outside the bins are left out. " +
		"Bins differ in width: the area of a bar is what it counts."
	if got := strings.Join(p.Notes, " "); got != notes || codes(v) != "left_out panels[0].value, left_out panels[0].bins" {
		t.Errorf("notes %q, warnings %s", got, codes(v))
	}
	if c.Names[0] != "Count per 10" || c.Names[1] != "N" || fmt.Sprintf("%.2f", c.Plots[0].Places.At) != "[0.05 0.15 0.40 0.80]" {
		t.Errorf("axes %q, places %v", c.Names, c.Plots[0].Places)
	}
	v = histogramOf("number none", func(p *dashboard.Panel) { p.Edges = []float64{50, 60} }, 1.0, 2.0)
	if p := open(v).Panel(0); p.Empty != "Every value is outside the bins." {
		t.Errorf("nothing inside: %q", p.Empty)
	}
}

// TestHistogramFollowsFilters: only rows that pass the filters are counted.
func TestHistogramFollowsFilters(t *testing.T) {
	t.Parallel()
	v := histogramOf("number none", func(p *dashboard.Panel) { p.Weight = "w" }, 1.0, 2.0, 3.0, 1.5, 2.5, nil)
	v.Spec.Filters = []dashboard.Filter{{Column: "k", Default: []string{"a"}}}
	p := open(v).Panel(0)
	h := p.Content.(*histogramPanel)
	sum := 0.0
	for _, n := range h.amount {
		sum += n
	}
	if sum != 1+3+2 || h.by.Label != "W" { // rows 0, 2 and 4
		t.Errorf("%v: %v, counted by %s", h.names, h.amount, h.by.Label)
	}
	if want := "W from 1 to 3: 6 in all, most in"; !strings.HasPrefix(p.Summary, want) {
		t.Errorf("%s, want %s", p.Summary, want)
	}
	v.Query = map[string][]string{"f.k": {"b"}}
	if s := summaries(v)[0]; !strings.HasPrefix(s.Text, "W from 1.5 to 2: 3 in all") || s.Rows != 3 {
		t.Errorf("%+v", s)
	}
}

// TestBinsOfSecondsAreApart: bins of less than a second in the format minutes_seconds have different names.
func TestBinsOfSecondsAreApart(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 60 {
		rows = append(rows, []any{58.1 + float64(i)/20})
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Histogram, Value: "lap"}}, []string{"lap number none minutes_seconds"}, rows...)
	p := open(v).Panel(0)
	h := p.Content.(*histogramPanel)
	seen := map[string]bool{}
	for _, name := range append(h.names, h.tickNames()...) {
		seen[name] = true
	}
	if want := 2*h.bins.len() + 1; len(seen) != want || h.names[0] != "0:58.0–<0:58.5" {
		t.Errorf("bins %q, ticks %q", h.names, h.tickNames())
	}
}

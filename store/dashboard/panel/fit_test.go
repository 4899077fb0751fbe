package panel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// exactFit returns the slope and R² of points, computed in fractions from the sums of the textbook.
func exactFit(xs, ys []float64) (slope, r2 float64) {
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	n := rat(float64(len(xs)))
	var sx, sy, sxx, sxy, syy big.Rat
	for i := range xs {
		x, y := rat(xs[i]), rat(ys[i])
		sx.Add(&sx, x)
		sy.Add(&sy, y)
		sxx.Add(&sxx, new(big.Rat).Mul(x, x))
		sxy.Add(&sxy, new(big.Rat).Mul(x, y))
		syy.Add(&syy, new(big.Rat).Mul(y, y))
	}
	minus := func(a *big.Rat, b, c *big.Rat) *big.Rat { // n·a − b·c
		return new(big.Rat).Sub(new(big.Rat).Mul(n, a), new(big.Rat).Mul(b, c))
	}
	xx, xy, yy := minus(&sxx, &sx, &sx), minus(&sxy, &sx, &sy), minus(&syy, &sy, &sy)
	slope, _ = new(big.Rat).Quo(xy, xx).Float64()
	r2, _ = new(big.Rat).Quo(new(big.Rat).Mul(xy, xy), new(big.Rat).Mul(xx, yy)).Float64()
	return slope, r2
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// TestTrendIsLeastSquares: the trend of each line is that of its points, true to time, without missing values and incomplete periods, and
// it is drawn at its values.
func TestTrendIsLeastSquares(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 2))
	first := day("2026-10-25")
	var rows [][]any
	xs, ys := map[string][]float64{}, map[string][]float64{}
	for d := range 27 { // the last is the day of the data, which is not over
		for _, name := range []string{"a", "b"} {
			if r.IntN(5) == 0 && d < 26 {
				continue
			}
			v := math.Round(r.NormFloat64()*800)/8 + float64(d)*3
			rows = append(rows, []any{first.AddDate(0, 0, d), name, v})
			if d < 26 {
				xs[name], ys[name] = append(xs[name], float64(d)), append(ys[name], v)
			}
		}
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "day", Y: []string{"n"}, Series: "name", Trend: "linear"}},
		[]string{"day date", "name text", "n number sum"}, rows...)
	p, c := recorded(t, v, 0)
	l := p.Content.(*linePanel)
	if len(l.over.trends) != 2 || len(c.Items) != 4 {
		t.Fatalf("%d trends, %d items", len(l.over.trends), len(c.Items))
	}
	axis := leftAxis(t, c.Labels, false)
	drawnTrends := slices.DeleteFunc(slices.Clone(c.Curves), func(c canvas.Curve) bool { return !c.Trend })
	slices.Reverse(drawnTrends) // the first is on top
	for i, name := range []string{"a", "b"} {
		slope, r2 := exactFit(xs[name], ys[name])
		got := l.over.trends[i]
		if !near(got.Slope/26, slope) || !near(got.R2, r2) {
			t.Errorf("%s: %v a day, R² %v; want %v, %v", name, got.Slope/26, got.R2, slope, r2)
		}
		text := name + " · Trend " + format.Signed(p.Env.UpTo(slope, digitsAfter(slope)), slope) + " per day, R² " + p.Env.Number(r2, 2)
		if got.text != text || c.Items[2+i].Name != text || !strings.Contains(p.Summary, text) || !strings.Contains(p.sketchText(), text) {
			t.Errorf("said as %q, in %q and %q; want %q", got.text, p.Summary, p.sketchText(), text)
		}
		drawn := drawnTrends[i].Points
		for k, x := range []float64{slices.Min(xs[name]), slices.Max(xs[name])} {
			meanX, meanY := stat.Mean(xs[name]), stat.Mean(ys[name])
			y := axis(meanY+slope*(x-meanX)) * 1000
			if math.Abs(float64(drawn[k].X)-x/26*1000) > 1 || math.Abs(float64(drawn[k].Y)-y) > 1 {
				t.Errorf("%s: drawn to %+v, want %v, %v", name, drawn[k], x/26*1000, y)
			}
		}
	}
}

// TestTrendsInWords: the words of a trend are correct on any axis: its amount or its factor, and its period.
func TestTrendsInWords(t *testing.T) {
	t.Parallel()
	line := func(change func(*dashboard.Panel)) dashboard.Panel {
		p := dashboard.Panel{Type: dashboard.Line, X: "x", Y: []string{"y"}, Trend: "linear"}
		change(&p)
		return p
	}
	spots := func(scale string) dashboard.Panel {
		return dashboard.Panel{Type: dashboard.Scatter, X: "a", Y: []string{"y"}, Trend: "linear", Scale: scale}
	}
	for _, tc := range []struct {
		name    string
		panel   dashboard.Panel
		columns []string
		row     func(i int) []any
		want    string
		notes   string
		codes   string
	}{
		{
			"months", line(func(*dashboard.Panel) {}),
			[]string{"x date", "y number sum currency"},
			func(i int) []any {
				return []any{day("2025-01-01").AddDate(0, i, 0), 100.0 + 1000*day("2025-01-01").AddDate(0, i, 0).Sub(day("2025-01-01")).Hours()/24}
			},
			"Trend +$30,437 per month, R² 1", "", "",
		},
		{
			"growth", line(func(p *dashboard.Panel) { p.Scale = "log" }),
			[]string{"x date", "y number sum"},
			func(i int) []any { return []any{day("2025-01-01").AddDate(0, 0, i), math.Pow(1.25, float64(i))} },
			"Trend +25% per day, R² 1", "The axis is logarithmic.", "",
		},
		{
			"years", line(func(*dashboard.Panel) {}),
			[]string{"x integer", "y number sum percent"},
			func(i int) []any { return []any{int64(2000 + i*i), 0.5 - 0.01*float64(i*i)} },
			"Trend " + format.Minus + "1 pp per year, R² 1", "The lines go on over 6 gaps without values, of which the longest is 2037 – 2048.", "",
		},
		{
			"equal", line(func(*dashboard.Panel) {}),
			[]string{"x date", "y number sum"},
			func(i int) []any { return []any{day("2025-01-01").AddDate(0, 0, 7*i), 0.1} },
			"Trend 0 per week.", "", "",
		},
		{
			"names", line(func(*dashboard.Panel) {}),
			[]string{"x text", "y number sum"},
			func(i int) []any { return []any{string(rune('a'+i)) + "x", float64(i)} },
			"", "No trend: values of X have no order of their own.", "key_ignored panels[0].trend",
		},
		{
			"two", line(func(*dashboard.Panel) {}),
			[]string{"x date", "y number sum"},
			func(i int) []any { return []any{day("2025-01-01").AddDate(0, 0, i%2), float64(i)} },
			"", "No trend through fewer than 3 points that differ in X: Y.", "left_out panels[0].trend",
		},
		{
			"spots", spots(""),
			[]string{"a number none", "y number none"},
			func(i int) []any { return []any{float64(i * 30), 7 - float64(i)/2} },
			"Trend " + format.Minus + "1.67 per 100 of A, R² 1", "", "",
		},
		{
			"powers", spots("log"),
			[]string{"a number none", "y number none"},
			func(i int) []any { return []any{math.Pow(3, float64(i)), 5 * math.Pow(3, 2*float64(i))} },
			"Trend × 100 for ten times the A, R² 1", "Both axes are logarithmic.", "",
		},
		{
			"upright", spots(""),
			[]string{"a number none", "y number none"},
			func(i int) []any { return []any{4.0, float64(i)} },
			"", "No trend through fewer than 3 points that differ in A: Y.", "left_out panels[0].trend",
		},
	} {
		var rows [][]any
		for i := range 8 {
			rows = append(rows, tc.row(i))
		}
		v := tiny([]dashboard.Panel{tc.panel}, tc.columns, rows...)
		p := open(v).Panel(0)
		said := strings.ReplaceAll(p.Summary, format.NBSP, " ")
		if !strings.Contains(said, tc.want) || tc.want == "" && strings.Contains(said, "Trend") {
			t.Errorf("%s: %q, want %q", tc.name, said, tc.want)
		}
		if notes := strings.Join(p.Notes, " "); notes != tc.notes {
			t.Errorf("%s: notes %q", tc.name, notes)
		}
		if got := codes(v); got != tc.codes {
			t.Errorf("%s: warnings %q", tc.name, got)
		}
		if doc := string(render(t, v)); strings.Contains(doc, " tr\"") != (tc.want != "") {
			t.Errorf("%s: the page has no line of it, or one too many", tc.name)
		}
	}
}

// TestTrendsOfScatters: a scatter has a trend for each series, over all points, including those that are not drawn.
func TestTrendsOfScatters(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 1))
	var rows [][]any
	xs, ys := map[string][]float64{}, map[string][]float64{}
	for i := range 900 {
		name, x := string(rune('a'+i%2)), r.NormFloat64()*20
		y := x*float64(i%2) + r.NormFloat64()*10
		xs[name], ys[name] = append(xs[name], x), append(ys[name], y)
		rows = append(rows, []any{name, x, y})
	}
	most := 15.0
	panel := dashboard.Panel{Type: dashboard.Scatter, X: "x", Y: []string{"y"}, Series: "name", Trend: "linear"}
	panel.Range[dashboard.AxisX].Max = &most
	p, c := recorded(t, tiny([]dashboard.Panel{panel}, []string{"name text", "x number none", "y number none"}, rows...), 0)
	s := p.Content.(*scatterPanel)
	for i, name := range []string{"a", "b"} {
		slope, r2 := exactFit(xs[name], ys[name])
		if got := s.trends[i]; !near(got.Slope, slope) || !near(got.R2, r2) {
			t.Errorf("%s: %v, R² %v; want %v, %v", name, got.Slope, got.R2, slope, r2)
		}
		if end := c.Curves[i].Points; end[len(end)-1].X != 1000 {
			t.Errorf("%s: ends at %v of an axis that it leaves", name, end)
		}
	}
}

// TestTrendsOfExtremes: sums of squares of the largest numbers do not overflow, and those of tiny ones do not vanish.
func TestTrendsOfExtremes(t *testing.T) {
	t.Parallel()
	for _, size := range []float64{1e300, 1, 1e-280} {
		f, ok := stat.LeastSquares([]float64{0, size, 2 * size}, []float64{size, 3 * size, 5 * size})
		if !ok || !near(f.Slope, 2) || !near(f.R2, 1) || !near(f.At(size), 3*size) {
			t.Errorf("%v: %+v", size, f)
		}
	}
	if f, ok := stat.LeastSquares([]float64{1e9, 1e9 + 1, 1e9 + 2}, []float64{1e6, 1e6 + 2, 1e6 + 4}); !ok || math.Abs(f.Slope-2) > 1e-6 {
		t.Errorf("far from zero: %+v, %v", f, ok)
	}
}

// TestMovingAverages: each is the mean of its point and those before it, compared with fractions. If one of them is missing, there is no
// average, provided that there are days like it.
func TestMovingAverages(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	first := day("2026-09-07") // a Monday
	var rows [][]any
	values := map[int]float64{}
	for d := range 75 { // until the day of the data, which is not over
		if wd := d % 7; wd == 5 || wd == 6 || d == 30 { // a Wednesday is missing
			continue
		}
		values[d] = math.Round(r.Float64()*1e6) / 100
		rows = append(rows, []any{first.AddDate(0, 0, d), values[d]})
	}
	const of = 4
	panel := dashboard.Panel{Type: dashboard.Line, X: "day", Y: []string{"n"}, Average: of}
	v := tiny([]dashboard.Panel{panel}, []string{"day date", "n number sum"}, rows...)
	p, c := recorded(t, v, 0)
	if p.Grid.Columns[2].Label != "N, 4-day average" {
		t.Errorf("called %q", p.Grid.Columns[2].Label)
	}
	var run []float64 // the points in a row
	none := 0
	for _, row := range p.Grid.Rows {
		d := int(cube.DayOf(row[0].(cube.Category).Value.(time.Time)) - cube.DayOf(first))
		if run = append(run, values[d]); d == 31 {
			run = run[len(run)-1:]
		}
		var want any
		if len(run) >= of && d < 74 {
			total := new(big.Rat)
			for _, v := range run[len(run)-of:] {
				total.Add(total, encode.Rational(v))
			}
			want, _ = total.Quo(total, big.NewRat(of, 1)).Float64()
		} else if d > 3 && d < 74 {
			none++
		}
		switch got, ok := row[2].(float64); {
		case want == nil && row[2] != nil, want != nil && (!ok || !near(got, want.(float64))):
			t.Errorf("day %d: %v, want %v", d, row[2], want)
		}
	}
	if want := "No moving average at 3 points, because not all of the 4 up to each are there."; none != 3 || !slices.Contains(p.Notes, want) {
		t.Errorf("%d without; notes %q", none, p.Notes)
	}
	if got := codes(v); got != "left_out panels[0].average" {
		t.Errorf("warnings %q", got)
	}
	if !strings.Contains(p.Summary, "N, 4-day average: ") || len(c.Items) != 2 || c.Items[1].Name != "N, 4-day average" || !c.Items[1].Line {
		t.Errorf("said as %q, items %v", p.Summary, c.Items)
	}
	bold := c.Curves[slices.IndexFunc(c.Curves, func(c canvas.Curve) bool { return c.Bold })]
	if n := slices.IndexFunc(bold.Points[1:], func(p canvas.Point) bool { return p.Broken }); n < 0 || !c.Curves[0].Thin {
		t.Errorf("the average leads over the gap, or its line is not thin: %v", bold.Points)
	}
	if csv, err := csvOfPanel(v, 0); err != nil || !strings.HasPrefix(string(csv), "Day,N,\"N, 4-day average\"\n") {
		t.Errorf("%v: %.60s", err, csv)
	}
}

// TestNamesOfAverages: moving averages are named by the periods of their axis, in the words of the page's language.
func TestNamesOfAverages(t *testing.T) {
	t.Parallel()
	var days, steps [][]any
	for d := range 3000 {
		days = append(days, []any{day("2019-01-01").AddDate(0, 0, d), float64(d % 17)})
	}
	for i := range 9 {
		steps = append(steps, []any{int64(i), float64(i * i)})
	}
	for grain, want := range map[string][2]string{
		"hour": {"N, 5-hour average", "N, 5-Stunden-Durchschnitt"}, "day": {"N, 5-day average", "N, 5-Tage-Durchschnitt"},
		"week": {"N, 5-week average", "N, 5-Wochen-Durchschnitt"}, "month": {"N, 5-month average", "N, 5-Monats-Durchschnitt"},
		"quarter": {"N, 5-quarter average", "N, 5-Quartals-Durchschnitt"}, "year": {"N, 5-year average", "N, 5-Jahres-Durchschnitt"},
		"": {"N, average of 5", "N, Durchschnitt über 5"}, // of a scale that has no periods
	} {
		column, rows := "x date", days
		if grain == "" {
			column, rows = "x integer", steps
		}
		for i, tag := range []string{"en-US", "de"} {
			panel := dashboard.Panel{Type: dashboard.Line, X: "x", Y: []string{"n"}, Average: 5, Grain: grain}
			v := tiny([]dashboard.Panel{panel}, []string{column, "n number sum"}, rows...)
			if v.Spec.Locale = tag; grain == "" {
				v.Spec.Datasets[0].Columns[0].Role = dashboard.Dimension
			}
			p, c := recorded(t, v, 0)
			if len(c.Items) != 2 || c.Items[1].Name != want[i] || !strings.Contains(p.Summary, want[i]) {
				t.Errorf("by %s in %s: items %v, said as %q", grain, tag, c.Items, p.Summary)
			}
		}
	}
}

// TestNoMovingAverage: if there is no moving average, the panel and its author get the reason.
func TestNoMovingAverage(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		columns []string
		row     func(i int) []any
		note    string
		codes   string
	}{
		{
			[]string{"x date", "y number sum"},
			func(i int) []any { return []any{day("2025-01-01").AddDate(0, 0, 30*i), 1.0} },
			"No moving average: nowhere are 3 points in a row.", "left_out panels[0].average",
		},
		{
			[]string{"x text", "y number sum"},
			func(i int) []any { return []any{string(rune('a'+i)) + "x", float64(i)} },
			"No moving average: values of X have no order of their own.", "key_ignored panels[0].average",
		},
		{[]string{"x integer", "y number sum"}, func(i int) []any { return []any{int64(i), float64(i)} }, "", ""},
	} {
		var rows [][]any
		for i := range 8 {
			rows = append(rows, tc.row(i))
		}
		v := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "x", Y: []string{"y"}, Average: 3}}, tc.columns, rows...)
		p := open(v).Panel(0)
		if notes := strings.Join(p.Notes, " "); notes != tc.note || codes(v) != tc.codes {
			t.Errorf("%v: notes %q, warnings %q", tc.columns, notes, codes(v))
		}
		if (len(p.Grid.Columns) == 3) != (tc.note == "") {
			t.Errorf("%v: %d columns", tc.columns, len(p.Grid.Columns))
		}
	}
}

package panel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/format"
)

var candleColumns = []string{"day date", "o number none", "h number max", "l number min", "c number avg"}

// candlesOf is a candlestick panel of rows of a day and four prices.
func candlesOf(change func(*dashboard.Panel), rows ...[]any) Input {
	p := dashboard.Panel{Type: dashboard.Candlestick, X: "day", Open: "o", High: "h", Low: "l", Close: "c"}
	if change != nil {
		change(&p)
	}
	return tiny([]dashboard.Panel{p}, candleColumns, rows...)
}

// TestCandlesAreExact: the candle of a period has the open of its first row, the close of its last row, the largest high and the smallest
// low, for any agg of the columns and any order of the rows: compared with the values that the test finds in random rows.
func TestCandlesAreExact(t *testing.T) {
	t.Parallel()
	grains := map[string]func(time.Time) time.Time{
		"day": func(d time.Time) time.Time { return d },
		"week": func(d time.Time) time.Time {
			return d.AddDate(0, 0, -(int(d.Weekday())+6)%7)
		},
		"month":   func(d time.Time) time.Time { return d.AddDate(0, 0, 1-d.Day()) },
		"quarter": func(d time.Time) time.Time { return time.Date(d.Year(), (d.Month()-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC) },
	}
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 6))
		var rows [][]any
		for i := range 85 {
			d := day("2026-05-01").AddDate(0, 0, i)
			if d.Weekday()%6 == 0 || r.IntN(12) == 0 {
				continue
			}
			v := []float64{r.Float64(), r.Float64(), r.Float64(), r.Float64()}
			slices.Sort(v)
			o, c := v[1], v[2]
			if r.IntN(2) == 0 {
				o, c = c, o
			}
			rows = append(rows, []any{d, o, v[3], v[0], c})
		}
		for grain, floor := range grains {
			want := map[time.Time][4]float64{}
			for _, row := range rows { // in order
				at := floor(row[0].(time.Time))
				k, ok := want[at]
				if !ok {
					k = [4]float64{row[1].(float64), math.Inf(-1), math.Inf(1), 0}
				}
				want[at] = [4]float64{k[0], max(k[1], row[2].(float64)), min(k[2], row[3].(float64)), row[4].(float64)}
			}
			shuffled := slices.Clone(rows)
			r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			p := open(candlesOf(func(p *dashboard.Panel) { p.Grain = grain }, shuffled...)).Panel(0)
			b := p.Content.(*candlePanel)
			seen := 0
			for x, c := range b.candles {
				if !c.there {
					continue
				}
				seen++
				at := b.split.x[x].Value.(time.Time)
				if got := [4]float64{c.open, c.high, c.low, c.close}; got != want[at] {
					t.Fatalf("seed %d by %s, %v: %v, want %v", seed, grain, at, got, want[at])
				}
				if got := fmt.Sprint(p.Grid.Rows[x][1:]...); got != fmt.Sprint(want[at][0], want[at][1], want[at][2], want[at][3]) {
					t.Fatalf("seed %d by %s: the table has %s, want %v", seed, grain, got, want[at])
				}
			}
			if seen != len(want) {
				t.Errorf("seed %d by %s: %d candles, want %d", seed, grain, seen, len(want))
			}
			checkCandlesDrawn(t, b)
		}
	}
}

// checkCandlesDrawn checks the positions of bodies, and that rises are pale and falls are filled.
func checkCandlesDrawn(t *testing.T, b *candlePanel) {
	t.Helper()
	r := record(b.Panel)
	axis, at := leftAxis(t, r.Labels, b.Spec.Log(dashboard.AxisY)), 0
	for _, c := range b.candles {
		if !c.there {
			continue
		}
		if at == len(r.Rects) {
			t.Fatalf("%d candles are drawn", at)
		}
		top, foot := max(axis(max(c.open, c.close)), 0), axis(min(c.open, c.close))
		body := r.Rects[at]
		if !samePlace(body.Y.V, top) || !samePlace(body.Height.V, max(foot-top, 0.006)) || body.Outlined != (c.close > c.open) {
			t.Fatalf("candle %d is drawn as %+v, want it from %v to %v", at, body, top, foot)
		}
		at++
	}
	if at != len(r.Rects) {
		t.Fatalf("%d candles are drawn, want %d", len(r.Rects), at)
	}
}

// TestCandlesSay: more candles than fit are merged, with a note, and rows that cannot be drawn are reported.
func TestCandlesSay(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 200 {
		rows = append(rows, []any{day("2026-01-01").AddDate(0, 0, i), 2.0, 4.0, 1.0, 3.0})
	}
	v := candlesOf(nil, rows...)
	p := open(v).Panel(0)
	if n := len(p.Grid.Rows); n != 29 || codes(v) != "rolled_up panels[0].grain" || strings.Join(p.Notes, " ") != "By week." {
		t.Errorf("%d candles, %s, %q", n, codes(v), p.Notes)
	}
	v = candlesOf(func(p *dashboard.Panel) { p.Grain = "day" }, rows...)
	if p = open(v).Panel(0); len(p.Grid.Rows) != 29 || codes(v) != "rolled_up panels[0].grain" {
		t.Errorf("by day: %d candles, %s", len(p.Grid.Rows), codes(v))
	}
	v = candlesOf(nil, []any{day("2026-03-02"), 2.0, 4.0, 1.0, 3.0}, []any{day("2026-03-03"), 2.0, 1.0, 4.0, 3.0},
		[]any{day("2026-03-04"), 2.0, 4.0, 1.0, 5.0}, []any{day("2026-03-05"), 2.0, nil, 1.0, 3.0}, []any{nil, 2.0, 4.0, 1.0, 3.0},
		[]any{day("2026-03-06"), 3.0, 4.0, 1.0, 2.0})
	p = open(v).Panel(0)
	if got, want := codes(v), "left_out panels[0].x, left_out panels[0].low, doubtful panels[0].high"; got != want {
		t.Errorf("warnings %s, want %s", got, want)
	}
	notes := strings.Join(p.Notes, " ")
	for _, want := range []string{
		"Rows without day are left out.", "1 row without a value is left out.",
		"Not drawn, because the numbers contradict each other: Mar 3, 2026, Mar 4, 2026.",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q lack %q", notes, want)
		}
	}
	if want := "2 points from Mar 2, 2026 to Mar 6, 2026: opened at 2, closed at 2, lowest 1 (Mar 2, 2026), highest 4 (Mar 2, 2026). " +
		"Rises: 1, falls: 1."; p.Summary != want {
		t.Errorf("says %s\nwant %s", p.Summary, want)
	}
	twice := candlesOf(nil, []any{day("2026-03-02"), 2.0, 4.0, 1.0, 3.0}, []any{day("2026-03-02"), 2.0, 4.0, 1.0, 3.0})
	if p := open(twice).Panel(0); p.Problem != "Several rows have the same day, and a candle is of one." {
		t.Errorf("two rows a day: %q", p.Problem)
	}
}

// TestRangesOverTime: ranges are bars from low to high, and a merged range has the extremes of its parts.
func TestRangesOverTime(t *testing.T) {
	t.Parallel()
	v := candlesOf(func(p *dashboard.Panel) { p.Open, p.Close, p.Grain = "", "", "month" },
		[]any{day("2026-09-02"), nil, 9.0, 4.0, nil}, []any{day("2026-09-20"), nil, 12.0, 6.0, nil},
		[]any{day("2026-11-03"), nil, 5.0, -2.0, nil})
	p := open(v).Panel(0)
	b := p.Content.(*candlePanel)
	if len(b.candles) != 3 || b.candles[0].low != 4 || b.candles[0].high != 12 || b.candles[1].there || !b.split.isPartial(2) {
		t.Errorf("%+v", b.candles)
	}
	if len(p.Grid.Columns) != 3 || p.Title != "L and H by day" {
		t.Errorf("%d columns, %q", len(p.Grid.Columns), p.Title)
	}
	if want := "2 points from Sep 2026 to Nov 2026: lowest −2 (Nov 2026), highest 12 (Sep 2026)."; p.Summary != want {
		t.Errorf("says %s\nwant %s", p.Summary, want)
	}
	r := &canvas.Recorder{}
	b.Draw(r)
	if strings.Contains(r.String(), "outlined") || strings.Count(r.String(), "rect") != 2 || strings.Contains(r.String(), "list") {
		t.Errorf("drawn as\n%s", r.String())
	}
}

// TestCandleAxis: lines are at the mean and the median of the closes, and at the extremes of all numbers; candles outside of an axis are
// counted.
func TestCandleAxis(t *testing.T) {
	t.Parallel()
	rows := [][]any{
		{day("2026-03-02"), 2.0, 9.0, -1.0, 3.0}, {day("2026-03-03"), 2.0, 4.0, 1.0, 4.0}, {day("2026-03-04"), 2.0, 8.0, 1.0, 8.0},
	}
	v := candlesOf(func(p *dashboard.Panel) {
		p.Reference = []dashboard.Reference{{Kind: "average"}, {Kind: "median"}, {Kind: "min"}, {Kind: "max"}}
	}, rows...)
	r := &canvas.Recorder{}
	open(v).Panel(0).Content.Draw(r)
	for _, want := range []string{`"Average 5"`, `"Median 4"`, `"Lowest −1"`, `"Highest 9"`} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("no line %s", want)
		}
	}
	most := 5.0
	v = candlesOf(func(p *dashboard.Panel) { p.Range[dashboard.AxisY].Max, p.Scale = &most, "log" }, rows...)
	p := open(v).Panel(0)
	want := "The axis is logarithmic. Left out, because not above zero: 1. Values outside the axis: 3."
	if notes := strings.Join(p.Notes, " "); notes != want {
		t.Errorf("notes %q", notes)
	}
	checkCandlesDrawn(t, p.Content.(*candlePanel))
	least := 20.0
	v = candlesOf(func(p *dashboard.Panel) { p.Range[dashboard.AxisY].Min = &least }, rows...)
	if p = open(v).Panel(0); p.Empty != "No value is on the axis." {
		t.Errorf("empty %q", p.Empty)
	}
}

// TestTickTextsAreExact: the names of gridlines have all their digits, in one notation.
func TestTickTextsAreExact(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		lo, hi       float64
		format, want string
	}{
		{97.6, 105, "currency2", "$97.50 $100.00 $102.50 $105.00"},
		{10_100, 10_900, "", "10.00K 10.25K 10.50K 10.75K 11.00K"},
		{0, 400, "currency", "$0 $100 $200 $300 $400"},
		{1.1, 1.9, "", "1.00 1.25 1.50 1.75 2.00"},
		{0, 1e6, "", "0 0.25M 0.50M 0.75M 1.00M"},
		{0.2, 0.3, "percent", "20.0% 22.5% 25.0% 27.5% 30.0%"},
	} {
		p := &Panel{Rows: Rows{Settings: Settings{Env: &Env{Formatter: format.New(&dashboard.Spec{Locale: "en-US", Currency: "USD"})}}}}
		if got := strings.Join(p.Env.tickTexts(chart.NewScale(tc.lo, tc.hi, false, unitOf(tc.format)), tc.format), " "); got != tc.want {
			t.Errorf("%v to %v: %s, want %s", tc.lo, tc.hi, got, tc.want)
		}
	}
}

// TestCandlesHaveVolumeAndLines: bars below the candles add up over a period, lines over them have its last value, and the moving average
// is over the closes of trading days, regardless of days without trading.
func TestCandlesHaveVolumeAndLines(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 9))
	var rows [][]any
	var closes, volumes, limits []float64
	for i := 0; len(rows) < 60; i++ {
		d := day("2026-03-02").AddDate(0, 0, i)
		if d.Weekday()%6 == 0 {
			continue
		}
		v := []float64{r.Float64(), r.Float64(), r.Float64(), r.Float64()}
		slices.Sort(v)
		volume, limit := float64(r.IntN(1000)), r.Float64()
		rows = append(rows, []any{d, v[1], v[3], v[0], v[2], volume, limit})
		closes, volumes, limits = append(closes, v[2]), append(volumes, volume), append(limits, limit)
	}
	view := func(grain string) Input {
		p := dashboard.Panel{
			Type: dashboard.Candlestick, X: "day", Open: "o", High: "h", Low: "l", Close: "c", Grain: grain,
			Bars: []string{"volume"}, Lines: []string{"limit"}, Average: 5,
		}
		return tiny([]dashboard.Panel{p}, append(slices.Clone(candleColumns), "volume number sum", "limit number avg"), rows...)
	}
	p := open(view("day")).Panel(0)
	if p.Problem != "" {
		t.Fatal(p.Problem)
	}
	at := 0
	for x, c := range p.Content.(*candlePanel).candles {
		row := p.Grid.Rows[x]
		if !c.there {
			continue
		}
		average := any(nil)
		if at >= 4 {
			average = stat.Mean(closes[at-4 : at+1])
		}
		if want := []any{limits[at], average, volumes[at]}; fmt.Sprint(row[5:]) != fmt.Sprint(want) {
			t.Fatalf("day %d has %v, want %v", at, row[5:], want)
		}
		at++
	}
	if at != len(rows) {
		t.Errorf("%d candles, want %d", at, len(rows))
	}
	p = open(view("week")).Panel(0)
	for x, row := range p.Grid.Rows {
		total := 0.0
		for _, v := range volumes[x*5 : x*5+5] {
			total += v
		}
		if row[5] != limits[x*5+4] || row[7] != total {
			t.Errorf("week %d has %v, want the last %v and in all %v", x, row[5:], limits[x*5+4], total)
		}
	}
	rec := &canvas.Recorder{}
	p.Content.Draw(rec)
	if n := strings.Count(rec.String(), "picture"); n != 2 {
		t.Errorf("%d pictures, want candles and bars", n)
	}
}

// TestWideCandles: in a panel of the page's width, the candles of a year of days fit.
func TestWideCandles(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 366 {
		rows = append(rows, []any{day("2026-01-01").AddDate(0, 0, i), 2.0, 4.0, 1.0, 3.0})
	}
	for width, want := range map[int]int{12: 366, 9: 366, 8: 53} {
		v := candlesOf(func(p *dashboard.Panel) { p.Width = width }, rows...)
		if n := len(open(v).Panel(0).Grid.Rows); n != want {
			t.Errorf("%d columns of the page: %d candles, want %d", width, n, want)
		}
	}
}

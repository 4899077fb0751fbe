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
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
	"service/store/growthtest"
)

// drawnPieces returns the pieces of a line: the places of the first and the last point of each, in thousandths.
func drawnPieces(points []canvas.Point) (out []string) {
	for _, piece := range chart.Unbroken(points) {
		out = append(out, fmt.Sprintf("%d-%d", piece[0].X, piece[len(piece)-1].X))
	}
	return out
}

// linePieces returns the pieces of each line of a panel.
func linePieces(t *testing.T, p *Panel) (out [][]string) {
	t.Helper()
	l, ok := p.Content.(*linePanel)
	if !ok {
		t.Fatalf("no line: %s%s", p.Problem, p.Empty)
	}
	r := record(p)
	for _, se := range l.split.series {
		out = append(out, drawnPieces(r.Points(se.color)))
	}
	return out
}

// daysOf returns rows of the days from 1 January 2026 on for which keep returns true, each with the value 100.
func daysOf(n int, keep func(i int, day time.Time) bool) (rows [][]any) {
	for i := range n {
		if d := day("2026-01-01").AddDate(0, 0, i); keep(i, d) {
			rows = append(rows, []any{d, int64(100)})
		}
	}
	return rows
}

func TestGapsOfLines(t *testing.T) {
	t.Parallel()
	weekday := func(_ int, d time.Time) bool { return d.Weekday() != time.Saturday && d.Weekday() != time.Sunday }
	months := func(n, without int) (rows [][]any) {
		for i := range n {
			if i != without {
				rows = append(rows, []any{day("2025-01-01").AddDate(0, i, 0), int64(i + 1)})
			}
		}
		return rows
	}
	hours := func(n int, keep func(i int, at time.Time) bool, step time.Duration) (rows [][]any) {
		for i := range n {
			if at := day("2026-03-02").Add(time.Duration(i) * step); keep(i, at) {
				rows = append(rows, []any{at, int64(5)})
			}
		}
		return rows
	}
	outage := func(i int, _ time.Time) bool { return i < 30 || i >= 35 }
	office := func(_ int, at time.Time) bool { return at.Hour() >= 9 && at.Hour() < 18 && weekday(0, at) }
	null := func(rows [][]any, at ...int) [][]any {
		for _, i := range at {
			rows[i][1] = nil
		}
		return rows
	}
	for name, tc := range map[string]struct {
		column string // of the times; "" for a date
		gaps   string
		rows   [][]any
		pieces int
		note   string // "" for none
	}{
		"daily, whole":           {rows: daysOf(60, everyDay), pieces: 1},
		"daily without weekends": {rows: daysOf(60, weekday), pieces: 1},
		"weekdays and a week without": {
			rows: daysOf(60, func(i int, d time.Time) bool { return weekday(i, d) && (i < 25 || i > 32) }), pieces: 2,
			note: "1 gap without values: Jan 26, 2026 – Feb 2, 2026.",
		},
		"6 months, one missing":  {rows: months(6, 3), pieces: 2, note: "1 gap without values: Apr 2025."},
		"12 months, one missing": {rows: months(12, 7), pieces: 2, note: "1 gap without values: Aug 2025."},
		"20, 50 missing, 30": {
			rows: daysOf(100, func(i int, _ time.Time) bool { return i < 20 || i >= 70 }), pieces: 2,
			note: "1 gap without values: Jan 21, 2026 – Mar 11, 2026.",
		},
		"3 months, one missing": {rows: months(4, 1), pieces: 1, note: "The line goes on over 1 gap without values: Feb 2025."},
		"hourly, one outage": {
			column: "at timestamp", rows: hours(72, outage, time.Hour), pieces: 2,
			note: "1 gap without values: Mar 3, 2026 06:00 – Mar 3, 2026 10:00.",
		},
		"each ten minutes, one outage": {
			column: "at timestamp", rows: hours(72, outage, 10*time.Minute), pieces: 2,
			note: "1 gap without values: Mar 2, 2026 05:00 – Mar 2, 2026 05:40.",
		},
		"seconds, one outage": {
			column: "at timestamp", rows: hours(72, func(i int, _ time.Time) bool { return i < 30 || i >= 40 }, 13*time.Second), pieces: 2,
			note: "1 gap",
		},
		"seconds, a short pause": {
			column: "at timestamp", rows: hours(72, func(i int, _ time.Time) bool { return i < 30 || i >= 33 }, 13*time.Second), pieces: 1,
		},
		"hours of an office": {column: "at timestamp", rows: hours(24*20, office, time.Hour), pieces: 1},
		"an office, a day closed": {
			column: "at timestamp", rows: hours(24*20, func(i int, at time.Time) bool { return office(i, at) && at.Day() != 10 }, time.Hour),
			pieces: 2,
			note:   "1 gap without values: Mar 10, 2026 09:00 – Mar 10, 2026 17:00.",
		},
		"events on a tenth of days": {
			rows: daysOf(300, func(i int, _ time.Time) bool { return i*7919%97 < 10 }), pieces: 1,
			note: "gaps without values, of which the longest is",
		},
		"a tenth of steps": {
			rows: daysOf(53, func(i int, _ time.Time) bool { return i != 10 && i != 20 && i != 30 }), pieces: 4,
			note: "3 gaps without values, of which the longest is Jan 11, 2026.",
		},
		"more than a tenth of steps": {
			rows: daysOf(20, func(i int, _ time.Time) bool { return i != 10 && i != 15 }), pieces: 1,
			note: "The lines go on over 2 gaps",
		},
		"broken on demand": {
			gaps: "break", rows: daysOf(20, func(i int, _ time.Time) bool { return i%3 != 0 }), pieces: 7,
			note: "6 gaps",
		},
		"two points, broken on demand": {
			gaps: "break", rows: daysOf(20, func(i int, _ time.Time) bool { return i == 0 || i == 19 }), pieces: 2,
			note: "1 gap",
		},
		"joined on demand": {
			gaps: "join", rows: daysOf(100, func(i int, _ time.Time) bool { return i < 20 || i >= 70 }), pieces: 1,
			note: "The line goes on over 1 gap without values: Jan 21",
		},
		"a row without value": {
			gaps: "join", rows: null(daysOf(30, everyDay), 12, 13), pieces: 2,
			note: "1 gap without values: Jan 13, 2026 – Jan 14, 2026.",
		},
		"rows without value, many":    {rows: null(daysOf(30, everyDay), 3, 6, 9, 12, 15, 18), pieces: 7, note: "6 gaps"},
		"weekends in rows, no value":  {rows: nullWhere(daysOf(60, everyDay), func(d time.Time) bool { return !weekday(0, d) }), pieces: 1},
		"zero":                        {gaps: "zero", rows: daysOf(100, func(i int, _ time.Time) bool { return i < 20 || i >= 70 }), pieces: 1},
		"seven days, too few to know": {rows: daysOf(9, weekday), pieces: 2, note: "1 gap"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			column := tc.column
			if column == "" {
				column = "at date"
			}
			agg := "n number sum"
			v := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "at", Y: []string{"n"}, Gaps: tc.gaps, Partial: "show"}},
				[]string{column, agg}, tc.rows...)
			p := open(v).Panel(0)
			if got := linePieces(t, p)[0]; len(got) != tc.pieces {
				t.Errorf("pieces: %v, want %d", got, tc.pieces)
			}
			notes := slices.DeleteFunc(slices.Clone(p.Notes), func(s string) bool { return !strings.Contains(s, "gap") })
			got := strings.ReplaceAll(strings.Join(notes, " | "), format.NBSP, " ")
			if !strings.Contains(got, tc.note) || (tc.note == "") != (got == "") {
				t.Errorf("notes: %q, want %q", got, tc.note)
			}
		})
	}
}

// Readings that are weeks or months apart have no gaps of days between them, also where the spec rounds their axis to days.
func TestGapsOfReadings(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		next func(i int) time.Time
		note string // if the twelfth of 20 is missing
	}{
		"each Monday":       {func(i int) time.Time { return day("2026-03-02").AddDate(0, 0, 7*i) }, "May 18, 2026."},
		"each second week":  {func(i int) time.Time { return day("2026-03-02").AddDate(0, 0, 14*i) }, "Aug 3, 2026."},
		"some days late":    {func(i int) time.Time { return day("2026-03-02").AddDate(0, 0, 14*i+i%2) }, "1 gap without values: "},
		"the end of months": {func(i int) time.Time { return day("2025-02-01").AddDate(0, i, -1) }, "1 gap without values: "},
		"each quarter":      {func(i int) time.Time { return day("2021-01-01").AddDate(0, 3*i, 0) }, "1 gap without values: "},
	} {
		for _, without := range []int{-1, 11} {
			var rows [][]any
			for i := range 20 {
				if i != without {
					rows = append(rows, []any{tc.next(i), int64(i + 1)})
				}
			}
			for _, gaps := range []string{"", "join", "break"} {
				v := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "at", Y: []string{"n"}, Gaps: gaps, Grain: "day", Partial: "show"}},
					[]string{"at date", "n number sum"}, rows...)
				got := strings.ReplaceAll(strings.Join(open(v).Panel(0).Notes, " | "), format.NBSP, " ")
				if has := strings.Contains(got, "gap"); has != (without >= 0) || has && gaps == "" && !strings.Contains(got, tc.note) {
					t.Errorf("%s without %d, gaps %q: %s", name, without, gaps, got)
				}
			}
		}
	}
}

func everyDay(int, time.Time) bool { return true }

func nullWhere(rows [][]any, null func(time.Time) bool) [][]any {
	for _, r := range rows {
		if null(r[0].(time.Time)) {
			r[1] = nil
		}
	}
	return rows
}

// TestGapsOfSeries: each series has its own gaps: one that ends early ends, and in a stack a value that only some series lack is zero.
func TestGapsOfSeries(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 40 {
		at := day("2026-01-01").AddDate(0, 0, i)
		if i < 20 {
			rows = append(rows, []any{at, "early", int64(1)})
		}
		if i < 10 || i > 14 {
			rows = append(rows, []any{at, "gap", int64(2)})
		}
		if i != 30 && i != 31 {
			rows = append(rows, []any{at, "late", int64(3)})
		}
	}
	rows = slices.DeleteFunc(rows, func(r []any) bool { // no series has these
		i := int(r[0].(time.Time).Sub(day("2026-01-01")).Hours() / 24)
		return i == 30 || i == 31
	})
	cols := []string{"at date", "who text", "n integer sum"}
	for name, tc := range map[string]struct {
		panel dashboard.Panel
		want  string
	}{
		"lines": {dashboard.Panel{Type: dashboard.Line}, "[[0-487] [0-231 385-744 821-1000] [0-744 821-1000]]"},
		"areas": {dashboard.Panel{Type: dashboard.Area}, "[[0-487] [0-231 385-744 821-1000] [0-744 821-1000]]"},
		"stack": {dashboard.Panel{Type: dashboard.Area, Stack: true}, "[[0-744 821-1000] [0-744 821-1000] [0-744 821-1000]]"},
		"join":  {dashboard.Panel{Type: dashboard.Line, Gaps: "join"}, "[[0-487] [0-1000] [0-1000]]"},
		"zero":  {dashboard.Panel{Type: dashboard.Line, Gaps: "zero"}, "[[0-1000] [0-1000] [0-1000]]"},
	} {
		tc.panel.X, tc.panel.Y, tc.panel.Series, tc.panel.Partial = "at", []string{"n"}, "who", "show"
		p := open(tiny([]dashboard.Panel{tc.panel}, cols, rows...)).Panel(0)
		if got := fmt.Sprint(linePieces(t, p)); got != tc.want {
			t.Errorf("%s: %s, want %s (%s)", name, got, tc.want, p.Notes)
		}
		body := string(render(t, tiny([]dashboard.Panel{tc.panel}, cols, rows...)))
		if name == "stack" && strings.Count(body, `class="a2 s"`) != 2 {
			t.Errorf("the third area of the stack has %d pieces, want 2", strings.Count(body, `class="a2 s"`))
		}
	}
}

// TestGapsZero: with gaps: zero, periods without rows count as zero wherever the line's values are used.
func TestGapsZero(t *testing.T) {
	t.Parallel()
	rows := daysOf(20, func(i int, _ time.Time) bool { return i%2 == 0 || i > 15 })
	for i := range rows {
		rows[i] = []any{rows[i][0], "a", rows[i][1]}
	}
	rows = append(rows, []any{day("2026-01-25"), "b", int64(1)})
	panel := dashboard.Panel{
		Type: dashboard.Line, X: "at", Y: []string{"n"}, Gaps: "zero", Partial: "show", Average: 3, Trend: "linear",
		Reference: []dashboard.Reference{{Kind: "min", Axis: dashboard.AxisY}},
	}
	cols := []string{"at date", "who text", "n integer sum"}
	v := tiny([]dashboard.Panel{panel}, cols, rows...)
	v.Spec.Filters = []dashboard.Filter{{Column: "who"}, {Column: "at"}}
	v.Query = url.Values{"f.who": {"a"}, "f.at": {"2026-01-03..2026-01-31"}}
	p := open(v).Panel(0)
	l := p.Content.(*linePanel)
	if n := len(p.Grid.Rows); n != 23 { // from the first day of the range to the last day of the dataset, which another series has
		t.Errorf("the table has %d rows, want 23", n)
	}
	if got := p.Grid.Rows[1][1]; got != 0.0 {
		t.Errorf("a day without rows has %v", got)
	}
	if got := l.over.averages.value[0][3]; got < 33 || got > 67 {
		t.Errorf("the average of 3 is %v", got)
	}
	if refs := p.references(l.split); refs[0].Value != 0 {
		t.Errorf("the lowest is %v", refs[0].Value)
	}
	if len(p.trends()) == 0 {
		t.Error("no trend")
	}
}

// TestBarsOfZeros: with gaps: zero, bars have periods without rows, of which the value is 0.
func TestBarsOfZeros(t *testing.T) {
	t.Parallel()
	for gaps, want := range map[string]string{"": "10 20 <nil> 40 50", "auto": "10 20 <nil> 40 50", "zero": "10 20 0 40 50"} {
		var rows [][]any
		for _, i := range []int{1, 2, 4, 5} {
			rows = append(rows, []any{day("2026-01-01").AddDate(0, 0, i), int64(10 * i)})
		}
		panel := dashboard.Panel{Type: dashboard.Bar, X: "at", Y: []string{"n"}, Gaps: gaps, Partial: "show", Grain: "day"}
		v := tiny([]dashboard.Panel{panel}, []string{"at date", "n integer sum"}, rows...)
		var got []string
		for _, row := range open(v).Panel(0).Grid.Rows {
			got = append(got, fmt.Sprint(row[1]))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("gaps %q: %s, want %s", gaps, strings.Join(got, " "), want)
		}
	}
}

// TestGapsZeroIsBounded: one outlying row that a filter excludes does not extend a filled axis.
func TestGapsZeroIsBounded(t *testing.T) {
	t.Parallel()
	years := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "year", Y: []string{"n"}, Gaps: "zero"}},
		[]string{"year integer", "who text", "n integer sum"}, []any{int64(2019), "a", int64(1)}, []any{int64(2021), "a", int64(2)},
		[]any{int64(math.MaxInt64), "b", int64(1)}, []any{int64(-2_000_000_000), "b", int64(1)})
	years.Spec.Filters = []dashboard.Filter{{Column: "who"}}
	years.Query = url.Values{"f.who": {"a"}}
	if p := open(years).Panel(0); p.Problem != "" || len(p.Grid.Rows) != 2 {
		t.Errorf("years: %s, %v", p.Problem, p.Grid)
	}
	at := time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
	rows := [][]any{{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), int64(1)}}
	for i := range 24 {
		if i%7 != 3 {
			rows = append(rows, []any{at.Add(time.Duration(i) * time.Hour), int64(i)})
		}
	}
	rows = append(rows, []any{time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), int64(1)})
	hours := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "at", Y: []string{"n"}, Grain: "hour", Gaps: "zero", Partial: "show"}},
		[]string{"at timestamp", "n integer sum"}, rows...)
	hours.Spec.Filters = []dashboard.Filter{{Column: "at"}}
	hours.Query = url.Values{"f.at": {"2026-03-04..2026-03-04"}}
	p := open(hours).Panel(0)
	if p.Problem != "" || len(p.Grid.Rows) != 24 || p.Grid.Rows[3][1] != 0.0 || p.Grid.Rows[4][1] == 0.0 {
		t.Errorf("hours: %s, %d rows, %v", p.Problem, len(p.Grid.Rows), p.Grid.Rows[:min(5, len(p.Grid.Rows))])
	}
	hours.Query = nil
	if p := open(hours).Panel(0); p.Problem != "" {
		t.Errorf("hours of 9,999 years: %s", p.Problem)
	}
}

// TestLongHolesAreCountedQuickly: missing minutes of years are not counted one by one, again and again; about all of them are counted.
func TestLongHolesAreCountedQuickly(t *testing.T) {
	t.Parallel()
	workdays := encode.Habits{Days: [7]bool{false, true, true, true, true, true, false}}
	r := &rhythm{step: cube.Minutely, every: 60, found: &workdays}
	from := time.Date(2016, 1, 1, 0, 0, 0, 0, time.UTC)
	growthtest.Within(t, 2*time.Second, func() {
		for i := range 6000 {
			a := from.Add(time.Duration(i) * time.Minute)
			h := r.between(a, a.AddDate(10, 0, 0))
			if want := 10 * 365.25 * 1440 * 5 / 7; math.Abs(float64(h.periods)-want) > want/10 {
				t.Fatalf("%d periods, want about %.0f", h.periods, want)
			}
		}
	})
}

func (p *Panel) trends() []trend { return p.Content.(*linePanel).over.trends }

// TestGapsElsewhere: lines of other panels have the same gaps.
func TestGapsElsewhere(t *testing.T) {
	t.Parallel()
	rows := daysOf(60, func(i int, _ time.Time) bool { return i < 20 || i >= 30 })
	for i := range rows {
		rows[i] = []any{rows[i][0], rows[i][1], float64(i), "x"}
	}
	cols := []string{"at date", "n integer sum", "m number avg percent", "who text"}
	combo := open(tiny([]dashboard.Panel{{Type: dashboard.Combo, X: "at", Bars: []string{"n"}, Lines: []string{"m"}, Partial: "show"}},
		cols, rows...)).Panel(0)
	c := combo.Content.(*comboPanel)
	if got := fmt.Sprint(c.lines.points(func(x int) bool { return c.lines.broken[0][x] })); got != "[30]" {
		t.Errorf("combo: broken before %s", got)
	}
	kpi := open(tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "n", Sparkline: "at", Partial: "show"}}, cols, rows...)).Panel(0)
	if got := drawnPieces(kpi.Content.(*kpiPanel).line); len(got) != 2 {
		t.Errorf("kpi: %v", got)
	}
	table := open(tiny([]dashboard.Panel{{
		Type: dashboard.Table, Partial: "show", Columns: []dashboard.TableColumn{{Column: "who"}, {Column: "n", Sparkline: "at"}},
	}}, cols, rows...)).Panel(0)
	if got := drawnPieces(table.Content.(*tablePanel).trends[1].rows[0].Points); len(got) != 2 {
		t.Errorf("table: %v", got)
	}
	facets := open(tiny([]dashboard.Panel{{Type: dashboard.Line, X: "at", Y: []string{"n"}, Facet: "who", Partial: "show"}},
		cols, rows...)).Panel(0)
	if got := drawnPieces(record(facets).Points(1)); len(got) != 2 {
		t.Errorf("facet: %v", got)
	}
}

// TestNoRowsSince: if rows end before the range of the filter, the panel reports it; a running period is not a gap.
func TestNoRowsSince(t *testing.T) {
	t.Parallel()
	from := day(now.Format(time.DateOnly))
	for _, tc := range []struct {
		last  int // days before today
		query string
		want  bool
	}{
		{0, "last_30_days", false},
		{1, "last_30_days", false},
		{2, "last_30_days", true},
		{9, "last_30_days", true},
		{9, "all", false},
		{9, from.AddDate(0, 0, -40).Format(time.DateOnly) + ".." + from.AddDate(0, 0, -9).Format(time.DateOnly), false},
	} {
		var rows [][]any
		for i := tc.last; i < 60; i++ {
			rows = append(rows, []any{from.AddDate(0, 0, -i), int64(1)})
		}
		for _, partial := range []string{"", "hide", "show"} {
			v := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "at", Y: []string{"n"}, Partial: partial}},
				[]string{"at date", "n integer sum"}, rows...)
			v.Spec.Filters = []dashboard.Filter{{Column: "at"}}
			v.Query = url.Values{"f.at": {tc.query}}
			p := open(v).Panel(0)
			if got := strings.Contains(strings.Join(p.Notes, " "), "No rows since"); got != tc.want {
				t.Errorf("rows until %d days ago, %s, %s: %q", tc.last, tc.query, partial, p.Notes)
			}
			if pieces := linePieces(t, p)[0]; len(pieces) != 1 {
				t.Errorf("rows until %d days ago, %s: %v", tc.last, tc.query, pieces)
			}
		}
	}
}

// TestClockChangesAreNoGaps: the hour that a clock shows twice is not a gap if an engine that rounds by the clock has one of the two, and
// neither is a day that a zone does not have.
func TestClockChangesAreNoGaps(t *testing.T) {
	t.Parallel()
	always := encode.Habits{Days: [7]bool{true, true, true, true, true, true, true}}
	for _, tc := range []struct {
		zone, from, to string
		step           cube.Grain
		every          int64
		want           int
	}{
		{"Europe/Berlin", "2026-10-24T23:00:00Z", "2026-10-25T01:00:00Z", cube.Hourly, 3600, 0},
		{"Europe/Berlin", "2026-10-24T20:00:00Z", "2026-10-25T03:00:00Z", cube.Hourly, 3600, 4}, // of six, two are 02:00
		{"Australia/Lord_Howe", "2026-04-04T14:30:00Z", "2026-04-04T15:30:00Z", cube.Minutely, 1800, 0},
		{"Europe/Berlin", "2026-06-01T00:00:00Z", "2026-06-01T02:00:00Z", cube.Hourly, 3600, 1},
		{"Pacific/Apia", "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z", cube.Daily, 0, 0},
		{"Pacific/Apia", "2012-12-28T10:00:00Z", "2012-12-30T10:00:00Z", cube.Daily, 0, 1},
	} {
		zone, err := time.LoadLocation(tc.zone)
		if err != nil {
			t.Fatal(err)
		}
		at := func(s string) time.Time {
			v, err := time.Parse(time.RFC3339, s)
			if err != nil {
				t.Fatal(err)
			}
			return v.In(zone)
		}
		r := &rhythm{step: tc.step, every: tc.every, found: &always}
		if h := r.between(at(tc.from), at(tc.to)); h.periods != tc.want {
			t.Errorf("%s, from %s to %s: %d periods, want %d: %v – %v", tc.zone, tc.from, tc.to, h.periods, tc.want, h.from, h.to)
		}
	}
}

// TestGapsOfPlotsAreCounted: the gaps of all small plots are in one note, also if some of them are of the same days.
func TestGapsOfPlotsAreCounted(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 40 {
		for k, name := range []string{"a", "b", "c"} {
			if i == 20 || k == 1 && i > 29 && i < 33 {
				continue
			}
			rows = append(rows, []any{day("2026-01-01").AddDate(0, 0, i), name, int64(i)})
		}
	}
	for gaps, want := range map[string]string{
		"break": "4 gaps without values.", "join": "The lines go on over 4 gaps without values.",
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "day", Y: []string{"n"}, Facet: "k", Gaps: gaps}},
			[]string{"day date", "k text", "n integer sum"}, rows...)
		if got := strings.Join(open(v).Panel(0).Notes, " "); got != want {
			t.Errorf("%s: %q, want %q", gaps, got, want)
		}
	}
}

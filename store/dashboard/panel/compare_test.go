package panel

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
)

// TestCompareOfSpec: a chart whose spec compares it with an earlier period has at each place the sum of the rows at the same distance from
// its beginning, and the change; a running month is compared with the same part of the month a year before. The legend names both by their
// times.
func TestCompareOfSpec(t *testing.T) {
	t.Parallel()
	floors := map[string]func(time.Time) time.Time{
		"day":   func(t time.Time) time.Time { return t },
		"week":  func(t time.Time) time.Time { return t.AddDate(0, 0, -(int(t.Weekday())+6)%7) },
		"month": func(t time.Time) time.Time { return t.AddDate(0, 0, 1-t.Day()) },
	}
	for _, tc := range []struct {
		by, filter, grain string
		from, to          string // of the earlier period
		months, days      int
		legend            string
	}{
		{"previous_year", "this_year", "month", "2025-01-01", "2025-11-20", 12, 0, "Jan 2026 – Nov 2026, Jan 2025 – Nov 2025"},
		{"previous_year", "this_month", "day", "2025-11-01", "2025-11-20", 12, 0, "Nov 1, 2026 – Nov 20, 2026, Nov 1, 2025 – Nov 20, 2025"},
		{"previous_year", "2026-10-05..2026-11-30", "week", "2025-10-06", "2025-11-21", 0, 364, ""},
		{"previous_year", "all", "month", "2023-09-12", "2025-11-20", 12, 0, "Sep 2024 – Nov 2026, Sep 2024 – Nov 2025"},
		{"previous_period", "last_month", "day", "2026-09-01", "2026-09-30", 1, 0, ""},
	} {
		for _, kind := range []string{dashboard.Line, dashboard.Area, dashboard.Bar} {
			v, values := compared(dashboard.Panel{Type: kind, Grain: tc.grain, Compare: []string{tc.by}}, "f.at="+tc.filter)
			name := tc.by + " of " + tc.filter + " by " + tc.grain + " of a " + kind
			p, c := recorded(t, v, 0)
			b := p.before
			if !b.drawnBySpec() {
				t.Fatalf("%s: nothing before: %s", name, strings.Join(p.Notes, " "))
			}
			from, to := b.from.Time().Format(time.DateOnly), b.to.Time().Format(time.DateOnly)
			if to != tc.to || tc.filter != "all" && from != tc.from {
				t.Errorf("%s: before are %s to %s, want %s to %s", name, from, to, tc.from, tc.to)
			}
			want := map[time.Time]float64{} // by the place in the period
			for d, n := range values {
				if d >= b.from && d <= b.to {
					want[floors[tc.grain](d.Time()).AddDate(0, tc.months, tc.days)] += n
				}
			}
			drawn := 0
			for _, row := range p.Grid.Rows {
				at := row[0].(cube.Category).Value.(time.Time)
				n, ok := want[at]
				if got := number(row[2]); ok != !math.IsNaN(got) || ok && got != n {
					t.Errorf("%s: beside %s is %v, want %v", name, at.Format(time.DateOnly), got, n)
				}
				if now := number(row[1]); ok && !math.IsNaN(now) {
					drawn++
					if change := number(row[3]); change != now-n {
						t.Errorf("%s: a change of %v on %s, want %v", name, change, at.Format(time.DateOnly), now-n)
					}
				}
			}
			if drawn == 0 {
				t.Errorf("%s: no place has both", name)
			}
			gray := slices.ContainsFunc(c.Curves, func(c canvas.Curve) bool { return c.Thin && c.Color == canvas.OtherColor })
			if kind == dashboard.Bar {
				gray = slices.ContainsFunc(c.Rects, func(r canvas.Rect) bool { return r.Color == canvas.OtherColor })
			}
			if !gray {
				t.Errorf("%s: the earlier period is not drawn in gray", name)
			}
			if legend := c.Items[0].Name + ", " + c.Items[1].Name; tc.legend != "" && legend != tc.legend {
				t.Errorf("%s: legend %q, want %q", name, legend, tc.legend)
			}
			if doc := string(render(t, v)); strings.Contains(doc, ">Period before</a>") || !strings.Contains(doc, ">Change</th>") {
				t.Errorf("%s: the reader is offered the period before, or the table has no change", name)
			}
		}
	}
}

// TestCompareOfSpecWithoutPeriod: a comparison without an earlier period is explained to readers and to the author.
func TestCompareOfSpecWithoutPeriod(t *testing.T) {
	t.Parallel()
	for filter, by := range map[string]string{"all": "previous_period", "2024-09-20..2024-10-20": "previous_year"} {
		v, _ := compared(dashboard.Panel{Type: dashboard.Line, Compare: []string{by}}, "f.at="+filter)
		p := open(v).Panel(0)
		if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, "No earlier period to compare with.") || p.before != nil {
			t.Errorf("%s of %s: notes %q", by, filter, notes)
		}
		if got := codes(v); !strings.Contains(got, "key_ignored panels[0].compare") {
			t.Errorf("%s of %s: warnings %q", by, filter, got)
		}
	}
}

// The note of a comparison names whole periods, and days only if a period is compared by a part of it.
func TestCompareNamesWholePeriods(t *testing.T) {
	t.Parallel()
	var months [][]any
	for d := day("2024-01-01"); d.Before(now); d = d.AddDate(0, 1, 0) {
		months = append(months, []any{d, int64(d.Month())})
	}
	byMonth := func(p dashboard.Panel, filter string) Input {
		p.X, p.Y = "at", []string{"n"}
		v := tiny([]dashboard.Panel{p}, []string{"at date", "n integer sum"}, months...)
		v.Spec.Filters = []dashboard.Filter{{Column: "at", Default: []string{filter}}}
		return v
	}
	byDay := func(p dashboard.Panel, filter string) Input {
		v, _ := compared(p, "f.at="+filter)
		return v
	}
	for _, tc := range []struct {
		of                         func(dashboard.Panel, string) Input
		filter, by, grain, partial string
		want                       string
	}{
		{byMonth, "all", "previous_year", "", "", "The period before is Jan 2023 – Nov 2025; the data begin Jan 1, 2024."},
		{byMonth, "this_year", "previous_year", "", "", "The period before is Jan 2025 – Nov 2025."},
		{byMonth, "this_year", "previous_year", "", "hide", "The period before is Jan 2025 – Oct 2025."},
		{byMonth, "last_month", "previous_period", "", "", "The period before is Sep 2026."},
		{byMonth, "last_quarter", "previous_period", "quarter", "", "The period before is Q2 2026."},
		{byDay, "this_year", "previous_year", "month", "", "The period before is Jan 1, 2025 – Nov 20, 2025."},
		{byDay, "this_year", "previous_year", "month", "hide", "The period before is Jan 2025 – Oct 2025."},
		{byDay, "last_quarter", "previous_period", "month", "", "The period before is Apr 2026 – Jun 2026."},
		{byDay, "2026-10-05..2026-11-15", "previous_year", "week", "", "The period before is Week of Oct 6, 2025 – Week of Nov 10, 2025."},
		{byDay, "2026-10-07..2026-11-15", "previous_year", "week", "", "The period before is Oct 8, 2025 – Nov 16, 2025."},
		{byDay, "2026-10-07", "previous_period", "day", "", "The period before is Oct 6, 2026."},
	} {
		v := tc.of(dashboard.Panel{Type: dashboard.Line, Compare: []string{tc.by}, Grain: tc.grain, Partial: tc.partial}, tc.filter)
		if notes := strings.Join(open(v).Panel(0).Notes, " "); !strings.Contains(notes, tc.want) {
			t.Errorf("%s of %s by %s: notes %q, want %q", tc.by, tc.filter, tc.grain, notes, tc.want)
		}
	}
}

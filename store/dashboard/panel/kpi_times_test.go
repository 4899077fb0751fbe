package panel

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// A stock is compared with the time before its own, or with a year before it, if no filter selects a period. A filter that does goes first.
func TestCompareStocksWithoutPeriod(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ agg, query, keys, want string }{
		{`"agg": "last"`, "", `"compare": "previous_period"`, "150, as of Jun 2026, up 25.0% from 120 (Apr 2026)."},
		{
			`"agg": "last"`, "", `"compare": "previous_period", "grain": "quarter", "sparkline": "month"`,
			"150, as of Jun 2026, up 7.1% from 140 (Q1 2026).",
		},
		{`"agg": "last"`, "", `"compare": "previous_year"`, "150, as of Jun 2026, no data a year before."},
		{`"agg": "last"`, "f.plan=Old", `"compare": "previous_period"`, "–, no rows in Jun 2026."},
		{`"agg": "first"`, "", `"compare": "previous_period"`, "140, as of Jan 2026, no value in the earlier period."},
		{
			`"agg": "last"`, "f.month=2026-06-01..2026-06-30", `"compare": "previous_period"`,
			"150, as of Jun 2026, no value in the earlier period.",
		},
		{`"agg": "sum"`, "", `"compare": "previous_period"`, "550, choose a period to compare."},
	} {
		p := stocks(t, tc.agg, tc.query, `{"type": "kpi", "value": "mrr", `+tc.keys+`}`).Panel(0)
		if !strings.HasPrefix(p.Summary, tc.want) {
			t.Errorf("%s of %s at %s: %s, want %s", tc.keys, tc.agg, tc.query, p.Summary, tc.want)
		}
	}
	ratio := stocks(t, `"agg": "last"`, "", `{"type": "kpi", "value": "each", "compare": "previous_period"}`).Panel(0)
	if want := "10, as of Jun 2026, unchanged from 10 (Apr 2026)."; ratio.Summary != want {
		t.Errorf("a ratio of stocks: %s, want %s", ratio.Summary, want)
	}
}

// A year before is found in days without weekends, in weeks, in years that are numbers, and nowhere else.
func TestCompareStocksWithAYearBefore(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		along string
		at    []any
		want  string
	}{
		{"at date", []any{day("2025-11-14"), day("2025-11-21"), day("2026-11-20")}, "up 200.0% from 1 (Nov 14, 2025)"},
		{"at date", []any{day("2025-11-12"), day("2025-11-21"), day("2026-11-20")}, "no data a year before"},
		{"at date", []any{day("2025-10-01"), day("2025-11-01"), day("2026-11-01")}, "up 50.0% from 2 (Nov 2025)"},
		{"year integer", []any{int64(2024), int64(2025), int64(2026)}, "up 50.0% from 2 (2025)"},
	} {
		name := strings.Fields(tc.along)[0]
		var rows [][]any
		for i, at := range tc.at {
			rows = append(rows, []any{at, int64(i + 1)})
		}
		panel := dashboard.Panel{Type: dashboard.KPI, Value: "n", Compare: []string{"previous_year"}}
		v := tiny([]dashboard.Panel{panel}, []string{tc.along, "n integer last"}, rows...)
		if p := open(v).Panel(0); !strings.Contains(p.Summary, tc.want) {
			t.Errorf("%v along %s: %s, want %s", tc.at, name, p.Summary, tc.want)
		}
	}
}

// The line under a stock ends dashed if its last period is not over; the sentence names the periods of the line.
func TestSmallLineThatRuns(t *testing.T) {
	t.Parallel()
	months := [][]any{{day("2026-09-01"), int64(5)}, {day("2026-10-01"), int64(7)}, {day("2026-11-01"), int64(6)}}
	for _, tc := range []struct {
		agg, partial, says string
		dashed             string // points of each curve
	}{
		{"last", "", "Small line: Sep 2026 – Nov 2026 (not over).", "2 dashed, 2"},
		{"last", "mark", "Small line: Sep 2026 – Nov 2026 (not over).", "2 dashed, 2"},
		{"last", "hide", "Small line: Sep 2026 – Oct 2026.", "2"},
		{"last", "show", "Small line: Sep 2026 – Nov 2026.", "3"},
		{"sum", "", "Small line: Sep 2026 – Oct 2026.", "2"},
		{"sum", "show", "Small line: Sep 2026 – Nov 2026.", "3"},
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "n", Sparkline: "at", Partial: tc.partial}},
			[]string{"at date", "n integer " + tc.agg}, months...)
		p, drawn := recorded(t, v, 0)
		if !strings.HasSuffix(p.Summary, tc.says) {
			t.Errorf("%s %s: %s, want %s", tc.agg, tc.partial, p.Summary, tc.says)
		}
		if got := curvesOf(drawn.Curves); got != tc.dashed {
			t.Errorf("%s %s: curves %s, want %s", tc.agg, tc.partial, got, tc.dashed)
		}
	}
}

// A stock that hides incomplete periods is that of the last complete one, as its line is. A filter on the date selects another.
func TestStockOfTheLastCompletePeriod(t *testing.T) {
	t.Parallel()
	rows := [][]any{{day("2026-09-30"), int64(5)}, {day("2026-10-30"), int64(7)}, {day("2026-11-02"), int64(6)}}
	for _, tc := range []struct{ agg, partial, query, want string }{
		{"last", "", "", "6, as of Nov 2, 2026."},
		{"last", "mark", "", "6, as of Nov 2, 2026."},
		{"last", "show", "", "6, as of Nov 2, 2026."},
		{"last", "hide", "", "7, as of Oct 30, 2026."},
		{"last", "hide", "f.at=2026-11-01..2026-11-30", "6, as of Nov 2, 2026."},
		{"sum", "hide", "", "18."},
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "n", Sparkline: "at", Grain: "month", Partial: tc.partial}},
			[]string{"at date", "n integer " + tc.agg}, rows...)
		v.Spec.Filters = []dashboard.Filter{{Column: "at"}}
		v.Query, _ = url.ParseQuery(tc.query)
		if p := open(v).Panel(0); !strings.HasPrefix(p.Summary, tc.want) {
			t.Errorf("%s, %s at %s: %s, want %s", tc.agg, tc.partial, tc.query, p.Summary, tc.want)
		}
	}
}

func curvesOf(curves []canvas.Curve) string {
	var out []string
	for _, c := range curves {
		text := fmt.Sprint(len(c.Points))
		if c.Dashed {
			text += " dashed"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// The grain of a number is that of its line. If no filter shows the period of the number, the author is told what shows the latest period,
// and readers see the times of all rows with the number.
func TestGrainOfANumber(t *testing.T) {
	t.Parallel()
	months := [][]any{{day("2026-08-01"), int64(4)}, {day("2026-09-01"), int64(5)}, {day("2026-10-01"), int64(7)}}
	for _, tc := range []struct {
		agg, grain string
		filter     []dashboard.Filter
		warned     bool
	}{
		{"sum", "month", nil, true},
		{"sum", "", nil, false},
		{"sum", "month", []dashboard.Filter{{Column: "at"}}, false},
		{"last", "month", nil, false},
	} {
		panel := dashboard.Panel{Type: dashboard.KPI, Value: "n", Sparkline: "at", Grain: tc.grain}
		v := tiny([]dashboard.Panel{panel}, []string{"at date", "n integer " + tc.agg}, months...)
		v.Spec.Filters = tc.filter
		warned := false
		for _, w := range warnings(v) {
			warned = warned || w.Code == dashboard.WarnKeyIgnored && w.Path == "panels[0].grain" &&
				strings.Contains(w.Message, `{"column": "at", "grain": "month", "multiple": false}`) &&
				strings.Contains(w.Message, "2026-08-01 to 2026-10-01")
		}
		if warned != tc.warned {
			t.Errorf("%s by %s with %d filters: warned %t", tc.agg, tc.grain, len(tc.filter), warned)
		}
		p := open(v).Panel(0)
		said := strings.HasPrefix(p.Summary, "16 (Aug 2026 – Oct 2026).") && p.Numbers()[0].Change == "Aug 2026 – Oct 2026"
		if said != tc.warned {
			t.Errorf("%s by %s with %d filters: %s %+v", tc.agg, tc.grain, len(tc.filter), p.Summary, p.Numbers())
		}
	}
}

// TestTimesOfANumber: the times of a number of all rows are those of the rows that the filters leave, also beside a comparison, if the line
// has too few periods, and for each number of a facet.
func TestTimesOfANumber(t *testing.T) {
	t.Parallel()
	rows := [][]any{
		{day("2026-08-03"), "North", int64(4), int64(2)},
		{day("2026-09-01"), "South", int64(5), int64(2)},
		{day("2026-10-07"), "South", int64(7), int64(2)},
		{nil, "North", int64(1), int64(2)},
	}
	for _, tc := range []struct{ keys, query, want string }{
		{"", "", "17 (Aug 3, 2026 – Oct 7, 2026). Small line: Aug 2026 – Oct 2026."},
		{"", "f.shop=South", "12 (Sep 1, 2026 – Oct 7, 2026). Small line: Sep 2026 – Oct 2026."},
		{"", "f.shop=North", "5 (Aug 3, 2026)."},
		{`, "compare": "plan"`, "", "17 (Aug 3, 2026 – Oct 7, 2026), up 112.5% from 8 (plan). Small line: Aug 2026 – Oct 2026."},
		{`, "facet": "shop"`, "", "North: 5 (Aug 3, 2026). South: 12 (Sep 1, 2026 – Oct 7, 2026). Small line: Sep 2026 – Oct 2026."},
	} {
		v := tinySpec(t, `{"type": "kpi", "value": "n", "sparkline": "at", "grain": "month"`+tc.keys+`}`,
			[]string{"at date", "shop text", "n integer sum", "plan integer sum"}, rows...)
		v.Spec.Filters = []dashboard.Filter{{Column: "shop"}}
		v.Query, _ = url.ParseQuery(tc.query)
		if p := open(v).Panel(0); p.Summary != tc.want {
			t.Errorf("%s %s: %s, want %s", tc.keys, tc.query, p.Summary, tc.want)
		}
	}
}

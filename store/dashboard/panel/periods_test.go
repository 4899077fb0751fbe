package panel

import (
	"regexp"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// periodView is a view with a row for each of the days.
func periodView(f dashboard.Filter, days ...string) Input {
	var rows [][]any
	for _, d := range days {
		rows = append(rows, []any{day(d), int64(1)})
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "n"}, {Type: dashboard.Bar, X: "day", Y: []string{"n"}}},
		[]string{"day date", "n integer sum"}, rows...)
	f.Column = "day"
	v.Spec.Filters = []dashboard.Filter{f}
	return v
}

var optionHTML = regexp.MustCompile(`<option value="([^"]*)"( selected)?>([^<]*)|<hr>`)

// optionsOf returns the options of the only list of a page: their texts, with * at the selected one.
func optionsOf(t *testing.T, v Input) string {
	t.Helper()
	var out []string
	for _, m := range optionHTML.FindAllStringSubmatch(string(render(t, v)), -1) {
		if m[3] == "" {
			m[3] = "-"
		}
		out = append(out, m[3]+strings.Repeat("*", len(m[2])/9))
	}
	return strings.Join(out, ", ")
}

// TestPeriods: a filter of dates lists the periods of its rows, the newest first, and the ranges that fit them. The date of the page is 20
// November 2026.
func TestPeriods(t *testing.T) {
	t.Parallel()
	quarters := []string{"2025-10-01", "2026-01-01", "2026-07-01", "2026-10-01"}
	for _, tc := range []struct {
		name   string
		filter dashboard.Filter
		days   []string
		query  string
		want   string
	}{
		{
			"quarters",
			dashboard.Filter{},
			quarters, "",
			"This quarter, Last quarter, Last 4 full quarters, Last 8 full quarters, This year, Last year, All dates*, -, " +
				"Q4 2026, Q3 2026, Q1 2026, Q4 2025, -, Custom dates …",
		},
		{
			"a quarter is chosen",
			dashboard.Filter{Default: []string{"last_30_days"}},
			quarters, "f.day=2026-07-01..2026-09-30",
			"Last 30 days, This quarter, Last quarter, Last 4 full quarters, Last 8 full quarters, This year, Last year, All dates, -, " +
				"Q4 2026, Q3 2026*, Q1 2026, Q4 2025, -, Custom dates …",
		},
		{
			"other dates",
			dashboard.Filter{},
			[]string{"2025-01-01", "2026-01-01"},
			"f.day=2026-02-01..2026-03-02",
			"This year, Last year, Last 3 full years, Last 5 full years, All dates, -, 2026, 2025, -, Custom dates …*",
		},
		{
			"months of days",
			dashboard.Filter{Grain: cube.Monthly},
			[]string{"2026-10-05", "2026-10-06", "2026-11-02"},
			"f.day=last_month",
			"This month, Last month*, Last 3 full months, Last 12 full months, This quarter, Last quarter, This year, Last year, All dates, -, " +
				"Nov 2026, Oct 2026, -, Custom dates …",
		},
		{
			"one month",
			dashboard.Filter{Grain: cube.Monthly, Single: true},
			[]string{"2026-09-05", "2026-10-06", "2026-11-02"},
			"",
			"Nov 2026, Oct 2026*, Sep 2026",
		},
		{
			"weeks",
			dashboard.Filter{},
			[]string{"2026-11-02", "2026-11-09", "2026-11-16"},
			"",
			"Last week, Last 4 full weeks, Last 13 full weeks, Last 52 full weeks, This year, Last year, All dates*, -, " +
				"Week of Nov 16, 2026, Week of Nov 9, 2026, Week of Nov 2, 2026, -, Custom dates …",
		},
		{
			"days",
			dashboard.Filter{},
			[]string{"2026-11-02", "2026-11-03", "2026-11-05"},
			"",
			"Today, Yesterday, Last 7 days, Last 30 days, Last 90 days, Last 365 days, This week, Last week, This month, Last month, " +
				"This quarter, Last quarter, This year, Last year, All dates*, Custom dates …",
		},
	} {
		if got := optionsOf(t, queried(t, periodView(tc.filter, tc.days...), tc.query)); got != tc.want {
			t.Errorf("%s:\n%s, want\n%s", tc.name, got, tc.want)
		}
	}
}

// TestOnePeriod: a filter of exactly one period has one under every address.
func TestOnePeriod(t *testing.T) {
	t.Parallel()
	months := []string{"2026-08-01", "2026-09-01", "2026-10-01", "2026-11-01"}
	const one = " The filter Day takes exactly one of its values, so it ignores the address and shows “Oct 2026”."
	const vanished = "The filter Day shows “Oct 2026”, because no row has its default “May 1, 2026 – May 31, 2026”."
	for _, tc := range []struct {
		def   []string
		query string
		says  string
		notes string
	}{
		{nil, "", "Oct 2026", ""}, // November is not over
		{[]string{"this_month"}, "", "Nov 2026", ""},
		{[]string{"2026-08-01", "2026-08-31"}, "", "Aug 2026", ""},
		{[]string{"2026-05-01", "2026-05-31"}, "", "Oct 2026", vanished},
		{nil, "f.day=2026-09-01..2026-09-30", "Sep 2026", ""},
		{nil, "f.day=2026-09-01", "Sep 2026", ""},
		{nil, "f.day=this_month", "Nov 2026", ""},
		{nil, "f.day=custom&f.day.from=2026-09-01&f.day.to=2026-09-30", "Sep 2026", ""},
		{nil, "f.day=2026-09-02", "Oct 2026", one},
		{nil, "f.day=2026-09-01..2026-10-31", "Oct 2026", one},
		{nil, "f.day=2026-07-01..2026-07-31", "Oct 2026", one},
		{nil, "f.day=all", "Oct 2026", one},
		{nil, "f.day=2026-09-01&f.day=2026-08-01", "Oct 2026", one},
	} {
		v := queried(t, periodView(dashboard.Filter{Grain: cube.Monthly, Single: true, Default: tc.def}, months...), tc.query)
		p := open(v)
		k := p.Panel(0)
		got := p.Filters[0].Says(p.Env)
		if got != tc.says || strings.Join(k.Notes, "") != strings.TrimSpace(tc.notes) || len(p.Data[0].Rows) != 1 {
			t.Errorf("%q of %q: %s, %d rows, notes %q; want %s and %q", tc.query, tc.def, got, len(p.Data[0].Rows), k.Notes, tc.says, tc.notes)
		}
	}
	v := periodView(dashboard.Filter{Grain: cube.Monthly, Single: true}, months...)
	w := open(v).Panel(1).Ways()
	for _, tc := range []struct {
		day   string
		grain cube.Grain
		want  string
	}{
		{"2026-09-01", cube.Exact, "?f.day=2026-09-01..2026-09-30"},
		{"2026-09-01", cube.Monthly, "?f.day=2026-09-01..2026-09-30"},
		{"2026-09-14", cube.Weekly, "?f.day=2026-09-01..2026-09-30"},
		{"2026-07-01", cube.Quarterly, ""},
		{"2026-10-01", cube.Exact, ""},
	} {
		if got := w.Of(&Mark{"day", tc.grain, cube.Category{Value: day(tc.day)}}); got.To != tc.want {
			t.Errorf("a mark of %s by %q leads to %q, want %q", tc.day, tc.grain, got.To, tc.want)
		}
	}
	if s := summaries(v)[0].Text; s != "1. Day: Oct 2026." {
		t.Errorf("the dry run says %q", s)
	}
}

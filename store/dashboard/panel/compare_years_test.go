package panel

import (
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// dated are a number for each day of some years: that of the day in its month.
func dated(panel, filter string, t *testing.T) Input {
	t.Helper()
	var rows [][]any
	for d := day("2022-06-01"); d.Before(day("2026-11-21")); d = d.AddDate(0, 0, 1) {
		rows = append(rows, []any{d, "a", float64(d.Day())})
	}
	v := tinySpec(t, panel, []string{"day date", "part text", "n number sum"}, rows...)
	if filter != "" {
		v.Spec.Filters = []dashboard.Filter{{Column: "day"}}
		v.Query = url.Values{"f.day": {filter}}
	}
	return v
}

// TestCompareYearsOfLeapDays: a number, and bars of categories, compare whole months with whole months, and other days with the same days
// of the other year, also around 29 February.
func TestCompareYearsOfLeapDays(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ filter, from, to string }{
		{"2025-02-01..2025-02-28", "2024-02-01", "2024-02-29"},
		{"2024-02-01..2024-02-29", "2023-02-01", "2023-02-28"},
		{"2024-02-29", "2023-02-28", "2023-02-28"},
		{"2024-02-29..2024-03-03", "2023-02-28", "2023-03-03"},
		{"2024-02-20..2024-02-29", "2023-02-20", "2023-02-28"},
		{"2025-02-22..2025-02-28", "2024-02-22", "2024-02-28"},
		{"2025-01-01..2025-02-28", "2024-01-01", "2024-02-29"},
		{"2025-02-01..2025-03-15", "2024-02-01", "2024-03-15"},
		{"2024-01-01..2024-12-31", "2023-01-01", "2023-12-31"},
	} {
		want := 0.0
		for d := day(tc.from); !d.After(day(tc.to)); d = d.AddDate(0, 0, 1) {
			want += float64(d.Day())
		}
		p := open(dated(`{"type": "kpi", "value": "n", "compare": "previous_year"}`, tc.filter, t)).Panel(0)
		if c := p.Content.(*kpiPanel).others[0]; !c.ok || c.value != want {
			t.Errorf("%s: a number is compared with %v (%s), want %v", tc.filter, c.value, c.why, want)
		}
		p = open(dated(`{"type": "bar", "x": "part", "y": "n", "compare": "previous_year"}`, tc.filter, t)).Panel(0)
		if got := number(p.Grid.Rows[0][2]); got != want {
			t.Errorf("%s: a bar is compared with %v, want %v", tc.filter, got, want)
		}
	}
}

// TestCompareYearsOnDays: a chart of days has no place outside of its filter for 29 February of the year before.
func TestCompareYearsOnDays(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{
		`"type": "line", "y": "n"`, `"type": "area", "y": "n"`, `"type": "bar", "y": "n"`, `"type": "bar", "y": "n", "facet": "part"`,
	} {
		for filter, want := range map[string]float64{
			"2025-02-01..2025-02-28": 28 * 29 / 2, "2024-02-01..2024-02-29": 28 * 29 / 2, "2025-02-26..2025-03-02": 26 + 27 + 28 + 1 + 2,
		} {
			from, to, _ := strings.Cut(filter, "..")
			p := open(dated(`{`+kind+`, "x": "day", "grain": "day", "compare": "previous_year"}`, filter, t)).Panel(0)
			if p.Content == nil {
				t.Fatalf("%s: %s%s", kind, p.Problem, p.Empty)
			}
			sum := 0.0
			for _, row := range p.Grid.Rows {
				at := row[0].(cube.Category).Value.(time.Time)
				if at.Before(day(from)) || at.After(day(to)) {
					t.Errorf("%s of %s: a place on %s", kind, filter, at.Format(time.DateOnly))
				}
				before := number(row[len(row)-2])
				if math.IsNaN(before) {
					continue
				}
				if sum += before; before != float64(at.AddDate(-1, 0, 0).Day()) {
					t.Errorf("%s of %s: beside %s is %v", kind, filter, at.Format(time.DateOnly), before)
				}
			}
			if sum != want {
				t.Errorf("%s of %s: the earlier period adds up to %v, want %v", kind, filter, sum, want)
			}
		}
	}
}

// TestCompareOfTheChosenDates: of several filters on dates, the one that selects a period defines the comparison.
func TestCompareOfTheChosenDates(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for d := day("2026-01-01"); d.Before(day("2026-11-01")); d = d.AddDate(0, 0, 1) {
		rows = append(rows, []any{d.AddDate(0, 0, -3), d, "a", 1.0})
	}
	for _, query := range []string{
		"f.closed=2026-09-01..2026-09-30", "f.closed=2026-09-01..2026-09-30&f.opened=custom&f.opened.from=2026-01-05",
	} {
		v := tinySpec(t, `{"type": "kpi", "value": "n", "compare": "previous_period"}`,
			[]string{"opened date", "closed date", "part text", "n number sum"}, rows...)
		v.Spec.Filters = []dashboard.Filter{{Column: "opened"}, {Column: "closed"}}
		v.Query, _ = url.ParseQuery(query)
		v.Spec.Panels = append(v.Spec.Panels, dashboard.Panel{
			Type: dashboard.Bar, X: "part", Y: []string{"n"}, Compare: []string{dashboard.PreviousPeriod},
		})
		o := open(v)
		if c := o.Panel(0).Content.(*kpiPanel).others[0]; !c.ok || c.value != 31 || c.base != 30 {
			t.Errorf("%s: %v is compared with %v: %s", query, c.base, c.value, c.why)
		}
		if bars := o.Panel(1); !bars.before.drawnBySpec() || number(bars.Grid.Rows[0][2]) != 31 {
			t.Errorf("%s: bars of %v, notes %q", query, bars.Grid.Rows, bars.Notes)
		}
	}
}

// TestCompareWithoutRunningMonth: a number of rows of months that is compared without the running one says so.
func TestCompareWithoutRunningMonth(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for d := day("2026-01-01"); d.Before(now); d = d.AddDate(0, 1, 0) {
		rows = append(rows, []any{d, 10 * float64(d.Month())})
	}
	for filter, want := range map[string]string{
		"this_quarter": "$210 ($100 as compared), up 42.9% from $70 (Jul 1 – Jul 31). Compared without Nov 2026, which is not over.",
		"last_quarter": "$240, up 60.0% from $150 (Q2 2026).",
	} {
		v := tinySpec(t, `{"type": "kpi", "value": "n", "compare": "previous_period", "partial": "hide"}`,
			[]string{"day date", "n number sum currency"}, rows...)
		v.Spec.Filters = []dashboard.Filter{{Column: "day"}}
		v.Query = url.Values{"f.day": {filter}}
		if got := strings.ReplaceAll(summaries(v)[0].Text, format.NBSP, " "); got != want {
			t.Errorf("%s: %s\nwant %s", filter, got, want)
		}
	}
}

// TestMissingValuesBeforeAreNotZero: with "gaps": "zero", an earlier period without rows is 0, and one whose rows have no value is missing.
func TestMissingValuesBeforeAreNotZero(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for d := day("2025-01-01"); d.Before(day("2026-11-01")); d = d.AddDate(0, 1, 0) {
		switch n := any(float64(d.Month())); {
		case d.Equal(day("2025-03-01")):
		case d.Equal(day("2025-05-01")):
			rows = append(rows, []any{d, nil})
		default:
			rows = append(rows, []any{d, n})
		}
	}
	for _, kind := range []string{dashboard.Line, dashboard.Bar} {
		v := tinySpec(t, `{"type": "`+kind+`", "x": "day", "y": "n", "compare": "previous_year", "gaps": "zero"}`,
			[]string{"day date", "n number sum"}, rows...)
		v.Spec.Filters = []dashboard.Filter{{Column: "day"}}
		v.Query = url.Values{"f.day": {"2026-01-01..2026-10-31"}}
		p := open(v).Panel(0)
		for _, row := range p.Grid.Rows {
			switch month := row[0].(cube.Category).Value.(time.Time).Month(); {
			case month == 3 && number(row[2]) != 0, month == 5 && row[2] != nil, month != 3 && month != 5 && number(row[2]) != float64(month):
				t.Errorf("%s: beside %v is %v", kind, month, row[2])
			}
		}
	}
}

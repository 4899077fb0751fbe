package panel

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// numbers returns a dataset with a row for each day from one to another, whose number is that of its month and day, as 1020 for 20 October.
func numbers(from, to string) (rows [][]any) {
	for at, end := day(from), day(to); !at.After(end); at = at.AddDate(0, 0, 1) {
		rows = append(rows, []any{at, []any{"North", "South"}[at.Day()%2], int64(at.Month())*100 + int64(at.Day())})
	}
	return rows
}

// tinySpec is [tiny] of a panel that is parsed.
func tinySpec(t *testing.T, panel string, columns []string, rows ...[]any) Input {
	t.Helper()
	spec, err := dashboard.Parse([]byte(`{"version": 1, "title": "T", "datasets": [{"id": "d", "sql": "SELECT 1"}],
		"panels": [` + panel + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return tiny(spec.Panels, columns, rows...)
}

// A kpi that no filter gives a period shows the last complete period of its grain, and compares it with the one before or a year before.
// The data are of 20 November 2026.
func TestCompareWithoutFilter(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ from, keys, want string }{
		"months":     {"2025-01-01", `"compare": "previous_period"`, "31,496 (Oct 2026), up 14.7% from 27,465 (Sep 2026)."},
		"a year":     {"2025-01-01", `"compare": "previous_year"`, "31,496 (Oct 2026), unchanged from 31,496 (Oct 2025)."},
		"no year":    {"2026-01-01", `"compare": "previous_year"`, "31,496 (Oct 2026), nothing to compare with: the data begins Jan 1, 2026."},
		"quarters":   {"2025-01-01", `"compare": "previous_period", "grain": "quarter"`, "74,957 (Q3 2026), up 59.7% from 46,926 (Q2 2026)."},
		"days":       {"2025-01-01", `"compare": "previous_period", "grain": "day"`, "1,119 (Nov 19, 2026), up 0.1% from 1,118 (Nov 18, 2026)."},
		"short data": {"2026-10-20", `"compare": "previous_period"`, "7,784 (Week of Nov 9, 2026), up 0.6% from 7,735 (Week of Nov 2, 2026)."},
		"running too": {
			"2025-01-01", `"compare": "previous_period", "partial": "show"`,
			"22,210 (Nov 2026), up 9.9% from 20,210 (Oct 1, 2026 – Oct 20, 2026).",
		},
		"running year": {
			"2025-01-01", `"compare": "previous_year", "partial": "show", "grain": "quarter"`,
			"53,706 (Q4 2026), unchanged from 53,706 (Oct 1, 2025 – Nov 20, 2025).",
		},
		"running week": {
			"2025-01-01", `"compare": "previous_period", "partial": "show", "grain": "week"`,
			"5,590 (Week of Nov 16, 2026), up 0.6% from 5,555 (Nov 9, 2026 – Nov 13, 2026).",
		},
		"target": {
			"2025-01-01", `"compare": "previous_period", "target": 62992`,
			"31,496 (Oct 2026), up 14.7% from 27,465 (Sep 2026); 50%",
		},
		"line": {
			"2025-01-01", `"compare": "previous_period", "sparkline": "at", "grain": "month"`,
			"31,496 (Oct 2026), up 14.7% from 27,465 (Sep 2026). Small line: Jan 2025 – Oct 2026.",
		},
	} {
		v := tinySpec(t, `{"type": "kpi", "value": "n", `+tc.keys+`}`, []string{"at date", "shop text", "n integer sum"},
			numbers(tc.from, "2026-11-20")...)
		p := open(v).Panel(0)
		if !strings.HasPrefix(p.Summary, tc.want) {
			t.Errorf("%s: %s, want %s (%s%s)", name, p.Summary, tc.want, p.Problem, p.Empty)
		}
		if n := p.Numbers(); len(n) != 1 || !strings.Contains(n[0].Change, "(") && name != "no year" {
			t.Errorf("%s in a mail: %+v", name, n)
		}
	}
}

// A kpi with a grain and partial, which no filter gives a period, shows that period of the grain and names it: with show the running one,
// and else the last complete one, also beside a measure and a target. The data are of 20 November 2026.
func TestPeriodWithoutComparison(t *testing.T) {
	t.Parallel()
	const warning = "[incomplete] panels[0].partial: "
	for name, tc := range map[string]struct{ keys, want string }{
		"running quarter":    {`"grain": "quarter", "partial": "show"`, "53,706 (Q4 2026)."},
		"complete quarter":   {`"grain": "quarter", "partial": "hide"`, "74,957 (Q3 2026)."},
		"mark is complete":   {`"grain": "month", "partial": "mark"`, "31,496 (Oct 2026)."},
		"running day":        {`"grain": "day", "partial": "show"`, "1,120 (Nov 20, 2026)."},
		"with a measure":     {`"grain": "month", "partial": "show", "compare": "plan"`, "22,210 (Nov 2026), up 110,950% from"},
		"with a target":      {`"grain": "month", "partial": "show", "target": 44420`, "22,210 (Nov 2026); 50% of the target of 44,420."},
		"no complete year":   {`"grain": "year", "partial": "hide"`, "–, no period is complete yet."},
		"with where":         {`"grain": "month", "partial": "show", "where": {"shop": "South"}`, "11,100 (Nov 2026)."},
		"tiles":              {`"grain": "month", "partial": "show", "facet": "shop"`, "North: 11,110 (Nov 2026). South: 11,100 (Nov 2026)."},
		"tiles without year": {`"grain": "year", "partial": "hide", "facet": "shop"`, "North: –, no period is complete yet. South: –"},
	} {
		var rows [][]any
		for _, row := range numbers("2026-01-01", "2026-11-20") {
			rows = append(rows, append(row, int64(1)))
		}
		v := tinySpec(t, `{"type": "kpi", "value": "n", `+tc.keys+`}`, []string{"at date", "shop text", "n integer sum", "plan integer sum"},
			rows...)
		p := open(v).Panel(0)
		if !strings.HasPrefix(p.Summary, tc.want) {
			t.Errorf("%s: %s, want %s (%s%s)", name, p.Summary, tc.want, p.Problem, p.Empty)
		}
		if got := fmt.Sprint(p.Warnings); strings.Contains(got, warning) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// The author of a kpi whose number is that of the last complete period, though a later one has begun, reads which period that is and how to
// show the running one. Nothing is reported if partial is written, or if no later period has begun.
func TestPeriodOfNumberIsReported(t *testing.T) {
	t.Parallel()
	const quarter = `[incomplete] panels[0].partial: the number is of Q3 2026, the last complete quarter; "partial": "show" has that of ` +
		`Q4 2026, which is not over`
	for name, tc := range map[string]struct{ to, keys, want string }{
		"quarter": {"2026-11-20", `"title": "Fees this quarter", "compare": "previous_period", "grain": "quarter"`, quarter + "."},
		"a year":  {"2026-11-20", `"compare": "previous_year", "grain": "quarter"`, quarter + "."},
		"tiles":   {"2026-11-20", `"compare": "previous_year", "grain": "quarter", "facet": "shop"`, quarter + "."},
		"sparkline": {
			"2026-11-20", `"compare": "previous_period", "grain": "quarter", "sparkline": "at"`, quarter + ", in the number and in the sparkline.",
		},
		"no grain": {
			"2026-11-20", `"compare": "previous_period"`,
			`[incomplete] panels[0].partial: the number is of Oct 2026, the last complete month; "partial": "show" has that of ` +
				`Nov 2026, which is not over.`,
		},
		"written":  {"2026-11-20", `"compare": "previous_period", "grain": "quarter", "partial": "mark"`, ""},
		"ends":     {"2026-09-30", `"compare": "previous_period", "grain": "quarter"`, ""},
		"all rows": {"2026-11-20", `"compare": "previous_period", "grain": "year"`, ""},
	} {
		v := tinySpec(t, `{"type": "kpi", "value": "n", `+tc.keys+`}`, []string{"at date", "shop text", "n integer sum"},
			numbers("2026-01-01", tc.to)...)
		var got []string
		for _, w := range open(v).Panel(0).Warnings {
			if w.Code == dashboard.WarnIncomplete {
				got = append(got, w.String())
			}
		}
		if strings.Join(got, "\n") != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// All tiles show the period of the dataset, also one whose rows ended before it.
func TestTilesCompareOnePeriod(t *testing.T) {
	t.Parallel()
	rows := append(numbers("2026-01-01", "2026-11-20"), []any{day("2026-03-10"), "Closed", int64(5)})
	v := tinySpec(t, `{"type": "kpi", "value": "n", "facet": "shop", "compare": "previous_period", "grain": "month"}`,
		[]string{"at date", "shop text", "n integer sum"}, rows...)
	p := open(v).Panel(0)
	for _, want := range []string{"Closed: –, no rows in Oct 2026.", "North: 15,240 (Oct 2026), up", "South: 16,256 (Oct 2026), up"} {
		if !strings.Contains(p.Summary, want) {
			t.Errorf("%s, want %s", p.Summary, want)
		}
	}
	var titles []string
	for _, n := range p.Numbers() {
		titles = append(titles, n.Title)
	}
	if got := fmt.Sprint(titles); got != "[N by shop · Closed N by shop · North N by shop · South]" {
		t.Errorf("in a mail: %s", got)
	}
}

// TestTilesAreSorted: the numbers of a kpi, their names in a mail and the rows of their table are in the order of its sort: that of the
// period that is shown. A value without a number is last.
func TestTilesAreSorted(t *testing.T) {
	t.Parallel()
	rows := append(numbers("2026-01-01", "2026-11-20"), []any{day("2026-03-10"), "Closed", int64(500_000)})
	for by, want := range map[string]string{
		"": "[Closed North South]", "n": "[North South Closed]", "-n": "[South North Closed]", "-shop": "[South North Closed]",
		"shop": "[Closed North South]",
	} {
		sorted := ""
		if by != "" {
			sorted = `, "sort": "` + by + `"`
		}
		v := tinySpec(t, `{"type": "kpi", "value": "n", "facet": "shop"`+sorted+`}`, []string{"at date", "shop text", "n integer sum"}, rows...)
		v.Spec.Filters = []dashboard.Filter{{Column: "at"}}
		v.Query = url.Values{"f.at": {"last_month"}}
		if by == "" {
			v.Query = nil
		}
		p := open(v).Panel(0)
		var names, table []string
		for _, n := range p.Numbers() {
			names = append(names, strings.TrimPrefix(n.Title, "N by shop · "))
		}
		for _, row := range p.Grid.Rows {
			table = append(table, row[0].(cube.Category).Value.(string))
		}
		if by != "" {
			want = strings.ReplaceAll(strings.ReplaceAll(want, " Closed", ""), "Closed ", "") // it has no rows in the period
		}
		if got := fmt.Sprint(names); got != want || fmt.Sprint(table) != want {
			t.Errorf("sorted by %q: numbers %s, rows %s, want %s", by, got, table, want)
		}
	}
}

// Rows of tiles are as full as they can be.
func TestTileColumns(t *testing.T) {
	t.Parallel()
	for _, tc := range [...]struct{ n, fit, want int }{
		{1, 6, 1}, {4, 6, 4}, {4, 3, 2}, {6, 6, 6}, {7, 6, 4}, {8, 6, 4}, {10, 6, 5}, {11, 6, 6}, {24, 6, 6}, {5, 1, 1},
	} {
		if got := tileColumns(tc.n, tc.fit); got != tc.want {
			t.Errorf("%d numbers are in %d columns if %d fit, want %d", tc.n, got, tc.fit, tc.want)
		}
	}
}

// A small line that cannot be drawn is reported.
func TestSparklineNeedsTwoPeriods(t *testing.T) {
	t.Parallel()
	v := tinySpec(t, `{"type": "kpi", "value": "n", "sparkline": "at", "grain": "month"}`, []string{"at date", "shop text", "n integer sum"},
		numbers("2026-10-01", "2026-11-20")...)
	p := open(v).Panel(0)
	for _, w := range p.Warnings {
		if w.Code == dashboard.WarnLeftOut && strings.HasSuffix(w.Path, "sparkline") {
			return
		}
	}
	t.Errorf("no warning of a missing line: %v", p.Warnings)
}

// A kpi that is compared with two earlier periods names both. A note, a warning, or the reason for which there is no comparison is there
// once, also if it is true of both.
func TestTwoPeriodsOfNumber(t *testing.T) {
	t.Parallel()
	extra := map[string][][]any{"not in one": {
		{day("2025-01-01"), "Pop-up", int64(1)}, {day("2025-10-09"), "Pop-up", int64(8)}, {day("2026-10-09"), "Pop-up", int64(7)},
	}}
	for name, tc := range map[string]struct{ from, filter, keys, want, mail, notes string }{
		"last month": {
			"2025-01-01", "", ``, "31,496 (Oct 2026), up 14.7% from 27,465 (Sep 2026), unchanged from 31,496 (Oct 2025).",
			"Oct 2026 · ▲ +14.7% (Sep 2026: 27,465) · 0.0% (Oct 2025: 31,496)", "",
		},
		"running quarter": {
			"2025-01-01", "this_quarter", ``,
			"53,706 (52,586 as compared), up 39.9% from 37,586 (Jul 1 – Aug 19), unchanged from 52,586 (a year before).",
			"▲ +39.9% (Jul 1 – Aug 19: 37,586) · 0.0% (a year before: 52,586)", "Compared without Nov 20, 2026, which is not over.",
		},
		"one year": {
			"2026-02-01", "this_quarter", ``,
			"53,706 (52,586 as compared), up 39.9% from 37,586 (Jul 1 – Aug 19), nothing to compare with: the data begins Feb 1, 2026.",
			"▲ +39.9% (Jul 1 – Aug 19: 37,586) · Nothing to compare with: the data begins Feb 1, 2026",
			"Compared without Nov 20, 2026, which is not over.",
		},
		"not in one": {
			"2025-01-01", "", `, "where": {"shop": "Pop-up"}`, "7 (Oct 2026), no rows in Sep 2026, down 12.5% from 8 (Oct 2025).",
			"Oct 2026 · No rows in Sep 2026 · ▼ −12.5% (Oct 2025: 8)", "",
		},
		"all":   {"2025-01-01", "all", ``, "438,925, choose a period to compare.", "Choose a period to compare", ""},
		"today": {"2025-01-01", "today", ``, "1,120, not compared: the period is not over.", "Not compared: the period is not over", ""},
		"no day": {
			"2026-10-01", "last_month", ``, "31,496, nothing to compare with: the data begins Oct 1, 2026.",
			"Nothing to compare with: the data begins Oct 1, 2026", "",
		},
		"tiles": {
			"2025-01-01", "all", `, "facet": "shop"`,
			"North: 215,430, choose a period to compare. South: 223,495, choose a period to compare.",
			"Choose a period to compare", "",
		},
	} {
		v := tinySpec(t, `{"type": "kpi", "value": "n", "compare": ["previous_period", "previous_year"]`+tc.keys+`}`,
			[]string{"at date", "shop text", "n integer sum"}, append(numbers(tc.from, "2026-11-20"), extra[name]...)...)
		if tc.filter != "" {
			v.Spec.Filters = []dashboard.Filter{{Column: "at"}}
			v.Query = url.Values{"f.at": {tc.filter}}
		}
		p := open(v).Panel(0)
		if p.Summary != tc.want || strings.Join(p.Notes, " ") != tc.notes {
			t.Errorf("%s: %s, notes %q", name, p.Summary, p.Notes)
		}
		if got := p.Numbers()[0].Change; got != tc.mail {
			t.Errorf("%s in a mail: %s, want %s", name, got, tc.mail)
		}
		seen := map[string]bool{}
		for _, w := range p.Warnings {
			if seen[w.String()] {
				t.Errorf("%s: twice is %s", name, w)
			}
			seen[w.String()] = true
		}
	}
}

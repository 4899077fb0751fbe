package dashboard

import (
	"strings"
	"testing"
	"time"

	"service/store/dashboard/cube"
)

func midnight(t *testing.T, day string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// The checks of filters whose rows are known: one value of a column keeps rows apart, and a default that no row has causes a warning.
func TestFilterChecks(t *testing.T) {
	t.Parallel()
	cols := []cube.Column{{Name: "month", Type: cube.Date}, {Name: "country", Type: cube.Text}, {Name: "median", Type: cube.Number}}
	at := func(days ...string) (rows [][]any) {
		for _, d := range days {
			rows = append(rows, []any{midnight(t, d), "Denmark", 1.0}, []any{midnight(t, d), "Germany", 2.0})
		}
		return rows
	}
	monthly, daily := at("2026-01-01", "2026-02-01", "2026-03-01"), at("2026-01-01", "2026-01-02", "2026-02-01")
	const kpi, byCountry = `{"type": "kpi", "value": "median"}`, `{"type": "bar", "x": "country", "y": "median"}`
	const both = `{"column": "country", "multiple": false}, {"column": "month", "multiple": false, "grain": "month"}`
	const month = `{"column": "month", "multiple": false, "grain": "month"}`
	for _, tc := range []struct {
		name, filters, panel, more string
		rows                       [][]any
		want, warns                string
	}{
		{"one of both", both, kpi, ``, monthly, "", ""},
		{"one month", month, byCountry, ``, monthly, "", ""},
		{"one month of days", month, byCountry, ``, daily, `"median" cannot be merged over "month"`, ""},
		{
			"one quarter of months", strings.Replace(month, `"grain": "month"`, `"grain": "quarter"`, 1), byCountry, ``, monthly,
			"cannot be merged", "",
		},
		{"several months", `{"column": "month", "grain": "month"}`, byCountry, ``, monthly, "cannot be merged", ""},
		{"before the rows are known", month, byCountry, ``, nil, "", ""},
		{
			"alerts judge all rows", both, kpi, `, "alerts": [{"id": "low", "value": "median", "if": "<", "than": 1}]`, monthly,
			`alerts[0].value: "median" cannot be merged over "month", "country"`, "",
		},
		{
			"a default near a value", strings.Replace(both, `"multiple": false`, `"multiple": false, "default": "germany"`, 1), kpi, ``, monthly, "",
			`[default_unknown] filters[0].default: no row has the value "germany" of "country" at present; the nearest are "Germany".`,
		},
		{
			"a default near none", strings.Replace(both, `"multiple": false`, `"multiple": false, "default": "XX"`, 1), kpi, ``, monthly, "",
			`[default_unknown] filters[0].default: no row has the value "XX" of "country" at present; there are "Denmark", "Germany".`,
		},
		{
			"a default that rows have", strings.Replace(both, `"multiple": false`, `"multiple": false, "default": "Germany"`, 1), kpi, ``, monthly,
			"", "",
		},
	} {
		raw := `{"datasets": [{"id": "d", "sql": "SELECT month, country, median(x) AS median FROM t GROUP BY 1, 2"}],
			"filters": [` + tc.filters + `], "panels": [` + tc.panel + `]` + tc.more + `}`
		s, err := Parse([]byte(raw))
		var warnings []Warning
		if err == nil {
			var rows map[string]*cube.Cube
			if tc.rows != nil {
				b := cube.NewBuilder(cols)
				for _, row := range tc.rows {
					if err := b.Add(row); err != nil {
						t.Fatal(err)
					}
				}
				rows = map[string]*cube.Cube{"d": b.Cube()}
			}
			warnings, err = s.CheckRows(map[string][]cube.Column{"d": cols}, rows)
		}
		got, warned := "", ""
		if err != nil {
			got = err.Error()
		}
		for _, w := range warnings {
			if w.Code == WarnDefaultUnknown {
				warned += w.String()
			}
		}
		if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
		if warned != tc.warns {
			t.Errorf("%s: warns %q, want %q", tc.name, warned, tc.warns)
		}
	}
}

// A link to a dashboard whose filter is locked sets nothing there.
func TestLinkToLockedFilter(t *testing.T) {
	t.Parallel()
	of := &Spec{Filters: []Filter{{Column: "country", Locked: true, Default: []string{"DE"}}, {Column: "day"}}}
	to := Target{Slug: "sales", Filters: []TargetFilter{{Column: "country"}, {Column: "day"}}}
	const want = `dashboard "sales" has a locked filter on "country", which no link sets.`
	if got := to.Missing(of); len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
}

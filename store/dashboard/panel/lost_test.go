package panel

import (
	"math"
	"net/url"
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestLostValuesOfTheRowsShown: a panel counts the values that are not numbers among the rows that it shows, not among those that a filter
// or its own condition leaves out. A comparison has rows that the filter leaves out.
func TestLostValuesOfTheRowsShown(t *testing.T) {
	t.Parallel()
	const one, two = "1 value of N missing: not a number, or infinite.", "2 values of N missing: not a number, or infinite."
	for name, tc := range map[string]struct {
		panel string
		query url.Values
		want  string
	}{
		"all rows":           {`"type": "bar", "x": "k", "y": "n"`, nil, two},
		"one of them":        {`"type": "bar", "x": "k", "y": "n"`, url.Values{"f.k": {"a"}}, one},
		"another":            {`"type": "kpi", "value": "n"`, url.Values{"f.k": {"b", "c"}}, one},
		"none":               {`"type": "bar", "x": "k", "y": "n"`, url.Values{"f.k": {"c"}}, ""},
		"none in a table":    {`"type": "table", "columns": ["k", "n"]`, url.Values{"f.k": {"c"}}, ""},
		"none in plots":      {`"type": "line", "x": "day", "y": "n", "facet": "k"`, url.Values{"f.k": {"c"}}, ""},
		"condition":          {`"type": "kpi", "value": "n", "where": {"k": "c"}`, nil, ""},
		"days without":       {`"type": "kpi", "value": "n"`, url.Values{"f.day": {"2026-02-01..2026-02-28"}}, ""},
		"compared with them": {`"type": "kpi", "value": "n", "compare": "previous_period"`, url.Values{"f.day": {"2026-02-01..2026-02-28"}}, two},
		"compared by the reader": {
			`"type": "line", "x": "day", "y": "n"`, url.Values{"f.day": {"2026-02-01..2026-02-28"}, "p0.before": {"1"}}, two,
		},
	} {
		v := tinySpec(t, "{"+tc.panel+"}", []string{"day date", "k text", "n number sum"},
			[]any{day("2026-01-01"), "a", 1.0}, []any{day("2026-01-02"), "a", math.NaN()}, []any{day("2026-02-02"), "a", 2.0},
			[]any{day("2026-01-03"), "b", math.Inf(1)}, []any{day("2026-01-04"), "b", 3.0},
			[]any{day("2026-01-05"), "c", 4.0}, []any{day("2026-02-06"), "c", 5.0}, []any{day("2026-02-07"), "c", 6.0})
		v.Spec.Filters = []dashboard.Filter{{Column: "k"}, {Column: "day"}}
		v.Query = tc.query
		var got []string
		for _, note := range open(v).Panel(0).Notes {
			if strings.Contains(note, "missing: ") {
				got = append(got, note)
			}
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: noted %q, want %q", name, got, tc.want)
		}
	}
}

package panel

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// TestFunnelNumbers: the steps of a funnel, their amounts and both of their shares equal those that the test counts from the rows, also
// with a filter.
func TestFunnelNumbers(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 2))
	steps := []string{"Visit", "Cart", "Address", "Payment", "Order"}
	var rows [][]any
	counted := map[string]map[string]int64{"": {}, "DE": {}, "FR": {}}
	for _, country := range []string{"DE", "FR"} {
		for d := range 30 {
			left := 200 + r.Int64N(300)
			for _, step := range steps {
				rows = append(rows, []any{day("2026-05-01").AddDate(0, 0, d), country, step, left})
				counted[country][step] += left
				counted[""][step] += left
				left = left * (30 + r.Int64N(60)) / 100
			}
		}
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Funnel, Label: "step", Value: "people"}},
		[]string{"day date", "country text", "step text", "people integer sum"}, rows...)
	v.Spec.Filters = []dashboard.Filter{{Column: "country"}}
	for country, want := range counted {
		if v.Query = nil; country != "" {
			v.Query = map[string][]string{"f.country": {country}}
		}
		p := open(v).Panel(0)
		if len(p.Grid.Rows) != len(steps) || p.Warnings != nil || p.Notes != nil {
			t.Fatalf("%q: %v, warnings %v, notes %v", country, p.Grid.Rows, p.Warnings, p.Notes)
		}
		for i, step := range steps {
			n := want[step]
			row := []any{step, n, float64(n) / float64(want["Visit"]), nil}
			more := ""
			if i > 0 {
				more = fmt.Sprintf("%.1f%% of the first", 100*float64(n)/float64(want["Visit"]))
				row[3] = float64(n) / float64(want[steps[i-1]])
			}
			if i > 1 {
				more = fmt.Sprintf("%.1f%% of the step before · ", 100*float64(n)/float64(want[steps[i-1]])) + more
			}
			got := p.Grid.Rows[i]
			if amount, _ := encode.Float(got[1]); got[0].(cube.Category).Value != row[0] || amount != float64(n) ||
				got[2] != row[2] || got[3] != row[3] {
				t.Errorf("%q: row %v, want %v", country, got, row)
			}
			if s := p.Content.(*funnelPanel).shares(i); s != more {
				t.Errorf("%q: %s says %q, want %q", country, step, s, more)
			}
		}
	}
}

// TestFunnelOrder: the steps have the order of sort or of the spec, else the order of a scale, else the order of the rows; if that is
// accidental, the author is warned.
func TestFunnelOrder(t *testing.T) {
	t.Parallel()
	const grouped = "SELECT step, no, sum(n) AS n FROM t GROUP BY 1, 2"
	for _, tc := range []struct {
		steps, sort, sql string
		order            dashboard.Order
		want, codes      string
	}{
		{"Visit Order Cart", "", "", dashboard.Order{}, "Visit Order Cart", "doubtful panels[0].label"},
		{"Visit Cart Order", "", grouped, dashboard.Order{}, "Visit Cart Order", "doubtful panels[0].label"},
		{"Visit Cart Order", "", grouped + " ORDER BY 2", dashboard.Order{}, "Visit Cart Order", ""},
		{"Visit Order Cart", "no", grouped, dashboard.Order{}, "Cart Order Visit", "doubtful panels[0].label"},
		{"Visit Cart Order", "-n", "", dashboard.Order{}, "Visit Cart Order", ""},
		{"Visit Cart Order", "n", "", dashboard.Order{}, "Order Cart Visit", "doubtful panels[0].label"},
		{"Visit Cart Order", "step", "", dashboard.Order{}, "Cart Order Visit", "doubtful panels[0].label"},
		{"Visit Cart Order", "-no", "", dashboard.Order{}, "Visit Order Cart", "doubtful panels[0].label"},
		{"Visit Cart Order", "", "", dashboard.Order{Values: []string{"Order", "Visit"}}, "Order Visit Cart", "doubtful panels[0].label"},
		{"3-Pay 1-Visit 2-Cart", "", "", dashboard.Order{}, "1-Visit 2-Cart 3-Pay", "doubtful panels[0].label"},
		{"3-Pay 1-Visit 2-Cart", "", "", dashboard.Order{Rows: true}, "3-Pay 1-Visit 2-Cart", ""},
	} {
		var rows [][]any
		for i, step := range strings.Fields(tc.steps) {
			rows = append(rows, []any{step, int64(strings.Index("Cart Order Visit", step)), int64(100 - 10*i)})
		}
		if tc.steps == "Visit Order Cart" && tc.sort == "" { // Order has fewer than Cart
			rows[1][2], rows[2][2] = int64(10), int64(50)
		}
		v := tiny([]dashboard.Panel{{Type: dashboard.Funnel, Label: "step", Value: "n", Sort: tc.sort}},
			[]string{"step text", "no integer dimension", "n integer sum"}, rows...)
		v.Spec.Datasets[0].Columns[1] = dashboard.Meta{Name: "no", Role: dashboard.Dimension}
		if tc.sql != "" {
			v.Spec.Datasets[0].SQL = tc.sql
		}
		v.Spec.Columns = []dashboard.Appearance{{Column: "step", Order: tc.order}}
		var got []string
		for _, row := range open(v).Panel(0).Grid.Rows {
			got = append(got, row[0].(cube.Category).Value.(string))
		}
		if s := strings.Join(got, " "); s != tc.want || codes(v) != tc.codes {
			t.Errorf("%s sorted by %q of %q: %s with %q, want %s with %q", tc.steps, tc.sort, tc.sql, s, codes(v), tc.want, tc.codes)
		}
	}
}

// TestFunnelSays: omitted steps, steps that grow, and values that a funnel cannot draw are reported to its readers and to its author.
func TestFunnelSays(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		values         []any
		agg            string
		says, codes    string
		steps, problem int
	}{
		{[]any{int64(9), int64(5), int64(7), int64(8)}, "sum", "Larger than the step before: c, d.", "doubtful panels[0].label", 4, 0},
		{[]any{int64(9), nil, int64(12), int64(0)}, "sum", "", "", 4, 0},
		{make([]any, 20), "sum", "The first 14 of 20 values of step; the rest is not drawn.", "cut panels[0].label", 14, 0},
		{[]any{int64(9), int64(-1)}, "sum", "", "doubtful panels[0].value", 0, 1},
		{[]any{int64(9), int64(1)}, "avg", "", "", 0, 1},
		{[]any{int64(9), int64(1)}, "none", "", "", 2, 0},
	} {
		var rows [][]any
		for i, n := range tc.values {
			if len(tc.values) == 20 {
				n = int64(50 - i)
			}
			rows = append(rows, []any{string(rune('a' + i)), n})
		}
		v := tiny([]dashboard.Panel{{Type: dashboard.Funnel, Label: "step", Value: "n"}}, []string{"step text", "n integer " + tc.agg}, rows...)
		p := open(v).Panel(0)
		if got := codes(v); got != tc.codes {
			t.Errorf("%v: warnings %q, want %q", tc.values, got, tc.codes)
		}
		if (p.Problem != "") != (tc.problem == 1) {
			t.Errorf("%v: problem %q", tc.values, p.Problem)
		}
		if tc.problem == 0 && (len(p.Grid.Rows) != tc.steps || strings.Join(p.Notes, " ") != tc.says) {
			t.Errorf("%v: %d steps, notes %q", tc.values, len(p.Grid.Rows), p.Notes)
		}
		safe(t, render(t, v))
	}
}

package panel

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// TestRangesHaveTheirNumbers: a range of numbers into which the steps of an axis are merged has the numbers from its first one on, up to
// the first one of the next range, also if they are decimal fractions.
func TestRangesHaveTheirNumbers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		first, last int // in units
		unit        string
	}{{0, 99, "0.1"}, {-99, 99, "0.1"}, {0, 299, "0.01"}, {100, 180, "0.05"}, {0, 70, "0.3"}, {-35, 70, "0.07"}} {
		for _, exact := range []bool{false, true} {
			unit, _ := strconv.ParseFloat(tc.unit, 64)
			var rows [][]any
			for k := tc.first; k <= tc.last; k++ {
				text := strconv.FormatFloat(float64(k)*unit, 'f', 2, 64)
				v, _ := strconv.ParseFloat(text, 64)
				if rows = append(rows, []any{v, 1.0}); exact {
					rows[len(rows)-1][0] = cube.Decimal(text)
				}
			}
			v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "x", Y: []string{"n"}}}, []string{"x number", "n number sum"}, rows...)
			v.Spec.Datasets[0].Columns[0].Role = dashboard.Dimension
			p := open(v).Panel(0)
			if p.Grid == nil || len(p.Grid.Rows) >= len(rows) {
				t.Fatalf("%v: %s%s", tc, p.Problem, p.Empty)
			}
			for _, row := range p.Grid.Rows {
				name := strings.ReplaceAll(fmt.Sprint(row[0].(cube.Category).Value), "−", "-")
				a, b, _ := strings.Cut(name, "–<")
				from, err1 := strconv.ParseFloat(a, 64)
				to, err2 := strconv.ParseFloat(b, 64)
				if err1 != nil || err2 != nil {
					t.Fatalf("%v: range %s", tc, name)
				}
				want := 0.0
				for k := tc.first; k <= tc.last; k++ {
					if f := float64(k) * unit; f > from-1e-9 && f < to-1e-9 {
						want++
					}
				}
				if got := number(row[1]); got != want && !(want == 0 && math.IsNaN(got)) {
					t.Errorf("%v, decimal %v: %s has %v numbers, want %v", tc, exact, name, got, want)
				}
			}
		}
	}
}

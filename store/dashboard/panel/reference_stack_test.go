package panel

import (
	"testing"

	"service/store/dashboard"
)

// TestReferencesOfStacks: the lines of a stack are computed from its totals, which are on its axis; those of grouped bars and of lines from
// the values.
func TestReferencesOfStacks(t *testing.T) {
	t.Parallel()
	rows := [][]any{{"a", "x", 10.0}, {"a", "y", 30.0}, {"b", "x", 20.0}, {"b", "y", 60.0}}
	for _, kind := range []string{dashboard.Bar, dashboard.Area} {
		for stack, want := range map[bool][3]float64{true: {60, 40, 80}, false: {30, 10, 60}} {
			v := tiny([]dashboard.Panel{{
				Type: kind, X: "k", Y: []string{"n"}, Series: "s", Stack: stack,
				Reference: []dashboard.Reference{{Kind: "average"}, {Kind: "min"}, {Kind: "max"}},
			}}, []string{"k text", "s text", "n number sum"}, rows...)
			p := open(v).Panel(0)
			var s *split
			switch c := p.Content.(type) {
			case *barPanel:
				s = c.split
			case *linePanel:
				s = c.split
			}
			for i, r := range p.references(s) {
				if r.Value != want[i] {
					t.Errorf("%s, stack %v: the line %d is at %v, want %v", kind, stack, i, r.Value, want[i])
				}
			}
		}
	}
}

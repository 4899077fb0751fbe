package panel

import (
	"testing"

	"service/store/dashboard"
)

// The lines of a stack are about its totals, which its axis has; those of bars and lines side by side are about the values.
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

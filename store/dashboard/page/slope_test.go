package page

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
)

// slopes is a page of one slope of a dataset with the columns k, x and n.
func slopes(x, n string, rows ...[]any) View {
	return tiny([]dashboard.Panel{{Type: dashboard.Slope, Label: "k", X: "x", Value: "n"}}, []string{"k text", "x " + x, "n " + n}, rows...)
}

// TestSlopeNamesAreApart: names of a slope do not overlap, however close its values are. They are next to both ends, and on a phone next to
// one.
func TestSlopeNamesAreApart(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	for range 40 {
		lines, near := 1+r.IntN(30), []float64{0, 0.01, 1, 1000}[r.IntN(4)]
		var rows [][]any
		for i := range lines {
			name := fmt.Sprintf("%s %d", strings.Repeat("Name ", r.IntN(6)), i)
			for x := range int64(2) {
				rows = append(rows, []any{name, x, 1000 + r.NormFloat64()*near})
			}
		}
		v := slopes("integer", "number sum", rows...)
		v.Spec.Panels[0].Limit, v.Spec.Panels[0].Width = 30, []int{4, 6, 12}[r.IntN(3)]
		p := open(v).Panel(0)
		p.Columns = v.Spec.Panels[0].Width
		if faults := measured(p); faults != nil {
			t.Fatalf("%d lines within %v: %q", lines, near, faults)
		}
		drawn := record(p)
		for size, want := range []int{lines, 2 * lines, 2 * lines} {
			// The first of two lines has neither the number at the end of a name nor the sign of a cut.
			first := func(s string) bool { return !strings.ContainsAny(s, "0123456789…") }
			if n := len(slices.DeleteFunc(drawn.Values(size), first)); n != want {
				t.Errorf("%d of %d names are written on width %d", n, want, size)
			}
		}
	}
}

// TestEndsOfSlopesAreNamed: both ends of a slope have names, also if these are longer than the lines.
func TestEndsOfSlopesAreNamed(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i, kind := range []string{"Elektrizitätsversorgungsunternehmen", "Rechtsschutzversicherungsgesellschaften", "Wasser"} {
		rows = append(rows, []any{kind, "Frankfurt am Main", float64(i)}, []any{kind, "Villingen-Schwenningen", float64(3 - i)})
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Slope, Label: "kind", X: "town", Value: "n", Width: 6}},
		[]string{"kind text", "town text", "n number sum"}, rows...)
	for size := range 3 {
		p := &phoneNames{lettered: lettered{size: size}}
		open(v).Panel(0).Content.Draw(p)
		for _, town := range []string{"Frankfurt am", "Villingen-Sch"} {
			if !slices.ContainsFunc(p.texts, func(s string) bool { return strings.HasPrefix(s, town) }) {
				t.Errorf("no %q on width %d: %q", town, size, p.texts)
			}
		}
	}
}

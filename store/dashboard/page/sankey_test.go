package page

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// sankeys is a page of one sankey of a dataset with the columns a, b, c and n. Without steps it has flows from a to b.
func sankeys(steps []string, rows ...[]any) View {
	p := dashboard.Panel{Type: dashboard.Sankey, Steps: steps, Value: "n"}
	if steps == nil {
		p.From, p.To = "a", "b"
	}
	return tiny([]dashboard.Panel{p}, []string{"a text", "b text", "c text", "n number sum"}, rows...)
}

// TestSankeyIsOrderly: in sankeys of random flows, names do not overlap, bars are on the plot, and equal rows are drawn equally.
func TestSankeyIsOrderly(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(61, 62))
	for range 60 {
		var rows [][]any
		values := 1 + r.IntN(40)
		for range 1 + r.IntN(200) {
			name := func() any {
				if r.IntN(15) == 0 {
					return nil
				}
				return strings.Repeat("Name ", r.IntN(4)) + fmt.Sprint(r.IntN(values))
			}
			rows = append(rows, []any{name(), name(), name(), math.Exp(r.NormFloat64() * 2)})
		}
		v := sankeys([][]string{nil, {"a", "b"}, {"a", "b", "c"}}[r.IntN(3)], rows...)
		v.Spec.Panels[0].Width = []int{4, 6, 12}[r.IntN(3)]
		p := open(v).Panel(0)
		p.Columns = v.Spec.Panels[0].Width
		if faults := measured(p); faults != nil {
			t.Fatal(faults)
		}
		drawn := record(p)
		if again := record(open(v).Panel(0)); p.Columns == 12 && !reflect.DeepEqual(again.Ribbons, drawn.Ribbons) {
			t.Fatal("the same rows are drawn in another way")
		}
		for _, plot := range drawn.Plots { // that of phones is another one if its names have places of their own
			orderly(t, plot.Rects, plot.Ribbons)
		}
	}
}

// orderly checks the bars and the ribbons of a plot.
func orderly(t *testing.T, bars []canvas.Rect, ribbons []canvas.Ribbon) {
	t.Helper()
	for i, a := range bars {
		if a.X.V < 0 || a.X.V+a.Width.V > 1+1e-9 || a.Y.V < -1e-9 || a.Y.V+a.Height.V > 1.01 {
			t.Fatalf("a bar is at %v,%v, %v by %v", a.X, a.Y, a.Width, a.Height)
		}
		for _, b := range bars[:i] {
			if a.X == b.X && min(a.Y.V+a.Height.V, b.Y.V+b.Height.V)-max(a.Y.V, b.Y.V) > 0.005 {
				t.Fatalf("%v and %v are on each other", a.Title, b.Title)
			}
		}
	}
	for _, f := range ribbons {
		for _, e := range [][2]int{f.From, f.To, f.Way} {
			if e[0] < 0 || e[1] > 1001 || e[0] > e[1] {
				t.Fatalf("a ribbon is at %v", f)
			}
		}
	}
}

package page

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
)

// treemapOf is a page of one treemap of a dataset with the columns outer, inner and n.
func treemapOf(series string, levels []string, rows ...[]any) View {
	return tiny([]dashboard.Panel{{Type: dashboard.Treemap, Levels: levels, Series: series, Value: "n"}},
		[]string{"outer text", "inner text", "n number sum"}, rows...)
}

// TestTreemapNamesAreInside: the names and values of areas are inside of them, at each width, and do not overlap.
func TestTreemapNamesAreInside(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(23, 24))
	for range 30 {
		var rows [][]any
		for i := range 1 + r.IntN(300) {
			name := strings.Repeat("Name ", r.IntN(5)) + fmt.Sprint(i)
			rows = append(rows, []any{fmt.Sprint("Group ", i%(1+r.IntN(12))), name, math.Exp(r.NormFloat64() * 2)})
		}
		v := treemapOf("", [][]string{{"inner"}, {"outer", "inner"}}[r.IntN(2)], rows...)
		v.Spec.Panels[0].Width = []int{3, 6, 12}[r.IntN(3)]
		p := open(v).Panel(0)
		p.Columns = v.Spec.Panels[0].Width
		if faults := measured(p); faults != nil {
			t.Fatal(faults)
		}
		drawn := record(p)
		room := chart.Room{Inside: insideOf(p.Columns)}.FullWidths()
		areas := len(drawn.Rects) / 2
		for _, l := range drawn.Labels {
			for size, width := range room {
				if l.On&(1<<size) == 0 {
					continue
				}
				layout := drawn.Rects[:areas]
				if size > 0 {
					layout = drawn.Rects[areas:]
				}
				inside := false
				for _, a := range layout {
					x, y := l.X.V*width, l.Y.V*340+float64(l.Down)
					inside = inside || x >= a.X.V*width && x+canvas.LabelWidth(l.Text) <= (a.X.V+a.Width.V)*width &&
						y-9 >= a.Y.V*340 && y+2 <= (a.Y.V+a.Height.V)*340
				}
				if !inside {
					t.Fatalf("%q is in no area on width %d", l.Text, size)
				}
			}
		}
	}
}

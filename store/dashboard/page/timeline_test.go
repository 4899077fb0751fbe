package page

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
)

// timelines is a page of one timeline of a dataset with the columns k, s, a, z and n. Today is 2026-11-20, 09:30.
func timelines(of string, rows ...[]any) View {
	return tiny([]dashboard.Panel{{Type: dashboard.Timeline, Label: "k", Start: "a", End: "z"}},
		[]string{"k text", "s text", "a " + of, "z " + of, "n integer sum"}, rows...)
}

// TestTimelineIsOrderly: in timelines of random spans, those of a lane do not overlap, all are on the plot, texts do not overlap, and equal
// rows are drawn equally.
func TestTimelineIsOrderly(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(41, 42))
	for range 60 {
		of := []string{"date", "timestamp", "instant"}[r.IntN(3)]
		var rows [][]any
		labels := 1 + r.IntN(120)
		for range 1 + r.IntN(300) {
			from := day("2026-06-01").Add(time.Duration(r.IntN(300*24)) * time.Hour)
			to := from.Add(time.Duration(r.IntN(1+r.IntN(400))-2) * time.Hour)
			if of == "date" {
				from, to = from.Truncate(24*time.Hour), to.Truncate(24*time.Hour)
			}
			row := []any{strings.Repeat("Name ", r.IntN(5)) + fmt.Sprint(r.IntN(labels)), fmt.Sprint("s", r.IntN(4)), from, to, int64(1)}
			for end := range 2 {
				if r.IntN(12) == 0 {
					row[2+end] = nil
				}
			}
			rows = append(rows, row)
		}
		v := timelines(of, rows...)
		v.Spec.Panels[0].Series = []string{"", "s", "k"}[r.IntN(3)]
		v.Spec.Panels[0].Width = []int{4, 6, 12}[r.IntN(3)]
		v.Spec.Timezone = []string{"UTC", "America/New_York"}[r.IntN(2)]
		p := open(v).Panel(0)
		p.Columns = v.Spec.Panels[0].Width
		if p.Content == nil {
			continue
		}
		if faults := measured(p); faults != nil {
			t.Fatal(faults)
		}
		drawn := record(p)
		if again := record(open(v).Panel(0)); !reflect.DeepEqual(again.Rects, drawn.Rects) {
			t.Fatal("the same rows are drawn in another way")
		}
		for i, a := range drawn.Rects {
			const eps = 1e-9
			if a.X.V < -eps || a.X.V+a.Width.V > 1+chart.LeastLane || a.Y.V < 0 || a.Y.V+a.Height.V > 1+eps || a.Width.V <= 0 {
				t.Fatalf("a bar is at %v,%v, %v by %v", a.X, a.Y, a.Width, a.Height)
			}
			for _, b := range drawn.Rects[:i] {
				left, right := max(a.X.V, b.X.V), min(a.X.V+a.Width.V, b.X.V+b.Width.V)
				if a.Y == b.Y && right-left > chart.LeastLane+eps && a.Fade == canvas.NoFade && b.Fade == canvas.NoFade {
					t.Fatalf("%q (%v, %v) and %q (%v, %v) are on each other", a.Title, a.X, a.Width, b.Title, b.X, b.Width)
				}
			}
		}
	}
}

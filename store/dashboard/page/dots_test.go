package page

import (
	"fmt"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/scene"
)

// TestPicturesOfManyPointsEnd: a picture or a document of many scatter charts ends after a number of points, and reports how many panels
// are left out.
func TestPicturesOfManyPointsEnd(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range int64(2000) {
		rows = append(rows, []any{i * 7919 % 1000, i * 104729 % 997, fmt.Sprintf("name %d", i)})
	}
	panel := dashboard.Panel{Type: dashboard.Scatter, X: "x", Y: []string{"y"}, Label: "name"}
	columns := []string{"x integer sum", "y integer sum", "name text"}
	for _, paper := range []bool{false, true} {
		few := sceneOf(t, tiny(times(10, panel), columns, rows...), Shot{}, paper)
		if n := circles(few); n < 20_000 || anyText(few, "more panels on the page.") {
			t.Errorf("paper %v: %d points of ten charts of 2,000 are drawn", paper, n)
		}
		many := sceneOf(t, tiny(times(60, panel), columns, rows...), Shot{}, paper)
		if n := circles(many); n < mostDots || n > mostDots+2200 {
			t.Errorf("paper %v: %d points are drawn, want about %d", paper, n, mostDots)
		}
		if !anyText(many, "44 more panels on the page.") {
			t.Errorf("paper %v: it does not report the panels that are left out", paper)
		}
	}
}

// circles counts the dots of a scene: shapes with a thin outline.
func circles(w *pagePainter) int {
	n := 0
	for _, item := range w.Items {
		if s, ok := item.(*scene.Shape); ok && s.Width == 1 {
			n++
		}
	}
	return n
}

package chart

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
)

// TestNamesAvoidDots: names are not on other dots, except that of the first dot, which always has one; a name that has no place next to its
// dot is joined to it by a line, which crosses no name.
func TestNamesAvoidDots(t *testing.T) {
	t.Parallel()
	const width, height = 480.0, 240.0
	r := rand.New(rand.NewPCG(5, 6))
	joined := 0
	for range 40 {
		n := 5 + r.IntN(60)
		dots, names := make([]canvas.Circle, n), make([]string, n)
		for i := range dots {
			dots[i] = canvas.Circle{X: canvas.Of(r.Float64()), Y: canvas.Of(r.Float64()), Radius: 3 + 12*r.Float64()}
			names[i] = fmt.Sprintf("A name of dot %d", i)
		}
		labels, lines := SpotNames(names, stat.Indices(n), dots, nil, (&Spots{}).naming(), width, height)
		joined += len(lines)
		if len(labels) < min(n, 5) {
			t.Errorf("%d of %d dots have names", len(labels), n)
		}
		marks := boxesOfSpots(dots, width, height)
		for k := range labels {
			box := BoxOf(&labels[k], width, height)
			box = Box{box.X1 + 2/width, box.X2 - 2/width, box.Y1 + 1/height, box.Y2 - 2/height} // without the air around it
			if labels[k].Text != names[0] && slices.ContainsFunc(marks, box.Touches) {
				t.Errorf("%q is on a dot", labels[k].Text)
			}
			for _, line := range lines {
				if (Segment{line.X1.V, line.Y1.V, line.X2.V, line.Y2.V}).Crosses(box) {
					t.Errorf("a line is on %q", labels[k].Text)
				}
			}
		}
	}
	if joined == 0 {
		t.Error("no name is joined to its dot by a line")
	}
}

package canvas

import (
	"slices"
	"testing"
)

// TestPlacesOfSmallPlots: on a phone plots are one below another, with all labels; in wider panels the first of each row has the labels on
// the left, and the last of each column those below it, also where the last row has a hole.
func TestPlacesOfSmallPlots(t *testing.T) {
	t.Parallel()
	p := SmallPlots{Names: slices.Repeat([]string{"a"}, 5), Columns: 3}
	for inside, columns := range map[float64]int{330: 1, 480: 1, 500: 2, FacetInside: 3, 800: 3, 1200: 3} {
		if got := p.ColumnsIn(inside); got != columns {
			t.Errorf("%d columns in %v pixels, want %d", got, inside, columns)
		}
		for i := range p.Names {
			at := p.AxesOf(i, inside)
			if want := columns == 1 || i%columns == 0; at.Left != want {
				t.Errorf("plot %d in %v pixels has labels on the left: %v", i, inside, at.Left)
			}
			if want := columns == 1 || i+columns >= 5; at.Below != want {
				t.Errorf("plot %d in %v pixels has labels below it: %v", i, inside, at.Below)
			}
			if at.Below && !at.Roomy {
				t.Errorf("plot %d in %v pixels has no room for its labels", i, inside)
			}
		}
	}
	if at := p.AxesOf(0, 1200); at.Below || !at.Roomy {
		t.Errorf("the first plot of a row above a hole is %+v, want it as high as the others", at)
	}
	four := SmallPlots{Names: slices.Repeat([]string{"a"}, 4), Columns: 4}
	if got := four.ColumnsIn(700); got != 2 {
		t.Errorf("four plots in %d columns, so that one is alone in its row", got)
	}
}

// TestPlacesOfTiles: a phone has room for two numbers side by side, and no panel has more columns than it asks for.
func TestPlacesOfTiles(t *testing.T) {
	t.Parallel()
	p := SmallPlots{Names: slices.Repeat([]string{"a"}, 11), Columns: 6, Own: true, Tiles: true}
	for inside, columns := range map[float64]int{100: 1, 330: 2, 480: 3, 690: 4, 1200: 6, 3000: 6} {
		if got := p.ColumnsIn(inside); got != columns {
			t.Errorf("%d columns in %v pixels, want %d", got, inside, columns)
		}
	}
}

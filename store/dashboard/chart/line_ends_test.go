package chart

import (
	"slices"
	"strings"
	"testing"

	"service/store/dashboard/canvas"
)

// endsOf is a chart of lines with names at their ends, all from 0 to a value.
func endsOf(names []string, values ...float64) (*Chart, *LineEnds) {
	lines := &Lines{Dots: LastDots}
	ends := &LineEnds{Of: lines}
	for i, v := range values {
		lines.Lines = append(lines.Lines, Line{Points: []Point{{X: 0, Value: 0}, {X: 1, Value: v}}, Color: canvas.SeriesColor(i)})
		ends.Names = append(ends.Names, canvas.Item{Name: names[i]})
	}
	h := &Chart{Height: 240, Room: Room{Inside: 820}, Over: []Layer{lines}}
	h.Y.Write = func(s Scale) []string { return make([]string, len(s.Ticks())) }
	return h, ends
}

// TestEndsOfLines: names are beside the ends of their lines, in their order and apart; a line joins a name to an end that is elsewhere.
func TestEndsOfLines(t *testing.T) {
	t.Parallel()
	h, ends := endsOf([]string{"a", "b", "c", "d"}, 10, 99, 100, 98)
	if !ends.Fit(h) {
		t.Fatal("four names do not fit")
	}
	phone := *h
	phone.Key = &Key{Kind: canvas.LegendList, Items: []canvas.Item{{Name: "legend"}}}
	h.Ends, h.Phone = ends, &phone
	r := &canvas.Recorder{}
	h.Draw(r)
	at := map[string]float64{}
	for _, l := range r.Labels {
		if l.Right == endAir {
			at[l.Text] = l.Y.V * float64(h.Height)
		}
	}
	order := []string{"c", "b", "d", "a"}
	for i := 1; i < len(order); i++ {
		if at[order[i]]-at[order[i-1]] < endPitch-1e-9 {
			t.Errorf("%s is at %v, and %s at %v", order[i-1], at[order[i-1]], order[i], at[order[i]])
		}
	}
	joined := map[canvas.Color]int{}
	for _, l := range r.Lines {
		if l.Stroke == canvas.ThinLine && l.X2.V > 1 {
			joined[l.Color]++
		}
	}
	if joined[canvas.SeriesColor(0)] != 0 || joined[canvas.SeriesColor(1)] != 2 || joined[canvas.SeriesColor(3)] != 2 {
		t.Errorf("lines to names: %v", joined)
	}
	if drawn := r.String(); strings.Count(drawn, `"legend"`) != 1 || !strings.Contains(drawn, "only on phone") {
		t.Errorf("the legend is not on a phone alone:\n%s", drawn)
	}
}

// TestEndsOfShortLines: a line that ends in the middle of the plot is not joined to its name, which has a dash of its color.
func TestEndsOfShortLines(t *testing.T) {
	t.Parallel()
	h, ends := endsOf([]string{"today", "yesterday"}, 10, 99)
	ends.Of.Lines[0].Points[1].X = 0.6
	phone := *h
	h.Ends, h.Phone = ends, &phone
	r := &canvas.Recorder{}
	h.Draw(r)
	dashes := 0
	for _, l := range r.Lines {
		if l.Stroke != canvas.ThinLine || l.X2.V <= 1 || l.Color != canvas.SeriesColor(0) {
			continue
		}
		if dashes++; l.X1.V <= 1 || l.Y1 != l.Y2 {
			t.Errorf("a line from %v, %v to %v, %v crosses the plot", l.X1.V, l.Y1.V, l.X2.V, l.Y2.V)
		}
	}
	if dashes != 2 {
		t.Errorf("%d dashes, want one on a tablet and one on a desktop", dashes)
	}
}

// TestEndsThatDoNotFit: a long name, a line without an end on the plot, more names than the plot has room for, and a narrow panel keep the
// legend.
func TestEndsThatDoNotFit(t *testing.T) {
	t.Parallel()
	least := 50.0
	many := slices.Repeat([]string{"n"}, 30)
	for name, change := range map[string]func(h *Chart, ends *LineEnds) (*Chart, *LineEnds){
		"long": func(h *Chart, e *LineEnds) (*Chart, *LineEnds) {
			e.Names[1].Name = strings.Repeat("long ", 9)
			return h, e
		},
		"outside": func(h *Chart, e *LineEnds) (*Chart, *LineEnds) { h.Y.Min = &least; return h, e },
		"many":    func(*Chart, *LineEnds) (*Chart, *LineEnds) { return endsOf(many, make([]float64, 30)...) },
		"narrow":  func(h *Chart, e *LineEnds) (*Chart, *LineEnds) { h.Room.Inside = 362; return h, e },
		"unnamed": func(h *Chart, e *LineEnds) (*Chart, *LineEnds) { clear(e.Names); return h, e },
	} {
		h, ends := endsOf([]string{"a", "b"}, 10, 99)
		if !ends.Fit(h) {
			t.Fatal("two names do not fit")
		}
		if h, ends = change(h, ends); ends.Fit(h) {
			t.Errorf("%s: the names fit", name)
		}
	}
}

package panel

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"service/store/dashboard/canvas"
	"service/store/dashboard/format"
)

// record draws a panel on a recorder.
func record(p *Panel) *canvas.Recorder {
	r := &canvas.Recorder{}
	p.Content.Draw(r)
	return r
}

// recorded draws a panel of a view on a recorder.
func recorded(t *testing.T, v Input, index int) (*Panel, *canvas.Recorder) {
	t.Helper()
	p := open(v).Panel(index)
	if p.Content == nil {
		t.Fatalf("panel %d: %s%s", index, p.Problem, p.Empty)
	}
	return p, record(p)
}

// leftAxis reads the names of the gridlines. It returns a function from values to places, from 0 at the top, also beyond the plot; on a
// logarithmic axis steps are factors, and values that it cannot show are at the bottom.
func leftAxis(t *testing.T, labels []canvas.RecordedLabel, log bool) func(v float64) float64 {
	t.Helper()
	return readAxis(t, labels, canvas.Px(-8), log)
}

// rightAxis is [leftAxis] for the right axis.
func rightAxis(t *testing.T, labels []canvas.RecordedLabel) func(v float64) float64 {
	t.Helper()
	return readAxis(t, labels, canvas.Of(1), false)
}

func readAxis(t *testing.T, labels []canvas.RecordedLabel, x canvas.Coord, log bool) func(v float64) float64 {
	t.Helper()
	straight := func(v float64) float64 {
		if log {
			return math.Log10(v)
		}
		return v
	}
	var values, at []float64
	for _, l := range labels {
		if l.X != x || l.Down != 4 || l.Look != canvas.AxisText {
			continue
		}
		text := strings.NewReplacer(format.Minus, "-", ",", "", "$", "", "K", "e3", "M", "e6", "%", "e-2").Replace(l.Text)
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("a gridline has the name %q", l.Text)
		}
		values, at = append(values, straight(v)), append(at, l.Y.V)
	}
	last := len(values) - 1
	if last < 1 {
		t.Fatalf("the axis has the gridlines %v", values)
	}
	each := (at[last] - at[0]) / (values[last] - values[0])
	for i, v := range values {
		if y := at[0] + (v-values[0])*each; math.Abs(y-at[i]) > 1e-9 {
			t.Errorf("the gridline of %v is at %v, want %v", v, at[i], y)
		}
	}
	return func(v float64) float64 {
		if log && v <= 0 {
			return 1
		}
		return at[0] + (straight(v)-values[0])*each
	}
}

// samePlace reports whether two places on a plot are the same.
func samePlace(a, b float64) bool { return math.Abs(a-b) <= 1e-9 }

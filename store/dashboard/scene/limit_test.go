package scene

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// row adds a text at a height.
func (s *Scene) row(ts *Typesetter, y float64, words string) {
	t := &Text{X: 20, Y: y, Text: words, Style: Style{Regular, 12}, Color: black}
	t.Width = ts.Width(words, t.Style)
	s.Add(t)
}

// A document ends before the sheet that exceeds its limits, with a notice on a last sheet.
func TestDocumentsEnd(t *testing.T) {
	t.Parallel()
	const wide, high = 1000.0, 700.0 // of A4 in landscape
	for name, tc := range map[string]struct {
		sheets, points int // of a shape on each sheet
		want           int // sheets that are printed; 0 for all
	}{
		"all":          {sheets: 3, points: 100},
		"just":         {sheets: MaxSheets, points: 1},
		"many sheets":  {sheets: MaxSheets + 1, points: 1, want: MaxSheets},
		"more sheets":  {sheets: 20 * MaxSheets, points: 1, want: MaxSheets},
		"many points":  {sheets: 8, points: maxSteps / 5, want: 4},
		"at the first": {sheets: 2, points: maxSteps + 1, want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ts := NewTypesetter()
			defer ts.Free()
			sheet := Sheet{Ended: func(sheets int) string { return fmt.Sprintf("It ends after %d sheets.", sheets) }}
			_, room := sheet.room(wide)
			s := &Scene{Width: wide, Height: float64(tc.sheets)*room - 1, Back: white}
			for i := range tc.sheets {
				y := float64(i) * room
				s.row(ts, y+20, fmt.Sprintf("Sheet %d.", i))
				shape := &Shape{Fill: black}
				for k := range tc.points {
					shape.Path.LineTo(float64(k%900), y+float64(k%500))
				}
				s.Add(shape)
				if i > 0 {
					s.Breaks = append(s.Breaks, y)
				}
			}
			doc, err := s.PDF(t.Context(), ts, sheet)
			if err != nil {
				t.Fatal(err)
			}
			texts, pages := textOf(t, doc)
			said := slices.ContainsFunc(texts, func(s string) bool { return strings.HasPrefix(s, "It ends") })
			if whole := tc.sheets <= MaxSheets && tc.points*tc.sheets <= maxSteps; whole {
				if pages != tc.sheets || said {
					t.Errorf("%d of %d sheets; it says that it ends: %v", pages, tc.sheets, said)
				}
				return
			}
			all := strings.Join(texts, "\n")
			if pages != tc.want+1 || !strings.Contains(all, fmt.Sprintf("It ends after %d sheets.", tc.want)) ||
				!strings.Contains(all, fmt.Sprintf("%d / %d", tc.want+1, tc.want+1)) {
				t.Errorf("%d sheets, want %d and one: %.300s", pages, tc.want, all[max(0, len(all)-300):])
			}
			if strings.Contains(all, fmt.Sprintf("Sheet %d.", tc.want)) ||
				tc.want > 0 && !strings.Contains(all, fmt.Sprintf("Sheet %d.", tc.want-1)) {
				t.Error("it ends elsewhere")
			}
		})
	}
}

// The cost of a document grows with its items and sheets, not with their product.
func TestDocumentsGrowSlowly(t *testing.T) {
	ts := NewTypesetter()
	defer ts.Free()
	write := func(sheets int) time.Duration {
		sheet := Sheet{Foot: strings.Repeat("A long name. ", 60)}
		_, room := sheet.room(1000)
		s := &Scene{Width: 1000, Height: float64(sheets)*room - 1, Back: white}
		for i := range 100 * sheets {
			y := float64(i)*room/100 + 6
			s.row(ts, y, "Words.")
			sheet.Weak = append(sheet.Weak, y+3)
		}
		least := time.Hour
		for range 3 {
			begin := time.Now()
			if _, err := s.PDF(context.Background(), ts, sheet); err != nil {
				t.Fatal(err)
			}
			least = min(least, time.Since(begin))
		}
		return least
	}
	few, many := write(30), write(480)
	t.Logf("%v for 30 sheets, %v for 480", few, many)
	if many > 40*few { // 16 times as many
		t.Errorf("%v for 30 sheets, %v for 480", few, many)
	}
}

// The dashes of a line far longer than any picture are not computed.
func TestDashesEnd(t *testing.T) {
	t.Parallel()
	for _, far := range []float64{1e6, 1e12, 1e17, 1e300, math.Inf(1)} {
		l := polyline{points: []Point{{0, 0}, {far, 0}}}
		if n := len(l.dashed([]float64{7, 4})); n > maxDashes {
			t.Errorf("%d dashes of %g pixels", n, far)
		}
	}
	if n := len(polyline{points: []Point{{0, 0}, {110, 0}}}.dashed([]float64{7, 4})); n != 10 {
		t.Errorf("%d dashes of 110 pixels", n)
	}
}

// The cache of a typesetter is bounded, however long the lines are.
func TestTypesetterForgets(t *testing.T) { // not parallel: what is kept is measured by the memory of the process
	ts := newTypesetter(nil)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 10_000 {
		ts.Width(fmt.Sprint(i, strings.Repeat("l", 450)), Style{Regular, 12})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := int(after.HeapAlloc) - int(before.HeapAlloc); kept > 3*maxLines {
		t.Errorf("%d MB are kept", kept>>20)
	}
	runtime.KeepAlive(ts)
}

// Coordinates that are huge or not a number are written as numbers that are valid in a document.
func TestLengths(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{
		0: "0", 1: "1", 12.345: "12.35", 12.3: "12.3", -0.05: "-0.05", 0.001: "0", -3.999: "-4", 841.89: "841.89",
		math.NaN(): "-1000000", math.Inf(1): "1000000", math.Inf(-1): "-1000000", 1e300: "1000000",
	} {
		if got := string(appendLength(nil, v)); got != want {
			t.Errorf("%g is written %s, want %s", v, got, want)
		}
	}
}

package scene

import (
	"fmt"
	"testing"
)

// TestHeadsRepeat: each sheet that shows more rows of a table begins with the head of the table, and has as many rows fewer.
func TestHeadsRepeat(t *testing.T) {
	t.Parallel()
	ts := NewTypesetter()
	defer ts.Free()
	const rows, high = 60, 37.0
	s := &Scene{Width: 1000, Height: 100 + 30 + rows*high + 400}
	put := func(text string, y float64) *Text {
		out := &Text{X: 20, Y: y, Text: text, Style: Style{Regular, 13}, Color: black, Width: 60}
		s.Add(out)
		return out
	}
	put("Title", 50)
	head := put("Head", 120)
	sheet := Sheet{}
	for i := range rows {
		top := 130 + float64(i)*high
		put(fmt.Sprintf("Row %d", i), top+20)
		sheet.Weak = append(sheet.Weak, top+high)
	}
	end := 130 + rows*high
	put("After", end+300)
	s.Heads = []Head{{Items: []Item{head}, From: 100, To: 130, End: end}}
	_, room := sheet.room(s.Width)
	cuts := s.sheets(room, sheet.Weak)
	if len(cuts) < 3 {
		t.Fatalf("%d sheets: the table is not cut", len(cuts))
	}
	inside := 1
	for i, y := range cuts[1:] {
		to := s.Height
		if i+2 < len(cuts) {
			to = cuts[i+2]
		}
		if y < end-1 {
			inside++
			if to-y+30 > room+0.01 {
				t.Errorf("a sheet of %g pixels has rows of %g below the head", room, to-y)
			}
		}
	}
	doc, err := s.PDF(t.Context(), ts, sheet)
	if err != nil {
		t.Fatal(err)
	}
	texts, pages := textOf(t, doc)
	count := map[string]int{}
	for _, text := range texts {
		count[text]++
	}
	if pages != len(cuts) || count["Head"] != inside || count["Title"] != 1 || count["After"] != 1 {
		t.Errorf("%d pages, of which %d show rows: %v", pages, inside, count)
	}
	for i := range rows {
		if n := count[fmt.Sprintf("Row %d", i)]; n != 1 {
			t.Errorf("row %d is printed %d times", i, n)
		}
	}
}

// TestSheetsEnd: a scene without a height at which it can be cut is cut at each sheet, with and without text.
func TestSheetsEnd(t *testing.T) {
	t.Parallel()
	s := &Scene{Width: 1000, Height: 5000}
	if cuts := s.sheets(1000, nil); len(cuts) != 5 || cuts[4] != 4000 {
		t.Errorf("cut at %v", cuts)
	}
}

// TestSheetsFill: a table after a few lines begins on their sheet, and one that is higher than a sheet begins on a sheet that is half full.
func TestSheetsFill(t *testing.T) {
	t.Parallel()
	var weak []float64
	for y := 300.0; y < 1200; y += 40 {
		weak = append(weak, y)
	}
	s := &Scene{Width: 1000, Height: 2500, Breaks: []float64{250, 1200}}
	if cuts := s.sheets(1000, weak); cuts[1] != 980 {
		t.Errorf("a sheet with a line and a table of %g ends at %g", 1200-250.0, cuts[1])
	}
	s.Breaks = []float64{600, 2000}
	weak = nil
	for y := 650.0; y < 2000; y += 40 {
		weak = append(weak, y)
	}
	if cuts := s.sheets(1000, weak); cuts[1] != 970 {
		t.Errorf("a sheet before a table of %g ends at %g", 2000-600.0, cuts[1])
	}
	s.Breaks = []float64{600, 1300}
	if cuts := s.sheets(1000, weak); cuts[1] != 600 {
		t.Errorf("a table that fits on a sheet is cut at %g", cuts[1])
	}
}

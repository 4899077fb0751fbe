package scene

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"
)

var (
	white = color.NRGBA{255, 255, 255, 255}
	black = color.NRGBA{0, 0, 0, 255}
	red   = color.NRGBA{200, 0, 0, 255}
)

// painted is a scene as a picture, with one pixel for one of CSS.
func painted(t *testing.T, s *Scene) image.Image {
	t.Helper()
	ts := NewTypesetter()
	defer ts.Free()
	b, err := s.PNG(t.Context(), ts, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// dark is how much of a part of a picture is black, in pixels.
func dark(p image.Image, x1, y1, x2, y2 int) (sum float64) {
	for y := y1; y < y2; y++ {
		for x := x1; x < x2; x++ {
			r, _, _, _ := p.At(x, y).RGBA()
			sum += 1 - float64(r)/0xffff
		}
	}
	return sum
}

// Shapes cover the right pixels, also at the seam of two strips.
func TestShapesAreAsLargeAsTheyAre(t *testing.T) {
	t.Parallel()
	shape := func(s Shape, draw func(p *Path)) *Shape {
		draw(&s.Path)
		return &s
	}
	box := func(p *Path) { p.Rect(Rect{20, 230, 60, 50}, 0) }
	for name, tc := range map[string]struct {
		shape *Shape
		want  float64
	}{
		"a rectangle":                {shape(Shape{Fill: black}, box), 60 * 50},
		"a rectangle between pixels": {shape(Shape{Fill: black}, func(p *Path) { p.Rect(Rect{20.25, 230.5, 60, 50}, 0) }), 60 * 50},
		"round corners":              {shape(Shape{Fill: black}, func(p *Path) { p.Rect(Rect{20, 230, 60, 50}, 10) }), 60*50 - (4-math.Pi)*100},
		"a circle":                   {shape(Shape{Fill: black}, func(p *Path) { p.Circle(50, 256, 30) }), math.Pi * 900},
		"the edge of a circle":       {shape(Shape{Stroke: black, Width: 4}, func(p *Path) { p.Circle(50, 256, 30) }), math.Pi * 60 * 4},
		"an edge that has no hole":   {shape(Shape{Stroke: black, Width: 50}, func(p *Path) { p.Circle(50, 256, 20) }), math.Pi * 45 * 45},
		"the edge of an long box": {
			shape(Shape{Stroke: black, Width: 4}, func(p *Path) { p.Rect(Rect{20, 236, 60, 40}, 20) }), (math.Pi*40 + 2*20) * 4,
		},
		"the dashes of a circle": {
			shape(Shape{Stroke: black, Width: 4, Dash: []float64{6, 6}}, func(p *Path) { p.Circle(50, 256, 30) }), 16 * 6 * 4,
		},
		"a hole": {shape(Shape{Fill: black}, func(p *Path) {
			box(p)
			p.Rect(Rect{30, 240, 20, 20}, 0)
		}), 60*50 - 20*20},
		"a large hole": {shape(Shape{Fill: black}, func(p *Path) {
			p.Rect(Rect{10, 20, 80, 200}, 0)
			p.Rect(Rect{20, 40, 60, 100}, 0)
		}), 80*200 - 60*100},
		"a large rectangle":       {shape(Shape{Fill: black}, func(p *Path) { p.Rect(Rect{10.5, 20.5, 80, 300}, 12) }), 80*300 - (4-math.Pi)*144},
		"the edge of a large one": {shape(Shape{Stroke: black, Width: 2}, func(p *Path) { p.Rect(Rect{10, 20, 80, 300}, 0) }), 2 * 2 * 380},
		"a hole that turns the other way": {shape(Shape{Fill: black}, func(p *Path) {
			box(p)
			p.MoveTo(30, 240)
			p.LineTo(30, 260)
			p.LineTo(50, 260)
			p.LineTo(50, 240)
			p.Close()
		}), 60*50 - 20*20},
		"half of it shines through": {shape(Shape{Fill: color.NRGBA{0, 0, 0, 128}}, box), 60 * 50 * 0.5},
		"cut":                       {shape(Shape{Fill: black, Clip: &Rect{0, 240, 50, 500}}, box), 30 * 40},
		"an edge":                   {shape(Shape{Stroke: black, Width: 4}, box), 4 * (60 + 50) * 2},
		"a line":                    {shape(Shape{Stroke: black, Width: 3}, func(p *Path) { p.MoveTo(10, 200); p.LineTo(10, 300) }), 300},
		"a round line": {
			shape(Shape{Stroke: black, Width: 10, Round: true}, func(p *Path) { p.MoveTo(10, 240); p.LineTo(90, 240) }), 800 + math.Pi*25,
		},
		"a line that goes back": {
			shape(Shape{Stroke: black, Width: 4}, func(p *Path) { p.MoveTo(10, 240); p.LineTo(90, 240); p.LineTo(10, 240) }), 320 + math.Pi*2,
		},
		"dashes": {
			shape(Shape{Stroke: black, Width: 2, Dash: []float64{6, 4}}, func(p *Path) { p.MoveTo(0, 256); p.LineTo(100, 256) }), 60 * 2,
		},
		"an arc": {shape(Shape{Stroke: black, Width: 10}, func(p *Path) { p.Arc(50, 256, 30, 0, 0.25) }), math.Pi * 30 / 2 * 10},
		"stripes": {
			shape(Shape{Hatch: Hatch{Ground: white, Stripe: black, Period: 6, Width: 3}}, box), 60 * 50 / 2,
		},
		"far out of the picture": {shape(Shape{Fill: black}, func(p *Path) { p.Rect(Rect{-1e7, 230, 2e7, 50}, 0) }), 100 * 50},
	} {
		s := &Scene{Width: 100, Height: 400, Back: white}
		s.Add(tc.shape)
		got := dark(painted(t, s), 0, 0, 100, 400)
		if math.Abs(got-tc.want) > 0.02*tc.want+1 {
			t.Errorf("%s: %.1f pixels, want %.1f", name, got, tc.want)
		}
	}
}

// Texts have the position and the width of their boxes.
func TestTextsAreWhereTheirBoxesAre(t *testing.T) {
	t.Parallel()
	ts := NewTypesetter()
	defer ts.Free()
	for _, style := range []Style{{Regular, 40}, {Bold, 24}, {Italic, 30}, {Mono, 20}} {
		text := &Text{X: 50, Y: 100, Text: "Häkgjý €1,234.50 Ωб", Style: style, Color: black}
		text.Width = ts.Width(text.Text, style)
		s := &Scene{Width: 700, Height: 200, Back: white}
		s.Add(text)
		p := painted(t, s)
		all := dark(p, 0, 0, 700, 200)
		b := text.Box()
		in := dark(p, int(b.X)-1, int(b.Y-style.Size*0.12), int(b.X+b.W)+2, int(b.Y+b.H)+1)
		if all < 100 || in < 0.995*all {
			t.Errorf("%v: %.0f of %.0f are inside of %+v", style, in, all, b)
		}
		if last := dark(p, int(b.X+b.W*0.97), 0, int(b.X+b.W)+2, 200); last < 1 {
			t.Errorf("%v: it ends before %+v does", style, b)
		}
	}
}

func TestWidths(t *testing.T) {
	t.Parallel()
	ts := NewTypesetter()
	defer ts.Free()
	style := Style{Regular, 100}
	width := func(s string) float64 { return ts.Width(s, style) }
	if w := width("0"); width("0123456789") != 10*w || math.Abs(w-55.6) > 0.1 {
		t.Errorf("figures are %g wide, all of them %g", w, width("0123456789"))
	}
	for text, same := range map[string]string{
		"a\u202fb": "a\u00a0b", "a\u2011b": "a-b", "＝": "=", "a\tb": "a b", "\u200f": "",
	} {
		if width(text) != width(same) {
			t.Errorf("%q is %g wide, %q %g", text, width(text), same, width(same))
		}
	}
	ts.Missing = nil
	if width("\U0010fffd") < 30 || string(ts.Missing) != "\U0010fffd" {
		t.Errorf("a letter that nobody has is %g wide, and %q is missing", width("\U0010fffd"), ts.Missing)
	}
}

// A text that is read from right to left is drawn so, with words of other scripts in it.
func TestDirections(t *testing.T) {
	t.Parallel()
	ts := NewTypesetter()
	defer ts.Free()
	read := func(s string) string {
		var out []string
		for _, r := range ts.line(s, Regular).runs {
			out = append(out, strings.TrimSpace(r.text))
		}
		return strings.Join(out, "|")
	}
	for text, want := range map[string]string{ // from left to right, as it is seen
		"abc":             "abc",
		"אבג":             "גבא",
		"abc אבג def":     "abc|גבא|def",
		"אבג abc דהו":     "והד|abc|גבא",
		"\u200fabc אבג":   "גבא|abc",
		"אבג 12 דהו":      "והד|12|גבא",
		"Ω ≥ é − 5 €/м":   "Ω ≥ é − 5 €/м",
		"e\u0301 is an é": "e\u0301 is an é",
	} {
		if got := strings.ReplaceAll(read(text), "\u200f", ""); strings.Trim(got, "|") != want {
			t.Errorf("%q is read %q, want %q", text, got, want)
		}
	}
}

var tj = regexp.MustCompile(`(?s)\((.*?[^\\]|)\) Tj`)

// textOf are the texts of a document, in the order in which they are drawn, and how often each
// page was begun.
func textOf(t *testing.T, doc []byte) (texts []string, pages int) {
	t.Helper()
	for _, part := range bytes.Split(doc, []byte("\nstream\n"))[1:] {
		body, _, _ := bytes.Cut(part, []byte("\nendstream"))
		z, err := zlib.NewReader(bytes.NewReader(body))
		if err != nil {
			continue
		}
		content, err := io.ReadAll(z)
		if err != nil || !bytes.Contains(content, []byte("BT ")) {
			continue
		}
		pages++
		for _, m := range tj.FindAllSubmatch(content, -1) {
			raw := regexp.MustCompile(`\\([\\()r])`).ReplaceAllFunc(m[1], func(b []byte) []byte {
				if b[1] == 'r' {
					return []byte{'\r'}
				}
				return b[1:]
			})
			var units []uint16
			for i := 0; i+1 < len(raw); i += 2 {
				units = append(units, binary.BigEndian.Uint16(raw[i:]))
			}
			texts = append(texts, string(utf16.Decode(units)))
		}
	}
	return texts, pages
}

// A document holds its texts as texts, on sheets that cut no line, and names its language.
func TestDocument(t *testing.T) {
	t.Parallel()
	ts := NewTypesetter()
	defer ts.Free()
	s := &Scene{Width: 1000, Height: 3000, Back: white, Title: "Größe", Lang: "de-DE", Time: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	var want []string
	for i := range 60 {
		text := &Text{X: 20, Y: float64(30 + 49*i), Style: Style{Face(i % 4), 20}, Color: black}
		text.Text = fmt.Sprintf("Zeile %d: Ωμέγα, рубль (\\) €", i)
		text.Width = ts.Width(text.Text, text.Style)
		s.Add(text)
		want = append(want, text.Text)
		s.Breaks = append(s.Breaks, text.Y+15)
	}
	s.Add(&Text{X: 20, Y: 2990, Text: "אבג", Style: Style{Regular, 20}, Color: red, Width: 40, Link: "https://example.com/x"})
	write := func(sheet Sheet) []byte {
		t.Helper()
		b, err := s.PDF(t.Context(), ts, sheet)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	doc := write(Sheet{Foot: "Unten"})
	texts, pages := textOf(t, doc)
	all := strings.Join(texts, "\n")
	for _, line := range append(want, "Unten", "1 / 5", "5 / 5") {
		if strings.Count(all, line) != 1 && line != "Unten" {
			t.Errorf("%q is there %d times", line, strings.Count(all, line))
		}
	}
	if pages != 5 || strings.Count(all, "Unten") != 5 || strings.Count(all, "גבא")+strings.Count(all, "אבג") != 1 {
		t.Errorf("%d pages:\n%s", pages, all)
	}
	for _, part := range []string{"/Lang (", "/URI (https://example.com/x)", "D:20260304050607"} {
		if !bytes.Contains(doc, []byte(part)) {
			t.Errorf("there is no %s", part)
		}
	}
	if !bytes.Equal(doc, write(Sheet{Foot: "Unten"})) {
		t.Error("it is another the second time")
	}
	if _, upright := textOf(t, write(Sheet{Upright: true, Letter: true})); upright != 3 {
		t.Errorf("%d upright sheets", upright)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.PDF(gone, ts, Sheet{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Sheets end between parts; inside of one only where it is higher than a sheet, and then
// between lines.
func TestSheets(t *testing.T) {
	t.Parallel()
	s := &Scene{Height: 1000, Breaks: []float64{90, 180, 250, 270, 700}}
	for y := 300.0; y < 700; y += 10 {
		s.Add(&Text{Y: y, Style: Style{Regular, 9}})
	}
	var weak []float64
	for y := 303.0; y < 700; y += 10 {
		weak = append(weak, y-5, y) // the first of them in the letters
	}
	got := s.sheets(200, weak)
	if want := []float64{0, 180, 373, 573, 700, 900}; !slices.Equal(got, want) {
		t.Errorf("sheets begin at %v, want %v", got, want)
	}
	for i, y := range got {
		if i > 0 && (y-got[i-1] > 200 || y <= got[i-1]) {
			t.Errorf("sheet %d is %g high", i, y-got[i-1])
		}
	}
}

// A picture has at most 256 colours, the most frequent ones exactly.
func TestPalette(t *testing.T) {
	t.Parallel()
	s := &Scene{Width: 700, Height: 300, Back: white}
	for i := range 600 {
		shape := &Shape{Fill: color.NRGBA{uint8(i), uint8(i / 3), uint8(255 - i), 255}}
		shape.Path.Rect(Rect{float64(i), 10, 1, 1}, 0)
		s.Add(shape)
	}
	large := &Shape{Fill: red}
	large.Path.Rect(Rect{0, 100, 700, 100}, 0)
	s.Add(large)
	p := painted(t, s).(*image.Paletted)
	if len(p.Palette) != 256 {
		t.Errorf("%d colours", len(p.Palette))
	}
	if got := color.NRGBAModel.Convert(p.At(50, 150)); got != red {
		t.Errorf("what is red is %v", got)
	}
	for i := range 600 {
		r, g, b, _ := p.At(i, 10).RGBA()
		off := 0.0
		for k, v := range [...]uint32{r, g, b} {
			off += math.Abs(float64(v>>8) - float64([...]uint8{uint8(i), uint8(i / 3), uint8(255 - i)}[k]))
		}
		if off > 40 {
			t.Errorf("pixel %d is off by %g", i, off)
		}
	}
}

// Typesetters that are used at once share fonts, and no more.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	s := &Scene{Width: 300, Height: 100, Back: white}
	for i, text := range []string{"One", "Ώνe", "שלום", "日本", "Two"} {
		s.Add(&Text{X: 10, Y: float64(20 * i), Text: text, Style: Style{Face(i % 4), 16}, Color: black})
	}
	var want []byte
	var group sync.WaitGroup
	var once sync.Mutex
	for range 4 {
		group.Go(func() {
			ts := NewTypesetter()
			defer ts.Free()
			got, err := s.PNG(t.Context(), ts, 2)
			if err != nil {
				t.Error(err)
			}
			once.Lock()
			defer once.Unlock()
			if want == nil {
				want = got
			}
			if !bytes.Equal(got, want) {
				t.Error("two pictures of a scene differ")
			}
		})
	}
	group.Wait()
}

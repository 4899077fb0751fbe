package html

import (
	"regexp"
	"strings"
	"testing"

	"service/store/dashboard/canvas"
	"service/store/dashboard/geo"
)

// TestHTMLPainter draws a combination that no figure draws yet: a group with a link.
func TestHTMLPainter(t *testing.T) {
	t.Parallel()
	w := &Painter{Doc: &Doc{}}
	w.Group(canvas.Group{Link: "https://example.com/?a=1&b=2", Title: "<Ada>"})
	w.Line(canvas.Line{X1: canvas.Of(0.25), X2: canvas.Px(3), Y1: canvas.Of(0), Y2: canvas.Of(1), Stroke: canvas.ReferenceLine, Tone: "good"})
	w.End()
	want := `<a href="https://example.com/?a=1&amp;b=2" rel="noopener noreferrer nofollow"><g><title>&lt;Ada&gt;</title>` +
		`<line class="rh" x1="25%" x2="3" y1="0%" y2="100%"/><line class="ref good" x1="25%" x2="3" y1="0%" y2="100%"/></g></a>`
	if got := string(w.B); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestHatchesOfRamps: the hatch of each colour is written once a page, also that of a ramp, in the colour that the style has for it.
func TestHatchesOfRamps(t *testing.T) {
	t.Parallel()
	colors := []canvas.Color{canvas.OtherColor, canvas.HeatColor, canvas.GreenHue.Step(6), canvas.ToneColor("bad"), canvas.PaleHue.Step(6)}
	w := &Painter{Doc: &Doc{}}
	for range 2 {
		for _, c := range colors {
			w.Rect(canvas.Rect{Color: c, Hatched: true})
			w.Rect(canvas.Rect{Veil: true, Color: canvas.HeatColor})
			w.Shape(canvas.Shape{Hatched: true, Rings: [][]geo.Point{{{}, {X: 1}}}})
		}
		w.Rect(canvas.Rect{Fade: canvas.FadesLeft})
	}
	got := string(w.B)
	for _, pattern := range []string{
		`<pattern id="z12" class="h0"`, `<pattern id="z25" class="h13"`, `<pattern id="z63" class="h51"`, `<pattern id="z74" class="h62"`,
		`<pattern id="z11" class="f11"`, `<pattern id="z0" `, `<pattern id="v0" `, `<mask id="fl"`,
	} {
		if n := strings.Count(got, pattern); n != 1 {
			t.Errorf("%d times %s in\n%s", n, pattern, got)
		}
	}
}

// TestPatternsOfBlocks: a bar that is hatched or fades in a block of some widths has a pattern or a mask in the same block, because
// browsers do not draw those of a block that is hidden. Bars elsewhere do not use it.
func TestPatternsOfBlocks(t *testing.T) {
	t.Parallel()
	w := &Painter{Doc: &Doc{}}
	bars := func() {
		w.Rect(canvas.Rect{Color: 2, Hatched: true})
		w.Rect(canvas.Rect{Color: 2, Hatched: true})
		w.Rect(canvas.Rect{Color: 2, Fade: canvas.FadesRight})
		w.Shape(canvas.Shape{Rings: [][]geo.Point{{{}, {}, {}}}, Hatched: true})
	}
	var blocks []string
	for _, on := range []canvas.Widths{canvas.Phone, canvas.Tablet | canvas.Desktop, 0, canvas.Phone, 0} {
		from := len(w.B)
		if on != 0 {
			w.Only(on)
		}
		bars()
		if on != 0 {
			w.End()
		}
		blocks = append(blocks, string(w.B[from:]))
	}
	blocks[2], blocks = blocks[2]+blocks[4], blocks[:4] // those on all widths share theirs
	seen := map[string]bool{}
	for i, block := range blocks {
		var used int
		for _, m := range regexp.MustCompile(`url\(#(\w+)\)`).FindAllStringSubmatch(block, -1) {
			if used++; strings.Count(block, `id="`+m[1]+`"`) != 1 {
				t.Errorf("block %d uses %q, and has not one of it: %s", i, m[1], block)
			}
		}
		if used < 4 {
			t.Errorf("block %d: %d uses", i, used)
		}
		for _, m := range regexp.MustCompile(`id="(\w+)"`).FindAllStringSubmatch(block, -1) {
			if seen[m[1]] {
				t.Errorf("%q is there twice", m[1])
			}
			seen[m[1]] = true
		}
	}
}

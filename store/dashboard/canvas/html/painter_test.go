package html

import (
	"testing"

	"service/store/dashboard/canvas"
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

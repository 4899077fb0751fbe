package text

import (
	"strings"
	"testing"

	"service/store/dashboard/canvas"
	"service/store/dashboard/geo"
	"service/store/dashboard/locale"
)

// Marks, axes, names and lines have signs of their own, and each colour one that the key names.
func TestTextPainter(t *testing.T) {
	t.Parallel()
	plot := canvas.Picture{Height: 80, Left: []string{"10", "日本"}}
	for name, tc := range map[string]struct {
		draw func(c canvas.Canvas)
		want string
	}{
		"series": {func(c canvas.Canvas) {
			c.List(canvas.LegendList)
			for i := range 2 {
				c.Item(canvas.Item{Color: canvas.Color(i + 1), Name: []string{"A\x1b[31m", "B\u202e"}[i]})
				c.End()
			}
			c.End()
			c.AxisName("Revenue", canvas.YSide)
			c.Picture(plot)
			c.Line(canvas.Line{X2: canvas.Of(1), Y1: canvas.Of(1), Y2: canvas.Of(1), Stroke: canvas.ZeroLine})
			c.Rect(canvas.Rect{X: canvas.Of(0), Y: canvas.Of(0.375), Width: canvas.Of(0.1), Height: canvas.Of(0.625), Color: 1})
			c.Viewport()
			c.Curve(canvas.Curve{Points: []canvas.Point{{X: 500, Y: 100}, {X: 600, Y: 100}}, Color: 2})
			c.End()
			c.Line(canvas.Line{X2: canvas.Of(1), Y1: canvas.Of(0.3), Y2: canvas.Of(0.3), Stroke: canvas.ReferenceLine})
			c.Label(canvas.Label{X: canvas.Of(1), Y: canvas.Of(0.3), Down: -6, Anchor: canvas.AtEnd, Text: "Goal"})
			c.Label(canvas.Label{X: canvas.Px(-8), Y: canvas.Of(0), Down: 4, Anchor: canvas.AtEnd, Text: "日本"})
			c.Label(canvas.Label{X: canvas.Of(0.5), Y: canvas.Of(1), Down: canvas.BelowPlot, Anchor: canvas.AtMiddle, Text: "Jan"})
			c.End()
		}, `█ A [31m   ○ B
↑ Revenue
日本                                      ○○○○○○○○○                        Goal
     ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
     ████████
     ████████───────────────────────────────────────────────────────────────────
                                         Jan`},
		"cells of an outline": {func(c canvas.Canvas) {
			c.Ramp(canvas.Ramp{Colors: []canvas.Color{canvas.HeatColor, canvas.HeatColor + 6}, Texts: []string{"0", "", "9"}})
			c.Picture(canvas.Picture{Height: 40})
			c.Extent(2, 2)
			c.Shape(canvas.Shape{Color: canvas.HeatColor + 6, Rings: [][]geo.Point{{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 1}}}})
			c.End()
			c.End()
		}, "0 ·█ 9\n████████████\n"},
		"on a phone alone": {func(c canvas.Canvas) {
			c.Picture(canvas.Picture{Height: 80})
			c.Group(canvas.Group{Widths: canvas.Phone})
			c.Label(canvas.Label{X: canvas.Of(0.5), Y: canvas.Of(0.5), Down: 4, Text: "hidden"})
			c.End()
			c.End()
		}, "\n\n\n"},
	} {
		lines, _ := Paint(tc.draw, 24, locale.For("en-US"))
		if got := strings.Join(lines, "\n"); got != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, tc.want)
		}
	}
}

package page

import (
	"slices"
	"strings"
	"testing"

	"service/store/dashboard/geo"
)

// drawnInText draws on a textPainter.
type drawnInText func(c canvas)

func (d drawnInText) draw(c canvas) { d(c) }

// Marks, axes, names and lines have signs of their own, and each colour one that the key names.
func TestTextPainter(t *testing.T) {
	t.Parallel()
	plot := picture{height: 80, left: []string{"10", "日本"}}
	for name, tc := range map[string]struct {
		draw func(c canvas)
		want string
	}{
		"series": {func(c canvas) {
			c.list(legendList)
			for i := range 2 {
				c.item(item{color: color(i + 1), name: []string{"A\x1b[31m", "B\u202e"}[i]})
				c.end()
			}
			c.end()
			c.axisName("Revenue", ySide)
			c.picture(plot)
			c.line(line{x2: of(1), y1: of(1), y2: of(1), stroke: zeroLine})
			c.rect(rect{x: of(0), y: of(0.375), width: of(0.1), height: of(0.625), color: 1})
			c.viewport()
			c.curve(curve{points: []point{{x: 500, y: 100}, {x: 600, y: 100}}, color: 2})
			c.end()
			c.line(line{x2: of(1), y1: of(0.3), y2: of(0.3), stroke: referenceLine})
			c.label(label{x: of(1), y: of(0.3), down: -6, anchor: atEnd, text: "Goal"})
			c.label(label{x: px(-8), y: of(0), down: 4, anchor: atEnd, text: "日本"})
			c.label(label{x: of(0.5), y: of(1), down: belowPlot, anchor: atMiddle, text: "Jan"})
			c.end()
		}, `█ A [31m   ○ B
↑ Revenue
日本                                      ○○○○○○○○○                        Goal
     ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
     ████████
     ████████───────────────────────────────────────────────────────────────────
                                         Jan`},
		"cells of an outline": {func(c canvas) {
			c.ramp(ramp{colors: []color{heatColor, heatColor + 6}, texts: []string{"0", "", "9"}})
			c.picture(picture{height: 40})
			c.extent(2, 2)
			c.shape(shape{color: heatColor + 6, rings: [][]geo.Point{{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 1}}}})
			c.end()
			c.end()
		}, "0 ·█ 9\n████████████\n"},
		"on a phone alone": {func(c canvas) {
			c.picture(picture{height: 80})
			c.group(group{widths: phone})
			c.label(label{x: of(0.5), y: of(0.5), down: 4, text: "hidden"})
			c.end()
			c.end()
		}, "\n\n\n"},
	} {
		lines, _ := paintText(drawnInText(tc.draw), sketchLines)
		if got := strings.Join(lines, "\n"); got != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, tc.want)
		}
	}
}

// The sketch of each chart of the fixtures has the names of its largest values.
func TestLargestValues(t *testing.T) {
	t.Parallel()
	for name, v := range cases(t) {
		if name == "all-null" { // it has no values
			continue
		}
		for _, s := range Summaries(v) {
			charts := []string{"line", "area", "bar", "combo", "histogram", "box", "scatter", "waterfall", "heatmap", "calendar", "candlestick"}
			if !slices.Contains(charts, s.Type) || s.Sketch == "" {
				continue
			}
			if lines := strings.Split(s.Sketch, "\n"); !strings.HasPrefix(lines[len(lines)-1], "largest: ") {
				t.Errorf("%s, %s: the last line is %q of %q", name, s.Type, lines[len(lines)-1], s.Text)
			}
		}
	}
}

package chart

import (
	"math"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
)

// LineEnds are the names of lines at their right ends, in the margin of the plot, in place of a legend.
type LineEnds struct {
	Of    *Lines
	Names []canvas.Item // of each of these lines; without a name for those that have none
}

const (
	endAir   = 16.0  // from the edge of the plot to a name, in pixels: values at the last points reach into it
	endPitch = 15.0  // height of a line of names
	endMost  = 156.0 // the widest name: with it, a plot of a tablet keeps two thirds of the width
	endPad   = "00"  // as wide as the air that a margin of labels lacks
	endEarly = 960   // thousandths of the width: a line that ends before is not joined to its name, which would cross the plot
	endDash  = 10.0  // width of the dash before the name of such a line, in pixels
)

// margin returns texts as wide as the names with the air before them.
func (l *LineEnds) margin() []string {
	var out []string
	for _, n := range l.Names {
		if n.Name != "" {
			out = append(out, n.Name+endPad)
		}
	}
	return out
}

// Fit reports whether all names have room on a chart: each line has an end on the plot, and none of the names is cut.
func (l *LineEnds) Fit(h *Chart) bool {
	f, named := &h.Lay().plotAxes, 0
	for i, n := range l.Names {
		if n.Name == "" {
			continue
		}
		named++
		if canvas.LabelWidth(n.Name) > endMost || len(clipped(l.Of.Lines[i].placed(f))) == 0 {
			return false
		}
	}
	return named > 0 && float64(named)*endPitch <= f.height && h.Room.Inside >= canvas.TabletInside
}

// drawNames writes the names next to the ends of their lines, which a thin line joins to a name that is not beside its end. The name of a
// line that ends far from the margin has a dash of its color instead.
func (l *LineEnds) drawNames(c canvas.Canvas, at *Laid) {
	high := at.plotAxes.height
	var lines []int
	var ends []canvas.Point
	var wanted []float64
	for i, n := range l.Names {
		points := clipped(l.Of.Lines[i].placed(&at.plotAxes))
		if n.Name == "" || len(points) == 0 {
			continue
		}
		end := points[len(points)-1]
		lines, ends, wanted = append(lines, i), append(ends, end), append(wanted, float64(end.Y)/1000*high)
	}
	placed := stat.Spread(wanted, endPitch, 0, high)
	for tier, on := range [...]canvas.Widths{canvas.Phone, canvas.Tablet, canvas.Desktop} {
		if tier == 0 {
			continue // it has the legend
		}
		c.Group(canvas.Group{Widths: on})
		for k, i := range lines {
			x, y := float64(ends[k].X)/1000, wanted[k]
			switch {
			case ends[k].X < endEarly:
				x, y = 1+(endAir-3-endDash)/at.widths[tier], placed[k]
			case math.Abs(placed[k]-wanted[k]) <= 3 && ends[k].X >= 1000:
				continue
			}
			c.Line(canvas.Line{
				X1: canvas.Of(x), Y1: canvas.Of(y / high), X2: canvas.Of(1 + (endAir-3)/at.widths[tier]), Y2: canvas.Of(placed[k] / high),
				Stroke: canvas.ThinLine, Color: l.Of.Lines[i].Color,
			})
		}
		c.End()
	}
	for k, i := range lines {
		c.Group(canvas.Group{Look: canvas.ValueText, Anchor: canvas.AtStart, Link: l.Names[i].To})
		c.Label(canvas.Label{X: canvas.Of(1), Y: canvas.Of(placed[k] / high), Right: endAir, Down: 4, Text: l.Names[i].Name})
		c.End()
	}
}

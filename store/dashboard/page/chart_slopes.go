package page

import (
	"math"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
)

// Slopes are lines from one value to another, with names and values at both ends. Each width of panels has its own ends, so that
// names have room beside them.
type slopeLayer []slopeMark

// A slopeMark is one of them.
type slopeMark struct {
	ends  [2]slopeEnd
	color canvas.Color
	name  string
	title []string // what one reads of it, in pieces
	row   int      // of the table behind, from 1, whose link it follows; 0 for none
}

// A slopeEnd is the value at an end. Without a text there is none.
type slopeEnd struct {
	value float64
	text  string
}

const (
	slopeLine  = 16.0 // height of a line of names, in pixels
	slopeAir   = 12.0 // from the end of a line to its value
	slopeAside = 8.0  // from a value to its name
	slopeShare = 0.38 // of the plot, that the texts on one side take at most
	phoneShare = 0.58 // and on a phone, where one side has the names
	slopeDot   = 3.5  // radius
)

func (l slopeLayer) extent(add func(on axisName, v float64)) {
	for i := range l {
		for _, e := range l[i].ends {
			if e.text != "" {
				add(axisY, e.value)
			}
		}
	}
}

func (slopeLayer) boxes(*plotAxes, float64, func(box)) {}

// A slopeSide is the texts on one side of a plot of a width.
type slopeSide struct {
	at     float64 // of the width, where the lines end
	values float64 // the widest value, in pixels
	names  []string
}

// sides are the texts on both sides of a plot of a width in pixels. On a phone the names are on the right alone, except those
// of lines that have no end there.
func (l slopeLayer) sides(width float64, onPhone bool) (out [2]slopeSide) {
	share := slopeShare
	if onPhone {
		share = phoneShare
	}
	for side := range out {
		s := &out[side]
		s.names = make([]string, len(l))
		for i := range l {
			s.values = max(s.values, canvas.LabelWidth(l[i].ends[side].text))
		}
		widest := 0.0
		for i := range l {
			m := &l[i]
			if m.ends[side].text == "" || onPhone && side == 0 && m.ends[1].text != "" {
				continue
			}
			s.names[i] = canvas.ClipWidth(m.name, max(share*width-s.values-slopeAir-slopeAside, 30))
			widest = max(widest, canvas.LabelWidth(s.names[i])+slopeAside)
		}
		if s.at = (slopeAir + s.values + widest) / width; side == 1 {
			s.at = 1 - s.at
		}
	}
	return out
}

// labels name both ends under the plot.
func (l slopeLayer) labels(names [2]string, phoneWidth float64) func(width float64) []xLabel {
	return func(width float64) []xLabel {
		sides := l.sides(width, width <= phoneWidth)
		most := (sides[1].at - sides[0].at) * width
		return []xLabel{
			{at: sides[0].at, text: canvas.ClipWidth(names[0], most+2*sides[0].at*width)},
			{at: sides[1].at, text: canvas.ClipWidth(names[1], most+2*(1-sides[1].at)*width)},
		}
	}
}

func (l slopeLayer) draw(c canvas.Canvas, f *plotAxes) {}

// drawNames draws the lines too, because where they end depends on the names.
func (l slopeLayer) drawNames(c canvas.Canvas, at *laid) {
	y := &at.axes[axisY]
	for tier, on := range [...]canvas.Widths{canvas.Phone, canvas.Tablet, canvas.Desktop} {
		width := at.widths[tier]
		sides := l.sides(width, tier == 0)
		c.Group(canvas.Group{Widths: on})
		for i := range l {
			if m := &l[i]; m.ends[0].text != "" && m.ends[1].text != "" {
				c.Line(canvas.Line{
					X1: canvas.Of(sides[0].at), X2: canvas.Of(sides[1].at), Y1: canvas.Of(y.up(m.ends[0].value)), Y2: canvas.Of(y.up(m.ends[1].value)),
					Stroke: canvas.ThinLine, Color: m.color,
				})
			}
		}
		for i := range l {
			for side, e := range l[i].ends {
				if e.text != "" {
					c.Circle(canvas.Circle{
						X: canvas.Of(sides[side].at), Y: canvas.Of(y.up(e.value)), Radius: slopeDot, Color: l[i].color, Sheer: true, Rimmed: true,
						Title: l[i].title, Row: l[i].row,
					})
				}
			}
		}
		c.End()
		for side := range sides {
			l.drawSide(c, at, side, &sides[side], on, width)
		}
	}
}

// drawSide writes the texts on a side, and a short line to each that is not beside its value.
func (l slopeLayer) drawSide(c canvas.Canvas, at *laid, side int, s *slopeSide, on canvas.Widths, width float64) {
	high := at.plotAxes.height
	var marks []int
	var wanted []float64
	for i := range l {
		if e := l[i].ends[side]; e.text != "" {
			marks, wanted = append(marks, i), append(wanted, at.axes[axisY].up(e.value)*high)
		}
	}
	placed := stat.Spread(wanted, slopeLine, 0, high)
	way, anchor := -1.0, canvas.AtEnd
	if side == 1 {
		way, anchor = 1, canvas.AtStart
	}
	c.Group(canvas.Group{Widths: on})
	for k := range marks {
		if math.Abs(placed[k]-wanted[k]) > 3 {
			c.Line(canvas.Line{
				X1: canvas.Of(s.at + way*(slopeDot+1)/width), Y1: canvas.Of(wanted[k] / high),
				X2: canvas.Of(s.at + way*(slopeAir-2)/width), Y2: canvas.Of(placed[k] / high),
				Stroke: canvas.LinkLine,
			})
		}
	}
	c.End()
	write := func(look canvas.Look, from float64, text func(mark int) string) {
		c.Group(canvas.Group{Look: look, Anchor: anchor, Widths: on})
		for k, i := range marks {
			if t := text(i); t != "" {
				c.Label(canvas.Label{X: canvas.Of(s.at), Y: canvas.Of(placed[k] / high), Right: int(way * from), Down: 4, Text: t})
			}
		}
		c.End()
	}
	write(canvas.MarkedText, slopeAir, func(i int) string { return l[i].ends[side].text })
	write(canvas.ValueText, slopeAir+math.Ceil(s.values)+slopeAside, func(i int) string { return s.names[i] })
}

package chart

import (
	"math"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
)

// Slopes are lines from one value to another, with names and values at both ends. Each width of panels has its own ends, because names need
// room there.
type Slopes []SlopeMark

// A SlopeMark is one line.
type SlopeMark struct {
	Ends  [2]SlopeEnd
	Color canvas.Color
	Toned canvas.Color // of the dot at the second end; 0 for that of the line
	Name  string
	Title []string // the text of its tooltip, in pieces
	Row   int      // of the table behind, from 1: the link of the line; 0 for none
}

// A SlopeEnd is the value at an end. An end without a text has no value.
type SlopeEnd struct {
	Value     float64
	Text      string
	Unwritten bool // the text is not beside the name
}

// written returns the text beside the name of an end; "" for none.
func (e *SlopeEnd) written() string {
	if e.Unwritten {
		return ""
	}
	return e.Text
}

const (
	SlopeLine  = 16.0 // height of a line of names, in pixels
	slopeTwo   = 32.0 // the same of a name in two lines
	slopeAir   = 12.0 // from the end of a line to its value
	slopeAside = 8.0  // from a value to its name
	slopeShare = 0.38 // the largest share of the plot that the texts on one side take
	phoneShare = 0.58 // the same on a phone, on which one side has the names
	slopeDot   = 3.5  // radius
)

func (l Slopes) extent(add func(on axisName, v float64)) {
	for i := range l {
		for _, e := range l[i].Ends {
			if e.Text != "" {
				add(axisY, e.Value)
			}
		}
	}
}

func (Slopes) boxes(*plotAxes, float64, func(Box)) {}

// A slopeSide is the texts on one side of a plot of a width.
type slopeSide struct {
	at     float64 // of the width, where the lines end
	values float64 // the widest value, in pixels
	names  []string
	more   []string // their second lines
	pitch  float64  // the least distance between names, in pixels
}

// sides returns the texts on both sides of a plot of a size in pixels. On a phone the names are on the right only, except those of lines
// that have no end there. Long names have two lines if they are whole then, and all names of their side have room for
// that.
func (l Slopes) sides(width, high float64, onPhone bool) (out [2]slopeSide) {
	share := slopeShare
	if onPhone {
		share = phoneShare
	}
	for side := range out {
		s := &out[side]
		s.names, s.more, s.pitch = make([]string, len(l)), make([]string, len(l)), SlopeLine
		for i := range l {
			s.values = max(s.values, canvas.LabelWidth(l[i].Ends[side].written()))
		}
		widest, ends := 0.0, 0
		for i := range l {
			ends += stat.One(l[i].Ends[side].Text != "")
		}
		room := max(share*width-s.values-slopeAir-slopeAside, 30)
		for i := range l {
			m := &l[i]
			if m.Ends[side].Text == "" || onPhone && side == 0 && m.Ends[1].Text != "" {
				continue
			}
			s.names[i] = canvas.ClipWidth(m.Name, room)
			first, second := brokenInTwo([]string{m.Name})
			fits := max(canvas.LabelWidth(first[0]), canvas.LabelWidth(second[0])) <= room
			if s.names[i] != m.Name && fits && slopeTwo*float64(ends) <= high {
				s.names[i], s.more[i], s.pitch = first[0], second[0], slopeTwo
			}
			widest = max(widest, canvas.LabelWidth(s.names[i])+slopeAside, canvas.LabelWidth(s.more[i])+slopeAside)
		}
		if s.at = (slopeAir + s.values + widest) / width; side == 1 {
			s.at = 1 - s.at
		}
	}
	return out
}

// Labels returns the names of both ends, under the plot of a chart.
func (l Slopes) Labels(names [2]string, h *Chart) func(width float64) []Label {
	phoneWidth := h.Room.Widths(nil, nil)[0]
	return func(width float64) []Label {
		const apart = 10 // pixels between the names
		sides := l.sides(width, float64(h.Height), width <= phoneWidth)
		var texts [2]string
		var wide, at [2]float64
		for end, name := range names {
			room := width/2 - apart/2
			if other := canvas.LabelWidth(names[1-end]); other < room {
				room = width - other - apart
			}
			texts[end] = canvas.ClipWidth(name, room)
			wide[end], at[end] = canvas.LabelWidth(texts[end]), sides[end].at*width
		}
		// They are in the middle below the ends of the lines, or as near to that as they do not touch.
		if over := (wide[0]+wide[1])/2 + apart - (at[1] - at[0]); over > 0 {
			at[0], at[1] = at[0]-over/2, at[1]+over/2
			move := max(wide[0]/2-at[0], 0) - max(at[1]+wide[1]/2-width, 0)
			at[0], at[1] = at[0]+move, at[1]+move
		}
		return []Label{{At: at[0] / width, Text: texts[0]}, {At: at[1] / width, Text: texts[1]}}
	}
}

func (l Slopes) draw(c canvas.Canvas, f *plotAxes) {}

// drawNames draws the lines too, because their ends depend on the names.
func (l Slopes) drawNames(c canvas.Canvas, at *Laid) {
	y := &at.Axes[axisY]
	for tier, on := range [...]canvas.Widths{canvas.Phone, canvas.Tablet, canvas.Desktop} {
		width := at.widths[tier]
		sides := l.sides(width, at.plotAxes.height, tier == 0)
		c.Group(canvas.Group{Widths: on})
		for i := range l {
			if m := &l[i]; m.Ends[0].Text != "" && m.Ends[1].Text != "" {
				c.Line(canvas.Line{
					X1: canvas.Of(sides[0].at), X2: canvas.Of(sides[1].at), Y1: canvas.Of(y.up(m.Ends[0].Value)), Y2: canvas.Of(y.up(m.Ends[1].Value)),
					Stroke: canvas.ThinLine, Color: m.Color,
				})
			}
		}
		for i := range l {
			for side, e := range l[i].Ends {
				if e.Text != "" {
					color := l[i].Color
					if side == 1 && l[i].Toned > 0 {
						color = l[i].Toned
					}
					c.Circle(canvas.Circle{
						X: canvas.Of(sides[side].at), Y: canvas.Of(y.up(e.Value)), Radius: slopeDot, Color: color, Sheer: true, Rimmed: true,
						Title: l[i].Title, Row: l[i].Row,
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

// drawSide writes the texts on a side, and a short line to each text that is not at the height of its value.
func (l Slopes) drawSide(c canvas.Canvas, at *Laid, side int, s *slopeSide, on canvas.Widths, width float64) {
	high := at.plotAxes.height
	var marks []int
	var wanted []float64
	for i := range l {
		if e := l[i].Ends[side]; e.Text != "" {
			marks, wanted = append(marks, i), append(wanted, at.Axes[axisY].up(e.Value)*high)
		}
	}
	beyond := (s.pitch - SlopeLine) / 2 // second lines keep away from the names of the ends
	placed := stat.Spread(wanted, s.pitch, beyond, high-beyond)
	way, anchor := -1.0, canvas.AtEnd
	if side == 1 {
		way, anchor = 1, canvas.AtStart
	}
	c.Group(canvas.Group{Widths: on})
	for k := range marks {
		if i := marks[k]; math.Abs(placed[k]-wanted[k]) > 3 && l[i].Ends[side].written()+s.names[i] != "" {
			c.Line(canvas.Line{
				X1: canvas.Of(s.at + way*(slopeDot+1)/width), Y1: canvas.Of(wanted[k] / high),
				X2: canvas.Of(s.at + way*(slopeAir-2)/width), Y2: canvas.Of(placed[k] / high),
				Stroke: canvas.LinkLine,
			})
		}
	}
	c.End()
	write := func(look canvas.Look, from float64, text func(mark int) [2]string) {
		c.Group(canvas.Group{Look: look, Anchor: anchor, Widths: on})
		for k, i := range marks {
			lines, down := text(i), 4
			if lines[1] != "" {
				down -= lineHeight / 2
			}
			for _, t := range lines {
				if t != "" {
					c.Label(canvas.Label{X: canvas.Of(s.at), Y: canvas.Of(placed[k] / high), Right: int(way * from), Down: down, Text: t})
				}
				down += lineHeight
			}
		}
		c.End()
	}
	write(canvas.MarkedText, slopeAir, func(i int) [2]string { return [2]string{l[i].Ends[side].written()} })
	aside := slopeAside
	if s.values == 0 {
		aside = 0
	}
	write(canvas.ValueText, slopeAir+math.Ceil(s.values)+aside, func(i int) [2]string { return [2]string{s.names[i], s.more[i]} })
}

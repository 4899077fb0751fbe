package chart

import (
	"math"
	"slices"

	"service/store/dashboard/canvas"
)

// A Reference is a line across the plot, with its value computed.
type Reference struct {
	Value  float64
	Text   string
	Tone   string
	Target bool         // it names the marks of targets, which have their own values
	Band   canvas.Color // of the band that it names; 0 for none

	Unnamed bool // it is named elsewhere, such as in the key of several plots

	Shaded bool // it is a range
	Lo, Hi float64
}

// Ends returns the values at which the line, or the range, begins and ends; infinite at the edge of the axis.
func (r *Reference) Ends() (lo, hi float64) {
	if r.Shaded {
		return r.Lo, r.Hi
	}
	return r.Value, r.Value
}

// Item returns the line's item in the legend. horizontal is true for a chart with horizontal bars.
func (r *Reference) Item(horizontal bool) canvas.Item {
	if r.Band != 0 {
		return canvas.Item{Color: r.Band, Pale: true, Name: r.Text}
	}
	if r.Shaded {
		return canvas.Item{Shade: true, Tone: r.Tone, Name: r.Text}
	}
	return canvas.Item{Mark: true, Flat: r.Target && !horizontal, Tone: r.Tone, Name: r.Text}
}

// A Box is a place on a plot, in fractions of its width and height.
type Box struct{ X1, X2, Y1, Y2 float64 }

func (b Box) Touches(o Box) bool { return b.X1 < o.X2 && o.X1 < b.X2 && b.Y1 < o.Y2 && o.Y1 < b.Y2 }

// A namedLine is a reference line with the place of its name.
type namedLine struct {
	Reference
	at      float64 // the line's place, in fractions of the height or, upright, of the width; of a range, where it begins
	end     float64 // of a range, where it ends
	upright bool
	name    canvas.Label
	keyed   bool // its name has no free place on the plot, and is in the key
}

// A namePlace is a possible place of a line's name: the height of its line or of an end of its range, and the distance below it, in pixels.
type namePlace struct {
	at   float64
	down int
}

// NameLines finds a place for the name of each line that does not cover a mark: above or below the line, at its end or its beginning.
// height is that of the plot, and plots its widths, in pixels. A name without such a place is in the key, except on small plots, which
// share their key.
func NameLines(refs []Reference, sc Scale, height float64, plots [3]float64, marks []Box, small bool) []namedLine {
	out := make([]namedLine, len(refs))
	var names []Box // on the narrowest plot
	longest := 0.0
	for i, r := range refs {
		at, until := r.placed(sc)
		if r.Unnamed {
			out[i] = namedLine{Reference: r, at: at, end: until}
			continue
		}
		places := []namePlace{{at, aboveLine}, {at, belowLine}}
		if r.Shaded {
			places = []namePlace{{at, belowLine}, {until, aboveLine}, {at, aboveLine}, {until, belowLine}}
		}
		text := canvas.ClipWidth(r.Text, plots[0])
		beside := canvas.ClipWidth(text, max(plots[0]-longest-8, 0))
		l := canvas.Label{X: canvas.Of(1), Y: canvas.Of(at), Down: places[0].down, Look: canvas.MarkedText, Anchor: canvas.AtEnd, Text: text}
		if at*height < canvas.LabelSize+8 {
			l.Down = belowLine
		}
		find := func(text string, marks []Box) bool {
			for _, width := range plots {
				for _, end := range [...]canvas.Anchor{canvas.AtEnd, canvas.AtStart} {
					for _, on := range places {
						b := labelBox(text, on.at, end, on.down, width, height)
						narrow := labelBox(text, on.at, end, on.down, plots[0], height)
						if b.Y1 < 0 || b.Y2 > 1 || slices.ContainsFunc(marks, b.Touches) || slices.ContainsFunc(names, narrow.Touches) {
							continue
						}
						if l.Anchor, l.Y, l.Down, l.Text = end, canvas.Of(on.at), on.down, text; end == canvas.AtStart {
							l.X = canvas.Of(0)
						}
						return true
					}
				}
			}
			return false
		}
		if !find(text, marks) {
			if !small {
				out[i] = namedLine{Reference: r, at: at, end: until, keyed: true}
				continue
			}
			_ = find(text, nil) || find(beside, nil) // a name can be read on a mark, but not on another name
		}
		out[i] = namedLine{Reference: r, at: at, end: until, name: l}
		names = append(names, labelBox(l.Text, l.Y.V, l.Anchor, l.Down, plots[0], height))
		longest = max(longest, canvas.LabelWidth(l.Text))
	}
	return out
}

// placed returns the position of a line on a scale of y, or where a range begins and ends there, from the top.
func (r *Reference) placed(sc Scale) (at, end float64) {
	lo, hi := r.Ends()
	on := func(v, edge float64) float64 {
		if math.IsInf(v, 0) || v <= 0 && sc.Log {
			return edge
		}
		return min(max(sc.at(v), 0), 1)
	}
	switch {
	case !r.Shaded:
		return sc.at(r.Value), 0
	case sc.Reverse:
		return on(lo, 0), on(hi, 1)
	}
	return on(hi, 0), on(lo, 1)
}

// placedUpright is placed on a scale of x, from the left.
func (r *Reference) placedUpright(sc Scale) (at, end float64) {
	at, end = r.placed(sc)
	if r.Shaded {
		return 1 - end, 1 - at
	}
	return 1 - at, 0
}

// nameUprights is [NameLines] for lines at values of x, whose names are at their ends, on either side. named are lines that have names
// already.
func nameUprights(
	refs []Reference, sc Scale, height float64, plots [3]float64, marks func(width float64) []Box, named []namedLine,
) []namedLine {
	out := slices.Clip(named)
	for _, r := range refs {
		at, until := r.placedUpright(sc)
		if r.Unnamed {
			out = append(out, namedLine{Reference: r, at: at, end: until, upright: true})
			continue
		}
		room := max(at, 1-at)*plots[0] - 10
		l := canvas.Label{
			X: canvas.Of(at), Y: canvas.Of(0), Right: clearOf(at < 0.5), Down: 11, Look: canvas.MarkedText, Anchor: sideOf(at < 0.5),
		}
		l.Text = canvas.ClipWidth(r.Text, room)
		free := func(try canvas.Label, onMarks bool) bool {
			for _, width := range plots {
				b := BoxOf(&try, width, height)
				if b.X1 < 0 || b.X2 > 1 || !onMarks && slices.ContainsFunc(marks(width), b.Touches) ||
					slices.ContainsFunc(out, func(n namedLine) bool { return n.touches(b, width, height) }) {
					return false
				}
			}
			return true
		}
		find := func(onMarks bool) bool {
			inside := at < 0.5 || r.Shaded && (1-at)*plots[0] > canvas.LabelWidth(l.Text)+10
			for _, right := range [...]bool{inside, !inside} {
				for _, down := range [...]int{11, int(height) - 6, 26, int(height) - 21, 41} {
					try := l
					if try.Right, try.Down, try.Anchor = clearOf(right), down, sideOf(right); free(try, onMarks) {
						l = try
						return true
					}
				}
			}
			return false
		}
		_ = find(false) || find(true)
		out = append(out, namedLine{Reference: r, at: at, end: until, upright: true, name: l})
	}
	return out
}

// clearOf returns the distance from an upright line to its name, in pixels.
func clearOf(right bool) int {
	if right {
		return 5
	}
	return -5
}

func sideOf(right bool) canvas.Anchor {
	if right {
		return canvas.AtStart
	}
	return canvas.AtEnd
}

// BoxOf returns the box of a label on a plot of a size in pixels.
func BoxOf(l *canvas.Label, width, height float64) Box {
	w := canvas.LabelWidth(l.Text)
	x, y := l.X.V*width+float64(l.Right), l.Y.V*height+float64(l.Down)
	switch l.Anchor {
	case canvas.AtMiddle:
		x -= w / 2
	case canvas.AtEnd:
		x -= w
	}
	return Box{(x - 2) / width, (x + w + 2) / width, (y - 9) / height, (y + 3) / height}
}

// drawShades draws the ranges among reference lines, which are under the marks.
func drawShades(c canvas.Canvas, lines []namedLine) {
	for _, l := range lines {
		switch {
		case !l.Shaded:
		case l.upright:
			c.Rect(canvas.Rect{X: canvas.Of(l.at), Width: canvas.Of(l.end - l.at), Height: canvas.Of(1), Shade: true, Tone: l.Tone})
		default:
			c.Rect(canvas.Rect{Width: canvas.Of(1), Y: canvas.Of(l.at), Height: canvas.Of(l.end - l.at), Shade: true, Tone: l.Tone})
		}
	}
}

// drawReferences draws lines across a plot: over bars and areas, which would hide them, and under lines and points, which they would hide
// at equal values.
func drawReferences(c canvas.Canvas, lines []namedLine) {
	for _, l := range lines {
		if l.Shaded {
			continue // it is under the marks
		}
		if l.upright {
			c.Line(canvas.Line{X1: canvas.Of(l.at), X2: canvas.Of(l.at), Y2: canvas.Of(1), Stroke: canvas.ReferenceLine, Tone: l.Tone})
			continue
		}
		c.Line(canvas.Line{X2: canvas.Of(1), Y1: canvas.Of(l.at), Y2: canvas.Of(l.at), Stroke: canvas.ReferenceLine, Tone: l.Tone})
	}
}

func drawReferenceNames(c canvas.Canvas, lines []namedLine) {
	for _, l := range lines {
		if l.name.Text != "" {
			c.Label(l.name)
		}
	}
}

// Boxes returns the boxes of a line and its name on a plot of a size in pixels.
func (l *namedLine) Boxes(width, height float64) [2]Box {
	if l.Shaded { // values can be read on it
		name := labelBox(l.name.Text, l.name.Y.V, l.name.Anchor, l.name.Down, width, height)
		if l.upright {
			name = BoxOf(&l.name, width, height)
		}
		return [...]Box{name, name}
	}
	if l.upright {
		return [...]Box{{l.at - 2/width, l.at + 2/width, 0, 1}, BoxOf(&l.name, width, height)}
	}
	return [...]Box{
		{0, 1, l.at - 2/height, l.at + 2/height},
		labelBox(l.name.Text, l.at, l.name.Anchor, l.name.Down, width, height),
	}
}

// touches reports whether a name would overlap the line's name.
func (l *namedLine) touches(b Box, width, height float64) bool {
	own := l.Boxes(width, height)
	return own[1].Touches(b)
}

// The distances of a name's baseline below its line, in pixels.
const (
	aboveLine = -6
	belowLine = 15
)

// labelBox returns the box of the name of a line at a height, on a plot of a size in pixels.
func labelBox(text string, at float64, end canvas.Anchor, down int, width, height float64) Box {
	share := (canvas.LabelWidth(text) + 4) / width
	b := Box{X2: share, Y1: at + (float64(down)-canvas.LabelSize+1)/height, Y2: at + float64(down+3)/height}
	if end == canvas.AtEnd {
		b.X1, b.X2 = 1-share, 1
	}
	return b
}

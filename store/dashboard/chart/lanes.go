package chart

import (
	"slices"
	"strings"
	"unicode/utf8"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
)

// Lanes are bars over spans of an axis, on rows one below another.
type Lanes struct {
	Bars    []LaneBar
	Lanes   int
	Rows    []LaneRow // from the top down
	Now     float64   // where a line is, of the width; 0 for none
	NowText string
	Events  int                         // lines of names of events above the bars
	Labels  func(width float64) []Label // under the plot; each has a line
	Over    bool                        // the name of a row is on lanes of its own, those before its first
}

// A LaneBar is a span on a lane, from and to fractions of the width.
type LaneBar struct {
	From, To float64
	Fades    [2]float64 // the share of the width over which it fades because it has no beginning, or no end; 0 for none
	Lane     int
	Color    canvas.Color
	Bare     bool     // it has the colour of a tone
	Text     string   // written in it if it fits; "" for none
	Title    []string // the text of its tooltip, in pieces
	Row      int      // of the table behind, from 1: the link of the bar; 0 for none
}

// A LaneRow is neighbouring lanes of one name.
type LaneRow struct {
	Name, Phone string   // at the left: on a tablet and a desktop, and on a phone
	Lines       []string // its name on lanes of its own
	Above       int      // the number of these lanes
	First       int      // lane of its bars
}

const (
	laneHigh  = 24    // of a lane, in pixels
	laneThin  = 18    // of one of many
	manyLanes = 30    // from this number on they are thin
	laneAir   = 4     // above and below a bar
	LeastLane = 0.006 // of the width
)

// pitch returns the height of a lane, in pixels.
func (l *Lanes) pitch() int { return pitchOf(l.Lanes) }

// pitchOf returns the height of one of so many lanes, in pixels.
func pitchOf(lanes int) int {
	if lanes > manyLanes {
		return laneThin
	}
	return laneHigh
}

// mostNameLines is the maximum of lines of a name over its bars.
const mostNameLines = 3

// NameLanes breaks the names of rows into lines of a width in pixels, and sets how many lanes each needs above its bars, which are on so
// many lanes. It returns the number of all lanes.
func NameLanes(rows []LaneRow, names []string, width float64, lanes int) int {
	lay := func(pitch int) int {
		all := lanes
		for i := range rows {
			r := &rows[i]
			r.Lines = nameLines(names[i], width, mostNameLines)
			r.Above = (len(r.Lines)*lineHeight + laneAir + pitch - 1) / pitch
			all += r.Above
		}
		return all
	}
	all := lay(laneHigh)
	if pitchOf(all) != laneHigh {
		all = lay(laneThin)
	}
	return all
}

// nameLines breaks a name into lines of a width in pixels: at its spaces or, if a word is wider than a line, within it. If there are too
// many lines, the last one is shortened in its middle.
func nameLines(name string, width float64, most int) []string {
	var out []string
	words := strings.Fields(name)
	for len(words) > 0 && len(out) < most-1 {
		n := 1
		for n < len(words) && canvas.LabelWidth(strings.Join(words[:n+1], " ")) <= width {
			n++
		}
		line := strings.Join(words[:n], " ")
		words = words[n:]
		if head := headOf(line, width); head != line {
			words = append([]string{line[len(head):]}, words...)
			line = head
		}
		out = append(out, line)
	}
	if last := strings.Join(words, " "); last != "" || out == nil {
		out = append(out, canvas.ClipMiddle(last, width))
	}
	return out
}

// headOf returns the first characters of a word that fit into a width in pixels, at least one. It does not part a letter from its marks, or
// an emoji from what is joined to it.
func headOf(word string, width float64) string {
	end, before := 0, rune(0)
	for at, r := range word {
		if at > 0 && canvas.LabelWidth(word[:at]) > width {
			break
		}
		if before != joiner && r != joiner && canvas.LabelWidth(string(r)) > 0 {
			end = at
		}
		before = r
	}
	if canvas.LabelWidth(word) <= width {
		return word
	}
	if end == 0 {
		_, end = utf8.DecodeRuneInString(word)
	}
	return word[:end]
}

// joiner joins two emoji into one.
const joiner = '\u200d'

// Above returns how many lanes the names above the bars need: those of events, and the one of the line.
func (l *Lanes) Above() int { return l.Events + stat.One(l.Now > 0) }

func (l *Lanes) Height() int { return l.pitch() * (l.Lanes + l.Above()) }

// at returns the top of a lane, as a share of the height.
func (l *Lanes) at(lane int) float64 { return float64(lane+l.Above()) / float64(l.Lanes+l.Above()) }

func (*Lanes) extent(func(axisName, float64)) {}

func (*Lanes) boxes(*plotAxes, float64, func(Box)) {}

// inLane is from the beginning of a bar.
var inLane = []labelPlace{{6, 4, canvas.AtStart}}

// values adds the texts in the bars, which the line for now must not cross.
func (l *Lanes) values(_ *plotAxes, to *markValues) {
	if l.Now > 0 {
		to.crowd.over = append(to.crowd.over, Box{l.Now, l.Now, l.at(0), 1})
	}
	for i := range l.Bars {
		b := &l.Bars[i]
		if b.Text == "" {
			continue
		}
		in := Box{b.From, b.To, l.at(b.Lane), l.at(b.Lane + 1)}
		to.all = append(to.all, MarkValue{x: b.From, y: (in.Y1 + in.Y2) / 2, Texts: [2]string{b.Text, b.Text}, ways: inLane, in: &in})
	}
}

func (l *Lanes) draw(c canvas.Canvas, _ *plotAxes) {
	for _, r := range l.Rows {
		top := canvas.Of(l.at(r.First - r.Above))
		c.Line(canvas.Line{X2: canvas.Of(1), Y1: top, Y2: top, Stroke: canvas.GridLine})
	}
	c.Line(canvas.Line{X2: canvas.Of(1), Y1: canvas.Of(1), Y2: canvas.Of(1), Stroke: canvas.GridLine})
}

// drawNames draws the bars too: they are over the lines of the labels, which differ by width.
func (l *Lanes) drawNames(c canvas.Canvas, on *Laid) {
	for i, width := range on.widths {
		c.Group(canvas.Group{Widths: canvas.Phone << i})
		for _, x := range l.Labels(width) {
			if x.At > 0 && x.At < 1 {
				c.Line(canvas.Line{X1: canvas.Of(x.At), X2: canvas.Of(x.At), Y1: canvas.Of(l.at(0)), Y2: canvas.Of(1), Stroke: canvas.GridLine})
			}
		}
		c.End()
	}
	high := float64(l.Height())
	for i := range l.Bars {
		b := &l.Bars[i]
		r := canvas.Rect{
			Y: canvas.Of(l.at(b.Lane) + laneAir/high), Height: canvas.Of((float64(l.pitch()) - 2*laneAir) / high), Color: b.Color, Round: 3,
			Bare: b.Bare,
		}
		for end, long := range b.Fades {
			if long > 0 {
				piece := r
				r.Round = 0 // the bar continues
				piece.X, piece.Width, piece.Round = canvas.Of([2]float64{b.From - long, b.To}[end]), canvas.Of(long), 0
				piece.Fade = [2]canvas.Fade{canvas.FadesLeft, canvas.FadesRight}[end]
				c.Rect(piece)
			}
		}
		r.X, r.Width, r.Title, r.Row = canvas.Of(b.From), canvas.Of(max(b.To-b.From, LeastLane)), b.Title, b.Row
		c.Rect(r)
	}
	l.drawNow(c, on)
	if l.Over {
		c.Group(canvas.Group{Look: canvas.MarkedText, Anchor: canvas.AtStart})
		for _, r := range l.Rows {
			for i, line := range r.Lines {
				c.Label(canvas.Label{Y: canvas.Of(l.at(r.First)), Down: -laneAir - (len(r.Lines)-1-i)*lineHeight, Text: line})
			}
		}
		c.End()
		return
	}
	for i, names := range [...]func(r *LaneRow) string{func(r *LaneRow) string { return r.Phone }, func(r *LaneRow) string { return r.Name }} {
		widths := [...]canvas.Widths{canvas.Phone, canvas.Tablet | canvas.Desktop}[i]
		c.Group(canvas.Group{Look: canvas.AxisText, Anchor: canvas.AtEnd, Widths: widths})
		for k := range l.Rows {
			middle := l.at(l.Rows[k].First) + float64(l.pitch())/2/high
			c.Label(canvas.Label{X: canvas.Px(-8), Y: canvas.Of(middle), Down: 4, Text: names(&l.Rows[k])})
		}
		c.End()
	}
}

// drawNow draws the line over all bars, and its name above them.
func (l *Lanes) drawNow(c canvas.Canvas, on *Laid) {
	if l.Now == 0 {
		return
	}
	c.Line(canvas.Line{X1: canvas.Of(l.Now), X2: canvas.Of(l.Now), Y1: canvas.Of(l.at(0)), Y2: canvas.Of(1), Stroke: canvas.ReferenceLine})
	var tiers [3][]Label
	for i, width := range on.widths {
		half := canvas.LabelWidth(l.NowText) / 2 / width
		tiers[i] = []Label{{At: min(max(l.Now, half), 1-half), Text: l.NowText}}
	}
	for i := 0; i < len(tiers); {
		g := canvas.Group{Look: canvas.AxisText, Anchor: canvas.AtMiddle}
		from := i
		for ; i < len(tiers) && slices.Equal(tiers[i], tiers[from]); i++ {
			g.Widths |= canvas.Phone << i
		}
		if g.Widths == canvas.Phone|canvas.Tablet|canvas.Desktop {
			g.Widths = 0
		}
		c.Group(g)
		c.Label(canvas.Label{X: canvas.Of(tiers[from][0].At), Down: l.pitch()*l.Above() - 8, Text: l.NowText})
		c.End()
	}
}

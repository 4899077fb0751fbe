package page

import (
	"slices"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
)

// Bars are spans of an axis on rows, one below another.
type barLanes struct {
	bars    []laneBar
	lanes   int
	rows    []laneRow // from the top down
	now     float64   // where a line is, of the width; 0 for none
	nowText string
	labels  func(width float64) []xLabel // under the plot; each has a line
}

// A laneBar is a span on a lane, from and to fractions of the width.
type laneBar struct {
	from, to float64
	fades    [2]float64 // as much of the width is paler and paler where it has no beginning, or no end; 0 for none
	lane     int
	color    canvas.Color
	title    []string // what one reads of it, in pieces
	row      int      // of the table behind, from 1, whose link it follows; 0 for none
}

// A laneRow is neighbouring lanes of one name.
type laneRow struct {
	name, phone string // on a tablet and a desktop, and on a phone
	first       int    // lane
}

const (
	laneHigh  = 24    // of a lane, in pixels
	laneThin  = 18    // of one of many
	manyLanes = 30    // from which on they are thin
	laneAir   = 4     // above and below a bar
	leastLane = 0.006 // of the width
)

// pitch is how high a lane is, in pixels.
func (l *barLanes) pitch() int {
	if l.lanes > manyLanes {
		return laneThin
	}
	return laneHigh
}

// above is how many lanes the name of the line takes.
func (l *barLanes) above() int { return stat.One(l.now > 0) }

func (l *barLanes) height() int { return l.pitch() * (l.lanes + l.above()) }

// at is how far down a lane is, as a share of the height.
func (l *barLanes) at(lane int) float64 { return float64(lane+l.above()) / float64(l.lanes+l.above()) }

func (*barLanes) extent(func(axisName, float64))      {}
func (*barLanes) boxes(*plotAxes, float64, func(box)) {}

func (l *barLanes) draw(c canvas.Canvas, _ *plotAxes) {
	for _, r := range l.rows {
		c.Line(canvas.Line{X2: canvas.Of(1), Y1: canvas.Of(l.at(r.first)), Y2: canvas.Of(l.at(r.first)), Stroke: canvas.GridLine})
	}
	c.Line(canvas.Line{X2: canvas.Of(1), Y1: canvas.Of(1), Y2: canvas.Of(1), Stroke: canvas.GridLine})
}

// drawNames draws the bars too: they are on the lines under them, which each width has its own of.
func (l *barLanes) drawNames(c canvas.Canvas, on *laid) {
	for i, width := range on.widths {
		c.Group(canvas.Group{Widths: canvas.Phone << i})
		for _, x := range l.labels(width) {
			if x.at > 0 && x.at < 1 {
				c.Line(canvas.Line{X1: canvas.Of(x.at), X2: canvas.Of(x.at), Y1: canvas.Of(l.at(0)), Y2: canvas.Of(1), Stroke: canvas.GridLine})
			}
		}
		c.End()
	}
	high := float64(l.height())
	for i := range l.bars {
		b := &l.bars[i]
		r := canvas.Rect{
			Y: canvas.Of(l.at(b.lane) + laneAir/high), Height: canvas.Of((float64(l.pitch()) - 2*laneAir) / high), Color: b.color, Round: 3,
		}
		for end, long := range b.fades {
			if long > 0 {
				piece := r
				r.Round = 0 // it goes on
				piece.X, piece.Width, piece.Round = canvas.Of([2]float64{b.from - long, b.to}[end]), canvas.Of(long), 0
				piece.Fade = [2]canvas.Fade{canvas.FadesLeft, canvas.FadesRight}[end]
				c.Rect(piece)
			}
		}
		r.X, r.Width, r.Title, r.Row = canvas.Of(b.from), canvas.Of(max(b.to-b.from, leastLane)), b.title, b.row
		c.Rect(r)
	}
	l.drawNow(c, on)
	for i, names := range [...]func(r *laneRow) string{func(r *laneRow) string { return r.phone }, func(r *laneRow) string { return r.name }} {
		widths := [...]canvas.Widths{canvas.Phone, canvas.Tablet | canvas.Desktop}[i]
		c.Group(canvas.Group{Look: canvas.AxisText, Anchor: canvas.AtEnd, Widths: widths})
		for k := range l.rows {
			middle := l.at(l.rows[k].first) + float64(l.pitch())/2/high
			c.Label(canvas.Label{X: canvas.Px(-8), Y: canvas.Of(middle), Down: 4, Text: names(&l.rows[k])})
		}
		c.End()
	}
}

// drawNow draws the line, over all bars, and its name above these.
func (l *barLanes) drawNow(c canvas.Canvas, on *laid) {
	if l.now == 0 {
		return
	}
	c.Line(canvas.Line{X1: canvas.Of(l.now), X2: canvas.Of(l.now), Y1: canvas.Of(l.at(0)), Y2: canvas.Of(1), Stroke: canvas.ReferenceLine})
	var tiers [3][]xLabel
	for i, width := range on.widths {
		half := canvas.LabelWidth(l.nowText) / 2 / width
		tiers[i] = []xLabel{{at: min(max(l.now, half), 1-half), text: l.nowText}}
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
		c.Label(canvas.Label{X: canvas.Of(tiers[from][0].at), Down: l.pitch() - 8, Text: l.nowText})
		c.End()
	}
}

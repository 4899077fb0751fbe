package chart

import (
	"math"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
)

// Flows are ribbons between bars on steps, which are side by side.
type Flows struct {
	Nodes []Node
	Flows []Flow
	Steps int
	Fixed []bool // by step: its nodes have an order
	Back  bool   // some flows lead back, and need room at the first and the last step
	Over  bool   // the names are over their bars, on a plot for a phone
	laid  *stat.Sankey
}

// A Node is a bar with its name beside it.
type Node struct {
	Step        int
	Name, Value string
	Color       canvas.Color
	Title       []string
	Amount      float64 // that passes it
	Row, Cell   int     // of the table behind: its link; the row is 0 for none
}

// A Flow is a ribbon from one node to another.
type Flow struct {
	stat.Flow
	Color     canvas.Color
	Title     []string
	Row, Cell int // as of a node
}

const (
	NodeWide   = 0.014    // of the width
	nodeGap    = nodeLine // between nodes of a step, in pixels: names are next to their bars
	nodeLine   = 15.0     // height of a line of names
	NodeAside  = 8        // from a bar to its name
	backReach  = 30       // of a flow that leads back, beyond its nodes, in thousandths of the width
	sankeyLow  = 260      // the least height, in pixels
	sankeyEach = 23       // plus this for each node of the fullest step
)

// Height returns the height of the plot, in pixels.
func (l *Flows) Height() int {
	most := make([]int, l.Steps)
	ways := 0
	for i := range l.Nodes {
		most[l.Nodes[i].Step]++
	}
	for i := range l.Flows {
		ways += stat.One(l.LeadsBack(i))
	}
	high := sankeyLow
	for _, n := range most {
		high = max(high, sankeyEach*n)
	}
	return high + min(ways*int(nodeGap), sankeyLow) + int(l.top())
}

// top returns the room above the first bars, in pixels.
func (l *Flows) top() float64 { return nodeLine * float64(stat.One(l.Over)) }

func (l *Flows) LeadsBack(i int) bool {
	f := &l.Flows[i]
	return l.Nodes[f.To].Step <= l.Nodes[f.From].Step
}

// lay computes the layout of a plot of a height in pixels.
func (l *Flows) lay(height float64) *stat.Sankey {
	if l.laid == nil {
		step, flows, amounts := make([]int, len(l.Nodes)), make([]stat.Flow, len(l.Flows)), make([]float64, len(l.Nodes))
		for i := range l.Nodes {
			step[i], amounts[i] = l.Nodes[i].Step, l.Nodes[i].Amount
		}
		for i := range l.Flows {
			flows[i] = l.Flows[i].Flow
		}
		top := l.top()
		s := stat.LaySankey(step, flows, amounts, l.Fixed, height-top, nodeGap)
		for _, spans := range [...][]stat.Span{s.Nodes, s.From, s.To, s.Way} {
			for i := range spans {
				spans[i].From += top
				spans[i].To += top
			}
		}
		l.laid = &s
	}
	return l.laid
}

// At returns the left edge of the bars of a step, as a share of the width.
func (l *Flows) At(step int) float64 {
	pad := 0.0
	if l.Back {
		pad = backReach / 1000.0
	}
	return pad + float64(step)*(1-NodeWide-2*pad)/float64(max(l.Steps-1, 1))
}

// Heads returns the names of the steps, which are under them in one line or in two. They are cut to the room between their neighbours. At
// an edge of the plot, a name that is too long for the margin outside has half of that room.
func (l *Flows) Heads(names []string, width float64, margins *RowAxis) []Label {
	apart := width - headGap
	if l.Steps > 1 {
		apart = (l.At(1)-l.At(0))*width - headGap
	}
	out := make([]Label, len(names))
	for step, name := range names {
		room := apart
		switch step {
		case 0:
			room = max(min(room, 2*besidePlot(marginLeft(margins.Margin))), apart/2)
		case len(names) - 1:
			room = max(min(room, 2*besidePlot(rightSide(margins.Right))), apart/2)
		}
		out[step] = Label{At: l.At(step) + NodeWide/2, Text: name}
		if canvas.LabelWidth(name) > room {
			first, second := brokenInTwo([]string{name})
			out[step].Text, out[step].more = canvas.ClipWidth(first[0], room), canvas.ClipWidth(second[0], room)
		}
	}
	return out
}

// headGap is the distance between names of neighbouring steps, in pixels.
const headGap = 8.0

func (*Flows) extent(func(axisName, float64)) {}

func (*Flows) boxes(*plotAxes, float64, func(Box)) {}

func (l *Flows) draw(c canvas.Canvas, f *plotAxes) {
	s := l.lay(f.height)
	unit := func(v float64) int { return int(math.Round(v * 1000)) }
	edges := func(at stat.Span) [2]int {
		out := [2]int{unit(at.From / f.height), unit(at.To / f.height)}
		if out[0] == out[1] { // thin, and seen
			out[1]++
		}
		return out
	}
	c.Viewport()
	for i := range l.Flows {
		m := &l.Flows[i]
		r := canvas.Ribbon{
			X1: unit(l.At(l.Nodes[m.From].Step) + NodeWide), X2: unit(l.At(l.Nodes[m.To].Step)), From: edges(s.From[i]), To: edges(s.To[i]),
			Color: m.Color, Title: m.Title, Row: m.Row, Cell: m.Cell,
		}
		if l.LeadsBack(i) {
			r.Way, r.Reach = edges(s.Way[i]), backReach
		}
		c.Ribbon(r)
	}
	c.End()
	for i := range l.Nodes {
		n, at := &l.Nodes[i], s.Nodes[i]
		c.Rect(canvas.Rect{
			X: canvas.Of(l.At(n.Step)), Width: canvas.Of(NodeWide), Y: canvas.Of(at.From / f.height),
			Height: canvas.Of(max(at.To-at.From, 1) / f.height), Color: n.Color, Title: n.Title, Row: n.Row, Cell: n.Cell,
		})
	}
}

// drawNames names the bars: those of the first step on their left, outside the plot; those of the last step on their right; and the others
// between their bars and the next.
func (l *Flows) drawNames(c canvas.Canvas, on *Laid) {
	high := on.plotAxes.height
	s := l.lay(high)
	if l.Over {
		l.drawNamesOver(c, s, on.widths[0], high)
		return
	}
	for step := range l.Steps {
		var nodes []int
		var middles []float64
		for i := range l.Nodes {
			if l.Nodes[i].Step == step {
				nodes, middles = append(nodes, i), append(middles, (s.Nodes[i].From+s.Nodes[i].To)/2)
			}
		}
		placed := stat.Spread(middles, nodeLine, 0, high) // half of a name may be beyond the plot
		for tier, width := range on.widths {
			g := canvas.Group{Look: canvas.AxisText, Anchor: canvas.AtEnd, Widths: canvas.Phone << tier}
			label := canvas.Label{X: canvas.Px(-NodeAside), Down: 4}
			room := flowMargin(tier, on.Left)
			switch {
			case step == l.Steps-1:
				g.Anchor, label.X, label.Right, room = canvas.AtStart, canvas.Of(1), NodeAside, flowMargin(tier, on.Right)
			case step > 0:
				g.Look, g.Anchor, label.Right = canvas.MarkedText, canvas.AtStart, NodeAside
				label.X = canvas.Of(l.At(step) + NodeWide)
				room = (l.At(step+1)-l.At(step)-NodeWide)*width - 2*NodeAside
			}
			c.Group(g)
			for k, i := range nodes {
				if label.Text = l.Nodes[i].text(room); label.Text != "" {
					label.Y = canvas.Of(placed[k] / high)
					c.Label(label)
				}
			}
			c.End()
		}
	}
}

// drawNamesOver writes the names over their bars, on a plot of a size in pixels: those of the first step begin at its left edge,
// those of the last end at its right one, and the others are in the middle of their bars. A name is cut only if names of other steps are
// beside it.
func (l *Flows) drawNamesOver(c canvas.Canvas, s *stat.Sankey, width, high float64) {
	at := make([]float64, len(l.Nodes))
	for step := range l.Steps {
		var nodes []int
		var tops []float64
		for i := range l.Nodes {
			if l.Nodes[i].Step == step {
				nodes, tops = append(nodes, i), append(tops, s.Nodes[i].From-4)
			}
		}
		for k, y := range stat.Spread(tops, nodeLine, 0, high) {
			at[nodes[k]] = y
		}
	}
	c.Group(canvas.Group{Look: canvas.MarkedText, Anchor: canvas.AtMiddle})
	for i := range l.Nodes {
		n, y := &l.Nodes[i], at[i]
		x := l.At(n.Step) + NodeWide/2
		room := 2 * min(x, 1-x) * width
		label := canvas.Label{X: canvas.Of(x), Y: canvas.Of(y / high)}
		switch n.Step {
		case 0:
			room, label.X, label.Look, label.Anchor = width, canvas.Coord{}, canvas.MarkedText, canvas.AtStart
		case l.Steps - 1:
			room, label.X, label.Look, label.Anchor = width, canvas.Of(1), canvas.MarkedText, canvas.AtEnd
		}
		for k := range l.Nodes {
			if o := &l.Nodes[k]; o.Step != n.Step && math.Abs(at[k]-y) < nodeLine {
				room = min(room, l.besideOver(n, o, width))
			}
		}
		if label.Text = n.text(room); label.Text != "" {
			c.Label(label)
		}
	}
	c.End()
}

// besideOver returns the room for the name of a bar over it, beside that of a bar of another step: names of the outer steps end, and others
// begin, within the distance of two steps. Of two steps, a long name has what a short one leaves.
func (l *Flows) besideOver(n, o *Node, width float64) float64 {
	if l.Steps > 2 {
		return (l.At(1)-l.At(0))*width/1.5 - NodeAside
	}
	share := width/2 - NodeAside
	if canvas.LabelWidth(n.Name) > share && canvas.LabelWidth(o.Name) <= share {
		return width - canvas.LabelWidth(o.text(share)) - NodeAside
	}
	return share
}

// CutsNames reports whether a name does not fit beside its bar on a phone: left and right are the names in the margins.
func (l *Flows) CutsNames(left, right []string) bool {
	for i := range l.Nodes {
		n := &l.Nodes[i]
		room := (l.At(1)-NodeWide)*(canvas.PhoneInside-2*canvas.PhoneMargin) - 2*NodeAside
		switch n.Step {
		case 0:
			room = flowMargin(0, left)
		case l.Steps - 1:
			room = flowMargin(0, right)
		}
		if canvas.LabelWidth(n.Name) > room {
			return true
		}
	}
	return false
}

// flowMargin returns the space for names in a margin, in pixels.
func flowMargin(tier int, names []string) float64 {
	_, margin := canvas.MarginOf(names)
	if tier == 0 {
		margin = min(margin, canvas.PhoneMargin)
	}
	return margin - NodeAside
}

// text returns the name of a bar and its value if both fit, or else the name, cut; "" if there is too little room.
func (n *Node) text(room float64) string {
	const least = 28 // pixels of a name that is cut
	if both := n.Name + " " + n.Value; canvas.LabelWidth(both) <= room {
		return both
	}
	if canvas.LabelWidth(n.Name) <= room || room >= least {
		return canvas.ClipWidth(n.Name, room)
	}
	return ""
}

// Margins returns the names of the first and the last step that must fit into the margins, each at most so many pixels wide.
func (l *Flows) Margins(most float64) (left, right []string) {
	for i := range l.Nodes {
		n := &l.Nodes[i]
		text := n.Name + " " + n.Value
		if canvas.LabelWidth(text) > most {
			text = canvas.ClipWidth(n.Name, most)
		}
		switch n.Step {
		case 0:
			left = append(left, text)
		case l.Steps - 1:
			right = append(right, text)
		}
	}
	return left, right
}

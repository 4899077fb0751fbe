package page

import (
	"math"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
)

// Flows are ribbons between bars on steps, which are side by side.
type flowLayer struct {
	nodes []flowNode
	flows []flowMark
	steps int
	fixed []bool // by step: its nodes have an order
	back  bool   // some flows lead back, for which there is room beside the first and the last step
	laid  *stat.Sankey
}

// A flowNode is a bar. Its name is beside it.
type flowNode struct {
	step        int
	name, value string
	color       canvas.Color
	title       []string
	amount      float64 // that passes it
	row, cell   int     // of the table behind, whose link it follows; the row is 0 for none
}

// A flowMark is a ribbon from one node to another.
type flowMark struct {
	stat.Flow
	color     canvas.Color
	title     []string
	row, cell int // as of a node
}

const (
	nodeWide   = 0.014    // of the width
	nodeGap    = nodeLine // between nodes of a step, in pixels: names are beside their bars
	nodeLine   = 15.0     // height of a line of names
	nodeAside  = 8        // from a bar to its name
	backReach  = 30       // of a flow that leads back, beyond its nodes, in thousandths of the width
	sankeyLow  = 260      // height, in pixels, at least
	sankeyEach = 23       // and for each node of the fullest step
)

// height is how high the plot is, in pixels.
func (l *flowLayer) height() int {
	most := make([]int, l.steps)
	ways := 0
	for i := range l.nodes {
		most[l.nodes[i].step]++
	}
	for i := range l.flows {
		ways += stat.One(l.leadsBack(i))
	}
	high := sankeyLow
	for _, n := range most {
		high = max(high, sankeyEach*n)
	}
	return high + min(ways*int(nodeGap), sankeyLow)
}

func (l *flowLayer) leadsBack(i int) bool {
	f := &l.flows[i]
	return l.nodes[f.To].step <= l.nodes[f.From].step
}

// lay places everything on a plot of a height in pixels.
func (l *flowLayer) lay(height float64) *stat.Sankey {
	if l.laid == nil {
		step, flows, amounts := make([]int, len(l.nodes)), make([]stat.Flow, len(l.flows)), make([]float64, len(l.nodes))
		for i := range l.nodes {
			step[i], amounts[i] = l.nodes[i].step, l.nodes[i].amount
		}
		for i := range l.flows {
			flows[i] = l.flows[i].Flow
		}
		s := stat.LaySankey(step, flows, amounts, l.fixed, height, nodeGap)
		l.laid = &s
	}
	return l.laid
}

// at is where the bars of a step begin, as a share of the width.
func (l *flowLayer) at(step int) float64 {
	pad := 0.0
	if l.back {
		pad = backReach / 1000.0
	}
	return pad + float64(step)*(1-nodeWide-2*pad)/float64(max(l.steps-1, 1))
}

func (*flowLayer) extent(func(axisName, float64))      {}
func (*flowLayer) boxes(*plotAxes, float64, func(box)) {}

func (l *flowLayer) draw(c canvas.Canvas, f *plotAxes) {
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
	for i := range l.flows {
		m := &l.flows[i]
		r := canvas.Ribbon{
			X1: unit(l.at(l.nodes[m.From].step) + nodeWide), X2: unit(l.at(l.nodes[m.To].step)), From: edges(s.From[i]), To: edges(s.To[i]),
			Color: m.color, Title: m.title, Row: m.row, Cell: m.cell,
		}
		if l.leadsBack(i) {
			r.Way, r.Reach = edges(s.Way[i]), backReach
		}
		c.Ribbon(r)
	}
	c.End()
	for i := range l.nodes {
		n, at := &l.nodes[i], s.Nodes[i]
		c.Rect(canvas.Rect{
			X: canvas.Of(l.at(n.step)), Width: canvas.Of(nodeWide), Y: canvas.Of(at.From / f.height),
			Height: canvas.Of(max(at.To-at.From, 1) / f.height), Color: n.color, Title: n.title, Row: n.row, Cell: n.cell,
		})
	}
}

// drawNames names the bars: those of the first step on their left, outside of the plot, those of the last on their right, and the others
// between their bars and the next.
func (l *flowLayer) drawNames(c canvas.Canvas, on *laid) {
	high := on.plotAxes.height
	s := l.lay(high)
	for step := range l.steps {
		var nodes []int
		var middles []float64
		for i := range l.nodes {
			if l.nodes[i].step == step {
				nodes, middles = append(nodes, i), append(middles, (s.Nodes[i].From+s.Nodes[i].To)/2)
			}
		}
		placed := stat.Spread(middles, nodeLine, 0, high) // half of a name may be beyond the plot
		for tier, width := range on.widths {
			g := canvas.Group{Look: canvas.AxisText, Anchor: canvas.AtEnd, Widths: canvas.Phone << tier}
			label := canvas.Label{X: canvas.Px(-nodeAside), Down: 4}
			room := flowMargin(tier, on.left)
			switch {
			case step == l.steps-1:
				g.Anchor, label.X, label.Right, room = canvas.AtStart, canvas.Of(1), nodeAside, flowMargin(tier, on.right)
			case step > 0:
				g.Look, g.Anchor, label.Right = canvas.MarkedText, canvas.AtStart, nodeAside
				label.X = canvas.Of(l.at(step) + nodeWide)
				room = (l.at(step+1)-l.at(step)-nodeWide)*width - 2*nodeAside
			}
			c.Group(g)
			for k, i := range nodes {
				if label.Text = l.nodes[i].text(room); label.Text != "" {
					label.Y = canvas.Of(placed[k] / high)
					c.Label(label)
				}
			}
			c.End()
		}
	}
}

// flowMargin is how much room names have in a margin, in pixels.
func flowMargin(tier int, names []string) float64 {
	_, margin := canvas.MarginOf(names)
	if tier == 0 {
		margin = min(margin, canvas.PhoneMargin)
	}
	return margin - nodeAside
}

// text is the name of a bar and its value where both fit, or else the name, cut; "" where there is no room.
func (n *flowNode) text(room float64) string {
	const least = 28 // pixels of a name that is cut
	if both := n.name + " " + n.value; canvas.LabelWidth(both) <= room {
		return both
	}
	if canvas.LabelWidth(n.name) <= room || room >= least {
		return canvas.ClipWidth(n.name, room)
	}
	return ""
}

// margins are the names of the first and the last step, for which the margins have room, of at most so many pixels.
func (l *flowLayer) margins(most float64) (left, right []string) {
	for i := range l.nodes {
		n := &l.nodes[i]
		text := n.name + " " + n.value
		if canvas.LabelWidth(text) > most {
			text = canvas.ClipWidth(n.name, most)
		}
		switch n.step {
		case 0:
			left = append(left, text)
		case l.steps - 1:
			right = append(right, text)
		}
	}
	return left, right
}

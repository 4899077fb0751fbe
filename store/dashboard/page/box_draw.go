package page

import (
	"strings"

	"service/store/dashboard"
)

// chart is the boxes, with the outliers on top of them.
func (b *boxPanel) chart() *chart {
	h := b.newChart(orInteger(b.col))
	h.y.name, h.refs = b.col.Label, b.lines()
	b.overSlots(h, b.split, &b.slots)
	width := shareOf(len(b.boxes), 0.16, 0.32, 0.5, 0.68) * b.slots.band
	boxes, far := &spanLayer{least: leastBar}, make(dotLayer, len(b.far))
	for x := range b.boxes {
		if f := &b.boxes[x]; f.there {
			boxes.spans = append(boxes.spans, spanMark{
				middle: b.slots.middle(x), width: width, low: f.low, from: f.q1, to: f.q3, high: f.high, across: &f.median,
				color: b.color(x), outlined: true, hatched: b.split.isPartial(x),
			})
		}
	}
	for i, o := range b.far {
		far[i] = dotMark{b.slots.middle(o.at), o.value, b.color(o.at)}
	}
	h.under = []layer{boxes, far}
	return h
}

// color is the colour of a box.
func (b *boxPanel) color(x int) color {
	if b.colors != nil {
		return b.colors[x]
	}
	return b.split.series[0].color
}

func (b *boxPanel) draw(c canvas) { b.chart().draw(c) }

// sketch draws the boxes lying, one under another: ─ whiskers, ▒ the box, ┃ its median,
// · outliers.
func (b *boxPanel) sketch() []string {
	const wide = 32
	sc := b.chart().lay().axes[axisY]
	at := func(v float64) int { return min(int((1-sc.up(v))*wide), wide-1) }
	var names, lines []string
	for i := range b.boxes {
		names = append(names, b.words(0, b.grid.rows[i][0]))
	}
	room := widest(names)
	for i, f := range b.boxes {
		if !f.there {
			lines = append(lines, pad(names[i], room)+" "+strings.Repeat(" ", wide)+" "+string(none))
			continue
		}
		row := []rune(strings.Repeat(" ", wide))
		put := func(from, to float64, mark rune) {
			for k := at(from); k <= at(to); k++ {
				row[k] = mark
			}
		}
		for _, o := range b.far {
			if o.at == i && b.drawn(dashboard.AxisY, o.value) {
				row[at(o.value)] = '·'
			}
		}
		put(f.low, f.high, '─')
		put(f.q1, f.q3, '▒')
		put(f.median, f.median, '┃')
		lines = append(lines, pad(names[i], room)+" "+string(row)+" "+oneLine(b.page.amount(b.split.series[0].col.Format, f.exact[2])))
	}
	lines = most(lines, sketchRow, "rows")
	from, to := oneLine(b.page.short(orInteger(b.col), sc.lo)), oneLine(b.page.short(orInteger(b.col), sc.hi))
	return append(lines, pad("", room)+" "+from+strings.Repeat(" ", max(wide-cells(from)-cells(to), 1))+to)
}

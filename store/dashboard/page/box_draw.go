package page

import (
	"service/store/dashboard/canvas"
)

// chart is the boxes, with the outliers on top of them.
func (b *boxPanel) chart() *chart {
	h := b.newChart(b.col)
	h.y.name, h.refs = b.page.Head(b.col, b.col.Label), b.lines()
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
		far[i] = dotMark{b.slots.middle(o.at), o.Value, b.color(o.at)}
	}
	h.under = []layer{boxes, far}
	return h
}

// color is the colour of a box.
func (b *boxPanel) color(x int) canvas.Color {
	if b.colors != nil {
		return b.colors[x]
	}
	return b.split.series[0].color
}

func (b *boxPanel) draw(c canvas.Canvas) { b.chart().draw(c) }

package panel

import (
	"slices"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/format"
)

// chart returns the chart of the boxes, with the outliers on top of them.
func (b *boxPanel) chart() *chart.Chart {
	h := b.newChart(b.col)
	h.Y.Name, h.Refs, h.Events, h.Key = b.Env.Head(b.col, b.col.Label), b.lines(), b.chartEvents(), b.key()
	b.Env.overSlots(h, b.split, &b.slots)
	h.Row = plainRow
	width := chart.ShareOf(len(b.boxes), 0.16, 0.32, 0.5, 0.68) * b.slots.Band
	boxes, far := &chart.Spans{Least: chart.LeastBar}, make(chart.Dots, len(b.far))
	of := format.OrInteger(*b.split.series[0].col)
	short := b.split.shorts(b.Env, of)
	for x := range b.boxes {
		if f := &b.boxes[x]; f.there {
			span := chart.Span{
				Middle: b.slots.Middle(x), Width: width, Low: f.low, From: f.q1, To: f.q3, High: f.high, Across: &f.median,
				Color: b.color(x), Outlined: true, Hatched: b.split.isPartial(x),
			}
			if b.labelled() {
				span.Texts = &[2]string{b.Env.Amount(of, f.exact[2]), short(f.median)}
			}
			boxes.Spans = append(boxes.Spans, span)
		}
	}
	for i, o := range b.far {
		far[i] = chart.Dot{X: b.slots.Middle(o.at), Value: o.Value, Color: b.color(o.at)}
	}
	if b.labelled() {
		h.Values = chart.AnyValues
	}
	middles := b.slots.Middles()
	h.Under = []chart.Layer{boxes, far}
	h.Over = slices.Concat(b.beforeLayer(middles, true), b.over.layer(), toneDots(b.toned, middles, b.split.value[0], false))
	return h
}

// key returns the legend of the lines over the boxes, and of tones; nil if there are neither.
func (b *boxPanel) key() *chart.Key { return b.tones.addTo(b.over.addTo(b.before.addTo(nil))) }

// color returns the colour of a box. A box that is not highlighted has a gray that shows its outline and its median.
func (b *boxPanel) color(x int) canvas.Color {
	switch {
	case b.colors == nil:
		return b.split.series[0].color
	case b.colors[x] == canvas.PaleColor:
		return canvas.OtherColor
	}
	return b.colors[x]
}

func (b *boxPanel) plotted() *chart.Chart { return b.chart() }

func (b *boxPanel) Draw(c canvas.Canvas) { b.chart().Draw(c) }

package panel

import (
	"slices"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/format"
)

// The gap between the boxes of one place and those of the next, as a share of a place, and the height of a horizontal box without a series.
const (
	groupGap       = 0.24
	horizontalHigh = 0.6
)

// chart returns the chart of the boxes, with the outliers on top of them.
func (b *boxPanel) chart() *chart.Chart { return b.chartOf(b.Spec.Horizontal) }

// chartOf returns the chart of boxes that lie or stand.
func (b *boxPanel) chartOf(horizontal bool) *chart.Chart {
	h := b.newChart(b.col)
	h.Y.Name, h.Refs, h.Key = b.Env.Head(b.col, b.col.Label), b.lines(), b.key()
	step := b.step(horizontal)
	h.Beside = b.beside()
	row := plainRow + besideRow*(h.Beside-1)
	if !b.Spec.Upright {
		h.Row = row
	}
	if horizontal {
		h.Row, h.Horizontal, h.X.Bands = row, true, &chart.BandNames{Full: b.rowNames()}
		h.Height = h.Row * len(b.split.x)
	} else {
		h.Events = b.chartEvents()
		b.Env.overSlots(h, b.split, &b.slots)
		if b.legend != nil {
			h.Places = b.boxPlaces(step)
		}
	}
	width := chart.ShareOf(len(b.boxes), 0.16, 0.32, 0.5, 0.68) * b.slots.Band
	switch {
	case b.legend != nil:
		width = 0.64 * step
	case horizontal:
		width = horizontalHigh * b.slots.Band
	}
	boxes, far := &chart.Spans{Least: chart.LeastBar}, make(chart.Dots, len(b.far))
	of := format.OrInteger(*b.split.series[0].col)
	write := b.split.writer(b.Env, of)
	for i := range b.boxes {
		if f := &b.boxes[i]; f.there {
			span := chart.Span{
				Middle: b.middle(i, step), Width: width, Low: f.low, From: f.q1, To: f.q3, High: f.high, Across: &f.median,
				Color: b.color(i), Outlined: true, Hatched: b.split.isPartial(i / b.beside()),
			}
			if b.labelled() {
				texts := write.of(*b.split.series[0].col, f.exact[2], f.median)
				span.Texts = &texts
			}
			boxes.Spans = append(boxes.Spans, span)
		}
	}
	for i, o := range b.far {
		far[i] = chart.Dot{X: b.middle(o.at, step), Value: o.Value, Color: b.color(o.at)}
	}
	if b.labelled() {
		h.Values = chart.AnyValues
	}
	middles := b.slots.Middles()
	h.Under = []chart.Layer{boxes, far}
	h.Over = slices.Concat(b.beforeLayer(middles, true), b.over.layer(), toneDots(b.toned, middles, b.split.value[0], false))
	return h
}

// step returns the distance between the boxes of one place. In rows, which tooltips find by their even share of the height, no box is far
// from the middle of its share.
func (b *boxPanel) step(horizontal bool) float64 {
	n, gap := float64(b.beside()), groupGap
	if horizontal && n > 1 {
		gap = min(gap, 0.72/(n-1))
	}
	return (1 - gap) * b.slots.Band / n
}

// middle returns the middle of a box: step is the distance between those of one place.
func (b *boxPanel) middle(i int, step float64) float64 {
	n := b.beside()
	return b.slots.Middle(i/n) + (float64(i%n)-float64(n-1)/2)*step
}

// boxPlaces returns the places of the boxes of series, each of which is a row of the table behind.
func (b *boxPanel) boxPlaces(step float64) canvas.Places {
	out := canvas.Places{Columns: len(b.boxes), Bands: true, At: make([]float64, len(b.boxes))}
	for i := range out.At {
		out.At[i] = b.middle(i, step)
	}
	return out
}

// rowNames returns the names of the places of boxes that lie.
func (b *boxPanel) rowNames() []string {
	out := make([]string, len(b.split.x))
	for i, c := range b.split.x {
		out[i] = canvas.ClipLabel(b.Env.Cell(b.split.xcol, b.split.grain, c), 3*chart.LongestLabel)
	}
	return out
}

// key returns the legend of the series, of the lines over the boxes, and of tones; nil for an empty one.
func (b *boxPanel) key() *chart.Key {
	var series *chart.Key
	if b.legend != nil {
		series = b.Panel.legend(b.legend)
	}
	return b.tones.addTo(b.over.addTo(b.before.addTo(series)))
}

// color returns the colour of a box. A box that is not highlighted has a gray that shows its outline and its median.
func (b *boxPanel) color(i int) canvas.Color {
	out := b.split.series[i%b.beside()].color
	if b.colors != nil {
		out = b.colors[i]
	}
	if out == canvas.PaleColor {
		return canvas.OtherColor
	}
	return out
}

func (b *boxPanel) plotted() *chart.Chart { return b.chart() }

func (b *boxPanel) Draw(c canvas.Canvas) { b.chart().Draw(c) }

// mostSketched is the maximum number of boxes, or of rows of cells, that a drawing in characters has as rows.
const mostSketched = 16

// sketch returns the boxes in characters. They lie if they are few, because a line has more characters than a plot has lines.
func (b *boxPanel) sketch() []string {
	lines, names := b.painted(b.chartOf(b.Spec.Horizontal || len(b.boxes) <= mostSketched).Draw, sketchLines-1)
	return append(lines, b.largest(names)...)
}

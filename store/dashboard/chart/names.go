package chart

import "service/store/dashboard/canvas"

// LongestLabel is the maximal number of letters of a label under a column or a point.
const LongestLabel = 14

// BandNames are the names of places as wide as their band. On each width they are whole if they fit side by side, in one line or in two.
// Otherwise every other name of an ordered axis is in a second line or, if they do not fit there either, some names are left out, a chart
// that can lie does ([Chart.Row]), and others shorten their names in the middle.
type BandNames struct {
	Full []string
	Thin func(width float64) []Label // chooses some of the names of an ordered axis; nil if no name may be left out
}

// LeastName is the least width of a shortened name, in pixels: on narrower columns, only some are named.
const LeastName = 38

// drawLabels draws the labels under the plot.
func (l *Laid) drawLabels(c canvas.Canvas, r run) {
	x := &l.Axes[axisX]
	switch {
	case x.of.Bands != nil:
		drawX(c, r.only(l.tiers(func(width float64) []Label { return x.of.Bands.labels(width, !l.Room.small() || l.Room.Own) })))
	case x.of.Labels != nil:
		drawX(c, r.only(l.tiers(x.of.Labels)))
	case x.of.Write != nil: // of an axis of numbers, every other or fewer if it is narrow
		texts := x.names()
		var at []float64
		for _, v := range x.Ticks() {
			at = append(at, 1-x.at(v))
		}
		drawX(c, r.only(l.tiers(func(width float64) []Label { return EveryNth(texts, at, width) })))
	}
}

// tiers chooses labels for the three widths of the plot.
func (l *Laid) tiers(choose func(width float64) []Label) [3][]Label {
	margin := marginLeft(l.margin)
	if l.Flush {
		margin = 0
	}
	left, right := besidePlot(margin), canvas.RightMargin+canvas.Padding
	if l.Y.Rows != nil && l.Y.Rows.Right != nil { // no scale is there
		right = besidePlot(rightSide(l.Y.Rows.Right))
	}
	if l.Room.small() && !l.Room.Own { // half of the gap between two plots, so that the names of neighbours do not touch
		left, right = plotGap/2-3, plotGap/2-3
	}
	var out [3][]Label
	for i, width := range l.widths {
		if l.X.Above {
			out[i] = choose(width)
			for j := range out[i] {
				out[i][j].over = true
			}
			continue
		}
		out[i] = kept(choose(width), width, left, right)
	}
	return out
}

// marginLeft returns the margin of a plot on the left with labels, in pixels.
func marginLeft(labels []string) float64 {
	_, margin := canvas.MarginOf(labels)
	return margin
}

// besidePlot returns the room for labels beside a plot with a margin, on all widths of panels, in pixels.
func besidePlot(margin float64) float64 { return min(margin, canvas.PhoneMargin) + canvas.Padding }

// NamesFit reports whether the names of all places of a small plot fit side by side, whole, on one of the widths of panels: 0 is that of a
// phone. It is true if the places have no names of their own, or have them beside rows.
func (l *Laid) NamesFit(on int) bool {
	b := l.X.Bands
	return b == nil || l.Horizontal || b.whole(l.widths[on], !l.Room.small() || l.Room.Own) != nil
}

// whole returns all names, uncut, in one line or in two, or nil if they do not fit side by side.
func (b *BandNames) whole(width float64, twoLines bool) []Label {
	at := Bands(len(b.Full))
	if beside(b.Full, width) {
		return everyOne(b.Full, at)
	}
	first, second := brokenInTwo(b.Full)
	if !twoLines || !beside(first, width) || !beside(second, width) {
		return nil
	}
	out := everyOne(first, at)
	for i := range out {
		out[i].more = second[i]
	}
	return out
}

// staggered returns all names, every other in the second line, or nil if they do not fit. On narrow bands some names are enough.
func (b *BandNames) staggered(width float64) []Label {
	var lines [2][]string
	for i, name := range b.Full {
		lines[i%2] = append(lines[i%2], name)
	}
	n := len(b.Full)
	if n < 3 || width/float64(n) < LeastName || !beside(lines[0], width) || !beside(lines[1], width) {
		return nil
	}
	out := everyOne(b.Full, Bands(n))
	for i := 1; i < len(out); i += 2 {
		out[i].Text, out[i].more = "", out[i].Text
	}
	return out
}

// labels returns the names that are written on a plot of a width, in pixels.
func (b *BandNames) labels(width float64, twoLines bool) []Label {
	if out := b.whole(width, twoLines); out != nil {
		return out
	}
	if b.Thin != nil {
		if out := b.staggered(width); twoLines && out != nil {
			return out
		}
		return b.Thin(width)
	}
	n := len(b.Full)
	step := 1
	for ; step < n && float64(step)*width/float64(n) < LeastName+8; step++ {
	}
	room, at := float64(step)*width/float64(n)-8, Bands(n)
	first, second := b.Full, make([]string, n)
	if twoLines {
		first, second = brokenInTwo(b.Full)
	}
	var out []Label
	for i := 0; i < n; i += step {
		if i+step >= n {
			i = n - 1 // the last is named, such as a total
		}
		out = append(out, Label{At: at[i], Text: canvas.ClipMiddle(first[i], room), more: canvas.ClipMiddle(second[i], room)})
	}
	return out
}

// beside reports whether texts fit side by side, each in the middle of its band, and in the panel.
func beside(texts []string, width float64) bool {
	band := width / float64(len(texts))
	before := band - 2*canvas.Padding // the margin is wider than on the right, where the last has as much
	for i, t := range texts {
		w := canvas.LabelWidth(t)
		if (before+w)/2+8 > band || i == len(texts)-1 && w > band+2*canvas.RightMargin {
			return false
		}
		before = w
	}
	return true
}

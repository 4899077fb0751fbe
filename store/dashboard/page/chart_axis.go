package page

import (
	"math"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
)

// An axisName says which axis of a chart values are on.
type axisName uint8

const (
	axisY axisName = iota
	axisX
	axisRight
)

// An axis is an axis of a chart. The axis of x may be one of places side by side: it has no scale,
// and layers say where they are as fractions of the width.
type axis struct {
	name     string   // beside it; "" for none
	min, max *float64 // where it begins and ends; nil where its values say so
	log      bool
	zero     bool                         // it has zero
	unit     string                       // the format whose round numbers it has
	round    func(lo, hi float64) scale   // chooses a scale for values; nil for [newScale]
	fixed    *scale                       // whatever the values; nil for none
	reach    *extremes                    // of all small plots that share it; nil for the values of the layers
	pad      float64                      // share of the axis beyond the values at either end
	near     float64                      // of an axis on the right: see [pairedScales]
	padUnder float64                      // share of the axis below values that are below zero
	write    func(s scale) []string       // the names of its gridlines
	sparse   bool                         // it has only the gridlines that have a name
	onTop    bool                         // its names are written over the marks
	labels   func(width float64) []xLabel // under the plot, on a plot of a width in pixels; nil for those of the scale
	bands    *bandNames                   // names of places as wide as their band, in place of labels; nil for none
	above    bool                         // the labels are above the plot
	rows     *rowAxis                     // names of rows of cells, in place of a scale; nil for none
}

// has reports whether the axis has a place for a value: a logarithmic one has none for zero and what is below it.
func (a *axis) has(v float64) bool { return v > 0 || !a.log }

// shows reports whether a value is on the axis.
func (a *axis) shows(v float64) bool {
	return a.has(v) && !(a.min != nil && v < *a.min) && !(a.max != nil && v > *a.max)
}

// straight is a value where the axis draws it straight: its logarithm on a logarithmic one.
func (a *axis) straight(v float64) float64 {
	if a.log {
		return math.Log10(v)
	}
	return v
}

// reaches reports whether some of what is between two values is on the axis.
func (a *axis) reaches(lo, hi float64) bool {
	return a.has(hi) && !(a.min != nil && hi < *a.min) && !(a.max != nil && lo > *a.max)
}

// shown are the reference lines that are on the axis.
func (a *axis) shown(refs []reference) (out []reference) {
	for _, r := range refs {
		if lo, hi := r.ends(); a.reaches(lo, hi) {
			out = append(out, r)
		}
	}
	return out
}

// widened are the values of an axis with room beyond them.
func (a *axis) widened(e extremes) (lo, hi float64) {
	switch {
	case a.pad > 0 && a.log:
		factor := math.Pow(10, (math.Log10(e.hi)-math.Log10(e.lo))*a.pad)
		if lo, hi := e.lo/factor, e.hi*factor; lo > 0 && !math.IsInf(hi, 0) {
			return lo, hi
		}
	case a.pad > 0:
		return roomFor(e.lo, e.hi, a.pad)
	case a.padUnder > 0:
		below, _ := roomFor(e.lo, 0, a.padUnder)
		return min(e.lo, below), e.hi
	}
	return e.lo, e.hi
}

// scaled is the scale of the axis for values from lo to hi.
func (a *axis) scaled(lo, hi float64) scale {
	if a.fixed != nil {
		return *a.fixed
	}
	if a.min != nil {
		lo = *a.min
	}
	if a.max != nil {
		hi = *a.max
	}
	if !(lo < hi) && (a.min == nil) != (a.max == nil) { // all that is drawn is beyond the bound that is set
		lo, hi = besideBound(lo, hi, a.min != nil, a.log)
	}
	var s scale
	switch {
	case a.log:
		if s = logScale(lo, hi); a.unit == "duration" {
			s = durationScale(s, lo, hi)
		}
	case a.round != nil:
		s = a.round(lo, hi)
	default:
		s = newScale(lo, hi, a.zero, a.unit)
	}
	if a.min != nil {
		s.lo = *a.min
	}
	if a.max != nil {
		s.hi = *a.max
	}
	if n := (s.hi - s.lo) / s.step; (a.min != nil || a.max != nil) && !s.log && (n < 2.5 || n > 8) {
		if s.step = stat.NiceStep(s.hi/5 - s.lo/5); a.unit == "integer" {
			s.step = max(s.step, 1)
		}
	}
	return s
}

// A placedAxis has a scale.
type placedAxis struct {
	of *axis
	scale
}

// up is where a value is, from 0 at the top. A value outside the axis is below all others.
func (p *placedAxis) up(v float64) float64 {
	if !p.of.has(v) {
		return 1
	}
	return p.at(v)
}

// names are the names of the gridlines.
func (p *placedAxis) names() []string {
	if p.of.write == nil {
		return nil
	}
	return p.of.write(p.scale)
}

// namesFrom are the names of the gridlines, but for those below zero that are there for the other
// axis alone: lo is the least value.
func (p *placedAxis) namesFrom(lo float64) []string {
	texts := p.names()
	for i, v := range p.ticks() {
		if v < 0 && lo >= 0 {
			texts[i] = ""
		}
	}
	return texts
}

func (p *placedAxis) drawNames(c canvas.Canvas, texts []string) {
	for i, v := range p.ticks() {
		drawTick(c, p.scale, v, texts[i])
	}
}

// A room is how wide the plot of a panel can be.
type room struct {
	inside  float64 // what is in the panel, on a desktop, in pixels
	columns int     // of small plots beside each other; 0 for one plot alone
}

func (r room) small() bool { return r.columns > 0 }

// fullWidths are how wide a plot without margins is at least, on each of the widths of panels.
func (r room) fullWidths() [3]float64 {
	narrow := r.inside * canvas.Shrunk
	return [3]float64{min(canvas.PhoneInside, narrow), canvas.TabletInside, max(canvas.DesktopInside, narrow)}
}

// widths are how wide a plot is at least, on each of the widths of panels, beside labels on its
// left and on its right. Labels on the left of small plots are beside the first of each row.
func (r room) widths(left, right []string) [3]float64 {
	_, margin := canvas.MarginOf(left)
	out := r.fullWidths()
	if r.small() {
		const gap = 30
		for i, columns := range [...]int{min(r.columns, 2), min(r.columns, 3), r.columns} {
			out[i] = max((out[i]-min(margin, canvas.PhoneMargin)-float64(columns-1)*gap)/float64(columns), 40)
		}
		return out
	}
	beside := rightSide(right)
	for i := range out {
		if i == 0 {
			out[i] -= min(margin, canvas.PhoneMargin) + min(beside, canvas.PhoneMargin)
		} else {
			out[i] -= margin + beside
		}
		out[i] = max(out[i], 40)
	}
	return out
}

// rightSide is the margin of a plot on the right, in pixels.
func rightSide(labels []string) float64 {
	if labels == nil {
		return canvas.RightMargin
	}
	_, right := canvas.MarginOf(labels)
	return right
}

// A key is what colours and signs mean: a list, or a ramp of colours, or a ramp and under it a list.
type key struct {
	kind  canvas.ListKind
	items []canvas.Item
	ramp  *canvas.Ramp
}

func (k *key) draw(c canvas.Canvas) {
	switch {
	case k == nil:
	case k.ramp != nil && len(k.items) == 0:
		c.Ramp(*k.ramp)
	default:
		if k.ramp != nil {
			c.Ramp(*k.ramp)
		}
		c.List(k.kind)
		for _, i := range k.items {
			c.Item(i)
			c.End()
		}
		c.End()
	}
}

// shareOf is how much of its place a mark takes, of n side by side.
func shareOf(n int, one, few, some, many float64) float64 {
	switch {
	case n == 1:
		return one
	case n <= 3:
		return few
	case n > 31: // on a phone there is little between them
		return many
	}
	return some
}

// slots are places side by side, as wide as a share of the plot.
type slots struct {
	n    int
	band float64   // how wide each is
	at   []float64 // the middles of those that are not evenly spaced; nil for others
}

// middle is where a place is.
func (s *slots) middle(x int) float64 {
	if s.at != nil {
		return s.at[x]
	}
	return (float64(x) + 0.5) * s.band
}

// middles are where all places are.
func (s *slots) middles() []float64 {
	out := make([]float64, s.n)
	for x := range out {
		out[x] = s.middle(x)
	}
	return out
}

// places are the slots as those of the rows behind them.
func (s *slots) places() canvas.Places { return canvas.Places{Columns: s.n, Bands: true, At: s.at} }

package chart

import (
	"math"
	"slices"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
)

// An axisName is the axis of a chart on which values are drawn.
type axisName uint8

const (
	axisY axisName = iota
	axisX
	AxisRight
)

// An Axis is an axis of a chart. The axis of x may have places side by side instead of a scale; layers then place their marks by fractions
// of the width.
type Axis struct {
	Name     string   // written at the axis; "" for none
	Min, Max *float64 // its bounds; nil: computed from its values
	Log      bool
	Reverse  bool                        // low values are at the top
	Zero     bool                        // it has zero
	Unit     Unit                        // what its numbers count
	Round    func(lo, hi float64) Scale  // chooses a scale for values; nil for [NewScale]
	Fixed    *Scale                      // a scale that does not depend on the values; nil for none
	Reach    *Extremes                   // of all small plots that share the axis; nil for the values of the layers
	Pad      float64                     // share of the axis beyond the values at either end
	Near     float64                     // of an axis on the right: see [pairedScales]
	PadUnder float64                     // share of the axis below values that are below zero
	Write    func(s Scale) []string      // the names of its gridlines
	Sparse   bool                        // only gridlines with a name are drawn
	OnTop    bool                        // its names are drawn over the marks
	Labels   func(width float64) []Label // under the plot, for its width in pixels; nil for those of the scale
	Bands    *BandNames                  // names of places as wide as their band, instead of labels; nil for none
	Above    bool                        // the labels are above the plot
	Rows     *RowAxis                    // names of rows of cells, instead of a scale; nil for none
}

// Side returns the side of the axis of y.
func (a *Axis) Side() canvas.Side {
	if a.Reverse {
		return canvas.YDown
	}
	return canvas.YSide
}

// bound reports whether the ends or the gridlines of the axis depend on more than its values.
func (a *Axis) bound() bool { return a.ranged() || a.Log || a.Fixed != nil }

// ranged reports whether the spec sets an end of the axis.
func (a *Axis) ranged() bool { return a.Min != nil || a.Max != nil }

// has reports whether a value can be on the axis: a logarithmic axis has no place for zero and negative values.
func (a *Axis) has(v float64) bool { return v > 0 || !a.Log }

// shows reports whether a value is on the axis.
func (a *Axis) shows(v float64) bool {
	return a.has(v) && !(a.Min != nil && v < *a.Min) && !(a.Max != nil && v > *a.Max)
}

// straight returns a value on the linear form of the axis: its logarithm on a logarithmic axis.
func (a *Axis) straight(v float64) float64 {
	if a.Log {
		return math.Log10(v)
	}
	return v
}

// reaches reports whether some value between two values is on the axis.
func (a *Axis) reaches(lo, hi float64) bool {
	return a.has(hi) && !(a.Min != nil && hi < *a.Min) && !(a.Max != nil && lo > *a.Max)
}

// shown returns the reference lines that are on the axis.
func (a *Axis) shown(refs []Reference) (out []Reference) {
	for _, r := range refs {
		if lo, hi := r.Ends(); a.reaches(lo, hi) {
			out = append(out, r)
		}
	}
	return out
}

// widened returns the bounds of values with the margins of the axis beyond them.
func (a *Axis) widened(e Extremes) (lo, hi float64) {
	if a.ranks() && e.Lo >= 1 {
		return e.Lo, e.Hi // its scale has margins
	}
	switch {
	case a.Pad > 0 && a.Log:
		factor := math.Pow(10, (math.Log10(e.Hi)-math.Log10(e.Lo))*a.Pad)
		if lo, hi := e.Lo/factor, e.Hi*factor; lo > 0 && !math.IsInf(hi, 0) {
			return lo, hi
		}
	case a.Pad > 0:
		return roomFor(e.Lo, e.Hi, a.Pad)
	case a.PadUnder > 0:
		below, _ := roomFor(e.Lo, 0, a.PadUnder)
		return min(e.Lo, below), e.Hi
	}
	return e.Lo, e.Hi
}

// scaled returns the scale of the axis for values from lo to hi.
func (a *Axis) scaled(lo, hi float64) Scale {
	if a.Fixed != nil {
		return *a.Fixed
	}
	if a.Min != nil {
		lo = *a.Min
	}
	if a.Max != nil {
		hi = *a.Max
	}
	if !(lo < hi) && (a.Min == nil) != (a.Max == nil) { // all marks are beyond the bound that is set
		lo, hi = besideBound(lo, hi, a.Min != nil, a.Log)
	}
	var s Scale
	switch {
	case a.Log:
		if s = logScale(lo, hi); a.Unit == Seconds {
			s = durationScale(s, lo, hi)
		}
	case a.Round != nil:
		s = a.Round(lo, hi)
	default:
		if ranks, ok := a.OfRanks(lo, hi); ok {
			s = ranks
		} else {
			s = NewScale(lo, hi, a.Zero, a.Unit)
		}
	}
	if a.Min != nil {
		s.Lo = *a.Min
	}
	if a.Max != nil {
		s.Hi = *a.Max
	}
	if s.Lo > s.Hi { // there is no number beyond the bound that is set
		if a.Min != nil {
			s.Hi = s.Lo
		} else {
			s.Lo = s.Hi
		}
	}
	if n := (s.Hi - s.Lo) / s.Step; (a.Min != nil || a.Max != nil) && !s.Log && (n < 2.5 || n > 8) {
		if s.Step = stat.NiceStep(s.Hi/5 - s.Lo/5); a.Unit == Whole {
			s.Step = max(s.Step, 1)
		}
	}
	s.ranks = s.ranks && s.Lo > 0 && s.Lo <= 1
	s.Reverse = a.Reverse
	return s
}

// A placedAxis has a scale.
type placedAxis struct {
	of *Axis
	Scale
}

// up returns the position of a value, from 0 at the top. A value that is not on the axis is below all others.
func (p *placedAxis) up(v float64) float64 {
	if !p.of.has(v) {
		return 1
	}
	return p.at(v)
}

// names returns the names of the gridlines.
func (p *placedAxis) names() []string {
	if p.of.Write == nil {
		return nil
	}
	return p.of.Write(p.Scale)
}

// namesFrom returns the names of the gridlines, except those below zero that exist only for the other axis: lo is the least value.
func (p *placedAxis) namesFrom(lo float64) []string {
	texts := p.names()
	for i, v := range p.Ticks() {
		if v < 0 && lo >= 0 {
			texts[i] = ""
		}
	}
	return texts
}

func (p *placedAxis) drawNames(c canvas.Canvas, texts []string) {
	for i, v := range p.Ticks() {
		drawTick(c, p.Scale, v, texts[i])
	}
}

// A Room is the space for the plot of a panel.
type Room struct {
	Inside  float64 // the width inside the panel, on a desktop, in pixels
	Columns int     // of small plots side by side; 0 for a single plot
	Own     bool    // each of these plots has its own labels
}

func (r Room) small() bool { return r.Columns > 0 }

// FullWidths returns the least width of a plot without margins, on each of the widths of panels.
func (r Room) FullWidths() [3]float64 {
	narrow := r.Inside * canvas.Shrunk
	out := [3]float64{min(canvas.PhoneInside, narrow), canvas.TabletInside, max(canvas.DesktopInside, narrow)}
	if r.Own {
		out[1], out[2] = r.part(out[1], min(r.Columns, 2)), r.part(out[2], r.Columns)
	}
	return out
}

// narrowest returns the least of the full widths.
func (r Room) narrowest() float64 {
	widths := r.FullWidths()
	return slices.Min(widths[:])
}

// plotGap is the distance between small plots beside each other, in pixels.
const plotGap = 30

// part returns the width of one of several small plots in a row.
func (r Room) part(width float64, columns int) float64 {
	return max((width-float64(columns-1)*plotGap)/float64(columns), 40)
}

// Widths returns the least width of a plot on each width of panels, with labels on its left and on its right. If there are small plots,
// only the first of each row has labels on its left.
func (r Room) Widths(left, right []string) [3]float64 {
	_, margin := canvas.MarginOf(left)
	out := r.FullWidths()
	if r.small() && !r.Own {
		out[0] -= min(margin, canvas.PhoneMargin)
		out[1] = min(r.part(out[1]-margin, min(r.Columns, 2)), r.part(canvas.FacetInside-margin, min(r.Columns, 3)))
		out[2] = r.part(out[2]-margin, r.Columns)
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

// flush returns the least width of a plot without labels on its left, on each width of panels.
func (r Room) flush(right []string) [3]float64 {
	out, beside := r.FullWidths(), rightSide(right)
	out[0] -= min(beside, canvas.PhoneMargin)
	out[1] -= beside
	out[2] -= beside
	return out
}

// rightSide returns the margin of a plot on the right, in pixels.
func rightSide(labels []string) float64 {
	if labels == nil {
		return canvas.RightMargin
	}
	_, right := canvas.MarginOf(labels)
	return right
}

// A Key is the legend of a chart: a list, or a ramp of colours, or a ramp with a list under it.
type Key struct {
	Kind  canvas.ListKind
	Items []canvas.Item
	Ramp  *canvas.Ramp
}

func (k *Key) Draw(c canvas.Canvas) {
	switch {
	case k == nil:
	case k.Ramp != nil && len(k.Items) == 0:
		c.Ramp(*k.Ramp)
	default:
		if k.Ramp != nil {
			c.Ramp(*k.Ramp)
		}
		c.List(k.Kind)
		for _, i := range k.Items {
			c.Item(i)
			c.End()
		}
		c.End()
	}
}

// ShareOf returns the share of its place that a mark takes, if n are side by side.
func ShareOf(n int, one, few, some, many float64) float64 {
	switch {
	case n == 1:
		return one
	case n <= 3:
		return few
	case n > 31: // on a phone, marks almost touch
		return many
	}
	return some
}

// Slots are places side by side, each a share of the plot wide.
type Slots struct {
	N    int
	Band float64   // how wide each is
	At   []float64 // the middles of those that are not evenly spaced; nil for others
}

// Middle returns the middle of a place.
func (s *Slots) Middle(x int) float64 {
	if s.At != nil {
		return s.At[x]
	}
	return (float64(x) + 0.5) * s.Band
}

// Middles returns the middles of all places.
func (s *Slots) Middles() []float64 {
	out := make([]float64, s.N)
	for x := range out {
		out[x] = s.Middle(x)
	}
	return out
}

// Places returns the slots as the columns of a plot.
func (s *Slots) Places() canvas.Places { return canvas.Places{Columns: s.N, Bands: true, At: s.At} }

// roomFor widens the bounds of an axis by a share of it on both sides, so that no point is drawn on the axis itself. Bounds that are both
// positive, or both negative, keep their sign.
func roomFor(lo, hi, share float64) (wideLo, wideHi float64) {
	room := (hi - lo) * share / (1 - 2*share)
	if math.IsInf(lo-room, 0) || math.IsInf(hi+room, 0) {
		return lo, hi // larger numbers do not exist
	}
	wideLo, wideHi = lo-room, hi+room
	if lo >= 0 {
		wideLo = max(wideLo, 0)
	}
	if hi <= 0 {
		wideHi = min(wideHi, 0)
	}
	return wideLo, wideHi
}

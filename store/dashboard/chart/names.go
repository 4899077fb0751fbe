package chart

import (
	"slices"
	"strings"
	"unicode"

	"service/store/dashboard/canvas"
)

// LongestLabel is the maximal number of letters of a label under a column or a point.
const LongestLabel = 14

// BandNames are the names of places as wide as their band. They are whole if they fit side by side, in one line or in two; else cut; else
// cut and slanted.
type BandNames struct {
	Full, Cut []string
	// Thin chooses some of the names of an ordered axis: if slanted names do not fit either and, for numbers or times, before they are
	// slanted. It is nil if no name may be left out.
	Thin func(width float64) []Label
}

// SlantedBand is the least width of a column whose name is slanted, in pixels: on narrower columns names would overlap.
const SlantedBand = 16

// slope is the share of its length that a slanted name takes along the axis.
const slope = 0.788

// figuresOnly reports whether names are numbers or times of a day: a name that is left out can be inferred from its neighbours.
func figuresOnly(names []string) bool {
	return !slices.ContainsFunc(names, func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Pd, r) })
	})
}

// drawLabels draws the labels under the plot.
func (l *Laid) drawLabels(c canvas.Canvas) {
	x := &l.Axes[axisX]
	switch {
	case x.of.Bands != nil:
		l.drawBandNames(c, x.of.Bands)
	case x.of.Labels != nil:
		drawX(c, l.tiers(x.of.Labels))
	case x.of.Write != nil: // of an axis of numbers, every other or fewer if it is narrow
		texts := x.names()
		var at []float64
		for _, v := range x.Ticks() {
			at = append(at, 1-x.at(v))
		}
		drawX(c, l.tiers(func(width float64) []Label { return EveryNth(texts, at, width) }))
	}
}

// tiers chooses labels for the three widths of the plot.
func (l *Laid) tiers(choose func(width float64) []Label) [3][]Label {
	_, margin := canvas.MarginOf(l.margin)
	var out [3][]Label
	for i, width := range l.widths {
		if l.X.Above {
			out[i] = choose(width)
			for j := range out[i] {
				out[i][j].over = true
			}
			continue
		}
		out[i] = kept(choose(width), width, min(margin, canvas.PhoneMargin)+canvas.Padding)
	}
	return out
}

func (l *Laid) drawBandNames(c canvas.Canvas, b *BandNames) {
	at := Bands(len(b.Full))
	first, second := brokenInTwo(b.Full)
	fitting := func(w float64) []Label {
		switch {
		case beside(b.Full, w):
			return everyOne(b.Full, at)
		case !l.Room.small() && beside(first, w) && beside(second, w):
			out := everyOne(first, at)
			for i := range out {
				out[i].more = second[i]
			}
			return out
		case beside(b.Cut, w):
			return everyOne(b.Cut, at)
		case b.Thin != nil && (figuresOnly(b.Full) || w < SlantedBand*float64(len(b.Cut))):
			return b.Thin(w)
		}
		return nil
	}
	tiers := l.tiers(fitting)
	_, margin := canvas.MarginOf(l.margin)
	var turned [3]bool
	var slanted []Label // on the narrowest width that has them, which are the same on others
	for i, w := range l.widths {
		if turned[i] = tiers[i] == nil; !turned[i] {
			continue
		}
		if slanted == nil {
			slanted = everyOne(b.Cut, at)
			for j := range slanted { // they reach to the left, at most to the edge of the card
				slanted[j].Text = canvas.ClipWidth(b.Cut[j], (min(margin, canvas.PhoneMargin)+canvas.Padding+at[j]*w)/slope)
			}
		}
		tiers[i] = slanted
	}
	if !l.Room.small() && turned == [3]bool{true, true} && slices.Equal(tiers[2], fitting(canvas.HalfInside-margin-rightSide(l.Right))) {
		drawTier(c, tiers[0], canvas.Group{Turn: canvas.Aslant, Widths: canvas.Phone | canvas.Tablet | canvas.Half})
		drawTier(c, tiers[2], canvas.Group{Widths: canvas.Desktop | canvas.Half})
		return
	}
	drawTiers(c, tiers, turned)
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

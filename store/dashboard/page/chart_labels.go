package page

import (
	"slices"
	"strings"
	"unicode"
)

// bandNames are the names of places as wide as their band. They are whole where they fit side by
// side, in one line or in two, else cut, else cut and aslant.
type bandNames struct {
	full, cut []string
	// thin chooses some of the names of an axis in order: where they do not fit aslant either and, of
	// numbers or times, before they are turned. It is nil where no name may be left out.
	thin func(width float64) []xLabel
}

// drawLabels names what is under the plot.
func (l *laid) drawLabels(c canvas) {
	x := &l.axes[axisX]
	switch {
	case x.of.bands != nil:
		l.drawBandNames(c, x.of.bands)
	case x.of.labels != nil:
		drawX(c, l.tiers(x.of.labels))
	case x.of.write != nil: // of an axis of numbers every other or fewer where it is narrow
		texts := x.names()
		var at []float64
		for _, v := range x.ticks() {
			at = append(at, 1-x.at(v))
		}
		drawX(c, l.tiers(func(width float64) []xLabel { return everyNth(texts, at, width) }))
	}
}

// tiers chooses labels for the three widths of the plot.
func (l *laid) tiers(choose func(width float64) []xLabel) [3][]xLabel {
	_, margin := marginOf(l.margin)
	var out [3][]xLabel
	for i, width := range l.widths {
		if l.x.above {
			out[i] = choose(width)
			for j := range out[i] {
				out[i][j].over = true
			}
			continue
		}
		out[i] = kept(choose(width), width, min(margin, phoneMargin)+padding)
	}
	return out
}

func (l *laid) drawBandNames(c canvas, b *bandNames) {
	at := bands(len(b.full))
	first, second := brokenInTwo(b.full)
	fitting := func(w float64) []xLabel {
		switch {
		case beside(b.full, w):
			return everyOne(b.full, at)
		case !l.room.small() && beside(first, w) && beside(second, w):
			out := everyOne(first, at)
			for i := range out {
				out[i].more = second[i]
			}
			return out
		case beside(b.cut, w):
			return everyOne(b.cut, at)
		case b.thin != nil && (figuresOnly(b.full) || w < slantedBand*float64(len(b.cut))):
			return b.thin(w)
		}
		return nil
	}
	tiers := l.tiers(fitting)
	_, margin := marginOf(l.margin)
	var turned [3]bool
	var slanted []xLabel // on the narrowest width that has them, which are the same on others
	for i, w := range l.widths {
		if turned[i] = tiers[i] == nil; !turned[i] {
			continue
		}
		if slanted == nil {
			slanted = everyOne(b.cut, at)
			for j := range slanted { // they reach to the left, at most to the edge of the card
				slanted[j].text = clipWidth(b.cut[j], (min(margin, phoneMargin)+padding+at[j]*w)/slope)
			}
		}
		tiers[i] = slanted
	}
	if !l.room.small() && turned == [3]bool{true, true} && slices.Equal(tiers[2], fitting(halfInside-margin-rightSide(l.right))) {
		drawTier(c, tiers[0], group{turn: aslant, widths: phone | tablet | half})
		drawTier(c, tiers[2], group{widths: desktop | half})
		return
	}
	drawTiers(c, tiers, turned)
}

// slantedBand is the least width of a column whose name is aslant, in pixels: names beside each
// other would be on one another.
const slantedBand = 16

// slope is how much of its length a name aslant takes along the axis.
const slope = 0.788

// figuresOnly reports whether names are numbers or times of a day, whose neighbours show what one
// is that is left out.
func figuresOnly(names []string) bool {
	return !slices.ContainsFunc(names, func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Pd, r) })
	})
}

// beside reports whether texts fit side by side, each in the middle of its band,
// and in the panel.
func beside(texts []string, width float64) bool {
	band := width / float64(len(texts))
	before := band - 2*padding // the margin is wider than on the right, where the last has as much
	for i, t := range texts {
		w := labelWidth(t)
		if (before+w)/2+8 > band || i == len(texts)-1 && w > band+2*rightMargin {
			return false
		}
		before = w
	}
	return true
}

const (
	eventLanes = 2   // lines of names
	eventLane  = 15  // height of one, in pixels
	eventWidth = 140 // of a name, at most, where names of others have no room beside a longer one
	eventLong  = 220
	eventLeast = 50 // of a name that is cut
)

// nameEvents writes the names of the events at the top of the plot, on each width as many as
// have room beside their lines and keep clear of those of reference lines.
func (l *laid) nameEvents(c canvas) {
	if len(l.events) == 0 {
		return
	}
	for i, on := range [...]widths{phone, tablet, desktop} {
		names := l.eventNames(l.widths[i])
		if len(names) == 0 {
			continue
		}
		c.group(group{look: markedText, anchor: atStart, widths: on})
		for _, name := range names {
			c.label(name)
		}
		c.end()
	}
}

// eventNames are the names that have room on a plot of a width in pixels: long ones, unless more
// have room where they are cut shorter.
func (l *laid) eventNames(width float64) []label {
	long := l.namesUpTo(min(eventLong, width*0.6), width)
	if short := l.namesUpTo(min(eventWidth, width*0.4), width); len(short) > len(long) {
		return short
	}
	return long
}

// namesUpTo are the names that have room where each takes at most so many pixels: on the right of
// their lines or, where none is in between, on the left.
func (l *laid) namesUpTo(most, width float64) []label {
	var out []label
	var taken []box
	free := func(b box) bool {
		return b.x1 >= 0 && b.x2 <= 1 && !slices.ContainsFunc(taken, b.touches) &&
			!slices.ContainsFunc(l.lines, func(n namedLine) bool { return n.touches(b, width, l.plotAxes.height) })
	}
	before := 0.0 // where the line before is
	for _, e := range l.events {
		text := clipWidth(e.text, most)
		right := clipWidth(text, (1-e.at)*width-8)
		if long := labelWidth(text); labelWidth(right) < min(long, eventLeast) {
			right = ""
		}
	place:
		for lane := range eventLanes {
			down := 11 + lane*eventLane
			for _, name := range [...]label{
				{x: of(e.at), right: 4, down: down, text: right},
				{x: of(e.at), right: -4 - int(labelWidth(text)+0.5), down: down, text: text},
			} {
				b := boxOf(&name, width, l.plotAxes.height)
				if name.text != "" && free(b) && (name.right > 0 || b.x1 > before+4/width) {
					out, taken = append(out, name), append(taken, b)
					break place
				}
			}
		}
		before = e.at
	}
	return out
}

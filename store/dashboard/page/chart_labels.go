package page

import (
	"slices"
	"strings"
	"unicode"

	"service/store/dashboard/canvas"
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
func (l *laid) drawLabels(c canvas.Canvas) {
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
	_, margin := canvas.MarginOf(l.margin)
	var out [3][]xLabel
	for i, width := range l.widths {
		if l.x.above {
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

func (l *laid) drawBandNames(c canvas.Canvas, b *bandNames) {
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
	_, margin := canvas.MarginOf(l.margin)
	var turned [3]bool
	var slanted []xLabel // on the narrowest width that has them, which are the same on others
	for i, w := range l.widths {
		if turned[i] = tiers[i] == nil; !turned[i] {
			continue
		}
		if slanted == nil {
			slanted = everyOne(b.cut, at)
			for j := range slanted { // they reach to the left, at most to the edge of the card
				slanted[j].text = canvas.ClipWidth(b.cut[j], (min(margin, canvas.PhoneMargin)+canvas.Padding+at[j]*w)/slope)
			}
		}
		tiers[i] = slanted
	}
	if !l.room.small() && turned == [3]bool{true, true} && slices.Equal(tiers[2], fitting(canvas.HalfInside-margin-rightSide(l.right))) {
		drawTier(c, tiers[0], canvas.Group{Turn: canvas.Aslant, Widths: canvas.Phone | canvas.Tablet | canvas.Half})
		drawTier(c, tiers[2], canvas.Group{Widths: canvas.Desktop | canvas.Half})
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

const (
	eventLanes = 2   // lines of names
	eventLane  = 15  // height of one, in pixels
	eventWidth = 140 // of a name, at most, where names of others have no room beside a longer one
	eventLong  = 220
	eventLeast = 50 // of a name that is cut
)

// nameEvents writes the names of the events at the top of the plot, on each width as many as
// have room beside their lines and keep clear of those of reference lines.
func (l *laid) nameEvents(c canvas.Canvas) {
	if len(l.events) == 0 {
		return
	}
	for i, on := range [...]canvas.Widths{canvas.Phone, canvas.Tablet, canvas.Desktop} {
		names := l.eventNames(l.widths[i])
		if len(names) == 0 {
			continue
		}
		c.Group(canvas.Group{Look: canvas.MarkedText, Anchor: canvas.AtStart, Widths: on})
		for _, name := range names {
			c.Label(name)
		}
		c.End()
	}
}

// eventNames are the names that have room on a plot of a width in pixels: long ones, unless more
// have room where they are cut shorter.
func (l *laid) eventNames(width float64) []canvas.Label {
	long := l.namesUpTo(min(eventLong, width*0.6), width)
	if short := l.namesUpTo(min(eventWidth, width*0.4), width); len(short) > len(long) {
		return short
	}
	return long
}

// namesUpTo are the names that have room where each takes at most so many pixels: on the right of
// their lines or, where none is in between, on the left.
func (l *laid) namesUpTo(most, width float64) []canvas.Label {
	var out []canvas.Label
	var taken []box
	free := func(b box) bool {
		return b.x1 >= 0 && b.x2 <= 1 && !slices.ContainsFunc(taken, b.touches) &&
			!slices.ContainsFunc(l.lines, func(n namedLine) bool { return n.touches(b, width, l.plotAxes.height) })
	}
	before := 0.0 // where the line before is
	for _, e := range l.events {
		text := canvas.ClipWidth(e.text, most)
		right := canvas.ClipWidth(text, (1-e.at)*width-8)
		if long := canvas.LabelWidth(text); canvas.LabelWidth(right) < min(long, eventLeast) {
			right = ""
		}
	place:
		for lane := range eventLanes {
			down := 11 + lane*eventLane
			for _, name := range [...]canvas.Label{
				{X: canvas.Of(e.at), Right: 4, Down: down, Text: right},
				{X: canvas.Of(e.at), Right: -4 - int(canvas.LabelWidth(text)+0.5), Down: down, Text: text},
			} {
				b := boxOf(&name, width, l.plotAxes.height)
				if name.Text != "" && free(b) && (name.Right > 0 || b.x1 > before+4/width) {
					out, taken = append(out, name), append(taken, b)
					break place
				}
			}
		}
		before = e.at
	}
	return out
}

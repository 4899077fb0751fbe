package page

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"service/store/dashboard/cube"
)

// longestLabel is how many letters stand under a column or a point.
const longestLabel = 14

// drawLabels names the columns: dates where they fit, and every category, as much
// of it as there is room for on each width.
func (p *barPanel) drawLabels(c canvas, left []string) {
	s := p.split
	n := len(s.x)
	full, cut := make([]string, n), []string(nil)
	for i, x := range s.x {
		if s.time {
			full[i] = p.page.bandTick(s, i, x.Value.(time.Time))
			continue
		}
		full[i] = clipLabel(p.page.cell(s.xcol, s.grain, x), 3*longestLabel)
	}
	if !s.time {
		cut = clipNames(full, longestLabel)
	}
	at := bands(n)
	switch {
	case p.at != nil && s.years:
		drawX(c, p.tiersOf(left, func(w float64) []xLabel { return s.steps(full, p.at, w) }))
	case p.at != nil:
		drawX(c, p.tiersOf(left, func(w float64) []xLabel { return thinned(full, p.at, w) }))
	case s.time:
		drawX(c, p.tiersOf(left, func(w float64) []xLabel { return everyNth(full, at, w) }))
	case n > 40: // more have no room, whichever way they are written
		drawX(c, p.tiersOf(left, func(w float64) []xLabel { return s.steps(cut, at, w) }))
	default:
		p.drawNames(c, left, full, cut)
	}
}

// drawNames names columns of categories: whole where the names fit side by side, in one line or
// in two, else cut, else cut and aslant. Of an axis in order some are left out where they do not fit
// aslant either, and of one of numbers or times before they are turned.
func (p *barPanel) drawNames(c canvas, left, full, cut []string) {
	at := bands(len(full))
	first, second := brokenInTwo(full)
	fitting := func(w float64) []xLabel {
		switch {
		case beside(full, w):
			return everyOne(full, at)
		case p.family == nil && beside(first, w) && beside(second, w):
			out := everyOne(first, at)
			for i := range out {
				out[i].more = second[i]
			}
			return out
		case beside(cut, w):
			return everyOne(cut, at)
		case p.split.ordered && (figuresOnly(full) || w < slantedBand*float64(len(cut))):
			return p.split.steps(cut, at, w)
		}
		return nil
	}
	tiers := p.tiersOf(left, fitting)
	_, margin := marginOf(left)
	var turned [3]bool
	var slanted []xLabel // on the narrowest width that has them, which are the same on others
	for i, w := range p.plotWidths(left) {
		if turned[i] = tiers[i] == nil; !turned[i] {
			continue
		}
		if slanted == nil {
			slanted = everyOne(cut, at)
			for j := range slanted { // they reach to the left, at most to the edge of the card
				slanted[j].text = clipWidth(cut[j], (min(margin, phoneMargin)+padding+at[j]*w)/slope)
			}
		}
		tiers[i] = slanted
	}
	if p.family == nil && turned == [3]bool{true, true} && slices.Equal(tiers[2], fitting(halfInside-margin-p.rightSide())) {
		drawTier(c, tiers[0], group{turn: aslant, widths: phone | tablet | half})
		drawTier(c, tiers[2], group{widths: desktop | half})
		return
	}
	drawTiers(c, tiers, turned)
}

// slantedBand is the least width of a column whose name stands aslant, in pixels:
// names beside each other would lie on one another.
const slantedBand = 16

// slope is how much of its length a name aslant takes along the axis.
const slope = 0.788

// figuresOnly reports whether names are numbers or times of a day, whose neighbours
// tell what one is that is left out.
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

// bandTick names a column of a time axis, with the year where it changes.
func (p *page) bandTick(s *split, i int, t time.Time) string {
	newYear := i == 0 || s.x[i-1].Value.(time.Time).Year() != t.Year()
	many := s.x[0].Value.(time.Time).Year() != s.x[len(s.x)-1].Value.(time.Time).Year()
	switch s.grain {
	case cube.Yearly:
		return p.Year(t)
	case cube.Quarterly:
		return p.Quarter(t)
	case cube.Monthly:
		if newYear && many {
			return p.withYear(p.MonthAlone(t), p.Month(t), t)
		}
		return p.MonthAlone(t)
	case cube.Hourly:
		if beginsDay(t) || i == 0 {
			return p.DayMonth(t)
		}
		return p.Clock(t)
	}
	if s.xcol.Format != "" && s.xcol.Format != "date" {
		return p.time(s.xcol.Format, s.grain, t)
	}
	if newYear && many {
		return p.withYear(p.DayMonth(t), p.Date(t), t)
	}
	return p.DayMonth(t)
}

// withYear writes a day or month of t with a short year behind it, or whole where the
// locale writes years first.
func (p *page) withYear(short, whole string, t time.Time) string {
	if strings.HasPrefix(whole, t.Format("2006")) {
		return whole
	}
	return short + t.Format(" ’06")
}

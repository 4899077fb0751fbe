package page

import (
	"math"
	"strings"
	"time"

	"service/store/dashboard/cube"
)

// A scale maps values between lo and hi to fractions of the height.
type scale struct {
	lo, hi, step float64
}

// negligible is a difference that is too small to divide by: as good as zero.
const negligible = 1e-290

// newScale chooses round bounds and steps for values from lo to hi, with three
// to five gridlines. zero says that the axis must begin there, as bars and
// areas must; a line may leave it when its values are far from it.
func newScale(lo, hi float64, zero bool, format string) scale {
	if lo > hi {
		lo, hi = 0, 1
	}
	if zero || lo > 0 && lo < 0.6*hi || hi < 0 && hi > 0.6*lo {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	if lo == hi {
		switch {
		case lo == 0:
			hi = 1
		case lo > 0:
			lo = 0
		default:
			hi = 0
		}
	}
	unit := 1.0
	if a := max(math.Abs(lo), math.Abs(hi)); format == "duration" {
		for _, u := range [...]float64{60, 3600, 86400} {
			if a >= 2*u {
				unit = u
			}
		}
	}
	if hi/4-lo/4 < negligible {
		return scale{lo: 0, hi: 1, step: 0.25}
	}
	step := niceStep((hi/4-lo/4)/unit) * unit
	if format == "integer" && step < 1 {
		step = 1
	}
	s := scale{lo: math.Floor(lo/step+1e-9) * step, hi: math.Ceil(hi/step-1e-9) * step, step: step}
	if math.IsInf(s.hi, 0) || math.IsInf(s.lo, 0) { // no round number lies beyond
		return scale{lo: lo, hi: hi, step: hi/4 - lo/4}
	}
	return s
}

// niceStep returns the smallest of 1, 2, 2.5, 5 times a power of ten that is not
// below raw.
func niceStep(raw float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, k := range [...]float64{1, 2, 2.5, 5} {
		if raw <= k*power*(1+1e-9) {
			return k * power
		}
	}
	return 10 * power
}

// at returns where v lies, from 0 at the top to 1 at the bottom.
func (s scale) at(v float64) float64 {
	return min(max((s.hi/2-v/2)/(s.hi/2-s.lo/2), 0), 1)
}

// ticks returns the values of the gridlines.
func (s scale) ticks() []float64 {
	var out []float64
	for i := 0; i <= 12; i++ {
		v := s.lo + float64(i)*s.step
		if v > s.hi+s.step*1e-6 || math.IsInf(v, 0) {
			break
		}
		if math.Abs(v) < s.step*1e-9 {
			v = 0
		}
		out = append(out, v)
	}
	return out
}

// drawY writes gridlines and their labels, and returns the class of the plot's
// left margin.
func (f *figure) drawY(d *doc, s scale, format string) {
	for _, v := range s.ticks() {
		y := pct(s.at(v))
		d.add(h(`<line class="g`))
		if v == 0 {
			d.add(h(`0`))
		}
		d.add(h(`" x2="100%" y1="`), y, h(`" y2="`), y, h(`"/><text class="t e" x="-8" y="`), y, h(`" dy="4">`), f.page.short(format, v), h(`</text>`))
	}
}

// margin returns the class of a left margin that is wide enough for labels.
func margin(longest int) h {
	switch {
	case longest <= 4:
		return h(" m1")
	case longest <= 7:
		return h(" m2")
	case longest <= 10:
		return h(" m3")
	}
	return h(" m4")
}

func (f *figure) yMargin(s scale, format string) h {
	longest := 0
	for _, v := range s.ticks() {
		longest = max(longest, letters(f.page.short(format, v)))
	}
	return margin(longest)
}

// Widths, in CSS pixels, of a plot for which x labels are chosen: a phone, a
// tablet, and a desktop's share of the page.
const (
	phonePlot  = 250
	tabletPlot = 460
	charWidth  = 6.6
)

func (f *figure) desktopPlot() float64 {
	w := f.panel.Width
	if w == 0 {
		w = 6
	}
	return float64(w)*104 - 16 - 36 - 64
}

// An xLabel is a text under the plot.
type xLabel struct {
	at   float64
	text string
}

// drawX writes labels in up to three tiers, of which the style shows the one
// that fits: texts never collide, on a phone neither.
func drawX(d *doc, tiers [3][]xLabel) {
	same := func(a, b []xLabel) bool {
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			if a[i] != b[i] {
				return false
			}
		}
		return true
	}
	class := func(c h, labels []xLabel) {
		d.add(h(`<g class="t m`), c, h(`">`))
		for _, l := range labels {
			d.add(h(`<text x="`), pct(l.at), h(`" y="100%" dy="19">`), l.text, h(`</text>`))
		}
		d.add(h(`</g>`))
	}
	switch a, b, c := tiers[0], tiers[1], tiers[2]; {
	case same(a, b) && same(b, c):
		class(h(``), a)
	case same(a, b):
		class(h(` x12`), a)
		class(h(` x3`), c)
	case same(b, c):
		class(h(` x1`), a)
		class(h(` x23`), b)
	default:
		class(h(` x1`), a)
		class(h(` x2`), b)
		class(h(` x3`), c)
	}
}

// tiersOf chooses labels for the three widths.
func (f *figure) tiersOf(choose func(width float64) []xLabel) [3][]xLabel {
	desktop := f.desktopPlot()
	return [3][]xLabel{choose(min(phonePlot, desktop)), choose(min(tabletPlot, desktop)), choose(desktop)}
}

// everyNth labels every n-th of the texts, each centred in its band.
func everyNth(texts []string, width float64) []xLabel {
	longest := 1
	for _, t := range texts {
		longest = max(longest, letters(t))
	}
	fit := max(int(width/(float64(longest)*charWidth+12)), 1)
	step := (len(texts) + fit - 1) / fit
	var out []xLabel
	for i := 0; i < len(texts); i += step {
		out = append(out, xLabel{(float64(i) + 0.5) / float64(len(texts)), texts[i]})
	}
	return out
}

// timeLabels labels days between two instants at round dates.
func (p *page) timeLabels(from, to time.Time, grain cube.Grain, width float64) []xLabel {
	total := to.Sub(from)
	if total <= 0 {
		return []xLabel{{0.5, p.time("", grain, from)}}
	}
	at := func(t time.Time) float64 { return float64(t.Sub(from)) / float64(total) }
	type step struct {
		hours, days, months int
	}
	steps := [...]step{
		{hours: 1},
		{hours: 3},
		{hours: 6},
		{hours: 12},
		{days: 1},
		{days: 2},
		{days: 7},
		{days: 14},
		{months: 1},
		{months: 2},
		{months: 3},
		{months: 6},
		{months: 12},
		{months: 24},
		{months: 60},
		{months: 120},
		{months: 600},
		{months: 1200},
	}
	for _, s := range steps {
		if s.hours > 0 && grain != cube.Hourly && grain != cube.Exact || s.hours > 0 && total > 14*24*time.Hour ||
			s.months == 0 && grain == cube.Monthly || s.months < 12 && grain == cube.Yearly {
			continue
		}
		var out []xLabel
		chars := 0
		for t := roundUp(from, s.hours, s.days, s.months); !t.After(to); {
			text := p.tick(t, s.hours, s.months, len(out) == 0 && from.Year() != to.Year())
			out = append(out, xLabel{at(t), text})
			chars = max(chars, letters(text))
			if len(out) > 24 {
				break
			}
			switch {
			case s.hours > 0:
				t = t.Add(time.Duration(s.hours) * time.Hour)
			default:
				t = t.AddDate(0, s.months, s.days)
			}
		}
		if len(out) <= 24 && len(out) > 0 && fits(out, chars, width) {
			return out
		}
	}
	return []xLabel{{0, p.time("", grain, from)}}
}

func fits(labels []xLabel, chars int, width float64) bool {
	need := (float64(chars)*charWidth + 14) / width
	for i := 1; i < len(labels); i++ {
		if labels[i].at-labels[i-1].at < need {
			return false
		}
	}
	return true
}

// roundUp returns the first round time that is not before t: of hours, of days
// (weeks from a Monday) or of months.
func roundUp(t time.Time, hours, days, months int) time.Time {
	switch {
	case hours > 0:
		r := t.Truncate(time.Duration(hours) * time.Hour)
		if r.Before(t) {
			r = r.Add(time.Duration(hours) * time.Hour)
		}
		return r
	case days > 0:
		d := cube.DayOf(t)
		if !t.Equal(d.Time()) {
			d++
		}
		switch days {
		case 7:
			if f := cube.Weekly.Floor(d); f != d {
				d = f + 7
			}
		default:
			for (int(d)+3)%days != 0 {
				d++
			}
		}
		return d.Time()
	}
	n := t.Year()*12 + int(t.Month()) - 1
	if t.Day() > 1 || !t.Equal(cube.DayOf(t).Time()) {
		n++
	}
	n = (n + months - 1) / months * months
	return time.Date(n/12, time.Month(n%12+1), 1, 0, 0, 0, 0, time.UTC)
}

// tick writes a label of the time axis. withYear names the year of a day.
func (p *page) tick(t time.Time, hours, months int, withYear bool) string {
	switch {
	case months >= 12:
		return t.Format("2006")
	case months > 0:
		return t.Format("Jan 2006")
	case hours > 0 && t.Hour() > 0:
		return t.Format("15:04")
	case withYear || t.Month() == time.January && t.Day() < 8 && hours == 0:
		return strings.Replace(p.date(t), ",", "", 1)
	}
	return p.dayMonth(t)
}

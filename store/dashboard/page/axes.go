package page

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// tickTexts names the gridlines of a scale.
func (p *panel) tickTexts(s scale, format string) []string {
	ticks := s.ticks()
	out := make([]string, len(ticks))
	for i, v := range ticks {
		out[i] = p.page.short(format, v)
	}
	return out
}

// drawY draws gridlines and, on their left, their names.
func drawY(c canvas, s scale, texts []string) {
	for i, v := range s.ticks() {
		drawGridline(c, s, v)
		drawTick(c, s, v, texts[i])
	}
}

// drawGrid draws the gridlines of a plot whose marks could hide their names, which
// drawTicks draws after them.
func drawGrid(c canvas, s scale) {
	for _, v := range s.ticks() {
		drawGridline(c, s, v)
	}
}

func drawTicks(c canvas, s scale, texts []string) {
	for i, v := range s.ticks() {
		drawTick(c, s, v, texts[i])
	}
}

func drawGridline(c canvas, s scale, v float64) {
	y, stroke := of(s.at(v)), gridLine
	if v == 0 {
		stroke = zeroLine
	}
	c.line(line{x2: of(1), y1: y, y2: y, stroke: stroke})
}

func drawTick(c canvas, s scale, v float64, text string) {
	c.label(label{x: px(-8), y: of(s.at(v)), down: 4, look: axisText, anchor: atEnd, text: text})
}

// Widths, in CSS pixels, of a plot for which x labels are chosen: a phone, a
// tablet, and a desktop's share of the page.
const (
	phonePlot  = 250
	tabletPlot = 460
	charWidth  = 6.6
)

// belowPlot is how far under the plot labels stand, in pixels.
const belowPlot = 19

func (p *panel) desktopPlot() float64 {
	return float64(cmp.Or(p.spec.Width, dashboard.DefaultWidth(p.spec.Type)))*104 - 16 - 36 - 64
}

// An xLabel is a text under the plot.
type xLabel struct {
	at   float64
	text string
}

// drawX draws labels in up to three tiers, of which the one that fits is shown:
// texts never collide, on a phone neither.
func drawX(c canvas, tiers [3][]xLabel) {
	draw := func(on widths, labels []xLabel) {
		c.group(group{look: axisText, anchor: atMiddle, widths: on})
		for _, l := range labels {
			c.label(label{x: of(l.at), y: of(1), down: belowPlot, text: l.text})
		}
		c.end()
	}
	switch first, last := slices.Equal(tiers[0], tiers[1]), slices.Equal(tiers[1], tiers[2]); {
	case first && last:
		draw(0, tiers[0])
	case first:
		draw(phone|tablet, tiers[0])
		draw(desktop, tiers[2])
	case last:
		draw(phone, tiers[0])
		draw(tablet|desktop, tiers[1])
	default:
		draw(phone, tiers[0])
		draw(tablet, tiers[1])
		draw(desktop, tiers[2])
	}
}

// tiersOf chooses labels for the three widths.
func (p *panel) tiersOf(choose func(width float64) []xLabel) [3][]xLabel {
	desktop := p.desktopPlot()
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

// thinned are the labels of places that fit, from the first.
func thinned(texts []string, at []float64, width float64) []xLabel {
	var out []xLabel
	end := math.Inf(-1) // of the last label, in pixels
	for i, t := range texts {
		half := float64(letters(t)) * charWidth / 2
		if x := at[i] * width; x-half >= end {
			out = append(out, xLabel{at[i], t})
			end = x + half + 12
		}
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
		for t := roundUp(from, s.hours, s.days, s.months, p.week); !t.After(to); t = afterTick(t, s.hours, s.days, s.months) {
			text := p.tick(t, s.hours, s.months, len(out) == 0 && from.Year() != to.Year())
			out = append(out, xLabel{at(t), text})
			chars = max(chars, letters(text))
			if len(out) > 24 {
				break
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

// roundUp returns the first round time that is not before t, on the clock of t's
// zone: of hours, of days (weeks from the day on which they begin) or of months.
func roundUp(t time.Time, hours, days, months int, week cube.Weekday) time.Time {
	d, zone := cube.DayOf(t), t.Location()
	switch {
	case hours > 0:
		r := hourOf(d, t.Hour()-t.Hour()%hours, zone)
		for r.Before(t) {
			r = afterTick(r, hours, 0, 0)
		}
		return r
	case days > 0:
		if !t.Equal(d.In(zone)) {
			d++
		}
		switch days {
		case 7:
			if f := cube.Weekly.Floor(d, week); f != d {
				d = f + 7
			}
		default:
			for (int(d)+3)%days != 0 {
				d++
			}
		}
		return d.In(zone)
	}
	n := t.Year()*12 + int(t.Month()) - 1
	if t.Day() > 1 || !t.Equal(d.In(zone)) {
		n++
	}
	n = (n + months - 1) / months * months
	return dayOf(n/12, n%12+1, 1).In(zone)
}

// afterTick is the round time after t, which is one itself. The hour that the
// clock skips or repeats makes one step shorter or longer.
func afterTick(t time.Time, hours, days, months int) time.Time {
	zone := t.Location()
	switch {
	case hours > 0:
		next := hourOf(cube.DayOf(t), t.Hour()-t.Hour()%hours+hours, zone)
		if !next.After(t) {
			next = t.Add(time.Duration(hours) * time.Hour)
		}
		return next
	case days > 0:
		return (cube.DayOf(t) + cube.Day(days)).In(zone)
	}
	return dayOf(t.Year(), int(t.Month())+months, 1).In(zone)
}

// hourOf is when the clock of a zone shows an hour of a day; where it skips that
// hour, the moment to which it is put forward.
func hourOf(d cube.Day, hour int, zone *time.Location) time.Time {
	y, m, day := d.Time().Date()
	t := time.Date(y, m, day, hour, 0, 0, 0, zone)
	shown := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
	start, end := t.ZoneBounds()
	switch shown.Compare(time.Date(y, m, day, hour, 0, 0, 0, time.UTC)) {
	case -1:
		return end
	case 1:
		return start
	}
	return t
}

func dayOf(year, month, day int) cube.Day {
	return cube.DayOf(time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC))
}

// tick writes a label of the time axis. withYear names the year of a day.
func (p *page) tick(t time.Time, hours, months int, withYear bool) string {
	switch {
	case months >= 12:
		return p.Year(t)
	case months > 0:
		return p.Month(t)
	case hours > 0 && t.Hour() > 0:
		return p.Clock(t)
	case withYear || t.Month() == time.January && t.Day() < 8 && hours == 0:
		return strings.Replace(p.Date(t), ",", "", 1)
	}
	return p.DayMonth(t)
}

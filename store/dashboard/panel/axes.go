package panel

import (
	"cmp"
	"math"
	"sort"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
	"service/store/decimal"
)

// farApart is the factor between gridlines from which on each has its own notation.
const farApart = 1000

// tickTexts names the gridlines of a scale, with all digits that they have: in one notation, but on
// a logarithmic scale that reaches far.
func (p *Panel) tickTexts(s chart.Scale, unit string) []string {
	ticks := s.Ticks()
	out := make([]string, len(ticks))
	if s.Log && len(ticks) > 0 && ticks[len(ticks)-1] >= farApart*ticks[0] {
		for i, v := range ticks {
			out[i] = p.Env.Short(unit, v)
		}
		return out
	}
	for i, v := range ticks {
		out[i] = decimal.Significant(decimal.Of(v), format.MostDigits)
	}
	return p.Env.Alike(unit, out)
}

// inside is how wide what stands in the panel is on a desktop, in pixels.
func (p *Panel) inside() float64 {
	if p.Env.Spec.Article() {
		return canvas.ArticleInside
	}
	return float64(cmp.Or(p.Columns, p.Spec.Width, dashboard.DefaultWidth(p.Spec.Type)))*104 - 54
}

// room is how wide the panel's plot can be.
func (p *Panel) room() chart.Room {
	r := chart.Room{Inside: p.inside()}
	if p.family != nil {
		r.Columns, r.Own = p.family.columns, p.family.own
	}
	return r
}

// steps labels the steps of a scale: whole numbers at round ones, where that leaves
// two labels or more, and others like [chart.EveryNth].
func (s *split) steps(texts []string, at []float64, width float64) []chart.Label {
	numbers := make([]int64, len(s.x))
	for i, x := range s.x {
		n, ok := x.Value.(int64)
		if !ok {
			return chart.EveryNth(texts, at, width)
		}
		numbers[i] = n
	}
	for unit := int64(1); unit <= 1e9; unit *= 10 {
		for _, step := range [...]int64{unit, 2 * unit, 5 * unit} {
			var out []chart.Label
			free, end := true, math.Inf(-1)
			for i, n := range numbers {
				if n%step != 0 || !free {
					continue
				}
				half := canvas.LabelWidth(texts[i]) / 2
				free = at[i]*width-half >= end
				end = at[i]*width + half + 12
				out = append(out, chart.Label{At: at[i], Text: texts[i]})
			}
			if free && len(out) > 1 {
				return out
			}
		}
	}
	return chart.EveryNth(texts, at, width)
}

// timeLabels labels days between two instants at round dates.
func (p *Env) timeLabels(from, to time.Time, grain cube.Grain, width float64) []chart.Label {
	if !to.After(from) {
		return []chart.Label{{At: 0.5, Text: p.Time("", grain, from)}}
	}
	out := p.roundTimes(from, to, grain, width, func(t time.Time) float64 { return between(t, from, to) })
	if out == nil {
		out = []chart.Label{{At: 0, Text: p.Time("", grain, from)}}
	}
	return out
}

// bandLabels labels bars of times with their texts, as many as fit. Of many bars, and of months
// of several years, whose texts are no names alone, it labels the first bar of each round time.
func (p *Env) bandLabels(s *split, texts []string, at []float64, width float64) []chart.Label {
	out := chart.EveryNth(texts, at, width)
	start := func(i int) time.Time { return s.x[i].Value.(time.Time) }
	from, to := start(0), start(len(s.x)-1)
	if len(out) == len(texts) || len(texts) <= 31 && (s.grain != cube.Monthly || from.Year() == to.Year()) {
		return out
	}
	round := p.roundTimes(from, to, s.grain, width, func(t time.Time) float64 {
		return at[sort.Search(len(s.x)-1, func(i int) bool { return !start(i).Before(t) })]
	})
	if len(round) < 2 {
		return out
	}
	return round
}

// roundTimes labels round times from one instant to another, as close as they fit; nil where
// none does. at is where a time is, from 0 to 1.
func (p *Env) roundTimes(from, to time.Time, grain cube.Grain, width float64, at func(time.Time) float64) []chart.Label {
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
		{months: 2400},
		{months: 6000},
		{months: 12000},
		{months: 24000},
	}
	for _, s := range steps {
		if s.hours > 0 && grain != cube.Hourly && grain != cube.Exact || s.hours > 0 && secondsTo(from, to) > 14*chart.ADay ||
			s.months == 0 && (grain == cube.Monthly || grain == cube.Quarterly) || s.months < 12 && grain == cube.Yearly {
			continue
		}
		var out []chart.Label
		for t := roundUp(from, s.hours, s.days, s.months, p.week); !t.After(to); t = afterTick(t, s.hours, s.days, s.months) {
			text := p.tick(t, s.hours, s.months, len(out) == 0 && from.Year() != to.Year())
			if grain == cube.Quarterly && s.months < 12 {
				text = p.Quarter(t)
			}
			out = append(out, chart.Label{At: at(t), Text: text})
			if len(out) > 24 {
				break
			}
		}
		if len(out) <= 24 && len(out) > 0 && chart.Fits(out, width) {
			return out
		}
	}
	return nil
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
func (p *Env) tick(t time.Time, hours, months int, withYear bool) string {
	switch {
	case months >= 12:
		return p.Year(t)
	case months > 0:
		return p.Month(t)
	case hours > 0 && !beginsDay(t):
		return p.Clock(t)
	case withYear || t.Month() == time.January && t.Day() < 8 && hours == 0:
		return strings.Replace(p.Date(t), ",", "", 1)
	}
	return p.DayMonth(t)
}

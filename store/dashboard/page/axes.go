package page

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
	"service/store/decimal"
)

// farApart is the factor between gridlines from which on each has its own notation.
const farApart = 1000

// tickTexts names the gridlines of a scale, with all digits that they have: in one notation, but on
// a logarithmic scale that reaches far.
func (p *panel) tickTexts(s scale, unit string) []string {
	ticks := s.ticks()
	out := make([]string, len(ticks))
	if s.log && len(ticks) > 0 && ticks[len(ticks)-1] >= farApart*ticks[0] {
		for i, v := range ticks {
			out[i] = p.page.Short(unit, v)
		}
		return out
	}
	for i, v := range ticks {
		out[i] = decimal.Significant(decimal.Of(v), format.MostDigits)
	}
	return p.page.Alike(unit, out)
}

func drawGridline(c canvas.Canvas, s scale, v float64) {
	y, stroke := canvas.Of(s.at(v)), canvas.GridLine
	if v == 0 {
		stroke = canvas.ZeroLine
	}
	c.Line(canvas.Line{X2: canvas.Of(1), Y1: y, Y2: y, Stroke: stroke})
}

// drawRight names the gridlines on their right, by another scale.
func drawRight(c canvas.Canvas, s scale, texts []string) {
	for i, v := range s.ticks() {
		if texts[i] != "" {
			c.Label(canvas.Label{
				X: canvas.Of(1), Right: 8, Y: canvas.Of(s.at(v)), Down: 4, Look: canvas.AxisText, Anchor: canvas.AtStart, Text: texts[i],
			})
		}
	}
}

func drawTick(c canvas.Canvas, s scale, v float64, text string) {
	c.Label(canvas.Label{X: canvas.Px(-8), Y: canvas.Of(s.at(v)), Down: 4, Look: canvas.AxisText, Anchor: canvas.AtEnd, Text: text})
}

// inside is how wide what stands in the panel is on a desktop, in pixels.
func (p *panel) inside() float64 {
	if p.page.Spec.Article() {
		return canvas.ArticleInside
	}
	return float64(cmp.Or(p.columns, p.spec.Width, dashboard.DefaultWidth(p.spec.Type)))*104 - 54
}

// room is how wide the panel's plot can be.
func (p *panel) room() room {
	r := room{inside: p.inside()}
	if p.family != nil {
		r.columns = p.family.columns
	}
	return r
}

// An xLabel is a text under the plot.
type xLabel struct {
	at   float64
	text string
	more string        // its second line
	over bool          // it is above the plot
	pull bool          // it would leave the panel, and so
	edge canvas.Anchor // begins or ends where it stands
}

// drawX draws labels in up to three tiers, of which the one that fits is shown:
// texts never collide, on a phone neither.
func drawX(c canvas.Canvas, tiers [3][]xLabel) { drawTiers(c, tiers, [3]bool{}) }

// drawTiers is [drawX] of labels that are turned on some of the widths.
func drawTiers(c canvas.Canvas, tiers [3][]xLabel, turned [3]bool) {
	if turned == [3]bool{true} && slices.Equal(tiers[0], tiers[1]) && slices.Equal(tiers[1], tiers[2]) {
		drawTier(c, tiers[0], canvas.Group{Turn: canvas.Narrow}) // the style turns them on a phone alone
		return
	}
	for i := 0; i < len(tiers); {
		g := canvas.Group{}
		j := i
		for ; j < len(tiers) && turned[j] == turned[i] && slices.Equal(tiers[j], tiers[i]); j++ {
			g.Widths |= 1 << j
		}
		if turned[i] {
			g.Turn = canvas.Aslant
		}
		switch g.Widths {
		case canvas.Phone | canvas.Tablet | canvas.Desktop:
			g.Widths = 0
		case canvas.Phone:
			if turned[i] {
				g.Turn = canvas.Narrow
			}
		}
		drawTier(c, tiers[i], g)
		i = j
	}
}

func drawTier(c canvas.Canvas, labels []xLabel, g canvas.Group) {
	longest := 0.0
	for _, l := range labels {
		longest = max(longest, canvas.LabelWidth(l.text))
	}
	if g.Turn == canvas.Narrow && longest < 34 { // such as months: they need less room
		g.Turn = canvas.NarrowFew
	}
	if slices.ContainsFunc(labels, func(l xLabel) bool { return l.more != "" }) {
		g.Turn = canvas.TwoLines
	}
	g.Look, g.Anchor = canvas.AxisText, canvas.AtMiddle
	c.Group(g)
	for _, l := range labels {
		out := canvas.Label{X: canvas.Of(l.at), Y: canvas.Of(1), Down: canvas.BelowPlot, Text: l.text}
		if l.over {
			out.Y, out.Down = canvas.Coord{}, -canvas.AboveCells
		}
		if l.pull {
			out.Look, out.Anchor = canvas.AxisText, l.edge
		}
		c.Label(out)
		if out.Text = l.more; l.more != "" {
			out.Down += lineHeight
			c.Label(out)
		}
	}
	c.End()
}

// kept pulls labels at the edges into the panel, and drops those that then lie on
// their neighbours. left is the room beside the plot there.
func kept(labels []xLabel, width, left float64) []xLabel {
	out := labels[:0]
	end := math.Inf(-1) // of the last label, in pixels
	for i, l := range labels {
		w := max(canvas.LabelWidth(l.text), canvas.LabelWidth(l.more))
		from := l.at*width - w/2
		switch {
		case from+w > width+canvas.RightMargin+canvas.Padding:
			l.at, l.pull, l.edge = 1, true, canvas.AtEnd
			from = width - w
		case from < -left:
			l.at, l.pull, l.edge = 0, true, canvas.AtStart
			from = 0
		}
		if from < end+4 && i > 0 {
			continue
		}
		out = append(out, l)
		end = from + w
	}
	return out
}

// lineHeight is from one line of a label to the next, in pixels.
const lineHeight = 14

// brokenInTwo are texts in two lines, each broken at the space that leaves its lines shortest.
func brokenInTwo(texts []string) (first, second []string) {
	first, second = slices.Clone(texts), make([]string, len(texts))
	for i, t := range texts {
		least := canvas.LabelWidth(t)
		for at, r := range t {
			if r != ' ' {
				continue
			}
			a, b := t[:at], t[at+1:]
			if w := max(canvas.LabelWidth(a), canvas.LabelWidth(b)); w < least {
				first[i], second[i], least = a, b, w
			}
		}
	}
	return first, second
}

// bands are the middles of n bands side by side.
func bands(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = (float64(i) + 0.5) / float64(n)
	}
	return out
}

// everyOne labels all of the places.
func everyOne(texts []string, at []float64) []xLabel {
	out := make([]xLabel, len(texts))
	for i, t := range texts {
		out[i] = xLabel{at: at[i], text: t}
	}
	return out
}

// everyNth labels every n-th of the places, as many as do not touch.
func everyNth(texts []string, at []float64, width float64) []xLabel {
	wide := make([]float64, len(texts))
	for i, t := range texts {
		wide[i] = canvas.LabelWidth(t)
	}
	step := 1
	for ; step < len(texts); step++ {
		free := true
		for i := step; i < len(texts) && free; i += step {
			free = math.Abs(at[i]-at[i-step])*width >= (wide[i]+wide[i-step])/2+12
		}
		if free {
			break
		}
	}
	var out []xLabel
	for i := 0; i < len(texts); i += step {
		out = append(out, xLabel{at: at[i], text: texts[i]})
	}
	return out
}

// steps labels the steps of a scale: whole numbers at round ones, where that leaves
// two labels or more, and others like [everyNth].
func (s *split) steps(texts []string, at []float64, width float64) []xLabel {
	numbers := make([]int64, len(s.x))
	for i, x := range s.x {
		n, ok := x.Value.(int64)
		if !ok {
			return everyNth(texts, at, width)
		}
		numbers[i] = n
	}
	for unit := int64(1); unit <= 1e9; unit *= 10 {
		for _, step := range [...]int64{unit, 2 * unit, 5 * unit} {
			var out []xLabel
			free, end := true, math.Inf(-1)
			for i, n := range numbers {
				if n%step != 0 || !free {
					continue
				}
				half := canvas.LabelWidth(texts[i]) / 2
				free = at[i]*width-half >= end
				end = at[i]*width + half + 12
				out = append(out, xLabel{at: at[i], text: texts[i]})
			}
			if free && len(out) > 1 {
				return out
			}
		}
	}
	return everyNth(texts, at, width)
}

// thinned are the labels of places that fit, from the first.
func thinned(texts []string, at []float64, width float64) []xLabel {
	var out []xLabel
	end := math.Inf(-1) // of the last label, in pixels
	for i, t := range texts {
		half := canvas.LabelWidth(t) / 2
		if x := at[i] * width; x-half >= end {
			out = append(out, xLabel{at: at[i], text: t})
			end = x + half + 12
		}
	}
	return out
}

// timeLabels labels days between two instants at round dates.
func (p *page) timeLabels(from, to time.Time, grain cube.Grain, width float64) []xLabel {
	if !to.After(from) {
		return []xLabel{{at: 0.5, text: p.Time("", grain, from)}}
	}
	out := p.roundTimes(from, to, grain, width, func(t time.Time) float64 { return between(t, from, to) })
	if out == nil {
		out = []xLabel{{at: 0, text: p.Time("", grain, from)}}
	}
	return out
}

// bandLabels labels bars of times with their texts, as many as fit. Of many bars, and of months
// of several years, whose texts are no names alone, it labels the first bar of each round time.
func (p *page) bandLabels(s *split, texts []string, at []float64, width float64) []xLabel {
	out := everyNth(texts, at, width)
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
func (p *page) roundTimes(from, to time.Time, grain cube.Grain, width float64, at func(time.Time) float64) []xLabel {
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
		if s.hours > 0 && grain != cube.Hourly && grain != cube.Exact || s.hours > 0 && secondsTo(from, to) > 14*aDay ||
			s.months == 0 && (grain == cube.Monthly || grain == cube.Quarterly) || s.months < 12 && grain == cube.Yearly {
			continue
		}
		var out []xLabel
		for t := roundUp(from, s.hours, s.days, s.months, p.week); !t.After(to); t = afterTick(t, s.hours, s.days, s.months) {
			text := p.tick(t, s.hours, s.months, len(out) == 0 && from.Year() != to.Year())
			if grain == cube.Quarterly && s.months < 12 {
				text = p.Quarter(t)
			}
			out = append(out, xLabel{at: at(t), text: text})
			if len(out) > 24 {
				break
			}
		}
		if len(out) <= 24 && len(out) > 0 && fits(out, width) {
			return out
		}
	}
	return nil
}

// fits reports whether labels stand side by side without touching.
func fits(labels []xLabel, width float64) bool {
	for i := 1; i < len(labels); i++ {
		if (labels[i].at-labels[i-1].at)*width < (canvas.LabelWidth(labels[i].text)+canvas.LabelWidth(labels[i-1].text))/2+14 {
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
	case hours > 0 && !beginsDay(t):
		return p.Clock(t)
	case withYear || t.Month() == time.January && t.Day() < 8 && hours == 0:
		return strings.Replace(p.Date(t), ",", "", 1)
	}
	return p.DayMonth(t)
}

package panel

import (
	"math"
	"slices"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
)

// A trend is the straight line of a series, on the scales on which it is drawn.
type trend struct {
	stat.Fit
	series int // index of the series in the legend
	color  canvas.Color
	text   string // slope and R² in words, after the name of the series if there are several
}

// straight returns a value in the scale of an axis: its logarithm on a logarithmic axis.
func (p *Settings) straight(axis int, v float64) float64 {
	if p.Spec.Log(axis) {
		return math.Log10(v)
	}
	return v
}

// trendText returns the slope of a line in words, as the change of y over a length of x, and R². On a logarithmic axis, the change of y is
// a factor.
func (p *Settings) trendText(f *stat.Fit, col dashboard.Column, length float64, per func(change string) string) string {
	text := per(p.changeOf(f.Slope*length, col))
	switch {
	case math.IsNaN(f.R2):
		return p.Env.Text("Trend %s", text)
	case f.R2 >= 0.995: // 1 is only for points exactly on the line
		return p.Env.Text("Trend %s, R² %s", text, p.Env.UpTo(math.Floor(f.R2*1e4)/1e4, 4))
	}
	return p.Env.Text("Trend %s, R² %s", text, p.Env.Number(f.R2, 2))
}

// changeOf returns a change of a measure along its axis as text, with a sign and three digits.
func (p *Settings) changeOf(change float64, col dashboard.Column) string {
	if p.Spec.Log(dashboard.AxisY) {
		factor := math.Pow(10, change)
		if factor >= 2 || factor <= 0.5 {
			return "×" + format.NBSP + p.Env.UpTo(factor, digitsAfter(factor))
		}
		return format.Signed(p.Env.Percent(p.Env.UpTo((factor-1)*100, digitsAfter((factor-1)*100))), factor-1)
	}
	unit, a := format.OrInteger(col), math.Abs(change)
	switch {
	case strings.HasPrefix(unit, "percent"):
		return format.Signed(p.Env.WithUnit("%s pp", p.Env.Trim(p.Env.Hundredths(change, digitsAfter(change*100)))), change)
	case format.OneLasts(unit) > 0:
		return format.Signed(p.Env.Value("duration", change*format.OneLasts(unit)), change)
	case strings.HasPrefix(unit, "bytes"):
		return format.Signed(p.Env.InUnit(col, p.Env.Value(unit, change)), change)
	case a >= 1e5 || a < 1e-6 && a > 0:
		return format.Signed(p.Env.Brief(col, change), change)
	}
	text := p.Env.UpTo(change, digitsAfter(change))
	if strings.HasPrefix(unit, "currency") {
		money, _ := p.Env.ForFormat(unit)
		text = money.InCurrency(text)
	}
	return format.Signed(p.Env.InUnit(col, text), change)
}

// digitsAfter returns the number of decimals of a number that is written with three digits.
func digitsAfter(v float64) int {
	a := math.Abs(v)
	if a == 0 || math.IsInf(a, 0) {
		return 0
	}
	return min(max(2-int(math.Floor(math.Log10(a))), 0), 9)
}

// perNames are the texts for a change in a period.
var perNames = map[cube.Grain]locale.Key{
	cube.Minutely: "%s per minute", cube.Hourly: "%s per hour", cube.Daily: "%s per day", cube.Weekly: "%s per week",
	cube.Monthly: "%s per month", cube.Quarterly: "%s per quarter", cube.Yearly: "%s per year",
}

// aYear is the length of a year in seconds, of 365.2425 days. The axis is true to time, and months differ in length, so a month of a trend
// is a twelfth of a year.
const aYear = 365.2425 * chart.ADay

var lengths = map[cube.Grain]float64{
	cube.Minutely: 60, cube.Hourly: 3600, cube.Daily: chart.ADay, cube.Weekly: 7 * chart.ADay,
	cube.Monthly: aYear / 12, cube.Quarterly: aYear / 4, cube.Yearly: aYear,
}

// perPeriod returns the length of a period on an axis of times or steps, as a fraction of the axis, and the function that writes the change
// in a period.
func (p *Env) perPeriod(s *split) (length float64, per func(change string) string) {
	n, step := len(s.x), s.step
	if !s.time {
		if s.years {
			length, step = 1/float64(s.x[n-1].Value.(int64)-s.x[0].Value.(int64)), cube.Yearly
			return length, func(change string) string { return p.Text(perNames[step], change) }
		}
		return 1 / float64(n-1), func(change string) string { return p.Text("%s per step", change) }
	}
	total := secondsTo(s.x[0].Value.(time.Time), s.x[n-1].Value.(time.Time))
	if step == cube.Exact { // times without a regular step
		switch {
		case total >= 2*lengths[cube.Daily] || !s.span.Clock:
			step = cube.Daily
		case total >= 2*lengths[cube.Hourly]:
			step = cube.Hourly
		default:
			step = cube.Minutely
		}
	}
	return lengths[step] / total, func(change string) string { return p.Text(perNames[step], change) }
}

// perAmount is perPeriod for the points of a fit on an axis of numbers: it returns a round amount or, on a logarithmic axis, a factor of
// ten.
func (p *Settings) perAmount(f *stat.Fit, col dashboard.Column) (length float64, per func(change string) string) {
	label := p.Env.Inside(col.Label)
	if p.Spec.Log(dashboard.AxisX) {
		return 1, func(change string) string { return p.Env.Text("%s for ten times the %s", change, label) }
	}
	span, unit := f.To-f.From, format.OrInteger(col)
	if length = math.Pow(10, math.Floor(math.Log10(span))); math.IsInf(span, 0) {
		length = 1e308
	}
	if one := format.OneLasts(unit); one > 0 && span*one < 100*chart.ADay && span >= 1 {
		i := slices.IndexFunc(chart.TimeSteps[:], func(step float64) bool { return step > span*one })
		if i < 0 {
			i = len(chart.TimeSteps)
		}
		length = chart.TimeSteps[max(i, 1)-1] / one
	}
	return length, func(change string) string {
		return p.Env.Text("%s per %s of %s", change, p.Env.Brief(col, length), label)
	}
}

// ordinal reports whether the places of the axis have an order, so that a line along them is meaningful. If not, it reports to readers and
// author that the key has no effect.
func (p *Settings) ordinal(s *split, key string, none locale.Key) bool {
	by, descending := sortKey(p.Spec.Sort)
	if (s.time || s.years || s.ordered) && (by == "" || by == p.Spec.X && !descending) {
		return true
	}
	p.report(encode.Noted(none, encode.Inline(s.xcol.Label)).
		Warned(dashboard.WarnKeyIgnored, key,
			`values of "%s" have no order of their own on this axis, so there is no line of it; `+
				`a date or a number has one, and so has what columns gives an order, without sort and limit.`, s.xcol.Name))
	return false
}

// noteUnfitted reports the names of the series without a trend.
func (p *Settings) noteUnfitted(names []string, axis dashboard.Column) {
	if len(names) == 0 {
		return
	}
	all := len(names)
	if n := all - 5; n > 0 {
		names = append(slices.Clone(names[:5]), p.Env.Count(n, "and %d more series", "and %d more series"))
	}
	p.report(encode.Noted("No trend through fewer than %s points that differ in %s: %s.", stat.FewestFitted, encode.Inline(axis.Label),
		strings.Join(names, ", ")).
		Warned(dashboard.WarnLeftOut, "trend",
			`%d series {has|have} no trend, which takes %d points that differ in "%s"; a filter or a finer grain leaves more.`,
			all, stat.FewestFitted, axis.Name))
}

// sayTrends adds the trends to the panel's sentence.
func (p *Panel) sayTrends(trends []trend) {
	if len(trends) == 0 {
		return
	}
	var texts []string
	for i, t := range trends {
		if i == 5 {
			n := len(trends) - i
			texts = append(texts, p.Env.Count(n, "and %d more series", "and %d more series"))
			break
		}
		texts = append(texts, t.text)
	}
	p.Summary += " " + strings.Join(texts, "; ") + "."
}

// trendItems returns the trends' items of a legend.
func trendItems(trends []trend) []canvas.Item {
	var out []canvas.Item
	for _, t := range trends {
		out = append(out, canvas.Item{Color: t.color, Line: true, Dashed: true, Name: t.text})
	}
	return out
}

package panel

import (
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/locale"
)

// movingAverages returns the moving averages of the series of a split, or nil if the panel asks for no average. Each value is the
// mean of a number of points up to its own; for a ratio, it is the ratio over these points: see [pooled]. If one of the points is missing
// or belongs to an incomplete period, the average is missing and the panel reports it.
func (p *Rows) movingAverages(s *split) *split {
	of := p.Spec.Average
	if of == 0 || !p.ordinal(s, "average", "No moving average: values of %s have no order of their own.") {
		return nil
	}
	follows := p.follows(s)
	out := *s
	out.series, out.value, out.exact, out.null, out.broken = nil, nil, nil, nil, nil
	left, some := 0, false
	for i, se := range s.series {
		col := *se.col
		col.Type, col.Agg, col.Ratio = cube.Number, dashboard.Avg, [2]string{}
		if col.Format == "integer" { // the mean of integers is not an integer
			col.Format = "number1"
		}
		col.Label = p.Env.Text(averageName(s), se.name, p.Env.Number(float64(of), 0))
		value, exact, null := make([]float64, len(s.x)), make([]any, len(s.x)), make([]bool, len(s.x))
		run := 0 // number of consecutive points up to x
		for x := range s.x {
			switch {
			case !s.has(i, x) || s.isPartial(x):
				run = 0
			case run > 0 && !follows(x):
				run = 1
			default:
				run++
			}
			mean, ok := 0.0, run >= of
			if ok {
				mean, ok = s.meanOf(i, x-of+1, x+1)
			}
			if null[x] = !ok; null[x] {
				left += stat.One(x >= of-1 && s.has(i, x) && !s.isPartial(x))
				continue
			}
			value[x] = mean
			exact[x], some = value[x], true
		}
		out.series = append(out.series, seriesOf{name: col.Label, color: se.color, col: &col})
		out.value, out.exact, out.null = append(out.value, value), append(out.exact, exact), append(out.null, null)
	}
	if !some {
		p.report(encode.Noted("No moving average: nowhere are %s points in a row.", of).
			Warned(dashboard.WarnLeftOut, "average",
				"there is no moving average, because nowhere are %d points in a row; a smaller number, or a coarser grain, may have one.", of))
		return nil
	}
	if left > 0 {
		p.report(encode.NotedCount(left, "No moving average at %d point, because not all of the %s up to it are there.",
			"No moving average at %d points, because not all of the %s up to each are there.", of).
			Warned(dashboard.WarnLeftOut, "average",
				"%d {point has|points have} no moving average, because not all of the %d up to {it|each} are there; "+
					"the sql can return a row for each time, and a coarser grain has fewer gaps.", left, of))
	}
	return &out
}

// averageNames are the names of moving averages over periods of time, or over points.
var averageNames = map[cube.Grain]locale.Key{
	cube.Minutely: "%s, %s-minute average", cube.Hourly: "%s, %s-hour average", cube.Daily: "%s, %s-day average",
	cube.Weekly: "%s, %s-week average", cube.Monthly: "%s, %s-month average", cube.Quarterly: "%s, %s-quarter average",
	cube.Yearly: "%s, %s-year average", cube.Exact: "%s, average of %s",
}

// averageName is the name of the moving averages along an axis: of its periods or, where it has none, of points.
func averageName(s *split) locale.Key {
	grain := s.grain
	switch {
	case s.years:
		grain = cube.Yearly
	case grain == cube.Exact:
		grain = s.step
	}
	return averageNames[grain]
}

// averageSentence returns a sentence with the last values of the moving averages.
func (p *Env) averageSentence(of *split) string {
	var texts []string
	for i, se := range of.series {
		if i == 5 {
			n := len(of.series) - i
			texts = append(texts, p.Count(n, "and %d more series", "and %d more series"))
			break
		}
		for x := len(of.x) - 1; x >= 0; x-- {
			if of.has(i, x) {
				texts = append(texts, canvas.Clip(se.name, 60)+": "+p.Quantity(*se.col, of.exact[i][x]))
				break
			}
		}
	}
	return strings.Join(texts, "; ") + "."
}

// follows returns a function that reports whether no period is missing before a place on the axis: see [rhythm].
func (p *Rows) follows(s *split) func(x int) bool {
	f := p.gapsOf(s)
	return func(x int) bool {
		h, _ := f.between(x-1, x)
		return h.periods == 0
	}
}

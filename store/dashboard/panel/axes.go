package panel

import (
	"cmp"
	"math"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/format"
	"service/store/decimal"
)

// farApart is the ratio of the last to the first gridline from which on each gridline has its own notation.
const farApart = 1000

// tickTexts returns the texts of the gridlines of a scale with all their digits. They have one notation, except on a logarithmic scale with
// a wide range.
func (p *Env) tickTexts(s chart.Scale, unit string) []string {
	ticks := s.Ticks()
	out := make([]string, len(ticks))
	if s.Log && len(ticks) > 0 && ticks[len(ticks)-1] >= farApart*ticks[0] {
		for i, v := range ticks {
			out[i] = p.Short(unit, v)
		}
		return out
	}
	for i, v := range ticks {
		out[i] = decimal.Significant(decimal.Of(v), format.MostDigits)
	}
	return p.Alike(unit, out)
}

// ticksOf returns the function that writes the gridlines of a scale as numbers of a column in a format: see [Env.tickTexts].
func (p *Env) ticksOf(col dashboard.Column, as string) func(chart.Scale) []string {
	return func(s chart.Scale) []string {
		out := p.tickTexts(s, as)
		for i := range out {
			out[i] = format.Accounts(col, out[i])
		}
		return out
	}
}

// inside returns the width of the contents of a panel on a desktop, in pixels.
func (p *Settings) inside() float64 {
	if p.Env.Spec.Article() {
		return canvas.ArticleInside
	}
	return float64(cmp.Or(p.Columns, p.Spec.Width, dashboard.DefaultWidth(p.Spec.Type)))*104 - 54
}

// room returns the space that the panel's plot has.
func (p *Rows) room() chart.Room {
	r := chart.Room{Inside: p.inside()}
	if p.family != nil {
		r.Columns, r.Own = p.family.columns, p.family.own
	}
	return r
}

// steps returns the labels of the steps of a scale: for whole numbers the round ones, if at least two of them fit, and otherwise those of
// [chart.EveryNth].
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

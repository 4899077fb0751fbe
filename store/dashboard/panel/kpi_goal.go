package panel

import (
	"math"
	"math/big"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
	"service/store/decimal"
)

// A goal is the share of its target that a KPI has reached.
type goal struct {
	share float64 // of the target; NaN if that is missing, or has no share
	words string
}

// findGoal computes the share of the target that the KPI has reached. If the column defines which direction is good, and there are no
// thresholds, it also sets the tone: good at the target or, if less is good, up to it.
func (k *kpiPanel) findGoal() {
	p, spec := k.Panel, k.Spec
	target, col, name := spec.Target, k.col, p.Env.Text("Target")
	exact := any(target)
	if spec.TargetBy != "" {
		m := p.col(spec.TargetBy)
		if p.Problem != "" {
			return
		}
		g := p.Data.Group(p.Data.Rows, cube.Query{Measures: []cube.Measure{p.Data.Measure(m)}})
		if p.Problem = p.Data.Env.Unclear(g, 0); p.Problem != "" {
			return
		}
		target, _ = g.Value(0, 0)
		col, name, exact = *m, m.Label, g.Exact(0, 0)
	}
	col.Label = name
	p.Grid.Columns = append(p.Grid.Columns, Column{Column: col})
	p.Grid.Rows[0] = append(p.Grid.Rows[0], exact)
	k.goal = &goal{share: math.NaN()}
	text := p.Env.Quantity(col, target)
	if canvas.Letters(text) > chart.LongestLabel {
		text = p.Env.Brief(col, target)
	}
	less := k.col.Good == "down"
	switch {
	case exact == nil:
		k.goal.words = p.Env.Text("There is no target for these filters.")
	case target <= 0:
		k.belowZero(col, target, less, text)
		return
	default:
		k.goal.share = k.value / target
		if k.goal.words = p.Env.pointsFrom(col, k.value, target, less, text); k.goal.words == "" {
			k.goal.words = p.Env.Text(when(less, "%s of the limit of %s", "%s of the target of %s"), p.Env.shareOf(k.goal.share), text)
		}
	}
	k.addGoal()
	if math.IsNaN(k.goal.share) {
		return
	}
	k.judge(k.goal.share >= 1-1e-12, k.goal.share > 1+1e-12)
}

// addGoal adds the words of the goal to the sentence.
func (k *kpiPanel) addGoal() {
	k.Summary = strings.TrimSuffix(k.Summary, ".") + "; " + strings.TrimSuffix(k.goal.words, ".") + "."
}

// judge sets the tone of a number that reaches its target or not, or is above it, unless the spec has thresholds.
func (k *kpiPanel) judge(reaches, above bool) {
	switch less := k.col.Good == "down"; {
	case len(k.Spec.Thresholds) > 0:
	case less && above:
		k.tone = "bad"
	case less, k.col.Good == "up" && reaches:
		k.tone = "good"
	}
}

// belowZero describes a target that is not above zero, such as that of a loss or of a temperature, by the distance of the number. A number
// of the same sign has a share, too, unless the column defines which direction is good: of two losses, the one that is further from zero
// has the larger share, and is worse if more is good. If less is good, a number above its limit has less than the whole of it.
func (k *kpiPanel) belowZero(col dashboard.Column, target float64, less bool, text string) {
	p := k.Panel
	distance := new(big.Rat).Sub(encode.Rational(k.value), encode.Rational(target))
	equal := math.Abs(k.value-target) <= 1e-12*math.Abs(target)
	if target < 0 && k.value < 0 && k.col.Good == "" {
		k.goal.share = k.value / target
	}
	switch {
	case equal, !math.IsNaN(k.goal.share):
		share := 1.0
		if !equal {
			share = k.goal.share
		}
		k.goal.words = p.Env.Text(when(less, "%s of the limit of %s", "%s of the target of %s"), p.Env.shareOf(share), text)
	case col.Unit() == dashboard.UnitShare:
		k.goal.words = p.Env.pointsFrom(col, k.value, target, less, text)
	default:
		k.goal.words = p.Env.Text(sideOf(distance, less), p.Env.distance(col, distance.Abs(distance)), text)
	}
	k.addGoal()
	k.judge(equal || k.value > target, !equal && k.value > target)
}

// sideOf returns the words for a number that differs from its target by a distance.
func sideOf(distance *big.Rat, less bool) locale.Key {
	if distance.Sign() > 0 {
		return when(less, "%s above the limit of %s", "%s above the target of %s")
	}
	return when(less, "%s below the limit of %s", "%s below the target of %s")
}

// distance returns a distance in the format of a column, with as many decimals as distinguish it from 0.
func (p *Env) distance(col dashboard.Column, of *big.Rat) string {
	v, _ := of.Float64()
	text := p.Quantity(col, v)
	if canvas.Letters(text) > chart.LongestLabel {
		text = p.Brief(col, v)
	}
	for decimals := 1; locale.WritesZero(text) && decimals <= 6; decimals++ {
		text = p.InUnit(col, p.Decimals(format.OrInteger(col), v, decimals))
	}
	return text
}

// shareOf returns a share of a target as text. A share below the whole is not rounded to 100 %.
func (p *Env) shareOf(share float64) string {
	whole := p.Share(1, 0)
	for decimals := range 4 {
		text := p.ShareUpTo(share, decimals+1)
		if text != whole || math.Abs(share-1) <= 1e-12 {
			return text
		}
	}
	return p.Text(when(share < 1, "almost %s", "just over %s"), whole)
}

// pointsFrom returns how far a percentage is from its target, in points: the share of a percentage would be another percentage that readers
// confuse with it. It returns "" for other numbers, and at the target.
func (p *Env) pointsFrom(col dashboard.Column, value, target float64, less bool, text string) string {
	points := new(big.Rat).Sub(encode.Rational(value), encode.Rational(target))
	if col.Unit() != dashboard.UnitShare || math.Abs(value/target-1) <= 1e-12 {
		return ""
	}
	points.Mul(points, big.NewRat(100, 1))
	words := sideOf(points, less)
	points.Abs(points)
	digits := points.FloatString(1)
	for decimals := 2; decimal.IsZero(digits) && decimals < 6; decimals++ {
		digits = points.FloatString(decimals)
	}
	return p.Text(words, p.WithUnit("%s pp", p.Digits(digits)), text)
}

func (g *goal) draw(c canvas.Canvas, color canvas.Color) {
	c.Delta(canvas.Delta{Missing: g.words})
	if math.IsNaN(g.share) {
		return
	}
	c.Picture(canvas.Picture{Kind: canvas.ProgressPicture, Height: 8})
	if g.share > 0 {
		c.Rect(canvas.Rect{Width: canvas.Of(min(g.share, 1)), Height: canvas.Of(1), Color: color})
	}
	if g.share > 1 { // the target
		c.Line(canvas.Line{X1: canvas.Of(1 / g.share), X2: canvas.Of(1 / g.share), Y2: canvas.Of(1), Stroke: canvas.ZeroLine})
	}
	c.End()
}

// sketch returns the share as a bar.
func (g *goal) sketch() []string {
	if g == nil || math.IsNaN(g.share) {
		return nil
	}
	return []string{"[" + text.Pad(bar(max(min(g.share, 1), 0), 1, 22), 22) + "] " + text.OneLine(g.words)}
}

// ofTime returns the KPI of a date: the latest or, if its column or the SQL defines it, the earliest.
func (p *Panel) ofTime(col dashboard.Column) Content {
	whole := p.Spec
	if p.family != nil {
		whole = p.family.of.Spec
	}
	if whole.SortsDates() {
		return p.ofSortedTime(col)
	}
	m, ok := p.Data.EndOf(p.Data.Rows, &col)
	if !ok {
		issue := manyTimes(&col, "value")
		p.Problem = p.Env.note(issue)
		issue.Note = ""
		p.report(issue)
		return nil
	}
	if end, _ := col.End(); p.Spec.Title == "" && end != dashboard.None && p.family == nil { // that of a tile is its value of the facet
		p.Title = p.Env.Text(when(m.Agg == cube.Min, "%s (earliest)", "%s (latest)"), col.Label)
	}
	col.Role = dashboard.Measure // it is one value of all rows
	v := p.Data.Group(p.Data.Rows, cube.Query{Measures: []cube.Measure{m}}).Exact(0, 0)
	k := &kpiPanel{Panel: p, col: col, text: p.Env.Cell(col, cube.Exact, v)}
	p.Grid = &Grid{Columns: []Column{{Column: col}}, Rows: [][]any{{v}}}
	if p.Summary = k.text + "."; v == nil {
		p.Summary = p.Env.Text("No value for these filters.")
	}
	return k
}

// manyTimes returns the issue of a column of times of which none represents the others: see [encode.Dataset.EndOf].
func manyTimes(col *dashboard.Column, key string) encode.Issue {
	return encode.Noted("No value for %s: it has several, and nothing says which one is meant.", encode.Inline(col.Label)).
		Warned(dashboard.WarnLeftOut, key, `"%s" has several dates, and its SQL chooses each by something else than the date, such as arg_min: `+
			`neither the earliest nor the latest is known to be meant. Let the SQL return the one that is meant, or declare "agg": "min" or `+
			`"max" for the column.`, col.Name)
}

package page

import (
	"math"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
)

// A goal is how much of its target a KPI has reached.
type goal struct {
	share float64 // of the target; NaN where that is none
	words string
}

// findGoal works out the share of the target that the KPI has reached. Where its column
// says what is good, so does the tone, if no threshold says it: at the target, or where
// less is good, up to it.
func (k *kpiPanel) findGoal() {
	p, spec := k.panel, k.spec
	target, col, name := spec.Target, k.col, p.env.Text("Target")
	exact := any(target)
	if spec.TargetBy != "" {
		m := p.col(spec.TargetBy)
		if p.problem != "" {
			return
		}
		g := p.data.Group(p.data.Rows, cube.Query{Measures: []cube.Measure{p.data.Measure(m)}})
		if p.problem = p.data.Env.Unclear(g, 0); p.problem != "" {
			return
		}
		target, _ = g.Value(0, 0)
		col, name, exact = *m, m.Label, g.Exact(0, 0)
	}
	col.Label = name
	p.grid.cols = append(p.grid.cols, gridColumn{Column: col})
	p.grid.rows[0] = append(p.grid.rows[0], exact)
	k.goal = &goal{share: math.NaN()}
	text := p.env.Quantity(col, target)
	if canvas.Letters(text) > chart.LongestLabel {
		text = p.env.Brief(col, target)
	}
	less := k.col.Good == "down"
	switch {
	case exact == nil:
		k.goal.words = p.env.Text("There is no target for these filters.")
	case target <= 0:
		k.goal.words = p.env.Text("No share of the target, which is %s.", text)
	default:
		k.goal.share = k.value / target
		k.goal.words = p.env.Text(when(less, "%s of the limit of %s", "%s of the target of %s"), p.shareOf(k.goal.share), text)
	}
	k.summary = strings.TrimSuffix(k.summary, ".") + "; " + strings.TrimSuffix(k.goal.words, ".") + "."
	reached := k.goal.share >= 1-1e-12
	if len(spec.Thresholds) > 0 || math.IsNaN(k.goal.share) {
		return
	}
	switch {
	case less && k.goal.share > 1+1e-12:
		k.tone = "bad"
	case less, k.col.Good == "up" && reached:
		k.tone = "good"
	}
}

// shareOf is a share of a target. A share below all of it is not rounded to 100 %.
func (p *panel) shareOf(share float64) string {
	whole := p.env.Share(1, 0)
	for decimals := range 4 {
		text := p.env.ShareUpTo(share, decimals+1)
		if text != whole || math.Abs(share-1) <= 1e-12 {
			return text
		}
	}
	return p.env.Text(when(share < 1, "almost %s", "just over %s"), whole)
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
	if g.share > 1 { // where the target lies
		c.Line(canvas.Line{X1: canvas.Of(1 / g.share), X2: canvas.Of(1 / g.share), Y2: canvas.Of(1), Stroke: canvas.ZeroLine})
	}
	c.End()
}

// sketch is the share as a bar.
func (g *goal) sketch() []string {
	if g == nil || math.IsNaN(g.share) {
		return nil
	}
	return []string{"[" + text.Pad(bar(max(min(g.share, 1), 0), 1, 22), 22) + "] " + text.OneLine(g.words)}
}

// ofTime is a KPI of a date: the latest, or the earliest where its column or the SQL says so.
func (p *panel) ofTime(col dashboard.Column) content {
	m := p.data.EndOf(&col)
	which := when(m.Agg == cube.Min, "%s (earliest)", "%s (latest)")
	if p.spec.Title == "" {
		p.title = p.env.Text(which, col.Label)
	}
	col.Role = dashboard.Measure // it is one value of all rows
	v := p.data.Group(p.data.Rows, cube.Query{Measures: []cube.Measure{m}}).Exact(0, 0)
	k := &kpiPanel{panel: p, col: col, text: p.env.Cell(col, cube.Exact, v)}
	p.grid = &grid{cols: []gridColumn{{Column: col}}, rows: [][]any{{v}}}
	if p.summary = k.text + "."; v == nil {
		p.summary = "No value for these filters."
	}
	return k
}

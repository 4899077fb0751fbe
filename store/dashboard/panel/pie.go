package panel

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

const pieSlices = 6

var pieFigure = Figure{
	Summarise: summarisePie,
}

// A piePanel shows the parts of a whole: a ring and a list of them next to it.
type piePanel struct {
	*Panel
	parts []part
	total float64
	value dashboard.Column
}

type part struct {
	cube.Category
	name  string
	value float64
	none  bool // it has no value, and no share
	color canvas.Color
}

func summarisePie(p *Panel) Content {
	spec, d := p.Spec, p.Data
	label := cmp.Or(spec.Label, spec.X)
	dim, col := p.col(label), p.col(spec.Value)
	if p.Problem != "" {
		return nil
	}
	m := d.Measure(col)
	if m.Over != nil || m.Agg != cube.None && !encode.Sums(m, label) {
		p.Problem = p.Env.Text(`A pie shows parts of a whole, and "%s" does not add up to one. `+
			`Use a bar chart, or a measure with agg "sum".`, col.Name)
		return nil
	}
	top := encode.Top{
		Most: min(cmp.Or(spec.Limit, pieSlices), canvas.MaxSeries), Slack: spec.Limit == 0, Rank: encode.AtFirst, Other: true,
		Note: "The %s largest of %s values of %s.", Key: "limit", Always: p.alwaysDrawn(label),
	}
	if top.Most != spec.Limit {
		top.Advice = "limit is another number, at most " + strconv.Itoa(canvas.MaxSeries)
	}
	t := p.run(encode.Query{
		By:       []encode.Channel{{Column: label, Key: "label", Keep: encode.Keep{Names: top}, Order: p.sliceOrder()}},
		Measures: []cube.Measure{m},
		Positive: "A pie cannot show negative values; use a bar chart.",
	})
	if t == nil {
		return nil
	}
	cats := t.Axis(0)
	colors := p.valueColors(label, cats)
	values, exact := t.ValuesOf(0)
	p.Grid = &Grid{Columns: []Column{{Column: *dim}, {Column: *col}}}
	var parts []part
	var without [][]any
	total := 0.0
	for i, at := range t.OrderOf(0) {
		c := cats[i]
		if exact[at] == nil && d.Level(col) { // it has no rows of that time, so it is not a part of zero
			without = append(without, []any{c, nil})
			continue
		}
		part := part{c, p.Env.Cell(*dim, cube.Exact, c), values[at], exact[at] == nil, colors[i]}
		parts = append(parts, part)
		total += part.value
		p.Grid.Rows = append(p.Grid.Rows, []any{c, exact[at]})
	}
	p.Grid.Rows = append(p.Grid.Rows, without...)
	if total <= 0 {
		p.Empty = p.Env.Text("Every value is zero or missing for these filters.")
		return nil
	}
	if math.IsInf(total, 0) {
		p.Problem = p.Env.Text("The values are too large to add up.")
		return nil
	}
	var b strings.Builder
	some := slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return p.none })
	for i, part := range some[:min(len(some), 4)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(canvas.Clip(part.name, 40) + " " + p.Env.Share(part.value/total, 1))
	}
	if left := len(some) - 4; left > 0 {
		b.WriteString(" " + p.Env.Count(left, "and %d more", "and %d more"))
	}
	shown := *col
	shown.Format = p.Env.Apart(shown, p.Grid.column(1))
	p.Summary = p.Env.Text("Of %s in all: %s.", p.Env.Quantity(*col, total), b.String())
	return &piePanel{p, parts, total, shown}
}

// sliceOrder returns the order of the slices: that of sort, or the largest first.
func (p *Rows) sliceOrder() encode.Order {
	if p.Spec.Sort != "" {
		return p.sequence()
	}
	return encode.Order{Largest: true, Said: true}
}

func (p *piePanel) sketch() []string { return p.sketchBars(true) }

func (p *piePanel) Draw(c canvas.Canvas) {
	c.Beside()
	c.Picture(canvas.Picture{Kind: canvas.RingPicture, Title: p.Title, Says: p.Summary})
	gap, from := 0.5, 0.0
	if len(p.parts) == 1 {
		gap = 0
	}
	ways := p.Ways()
	for i, part := range p.parts {
		share := part.value / p.total
		if share == 0 {
			continue
		}
		c.Arc(canvas.Arc{
			From: from, Share: share, Gap: gap, Color: part.color, Row: row(p.offset+i, ways.Of(p.Grid.Columns[0].Mark(part.Category))),
			Title: append([]string{canvas.Clip(part.name, 60), ": ", p.Env.Quantity(p.value, part.value)}, p.extraTitle(i)...),
		})
		from += share
	}
	c.Label(canvas.Label{
		X: canvas.Px(21), Y: canvas.Px(21.6), Look: canvas.TotalText, Anchor: canvas.AtMiddle,
		Text: p.Env.Short(format.OrInteger(p.value), p.total),
	})
	c.Label(canvas.Label{X: canvas.Px(21), Y: canvas.Px(25.4), Look: canvas.CaptionText, Anchor: canvas.AtMiddle, Text: p.Env.Text("total")})
	c.End()
	c.List(canvas.RingList)
	for _, part := range p.parts {
		share, way := p.Env.Share(min(part.value/p.total, 1), 1), ways.Of(p.Grid.Columns[0].Mark(part.Category))
		it := canvas.Item{Color: part.color, Name: part.name, Value: p.Env.Quantity(p.value, part.value), Share: share, Way: way}
		switch {
		case p.unlabelled():
			it.Value, it.Share = "", ""
		case part.none:
			it.Value, it.Share = format.None, ""
		}
		c.Item(it)
		c.End()
	}
	c.End()
	c.End()
}

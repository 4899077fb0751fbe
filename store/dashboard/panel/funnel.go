package panel

import (
	"cmp"
	"fmt"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
)

const funnelSteps = 14 // the maximum drawn: more of them would need scrolling, and are not steps of a process

// noBelow is the problem of a funnel with negative values.
const noBelow locale.Key = "A funnel cannot show negative values; use a bar chart."

var funnelFigure = Figure{
	Summarise: summariseFunnel,
}

// A funnelPanel shows the amounts that are left at the steps of a process, as horizontal bars.
type funnelPanel struct {
	*Panel
	stages []stage
	most   float64 // the largest value
	tones  *toner
	then   *before // the earlier period of a comparison; nil for none
}

type stage struct {
	name  string
	value float64
	exact any // nil for none
	color canvas.Color
	base  canvas.Color // its colour without tones
	toned bool         // its colour is that of a tone
	first string       // its share of the first step, and
	last  string       // of the step before, in percent; "" for the first step
	then  any          // the value in the earlier period; nil for none
}

func summariseFunnel(p *Panel) Content {
	spec := p.Spec
	dim, col := p.col(spec.Label), p.col(spec.Value)
	if p.Problem != "" {
		return nil
	}
	then, values := p.compareSteps(col)
	if p.Empty != "" {
		return nil
	}
	m := p.Data.Measure(col)
	if m.Over != nil || m.Agg != cube.None && !encode.Sums(m, "") {
		p.Problem = p.Env.Text(
			`A funnel shows how many are left of an amount, and "%s" is not an amount. Use a bar chart, or a measure with agg "sum".`,
			col.Name)
		return nil
	}
	t := p.run(encode.Query{
		By: []encode.Channel{{
			Column: spec.Label, Key: "label", Order: p.sequence(), Also: then.others(),
			Keep: encode.Keep{Names: encode.Top{
				Most: min(cmp.Or(spec.Limit, funnelSteps), funnelSteps), Rank: encode.InOrder, Advice: p.funnelAdvice(),
				Key: limitKey(spec.Limit, funnelSteps),
			}},
		}},
		Measures: []cube.Measure{m},
		Positive: noBelow,
	})
	if t == nil {
		if p.Problem == p.Env.Text(noBelow) {
			p.report(encode.Warned(dashboard.WarnDoubtful, "value",
				`"%s" has values below zero, and a funnel shows none; use a bar or a waterfall.`, col.Name))
		}
		return nil
	}
	cats, color := t.Axis(0), p.markColor(spec.Value)
	f := &funnelPanel{Panel: p, stages: make([]stage, len(cats)), then: then}
	value, exact := t.ValuesOf(0)
	for i, at := range t.OrderOf(0) {
		f.stages[i] = stage{name: p.Env.Cell(*dim, cube.Exact, cats[i]), value: value[at], exact: exact[at], color: color, then: values[cats[i]]}
		if p.Env.names(spec.Label, cats[i]) {
			f.stages[i].color = p.Env.valueColor(spec.Label, cats[i])
		}
		f.stages[i].base = f.stages[i].color
		if p.isPale(spec.Label, cats[i]) {
			f.stages[i].color = canvas.PaleColor
		}
		f.most = max(f.most, value[at])
	}
	f.tabulate(dim, col, cats)
	if f.most == 0 {
		p.Empty = p.Env.Text("Every value is zero or missing for these filters.")
		return nil
	}
	f.sayGrowth()
	f.findTones()
	p.Summary = f.say() + f.sayBefore() + f.tones.says()
	return f
}

// funnelAdvice returns how the author can draw more steps.
func (p *Rows) funnelAdvice() string {
	if limit := p.Spec.Limit; limit > 0 && limit <= funnelSteps {
		return p.limited(false)
	}
	return "they are the first ones; a filter or sql with fewer steps draws all"
}

// findTones sets the tones of steps by their conversion: the share of the step before that is left or, if the spec shows it, the share of
// the first.
func (p *funnelPanel) findTones() {
	if p.tones = p.toner(); p.tones == nil {
		return
	}
	column := 3
	if p.Spec.Share == "first" {
		column = 2
	}
	for i := 1; i < len(p.stages); i++ {
		v, ok := p.Grid.Rows[i][column].(float64)
		if !ok {
			continue
		}
		if h := p.tones.add(v, 1, noLimit, p.Spec.Value); h != nil {
			p.stages[i].color, p.stages[i].toned = canvas.ToneColor(h.Tone), true
		}
	}
}

func (p *funnelPanel) share(_ *family, all []Content) {
	for _, c := range all {
		p.most = max(p.most, c.(*funnelPanel).most)
	}
	for _, c := range all {
		c.(*funnelPanel).most = p.most
	}
}

// tabulate computes the shares, and fills the table.
func (p *funnelPanel) tabulate(dim, col *dashboard.Column, cats []cube.Category) {
	share := func(label string) Column {
		return Column{Column: dashboard.Column{
			Column: cube.Column{Name: label, Type: cube.Number}, Label: label, Role: dashboard.Measure, Format: "percent1",
		}}
	}
	p.Grid = &Grid{Columns: []Column{
		{Column: *dim}, {Column: *col}, share(p.Env.Text("Share of the first")), share(p.Env.Text("Share of the step before")),
	}}
	p.Grid.Columns[0].Role = dashboard.Dimension
	of := func(s, base *stage) (text string, exact any) {
		if s.exact == nil || base.exact == nil || base.value == 0 {
			return "", nil
		}
		return p.Env.Share(s.value/base.value, 1), s.value / base.value
	}
	for i := range p.stages {
		s, row := &p.stages[i], make([]any, 4)
		row[0], row[1] = cats[i], s.exact
		s.first, row[2] = of(s, &p.stages[0])
		if i > 0 {
			s.last, row[3] = of(s, &p.stages[i-1])
		}
		p.Grid.Rows = append(p.Grid.Rows, row)
	}
	p.Grid.Columns[1].Format = p.Env.Apart(p.Grid.Columns[1].Column, p.Grid.column(1))
	p.tabulateBefore()
}

// sayGrowth reports the steps that are larger than the step before.
func (p *funnelPanel) sayGrowth() {
	var names []string
	for i := 1; i < len(p.stages); i++ {
		if before := p.stages[i-1]; before.exact != nil && p.stages[i].value > before.value {
			names = append(names, canvas.Clip(p.stages[i].name, 40))
		}
	}
	if names == nil {
		return
	}
	advice := `sort, or columns with the order of "` + p.Spec.Label + `", puts steps into another order`
	if p.Spec.Sort != "" || p.Data.Ordering(p.Spec.Label).Said {
		advice = "they are in the order of the spec: if each row is counted in one step only, a bar shows the steps"
	}
	p.report(encode.Noted("Larger than the step before: %s.", strings.Join(names, ", ")).
		Warned(dashboard.WarnDoubtful, "label",
			`%d of %d steps {is|are} larger than the one before, the first of them "%s"; %s.`, len(names), len(p.stages), names[0], advice))
}

// say returns the sentence of a funnel: its first and last step, and the largest loss.
func (p *funnelPanel) say() string {
	v := func(s *stage) string {
		return canvas.Clip(s.name, 40) + " " + p.Env.Cell(p.Grid.Columns[1].Column, cube.Exact, s.exact)
	}
	first, last := &p.stages[0], &p.stages[len(p.stages)-1]
	if first == last {
		return v(first) + "."
	}
	text := p.Env.Count(len(p.stages), "%d step from %s to %s", "%d steps from %s to %s", v(first), v(last))
	if last.first != "" {
		text += ", " + p.Env.Text("%s of the first", last.first)
	}
	text += "."
	least := 0
	for i := range p.stages {
		if p.stages[i].last != "" && (least == 0 || p.stages[i].left(p.stages[i-1]) < p.stages[least].left(p.stages[least-1])) {
			least = i
		}
	}
	if least > 0 && len(p.stages) > 2 {
		s := &p.stages[least]
		text += " " + p.Env.Text("The least is left at %s: %s of the step before.", canvas.Clip(s.name, 40), s.last)
	}
	return text
}

// left returns the share of the step before that is left.
func (s stage) left(before stage) float64 { return s.value / before.value }

// shares returns the percentages of a step with their meaning.
func (p *funnelPanel) shares(i int) string {
	s := &p.stages[i]
	var out []string
	switch {
	case p.Spec.Share == "none":
		return ""
	case p.Spec.Share == "previous" && s.last != "":
		return p.Env.Text("%s of the step before", s.last)
	case p.Spec.Share == "" && s.last != "" && i > 1: // for the second step, the step before is the first
		out = append(out, p.Env.Text("%s of the step before", s.last))
	}
	if s.first != "" && i > 0 && p.Spec.Share != "previous" {
		out = append(out, p.Env.Text("%s of the first", s.first))
	}
	return strings.Join(out, " · ")
}

func (p *funnelPanel) keyAbove() *chart.Key { return p.tones.addTo(nil) }

func (p *funnelPanel) Draw(c canvas.Canvas) {
	if p.family == nil {
		p.keyAbove().Draw(c)
	}
	c.List(canvas.BarList)
	ways := p.Ways()
	for i := range p.stages {
		s := &p.stages[i]
		it := canvas.Item{Name: s.name, Value: format.None, More: p.more(i), Way: ways.Of(p.Grid.Columns[0].Mark(p.Grid.Rows[i][0]))}
		if s.exact != nil {
			it.Value = p.Env.Quantity(p.Grid.Columns[1].Column, s.exact)
		}
		if p.unlabelled() {
			it.Value = ""
		}
		c.Item(it)
		c.Picture(canvas.Picture{Kind: canvas.StripPicture, Height: 14})
		to := s.value / p.most
		if i > 0 && p.stages[i-1].value > s.value && s.exact != nil && s.color != canvas.PaleColor { // the loss at this step
			c.Rect(canvas.Rect{Width: canvas.Of(p.stages[i-1].value / p.most), Height: canvas.Px(14), Round: 3, Color: s.base, Pale: true})
		}
		if s.value > 0 {
			c.Rect(canvas.Rect{
				Width: canvas.Of(max(to, 0.004)), Height: canvas.Px(14), Round: 3, Color: s.color, Bare: s.toned, Title: p.title(i),
			})
		}
		c.End()
		c.End()
	}
	c.End()
}

// title returns the tooltip of a step in pieces if the spec adds columns; else nil.
func (p *funnelPanel) title(i int) []string {
	if g, _ := p.behind(); g.Extras() == 0 {
		return nil
	}
	s := &p.stages[i]
	out := []string{canvas.Clip(s.name, 60), "\n", p.Env.Quantity(p.Grid.Columns[1].Column, s.exact)}
	if more := p.more(i); more != "" {
		out = append(out, " · ", more)
	}
	return append(out, p.extraTitle(i)...)
}

// profile returns the steps as a series, for small plots.
func (p *funnelPanel) profile() []profile {
	out := profile{last: p.words(1, p.Grid.Rows[len(p.stages)-1][1])}
	for _, s := range p.stages {
		out.values = append(out.values, s.value)
	}
	return []profile{out}
}

// sketch returns a bar for each step, with its value and its shares.
func (p *funnelPanel) sketch() []string {
	names, values := make([]string, len(p.stages)), make([]string, len(p.stages))
	for i, s := range p.stages {
		names[i], values[i] = text.OneLine(s.name), p.words(1, p.Grid.Rows[i][1])
	}
	wide, room := widest(names), widest(values)
	var lines []string
	for i, s := range p.stages {
		before := strings.Repeat(" ", max(room-text.Cells(values[i]), 0))
		line := text.Pad(names[i], wide) + " " + text.Pad(bar(s.value, p.most, 16), 16) + " " + before + values[i]
		if i > 0 {
			line += fmt.Sprintf(" %6s", s.first)
		}
		if s.last != "" {
			line += " ↓" + s.last
		}
		if p.then != nil {
			line += "  " + text.OneLine(p.beforeText(i))
		}
		lines = append(lines, line)
	}
	lines = text.Most(lines, sketchRow, p.Env.moreRows)
	if len(p.stages) > 1 {
		lines = append(lines, text.Pad("", wide)+" "+p.Env.Text("% of the first, ↓ of the step before"))
	}
	return lines
}

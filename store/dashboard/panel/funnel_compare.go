package panel

import (
	"fmt"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
)

// A funnel that is compared with an earlier period has the value and the change of each step in a text under its bar. The periods are those
// of a table: see [Panel.findBefore].

// compareSteps finds the earlier period of a funnel, if its spec compares with one, and the values of its steps. It limits the panel to the
// rows of the shown period. It returns nil if there is no comparison. If there are no rows of the shown period, it sets Empty.
func (p *Panel) compareSteps(col *dashboard.Column) (*before, map[cube.Category]any) {
	if len(p.Spec.Compare) == 0 {
		return nil, nil
	}
	settings, all := p.Settings, p.Data
	b, _ := p.findBefore(p.Data.Level(col))
	if b == nil {
		return nil, nil
	}
	values := map[cube.Category]any{}
	if !b.reached {
		return b, values
	}
	g := p.during(b.dates, b.from, b.to, cube.Query{
		By: []cube.Dim{p.Data.Dim(p.Spec.Label, cube.Exact)}, Measures: []cube.Measure{p.Data.Measure(col)},
	})
	if p.Data.Env.Unclear(g, 0) != "" { // nothing is compared, so no row is left out
		p.Settings, p.Data = settings, all
		p.notCompared(fmt.Sprintf(`nothing says how the rows of "%s" in the earlier period add up; declare its "agg".`, col.Name))
		return nil, nil
	}
	for i := range g.Len() {
		values[g.Category(i, 0)] = g.Exact(i, 0)
	}
	return b, values
}

// others returns the rows of the earlier period; b may be nil.
func (b *before) others() cube.Selection {
	if b == nil {
		return nil
	}
	return b.rows
}

// compared returns a step as a comparison.
func (p *funnelPanel) compared(i int) *comparison {
	return comparedValues(p.stages[i].exact, p.stages[i].then, p.then.names[1])
}

// beforeText returns the value of a step in the earlier period, and the change.
func (p *funnelPanel) beforeText(i int) string {
	col, was := p.Grid.Columns[1].Column, format.None
	if then := p.stages[i].then; then != nil {
		was = p.Env.Quantity(col, then)
	}
	c := p.compared(i)
	if !c.ok {
		return c.versus + ": " + was
	}
	return deltaWords(canvas.Delta{Way: c.direction(), Change: p.changed(col, c), Was: was, Versus: c.versus})
}

// more returns the text under the bar of a step.
func (p *funnelPanel) more(i int) string {
	out := []string{p.shares(i)}
	if p.then != nil {
		out = append(out, p.beforeText(i))
	}
	return strings.Join(slices.DeleteFunc(out, func(s string) bool { return s == "" }), " · ")
}

// tabulateBefore adds the values of the earlier period and the changes to the table.
func (p *funnelPanel) tabulateBefore() {
	if p.then == nil {
		return
	}
	own := p.Grid.Columns[1].Column
	then := own
	then.Name, then.Label = own.Name+dashboard.BeforeSuffix, p.then.names[1]
	p.Grid.Columns = append(p.Grid.Columns, Column{Column: then}, Column{Column: p.changeColumn(own, p.then.names[1])})
	for i := range p.stages {
		s := &p.stages[i]
		p.Grid.Rows[i] = append(p.Grid.Rows[i], s.then, changeOf(own, s.exact, s.then))
	}
}

// sayBefore returns the sentence about the first and the last step in the earlier period, or "".
func (p *funnelPanel) sayBefore() string {
	if p.then == nil {
		return ""
	}
	var said []string
	for _, i := range slices.Compact([]int{0, len(p.stages) - 1}) {
		text := p.beforeText(i)
		if c := p.compared(i); c.ok {
			text = p.versus(p.Grid.Columns[1].Column, c)
		}
		said = append(said, canvas.Clip(p.stages[i].name, 40)+": "+text)
	}
	return " " + strings.Join(said, "; ") + "."
}

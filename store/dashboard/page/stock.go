package page

import (
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// amongOf are the rows among which the time of a stock is looked for: all, but for filters on its times.
func (d *dataset) amongOf(along string) cube.Selection {
	if rows, ok := d.among[along]; ok {
		return rows
	}
	if d.among == nil {
		d.among = map[string]cube.Selection{}
	}
	d.among[along] = d.selectAmong(along, d.filters)
	return d.among[along]
}

func (d *dataset) selectAmong(along string, filters []cube.Filter) cube.Selection {
	var of []cube.Filter
	for _, f := range filters {
		if f.Column == along {
			of = append(of, f)
		}
	}
	return d.cube.Select(of...)
}

// within has the times of stocks among measures looked for under other filters than those of the page.
func (d *dataset) within(measures []cube.Measure, filters []cube.Filter) []cube.Measure {
	out := slices.Clone(measures)
	for i, m := range out {
		out[i] = m.WithAmong(func(m cube.Measure) cube.Selection { return d.selectAmong(m.Along, filters) })
	}
	return out
}

// level reports whether a column is a stock, or a ratio of two.
func (d *dataset) level(c *dashboard.Column) bool {
	if c == nil || !c.IsRatio() {
		return c != nil && c.IsStock()
	}
	a, b := d.column(c.Ratio[0]), d.column(c.Ratio[1])
	return a != nil && b != nil && a.IsStock() && b.IsStock()
}

// along is the column of the times of a stock, or of the first part of a ratio that is one; nil for other measures.
func (d *dataset) along(c *dashboard.Column) *dashboard.Column {
	if c == nil {
		return nil
	}
	if !c.IsRatio() {
		if c.IsStock() {
			return d.column(c.Along)
		}
		return nil
	}
	for _, name := range c.Ratio {
		if part := d.column(name); part != nil && part.IsStock() {
			return d.column(part.Along)
		}
	}
	return nil
}

// sums reports whether values of a measure add up to a whole whose parts are of several values of a column.
func sums(m cube.Measure, over string) bool {
	return m.Over == nil && (m.Agg == cube.Sum || m.Agg.IsStock() && m.Along != over)
}

// moment is the time of a stock in words, such as "Jun 2026", or "" for a stock without one.
func (p *panel) moment(along *dashboard.Column, at any) string {
	if along == nil || at == nil {
		return ""
	}
	grain := cube.Exact
	if own := p.page.grainsOf(p.data, along.Name); along.Type.IsTime() && len(own) > 0 && own[0].Size() >= cube.Daily.Size() {
		grain = own[0]
	}
	return p.page.cell(*along, grain, cube.Category{Value: at})
}

// takenOf returns a sentence with the time of a stock that is grouped to one value, or with the reason why it has none. It is ""
// for other measures.
func (p *panel) takenOf(col *dashboard.Column, g *cube.Groups, some bool) string {
	at := p.moment(p.data.along(col), g.TakenOfAll(0))
	switch {
	case at == "":
		return ""
	case some:
		return p.page.Text("As of %s", at)
	}
	return p.page.Text("No rows in %s", at)
}

// noteTaken says as of when the stocks of a panel are that has no axis of their times, or totals over these, and which
// of its categories have no rows of that time.
func (p *panel) noteTaken() {
	if p.problem != "" || p.spec.Type == dashboard.KPI || p.spec.Type == dashboard.Text {
		return
	}
	var said []string
	for _, name := range p.shows {
		col := p.data.column(name)
		along := p.data.along(col)
		if along == nil || col.Role != dashboard.Measure || slices.Contains(said, name) {
			continue
		}
		said = append(said, name)
		shown := slices.Contains(p.shows, along.Name)
		if shown && !p.hasTotals() {
			continue
		}
		g := p.data.group(p.data.rows, cube.Query{Measures: []cube.Measure{p.data.measure(col)}})
		at := p.moment(along, g.TakenOfAll(0))
		switch {
		case at == "":
		case shown:
			p.report(noted("Totals of %s: as of %s.", Inline(col.Label), at))
		default:
			p.report(noted("%s: as of %s.", col.Label, at))
			p.noteWithout(at)
		}
	}
}

// hasTotals reports whether the panel has totals over its dimensions.
func (p *panel) hasTotals() bool {
	return p.spec.Type == dashboard.Table && p.spec.TotalRow || p.spec.Type == dashboard.Pivot && !p.spec.NoTotals
}

// mostWithout is how many categories without a value are named.
const mostWithout = 5

// noteWithout names the categories that have no rows of the time of a stock. Tables show them.
func (p *panel) noteWithout(at string) {
	if p.grid == nil || len(p.grid.cols) < 2 || p.grid.cols[0].Role != dashboard.Dimension || p.behind == csvBehind {
		return
	}
	var names []string
	for _, row := range p.grid.rows {
		if !slices.ContainsFunc(row[1:], func(v any) bool { return v != nil }) {
			names = append(names, clip(p.page.cell(p.grid.cols[0].Column, p.grid.cols[0].grain, row[0]), 40))
		}
	}
	if n := len(names); n > mostWithout {
		names = append(names[:mostWithout], p.page.Count(n-mostWithout, "and %d more", "and %d more"))
	}
	if len(names) > 0 {
		p.report(noted("No rows in %s: %s.", at, strings.Join(names, ", ")))
	}
}

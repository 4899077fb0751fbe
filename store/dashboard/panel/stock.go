package panel

import (
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// moment returns the time of a stock in words, such as "Jun 2026", or "" for a stock without one.
func (p *Rows) moment(along *dashboard.Column, at any) string {
	if along == nil || at == nil {
		return ""
	}
	grain := cube.Exact
	if own := p.Data.GrainsOf(along.Name); along.Type.IsTime() && len(own) > 0 && own[0].Size() >= cube.Daily.Size() {
		grain = own[0]
	}
	return p.Env.Cell(*along, grain, cube.Category{Value: at})
}

// takenOf returns a sentence with the time of a stock that is grouped to one value, or with the reason why it has none. It is "" for other
// measures.
func (p *Rows) takenOf(col *dashboard.Column, g *cube.Groups, some bool) string {
	at := p.moment(p.Data.Along(col), g.TakenOfAll(0))
	switch {
	case at == "":
		return ""
	case some:
		return p.Env.Text("As of %s", at)
	}
	return p.Env.Text("No rows in %s", at)
}

// noteTaken notes the time of each stock if the panel has no axis of those times, or has totals over them, and which of its categories have
// no rows of that time.
func (p *Panel) noteTaken() {
	if p.Problem != "" || p.Spec.Type == dashboard.KPI || p.Spec.Type == dashboard.Text {
		return
	}
	shows, label := p.named()
	var said []string
	for _, name := range shows {
		col := p.Data.Column(name)
		along := p.Data.Along(col)
		if along == nil || col.Role != dashboard.Measure || slices.Contains(said, name) {
			continue
		}
		said = append(said, name)
		shown := slices.Contains(shows, along.Name)
		if shown && !p.totalsOver(along.Name) {
			continue
		}
		g := p.Data.Group(p.Data.Rows, cube.Query{Measures: []cube.Measure{p.Data.Measure(col)}})
		at := p.moment(along, g.TakenOfAll(0))
		switch {
		case at == "":
		case shown:
			p.report(encode.Noted("Totals of %s: as of %s.", encode.Inline(label(col)), at))
		default:
			p.report(encode.Noted("%s: as of %s.", label(col), at))
			p.noteWithout(at)
		}
	}
}

// named returns the columns of the dataset that the panel shows, and the name of each on the page. A table has other columns, too, for its
// order, its tones and its small lines, and it can have other names for those that it shows.
func (p *Panel) named() (shows []string, label func(*dashboard.Column) string) {
	own := map[string]string{}
	if p.Spec.Type != dashboard.Table || p.Grid == nil {
		return p.shows, func(c *dashboard.Column) string { return c.Label }
	}
	for i := range p.Grid.Columns {
		c := &p.Grid.Columns[i]
		shows, own[c.Name] = append(shows, c.Name), c.Label
	}
	return shows, func(c *dashboard.Column) string { return own[c.Name] }
}

// totalsOver reports whether the panel has totals over a dimension that it shows. In a pivot, the lines of totals are over the dimensions
// down, and the column of totals is over those across.
func (p *Settings) totalsOver(column string) bool {
	switch p.Spec.Type {
	case dashboard.Table:
		return p.Spec.TotalRow
	case dashboard.Pivot:
		ofRows, ofColumns := p.Spec.HasTotals()
		return ofColumns && slices.Contains(p.Spec.Rows, column) || ofRows && slices.Contains(p.Spec.Across(), column)
	}
	return false
}

// mostWithout is the maximum number of categories without a value that are named.
const mostWithout = 5

// noteWithout names the categories that have no rows at the time of a stock. Tables show them.
func (p *Panel) noteWithout(at string) {
	if p.Grid == nil || len(p.Grid.Columns) < 2 || p.Grid.Columns[0].Role != dashboard.Dimension || p.Behind == CSVBehind {
		return
	}
	var names []string
	for _, row := range p.Grid.Rows {
		if !slices.ContainsFunc(row[1:len(row)-p.Grid.Extras()], func(v any) bool { return v != nil }) {
			names = append(names, canvas.Clip(p.Env.Cell(p.Grid.Columns[0].Column, p.Grid.Columns[0].Grain, row[0]), 40))
		}
	}
	if n := len(names); n > mostWithout {
		names = append(names[:mostWithout], p.Env.Count(n-mostWithout, "and %d more", "and %d more"))
	}
	if len(names) > 0 {
		p.report(encode.Noted("No rows in %s: %s.", at, strings.Join(names, ", ")))
	}
}

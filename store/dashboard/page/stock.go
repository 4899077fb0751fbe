package page

import (
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// moment is the time of a stock in words, such as "Jun 2026", or "" for a stock without one.
func (p *panel) moment(along *dashboard.Column, at any) string {
	if along == nil || at == nil {
		return ""
	}
	grain := cube.Exact
	if own := p.data.GrainsOf(along.Name); along.Type.IsTime() && len(own) > 0 && own[0].Size() >= cube.Daily.Size() {
		grain = own[0]
	}
	return p.env.Cell(*along, grain, cube.Category{Value: at})
}

// takenOf returns a sentence with the time of a stock that is grouped to one value, or with the reason why it has none. It is ""
// for other measures.
func (p *panel) takenOf(col *dashboard.Column, g *cube.Groups, some bool) string {
	at := p.moment(p.data.Along(col), g.TakenOfAll(0))
	switch {
	case at == "":
		return ""
	case some:
		return p.env.Text("As of %s", at)
	}
	return p.env.Text("No rows in %s", at)
}

// noteTaken says as of when the stocks of a panel are that has no axis of their times, or totals over these, and which
// of its categories have no rows of that time.
func (p *panel) noteTaken() {
	if p.problem != "" || p.spec.Type == dashboard.KPI || p.spec.Type == dashboard.Text {
		return
	}
	var said []string
	for _, name := range p.shows {
		col := p.data.Column(name)
		along := p.data.Along(col)
		if along == nil || col.Role != dashboard.Measure || slices.Contains(said, name) {
			continue
		}
		said = append(said, name)
		shown := slices.Contains(p.shows, along.Name)
		if shown && !p.hasTotals() {
			continue
		}
		g := p.data.Group(p.data.Rows, cube.Query{Measures: []cube.Measure{p.data.Measure(col)}})
		at := p.moment(along, g.TakenOfAll(0))
		switch {
		case at == "":
		case shown:
			p.report(encode.Noted("Totals of %s: as of %s.", encode.Inline(col.Label), at))
		default:
			p.report(encode.Noted("%s: as of %s.", col.Label, at))
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
		if !slices.ContainsFunc(row[1:len(row)-p.grid.extras()], func(v any) bool { return v != nil }) {
			names = append(names, canvas.Clip(p.env.Cell(p.grid.cols[0].Column, p.grid.cols[0].grain, row[0]), 40))
		}
	}
	if n := len(names); n > mostWithout {
		names = append(names[:mostWithout], p.env.Count(n-mostWithout, "and %d more", "and %d more"))
	}
	if len(names) > 0 {
		p.report(encode.Noted("No rows in %s: %s.", at, strings.Join(names, ", ")))
	}
}

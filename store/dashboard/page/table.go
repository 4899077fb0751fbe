package page

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// Of the rows of a table a page shows as many as limit says, or tableRows; the CSV has all.
const (
	tableRows  = 25
	tableCells = 20_000 // most of one table, so that a page stays one that can be read
)

var tableFigure = figure{
	summarise: summariseTable,
	frame:     inCard,
	behind:    csvBehind,
}

// A tablePanel is rows of a dataset.
type tablePanel struct {
	*panel
	cols    []tableColumn
	links   []map[string]string // of each row that is drawn: what the placeholders of its links stand for
	largest []float64           // of each column, as it is drawn
	ways    *ways
}

// summariseTable works out a table. With all the dimensions of its dataset it
// shows the rows as they are; with fewer, it groups by those it has.
func summariseTable(p *panel) content {
	cols, ok := p.tableColumns()
	if !ok {
		return nil
	}
	by, measures := p.tableQuery(cols)
	sort, _ := sortKey(p.spec.Sort)
	var hidden *dashboard.Column // to sort by
	if !slices.ContainsFunc(cols, func(c tableColumn) bool { return c.Name == sort }) {
		if hidden = p.data.column(sort); hidden != nil {
			if m := p.sortMeasure(hidden); m != nil {
				measures = append(measures, *m)
			}
		}
	}
	each := true
	for i := range p.data.cols {
		c := &p.data.cols[i]
		shown := slices.ContainsFunc(by, func(d cube.Dim) bool { return d.Column == c.Name })
		each = each && (shown || c.Role != dashboard.Dimension)
	}
	for i := range measures { // equal values are merged into one
		m := &measures[i]
		if !each && m.Agg == cube.None && m.Over == nil && p.data.cube.Constant(p.data.rows, by, m.Column) {
			m.Agg = cube.Min
		}
	}
	g := p.data.cube.Group(p.data.rows, cube.Query{By: by, Measures: measures, Each: each})
	for m := range measures {
		if p.problem = p.page.unclear(g, m); p.problem != "" {
			return nil
		}
	}
	order := p.tableOrder(g, by, measures, cols, each, hidden)
	all := len(order)
	drawn := min(all, cmp.Or(p.spec.Limit, tableRows), max(tableCells/max(len(cols), 1), tableRows))
	p.grid = &grid{}
	for _, c := range cols {
		p.grid.cols = append(p.grid.cols, gridColumn{Column: c.Column})
	}
	links := make([]map[string]string, 0, drawn)
	dim, mea := 0, 0
	place := make([]int, len(cols)) // in by, or in measures
	for i, c := range cols {
		if c.Role == dashboard.Dimension {
			place[i] = dim
			dim++
		} else {
			place[i] = mea
			mea++
		}
	}
	for n, i := range order {
		row := make([]any, len(cols))
		for j, c := range cols {
			if c.Role == dashboard.Dimension {
				row[j] = g.Category(i, place[j])
			} else {
				row[j] = g.Exact(i, place[j])
			}
		}
		p.grid.rows = append(p.grid.rows, row)
		if n < drawn {
			links = append(links, p.linkValues(g, i, by))
		}
	}
	if all > drawn {
		p.noteCount(all-drawn, "%d more row; the CSV has all %s.", "%d more rows; the CSV has all %s.", p.page.Number(float64(all), 0))
		switch {
		case p.spec.Limit == 0:
			p.warn(dashboard.WarnCut, "limit", "%d of %d rows are shown, and the CSV has all; limit is another number, up to 1000, "+
				"sort says which come first.", drawn, all)
		case drawn < p.spec.Limit:
			p.warn(dashboard.WarnCut, "limit", "%d of %d rows are shown, for a table has at most %d cells, and the CSV has all; "+
				"limit is a smaller number.", drawn, all, tableCells)
		}
	}
	p.summary = p.ofTable(all)
	return &tablePanel{panel: p, cols: cols, links: links}
}

// A tableColumn is a column of a table panel with its meaning.
type tableColumn struct {
	dashboard.Column
	style dashboard.TableColumn
}

func (p *panel) tableColumns() ([]tableColumn, bool) {
	var out []tableColumn
	for _, t := range p.spec.Columns {
		c := *p.col(t.Column)
		c.Label = cmp.Or(t.Label, c.Label)
		c.Format = cmp.Or(t.Format, c.Format)
		out = append(out, tableColumn{c, t})
	}
	if len(out) == 0 {
		for _, c := range p.data.cols {
			p.shows = append(p.shows, c.Name)
			out = append(out, tableColumn{c, dashboard.TableColumn{Column: c.Name}})
		}
	}
	return out, p.problem == ""
}

// tableQuery groups by the dimensions of the table; those that only its links
// name come after, hidden.
func (p *panel) tableQuery(cols []tableColumn) (by []cube.Dim, measures []cube.Measure) {
	for _, c := range cols {
		if c.Role == dashboard.Dimension {
			by = append(by, cube.Dim{Column: c.Name, Zone: p.page.zone})
		} else {
			measures = append(measures, p.data.measure(p.data.column(c.Name)))
		}
	}
	for _, c := range cols {
		for _, name := range placeholders(c.style.Link) {
			col := p.data.column(name)
			if col == nil || col.Role != dashboard.Dimension {
				continue
			}
			if !slices.ContainsFunc(by, func(d cube.Dim) bool { return d.Column == name }) {
				by = append(by, cube.Dim{Column: name, Zone: p.page.zone})
			}
		}
	}
	return by, measures
}

// tableOrder sorts the rows. Without a sort they have the order that the spec says of
// the first dimension, or keep that of the query, or of the dates, or have the largest
// first. Equal ones have the orders that the spec says of their dimensions.
func (p *panel) tableOrder(
	g *cube.Groups, by []cube.Dim, measures []cube.Measure, cols []tableColumn, each bool, hidden *dashboard.Column,
) []int {
	order := indices(g.Len())
	name, descending := sortKey(p.spec.Sort)
	switch {
	case name != "" || len(by) == 0:
	case p.page.ordering(p.data, by[0].Column).said:
		name = by[0].Column
	case each:
		return order
	case len(measures) > 0 && p.data.column(by[0].Column).Type == cube.Text:
		p.saidOrder(order, g, by)
		slices.SortStableFunc(order, g.Compare(0, true))
		return order
	default:
		name = by[0].Column
	}
	p.saidOrder(order, g, by)
	if d := slices.IndexFunc(by, func(d cube.Dim) bool { return d.Column == name }); d >= 0 {
		o := p.page.ordering(p.data, name)
		slices.SortStableFunc(order, func(a, b int) int {
			x, y := g.Category(a, d), g.Category(b, d)
			if x.Value == nil || y.Value == nil || !descending {
				return o.compare(x, y)
			}
			return o.compare(y, x)
		})
		return order
	}
	if hidden != nil {
		return p.hiddenOrder(order, g, by, measures, hidden, descending)
	}
	m := 0
	for _, c := range cols {
		if c.Role == dashboard.Dimension {
			continue
		}
		if c.Name == name {
			slices.SortStableFunc(order, g.Compare(m, descending))
			return order
		}
		m++
	}
	return order
}

// saidOrder sorts rows by the dimensions of which the spec says the order.
func (p *panel) saidOrder(order []int, g *cube.Groups, by []cube.Dim) {
	for d := len(by) - 1; d >= 0; d-- {
		if o := p.page.ordering(p.data, by[d].Column); o.said {
			slices.SortStableFunc(order, func(a, b int) int { return o.compare(g.Category(a, d), g.Category(b, d)) })
		}
	}
}

// hiddenOrder sorts the rows by a column that the table does not show: the last of
// the measures when it is a number.
func (p *panel) hiddenOrder(
	order []int, g *cube.Groups, by []cube.Dim, measures []cube.Measure, col *dashboard.Column, descending bool,
) []int {
	if p.sortMeasure(col) != nil {
		slices.SortStableFunc(order, g.Compare(len(measures)-1, descending))
		return order
	}
	keys := p.page.sortKeys(p.data, p.data.rows, by, col)
	cats := make([][]cube.Category, g.Len())
	for i := range cats {
		for d := range by {
			cats[i] = append(cats[i], g.Category(i, d))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return keys.compare(cats[a], cats[b], descending) })
	return order
}

// linkValues are the texts that the placeholders of a row's links stand for.
func (p *panel) linkValues(g *cube.Groups, group int, by []cube.Dim) map[string]string {
	if !slices.ContainsFunc(p.spec.Columns, func(c dashboard.TableColumn) bool { return c.Link != "" }) {
		return nil
	}
	out := map[string]string{}
	for d, dim := range by {
		(&mark{column: dim.Column, Category: g.Category(group, d)}).addTo(out)
	}
	return out
}

// ofTable is the sentence of a table: how many rows, and the first.
func (p *panel) ofTable(all int) string {
	var b strings.Builder
	b.WriteString(p.page.Count(all, "%d row", "%d rows"))
	for i, row := range p.grid.rows[:min(len(p.grid.rows), 3)] {
		b.WriteString([]string{"; first ", "; then ", "; then "}[i])
		for j, v := range row[:min(len(row), 4)] {
			if j > 0 {
				b.WriteString(", ")
			}
			c := p.grid.cols[j]
			if j > 0 {
				b.WriteString(c.Label + " ")
			}
			b.WriteString(clip(p.page.cell(c.Column, c.grain, v), 40))
		}
	}
	b.WriteByte('.')
	return b.String()
}

// sketch is the head of the table, with the columns that fit.
func (p *tablePanel) sketch() []string {
	g := p.grid
	rows := g.rows[:min(len(g.rows), sketchTable)]
	lines := make([]string, len(rows)+1)
	used := 0
	for j, c := range g.cols {
		texts := []string{oneLine(c.Label)}
		for _, row := range rows {
			texts = append(texts, p.words(j, row[j]))
		}
		wide := widest(texts)
		if used += wide + 2; j > 0 && used-2 > sketchWidth-2 {
			lines[0] = strings.TrimRight(lines[0], " ") + " …"
			break
		}
		for i, s := range texts {
			s = cut(s, wide)
			if space := strings.Repeat(" ", wide-cells(s)); c.Role == dashboard.Measure {
				lines[i] += space + s + "  "
			} else {
				lines[i] += s + space + "  "
			}
		}
	}
	if left := len(g.rows) - len(rows); left > 0 {
		lines = append(lines, "… "+p.page.Count(left, "%d more row", "%d more rows"))
	}
	return lines
}

func (p *tablePanel) draw(c canvas) {
	p.largest, p.ways = make([]float64, len(p.cols)), p.panel.ways()
	for _, row := range p.grid.rows[:len(p.links)] {
		for j := range p.cols {
			if v, ok := cube.Float(row[j]); ok {
				p.largest[j] = max(p.largest[j], math.Abs(v))
			}
		}
	}
	heads := make([]head, len(p.cols))
	for j, c := range p.cols {
		heads[j] = head{c.Label, c.Role == dashboard.Measure, p.barred(j)}
	}
	c.table(table{title: p.title, heads: heads, rows: len(p.links), cell: p.cell})
}

func (p *tablePanel) cell(row, column int) cell {
	c, v := &p.cols[column], p.grid.rows[row][column]
	num, isNum := cube.Float(v)
	out := cell{
		text:    p.page.cell(c.Column, cube.Exact, v),
		name:    column == 0 && c.Role == dashboard.Dimension,
		number:  c.Role == dashboard.Measure,
		missing: v == nil || v == cube.Category{},
	}
	if out.way.to = link(c.style.Link, p.links[row]); c.style.Link == "" {
		out.way = p.ways.of(p.grid.cols[column].mark(v))
	}
	out.barred = p.barred(column)
	if !isNum {
		return out
	}
	if out.barred {
		out.bar, out.below = math.Abs(num)/p.largest[column], num < 0
	}
	if c.style.Sign {
		out.text = signed(out.text, num)
	}
	out.tone = toneOf(p.spec.Thresholds, num, c.Name)
	return out
}

// barred reports whether a column has bars beside its numbers.
func (p *tablePanel) barred(column int) bool {
	return p.cols[column].style.Bar && p.largest[column] > 0
}

// placeholders returns the names between {{ and }} in a link.
func placeholders(link string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(link, "{{")
		if !ok {
			return out
		}
		name, after, ok := strings.Cut(rest, "}}")
		if !ok {
			return out
		}
		out = append(out, strings.TrimSpace(name))
		link = after
	}
}

// link fills in a link's placeholders and returns it when it is safe: https, to
// the host that the spec names, or a slug. A link that is one placeholder may
// be any such address. It is "" otherwise.
func link(template string, values map[string]string) string {
	if template == "" {
		return ""
	}
	if to, ok := toDashboard(template, values); ok {
		return to
	}
	whole := strings.HasPrefix(template, "{{") && strings.Count(template, "{{") == 1 && strings.HasSuffix(template, "}}")
	var b strings.Builder
	for rest := template; ; {
		before, after, ok := strings.Cut(rest, "{{")
		b.WriteString(before)
		name, tail, closed := strings.Cut(after, "}}")
		if !ok || !closed {
			break
		}
		v, known := values[strings.TrimSpace(name)]
		if !known {
			return ""
		}
		if !whole {
			v = strings.ReplaceAll(url.QueryEscape(v), "+", "%20")
		}
		b.WriteString(v)
		rest = tail
	}
	out := b.String()
	if dashboard.CheckSlug(out) == nil {
		return "/" + out
	}
	u, err := url.Parse(out)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	if !whole {
		fixed, _, _ := strings.Cut(template, "{{")
		if rest, ok := strings.CutPrefix(fixed, "https://"); !ok || fixed != template && !strings.ContainsAny(rest, "/?#") {
			return "" // the host is not the spec's own
		}
	}
	return u.String()
}

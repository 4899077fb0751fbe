package page

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

const (
	tableLimit = 50  // rows of a table panel
	maxBehind  = 200 // rows of the table behind a chart
)

// table works out a table panel. With all the dimensions of its dataset it
// shows the rows as they are; with fewer, it groups by those it has.
func (f *figure) table() {
	cols, ok := f.tableColumns()
	if !ok {
		return
	}
	by, measures := f.tableQuery(cols)
	each := true
	for i := range f.data.cols {
		c := &f.data.cols[i]
		shown := slices.ContainsFunc(by, func(d cube.Dim) bool { return d.Column == c.Name })
		each = each && (shown || c.Role != dashboard.Dimension)
	}
	g := f.data.cube.Group(f.data.rows, cube.Query{By: by, Measures: measures, Each: each})
	for m := range measures {
		if f.problem = g.Problem(m); f.problem != "" {
			return
		}
	}
	order := f.tableOrder(g, by, measures, cols, each)
	all := len(order)
	limit := cmp.Or(f.panel.Limit, tableLimit)
	f.grid = &grid{}
	for _, c := range cols {
		f.grid.cols = append(f.grid.cols, gridColumn{Column: c.Column})
	}
	links := make([]map[string]string, 0, min(all, limit))
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
		f.grid.rows = append(f.grid.rows, row)
		if n < limit {
			links = append(links, f.linkValues(g, i, by))
		}
	}
	if all > limit {
		f.note("The first %s of %s rows; the CSV has all.", f.page.number(float64(limit), 0), f.page.number(float64(all), 0))
	}
	f.summary = f.ofTable(all)
	f.draw = func(d *doc) { f.drawTable(d, cols, links, min(all, limit)) }
}

// A tableColumn is a column of a table panel with its meaning.
type tableColumn struct {
	dashboard.Column
	style dashboard.TableColumn
}

func (f *figure) tableColumns() ([]tableColumn, bool) {
	var out []tableColumn
	for _, t := range f.panel.Columns {
		c := *f.col(t.Column)
		c.Label = cmp.Or(t.Label, c.Label)
		c.Format = cmp.Or(t.Format, c.Format)
		out = append(out, tableColumn{c, t})
	}
	if len(out) == 0 {
		for _, c := range f.data.cols {
			out = append(out, tableColumn{c, dashboard.TableColumn{Column: c.Name}})
		}
	}
	return out, f.problem == ""
}

// tableQuery groups by the dimensions of the table; those that only its links
// name come after, hidden.
func (f *figure) tableQuery(cols []tableColumn) (by []cube.Dim, measures []cube.Measure) {
	for _, c := range cols {
		if c.Role == dashboard.Dimension {
			by = append(by, cube.Dim{Column: c.Name, Zone: f.page.zone})
		} else {
			measures = append(measures, f.data.measure(f.data.column(c.Name)))
		}
	}
	for _, c := range cols {
		for _, name := range placeholders(c.style.Link) {
			col := f.data.column(name)
			if col == nil || col.Role != dashboard.Dimension {
				continue
			}
			if !slices.ContainsFunc(by, func(d cube.Dim) bool { return d.Column == name }) {
				by = append(by, cube.Dim{Column: name, Zone: f.page.zone})
			}
		}
	}
	return by, measures
}

// tableOrder sorts the rows. Without a sort they keep the order of the query,
// or of the dates, or have the largest first.
func (f *figure) tableOrder(g *cube.Groups, by []cube.Dim, measures []cube.Measure, cols []tableColumn, each bool) []int {
	order := make([]int, g.Len())
	for i := range order {
		order[i] = i
	}
	name, descending := f.panel.Sort, false
	if rest, ok := strings.CutPrefix(name, "-"); ok {
		name, descending = rest, true
	}
	if name == "" && !each && len(measures) > 0 && len(by) > 0 {
		if c := f.data.column(by[0].Column); c.Type == cube.Text {
			return g.Sorted(0, true)
		}
	}
	if d := slices.IndexFunc(by, func(d cube.Dim) bool { return d.Column == name }); d >= 0 {
		slices.SortStableFunc(order, func(a, b int) int {
			x, y := g.Category(a, d).Value, g.Category(b, d).Value
			if x == nil || y == nil || !descending {
				return compareValues(x, y)
			}
			return compareValues(y, x)
		})
		return order
	}
	m := 0
	for _, c := range cols {
		if c.Role == dashboard.Dimension {
			continue
		}
		if c.Name == name {
			return g.Sorted(m, descending)
		}
		m++
	}
	return order
}

// linkValues are the texts that the placeholders of a row's links stand for.
func (f *figure) linkValues(g *cube.Groups, group int, by []cube.Dim) map[string]string {
	if !slices.ContainsFunc(f.panel.Columns, func(c dashboard.TableColumn) bool { return c.Link != "" }) {
		return nil
	}
	out := map[string]string{}
	for d, dim := range by {
		v := g.Category(group, d).Value
		if s := cube.Label(v); s != "" {
			out[dim.Column] = s
		} else if v != nil {
			out[dim.Column] = f.page.cell(*f.data.column(dim.Column), cube.Exact, v)
		}
	}
	return out
}

// ofTable is the sentence of a table: how many rows, and the first.
func (f *figure) ofTable(all int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s rows", f.page.number(float64(all), 0))
	if all == 1 {
		b.Reset()
		b.WriteString("1 row")
	}
	for i, row := range f.grid.rows[:min(len(f.grid.rows), 3)] {
		b.WriteString([]string{"; first ", "; then ", "; then "}[i])
		for j, v := range row[:min(len(row), 4)] {
			if j > 0 {
				b.WriteString(", ")
			}
			c := f.grid.cols[j]
			if j > 0 {
				b.WriteString(c.Label + " ")
			}
			b.WriteString(clip(f.page.cell(c.Column, c.grain, v), 40))
		}
	}
	b.WriteByte('.')
	return b.String()
}

func (f *figure) drawTable(d *doc, cols []tableColumn, links []map[string]string, n int) {
	rows := f.grid.rows[:n]
	largest := make([]float64, len(cols))
	for _, row := range rows {
		for j := range cols {
			if v, ok := cube.Float(row[j]); ok {
				largest[j] = max(largest[j], math.Abs(v))
			}
		}
	}
	d.add(h(`<div class="tw" tabindex="0" role="group" aria-label="`), f.title, h(`"><table><thead><tr>`))
	for _, c := range cols {
		if c.Role == dashboard.Measure {
			d.add(h(`<th scope="col" class="r">`))
		} else {
			d.add(h(`<th scope="col">`))
		}
		d.add(c.Label, h(`</th>`))
	}
	d.add(h(`</tr></thead><tbody>`))
	for i, row := range rows {
		d.add(h(`<tr>`))
		for j, c := range cols {
			f.drawCell(d, c, row[j], j == 0, largest[j], links[i])
		}
		d.add(h(`</tr>`))
	}
	d.add(h(`</tbody></table></div>`))
}

func (f *figure) drawCell(d *doc, c tableColumn, v any, first bool, largest float64, values map[string]string) {
	text := f.page.cell(c.Column, cube.Exact, v)
	num, isNum := cube.Float(v)
	end := h(`</td>`)
	switch {
	case first && c.Role == dashboard.Dimension:
		d.add(h(`<th scope="row">`))
		end = h(`</th>`)
	case c.style.Bar && isNum && largest > 0:
		d.add(h(`<td class="r cb"><svg width="100%" height="24" aria-hidden="true"><rect class="tb`))
		if num < 0 {
			d.add(h(` neg`))
		}
		d.add(h(`" width="`), pct(math.Abs(num)/largest), h(`" height="24" rx="4"/></svg><span>`))
		end = h(`</span></td>`)
	case c.Role == dashboard.Measure:
		d.add(h(`<td class="r">`))
	default:
		d.add(h(`<td>`))
	}
	if c.style.Sign && isNum {
		text = signed(text, num)
	}
	tone := ""
	if isNum {
		tone = toneOf(slices.DeleteFunc(slices.Clone(f.panel.Thresholds), func(t dashboard.Threshold) bool { return t.Column == "" }), c.Name, num)
	}
	href := link(c.style.Link, values)
	if href != "" {
		d.add(h(`<a href="`), href, h(`"`))
		if strings.HasPrefix(href, "https://") {
			d.add(h(` rel="noopener noreferrer nofollow"`))
		}
		d.add(h(`>`))
	}
	switch {
	case tone != "":
		d.add(h(`<span class="pill`), toneClass(tone), h(`">`), text)
		drawTone(d, tone)
		d.add(h(`</span>`))
	case v == nil || v == cube.Category{}:
		d.add(h(`<span class="nil">`), text, h(`</span>`))
	default:
		d.add(text)
	}
	if href != "" {
		d.add(h(`</a>`))
	}
	d.add(end)
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

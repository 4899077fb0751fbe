package panel

import (
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// A footer is the row of totals of a table: its measures over all rows together, on every page, computed from the rows instead of the cells
// above. So ratios, averages and extremes are correct in it.
type footer struct {
	name   string
	at     int   // the column of its name: the first that identifies rows and has no total, or -1
	values []any // by column, as in a grid; nil for none
	lines  []int // those that it adds up, if a search finds them

	groups *cube.Groups // of all rows; the measures that are limits of thresholds are at index first and after
	first  int
}

// addTotals computes the row of totals: of the rows that pass the filters, or of the lines that a search finds, in any order.
func (t *tablePanel) addTotals(found []int) {
	p := t.Panel
	if !p.Spec.TotalRow || len(found) == 0 {
		return
	}
	rows, of := p.Data.Rows, t.lines.Len()
	if t.how.search != "" {
		rows, of = t.own.Rows(found), len(found)
	}
	f := &footer{
		name: p.Env.Text("Total"), at: slices.IndexFunc(t.cols, tableColumn.untotaled), values: make([]any, len(t.cols)), lines: found,
	}
	switch other := of != t.all; { // than the number of rows on all pages
	case len(p.Spec.Total) == 0 && other:
		f.name = p.Env.Count(of, "Total of %d row", "Total of %d rows")
	case other:
		f.name = p.Spec.Total[0] + " · " + p.Env.Count(of, "%d row", "%d rows")
	case len(p.Spec.Total) > 0:
		f.name = p.Spec.Total[0]
	}
	var measures []cube.Measure
	unclear := map[int]bool{} // measures of times of which none represents the others
	for _, c := range t.cols {
		col := p.Data.Column(c.Name)
		switch {
		case c.untotaled(), c.part != ownPart:
		case c.names():
			m, ok := p.Data.EndOf(rows, col)
			if !ok {
				unclear[len(measures)] = true
				p.report(manyTimes(col, "total"))
			}
			measures = append(measures, m)
		default: // by the column's own agg: see [Panel.listing]
			measures = append(measures, p.Data.Measure(col))
		}
	}
	f.first = len(measures)
	g := p.Data.Group(rows, cube.Query{Measures: append(measures, t.toneMeasures()...)})
	f.groups = g
	var without []string
	total := map[int]bool{} // measures that have a total
	m := -1
	for j, c := range t.cols {
		if c.untotaled() || c.part != ownPart {
			continue
		}
		if m++; unclear[m] {
			continue
		}
		if n, column := g.Unclear(m); n > 0 {
			if meta := p.Data.Meta(column); meta != nil && meta.Agg == dashboard.None { // the author does not expect a total
				continue
			}
			without = append(without, p.Env.Inside(c.Label))
			p.report(encode.Warned(dashboard.WarnLeftOut, "total",
				`"%s" has no total, for nothing says how "%s" adds up: declare its agg, or a ratio of two measures that add up.`, c.Name, column))
			continue
		}
		total[m] = true
		if g.Len() > 0 {
			f.values[j] = g.Exact(0, m)
		}
	}
	f.addParts(t, found, measures, total)
	if len(without) > 0 {
		p.report(encode.Noted("No total of %s: nothing says how the values add up.", strings.Join(without, ", ")))
	}
	for j, c := range t.cols {
		if of > 1 && !c.untotaled() && c.part == ownPart && p.checkSum(&t.cols[j].Column, f.values[j], "total") {
			break
		}
	}
	t.foot = f
}

// cells returns the drawn row. Its numbers are not comparable with the rows above, so they have neither bars nor a ramp; thresholds apply
// to them too.
func (f *footer) cells(t *tablePanel) []canvas.Cell {
	out := make([]canvas.Cell, len(t.cols))
	for j := range t.cols {
		c := &t.cols[j]
		if c.untotaled() {
			out[j] = canvas.Cell{Name: j == f.at}
			if j == f.at {
				out[j].Text = f.name
			}
			continue
		}
		v := f.values[j]
		out[j] = canvas.Cell{
			Text: t.written(j, f.values, false), Number: !c.Type.IsTime(), Missing: v == nil, Barred: t.barred(j),
			Lined: t.trends[j] != nil, Line: t.trends[j].draw(-1),
		}
		if v == nil {
			out[j].Text = format.None // "Not set" is the name of rows
		}
	}
	of := lineOf{shown: func(j int) any { return f.values[j] }, texts: func(string) any { return nil }, limit: noLimit}
	if f.groups.Len() > 0 { // otherwise a search has found lines of the earlier period alone
		of.limit = t.tones.limits(f.groups, 0, f.first)
	}
	row := canvas.PaleTone(t.rowTone(of))
	for j := range out {
		switch {
		case t.cols[j].part == changePart:
			out[j].Tone = t.changeTone(j, f.values)
		case !t.cols[j].untotaled():
			out[j].Tone = t.cellTone(of, t.cols[j].Name)
		}
		out[j].Heat = row
	}
	if f.at < 0 { // no column has space for its name
		out[0].Text = f.name + " " + out[0].Text
	}
	return out
}

// words returns the totals for a summary.
func (f *footer) words(t *tablePanel) string {
	if f == nil {
		return ""
	}
	var said []string
	for j, v := range f.values {
		if v != nil && len(said) < 4 && t.cols[j].part == ownPart {
			said = append(said, t.named(j)+" "+t.said(j, f.values))
		}
	}
	if said == nil {
		return ""
	}
	return "; " + t.Env.Inside(f.name) + " " + strings.Join(said, ", ")
}

// row returns a cell of the row of totals for a sketch.
func (f *footer) row(t *tablePanel, column int) string {
	if column == f.at {
		return text.OneLine(f.name)
	}
	if t.cols[column].untotaled() {
		return ""
	}
	return text.OneLine(t.written(column, f.values, true))
}

// addParts adds the totals of the earlier period and their changes, if the table is compared, for the measures that have a total: those of
// the rows of the earlier period or, during a search, of the lines found.
func (f *footer) addParts(t *tablePanel, found []int, measures []cube.Measure, total map[int]bool) {
	e := t.earlier
	if e == nil {
		return
	}
	rows := e.rows
	if t.how.search != "" {
		rows = e.lines.Rows(found)
	}
	g := t.Data.Group(rows, cube.Query{Measures: t.Data.WithFilters(measures, t.filtersDuring(e.dates, e.from, e.to))})
	m := -1
	for j, c := range t.cols {
		switch {
		case c.untotaled():
		case c.part == ownPart:
			m++
		case c.part == changePart:
			f.values[j] = changeOf(t.cols[j-2].Column, f.values[j-2], f.values[j-1])
		case total[m] && g.Len() > 0:
			f.values[j] = g.Exact(0, m)
		}
	}
}

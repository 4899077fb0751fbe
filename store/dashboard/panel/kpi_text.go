package panel

import (
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// mostEqual is the maximum number of texts that a note names because they share the first place.
const mostEqual = 5

// ofText returns the KPI of a text, such as the city with the most revenue: the first value of a dimension, in the order of sort or,
// without it, of the rows.
func (p *Panel) ofText(col dashboard.Column) Content {
	k := &kpiPanel{Panel: p, col: col, text: format.None, verbal: true}
	p.Grid = &Grid{Columns: []Column{{Column: col}}, Rows: [][]any{{nil}}}
	p.Grid.Columns[0].Role = dashboard.Measure // it is one value of all rows
	p.Summary = p.Env.Text("No value for these filters.")
	first, ok := p.firstText(&col)
	tones := p.toner()
	if p.Problem != "" {
		return nil
	}
	if !ok {
		return k
	}
	k.text = p.Env.Cell(col, cube.Exact, first.is)
	p.Grid.Rows[0][0] = first.is.Value
	k.meets(tones.ofText(p.Data.Dim(col.Name, cube.Exact), first.is))
	p.Summary = k.text + "."
	if first.by != nil {
		value := p.Env.Quantity(*first.by, first.of)
		if first.by.Role != dashboard.Measure || first.by.Type.IsTime() {
			value = p.Env.Cell(*first.by, cube.Exact, cube.Category{Value: first.of})
		}
		k.taken = p.Env.Text("%s: %s", first.by.Label, canvas.Clip(value, canvas.MaxCell))
		p.Summary = k.text + ", " + p.Env.Inside(k.taken) + "."
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: *first.by})
		p.Grid.Rows[0] = append(p.Grid.Rows[0], first.of)
	}
	p.noteFirst(&col, first)
	p.Summary = k.judged(p.Summary)
	return k
}

// ofSortedTime returns the KPI of the first date, timestamp or instant in the order of sort, such as the day with the most revenue.
func (p *Panel) ofSortedTime(col dashboard.Column) Content {
	if by, descending := sortKey(p.Spec.Sort); by == col.Name && p.Spec.Title == "" && p.family == nil {
		p.Title = p.Env.Text(when(descending, "%s (latest)", "%s (earliest)"), col.Label)
	}
	k, ok := p.ofText(col).(*kpiPanel)
	if !ok {
		return nil
	}
	k.verbal = false
	return k
}

// A firstText is the value of a dimension that is first.
type firstText struct {
	is    cube.Category
	by    *dashboard.Column // the column that makes it the first; nil for the order of the rows, or of the values themselves
	of    any               // its value of by
	equal []cube.Category   // the others with the same value
	all   int               // number of values, if their order is that of the rows
}

// firstText returns the first value of a dimension; ok is false if no row has one that sort can order.
func (p *Panel) firstText(col *dashboard.Column) (out firstText, ok bool) {
	by, descending := sortKey(p.Spec.Sort)
	q := cube.Query{By: []cube.Dim{p.Data.Dim(col.Name, cube.Exact)}}
	if by == "" || by == col.Name {
		g := p.Data.Group(p.Data.Rows, q)
		axis := slices.DeleteFunc(slices.Clone(g.Axes[0]), func(c cube.Category) bool { return c.Value == nil })
		if len(axis) == 0 {
			return out, false
		}
		if out.is = axis[0]; by == "" {
			out.all = len(axis)
			return out, true
		}
		order := p.Data.Ordering(col.Name)
		for _, c := range axis {
			if way := order.Compare(c, out.is); way < 0 != descending && way != 0 {
				out.is = c
			}
		}
		return out, true
	}
	out.by = p.col(by)
	if p.Problem != "" {
		return out, false
	}
	var before func(a, b any) int
	var read func(g *cube.Groups, i int) any
	if out.by.Role == dashboard.Measure && !out.by.Type.IsTime() {
		q.Measures = []cube.Measure{p.Data.Measure(out.by)}
		before = func(a, b any) int { return -compareNumbers(a, b) }
		read = func(g *cube.Groups, i int) any { return g.Exact(i, 0) }
	} else {
		order := p.Data.Ordering(by)
		q.By = append(q.By, p.Data.Dim(by, cube.Exact))
		before = func(a, b any) int { return -order.Compare(cube.Category{Value: a}, cube.Category{Value: b}) }
		read = func(g *cube.Groups, i int) any { return g.Category(i, 1).Value }
	}
	g := p.Data.Group(p.Data.Rows, q)
	if len(q.Measures) > 0 {
		if n, _ := g.Unclear(0); n > 0 && p.Data.Cube.Constant(p.Data.Rows, q.By, by) {
			q.Measures[0].Agg = cube.Min // equal values are merged into one
			g = p.Data.Group(p.Data.Rows, q)
		}
		if p.Problem = p.Data.Env.Unclear(g, 0); p.Problem != "" {
			return out, false
		}
	}
	var first []int // positions on the axis, which has texts in the order of the rows
	for i := range g.Len() {
		v := read(g, i)
		if v == nil || g.Category(i, 0).Value == nil {
			continue
		}
		way := -1
		if len(first) > 0 {
			if way = before(v, out.of); !descending {
				way = -way
			}
		}
		if way < 0 {
			first, out.of = first[:0], v
		}
		if way <= 0 {
			first = append(first, g.At(i, 0))
		}
	}
	if len(first) == 0 {
		return out, false
	}
	slices.Sort(first)
	texts := encode.Picked(g.Axes[0], slices.Compact(first))
	if len(q.By) > 1 && len(texts) > 1 { // in the order of the rows that have the first value
		rows := p.Data.Cube.Where(p.Data.Rows, q.By[1], func(c cube.Category) bool { return c.Value == out.of })
		column, seen := p.Data.Cube.Index(col.Name), map[cube.Category]bool{{}: true}
		texts = texts[:0]
		for _, row := range rows {
			if c := (cube.Category{Value: p.Data.Cube.Value(int(row), column)}); !seen[c] {
				seen[c], texts = true, append(texts, c)
			}
		}
	}
	out.is, out.equal = texts[0], texts[1:]
	return out, true
}

// noteFirst notes the other texts in the first place, the order of the rows if that decides, and a text that is too long.
func (p *Panel) noteFirst(col *dashboard.Column, first firstText) {
	if n := len(first.equal); n > 0 {
		var names []string
		for _, c := range first.equal[:min(n, mostEqual)] {
			names = append(names, canvas.Clip(p.Env.Cell(*col, cube.Exact, c), 40))
		}
		if n > mostEqual {
			names = append(names, p.Env.Count(n-mostEqual, "and %d more", "and %d more"))
		}
		p.report(encode.Noted("Also first, with the same value: %s.", strings.Join(names, ", ")))
	}
	if first.all > 1 {
		note := encode.Noted("The first of %s values, in the order of the rows.", first.all)
		if p.family != nil || slices.ContainsFunc(p.Env.Filters, func(f Filter) bool { return f.Single }) { // meant to leave one value
			note = note.Warned(dashboard.WarnDoubtful, "value",
				`"%s" has %d {value|values} here, and the first row decides; "sort" beside it chooses one.`, col.Name, first.all)
		}
		p.report(note)
	}
	if canvas.Letters(p.Env.Cell(*col, cube.Exact, first.is)) > canvas.MaxCell {
		p.report(encode.Noted("The text is cut here; the CSV file has all of it."))
	}
}

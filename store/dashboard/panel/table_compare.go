package panel

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// A table whose spec has compare is about one period, as a kpi is: that of a filter on a date, or else the last complete period of its
// grain. Its lines are those of both periods. After each number, it has the number of the earlier period, and the change.

// A tablePart is what a column of a compared table shows of a measure.
type tablePart int

const (
	ownPart    tablePart = iota // the value in the shown period; also of columns that are not compared
	beforePart                  // the value in the earlier period
	changePart                  // the change from the earlier period
)

// measureWidth is the width, in twelfths of the page, that the three columns of a compared measure need. In narrower tables, the values of
// the earlier period are not drawn: files have them.
const measureWidth = 4

// A tableBefore is the earlier period of a table.
type tableBefore struct {
	*before
	period   *ownPeriod     // the shown period, if no filter selects it; else nil
	lines    *cube.Table    // the lines of the table, with the rows of the earlier period alone
	measures []cube.Measure // those of the listing, over the earlier period
}

// isCompared reports whether a table can compare a column: it has numbers.
func isCompared(c tableColumn) bool { return c.Role == dashboard.Measure && !c.Type.IsTime() }

// compareRows finds the earlier period of a table, if its spec compares with one, and limits the panel to the rows of the shown period. It
// returns nil if there is no comparison. If there are no rows of the shown period, it sets Empty.
func (p *Panel) compareRows(cols []tableColumn) *tableBefore {
	numbers := slices.DeleteFunc(slices.Clone(cols), func(c tableColumn) bool { return !isCompared(c) })
	if len(p.Spec.Compare) == 0 || len(numbers) == 0 {
		return nil
	}
	stocks := !slices.ContainsFunc(numbers, func(c tableColumn) bool { return !p.Data.Level(p.Data.Column(c.Name)) })
	b, period := p.findBefore(stocks)
	if b == nil {
		return nil
	}
	return &tableBefore{before: b, period: period}
}

// findBefore finds the earlier period of a panel of several values, all of which are stocks or not, and limits the panel to the rows of the
// shown one, which a filter on a date selects, or which it returns. It returns nil if there is no comparison. If there are no rows of the
// shown period, it sets Empty.
func (p *Panel) findBefore(stocks bool) (b *before, of *ownPeriod) {
	if p.undated() {
		if of = p.findPeriod(); of == nil {
			p.notCompared("no period is complete.")
			return nil, nil
		}
		if len(p.Data.Rows) == 0 {
			p.Empty = p.Env.Text("No rows in %s", of.name) + "."
			return nil, nil
		}
		p.warnOfPeriod(of)
		b = p.beforePeriod(of)
	} else {
		dates := p.datesFilter()
		if dates == nil {
			p.notCompared("no filter leaves a period; a default of a filter on a date does.")
			return nil, nil
		}
		if b = p.daysBefore(dates, stocks); b == nil {
			return nil, nil
		}
	}
	p.report(encode.Noted("%s is compared with %s.", b.names[0], b.names[1]))
	return b, of
}

// beforePeriod returns the period before that of the panel, or a year before, as its spec compares. If the data do not reach back to it,
// beforePeriod reports that, and the period has no rows.
func (p *Panel) beforePeriod(of *ownPeriod) *before {
	b := &before{asked: true, ofSpec: true, dates: of.col.Name, names: [2]string{of.name, ""}}
	b.from, b.to, b.names[1] = p.earlierPeriod(of, p.Spec.Compare[0])
	if b.reached = covers(of.all, of.col.Name, b.from); b.reached {
		b.rows = p.Data.Select(p.filtersDuring(b.dates, b.from, b.to)...)
	} else {
		p.notCompared("the data begin after the earlier period, or within it.")
	}
	return b
}

// group makes the lines of the table: with a comparison, those of both periods. It returns why these cannot be compared, or "". Without a
// comparison, it sets the problem of the panel if its rows cannot be merged.
func (l *listing) group() (why string) {
	rows, e := l.Data.Rows, l.earlier
	rounded := slices.ContainsFunc(l.cols, func(c tableColumn) bool { return c.grain != cube.Exact })
	if l.each = e == nil && !rounded; e != nil { // a row of each period is one line
		rows = slices.Concat(rows, e.rows)
		slices.Sort(rows)
		rows = slices.Compact(rows) // two periods of more than a year have rows in common
	}
	for i := range l.Data.Cols {
		c := &l.Data.Cols[i]
		shown := slices.ContainsFunc(l.by, func(d cube.Dim) bool { return d.Column == c.Name })
		l.each = l.each && (shown || c.Role != dashboard.Dimension) && !(c.Role == dashboard.Measure && c.Type.IsTime())
	}
	l.lines = l.Data.Cube.Table(rows, l.by, l.each)
	if !l.each {
		l.Data.Spend(l.lines.Len())
	}
	l.own = l.lines
	if e != nil {
		l.own, e.lines = l.lines.Part(l.Data.Rows), l.lines.Part(e.rows)
		e.measures = l.Data.WithFilters(l.measures, l.filtersDuring(e.dates, e.from, e.to))
		if _, column := l.merge(e.lines, e.rows, e.measures); column != "" {
			return fmt.Sprintf(`nothing says how the rows of "%s" in the earlier period add up; declare its "agg".`, column)
		}
	}
	l.Problem = l.Data.Env.UnclearRows(l.merge(l.own, l.Data.Rows, l.measures))
	return ""
}

// merge sets an aggregation for measures without one whose values are equal in each line. If the values of another measure differ in a
// line, merge returns how many rows that line has, and the column.
func (l *listing) merge(lines *cube.Table, rows cube.Selection, measures []cube.Measure) (n int, column string) {
	for i := range measures {
		m := &measures[i]
		if n, _ := lines.Unclear(*m); n > 0 && m.Agg == cube.None && m.Over == nil && l.Data.Cube.Constant(rows, l.by, m.Column) {
			m.Agg = cube.Min // equal values are merged into one
		}
		if n, column = lines.Unclear(*m); n > 0 {
			return n, column
		}
	}
	return 0, ""
}

// addParts adds the columns of the earlier period and of the change after each column of numbers, if the table is compared.
func (l *listing) addParts() {
	if l.earlier == nil {
		return
	}
	numbers := 0
	for _, c := range l.cols {
		if isCompared(c) {
			numbers++
		}
	}
	unseen := measureWidth*numbers > cmp.Or(l.Spec.Width, 12)
	var out []tableColumn
	for _, c := range l.cols {
		if c.compared = isCompared(c); !c.compared {
			out = append(out, c)
			continue
		}
		then, change := c, c
		then.part, then.of, then.unseen, then.style = beforePart, c.Name, unseen, dashboard.TableColumn{Sign: c.style.Sign}
		then.Name, then.Label = c.Name+dashboard.BeforeSuffix, l.earlier.names[1]
		change.part, change.of, change.style = changePart, c.Name, dashboard.TableColumn{}
		change.Column = l.changeColumn(c.Column, l.earlier.names[1])
		out = append(out, c, then, change)
	}
	l.cols = out
}

// changeColumn returns the column of the changes of a measure from an earlier period with a name: see [changeOf].
func (p *Settings) changeColumn(of dashboard.Column, versus string) dashboard.Column {
	of.Name, of.Label = of.Name+dashboard.ChangeSuffix, p.Env.Text("vs %s", versus)
	points := inPercent(of)
	of.Type, of.Format, of.Suffix, of.Brackets, of.Signed = cube.Number, "percent1", "", false, false
	if points {
		of.Format, of.Suffix = "number1", strings.TrimSpace(p.Env.WithUnit("%s pp", ""))
	}
	return of
}

// inPercent reports whether a column has ratios in per cent.
func inPercent(c dashboard.Column) bool { return strings.HasPrefix(c.Format, "percent") }

// headOver returns the head over the columns of a compared measure, with its unit if the heads are drawn. That of other columns is from the
// spec.
func (l *listing) headOver(c tableColumn, drawn bool) string {
	if !c.compared {
		return c.style.Group
	}
	own := l.cols[l.index(c.own())]
	name := own.Label
	if drawn {
		name = l.Env.Head(own.Column, name)
	}
	if own.style.Group != "" {
		return own.style.Group + " · " + name
	}
	return name
}

// head returns the head of a column, below the one over it.
func (l *listing) head(c tableColumn) string {
	if c.compared && c.part == ownPart {
		return l.earlier.names[0]
	}
	return c.Label
}

// own returns the name of the column of the dataset.
func (c tableColumn) own() string {
	if c.part != ownPart {
		return c.of
	}
	return c.Name
}

// index returns the index of a column by its name: that of a column of the dataset before that of another part of a measure; -1 for none.
func (l *listing) index(name string) int {
	if i := slices.IndexFunc(l.cols, func(c tableColumn) bool { return c.part == ownPart && c.Name == name }); i >= 0 {
		return i
	}
	return slices.IndexFunc(l.cols, func(c tableColumn) bool { return c.Name == name })
}

// A lineValues has the values of computed lines in the shown period and, with a comparison, in the earlier one.
type lineValues struct {
	own, before *cube.Groups
}

// compute returns the values of some lines.
func (l *listing) compute(lines []int) lineValues {
	out := lineValues{own: l.own.Lines(lines, l.measures)}
	if e := l.earlier; e != nil {
		out.before = e.lines.Lines(lines, e.measures)
	}
	return out
}

// sortingPart returns the order of the lines by the value of a measure in the earlier period, or by its change.
func (l *listing) sortingPart(c tableColumn, descending bool) cube.Sorting {
	m := l.place(c.of)
	then := l.earlier.lines.Values(l.earlier.measures[m])
	if c.part == beforePart {
		return then.Sorting(0, descending)
	}
	now := l.own.Values(l.measures[m])
	return cube.SortingOf(l.lines.Len(), func(i int) (float64, bool) {
		return cube.Float(changeOf(l.cols[l.index(c.of)].Column, now.Exact(i, 0), then.Exact(i, 0)))
	}, descending)
}

// comparedValues returns two values of a column as a comparison, whose earlier value has a name.
func comparedValues(now, then any, versus string) *comparison {
	c := &comparison{versus: versus}
	var has bool
	c.base, has = cube.Float(now)
	c.value, c.ok = cube.Float(then)
	c.ok = c.ok && has
	return c
}

// changeOf returns the change of the values of a column as a number: a ratio or, for ratios in per cent, the difference in points. It
// returns nil if a value is missing, or if there is no ratio because the earlier value is 0.
func changeOf(col dashboard.Column, now, then any) any {
	c := comparedValues(now, then, "")
	switch {
	case !c.ok:
		return nil
	case c.equal():
		return 0.0
	case c.value == 0 && !inPercent(col):
		return nil
	}
	out := new(big.Rat).Sub(encode.Rational(now), encode.Rational(then))
	if inPercent(col) {
		out.Mul(out, big.NewRat(100, 1))
	} else {
		out.Quo(out, new(big.Rat).Abs(encode.Rational(then)))
	}
	v, _ := out.Float64()
	return v
}

// written returns a value of a row of the table as text. unit reports whether its unit is in the text, or in the head of the column.
func (t *tablePanel) written(j int, row []any, unit bool) string {
	c := t.cols[j]
	if c.part == changePart {
		if row[j] == nil {
			return format.None
		}
		at := t.index(c.of)
		return t.changed(t.cols[at].Column, comparedValues(row[at], row[at+1], ""))
	}
	col := c.bare()
	if unit {
		col = t.Grid.Columns[j].Column
	}
	return t.signed(j, row[j], c.cell(t.Env, col, row[j]))
}

// said returns the values of a row in one column in words: of a compared measure, its value and the comparison.
func (t *tablePanel) said(j int, row []any) string {
	out := t.written(j, row, true)
	if !t.cols[j].compared {
		return out
	}
	c := comparedValues(row[j], row[j+1], t.earlier.names[1])
	switch {
	case c.ok:
		return out + ", " + t.versus(t.cols[j].Column, c)
	case row[j+1] != nil:
		return out + " (" + t.earlier.names[1] + ": " + t.written(j+1, row, true) + ")"
	}
	return out + " (" + t.earlier.names[1] + ": " + format.None + ")"
}

// changeTone returns the tone of the change of a measure in a row, by its good direction.
func (t *tablePanel) changeTone(j int, row []any) string {
	at := t.index(t.cols[j].of)
	c := comparedValues(row[at], row[at+1], "")
	if row[j] == nil || !c.ok {
		return ""
	}
	return c.tone(&t.cols[at].Column)
}

// seen returns the indices of the drawn columns.
func (t *tablePanel) seen() []int {
	var out []int
	for j := range t.cols {
		if !t.cols[j].unseen {
			out = append(out, j)
		}
	}
	return out
}

// named returns the name of a column in sentences: that of a compared measure is without the period.
func (t *tablePanel) named(j int) string {
	if c := t.cols[j]; c.compared {
		return t.headOver(c, false)
	}
	return t.Grid.Columns[j].Heading()
}

// evenParts calls [Grid.even] for the columns of the table: a measure has one format in both periods.
func (t *tablePanel) evenParts() {
	for j, c := range t.cols {
		switch c.part {
		case ownPart:
			end := j + 1
			if c.compared {
				end++
			}
			t.Grid.even(t.Env.Formatter, j, end)
		case beforePart, changePart: // the change has a format of its own
		}
	}
}

// LineOf returns a row of the panel's table in words: the first cell, and the others after the names of their columns. A compared measure
// is one of them, with its earlier value and its change.
func (p *Panel) LineOf(row []any) string {
	t, _ := p.Content.(*tablePanel)
	var cells []string
	for j, v := range row {
		name, cell := p.Grid.Columns[j].Label, canvas.Clip(p.CellOf(j, v), canvas.MaxCell)
		if t != nil && t.cols[j].compared {
			if t.cols[j].part != ownPart {
				continue
			}
			name, cell = t.named(j), t.said(j, row)
		}
		if j > 0 {
			cell = name + " " + cell
		}
		cells = append(cells, cell)
	}
	return strings.Join(cells, " · ")
}

package panel

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
)

// Rows of a table on a page, unless page_size sets another number; the CSV has all rows at once.
const (
	tableRows  = 25
	tableCells = 20_000 // the maximum drawn, so that a page stays readable
	searchRows = 12     // from so many rows on, a table has a search

	// pinnedFrom is the number of columns from which on a table does not fit into a phone, so that the column that readers look for stays
	// visible.
	pinnedFrom = 4
)

var tableFigure = Figure{
	Summarise: summariseTable,
	Frame:     inCard,
	Behind:    CSVBehind,
	asks:      tableAsks,
}

// A tablePanel is rows of a dataset, one page of which is drawn.
type tablePanel struct {
	*listing
	how   reading
	all   int // number of rows of the table
	found int // number of these that the search finds
	from  int // index of the first drawn row among them
	size  int // number of rows on a page

	links  []map[string]string // by drawn row: the values for the placeholders of its links
	scales []scaleOf           // by column with bars or heat, over the rows of the table
	heats  []domain            // by column with heat
	foot   *footer             // nil for a table without one
	trends []*cellTrend        // by column; nil for one without sparklines
	ways   *ways

	tones *toner // nil without thresholds
	toned tableTones
}

// A scaleOf is the range of a column's values, which makes bars comparable across pages.
type scaleOf struct{ lo, hi float64 }

// longest returns the distance from zero that a bar of full length represents.
func (s scaleOf) longest() float64 { return max(math.Abs(s.lo), math.Abs(s.hi)) }

// summariseTable computes a table. With all the dimensions of its dataset it shows the rows unchanged; with fewer, or if a date is a
// measure, it groups by those it has.
func summariseTable(p *Panel) Content {
	l := p.listing()
	if l == nil {
		return nil
	}
	t := &tablePanel{listing: l, how: p.reading(), tones: p.toner()}
	if p.Problem != "" {
		return nil
	}
	if column, _ := sortKey(t.how.sort); t.how.sort != "" && l.index(column) < 0 {
		p.vain = append(p.vain, column) // perhaps a column of another version
		t.how.sort = ""
	}
	order := t.rows()
	t.findScales(order)
	t.all = len(order)
	order = l.search(order, t.how.search)
	t.found = len(order)
	t.size = min(t.wanted(), max(tableCells/max(len(l.cols), 1), tableRows))
	t.how.page = max(1, min(t.how.page, (t.found+t.size-1)/t.size))
	t.from = (t.how.page - 1) * t.size
	to := min(t.from+t.size, t.found)
	if by, ok := l.sortBy(t.how.sort); ok {
		sortPart(order, t.from, to, by)
	}
	t.fill(order[t.from:to])
	t.addTotals(order)
	if t.addTrends(order[t.from:to]); p.Problem != "" {
		return nil
	}
	t.says()
	return t
}

// rows returns the lines of the table: all, or the first ones in the order of the spec up to limit.
func (t *tablePanel) rows() []int {
	order := t.shownLines()
	if limit := t.Spec.Limit; limit > 0 && len(order) > limit {
		if by, ok := t.sortBy(""); ok {
			sortPart(order, 0, limit, by)
		}
		order = order[:limit]
	}
	return order
}

// shownLines returns all lines but those of incomplete periods that the table hides.
func (t *tablePanel) shownLines() []int {
	order := stat.Indices(t.lines.Len())
	at := 0
	for _, c := range t.cols {
		if !c.names() {
			continue
		}
		if c.hidden != nil {
			g := t.lines.Lines(order, nil)
			order = slices.DeleteFunc(order, func(line int) bool { return c.hidden[g.Category(line, at).Value] })
			break // a table has one date
		}
		at++
	}
	return order
}

// fill computes the drawn rows.
func (t *tablePanel) fill(lines []int) {
	p := t.Panel
	g := t.compute(lines)
	p.Grid = &Grid{count: t.lines.Len()}
	for _, c := range t.cols {
		col := Column{Column: c.Column, Grain: c.grain, group: t.headOver(c, false)}
		col.Label = t.head(c)
		p.Grid.Columns = append(p.Grid.Columns, col)
	}
	t.findTones(lines)
	for i := range lines {
		p.Grid.Rows = append(p.Grid.Rows, t.row(g, i))
		t.links = append(t.links, p.linkValues(g.own, i, t.by))
	}
	t.evenParts()
	for j := range t.cols {
		t.cols[j].Format = p.Grid.Columns[j].Format
	}
	p.Grid.Every = func(yield func([]any) bool) { // all rows in the drawn order, regardless of limit and search
		order := t.shownLines()
		if by, ok := t.sortBy(t.how.sort); ok {
			sortPart(order, 0, len(order), by)
		}
		g := t.compute(order)
		for i := range order {
			if !yield(t.row(g, i)) {
				return
			}
		}
	}
}

// wanted returns the number of rows on a page, reduced if they have too many cells.
func (t *tablePanel) wanted() int {
	if t.Panel.Env.Wall {
		return cmp.Or(t.Panel.Spec.PageSize, wallRows)
	}
	return cmp.Or(t.Panel.Spec.PageSize, tableRows)
}

// says writes the notes and the summary.
func (t *tablePanel) says() {
	p := t.Panel
	if n := t.lines.Len(); n > t.all {
		p.report(encode.NotedCount(n-t.all, "%d more row; the CSV has all %s.", "%d more rows; the CSV has all %s.", n))
	}
	if size := t.wanted(); t.size < size && t.all > t.size {
		p.report(encode.Warned(dashboard.WarnCut, "page_size",
			"a page of the table has %d {row|rows} and not %d, for it has at most %d cells; "+
				"fewer columns leave room for more.", t.size, size, tableCells))
	}
	p.Summary = t.ofTable()
}

// findScales finds the scales of bars and heat.
func (t *tablePanel) findScales(lines []int) {
	t.scales, t.heats = make([]scaleOf, len(t.cols)), make([]domain, len(t.cols))
	var all *tablePanel // over all rows, computed for the first column that needs it
	for j, c := range t.cols {
		if !c.style.Bar && !c.style.Heat {
			continue
		}
		s := scaleOf{math.Inf(1), math.Inf(-1)}
		var values []float64
		g := t.own.Values(t.measureOf(c))
		for _, i := range lines {
			if v, ok := g.Value(i, 0); ok {
				s.lo, s.hi = min(s.lo, v), max(s.hi, v)
				values = append(values, v)
			}
		}
		if s.lo <= s.hi {
			t.scales[j] = s
		}
		if !c.style.Heat {
			continue
		}
		t.heats[j] = t.Env.domain(&c.Column, c.style.Ramp, values)
		if m := t.measureOf(c); t.keepsDomain(m) {
			if all == nil {
				all = t.ofEveryRow()
			}
			if all != nil {
				t.heats[j] = all.heats[all.index(c.Name)].kept(values)
			}
		}
		t.sayRamp(&t.heats[j], c.style.Ramp, "columns")
	}
}

// ofEveryRow returns the table over all rows of the dataset, without a comparison; nil if it has a problem.
func (t *tablePanel) ofEveryRow() *tablePanel {
	data, spec := *t.Data, *t.Spec
	data.Rows, data.Spent = data.EveryRow(), &t.Env.spentUnfiltered
	spec.Compare = nil
	all, _ := t.Settings.over(&data, spec, cube.Exact).(*tablePanel)
	return all
}

// ofTable returns the sentence of a table: the number of rows, and the first row.
func (t *tablePanel) ofTable() string {
	var b strings.Builder
	b.WriteString(t.Env.Count(t.lines.Len(), "%d row", "%d rows"))
	for i, row := range t.Grid.Rows[:min(len(t.Grid.Rows), 3)] {
		var cells []string
		for j := range row {
			if t.cols[j].part != ownPart {
				continue
			}
			cell := t.said(j, row)
			if !t.cols[j].compared {
				cell = canvas.Clip(cell, 40)
			}
			if j > 0 {
				cell = t.named(j) + " " + cell
			}
			if cells = append(cells, cell); len(cells) == 4 {
				break
			}
		}
		b.WriteString("; ")
		if said := strings.Join(cells, ", "); i == 0 {
			b.WriteString(t.Env.Text("first %s", said))
		} else {
			b.WriteString(t.Env.Text("then %s", said))
		}
	}
	b.WriteString(t.foot.words(t))
	b.WriteByte('.')
	b.WriteString(t.toned.words)
	return b.String()
}

// sketch returns the head of the table. Columns that do not fit follow below it, beside the first one again, as far as there is room. Tones
// are signs, as on the page.
func (t *tablePanel) sketch() []string {
	g := t.Grid
	rows := g.Rows[:min(len(g.Rows), sketchTable)]
	var signs toneSigns
	seen := t.seen()
	columns := make([][]string, len(seen)) // the head, the rows and the total, as wide as each other
	for k, j := range seen {
		c := g.Columns[j]
		texts := []string{text.OneLine(c.Heading())}
		if t.cols[j].part != ownPart {
			texts[0] = text.OneLine(c.Label)
		}
		for i, row := range rows {
			cell := text.OneLine(t.written(j, row, true)) + signs.of(t.toneOf(i, j)) + t.trends[j].of(i).sketch()
			if k == 0 {
				cell += signs.of(t.rowTone(t.line(i)))
			}
			texts = append(texts, cell)
		}
		if t.foot != nil {
			texts = append(texts, t.foot.row(t, j)+t.trends[j].of(-1).sketch())
		}
		wide := widest(texts)
		for i, s := range texts {
			s = text.Cut(s, wide)
			if space := strings.Repeat(" ", wide-text.Cells(s)); c.Role == dashboard.Measure {
				texts[i] = space + s
			} else {
				texts[i] = s + space
			}
		}
		columns[k] = texts
	}
	lines, next := besideEachOther(columns, 0)
	var left []string
	if n := len(g.Rows) - len(rows); n > 0 {
		left = append(left, t.Env.Count(n, "%d more row", "%d more rows"))
	}
	if t.found > t.size {
		left = append(left, t.shown())
	}
	if len(left) > 0 {
		lines = slices.Insert(lines, 1+len(rows), "… "+strings.Join(left, " · "))
	}
	if next < len(columns) {
		more, end := besideEachOther(columns, next)
		if end < len(columns) {
			more[0] = strings.TrimRight(more[0], " ") + " …"
		}
		lines = append(append(lines, ""), more...)
	}
	return append(lines, signs.words(t.Env)...)
}

// besideEachOther returns lines with as many columns, from one on, as fit. If that is not the first, the first is beside them. It also
// returns the first column that did not fit.
func besideEachOther(columns [][]string, from int) (lines []string, next int) {
	lines = make([]string, len(columns[0]))
	used := 0
	add := func(j int) {
		used += text.Cells(columns[j][0]) + 2
		for i, s := range columns[j] {
			lines[i] += s + "  "
		}
	}
	if from > 0 {
		add(0)
	}
	for next = from; next < len(columns); next++ {
		if next > from && used+text.Cells(columns[next][0]) > text.LineWidth-2 {
			break
		}
		add(next)
	}
	return lines, next
}

// toneSigns are the signs of tones in drawings of characters, and those that a drawing has.
type toneSigns struct{ used [4]bool }

var toneMarks = [4]struct {
	tone, sign string
	word       locale.Key
}{{"good", "✓", "(good)"}, {"warn", "!", "(warning)"}, {"bad", "●", "(bad)"}, {"info", "i", "(note)"}}

// of returns the sign of a tone, after a space; "" for none.
func (s *toneSigns) of(tone string) string {
	for i, m := range toneMarks {
		if m.tone == tone {
			s.used[i] = true
			return " " + m.sign
		}
	}
	return ""
}

// words returns the meanings of the signs in a line; nil if the drawing has none.
func (s *toneSigns) words(p *Env) []string {
	var out []string
	for i, m := range toneMarks {
		if s.used[i] {
			out = append(out, m.sign+" "+p.Text(m.word))
		}
	}
	if out == nil {
		return nil
	}
	return []string{strings.Join(out, "  ")}
}

func (t *tablePanel) Draw(c canvas.Canvas) {
	t.ways = t.Panel.Ways()
	seen := t.seen()
	heads := make([]canvas.Head, len(seen))
	for k, j := range seen {
		col := t.cols[j]
		heads[k] = canvas.Head{
			Text: t.head(col), Group: t.headOver(col, true),
			Number: col.Role == dashboard.Measure && !col.Type.IsTime(), Barred: t.barred(j), Lined: t.trends[j] != nil,
		}
		if !col.compared {
			heads[k].Text = t.Env.Head(col.Column, col.Label)
		}
		if t.all > 1 {
			t.sorting(&heads[k], col)
		}
	}
	out := canvas.Table{
		Title: t.Title, Heads: heads, Rows: len(t.Grid.Rows), Pin: t.pinned(heads, seen),
		Cell: func(row, k int) canvas.Cell { return t.cell(row, seen[k]) },
	}
	if t.foot != nil {
		cells := t.foot.cells(t)
		for _, j := range seen {
			out.Foot = append(out.Foot, cells[j])
		}
	}
	if t.found == 0 {
		out.None = t.Env.Text("No row has “%s”.", t.how.search)
	}
	searched := t.all > min(t.size, searchRows-1)
	if t.Spec.Search != nil {
		searched = *t.Spec.Search
	}
	if t.how.search != "" || searched && slices.ContainsFunc(t.cols, tableColumn.names) {
		out.Search = t.searchForm()
	}
	if t.how.search != "" || t.found > t.size {
		out.Pages = t.pages()
	}
	t.drawToneKey(c)
	c.Table(out)
}

// pinned returns the column that stays visible where not all columns fit: that by which the rows are sorted, or the first number. It
// returns 0 if all columns fit, or if that is the first column. seen are the indices of the drawn columns, which have heads.
func (t *tablePanel) pinned(heads []canvas.Head, seen []int) int {
	if len(heads) < pinnedFrom {
		return 0
	}
	by, _ := t.sortedBy(t.how.sort)
	if k := slices.Index(seen, t.index(by)); k > 0 {
		return k
	}
	return max(0, slices.IndexFunc(heads, func(h canvas.Head) bool { return h.Number }))
}

// missing reports whether a value of a table is NULL. That of a text column has a rank, as its other values have.
func missing(v any) bool {
	c, is := v.(cube.Category)
	return v == nil || is && c.Value == nil && !c.Other
}

func (t *tablePanel) cell(row, column int) canvas.Cell {
	c, v := &t.cols[column], t.Grid.Rows[row][column]
	num, isNum := cube.Float(v)
	out := canvas.Cell{
		Text:    t.written(column, t.Grid.Rows[row], false),
		Name:    column == 0 && c.Role == dashboard.Dimension,
		Number:  c.Role == dashboard.Measure && !c.Type.IsTime(),
		Missing: missing(v),
	}
	if out.Way.To = link(c.style.Link, t.links[row]); c.style.Link == "" {
		out.Way = t.ways.Of(t.Grid.Columns[column].Mark(v))
	}
	out.Heat, out.Tone = canvas.PaleTone(t.rowTone(t.line(row))), t.toneOf(row, column)
	out.Barred = t.barred(column)
	out.Lined, out.Line = t.trends[column] != nil, t.trends[column].draw(row)
	if !isNum {
		return out
	}
	if out.Barred {
		out.Bar, out.Below = math.Abs(num)/t.scales[column].longest(), num < 0
	}
	if c.style.Heat && out.Heat == 0 {
		out.Heat = t.heats[column].color(num)
	}
	return out
}

// toneOf returns the tone of a cell; "" for none.
func (t *tablePanel) toneOf(row, column int) string {
	if t.cols[column].part == changePart {
		return t.changeTone(column, t.Grid.Rows[row])
	}
	return t.cellTone(t.line(row), t.cols[column].Name)
}

// signed adds a plus to the text of a positive number, if the column asks for it.
func (t *tablePanel) signed(column int, v any, text string) string {
	if num, ok := cube.Float(v); ok && t.cols[column].style.Sign {
		return format.Signed(text, num)
	}
	return text
}

// barred reports whether a column has bars next to its numbers.
func (t *tablePanel) barred(column int) bool {
	return t.cols[column].style.Bar && t.scales[column].longest() > 0
}

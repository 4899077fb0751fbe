package panel

import (
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
)

// A pivotLine is a line of the table: a line of values, the heading of a group of those below, or the total.
type pivotLine struct {
	key   pivotKey // of fewer dimensions for a group, of none for the total
	line  int      // index among the lines of values; -1 for others
	group bool
}

// all returns the lines of the table, with the lines of groups above theirs and the total at the end.
func (p *pivotPanel) all() []pivotLine {
	var out []pivotLine
	var before pivotKey
	for i, line := range p.lines {
		from := 0 // the first dimension in which it differs from the line before
		for before != nil && from < p.down-1 && before[from] == line[from] {
			from++
		}
		for n := from + 1; n < p.down; n++ {
			out = append(out, pivotLine{key: line[:n], line: -1, group: true})
		}
		out = append(out, pivotLine{key: line, line: i})
		before = line
	}
	if p.totalLines() {
		out = append(out, pivotLine{line: -1})
	}
	return out
}

// columns returns the keys of the columns, and nil for the column of totals.
func (p *pivotPanel) columns() []pivotKey {
	if p.totalColumn() {
		return append(p.across[:len(p.across):len(p.across)], nil)
	}
	return p.across
}

// makeGrid makes the table of the CSV: a column for each dimension down, and the totals.
func (p *pivotPanel) makeGrid() {
	p.Grid = &Grid{}
	for i := range p.down {
		p.Grid.Columns = append(p.Grid.Columns, Column{Column: p.dims[i].Column, Grain: p.dims[i].grain, merged: p.dims[i].merged})
	}
	columns := p.columns()
	for _, key := range columns {
		for m, c := range p.values {
			c.Label = p.columnName(key, m)
			p.Grid.Columns = append(p.Grid.Columns, Column{Column: c})
		}
	}
	for _, line := range p.all() {
		if line.group && !p.totalLines() {
			continue
		}
		row := make([]any, p.down, len(p.Grid.Columns))
		for i := range row {
			switch {
			case i < len(line.key):
				row[i] = p.groups.Axes[i][line.key[i]]
			case i == len(line.key):
				row[i] = p.Env.Text("Total")
			default:
				row[i] = ""
			}
		}
		for _, key := range columns {
			for m := range p.values {
				row = append(row, p.value(line.key, key, m))
			}
		}
		p.Grid.Rows = append(p.Grid.Rows, row)
	}
}

func (p *pivotPanel) Draw(c canvas.Canvas) {
	if d, ok := p.heat[p.scaleOf(nil, nil, 0)]; ok && p.Spec.Heat == dashboard.HeatAll && len(p.values) == 1 {
		p.tones.drawKey(c, p.Env.key(&d, &p.values[0]))
	} else if p.tones != nil {
		(&chart.Key{Kind: canvas.LegendList, Items: p.tones.items()}).Draw(c)
	}
	ways := p.Ways()
	lines, columns := p.all(), p.columns()
	corner := make([]string, p.down)
	for i := range corner {
		corner[i] = p.dims[i].Label
	}
	c.CrossTable(canvas.CrossTable{
		Title: p.Title, Corner: strings.Join(corner, " / "), Heads: p.heads(ways, columns), Lines: len(lines),
		Line: func(i int) canvas.CrossLine { return p.crossLine(ways, lines[i], columns) },
	})
}

// heads returns the rows of heads: one for each dimension across, and one for the values if there are several, or nothing else.
func (p *pivotPanel) heads(ways *ways, columns []pivotKey) [][]canvas.CrossHead {
	var out [][]canvas.CrossHead
	across := len(p.dims) - p.down
	for i := range across {
		var row []canvas.CrossHead
		for j := 0; j < len(columns); {
			key := columns[j]
			if key == nil {
				if i == 0 {
					row = append(row, canvas.CrossHead{Text: p.Env.Text("Total"), Span: len(p.values), Deep: across, Total: true})
				}
				break
			}
			n := 1 // columns under one head
			for j+n < len(columns) && columns[j+n] != nil && same(columns[j+n][:i+1], key[:i+1]) {
				n++
			}
			var outer []*Mark
			for k := range i {
				outer = append(outer, p.mark(p.down+k, key[k]))
			}
			row = append(row, canvas.CrossHead{
				Text: p.head(p.down+i, key[i]), Span: n * len(p.values), Deep: 1, Way: ways.Of(p.mark(p.down+i, key[i]), outer...),
			})
			j += n
		}
		out = append(out, row)
	}
	if across > 0 && len(p.values) == 1 {
		return out
	}
	var row []canvas.CrossHead
	for _, key := range columns {
		for _, v := range p.values {
			row = append(row, canvas.CrossHead{Text: v.Label, Span: 1, Deep: 1, Total: key == nil})
		}
	}
	return append(out, row)
}

func same(a, b pivotKey) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func (p *pivotPanel) crossLine(ways *ways, line pivotLine, columns []pivotKey) canvas.CrossLine {
	n := len(line.key)
	out := canvas.CrossLine{Name: p.Env.Text("Total"), Level: max(n-1, 0), Group: line.group, Total: n == 0}
	var marks []*Mark
	for i, c := range line.key {
		marks = append(marks, p.mark(i, c))
	}
	if n > 0 {
		out.Name = p.head(n-1, line.key[n-1])
		out.Way = ways.Of(marks[n-1], marks[:n-1]...)
	}
	if line.group && !p.totalLines() {
		return out
	}
	for _, key := range columns {
		for m, col := range p.even {
			v := p.value(line.key, key, m)
			cell := canvas.CrossCell{Text: p.Env.Cell(col, cube.Exact, v), Missing: v == nil, Total: key == nil}
			if line.line >= 0 && key != nil {
				cell.Color = p.color(line.key, key, m, v)
			}
			if tone := p.tone(line.key, key, m, v); tone > 0 {
				cell.Color = tone
			}
			if v != nil && len(key) > 0 && n > 0 {
				row := marks
				for k, c := range key[:len(key)-1] {
					row = append(row, p.mark(p.down+k, c))
				}
				last := len(key) - 1
				cell.Way = ways.At(row, p.mark(p.down+last, key[last]))
			}
			out.Cells = append(out.Cells, cell)
		}
	}
	return out
}

// sketch returns the head of the table and its total, with the columns that fit.
func (p *pivotPanel) sketch() []string {
	lines, columns := p.all(), p.columns()
	left := 0
	if most := sketchLines - 3; len(lines) > most {
		left = len(lines) - most
		kept := append([]pivotLine{}, lines[:most]...)
		if p.totalLines() {
			kept[most-1] = lines[len(lines)-1]
		}
		lines = kept
	}
	ways := (&Rows{Settings: Settings{Env: p.Env, Spec: &dashboard.Panel{Click: "none"}}}).Ways()
	rows := make([]canvas.CrossLine, len(lines))
	names := make([]string, len(lines))
	for i := range lines {
		rows[i] = p.crossLine(ways, lines[i], columns)
		names[i] = strings.Repeat("  ", rows[i].Level) + text.OneLine(rows[i].Name)
	}
	wide := widest(names)
	out := []string{text.Pad("", wide)}
	for _, name := range names {
		out = append(out, text.Pad(name, wide))
	}
	column, used := 0, wide
	for _, key := range columns {
		for m := range p.values {
			texts := []string{text.OneLine(p.columnName(key, m))}
			for _, r := range rows {
				cell := ""
				if column < len(r.Cells) {
					cell = text.OneLine(r.Cells[column].Text)
				}
				texts = append(texts, cell)
			}
			column++
			w := widest(texts)
			if used += w + 2; used > text.LineWidth-2 {
				if !strings.HasSuffix(out[0], " …") {
					out[0] += " …"
				}
				continue
			}
			for i, s := range texts {
				s = text.Cut(s, w)
				out[i] += "  " + strings.Repeat(" ", w-text.Cells(s)) + s
			}
		}
	}
	if left > 0 {
		out = append(out, "… "+p.Env.moreRows(left))
	}
	return out
}

package datafile

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// A cell is a value of the file, not yet typed.
type cell struct {
	kind kind
	text string
}

type kind uint8

const (
	null      kind = iota
	plainText      // every cell of a text file
	number         // a JSON number, or a numeric cell of a workbook
	duration       // a number of days, which a workbook shows in hours, minutes or seconds
	boolean        // "true" or "false"
	dateTime       // a date cell of a workbook
	nested         // JSON of an array or object
	failed         // a cell of a workbook whose formula failed or was never calculated
)

// A row is a line of a table. Cells that are missing at its end are null.
type row struct {
	cells []cell
	line  int  // of the file or sheet, from 1
	width int  // fields of the line, including blank ones; 0 if unknown
	apart bool // there is a blank line before it
}

func (r row) at(column int) cell {
	if column < len(r.cells) {
		return r.cells[column]
	}
	return cell{}
}

// values counts the cells that have a value.
func (r row) values() int {
	n := 0
	for _, c := range r.cells {
		if c.kind != null {
			n++
		}
	}
	return n
}

// An offset is the position of a row in a grid. It is small, because files of many short rows are common.
type offset struct {
	start    uint32 // of its cells: the piece and the index in it
	line     uint32
	n, width uint16
	apart    bool
}

// pieceBits is the logarithm of the size of a piece, in cells.
const pieceBits = 16

// A grid is a file's cells before they have types.
type grid struct {
	names []string
	rows  []offset
	cells [][]cell // in pieces
	notes []string
	count int // of cells
	bytes int // of their texts
	// loose reports that the file has only text, from which numbers and booleans are read.
	loose bool
	// comma reports that fields are not separated by commas, so 1,5 may be one and a half.
	comma bool
	// written reports that the cells are from a text, with numbers as people write them.
	written bool
	// decimal is the decimal sign of all numbers, a dot or a comma; 0 if each column has its own.
	decimal byte
	// line is the report's word for a line: "line", or "row" for a sheet.
	line string
	// dates decides the order of day and month where both fit.
	dates warehouse.Dates
	// maxNotes is the limit of notes on the columns; 0 is maxNotes.
	maxNotes int
}

// add appends a row without the nulls at its end. It copies the cells.
func (g *grid) add(r row) error {
	for len(r.cells) > 0 && r.cells[len(r.cells)-1].kind == null {
		r.cells = r.cells[:len(r.cells)-1]
	}
	if len(r.cells) > maxWidth {
		return tooWide(g.line, r.line)
	}
	if g.count += len(r.cells); g.count > maxCells || len(g.rows) >= maxCells {
		return tooMany()
	}
	for _, c := range r.cells {
		g.bytes += len(c.text)
	}
	if g.bytes > maxText {
		return warehouse.Errorf(warehouse.TooLarge, "the values have more than %d MiB of text; leave out columns or rows", maxText>>20)
	}
	last := len(g.cells) - 1
	if last < 0 || len(g.cells[last])+len(r.cells) > 1<<pieceBits {
		g.cells = append(g.cells, nil)
		last++
	}
	start := len(g.cells[last])
	g.cells[last] = append(g.cells[last], r.cells...)
	g.rows = append(g.rows, offset{
		start: uint32(last)<<pieceBits | uint32(start), line: uint32(r.line),
		n: uint16(len(r.cells)), width: uint16(min(r.width, math.MaxUint16)), apart: r.apart,
	})
	return nil
}

// row returns row i, from 0.
func (g *grid) row(i int) row { return g.view(g.rows[i]) }

func (g *grid) view(p offset) row {
	piece := g.cells[p.start>>pieceBits]
	start := int(p.start & (1<<pieceBits - 1))
	return row{cells: piece[start : start+int(p.n)], line: int(p.line), width: int(p.width), apart: p.apart}
}

// all returns the rows in order.
func (g *grid) all() iter.Seq2[int, row] {
	return func(yield func(int, row) bool) {
		for i, p := range g.rows {
			if !yield(i, g.view(p)) {
				return
			}
		}
	}
}

func tooWide(what string, line int) error {
	return warehouse.Errorf(warehouse.TooLarge, "%s %d has more than %d values; at most %d columns are possible",
		what, line, maxWidth, MaxColumns)
}

func tooMany() error {
	return warehouse.Errorf(warehouse.TooLarge, "the file has more than %d values; leave out columns or rows", maxCells)
}

func (g *grid) note(format string, args ...any) {
	g.notes = append(g.notes, fmt.Sprintf(format, args...))
}

// header sets the columns.
func (g *grid) header(names []string) error {
	if len(names) > MaxColumns {
		return warehouse.Errorf(warehouse.TooLarge, "the file has %d columns; at most %d are possible", len(names), MaxColumns)
	}
	for i, name := range names {
		if len(name) > maxName {
			return warehouse.Errorf(warehouse.TooLarge, "the name of column %d is longer than %d bytes", i+1, maxName)
		}
	}
	names, notes := Names(names)
	g.names = names
	g.notes = append(g.notes, notes...)
	return nil
}

// Names makes the names of columns distinct regardless of case, and returns notes of its changes. White space is cleaned, an empty name
// becomes column1, a repeated one name_2.
func Names(given []string) (names, notes []string) {
	taken := map[string]bool{} // names of any column
	for _, name := range given {
		taken[strings.ToLower(clean(name))] = true
	}
	used := map[string]bool{} // names of earlier columns
	last := map[string]int{}  // the last number appended to a name
	for i, name := range given {
		name = clean(name)
		base := name
		if base == "" {
			base = fmt.Sprintf("column%d", i+1)
		}
		final, n := base, max(last[strings.ToLower(base)], 1)
		for used[strings.ToLower(final)] || final != name && taken[strings.ToLower(final)] {
			n++
			final = fmt.Sprintf("%s_%d", base, n)
		}
		last[strings.ToLower(base)] = n
		used[strings.ToLower(final)] = true
		switch {
		case name == "":
			notes = append(notes, fmt.Sprintf("column %d has no name; it is now \"%s\"", i+1, final))
		case name != final:
			notes = append(notes, fmt.Sprintf("column %d: the name \"%s\" is used twice; this one is now \"%s\"", i+1, name, final))
		}
		names = append(names, final)
	}
	return names, notes
}

// clean makes a column name one line without surrounding space.
func clean(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(name, " "), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\ufeff'
	}), " ")
}

// table converts each column to its type.
func (g *grid) table() (*Table, error) {
	if len(g.names) == 0 {
		return nil, warehouse.Errorf(warehouse.Refused, "the file has no columns")
	}
	if len(g.rows)*len(g.names) > maxCells {
		return nil, tooMany()
	}
	total := g.takeTotal()
	types := g.inferTypes()
	if total != nil && !g.proves(total, types) {
		g.rows = append(g.rows, *total.offset)
		types = g.inferTypes()
		if !total.bare {
			g.note("the last row looks like a total; it was kept, so that sums over all rows count it too")
		}
	} else if total != nil {
		g.note("%s %d is the total of the rows above it and was left out", g.line, total.line)
	} else if like := g.likeTotals(); like.count > 0 {
		g.note("%s: %s", counted(like.count, "row looks like a total and was kept, so that sums over all rows count it too",
			"rows look like totals and were kept, so that sums over all rows count them too"), like.list(g.line))
	}
	t := &Table{Rows: len(g.rows), Report: warehouse.Report{Notes: g.notes}}
	limit := cmp.Or(g.maxNotes, maxNotes)
	for i, name := range g.names {
		c := types[i]
		t.Columns = append(t.Columns, cube.Column{Name: name, Type: c.kind})
		values := make([]any, len(g.rows))
		for n, r := range g.all() {
			values[n] = c.value(r.at(i))
		}
		t.Values = append(t.Values, values)
		for _, note := range c.notes {
			t.Report.Notes = append(t.Report.Notes, fmt.Sprintf("column \"%s\": %s", name, note))
		}
		if c.missing.Count > 0 {
			c.missing.Column = name
			t.Report.Cells = append(t.Report.Cells, c.missing)
		}
		if c.unit != "" {
			t.Report.Units = append(t.Report.Units, warehouse.ColumnUnit{Column: name, Unit: c.unit})
		}
		if c.unsure {
			t.Report.Dates = append(t.Report.Dates, warehouse.DateColumn{Column: name, Order: c.order.public()})
		}
	}
	if n := len(t.Report.Notes); n > limit {
		t.Report.Notes = append(t.Report.Notes[:limit-1], fmt.Sprintf("there are %d more notes of this kind", n-limit+1))
	}
	return t, nil
}

// inferTypes finds the types of all columns. Dates whose order of day and month
// is not certain have the order that is set, or follow the other columns of the file.
func (g *grid) inferTypes() []*inferred {
	types := make([]*inferred, len(g.names))
	g.decimal = 0
	for i := range g.names {
		types[i] = column{g, i}.inferType(monthFirst)
	}
	if g.written {
		g.settleSigns(types)
	}
	orders := map[order]bool{}
	for _, s := range types {
		if !s.unsure {
			orders[s.order] = true
		}
	}
	prefer, why := monthFirst, "this one was assumed"
	switch european := g.comma && slices.ContainsFunc(types, func(s *inferred) bool { return s.comma }); {
	case g.dates == warehouse.MonthFirst:
		why = "this one is set for the upload"
	case g.dates == warehouse.DayFirst:
		prefer, why = dayFirst, "this one is set for the upload"
	case orders[monthFirst]:
		why = "another column of the file decides it"
	case orders[dayFirst]:
		prefer, why = dayFirst, "another column of the file decides it"
	case european:
		prefer, why = dayFirst, "the file's numbers with commas decide it"
	}
	for i, s := range types {
		if !s.unsure {
			continue
		}
		if prefer != s.order {
			types[i] = column{g, i}.inferType(prefer)
		}
		types[i].notes = append(types[i].notes, "both orders of day and month fit; "+why)
	}
	return types
}

// A column is one column of a grid.
type column struct {
	*grid
	index int
}

func (c column) name() string { return c.names[c.index] }

// each calls f with the number of each row, from 1, and its cell until f returns
// false. It skips cells that are null.
func (c column) each(f func(row int, v cell) bool) {
	for n, r := range c.all() {
		if v := r.at(c.index); v.kind != null && !f(n+1, v) {
			return
		}
	}
}

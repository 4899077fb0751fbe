package datafile

import (
	"fmt"
	"strconv"
	"strings"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// A sheet or a delimited text is a table with other lines around it: titles, empty lines, remarks, a total. The functions here find the
// table.

// maxTitles is how many lines may precede the names of the columns.
const maxTitles = 10

// findTable takes the names of the columns out of g.rows, and leaves out lines that are not rows of the table, with a note. Rows of unknown
// width may be shorter than others. cut reports that the last line has no line ending.
func (g *grid) findTable(cut bool) error {
	if len(g.rows) == 0 {
		return warehouse.Errorf(warehouse.Refused, "the file has no values")
	}
	g.titles()
	first := g.row(0)
	width := first.width
	if width == 0 {
		for _, r := range g.all() {
			width = max(width, len(r.cells))
		}
	}
	longest := 0
	for _, r := range g.all() {
		longest = max(longest, len(r.cells))
	}
	for width > 1 && width > longest {
		width-- // lines that end in a separator
	}
	names := make([]string, width)
	if g.headless() {
		for i := range names {
			names[i] = fmt.Sprintf("column%d", i+1)
		}
		g.note("the first line holds values, not names; the columns are called column1, column2 and so on")
	} else {
		for i := range names {
			names[i] = first.at(i).text
		}
		g.rows = g.rows[1:]
	}
	if err := g.header(names); err != nil {
		return err
	}
	g.remarks()
	return g.ragged(cut)
}

// titles leaves out lines of one value above the names of the columns. The names
// are the first line of several values, which must all be words, and either at
// least three or below a blank line.
func (g *grid) titles() {
	h := 0
	for ; h < len(g.rows); h++ {
		r := g.row(h)
		if r.values() > 1 {
			break
		}
		if h == maxTitles || len(r.cells) == 0 || !wordy(r.cells[len(r.cells)-1]) {
			return
		}
	}
	if h == 0 || h == len(g.rows) {
		return
	}
	names := g.row(h)
	if names.values() < 3 && !names.apart {
		return
	}
	for _, c := range names.cells {
		if c.kind != null && !wordy(c) {
			return
		}
	}
	var out examples
	for _, r := range g.rows[:h] {
		out.add(int(r.line))
	}
	g.note("left out above the table: %s", out.list(g.line))
	g.rows = g.rows[h:]
}

// remarks leaves out lines at the end that have one text in the first column and follow a blank line, or have no other fields.
func (g *grid) remarks() {
	if len(g.names) < 2 {
		return
	}
	start, alone := len(g.rows), true
	for i := len(g.rows) - 1; i > 0; i-- {
		r := g.row(i)
		if r.values() != 1 || !wordy(r.at(0)) {
			break
		}
		if alone = alone && r.width == 1; alone || r.apart {
			start = i
		}
	}
	if start == len(g.rows) {
		return
	}
	var out examples
	for _, r := range g.rows[start:] {
		out.add(int(r.line))
	}
	g.note("left out below the table: %s", out.list(g.line))
	g.rows = g.rows[:start]
}

// headed is how many rows below the first one are compared with it.
const headed = 20

// headless reports whether the first row contains values rather than names: numbers, dates, true or false, each of the same type as the
// next value of its column. Years and numbers that count from 0 or 1 are names. Beside words, only a date, or true or false, is certain to
// be a value. If a number is taken for a name although the column has numbers, there is a note.
func (g *grid) headless() bool {
	first := g.row(0)
	if first.at(0).kind == null {
		return false
	}
	years, counts := true, true
	words, certain, numbers := false, false, false
	for i, c := range first.cells {
		if c.kind == null {
			continue
		}
		class := classOf(c)
		below, ok := g.below(i)
		if ok && classOf(below) != class {
			return false
		}
		switch class {
		case cube.Text:
			words = true
			continue
		case cube.Number:
			numbers = numbers || ok
		default:
			certain = certain || ok
		}
		n, err := strconv.Atoi(strings.TrimSpace(c.text))
		years = years && err == nil && n >= 1900 && n <= 2100
		counts = counts && err == nil && (n == i || n == i+1)
	}
	if words && certain || !words && !years && !counts {
		return true
	}
	if numbers && !years {
		g.note("the first %s was taken for the names of the columns, but some of them are numbers, as the values below are", g.line)
	}
	return false
}

// below returns the first value of a column in the rows below the first one.
func (g *grid) below(column int) (cell, bool) {
	for _, p := range g.rows[1:min(len(g.rows), 1+headed)] {
		if c := g.view(p).at(column); c.kind != null {
			return c, true
		}
	}
	return cell{}, false
}

// classOf returns the type that a cell would have alone: number, timestamp, boolean or text.
func classOf(c cell) cube.Type {
	switch c.kind {
	case number, duration:
		return cube.Number
	case dateTime:
		return cube.Timestamp
	case boolean:
		return cube.Boolean
	case nested, failed, null:
		return cube.Text
	}
	if _, ok := readBool(c.text); ok {
		return cube.Boolean
	}
	if p, ok := dissect(c.text); ok {
		_, dot := p.normal('.')
		_, comma := p.normal(',')
		if dot || comma {
			return cube.Number
		}
	}
	for _, r := range dateCandidates {
		if _, ok := r.read(c.text); ok {
			return cube.Timestamp
		}
	}
	return cube.Text
}

// wordy reports whether a cell is words rather than a value.
func wordy(c cell) bool { return c.kind == plainText && classOf(c) == cube.Text }

// ragged refuses rows with more values than there are columns, because the values are in the wrong columns. It fills shorter rows, unless
// all rows are short, the file is cut off, or a line break cuts a row in two.
func (g *grid) ragged(cut bool) error {
	n := len(g.names)
	full := false
	var short examples
	for i, r := range g.all() {
		if len(r.cells) > n {
			return g.badRow(i, "values that contain a separator must stand in quotation marks")
		}
		if r.width == 0 || r.width >= n {
			full = true
			continue
		}
		short.add(r.line)
		if i > 0 {
			before := g.row(i - 1)
			if before.width > 0 && before.width < n && before.width+r.width == n+1 && !r.apart {
				return g.badRow(i-1, "with the next line it would have as many; values with line breaks must stand in quotation marks")
			}
		}
	}
	switch {
	case short.count == 0:
		return nil
	case !full:
		return g.badRow(0, "no row has as many")
	case cut && int(g.rows[len(g.rows)-1].width) < n:
		return g.badRow(len(g.rows)-1, "the file may be cut off")
	}
	g.note("%s fewer values than there are columns, the rest of it is empty: %s",
		counted(short.count, "row has", "rows have"), short.list(g.line))
	return nil
}

func (g *grid) badRow(i int, hint string) error {
	r := g.row(i)
	width := max(r.width, len(r.cells))
	e := warehouse.Errorf(warehouse.Syntax, "row %d (%s %d) has %s, but the table has %s; %s", i+1, g.line, r.line,
		counted(width, "value", "values"), counted(len(g.names), "column", "columns"), hint)
	e.Line = r.line
	return e
}

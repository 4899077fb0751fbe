package cube

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// A Table has lines, which are rows of a cube or groups of rows that agree in some dimensions, numbered from 0 in the order of
// [Cube.Group]. It sorts and searches lines, and computes only the lines that are requested: a page of 200,000.
type Table struct {
	cube  *Cube
	by    []Dim
	rows  Selection
	ids   []uint32 // by row: its line; nil if every row is a line
	first []int32  // by line: its first row
	count []int32  // by line: its number of rows; nil if every row is a line
}

// Table returns a table of rows. Its lines are the rows or, unless each is set, the groups of rows that agree in by.
func (c *Cube) Table(rows Selection, by []Dim, each bool) *Table {
	t := &Table{cube: c, by: by, rows: rows}
	if each {
		t.first = rows
		return t
	}
	t.ids = make([]uint32, len(rows))
	n := min(1, len(rows))
	for _, dim := range by {
		codes, size, _ := c.codes(rows, dim)
		n = combine(t.ids, n, codes, size)
	}
	t.first = slices.Repeat([]int32{-1}, n)
	t.count = make([]int32, n)
	for i, id := range t.ids {
		if t.first[id] < 0 {
			t.first[id] = rows[i]
		}
		t.count[id]++
	}
	return t
}

// Len returns how many lines there are.
func (t *Table) Len() int { return len(t.first) }

// Part returns a table with the same lines, and with some of their rows: a line without any of them has no values. The lines must be groups
// of rows, and rows must be some of the rows of t, ascending.
func (t *Table) Part(rows Selection) *Table {
	p := &Table{cube: t.cube, by: t.by, rows: rows, ids: make([]uint32, len(rows)), first: t.first, count: make([]int32, t.Len())}
	at := 0
	for i, row := range rows {
		for t.rows[at] < row {
			at++
		}
		p.ids[i] = t.ids[at]
		p.count[t.ids[at]]++
	}
	return p
}

// Same returns the lines of t that have the first rows of some lines of another table, which are rows of t as well.
func (t *Table) Same(other *Table, lines []int) []int {
	out := make([]int, len(lines))
	for i, line := range lines {
		at, _ := slices.BinarySearch(t.rows, other.first[line])
		out[i] = at
		if t.ids != nil {
			out[i] = int(t.ids[at])
		}
	}
	return out
}

// Unclear is [Groups.Unclear] for a measure of all lines.
func (t *Table) Unclear(m Measure) (rows int, column string) {
	g := &Groups{measures: []Measure{m}, rows: t.count}
	return g.Unclear(0)
}

// Values returns measures of all lines, without their dimensions.
func (t *Table) Values(measures ...Measure) *Groups {
	g := &Groups{measures: measures, n: t.Len(), rows: t.count}
	ids := t.ids
	if ids == nil {
		g.rows = slices.Repeat([]int32{1}, g.n)
		ids = make([]uint32, g.n)
		for i := range ids {
			ids[i] = uint32(i)
		}
	}
	g.work(t.cube, t.rows, ids, t.by, t.ids == nil)
	return g
}

// Lines computes some distinct lines, in the given order.
func (t *Table) Lines(which []int, measures []Measure) *Groups {
	g := &Groups{measures: t.among(measures)}
	firsts := make(Selection, len(which))
	for i, line := range which {
		firsts[i] = t.first[line]
	}
	ids := g.group(t.cube, firsts, Query{By: t.by, Each: true})
	rows := firsts
	if t.ids != nil {
		to := slices.Repeat([]int32{-1}, t.Len())
		for i, line := range which {
			to[line], g.rows[i] = int32(i), t.count[line]
		}
		rows, ids = make(Selection, 0, len(which)), ids[:0:0]
		for i, id := range t.ids {
			if at := to[id]; at >= 0 {
				rows, ids = append(rows, t.rows[i]), append(ids, uint32(at))
			}
		}
	}
	g.work(t.cube, rows, ids, t.by, t.ids == nil)
	return g
}

// Split computes some distinct lines, split by one more dimension. The first dimension of the groups is the position of their line in
// which, an int64 from 0; the second is dim.
func (t *Table) Split(which []int, dim Dim, measures []Measure) *Groups {
	g := &Groups{measures: t.among(measures)}
	to := slices.Repeat([]int32{-1}, t.Len())
	places := make([]Category, len(which))
	for i, line := range which {
		to[line], places[i] = int32(i), Category{Value: int64(i)}
	}
	var rows Selection
	var lines []uint32
	for i, row := range t.rows {
		line := uint32(i)
		if t.ids != nil {
			line = t.ids[i]
		}
		if at := to[line]; at >= 0 {
			rows, lines = append(rows, row), append(lines, uint32(at))
		}
	}
	codes, size, category := t.cube.codes(rows, dim)
	var axis []Category
	for _, code := range compact(codes, size) {
		axis = append(axis, category(int(code)))
	}
	ids := slices.Clone(lines)
	g.Axes = [][]Category{places, axis}
	g.n = combine(ids, len(which), codes, len(axis))
	g.rows, g.keys = make([]int32, g.n), [][]uint32{make([]uint32, g.n), make([]uint32, g.n)}
	for i, id := range ids {
		g.rows[id]++
		g.keys[0][id], g.keys[1][id] = lines[i], codes[i]
	}
	by := []Dim{{}, dim}
	for _, m := range measures { // in a line of one time, that time counts
		if i := slices.IndexFunc(t.by, func(d Dim) bool { return m.IsAlong(d.Column) }); i >= 0 {
			by[0] = t.by[i]
		}
	}
	g.work(t.cube, rows, ids, by, false)
	return g
}

// among sets Among to all rows of the table for measures without it.
func (t *Table) among(measures []Measure) []Measure {
	out := slices.Clone(measures)
	for i, m := range out {
		out[i] = m.WithAmong(func(m Measure) Selection {
			if m.Among == nil {
				return t.rows
			}
			return m.Among
		})
	}
	return out
}

// Rows returns the rows of some lines, ascending.
func (t *Table) Rows(which []int) Selection {
	in := make([]bool, t.Len())
	for _, line := range which {
		in[line] = true
	}
	out := make(Selection, 0, len(which))
	for i, row := range t.rows {
		if t.ids == nil && in[i] || t.ids != nil && in[t.ids[i]] {
			out = append(out, row)
		}
	}
	return out
}

// A Sorting is an order of the lines of a table.
type Sorting struct {
	Keys []uint64           // by line: lines are sorted by ascending key
	Ties func(a, b int) int // compares two lines with equal keys
}

// Texts compares texts that are identified by number.
type Texts interface {
	Head(i int) uint64    // texts are sorted by ascending head
	Compare(i, j int) int // the order of texts with equal heads
}

// Sorting returns the order of all lines by a measure of [Table.Values]. NULL is last in either direction.
func (g *Groups) Sorting(measure int, descending bool) Sorting {
	s := SortingOf(g.n, func(i int) (float64, bool) { return g.Value(i, measure) }, descending)
	s.Ties = g.Compare(measure, descending)
	return s
}

// SortingOf returns the order of n lines by a number of each. Lines without a number are last in either direction.
func SortingOf(n int, value func(line int) (v float64, ok bool), descending bool) Sorting {
	s := Sorting{make([]uint64, n), func(_, _ int) int { return 0 }}
	for i := range s.Keys {
		s.Keys[i] = last
		if v, ok := value(i); ok {
			s.Keys[i] = turned(ordered(sortable(v+0)), descending) // no negative zero
		}
	}
	return s
}

// last is the key of NULL, and of the largest values.
const last = math.MaxUint64

// ordered maps integers to keys in the same order.
func ordered(n int64) uint64 { return uint64(n) ^ 1<<63 }

func turned(key uint64, descending bool) uint64 {
	if descending {
		return ^key
	}
	return key
}

// Sorting returns the order of the lines by a column. If the rows of a line differ in the column, the smallest value counts. NULL is last
// in either direction, and true is before false, as readers expect. texts prepares the texts that occur.
func (t *Table) Sorting(column string, descending bool, texts func(values []string) Texts) Sorting {
	s := Sorting{make([]uint64, t.Len()), func(_, _ int) int { return 0 }}
	col := t.cube.Index(column)
	if col < 0 {
		return s
	}
	k := &t.cube.cols[col]
	key, compare := k.sorting(t.rows, texts)
	row := t.first
	if t.ids != nil && !slices.ContainsFunc(t.by, func(d Dim) bool { return d.Column == column }) {
		row = slices.Clone(t.first)
		for i, id := range t.ids {
			r, least := t.rows[i], row[id]
			if k.has(int(r)) && (!k.has(int(least)) || cmp.Or(cmp.Compare(key(r), key(least)), compare(r, least)) < 0) {
				row[id] = r
			}
		}
	}
	for i, r := range row {
		s.Keys[i] = last
		if k.has(int(r)) {
			s.Keys[i] = turned(key(r), descending)
		}
	}
	s.Ties = func(a, b int) int {
		x, y := row[a], row[b]
		if hasX, hasY := k.has(int(x)), k.has(int(y)); !hasX || !hasY {
			return cmp.Compare(truth(hasY), truth(hasX))
		}
		if descending {
			return compare(y, x)
		}
		return compare(x, y)
	}
	return s
}

// sorting returns the keys of rows, which have values, and a function that compares two rows with equal keys.
func (k *column) sorting(rows Selection, texts func(values []string) Texts) (key func(row int32) uint64, compare func(a, b int32) int) {
	compare = func(_, _ int32) int { return 0 }
	switch {
	case k.Type == Text:
		used, place := k.texts(rows)
		t := texts(used)
		return func(row int32) uint64 { return t.Head(int(place[k.codes[row]])) }, func(a, b int32) int {
			x, y := place[k.codes[a]], place[k.codes[b]]
			if x == y {
				return 0
			}
			return t.Compare(int(x), int(y))
		}
	case k.Type == Boolean:
		return func(row int32) uint64 { return uint64(1 - truth(bit(k.bits, int(row)))) }, compare
	case k.wide != nil:
		return func(int32) uint64 { return 0 }, func(a, b int32) int { return k.wide[a].Cmp(k.wide[b]) }
	case k.floats != nil:
		return func(row int32) uint64 { return ordered(sortable(k.floats[row])) }, compare
	}
	return func(row int32) uint64 { return ordered(k.ints[row]) }, compare
}

// texts returns the texts that occur in rows, in the order of their bytes, and for each entry of the dictionary its position among them.
func (k *column) texts(rows Selection) (used []string, place []int32) {
	place = make([]int32, len(k.dict))
	n := 0
	for _, row := range rows {
		if !k.has(int(row)) { // NULL; a column of only NULL has an empty dictionary
			continue
		}
		if p := &place[k.codes[row]]; *p == 0 {
			*p = 1
			n++
		}
	}
	used = make([]string, 0, n)
	for code, occurs := range place {
		if occurs == 1 {
			place[code] = int32(len(used))
			used = append(used, k.dict[code])
		}
	}
	return used, place
}

// A Marker marks values with bits. It is called once for equal texts, days and seconds of a day.
type Marker struct {
	Text   func(v string) uint8
	Whole  func(v int64) uint8
	Day    func(v Day) uint8
	Second func(v int) uint8 // of the day, from 0: the clock of a time, in the zone
	Other  func(v any) uint8 // a bool, float64 or [Decimal]

	Zone *time.Location // of instants
}

// Marks returns a function that returns the bits of a line's value in a column in which its rows agree. NULL has no bits.
func (t *Table) Marks(column string, m Marker) func(line int) uint8 {
	col := t.cube.Index(column)
	if col < 0 {
		return func(int) uint8 { return 0 }
	}
	k := &t.cube.cols[col]
	var mark func(row int32) uint8
	switch {
	case k.Type == Text:
		texts := make([]known, len(k.dict))
		if len(k.dict) < 2*t.Len() { // nearly all texts are needed, which is faster in their order
			for code, s := range k.dict {
				texts[code] = 1 + known(m.Text(s))
			}
		}
		mark = func(row int32) uint8 {
			code := k.codes[row]
			return texts[code].mark(func() uint8 { return m.Text(k.dict[code]) })
		}
	case k.Type.IsTime():
		mark = k.timeMarks(m, t.cube.own(col, m.Zone) == daily)
	case k.Type == Integer && k.wide == nil:
		mark = func(row int32) uint8 { return m.Whole(k.ints[row]) }
	default:
		mark = func(row int32) uint8 { return m.Other(t.cube.Value(int(row), col)) }
	}
	return func(line int) uint8 {
		if row := t.first[line]; k.has(int(row)) {
			return mark(row)
		}
		return 0
	}
}

// timeMarks marks times. If dates is set, each time is marked as the day that it begins.
func (k *column) timeMarks(m Marker, dates bool) func(row int32) uint8 {
	type day struct {
		of    Day
		marks known
	}
	days := make([]day, 1<<12) // a cache of the last days
	of := func(d Day) uint8 {
		at := &days[d&(1<<12-1)]
		if at.of != d {
			*at = day{of: d}
		}
		return at.marks.mark(func() uint8 { return m.Day(d) })
	}
	if k.Type == Date {
		return func(row int32) uint8 { return of(Day(k.ints[row])) }
	}
	seconds := make([]known, secondsPerDay)
	z := zoneOf(k.Type, m.Zone)
	return func(row int32) uint8 {
		second := floorDiv(z.local(k.ints[row]), 1e6)
		d := floorDiv(second, secondsPerDay)
		at := int(second - d*secondsPerDay)
		if dates {
			at = 0
		}
		return of(Day(d)) | seconds[at].mark(func() uint8 { return m.Second(at) })
	}
}

// known is 0, or the bits and a flag that marks them as computed.
type known uint16

func (k *known) mark(ask func() uint8) uint8 {
	if *k == 0 {
		*k = 1 + known(ask())
	}
	return uint8(*k - 1)
}

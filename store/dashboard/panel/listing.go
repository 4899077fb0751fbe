package panel

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"service/store/dashboard"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// A listing is the lines of a table: rows of its dataset, or groups of them. Only the drawn lines are computed.
type listing struct {
	*Panel
	cols     []tableColumn
	by       []cube.Dim
	measures []cube.Measure // of the columns that are not dimensions, in order
	each     bool           // each row is a line
	lines    *cube.Table
	own      *cube.Table  // the lines with the rows of the panel; lines unless the table is compared
	earlier  *tableBefore // the earlier period of a comparison; nil for none
}

// A tableColumn is a column of a table panel with the column of the dataset.
type tableColumn struct {
	dashboard.Column
	style dashboard.TableColumn

	grain  cube.Grain     // to which its times are rounded down
	open   map[any]string // by time: the reason why the period is incomplete
	hidden map[any]bool   // incomplete periods whose lines are left out

	compared bool      // it is one of the columns of a measure that is compared with an earlier period
	part     tablePart // which one
	of       string    // the column of the dataset, of a part other than ownPart
	unseen   bool      // it is not drawn, for lack of room
}

// bare returns the column without its unit, which is in the head of the table and not in each cell.
func (c tableColumn) bare() dashboard.Column {
	c.Suffix = ""
	return c.Column
}

// names reports whether the column identifies rows, and is searched.
func (c tableColumn) names() bool { return c.Role == dashboard.Dimension }

// untotaled reports whether the column has no total. A column of times that the SQL aggregates has one, also if it identifies rows: the
// earliest or the latest time.
func (c tableColumn) untotaled() bool {
	_, told := c.End()
	return c.names() && !(told && c.Type.IsTime())
}

// listing returns the lines of the panel, or nil after reporting why there are none.
func (p *Panel) listing() *listing {
	cols, ok := p.tableColumns()
	if !ok {
		return nil
	}
	settings, all := p.Settings, p.Data
	l := &listing{Panel: p, cols: cols, earlier: p.compareRows(cols)}
	if p.Empty != "" {
		return nil
	}
	if l.roundTimes(); p.Empty != "" {
		return nil
	}
	l.query()
	if why := l.group(); l.earlier != nil && why != "" { // nothing is compared, so no row is left out
		p.Settings, p.Data, l.earlier = settings, all, nil
		p.notCompared(why)
		l.query()
		l.group()
	}
	if p.Problem != "" {
		return nil
	}
	l.addParts()
	return l
}

// roundTimes sets the grain of the only date of a table whose spec rounds it, and finds its incomplete periods.
func (l *listing) roundTimes() {
	i := slices.IndexFunc(l.cols, func(c tableColumn) bool { return c.names() && c.Type.IsTime() })
	if i < 0 || !l.Spec.RoundsTimes() {
		return
	}
	c := &l.cols[i]
	if l.Spec.Grain != "" && l.Spec.Grain != "auto" {
		mergeable := true
		for _, other := range l.cols {
			mergeable = mergeable && (other.names() || encode.Additive(l.Data.Measure(l.Data.Column(other.Name))))
		}
		c.grain, _ = l.grain(c.Name, dashboard.MaxRows, mergeable)
	}
	c.hidden, c.open = l.openTimes(c.Column, c.grain)
}

// cell returns a value of the column as the table writes it, with the reason of an incomplete period. col is the column or
// [tableColumn.bare].
func (c *tableColumn) cell(p *Env, col dashboard.Column, v any) string {
	text := p.Cell(col, c.grain, v)
	if of, ok := v.(cube.Category); ok && c.open[of.Value] != "" {
		text += " (" + c.open[of.Value] + ")"
	}
	return text
}

func (p *Rows) tableColumns() ([]tableColumn, bool) {
	var out []tableColumn
	for _, t := range p.Spec.Columns {
		c := *p.col(t.Column)
		c.Label = cmp.Or(t.Label, c.Label)
		c.Format = dashboard.WithDecimals(cmp.Or(t.Format, c.Format), t.Decimals)
		out = append(out, tableColumn{Column: c, style: t})
	}
	if len(out) == 0 {
		for _, c := range p.Data.Cols {
			if c.Hidden {
				continue
			}
			p.shows = append(p.shows, c.Name)
			out = append(out, tableColumn{Column: c, style: dashboard.TableColumn{Column: c.Name}})
		}
	}
	return out, p.Problem == ""
}

// query groups by the dimensions of the table. Dimensions that only its links use, and hidden ones of a table that shows all others, follow
// as invisible ones.
func (l *listing) query() {
	l.by, l.measures = nil, nil
	zone := l.Env.Zone
	for _, c := range l.cols {
		if c.names() {
			l.by = append(l.by, cube.Dim{Column: c.Name, Grain: c.grain, Week: l.Env.week, Zone: zone})
		} else {
			l.measures = append(l.measures, l.Data.Measure(l.Data.Column(c.Name)))
		}
	}
	unseen := func(name string) {
		col := l.Data.Column(name)
		if col == nil || col.Role != dashboard.Dimension {
			return
		}
		if !slices.ContainsFunc(l.by, func(d cube.Dim) bool { return d.Column == name }) {
			l.by = append(l.by, cube.Dim{Column: name, Zone: zone})
		}
	}
	for _, c := range l.cols {
		for _, name := range placeholders(c.style.Link) {
			unseen(name)
		}
	}
	for _, c := range l.Data.Cols {
		if c.Hidden && len(l.Spec.Columns) == 0 {
			unseen(c.Name)
		}
	}
}

// place returns the index of a column among the dimensions or among the measures of the listing; -1 if it is not shown.
func (l *listing) place(column string) int {
	at := [2]int{}
	for _, c := range l.cols {
		if c.part != ownPart {
			continue
		}
		kind := stat.One(c.names())
		if c.Name == column {
			return at[kind]
		}
		at[kind]++
	}
	return -1
}

func (l *listing) measureOf(c tableColumn) cube.Measure { return l.measures[l.place(c.Name)] }

// row returns the cells of a computed line.
func (l *listing) row(g lineValues, i int) []any {
	row := make([]any, len(l.cols))
	dim, mea := 0, 0
	for j, c := range l.cols {
		switch {
		case c.names():
			row[j] = g.own.Category(i, dim)
			dim++
		case c.part == ownPart:
			row[j] = g.own.Exact(i, mea)
			mea++
		case c.part == beforePart:
			row[j] = g.before.Exact(i, mea-1)
		default:
			row[j] = changeOf(l.cols[j-2].Column, row[j-2], row[j-1])
		}
	}
	return row
}

// sortedBy returns the column by which the lines are sorted, "" for none that has a name, and whether the largest is first. sort is "" for
// the order of the spec: without a sort, lines have the order that it sets for the first dimension, or keep the order of the query, unless
// its rows are groups without ORDER BY, whose order is accidental. Those have the order of the dates or the steps in the first dimension,
// or the largest first; lines that the table groups have the order of the dates, or the largest first.
func (l *listing) sortedBy(sort string) (column string, descending bool) {
	if sort = cmp.Or(sort, l.Spec.Sort); sort != "" {
		column, descending = sortKey(sort)
		if l.earlier == nil && l.Data.Column(column) == nil { // without an earlier period, by the measure
			column = strings.TrimSuffix(strings.TrimSuffix(column, dashboard.BeforeSuffix), dashboard.ChangeSuffix)
		}
		return column, descending
	}
	switch {
	case len(l.by) == 0:
	case l.Data.Ordering(l.by[0].Column).Said:
		return l.by[0].Column, false
	case l.each && l.Data.InOrder():
	case l.each && l.Data.Ordering(l.by[0].Column).Ordered:
		return l.by[0].Column, false
	case len(l.measures) > 0 && l.Data.Column(l.by[0].Column).Type == cube.Text:
		i := slices.IndexFunc(l.cols, func(c tableColumn) bool { return !c.names() })
		return l.cols[i].Name, true
	default:
		return l.by[0].Column, false
	}
	return "", false
}

// sortBy returns the order of the lines by sort, or for "" by the spec; ok is false if they keep their order. Equal lines have the orders
// that the spec sets for their dimensions.
func (l *listing) sortBy(sort string) (by cube.Sorting, ok bool) {
	name, descending := l.sortedBy(sort)
	if name == "" {
		return by, false
	}
	by = l.sorting(name, descending)
	ties := []func(a, b int) int{by.Ties}
	for _, d := range l.by {
		if d.Column != name && l.Data.Ordering(d.Column).Said {
			next := l.sorting(d.Column, false)
			ties = append(ties, func(a, b int) int {
				return cmp.Or(cmp.Compare(next.Keys[a], next.Keys[b]), next.Ties(a, b))
			})
		}
	}
	if len(ties) > 1 {
		by.Ties = func(a, b int) int {
			for _, compare := range ties {
				if order := compare(a, b); order != 0 {
					return order
				}
			}
			return 0
		}
	}
	return by, true
}

// sorting returns the order of the lines by a column, shown or not.
func (l *listing) sorting(column string, descending bool) cube.Sorting {
	none := cube.Sorting{Keys: make([]uint64, l.lines.Len()), Ties: func(_, _ int) int { return 0 }}
	if i := l.index(column); i >= 0 && l.cols[i].part != ownPart {
		return l.sortingPart(l.cols[i], descending)
	}
	col := l.Data.Column(column)
	if col == nil {
		return none
	}
	at := l.place(column)
	if at >= 0 && col.Role == dashboard.Measure {
		return l.own.Values(l.measures[at]).Sorting(0, descending)
	}
	if m := l.sortMeasure(col); at < 0 && m != nil {
		return l.own.Values(*m).Sorting(0, descending)
	}
	o := l.Data.Ordering(column)
	if at < 0 {
		o = o.Plain()
	}
	if i := l.index(column); i >= 0 && l.cols[i].grain != cube.Exact { // all lines of a period are equal
		g := l.lines.Lines(stat.Indices(l.lines.Len()), nil)
		none.Ties = func(a, b int) int {
			x, hasX := g.Category(a, at).Value.(time.Time)
			y, hasY := g.Category(b, at).Value.(time.Time)
			switch {
			case !hasX || !hasY:
				return stat.One(hasY) - stat.One(hasX)
			case descending:
				return y.Compare(x)
			}
			return x.Compare(y)
		}
		return none
	}
	if o.Said && col.Type != cube.Text {
		g := l.lines.Lines(stat.Indices(l.lines.Len()), nil)
		none.Ties = func(a, b int) int {
			x, y := g.Category(a, at), g.Category(b, at)
			if x.Value == nil || y.Value == nil || !descending {
				return o.Compare(x, y)
			}
			return o.Compare(y, x)
		}
		return none
	}
	return l.lines.Sorting(column, descending, o.Texts)
}

// search returns the lines that contain all words of a search in their columns that are not measures, as written on the page, regardless of
// case and accents.
func (l *listing) search(lines []int, words string) []int {
	var want [][]byte
	for w := range strings.FieldsSeq(words) {
		want = append(want, fold(nil, w))
	}
	for some := range slices.Chunk(want, wordsAtOnce) {
		lines = l.containing(lines, some)
	}
	return lines
}

// containing returns the lines that contain all of at most wordsAtOnce words.
func (l *listing) containing(lines []int, want [][]byte) []int {
	var marks []func(line int) uint8
	for _, c := range l.cols {
		if c.names() {
			marks = append(marks, l.lines.Marks(c.Name, l.marker(c, want)))
		}
	}
	all := uint8(1<<len(want) - 1)
	out := lines[:0]
	for _, i := range lines {
		found := uint8(0)
		for _, mark := range marks {
			if found |= mark(i); found == all {
				out = append(out, i)
				break
			}
		}
	}
	return out
}

// marker marks values of a column by the words that they contain, as the table writes them. A word is a part of a date or of a time of day,
// which have a space between them.
func (l *listing) marker(c tableColumn, words [][]byte) cube.Marker {
	var buffer []byte
	found := func(b []byte) (marks uint8) {
		buffer = b
		for i, w := range words {
			if bytes.Contains(b, w) {
				marks |= 1 << i
			}
		}
		return marks
	}
	text := func(s string) uint8 {
		if name, ok := c.ValueName(s); ok {
			s = name
		}
		return found(fold(buffer[:0], s))
	}
	clocks := slices.ContainsFunc(words, l.Env.inClock) && slices.Contains([]string{"", "time", "minute", "datetime"}, c.Format)
	other := func(v any) uint8 { return text(l.Env.Cell(c.Column, c.grain, v)) }
	return cube.Marker{
		Text: text, Other: other, Zone: l.Env.Zone,
		Whole: func(v int64) uint8 {
			if c.Format != "" || c.Suffix != "" || v < 0 || c.Names != nil {
				return other(v)
			}
			return found(strconv.AppendInt(buffer[:0], v, 10))
		},
		Day: func(d cube.Day) uint8 {
			if c.grain != cube.Exact {
				return other(cube.Category{Value: c.grain.Floor(d, l.Env.week).Time()})
			}
			switch c.Format {
			case "time":
				return 0
			case "datetime", "minute":
				return text(l.Env.Date(d.Time()))
			}
			return text(l.Env.Time(c.Format, cube.Exact, d.Time()))
		},
		Second: func(s int) uint8 {
			at := time.Unix(int64(s), 0).UTC()
			switch {
			case !clocks:
			case c.Format == "time", c.Format == "minute", s%60 == 0 && (s > 0 || c.Format != ""):
				return text(l.Env.Clock(at))
			case s%60 > 0:
				return text(l.Env.ClockSeconds(at))
			}
			return 0
		},
	}
}

// inClock reports whether a word can be a part of a time of day: digits, at most two in a row, and the characters between them.
func (p *Env) inClock(word []byte) bool {
	between := strings.Trim(strings.ToLower(p.ClockSeconds(time.Time{})), "0123456789")
	digits := 0
	for _, c := range word {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case strings.IndexByte(between, c) >= 0:
			digits = 0
		default:
			return false
		}
		if digits > 2 {
			return false
		}
	}
	return true
}

// fold appends s to b in lower case and without accents.
func fold(b []byte, s string) []byte {
	from := len(b)
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			b = b[:from]
			for _, r := range norm.NFKD.String(s) {
				if !unicode.Is(unicode.Mn, r) {
					b = utf8.AppendRune(b, unicode.ToLower(r))
				}
			}
			return b
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return b
}

// linkValues returns the texts for the placeholders of a row's links.
func (p *Settings) linkValues(g *cube.Groups, group int, by []cube.Dim) map[string]string {
	if !slices.ContainsFunc(p.Spec.Columns, func(c dashboard.TableColumn) bool { return c.Link != "" }) {
		return nil
	}
	out := map[string]string{}
	for d, dim := range by {
		(&Mark{Column: dim.Column, Category: g.Category(group, d)}).addTo(out)
	}
	return out
}

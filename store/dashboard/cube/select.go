package cube

import (
	"slices"
	"strconv"
	"time"
)

// A Selection is rows of a cube, ascending.
type Selection []int32

// A Filter keeps some rows of a cube.
type Filter struct {
	Column string

	// For a column of times: the first and the last day, inclusive. Rows without a time do not pass. An instant belongs to its day in Zone.
	From, To Day
	Zone     *time.Location

	// For any other column: the values that pass, in the form of [Label], and whether NULL passes.
	Values []string
	Null   bool
}

// Label returns a value in the form used by [Filter]. Times have no label.
func Label(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case Decimal:
		return string(v)
	}
	return ""
}

// Select returns the rows that pass every filter. A filter on a column that the cube lacks passes all rows.
func (c *Cube) Select(filters ...Filter) Selection {
	rows := make(Selection, c.rows)
	for i := range rows {
		rows[i] = int32(i)
	}
	for i := range filters {
		if col := c.Index(filters[i].Column); col >= 0 {
			rows = c.cols[col].filter(rows, &filters[i])
		}
	}
	return rows
}

// Where returns the rows whose category of a dimension satisfies keep.
func (c *Cube) Where(rows Selection, dim Dim, keep func(Category) bool) Selection {
	codes, n, category := c.codes(rows, dim)
	kept := make([]bool, n)
	for code := range kept {
		kept[code] = keep(category(code))
	}
	var out Selection
	for i, row := range rows {
		if kept[codes[i]] {
			out = append(out, row)
		}
	}
	return out
}

// filter keeps the rows that pass f, in place.
func (k *column) filter(rows Selection, f *Filter) Selection {
	switch k.Type {
	case Date:
		return k.between(rows, int64(f.From), int64(f.To))
	case Timestamp:
		return k.between(rows, f.From.Time().UnixMicro(), (f.To+1).Time().UnixMicro()-1)
	case Instant:
		return k.between(rows, f.From.In(f.Zone).UnixMicro(), (f.To+1).In(f.Zone).UnixMicro()-1)
	case Text:
		keep := make([]bool, len(k.dict))
		for _, v := range f.Values {
			if code, ok := slices.BinarySearch(k.dict, v); ok {
				keep[code] = true
			}
		}
		out := rows[:0]
		for _, row := range rows {
			if k.has(int(row)) && keep[k.codes[row]] || f.Null && !k.has(int(row)) {
				out = append(out, row)
			}
		}
		return out
	case Boolean:
		yes, no := slices.Contains(f.Values, "true"), slices.Contains(f.Values, "false")
		out := rows[:0]
		for _, row := range rows {
			if !k.has(int(row)) && f.Null || k.has(int(row)) && (bit(k.bits, int(row)) && yes || !bit(k.bits, int(row)) && no) {
				out = append(out, row)
			}
		}
		return out
	case Integer, Number:
		keep := k.named(f.Values)
		out := rows[:0]
		for _, row := range rows {
			if k.has(int(row)) && keep(row) || f.Null && !k.has(int(row)) {
				out = append(out, row)
			}
		}
		return out
	}
	return rows
}

// named returns a function that reports whether a row of a column of numbers has one of the labels' values.
func (k *column) named(labels []string) func(row int32) bool {
	switch {
	case k.floats != nil:
		keep := map[float64]bool{}
		for _, v := range labels {
			if f, err := strconv.ParseFloat(v, 64); err == nil {
				keep[f] = true
			}
		}
		return func(row int32) bool { return keep[k.floats[row]] }
	case k.wide != nil:
		keep := map[string]bool{}
		for _, v := range labels {
			if s, ok := parse(v); ok && s.decimals <= k.decimals {
				keep[s.at(k.decimals).String()] = true
			}
		}
		return func(row int32) bool { return keep[k.wide[row].String()] }
	}
	keep := map[int64]bool{}
	for _, v := range labels {
		if s, ok := parse(v); ok && s.decimals <= k.decimals && s.at(k.decimals).IsInt64() {
			keep[s.at(k.decimals).Int64()] = true
		}
	}
	return func(row int32) bool { return keep[k.ints[row]] }
}

func (k *column) between(rows Selection, from, to int64) Selection {
	out := rows[:0]
	for _, row := range rows {
		if n := k.ints[row]; n >= from && n <= to && k.has(int(row)) {
			out = append(out, row)
		}
	}
	return out
}

// A Span describes the times in a column.
type Span struct {
	Min, Max Day
	Distinct int  // distinct values; counting stops at one more than the given limit
	Clock    bool // at least one value does not begin a day
}

// Span returns the span of a column over the given rows; of instants, in a zone. It returns false if there are no times.
func (c *Cube) Span(rows Selection, name string, loc *time.Location, limit int) (Span, bool) {
	col := c.Index(name)
	if col < 0 || !c.cols[col].Type.IsTime() {
		return Span{}, false
	}
	k := &c.cols[col]
	s, any := Span{}, false
	seen := map[int64]struct{}{}
	z := zoneOf(k.Type, loc)
	last := int64(0)
	for _, row := range rows {
		n := k.ints[row]
		if !k.has(int(row)) || any && n == last {
			continue
		}
		last = n
		if len(seen) <= limit {
			seen[n] = struct{}{}
		}
		d := Day(n)
		if k.Type != Date {
			var clock int64
			d, clock = z.day(n)
			s.Clock = s.Clock || clock != 0
		}
		if !any {
			s.Min, s.Max, any = d, d, true
		}
		s.Min, s.Max = min(s.Min, d), max(s.Max, d)
	}
	s.Distinct = len(seen)
	return s, any
}

// Clock reports whether a column has times that do not begin a day. A day begins at midnight or, for instants, at the first instant of the
// day in a zone.
func (c *Cube) Clock(name string, loc *time.Location) bool {
	col := c.Index(name)
	return col >= 0 && c.cols[col].Type.IsTime() && c.own(col, loc) < daily
}

func orUTC(loc *time.Location) *time.Location {
	if loc == nil {
		return time.UTC
	}
	return loc
}

// Texts returns the distinct values of a column of text, in the order of their bytes. Callers must not change the slice.
func (c *Cube) Texts(column string) []string {
	col := c.Index(column)
	if col < 0 {
		return nil
	}
	return c.cols[col].dict
}

// Having returns the rows that have a value in at least one of the columns. It returns all rows if the cube lacks one of the columns, or if
// there are no columns.
func (c *Cube) Having(rows Selection, columns ...string) Selection {
	if len(columns) == 0 {
		return rows
	}
	var cols []*column
	for _, name := range columns {
		i := c.Index(name)
		if i < 0 || c.cols[i].valid == nil {
			return rows
		}
		cols = append(cols, &c.cols[i])
	}
	var out Selection
	for _, row := range rows {
		if slices.ContainsFunc(cols, func(k *column) bool { return k.has(int(row)) }) {
			out = append(out, row)
		}
	}
	return out
}

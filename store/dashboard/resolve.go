package dashboard

import (
	"slices"
	"strings"
	"unicode"

	"service/store/dashboard/cube"
	"service/store/dashboard/locale"
)

// Resolve settles what the columns of the dataset mean, in the order in which
// its query returns them; ratios follow. The spec's word comes first, then the
// SQL's, then the column's type and name. What the spec says of columns that
// are not returned is left out: [Spec.Check] reports it.
//
// The agg of a ratio is None when a part of it does not add up, else "": it is
// computed after its parts were added up.
func (d *Dataset) Resolve(cols []cube.Column) []Column {
	out, _ := d.resolve(cols)
	return out
}

// ResolveColumns is [Dataset.Resolve] for SQL that is not in a spec.
func ResolveColumns(sql string, cols []cube.Column) []Column {
	d := Dataset{SQL: sql}
	return d.Resolve(cols)
}

// resolve also returns the names of the columns that the rows are grouped by,
// as far as can be told: dimensions that are no aggregates themselves.
func (d *Dataset) resolve(cols []cube.Column) (out []Column, keys []string) {
	outputs := matchOutputs(d.selectList(), cols)
	for i, col := range cols {
		meta := Meta{Name: col.Name}
		if m := d.Meta(col.Name); m != nil && !m.IsRatio() {
			meta = *m
		}
		c := Column{Column: col, Label: meta.Label, Description: meta.Description, Role: meta.Role, Format: meta.Format, Good: meta.Good}
		if c.Role == "" {
			c.Role = role(col, outputs[i])
			if col.Type.IsTime() && (meta.Agg == Min || meta.Agg == Max) { // the first or the last of several
				c.Role = Measure
			}
		}
		if !outputs[i].aggregate && (c.Role == Dimension || col.Type.IsTime()) { // a date that is a measure tells rows apart, too
			keys = append(keys, col.Name)
		}
		switch {
		case c.Role == Dimension:
		case meta.Agg != "":
			c.Agg = meta.Agg
		default:
			c.Agg = outputs[i].agg
		}
		if col.Type.IsTime() {
			c.SQLEnd = outputs[i].end
		}
		if c.Label == "" {
			c.Label = Label(col.Name)
		}
		out = append(out, c)
	}
	d.settleAlong(out, keys)
	for _, m := range d.Columns {
		if !m.IsRatio() || slices.ContainsFunc(cols, func(c cube.Column) bool { return c.Name == m.Name }) {
			continue
		}
		c := Column{
			Column: cube.Column{Name: m.Name, Type: cube.Number}, Label: m.Label, Description: m.Description,
			Role: Measure, Ratio: m.Ratio, Format: m.Format, Good: m.Good,
		}
		for _, part := range m.Ratio {
			if p := find(out, part); p == nil || p.Agg == None {
				c.Agg = None
			}
		}
		if c.Label == "" {
			c.Label = Label(m.Name)
		}
		out = append(out, c)
	}
	return out, keys
}

// Meta returns what the spec says of a column, or nil.
func (d *Dataset) Meta(column string) *Meta {
	for i := range d.Columns {
		if d.Columns[i].Name == column {
			return &d.Columns[i]
		}
	}
	return nil
}

// find returns the column called name, or nil.
func find(cols []Column, name string) *Column {
	for i := range cols {
		if cols[i].Name == name {
			return &cols[i]
		}
	}
	return nil
}

// Whole reports whether the query returns all that it groups, as far as its text
// tells: it has no LIMIT, HAVING or the like. The rows of a report are whole.
func (d *Dataset) Whole() bool {
	if d.SQL == "" {
		return true
	}
	list := d.selectList()
	return list != nil && !list.limited
}

// InOrder reports whether the order of the rows is one that somebody wrote, as far as
// the SQL tells: it is left to chance where rows are grouped and no ORDER BY follows.
func (d *Dataset) InOrder() bool {
	list := d.selectList()
	return list == nil || list.ordered || !slices.ContainsFunc(list.outputs, func(o output) bool { return o.aggregate })
}

// function is the aggregate function whose values a column of the rows has, in small
// letters; "" where the SQL does not tell.
func (r *resolved) function(column string) string {
	for i, o := range matchOutputs(r.selectList(), r.cols) {
		if r.cols[i].Name == column {
			return o.function
		}
	}
	return ""
}

// selectList returns what the SQL tells of the columns: read once by Parse.
func (d *Dataset) selectList() *selectList {
	if d.read {
		return d.list
	}
	return readSelect(d.SQL)
}

// matchOutputs pairs the columns of a result with the select list: by position
// where every column is written out, else by name where that is unique. A
// column without partner has agg None.
func matchOutputs(list *selectList, cols []cube.Column) []output {
	out := make([]output, len(cols))
	for i := range out {
		out[i].agg = None
	}
	if list == nil {
		return out
	}
	if !list.star {
		if len(list.outputs) == len(cols) {
			copy(out, list.outputs)
		}
		return out
	}
	for i, c := range cols {
		twice := slices.ContainsFunc(cols[:i], func(o cube.Column) bool { return strings.EqualFold(o.Name, c.Name) }) ||
			slices.ContainsFunc(cols[i+1:], func(o cube.Column) bool { return strings.EqualFold(o.Name, c.Name) })
		for _, o := range list.outputs {
			if !twice && strings.EqualFold(o.name, c.Name) {
				out[i] = o
			}
		}
	}
	return out
}

// dimensionWords are what integers are called that are not for adding up.
var dimensionWords = []string{
	"id", "key", "code", "zip", "postcode", "year", "quarter", "month", "week", "weekday", "day", "dow", "hour", "minute",
}

// role tells what a column is for by its type and, for integers, its name.
func role(col cube.Column, o output) Role {
	switch col.Type {
	case cube.Number:
		return Measure
	case cube.Integer:
		if o.aggregate {
			return Measure
		}
		words := splitWords(col.Name)
		if len(words) == 0 {
			return Measure
		}
		if slices.Contains(dimensionWords, words[len(words)-1]) ||
			len(words) > 1 && slices.Contains(dimensionWords, words[0]) && slices.Contains([]string{"of", "number", "num", "no"}, words[1]) {
			return Dimension
		}
		return Measure
	}
	return Dimension
}

// splitWords cuts a name like order_id, orderID or "Order ID" into lower-case words.
func splitWords(name string) []string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(runes[i-1]) {
			b.WriteByte(' ')
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// Label is how a name is shown where the spec gives no label: revenue_net as
// Revenue net.
func Label(name string) string {
	s := strings.TrimSpace(strings.ReplaceAll(name, "_", " "))
	if s == "" {
		return name
	}
	r := []rune(s)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// InSentence makes a label fit for the middle of a sentence of a language. Only in
// English names of things are written small there and large at the beginning.
func InSentence(l *locale.Locale, label string) string {
	if strings.HasPrefix(l.Lang, "en") {
		return LowerLabel(label)
	}
	return label
}

// LowerLabel makes a label fit for the middle of a sentence: "order value" of
// "Order value", but not "sKU" of "SKU".
func LowerLabel(label string) string {
	r := []rune(label)
	if len(r) > 1 && strings.ToLower(string(r[1])) == string(r[1]) {
		return strings.ToLower(string(r[:1])) + string(r[1:])
	}
	return label
}

package dashboard

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"service/store/dashboard/cube"
	"service/store/dashboard/locale"
)

// Resolve determines the meaning of the dataset's columns, in the order of the query; ratios follow. The spec takes precedence over the
// SQL, and the SQL over the column's type and name. It ignores settings of columns that are not returned: [Spec.Check] reports them.
//
// The agg of a ratio is None if a part of it does not add up, and otherwise "": a ratio is computed after its parts are added up.
func (d *Dataset) Resolve(cols []cube.Column) []Column {
	out, _ := d.resolve(cols)
	return out
}

// ResolveColumns is [Dataset.Resolve] for SQL that is not in a spec.
func ResolveColumns(sql string, cols []cube.Column) []Column {
	d := Dataset{SQL: sql}
	return d.Resolve(cols)
}

// resolve also returns the names of the columns by which the rows are grouped, as far as known: dimensions that are not aggregates.
func (d *Dataset) resolve(cols []cube.Column) (out []Column, keys []string) {
	list := d.selectList()
	outputs := matchOutputs(list, cols)
	followed := sync.OnceValue(func() innerColumns { return d.inner.read(d.SQL) })
	for i, col := range cols {
		meta := Meta{Name: col.Name}
		if m := d.Meta(col.Name); m != nil && !m.IsRatio() {
			meta = *m
		}
		c := Column{
			Column: col, Label: meta.Label, Description: meta.Description, Role: meta.Role, Good: meta.Good,
			Format: meta.format(), Suffix: meta.Unit, Brackets: meta.Brackets, Signed: meta.Signed, Hidden: meta.Hidden,
		}
		if c.Role == "" {
			c.Role = role(col, outputs[i])
			switch {
			case col.Type.IsTime() && (meta.Agg == Min || meta.Agg == Max): // the first or the last of several
				c.Role = Measure
			case col.Type == cube.Integer && meta.Agg != "" && meta.Agg != None: // only measures add up, whatever their names
				c.Role = Measure
			}
		}
		if !outputs[i].aggregate && (c.Role == Dimension || col.Type.IsTime()) { // a date that is a measure distinguishes rows, too
			keys = append(keys, col.Name)
		}
		switch {
		case c.Role == Dimension:
		case meta.Agg != "":
			c.Agg = meta.Agg
		default:
			c.Agg = outputs[i].agg
			c.OfRows = quantiles.MatchString(outputs[i].function)
		}
		if col.Type.IsTime() {
			if c.SQLEnd = outputs[i].end; c.SQLEnd == "" && !outputs[i].perGroup && (list == nil || list.star || outputs[i].plain != "") {
				c.SQLEnd = followed().end(cmp.Or(outputs[i].plain, col.Name))
			}
		}
		if c.Label == "" {
			c.Label = Label(col.Name)
		}
		c.Names = d.namesOf(&c, meta.Labels)
		out = append(out, c)
	}
	d.settleAlong(out, keys)
	for _, m := range d.Columns {
		if !m.IsRatio() || slices.ContainsFunc(cols, func(c cube.Column) bool { return c.Name == m.Name }) {
			continue
		}
		c := Column{
			Column: cube.Column{Name: m.Name, Type: cube.Number}, Label: m.Label, Description: m.Description,
			Role: Measure, Ratio: m.Ratio, Good: m.Good,
			Format: m.format(), Suffix: m.Unit, Brackets: m.Brackets, Signed: m.Signed, Hidden: m.Hidden,
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

// Meta returns the spec's settings of a column, or nil.
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

// Whole reports whether the query returns all its groups, as far as its text shows: it has no LIMIT, HAVING or the like. The rows of a
// report are whole.
func (d *Dataset) Whole() bool {
	if d.SQL == "" && len(d.From) == 0 {
		return true
	}
	list := d.selectList()
	return list != nil && !list.limited
}

// InOrder reports whether the order of the rows is intended, as far as the SQL shows: without ORDER BY, groups have an arbitrary order, and
// so have rows of which the engine removes those that are equal.
func (d *Dataset) InOrder() bool {
	switch list := d.selectList(); {
	case list != nil:
		return list.ordered || !list.groups && !slices.ContainsFunc(list.outputs, func(o output) bool { return o.aggregate })
	case d.read:
		return !d.arbitrary
	}
	return !unordered(d.SQL)
}

// readList reads the select list of a query, and whether its rows have an order.
func (d *Dataset) readList(sql string) {
	d.list, d.read = readSelect(sql), true
	d.arbitrary = d.list == nil && unordered(sql)
}

// function returns the aggregate function of a column, in lower case, or "" if the SQL does not show it.
func (r *resolved) function(column string) string {
	for i, o := range matchOutputs(r.selectList(), r.cols) {
		if r.cols[i].Name == column {
			return o.function
		}
	}
	return ""
}

// selectList returns the select list of the SQL, which Parse reads once.
func (d *Dataset) selectList() *selectList {
	if d.read {
		return d.list
	}
	return readSelect(d.SQL)
}

// matchOutputs pairs the columns of a result with the select list: by position if every column is written out, otherwise by unique name. A
// column without a match has agg None.
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

// dimensionWords occur in names of integers that must not be added up.
var dimensionWords = []string{
	"id", "key", "code", "zip", "postcode", "year", "quarter", "month", "week", "weekday", "day", "dow", "hour", "minute",
}

// role returns the role of a column by its type and, for integers, its name.
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

// splitWords splits a name like order_id, orderID or "Order ID" into lower-case words.
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

// Label returns the label of a name without one in the spec: "Revenue net" for revenue_net, "New MRR" for new_mrr.
func Label(name string) string {
	s := strings.TrimSpace(strings.ReplaceAll(name, "_", " "))
	if s == "" {
		return name
	}
	words := strings.Split(s, " ")
	for i, w := range words {
		if slices.Contains(initialisms, w) {
			words[i] = strings.ToUpper(w)
		} else if unit, ok := writtenUnits[w]; ok {
			words[i] = unit
		}
	}
	r := []rune(strings.Join(words, " "))
	if writtenUnits[strings.ToLower(words[0])] != words[0] {
		r[0] = unicode.ToUpper(r[0])
	}
	return string(r)
}

// writtenUnits are units of energy and power as they are written, by their names in small letters.
var writtenUnits = map[string]string{"kwh": "kWh", "mwh": "MWh", "gwh": "GWh", "twh": "TWh", "kw": "kW", "mw": "MW", "gw": "GW"}

// initialisms are words of names that people write in capitals. None of them is also a word in small letters.
var initialisms = []string{
	"mrr", "arr", "arpu", "aov", "gmv", "ltv", "cac", "roi", "roas", "ctr", "cpc", "cpm", "csat", "nps", "sla", "kpi", "ebitda", "gdp", "vat",
	"id", "url", "uri", "ip", "api", "sql", "cpu", "gpu", "ram", "sku", "ean", "isbn", "iban", "bmi", "co2",
	"usd", "eur", "gbp", "chf",
}

// InSentence returns a label for the middle of a sentence. Only English labels on English pages are changed, to lower case: labels of a
// page in another language are in that language, even if the texts are English.
func InSentence(l *locale.Locale, label string) string {
	if strings.HasPrefix(l.Lang, "en") && strings.HasPrefix(l.Tag, "en") {
		return LowerLabel(label)
	}
	return label
}

// capitals are the English words that begin with a capital in the middle of a sentence too: months, weekdays and a pronoun.
var capitals = []string{
	"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
	"Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Nov", "Dec",
	"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "I",
}

// LowerLabel returns a label for the middle of a sentence: "order value" for "Order value", but not "sKU" for "SKU" or "october" for
// "October".
func LowerLabel(label string) string {
	first, _, _ := strings.Cut(label, " ")
	if slices.Contains(capitals, first) {
		return label
	}
	r := []rune(first)
	if len(r) > 1 && strings.ToLower(string(r[1])) == string(r[1]) {
		return strings.ToLower(string(r[:1])) + strings.TrimPrefix(label, string(r[:1]))
	}
	return label
}

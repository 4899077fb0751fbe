package dashboard

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"service/store/dashboard/cube"
	"service/store/dashboard/locale"
)

// Natural is the order in which people expect the values of a column: times, numbers and booleans (true first) by value; names of weekdays
// and of months, in any language, as in the calendar; text that measures something by its numbers ("under $10k", "$15–25k", "over $200k";
// "2013/14"); other text in the order of the locale. NULL is last.
type Natural struct {
	Ordered bool // the values are steps of a scale rather than names

	locale   *locale.Locale
	place    map[string]int       // of names of a calendar
	measured bool                 // the texts measure something
	amount   map[string][]float64 // the numbers in such texts, if these are few
	yearLast bool                 // the texts are periods of years, such as Q1 2026
	named    bool                 // letters after numbers are names, as in 8A, 8B and 8C, not factors, as in 8B for eight billion
	names    map[string]string    // the names of texts, which are in their order; nil without names
}

// maxSteps is how many different texts can be steps of a scale. If there are more, they are names with numbers in them: house numbers,
// codes, titles. Their order is the same.
const maxSteps = 60

// maxAmounts is for how many texts the numbers in them are kept.
const maxAmounts = 5000

// NaturalOrder returns the natural order of all values of a column.
func NaturalOrder(c *cube.Cube, column string, l *locale.Locale) *Natural {
	n := &Natural{locale: l}
	i := c.Index(column)
	if i < 0 {
		return n
	}
	if c.Columns()[i].Type != cube.Text {
		n.Ordered = true
		return n
	}
	n.look(c.Texts(column))
	return n
}

// NaturalOrderOfNames is [NaturalOrder] for a column whose values can have names: texts with names are in the order of these.
func NaturalOrderOfNames(c *cube.Cube, column *Column, l *locale.Locale) *Natural {
	i := c.Index(column.Name)
	if i < 0 || len(column.Names) == 0 || c.Columns()[i].Type != cube.Text {
		return NaturalOrder(c, column.Name, l)
	}
	n := &Natural{locale: l, names: column.Names}
	texts := c.Texts(column.Name)
	names := make([]string, len(texts))
	for i, s := range texts {
		names[i] = n.Name(s)
	}
	n.look(names)
	return n
}

// Name returns the name of a text, or the text if it has none.
func (n *Natural) Name(text string) string {
	if name, ok := n.names[text]; ok {
		return name
	}
	return text
}

// NaturalOrderOf is [NaturalOrder] for values of several cubes.
func NaturalOrderOf(values []any, l *locale.Locale) *Natural {
	n := &Natural{locale: l, Ordered: true}
	var texts []string
	for _, v := range values {
		if s, ok := v.(string); ok {
			texts = append(texts, s)
		}
	}
	if texts != nil {
		n.look(texts)
	}
	return n
}

// look determines the kind of the texts.
func (n *Natural) look(texts []string) {
	n.Ordered = false
	if len(texts) < 2 {
		return
	}
	if places, of := locale.CalendarOrder(texts); of != locale.NoName {
		n.place = map[string]int{}
		for i, s := range texts {
			n.place[s] = places[i]
		}
	} else if n.measured = measure(texts); n.measured {
		n.yearLast = !slices.ContainsFunc(texts, func(s string) bool { return !isPeriodOfYear(s) })
		n.named = slices.ContainsFunc(texts, hasNameAfterNumber)
		if len(texts) <= maxAmounts {
			n.amount = make(map[string][]float64, len(texts))
			for _, s := range texts {
				n.amount[s] = n.numbersIn(s)
			}
		}
	}
	n.Ordered = (n.place != nil || n.measured) && len(texts) <= maxSteps
}

// Amounts returns the numbers by which a text of the column is ordered. ok is false if numbers do not order the texts.
func (n *Natural) Amounts(s string) (numbers []float64, ok bool) {
	if !n.measured {
		return nil, false
	}
	return n.amounts(n.Name(s)), true
}

// amounts returns the numbers in a text, which is shown as it is.
func (n *Natural) amounts(s string) []float64 {
	numbers, ok := n.amount[s]
	if !ok {
		numbers = n.numbersIn(s)
	}
	return numbers
}

// numbersIn returns the numbers in a text in the order in which they are compared: the year of a period is first.
func (n *Natural) numbersIn(s string) []float64 {
	numbers := numbersIn(s, !n.named)
	if n.yearLast {
		slices.Reverse(numbers)
	}
	return numbers
}

// isPeriodOfYear reports whether a text is a letter, a number of one or two digits, and a year, such as Q1 2026, H2-2026 or W5/2026.
func isPeriodOfYear(s string) bool {
	letter, size := utf8.DecodeRuneInString(s)
	number, year := strings.TrimRight(s[size:], "0123456789"), ""
	if year = s[size+len(number):]; !unicode.IsLetter(letter) || len(year) != 4 || year < "1900" || year > "2199" {
		return false
	}
	number = strings.TrimRight(number, " -–/.")
	_, err := strconv.ParseUint(number, 10, 64)
	return err == nil && len(number) <= 2 && size+len(number) < len(s)-len(year)
}

// CompareAmounts orders two texts by the numbers in them; a text without a number is last.
func CompareAmounts(a, b []float64) int {
	if len(a) == 0 || len(b) == 0 {
		return cmp.Compare(len(b), len(a))
	}
	return slices.Compare(a, b)
}

// Compare orders two values of the column.
func (n *Natural) Compare(a, b any) int {
	x, ok := a.(string)
	y, also := b.(string)
	if !ok || !also {
		return compareValues(a, b)
	}
	if n.names != nil {
		x, y = n.Name(x), n.Name(y)
	}
	switch {
	case x == y:
		return 0
	case n.place != nil:
		if order := cmp.Compare(n.place[x], n.place[y]); order != 0 {
			return order
		}
	case n.measured:
		if order := CompareAmounts(n.amounts(x), n.amounts(y)); order != 0 {
			return order
		}
	}
	if n.locale == nil {
		return strings.Compare(x, y)
	}
	return n.locale.Compare(x, y)
}

// Keys prepares texts for comparisons by the locale alone. They must be in the order of their bytes.
func (n *Natural) Keys(texts []string) *locale.Keys { return n.locale.Keys(texts) }

// compareValues orders values of one type; NULL is last.
func compareValues(a, b any) int {
	switch a := a.(type) {
	case int64, float64, cube.Decimal:
		if order, ok := cube.Compare(a, b); ok {
			return order
		}
	case bool:
		if b, ok := b.(bool); ok {
			return cmp.Compare(truth(b), truth(a)) // Yes before No
		}
	case time.Time:
		if b, ok := b.(time.Time); ok {
			return a.Compare(b)
		}
	}
	return cmp.Compare(truth(a == nil), truth(b == nil))
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// measure reports whether texts measure something: most begin with a number, a currency, a sign or the letter of a period, as "2013/14",
// "$15–25k", "> 5 days" and "Q3 2026" do. Up to three can begin or even end in words, such as "under $10k" and "no answer".
func measure(texts []string) bool {
	words := 0
	for _, s := range texts {
		if !beginsWithNumber(s) {
			if words++; words > 3 {
				return false
			}
		}
	}
	return words < len(texts)-words
}

// beginsWithNumber reports whether only signs, and at most one letter, precede the first digit.
func beginsWithNumber(s string) bool {
	letters := 0
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			return true
		case unicode.IsLetter(r):
			if letters++; letters > 1 {
				return false
			}
		}
	}
	return false
}

// hasNameAfterNumber reports whether a capital letter that is no factor follows a number in s, as in 8A or 12C.
func hasNameAfterNumber(s string) bool {
	for i := range len(s) - 1 {
		if isDigit(s[i]) && s[i+1] >= 'A' && s[i+1] <= 'Z' && wordAt(s[i+1:]) == s[i+1:i+2] && unit(s[i+1:]) == 1 {
			return true
		}
	}
	return false
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// numbersIn returns the numbers in a text. With factors they are multiplied by the thousand, million or billion of a letter after them; in
// a range such as 15–25k the letter applies to both.
func numbersIn(s string, factors bool) []float64 {
	var out []float64
	bare := -1 // the number before, if only a dash follows it
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r < '0' || r > '9' {
			if bare >= 0 && !strings.ContainsRune("-–—$€£¥ ", r) {
				bare = -1
			}
			i += size
			continue
		}
		end := i
		digit := func(at int) bool { return at < len(s) && isDigit(s[at]) }
		for digit(end) || end < len(s) && (s[end] == '.' || s[end] == ',') && digit(end+1) {
			end++
		}
		times := 1.0
		if factors {
			times = unit(s[end:])
		}
		if times > 1 && bare >= 0 {
			out[bare] *= times
		}
		if parts := partsOf(s[i:end]); len(parts) > 1 {
			out = append(out, parts[:len(parts)-1]...)
			out = append(out, parts[len(parts)-1]*times)
		} else {
			out = append(out, amount(s[i:end])*times)
		}
		bare = -1
		if times == 1 {
			bare = len(out) - 1
		}
		i = end
	}
	return out
}

// partsOf returns the numbers of digits with several separators that do not group thousands: of an address (10.0.0.2), a date (24.12.2026),
// a version. It returns nil for one number, as amount reads it.
func partsOf(s string) []float64 {
	fields := strings.FieldsFunc(s, func(r rune) bool { return r == '.' || r == ',' })
	if len(fields) < 3 {
		return nil
	}
	first, last := strings.IndexAny(s, ".,"), strings.LastIndexAny(s, ".,")
	grouped := strings.Count(s[first:last], s[first:first+1]) == len(fields)-2 && len(fields[0]) <= 3 && fields[0][0] != '0'
	for i, digits := range fields[1:] {
		grouped = grouped && (len(digits) == 3 || i == len(fields)-2 && s[first] != s[last])
	}
	if grouped {
		return nil
	}
	out := make([]float64, len(fields))
	for i, digits := range fields {
		out[i] = amount(digits)
	}
	return out
}

// amount reads digits with commas or points: a separator groups thousands if three digits follow it each time, as in 1,500 and 1.000.000;
// otherwise it is the decimal separator.
func amount(s string) float64 {
	last := strings.LastIndexAny(s, ".,")
	switch {
	case last < 0:
	case len(s)-last-1 == 3 && s[:last] != "0" && !(s[last] == '.' && strings.Count(s, ".") == 1 && !strings.Contains(s, ",")):
		s = strings.NewReplacer(".", "", ",", "").Replace(s)
	default:
		s = strings.NewReplacer(".", "", ",", "").Replace(s[:last]) + "." + s[last+1:]
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return v
}

// unit returns the factor of a letter after a number.
func unit(rest string) float64 {
	switch wordAt(rest) {
	case "k", "K":
		return 1e3
	case "M", "mn", "Mio":
		return 1e6
	case "B", "G", "bn", "Mrd":
		return 1e9
	case "T", "tn":
		return 1e12
	}
	return 1
}

// wordAt returns the letters at the beginning of s.
func wordAt(s string) string {
	for i, r := range s {
		if !unicode.IsLetter(r) {
			return s[:i]
		}
	}
	return s
}

// ValueKey returns the key of a value of a dimension: a time in RFC 3339, others in the form of [cube.Label]. NULL has no key.
func ValueKey(v any) string {
	if t, ok := v.(time.Time); ok {
		return t.Format(time.RFC3339)
	}
	return cube.Label(v)
}

// coloredValues returns the values of a column in all cubes, in the form of [ValueKey] and in the order in which they choose their colours:
// the natural order or, if there are more values than colours, the largest ones before the rest.
func (s *Spec) coloredValues(column string, cubes map[string]*cube.Cube) []string {
	l := locale.For(s.Locale)
	var out []string
	seen := map[string]bool{}
	for i := range s.Datasets {
		d := &s.Datasets[i]
		c := cubes[d.ID]
		if c == nil || c.Index(column) < 0 {
			continue
		}
		q := cube.Query{By: []cube.Dim{{Column: column, Zone: s.Location()}}}
		if m := s.sizeOf(column, d, c); m != nil {
			q.Measures = append(q.Measures, *m)
		}
		g := c.Group(c.Select(), q)
		values := slices.DeleteFunc(ranked(g, len(q.Measures) > 0), func(v any) bool { return v == nil })
		natural := NaturalOrder(c, column, l)
		slices.SortStableFunc(values[:min(len(values), len(Palette))], natural.Compare)
		for _, v := range values {
			if key := ValueKey(v); !seen[key] {
				seen[key] = true
				out = append(out, key)
			}
		}
	}
	return out
}

// ranked returns the values of the single dimension of g, the largest first, by a measure or by the number of rows. The order of equal ones
// does not depend on the order of the rows.
func ranked(g *cube.Groups, measured bool) []any {
	size := make([]float64, len(g.Axes[0]))
	for i := range g.Len() {
		size[g.At(i, 0)] = float64(g.Rows(i))
		if measured {
			size[g.At(i, 0)], _ = g.Value(i, 0)
		}
	}
	order := make([]int, len(size))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(size[b], size[a]), strings.Compare(ValueKey(g.Axes[0][a].Value), ValueKey(g.Axes[0][b].Value)))
	})
	out := make([]any, len(order))
	for i, at := range order {
		out[i] = g.Axes[0][at].Value
	}
	return out
}

// sizeOf returns the measure that adds up in the first panel that shows the values of a column in colours, or nil.
func (s *Spec) sizeOf(column string, d *Dataset, c *cube.Cube) *cube.Measure {
	for i := range s.Panels {
		p := &s.Panels[i]
		name := p.Value
		if p.Type != Pie && len(p.Y) > 0 {
			name = p.Y[0]
		}
		if p.colors() != column || p.Data != d.ID && p.Data != "" {
			continue
		}
		if col := find(d.Resolve(c.Columns()), name); col != nil && col.sums() {
			return &cube.Measure{Column: name, Agg: cube.Agg(col.Agg), Along: col.Along}
		}
	}
	return nil
}

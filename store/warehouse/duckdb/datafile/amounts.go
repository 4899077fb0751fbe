package datafile

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"service/store/dashboard/cube"
)

// parts are the parts of an amount such as "-$1,234.50", "(1.234,50 €)" or "12.5 %".
type parts struct {
	minus   bool
	long    bool // the minus is U+2212
	plus    bool
	bracket bool   // (5) is -5
	mark    string // of the currency, or ""
	after   bool   // the mark follows the number
	percent bool
	dash    bool   // "$ -", as workbooks write zero
	body    string // digits and their separators
}

// currencies are the marks that are recognized, each with the name of its currency. "$" and "¥" are signs of several currencies, so their
// codes are not the same.
var currencies = [][2]string{
	{"$", "$"}, {"€", "€"}, {"£", "£"}, {"¥", "¥"}, {"USD", "USD"}, {"EUR", "€"}, {"GBP", "£"}, {"JPY", "JPY"},
}

const currencyList = "$ € £ ¥ USD EUR GBP JPY"

// dissect splits an amount into its parts. It returns false for any other text.
func dissect(s string) (p parts, ok bool) {
	if len(s) > 60 {
		return p, false
	}
	for before := -1; before != len(s); {
		s = strings.TrimFunc(s, unicode.IsSpace)
		if before = len(s); s == "" {
			return p, false
		}
		switch r, n := utf8.DecodeRuneInString(s); {
		case (r == '-' || r == '−') && len(s) > n && !p.minus && !p.plus:
			p.minus, p.long = true, r == '−'
			s = s[n:]
		case r == '+' && !p.minus && !p.plus:
			p.plus = true
			s = s[n:]
		case r == '(' && strings.HasSuffix(s, ")") && !p.bracket:
			p.bracket = true
			s = s[1 : len(s)-1]
		case strings.HasSuffix(s, "%") && !p.percent:
			p.percent = true
			s = s[:len(s)-1]
		case !isDigit(s[0]) || !isDigit(s[len(s)-1]):
			s = p.cutCurrency(s)
		}
	}
	if p.bracket && (p.minus || p.plus) || p.percent && p.mark != "" {
		return p, false
	}
	if p.dash = p.mark != "" && (s == "-" || s == "–"); p.dash {
		return p, !p.minus && !p.plus && !p.bracket
	}
	p.body = s
	return p, isBody(s)
}

// isBody reports whether s consists of digits and separators.
func isBody(s string) bool {
	for i, r := range s {
		if r >= '0' && r <= '9' {
			continue
		}
		if i > 0 && !separates(r) || i == 0 && r != '.' && r != ',' {
			return false
		}
	}
	return s != "" && isDigit(s[len(s)-1])
}

// separates reports whether r may separate the digits of a number.
func separates(r rune) bool { return strings.ContainsRune(".,'’ \u00a0\u202f\u2009", r) }

// cutCurrency cuts the mark of a currency off s. Without one, s stays as it is.
func (p *parts) cutCurrency(s string) string {
	if p.mark != "" {
		return s
	}
	for _, c := range currencies {
		rest, before := strings.CutPrefix(s, c[0])
		if !before {
			rest = strings.TrimSuffix(s, c[0])
		}
		if len(rest) < len(s) {
			p.mark, p.after = c[1], !before
			return rest
		}
	}
	return s
}

// hasUnits reports whether a column consists of numbers, some of them with a short word or sign such as "CHF 7" or "12 kg".
func (c column) hasUnits() bool {
	some, ok := false, true
	c.each(func(_ int, v cell) bool {
		s := strings.TrimSpace(v.text)
		if v.kind == failed || isMissing(s) {
			return true
		}
		digit := func(r rune) bool { return r >= '0' && r <= '9' }
		start, end := strings.IndexFunc(s, digit), strings.LastIndexFunc(s, digit)+1
		if ok = end > 0 && isBody(s[start:end]) && len(s) < 60; !ok {
			return false
		}
		unit := strings.Trim(s[:start]+s[end:], " -")
		sign := strings.ContainsFunc(unit, func(r rune) bool { return unicode.Is(unicode.Sc, r) })
		apart := sign || strings.HasSuffix(s[:start], " ") || strings.HasPrefix(s[end:], " ")
		ok = unit == "" || apart && utf8.RuneCountInString(unit) <= 4
		some = some || unit != ""
		return ok
	})
	return some && ok
}

// trailingMinus reports whether a column consists of numbers, some of them with the minus behind them, as SAP writes it.
func (c column) trailingMinus() bool {
	some, ok := false, true
	c.each(func(_ int, v cell) bool {
		s := strings.TrimSpace(v.text)
		if v.kind == failed || isMissing(s) {
			return true
		}
		s, behind := strings.CutSuffix(s, "-")
		p, fits := dissect(s)
		some, ok = some || behind, fits && !(behind && (p.minus || p.bracket))
		return ok
	})
	return some && ok
}

// normal writes the number as plain digits, given its decimal sign, a dot or a comma. It returns false if that is impossible.
func (p parts) normal(decimal byte) (string, bool) {
	if p.dash {
		return "0", true
	}
	whole, fraction, has := strings.Cut(p.body, string(decimal))
	if has && !allDigits(fraction) {
		return "", false
	}
	group := rune(0)
	var pieces []string
	start := 0
	for i, r := range whole {
		if !separates(r) {
			continue
		}
		if group != 0 && r != group {
			return "", false
		}
		group = r
		pieces = append(pieces, whole[start:i])
		start = i + utf8.RuneLen(r)
	}
	pieces = append(pieces, whole[start:])
	if len(pieces) > 1 && !grouped(pieces) {
		return "", false
	}
	s := strings.Join(pieces, "")
	if s == "" && has {
		s = "0"
	}
	if !allDigits(s) || len(s) > 1 && s[0] == '0' {
		return "", false
	}
	if has {
		s += "." + fraction
	}
	if p.minus || p.bracket {
		s = "-" + s
	}
	if p.percent {
		s += "e-2"
	}
	return s, true
}

// grouped reports whether the pieces of a number are groups of three digits.
func grouped(pieces []string) bool {
	for i, piece := range pieces {
		if n := len(piece); n == 0 || n > 3 || n < 3 && i > 0 {
			return false
		}
	}
	return true
}

// A tally counts the properties of the amounts of a column.
type tally struct {
	all      int
	marks    []string
	marked   int
	after    int      // with the mark after the number
	bare     examples // neither marked nor zero nor percent
	percents int
	brackets int
	dashes   int
	decimals int           // have a fraction, with either decimal sign
	both     bool          // a value has a dot and a comma
	strong   bool          // a separator can only be of thousands
	group    string        // the separators of thousands other than dots and commas
	has      map[byte]bool // dots, commas
	minus    bool          // a value has the sign − (U+2212)
	neither  int           // the first row whose value cannot be read with either sign
	dot      bool          // all can be read with a decimal dot
	comma    bool          // all can be read with a decimal comma
}

// tally dissects all values of a column. It returns nil if one is not an amount.
func (c column) tally(s *inferred) *tally {
	t := &tally{dot: true, comma: true, has: map[byte]bool{}}
	ok := true
	c.each(func(n int, v cell) bool {
		if s.misses(n, v) {
			return true
		}
		var p parts
		if p, ok = dissect(v.text); !ok {
			return false
		}
		t.take(n, p)
		return true
	})
	if !ok || t.all == 0 {
		return nil
	}
	return t
}

func (t *tally) take(n int, p parts) {
	t.all++
	switch {
	case p.mark != "":
		t.marked++
		if p.after {
			t.after++
		}
		if !slices.Contains(t.marks, p.mark) {
			t.marks = append(t.marks, p.mark)
		}
	case p.percent:
		t.percents++
	case strings.Trim(p.body, "0.,") != "":
		t.bare.add(n)
	}
	if p.bracket {
		t.brackets++
	}
	t.minus = t.minus || p.long
	if p.dash {
		t.dashes++
		return
	}
	dot, comma := strings.Contains(p.body, "."), strings.Contains(p.body, ",")
	t.both = t.both || dot && comma
	t.has['.'] = t.has['.'] || dot
	t.has[','] = t.has[','] || comma
	for _, r := range p.body {
		if separates(r) && r != '.' && r != ',' {
			t.group = string(r)
			t.strong = t.strong || r != ' '
		}
	}
	byDot, okDot := p.normal('.')
	byComma, okComma := p.normal(',')
	t.dot = t.dot && okDot
	t.comma = t.comma && okComma
	if t.neither == 0 && !okDot && !okComma {
		t.neither = n
	}
	if okDot && strings.Contains(byDot, ".") || okComma && strings.Contains(byComma, ".") {
		t.decimals++
	}
}

// amounts reads a column of amounts of one currency, of percentages, or of numbers with separators. It returns nil for any other column,
// with the reason if most values fit.
func (c column) amounts() (s *inferred, why string) {
	s = &inferred{}
	t := c.tally(s)
	switch {
	case t == nil:
		return nil, ""
	case len(t.marks) > 1:
		return nil, "it is text: it has amounts in several currencies, " + strings.Join(t.marks[:min(len(t.marks), 5)], " and ")
	case t.percents > 0 && (t.marked > 0 || t.bare.count > 0):
		return nil, "it is text: some values have a percent sign and others have none"
	case t.marked > 0 && t.bare.count > t.marked:
		return nil, "it is text: most values have no sign of a currency, but some have"
	case t.marked > 0 || t.percents > 0 || t.both || t.strong || t.minus ||
		t.group != "" && t.decimals > 0 || t.brackets > 0 && t.brackets < t.all:
	default:
		return nil, t.code(c.written)
	}
	decimal := byte('.')
	switch {
	case t.neither > 0:
		return nil, fmt.Sprintf("it is text: the number in row %d is not written like 1,234.5 or 1.234,5", t.neither)
	case !t.dot && !t.comma:
		return nil, "it is text: its numbers are not all written in one way"
	case !t.dot:
		decimal = ','
	case !t.comma:
	case c.decimal != 0:
		decimal = c.decimal
	case c.comma || t.after*2 > t.marked:
		decimal = ','
	}
	s.amount = true
	s.comma = decimal == ',' && t.has[',']
	normal := func(text string) (string, bool) {
		p, ok := dissect(text)
		if !ok || p.plus && p.mark == "" && !p.percent {
			return "", false
		}
		return p.normal(decimal)
	}
	s.normal = normal
	for _, s.kind = range []cube.Type{cube.Integer, cube.Number} {
		s.read = parser(s.kind, normal)
		fits := true
		c.each(func(_ int, v cell) bool {
			_, fits = s.read(v.text)
			fits = fits || s.isMissing(v)
			return fits
		})
		if fits {
			s.notes = append(s.notes, t.notes(decimal)...)
			switch {
			case t.marked > 0:
				s.unit = t.marks[0]
			case t.percents > 0:
				s.unit = "%"
			}
			return s, ""
		}
	}
	return nil, ""
}

// code returns the reason why values that look like numbers stay text: each could be a code. It returns "" if they do not look so. written
// reports that the file is a delimited text.
func (t *tally) code(written bool) string {
	switch {
	case t.brackets > 0:
		return "it is text: all its numbers are in brackets, which may not mean minus"
	case t.neither > 0 && t.has[','] && !t.has['.'] && t.group == "":
		return fmt.Sprintf("it is text: the commas in row %d do not separate thousands or a fraction", t.neither)
	case t.neither > 0:
		return ""
	case t.group != "":
		return "it is text: its numbers have spaces between digits, as codes do, and no fraction"
	case t.has['.'] && !t.dot:
		return "it is text: its numbers have dots between thousands, and no column of the file has a decimal comma"
	case t.has[','] && !t.dot && written:
		return "it is text: its numbers have a decimal comma, which is read if another sign separates the columns"
	case t.has[','] && !t.dot:
		return "it is text: its numbers have a decimal comma and are stored as text"
	}
	return ""
}

func (t *tally) notes(decimal byte) (out []string) {
	other := byte(',')
	if decimal == ',' {
		other = '.'
	}
	written := ""
	switch {
	case t.group != "":
		written = "written like 1" + t.group + "234" + string(decimal) + "5"
	case t.has[other]:
		written = "written like 1" + string(other) + "234" + string(decimal) + "5"
	case decimal == ',' && t.has[',']:
		written = "written like 1234,5"
	}
	switch {
	case t.marked > 0:
		out = append(out, strings.TrimSuffix("amounts in "+t.marks[0]+" read as numbers, "+written, ", "))
	case t.percents > 0:
		note := "percentages read as shares of one, as the percent formats want them: 12.5 % is 0.125, "
		out = append(out, strings.TrimSuffix(note+written, ", "))
	case written != "":
		out = append(out, "numbers "+written)
	}
	if sign := map[byte]string{'.': "dot", ',': "comma"}; t.dot && t.comma && t.has[other] {
		out = append(out, "the "+sign[other]+" is taken to separate thousands; it could be the decimal sign")
	} else if t.dot && t.comma && t.has[decimal] {
		out = append(out, "the "+sign[decimal]+" is taken for the decimal sign; it could separate thousands")
	}
	if t.marked > 0 && t.bare.count > 0 {
		out = append(out, fmt.Sprintf("%s taken to be in the same currency without its sign, the first in row %d",
			counted(t.bare.count, "value is", "values are"), t.bare.first[0]))
	}
	if t.brackets > 0 {
		out = append(out, "numbers in brackets read as negative")
	}
	if t.minus {
		out = append(out, "the sign − (U+2212) is read as minus")
	}
	if t.dashes > 0 {
		out = append(out, "a dash beside the sign of the currency read as 0")
	}
	return out
}

package datafile

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"service/store/dashboard/cube"
)

// parts are what an amount such as "-$1,234.50", "(1.234,50 €)" or "12.5 %" is
// made of.
type parts struct {
	minus   bool
	plus    bool
	bracket bool   // (5) is -5
	mark    string // of the currency, "" when there is none
	after   bool   // the mark follows the number
	percent bool
	dash    bool   // "$ -", which is how workbooks write zero
	body    string // digits and what separates them
}

// currencies are the marks that are understood, the longest first, and what else
// they are called. Codes that are English words are not among them.
var currencies = func() (out [][2]string) {
	for _, s := range strings.Fields("US$=USD CA$=CAD AU$=AUD NZ$=NZD HK$=HKD NT$=TWD MX$=MXN CN¥=CNY A$=AUD C$=CAD S$=SGD R$=BRL " +
		"$ € £ ¥ ₹ ₩ ₽ ₺ ₫ ₴ ₦ ₱ ₪ ฿ ₡ ₲ ₵ ₸ ₾ zł=PLN Kč=CZK kr kr. Fr. Ft=HUF SFr.=CHF Rs Rs. Rp=IDR RM=MYR " +
		"USD EUR=€ GBP=£ JPY CHF CNY RMB=CNY CAD AUD NZD SEK NOK DKK ISK PLN CZK HUF BGN RSD UAH=₴ RUB=₽ INR=₹ PKR BDT LKR " +
		"BRL MXN ARS CLP COP UYU ZAR NGN=₦ KES GHS EGP MAD TND ILS=₪ AED SAR QAR KWD BHD OMR JOD SGD HKD TWD KRW=₩ THB=฿ IDR MYR PHP=₱ VND=₫ KZT=₸ ") {
		mark, same, ok := strings.Cut(s, "=")
		if !ok {
			same = mark
		}
		out = append(out, [2]string{mark, same})
	}
	slices.SortStableFunc(out, func(a, b [2]string) int { return len(b[0]) - len(a[0]) })
	return out
}()

// dissect takes an amount apart. It is false for what is none.
func dissect(s string) (p parts, ok bool) {
	if len(s) > 60 {
		return p, false
	}
	for {
		before := len(s)
		s = strings.TrimFunc(s, unicode.IsSpace)
		if s == "" {
			return p, false
		}
		switch r, n := utf8.DecodeRuneInString(s); {
		case (r == '-' || r == '−') && len(s) > n && !p.minus && !p.plus:
			p.minus = true
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
		default:
			if isDigit(s[0]) && isDigit(s[len(s)-1]) {
				break
			}
			if s, ok = p.currency(s); !ok {
				return p, false
			}
		}
		if len(s) == before {
			break
		}
	}
	if p.bracket && (p.minus || p.plus) || p.percent && p.mark != "" {
		return p, false
	}
	if p.dash = p.mark != "" && (s == "-" || s == "–"); p.dash {
		return p, !p.minus && !p.plus && !p.bracket
	}
	for i, r := range s {
		if r >= '0' && r <= '9' {
			continue
		}
		if i > 0 && !separates(r) || i == 0 && r != '.' && r != ',' {
			return p, false
		}
	}
	p.body = s
	return p, isDigit(s[len(s)-1])
}

// separates tells whether r may stand between the digits of a number.
func separates(r rune) bool { return strings.ContainsRune(".,'’ \u00a0\u202f\u2009", r) }

// currency cuts the mark of a currency off s; s is as it was when there is none
// and may still be a number.
func (p *parts) currency(s string) (rest string, ok bool) {
	for _, c := range currencies {
		mark := c[0]
		rest, before := strings.CutPrefix(s, mark)
		if !before {
			if rest, ok = strings.CutSuffix(s, mark); !ok {
				continue
			}
		}
		if rest == "" {
			return s, false
		}
		// A code within a word is none.
		next, _ := utf8.DecodeRuneInString(rest)
		if !before {
			next, _ = utf8.DecodeLastRuneInString(rest)
		}
		if first, _ := utf8.DecodeRuneInString(mark); unicode.IsLetter(first) && unicode.IsLetter(next) {
			continue
		}
		switch {
		case p.mark == "":
			p.mark, p.after = c[1], !before
		case p.mark == "$" && !before: // $5.00 USD
			p.mark = c[1]
		default:
			return s, false
		}
		return rest, true
	}
	return s, true
}

// normal writes the number as plain digits, given its decimal sign, a dot or a
// comma. It is false when the number cannot be written so.
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
	if !grouped(pieces, group) {
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

// grouped tells whether the pieces of a number are groups of three digits, or,
// as in India, of two with a last one of three.
func grouped(pieces []string, separator rune) bool {
	last := len(pieces) - 1
	if last == 0 {
		return true
	}
	three, two := true, separator == ','
	for i, piece := range pieces {
		n := len(piece)
		three = three && (i > 0 && n == 3 || i == 0 && n >= 1 && n <= 3)
		two = two && (i == last && n == 3 || i > 0 && i < last && n == 2 || i == 0 && n >= 1 && n <= 2)
	}
	return three || two
}

// A tally is what the amounts of a column have in common.
type tally struct {
	all      int
	marks    []string
	marked   int
	after    int    // marked with the mark behind
	bare     places // neither marked nor zero nor percent
	percents int
	brackets int
	dashes   int
	decimals int           // have a fraction, whatever its sign
	both     bool          // a value has a dot and a comma
	strong   bool          // thousands separated by what stands nowhere else
	group    string        // what else separates thousands
	has      map[byte]bool // dots, commas
	dot      bool          // all can be read with a decimal dot
	comma    bool          // all can be read with a decimal comma
}

// tally takes all values of a column apart; it is nil when one is no amount.
func (c column) tally(s *settled) *tally {
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
	if okDot && strings.Contains(byDot, ".") || okComma && strings.Contains(byComma, ".") {
		t.decimals++
	}
}

// amounts settles a column of amounts of one currency, of percentages, or of
// numbers that are written as in books. It is nil when the column is none, and
// says why when it nearly is.
func (c column) amounts() (s *settled, why string) {
	s = &settled{}
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
	case t.marked > 0 || t.percents > 0 || t.both || t.strong ||
		t.group != "" && t.decimals > 0 || t.brackets > 0 && t.brackets < t.all:
	default:
		return nil, ""
	}
	decimal := byte('.')
	switch {
	case !t.dot && !t.comma:
		return nil, "it is text: its numbers are not all written in one way"
	case !t.dot, t.comma && (c.comma || t.after*2 > t.marked):
		decimal = ','
	}
	s.comma = decimal == ',' && t.has[',']
	normal := func(text string) (string, bool) {
		p, ok := dissect(text)
		if !ok || p.plus && p.mark == "" && !p.percent {
			return "", false
		}
		return p.normal(decimal)
	}
	for _, s.kind = range []cube.Type{cube.Integer, cube.Number} {
		s.read, s.normal = parser(s.kind, normal), normal
		fits := true
		c.each(func(_ int, v cell) bool {
			_, fits = s.read(v.text)
			fits = fits || s.isMissing(v)
			return fits
		})
		if fits {
			s.notes = append(s.notes, t.notes(decimal)...)
			return s, ""
		}
	}
	return nil, ""
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
		out = append(out, strings.TrimSuffix("percentages read as shares of one, as the percent formats want them: 12.5 % is 0.125, "+written, ", "))
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
	if t.dashes > 0 {
		out = append(out, "a dash beside the sign of the currency read as 0")
	}
	return out
}

package datafile

import (
	"math"
	"strconv"
	"strings"
)

// A look is how a number format shows the numbers of a cell (ECMA-376 part 1, 18.8.31): up to three sections, for numbers above zero, below
// and zero, or for those that meet a condition.
type look struct{ sections []section }

// A section is one part of a number format.
type section struct {
	condition func(float64) bool // nil if the section has no condition
	parts     []part             // the text of a code: digits and literal signs
	date      bool
	code      bool // a code such as a postcode or a telephone number, not a quantity
	padded    bool // a code that differs from the plain number only by zeros before it
}

// A part is the position of a digit ('0', '#' or '?') or a literal sign.
type part struct {
	sign  rune
	digit bool
}

// dateLook is the look of formats that every workbook has for dates.
var dateLook = look{[]section{{date: true}}}

// lookOf reads a number format.
func lookOf(format string) look {
	var l look
	for len(l.sections) < 3 {
		s, rest, more := readSection(format)
		l.sections = append(l.sections, s)
		if !more {
			break
		}
		format = rest
	}
	return l
}

// readSection reads a format up to the semicolon that ends its first section.
func readSection(format string) (s section, rest string, more bool) {
	quantity := false // it has a mark of a quantity: a decimal point, thousands, a percentage, an exponent, a fraction
	elapsed := false
	runes := []rune(format)
	i := 0
	literal := func(r rune) { s.parts = append(s.parts, part{sign: r}) }
	for ; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == ';':
			rest, more = string(runes[i+1:]), true
		case r == '"':
			for i++; i < len(runes) && runes[i] != '"'; i++ {
				literal(runes[i])
			}
		case r == '\\':
			if i++; i < len(runes) {
				literal(runes[i])
			}
		case r == '_' || r == '*': // room as wide as the next sign, or filled with it
			i++
		case r == '[':
			from := i + 1
			for i < len(runes) && runes[i] != ']' {
				i++
			}
			inside := strings.ToLower(string(runes[from:i]))
			switch {
			case inside != "" && strings.Trim(inside, "hms") == "":
				elapsed = true
			case strings.HasPrefix(inside, "$"):
				mark, _, _ := strings.Cut(string(runes[from+1:i]), "-")
				for _, r := range mark {
					literal(r)
				}
			case strings.HasPrefix(inside, "<") || strings.HasPrefix(inside, ">") || strings.HasPrefix(inside, "="):
				s.condition = conditionOf(inside)
			}
		case r == '0' || r == '#' || r == '?':
			s.parts = append(s.parts, part{sign: r, digit: true})
		case strings.ContainsRune(".,%/Ee@", r):
			quantity = true
		case strings.ContainsRune("yYmMdDhHsS", r):
			s.date = true
		default:
			literal(r)
		}
		if more {
			break
		}
	}
	s.date = s.date && !elapsed
	if !quantity && !elapsed && !s.date {
		s.judge()
	}
	return s, rest, more
}

// conditionOf reads a condition such as <=9999999.
func conditionOf(s string) func(float64) bool {
	operator := strings.TrimRight(s, "0123456789.+-e ")
	limit, err := strconv.ParseFloat(strings.TrimSpace(s[len(operator):]), 64)
	if err != nil {
		return nil
	}
	switch operator {
	case "<":
		return func(v float64) bool { return v < limit }
	case "<=":
		return func(v float64) bool { return v <= limit }
	case ">":
		return func(v float64) bool { return v > limit }
	case ">=":
		return func(v float64) bool { return v >= limit }
	case "=":
		return func(v float64) bool { return v == limit }
	case "<>":
		return func(v float64) bool { return v != limit }
	}
	return nil
}

// judge decides whether a section without marks of a quantity shows a code: it pads with zeros, or has signs between its digits other than
// separators of thousands.
func (s *section) judge() {
	digits, first, signs := 0, rune(0), false
	between := false // a sign since the last digit
	plain := true
	for _, p := range s.parts {
		switch {
		case p.digit:
			if digits == 0 {
				first = p.sign
			}
			digits++
			signs = signs || between
			between = false
		default:
			plain = false
			between = between || digits > 0 && !strings.ContainsRune(" '’\u00a0\u2009\u202f", p.sign)
		}
	}
	s.code = digits > 1 && (first == '0' || signs)
	s.padded = s.code && plain
}

// of returns the section that shows a number, and the number that the section is applied to.
func (l look) of(v float64) (section, float64) {
	if len(l.sections) == 0 {
		return section{}, v
	}
	conditions := false
	for _, s := range l.sections {
		if s.condition != nil {
			conditions = true
			if s.condition(v) {
				return s, v
			}
		}
	}
	switch n := len(l.sections); {
	case conditions:
		return l.sections[n-1], v
	case v < 0 && n > 1:
		return l.sections[1], -v
	case v == 0 && n > 2:
		return l.sections[2], v
	}
	return l.sections[0], v
}

// show returns the text that a code shows for a number. It returns false if the number is shown unchanged.
func (s section) show(v float64) (string, bool) {
	if !s.code || math.Abs(v) >= 1e15 {
		return "", false
	}
	digits := strconv.FormatFloat(math.Round(math.Abs(v)), 'f', 0, 64)
	if digits == "0" {
		digits = ""
	}
	places := 0
	for _, p := range s.parts {
		if p.digit {
			places++
		}
	}
	if s.padded && (len(digits) >= places || v != math.Trunc(v)) {
		return "", false
	}
	var b strings.Builder
	if v < 0 {
		b.WriteByte('-')
	}
	for _, p := range s.parts {
		switch {
		case !p.digit:
			b.WriteRune(p.sign)
			continue
		case len(digits) >= places: // the first place takes all digits that have none of their own
			n := len(digits) - places + 1
			b.WriteString(digits[:n])
			digits = digits[n:]
		case p.sign == '0':
			b.WriteByte('0')
		}
		places--
	}
	return strings.TrimSpace(b.String()), true
}

package datafile

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A look is how a number format shows the numbers of a cell (ECMA-376 part 1, 18.8.31): up to three sections, for numbers above zero, below
// and zero, or for those that meet a condition.
type look struct{ sections []section }

// A section is one part of a number format.
type section struct {
	condition func(float64) bool // nil if the section has no condition
	parts     []part             // the text of a code: digits and literal signs
	date      bool
	clock     bool // a time of day: a date without days, months and years
	fine      bool // the clock shows fractions of a second
	elapsed   bool // a duration, in hours, minutes or seconds
	code      bool // a code such as a postcode or a telephone number, not a quantity
	padded    bool // a code that differs from the plain number only by zeros before it
	literal   bool // only a text, the same for all numbers
}

// A part is the position of a digit ('0', '#' or '?') or a literal sign.
type part struct {
	sign  rune
	digit bool
}

// The looks of formats that every workbook has.
var (
	dateLook    = look{[]section{{date: true}}}
	clockLook   = look{[]section{{date: true, clock: true}}}
	elapsedLook = look{[]section{{elapsed: true}}}
)

// builtIn returns the look of a format that every workbook has, by its number.
func builtIn(id int) look {
	switch {
	case id >= 18 && id <= 21, id == 32, id == 33, id == 45:
		return clockLook
	case id == 47:
		return look{[]section{{date: true, clock: true, fine: true}}}
	case id == 46:
		return elapsedLook
	case id >= 14 && id <= 22, id >= 27 && id <= 36, id >= 50 && id <= 58:
		return dateLook
	}
	return look{}
}

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
	// Beside codes, a section without digits shows its text for a number.
	if slices.ContainsFunc(l.sections, func(s section) bool { return s.code }) {
		for i := range l.sections {
			s := &l.sections[i]
			s.code = s.code || s.literal && len(s.parts) > 0
		}
	}
	return l
}

// readSection reads a format up to the semicolon that ends its first section.
func readSection(format string) (s section, rest string, more bool) {
	quantity := false // it has a mark of a quantity: a decimal point, thousands, a percentage, an exponent, a fraction
	var codes []rune  // of the date, a letter each
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
				s.elapsed = true
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
		case strings.ContainsRune(".,%/@", r), (r == 'E' || r == 'e') && i+1 < len(runes) && strings.ContainsRune("+-", runes[i+1]):
			quantity = true
			s.fine = s.fine || r == '.' && i+1 < len(runes) && runes[i+1] == '0'
		case unicode.Is(unicode.Latin, r):
			from := i
			for i+1 < len(runes) && unicode.Is(unicode.Latin, runes[i+1]) {
				i++
			}
			word := string(runes[from : i+1])
			found, ok := dateCodes(word)
			switch {
			case ok:
				codes = append(codes, found...)
			case strings.EqualFold(word, "General"):
				quantity = true
			default: // a word that is the name of the general format in another language, or a unit
				for _, r := range word {
					literal(r)
				}
			}
		default:
			literal(r)
		}
		if more {
			break
		}
	}
	s.date = len(codes) > 0 && !s.elapsed
	s.clock = s.date && isClock(codes)
	s.fine = s.fine && s.clock
	if !quantity && !s.elapsed && !s.date {
		s.judge()
	}
	return s, rest, more
}

// dateCodes returns the codes of a date in a word of a format, a letter for each: y, m, d, h and s; n for a month by its name; g, e and b
// for years of other calendars, a for a weekday. It returns false for any other word. AM/PM has none.
func dateCodes(word string) (codes []rune, ok bool) {
	word = strings.ToLower(word)
	if word == "am" || word == "pm" || word == "a" || word == "p" {
		return nil, true
	}
	for word != "" {
		r := rune(word[0])
		rest := strings.TrimLeft(word, word[:1])
		n := len(word) - len(rest)
		last := rune(0)
		if len(codes) > 0 {
			last = codes[len(codes)-1]
		}
		switch {
		case r == 'm' && n >= 3 && n <= 5:
			codes = append(codes, 'n')
		case strings.ContainsRune("ymdhsgeb", r) && n <= 4, r == 'a' && (n == 3 || n == 4):
			codes = append(codes, r)
		case n == 1 && r == 't' && last == 'd' && strings.HasPrefix(rest, "h"), // 2006-01-02T15:04:05Z
			n == 1 && r == 'z' && last == 's' && rest == "":
		default:
			return nil, false
		}
		word = rest
	}
	return codes, true
}

// isClock reports whether the codes of a date are only those of a time of day. The letter m means minutes if hours or seconds are among the
// codes.
func isClock(codes []rune) bool {
	for i, code := range codes {
		minutes := code == 'm' && (i > 0 && codes[i-1] == 'h' || i+1 < len(codes) && codes[i+1] == 's')
		if code != 'h' && code != 's' && !minutes {
			return false
		}
	}
	return true
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

// judge decides whether a section without marks of a quantity shows a code: it pads with zeros, has signs between its digits other than
// separators of thousands, or digits in addition to those of the number.
func (s *section) judge() {
	digits, first, signs := 0, rune(0), false
	between := false // a sign since the last digit
	plain, own := true, false
	for i, p := range s.parts {
		switch {
		case p.digit:
			if digits == 0 {
				first = p.sign
			}
			digits++
			signs = signs || between
			between = false
			own = own || i > 0 && s.parts[i-1].own()
		default:
			plain = false
			between = between || digits > 0 && !strings.ContainsRune(" '’\u00a0\u2009\u202f", p.sign)
			own = own || p.own() && i > 0 && s.parts[i-1].digit
		}
	}
	s.code = digits > 1 && (first == '0' || signs) || own
	s.padded = s.code && plain
	s.literal = digits == 0
}

// own reports whether a part is a digit that does not depend on the number.
func (p part) own() bool { return !p.digit && p.sign >= '0' && p.sign <= '9' }

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
	if v < 0 && !s.literal {
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
	text := strings.TrimSpace(b.String())
	return text, text != ""
}

package locale

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Minus is the sign of negative numbers. It is as wide as a digit, as the hyphen of
// most locales' data is not.
const Minus = "\u2212"

const nbsp = "\u00a0"

// numberForms are the patterns of numbers, taken apart.
type numberForms struct {
	first, rest int // sizes of the group before the decimals, and of those before it
	percent     affixes
	currency    affixes
	compact     [12]affixes
	digits      [12]int // of the whole part of a compact number; 0: not compact
}

// affixes are what stands around a number. ¤ stands for the currency.
type affixes struct {
	before, after           string
	ownMinus                bool // negative numbers have their own, with the sign in them:
	minusBefore, minusAfter string
}

func (d *data) forms() (f numberForms) {
	whole, _, _ := strings.Cut(d.Number, ".")
	groups := strings.Split(whole, ",")
	f.first, f.rest = 3, 3
	if n := len(groups); n > 1 {
		f.first, f.rest = len(groups[n-1]), len(groups[n-1])
		if n > 2 {
			f.rest = len(groups[n-2])
		}
	}
	f.percent, f.currency = affixesOf(d.Percent), affixesOf(d.Currency)
	for i, p := range d.Compact {
		f.compact[i] = affixesOf(p)
		if bare := f.compact[i].before + f.compact[i].after; bare != "" {
			f.digits[i] = strings.Count(p, "0")
		}
	}
	return f
}

// affixesOf takes a pattern apart: what is neither # nor 0 nor a separator stands
// around the number.
func affixesOf(pattern string) (a affixes) {
	positive, negative, own := strings.Cut(pattern, ";")
	a.before, a.after = around(positive)
	if a.ownMinus = own; own {
		a.minusBefore, a.minusAfter = around(negative)
		a.minusBefore = strings.Replace(a.minusBefore, "-", Minus, 1)
		a.minusAfter = strings.Replace(a.minusAfter, "-", Minus, 1)
	}
	return a
}

func around(pattern string) (before, after string) {
	from, to := strings.IndexAny(pattern, "#0"), strings.LastIndexAny(pattern, "#0")
	if from < 0 {
		return "", ""
	}
	unquote := strings.NewReplacer("'", "")
	return unquote.Replace(pattern[:from]), unquote.Replace(pattern[to+1:])
}

// around writes the affixes around a number, whose sign is the first of it. currency
// takes the place of ¤.
func (a affixes) around(number, currency string) string {
	before, after := a.before, a.after
	unsigned, negative := strings.CutPrefix(number, Minus)
	sign := ""
	if negative {
		sign = Minus
		if a.ownMinus {
			sign, before, after = "", a.minusBefore, a.minusAfter
		}
	}
	return sign + put(before, currency, true) + unsigned + put(after, currency, false)
}

// put replaces ¤. A currency that ends in a letter next to a number is kept apart
// from it (UTS 35, part 3, "Currencies").
func put(affix, currency string, before bool) string {
	at := strings.Index(affix, "¤")
	if at < 0 {
		return affix
	}
	out := affix[:at] + currency + affix[at+len("¤"):]
	if last, _ := utf8.DecodeLastRuneInString(currency); before && strings.HasSuffix(out, currency) && unicode.IsLetter(last) {
		return out + nbsp
	}
	if first, _ := utf8.DecodeRuneInString(currency); !before && strings.HasPrefix(out, currency) && unicode.IsLetter(first) {
		return nbsp + out
	}
	return out
}

// Digits writes a number that is given in decimal digits, such as -1234.50, with
// the locale's separators: all of the digits stay. A zero has no sign.
func (l *Locale) Digits(s string) string {
	d, f := l.data, &l.data.numbers
	s, negative := strings.CutPrefix(s, "-")
	whole, decimals, dotted := strings.Cut(s, ".")
	var b strings.Builder
	b.Grow(len(s) + len(s)/2 + 4)
	if negative && strings.Trim(s, "0.") != "" {
		b.WriteString(Minus)
	}
	if len(whole) < f.first+d.MinGroup {
		b.WriteString(whole)
	} else {
		for i := range len(whole) {
			if left := len(whole) - i; i > 0 && left >= f.first && (left-f.first)%f.rest == 0 {
				b.WriteString(d.Group)
			}
			b.WriteByte(whole[i])
		}
	}
	if dotted {
		b.WriteString(d.Decimal)
		b.WriteString(decimals)
	}
	return b.String()
}

// Number writes v with a fixed number of decimals.
func (l *Locale) Number(v float64, decimals int) string {
	return l.Digits(strconv.FormatFloat(v, 'f', decimals, 64))
}

// UpTo writes v with as many decimals as it needs, at most the given ones.
func (l *Locale) UpTo(v float64, decimals int) string { return l.Trim(l.Number(v, decimals)) }

// Trim takes the zeros at the end of the decimals of a written number away.
func (l *Locale) Trim(s string) string {
	if strings.Contains(s, l.data.Decimal) {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), l.data.Decimal)
	}
	return s
}

// Bare writes the digits of a number that counts nothing, such as a year or an id:
// without groups.
func (l *Locale) Bare(digits string) string {
	if !strings.ContainsAny(digits, "-.") {
		return digits
	}
	return strings.NewReplacer("-", Minus, ".", l.data.Decimal).Replace(digits)
}

// Percent puts the sign around a number that is in percent already.
func (l *Locale) Percent(number string) string { return l.data.numbers.percent.around(number, "") }

// Money puts a currency, an ISO 4217 code, around a number.
func (l *Locale) Money(number, code string) string {
	return l.data.numbers.currency.around(number, l.CurrencySign(code))
}

// CurrencySign is how a currency is written; its code, when it has no sign here.
func (l *Locale) CurrencySign(code string) string {
	if s, ok := l.data.Signs[code]; ok {
		return s
	}
	return code
}

// carries is from which part of a power of ten on a number is rounded up to it.
const carries = 0.9995

// CompactDecimals is how many decimals of v [Locale.Compact] keeps: below zero where it
// leaves out digits before the point. It reports false where there is no short form.
func (l *Locale) CompactDecimals(v float64) (int, bool) {
	unit, decimals, ok := l.compactUnit(v)
	return decimals - unit, ok
}

// Compact writes v in few characters, such as 12.3K: with one decimal below 100 of
// its unit, and without one above. It reports false for what is too small or too
// large to have a short form.
func (l *Locale) Compact(v float64) (string, bool) {
	unit, decimals, ok := l.compactUnit(v)
	switch {
	case !ok:
		return "", false
	case unit == 0: // as it is
		return l.Number(v, 0), true
	}
	f := &l.data.numbers
	return f.compact[l.power(v)].around(l.UpTo(v/math.Pow10(unit), decimals), ""), true
}

// compactUnit is the power of ten in which v is written shortly, and with how many
// decimals at most.
func (l *Locale) compactUnit(v float64) (unit, decimals int, ok bool) {
	a := math.Abs(v)
	if a < 1e3*carries || a >= 1e18 || math.IsNaN(v) {
		return 0, 0, false
	}
	i := l.power(v)
	digits := l.data.numbers.digits[i]
	if digits == 0 {
		return 0, 0, true
	}
	if unit = i + 4 - digits; a/math.Pow10(unit) < 99.95 {
		decimals = 1
	}
	return unit, decimals, true
}

// power is the place of v among the short forms, which begin with thousands.
func (l *Locale) power(v float64) int {
	i := len(l.data.numbers.digits) - 1
	for i > 0 && math.Abs(v) < math.Pow10(i+3)*carries {
		i--
	}
	return i
}

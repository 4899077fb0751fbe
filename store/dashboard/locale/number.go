package locale

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"service/store/decimal"
)

// Minus is the sign of negative numbers. It is as wide as a digit, as the hyphen of
// most locales' data is not.
const Minus = "\u2212"

const nbsp = "\u00a0"

// numberForms are the parsed patterns of numbers.
type numberForms struct {
	first, rest int // sizes of the group before the decimals, and of those before it
	percent     affixes
	currency    affixes
	compact     [12]affixes
	digits      [12]int // of the whole part of a compact number; 0: not compact
}

// affixes are the texts around a number. ¤ is the placeholder of the currency.
type affixes struct {
	before, after           string
	ownMinus                bool // negative numbers have affixes of their own, which contain the sign:
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

// affixesOf parses a pattern: text other than #, 0 and separators is an affix.
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

// around adds the affixes to a number, which begins with its sign. currency replaces ¤.
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

// put replaces ¤. A currency with a letter next to the number is separated from it (UTS 35, part 3, "Currencies").
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

// Digits writes a number that is given in decimal digits, such as -1234.50, with the locale's separators: it keeps all digits. A zero has
// no sign. The texts of strconv for infinities and NaN, which can be the difference of two large numbers, become ∞ and an en dash.
func (l *Locale) Digits(s string) string {
	d, f := l.data, &l.data.numbers
	switch s {
	case "+Inf":
		return "∞"
	case "-Inf":
		return Minus + "∞"
	case "NaN":
		return "–"
	}
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

// Space returns the space between a number and the unit after it: none before Chinese characters, Japanese ones and Hangul, before a slash,
// and before signs of degrees, minutes and seconds; the locale's own before a percent sign; and otherwise a space at which no line breaks.
func (l *Locale) Space(unit string) string {
	first, size := utf8.DecodeRuneInString(unit)
	switch {
	case first == '%' || first == '‰':
		after := l.data.numbers.percent.after
		return after[:len(after)-len(strings.TrimLeftFunc(after, unicode.IsSpace))]
	case unicode.In(first, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul), strings.ContainsRune("/'\"′″’”", first),
		first == '°' && size == len(unit):
		return ""
	}
	return nbsp
}

// Number writes v with a fixed number of decimals, by rounding its shortest decimal.
func (l *Locale) Number(v float64, decimals int) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return l.Digits(strconv.FormatFloat(v, 'f', decimals, 64))
	}
	return l.Fixed(decimal.Of(v), decimals)
}

// Fixed writes a number that is given in decimal digits with a fixed number of decimals,
// halves rounded away from zero.
func (l *Locale) Fixed(digits string, decimals int) string {
	return l.Digits(decimal.Fixed(digits, decimals))
}

// UpTo writes v with as many decimals as it needs, up to a given number.
func (l *Locale) UpTo(v float64, decimals int) string { return l.Trim(l.Number(v, decimals)) }

// Trim removes the zeros at the end of the decimals of a written number.
func (l *Locale) Trim(s string) string {
	if strings.Contains(s, l.data.Decimal) {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), l.data.Decimal)
	}
	return s
}

// Bare writes the digits of a number that is not a quantity, such as a year or an id, without groups.
func (l *Locale) Bare(digits string) string {
	if !strings.ContainsAny(digits, "-.") {
		return digits
	}
	return strings.NewReplacer("-", Minus, ".", l.data.Decimal).Replace(digits)
}

// Percent adds the sign to a number that is already in percent.
func (l *Locale) Percent(number string) string { return l.data.numbers.percent.around(number, "") }

// Money adds a currency, an ISO 4217 code, to a number.
func (l *Locale) Money(number, code string) string {
	return l.data.numbers.currency.around(number, l.CurrencySign(code))
}

// CurrencySign returns the sign of a currency, or its code if it has no sign in the locale.
func (l *Locale) CurrencySign(code string) string {
	if s, ok := l.data.Signs[code]; ok {
		return s
	}
	return code
}

// A Unit is a power of ten in which a locale writes large numbers, such as K or Mio.
type Unit struct {
	Power int // of ten; 0 if numbers of this size are written in full
	place int // index among the short forms
}

// most is the power of ten from which numbers have no short form.
const most = 18

// Unit returns the unit in which a number, given in decimal digits, is written in few characters. It returns false for a number that is too
// small or too large for a short form. A number that rounds up to the next unit has that unit.
func (l *Locale) Unit(digits string) (Unit, bool) {
	exponent := decimal.RoundedExponent(digits, 3)
	if exponent < 3 || decimal.Exponent(digits) >= most {
		return Unit{}, false
	}
	u := Unit{place: min(exponent-3, len(l.data.numbers.digits)-1)}
	if whole := l.data.numbers.digits[u.place]; whole > 0 {
		u.Power = u.place + 4 - whole
	}
	return u, true
}

// Decimals returns how many decimals [Locale.Compact] keeps of a number in its unit.
func (u Unit) Decimals(digits string) int {
	if u.Power > 0 && decimal.RoundedExponent(digits, 3)-u.Power < 2 {
		return 1
	}
	return 0
}

// In writes a number that is given in decimal digits in a unit, with a fixed number of decimals.
func (l *Locale) In(u Unit, digits string, decimals int) string {
	number := l.Fixed(decimal.Shift(digits, -u.Power), decimals)
	return l.affix(u, number)
}

// affix adds the sign of a unit to a number that was divided by it and written.
func (l *Locale) affix(u Unit, number string) string {
	if u.Power == 0 {
		return number
	}
	return l.data.numbers.compact[u.place].around(number, "")
}

// Compact writes a number, given in decimal digits, in few characters, such as 12.3K: with one decimal below 100 of its unit, and without
// decimals above. It returns false for a number that is too small or too large for a short form.
func (l *Locale) Compact(digits string) (string, bool) {
	u, ok := l.Unit(digits)
	if !ok {
		return "", false
	}
	return l.affix(u, l.Trim(l.Fixed(decimal.Shift(digits, -u.Power), u.Decimals(digits)))), true
}

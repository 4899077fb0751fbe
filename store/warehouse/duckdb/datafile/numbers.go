package datafile

import (
	"strconv"
	"strings"

	"service/store/dashboard/cube"
)

// numberCandidates are the forms of numbers without currency marks or units that a column may have, the plainest first.
func (c column) numberCandidates() []candidate {
	out := []candidate{
		{kind: cube.Integer, what: "whole numbers", normal: unchanged},
		{kind: cube.Number, what: "numbers", normal: unchanged},
	}
	grouped := []candidate{
		{kind: cube.Integer, what: "whole numbers", normal: ungrouped, note: "numbers written like 1,234"},
		{kind: cube.Number, what: "numbers", normal: ungrouped, note: "numbers written like 1,234.5"},
	}
	withComma := []candidate{
		{kind: cube.Integer, what: "whole numbers", normal: european, note: "numbers written like 1.234", comma: true},
		{kind: cube.Number, what: "numbers", normal: european, note: "numbers written like 1.234,5", comma: true},
	}
	switch {
	case c.decimal == ',': // here 1.234 is more than a thousand, so no number with a dot is unchanged
		out = append(out[:1], withComma...)
	case c.decimal == 0 && c.comma && c.loose: // here 1,234 is a little more than one, so these forms replace the grouped ones
		out = append(out, withComma...)
	default:
		out = append(out, grouped...)
	}
	for i := range out {
		r := &out[i]
		r.read = parser(r.kind, r.normal)
	}
	return out
}

// parser returns a function that applies normal to a string and parses the result as an integer or a number.
func parser(k cube.Type, normal func(string) (string, bool)) func(string) (any, bool) {
	return func(s string) (any, bool) {
		s, ok := normal(s)
		if !ok {
			return nil, false
		}
		if k == cube.Integer {
			return parseInteger(s)
		}
		return parseNumber(s)
	}
}

func unchanged(s string) (string, bool) { return strings.TrimSpace(s), true }

// plain reports whether s is a decimal number without leading zeros (ok), and whether it is an integer (whole). It rejects likely
// identifiers: 007, +49, and 1E5 (a number with an exponent must have a point or a sign).
func plain(s string) (whole, ok bool) {
	s, isNumber := strings.CutPrefix(s, "-")
	digits := 0
	for digits < len(s) && isDigit(s[digits]) {
		digits++
	}
	if digits > 1 && s[0] == '0' {
		return false, false
	}
	rest := s[digits:]
	if rest == "" {
		return true, digits > 0
	}
	if rest[0] == '.' {
		n := 1
		for n < len(rest) && isDigit(rest[n]) {
			n++
		}
		if digits+n < 2 {
			return false, false
		}
		rest = rest[n:]
		isNumber = true
	} else if digits == 0 {
		return false, false
	}
	if rest == "" {
		return false, true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false, false
	}
	rest = rest[1:]
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		rest = rest[1:]
		isNumber = true
	}
	if !isNumber || rest == "" || len(rest) > 3 {
		return false, false
	}
	return false, allDigits(rest)
}

// signed adds a sign to the exponent of a value that the file declares as a number: 1E5 becomes 1E+5.
func signed(s string) string {
	if i := strings.IndexAny(s, "eE"); i > 0 && i+1 < len(s) && isDigit(s[i+1]) {
		return s[:i+1] + "+" + s[i+1:]
	}
	return s
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func allDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

func parseInteger(s string) (any, bool) {
	if whole, ok := plain(s); !ok || !whole {
		return nil, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// parseNumber reads numbers with or without a fraction. A whole number must keep
// all its digits, because it may be an identifier.
func parseNumber(s string) (any, bool) {
	whole, ok := plain(s)
	if !ok {
		return nil, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || whole && rounded(s, f) {
		return nil, false
	}
	if f == 0 {
		f = 0 // not minus zero
	}
	return f, true
}

// rounded reports whether s has digits that are lost when f, the number nearest to s, is written. The text 76.599999999999994 for 76.6
// loses nothing: 17 digits identify any float64.
func rounded(s string, f float64) bool {
	if len(s) <= 15 {
		return false
	}
	digits := significant(s)
	for _, precision := range []int{-1, 15, 16} {
		if digits == significant(strconv.FormatFloat(f, 'e', precision, 64)) {
			return false
		}
	}
	return true
}

// significant returns the digits of a plain number without the zeros around them.
func significant(s string) string {
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		s = s[:i]
	}
	return strings.Trim(strings.Replace(strings.TrimPrefix(s, "-"), ".", "", 1), "0")
}

// ungrouped returns s without its thousands commas, and reports whether they separate groups of three digits. A string without commas is
// returned as is.
func ungrouped(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if !strings.Contains(s, ",") {
		return s, true
	}
	return strings.ReplaceAll(s, ",", ""), groups(s, ',')
}

// groups reports whether the whole part of s consists of groups of three digits, and the rest has no separator.
func groups(s string, separator byte) bool {
	decimal := "."
	if separator == '.' {
		decimal = ","
	}
	s, fraction, _ := strings.Cut(strings.TrimPrefix(s, "-"), decimal)
	if strings.IndexByte(fraction, separator) >= 0 {
		return false
	}
	return grouped(strings.Split(s, string(separator)))
}

// european converts 1.234,5 to 1234.5.
func european(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if strings.Count(s, ",") > 1 || strings.Contains(s, ".") && !groups(s, '.') {
		return "", false
	}
	return strings.Replace(strings.ReplaceAll(s, ".", ""), ",", ".", 1), true
}

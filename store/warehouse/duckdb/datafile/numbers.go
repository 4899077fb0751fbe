package datafile

import (
	"math"
	"strconv"
	"strings"

	"service/store/dashboard/cube"
)

// numberReadings are the forms of numbers without signs of currency and the
// like, the plainest first.
func numberReadings(comma bool) []reading {
	out := []reading{
		{kind: cube.Integer, what: "whole numbers", normal: asItIs},
		{kind: cube.Number, what: "numbers", normal: asItIs},
		{kind: cube.Integer, what: "whole numbers", normal: ungrouped, note: "numbers written like 1,234"},
		{kind: cube.Number, what: "numbers", normal: ungrouped, note: "numbers written like 1,234.5"},
	}
	if comma {
		// Without a separator of thousands 1,234 is one and a bit here, so these
		// come in place of the grouped ones.
		out = append(out[:2], reading{kind: cube.Number, what: "numbers", normal: european, note: "numbers written like 1.234,5", comma: true})
	}
	for i := range out {
		r := &out[i]
		r.read = parser(r.kind, r.normal)
	}
	return out
}

// parser reads numbers of a kind that normal makes plain.
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

func asItIs(s string) (string, bool) { return strings.TrimSpace(s), true }

// plain tells whether s is a decimal number without leading zeros, and whether
// it is a whole one. What has leading zeros or a plus sign is an identifier.
func plain(s string) (whole, ok bool) {
	s = strings.TrimPrefix(s, "-")
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
	}
	if rest == "" || len(rest) > 3 {
		return false, false
	}
	return false, allDigits(rest)
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

// parseNumber reads numbers of which some have a fraction. A whole one must keep
// all its digits, for it may be an identifier.
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

// rounded tells whether s has digits that f, the number nearest to it, does not
// have when it is written.
func rounded(s string, f float64) bool {
	return len(s) > 15 && significant(s) != significant(strconv.FormatFloat(f, 'e', -1, 64))
}

// significant returns the digits of a plain number, without zeros around them.
func significant(s string) string {
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		s = s[:i]
	}
	return strings.Trim(strings.Replace(strings.TrimPrefix(s, "-"), ".", "", 1), "0")
}

// ungrouped reads numbers whose thousands are separated by commas.
func ungrouped(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if !strings.Contains(s, ",") {
		return s, true
	}
	return strings.ReplaceAll(s, ",", ""), groups(s, ',')
}

// groups tells whether the whole part of s is digits in groups of three, and the
// rest has no separator.
func groups(s string, separator byte) bool {
	decimal := "."
	if separator == '.' {
		decimal = ","
	}
	s, fraction, _ := strings.Cut(strings.TrimPrefix(s, "-"), decimal)
	if strings.IndexByte(fraction, separator) >= 0 {
		return false
	}
	for i, part := range strings.Split(s, string(separator)) {
		if i == 0 && (len(part) == 0 || len(part) > 3) || i > 0 && len(part) != 3 {
			return false
		}
	}
	return true
}

// european reads 1.234,5.
func european(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if strings.Count(s, ",") > 1 || strings.Contains(s, ".") && !groups(s, '.') {
		return "", false
	}
	return strings.Replace(strings.ReplaceAll(s, ".", ""), ",", ".", 1), true
}

// named are words in the name of a column whose whole numbers are identifiers,
// and how many digits they have at least: a count of phones has few. Nobody adds
// them up, and one of them may begin with a zero in the next file.
var named = map[string]int{
	"phone": 6, "telephone": 6, "tel": 6, "fax": 6, "msisdn": 8,
	"zip": 3, "zipcode": 3, "postcode": 3, "postal": 3, "plz": 4,
	"iban": 8, "bic": 8, "ssn": 6, "imei": 10, "vin": 8,
	"isbn": 9, "issn": 7, "ean": 8, "upc": 8, "gtin": 8, "sku": 1,
	"version": 1,
}

// identifies tells why a column of numbers is one of identifiers; "" when it is
// not.
func (c column) identifies(k cube.Type) string {
	shortest, longest, one := math.MaxInt, 0, true
	c.each(func(_ int, v cell) bool {
		s := strings.TrimSpace(v.text)
		if isMissing(s) {
			return true
		}
		if k == cube.Integer && !allDigits(s) {
			longest = math.MaxInt // below zero, or in groups
			return false
		}
		shortest, longest, one = min(shortest, len(s)), max(longest, len(s)), one && s[0] == '1'
		return true
	})
	if longest == math.MaxInt {
		return ""
	}
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(c.name()), func(r rune) bool { return r < 'a' || r > 'z' }) {
		words[w] = true
		if n := named[w]; n > 0 && shortest >= n && (k == cube.Integer || w == "version") {
			return "it is text, because of its name, although all values are numbers"
		}
	}
	// Microseconds and nanoseconds since 1970 have as many digits as cards, and
	// begin with 1.
	epoch := one && (shortest == 16 || shortest == 19) && !words["id"]
	if k == cube.Integer && shortest >= 16 && shortest == longest && !epoch {
		return "it is text: numbers of " + strconv.Itoa(shortest) + " digits each are taken for those of cards or accounts"
	}
	return ""
}

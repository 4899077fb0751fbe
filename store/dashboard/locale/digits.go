package locale

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// countNumbers puts the number of its digits before each number in a text and drops its leading zeros, so that a collator, which compares
// digit by digit, orders numbers by size. Zero is a number without digits. The collator's own numeric order is not used: there, a letter
// after a zero sorts after the digits of other numbers, and 00:15 after 23:45.
func countNumbers(s string) string {
	if strings.IndexFunc(s, unicode.IsDigit) < 0 {
		return s
	}
	var b strings.Builder
	var digits []byte
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsDigit(r) {
			b.WriteString(s[i : i+size])
			i += size
			continue
		}
		digits = digits[:0]
		for ; i < len(s); i += size {
			if r, size = utf8.DecodeRuneInString(s[i:]); !unicode.IsDigit(r) {
				break
			}
			if d := digitOf(r); d > 0 || len(digits) > 0 {
				digits = append(digits, '0'+d)
			}
		}
		n := len(digits)
		for ; n >= 9; n -= 9 { // a count of more than one digit, in the order of counts
			b.WriteByte('9')
		}
		b.WriteByte('0' + byte(n))
		b.Write(digits)
	}
	return b.String()
}

// WritesZero reports whether the digits of a text, in any script, are all 0.
func WritesZero(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsDigit(r) && digitOf(r) > 0 })
}

// digitOf returns the value of a decimal digit of any script. Unicode has them in runs from 0 to 9.
func digitOf(r rune) byte {
	if r < utf8.RuneSelf {
		return byte(r - '0')
	}
	first := r
	for unicode.IsDigit(first - 1) {
		first--
	}
	return byte((r - first) % 10)
}

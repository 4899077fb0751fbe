package canvas

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Ellipse replaces the letters that are cut.
const Ellipse = "…"

// ManyWords is the number of letters from which on a text in the place of a large number has smaller letters.
const ManyWords = 48

// Clip shortens s to n characters.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Shorten(s, n, func(_, _ rune) int { return 1 }, joiners)
}

// ClipLabel shortens s to the width of n letters.
func ClipLabel(s string, n int) string { return Shorten(s, n, lettersOf, joiners) }

// ClipNames shortens names to the width of n letters. If two of them would become equal, all lose their middles instead of their ends.
func ClipNames(names []string, n int) []string {
	out := make([]string, len(names))
	seen := map[string]string{}
	alike := false
	for i, name := range names {
		out[i] = ClipLabel(name, n)
		before, ok := seen[out[i]]
		alike = alike || ok && before != name
		seen[out[i]] = name
	}
	if alike {
		for i, name := range names {
			out[i] = clipMiddle(name, n)
		}
	}
	return out
}

// clipMiddle shortens s to the width of n letters and keeps both its ends.
func clipMiddle(s string, n int) string {
	if Letters(s) <= n {
		return s
	}
	head := strings.TrimSuffix(ClipLabel(s, n/2+1), Ellipse)
	runes := []rune(s)
	from, room := len(runes), n-1-Letters(head)
	for from > 0 && room >= lettersOf(0, runes[from-1]) {
		from--
		room -= lettersOf(0, runes[from])
	}
	for from < len(runes) && lettersOf(0, runes[from]) == 0 { // it is in the part that is cut off
		from++
	}
	return head + Ellipse + strings.TrimLeft(string(runes[from:]), joiners)
}

// joiners are characters that are removed before an ellipsis.
const joiners = " \u200d"

// Shorten returns s, or the longest beginning of it that fits into a width with an ellipsis. The width of a character may depend on the one
// before. No character of trim precedes the ellipsis.
func Shorten(s string, most int, width func(before, r rune) int, trim string) string {
	used, end := 0, 0 // end is the end of the part that fits with an ellipsis
	var before rune
	for i, r := range s {
		if used < most {
			end = i
		}
		if used += width(before, r); used > most {
			return strings.TrimRight(s[:end], trim) + Ellipse
		}
		before = r
	}
	return s
}

// WidthOf returns the width of s.
func WidthOf(s string, width func(before, r rune) int) int {
	n := 0
	var before rune
	for _, r := range s {
		n += width(before, r)
		before = r
	}
	return n
}

// Letters returns the width of s in letters of the Latin alphabet: Chinese, Japanese and Korean characters, and emoji, count as two.
func Letters(s string) int {
	return WidthOf(s, lettersOf)
}

// ZeroWidthJoiner joins letters into one sign.
const ZeroWidthJoiner = '\u200d'

// lettersOf returns how much wider r makes a text that ends with before. An emoji that is joined to another forms one picture with it.
func lettersOf(before, r rune) int {
	switch k := width.LookupRune(r).Kind(); {
	case r == ZeroWidthJoiner, before == ZeroWidthJoiner, unicode.Is(unicode.Mn, r):
		return 0
	case k == width.EastAsianWide, k == width.EastAsianFullwidth:
		return 2
	}
	return 1
}

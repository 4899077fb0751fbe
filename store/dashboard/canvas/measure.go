package canvas

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// LabelSize is the size of labels in pictures, in pixels. The style repeats it.
const LabelSize = 11.5

// advances are the widths of the characters from space to ~, in hundredths of the size of a text. They are those of DejaVu Sans, the widest
// of the fonts that the style allows: a text that fits in it fits in all of them.
var advances = [...]uint8{
	32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, // space to /
	64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53, // 0 to ?
	100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, // @ to O
	60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, // P to _
	50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, // ` to o
	63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84, // p to ~
}

// advance returns how much wider r makes a text that ends with before, in hundredths of its size.
func advance(before, r rune) int {
	switch {
	case r >= ' ' && r <= '~':
		return int(advances[r-' '])
	case r == '’', r == '·', r == '\u00a0', r == '\u202f':
		return 32
	case r < 0x250: // Latin
		return 66
	case r == '−', r == '…':
		return 100
	case r == ZeroWidthJoiner, before == ZeroWidthJoiner, unicode.Is(unicode.Mn, r):
		return 0
	}
	if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		return 120 // of emoji; others are narrower
	}
	if unicode.Is(unicode.Arabic, r) { // letters are joined, and only the last of a word has its full width
		if r >= 'س' && r <= 'ض' {
			return 100
		}
		return 60
	}
	return 76
}

// LabelWidth returns the width of a label, in pixels.
func LabelWidth(s string) float64 { return float64(WidthOf(s, advance)) * LabelSize / 100 }

// ClipWidth shortens a label to a width in pixels.
func ClipWidth(s string, most float64) string {
	if LabelWidth(s) <= most {
		return s
	}
	return Shorten(s, int(most*100/LabelSize)-advance(0, '…'), advance, joiners)
}

// ClipMiddle shortens a label to a width in pixels and keeps both its ends, by which long names differ.
func ClipMiddle(s string, most float64) string {
	if LabelWidth(s) <= most {
		return s
	}
	room := most - LabelWidth(Ellipse)
	runes := []rune(s)
	head, tail := 0, len(runes)
	wide := func(from, to int) float64 { return LabelWidth(string(runes[from:to])) }
	for head < tail && wide(0, head+1) <= room*0.6 {
		head++
	}
	for tail > head && wide(0, head)+wide(tail-1, len(runes)) <= room {
		tail--
	}
	for tail < len(runes) && advance(0, runes[tail]) == 0 { // it is part of the character before
		tail++
	}
	return strings.TrimRight(string(runes[:head]), joiners) + Ellipse + strings.TrimLeft(string(runes[tail:]), joiners)
}

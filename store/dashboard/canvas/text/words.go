package text

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"service/store/dashboard/canvas"
)

// LineWidth is the width of a line in cells of a terminal.
const LineWidth = 100

// Most keeps n lines; the last one states how many lines were left out, in the words that more returns.
func Most(lines []string, n int, more func(left int) string) []string {
	if len(lines) <= n {
		return lines
	}
	return append(lines[:n-1:n-1], "… "+more(len(lines)-n+1))
}

// Pad brings s to a width, and cuts the part beyond it.
func Pad(s string, w int) string {
	s = Cut(s, w)
	return s + strings.Repeat(" ", w-Cells(s))
}

// Cut shortens s to a width.
func Cut(s string, w int) string { return canvas.Shorten(s, w, cellsOf, "") }

// Cells returns the width of s on a terminal.
func Cells(s string) int { return canvas.WidthOf(s, cellsOf) }

// cellsOf returns 0 for marks that combine with the character before, 2 for wide characters, such as Chinese ones and emoji, and 1 for all
// others.
func cellsOf(_, r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r < 0x1100:
		return 1
	case r <= 0x115f, 0x2e80 <= r && r <= 0xa4cf, 0xac00 <= r && r <= 0xd7a3, 0xf900 <= r && r <= 0xfaff, 0xfe30 <= r && r <= 0xfe6f,
		0xff00 <= r && r <= 0xff60, 0xffe0 <= r && r <= 0xffe6, 0x1f1e6 <= r && r <= 0x1faff, 0x20000 <= r && r <= 0x3fffd:
		return 2
	}
	return 1
}

// OneLine returns s without characters that would break a line or reverse it.
func OneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r), r == utf8.RuneError:
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Co):
			return -1
		}
		return r
	}, canvas.Clip(s, 4*LineWidth))
	return cmp.Or(strings.TrimSpace(s), "(empty)")
}

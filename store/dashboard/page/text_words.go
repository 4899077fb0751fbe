package page

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineWidth is the width of a line in cells of a terminal.
const lineWidth = 100

// most keeps n lines and says how many it leaves out.
func most(lines []string, n int, of string) []string {
	if len(lines) <= n {
		return lines
	}
	return append(lines[:n-1:n-1], fmt.Sprintf("… %d more %s", len(lines)-n+1, of))
}

// pad brings s to a width, cutting what is over.
func pad(s string, w int) string {
	s = cut(s, w)
	return s + strings.Repeat(" ", w-cells(s))
}

// cut shortens s to a width.
func cut(s string, w int) string { return shorten(s, w, cellsOf, "") }

// cells is the width of s on a terminal.
func cells(s string) int { return widthOf(s, cellsOf) }

// cellsOf is 0 for marks that join the character before, 2 for wide characters,
// such as those of Chinese and emoji, and 1 for all others.
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

// oneLine is s without what would break a line or turn it around.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r), r == utf8.RuneError:
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Co):
			return -1
		}
		return r
	}, clip(s, 4*lineWidth))
	return cmp.Or(strings.TrimSpace(s), "(empty)")
}

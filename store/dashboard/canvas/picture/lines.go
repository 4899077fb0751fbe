package picture

import (
	"iter"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"service/store/dashboard/canvas"
	"service/store/dashboard/scene"
)

// Shorten cuts a text to a width.
func (w *Painter) Shorten(s string, style scene.Style, most float64) string {
	s, long := beginning(strings.Map(plainSpace, s), int(most/style.Size*8)+8)
	if !long && w.Letters.Width(s, style) <= most {
		return s
	}
	runes := []rune(s)
	lo, hi := 0, len(runes)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if w.Letters.Width(strings.TrimRight(string(runes[:mid]), " ")+"…", style) <= most {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	for lo > 0 && lo < len(runes) && // not inside a letter of several characters
		(unicode.In(runes[lo], unicode.Mn, unicode.Me) || runes[lo] == canvas.ZeroWidthJoiner || runes[lo-1] == canvas.ZeroWidthJoiner) {
		lo--
	}
	return strings.TrimRight(string(runes[:lo]), " ") + "…"
}

// beginning returns the first letters of a text, because measuring more is useless; long reports whether there are more.
func beginning(s string, letters int) (part string, long bool) {
	for i := range s {
		if letters--; letters < 0 {
			return s[:i], true
		}
	}
	return s, false
}

func plainSpace(r rune) rune {
	if r == '\n' || r == '\t' || r == '\r' {
		return ' '
	}
	return r
}

// Wrap cuts a text into lines of at most a width.
func (w *Painter) Wrap(s string, style scene.Style, width float64) []string {
	return w.wrapUpTo(s, style, width, math.MaxInt)
}

// wrapUpTo is wrap for a text of which at most so many lines are drawn. It returns one more line if there are more.
func (w *Painter) wrapUpTo(s string, style scene.Style, width float64, most int) []string {
	s = strings.Map(plainSpace, s)
	if len(s) < 1000 && w.Letters.Width(s, style) <= width {
		return []string{s}
	}
	var out []string
	line := ""
	for word := range lineParts(s) {
		if len(out) > most {
			return out
		}
		if line != "" && w.Letters.Width(strings.TrimRight(line+word, " "), style) > width {
			out = append(out, strings.TrimRight(line, " "))
			line = ""
		}
		for w.Letters.Width(strings.TrimRight(word, " "), style) > width { // a word that is longer than a line
			n := w.fitting(word, style, width)
			out = append(out, word[:n])
			word = word[n:]
		}
		line += word
	}
	if line = strings.TrimRight(line, " "); line != "" || len(out) == 0 {
		out = append(out, line)
	}
	return out
}

// fitting returns how many bytes of a word fit into a width, at least a letter.
func (w *Painter) fitting(word string, style scene.Style, width float64) int {
	n := 0
	for i, r := range word {
		end := i + utf8.RuneLen(r)
		if n > 0 && w.Letters.Width(word[:end], style) > width {
			break
		}
		n = end
	}
	return max(n, 1)
}

// maxWord is how many bytes of a text are kept together: the pieces of longer words are measured separately.
const maxWord = 80

// breakable cuts a text where lines can end: after spaces and hyphens, at letters of scripts without spaces, and inside words that are too
// long for a line.
func breakable(s string) []string { return slices.Collect(lineParts(s)) }

// lineParts are the pieces of [breakable], one by one.
func lineParts(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from := 0
		prev := rune(0)
		for i, r := range s {
			if i > from && (prev == ' ' && r != ' ' || prev == '-' && unicode.IsLetter(r) || ideographic(prev) && !closing(r) ||
				ideographic(r) && prev != ' ' && !opening(prev) || i-from >= maxWord) {
				if !yield(s[from:i]) {
					return
				}
				from = i
			}
			prev = r
		}
		yield(s[from:])
	}
}

// ideographic reports whether a line can end before or after a letter.
func ideographic(r rune) bool {
	return r >= 0x2e80 && r < 0xa4d0 && r != '、' && r != '。' || r >= 0xf900 && r < 0xfb00 || r >= 0x20000 && r < 0x40000
}

func closing(r rune) bool {
	return strings.ContainsRune("、。，．）」』】〕］｝・：；！？ー々…％%)]}.,:;!?", r) || r == ' '
}
func opening(r rune) bool { return strings.ContainsRune("（「『【〔［｛([{", r) }

// Paragraph writes a text from y on, in lines of the frame, in the reading direction of the page.
func (w *Painter) Paragraph(s string, style scene.Style, high float64, c Rgba) {
	w.linesOf(w.Wrap(s, style, w.Wide), style, high, c)
}

// LongParagraph is [Painter.Paragraph] for a text of any length: it ends at the end of the page.
func (w *Painter) LongParagraph(s string, style scene.Style, high float64, c Rgba) {
	most := max(int((w.Most-w.Y)/(style.Size*high)), 1)
	lines := w.wrapUpTo(s, style, w.Wide, most)
	if len(lines) > most {
		lines = append(lines[:most-1], w.Shorten(lines[most-1]+" "+lines[most], style, w.Wide-2*style.Size))
		if last := lines[most-1]; !strings.HasSuffix(last, canvas.Ellipse) {
			lines[most-1] = last + canvas.Ellipse
		}
	}
	w.linesOf(lines, style, high, c)
}

func (w *Painter) linesOf(lines []string, style scene.Style, high float64, c Rgba) {
	for _, line := range lines {
		if w.Rtl {
			line = rightToLeft + line
		}
		w.Put(w.X, w.Y+Foot(style.Size, style.Size*high), line, style, c)
		w.Y += style.Size * high
		w.Weak = append(w.Weak, w.Y)
	}
}

// rightToLeft is a mark that makes a text right-to-left, also if its first letter is not.
const rightToLeft = "\u200f"

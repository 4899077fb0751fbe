package web

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of a comparison line by line.
const (
	contextLines = 3      // that are the same, shown around those that differ
	maxDiffLines = 20_000 // of both texts together where they differ; beyond, one is said to replace the other
	maxEdits     = 1_000  // lines added and removed that are looked for; beyond, likewise
	maxDiffShown = 500    // lines
	maxDiffWide  = 4_000  // characters of a line
)

// A diffLine is a line of a comparison.
type diffLine struct {
	Sign    string // "−" for one that was removed, "+" for one that was added, "" for one that both have
	Text    string
	Skipped int // lines that both have and that are left out here, in place of a text
}

// linesOf is what is compared of a version's content: of JSON its indented form with sorted keys, of other text its lines.
// Strings in JSON break after their own line breaks, so that SQL is compared by its lines. ok is false for what is no text.
func linesOf(content []byte) (lines []string, ok bool) {
	if text, isJSON := indentedJSON(content); isJSON {
		content = text
	} else if !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 {
		return nil, false
	}
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n"), "\n"), true
}

func indentedJSON(content []byte) ([]byte, bool) {
	if !json.Valid(content) {
		return nil, false
	}
	var value any
	in := json.NewDecoder(bytes.NewReader(content))
	in.UseNumber() // every digit, as it was published
	if err := in.Decode(&value); err != nil {
		return nil, false
	}
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	if err := out.Encode(value); err != nil {
		return nil, false
	}
	broken := make([]byte, 0, text.Len())
	for i := 0; i < text.Len(); i++ {
		c := text.Bytes()[i]
		broken = append(broken, c)
		if c != '\\' {
			continue
		}
		i++ // JSON has no backslash at its end
		c = text.Bytes()[i]
		if broken = append(broken, c); c == 'n' {
			broken = append(broken, '\n')
		}
	}
	return broken, true
}

// diffLines compares two texts. It returns the lines that differ with some around them, and how many lines more it would
// have shown without its limit. Texts that are the same have no lines.
func diffLines(a, b []string) (shown []diffLine, more int) {
	keptA, keptB := keptLines(a, b)
	var all []diffLine
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && !keptA[i]:
			all = append(all, diffLine{Sign: "−", Text: narrowed(a[i])})
			i++
		case j < len(b) && !keptB[j]:
			all = append(all, diffLine{Sign: "+", Text: narrowed(b[j])})
			j++
		default:
			all = append(all, diffLine{Text: narrowed(a[i])})
			i, j = i+1, j+1
		}
	}
	shown = folded(all)
	if more = len(shown) - maxDiffShown; more > 0 {
		return shown[:maxDiffShown], more
	}
	return shown, 0
}

// folded leaves out runs of lines that both texts have, but for those next to a difference.
func folded(all []diffLine) []diffLine {
	var out []diffLine
	differs := func(l diffLine) bool { return l.Sign != "" }
	if !slices.ContainsFunc(all, differs) {
		return nil
	}
	for i := 0; i < len(all); {
		n := slices.IndexFunc(all[i:], differs)
		if n == 0 {
			out = append(out, all[i])
			i++
			continue
		}
		before, after := contextLines, contextLines
		if i == 0 {
			before = 0
		}
		if n < 0 {
			n, after = len(all)-i, 0
		}
		if n <= before+after+1 { // one line takes the place of saying so
			out = append(out, all[i:i+n]...)
		} else {
			out = append(out, all[i:i+before]...)
			out = append(out, diffLine{Skipped: n - before - after})
			out = append(out, all[i+n-after:i+n]...)
		}
		i += n
	}
	return out
}

func narrowed(line string) string {
	if len(line) <= maxDiffWide {
		return line
	}
	if r := []rune(line); len(r) > maxDiffWide {
		return string(r[:maxDiffWide]) + "…"
	}
	return line
}

// keptLines says of each line whether both texts have it, in the same order: as many as can be, by the algorithm of Myers.
func keptLines(a, b []string) (keptA, keptB []bool) {
	keptA, keptB = make([]bool, len(a)), make([]bool, len(b))
	from := 0
	for from < min(len(a), len(b)) && a[from] == b[from] {
		keptA[from], keptB[from] = true, true
		from++
	}
	n, m := len(a), len(b)
	for n > from && m > from && a[n-1] == b[m-1] {
		n, m = n-1, m-1
		keptA[n], keptB[m] = true, true
	}
	a, b = a[from:n], b[from:m]
	if len(a)+len(b) > maxDiffLines {
		return keptA, keptB
	}
	trace := shortestEdit(a, b)
	x, y := len(a), len(b)
	for d := len(trace) - 1; d >= 0; d-- {
		v, k := trace[d], x-y
		at := func(k int) int { return v[k+d+1] }
		fromX, fromY := 0, 0
		if d > 0 {
			before := k - 1
			if k == -d || k != d && at(k-1) < at(k+1) {
				before = k + 1
			}
			fromX = at(before)
			fromY = fromX - before
		}
		for x > fromX && y > fromY {
			x, y = x-1, y-1
			keptA[from+x], keptB[from+y] = true, true
		}
		x, y = fromX, fromY
	}
	return keptA, keptB
}

// shortestEdit returns, for each number d of edits up to the smallest that makes b of a, how far d-1 edits lead on the
// diagonals -d-1 to d+1. It is empty when more than [maxEdits] are needed.
func shortestEdit(a, b []string) [][]int {
	const zero = maxEdits + 1 // the index of diagonal 0
	v := make([]int, 2*zero+1)
	var trace [][]int
	for d := 0; d <= maxEdits; d++ {
		trace = append(trace, slices.Clone(v[zero-d-1:zero+d+2]))
		for k := -d; k <= d; k += 2 {
			x := v[zero+k-1] + 1
			if k == -d || k != d && v[zero+k-1] < v[zero+k+1] {
				x = v[zero+k+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			v[zero+k] = x
			if x >= len(a) && x-k >= len(b) {
				return trace
			}
		}
	}
	return nil
}

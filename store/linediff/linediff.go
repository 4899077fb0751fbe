package linediff

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of a comparison line by line. They apply to any contents: 5 MiB of brackets and commas would become gigabytes of
// indentation, in millions of lines.
const (
	contextLines = 3         // equal lines shown around each difference
	maxDiffLines = 20_000    // differing lines of both texts together; beyond, one text is shown as replaced by the other
	maxEdits     = 1_000     // added and removed lines to search for; beyond, likewise
	maxDiffShown = 500       // lines
	maxDiffWide  = 4_000     // characters of a line
	maxDiffBytes = 512 << 10 // of all shown lines
	maxSorted    = 50_000    // lists, objects and values of a JSON whose keys are sorted
	maxIndented  = 2 << 20   // bytes of a JSON with its indentation
)

// A Line is a line of a comparison.
type Line struct {
	Sign    string // "−" for a removed line, "+" for an added line, "" for a line of both
	Text    string
	Skipped int // number of lines of both that are left out here; then the line has no text
}

// Compare compares two contents line by line. JSON is indented and its keys are sorted first, unless that is too large for one
// of the two; then each member is only put on its own line. Strings in JSON break after their own line breaks, so that SQL is
// compared by its lines. ok is false if one of the two is not text.
func Compare(a, b []byte) (shown []Line, more int, ok bool) {
	contents, sorted := [2][]byte{a, b}, true
	var isJSON [2]bool
	for i, content := range contents {
		if isJSON[i] = json.Valid(content); isJSON[i] {
			sorted = sorted && sortable(content)
		} else if !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 {
			return nil, 0, false
		}
	}
	var texts [2]string
	for i, content := range contents {
		if isJSON[i] {
			content = linesOfJSON(content, sorted)
		}
		texts[i] = strings.ReplaceAll(string(content), "\r\n", "\n")
	}
	shown, more = diffTexts(texts[0], texts[1])
	return shown, more, true
}

// sortable reports whether JSON can be indented and sorted in little time and memory.
func sortable(content []byte) bool {
	members, size, depth, quoted := 0, len(content), 0, false
	for i := 0; i < len(content); i++ {
		switch c := content[i]; {
		case c == '"':
			quoted = !quoted
			continue
		case quoted:
			if c == '\\' {
				i++
			}
			continue
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c != ',':
			continue
		}
		members++
		if size += 2 * depth; members > maxSorted || size > maxIndented {
			return false
		}
	}
	return true
}

// linesOfJSON formats valid JSON with one line for each member: with sorted keys and indentation, or in the original order without
// indentation.
func linesOfJSON(content []byte, sorted bool) []byte {
	if sorted {
		var text bytes.Buffer
		if sortInto(&text, content) {
			content = text.Bytes()
		} else {
			sorted = false
		}
	}
	out := make([]byte, 0, 2*len(content))
	quoted := false
	for i := 0; i < len(content); i++ {
		c := content[i]
		switch {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			out = append(out, c)
			i++ // JSON does not end in a backslash
			if c = content[i]; c == 'n' {
				out = append(out, c)
				c = '\n'
			}
		case quoted || sorted:
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			continue
		case (c == ']' || c == '}') && out[len(out)-1] != '\n':
			out = append(out, '\n')
		}
		out = append(out, c)
		if !quoted && !sorted && (c == '[' || c == '{' || c == ',') {
			out = append(out, '\n')
		}
	}
	return out
}

// sortInto writes JSON with sorted keys and indentation. It returns false for JSON that cannot be parsed.
func sortInto(text *bytes.Buffer, content []byte) bool {
	var value any
	in := json.NewDecoder(bytes.NewReader(content))
	in.UseNumber() // keeps every digit as published
	if err := in.Decode(&value); err != nil {
		return false
	}
	out := json.NewEncoder(text)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(value) == nil
}

// diffTexts compares two texts by their lines. It returns the differing lines with some lines around them, and the number of
// lines that the limits cut off. Equal texts have no lines.
func diffTexts(a, b string) (shown []Line, more int) {
	a, b = strings.TrimSuffix(a, "\n")+"\n", strings.TrimSuffix(b, "\n")+"\n"
	if a == b {
		return nil, 0
	}
	start := a[:sameStart(a, b)]
	a, b = a[len(start):], b[len(start):]
	end := a[len(a)-sameEnd(a, b):]
	a, b = a[:len(a)-len(end)], b[:len(b)-len(end)]

	shown = linesBefore(start)
	removed, added := strings.Count(a, "\n"), strings.Count(b, "\n")
	if removed+added <= maxDiffLines {
		shown = append(shown, folded(diffLines(firstLines(a, removed), firstLines(b, added)))...)
	} else {
		removed, added = min(removed, maxDiffShown), min(added, maxDiffShown) // lines after the last of these are not shown
		more = strings.Count(a, "\n") - removed + strings.Count(b, "\n") - added
		shown = append(shown, diffLines(firstLines(a, removed), nil)...)
		shown = append(shown, diffLines(nil, firstLines(b, added))...)
	}
	shown = append(shown, linesAfter(end)...)
	most, size := 0, 0
	for most < min(len(shown), maxDiffShown) && size < maxDiffBytes {
		shown[most].Text = narrowed(shown[most].Text)
		size += len(shown[most].Text)
		most++
	}
	return shown[:most], more + len(shown) - most
}

// sameStart returns the length of the common lines at the beginning of a and b.
func sameStart(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return strings.LastIndexByte(a[:n], '\n') + 1
}

// sameEnd returns the length of the common lines at the end of a and b.
func sameEnd(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	begins := func(s string) bool { return n == len(s) || s[len(s)-n-1] == '\n' }
	if begins(a) && begins(b) {
		return n
	}
	return n - 1 - strings.IndexByte(a[len(a)-n:], '\n') // without the partial line
}

// linesBefore returns the last of the common lines at the beginning of both texts.
func linesBefore(start string) (shown []Line) {
	n := strings.Count(start, "\n")
	if n > contextLines+1 { // a note of one left-out line would be as long as the line
		shown, n = append(shown, Line{Skipped: n - contextLines}), contextLines
	}
	from := len(start)
	for range n {
		from = strings.LastIndexByte(start[:from-1], '\n') + 1
	}
	return append(shown, unsigned(firstLines(start[from:], n))...)
}

// linesAfter returns the first of the common lines at the end of both texts.
func linesAfter(end string) []Line {
	n := strings.Count(end, "\n")
	if n <= contextLines+1 {
		return unsigned(firstLines(end, n))
	}
	return append(unsigned(firstLines(end, contextLines)), Line{Skipped: n - contextLines})
}

// firstLines returns the first n lines of a text, which has at least n.
func firstLines(text string, n int) []string {
	lines := strings.SplitN(text, "\n", n+1)
	return lines[:n]
}

func unsigned(lines []string) []Line { return diffLines(lines, lines) }

// diffLines returns all lines of a and b; common lines occur once.
func diffLines(a, b []string) (all []Line) {
	keptA, keptB := keptLines(numbered(a, b))
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && !keptA[i]:
			all = append(all, Line{Sign: "−", Text: a[i]})
			i++
		case j < len(b) && !keptB[j]:
			all = append(all, Line{Sign: "+", Text: b[j]})
			j++
		default:
			all = append(all, Line{Text: a[i]})
			i, j = i+1, j+1
		}
	}
	return all
}

// numbered gives each line a number; equal lines get the same one. Comparing numbers is faster, because long lines
// would be compared a million times.
func numbered(a, b []string) (numbersA, numbersB []int) {
	numbers := make(map[string]int, len(a)+len(b))
	of := func(lines []string) []int {
		out := make([]int, len(lines))
		for i, line := range lines {
			n, known := numbers[line]
			if !known {
				n = len(numbers)
				numbers[line] = n
			}
			out[i] = n
		}
		return out
	}
	return of(a), of(b)
}

// folded replaces runs of common lines between differences by their number, except for the lines next to a difference.
func folded(all []Line) []Line {
	var out []Line
	for i := 0; i < len(all); {
		n := slices.IndexFunc(all[i:], func(l Line) bool { return l.Sign != "" })
		switch {
		case n == 0:
			n = 1
			out = append(out, all[i])
		case n <= 2*contextLines+1: // a note of one left-out line would be as long as the line
			n = max(n, 1)
			out = append(out, all[i:i+n]...)
		default:
			out = append(out, all[i:i+contextLines]...)
			out = append(out, Line{Skipped: n - 2*contextLines})
			out = append(out, all[i+n-contextLines:i+n]...)
		}
		i += n
	}
	return out
}

func narrowed(line string) string {
	runes := 0
	for i := range line {
		if runes == maxDiffWide {
			return line[:i] + "…"
		}
		runes++
	}
	return line
}

// keptLines reports for each line whether it is common to both texts. The common lines are in the same order in both, and
// as many as possible, by the algorithm of Myers.
func keptLines(a, b []int) (keptA, keptB []bool) {
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

// shortestEdit returns, for each number d of edits up to the smallest that turns a into b, the furthest positions that
// d-1 edits reach on the diagonals -d-1 to d+1. It returns nothing if more than [maxEdits] edits are needed.
func shortestEdit(a, b []int) [][]int {
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

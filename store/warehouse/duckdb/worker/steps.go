package worker

import "strings"

// maxSteps is about 50 ms of the engine. Lines that part the sections of a statement stay below: those of
// minuses, stars and equals signs cost next to nothing, and of 80 plusses there may be 260.
const maxSteps = 1 << 27

// steps is for how many steps of 0.4 ns operators keep the engine's lexer. It takes the longest run of
// their characters, and then finds that what it took is shorter: it ends before a comment, or has no sign
// at its end. So a run is read again for each comment in it, with a step of 16, and signs again for each
// of them, twice: 10 KB of +-+-… would take minutes. No limit of time ends that, but the worker's.
//
// It does not matter what strings and comments are: -- ends the signs, and nothing in a line comment costs.
func steps(sql string) (n int) {
	runs := strings.FieldsFuncSeq(sql, func(r rune) bool { return !strings.ContainsRune("~!@#^&|`?+-*/%<>=", r) })
	for run := range runs {
		n += 16 * len(run) * strings.Count(run, "/*")
		for signs := range strings.FieldsFuncSeq(strings.ReplaceAll(run, "--", " "), func(r rune) bool { return r != '+' && r != '-' }) {
			n += len(signs) * len(signs) * len(signs)
		}
	}
	return n
}

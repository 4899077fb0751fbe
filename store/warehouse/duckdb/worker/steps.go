package worker

import (
	"strings"
	"unicode"
)

// maxSteps is about 50 ms of the engine's lexer. Lines that part the sections of a statement stay below: those of
// minuses, stars and equals signs cost next to nothing, and of 80 plusses there may be 130.
const maxSteps = 1 << 27

// signSteps is what each sign costs that follows another, as a node of the parse tree and of its JSON.
const signSteps = 6000

// maxConditions is how many AND and OR a statement may have: the engine's parser joins them in a time that grows with
// the square of their number, and takes a second for 20,000.
const maxConditions = 5000

// conditions counts AND and OR. Those in strings and comments count too.
func conditions(sql string) (n int) {
	for word := range strings.FieldsFuncSeq(sql, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if strings.EqualFold(word, "and") || strings.EqualFold(word, "or") {
			n++
		}
	}
	return n
}

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
			n += len(signs)*len(signs)*len(signs) + (len(signs)-1)*signSteps
		}
	}
	return n
}

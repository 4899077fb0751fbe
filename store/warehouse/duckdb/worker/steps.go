package worker

import (
	"strings"

	"service/store/sqltext"
)

// maxSteps is about 50 ms of the engine's lexer. Lines that part the sections of a statement stay below: those of
// minuses, stars and equals signs cost next to nothing, and of 80 plusses there may be 260.
const maxSteps = 1 << 27

// maxConditions is how many AND and OR a statement may have: the engine's parser joins them in a time that grows with
// the square of their number, and takes a second for 20,000.
const maxConditions = 5000

// maxSigns is how many plusses and minuses may follow another: each is a node of the parse tree, and 100,000 take a second.
const maxSigns = 20_000

// crowded reports whether a statement has more conditions or signs than that. A lexer that is not the engine's
// counts them: where the two differ, the length of the statement limits the time.
func crowded(sql string) (conditions, signs bool) {
	q := sqltext.Read(sql)
	joined, signed := 0, 0
	for i, token := range q.Tokens {
		text := sql[token.From:token.To]
		switch {
		case q.Is(i, "and"), q.Is(i, "or"):
			joined++
		case strings.Trim(text, "+-") == "":
			signed += len(text)
			if i == 0 || strings.Trim(q.Text(i-1), "+-") != "" {
				signed--
			}
		}
	}
	return joined > maxConditions, signed > maxSigns
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
			n += len(signs) * len(signs) * len(signs)
		}
	}
	return n
}

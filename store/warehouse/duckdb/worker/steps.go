package worker

import (
	"strings"

	"service/store/sqltext"
)

// maxSteps is about 50 ms of the engine's lexer. Divider lines in a statement stay below it: those of minuses, stars and equals signs cost
// next to nothing, and 260 lines of 80 plusses are possible.
const maxSteps = 1 << 27

// maxConditions is how many AND and OR a statement may have: the engine's parser needs time that grows with the square of their number, a
// second for 20,000.
const maxConditions = 5000

// maxSigns is how many plusses and minuses may follow another: each is a node of the parse tree, and 100,000 take a second.
const maxSigns = 20_000

// crowded reports whether a statement has more than maxConditions conditions or maxSigns signs in a row. Our lexer counts them: if it
// differs from the engine's, the length of the statement still limits the time.
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

// steps estimates the time of the engine's lexer for operators, in steps of 0.4 ns. The lexer reads the longest run of operator characters,
// and then shortens it: an operator ends before a comment, and does not end in a sign. So a run is read again for each comment in it, with
// a step of 16, and signs again for each of them, twice: 10 KB of +-+-… would take minutes. Only the worker's time limit would end that.
//
// Strings and comments need no special treatment: -- ends the signs, and the text of a line comment costs nothing.
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

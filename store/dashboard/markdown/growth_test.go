package markdown

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"service/store/growthtest"
)

// Accepted Markdown is parsed in time that grows no faster than n log n; Markdown over a limit is refused quickly. Every input with a known
// worst case belongs here.
func TestMarkdownGrowsSlowly(t *testing.T) {
	runs := 0
	again := func() string { // the same text is not parsed twice
		runs++
		return fmt.Sprintf("\n\n%d", runs)
	}
	for _, parser := range []struct {
		name  string
		most  int
		parse func(text string) // whether it is refused is another test's business
	}{
		{"document", MaxPage - 16, func(text string) { _ = Check([]byte(text)) }},
		{"panel", MaxPanel - 16, func(text string) { _ = CheckPanel(text) }},
	} {
		for name, input := range markdownInputs {
			t.Run(parser.name+"/"+name, func(t *testing.T) {
				// Inputs are split into paragraphs of up to 10,000 bytes, each of which takes time that grows with the square of its size.
				growthtest.Check(t, parser.most, time.Millisecond, func(n int) (run func()) {
					text := input(n) + again()
					return func() { parser.parse(text) }
				})
			})
		}
	}
}

// repeated makes an input of repetitions of a piece, between a beginning and an end.
func repeated(begin, piece, end string) func(int) string {
	return func(n int) string {
		return begin + strings.Repeat(piece, max(0, n-len(begin)-len(end))/len(piece)) + end
	}
}

// inParagraphs repeats a piece as often as one paragraph may hold marks, and then
// begins the next.
func inParagraphs(piece string) func(int) string {
	marks := 0
	for _, c := range piece {
		if strings.ContainsRune("*_~`[]!<", c) {
			marks++
		}
	}
	times := 9_900 / len(piece)
	if marks > 0 {
		times = min(times, 990/marks)
	}
	return repeated("", strings.Repeat(piece, times)+"\n\n", "")
}

// wide is a table with a number of columns, whose rows are one character each.
func wide(columns int) func(int) string {
	return repeated("|"+strings.Repeat("a|", columns)+"\n|"+strings.Repeat("-|", columns)+"\n", "|\n", "")
}

var markdownInputs = map[string]func(int) string{
	"quotes in quotes":         repeated("", ">", ""),
	"lists in lists":           repeated("", "- ", ""),
	"lists in lists, indented": func(n int) string { return indented(n, "- a\n") },
	"quotes, a line each":      repeated("", strings.Repeat(">", 15)+"a\n", ""),
	"lists, a line each":       repeated("", strings.Repeat("- ", 15)+"a\n", ""),
	"a wide table":             wide(1500),
	"a table":                  wide(40),
	"escaped pipes in code":    repeated("|a|\n|-|\n", "`\\|`|\n", ""),
	"openers":                  repeated("", "*a ", ""),
	"closers":                  repeated("", "a_ ", ""),
	"openers and closers":      inParagraphs("*a_ "),
	"closers without openers":  inParagraphs("a**b_ c* "),
	"brackets":                 repeated("", "[", ""),
	"brackets, closed":         inParagraphs("[a]"),
	"brackets in brackets":     inParagraphs(strings.Repeat("[", 100) + "a" + strings.Repeat("]", 100)),
	"titles without end":       inParagraphs("[x](a \""),
	"titles over lines":        inParagraphs("[x](a \"" + strings.Repeat("b\n", 20)),
	"targets without end":      inParagraphs("[x](<b"),
	"images in images":         inParagraphs("![![a](b)"),
	"definitions":              repeated("", "[a]: b\n", ""),
	"definitions, one each":    repeated("", "[a]: b\n\n", ""),
	"a target used often":      func(n int) string { return "[a]: /" + strings.Repeat("b", n/2) + "\n\n" + inParagraphs("[a] ")(n/2) },
	"backticks":                backticks,
	"backticks, two and one":   inParagraphs("``a`"),
	"raw HTML":                 inParagraphs("<a b=\"<c d='"),
	"comments":                 inParagraphs("<!--"),
	"addresses":                inParagraphs("_www.a"),
	"addresses in parentheses": repeated("", "(www.a.b", ""),
	"mail":                     inParagraphs("~a@b."),
	"headings":                 repeated("", "# a\n", ""),
	"lines":                    repeated("", "a\n", ""),
	"blank lines":              repeated("a", "\n", ""),
	"fences":                   repeated("", "```\n", ""),
	"entities":                 repeated("", "&amp;", ""),
	"text":                     repeated("", "word ", ""),
}

// indented is a line again and again, each two columns further in.
func indented(n int, line string) string {
	var b strings.Builder
	for i := 0; b.Len()+2*i+len(line) <= n; i++ {
		b.WriteString(strings.Repeat("  ", i) + line)
	}
	return b.String()
}

// backticks are runs of all lengths, none of which closes another.
func backticks(n int) string {
	var b strings.Builder
	for i := 1; b.Len()+i+2 <= n; i++ {
		b.WriteString(strings.Repeat("`", i) + "a ")
	}
	return b.String()
}

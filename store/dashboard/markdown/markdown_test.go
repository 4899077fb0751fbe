package markdown

import (
	"fmt"
	"strings"
	"testing"
)

func mustMarkdown(t testing.TB, text string) []byte {
	t.Helper()
	v := convert([]byte(text), "", MaxPageCells)
	body, err := v.HTML, v.Err
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// A document that costs too much is refused with its limit and its line; one that is just inside
// the limit is drawn. goldmark's time grows with the square of each.
func TestMarkdownLimits(t *testing.T) {
	t.Parallel()
	const (
		nested = "line 3: quotes and lists are nested more than 16 deep"
		marks  = "line 3: a paragraph has more than 1000 of the marks * _ ~ ` [ ] ! <"
	)
	table := func(columns, rows int) string {
		return "|" + strings.Repeat("a|", columns) + "\n|" + strings.Repeat("-|", columns) + "\n" + strings.Repeat("|\n", rows-1)
	}
	indented := func(depth int) string {
		var b strings.Builder
		for i := range depth {
			b.WriteString(strings.Repeat("  ", i) + "- a\n")
		}
		return b.String()
	}
	const cells = "tables have more than 10000 cells, counting those that short rows leave empty"
	deep := "> > " + strings.ReplaceAll(table(100, 101), "\n", "\n> > ")
	for name, tc := range map[string]struct{ inside, over, refusal string }{
		"length": {
			strings.Repeat("word ", 40_000)[5:], strings.Repeat("word ", 40_001),
			"200005 bytes of Markdown, over the limit of 200000",
		},
		"quotes":     {strings.Repeat(">", 16) + "a", strings.Repeat(">", 17) + "a", nested},
		"lists":      {strings.Repeat("- ", 16) + "a", strings.Repeat("- ", 17) + "a", nested},
		"further in": {indented(16), indented(17), "line 19: quotes and lists are nested more than 16 deep"},
		"both":       {strings.Repeat("> 1. ", 8) + "a", strings.Repeat("> 1. ", 9) + "a", nested},
		"emphasis":   {strings.Repeat("*a* ", 500), strings.Repeat("*a* ", 501), marks},
		"brackets":   {strings.Repeat("[", 1_000), strings.Repeat("[", 1_001), marks},
		"backticks":  {strings.Repeat("`a` ", 1_000), strings.Repeat("`a` ", 1_001), marks},
		"raw HTML":   {"a " + strings.Repeat("<!-- ", 500), "a " + strings.Repeat("<!-- ", 501), marks},
		"a heading":  {"## " + strings.Repeat("*a* ", 500), "## " + strings.Repeat("*a* ", 501), marks},
		"all marks": {
			strings.Repeat("_\n\n", 40_000), strings.Repeat("_\n\n", 40_001),
			"line 80003: the text has more than 40000 of the marks * _ ~ ` [ ] ! <",
		},
		"a paragraph": {
			strings.Repeat("word ", 1_999) + "*a*", strings.Repeat("word ", 2_000) + "*a*",
			"line 3: a paragraph with marks has 10003 bytes, over the limit of 10000",
		},
		"definitions": {
			strings.Repeat("[a]: b\n", 1_428), strings.Repeat("[a]: b\n", 1_429),
			"line 3: a paragraph that begins with [ has 10003 bytes, over the limit of 10000",
		},
		"a table":           {table(100, 100), table(100, 101), "line 4: " + cells},
		"tables":            {table(50, 100) + "\n" + table(50, 100), table(50, 100) + "\n" + table(50, 101), "line 106: " + cells},
		"a table in quotes": {"> > " + table(3, 2), deep, "line 4: " + cells},
		"targets": {
			target(1_024, 1_024), target(1_024, 1_025),
			"the targets of links take more than 1048576 bytes, each counted as often as it is used",
		},
	} {
		if err := Check([]byte(tc.inside)); err != nil {
			t.Errorf("%s: just inside: %v", name, err)
		}
		over := "\n\n" + tc.over
		if name == "length" {
			over = tc.over
		}
		if err := Check([]byte(over)); err == nil || err.Error() != tc.refusal {
			t.Errorf("%s: %v, want %s", name, err, tc.refusal)
		}
	}
}

// target is a link definition of a size, and links to it.
func target(size, links int) string {
	paragraph := strings.Repeat("[a]\n", 400) + "\n"
	return "[a]: /" + strings.Repeat("x", size-1) + "\n\n" + strings.Repeat(paragraph, links/400) + strings.Repeat("[a]\n", links%400)
}

// A long document of an ordinary kind is far inside all limits.
func TestMarkdownLimitsLeaveRoom(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "## %d. Findings\n\n", i)
		b.WriteString("The *first* thing is `a_b` with a [link](https://example.com/a_b?c=d), **bold** words and so on!\n")
		b.WriteString("It goes on for a while.\n\n")
		b.WriteString("1. One\n   - two\n     > three **four**\n\n")
		b.WriteString("| Region | Revenue |\n|---|--:|\n| North | 12 |\n| South | `34` |\n\n```sql\nSELECT *\n```\n\n")
	}
	if err := Check([]byte(b.String())); err != nil {
		t.Error(len(b.String()), err)
	}
}

// The cache removes values that were not used recently, and keeps no more than its size.
func TestMarkdownCache(t *testing.T) {
	t.Parallel()
	var c cache
	often := keyOf("often", "", 1)
	c.put(often, Rendered{HTML: []byte("often")})
	for i := range 100 {
		c.put(keyOf(fmt.Sprint(i), "", 1), Rendered{HTML: make([]byte, 1<<20)})
		if _, ok := c.get(often); !ok {
			t.Fatalf("after %d more, what is used all the time is forgotten", i)
		}
		if n := len(c.young) + len(c.old); n > 2*(halfCache>>20+2) {
			t.Fatalf("%d texts of 1 MiB are kept", n)
		}
	}
	if _, ok := c.get(keyOf("0", "", 1)); ok {
		t.Error("nothing is forgotten")
	}
}

// BenchmarkMarkdown draws the slowest of some 3,700 inputs, which were made at random from constructs at which goldmark is slow, all just
// inside the limits.
func BenchmarkMarkdown(b *testing.B) {
	paragraphs := func(piece string, times int) string {
		return strings.Repeat(strings.Repeat(piece, times)+"\n\n", min(MaxPage/(len(piece)*times+2), 50))
	}
	for name, text := range map[string]string{
		"titles without end": paragraphs("[x](a \""+strings.Repeat("b\n", 6), 490),
		"targets":            paragraphs(":::[x](", 390),
		"addresses":          paragraphs("[x](http://a.www.a", 390),
		"backticks":          paragraphs("+ `\n", 790),
		"brackets":           paragraphs("[", 790),
		"words":              strings.Repeat("word ", 40_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := convert([]byte(text), "", MaxPageCells).Err; err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestCheckKeepsHTML: a check keeps the HTML of a text for the page that shows it, even if the values have changed by then.
func TestCheckKeepsHTML(t *testing.T) {
	t.Parallel()
	document := "# Kept\n\nOnly *once*, in " + t.Name() + ".\n"
	if err := Check([]byte(document)); err != nil {
		t.Fatal(err)
	}
	_, src := CutHeading(document)
	if _, ok := cached.get(keyOf(src, "", MaxPageCells)); !ok {
		t.Error("the check of a document keeps nothing")
	}
	if err := CheckPanel("Panel {{d.amount}} " + t.Name()); err != nil {
		t.Fatal(err)
	}
	src, _ = cutFields("Panel {{d.day}} " + t.Name())
	if _, ok := cached.get(keyOf(src, "", MaxPanelCells)); !ok {
		t.Error("the check of a panel keeps nothing, or what depends on its values")
	}
}

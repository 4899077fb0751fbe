package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// A headless sentence begins with a relative pronoun and names no noun: readers find out at its end what it is about.
var headless = regexp.MustCompile(`(?:^|[.!?:] )(?:What|Who|Whoever|Whatever)\b [^.!?]*(?:[.!?]|$)`)

// forbiddenWords are words in place of which docs/glossary.md has another one, and that have no other meaning here.
var forbiddenWords = regexp.MustCompile(`(?i)\b(?:widgets?|dashlets?|alarms?|trash|recycle bins?|result sets?|crosstabs?)\b`)

// saysSo is the end of a sentence that names neither the reporter nor the report: "a note in the panel states this" names both.
var saysSo = regexp.MustCompile(`(?i)\bsays? so\b`)

// maxWords is the most words of a sentence in a document. Code is one word; signs between words do not count.
const maxWords = 40

// badEnglish returns the first headless sentence, or forbidden word, of a text; "" if it has neither. Questions are not headless.
func badEnglish(text string) string {
	for _, s := range headless.FindAllString(text, -1) {
		if !strings.HasSuffix(s, "?") {
			return strings.TrimLeft(s, ".!?: ")
		}
	}
	return forbiddenWords.FindString(text)
}

// Comments of Go and the documents name the noun of a sentence, and use the words of the glossary.
func TestEnglish(t *testing.T) {
	t.Parallel()
	err := eachGoFile(repository, func(name string, text []byte) error {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, group := range file.Comments {
			if bad := badEnglish(strings.Join(strings.Fields(group.Text()), " ")); bad != "" {
				t.Errorf("%s: %s", set.Position(group.Pos()), bad)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range documents(t) {
		text, err := fs.ReadFile(repository, name)
		if err != nil {
			t.Fatal(err)
		}
		for i, paragraph := range paragraphs(string(text)) {
			if bad := badEnglish(paragraph); bad != "" && strings.ContainsAny(paragraph, ".!?") { // and not a heading
				t.Errorf("%s, paragraph %d: %s", name, i+1, bad)
			}
			if bad := saysSo.FindString(paragraph); bad != "" {
				t.Errorf("%s, paragraph %d: %s", name, i+1, bad)
			}
			if bad := longSentence(paragraph); bad != "" && !slices.Contains(condensed, name) {
				t.Errorf("%s, paragraph %d: a sentence of more than %d words: %s", name, i+1, maxWords, bad)
			}
		}
	}
}

// condensed are the documents of long sentences: the descriptions of tools, whose bytes are limited, and the history.
var condensed = []string{"docs/tools.md", "CHANGELOG.md"}

// longSentence returns the first sentence of a paragraph that has more than maxWords words, or "" if no sentence has so many.
func longSentence(paragraph string) string {
	for _, s := range regexp.MustCompile(`[.!?](?: |$)|<br>`).Split(paragraph, -1) {
		n := 0
		for _, word := range strings.Fields(s) {
			if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				n++
			}
		}
		if n > maxWords {
			return s
		}
	}
	return ""
}

// documents are the paths of the Markdown files that people read, but for the glossary, which names the words.
func documents(t *testing.T) []string {
	t.Helper()
	names := []string{"README.md", "SECURITY.md", "CHANGELOG.md"}
	err := fs.WalkDir(repository, "docs", func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".md") && path.Base(name) != "glossary.md" {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// paragraphs are the paragraphs, items and cells of a document, without code and marks of emphasis.
func paragraphs(text string) []string {
	text = regexp.MustCompile("(?s)```.*?```|`[^`]*`").ReplaceAllString(text, "x")
	var out []string
	for _, block := range regexp.MustCompile(`\n\s*\n|\n\s*[-*] |\n\d+\. |\n#+ |\||\*\*`).Split("\n"+text, -1) {
		if s := strings.Trim(strings.Join(strings.Fields(block), " "), "#-* "); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func TestBadEnglish(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"What is not known is left out.":                  true,
		"drop removes a drawing. Who waits for it has it": true,
		"Whoever asks gets an answer.":                    true,
		"A list: What remains.":                           true,
		"Each widget is drawn.":                           true,
		"The values that remain are drawn.":               false,
		"It checks what remains, and who asks.":           false,
		"What is a dataset?":                              false,
	} {
		if got := badEnglish(text) != ""; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	words := strings.Repeat("word ", maxWords)
	for text, want := range map[string]bool{
		words + "and":             true,
		"Short. " + words + "and": true,
		words + "· – 1.5 ":        true,
		words + "· –":             false,
		words + ". " + words:      false,
		words + "<br>" + words:    false,
	} {
		if got := longSentence(text) != ""; got != want {
			t.Errorf("%s: long is %v, want %v", text, got, want)
		}
	}
	if got := paragraphs("# Title\n\nOne\ntwo.\n- An item\n- **Bold.** More\n\n| a | b |\n"); !slices.Equal(got, []string{
		"Title", "One two.", "An item", "Bold.", "More", "a", "b",
	}) {
		t.Errorf("paragraphs: %q", got)
	}
}

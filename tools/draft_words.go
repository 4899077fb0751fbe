package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"service/store/dashboard"
	"service/store/pattern"
	"service/store/warehouse"
)

// draftWords are the words of a page in the language of its columns. Without formats of titles, those of the service are in its locale.
type draftWords struct {
	locale                     string
	overTime, by, average, all string
	share                      string
	entries, rows              string
	score, answer, count       string
}

var (
	englishWords = draftWords{
		overTime: "%s over time", by: "%s by %s", average: "Average %s", share: "Share %s", all: "All %s", entries: "Entries", rows: "rows",
		score: "Average score", answer: "Answer", count: "Answers",
	}
	germanWords = draftWords{
		locale: "de-DE", overTime: "%s im Zeitverlauf", by: "%s nach %s", average: "Ø %s", share: "Anteil %s", all: "Alle %s",
		entries: "Einträge", rows: "Zeilen", score: "Ø Bewertung", answer: "Antwort", count: "Antworten",
	}
	namesQuestion = pattern.New(`(?i)^(is|has|was|did|ist|hat)[_ .-]`)
	germanNames   = pattern.New(`(?i)(datum|betrag|kunde|menge|preis|gebühr|umsatz|monat|jahr|wohnort|alter|kosten|anzahl|nummer|` +
		`straße|geschlecht|bereich|gruppe|beginn|abteilung|stelle|[a-z]{4}(ung|heit|keit)($|[_ .-])|[äöüß])`)
)

// scripts are the scripts of columns that name a language. In these, drafts have no word but that for rows. Japanese is before Chinese,
// with which it shares characters.
var scripts = []struct {
	of    []*unicode.RangeTable
	words draftWords
}{
	{[]*unicode.RangeTable{unicode.Arabic}, draftWords{locale: "ar", entries: "السجلات"}},
	{[]*unicode.RangeTable{unicode.Hiragana, unicode.Katakana}, draftWords{locale: "ja-JP", entries: "件数"}},
	{[]*unicode.RangeTable{unicode.Hangul}, draftWords{locale: "ko-KR", entries: "건수"}},
	{[]*unicode.RangeTable{unicode.Han}, draftWords{locale: "zh-CN", entries: "条数"}},
}

// wordsOf returns the words of the language that most columns are in.
func wordsOf(facts []fact) draftWords {
	german, in := 0, make([]int, len(scripts))
	kana := 0 // columns of a Japanese table can have characters of Chinese only
	for _, f := range facts {
		if germanNames.MatchString(f.Name) {
			german++
		}
		for i, s := range scripts {
			if strings.ContainsFunc(f.Name, func(r rune) bool { return unicode.In(r, s.of...) }) {
				in[i]++
			}
		}
		for _, v := range f.values {
			if text, ok := v.(string); ok && strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, scripts[1].of...) }) {
				kana++
			}
		}
	}
	if in[1] > 0 || kana > 0 {
		in[1] += in[3]
	}
	for i, s := range scripts {
		if in[i]*2 > len(facts) {
			return s.words
		}
	}
	if german >= 3 || german*2 > len(facts) {
		return germanWords
	}
	return englishWords
}

// title writes a title, or returns "" if the language has no format for it: the service then writes its own.
func title(format string, of ...any) string {
	if format == "" {
		return ""
	}
	return fmt.Sprintf(format, of...)
}

// label returns the label of a column.
func (p *draftedPage) label(column string) string {
	for i := range p.facts {
		if f := &p.facts[i]; f.Name == column {
			switch {
			case f.share:
				asked := dashboard.Label(namesQuestion.ReplaceAllString(f.Name, ""))
				return cmp.Or(title(p.words.share, p.within(asked)), asked)
			case f.agg == dashboard.Avg && f.use == useMeasure:
				return cmp.Or(title(p.words.average, p.named(f)), f.label)
			}
			return f.label
		}
	}
	if column == p.count {
		return p.countLabel()
	}
	return dashboard.Label(column)
}

// countLabel returns the label of the number of rows.
func (p *draftedPage) countLabel() string {
	has := func(names ...string) bool {
		return slices.ContainsFunc(p.facts, func(f fact) bool { return slices.Contains(names, strings.ToLower(f.Name)) })
	}
	noun := p.noun
	repeated := func(f fact) bool {
		return f.use == useID && strings.EqualFold(f.Name+"s", noun) && f.distinct*10 < f.rows*9
	}
	if slices.ContainsFunc(p.facts, repeated) { // a row is not one of them
		return p.words.entries
	}
	switch {
	case noun != "" || p.words.locale != "":
	case has("path", "url", "uri", "request") && has("status", "status_code", "code"):
		noun = "Requests"
	case len(p.scores) > 0:
		noun = "Responses"
	}
	return cmp.Or(noun, p.words.entries)
}

// within returns a label for the middle of a sentence: in English in small letters, unless it has capitals of its own.
func (p *draftedPage) within(label string) string {
	if p.words.locale != "" {
		return label
	}
	return dashboard.LowerLabel(label)
}

// named returns the label of a column for the middle of a sentence: as it is if its name has capitals, since these are how it is written.
func (p *draftedPage) named(f *fact) string {
	if f.label == f.Label && strings.ContainsFunc(f.Name, unicode.IsUpper) {
		return f.label
	}
	return p.within(f.label)
}

// currencyOf returns the ISO code of the only currency that the numbers of a file were written with, or "".
func currencyOf(units []warehouse.ColumnUnit) string {
	code := ""
	for _, u := range units {
		c := map[string]string{"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "%": ""}[u.Unit]
		if c == "" && len(u.Unit) == 3 {
			c = strings.ToUpper(u.Unit)
		}
		if c != "" && code != "" && c != code {
			return ""
		}
		code = cmp.Or(code, c)
	}
	return code
}

package tools

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"service/store/dashboard"
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
	namesQuestion = regexp.MustCompile(`(?i)^(is|has|was|did|ist|hat)[_ .-]`)
	germanNames   = regexp.MustCompile(`(?i)(datum|betrag|kunde|menge|preis|gebühr|umsatz|monat|jahr|wohnort|alter|kosten|anzahl|nummer|` +
		`straße|geschlecht|bereich|gruppe|beginn|anmeldung|abteilung|[äöüß])`)
)

// wordsOf returns the words of the language that most columns are in.
func wordsOf(facts []fact) draftWords {
	german := 0
	for _, f := range facts {
		if germanNames.MatchString(f.Name) {
			german++
		}
	}
	if german >= 3 || german*2 > len(facts) {
		return germanWords
	}
	return englishWords
}

// label returns the label of a column.
func (p *draftedPage) label(column string) string {
	for i := range p.facts {
		if f := &p.facts[i]; f.Name == column {
			switch {
			case f.share:
				return fmt.Sprintf(p.words.share, p.within(dashboard.Label(namesQuestion.ReplaceAllString(f.Name, ""))))
			case f.agg == dashboard.Avg && f.use == useMeasure:
				return fmt.Sprintf(p.words.average, p.within(f.label))
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

package dashboard

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"service/store/message"
)

// Limits of labels, in characters; the specification has no limits. Those of names and charts, and the number of tags, are in the schema,
// too.
const (
	MaxName  = 300 // of a dashboard, a version, a workspace or a connection
	maxChart = 100
	maxTag   = 100
	maxTags  = 50
)

// CheckName returns the refusal of name, or nil: it is not blank, in one line, and
// at most [MaxName] characters long (specification, "Metadata rules").
func CheckName(name string) error {
	if strings.TrimSpace(name) == "" {
		return message.NameEmpty()
	}
	return CheckLine("name", name, MaxName)
}

// CheckChart returns the refusal of the kind of chart that leads a dashboard, or nil.
func CheckChart(chart string) error {
	if chart == "" {
		return message.ChartEmpty()
	}
	return CheckLine("chart", chart, maxChart)
}

// CheckTags returns the refusal of the tags of a dashboard, or nil.
func CheckTags(tags []string) error {
	for i, tag := range tags {
		if err := CheckLine("tags["+strconv.Itoa(i)+"]", tag, maxTag); err != nil {
			return err
		}
	}
	return CheckTagCount(len(tags))
}

// CheckTagCount returns the refusal of n tags, or nil.
func CheckTagCount(n int) error {
	if n > maxTags {
		return message.Refuse("tags exceeds %d-entry limit (got %d)", maxTags, n)
	}
	return nil
}

// CheckLine returns the refusal of a text, called what, that has several lines or more than most characters, or nil.
func CheckLine(what, text string, most int) error {
	if strings.ContainsFunc(text, unicode.IsControl) {
		return message.Refuse("%s must not contain control characters", what)
	}
	if n := utf8.RuneCountInString(text); n > most {
		return message.Refuse("%s exceeds %d-char limit (got %d)", what, most, n)
	}
	return nil
}

// OneLine returns a foreign text, such as a value of a warehouse, in one line, without control characters and without characters that
// change the direction of text, so that it can be shown next to our own text.
func OneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		case '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069': // embeddings, overrides and isolates
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' }), " ") // keep the spaces within numbers
}

package notify

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Limits of Slack, in characters, with room for what escaping adds. A message whose blocks have more than
// about 13,000 in all may be refused as a whole.
const (
	slackHeader  = 150
	slackSection = 2900
	slackTotal   = 10_000
	slackFields  = 10
)

// slackEscape makes a text inert: without < there are no links, mentions or commands. The texts are in
// blocks of plain text besides, where * and _ mean nothing.
var slackEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

type slackBlock struct {
	Type     string      `json:"type"`
	Text     *slackText  `json:"text,omitempty"`
	Fields   []slackText `json:"fields,omitempty"`
	Elements []slackText `json:"elements,omitempty"`
}

type slackText struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Emoji    *bool  `json:"emoji,omitempty"`
	Verbatim bool   `json:"verbatim,omitempty"`
}

// slack is a content as an incoming webhook of Slack takes it.
func slack(c *Content) ([]byte, error) {
	w := slackWriter{left: slackTotal}
	w.add("header", toneMark(c.Tone)+c.Title, slackHeader)
	w.add("section", joinLines(c.Said, c.Late), slackSection)
	var fields []slackText
	for i, n := range c.Numbers {
		if i == slackFields {
			break
		}
		fields = append(fields, w.plain(joinLines(n.Name, n.Value, n.Change), 300))
	}
	if len(fields) > 0 {
		w.blocks = append(w.blocks, slackBlock{Type: "section", Fields: fields})
	}
	w.add("section", valueLines(c), slackSection)
	for i, s := range c.Sections {
		if i == 20 {
			break
		}
		w.add("section", joinLines(append([]string{s.Title}, s.Lines...)...), 1000)
	}
	link := slackText{Type: "mrkdwn", Text: "<" + slackURL(c.Link) + "|" + slackEscape.Replace(c.linkText()) + ">", Verbatim: true}
	w.blocks = append(w.blocks, slackBlock{Type: "section", Text: &link})
	if c.From != "" {
		w.blocks = append(w.blocks, slackBlock{Type: "context", Elements: []slackText{w.plain(c.From, 300)}})
	}
	return json.Marshal(map[string]any{
		"text":         slackEscape.Replace(cutText(joinLines(c.Title, c.Said), 1000)),
		"blocks":       w.blocks,
		"mrkdwn":       false, // in the text, which notifications show
		"unfurl_links": false, "unfurl_media": false,
	})
}

// A slackWriter writes blocks until there is no room.
type slackWriter struct {
	blocks []slackBlock
	left   int
}

func (w *slackWriter) add(kind, text string, most int) {
	if text == "" || w.left <= 0 {
		return
	}
	t := w.plain(text, most)
	w.blocks = append(w.blocks, slackBlock{Type: kind, Text: &t})
}

// plain is a text without markup, of at most so many characters when it is escaped.
func (w *slackWriter) plain(text string, most int) slackText {
	most = min(most, max(w.left, 1))
	text = cutText(text, most)
	for utf8.RuneCountInString(slackEscape.Replace(text)) > most { // what was escaped is longer
		text = cutText(text, utf8.RuneCountInString(text)*4/5)
	}
	text = slackEscape.Replace(text)
	w.left -= utf8.RuneCountInString(text)
	no := false
	return slackText{Type: "plain_text", Text: text, Emoji: &no}
}

// slackURL is a URL within < and |.
func slackURL(u string) string {
	return strings.NewReplacer("&", "&amp;", "<", "%3C", ">", "%3E", "|", "%7C").Replace(u)
}

// toneMark is a tone as a character, for readers without colours.
func toneMark(t Tone) string {
	switch t {
	case Good:
		return "✓ "
	case Warning:
		return "⚠ "
	case Critical:
		return "✖ "
	}
	return ""
}

// joinLines joins the lines that are not empty.
func joinLines(lines ...string) string {
	var out []string
	for _, l := range lines {
		if l != "" {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

// valueLines are the values of an alert, one a line.
func valueLines(c *Content) string {
	var lines []string
	for _, v := range c.Values {
		lines = append(lines, v.Name+": "+v.Text)
	}
	if more := c.more(); more != "" {
		lines = append(lines, more)
	}
	return strings.Join(lines, "\n")
}

// cutText cuts a text to so many characters.
func cutText(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	r := []rune(s)
	return string(r[:max(most-1, 0)]) + "…"
}

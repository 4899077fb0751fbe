package channel

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"
)

// Discord is a webhook of a channel of Discord.
const Discord = "discord"

func discordKind() Kind {
	return Kind{
		ID: Discord, Name: "Discord", URLLabel: "Webhook URL",
		Hint: "Discord makes one for you in the settings of a channel, under Integrations.",
		Write: func(c *Content, to Target, _ Attempt) (Post, error) {
			body, err := discord(c)
			if err != nil {
				return Post{}, err
			}
			u, err := discordURL(to.URL)
			return Post{URL: u, Body: body}, err
		},
		Refused: discordRefused,
	}
}

// Limits of Discord in characters, including the backslashes of escapes (Message Resource, "Embed Limits"). Title, description, names
// and values of fields, and footer have discordTotal together.
const (
	discordTitle       = 256
	discordDescription = 4096
	discordFields      = 25
	discordFooter      = 300 // Discord takes 2048
	discordTotal       = 6000
	discordField       = 150  // of the name, and of the value, of a key figure; Discord takes 256 and 1024
	discordSaid        = 1500 // left to the description by key figures
)

type discordEmbed struct {
	Title       string             `json:"title"`
	URL         string             `json:"url"`
	Description string             `json:"description,omitempty"`
	Color       int                `json:"color,omitempty"`
	Fields      []discordPair      `json:"fields,omitempty"`
	Footer      *discordFooterText `json:"footer,omitempty"`
}

type discordPair struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Inline bool   `json:"inline"`
}

type discordFooterText struct {
	Text string `json:"text"`
}

// discordColors are 0xRRGGBB.
var discordColors = map[Tone]int{Good: 0x17663a, Warning: 0x8a5a00, Critical: 0xb3261e}

// discord writes a content as a message with one embed. It mentions nobody: "parse" without elements suppresses all mentions (Message
// Resource, "Allowed Mentions Object").
func discord(c *Content) ([]byte, error) {
	w := discordWriter{left: discordTotal}
	e := discordEmbed{URL: c.Link, Color: discordColors[c.Tone], Title: w.text(ToneMark(c.Tone)+c.Title, discordTitle)}
	if c.From != "" { // a footer has no markup
		e.Footer = &discordFooterText{CutText(c.From, discordFooter)}
		w.left -= utf8.RuneCountInString(e.Footer.Text)
	}
	link := "[" + w.text(c.LinkSaid(), 100) + "](" + discordLink.Replace(c.Link) + ")"
	if n := utf8.RuneCountInString(link); n > discordDescription/2 { // the title leads there
		link = ""
	} else {
		w.left -= n
	}
	for i, n := range c.Numbers {
		if i == discordFields || w.left < discordSaid+2*discordField {
			break
		}
		e.Fields = append(e.Fields, discordPair{w.text(n.Name, discordField), w.text(JoinLines(n.Value, n.Change), discordField), true})
	}
	parts := []string{c.Said, c.Late, c.ValueLines()}
	for _, s := range c.Sections {
		parts = append(parts, JoinLines(append([]string{s.Title}, s.Lines...)...))
	}
	said := w.text(strings.Join(nonEmpty(parts), "\n\n"), discordDescription-utf8.RuneCountInString(link)-2)
	e.Description = strings.Join(nonEmpty([]string{said, link}), "\n\n")
	return json.Marshal(map[string]any{
		"embeds": []discordEmbed{e}, "allowed_mentions": map[string]any{"parse": []string{}},
	})
}

// nonEmpty returns the texts that are not empty.
func nonEmpty(texts []string) (out []string) {
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

// A discordWriter writes texts within discordTotal.
type discordWriter struct{ left int }

// text returns s without markup, escaped and cut to most characters. It is never empty, because Discord refuses an empty field.
func (w *discordWriter) text(s string, most int) string {
	most = min(most, max(w.left, 1))
	s = CutText(s, most)
	out := discordEscape(s)
	for utf8.RuneCountInString(out) > most && s != "" { // the escaped text is longer
		s = CutText(s, utf8.RuneCountInString(s)*4/5)
		out = discordEscape(s)
	}
	if out == "" {
		out = "…"
	}
	w.left -= utf8.RuneCountInString(out)
	return out
}

// discordEscape makes a text inert: Discord shows a character after a backslash unchanged. With <, @ and # escaped, there are no mentions;
// with : escaped, addresses are not links and there are no emoji; escaping the others prevents Markdown.
func discordEscape(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\*_~`|>#-+[](){}<@:!=^$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// discordLink escapes a URL between the parentheses of a link.
var discordLink = strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "\\", "%5C", " ", "%20")

// discordURL adds wait to a URL, so that Discord reports a message that it does not save (Webhook Resource, "Execute Webhook").
func discordURL(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", err
	}
	q := u.Query()
	q.Set("wait", "true")
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// Codes of Discord (Opcodes and Status Codes, "JSON Error Codes").
const (
	discordUnknownWebhook = 10015
	discordInvalidToken   = 50027
	discordNeedsThread    = 220001 // a forum, whose posts are threads
)

// discordRefused returns a sentence for answers that need an action of the owner, and "" for others.
func discordRefused(status int, answer string) string {
	var said struct {
		Code int `json:"code"`
	}
	_ = json.Unmarshal([]byte(answer), &said) // an answer in another form has no code
	switch {
	case said.Code == discordUnknownWebhook, said.Code == discordInvalidToken, status == http.StatusNotFound:
		return "Discord does not know this webhook any more. Make a new one there."
	case said.Code == discordNeedsThread:
		return "The webhook leads to a forum of Discord. Make one in a text channel, or add thread_id to the URL."
	}
	return ""
}

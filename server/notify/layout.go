package notify

import (
	_ "embed"
	"html/template"
	"strings"

	"service/store/channel"
)

//go:embed mail.html
var mailMarkup string

// mailTemplate is the layout of all mails: tables, and styles in attributes, which all mail programs support; the colours of dark screens
// in a style sheet, for programs that support it; no external pictures.
var mailTemplate = template.Must(template.New("mail").Funcs(template.FuncMap{
	"lines": func(s string) []string { return strings.Split(s, "\n") },
}).Parse(mailMarkup))

// mailView is the data of the layout.
type mailView struct {
	*channel.Content
	Lang, Dir, Start, End     string
	Mark, Color               string
	MoreText, UnsubscribeText string
	LinkSaid                  string
	Source                    template.URL
}

// mailHTML returns a content as HTML.
func mailHTML(c *channel.Content) (string, error) {
	l := c.Lang()
	v := mailView{
		Content: c, Lang: l.Lang, Dir: l.Dir, Start: "left", End: "right", Mark: channel.ToneMark(c.Tone), MoreText: c.Rest(),
		UnsubscribeText: l.Text("Unsubscribe"), LinkSaid: c.LinkSaid(), Source: "cid:" + pictureID,
		Color: map[channel.Tone]string{channel.Good: "#17663a", channel.Warning: "#8a5a00", channel.Critical: "#b3261e"}[c.Tone],
	}
	if v.Color == "" {
		v.Color = "#1c2229"
	}
	if l.Dir == "rtl" {
		v.Start, v.End = "right", "left"
	}
	var b strings.Builder
	err := mailTemplate.Execute(&b, v)
	return b.String(), err
}

// mailText returns a content as plain text.
func mailText(c *channel.Content) string {
	var b strings.Builder
	part := func(text string) {
		if text == "" {
			return
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(text)
	}
	part(channel.JoinLines(c.From, channel.ToneMark(c.Tone)+c.Title))
	part(c.Said)
	part(c.Late)
	var numbers []string
	for _, n := range c.Numbers {
		line := n.Name + ": " + n.Value
		if n.Change != "" {
			line += " · " + n.Change
		}
		numbers = append(numbers, line)
	}
	part(strings.Join(numbers, "\n"))
	part(c.ValueLines())
	for _, s := range c.Sections {
		part(channel.JoinLines(append([]string{s.Title}, s.Lines...)...))
	}
	part(c.LinkSaid() + ":\n" + c.Link)
	if c.Why != "" || c.Unsubscribe != "" {
		part("-- ") // by convention, the text after this line is not a part of the message
		b.WriteString("\n" + c.Why)
		if c.Unsubscribe != "" {
			b.WriteString("\n" + c.Lang().Text("Unsubscribe") + ": " + c.Unsubscribe)
		}
	}
	return b.String() + "\n"
}

package notify

import (
	_ "embed"
	"html/template"
	"strings"
)

//go:embed mail.html
var mailMarkup string

// mailTemplate is the one layout of mails: tables and styles in attributes, which all readers of mail know; the
// colours of dark screens in a style sheet, for those that know it; no picture from elsewhere.
var mailTemplate = template.Must(template.New("mail").Funcs(template.FuncMap{
	"lines": func(s string) []string { return strings.Split(s, "\n") },
}).Parse(mailMarkup))

// mailView is what the layout sees.
type mailView struct {
	*Content
	Lang, Dir, Start, End     string
	Mark, Color               string
	MoreText, UnsubscribeText string
	LinkSaid                  string
	Source                    template.URL
}

// mailHTML is a content as HTML.
func mailHTML(c *Content) (string, error) {
	l := c.lang()
	v := mailView{
		Content: c, Lang: l.Lang, Dir: l.Dir, Start: "left", End: "right", Mark: toneMark(c.Tone), MoreText: c.more(),
		UnsubscribeText: l.Text("Unsubscribe"), LinkSaid: c.linkText(), Source: "cid:" + pictureID,
		Color: map[Tone]string{Good: "#17663a", Warning: "#8a5a00", Critical: "#b3261e"}[c.Tone],
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

// mailText is a content as plain text.
func mailText(c *Content) string {
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
	part(joinLines(c.From, toneMark(c.Tone)+c.Title))
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
	part(valueLines(c))
	for _, s := range c.Sections {
		part(joinLines(append([]string{s.Title}, s.Lines...)...))
	}
	part(c.linkText() + ":\n" + c.Link)
	if c.Why != "" || c.Unsubscribe != "" {
		part("-- ") // what follows is no part of the message, by an old custom of mail
		b.WriteString("\n" + c.Why)
		if c.Unsubscribe != "" {
			b.WriteString("\n" + c.lang().Text("Unsubscribe") + ": " + c.Unsubscribe)
		}
	}
	return b.String() + "\n"
}

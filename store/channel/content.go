package channel

import (
	"slices"
	"strings"
	"unicode/utf8"

	"service/store/dashboard"
	"service/store/dashboard/locale"
)

// A Content is a message independent of its channel. Its texts are plain: renderers escape and cut them. Said and Late may have several
// lines, the others have one.
type Content struct {
	Locale *locale.Locale // of the fixed texts that renderers add; English by default

	Subject  string    // of a mail; the title otherwise
	Title    string    // in one line
	Tone     Tone      // the colour of the title; the words have the same meaning
	Said     string    // the sentence that matters
	Late     string    // why it is not as expected, such as late; empty if it is
	Numbers  []Number  // key figures, in order
	Values   []Value   // of an alert's dimension
	More     int       // how many further values there are
	Sections []Section // the contents of panels, in words
	Picture  *Picture
	Attached []Attachment // to mails alone

	From        string // name of the dashboard, and its workspace
	Link        string // to the dashboard, with its filters
	LinkText    string // "Open the dashboard" by default
	Why         string // the reason why the recipient gets it
	Unsubscribe string // a link that ends these mails for a recipient, without signing in; empty for none

	Type string // for webhooks: the event, such as alert.fired
	Data any    // for webhooks: the same for machines
}

// A Tone is the urgency of a message.
type Tone string

// The tones.
const (
	Neutral  Tone = ""
	Good     Tone = "good"
	Warning  Tone = "warning"
	Critical Tone = "critical"
)

// A Number is a key figure, formatted.
type Number struct {
	Name   string
	Value  string
	Change string // compared with an earlier value, in words; empty for none
	Tone   Tone   // of the change
}

// A Value is the name and text of one of several values.
type Value struct{ Name, Text string }

// A Section is the contents of one panel.
type Section struct {
	Title string
	Lines []string
}

// A Picture is shown in the mail itself, and nowhere else: channels accept pictures only from public addresses.
type Picture struct {
	PNG   []byte
	Alt   string
	Width int // in CSS pixels
}

// An Attachment is a file.
type Attachment struct {
	Name string
	Type string
	Data []byte
}

// Lang returns the content's locale.
func (c *Content) Lang() *locale.Locale {
	if c.Locale == nil {
		return locale.For("en")
	}
	return c.Locale
}

// LinkSaid returns the text of the link.
func (c *Content) LinkSaid() string {
	if c.LinkText != "" {
		return c.LinkText
	}
	return c.Lang().Text("Open the dashboard")
}

// Rest returns a text with the number of values that are left out; empty if it is zero.
func (c *Content) Rest() string {
	if c.More == 0 {
		return ""
	}
	return c.Lang().Count(c.More, "and %d more", "and %d more")
}

// Tamed returns a copy whose texts stay in their lines: a value or a name from another person cannot begin a line of its own, or reverse
// the words next to it. Parts for machines stay unchanged.
func (c *Content) Tamed() *Content {
	out := *c
	out.Subject, out.Title, out.Why = dashboard.OneLine(c.Subject), dashboard.OneLine(c.Title), dashboard.OneLine(c.Why)
	out.From, out.LinkText = dashboard.OneLine(c.From), dashboard.OneLine(c.LinkText)
	out.Said, out.Late = JoinLines(TameLines(strings.Split(c.Said, "\n"))...), JoinLines(TameLines(strings.Split(c.Late, "\n"))...)
	out.Numbers, out.Values, out.Sections = slices.Clone(c.Numbers), slices.Clone(c.Values), slices.Clone(c.Sections)
	for i, n := range out.Numbers {
		out.Numbers[i].Name, out.Numbers[i].Value, out.Numbers[i].Change =
			dashboard.OneLine(n.Name), dashboard.OneLine(n.Value), dashboard.OneLine(n.Change)
	}
	for i, v := range out.Values {
		out.Values[i] = Value{dashboard.OneLine(v.Name), dashboard.OneLine(v.Text)}
	}
	for i, s := range out.Sections {
		out.Sections[i] = Section{dashboard.OneLine(s.Title), TameLines(s.Lines)}
	}
	if c.Picture != nil {
		picture := *c.Picture
		picture.Alt = dashboard.OneLine(picture.Alt)
		out.Picture = &picture
	}
	return &out
}

// TameLines returns lines without line breaks inside them.
func TameLines(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = dashboard.OneLine(l)
	}
	return out
}

// ToneMark returns a tone as a character, for readers without colours.
func ToneMark(t Tone) string {
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

// JoinLines joins the lines that are not empty.
func JoinLines(lines ...string) string {
	var out []string
	for _, l := range lines {
		if l != "" {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

// ValueLines returns the values of an alert, one a line.
func (c *Content) ValueLines() string {
	var lines []string
	for _, v := range c.Values {
		lines = append(lines, v.Name+": "+v.Text)
	}
	return JoinLines(append(lines, c.Rest())...)
}

// CutText cuts a text to so many characters.
func CutText(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	r := []rune(s)
	return string(r[:max(most-1, 0)]) + "…"
}

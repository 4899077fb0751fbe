package notify

import (
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/locale"
)

// A Content is a message before it is known where it goes. Its texts are plain: renderers escape
// and cut them. Said and Late may have several lines, the others are one.
type Content struct {
	Locale *locale.Locale // of the fixed texts that renderers add; English by default

	Subject  string    // of a mail; the title otherwise
	Title    string    // in one line
	Tone     Tone      // what the title's colour says, which the words say too
	Said     string    // the sentence that matters
	Late     string    // why it is not as it should be, such as late; empty for nothing
	Numbers  []Number  // key figures, in order
	Values   []Value   // of an alert's dimension
	More     int       // how many values there are besides
	Sections []Section // what panels show, in words
	Picture  *Picture
	Attached []Attachment // to mails alone

	From        string // name of the dashboard, and where it is
	Link        string // to the dashboard, with its filters
	LinkText    string // "Open the dashboard" by default
	Why         string // why the recipient gets it
	Unsubscribe string // a link that ends this for a recipient of mail, without signing in; empty for none

	Type string // for webhooks: what happened, such as alert.fired
	Data any    // for webhooks: the same for machines
}

// A Tone is how urgent a message is.
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
	Change string // against what, in words; empty for none
	Tone   Tone   // of the change
}

// A Value is what is told of one thing of several.
type Value struct{ Name, Text string }

// A Section is what one panel shows.
type Section struct {
	Title string
	Lines []string
}

// A Picture is drawn in the mail itself, and nowhere else: channels take pictures only from public addresses.
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

// lang is the content's locale.
func (c *Content) lang() *locale.Locale {
	if c.Locale == nil {
		return locale.For("en")
	}
	return c.Locale
}

// linkText is what the link says.
func (c *Content) linkText() string {
	if c.LinkText != "" {
		return c.LinkText
	}
	return c.lang().Text("Open the dashboard")
}

// more says how many values are left out; empty for none.
func (c *Content) more() string {
	if c.More == 0 {
		return ""
	}
	return c.lang().Count(c.More, "and %d more", "and %d more")
}

// tamed is a copy whose texts stay in their lines: no value and no name of somebody else begins a line of its own, or turns
// around the words beside it. What is for machines stays as it is.
func (c *Content) tamed() *Content {
	out := *c
	out.Subject, out.Title, out.Why = dashboard.OneLine(c.Subject), dashboard.OneLine(c.Title), dashboard.OneLine(c.Why)
	out.From, out.LinkText = dashboard.OneLine(c.From), dashboard.OneLine(c.LinkText)
	out.Said, out.Late = joinLines(tameLines(strings.Split(c.Said, "\n"))...), joinLines(tameLines(strings.Split(c.Late, "\n"))...)
	out.Numbers, out.Values, out.Sections = slices.Clone(c.Numbers), slices.Clone(c.Values), slices.Clone(c.Sections)
	for i, n := range out.Numbers {
		out.Numbers[i].Name, out.Numbers[i].Value, out.Numbers[i].Change =
			dashboard.OneLine(n.Name), dashboard.OneLine(n.Value), dashboard.OneLine(n.Change)
	}
	for i, v := range out.Values {
		out.Values[i] = Value{dashboard.OneLine(v.Name), dashboard.OneLine(v.Text)}
	}
	for i, s := range out.Sections {
		out.Sections[i] = Section{dashboard.OneLine(s.Title), tameLines(s.Lines)}
	}
	if c.Picture != nil {
		picture := *c.Picture
		picture.Alt = dashboard.OneLine(picture.Alt)
		out.Picture = &picture
	}
	return &out
}

// tameLines are lines, each of which is one.
func tameLines(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = dashboard.OneLine(l)
	}
	return out
}

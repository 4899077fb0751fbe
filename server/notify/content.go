package notify

import (
	"service/store/dashboard/locale"
)

// A Content is a message before it is known where it goes. Its texts are plain: renderers escape
// and cut them.
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

package channel

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Slack is an incoming webhook of Slack, or of a service with its protocol.
const Slack = "slack"

func slackKind() Kind {
	return Kind{
		ID: Slack, Name: "Slack", URLLabel: "Webhook URL", Hint: "Slack makes one for you under Incoming Webhooks.",
		Write:   plainly(slack),
		Refused: func(_ int, answer string) string { return slackWords[strings.TrimSpace(answer)] },
	}
}

// slackWords maps answers of Slack to sentences with the cause or the remedy.
var slackWords = map[string]string{
	"no_service":                        "Slack does not know this webhook any more. Make a new one there.",
	"no_active_hooks":                   "The webhook is switched off in Slack.",
	"channel_is_archived":               "The Slack channel is archived.",
	"channel_not_found":                 "The Slack channel does not exist any more.",
	"action_prohibited":                 "An administrator of Slack does not let the webhook post there.",
	"posting_to_general_channel_denied": "An administrator of Slack does not let the webhook post there.",
}

// Limits of Slack, in characters, with room for escapes. Slack may refuse a message whose blocks have more than about 13,000 in all.
const (
	slackHeader  = 150
	slackSection = 2900
	slackTotal   = 10_000
	slackFields  = 10
)

// slackEscape makes a text inert: without < there are no links, mentions or commands. The texts are also in blocks of plain text, in which
// * and _ have no meaning.
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

// slack writes a content for an incoming webhook of Slack.
func slack(c *Content) ([]byte, error) {
	w := slackWriter{left: slackTotal}
	w.add("header", ToneMark(c.Tone)+c.Title, slackHeader)
	w.add("section", JoinLines(c.Said, c.Late), slackSection)
	var fields []slackText
	for i, n := range c.Numbers {
		if i == slackFields {
			break
		}
		fields = append(fields, w.plain(JoinLines(n.Name, n.Value, n.Change), 300))
	}
	if len(fields) > 0 {
		w.blocks = append(w.blocks, slackBlock{Type: "section", Fields: fields})
	}
	w.add("section", c.ValueLines(), slackSection)
	for i, s := range c.Sections {
		if i == 20 {
			break
		}
		w.add("section", JoinLines(append([]string{s.Title}, s.Lines...)...), 1000)
	}
	link := slackText{Type: "mrkdwn", Text: "<" + slackURL(c.Link) + "|" + slackEscape.Replace(c.LinkSaid()) + ">", Verbatim: true}
	w.blocks = append(w.blocks, slackBlock{Type: "section", Text: &link})
	if c.From != "" {
		w.blocks = append(w.blocks, slackBlock{Type: "context", Elements: []slackText{w.plain(c.From, 300)}})
	}
	return json.Marshal(map[string]any{
		"text":         slackEscape.Replace(CutText(JoinLines(c.Title, c.Said), 1000)),
		"blocks":       w.blocks,
		"mrkdwn":       false, // in the text, which notifications show
		"unfurl_links": false, "unfurl_media": false,
	})
}

// A slackWriter writes blocks until the message is full.
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

// plain returns a text without markup, of at most so many characters after escaping.
func (w *slackWriter) plain(text string, most int) slackText {
	most = min(most, max(w.left, 1))
	text = CutText(text, most)
	for utf8.RuneCountInString(slackEscape.Replace(text)) > most { // escaped text is longer
		text = CutText(text, utf8.RuneCountInString(text)*4/5)
	}
	text = slackEscape.Replace(text)
	w.left -= utf8.RuneCountInString(text)
	no := false
	return slackText{Type: "plain_text", Text: text, Emoji: &no}
}

// slackURL escapes a URL between < and |.
func slackURL(u string) string {
	return strings.NewReplacer("&", "&amp;", "<", "%3C", ">", "%3E", "|", "%7C").Replace(u)
}

package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxText is the limit of an answer's text, in characters. Clients cut longer ones, or show
// the model only a file.
const maxText = 40_000

// room is the limit of an answer's lists together, in bytes of JSON. The rest of the
// answer is for the sentence and the other fields.
const room = 32_000

// briefRoom replaces room for a call that did not request more than the default. With the
// rest, the answer has about 2,000 tokens.
const briefRoom = 7_000

// A reply is a tool's answer: a sentence for people and, if there is data, JSON for
// machines.
type reply struct {
	text       string
	data       any  // a struct that embeds [answer]; nil for an answer of text only
	structured bool // also send data as structuredContent
	bare       bool // leave the data out of the text
}

// An answer is the part that all data shares. Some clients show the model only the text and
// some only the structured content, so both have the sentence and the URL.
type answer struct {
	Message string `json:"message"`
	URL     string `json:"url"`

	Ignored []unknownArgument `json:"ignored,omitempty" schema:"-"`
}

func (a *answer) head() *answer { return a }

// replyWith makes a reply of data, which has its url already, and a sentence.
func replyWith(data interface{ head() *answer }, format string, args ...any) *reply {
	data.head().Message = fmt.Sprintf(format, args...)
	return &reply{text: data.head().Message, data: data}
}

// ignoring adds the ignored arguments to the answer.
func (r *reply) ignoring(unknown []unknownArgument) {
	if len(unknown) == 0 {
		return
	}
	sentence := " " + ignoredSentence(unknown)
	if r.bare { // the specification defines the whole text
		sentence = ""
	}
	r.text += sentence
	if data, ok := r.data.(interface{ head() *answer }); ok {
		data.head().Message += sentence
		data.head().Ignored = unknown
	}
}

// structure makes the reply send structuredContent too.
func (r *reply) structure() *reply {
	r.structured = true
	return r
}

// result writes the reply: the sentence, then the data on one line between
// BEGIN_JSON and END_JSON.
func (r *reply) result() (*mcp.CallToolResult, error) {
	if r.data == nil {
		return &mcp.CallToolResult{Content: content(r.text)}, nil
	}
	data, err := marshal(r.data)
	if err != nil {
		return nil, err
	}
	text := r.text
	if !r.bare {
		text += "\n\nBEGIN_JSON\n" + string(data) + "\nEND_JSON"
	}
	if n := utf8.RuneCountInString(text); n > maxText {
		return nil, fmt.Errorf("the answer has %d characters, over %d", n, maxText)
	}
	res := &mcp.CallToolResult{Content: content(text)}
	if r.structured {
		res.StructuredContent = data
	}
	return res, nil
}

func content(text string) []mcp.Content { return []mcp.Content{&mcp.TextContent{Text: text}} }

// marshal encodes v on one line without the escapes of < and >, which only HTML needs. It
// escapes NEL, which some programs take for the end of a line.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	line := bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
	return bytes.ReplaceAll(line, []byte("\u0085"), []byte(`\u0085`)), nil
}

// encode is [marshal] for values that cannot fail.
func encode(v any) json.RawMessage {
	b, err := marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// fit returns as many of the first items as fit into *room bytes of JSON, subtracts their
// bytes from it, and returns how many items it left out. kept is never nil.
func fit[T any](items []T, room *int) (kept []T, left int) {
	for i, item := range items {
		b, err := marshal(item)
		if err != nil || len(b)+1 > *room {
			return append([]T{}, items[:i]...), len(items) - i
		}
		*room -= len(b) + 1
	}
	return append([]T{}, items...), 0
}

// list returns items, or an empty slice for nil, which JSON would write as null.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

// stamp returns t as answers write it, or "" for the zero time.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// when is [stamp] for a time that may be nil.
func when(t *time.Time) string {
	if t == nil {
		return ""
	}
	return stamp(*t)
}

// ago returns t relative to now, in words.
func ago(now, t time.Time) string {
	d := now.Sub(t)
	if d < 0 {
		return "in " + span(-d)
	}
	if d < 10*time.Second {
		return "just now"
	}
	return span(d) + " ago"
}

func span(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return count(int(d.Round(time.Second)/time.Second), "second")
	case d < 90*time.Minute:
		return count(int(d.Round(time.Minute)/time.Minute), "minute")
	case d < 36*time.Hour:
		return count(int(d.Round(time.Hour)/time.Hour), "hour")
	}
	return count(int(d.Round(24*time.Hour)/(24*time.Hour)), "day")
}

// count returns a number with its noun: 1 panel, 2 panels.
func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "s"):
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

package markdown

import (
	"strconv"
	"strings"

	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/html"
	"service/store/pattern"
)

// plainText returns Markdown as one line of words, for summaries.
func plainText(src string) string {
	marks := strings.NewReplacer("*", "", "`", "", "#", "", ">", "", "[", "", "]", "", "|", " ")
	return strings.Join(strings.Fields(marks.Replace(src)), " ")
}

// Marks, which Markdown cannot contain, replace values until the text has become HTML, so that a value is never read as Markdown.
const (
	markOpen  = "\uE000"
	markClose = "\uE001"
)

// A Rich is Markdown that contains values.
type Rich struct {
	converter string   // with marks instead of values
	values    []string // which are not Markdown
	html      string   // sanitized, and with its values escaped
}

// NewRich reads Markdown. value returns the text of a field. toHTML converts the Markdown, with marks instead of its fields.
func NewRich(src string, value func(field [2]string) string, toHTML func(marked string) []byte) *Rich {
	t := &Rich{}
	var fields [][2]string
	t.converter, fields = cutFields(src)
	known := map[[2]string]string{}
	for _, field := range fields {
		v, ok := known[field]
		if !ok {
			v = value(field)
			known[field] = v
		}
		t.values = append(t.values, v)
	}
	t.html = t.fill(string(toHTML(t.converter)), func(v string) string {
		var d html.Doc
		d.Esc(v)
		return string(d.B)
	})
	return t
}

// valuePlace matches a field: {{dataset.column}}.
var valuePlace = pattern.New(`\{\{\s*([A-Za-z][A-Za-z0-9_-]*)\.([^{}\n]+?)\s*\}\}`)

// cutFields replaces the fields of a text by marks, and returns the fields in the order of the marks.
func cutFields(text string) (marked string, fields [][2]string) {
	text = strings.NewReplacer(markOpen, "", markClose, "").Replace(text)
	return valuePlace.ReplaceAllStringFunc(text, func(place string) string {
		m := valuePlace.FindStringSubmatch(place)
		fields = append(fields, [2]string{m[1], m[2]})
		return markOpen + strconv.Itoa(len(fields)-1) + markClose
	}), fields
}

var valueMark = pattern.New(markOpen + `\d+` + markClose)

// fill replaces the marks by the values, as write writes them.
func (t *Rich) fill(s string, write func(string) string) string {
	return valueMark.ReplaceAllStringFunc(s, func(mark string) string {
		i, err := strconv.Atoi(strings.Trim(mark, markOpen+markClose))
		if err != nil || i >= len(t.values) {
			return "" // no mark of ours
		}
		return write(t.values[i])
	})
}

// Markup returns the text as HTML, sanitized, and with its values escaped.
func (t *Rich) Markup() string { return t.html }

// Blank reports whether the text is empty for a reader.
func (t *Rich) Blank() bool { return strings.TrimSpace(t.html) == "" }

// Plain returns the text on one line, with its values cut to 60 characters.
func (t *Rich) Plain() string {
	return t.fill(plainText(t.converter), func(v string) string { return canvas.Clip(v, 60) })
}

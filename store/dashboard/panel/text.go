package panel

import (
	"strings"
	"unicode/utf8"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
	"service/store/dashboard/markdown"
)

var textFigure = Figure{
	Summarise: summariseText,
	Frame:     inCard,
}

// A textPanel is a text that contains values of datasets.
type textPanel struct{ text *markdown.Rich }

func summariseText(p *Panel) Content {
	text := markdown.NewRich(p.Spec.Markdown, p.valueOf, p.markdown)
	p.Summary = canvas.Clip(text.Plain(), 300)
	if text.Blank() {
		p.Empty = p.Env.Text("This text is empty.")
		return nil
	}
	return &textPanel{text}
}

// markdown returns the HTML of the panel's text, with marks in the places of its fields. A text that exceeds a limit (it was published
// before the limits existed) is shown as plain text.
func (p *Settings) markdown(marked string) []byte {
	text, bytes := p.Spec.Markdown, 0
	for i := range p.Index + 1 {
		bytes += len(p.Env.Spec.Panels[i].Markdown)
	}
	if len(text) <= markdown.MaxPanel && bytes <= markdown.MaxPage {
		if v := markdown.Render(marked, p.Env.URL, markdown.MaxPanelCells); v.Err == nil {
			return v.HTML
		}
	}
	return markdown.Plain(text, markdown.MaxPanel)
}

func (t *textPanel) Draw(c canvas.Canvas) { c.RichText(t.text) }

// sketch returns nil, since the summary has the words.
func (t *textPanel) sketch() []string { return nil }

// longestValue is the maximum number of characters of a value in a text: several sentences that the SQL writes.
const longestValue = 1000

// valueOf returns the value of {{dataset.column}}: a measure over all rows that pass the filters; of times the last one, or the first if
// the SQL defines it; of another dimension its one value, or the number of values.
func (p *Settings) valueOf(field [2]string) string {
	id, column := field[0], field[1]
	d := p.Env.dataset(id)
	if d == nil || d.Cube == nil || len(d.Rows) == 0 {
		return format.None
	}
	c, shown := d.Column(column), dashboard.Placeholder{}
	if c == nil { // it has a format
		shown = dashboard.ReadPlaceholder(column)
		column = shown.Column
		c = d.Column(column)
	}
	if c == nil {
		return format.None
	}
	if shown.Format != "" {
		own := *c
		if _, code := dashboard.SplitCurrency(own.Format); code != "" && strings.HasPrefix(shown.Format, "currency") {
			shown.Format += "@" + code
		}
		own.Format, c = shown.Format, &own
	}
	if c.Role == dashboard.Measure {
		g := d.Group(d.Rows, cube.Query{Measures: []cube.Measure{d.Measure(c)}})
		if why := d.Env.Unclear(g, 0); why != "" {
			p.Notes = append(p.Notes, why)
			return format.None
		}
		if v := g.Exact(0, 0); v != nil {
			text := p.Env.Cell(*c, cube.Exact, v)
			if n, ok := cube.Float(v); ok && shown.Sign {
				text = format.Signed(text, n)
			}
			return text
		}
		return format.None
	}
	if c.Type.IsTime() {
		m, ok := d.EndOf(d.Rows, c)
		if !ok {
			p.report(manyTimes(c, "markdown"))
			return format.None
		}
		return p.Env.Cell(*c, cube.Exact, d.Group(d.Rows, cube.Query{Measures: []cube.Measure{m}}).Exact(0, 0))
	}
	g := d.Group(d.Rows, cube.Query{By: []cube.Dim{{Column: column}}})
	axis := g.Axes[0]
	if n := len(axis); n > 1 && axis[n-1].Value == nil {
		axis = axis[:n-1]
	}
	if len(axis) == 1 {
		value := p.Env.Cell(*c, cube.Exact, axis[0])
		if utf8.RuneCountInString(value) > longestValue {
			p.report(encode.Warned(dashboard.WarnLeftOut, "markdown",
				"the text has only the beginning of the value of {{%s.%s}}, which is too long; write it as several columns.", id, column))
		}
		return canvas.Clip(value, longestValue)
	}
	return p.Env.Count(len(axis), "%d value", "%d values")
}

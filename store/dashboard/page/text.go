package page

import (
	"regexp"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

var textFigure = figure{
	alone:     true,
	width:     12,
	frame:     inCard,
	summarise: summariseText,
}

// A textPanel is words, with values of datasets among them.
type textPanel struct{ text *richText }

var valuePlace = regexp.MustCompile(`\{\{\s*([A-Za-z][A-Za-z0-9_-]*)\.([^{}\n]+?)\s*\}\}`)

func summariseText(p *panel) content {
	text := newRichText(p.spec.Markdown, valuePlace, func(m []string) string { return p.page.valueOf(m[1], m[2]) })
	p.summary = clip(text.plain(), 300)
	if text.blank() {
		p.empty = "This text is empty."
		return nil
	}
	return &textPanel{text}
}

func (t *textPanel) draw(c canvas) { c.richText(t.text) }

// sketch is nothing: the summary has the words.
func (t *textPanel) sketch() []string { return nil }

// valueOf is {{dataset.column}}: a measure over all that the filters leave, the
// last of a dimension's times, its one value, or how many there are.
func (p *page) valueOf(id, column string) string {
	d := p.dataset(id)
	if d == nil || d.cube == nil || len(d.rows) == 0 {
		return none
	}
	c := d.column(column)
	if c == nil {
		return none
	}
	if c.Role == dashboard.Measure {
		g := d.cube.Group(d.rows, cube.Query{Measures: []cube.Measure{d.measure(c)}})
		if v := g.Exact(0, 0); v != nil && g.Problem(0) == "" {
			return p.amount(orInteger(*c), v)
		}
		return none
	}
	g := d.cube.Group(d.rows, cube.Query{By: []cube.Dim{{Column: column, Zone: p.zone}}})
	axis := g.Axes[0]
	if n := len(axis); n > 1 && axis[n-1].Value == nil {
		axis = axis[:n-1]
	}
	if len(axis) == 1 || c.Type == cube.Date || c.Type == cube.Timestamp {
		return clip(p.cell(*c, cube.Exact, axis[len(axis)-1]), 200)
	}
	return p.number(float64(len(axis)), 0) + " values"
}

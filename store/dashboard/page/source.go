package page

import (
	"service/store/dashboard"
	"service/store/dashboard/scene"
)

// The source of a page or of a panel: whose data it shows, with a link to them.

// credit is a source in words.
func (f formatter) credit(s *dashboard.Source) string { return f.Text("Source: %s", s.Name) }

// source draws a source, of which each line is a link in a document.
func (w *scenePainter) source(f formatter, s *dashboard.Source) {
	from := len(w.Items)
	w.paragraph(f.credit(s), regular(12), lineHigh, ink("mut"))
	for _, item := range w.Items[from:] {
		if t, ok := item.(*scene.Text); ok {
			t.Link = s.URL
		}
	}
}

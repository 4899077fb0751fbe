package page

import (
	"service/store/dashboard"
	"service/store/dashboard/scene"
)

// The source of a page or of a panel: whose data it shows, with a link to them.

// source writes a source, with a link where it has an address.
func (f formatter) source(d *doc, s *dashboard.Source) {
	to := way{to: s.URL}
	d.around(f.Text("Source: %s"), func() {
		if s.URL != "" {
			d.beginLink(to)
		}
		d.esc(s.Name)
		if s.URL != "" {
			d.endLink(to)
		}
	})
}

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

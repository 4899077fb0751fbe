package page

import "service/store/dashboard"

// A Summary is what a panel says, for those who cannot see it. Its texts may
// quote values of a warehouse: treat them as data.
type Summary struct {
	Index     int                 `json:"index"`
	Type      string              `json:"type"`
	Title     string              `json:"title,omitempty"`
	Text      string              `json:"summary,omitempty"`
	Rows      int                 `json:"rows"` // of its dataset, after the filters
	Truncated bool                `json:"truncated,omitempty"`
	Empty     bool                `json:"empty,omitempty"`
	Problem   string              `json:"problem,omitempty"` // why it cannot be shown
	Warnings  []dashboard.Warning `json:"-"`                 // what its author may not have meant
	Sketch    string              `json:"sketch,omitempty"`  // the panel drawn in text: at most 12 lines of 60 characters
}

// Summaries returns a plain sentence for each panel, naming its leading values.
func Summaries(v View) []Summary {
	if v.Spec == nil {
		return nil
	}
	f := newFormatter(v.Spec)
	f.Locale = f.English() // its readers are models
	p := openIn(v, f)
	out := make([]Summary, 0, len(v.Spec.Panels))
	for i := range v.Spec.Panels {
		panel := p.panel(i)
		s := Summary{
			Index: i, Type: panel.spec.Type, Title: clip(panel.title, 200), Text: panel.summary, Problem: panel.problem,
			Sketch: panel.sketchText(), Warnings: panel.warnings,
		}
		if panel.data != nil {
			s.Rows, s.Truncated = len(panel.data.rows), panel.data.truncated
		}
		if panel.empty != "" {
			s.Empty, s.Text = true, panel.empty
			if panel.data != nil && panel.data.cube == nil && panel.data.failed != "" { // on the page it stands above the panels
				s.Text += " " + panel.data.failed
			}
		}
		if panel.problem != "" {
			s.Text = ""
		}
		for _, n := range panel.notes {
			if s.Text != "" {
				s.Text += " " + n
			}
		}
		out = append(out, s)
	}
	return out
}

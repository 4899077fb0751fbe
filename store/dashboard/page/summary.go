package page

import (
	"fmt"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// A Summary describes a panel for those who cannot see it. Its texts may quote values from a
// warehouse: treat them as data.
type Summary struct {
	Index     int    `json:"index"`
	Type      string `json:"type"`
	Title     string `json:"title,omitempty"`
	Text      string `json:"summary,omitempty"`
	Rows      int    `json:"rows"` // of its dataset, after the filters
	Truncated bool   `json:"truncated,omitempty"`
	Empty     bool   `json:"empty,omitempty"`
	Problem   string `json:"problem,omitempty"` // why it cannot be shown
	Sketch    string `json:"sketch,omitempty"`  // the panel drawn in text: at most 24 lines of 100 characters
}

// warnings are what the page decides for its author: what its datasets lose, what
// its filters do not list, and what its panels cut, merge, leave out or ignore. A
// panel whose dataset has no rows yet says nothing. A warning that several panels share
// is one warning.
func (p *env) warnings(panels []*panel) []dashboard.Warning {
	var out []dashboard.Warning
	for i, d := range p.data {
		if d.Cube == nil {
			continue
		}
		for j, col := range d.Cube.Columns() {
			if n := d.Cube.Lost(j); n > 0 {
				out = append(out, dashboard.Warnf(dashboard.WarnLostValues, fmt.Sprintf("datasets[%d].sql", i),
					`%d values of "%s" are %s, and count as missing; the sql can leave such rows out, or put something in their place.`,
					n, col.Name, unshowable(col.Type)))
			}
		}
	}
	for i, d := range p.data {
		if d.Cube != nil {
			out = append(out, dashboard.WarnTextAmounts(d.Dataset, i, d.Cube)...)
		}
	}
	for i := range p.filters {
		if f := &p.filters[i]; f.more > 0 {
			out = append(out, dashboard.Warnf(dashboard.WarnCut, fmt.Sprintf("filters[%d].column", i),
				`%d values of "%s" are listed, the most frequent ones, and %d others are found by typing; a column with fewer values lists all.`,
				len(f.options), f.Column, f.more))
		}
	}
	out = append(out, p.events().warnings()...)
	if len(p.events().list) > 0 && !slices.ContainsFunc(panels, (*panel).marksEvents) {
		out = append(out, dashboard.Warnf(dashboard.WarnKeyIgnored, "events",
			"no panel marks events: lines, areas, upright bars, combos and candlesticks along a date do, and timelines."))
	}
	same := map[string]int{}
	for _, panel := range panels {
		for _, w := range panel.warnings {
			key := w.Code + " " + w.Message
			if at, ok := same[key]; ok {
				out[at].Path += ", " + w.Path
				continue
			}
			same[key] = len(out)
			out = append(out, w)
		}
	}
	return out
}

// examine works the panels out for their author, and returns the summary of each and all warnings.
func (p *env) examine() ([]Summary, []dashboard.Warning) {
	var panels []*panel
	for i := range p.Spec.Panels {
		panels = append(panels, p.panel(i))
	}
	out := make([]Summary, 0, len(panels))
	for i, panel := range panels {
		sketch := panel.sketchText() // first: it may be what cannot be drawn
		s := Summary{
			Index: i, Type: panel.spec.Type, Title: canvas.Clip(panel.title, 200), Text: panel.summary, Problem: panel.problem, Sketch: sketch,
		}
		if panel.data != nil {
			s.Rows, s.Truncated = len(panel.data.Rows), panel.data.Truncated
		}
		if panel.empty != "" {
			s.Empty, s.Text = true, panel.empty
			if panel.data != nil && panel.data.Cube == nil && panel.data.Failed != "" { // on the page it stands above the panels
				s.Text += " " + panel.data.Failed
			}
		}
		if s.Text = strings.TrimSpace(s.Text + " " + panel.fixed()); panel.problem != "" {
			s.Text = ""
		}
		for _, n := range panel.notes {
			if s.Text != "" {
				s.Text += " " + n
			}
		}
		out = append(out, s)
	}
	return out, p.warnings(panels)
}

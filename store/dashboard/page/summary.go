package page

import (
	"fmt"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/format"
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

// Warnings are what the page decides for its author: what its datasets lose, what
// its filters do not list, and what its panels cut, merge, leave out or ignore. A
// panel whose dataset has no rows yet says nothing. A warning that several panels share
// is one warning.
func Warnings(v View) []dashboard.Warning {
	f := format.New(v.Spec)
	f.Locale = f.English() // its readers are models
	p := openIn(v, f)
	p.author = true
	p.workOut()
	return p.warnings(p.panels)
}

func (p *page) warnings(panels []*panel) []dashboard.Warning {
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

// Summaries returns a plain sentence for each panel, naming its leading values.
func Summaries(v View) []Summary {
	out, _ := Examine(v)
	return out
}

// Examine returns [Summaries] and [Warnings], and works the page out once.
func Examine(v View) ([]Summary, []dashboard.Warning) {
	if v.Spec == nil {
		return nil, nil
	}
	f := format.New(v.Spec)
	f.Locale = f.English() // its readers are models
	p := openIn(v, f)
	p.author = true
	p.workOut()
	out := make([]Summary, 0, len(p.panels))
	for i, panel := range p.panels {
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
	return out, p.warnings(p.panels)
}

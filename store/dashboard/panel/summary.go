package panel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// A Summary describes a panel in words. Its texts may quote values from a warehouse: treat them as data.
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

// warnings returns what the page decides for its author: rows that its datasets lose, values that its filters do not list, and values and
// keys that its panels cut, merge, leave out or ignore. A panel whose dataset has no rows yet has no warnings. A warning that several
// panels share is returned once.
func (p *Env) warnings(panels []*Panel) []dashboard.Warning {
	var out []dashboard.Warning
	for i, d := range p.Data {
		if d.Cube == nil {
			continue
		}
		for j, col := range d.Cube.Columns() {
			if n := d.Cube.Lost(j); n > 0 {
				out = append(out, dashboard.Warnf(dashboard.WarnLostValues, fmt.Sprintf("datasets[%d].sql", i),
					`%d {value|values} of "%s" {is|are} %s, and {counts|count} as missing; the sql can leave such rows out, `+
						`or put something in their place.`,
					n, col.Name, unshowable(col.Type)))
			}
		}
	}
	for i, d := range p.Data {
		if d.Cube != nil {
			out = append(out, dashboard.WarnTextAmounts(d.Dataset, i, d.Cube)...)
		}
	}
	for i := range p.Filters {
		if f := &p.Filters[i]; f.More > 0 {
			out = append(out, dashboard.Warnf(dashboard.WarnCut, fmt.Sprintf("filters[%d].column", i),
				`the %d most frequent of %d values of "%s" are listed, and readers find the others by typing, so the filter can stay as it is; `+
					"to list all, %s.",
				len(f.Listed), len(f.Listed)+f.More, f.Column, p.shorterList(f)))
		}
	}
	out = append(out, p.events().warnings()...)
	switch list := p.events().list; {
	case len(list) == 0:
	case !slices.ContainsFunc(panels, (*Panel).marksEvents):
		out = append(out, dashboard.Warnf(dashboard.WarnKeyIgnored, "events",
			"no panel marks events: lines, areas, upright bars, combos, boxes and candlesticks along a date do, and timelines."))
	case !slices.ContainsFunc(panels, func(of *Panel) bool { return of.marksAny(list) }):
		out = append(out, dashboard.Warnf(dashboard.WarnLeftOut, "events",
			"no event is marked, because all are outside the times that the panels show: %s; a longer default of a filter shows more.",
			p.dates(list[0])))
	case len(p.Spec.Events.List) > 0: // rows of a dataset may well be outside
		out = append(out, p.unmarked(panels)...)
	}
	for _, panel := range panels {
		out = append(out, panel.Warnings...)
	}
	return dashboard.JoinWarnings(out)
}

// shorterList returns how a filter whose list is cut lists all values: by the column of its datasets that has the most values of those that
// fit and that groups the values of the filter, as a country does cities, or by one that the SQL returns.
func (p *Env) shorterList(f *Filter) string {
	best, most := "", 1
	for _, d := range p.Data {
		if d.Cube == nil || !f.of(d) {
			continue
		}
		for i := range d.Cols {
			c := &d.Cols[i]
			filtered := slices.ContainsFunc(p.Filters, func(o Filter) bool { return o.Column == c.Name })
			if c.Role != dashboard.Dimension || c.Hidden || c.Type != cube.Text || filtered {
				continue
			}
			if n := len(d.Cube.Group(d.EveryRow(), cube.Query{By: []cube.Dim{{Column: c.Name}}}).Axes[0]); n > most && n <= maxOptions &&
				groupsValues(d, c.Name, f.Column) {
				best, most = c.Name, n
			}
		}
	}
	if best == "" {
		return "return a column with fewer values in the sql, such as a group of them, and name it in the filter"
	}
	return fmt.Sprintf(`write {"column": "%s"}, which has %d values, or return a group of the values in the sql`, best, most)
}

// groupsValues reports whether each value of a column occurs with only one of the column by.
func groupsValues(d *encode.Dataset, by, column string) bool {
	g := d.Cube.Group(d.EveryRow(), cube.Query{By: []cube.Dim{{Column: column}, {Column: by}}})
	return g.Len() == len(g.Axes[0])
}

// unmarked warns of events of the spec that no panel marks, although panels mark others.
func (p *Env) unmarked(panels []*Panel) []dashboard.Warning {
	var left []string
	for _, e := range p.events().list {
		if !slices.ContainsFunc(panels, func(of *Panel) bool { return of.marksAny([]event{e}) }) {
			left = append(left, fmt.Sprintf(`"%s" (%s)`, e.label, p.dates(e)))
		}
	}
	if len(left) == 0 {
		return nil
	}
	named := strings.Join(left[:min(len(left), 5)], ", ")
	return []dashboard.Warning{dashboard.Warnf(dashboard.WarnLeftOut, "events",
		"%d of %d events {is|are} not marked, being outside of the times that the panels show: %s.", len(left), p.events().all, named)}
}

// marksAny reports whether the panel, or one of its small plots, marks one of some events.
func (p *Panel) marksAny(events []event) bool {
	for _, m := range p.marks {
		for _, e := range m.events {
			if slices.Contains(events, e) {
				return true
			}
		}
	}
	f, ok := p.Content.(*facetPanel)
	return ok && slices.ContainsFunc(f.plots, func(plot facetPlot) bool { return plot.marksAny(events) })
}

// Examine computes the panels for their author, and returns the summary of each and all warnings. Summaries and sketches have the texts
// that readers see, in the language of the page. Warnings and problems, which name keys of the spec, are in English.
func (p *Env) Examine() ([]Summary, []dashboard.Warning) {
	var panels []*Panel
	for i := range p.Spec.Panels {
		panels = append(panels, p.Panel(i))
	}
	out := make([]Summary, 0, len(panels))
	var english *Env
	for i, panel := range panels {
		sketch := panel.sketchText() // first, since the sketch may panic
		if panel.Problem != "" {     // advice to the author, which warnings and checks quote
			if english == nil {
				english = p.inEnglish()
			}
			panel.Problem = cmp.Or(english.Panel(i).Problem, panel.Problem)
		}
		s := Summary{
			Index: i, Type: panel.Spec.Type, Title: canvas.Clip(panel.Title, 200), Text: panel.Summary, Problem: panel.Problem, Sketch: sketch,
		}
		if panel.Data != nil {
			s.Rows, s.Truncated = len(panel.Data.Rows), panel.Data.Truncated
		}
		if panel.Empty != "" {
			s.Empty, s.Text = true, panel.Empty
			if panel.Data != nil && panel.Data.Cube == nil && panel.Data.Failed != "" { // on the page it is above the panels
				s.Text += " " + panel.Data.Failed
			}
		}
		if s.Text = strings.TrimSpace(s.Text + " " + panel.fixed()); panel.Problem != "" {
			s.Text = ""
		}
		for _, n := range panel.Notes {
			if s.Text != "" {
				s.Text += " " + n
			}
		}
		out = append(out, s)
	}
	return out, p.warnings(panels)
}

package page

import (
	"fmt"
	"strings"

	"service/store/dashboard"
)

// Examine returns a [Summary] of each panel, which names its leading values, and warnings to the author about what the page decides: rows
// that its datasets lose, values that its filters do not list, and values and keys that its panels cut, merge, leave out or ignore. A panel
// whose dataset has no rows yet has neither. A warning that several panels share is returned once.
func Examine(v View) ([]Summary, []dashboard.Warning) {
	if v.Spec == nil {
		return nil, nil
	}
	p := openFor(v, true)
	panels, warnings := p.Examine()
	return panels, append(warnings, p.widthWarnings()...)
}

// Summaries returns the summaries of [Examine].
func Summaries(v View) []Summary {
	out, _ := Examine(v)
	return out
}

// Warnings returns the warnings of [Examine].
func Warnings(v View) []dashboard.Warning {
	_, out := Examine(v)
	return out
}

// widthWarnings returns a warning, or none, of the panels that are drawn in another width than the spec has: rows are filled, and an
// article is one column.
func (p *page) widthWarnings() []dashboard.Warning {
	var other []string
	first := -1
	for i, width := range p.widths() {
		if asked := p.Spec.Panels[i].Width; p.Spec.Panels[i].OwnWidth && asked != width {
			if first < 0 {
				first = i
			}
			other = append(other, fmt.Sprintf("panels[%d] has %d instead of %d", i, width, asked))
		}
	}
	if first < 0 {
		return nil
	}
	why := "rows are filled: write widths that add up to 12 in each row, or leave them out"
	if p.Spec.Article() {
		why = "an article is one column, in which only small panels are beside each other"
	}
	const most = 6
	if n := len(other) - most; n > 0 {
		other = append(other[:most], fmt.Sprintf("and %d more", n))
	}
	return []dashboard.Warning{
		dashboard.Warnf(dashboard.WarnWidth, fmt.Sprintf("panels[%d].width", first), "%s; %s.", strings.Join(other, ", "), why),
	}
}

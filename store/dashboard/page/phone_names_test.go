package page

import (
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// A phoneNames canvas keeps all labels that a phone shows.
type phoneNames struct {
	lettered
	texts []string
}

func (p *phoneNames) Label(t canvas.Label) {
	if !hidden(p.open, p.size) {
		p.texts = append(p.texts, t.Text)
	}
}

// TestNamesAreWholeOnPhones: names that do not fit beside their marks on a phone have places of their own over them, and are whole there.
func TestNamesAreWholeOnPhones(t *testing.T) {
	t.Parallel()
	kinds := []string{"Elektrizitätsversorgungsunternehmen", "Arbeitsunfähigkeitsbescheinigungen", "A supplier of water and of heat for all"}
	var rows [][]any
	for i, kind := range kinds {
		at := day("2026-01-05").AddDate(0, 0, 30*i)
		for k := range 5 {
			rows = append(rows, []any{at, at.AddDate(0, 0, 50), kind, "No", float64(7*k+i) - 4, float64(i*i+k) + 1})
		}
	}
	steps := []string{"kind", "no"}
	for name, panel := range map[string]dashboard.Panel{
		"bars":                  {Type: dashboard.Bar, X: "kind", Y: []string{"size"}},
		"bars below zero":       {Type: dashboard.Bar, X: "kind", Y: []string{"n"}},
		"bars of a whole page":  {Type: dashboard.Bar, X: "kind", Y: []string{"size"}, Width: 12},
		"waterfall":             {Type: dashboard.Waterfall, Label: "kind", Value: "n"},
		"box":                   {Type: dashboard.Box, X: "kind", Value: "n"},
		"combo":                 {Type: dashboard.Combo, X: "kind", Bars: []string{"size"}, Lines: []string{"n"}},
		"timeline":              {Type: dashboard.Timeline, Label: "kind", Start: "day", End: "until"},
		"timeline with texts":   {Type: dashboard.Timeline, Label: "kind", Start: "day", End: "until", Labels: new(true)},
		"sankey":                {Type: dashboard.Sankey, Steps: steps, Value: "size"},
		"sankey, the other way": {Type: dashboard.Sankey, Steps: []string{"no", "kind"}, Value: "size"},
	} {
		columns := []string{"day date", "until date", "kind text", "no text", "n number sum", "size number sum"}
		v := tiny([]dashboard.Panel{panel}, columns, rows...)
		p := &phoneNames{}
		open(v).Panel(0).Content.Draw(p)
		for _, kind := range kinds {
			if !slices.ContainsFunc(p.texts, func(s string) bool { return strings.HasPrefix(s, kind) }) {
				t.Errorf("%s: no %q on a phone: %q", name, kind, p.texts)
			}
		}
	}
}

// TestTimelineNamesAreWholeOnPhones: the name of a row of a timeline that is wider than a phone has several lines over its bars, also in
// small plots. One that needs more than three keeps both its ends.
func TestTimelineNamesAreWholeOnPhones(t *testing.T) {
	t.Parallel()
	long := "Migration of the relationship system of customers to the new cloud of the group"
	endless := strings.Repeat("Again and ", 30) + "the end"
	var rows [][]any
	for i, name := range []string{"Audit", long, endless} {
		rows = append(rows, []any{name, "No", day("2026-01-05"), day("2026-02-05").AddDate(0, 0, i)})
	}
	for _, facet := range []string{"", "no"} {
		panel := dashboard.Panel{Type: dashboard.Timeline, Label: "kind", Start: "day", End: "until", Facet: facet}
		v := tiny([]dashboard.Panel{panel}, []string{"kind text", "no text", "day date", "until date"}, rows...)
		p := &phoneNames{}
		open(v).Panel(0).Content.Draw(p)
		all := strings.Join(p.texts, " ")
		if !strings.Contains(all, long) || !strings.Contains(all, "Audit") || slices.Contains(p.texts, long) {
			t.Errorf("facet %q: a phone has %q", facet, p.texts)
		}
		if n := strings.Count(all, "Again"); n < 6 || n > 20 || !strings.Contains(all, "the end") {
			t.Errorf("facet %q: %d times again: %q", facet, n, p.texts)
		}
		for _, text := range p.texts {
			if canvas.LabelWidth(text) > canvas.PhoneInside {
				t.Errorf("facet %q: %q is wider than a phone", facet, text)
			}
		}
	}
}

// TestValuesOfHorizontalBarsBelowZero: the values of horizontal bars below zero are written at their left, where they have room of their
// own, on every width.
func TestValuesOfHorizontalBarsBelowZero(t *testing.T) {
	t.Parallel()
	for name, names := range map[string][]string{
		"short": {"Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Eta", "Theta", "Iota", "Kappa"},
		"long":  {"Elektrizitätsversorgung", "Kraftfahrzeugversicherung", "Arbeitsunfähigkeit"},
	} {
		var rows [][]any
		for i, s := range names {
			rows = append(rows, []any{s, -12000 - float64(i)})
		}
		v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "k", Y: []string{"n"}, Width: 4}}, []string{"k text", "n number sum"}, rows...)
		for size := range 3 {
			p := &phoneNames{lettered: lettered{size: size}}
			open(v).Panel(0).Content.Draw(p)
			written := 0
			for _, s := range p.texts {
				if strings.HasPrefix(s, "−12,00") || s == "−12K" {
					written++
				}
			}
			if !p.horizontal {
				continue // they stand, and their values are under them
			}
			if written != len(names) {
				t.Errorf("%s names on width %d: %d values of %d are written: %q", name, size, written, len(names), p.texts)
			}
		}
	}
}

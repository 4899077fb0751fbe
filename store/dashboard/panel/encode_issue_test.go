package panel

import (
	"slices"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/encode"
)

// TestIssues: an issue is a note to readers, with numbers and labels in the language of the page, and a warning to the author in English,
// with the key of the panel.
func TestIssues(t *testing.T) {
	t.Parallel()
	s := &dashboard.Spec{Locale: "de-DE"}
	p := &Panel{Rows: Rows{Settings: Settings{Env: Open(Input{Spec: s}), Index: 3}}}
	region := &dashboard.Column{Label: "Region"}
	region.Name = "region"
	p.report(encode.Noted(encode.NotDrawn, 12, 1200, encode.Inline(region.Label)).
		Cut("limit", 12, 1200, region.Name, "a filter leaves fewer"))
	p.report(encode.WithoutValue(1, region))
	p.report(encode.Noted("By %s.", grainNames["month"]))
	p.report(encode.Warned(dashboard.WarnDoubtful, "label", `"%s" is doubtful.`, region.Name))
	notes := []string{
		"Die 12 größten von 1.200 Werten: Region; der Rest ist nicht gezeichnet.", "1 Zeile ohne Wert ist ausgelassen.", "Nach Monat.",
	}
	if !slices.Equal(p.Notes, notes) {
		t.Errorf("notes %q, want %q", p.Notes, notes)
	}
	warnings := []string{
		`[cut] panels[3].limit: 12 of 1200 values of "region" are drawn; a filter leaves fewer.`,
		`[left_out] panels[3].value: 1 row without "region" is left out; the sql can leave it out, or COALESCE it.`,
		`[doubtful] panels[3].label: "region" is doubtful.`,
	}
	var got []string
	for _, w := range p.Warnings {
		got = append(got, w.String())
	}
	if !slices.Equal(got, warnings) {
		t.Errorf("warnings %q, want %q", got, warnings)
	}
}

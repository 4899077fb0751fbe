package page

import (
	"bytes"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"service/store/dashboard"
)

// TestPlusSigns: positive numbers of a column with signs have a plus wherever the page writes them, once, and in workbooks, where they
// remain numbers. A CSV has plain numbers.
func TestPlusSigns(t *testing.T) {
	t.Parallel()
	yes := true
	panels := []dashboard.Panel{
		{Type: dashboard.KPI, Value: "growth"},
		{Type: dashboard.Bar, Labels: &yes, X: "name", Y: []string{"growth"}},
		{Type: dashboard.Bar, Labels: &yes, X: "name", Y: []string{"growth"}, Horizontal: true},
		{Type: dashboard.Line, Labels: &yes, X: "day", Y: []string{"growth"}},
		{Type: dashboard.Bar, Labels: &yes, X: "name", Y: []string{"growth"}, Series: "day", Stack: true},
		{Type: dashboard.Combo, Labels: &yes, X: "day", Bars: []string{"growth"}, Lines: []string{"growth"}},
		{Type: dashboard.Waterfall, Labels: &yes, Label: "name", Value: "growth"},
		{Type: dashboard.Heatmap, X: "name", Y: []string{"day"}, Value: "growth"},
		{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "name"}, {Column: "growth", Sign: true}}},
		{Type: dashboard.Pivot, Rows: []string{"name"}, Values: []string{"growth"}},
		{Type: dashboard.Text, Markdown: "It is {{d.growth}} and {{d.growth | sign}}."},
	}
	v := tiny(panels, []string{"name text", "day date", "growth number sum percent1"},
		[]any{"a", day("2026-03-01"), 0.139}, []any{"b", day("2026-03-02"), -0.025}, []any{"c", day("2026-03-03"), 0.0})
	v.Spec.Datasets[0].Columns[2].Signed = true
	for i := range panels {
		own := v
		spec := *v.Spec
		spec.Panels = panels[i : i+1]
		own.Spec = &spec
		doc := string(render(t, own))
		_, doc, _ = strings.Cut(doc, "<main")
		before := ""
		want := map[bool]string{true: "+11.4%", false: "+13.9%"}[panels[i].Type == dashboard.KPI || panels[i].Type == dashboard.Text]
		if !strings.Contains(doc, want) || strings.Contains(doc, "++") || strings.Contains(doc, "+0.0%") || strings.Contains(doc, "+−") {
			t.Errorf("%s %v: no %s in %s", panels[i].Type, panels[i].Horizontal, want, doc)
		}
		for at, text := range strings.Split(doc, "13.9%") {
			if at > 0 && !strings.HasSuffix(before, "+") && !strings.HasSuffix(before, "−") {
				t.Errorf("%s %v: a number without its sign after %s", panels[i].Type, panels[i].Horizontal, before[max(len(before)-300, 0):])
			}
			before = text
		}
	}
	body, err := CSV(v, 8)
	if err != nil || !strings.Contains(string(body), "a,0.139\n") {
		t.Errorf("CSV: %s, %v", body, err)
	}
	if body, err = XLSX(v, 8); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	shown := map[string]bool{}
	for _, cell := range []string{"B2", "B3", "B4"} {
		text, err := f.GetCellValue(f.GetSheetName(0), cell)
		if err != nil {
			t.Fatal(err)
		}
		shown[text] = true
	}
	style, err := f.GetCellStyle(f.GetSheetName(0), "B4")
	if err != nil {
		t.Fatal(err)
	}
	of, err := f.GetStyle(style)
	if err != nil || of.CustomNumFmt == nil || *of.CustomNumFmt != "+0.0%;-0.0%;0.0%" || !shown["+13.9%"] || !shown["-2.5%"] {
		t.Errorf("XLSX: %v in the format %v, %v", shown, of, err)
	}
}

package page

import (
	"bytes"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"service/store/dashboard"
)

// Negative numbers of a column with brackets have these on the page and in workbooks, where they remain numbers; a CSV has plain numbers.
func TestNegativesInBrackets(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{
		{Type: dashboard.Table, Thresholds: []dashboard.Threshold{{Column: "profit", If: "<", Value: 0, Tone: "bad"}}},
		{Type: dashboard.KPI, Value: "profit"},
		{Type: dashboard.Bar, X: "name", Y: []string{"profit"}},
		{Type: dashboard.Pivot, Rows: []string{"name"}, Values: []string{"profit"}},
	}, []string{"name text", "profit integer sum currency", "weight number sum number1"},
		[]any{"a", int64(-1234), -2.5}, []any{"b", int64(34), 2.5})
	for i := range v.Spec.Datasets[0].Columns {
		v.Spec.Datasets[0].Columns[i].Brackets = v.Spec.Datasets[0].Columns[i].Name != "name"
	}
	v.Spec.Datasets[0].Columns[2].Unit = "kg"
	html := string(render(t, v))
	if n := strings.Count(html, "($1,234)"); n < 4 || !strings.Contains(html, "($1,200)") {
		t.Errorf("%d numbers in brackets", n)
	}
	if text := Summaries(v)[1].Text; !strings.HasPrefix(text, "($1,200)") {
		t.Errorf("the number is %s", text)
	}
	body, err := CSV(v, 0)
	if err != nil || !strings.Contains(string(body), "a,-1234,-2.5\n") {
		t.Errorf("CSV: %s, %v", body, err)
	}
	if body, err = XLSX(v, 0); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for cell, want := range map[string][2]string{
		"B2": {"($1,234)", "-1234"}, "B3": {"$34", "34"}, "C2": {"(2.5) kg", "-2.5"}, "C3": {"2.5 kg", "2.5"},
	} {
		shown, err := f.GetCellValue(f.GetSheetName(0), cell)
		raw, _ := f.GetCellValue(f.GetSheetName(0), cell, excelize.Options{RawCellValue: true})
		if shown = strings.TrimSpace(strings.ReplaceAll(shown, "\u00a0", " ")); err != nil || shown != want[0] || raw != want[1] {
			t.Errorf("XLSX %s: %s of %s, want %s of %s (%v)", cell, shown, raw, want[0], want[1], err)
		}
	}
}

// The values at the marks of a chart are written like those of its table.
func TestNegativeMarksInBrackets(t *testing.T) {
	t.Parallel()
	yes := true
	for _, panel := range []dashboard.Panel{
		{Type: dashboard.Waterfall, Labels: &yes, Label: "name", Value: "profit"},
		{Type: dashboard.Bar, Labels: &yes, X: "name", Y: []string{"profit"}},
	} {
		v := tiny([]dashboard.Panel{panel}, []string{"name text", "profit integer sum currency"}, []any{"a", int64(-1234)}, []any{"b", int64(34)})
		v.Spec.Datasets[0].Columns[1].Brackets = true
		html := string(render(t, v))
		if svg := html[strings.Index(html, "<svg"):strings.LastIndex(html, "</svg>")]; !strings.Contains(svg, ">($1,234)<") {
			t.Errorf("%s: the value is not in brackets: %s", panel.Type, svg)
		}
	}
}

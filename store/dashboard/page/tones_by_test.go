package page

import (
	"fmt"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// salesOf is a page of a panel over branches with revenue and attainment, which goes against the order of revenue.
func salesOf(p dashboard.Panel) View {
	return tiny([]dashboard.Panel{p}, []string{
		"branch text", "day date", "status text", "revenue number sum", "attainment number avg percent", "lat number none", "lon number none",
		"country text",
	},
		[]any{"North", day("2026-03-01"), "late", 100.0, 0.95, 48.2, 11.5, "France"},
		[]any{"South", day("2026-03-02"), "late", 300.0, 0.55, 41.2, 1.5, "Spain"},
		[]any{"West", day("2026-03-03"), "done", 200.0, 0.85, 52.2, 5.5, "Italy"},
		[]any{"West", day("2026-03-03"), "late", 50.0, 0.85, 52.2, 5.5, "Italy"},
	)
}

// Marks of one measure have the tones of another, and the legend and the summary name the measure that decides.
func TestTonesByAnotherMeasure(t *testing.T) {
	t.Parallel()
	by := []dashboard.Threshold{
		{Column: "attainment", If: "<", Value: 0.6, Tone: "bad"}, {Column: "attainment", If: ">=", Value: 0.9, Tone: "good"},
	}
	for name, p := range map[string]dashboard.Panel{
		"bar":       {Type: dashboard.Bar, X: "branch", Y: []string{"revenue"}},
		"rows":      {Type: dashboard.Bar, X: "branch", Y: []string{"revenue"}, Horizontal: true},
		"line":      {Type: dashboard.Line, X: "day", Y: []string{"revenue"}},
		"area":      {Type: dashboard.Area, X: "day", Y: []string{"revenue"}},
		"heatmap":   {Type: dashboard.Heatmap, X: "day", Y: []string{"branch"}, Value: "revenue"},
		"calendar":  {Type: dashboard.Calendar, X: "day", Value: "revenue"},
		"areas":     {Type: dashboard.Map, Area: "country", Value: "revenue"},
		"points":    {Type: dashboard.Map, Lat: "lat", Lon: "lon", Label: "branch", Value: "revenue"},
		"pivot":     {Type: dashboard.Pivot, Rows: []string{"branch"}, Values: []string{"revenue"}},
		"waterfall": {Type: dashboard.Waterfall, Label: "branch", Value: "revenue"},
	} {
		p.Width = 12
		p.Thresholds = by
		doc, drawn := recorded(t, salesOf(p), 0)
		text := drawn.String()
		for _, want := range []string{"Attainment < 60%", "Attainment ≥ 90%"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the legend has no %s:\n%s", name, want, text)
			}
		}
		if !strings.Contains(doc.Summary, "Attainment < 60%: 1 of ") {
			t.Errorf("%s: %s", name, doc.Summary)
		}
		for _, tone := range []string{"bad", "good"} { // one in the legend, and those of marks
			if n := strings.Count(text, fmt.Sprint("heat", int(canvas.ToneColor(tone)-canvas.HeatColor))); n < 2 {
				t.Errorf("%s: %d marks have the tone %s", name, n-1, tone)
			}
		}
	}
	for at, want := range map[float64]string{0.5: "good", 0.99: ""} {
		_, drawn := recorded(t, salesOf(dashboard.Panel{Type: dashboard.KPI, Value: "revenue", Width: 3, Thresholds: []dashboard.Threshold{
			{Column: "attainment", If: ">=", Value: at, Tone: "good"},
		}}), 0)
		if got := strings.Contains(drawn.String(), " good"); got != (want != "") {
			t.Errorf("the number has a tone: %t, with %v", got, at)
		}
	}
}

// Cells and rows of a table have the tones of columns that it does not show. A dimension has a tone if all rows of a line have its value.
func TestTonesByHiddenColumns(t *testing.T) {
	t.Parallel()
	below := func(limit float64, cell string) dashboard.Threshold {
		return dashboard.Threshold{Column: "attainment", If: "<", Value: limit, Tone: "bad", Row: cell == "", Cell: cell}
	}
	late := func(cell string) dashboard.Threshold {
		return dashboard.Threshold{Column: "status", If: "=", By: "late", Tone: "bad", Row: cell == "", Cell: cell}
	}
	for _, tc := range []struct {
		name   string
		h      dashboard.Threshold
		hidden bool   // the table has all columns but the hidden attainment
		toned  string // branches with the tone
		key    string
	}{
		{"a row by a measure", below(0.9, ""), false, "South West", "Attainment < 90%: 2 of 3."},
		{"a cell by a measure", below(0.9, "revenue"), false, "South West", "Attainment < 90%: 2 of 3."},
		{"a name by a measure", below(0.9, "branch"), false, "South West", "Attainment < 90%: 2 of 3."},
		{
			"a name by a shown measure",
			dashboard.Threshold{Column: "revenue", If: ">=", Value: 300, Tone: "bad", Cell: "branch"},
			false,
			"South", "Revenue ≥ 300: 1 of 3.",
		},
		{"a row by a dimension", late(""), false, "North South", "Status = late: 2 of 3."},
		{"a cell by a dimension", late("revenue"), false, "North South", "Status = late: 2 of 3."},
		{"a row by a hidden measure", below(0.6, ""), true, "South", "Attainment < 60%: 1 of 4."},
	} {
		p := dashboard.Panel{Type: dashboard.Table, Width: 12, TotalRow: true, Thresholds: []dashboard.Threshold{tc.h}}
		if !tc.hidden {
			p.Columns = []dashboard.TableColumn{{Column: "branch"}, {Column: "revenue"}}
		}
		v := salesOf(p)
		if tc.hidden {
			v.Spec.Datasets[0].Columns[4].Hidden = true
		}
		p0, drawn := recorded(t, v, 0)
		for _, branch := range []string{"North", "South", "West"} {
			line := drawn.String()[strings.Index(drawn.String(), `"`+branch+`"`):]
			line = line[:strings.Index(line, "\n")]
			if got, want := strings.Contains(line, " bad") || strings.Contains(line, "heat"), strings.Contains(tc.toned, branch); got != want {
				t.Errorf("%s: %s has the tone: %t: %s", tc.name, branch, got, line)
			}
			name := strings.Split(line, " | ")[0]
			if tc.h.Cell == "branch" && strings.Contains(name, "bad") != strings.Contains(tc.toned, branch) {
				t.Errorf("%s: the tone is not that of the name: %s", tc.name, line)
			}
		}
		if !strings.Contains(p0.Summary, tc.key) {
			t.Errorf("%s: the summary is %s, want %s", tc.name, p0.Summary, tc.key)
		}
		if condition, _, _ := strings.Cut(tc.key, ":"); !strings.Contains(drawn.String(), condition) {
			t.Errorf("%s: no line has %s: %s", tc.name, condition, drawn)
		}
	}
}

// A total that adds up is not measured by the limit of one cell without a warning. A limit of 0, another measure and a ratio are limits of
// totals too, and a total that does not meet the condition has no warning.
func TestLimitsOfCellsAndTotals(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		threshold dashboard.Threshold
		want      bool
	}{
		"a sum":           {dashboard.Threshold{Column: "revenue", If: ">", Value: 300, Tone: "bad"}, true},
		"below it":        {dashboard.Threshold{Column: "revenue", If: "<", Value: 60, Tone: "bad"}, false},
		"zero":            {dashboard.Threshold{Column: "revenue", If: ">", Value: 0, Tone: "bad"}, false},
		"another measure": {dashboard.Threshold{Column: "revenue", If: ">", By: "attainment", Tone: "bad"}, false},
		"an average":      {dashboard.Threshold{Column: "attainment", If: ">", Value: 0.6, Tone: "bad"}, false},
	} {
		values := []string{"revenue", "attainment"}
		for _, p := range []dashboard.Panel{
			{Type: dashboard.Pivot, Rows: []string{"branch"}, Columns: []dashboard.TableColumn{{Column: "day"}}, Values: values},
			{
				Type: dashboard.Table, TotalRow: true,
				Columns: []dashboard.TableColumn{{Column: "branch"}, {Column: "revenue"}, {Column: "attainment"}},
			},
		} {
			p.Thresholds = []dashboard.Threshold{tc.threshold}
			doc, _ := recorded(t, salesOf(p), 0)
			got := fmt.Sprint(doc.Warnings)
			if has := strings.Contains(got, "colours it by the limit of one cell"); has != tc.want {
				t.Errorf("%s of a %s: %s", name, p.Type, got)
			}
		}
	}
}

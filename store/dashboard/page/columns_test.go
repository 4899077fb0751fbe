package page

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
)

func TestFormatsOfColumns(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 14, 5, 9, 0, time.UTC)
	for _, tc := range []struct {
		locale, format, unit string
		value                any
		want                 string
	}{
		{"en-US", "compact2", "", 12345.0, "12.35K"},
		{"en-US", "compact2", "", 1.5e9, "1.50B"},
		{"en-US", "compact2", "", 950.0, "950.00"},
		{"de-DE", "currency_compact2", "", 1234567.0, "1,23 Mio. $"},
		{"en-US", "number0", "", 2.5, "3"},
		{"en-US", "number6", "", 0.1, "0.100000"},
		{"en-US", "percent3", "", 0.12345678, "12.346%"},
		{"en-US", "currency0", "", 2.5, "$3"},
		{"en-US", "currency_compact1", "", 1250.0, "$1.3K"},
		{"en-US", "bytes2", "", 1536.0, "1.54 KB"},
		{"en-US", "hours_minutes", "", 451.0, "7 h 31 m"},
		{"en-US", "hours_minutes", "", 425.4, "7 h 05 m"},
		{"en-US", "hours_minutes", "", -60.0, "−1 h 00 m"},
		{"en-US", "hours_minutes", "", 59.6, "1 h 00 m"},
		{"en-US", "hours_minutes", "", -0.2, "0 m"},
		{"en-US", "hours_minutes", "", 60000.0, "1,000 h 00 m"},
		{"en-US", "number1", "kg", 2.25, "2.3 kg"},
		{"en-US", "number1", "%", 2.25, "2.3%"},
		{"de-DE", "number1", "%", 2.25, "2,3 %"},
		{"en-US", "number1", "°", 21.0, "21.0°"},
		{"en-US", "number1", "°C", 21.0, "21.0 °C"},
		{"en-US", "currency2", "/kg", 2.25, "$2.25/kg"},
		{"ja", "integer", "個", int64(1200), "1,200個"},
		{"en-US", "time", "", at, "14:05"},
		{"de-DE", "time", "", at, "14:05"},
		{"en-US", "minute", "", at, "Nov 20, 2026 14:05"},
		{"de-DE", "minute", "", at, "20. Nov. 2026 14:05"},
	} {
		c := dashboard.Column{Column: cube.Column{Type: cube.Number}, Role: dashboard.Measure, Format: tc.format, Suffix: tc.unit}
		if _, ok := tc.value.(time.Time); ok {
			c.Column.Type, c.Role = cube.Timestamp, dashboard.Dimension
		}
		f := format.Formatter{Locale: locale.For(tc.locale), Currency: "USD"}
		if got := strings.ReplaceAll(strings.ReplaceAll(f.Cell(c, cube.Exact, tc.value), format.NBSP, " "), "\u202f", " "); got != tc.want {
			t.Errorf("%v as %s %q in %s: %q, want %q", tc.value, tc.format, tc.unit, tc.locale, got, tc.want)
		}
	}
}

// TestTimesOfTheDayInPeriods: periods of a day or longer have their own names, even if the format of their column is a time of day.
func TestTimesOfTheDayInPeriods(t *testing.T) {
	t.Parallel()
	f := format.Formatter{Locale: locale.For("en-US")}
	at := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for grain, want := range map[cube.Grain]string{
		cube.Hourly: "00:00", cube.Daily: "Nov 20, 2026", cube.Weekly: "Week of Nov 20, 2026", cube.Monthly: "Nov 2026",
	} {
		if got := strings.ReplaceAll(f.Time("time", grain, at), "\u202f", " "); got != want {
			t.Errorf("%s: %q, want %q", grain, got, want)
		}
	}
}

// columnsView is a page of one dataset with rows of two days, countries and clerks, with the given settings of columns and the given
// panels.
func columnsView(t *testing.T, columns, panels string) View {
	t.Helper()
	coords := ""
	if strings.Contains(columns, `"hidden"`) {
		coords = `, "hidden": true`
	}
	s, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d",
		"sql": "SELECT day, country, clerk, lat, lon, sum(weight) AS weight, count(*) AS n FROM t GROUP BY 1, 2, 3, 4, 5",
		"columns": {"lat": {"role": "dimension"` + coords + `}, "lon": {"role": "dimension"` + coords + `}` +
		columns + `}}], "panels": [` + panels + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	cols := []cube.Column{
		{Name: "day", Type: cube.Date},
		{Name: "country", Type: cube.Text},
		{Name: "clerk", Type: cube.Text},
		{Name: "lat", Type: cube.Number},
		{Name: "lon", Type: cube.Number},
		{Name: "weight", Type: cube.Number},
		{Name: "n", Type: cube.Integer},
	}
	b := cube.NewBuilder(cols)
	for _, row := range [][]any{
		{day("2026-11-18"), "France", "Zoe", 48.8, 2.3, 1200.5, int64(3)},
		{day("2026-11-18"), "Germany", "Max", 52.5, 13.4, 800.25, int64(4)},
		{day("2026-11-19"), "France", "Zoe", 48.8, 2.3, 100.0, int64(5)},
		{day("2026-11-19"), "Germany", "Ida", 52.5, 13.4, 60.75, int64(6)},
	} {
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	v := View{
		Spec: s, Cubes: map[string]*cube.Cube{"d": b.Cube()}, Now: now,
		Header: Header{Workspace: "Acme", WorkspaceSlug: "acme", Slug: "columns", Name: "Columns", AsOf: now, State: "succeeded"},
	}
	if _, err := s.CheckRows(map[string][]cube.Column{"d": cols}, v.Cubes); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestUnits: a unit is written after numbers. Axes and downloads have it in their heads instead.
func TestUnits(t *testing.T) {
	t.Parallel()
	v := columnsView(t, `, "weight": {"unit": "kg", "format": "number1"}`, `
		{"type": "kpi", "value": "weight", "target": 3000}, {"type": "line", "x": "day", "y": "weight", "reference": [{"kind": "average"}]},
		{"type": "bar", "x": "country", "y": "weight", "horizontal": true}, {"type": "pie", "label": "country", "value": "weight"},
		{"type": "combo", "x": "day", "bars": "n", "lines": "weight"}, {"type": "line", "x": "day", "y": "weight", "facet": "country"},
		{"type": "heatmap", "x": "day", "y": "country", "value": "weight"}, {"type": "table", "columns": ["country", "weight"]}`)
	html := strings.ReplaceAll(string(render(t, v)), format.NBSP, " ")
	for _, want := range []string{
		">2,161.5 kg<", "of the target of 3,000.0 kg", `↑ kg<`, "Average 1,080.8 kg", ">1,300.5 kg<", ">Weight (kg) ↑<", "Weight (right axis)",
		"as a table",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for i, want := range []string{"2,161.5 kg; 72.1% of the target of 3,000.0 kg.", "latest 160.8 kg, lowest 160.8 kg", "France 1,300.5 kg"} {
		if text := strings.ReplaceAll(Summaries(v)[i].Text, format.NBSP, " "); !strings.Contains(text, want) {
			t.Errorf("panel %d: %s, want %s", i, text, want)
		}
	}
	if strings.Count(html, "↑ kg<") != 2 { // for the line, and for all its small plots
		t.Errorf("the head of an axis is there %d times", strings.Count(html, "↑ kg<"))
	}
	body, err := CSV(v, 7)
	if err != nil || string(body) != "Country,Weight (kg)\nFrance,1300.5\nGermany,861\n" {
		t.Errorf("CSV: %s, %v", body, err)
	}
	body, err = XLSX(v, 7)
	if err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := f.GetCellValue(f.GetSheetName(0), "B2"); err != nil || strings.ReplaceAll(text, format.NBSP, " ") != "1,300.5 kg" {
		t.Errorf("XLSX: %q, %v", text, err)
	}
}

// TestHiddenColumnsAreNowhere: nothing that a reader can open contains values or the name of a hidden column.
func TestHiddenColumnsAreNowhere(t *testing.T) {
	t.Parallel()
	v := columnsView(t, `, "clerk": {"hidden": true}, "n": {"hidden": true, "label": "Parcels"},
		"each": {"ratio": ["weight", "n"]}`,
		`{"type": "table"}, {"type": "bar", "x": "country", "y": "weight", "sort": "-n"}, {"type": "kpi", "value": "each"}`)
	v.Query = url.Values{"p1.rows": {"1"}, "p0.sort": {"day"}}
	if rows := Summaries(v)[0].Text; !strings.HasPrefix(rows, "4 rows") {
		t.Errorf("the table merges rows: %s", rows)
	}
	forms := map[string]string{"page": string(render(t, v))}
	for i := range v.Spec.Panels {
		forms["summary"] += Summaries(v)[i].Text + Summaries(v)[i].Sketch
		body, err := CSV(v, i)
		if err != nil {
			t.Fatal(err)
		}
		forms["CSV"] += string(body)
	}
	book, err := Workbook(context.Background(), v)
	if err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(bytes.NewReader(book))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, sheet := range f.GetSheetList() {
		rows, err := f.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(rows)
		if err != nil {
			t.Fatal(err)
		}
		forms["XLSX"] += string(text)
	}
	for form, text := range forms {
		if !strings.Contains(text, "Germany") {
			t.Errorf("%s shows no rows: %s", form, text)
		}
		for _, word := range []string{"Zoe", "Ida", "Clerk", "clerk", "Parcels", "48.8"} {
			if strings.Contains(text, word) {
				t.Errorf("%s has %q", form, word)
			}
		}
	}
	if !strings.Contains(forms["page"], "1,200.50") {
		t.Error("the rows behind a figure are not those of the query")
	}
}

// TestTooltipColumns: tooltips have measures over the rows of their mark, and a dimension if all these rows have the same value of it.
func TestTooltipColumns(t *testing.T) {
	t.Parallel()
	const more = `"tooltip": ["clerk", "n"]`
	v := columnsView(t, `, "each": {"ratio": ["weight", "n"], "unit": "kg"}`, `
		{"type": "bar", "x": "country", "y": "weight", `+more+`}, {"type": "line", "x": "day", "y": "weight", "series": "country", `+more+`},
		{"type": "area", "x": "day", "y": "weight", "series": "country", "stack": true, `+more+`},
		{"type": "line", "x": "day", "y": "weight", "facet": "country", `+more+`},
		{"type": "pie", "label": "country", "value": "weight", `+more+`},
		{"type": "scatter", "x": "weight", "y": "each", "label": "country", `+more+`}, {"type": "scatter", "x": "weight", "y": "each", `+more+`},
		{"type": "map", "area": "country", "value": "weight", `+more+`},
		{"type": "map", "lat": "lat", "lon": "lon", "tooltip": ["clerk", "each"]},
		{"type": "calendar", "x": "day", "value": "weight", `+more+`}, {"type": "waterfall", "label": "country", "value": "weight", `+more+`}`)
	for i, want := range []string{
		"Country,Weight,Clerk,N\nFrance,1300.5,Zoe,8\nGermany,861,,10\n",
		"Day,France,Germany,Clerk,N\n2026-11-18,1200.5,800.25,,7\n2026-11-19,100,60.75,,11\n",
		"Day,France,Germany,Clerk,N\n2026-11-18,1200.5,800.25,,7\n2026-11-19,100,60.75,,11\n",
		"Day,Country,Weight,Clerk,N\n2026-11-18,France,1200.5,Zoe,3\n2026-11-19,France,100,Zoe,5\n" +
			"2026-11-18,Germany,800.25,Max,4\n2026-11-19,Germany,60.75,Ida,6\n",
		"Country,Weight,Clerk,N\nFrance,1300.5,Zoe,8\nGermany,861,,10\n",
		"Country,Weight,Each (kg),Clerk,N\nFrance,1300.5,162.5625,Zoe,8\nGermany,861,86.1,,10\n",
		"Weight,Each (kg),Clerk,N\n1200.5,400.1666666666667,Zoe,3\n800.25,200.0625,Max,4\n100,20,Zoe,5\n60.75,10.125,Ida,6\n",
		"Country,Weight,Clerk,N\nFrance,1300.5,Zoe,8\nGermany,861,,10\n",
		"Lat,Lon,Rows,Clerk,Each (kg)\n48.8,2.3,2,Zoe,162.5625\n52.5,13.4,2,,86.1\n",
		"Day,Weight,Clerk,N\n2026-11-18,2000.75,,7\n2026-11-19,160.75,,11\n",
		"Country,Weight,Running total,Clerk,N\nFrance,1300.5,1300.5,Zoe,8\nGermany,861,2161.5,,10\nTotal,2161.5,2161.5,,\n",
	} {
		body, err := CSV(v, i)
		if err != nil || string(body) != want {
			t.Errorf("%s: %v\n%swant\n%s", v.Spec.Panels[i].Type, err, body, want)
		}
	}
	html := strings.ReplaceAll(string(render(t, v)), format.NBSP, " ")
	for _, want := range []string{
		"France: 1,300.5\nClerk  Zoe\nN  8", "Germany: 861\nClerk  –\nN  10", "Each  162.56 kg\nClerk  Zoe\nN  8",
		"<th scope=\"col\">Total</th><th scope=\"col\">Clerk</th>",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if lines := Summaries(v)[1].Sketch; strings.Contains(lines, "Clerk") {
		t.Errorf("a sketch draws the columns of the tooltip:\n%s", lines)
	}
}

// TestTooltipsOfHorizontalBars: each bar of a list has a tooltip with its value and the columns of the spec, also in a stack and in a small
// plot, and no tooltip without such columns.
func TestTooltipsOfHorizontalBars(t *testing.T) {
	t.Parallel()
	const bar = `{"type": "bar", "x": "country", "y": "weight", "horizontal": true`
	for _, tc := range []struct {
		panel string
		want  []string
	}{
		{bar + `, "tooltip": ["clerk", "n"]}`, []string{
			"<title>France\n1,300.5\nClerk  Zoe\nN  8</title>", "<title>Germany\n861\nClerk  –\nN  10</title>",
		}},
		{bar + `, "series": "clerk", "stack": true, "tooltip": "n"}`, []string{
			"<title>France\nZoe  1,300.5\nN  8</title>", "<title>Germany\nIda  60.75\nN  10</title>",
		}},
		{bar + `, "facet": "clerk", "tooltip": "n"}`, []string{
			"<title>France\n1,300.5\nN  8</title>", "<title>Germany\n60.75\nN  6</title>",
		}},
	} {
		html := strings.ReplaceAll(string(render(t, columnsView(t, ``, tc.panel))), format.NBSP, " ")
		for _, want := range tc.want {
			if !strings.Contains(html, want) {
				t.Errorf("%s: the page lacks %q", tc.panel, want)
			}
		}
	}
	if html := string(render(t, columnsView(t, ``, bar+"}"))); strings.Contains(html, "<title>France") {
		t.Error("a bar without columns of a tooltip has one")
	}
}

// TestTooltipsOfMergedMarks: a mark that merges several values shows no values of the tooltip's columns.
func TestTooltipsOfMergedMarks(t *testing.T) {
	t.Parallel()
	v := columnsView(t, ``, `{"type": "bar", "x": "clerk", "y": "weight", "limit": 1, "other": true, "tooltip": "n"}`)
	if body, err := CSV(v, 0); err != nil || string(body) != "Clerk,Weight,N\nZoe,1300.5,8\nOther,861,\n" {
		t.Errorf("%s, %v", body, err)
	}
}

// TestGroupsOfColumns: groups of a table's columns are in the heads of the page, in text, and in the names of a download.
func TestGroupsOfColumns(t *testing.T) {
	t.Parallel()
	v := columnsView(t, `, "each": {"ratio": ["weight", "n"]}`, `{"type": "table", "total": true, "columns": ["country",
		{"column": "weight", "group": "Load", "bar": true}, {"column": "each", "group": "Load", "decimals": 3},
		{"column": "n", "group": "Count"}]}`)
	html := string(render(t, v))
	for _, want := range []string{
		`<th scope="col" rowspan="2"><a href`, `<th scope="colgroup" colspan="3">Load</th><th scope="colgroup">Count</th></tr><tr>`,
		".gh thead", "162.563",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if body, err := CSV(v, 0); err != nil || !strings.HasPrefix(string(body), "Country,Load · Weight,Load · Each,Count · N\n") {
		t.Errorf("%s, %v", body, err)
	}
	s := Summaries(v)[0]
	if !strings.Contains(s.Sketch, "Load · Weight") || !strings.Contains(s.Text, "Load · Weight 1,300.5") {
		t.Errorf("%s\n%s", s.Text, s.Sketch)
	}
	plain := columnsView(t, ``, `{"type": "table"}`)
	if html := string(render(t, plain)); strings.Contains(html, "colgroup") || strings.Contains(html, ".gh thead") {
		t.Error("a table without groups has heads over heads")
	}
}

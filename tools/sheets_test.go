package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// workbook makes an XLSX file of sheets in the order of their names, after an empty one called Sheet1. A sheet without rows is hidden.
func workbook(t *testing.T, sheets map[string][][]any) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	for _, name := range slices.Sorted(maps.Keys(sheets)) {
		if _, err := f.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		for i, row := range sheets[name] {
			if err := f.SetSheetRow(name, fmt.Sprintf("A%d", i+1), &row); err != nil {
				t.Fatal(err)
			}
		}
		if len(sheets[name]) == 0 {
			if err := f.SetSheetVisible(name, false); err != nil {
				t.Fatal(err)
			}
		}
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSheetsOfUploads names sheets in every tool that takes an upload, and publishes and refreshes a page over three of them.
func TestSheetsOfUploads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	ada := w.members["ada@acme"]
	added, err := w.Uploads.AddUpload(t.Context(), ada, "plan.xlsx", workbook(t, map[string][][]any{
		"Actuals": {{"Actuals"}, {}, {"month", "eur", "code"}, {"2026-01", 90.5, "007"}},
		"Budget":  {{"month", "eur"}, {"2026-01", 100}, {"2026-02", 200}},
		"Secret":  {},
		"Team":    {{"team", "people"}, {"Sales", 4}},
	}))
	w.must(err)
	plain, err := w.Uploads.AddUpload(t.Context(), ada, "plain.csv", []byte("a\n1\n"))
	w.must(err)
	book := []any{"connection", added.Connection.ID, "upload", added.Upload.ID}
	ask := func(tool string, args ...any) string {
		t.Helper()
		r := w.call(tool, object(append(args, book...)...))
		return r.Text + r.Internal
	}
	contains := func(text string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("there is no %q in %s", want, text)
			}
		}
	}
	contains(ask("introspect_schema"),
		`{"name":"Sheet1","state":"empty","rows":0}`, `{"name":"Secret","state":"hidden","rows":0}`,
		`{"name":"Actuals","state":"read","rows":1,"columns":[{"name":"month","type":"date"},{"name":"eur","type":"number"},`+
			`{"name":"code","type":"text"}],"notes":[`,
		`"name":"Budget","state":"read","rows":2`, `left out above the table: row 1`, `{"name":"people","type":"integer"}`)
	contains(ask("introspect_schema", "sheet", "team"), `"tables":[{"name":"upload","kind":"table","columns":[{"name":"team"`)
	contains(ask("list_connections"), `"sheets":["Actuals","Budget","Team"]`)
	contains(ask("explore_data", "sheet", "Budget", "sql", "SELECT sum(eur) AS eur FROM upload"), `"rows":[[300]]`)
	contains(ask("explore_data", "sql", "SELECT sum(eur) AS eur FROM upload"), `"rows":[[90.5]]`)
	contains(ask("validate_cube_sql", "sheet", "Team", "sql", "SELECT team, sum(people) AS people FROM upload GROUP BY 1"), `"valid":true`)
	joined := map[string]any{"budget": map[string]any{"id": added.Upload.ID, "sheet": "Budget"}}
	contains(ask("explore_data", "uploads", joined, "sql", "SELECT sum(b.eur) FROM budget b JOIN upload u USING (month)"), `"rows":[[100]]`)

	const names = `The sheets with rows are "Actuals", "Budget", "Team".`
	for _, no := range []struct{ sheet, want string }{
		{"Secret", `Sheet "Secret" of "plan.xlsx" is hidden, so it is not read: show it in the workbook, and upload that again. ` + names},
		{"sheet1", `Sheet "Sheet1" of "plan.xlsx" is empty. ` + names},
		{"Plan", `"plan.xlsx" has no sheet "Plan". ` + names},
	} {
		const sql = "SELECT 1 AS n FROM upload"
		spec := map[string]any{"datasets": []any{map[string]any{"id": "d", "sql": sql, "sheet": no.sheet}}}
		plain := map[string]any{"datasets": []any{map[string]any{"id": "d", "sql": sql}}}
		for tool, args := range map[string][]any{
			"introspect_schema":     {"sheet", no.sheet},
			"explore_data":          {"sheet", no.sheet, "sql", "SELECT 1"},
			"validate_cube_sql":     {"sheet", no.sheet, "sql", "SELECT 1 AS n FROM upload"},
			"publish_dashboard":     {"path", "no", "dry_run", true, "sheet", no.sheet, "spec", plain},
			"publish_dashboard own": {"path", "no", "spec", spec},
		} {
			tool, _, _ = strings.Cut(tool, " ")
			contains(ask(tool, args...), no.want)
		}
	}
	for _, no := range []struct {
		args []any
		want string
	}{
		{
			[]any{"connection", plain.Connection.ID, "upload", plain.Upload.ID, "sheet", "a"},
			`"plain.csv" is not a workbook and has no sheets: leave out sheet.`,
		},
		{[]any{"sheet", "a"}, "sheet needs upload"},
		{[]any{"connection", plain.Connection.ID, "upload", plain.Upload.ID, "sheet", 7}, "sheet must be the name of a sheet"},
	} {
		r := w.call("explore_data", object(append([]any{"sql", "SELECT 1"}, no.args...)...))
		contains(r.Text, no.want)
	}
	r := w.call("publish_dashboard", object("path", "no", "spec", map[string]any{
		"datasets": []any{map[string]any{"id": "d", "sql": "SELECT 1 AS n", "sheet": "Budget"}},
	}))
	contains(r.Text, "datasets[0].sheet needs upload")

	// A page over three sheets, named in each way.
	spec := map[string]any{
		"uploads": joined,
		"datasets": []any{
			map[string]any{"id": "both", "sql": "SELECT sum(u.eur) AS spent, sum(b.eur) AS planned FROM upload u FULL JOIN budget b USING (month)"},
			map[string]any{"id": "team", "sql": "SELECT team, sum(people) AS people FROM upload GROUP BY 1", "sheet": "Team"},
		},
		"panels": []any{
			map[string]any{"type": "kpi", "data": "both", "value": "spent"},
			map[string]any{"type": "kpi", "data": "both", "value": "planned"},
			map[string]any{"type": "bar", "data": "team", "x": "team", "y": "people"},
		},
	}
	contains(ask("publish_dashboard", "path", "plan", "sheet", "Actuals", "spec", spec),
		`"sheet":"Actuals","uploads":{"budget":{"id":"`+added.Upload.ID.String()+`","sheet":"Budget"}}`)
	w.refresh()
	contains(w.call("get_dashboard", object("path", "plan")).Text, "90.5", "300", "Sales", `"sheet":"Actuals"`)
	var config struct {
		Upload  struct{ Sheet string }
		Uploads []struct{ Table, Dataset, Sheet string }
	}
	data, _ := jsonOf(w.call("get_source_config", object("slug", "plan")).Text)
	w.must(json.Unmarshal(data, &config))
	if got := fmt.Sprint(config); got != "{{Actuals} [{budget  Budget} {upload team Team}]}" {
		t.Errorf("the source is %s", got)
	}
	// A patch keeps the sheets.
	r = w.call("publish_dashboard", object("path", "plan", "patch", []any{map[string]any{"op": "add", "path": "/title", "value": "Plan"}}))
	contains(r.Text, `"sheet":"Actuals","uploads":{"budget":{"id":"`+added.Upload.ID.String()+`","sheet":"Budget"}}`)
	if strings.Contains(r.Text, "[connection_change]") {
		t.Errorf("a patch changes the source: %s", r.Text)
	}
}

package web

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/xuri/excelize/v2"
)

// workbookOf makes an XLSX file of sheets in the order of their names, after an empty one.
func workbookOf(t *testing.T, sheets map[string][][]any) string {
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
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestDatesOfUpload sets the order of day and month of an upload: the effect is shown first, and the order holds for later files.
func TestDatesOfUpload(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	const at = "/w/engine/uploads"
	file := p.once().send(at, "days.csv", "day,n\n1/2/2026,1\n3/4/2026,2\n").want(http.StatusSeeOther).header.Get("Location")
	id := file[len(at)+1:]
	p.get(file).want(http.StatusOK, "<td>2026-01-02</td>", "These columns of dates fit both orders: day.", "See what would change")
	s.publishFile(t, m, "days", "Days", id, "SELECT day, sum(n) AS n FROM upload GROUP BY 1", `{"type": "line", "x": "day", "y": "n"}`)

	page := p.post(file+"/dates", url.Values{"dates": {"day_first"}}).want(http.StatusOK, "Read the dates of days.csv with the day first?",
		"<code>day</code>", "2026-01-02<br>2026-03-04", "2026-02-01<br>2026-04-03", "No dashboard would break")
	p.get(file).want(http.StatusOK, "<td>2026-01-02</td>", "is not used yet") // nothing has changed yet
	p.press(page, "Change").want(http.StatusOK, "The dates of days.csv are read in the other order now.", "<td>2026-02-01</td>",
		`<option value="day_first" selected>`)
	var runs int
	if err := s.pool.QueryRow(t.Context(), `SELECT count(*) FROM refresh_run WHERE cause = 'upload'`).Scan(&runs); err != nil || runs != 1 {
		t.Errorf("%d refreshes, %v", runs, err)
	}
	p.get("/w/engine/audit").want(http.StatusOK, "set the order of day and month of days.csv")

	// The order holds for a file that replaces this one, and when nothing depends on it.
	p.send(file, "more.csv", "day,n\n5/6/2026,1\n").want(http.StatusOK, "<td>2026-06-05</td>", `<option value="day_first" selected>`)
	p.send(file, "iso.csv", "day,n\n2026-06-05,1\n").want(http.StatusOK, "No column of this file depends on the order.")
	p.post(file+"/dates", url.Values{"dates": {"month_first"}}).want(http.StatusOK, "The order is kept for the next file.",
		`<option value="month_first" selected>`)
	p.send(file, "last.csv", "day,n\n5/6/2026,1\n").want(http.StatusOK, "<td>2026-05-06</td>")

	p.post(file+"/dates", url.Values{"dates": {"year_first"}}).want(http.StatusNotFound)
	bob := s.signIn(t, "bob@lovelace.org")
	bob.post(file+"/dates", url.Values{"dates": {"day_first"}}).want(http.StatusNotFound)

	// A file of before originals were kept.
	s.exec(t, `UPDATE upload SET dated = NULL, original = NULL`)
	p.get(file).want(http.StatusOK, "This file was uploaded before it could be read again.")
	p.post(file+"/dates", url.Values{"dates": {"day_first"}}).want(http.StatusOK, "The order is kept for the next file.",
		"<td>2026-05-06</td>")
}

// TestSheetsOfUpload shows the sheets of a workbook, and the effects of a workbook without one of them.
func TestSheetsOfUpload(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	const at = "/w/engine/uploads"
	file := p.once().send(at, "plan.xlsx", workbookOf(t, map[string][][]any{
		"Actuals": {{"month", "eur"}, {"2026-01", 90}},
		"Budget":  {{"month", "eur"}, {"1/2/2026", 100}, {"3/4/2026", 200}},
		"Team":    {{"team", "people"}, {"Sales", 4}},
	})).want(http.StatusSeeOther).header.Get("Location")
	id := file[len(at)+1:]
	p.get(file).want(http.StatusOK, "Sheets", "Sheet1", "empty", "the first with rows", "Columns and first rows", "<td>2026-01-02</td>",
		"These columns of dates fit both orders: Budget · month.")
	p.post(file+"/dates", url.Values{"dates": {"day_first"}}).want(http.StatusOK, "Budget · <code>month</code>", "2026-02-01")

	s.publishSheet(t, m, "budget", id, "Budget", "SELECT month, sum(eur) AS eur FROM upload GROUP BY 1")
	page := p.send(file, "next.xlsx", workbookOf(t, map[string][][]any{
		"Actuals": {{"month", "eur"}, {"2026-01", 90}},
		"Team":    {{"team", "people", "site"}, {"Sales", 4, "Rome"}, {"Ops", 2, "Bonn"}},
	})).want(http.StatusOK, "1 dashboard would break", "the file has no sheet Budget with rows", "Sheet Budget", "Sheet Team",
		"Team · <code>site</code>").lacks("Sheet Actuals")
	p.press(page, "Cancel")
	p.send(file, "fine.xlsx", workbookOf(t, map[string][][]any{
		"Budget": {{"month", "eur"}, {"2026-03", 5}},
	})).want(http.StatusOK, "fine.xlsx has replaced the file. 1 dashboard that reads it refreshes now.")
	back := p.get(fileOfUpload.FindString(p.get(file).body)).want(http.StatusOK, "Go back to plan.xlsx?")
	p.press(back, "Go back").want(http.StatusOK, "Team", "the first with rows")
	var sheets string
	err := s.pool.QueryRow(t.Context(), `
		SELECT string_agg(name || ' ' || (file_id IS NULL), ', ' ORDER BY file_id IS NULL, position) FROM upload_sheet`).Scan(&sheets)
	if err != nil || sheets != "Sheet1 false, Budget false, Sheet1 true, Actuals true, Budget true, Team true" {
		t.Errorf("sheets: %s, %v", sheets, err)
	}
	// A column that the sheet lacks.
	p.send(file, "other.xlsx", workbookOf(t, map[string][][]any{
		"Actuals": {{"month", "eur"}, {"2026-01", 90}}, "Budget": {{"month", "usd"}, {"2026-03", 5}},
	})).want(http.StatusOK, "Dataset data: 1 column is missing: eur")
}

package page

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// winsTable is a page of a table of products that is compared with an earlier period, in a language, with a filter on the date or without.
func winsTable(t *testing.T, locale, filters string) View {
	t.Helper()
	s, err := dashboard.Parse([]byte(`{"title": "Wins", "locale": "` + locale + `", "timezone": "UTC", "currency": "EUR",
		"datasets": [{"id": "deals",
			"sql": "SELECT day, product, sum(won) AS won, sum(asked) AS asked, sum(euros) AS euros FROM deals GROUP BY ALL",
			"columns": {"won": {"label": "Won", "good": "up"},
				"rate": {"label": "Rate", "ratio": ["won", "asked"], "format": "percent1", "good": "up"},
				"euros": {"label": "Euros", "format": "currency"}}}],
		"filters": ` + filters + `,
		"panels": [{"type": "table", "title": "Products", "columns": ["product", "won", "rate"], "compare": "previous_period", "total": true,
			"sort": "-won.change"},
			{"type": "table", "title": "All", "columns": ["product", {"column": "won", "sparkline": "day"}, "rate", "asked", "euros"],
			"compare": "previous_year"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	b := cube.NewBuilder([]cube.Column{
		{Name: "day", Type: cube.Date},
		{Name: "product", Type: cube.Text},
		{Name: "won", Type: cube.Integer},
		{Name: "asked", Type: cube.Integer},
		{Name: "euros", Type: cube.Number},
	})
	for d := day("2025-07-01"); d.Before(now); d = d.AddDate(0, 0, 1) {
		for k, product := range []string{"Subscription renewals", "New licences", "Training and workshops", "Support", "Hardware"} {
			won := int64(3 + (int(cube.DayOf(d))*(k+3))%(11+4*k) + d.Day()%(k+2) + int(d.Month())*k/3)
			if product == "Hardware" && d.Month() == 10 || product == "Support" && d.Month() == 9 {
				continue
			}
			if err := b.Add([]any{d, product, won, won + 20, float64(won) * 99.5}); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := b.Cube()
	if _, err := s.Check(map[string][]cube.Column{"deals": c.Columns()}); err != nil {
		t.Fatal(err)
	}
	return View{Spec: s, Cubes: map[string]*cube.Cube{"deals": c}, Now: now, Header: Header{AsOf: now}}
}

// TestCompareTableEverywhere: the page, its text, its picture, its PDF, its mail and its files have both periods of a table and the change,
// in languages from both sides, with a filter on the date and without.
func TestCompareTableEverywhere(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ locale, filters, filter, names string }{
		{"en-US", `[]`, "", "Oct 2026, Sep 2026, vs Sep 2026"},
		{"en-US", `[{"column": "day", "default": "this_quarter"}]`, "", "Oct 1 – Nov 19, Jul 1 – Aug 19, vs Jul 1 – Aug 19"},
		{"de-DE", `[{"column": "day"}]`, "last_quarter", "Q3 2026, Q2 2026, ggü. Q2 2026"},
		{"ar", `[]`, "", "أكتوبر 2026, سبتمبر 2026, مقارنةً بـسبتمبر 2026"},
	} {
		v := winsTable(t, tc.locale, tc.filters)
		if tc.filter != "" {
			v.Query = url.Values{"f.day": {tc.filter}}
		}
		doc := string(render(t, v))
		for name := range strings.SplitSeq(tc.names, ", ") {
			if !strings.Contains(doc, name) {
				t.Errorf("%s, %s: the page lacks %s", tc.locale, tc.filters, name)
			}
		}
		for i, columns := range []int{7, 13} {
			body, err := CSV(v, i)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(strings.NewReader(string(body))).ReadAll()
			if err != nil || len(rows) < 5 || len(rows[0]) != columns {
				t.Fatalf("%s, %s: the CSV is %s, %v", tc.locale, tc.filters, body, err)
			}
			f, sheet := workbookOf(t, v, i)
			cells, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
			if err != nil || len(cells) != len(rows) || len(cells[0]) != columns || fmt.Sprint(cells[1][:2]) != fmt.Sprint(rows[1][:2]) {
				t.Errorf("%s, %s: the workbook has %v, the CSV %v, %v", tc.locale, tc.filters, cells, rows, err)
			}
			text := Summaries(v)[i]
			if tc.locale == "en-US" && (!strings.Contains(text.Text, " from ") || !strings.Contains(text.Sketch, "vs ")) {
				t.Errorf("%s: the text is %s\n%s", tc.filters, text.Text, text.Sketch)
			}
		}
		if _, err := PNG(t.Context(), v, Shot{}); err != nil {
			t.Error(err)
		}
		if _, err := PDF(t.Context(), v); err != nil {
			t.Error(err)
		}
	}
}

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

// wins is a page of bars of products that are compared with an earlier period, in a language.
func wins(t *testing.T, locale string) View {
	t.Helper()
	s, err := dashboard.Parse([]byte(`{"title": "Wins", "locale": "` + locale + `", "timezone": "UTC",
		"datasets": [{"id": "deals", "sql": "SELECT day, product, sum(won) AS won FROM deals GROUP BY 1, 2"}],
		"filters": [{"column": "day", "default": "this_quarter"}],
		"panels": [
			{"type": "bar", "title": "Columns", "x": "product", "y": "won", "compare": "previous_period", "width": 6},
			{"type": "bar", "title": "Rows", "x": "product", "y": "won", "compare": "previous_year", "horizontal": true, "width": 6,
				"thresholds": [{"if": "<", "value": 700, "tone": "bad"}], "labels": true}
		]}`))
	if err != nil {
		t.Fatal(err)
	}
	b := cube.NewBuilder([]cube.Column{{Name: "day", Type: cube.Date}, {Name: "product", Type: cube.Text}, {Name: "won", Type: cube.Integer}})
	for d := day("2025-09-01"); d.Before(now); d = d.AddDate(0, 0, 1) {
		for k, product := range []string{"Subscription renewals", "New licences", "Training and workshops", "Support", "Hardware"} {
			if err := b.Add([]any{d, product, int64(3 + (int(cube.DayOf(d))*(k+3))%(11+4*k) + d.Day()%(k+2))}); err != nil {
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

// TestCompareCategoriesEverywhere: the page, its text, its picture, its PDF and its downloads have both periods of bars of products, in
// languages from both sides, and follow the filter.
func TestCompareCategoriesEverywhere(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		locale, filter, columns, rows string
	}{
		{"en-US", "", "Oct 1 – Nov 19, Jul 1 – Aug 19", "Oct 1, 2026 – Nov 19, 2026, Oct 1, 2025 – Nov 19, 2025"},
		{"en-US", "last_month", "Oct 2026, Sep 2026", "Oct 2026, Oct 2025"},
		{"de-DE", "last_quarter", "Q3 2026, Q2 2026", ""},
		{"ar", "last_month", "أكتوبر 2026, سبتمبر 2026", "أكتوبر 2026, أكتوبر 2025"},
	} {
		v := wins(t, tc.locale)
		if tc.filter != "" {
			v.Query = url.Values{"f.day": {tc.filter}}
		}
		doc := string(render(t, v))
		for i, legend := range []string{tc.columns, tc.rows} {
			if legend == "" { // the data begin within the earlier period
				continue
			}
			for name := range strings.SplitSeq(legend, ", ") {
				if !strings.Contains(doc, name) {
					t.Errorf("%s, %s: the page lacks %s", tc.locale, tc.filter, name)
				}
			}
			body, err := CSV(v, i)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(strings.NewReader(string(body))).ReadAll()
			if err != nil || len(rows) != 6 || len(rows[0]) < 4 {
				t.Fatalf("%s, %s: the CSV is %s, %v", tc.locale, tc.filter, body, err)
			}
			f, sheet := workbookOf(t, v, i)
			cells, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
			if err != nil || fmt.Sprint(cells[1]) != fmt.Sprint(rows[1]) {
				t.Errorf("%s, %s: the workbook has %v, the CSV %v, %v", tc.locale, tc.filter, cells, rows, err)
			}
			for _, row := range rows[1:] {
				for _, cell := range row[1:3] {
					if text := strings.ReplaceAll(cell, ",", ""); text == "" || text == "0" {
						t.Errorf("%s, %s: the row %v has no value", tc.locale, tc.filter, row)
					}
				}
			}
			text := Summaries(v)[i]
			if tc.locale == "en-US" && (!strings.Contains(text.Text, "Period before: ") || !strings.Contains(text.Sketch, "Support")) {
				t.Errorf("%s, %s: the text is %s\n%s", tc.locale, tc.filter, text.Text, text.Sketch)
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

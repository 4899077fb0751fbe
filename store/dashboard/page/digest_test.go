package page

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/export"
)

// TestDigest: a digest has the filters as they are set, the ones that no longer exist, the page's numbers with their comparisons, and the
// summary of each other panel, in the language of the page.
func TestDigest(t *testing.T) {
	t.Parallel()
	v := commerce(4000)
	v.Query = url.Values{
		"f.country": {"Germany", "France"}, "f.day": {"last_30_days"}, "f.region": {"EU"}, "f.shipped_at.from": {"2026-01-01"},
	}
	d := Digested(v)
	if diff := cmp.Diff([]string{"Region", "Shipped at"}, d.Ignored); diff != "" {
		t.Error(diff)
	}
	if len(d.Filters) != 2 || !slices.Contains(d.Filters, "Country: France, Germany") {
		t.Errorf("%q", d.Filters)
	}
	if d.Name != "Commerce performance" || !strings.HasPrefix(d.AsOf, "Data as of ") || d.Failing || len(d.Numbers) < 2 || len(d.Panels) < 3 {
		t.Fatalf("%+v", d)
	}
	compared := false
	for _, n := range d.Numbers {
		if n.Title == "" || n.Value == "" {
			t.Errorf("%+v", n)
		}
		compared = compared || strings.Contains(n.Change, "previous 29 days: ")
	}
	if !compared {
		t.Errorf("nothing is compared: %+v", d.Numbers)
	}
	for _, p := range d.Panels {
		if p.Title == "" || len(p.Lines) == 0 || p.Lines[0] == "" {
			t.Errorf("%+v", p)
		}
	}
	if len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "is not over") { // once, not for each number
		t.Errorf("%q", d.Notes)
	}
	whole := Digested(commerce(4000))
	if whole.Numbers[0].Value == d.Numbers[0].Value || len(whole.Filters) != 1 {
		t.Error("the filters change nothing")
	}

	german := commerce(400)
	german.Spec.Locale = "de-DE"
	german.Header.State = "failed"
	if d := Digested(german); !strings.HasPrefix(d.AsOf, "Daten") ||
		!d.Failing || !strings.HasPrefix(d.Locale.Lang, "de") {
		t.Errorf("%+v", d)
	} else if said := fmt.Sprint(d.Panels); strings.Contains(said, "first ") || !strings.Contains(said, "und 6 weitere") {
		t.Errorf("a table in English, or without its rows: %s", said)
	}
	if d := Digested(View{Header: Header{Name: "Notes"}}); d.Name != "Notes" || d.Locale == nil {
		t.Errorf("%+v", d)
	}
}

// TestNotesOfNumbers: a note that only some of the numbers of a digest have begins with their titles.
func TestNotesOfNumbers(t *testing.T) {
	t.Parallel()
	spec, err := dashboard.Parse([]byte(`{"datasets": [
		{"id": "a", "sql": "SELECT 1", "columns": {"n": {"agg": "sum"}}}, {"id": "b", "sql": "SELECT 1", "columns": {"n": {"agg": "sum"}}}
	], "panels": [
		{"type": "kpi", "data": "a", "value": "n", "title": "Orders"}, {"type": "kpi", "data": "b", "value": "n", "title": "Visits"},
		{"type": "kpi", "data": "b", "value": "n", "title": "Views"}
	], "filters": [{"column": "shop", "data": "a"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	b := cube.NewBuilder([]cube.Column{{Name: "shop", Type: cube.Text}, {Name: "n", Type: cube.Integer}})
	for _, row := range [][]any{{"x", int64(3)}, {"y", int64(4)}} {
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	rows := b.Cube()
	v := View{
		Spec: spec, Cubes: map[string]*cube.Cube{"a": rows, "b": rows}, Header: Header{AsOf: now}, Now: now, Query: url.Values{"f.shop": {"x"}},
	}
	if d := Digested(v); !slices.Equal(d.Notes, []string{"Visits, Views: Not filtered by Shop."}) {
		t.Errorf("%q of %+v", d.Notes, d.Numbers)
	}
	v.Spec.Panels = v.Spec.Panels[1:]
	if d := Digested(v); !slices.Equal(d.Notes, []string{"Not filtered by Shop."}) {
		t.Errorf("of all: %q", d.Notes)
	}
}

// TestWorkbook: a workbook of a page has a sheet for each panel with numbers, with the same rows as that panel's own workbook.
func TestWorkbook(t *testing.T) {
	t.Parallel()
	v := commerce(400)
	all, err := Workbook(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(bytes.NewReader(all))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sheets := f.GetSheetList()
	n := 0
	for i := range v.Spec.Panels {
		one, err := XLSX(v, i)
		if err != nil {
			continue
		}
		own, err := excelize.OpenReader(bytes.NewReader(one))
		if err != nil {
			t.Fatal(err)
		}
		want, err := own.GetRows(own.GetSheetName(0))
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.GetRows(sheets[n])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("panel %d:\n%s", i, diff)
		}
		own.Close()
		n++
	}
	if n < 3 || n != len(sheets) {
		t.Errorf("%d panels, sheets %q", n, sheets)
	}
	if _, err := Workbook(t.Context(), View{}); err != export.ErrNoPanel {
		t.Error(err)
	}
}

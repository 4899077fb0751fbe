package datafile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"service/store/warehouse"
)

// sheetsOf reads all sheets of a workbook, each as one text.
func sheetsOf(t *testing.T, data []byte, dates warehouse.Dates) (out []string, err error) {
	t.Helper()
	err = Read(XLSX, data, dates, func(s Sheet) error {
		text := fmt.Sprintf("%s %s", s.Name, s.State)
		if s.Reason != "" {
			text += ": " + s.Reason
		}
		if s.Table != nil {
			text += ": " + strings.ReplaceAll(show(s.Table), "T00:00:00", "")
		}
		out = append(out, text)
		return nil
	})
	return out, err
}

// TestSheets reads each sheet of a workbook by the rules of a file, and lists those without rows.
func TestSheets(t *testing.T) {
	t.Parallel()
	add := func(f *excelize.File, names ...string) {
		for _, name := range names {
			if _, err := f.NewSheet(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	data := workbook(t, func(f *excelize.File) {
		add(f, "Budget", "Actuals", "Secret", "Wide")
		rows(t, f, "Budget", []any{"Budget 2026"}, []any{nil}, []any{"month", "eur", "code"}, []any{"2026-01", 1.5, "007"})
		rows(t, f, "Actuals", []any{"day", "amount"}, []any{"1/2/2026", "$12.50"}, []any{"3/4/2026", "$7.25"}, []any{"Total", "$19.75"})
		rows(t, f, "Secret", []any{"x"}, []any{1})
		if err := f.SetSheetVisible("Secret", false); err != nil {
			t.Fatal(err)
		}
		if err := f.SetCellValue("Wide", "ZZ1", 1); err != nil {
			t.Fatal(err)
		}
		if err := f.AddChartSheet("Chart", &excelize.Chart{
			Type: excelize.Bar, Series: []excelize.ChartSeries{{Name: "a", Categories: "Budget!$A$4", Values: "Budget!$B$4"}},
		}); err != nil {
			t.Fatal(err)
		}
	})
	got, err := sheetsOf(t, data, warehouse.DatesAuto)
	want := []string{
		"Sheet1 empty",
		"Budget read: month date 2026-01-01; eur number 1.5; code text 007",
		"Actuals read: day date 2026-01-02 2026-03-04; amount number 12.5 7.25",
		"Secret hidden",
		"Wide unread: the sheet is wider than 500 columns",
		"Chart chart",
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestSheetsAreBounded lists only some of many sheets.
func TestSheetsAreBounded(t *testing.T) {
	t.Parallel()
	got, err := sheetsOf(t, workbook(t, func(f *excelize.File) {
		for i := range maxListed + 5 {
			name := fmt.Sprintf("s%d", i)
			if _, err := f.NewSheet(name); err != nil {
				t.Fatal(err)
			}
			rows(t, f, name, []any{"n"}, []any{i})
		}
	}), warehouse.DatesAuto)
	if err != nil || len(got) != maxListed {
		t.Fatalf("%d sheets, %v", len(got), err)
	}
	if got[MaxSheets] != "s29 read: n integer 29" || got[MaxSheets+1] != "s30 unread: only the first sheets of a workbook are read" {
		t.Errorf("%q, %q", got[MaxSheets], got[MaxSheets+1])
	}
}

// TestDates: a set order of day and month decides for columns that fit both orders, and for no others.
func TestDates(t *testing.T) {
	t.Parallel()
	const csv = "both,us,eu,iso\n1/2/2026,12/31/2025,31/12/2025,2026-02-01\n3/4/2026,1/2/2026,1/2/2026,2026-02-02\n"
	for dates, want := range map[warehouse.Dates]struct{ rows, note string }{
		warehouse.DatesAuto:  {"2026-01-02 2026-03-04", "another column of the file decides it"},
		warehouse.MonthFirst: {"2026-01-02 2026-03-04", "this one is set for the upload"},
		warehouse.DayFirst:   {"2026-02-01 2026-04-03", "this one is set for the upload"},
	} {
		var got *Table
		if err := Read(CSV, []byte(csv), dates, func(s Sheet) error { got = s.Table; return nil }); err != nil {
			t.Fatal(err)
		}
		shown := "both date " + want.rows + "; us date 2025-12-31 2026-01-02; eu date 2025-12-31 2026-02-01; iso date 2026-02-01 2026-02-02"
		if s := strings.ReplaceAll(show(got), "T00:00:00", ""); s != shown {
			t.Errorf("%q:\n got %s\nwant %s", dates, s, shown)
		}
		order := dates
		if order == warehouse.DatesAuto {
			order = warehouse.MonthFirst
		}
		if diff := cmp.Diff([]warehouse.DateColumn{{Column: "both", Order: order}}, got.Report.Dates); diff != "" {
			t.Errorf("%q: columns that fit both: -want +got\n%s", dates, diff)
		}
		notes := strings.Join(got.Report.Notes, "\n")
		if !strings.Contains(notes, `column "both": both orders of day and month fit; `+want.note) {
			t.Errorf("%q: notes %s", dates, notes)
		}
	}
	// The order holds for every sheet.
	got, err := sheetsOf(t, workbook(t, func(f *excelize.File) {
		rows(t, f, "Sheet1", []any{"n"}, []any{1})
		if _, err := f.NewSheet("Days"); err != nil {
			t.Fatal(err)
		}
		rows(t, f, "Days", []any{"day"}, []any{"1/2/2026"})
	}), warehouse.DayFirst)
	if want := []string{"Sheet1 read: n integer 1", "Days read: day date 2026-02-01"}; err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("%q, %v", got, err)
	}
}

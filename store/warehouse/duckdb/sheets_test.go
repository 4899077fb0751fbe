package duckdb_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/xuri/excelize/v2"

	"service/store/warehouse"
)

// TestIngestWorkbook reads all sheets of a workbook, and queries each.
func TestIngestWorkbook(t *testing.T) {
	t.Parallel()
	f := excelize.NewFile()
	defer f.Close()
	for name, rows := range map[string][][]any{
		"Budget":  {{"month", "eur"}, {"2026-01", 100}, {"2026-02", 200}},
		"Actuals": {{"day", "eur", "who"}, {"1/2/2026", 12.5, "a"}},
	} {
		if _, err := f.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			if err := f.SetSheetRow(name, fmt.Sprintf("A%d", i+1), &rows[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	e := newEngine(t)
	in, err := e.Ingest(t.Context(), warehouse.Tenant{Workspace: uuid.Nil}, warehouse.DataFile{
		Name: "plan.xlsx", Data: b.Bytes(), Dates: warehouse.DayFirst,
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range in.Sheets {
		text := string(s.State)
		if s.State == warehouse.SheetRead {
			text = describe(&warehouse.Ingested{Rowset: s.Rowset})
			table := e.Open(warehouse.Tenant{Workspace: uuid.New()}, "u", upload(s.Parquet))
			answer, _, err := ask(t.Context(), table, "SELECT sum(eur) FROM upload")
			if err != nil {
				t.Fatal(err)
			}
			text += fmt.Sprintf(": %d rows, %v, %d shown, dates %v", s.Rows, answer.rows[0][0], len(s.Preview), s.Report.Dates)
		}
		got[s.Name] = text
	}
	want := map[string]string{
		"Sheet1":  "empty",
		"Budget":  "month date, eur integer: 2 rows, 300, 2 shown, dates []",
		"Actuals": "day date, eur number, who text: 1 rows, 12.5, 1 shown, dates [{day day_first}]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	first := in.Sheets[1]
	if !bytes.Equal(in.Parquet, first.Parquet) || in.Rows != first.Rows || !strings.Contains(strings.Join(in.Report.Notes, " "), first.Name) {
		t.Errorf("the file's table has %d rows, that of %s %d; %v", in.Rows, first.Name, first.Rows, in.Report.Notes)
	}
}

package worker

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/duckdb/wire"
)

// temporal are the engine's types of days and moments, and expressions of each that no dashboard can show: both infinities
// and years outside 1 to 9999, as far as the type has them.
var temporal = map[string][]string{
	"DATE":                     {"'infinity'", "'-infinity'", "'10000-01-01'", "'12024-02-29'", "'0001-01-01 (BC)'"},
	"TIMESTAMP":                {"'infinity'", "'-infinity'", "'10000-01-01 00:00:00'", "'0001-12-31 (BC) 23:59:59'"},
	"TIMESTAMP WITH TIME ZONE": {"'infinity'", "'-infinity'", "'10000-01-01 00:00:00+00'", "'0001-12-31 (BC) 23:59:59+00'"},
	"TIMESTAMP_S":              {"'infinity'", "'-infinity'", "'10000-01-01 00:00:00'", "'0001-12-31 (BC) 23:59:59'"},
	"TIMESTAMP_MS":             {"'infinity'", "'-infinity'", "'10000-01-01 00:00:00'", "'0001-12-31 (BC) 23:59:59'"},
	"TIMESTAMP_NS":             {"'infinity'", "'-infinity'"}, // which ends in 2262
}

// TestTimesThatCannotBeShownAreLost reads each of them by a query and from a Parquet file: they are counted as lost, and times next to them
// in the range are kept. A value that is NULL in the source is not lost.
func TestTimesThatCannotBeShownAreLost(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "upload.parquet")
	db, err := openDatabase(t.Context(), 512, 1, "Pacific/Chatham", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.close)
	for kind, lost := range temporal {
		good := []string{"'2024-02-29'", "'1900-01-01'", "'2200-12-31'", "NULL"}
		list := fmt.Sprintf("(VALUES (%s::%s)) t(v)", strings.Join(append(good, lost...), "::"+kind+"), ("), kind)
		q, err := db.prepare("SELECT v FROM "+list, nil)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		var out bytes.Buffer
		if _, err := q.run(100, wire.MaxFrame, &out); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		rows := rowsOf(t, &out)
		for i, row := range rows {
			if want := i >= len(good); cube.IsLost(cube.Timestamp, row[0]) != want {
				t.Errorf("%s: value %d is %v, lost: want %t", kind, i, row[0], want)
			}
		}
		if len(rows) != len(good)+len(lost) {
			t.Errorf("%s: %d rows of %d", kind, len(rows), len(good)+len(lost))
		}

		if kind == "TIMESTAMP_S" || kind == "TIMESTAMP_MS" { // whose infinities the engine cannot write to, or read from, Parquet
			list = strings.NewReplacer("('infinity'::"+kind+"), ", "", "('-infinity'::"+kind+"), ", "").Replace(list)
			lost = lost[2:]
		}
		if err := db.exec("COPY (SELECT v FROM " + list + ") TO " + literal(path) + " (FORMAT parquet, USE_TMP_FILE false)"); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if err := db.exec("DROP TABLE IF EXISTS " + ingestTable); err != nil {
			t.Fatal(err)
		}
		got, err := db.adopt(path)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		want := warehouse.BadCells{Column: "v", Count: len(lost), FirstRow: len(good) + 1}
		if len(got.Report.Cells) != 1 || got.Report.Cells[0] != want {
			t.Errorf("%s in a Parquet file: %v, want %v", kind, got.Report.Cells, want)
		}
	}
}

// rowsOf are the rows that a query has sent.
func rowsOf(t *testing.T, sent *bytes.Buffer) [][]any {
	t.Helper()
	var cols []cube.Column
	var out [][]any
	for sent.Len() > 0 {
		kind, payload, err := wire.Read(sent, wire.MaxFrame)
		if err != nil {
			t.Fatal(err)
		}
		if kind == wire.Columns {
			if cols, err = wire.DecodeColumns(payload); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for len(payload) > 0 {
			var row []any
			if row, payload, err = wire.DecodeRow(payload, cols); err != nil {
				t.Fatal(err)
			}
			out = append(out, row)
		}
	}
	return out
}

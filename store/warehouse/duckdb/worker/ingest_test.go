package worker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/store/warehouse"
	"service/store/warehouse/duckdb/datafile"
)

// TestAdoptTellsWhatItChanges reads a Parquet file of values that a dashboard cannot hold as they are: each column has one note, and an
// infinity or a year beyond 9999 is NULL and counted.
func TestAdoptTellsWhatItChanges(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "upload.parquet")
	db, err := openDatabase(t.Context(), 256, 1, "", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.close)
	if err := db.exec(`COPY (SELECT * FROM (VALUES
		(1, DATE '2024-02-29', TIMESTAMP '2024-02-29 12:00:00', TIMESTAMP_NS '2024-02-29 12:00:00.123456', 0.5::DOUBLE,
			[1], {'a': 1}, 'x'::BLOB, TIME '10:00:00', 'y', TIMESTAMP_NS '2024-02-29 12:00:00'),
		(2, 'infinity', '-infinity', TIMESTAMP_NS '2024-02-29 12:00:00.123456789', 'NaN', [2], NULL, NULL, NULL, NULL, NULL),
		(3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
		(4, DATE '20000-01-01', TIMESTAMP '9999-12-31 23:59:59.999999', NULL, 'infinity', NULL, NULL, NULL, NULL, NULL, NULL)
		) t("#1", day, ts, ns, n, list, struct, blob, time, word, whole)) TO ` + literal(path) +
		" (FORMAT parquet, USE_TMP_FILE false)"); err != nil {
		t.Fatal(err)
	}
	got, err := db.adopt(path)
	if err != nil {
		t.Fatal(err)
	}
	want := warehouse.Report{
		Notes: []string{
			`column "ns": seconds are cut to microseconds, the first in row 2`,
			`column "list": arrays and objects are kept as JSON text`,
			`column "struct": arrays and objects are kept as JSON text`,
			`column "blob": values of type BLOB are kept as text`,
			`column "time": values of type TIME are kept as text`,
		},
		Cells: []warehouse.BadCells{
			{Column: "day", Count: 2, FirstRow: 2}, {Column: "ts", Count: 1, FirstRow: 2}, {Column: "n", Count: 2, FirstRow: 2},
		},
	}
	if diff := cmp.Diff(want, got.Report); diff != "" || got.Rows != 4 {
		t.Errorf("%d rows\n%s", got.Rows, diff)
	}
	nulls, err := db.all("SELECT count(day), count(ts), count(ns), count(n) FROM " + ingestTable)
	if err != nil || cmp.Diff([]any{int64(1), int64(2), int64(2), int64(1)}, []any{nulls[0][0], nulls[0][1], nulls[0][2], nulls[0][3]}) != "" {
		t.Errorf("kept %v, %v", nulls, err)
	}
}

// TestAdoptTellsWhatTheEngineChanges: the engine cuts nanoseconds of times in UTC and of INT96 before we see them, and renames columns.
func TestAdoptTellsWhatTheEngineChanges(t *testing.T) {
	t.Parallel()
	for file, want := range map[string][]string{
		"nanoseconds": {
			`column "ntz": seconds are cut to microseconds, the first in row 1`,
			`column "tz": times are kept in microseconds; nanoseconds, if there are any, are cut`,
			`column "int96": times are kept in microseconds; nanoseconds, if there are any, are cut`,
		},
		"names": {
			`column 2: the name "a" is used twice; this one is now "a_1"`,
			`column 3: the name "A" is used twice; this one is now "A_2"`,
			`column 4 has no name; it is now "C3"`,
		},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", file+".parquet"))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "upload.parquet")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := openDatabase(t.Context(), 256, 1, "", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.close)
		got, err := db.adopt(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Report.Notes); diff != "" {
			t.Errorf("%s\n%s", file, diff)
		}
	}
}

// TestAdoptRefusesWideFiles shows that the width of a Parquet file is known before
// the engine describes its columns.
func TestAdoptRefusesWideFiles(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"SELECT " + strings.Repeat("1 AS c%[1]d, ", 501) + "2 AS last": "the file has 502 columns; at most 500 are possible",
		"SELECT {" + strings.Repeat("c%[1]d: 1, ", 5000) + "last: 2}":  "the columns of the file have 5003 fields; at most 5000 are possible",
	} {
		for n := 0; strings.Contains(sql, "%[1]d"); n++ {
			sql = strings.Replace(sql, "%[1]d", strconv.Itoa(n), 1)
		}
		path := filepath.Join(t.TempDir(), "upload.parquet")
		db, err := openDatabase(t.Context(), 1024, 1, "", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.close)
		if err := db.exec("COPY (" + sql + ") TO " + literal(path) + " (FORMAT parquet, USE_TMP_FILE false)"); err != nil {
			t.Fatal(err)
		}
		_, err = db.adopt(path)
		if e, ok := errors.AsType[*warehouse.Error](err); !ok || e.Class != warehouse.TooLarge || e.Message != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestCheckOfOwnParquet: files that DuckDB writes, in all their forms, pass the check of their metadata.
func TestCheckOfOwnParquet(t *testing.T) {
	t.Parallel()
	wide := "SELECT "
	for n := range 300 {
		wide += fmt.Sprintf("i %% %d AS a%d, ", n+2, n)
	}
	mixed := "SELECT i, 'name ' || (i % 7) AS few, md5(i::text) AS many, i / 7.0 AS f, i::decimal(18, 3) AS d, NULL::int AS none, " +
		"[i, i + 1] AS l, {a: i, b: [{c: 'x' || i}]} AS s, MAP {'k': i} AS m, DATE '2026-01-01' + (i % 400)::int AS day, " +
		"'\\xAA'::blob AS b, i % 3 = 0 AS t, '' AS e"
	for _, try := range []struct{ sql, options string }{
		{wide + "i FROM range(5000) t(i)", "ROW_GROUP_SIZE 2048"},
		{mixed + " FROM range(10000) t(i)", "ROW_GROUP_SIZE 2048"},
		{mixed + " FROM range(10000) t(i)", "COMPRESSION zstd, PARQUET_VERSION v2"},
		{mixed + " FROM range(10000) t(i)", "COMPRESSION gzip, DICTIONARY_SIZE_LIMIT 1"},
		{mixed + " FROM range(10000) t(i)", "COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 100000"},
		{mixed + " FROM range(0) t(i)", "COMPRESSION lz4_raw"},
		{"SELECT repeat('x', 3000000) || i AS long FROM range(20) t(i)", "COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 1"},
	} {
		path := filepath.Join(t.TempDir(), "upload.parquet")
		db, err := openDatabase(t.Context(), 1024, 1, "", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.close)
		options := " (FORMAT parquet, USE_TMP_FILE false, " + try.options + ")"
		if err := db.exec("COPY (" + try.sql + ") TO " + literal(path) + options); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := datafile.CheckParquet(data); err != nil {
			t.Errorf("%.60s … (%s), %d bytes: %v", try.sql, try.options, len(data), err)
		}
	}
}

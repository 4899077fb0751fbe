package datafile_test

import (
	"compress/gzip"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/google/uuid"

	"service/store/warehouse"
	"service/store/warehouse/duckdb"
	"service/store/warehouse/duckdb/worker"
)

func TestMain(m *testing.M) {
	worker.Dispatch()
	os.Exit(m.Run())
}

// TestParquetOfOthers adopts what other programs than ours write.
func TestParquetOfOthers(t *testing.T) {
	t.Parallel()
	e, err := duckdb.New(duckdb.Config{Argv: []string{os.Args[0], worker.Command}, Log: slog.New(slog.DiscardHandler), Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	noon := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	for file, want := range map[string][][]any{
		"foreign.parquet": {
			{noon, noon, "Berlin", 19.99, `[{"k":"a","n":0}]`},
			{noon.Add(time.Hour), noon.Add(time.Hour), "Köln", 20.0, `[{"k":"a","n":1}]`},
			{nil, nil, nil, nil, nil},
		},
		"norows.parquet": nil,
	} {
		f, err := os.Open("testdata/" + file + ".gz")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		in, err := e.Ingest(t.Context(), warehouse.Tenant{Workspace: uuid.Nil}, warehouse.DataFile{Name: file, Data: data})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		var columns []string
		for _, c := range in.Columns {
			columns = append(columns, c.Name+" "+string(c.Type))
		}
		if got := strings.Join(columns, ", "); got != "old timestamp, zoned timestamp, city text, price number, tags text" {
			t.Errorf("%s: columns %s", file, got)
		}
		if diff := cmp.Diff(want, in.Preview); diff != "" || in.Rows != len(want) {
			t.Errorf("%s: %d rows: -want +got\n%s", file, in.Rows, diff)
		}
	}
}

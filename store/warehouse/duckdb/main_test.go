package duckdb_test

import (
	"log/slog"
	"os"
	"testing"

	"service/store/warehouse/duckdb"
	"service/store/warehouse/duckdb/worker"
)

func TestMain(m *testing.M) {
	worker.Dispatch()
	if len(os.Args) == 3 && os.Args[1] == "server-that-dies" {
		serverThatDies(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

var silent = slog.New(slog.DiscardHandler)

// newEngine starts an engine whose workers are this test binary.
func newEngine(t testing.TB, change ...func(*duckdb.Config)) *duckdb.Engine {
	t.Helper()
	cfg := duckdb.Config{
		Argv: []string{os.Args[0], worker.Command},
		Log:  silent,
		Dir:  t.TempDir(),
	}
	for _, f := range change {
		f(&cfg)
	}
	e, err := duckdb.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

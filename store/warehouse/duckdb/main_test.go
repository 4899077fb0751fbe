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
	os.Exit(m.Run())
}

// newEngine starts an engine whose workers are this test binary.
func newEngine(t testing.TB, change ...func(*duckdb.Config)) *duckdb.Engine {
	t.Helper()
	cfg := duckdb.Config{
		Argv: []string{os.Args[0], worker.Command},
		Log:  slog.New(slog.DiscardHandler),
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

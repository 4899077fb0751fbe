package linked_test

import (
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"service/store/warehouse"
	"service/store/warehouse/duckdb"
	"service/store/warehouse/duckdb/worker"
	"service/store/warehouse/linked"
)

// TestMain lets the binary be a query worker, and trusts the certificate of httptest, so that redirects to other hosts can be followed.
func TestMain(m *testing.M) {
	worker.Dispatch()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	dir, err := os.MkdirTemp("", "linked-")
	if err != nil {
		panic(err)
	}
	file := filepath.Join(dir, "cert.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		panic(err)
	}
	server.Close()
	os.Setenv("SSL_CERT_FILE", file)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func newEngine(t testing.TB, change ...func(*duckdb.Config)) *duckdb.Engine {
	t.Helper()
	cfg := duckdb.Config{Argv: []string{os.Args[0], worker.Command}, Log: slog.New(slog.DiscardHandler), Dir: t.TempDir()}
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

// newFiles returns Files that fetch at most most bytes, 0 for the default.
func newFiles(t testing.TB, most int64) *linked.Files {
	t.Helper()
	if most == 0 {
		most = linked.DefaultMost
	}
	f := linked.New(newEngine(t), warehouse.Dialer{AllowPrivate: true}, most)
	t.Cleanup(func() { f.Close() })
	return f
}

var workspace = uuid.New()

// open opens a target for one workspace.
func open(t testing.TB, f *linked.Files, target warehouse.Target) warehouse.Connector {
	t.Helper()
	c, err := f.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	return c.(warehouse.Tenanted).For(warehouse.Tenant{Workspace: workspace})
}

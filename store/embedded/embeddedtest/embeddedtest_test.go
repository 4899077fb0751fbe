package embeddedtest

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"service/store/embedded"
)

// folder returns a folder that the server's account can enter, which t.TempDir is not if we are root.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "service-stored-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// exec runs SQL on a server.
func exec(ctx context.Context, dsn, sql string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

// counted is a kind whose clusters have a table, and the number of those that were filled.
func counted() (Kind, *atomic.Int64) {
	var filled atomic.Int64
	return Kind{Name: "counted", Fill: func(ctx context.Context, dsn string) error {
		filled.Add(1)
		return exec(ctx, dsn, `CREATE TABLE kept AS SELECT 'kept' AS word`)
	}}, &filled
}

// answers starts a server in dir and fails the test unless it has the table of counted.
func answers(t *testing.T, dir string) {
	t.Helper()
	s, err := embedded.Start(t.Context(), embedded.Config{Dir: dir, Ephemeral: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Error(err)
		return
	}
	if err := errors.Join(exec(t.Context(), s.DSN, `INSERT INTO kept VALUES ('more')`), s.Stop()); err != nil {
		t.Error(err)
	}
}

// entries returns the names of what a cache holds.
func entries(t *testing.T, cache string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(cache)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.Name() != "lock" {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestClusterIsMadeOnce: of four that begin at once, one makes the cluster, though an earlier one was killed while it stored its own.
func TestClusterIsMadeOnce(t *testing.T) {
	t.Parallel()
	cache := filepath.Join(t.TempDir(), "new", "cache")
	kind, filled := counted()
	killed := filepath.Join(cache, "counted-0123.tmp", "data-15")
	if err := os.MkdirAll(killed, 0o700); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		dir := filepath.Join(folder(t), "state")
		all.Go(func() {
			if err := kind.prepare(t.Context(), cache, dir); err != nil {
				t.Error(err)
				return
			}
			answers(t, dir)
		})
	}
	all.Wait()
	if n, stored := filled.Load(), entries(t, cache); n != 1 || len(stored) != 1 || !strings.HasPrefix(stored[0], "counted-") ||
		strings.HasSuffix(stored[0], ".tmp") {
		t.Errorf("%d clusters were filled, and %v are stored", n, stored)
	}
}

// TestClusterWithoutCache: where nothing can be stored, the folder stays empty, so that the server makes its own cluster.
func TestClusterWithoutCache(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	kind, filled := counted()
	dir := folder(t)
	for _, cache := range []string{"", filepath.Join(file, "cache")} {
		if err := kind.prepare(t.Context(), cache, dir); err != nil {
			t.Error(err)
		}
	}
	if n, files := filled.Load(), entries(t, dir); n != 0 || len(files) != 0 {
		t.Errorf("%d clusters were filled, and the folder holds %v", n, files)
	}
}

// TestFailureStoresNothing: what could not be filled is made again.
func TestFailureStoresNothing(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	kind, _ := counted()
	broken := kind
	failure := errors.New("it failed")
	broken.Fill = func(context.Context, string) error { return failure }
	if err := broken.prepare(t.Context(), cache, folder(t)); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
	if stored := entries(t, cache); len(stored) > 0 {
		t.Errorf("%v are stored", stored)
	}
	dir := folder(t)
	if err := kind.prepare(t.Context(), cache, dir); err != nil {
		t.Fatal(err)
	}
	answers(t, dir)
}

// TestOldClustersAreRemoved: of a kind, the two that were used last are kept.
func TestOldClustersAreRemoved(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	old := []string{"counted-1", "counted-2", "counted-3", "other-1", "other-2"}
	for i, name := range old {
		at := time.Now().Add(-time.Duration(i+1) * time.Hour)
		if err := errors.Join(os.Mkdir(filepath.Join(cache, name), 0o700), os.Chtimes(filepath.Join(cache, name), at, at)); err != nil {
			t.Fatal(err)
		}
	}
	kind, filled := counted()
	for range 2 {
		if err := kind.prepare(t.Context(), cache, folder(t)); err != nil {
			t.Fatal(err)
		}
	}
	kind.Key = "another"
	if err := kind.prepare(t.Context(), cache, folder(t)); err != nil {
		t.Fatal(err)
	}
	stored := entries(t, cache)
	ours := slices.DeleteFunc(slices.Clone(stored), func(name string) bool { return slices.Contains(old, name) })
	if filled.Load() != 2 || len(ours) != 2 || len(stored) != 4 {
		t.Errorf("%d clusters were filled, and %v are stored", filled.Load(), stored)
	}
}

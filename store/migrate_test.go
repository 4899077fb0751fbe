package store_test

import (
	"context"
	"errors"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/store"
	"service/store/migrations"
	"service/store/storetest"
)

func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	return store.Migrate(ctx, pool, slog.New(slog.DiscardHandler))
}

func TestMigrateFromNothing(t *testing.T) {
	t.Parallel()
	pool := storetest.Empty(t)
	before, err := store.Migrations(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	if err := migrate(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	after, err := store.Migrations(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	if len(before) == 0 || len(after) != len(before) {
		t.Fatalf("%d migrations before, %d after", len(before), len(after))
	}
	for i := range before {
		if !before[i].AppliedAt.IsZero() {
			t.Errorf("%s is applied before anything was", before[i].Name)
		}
		if after[i].AppliedAt.IsZero() {
			t.Errorf("%s is not applied", after[i].Name)
		}
	}
	if _, err := pool.Exec(t.Context(), `SELECT FROM dashboard, message`); err != nil {
		t.Error(err)
	}
}

func TestMigrateReplicasAtOnce(t *testing.T) {
	t.Parallel()
	pool := storetest.Empty(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := migrate(t.Context(), pool); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var n int
	if err := pool.QueryRow(t.Context(), `SELECT count(*) FROM goose_db_version WHERE version_id > 0`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	known, err := store.Migrations(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	if n != len(known) {
		t.Errorf("%d migrations recorded, %d exist", n, len(known))
	}
}

// The timeouts that are right for queries would end a long step, and the wait
// of the other replicas.
func TestMigrateIgnoresTheTimeoutsOfThePool(t *testing.T) {
	t.Parallel()
	cfg := storetest.Empty(t).Config()
	cfg.ConnConfig.RuntimeParams["statement_timeout"] = "1" // ms
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.Exec(t.Context(), `SELECT pg_sleep(1)`); err == nil {
		t.Fatal("the timeout has no effect, so this test would prove nothing")
	}
	if err := migrate(t.Context(), pool); err != nil {
		t.Error(err)
	}
}

// TestMigrateAgainIsQuick: with nothing to do, a migration sends a few statements, however many migrations there are.
func TestMigrateAgainIsQuick(t *testing.T) {
	t.Parallel()
	cfg := storetest.Pool(t).Config()
	var sent statements
	cfg.ConnConfig.Tracer = &sent
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if err := migrate(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	if len(sent.all) == 0 || len(sent.all) > 10 {
		t.Errorf("with nothing to do, these are sent: %s", strings.Join(sent.all, "; "))
	}
}

// statements is a tracer that notes the statements of one connection at a time.
type statements struct{ all []string }

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	s.all = append(s.all, data.SQL)
	return ctx
}

func (*statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func TestMigrateRefusesANewerDatabase(t *testing.T) {
	t.Parallel()
	pool := storetest.Pool(t)
	if _, err := pool.Exec(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)`); err != nil {
		t.Fatal(err)
	}
	if err := migrate(t.Context(), pool); !errors.Is(err, store.ErrSchemaNewer) || !strings.Contains(err.Error(), "9999") {
		t.Errorf("got %v, want ErrSchemaNewer naming version 9999", err)
	}
}

func TestMigrationsAreNumberedWithoutGaps(t *testing.T) {
	t.Parallel()
	files, err := migrations.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`^(\d{4})_[a-z0-9_]+\.sql$`)
	for i, file := range files {
		m := form.FindStringSubmatch(file.Name())
		if m == nil || strings.TrimLeft(m[1], "0") != strconv.Itoa(i+1) {
			t.Errorf("file %d is called %s", i+1, file.Name())
		}
	}
}

package storetest

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/store"
	"service/store/dashboard"
)

// shared is the server of this test binary. It is the only variable of the package: tests cannot pass it to each other in another way.
var shared struct {
	once sync.Once
	*cluster
	err error
}

// Main runs the tests, then stops the server and calls stops. Call it from TestMain; it does not return.
func Main(m *testing.M, stops ...func() error) {
	code := m.Run()
	if shared.cluster != nil {
		stops = append(stops, shared.stop)
	}
	for _, stop := range stops {
		if err := stop(); err != nil {
			fmt.Fprintln(os.Stderr, "storetest: after the tests:", err)
			code = cmp.Or(code, 1)
		}
	}
	os.Exit(code)
}

// New returns a store on a migrated database of this test alone, and its pool. Both are closed when the test ends. opts change the store's
// options: clock, engine, budget.
func New(t testing.TB, opts ...func(*store.Options)) (*store.Store, *pgxpool.Pool) {
	t.Helper()
	pool := Pool(t)
	opt := store.Options{Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))}
	for _, o := range opts {
		o(&opt)
	}
	s, err := store.New(pool, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s, pool
}

// Pool returns a pool on a migrated database of this test alone.
func Pool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	c := running(t)
	return open(t, c, c.clone(t))
}

// Empty returns a pool on a database without any table: for tests of the
// migrations themselves.
func Empty(t testing.TB) *pgxpool.Pool {
	t.Helper()
	c := running(t)
	return open(t, c, c.create(t, "template0"))
}

func running(t testing.TB) *cluster {
	t.Helper()
	shared.once.Do(func() { shared.cluster, shared.err = boot(context.Background()) })
	if shared.err != nil {
		t.Fatalf("storetest: %v", shared.err)
	}
	return shared.cluster
}

// open connects to the database name and drops it when the test ends.
func open(t testing.TB, c *cluster, name string) *pgxpool.Pool {
	t.Helper()
	cfg := c.config(name)
	cfg.MaxConns = 8
	cfg.AfterConnect = store.Types
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	// The first connection to a new database takes many times longer than others. On a busy machine that exceeded the time that a store waits
	// for a connection.
	if err := pool.Ping(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		pool.Close()
		if err := c.drop(name); err != nil {
			t.Errorf("storetest: %v", err)
		}
	})
	return pool
}

// Spec parses content for a publication, as the tools do. For content that is not a valid spec, such as {} in tests that need only
// some version, it returns an empty spec.
func Spec(content []byte) *dashboard.Spec {
	spec, err := dashboard.Parse(content)
	if err != nil {
		return &dashboard.Spec{}
	}
	return spec
}

var serial atomic.Int64

// create makes a database from a template without connections.
func (c *cluster) create(t testing.TB, template string) string {
	t.Helper()
	name := fmt.Sprintf("test_%d_%d_%d", os.Getpid(), c.started.UnixMilli(), serial.Add(1))
	sql := "CREATE DATABASE " + pgx.Identifier{name}.Sanitize() + " TEMPLATE " + pgx.Identifier{template}.Sanitize()
	if c.fileCopy {
		sql += " STRATEGY file_copy" // half the time: nothing is written to the log
	}
	if err := c.exec(sql); err != nil {
		t.Fatalf("storetest: %v", err)
	}
	return name
}

func (c *cluster) clone(t testing.TB) string {
	t.Helper()
	return c.create(t, c.template)
}

func (c *cluster) drop(name string) error {
	return c.exec("DROP DATABASE IF EXISTS " + pgx.Identifier{name}.Sanitize() + " WITH (FORCE)")
}

// exec runs one statement on the server's own database.
func (c *cluster) exec(sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err := c.admin.Exec(ctx, sql)
	return err
}

// Flood queues refreshes of copies of a version until n of its workspace are queued, in addition to the one queued refresh of the version
// itself.
func Flood(t testing.TB, pool *pgxpool.Pool, version uuid.UUID, n int) {
	t.Helper()
	for _, sql := range []string{
		`INSERT INTO version SELECT (jsonb_populate_record(v, jsonb_build_object('id', gen_random_uuid()))).*
		   FROM version v, generate_series(2, $2) WHERE v.id = $1`,
		`INSERT INTO refresh_run SELECT (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), 'version_id', v.id))).*
		   FROM version v, refresh_run r WHERE r.version_id = $1 AND v.id <> $1 AND $2 > 0`,
	} {
		if _, err := pool.Exec(t.Context(), sql, version, n); err != nil {
			t.Fatal(err)
		}
	}
}

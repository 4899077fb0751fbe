package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"service/store"
	"service/store/embedded"
	"service/store/tracing"
	"service/store/view"
	"service/store/warehouse"
	"service/store/warehouse/duckdb"
	"service/store/warehouse/duckdb/worker"
	"service/store/warehouse/linked"
)

// A core is what every subcommand that uses data needs: the database with the program's
// schema, and the store.
type core struct {
	config   *config
	log      *slog.Logger
	pool     *pgxpool.Pool
	store    *store.Store
	views    *view.Renderer
	engine   *duckdb.Engine
	embedded *embedded.Server       // nil: DATABASE_URL is used
	free     func() (uint64, error) // bytes on the embedded database's disk; nil if embedded is
	traces   *tracing.Tracer        // nil: no tracing
	dir      string                 // the data directory
	seals    bool                   // query workers have all layers of the sandbox
	closes   []func() error         // in the order of opening

	schema func(context.Context, *pgxpool.Pool, *slog.Logger) error // migrates the database to the program's schema, or checks its schema

	existing bool // as in prepareDataDir
}

// openMigrating is [open] for the subcommands that serve, which migrate the database.
func openMigrating(ctx context.Context, c *config, log *slog.Logger, t *tracing.Tracer, watch ...func(*store.Options)) (*core, error) {
	return opened(ctx, &core{config: c, log: log, traces: t, schema: store.Migrate}, watch)
}

// open opens the core, traced by t. It returns an error if there is no database, or if it is not at the program's
// schema. watch adds callbacks to the store's options.
func open(ctx context.Context, c *config, log *slog.Logger, t *tracing.Tracer, watch ...func(*store.Options)) (*core, error) {
	return opened(ctx, &core{config: c, log: log, traces: t, schema: atSchema, existing: true}, watch)
}

func opened(ctx context.Context, k *core, watch []func(*store.Options)) (*core, error) {
	if err := k.open(ctx, watch); err != nil {
		return nil, errors.Join(err, k.close())
	}
	return k, nil
}

// open opens one part after the other. If it fails, closes has those that are open.
func (k *core) open(ctx context.Context, watch []func(*store.Options)) error {
	c, log := k.config, k.log
	dir, err := prepareDataDir(c, k.existing, log)
	if err != nil {
		return err
	}
	k.dir = dir
	if err := k.openDatabase(ctx, dir); err != nil {
		return err
	}
	if err := k.schema(ctx, k.pool, log); err != nil {
		return err
	}
	key, err := secretKey(c, dir)
	if err != nil {
		return err
	}
	if key, err = keyText(key); err != nil {
		return err
	}
	keys, err := store.ParseKeys(key)
	if err != nil {
		return err
	}
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	engine, err := duckdb.New(duckdb.Config{
		Argv: []string{executable, worker.Command},
		Dir:  filepath.Join(dir, "scratch"),
		Log:  log,

		Sealed: c.RequireSandbox,
	})
	if err != nil {
		return err
	}
	k.engine = engine
	k.closes = append(k.closes, engine.Close)
	files := linked.New(engine, warehouse.Dialer{AllowPrivate: c.AllowPrivateWarehouses}, int64(c.LinkedMax))
	k.closes = append(k.closes, files.Close)
	options := store.Options{
		Log:            log,
		Engine:         engine,
		DefaultPlan:    c.DefaultPlan,
		Creators:       store.Creators(c.Creators),
		Quotas:         map[string]int{"free": int(c.StorageFree), "paid": int(c.StoragePaid)},
		RefreshBudget:  c.RefreshBudget,
		AuditRetention: time.Duration(c.AuditRetention),
		MinSchedule:    c.MinSchedule,
		Bin:            c.bin(),
		Keys:           keys,
		Warehouses:     warehouses(c, executable, files),
		Traces:         k.traces,
	}
	for _, add := range watch {
		add(&options)
	}
	if k.store, err = store.New(k.pool, options); err == nil {
		k.views = view.New(view.Config{Store: k.store, URL: c.dashboardURL, App: c.inAppURL, Log: k.log})
	}
	return err
}

// openDatabase opens the pool without a check of the schema.
func (k *core) openDatabase(ctx context.Context, dir string) error {
	pool, embedded, err := openDatabase(ctx, k.config, dir, k.log, k.traces)
	if err != nil {
		return err
	}
	k.pool, k.embedded = pool, embedded
	if embedded != nil {
		k.free = embedded.Free
		k.closes = append(k.closes, embedded.Stop)
	}
	k.closes = append(k.closes, func() error { closePool(pool); return nil })
	return nil
}

// closePool closes a pool. It waits for connections in use for at most a second: a statement that a database does not end is lost
// anyway.
func closePool(pool *pgxpool.Pool) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		pool.Close()
	}()
	select {
	case <-closed:
	case <-time.After(time.Second):
	}
}

// close closes everything in the reverse order of opening.
func (k *core) close() error {
	var errs []error
	for _, f := range slices.Backward(k.closes) {
		errs = append(errs, f())
	}
	k.closes = nil
	return errors.Join(errs...)
}

package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"service/store/migrations"
)

// MigrationLock is the advisory lock under which one process at a time changes the schema: a
// replica that migrates, or the restore of a backup.
const MigrationLock int64 = 0x73657276696365 // "service"

// A Migration is one numbered step of the schema.
type Migration struct {
	Version   int64
	Name      string    // of its file
	AppliedAt time.Time // zero while pending
}

// ErrSchemaNewer is returned for a database that a later release has migrated.
var ErrSchemaNewer = errors.New("the database is newer than this program")

// Migrate brings the database of pool to the schema of this program. Any number of replicas may call it at once; one migrates and
// the others wait.
// When there is nothing to do it runs one query.
//
// It refuses a database of a later release with [ErrSchemaNewer], because running on it could
// destroy data.
func Migrate(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger) error {
	if current, err := Migrated(ctx, pool); current || err != nil {
		return err
	}
	// Use another pool, without the timeouts of queries: a step may rewrite a table, and
	// other replicas wait for it.
	cfg := pool.Config()
	cfg.MaxConns, cfg.MinConns, cfg.MinIdleConns = 4, 0, 0 // the lock, goose
	cfg.ConnConfig.RuntimeParams = maps.Clone(cfg.ConnConfig.RuntimeParams)
	for _, name := range []string{"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"} {
		cfg.ConnConfig.RuntimeParams[name] = "0"
	}
	own, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return err
	}
	defer own.Close()
	conn, err := own.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", MigrationLock); err != nil {
		return fmt.Errorf("wait for other migrations: %w", err)
	}
	// Closing the pool releases the lock too.
	defer conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", MigrationLock) //nolint:errcheck

	if current, err := Migrated(ctx, own); current || err != nil {
		return err // another replica has done it
	}
	return migrate(ctx, own, log)
}

// migrate applies the missing steps. The caller holds the lock.
func migrate(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger) error {
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	applied, err := provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	for _, m := range applied {
		log.InfoContext(ctx, "migrated", "file", path.Base(m.Source.Path), "took", m.Duration)
	}
	return nil
}

// Migrations lists the steps of this program, oldest first, and when each was applied.
func Migrations(ctx context.Context, pool *pgxpool.Pool) ([]Migration, error) {
	known, err := sources()
	if err != nil {
		return nil, err
	}
	rows, _ := pool.Query(ctx, "SELECT version_id, tstamp FROM goose_db_version WHERE is_applied") // Query's error is also that of rows
	var version int64
	var at time.Time
	_, err = pgx.ForEachRow(rows, []any{&version, &at}, func() error {
		if i := slices.IndexFunc(known, func(m Migration) bool { return m.Version == version }); i >= 0 {
			known[i].AppliedAt = at
		}
		return nil
	})
	if err != nil && !undefinedTable(err) { // no such table: nothing is applied
		return nil, err
	}
	return known, nil
}

// Migrated reports whether the database has the program's schema. It returns [ErrSchemaNewer] for
// a newer one. db is a pool, a connection or a transaction, which an empty database aborts.
func Migrated(ctx context.Context, db rower) (bool, error) {
	known, err := sources()
	if err != nil {
		return false, err
	}
	version, err := newest(ctx, db, "SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied")
	if err != nil {
		return false, err
	}
	latest := known[len(known)-1].Version
	if version > latest {
		return false, fmt.Errorf("%w: it is at migration %d, and this program knows migrations up to %d: "+
			"run the newer release again, or restore a backup made before the upgrade", ErrSchemaNewer, version, latest)
	}
	return version == latest, nil
}

// A rower answers queries of one row.
type rower interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// newest runs a query for the highest version. It is 0 when the table does not exist.
func newest(ctx context.Context, db rower, sql string) (version int64, err error) {
	err = db.QueryRow(ctx, sql).Scan(&version)
	if undefinedTable(err) {
		return 0, nil
	}
	return version, err
}

func undefinedTable(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "42P01"
}

// sources lists the embedded migrations, oldest first.
func sources() ([]Migration, error) {
	files, err := migrations.Files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var list []Migration
	for _, file := range files {
		version, err := goose.NumericComponent(file.Name())
		if err != nil {
			return nil, err
		}
		list = append(list, Migration{Version: version, Name: file.Name()})
	}
	return list, nil // ReadDir sorts, and the numbers have one width
}

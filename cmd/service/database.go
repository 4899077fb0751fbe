package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/store"
	"service/store/embedded"
	"service/store/tracing"
)

// systemDataDir is the data directory if the program runs as root and the account of the
// embedded database cannot enter the working directory.
const systemDataDir = "/var/lib/service"

// dataDir returns the data directory, which need not exist.
func (c *config) dataDir() string {
	const local = ".service"
	switch {
	case c.DataDir != "":
		return c.DataDir
	case c.DatabaseURL == "" && !embedded.Reachable(local):
		return systemDataDir
	}
	return local
}

// prepareDataDir makes the data directory. If existing is true, it makes nothing, and refuses a data directory without a database: that
// directory may be the wrong one.
func prepareDataDir(c *config, existing bool, log *slog.Logger) (string, error) {
	dir := c.dataDir()
	if existing && c.DatabaseURL == "" && !embedded.Exists(filepath.Join(dir, "postgres")) {
		return "", fmt.Errorf("the data directory %s has no database of this program. If it is the right one, run: service migrate", dir)
	}
	if c.DataDir == "" && dir == systemDataDir {
		log.Info("the working directory is closed to other accounts, which the embedded database needs as root: using another data directory",
			"dir", dir)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("data directory: %w", err)
	}
	if c.DatabaseURL == "" && os.Geteuid() == 0 {
		err = letThrough(dir)
	}
	return dir, err
}

// letThrough lets other accounts enter the data directory without listing it, because the database in
// it belongs to another account if the program runs as root. Private files in it have their own modes.
func letThrough(dir string) error {
	st, err := os.Stat(dir)
	if err != nil || st.Mode()&0o001 != 0 {
		return err
	}
	return os.Chmod(dir, st.Mode().Perm()|0o001)
}

// findDatabase returns the connection string of the configured database or, if there is no
// such database, starts the embedded one in dir and returns its connection string and server.
func findDatabase(ctx context.Context, c *config, dir string, log *slog.Logger) (dsn string, server *embedded.Server, err error) {
	if c.DatabaseURL != "" {
		return c.DatabaseURL, nil, nil
	}
	if server, err = embedded.Start(ctx, embedded.Config{Dir: filepath.Join(dir, "postgres"), Log: log}); err != nil {
		return "", nil, err
	}
	return server.DSN, server, nil
}

// openDatabase connects to the database of findDatabase.
func openDatabase(
	ctx context.Context, c *config, dir string, log *slog.Logger, t *tracing.Tracer,
) (*pgxpool.Pool, *embedded.Server, error) {
	dsn, server, err := findDatabase(ctx, c, dir, log)
	if err != nil {
		return nil, nil, err
	}
	pool, err := connect(ctx, dsn, log, t)
	if err != nil && server != nil {
		err = errors.Join(err, server.Stop())
	}
	return pool, server, err
}

// applicationName is the application_name of the program's connections.
const applicationName = "service"

// connect opens the pool. Settings in the connection string take precedence.
func connect(ctx context.Context, dsn string, log *slog.Logger, t *tracing.Tracer) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("DATABASE_URL: not a PostgreSQL connection string") // the error repeats the password
	}
	if !strings.Contains(dsn, "pool_max_conns") {
		// More connections would not increase throughput, because a database on this machine shares
		// the processors. With 20 connections on two processors, the slowest hundredth of pages
		// waited five times as long.
		cfg.MaxConns = int32(max(8, 4*runtime.GOMAXPROCS(0)))
	}
	if !strings.Contains(dsn, "pool_min_idle_conns") {
		cfg.MinIdleConns = 2
	}
	if !strings.Contains(dsn, "connect_timeout") {
		cfg.ConnConfig.ConnectTimeout = 5 * time.Second // do not hold a place in the pool for longer
	}
	for name, value := range map[string]string{
		"application_name":                    applicationName,
		"statement_timeout":                   "15s",
		"lock_timeout":                        "2s", // a query that waits for a lock keeps a connection from others
		"idle_in_transaction_session_timeout": "30s",
		"jit":                                 "off", // planning with it takes longer than the queries
	} {
		if _, set := cfg.ConnConfig.RuntimeParams[name]; !set {
			cfg.ConnConfig.RuntimeParams[name] = value
		}
	}
	cfg.ConnConfig.Tracer = t.Database()
	cfg.AfterConnect = store.Types
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := awaitDatabase(ctx, pool, log); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// awaitDatabase returns when the database answers. It waits for a database that is starting, but not
// for one that refuses the connection for another reason.
func awaitDatabase(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger) error {
	const patience, interval = 30 * time.Second, 500 * time.Millisecond
	limit := time.Now().Add(patience)
	for said := false; ; {
		err := pool.Ping(ctx)
		if err == nil {
			return nil
		}
		if pg, ok := errors.AsType[*pgconn.PgError](err); ok && !startingUp(pg.Code) {
			return fmt.Errorf("the database refuses the connection: %s", pg.Message)
		}
		if time.Now().After(limit) || ctx.Err() != nil || errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("the database at %s does not answer: %w", pool.Config().ConnConfig.Host, plain(err))
		}
		if !said {
			log.Warn("the database does not answer yet, trying again", "patience", patience)
			said = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(interval):
		}
	}
}

// startingUp reports whether a refusal is temporary: 57P03 cannot_connect_now, 53300
// too_many_connections.
func startingUp(code string) bool { return code == "57P03" || code == "53300" }

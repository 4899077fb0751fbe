package storetest

import (
	"context"
	"crypto/sha256"
	_ "embed" // source
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/store"
	"service/store/embedded"
	"service/store/embedded/embeddedtest"
	"service/store/migrations"
)

// prefix begins the names of the servers' directories, which are locked while the servers run.
const prefix = "service-storetest-"

// roomFor is the free space that a server's directory should have: for a cluster, its template and some dozens of copies.
const roomFor = 1 << 30

// source is the text of this file, because the template may change with it.
//
//go:embed cluster.go
var source string

// A cluster is the server that the tests of this binary use.
type cluster struct {
	admin    *pgxpool.Pool // on the server's own database
	template string        // name of the migrated database
	fileCopy bool          // CREATE DATABASE supports a strategy
	started  time.Time
	server   *embedded.Server // nil: TEST_DATABASE_URL
	dir      string
}

// boot starts a server, or connects to the given one, and makes the template.
func boot(ctx context.Context) (*cluster, error) {
	c := &cluster{started: time.Now()}
	dsn := os.Getenv("TEST_DATABASE_URL")
	if dsn == "" {
		if err := c.start(ctx); err != nil {
			return nil, errors.Join(err, os.RemoveAll(c.dir))
		}
		dsn = c.server.DSN
	}
	if err := c.connect(ctx, dsn); err != nil {
		return nil, errors.Join(err, c.stop())
	}
	return c, nil
}

// connect connects to a server, and makes the template unless it has one.
func (c *cluster) connect(ctx context.Context, dsn string) error {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return errors.New("TEST_DATABASE_URL is not a connection string")
	}
	cfg.MaxConns = 4
	if c.admin, err = pgxpool.NewWithConfig(ctx, cfg); err != nil {
		return err
	}
	return c.makeTemplate(ctx)
}

// start runs a server of our own, in memory if possible. Its cluster already has the template, unless it cannot be stored.
func (c *cluster) start(ctx context.Context) error {
	base := os.TempDir()
	if roomy("/dev/shm") {
		base = "/dev/shm"
	}
	sweep(base)
	var err error
	if c.dir, err = os.MkdirTemp(base, prefix); err != nil {
		return err
	}
	if err := os.Chmod(c.dir, 0o755); err != nil { // if we are root, the server runs under another account
		return err
	}
	name, err := templateName()
	if err != nil {
		return err
	}
	migrated := embeddedtest.Kind{Name: "template", Key: name + source, Fill: func(ctx context.Context, dsn string) error {
		var draft cluster
		err := draft.connect(ctx, dsn)
		return errors.Join(err, draft.stop())
	}}
	if err := migrated.Prepare(ctx, c.dir); err != nil {
		return err
	}
	c.server, err = embedded.Start(ctx, embedded.Config{
		Dir:       c.dir,
		Ephemeral: true,
		Log:       slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	return err
}

// stop stops the server that boot started. Databases on a given server are dropped by the tests that made them.
func (c *cluster) stop() error {
	if c.admin != nil {
		c.admin.Close()
	}
	if c.server == nil {
		return nil
	}
	return errors.Join(c.server.Stop(), os.RemoveAll(c.dir))
}

func (c *cluster) config(database string) *pgxpool.Config {
	cfg := c.admin.Config()
	cfg.ConnConfig.Database = database
	return cfg
}

// makeTemplate makes the migrated database of which tests get copies, once for each state of the migrations. Other test binaries may do the
// same at once.
func (c *cluster) makeTemplate(ctx context.Context) error {
	conn, err := c.admin.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	var version int
	if err := conn.QueryRow(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version); err != nil {
		return err
	}
	c.fileCopy = version >= 150000
	if c.template, err = templateName(); err != nil {
		return err
	}
	const lock = "SELECT pg_advisory_lock(hashtext('service storetest'))"
	if _, err := conn.Exec(ctx, lock); err != nil {
		return err
	}
	defer conn.Exec(ctx, "SELECT pg_advisory_unlock(hashtext('service storetest'))") //nolint:errcheck // the connection is closed right after
	var there bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", c.template).Scan(&there); err != nil || there {
		return err
	}
	// It has another name until it is complete, so that a killed run does not leave half a template.
	draft := c.template + "_draft"
	for _, sql := range []string{"DROP DATABASE IF EXISTS %s WITH (FORCE)", "CREATE DATABASE %s TEMPLATE template0"} {
		if _, err := conn.Exec(ctx, fmt.Sprintf(sql, pgx.Identifier{draft}.Sanitize())); err != nil {
			return err
		}
	}
	pool, err := pgxpool.NewWithConfig(ctx, c.config(draft))
	if err != nil {
		return err
	}
	err = store.Migrate(ctx, pool, slog.New(slog.DiscardHandler))
	pool.Close() // a template must have no connection
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "ALTER DATABASE "+pgx.Identifier{draft}.Sanitize()+" RENAME TO "+pgx.Identifier{c.template}.Sanitize())
	return err
}

// templateName returns a name that changes with the migrations.
func templateName() (string, error) {
	h := sha256.New()
	err := fs.WalkDir(migrations.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(migrations.Files, path)
		fmt.Fprintf(h, "%s %d ", path, len(text))
		h.Write(text)
		return err
	})
	if err != nil {
		return "", err
	}
	return "template_" + hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// roomy reports whether dir can be written to and has space for a server.
func roomy(dir string) bool {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil || uint64(st.Bavail)*uint64(st.Bsize) < roomFor {
		return false
	}
	probe, err := os.MkdirTemp(dir, prefix+"probe-")
	if err != nil {
		return false
	}
	return os.Remove(probe) == nil
}

// sweep removes the directories of runs that were killed: those that are not locked and not recent. The directory of a starting run is not
// locked yet.
func sweep(base string) {
	dirs, _ := filepath.Glob(filepath.Join(base, prefix+"*")) // the pattern is a constant
	for _, dir := range dirs {
		st, err := os.Stat(dir)
		if err != nil || time.Since(st.ModTime()) < time.Minute {
			continue
		}
		lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			_ = os.RemoveAll(dir)
			continue
		}
		if err != nil {
			continue // another account's
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(dir)
		}
		_ = lock.Close()
	}
}

package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"service/store/embedded"
)

// A Database is the database of a backup or a restore.
type Database struct {
	DSN     string
	Environ []string // the environment of the process
}

// applicationName is the application name of our connections. Servers and workers use another.
const applicationName = "service archive"

// connect opens a new connection without limits on the time of statements.
func (db Database) connect(ctx context.Context) (*pgx.Conn, error) {
	cfg, err := pgx.ParseConfig(db.DSN)
	if err != nil {
		return nil, errors.New("DATABASE_URL: " + errConninfo.Error())
	}
	for name := range cfg.RuntimeParams {
		if strings.HasPrefix(name, "pool_") { // a setting of a pool, unknown to a database
			delete(cfg.RuntimeParams, name)
		}
	}
	for name, value := range map[string]string{
		"application_name": applicationName, "statement_timeout": "0", "idle_in_transaction_session_timeout": "0", "lock_timeout": "10s",
	} {
		cfg.RuntimeParams[name] = value
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("the database does not answer: %w", err)
	}
	return conn, nil
}

// A state describes a database.
type state struct {
	major       int
	schema      string // the schema of our tables, existing or future
	ours, empty bool
	fingerprint *string // of the key that seals secrets; nil before the first start
}

func read(ctx context.Context, conn *pgx.Conn) (s state, err error) {
	var number int
	err = conn.QueryRow(ctx, `
		SELECT current_setting('server_version_num')::int, coalesce(current_schema(), ''),
		       to_regclass('goose_db_version') IS NOT NULL AND to_regclass('instance') IS NOT NULL,
		       NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f'))`,
	).Scan(&number, &s.schema, &s.ours, &s.empty)
	if err != nil {
		return s, err
	}
	s.major = number / 10000
	if s.schema == "" {
		return s, errors.New("the search_path of DATABASE_URL names no schema that exists")
	}
	if s.ours {
		err = conn.QueryRow(ctx, `SELECT key_fingerprint FROM instance`).Scan(&s.fingerprint)
	}
	return s, err
}

// Info describes a backup.
type Info struct {
	File        string
	Bytes       int64
	Major       int    // major version of its PostgreSQL
	Fingerprint string // of the key that opens its secrets; empty if it has no secrets
	Unrecorded  error  // why the database does not have the time of this backup; nil if it has
}

// Backup writes the database to a new file, which only our account can read, and its checksum to a second file. The database may be in use
// meanwhile: a backup is a consistent snapshot. The file appears under its name when it is complete.
func Backup(ctx context.Context, db Database, file string) (info Info, err error) {
	conn, err := db.connect(ctx)
	if err != nil {
		return info, err
	}
	s, err := read(ctx, conn)
	_ = conn.Close(ctx) // pg_dump opens its own connection
	switch {
	case err != nil:
		return info, err
	case !s.ours:
		return info, errors.New("this database holds nothing of this program: is DATABASE_URL, or SERVICE_DATA_DIR, the one that it serves?")
	}
	dump, _, err := embedded.Client("pg_dump", s.major)
	if err != nil {
		return info, err
	}
	env, err := environment(db.DSN, db.Environ)
	if err != nil {
		return info, err
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return info, fmt.Errorf("%s is there already", file)
	}
	draft, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*") // of mode 0600
	if of, ok := errors.AsType[*fs.PathError](err); ok {                          // the name of the draft means nothing to people
		return info, fmt.Errorf("no file can be written to the folder %s: %w", filepath.Dir(file), of.Err)
	}
	if err != nil {
		return info, err
	}
	defer os.Remove(draft.Name()) //nolint:errcheck // only its link matters
	sum := sha256.New()
	size := new(counter)
	err = program{path: dump, env: env, out: io.MultiWriter(draft, sum, size)}.run(ctx,
		"--format=custom", "--schema="+pgx.Identifier{s.schema}.Sanitize(), "--lock-wait-timeout=10s",
		"--no-owner", "--no-privileges", "--no-tablespaces", "--no-publications", "--no-subscriptions", "--no-security-labels")
	if err = errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return info, err
	}
	sums := hex.EncodeToString(sum.Sum(nil)) + "  " + filepath.Base(file) + "\n"
	if err := os.WriteFile(file+sumSuffix, []byte(sums), 0o600); err != nil {
		return info, err
	}
	if err := os.Link(draft.Name(), file); err != nil { // unlike a rename, never replaces a file
		return info, errors.Join(err, os.Remove(file+sumSuffix))
	}
	info = Info{File: file, Bytes: int64(*size), Major: s.major}
	if s.fingerprint != nil {
		info.Fingerprint = *s.fingerprint
	}
	info.Unrecorded = record(ctx, db, info)
	return info, nil
}

// record stores that a backup is complete, for [service/store.Refreshes.QueueState]. It fails for the database of an earlier release, which
// is backed up before it is migrated, and for a database that only reads.
func record(ctx context.Context, db Database, info Info) error {
	conn, err := db.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // the statement is committed or has failed
	_, err = conn.Exec(ctx, `
		INSERT INTO backup (finished_at, bytes) VALUES (clock_timestamp(), $1)
		ON CONFLICT (one) DO UPDATE SET finished_at = excluded.finished_at, bytes = excluded.bytes`, info.Bytes)
	if failed, ok := errors.AsType[*pgconn.PgError](err); ok {
		err = errors.New(failed.Message)
	}
	return err
}

// sumSuffix is the ending of the name of a checksum's file.
const sumSuffix = ".sha256"

// checkSum compares a file with its checksum. PostgreSQL's format has no checksum of the whole file: after a change of one byte in the
// table of contents, pg_restore silently left out the rows of a table.
func checkSum(file string) error {
	text, err := os.ReadFile(file + sumSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no %s to check the backup with: say --unchecked if it may be taken as it is", file+sumSuffix)
	}
	if err != nil {
		return err
	}
	want, _, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != want {
		return fmt.Errorf("%s is damaged: it does not have the checksum that %s names", file, file+sumSuffix)
	}
	return nil
}

type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// A program is one of PostgreSQL's programs.
type program struct {
	path string
	env  []string
	out  io.Writer
}

// run runs the program to its end. The error contains the program's message.
func (p program) run(ctx context.Context, args ...string) error {
	var complaint strings.Builder
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = p.env, p.out, &complaint
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		text, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
		return fmt.Errorf("%s: %w: %s", filepath.Base(p.path), err, strings.TrimPrefix(text, filepath.Base(p.path)+": "))
	}
	return nil
}

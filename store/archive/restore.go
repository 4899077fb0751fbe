package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"service/store"
	"service/store/embedded"
)

// leavesWithin is how long the connections of a server may outlive it, until the database notices its end.
const leavesWithin = 3 * time.Second

// The reasons why a backup is not restored into a database.
var (
	ErrInUse = errors.New("a server or worker of this program uses the database: stop all of them first")
	ErrFull  = errors.New("the database is not empty, and what is in it would be lost: say --replace if it may be")
)

// RestoreOptions control a restore.
type RestoreOptions struct {
	Keys        *store.Keys // one of them must be the key of the backup's secrets
	Replace     bool        // drop the contents of the database
	Unchecked   bool        // accept a file without a checksum
	Application string      // application_name of servers and workers
}

// Restored describes the result of a restore.
type Restored struct {
	Accounts, Dashboards, Versions int
}

// Restore replaces the contents of the database by a backup, in one transaction: it either succeeds or changes nothing. The schema is that
// of the backup's release.
func Restore(ctx context.Context, db Database, file string, opt RestoreOptions) (done Restored, err error) {
	if file, err = filepath.Abs(file); err != nil { // so that a name that begins with a dash is not read as a flag
		return done, err
	}
	if _, err := os.Stat(file); err != nil {
		return done, err
	}
	if !opt.Unchecked {
		if err := checkSum(file); err != nil {
			return done, err
		}
	}
	conn, err := db.connect(ctx)
	if err != nil {
		return done, err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // everything is committed
	s, err := read(ctx, conn)
	if err != nil {
		return done, err
	}
	path, _, err := embedded.Client("pg_restore", s.major)
	if err != nil {
		return done, err
	}
	tool := program{path: path, env: []string{"LC_ALL=C", "TZ=UTC"}, out: io.Discard}
	// The whole file is read before anything is dropped: its table of contents, and all data to their end.
	if err := tool.run(ctx, "--file=-", file); err != nil {
		return done, fmt.Errorf("%s is damaged, or no backup that this program can read: %w", file, err)
	}
	if err := mayReplace(ctx, conn, s, opt); err != nil {
		return done, err
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if err := drop(ctx, tx); err != nil {
			return err
		}
		for _, section := range []string{"pre-data", "data", "post-data"} {
			if err := load(ctx, tx, tool, s.schema, section, file); err != nil {
				return fmt.Errorf("%s: %w", section, err)
			}
		}
		// The script has emptied the search path.
		if _, err := tx.Exec(ctx, `SELECT set_config('search_path', $1, true)`, pgx.Identifier{s.schema}.Sanitize()); err != nil {
			return err
		}
		return check(ctx, tx, opt.Keys, &done)
	})
	return done, err
}

// mayReplace refuses a database that is in use, belongs to another program, or is not empty. It takes the lock for changes of the schema on
// this connection, so that no server migrates meanwhile.
func mayReplace(ctx context.Context, conn *pgx.Conn, s state, opt RestoreOptions) error {
	var locked, used bool
	if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, store.MigrationLock).Scan(&locked); err != nil {
		return err
	}
	for end := time.Now().Add(leavesWithin); ; {
		if err := conn.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1) FROM pg_sleep(0.05)`,
			opt.Application).Scan(&used); err != nil {
			return err
		}
		if !used || time.Now().After(end) {
			break
		}
	}
	// A worker behind a pooler may have no connection of that name, but renews its lease. Older releases have no leases.
	if s.ours && !used {
		var leases bool
		if err := conn.QueryRow(ctx, `SELECT to_regclass('refresh_process') IS NOT NULL`).Scan(&leases); err != nil {
			return err
		}
		if leases {
			if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM refresh_process WHERE renewed_at > clock_timestamp() - $1::interval)`,
				store.LeaseLasts).Scan(&used); err != nil {
				return err
			}
		}
	}
	switch {
	case !locked || used:
		return ErrInUse
	case !s.empty && !s.ours:
		return fmt.Errorf("schema %s of this database has tables that are not this program's: restore into a database of its own", s.schema)
	case !s.empty && !opt.Replace:
		return ErrFull
	}
	return nil
}

// drop drops everything in the current schema that does not belong to an extension. The schema itself stays, with the rights that an
// administrator may have granted on it. The sequence of an identity column is dropped with its table, and cannot be dropped before.
func drop(ctx context.Context, tx pgx.Tx) error {
	rows, _ := tx.Query(ctx, `
		WITH extension AS (SELECT classid, objid FROM pg_depend WHERE deptype = 'e')
		SELECT format('DROP %s IF EXISTS %I.%I CASCADE',
		              CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'f' THEN 'FOREIGN TABLE'
		                           WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, current_schema(), relname)
		  FROM pg_class
		 WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
		   AND ('pg_class'::regclass, oid) NOT IN (SELECT * FROM extension)
		   AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'i')
		UNION ALL
		SELECT format('DROP ROUTINE IF EXISTS %I.%I(%s) CASCADE', current_schema(), proname, pg_get_function_identity_arguments(oid))
		  FROM pg_proc
		 WHERE pronamespace = current_schema()::regnamespace AND ('pg_proc'::regclass, oid) NOT IN (SELECT * FROM extension)
		UNION ALL
		SELECT format('DROP TYPE IF EXISTS %I.%I CASCADE', current_schema(), typname)
		  FROM pg_type
		 WHERE typnamespace = current_schema()::regnamespace AND typtype IN ('e', 'd')
		   AND ('pg_type'::regclass, oid) NOT IN (SELECT * FROM extension)`)
	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, sql := range statements {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// check checks the state that the transaction would commit.
func check(ctx context.Context, tx pgx.Tx, keys *store.Keys, done *Restored) error {
	var ours bool
	err := tx.QueryRow(ctx, `SELECT to_regclass('goose_db_version') IS NOT NULL AND to_regclass('instance') IS NOT NULL`).Scan(&ours)
	switch {
	case err != nil:
		return err
	case !ours:
		return errors.New("the backup is not of this program")
	}
	if _, err := store.Migrated(ctx, tx); err != nil {
		return err
	}
	var fingerprint *string
	err = tx.QueryRow(ctx, `
		SELECT key_fingerprint, (SELECT count(*) FROM account), (SELECT count(*) FROM dashboard), (SELECT count(*) FROM version)
		  FROM instance`).Scan(&fingerprint, &done.Accounts, &done.Dashboards, &done.Versions)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return errors.New("the backup is not whole: its table instance is empty")
	case err != nil:
		return err
	case fingerprint == nil: // nothing is sealed yet
		return nil
	case keys == nil:
		return fmt.Errorf("the secrets of this backup were sealed with the key of fingerprint %s, and there is no key here: "+
			"set SERVICE_SECRET_KEY, or put secret.key back into the data directory", *fingerprint)
	case !keys.Has(*fingerprint):
		return fmt.Errorf("the secret key does not fit this backup: it has fingerprint %s, and secrets were sealed with %s",
			keys.Fingerprint(), *fingerprint)
	}
	return nil
}

// load runs one section of a backup, which pg_restore converts to SQL: the objects in the schema, without the schema itself.
func load(ctx context.Context, tx pgx.Tx, tool program, schema, section, file string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	tool.out = w
	ended := make(chan error, 1)
	go func() {
		err := tool.run(ctx, "--file=-", "--no-owner", "--no-privileges", "--schema="+schema, "--section="+section, file)
		ended <- errors.Join(err, w.Close())
	}()
	err = execScript(ctx, tx, bufio.NewReaderSize(r, 64<<10))
	if err != nil {
		cancel() // its error is then the cancellation
		_ = r.Close()
		<-ended
		return err
	}
	return <-ended
}

// execScript runs a script of pg_restore: statements, and rows after COPY … FROM stdin, up to a line with \. alone. The statements between
// two COPYs are sent at once; the server splits them.
func execScript(ctx context.Context, tx pgx.Tx, script *bufio.Reader) error {
	var sql bytes.Buffer
	flush := func() error {
		defer sql.Reset()
		if len(bytes.TrimSpace(sql.Bytes())) == 0 {
			return nil
		}
		_, err := tx.Conn().PgConn().Exec(ctx, sql.String()).ReadAll()
		return err
	}
	for {
		line, err := script.ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		switch {
		case strings.HasPrefix(line, `\restrict `), strings.HasPrefix(line, `\unrestrict `): // for psql
		case line == "SET transaction_timeout = 0;\n": // unknown to PostgreSQL before 17
		case strings.HasPrefix(line, "COPY ") && strings.HasSuffix(line, " FROM stdin;\n"):
			if err := flush(); err != nil {
				return err
			}
			if _, err := tx.Conn().PgConn().CopyFrom(ctx, &copyRows{script: script, start: true}, strings.TrimSuffix(line, ";\n")); err != nil {
				return err
			}
		default:
			sql.WriteString(line)
		}
		if err == io.EOF {
			return flush()
		}
	}
}

// copyRows reads the rows of a COPY, up to and including the line that ends them.
type copyRows struct {
	script *bufio.Reader
	start  bool // of a line
	ended  bool
	rest   []byte // of the current part of the script's buffer
}

func (c *copyRows) Read(p []byte) (int, error) {
	if c.ended {
		return 0, io.EOF
	}
	if len(c.rest) == 0 {
		part, err := c.script.ReadSlice('\n') // a part of a long line, or its end
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return 0, io.ErrUnexpectedEOF // the script ended before the rows did
		}
		if c.start && string(part) == "\\.\n" {
			c.ended = true
			return 0, io.EOF
		}
		c.start = err == nil
		c.rest = part
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

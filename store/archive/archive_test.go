package archive_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"service/store"
	"service/store/archive"
	"service/store/migrations"
	"service/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func database(db *pgxpool.Pool) archive.Database {
	cfg := db.Config().ConnConfig
	return archive.Database{
		DSN:     fmt.Sprintf("host=%s port=%d user=%s dbname=%s sslmode=disable pool_max_conns=4", cfg.Host, cfg.Port, cfg.User, cfg.Database),
		Environ: []string{"PATH=" + os.Getenv("PATH")},
	}
}

func keys(t *testing.T, b byte) *store.Keys {
	t.Helper()
	k, err := store.ParseKeys(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, store.KeySize)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// filled is a database with an account and a workspace, and a backup of it that key 1 opens.
func filled(t *testing.T) (*pgxpool.Pool, string) {
	t.Helper()
	s, db := storetest.New(t, func(o *store.Options) { o.Keys = keys(t, 1) })
	if err := s.CheckKey(t.Context()); err != nil {
		t.Fatal(err)
	}
	ann, err := s.Accounts.EnsureAccount(t.Context(),
		store.Identity{Issuer: "i", Subject: "s", Email: "ann@example.com", Verified: true, Name: "Ann"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Workspaces.CreateWorkspace(t.Context(), ann.ID, "acme", `Acme \ "quoted"`); err != nil {
		t.Fatal(err)
	}
	// Characters with a meaning in the rows of a script, and a line that is longer than any buffer.
	for _, text := range []string{"a\n\\.\nb\t\\N\\", strings.Repeat("long ", 50_000)} {
		if _, err := db.Exec(t.Context(), `INSERT INTO audit (id, operator, action, subject, at) VALUES ($1, true, 'a.b', $2, now())`,
			uuid.New(), text); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "x.dump")
	info, err := archive.Backup(t.Context(), database(db), file)
	if err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(file)
	if err != nil || st.Size() != info.Bytes || info.Fingerprint != keys(t, 1).Fingerprint() {
		t.Fatalf("%+v, %v", info, err)
	}
	return db, file
}

// contents is every row of every table, in order, but for the time of the backup, which the backup cannot contain.
func contents(t *testing.T, db *pgxpool.Pool) map[string]string {
	t.Helper()
	ctx := t.Context()
	rows, _ := db.Query(ctx, `SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, table := range tables {
		if table == "backup" {
			continue
		}
		var text string
		if err := db.QueryRow(ctx, `SELECT coalesce(string_agg(x::text, E'\n' ORDER BY x::text), '') FROM `+table+` x`).Scan(&text); err != nil {
			t.Fatal(err)
		}
		got[table] = text
	}
	return got
}

// objects describes indexes, constraints, triggers and functions.
func objects(t *testing.T, db *pgxpool.Pool) []string {
	t.Helper()
	rows, _ := db.Query(t.Context(), `
		SELECT pg_get_indexdef(indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.relnamespace = 'public'::regnamespace
		UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
		            FROM pg_constraint WHERE connamespace = 'public'::regnamespace
		UNION ALL SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t WHERE NOT tgisinternal
		UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
		UNION ALL SELECT attrelid::regclass || '.' || attname || ' ' || format_type(atttypid, atttypmod) || attnotnull
		            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
		           WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
		 ORDER BY 1`)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// fitting are options under which a backup of filled is restored.
func fitting(t *testing.T) archive.RestoreOptions {
	t.Helper()
	return archive.RestoreOptions{Keys: keys(t, 1), Replace: true, Application: "service"}
}

func TestRestoreIsWhatWasBackedUp(t *testing.T) {
	t.Parallel()
	db, file := filled(t)
	for name, target := range map[string]*pgxpool.Pool{"empty": storetest.Empty(t), "over another": storetest.Pool(t)} {
		if name != "empty" { // a later release's table, which refers to ours
			if _, err := target.Exec(t.Context(), `CREATE TABLE later (id uuid REFERENCES account); CREATE TYPE mood AS ENUM ('ok')`); err != nil {
				t.Fatal(err)
			}
		}
		done, err := archive.Restore(t.Context(), database(target), file, fitting(t))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if done != (archive.Restored{Accounts: 1}) {
			t.Errorf("%s: %+v", name, done)
		}
		if diff := cmp.Diff(contents(t, db), contents(t, target)); diff != "" {
			t.Errorf("%s: rows (-backed up +restored):\n%s", name, diff)
		}
		if diff := cmp.Diff(objects(t, db), objects(t, target)); diff != "" {
			t.Errorf("%s: schema (-backed up +restored):\n%s", name, diff)
		}
		if err := store.Migrate(t.Context(), target, slog.New(slog.DiscardHandler)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	_, file := filled(t)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write := func(b []byte) string {
		t.Helper()
		name := filepath.Join(t.TempDir(), "y.dump")
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	withSum := write(flipped)
	sum, err := os.ReadFile(file + ".sha256")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(withSum+".sha256", sum, 0o600); err != nil {
		t.Fatal(err)
	}
	fits := fitting(t)
	with := func(change func(*archive.RestoreOptions)) archive.RestoreOptions {
		o := fits
		change(&o)
		return o
	}
	unchecked := with(func(o *archive.RestoreOptions) { o.Unchecked = true })
	for _, tc := range []struct {
		name, file string
		opt        archive.RestoreOptions
		sql        string // before
		want       string
	}{
		{name: "another key", file: file, opt: with(func(o *archive.RestoreOptions) { o.Keys = keys(t, 2) }), want: "does not fit this backup"},
		{name: "no key", file: file, opt: with(func(o *archive.RestoreOptions) { o.Keys = nil }), want: "there is no key here"},
		{
			name: "something there", file: file, opt: with(func(o *archive.RestoreOptions) { o.Replace = false }),
			want: archive.ErrFull.Error(),
		},
		{name: "its end is missing", file: write(whole[:len(whole)-100]), opt: unchecked, want: "is damaged"},
		{name: "half of it is missing", file: write(whole[:len(whole)/2]), opt: unchecked, want: "is damaged"},
		{name: "no backup", file: write([]byte("hello")), opt: unchecked, want: "is damaged"},
		{name: "no checksum", file: write(whole), opt: fits, want: "--unchecked"},
		{name: "a bit has changed", file: withSum, opt: fits, want: "does not have the checksum"},
		{name: "no file", file: filepath.Join(t.TempDir(), "none"), opt: fits, want: "no such file"},
		{
			name: "a worker renews its lease", file: file, opt: fits, want: archive.ErrInUse.Error(),
			sql: `INSERT INTO refresh_process (id, renewed_at) VALUES ('` + uuid.NewString() + `', now())`,
		},
		{
			name: "another program's", file: file, opt: fits, want: "not this program's",
			sql: `DROP TABLE goose_db_version`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			target := storetest.Pool(t)
			if _, err := target.Exec(t.Context(), `INSERT INTO workspace (id, slug, name) VALUES ($1, 'mine', 'Mine')`, uuid.New()); err != nil {
				t.Fatal(err)
			}
			if tc.sql != "" {
				if _, err := target.Exec(t.Context(), tc.sql); err != nil {
					t.Fatal(err)
				}
			}
			before := contents(t, target)
			_, err := archive.Restore(t.Context(), database(target), tc.file, tc.opt)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
			if diff := cmp.Diff(before, contents(t, target)); diff != "" {
				t.Errorf("it has changed the database (-before +after):\n%s", diff)
			}
		})
	}
}

func TestRestoreRefusesWhileAServerIsConnected(t *testing.T) {
	t.Parallel()
	_, file := filled(t)
	target := storetest.Pool(t)
	cfg := target.Config().ConnConfig.Copy()
	cfg.RuntimeParams["application_name"] = "service"
	server, err := pgx.ConnectConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // the test's
	_, err = archive.Restore(t.Context(), database(target), file, fitting(t))
	if !errors.Is(err, archive.ErrInUse) {
		t.Errorf("%v", err)
	}
	// The server has ended, and its connection does a moment later.
	time.AfterFunc(300*time.Millisecond, func() { server.Close(context.WithoutCancel(t.Context())) })
	if _, err = archive.Restore(t.Context(), database(target), file, fitting(t)); err != nil {
		t.Errorf("after the server: %v", err)
	}
}

// The database has the time of the last complete backup, for a metric. A database that cannot store it is backed up too: that of an
// earlier release, and a read-only one.
func TestBackupIsRecorded(t *testing.T) {
	t.Parallel()
	s, db := storetest.New(t, func(o *store.Options) { o.Keys = keys(t, 1) })
	file := func() string { return filepath.Join(t.TempDir(), "x.dump") }
	last := time.Time{}
	for range 2 {
		if info, err := archive.Backup(t.Context(), database(db), file()); err != nil || info.Unrecorded != nil {
			t.Fatal(info.Unrecorded, err)
		}
		q, err := s.Refreshes.QueueState(t.Context())
		if err != nil || !q.Backup.After(last) {
			t.Errorf("the last backup was at %v, %v, and the one before at %v", q.Backup, err, last)
		}
		last = q.Backup
	}
	readOnly := database(db)
	readOnly.DSN += " default_transaction_read_only=on"
	for name, of := range map[string]archive.Database{"0.6.0": database(from060(t)), "read-only": readOnly} {
		to := file()
		info, err := archive.Backup(t.Context(), of, to)
		if err != nil || info.Unrecorded == nil || strings.Contains(info.Unrecorded.Error(), "SQLSTATE") {
			t.Errorf("%s: %v, %v", name, info.Unrecorded, err)
		}
		if st, err := os.Stat(to); err != nil || st.Size() != info.Bytes || info.Bytes == 0 {
			t.Errorf("%s: %v, %+v", name, err, info)
		}
	}
	if q, err := s.Refreshes.QueueState(t.Context()); err != nil || !q.Backup.Equal(last) {
		t.Errorf("a backup that was not recorded changed the time: %v, %v", q.Backup, err)
	}
	_, err := archive.Backup(t.Context(), archive.Database{DSN: database(db).DSN, Environ: []string{"PGOPTIONS=--nonsense"}}, file())
	if q, err2 := s.Refreshes.QueueState(t.Context()); err == nil || err2 != nil || !q.Backup.Equal(last) {
		t.Errorf("a backup that failed (%v) changed the time: %v, %v", err, q.Backup, err2)
	}
}

// A release cannot read a backup of a later one.
func TestRestoreRefusesALaterRelease(t *testing.T) {
	t.Parallel()
	db := storetest.Pool(t)
	if _, err := db.Exec(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)`); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "x.dump")
	if _, err := archive.Backup(t.Context(), database(db), file); err != nil {
		t.Fatal(err)
	}
	_, err := archive.Restore(t.Context(), database(storetest.Empty(t)), file, fitting(t))
	if !errors.Is(err, store.ErrSchemaNewer) {
		t.Errorf("%v", err)
	}
}

func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	db, file := filled(t)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Backup(t.Context(), database(db), file); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("over another: %v", err)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
		t.Errorf("it has changed the other: %v", err)
	}
	empty := filepath.Join(t.TempDir(), "x.dump")
	_, err = archive.Backup(t.Context(), database(storetest.Empty(t)), empty)
	if err == nil || !strings.Contains(err.Error(), "holds nothing") {
		t.Errorf("of nothing: %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(empty)); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// from060 restores the backup of an installation of 0.6.0.
func from060(t *testing.T) *pgxpool.Pool {
	t.Helper()
	return from(t, "0.6.0", archive.Restored{Accounts: 2, Dashboards: 4, Versions: 6})
}

// from restores a backup of an earlier program.
func from(t *testing.T, of string, want archive.Restored) *pgxpool.Pool {
	t.Helper()
	db := storetest.Empty(t)
	key, err := store.ParseKeys("z2Ca5vtxiiJbMP+SwUadCo7oljf//hE3wmwhfvOMH7E=")
	if err != nil {
		t.Fatal(err)
	}
	done, err := archive.Restore(t.Context(), database(db), "testdata/"+of+".dump",
		archive.RestoreOptions{Keys: key, Application: "service"})
	if err != nil {
		t.Fatal(err)
	}
	if done != want {
		t.Errorf("%+v", done)
	}
	return db
}

// The schema of an installation that began with 0.6.0, or with a commit after it, is that of one which begins today, but for the tables of
// the library that was its queue. They are there until no process of that release can be.
func TestMigrateFromEarlier(t *testing.T) {
	t.Parallel()
	for of, has := range map[string]archive.Restored{
		"0.6.0": {Accounts: 2, Dashboards: 4, Versions: 6}, "cb97e63": {Accounts: 2, Dashboards: 2, Versions: 3},
	} {
		t.Run(of, func(t *testing.T) {
			t.Parallel()
			migrated(t, from(t, of, has))
		})
	}
}

func migrated(t *testing.T, db *pgxpool.Pool) {
	t.Helper()
	if err := store.Migrate(t.Context(), db, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	ours := slices.DeleteFunc(objects(t, db), func(object string) bool { return strings.Contains(object, "river_") })
	if diff := cmp.Diff(objects(t, storetest.Pool(t)), ours); diff != "" {
		t.Errorf("schema (-new +migrated):\n%s", diff)
	}
}

// Work that an earlier release had queued, or was performing when it was killed, is performed after the migration: refreshes at once,
// messages once its processes have had the time to send them. A process of that release that still runs does not end queued work as lost,
// and leaves no work that this release does not find.
func TestMigrateKeepsWork(t *testing.T) {
	t.Parallel()
	db := from060(t)
	ctx := t.Context()
	provider, err := goose.NewProvider(goose.DialectPostgres, stdlib.OpenDBFromPool(db), migrations.Files,
		goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(ctx, 18); err != nil { // of the last release with that queue
		t.Fatal(err)
	}
	exec := func(sql string, args ...any) {
		t.Helper()
		if tag, err := db.Exec(ctx, sql, args...); err != nil || tag.RowsAffected() == 0 {
			t.Fatal(tag, err)
		}
	}
	const run = `UPDATE refresh_run SET finished_at = NULL, state = $1, started_at = $2, process = $3
	              WHERE id = (SELECT id FROM refresh_run WHERE finished_at IS NOT NULL ORDER BY id LIMIT 1)`
	exec(run, store.RunQueued, nil, nil)
	exec(run, store.RunRunning, time.Now(), uuid.New())
	const queue = `
		INSERT INTO message (workspace_id, id, kind, dashboard_id, account_id, body, queued_at)
		SELECT d.workspace_id, gen_random_uuid(), 'alert', d.id, m.account_id, '{}', now() - $1::interval
		  FROM dashboard d JOIN membership m ON m.workspace_id = d.workspace_id ORDER BY d.id LIMIT 1`
	exec(queue, 5*time.Minute)
	if err := store.Migrate(ctx, db, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	exec(queue, time.Second) // by a process of the release before
	for _, lost := range []string{
		`UPDATE refresh_run SET state = 'failed', finished_at = now(), error = 'The refresh was lost. Trigger it again.'
		  WHERE state IN ('queued', 'running')`,
		`UPDATE message SET state = 'failed', error = 'The message could not be sent.' WHERE state = 'queued'`,
	} {
		if tag, err := db.Exec(ctx, lost); err != nil || tag.RowsAffected() > 0 {
			t.Errorf("the release before ends %d that wait, %v", tag.RowsAffected(), err)
		}
	}
	s, err := store.New(db, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if taken, err := s.Jobs.TakeOver(ctx, false, nil); err != nil || taken != (store.Taken{Runs: 1, Messages: 1}) {
		t.Errorf("%+v is taken over, %v", taken, err)
	}
	for range 2 {
		j, err := s.Refreshes.StartNext(ctx, store.Shares{Workspace: 2, Account: 2})
		if err != nil {
			t.Fatal(err)
		}
		if state, err := s.Refreshes.FinishRun(ctx, j, store.Outcome{}); err != nil || state != store.RunFailed {
			t.Error(state, err)
		}
	}
	if _, err := s.Refreshes.StartNext(ctx, store.Shares{Workspace: 2, Account: 2}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a third run: %v", err)
	}
	sent := func(want int) {
		t.Helper()
		for range want {
			args, _, err := s.Messages.NextMessage(ctx)
			if err != nil {
				t.Fatal(err)
			}
			m, err := s.Messages.ClaimMessage(ctx, args)
			if err == nil {
				err = s.Messages.EndMessage(ctx, m, store.MessageSent, "", 0)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if args, _, err := s.Messages.NextMessage(ctx); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%+v is due, %v", args, err)
		}
	}
	sent(1) // the other one is the release before's
	if taken, err := s.Jobs.TakeOver(ctx, true, nil); err != nil || taken != (store.Taken{Messages: 1}) {
		t.Errorf("%+v is taken over by a process that is alone, %v", taken, err)
	}
	sent(1)
}

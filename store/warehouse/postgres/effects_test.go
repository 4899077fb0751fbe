package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"service/store/warehouse"
	"service/store/warehouse/postgres"
	"service/store/warehouse/warehousetest"
)

// emit is a query that leaves 5 MB in the write-ahead log, as text in SQL.
const emit = "pg_logical_emit_message(false, ''a'', repeat(''x'', 5000000))"

// TestEffects runs each function of the gate's list on the server without the gate, in the read-only transaction that is rolled back, and
// shows that it has an effect all the same. The gate refuses it.
func TestEffects(t *testing.T) {
	server, err := warehousetest.StartDurablePostgres()
	if server != nil {
		t.Cleanup(server.Stop)
	}
	if err != nil {
		t.Fatal(err)
	}
	to := target()
	to.Port = server.Port
	gated, err := postgres.Open(to, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	c := postgres.Ungated{Connector: gated}
	admin := connectTo(t, server.DSN)
	exec := func(sql string) {
		t.Helper()
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec(`CREATE EXTENSION dblink; CREATE EXTENSION adminpack; CREATE EXTENSION tablefunc; CREATE EXTENSION xml2; CREATE EXTENSION pg_surgery;
		CREATE TABLE victims AS SELECT i FROM generate_series(1, 10) i; SELECT lo_from_bytea(4712, 'x')`)
	victim, sleeper := connectTo(t, server.DSN), connectTo(t, server.DSN)
	go sleeper.Exec(context.Background(), "SELECT pg_sleep(600)")
	const (
		log   = "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint / 4000000"
		file  = "SELECT (pg_current_wal_lsn() - '0/0')::bigint / 16777216"
		slots = "SELECT count(*) FROM pg_replication_slots"
		files = "SELECT count(*) FROM pg_ls_dir('.')"
	)
	active := fmt.Sprintf("SELECT state FROM pg_stat_activity WHERE pid = %d", sleeper.PgConn().PID())
	await(t, admin, active, func(state string) bool { return state == "active" })
	shown := map[string]bool{}
	for _, try := range []struct {
		entry string
		sql   string
		state string // a question whose answer the effect changes; empty where the query itself shows it, in its only value
		want  string // that value; empty for any
	}{
		{entry: "pg_cancel_backend", sql: fmt.Sprintf("SELECT pg_cancel_backend(%d)", sleeper.PgConn().PID()), state: active},
		{
			entry: "pg_terminate_backend", sql: fmt.Sprintf("SELECT pg_terminate_backend(%d)", victim.PgConn().PID()),
			state: fmt.Sprintf("SELECT count(*) FROM pg_stat_activity WHERE pid = %d", victim.PgConn().PID()),
		},
		// Nobody else gets the lock as long as the query runs, which may be minutes.
		{
			entry: "pg_advisory_*",
			sql:   "SELECT (SELECT count(*) FROM pg_locks WHERE objid = 99) FROM (SELECT pg_advisory_lock(99) OFFSET 0) l (v) WHERE v IS NOT NULL",
			want:  "1",
		},
		{
			entry: "pg_try_advisory_*",
			sql:   "SELECT (SELECT count(*) FROM pg_locks WHERE objid = 98) FROM (SELECT pg_try_advisory_lock(98) OFFSET 0) l (v) WHERE v",
			want:  "1",
		},
		// Without this the server does not see that its client has gone.
		{
			entry: "set_config",
			sql: "SELECT current_setting('client_connection_check_interval') " +
				"FROM (SELECT set_config('client_connection_check_interval', '0', false) OFFSET 0) s (v) WHERE v = '0'",
			want: "0",
		},
		{entry: "pg_reload_conf", sql: "SELECT pg_reload_conf()", state: "SELECT pg_conf_load_time()"},
		{
			entry: "pg_stat_reset*", sql: "SELECT pg_stat_reset()",
			state: "SELECT stats_reset FROM pg_stat_database WHERE datname = current_database()",
		},
		{entry: "pg_log*", sql: "SELECT " + strings.ReplaceAll(emit, "''", "'"), state: log},
		{entry: "pg_switch_wal", sql: "SELECT pg_switch_wal()", state: file},
		{entry: "pg_create_*", sql: "SELECT pg_create_physical_replication_slot('s')", state: slots},
		{entry: "pg_copy_*", sql: "SELECT pg_copy_physical_replication_slot('r', 's2')", state: slots},
		{entry: "pg_drop_replication_slot", sql: "SELECT pg_drop_replication_slot('s')", state: slots},
		{
			entry: "pg_replication_*", sql: "SELECT pg_replication_slot_advance('r', pg_current_wal_insert_lsn())",
			state: "SELECT restart_lsn FROM pg_replication_slots WHERE slot_name = 'r'",
		},
		{entry: "pg_backup_start", sql: "SELECT pg_backup_start('x', true)", state: "SELECT checkpoint_lsn FROM pg_control_checkpoint()"},
		{entry: "pg_read_*", sql: "SELECT pg_read_file('PG_VERSION')"},
		{entry: "pg_ls_*", sql: "SELECT pg_ls_dir('.') LIMIT 1"},
		{entry: "pg_stat_file", sql: "SELECT size FROM pg_stat_file('PG_VERSION')"},
		{entry: "pg_file_*", sql: "SELECT pg_file_write('wrote', 'x', false)", state: files},
		{entry: "lo_export", sql: "SELECT lo_export(4712, 'exported')", state: files},
		{entry: "lo_import", sql: "SELECT lo_import('PG_VERSION')"}, // a device that never ends fills the disk
		{
			entry: "dblink*", sql: "SELECT dblink_exec('" + server.DSN + "', 'DELETE FROM victims WHERE i = 1')",
			state: "SELECT count(*) FROM victims",
		},
		{entry: "heap_force_*", sql: "SELECT heap_force_kill('victims', ARRAY['(0,2)']::tid[])", state: "SELECT count(*) FROM victims"},
		{entry: "query_to_xml*", sql: "SELECT query_to_xml('SELECT " + emit + "', true, true, '')", state: log},
		{entry: "ts_stat", sql: "SELECT ts_stat('SELECT " + emit + "::text::tsvector')", state: log},
		{
			entry: "ts_rewrite", sql: "SELECT ts_rewrite('a'::tsquery, 'SELECT ''a''::tsquery, (" + emit + " > ''0/0'')::text::tsquery')",
			state: log,
		},
		{entry: "crosstab*", sql: "SELECT a FROM crosstab('SELECT 1, 2, " + emit + "') AS c (a int, b pg_lsn)", state: log},
		{
			entry: "xpath_table",
			sql:   "SELECT * FROM xpath_table('i', '''<a/>''', 'victims', '/a', '" + emit + " IS NOT NULL LIMIT 1') AS x (i int, a text)",
			state: log,
		},
		{
			entry: "connectby*",
			sql:   "SELECT * FROM connectby('victims', 'i', '(SELECT i FROM (SELECT " + emit + ") x)', '1', 1) AS c (i int, p int, l int)",
			state: log,
		},
	} {
		shown[try.entry] = true
		t.Run(try.entry, func(t *testing.T) {
			if strings.HasPrefix(try.entry, "pg_copy_") {
				exec("SELECT pg_create_physical_replication_slot('r', true)")
			}
			before := ""
			if try.state != "" {
				before = answer(t, admin, try.state)
			}
			var table warehousetest.Table
			if err := query(t, gated, try.sql); !refused(err) {
				t.Errorf("%s\nit passes the gate: %v", try.sql, err)
			}
			if _, err := c.Query(t.Context(), try.sql, nil, warehousetest.Wide, &table); err != nil {
				t.Fatalf("%s\nwithout the gate: %v", try.sql, err)
			}
			if try.state != "" {
				await(t, admin, try.state, func(after string) bool { return after != before })
			} else if got := fmt.Sprint(table.Rows); len(table.Rows) == 0 || try.want != "" && got != "[["+try.want+"]]" {
				t.Errorf("%s\n%s", try.sql, got)
			}
		})
	}
	// These do nothing on a server like that of the tests.
	documented := map[string]string{
		"pg_rotate_logfile*":       "functions-admin: signals the log-file manager, which starts a new file where there is one",
		"pg_stat_statements_reset": "pgstatstatements: discards statistics, where the library is preloaded",
		"pg_switch_xlog":           "release-10: the name of pg_switch_wal before",
		"pg_start_backup":          "release-15: the name of pg_backup_start before", "pg_stop_backup": "release-15: of pg_backup_stop",
		"pg_backup_stop":  "functions-admin: ends a backup, on a session that has begun one",
		"pg_promote":      "functions-admin: makes a standby the primary",
		"pgr_*":           "docs.pgrouting.org, Inner Queries: runs the queries that it is given; TestMadeSQL has functions of that shape",
		"_pgr_*":          "pgrouting's sql folder: the C code of pgr_*, of the same arguments",
		"pg_wal_replay_*": "functions-admin: pauses and resumes recovery of a standby",
	}
	for _, entry := range postgres.Effects() {
		if shown[entry] == (documented[entry] != "") {
			t.Errorf("%s is neither shown nor documented, or both", entry)
		}
	}
}

// TestRollbackStops: effects of functions that are not on the list are stopped by the transaction, or end with it.
func TestRollbackStops(t *testing.T) {
	admin, listener := connectTo(t, far.dsn), connectTo(t, far.dsn)
	if _, err := listener.Exec(t.Context(), "LISTEN news"); err != nil {
		t.Fatal(err)
	}
	const state = `SELECT concat((SELECT count(*) FROM pg_largeobject_metadata), (SELECT last_value FROM seq), (SELECT count(*) FROM orders),
		(SELECT count(*) FROM pg_collation))`
	before := answer(t, admin, state)
	for _, sql := range []string{
		"SELECT pg_notify('news', 'x')", "SELECT lo_creat(-1)", "SELECT lo_from_bytea(0, 'x')", "SELECT nextval('seq')",
		"SELECT setval('seq', 9)", "SELECT writes()",
		"SELECT pg_import_system_collations('pg_catalog')", "SELECT id FROM orders FOR UPDATE", "SELECT txid_current()",
	} {
		if err := query(t, open(t), sql); refused(err) && !strings.Contains(err.Error(), "only read") {
			t.Errorf("%s\nthe gate knows it: %v", sql, err)
		}
		if after := answer(t, admin, state); after != before {
			t.Errorf("%s\nit changed something: %s, not %s", sql, after, before)
		}
	}
	if _, err := admin.Exec(t.Context(), "NOTIFY news, 'last'"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if n, err := listener.WaitForNotification(ctx); err != nil || n.Payload != "last" {
		t.Errorf("%+v, %v", n, err)
	}
}

// TestNamesAreReadAsTheServerDoes: however a function is written.
func TestNamesAreReadAsTheServerDoes(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		"SELECT pg_terminate_backend(1)", "select PG_Terminate_Backend (1)", `SELECT "pg_terminate_backend"(1)`,
		"SELECT pg_catalog.pg_terminate_backend(1)", `SELECT "pg_catalog"."pg_terminate_backend"(1)`,
		"SELECT pg_catalog . pg_terminate_backend /* */ -- \n (1)", `SELECT U&"pg\005fterminate_backend"(1)`,
		`SELECT u&"pg!005fterminate_backend" UESCAPE '!' (1)`, "SELECT * FROM pg_terminate_backend(1)",
		"SELECT * FROM ROWS FROM (pg_terminate_backend(1))", "WITH x AS MATERIALIZED (SELECT pg_terminate_backend(1)) SELECT 1",
		"VALUES (pg_terminate_backend(1))", "SELECT id FROM orders ORDER BY pg_terminate_backend(1)",
		"SELECT 1 LIMIT pg_terminate_backend(1)::int",
		`SELECT E'\'', pg_terminate_backend(1) --'`, `SELECT '\', pg_terminate_backend(1) --'`, "SELECT $$'$$, pg_terminate_backend(1) --'",
		"SELECT /* /* */ ' */ pg_terminate_backend(1) --'", "SELECT $a$ $$ $a$, pg_terminate_backend(1)",
		"SELECT query_to_xml($1, true, true, '')", "SELECT query_to_xml('SELECT pg_terminate' || '_backend(1)', true, true, '')",
		"SELECT query_to_xml(note, true, true, '') FROM orders", `SELECT query_to_xml(E'SELECT pg_terminate\x5fbackend(1)', true, true, '')`,
		"SELECT query_to_xml($$SELECT query_to_xml('SELECT pg_terminate_backend(1)', true, true, '')$$, true, true, '')",
		"SELECT query_to_xml('SELECT pg_termin'\n'ate_backend(1)', true, true, '')",
		"SELECT query_to_xml(query => 'SELECT 1', nulls => true, tableforest => true, targetns => '')",
		"SELECT * FROM connectby('$a$', 'id', 'parent', '1', 0) AS t (id int, parent int, level int)",
		"SELECT * FROM xpath_table('a', 'b$', 'orders', '/a', 'true') AS x (i text, a text)",
		`SELECT query_to_xml(U&'SELECT pg\005fterminate_backend(1)', true, true, '')`, "SELECT ts_stat('SELECT 1; SELECT 2')",
	} {
		if err := postgres.Gate(sql); !refused(err) {
			t.Errorf("%s\nit passes: %v", sql, err)
		}
	}
}

// TestGateLetsAnalysisThrough: names, strings and columns that look like refused SQL are accepted.
func TestGateLetsAnalysisThrough(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		"SELECT 'pg_terminate_backend(1)', $$set_config('a', 'b', true)$$, $q$;$q$ -- pg_reload_conf()\n",
		`SELECT "dblink", set_config, o.lo_import FROM t o`, "SELECT E'it\\'s', '\\d+' ~ '\\\\', U&'\\0041', b'1', x'1F'",
		"SELECT a->>'b', a #>> '{c,d}', a ? 'e', b @> $1, c[1:2], d::numeric(10, 2) FROM t",
		"SELECT pg_sleep(0)", "SELECT query_to_xml('SELECT * FROM orders', true, true, '')",
		"SELECT * FROM crosstab('SELECT id, note, amount FROM orders ORDER BY 1, 2', $$VALUES ('n1'), ('n2')$$) AS c (id int, n1 numeric, " +
			"n2 numeric)",
		"SELECT my_own(1), pg_size_pretty(pg_database_size('postgres')), größe(2)",
		"SELECT * FROM connectby('tree', 'id', 'parent', '1', 0, '~') AS t (id int, parent int, level int, branch text)",
		"SELECT word FROM ts_stat('SELECT tags FROM t')", "TABLE orders", "VALUES (1), (2);", "((SELECT 1) UNION (SELECT 2)) ; ;",
		"SELECT /* nested /* comments */ end */ 1 /*+ IndexScan(t) */", "SELECT 1 AS läng, u & 1 FROM t u",
	} {
		if err := postgres.Gate(sql); err != nil {
			t.Errorf("%s\n%v", sql, err)
		}
	}
}

// TestStringsCannotBeReadOtherwise: a function of the database's owner makes the
// server read strings in another way after the gate has read them.
func TestStringsCannotBeReadOtherwise(t *testing.T) {
	sql := `SELECT plant() AS a, '\', pg_stat_reset()::text || '' AS b --'`
	if err := query(t, open(t), sql); !refused(err) {
		t.Errorf("%v", err)
	}
	admin := connectTo(t, far.dsn)
	if _, err := admin.Exec(t.Context(), "ALTER ROLE postgres SET standard_conforming_strings = off"); err != nil {
		t.Fatal(err)
	}
	defer admin.Exec(context.Background(), "ALTER ROLE postgres RESET standard_conforming_strings")
	var table warehousetest.Table
	if _, err := open(t).Query(t.Context(), `SELECT '\' AS a, 'b' AS `+
		`b`, nil, warehousetest.Wide, &table); err != nil || fmt.Sprint(table.Rows) != `[[\ b]]` {
		t.Errorf("%v, %v", table.Rows, err)
	}
}

func connectTo(t testing.TB, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func answer(t testing.TB, conn *pgx.Conn, sql string) string {
	t.Helper()
	var v any
	if err := conn.QueryRow(context.Background(), sql).Scan(&v); err != nil && !errors.Is(err, pgx.ErrNoRows) {
		t.Fatalf("%s: %v", sql, err)
	}
	return fmt.Sprint(v)
}

// await repeats a query until it returns the expected answer: signals take their time.
func await(t testing.TB, conn *pgx.Conn, sql string, done func(string) bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !done(answer(t, conn, sql)); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: %s", sql, answer(t, conn, sql))
		}
	}
}

func query(t testing.TB, c *postgres.Connector, sql string) error {
	_, err := c.Query(t.Context(), sql, nil, warehousetest.Wide, &warehousetest.Table{})
	return err
}

func refused(err error) bool {
	bad, ok := errors.AsType[*warehouse.Error](err)
	return ok && bad.Class == warehouse.Refused
}

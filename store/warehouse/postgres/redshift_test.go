package postgres_test

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/postgres"
	"service/store/warehouse/warehousetest"
)

// startRedshift starts a PostgreSQL with the views of Redshift's catalog that the connector reads, as "SVV_TABLES" and "SVV_COLUMNS"
// describe them. It is a stand-in for the protocol, the transactions and most of the SQL, and not for features that Redshift lacks or reads
// otherwise.
func startRedshift(t *testing.T) (*warehousetest.Server, *pgx.Conn) {
	t.Helper()
	server, err := warehousetest.StartPostgres()
	if server != nil {
		t.Cleanup(server.Stop)
	}
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), server.DSN)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), `
		CREATE TABLE orders (id int PRIMARY KEY, day date, amount numeric(10, 2), note varchar(100), tags text[]);
		INSERT INTO orders SELECT i, date '2026-01-01' + i % 30, i / 100.0, 'n' || i, NULL FROM generate_series(1, 20000) i;
		COMMENT ON COLUMN orders.id IS 'The number of the order';
		CREATE VIEW daily AS SELECT day, sum(amount) AS amount FROM orders GROUP BY day;
		CREATE FUNCTION writes() RETURNS int LANGUAGE sql AS 'INSERT INTO orders (id) VALUES (-1) RETURNING 1';
		CREATE SCHEMA rs;
		CREATE VIEW rs.svv_tables AS
		  SELECT current_database()::varchar(128) AS table_catalog,
		         n.nspname::varchar(128) AS table_schema, c.relname::varchar(128) AS table_name,
		         (CASE WHEN c.relkind = 'v' THEN 'VIEW' ELSE 'BASE TABLE' END)::varchar(128) AS table_type, NULL::varchar(256) AS remarks
		    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'v') AND n.nspname <> 'rs';
		CREATE VIEW rs.svv_columns AS
		  SELECT c.table_catalog, c.table_schema::varchar(128), c.table_name::varchar(128), c.column_name::varchar(128), c.ordinal_position::int,
		         c.is_nullable::varchar(3), c.data_type::varchar(128),
		         col_description((quote_ident(table_schema) || '.' || quote_ident(table_name))::regclass, ordinal_position)
		         ::varchar(256) AS remarks
		    FROM information_schema.columns c;
		CREATE ROLE conformance SUPERUSER LOGIN;
		ALTER ROLE conformance SET search_path = public, rs`); err != nil {
		t.Fatal(err)
	}
	return server, conn
}

// TestRedshiftConformance: see [startRedshift].
func TestRedshiftConformance(t *testing.T) {
	server, admin := startRedshift(t)
	at := func(t testing.TB, port int) warehouse.Connector {
		c, err := postgres.OpenRedshift(warehouse.Target{
			Host: "127.0.0.1", Port: port, Database: "postgres", User: "conformance", TLS: warehouse.TLSOff,
		}, warehouse.Dialer{AllowPrivate: true})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	day := time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)
	warehousetest.Run(t, warehousetest.Source{
		Open:    func(t testing.TB) warehouse.Connector { return at(t, server.Port) },
		Address: fmt.Sprint("127.0.0.1:", server.Port),
		At: func(t testing.TB, address string) warehouse.Connector {
			return at(t, int(netip.MustParseAddrPort(address).Port()))
		},
		Tables: []string{"daily view"},
		Clock: warehousetest.Clock{
			Moments: "generate_series(timestamptz '2026-02-25 00:00Z', timestamptz '2026-11-15 23:30Z', interval '30 min') AS x(m)",
			Hour:    "date_trunc('hour', m)", Day: "m::date", Week: "date_trunc('week', m)", Month: "date_trunc('month', m)",
			Midnight: "date_trunc('day', m)",
		},
		Values: []warehousetest.Value{
			{SQL: "1", Type: cube.Integer, Want: int64(1)},
			{SQL: "9007199254740993", Type: cube.Integer, Want: int64(9007199254740993)},
			{SQL: "1.50", Type: cube.Number, Want: 1.5},
			{SQL: "12345678901234567.89", Type: cube.Number, Want: cube.Decimal("12345678901234567.89")},
			{SQL: "'NaN'::float8", Type: cube.Number, Want: cube.Lost},
			{SQL: "true", Type: cube.Boolean, Want: true},
			{SQL: "'it''s'", Type: cube.Text, Want: "it's"},
			{SQL: "NULL", Type: cube.Text, Want: nil},
			{SQL: "date '2026-02-03'", Type: cube.Date, Want: day},
			{SQL: "timestamptz '2026-02-03 04:05:06+02'", Type: cube.Instant, Want: day.Add(2*time.Hour + 5*time.Minute + 6*time.Second)},
			{SQL: "timestamp '2026-02-03 04:05:06.5'", Type: cube.Timestamp, Want: day.Add(4*time.Hour + 5*time.Minute + 6500*time.Millisecond)},
		},
		Slow:    "SELECT count(*) AS n FROM orders a, orders b, orders c WHERE a.amount + b.amount < c.amount - 1e9",
		Endless: "SELECT a.id AS n FROM orders a, orders b, orders c",
		Long:    "SELECT repeat('x', 20000000) AS n",
		Mistakes: []warehousetest.Mistake{
			{SQL: "SELECT revenu FROM orders", Class: warehouse.Unknown, Line: 1, Names: `"revenu"`},
			{SQL: "SELECT 1\nFROM nowhere", Class: warehouse.Unknown, Line: 2, Names: `"nowhere"`},
			{SQL: "SELECT 1\n\nFROM orders WHER id = 1", Class: warehouse.Syntax, Line: 3, Names: `"id"`},
			{SQL: "SELECT note::int FROM orders", Class: warehouse.Type},
		},
		Attacks: redshiftAttacks,
		State: func(t testing.TB) (all string) {
			if err := admin.QueryRow(context.Background(), `
				SELECT concat_ws(' ', (SELECT concat(count(*), ' ', min(id), ' ', sum(amount)) FROM orders), (SELECT count(*) FROM pg_class),
				       (SELECT count(*) FROM pg_roles), (SELECT string_agg(concat(relname, relacl), ',' ORDER BY relname) FROM pg_class
				         WHERE relname = 'orders'), (SELECT string_agg(concat(setdatabase, setrole, setconfig), ',') FROM pg_db_role_setting))`,
			).Scan(&all); err != nil {
				t.Fatal(err)
			}
			return all
		},
		Running: func(t testing.TB) int { return running(t, admin) },
		Secrets: []string{"127.0.0.1", "usename"},
	})
}

// redshiftAttacks are the statements of Redshift that change something, and those of PostgreSQL that it shares.
var redshiftAttacks = append(attacks("/nowhere"),
	warehousetest.Attack{Name: "statements of Redshift", SQL: []string{
		"UNLOAD ('SELECT * FROM orders') TO 's3://bucket/' IAM_ROLE default", "COPY orders FROM 's3://bucket/' IAM_ROLE default",
		"CALL procedure()", "CREATE EXTERNAL SCHEMA s FROM DATA CATALOG DATABASE 'd' IAM_ROLE default", "CREATE DATASHARE d",
		"EXPLAIN ANALYZE SELECT writes()", "SELECT writes() AS n", "SELECT * INTO TEMP u FROM orders", "SET query_group TO 'x'",
		"GRANT ALL ON orders TO PUBLIC", "ANALYZE orders", "SELECT 1) AS q; DROP TABLE orders; --", "SELECT 1 AS n) AS q, (SELECT writes() AS m",
		"SELECT pg_terminate_backend(pg_backend_pid())", "SELECT set_config('a.b', 'c', false)",
	}},
	// Redshift reads a backslash as an escape, so that the string ends at another quote than the gate would find.
	warehousetest.Attack{Name: "backslashes", Class: warehouse.Refused, SQL: []string{
		`SELECT 'a\' AS n, '; DELETE FROM orders; --' AS m`, `SELECT 'a\\\' AS n`, `SELECT 'a\'' || writes() || ' AS n`,
	}},
)

// TestRedshiftReadsOnly: a connection reports that the server refused to write in its transactions, warns of a superuser, and tags its
// queries.
func TestRedshiftReadsOnly(t *testing.T) {
	t.Parallel()
	server, admin := startRedshift(t)
	target := warehouse.Target{Host: "127.0.0.1", Port: server.Port, Database: "postgres", User: "conformance", TLS: warehouse.TLSOff}
	c, err := postgres.OpenRedshift(target, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	facts, err := warehouse.Facts(t.Context(), c, "redshift", target)
	lines := fmt.Sprint(facts)
	for _, want := range []string{
		"{read-only transaction a table was refused}", "{version PostgreSQL ", "{signed in as conformance}", "{time limit 10s}",
	} {
		if err != nil || !strings.Contains(lines, want) {
			t.Errorf("%s is not in %s, %v", want, lines, err)
		}
	}
	if got := c.Warning(t.Context()); !strings.HasPrefix(got, "The warehouse user is a superuser.") {
		t.Errorf("the warning is %s", got)
	}
	if _, err := admin.Exec(t.Context(), "ALTER ROLE conformance NOSUPERUSER; GRANT SELECT ON orders TO conformance"); err != nil {
		t.Fatal(err)
	}
	if got := c.Warning(t.Context()); got != "" {
		t.Errorf("a reader: %s", got)
	}
	var n int
	const left = "SELECT count(*) FROM pg_class WHERE relname = 'service_tries_to_write'"
	if err := admin.QueryRow(t.Context(), left).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d tables are left, %v", n, err)
	}
	// A wrong password and a database that does not exist are errors in our words.
	target.Database = "nowhere"
	if c, err = postgres.OpenRedshift(target, warehouse.Dialer{AllowPrivate: true}); err != nil {
		t.Fatal(err)
	}
	if err := c.Ping(t.Context()); err == nil || err.Error() != warehouse.SayNoDatabase {
		t.Error(err)
	}
}

// TestRedshiftTags: the tags of a query are its query group, in which they cannot end the string.
func TestRedshiftTags(t *testing.T) {
	t.Parallel()
	for want, tags := range map[string]map[string]string{
		"dashboard=d workspace=w": {"workspace": "w", "dashboard": "d"}, "a=-- DROP": {"a": `'\ DROP`}, "": nil,
	} {
		if got := postgres.Tagged(tags); got != want {
			t.Errorf("%v: %q", tags, got)
		}
	}
}

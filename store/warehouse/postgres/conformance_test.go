package postgres_test

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/postgres"
	"service/store/warehouse/warehousetest"
)

func TestConformance(t *testing.T) {
	admin, err := pgx.Connect(t.Context(), far.dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin.Close(context.Background()) })
	escaped := filepath.Join(t.TempDir(), "escaped")
	if _, err := admin.Exec(t.Context(), "SELECT pg_advisory_lock(7)"); err != nil {
		t.Fatal(err)
	}
	connect := func(t testing.TB, to warehouse.Target) warehouse.Connector {
		to.User = "conformance"
		c, err := postgres.Open(to, warehouse.Dialer{AllowPrivate: true})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	day := time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)
	warehousetest.Run(t, warehousetest.Source{
		Open:    func(t testing.TB) warehouse.Connector { return connect(t, target()) },
		Address: fmt.Sprint("127.0.0.1:", far.port),
		At: func(t testing.TB, address string) warehouse.Connector {
			to := target()
			to.Port = int(netip.MustParseAddrPort(address).Port())
			return connect(t, to)
		},
		Tables: []string{"daily view", "paid view"},
		Bombs: []string{
			"SELECT length(repeat('x', 1000000000)) AS n",
			"SELECT length(repeat(repeat('x', 1000000), 1000)) AS n",
			"SELECT length(lpad('x', 1000000000, 'y')) AS n",
			"SELECT length(string_agg(repeat('x', 1000000), '')) AS n FROM generate_series(1, 900)",
			"SELECT cardinality(array_agg(g)) AS n FROM generate_series(1, 1000000000) AS g",
			"SELECT jsonb_array_length(jsonb_agg(g)) AS n FROM generate_series(1, 1000000000) AS g",
			"SELECT count(*) AS n FROM (SELECT DISTINCT md5(g::text) FROM generate_series(1, 1000000000) AS g) AS q",
			"SELECT md5(g::text) AS h, count(*) AS n FROM generate_series(1, 1000000000) AS g GROUP BY 1 ORDER BY 2 LIMIT 1",
			"SELECT g FROM generate_series(1, 1000000000) AS g ORDER BY md5(g::text) LIMIT 1",
			"SELECT max(length(g)) AS n FROM regexp_split_to_table(repeat('a,', 100000000), ',') AS g",
			"WITH RECURSIVE r AS (SELECT 'x' AS s UNION ALL SELECT s || s FROM r) SELECT max(length(s)) AS n FROM r",
			"WITH r AS MATERIALIZED (SELECT repeat('x', 1000) AS s FROM generate_series(1, 100000000)) SELECT count(*) AS n FROM r a, r b",
		},
		Resident: func(t testing.TB) int {
			var pid int // of a backend, which is a child of the server
			if err := admin.QueryRow(context.Background(), "SELECT pg_backend_pid()").Scan(&pid); err != nil {
				t.Fatal(err)
			}
			return warehousetest.Resident(t, warehousetest.Parent(t, pid))
		},
		Clock: warehousetest.Clock{
			Moments: "generate_series(timestamptz '2026-02-25 00:00Z', timestamptz '2026-11-15 23:30Z', interval '30 min') AS x(m)",
			Hour:    "date_trunc('hour', m)", Day: "m::date", Week: "date_trunc('week', m)", Month: "date_trunc('month', m)",
			Midnight: "date_trunc('day', m)",
		},
		Values: []warehousetest.Value{
			{SQL: "1", Type: cube.Integer, Want: int64(1)},
			{SQL: "1::int2", Type: cube.Integer, Want: int64(1)},
			{SQL: "9007199254740993", Type: cube.Integer, Want: int64(9007199254740993)},
			{SQL: "1.5", Type: cube.Number, Want: 1.5},
			{SQL: "0.1::float4", Type: cube.Number, Want: 0.1},
			{SQL: "'NaN'::float8", Type: cube.Number, Want: cube.Lost},
			{SQL: "1.50", Type: cube.Number, Want: 1.5},
			{SQL: "12345678901234567.89", Type: cube.Number, Want: cube.Decimal("12345678901234567.89")},
			{SQL: "0.1 + 0.2", Type: cube.Number, Want: 0.3},
			{SQL: "0.1::float8 + 0.2::float8", Type: cube.Number, Want: 0.30000000000000004},
			{SQL: "sum(9223372036854775807) OVER ()", Type: cube.Number, Want: cube.Decimal("9223372036854775807")},
			{SQL: "12345678901234567890::numeric(20)", Type: cube.Integer, Want: cube.Decimal("12345678901234567890")},
			{SQL: "-1e-30::numeric", Type: cube.Number, Want: -1e-30},
			{SQL: "'NaN'::numeric", Type: cube.Number, Want: cube.Lost},
			{SQL: "'-infinity'::numeric", Type: cube.Number, Want: cube.Lost},
			{SQL: "true", Type: cube.Boolean, Want: true},
			{SQL: "'it''s'", Type: cube.Text, Want: "it's"},
			{SQL: "NULL", Type: cube.Text, Want: nil},
			{SQL: "NULL::date", Type: cube.Date, Want: nil},
			{SQL: "date '2026-02-03'", Type: cube.Date, Want: day},
			{SQL: "timestamptz '2026-02-03 04:05:06+02'", Type: cube.Instant, Want: day.Add(2*time.Hour + 5*time.Minute + 6*time.Second)},
			{SQL: "timestamp '2026-02-03 04:05:06.5'", Type: cube.Timestamp, Want: day.Add(4*time.Hour + 5*time.Minute + 6500*time.Millisecond)},
			{SQL: "'infinity'::date", Type: cube.Date, Want: cube.Lost},
			{SQL: "'-infinity'::date", Type: cube.Date, Want: cube.Lost},
			{SQL: "'infinity'::timestamp", Type: cube.Timestamp, Want: cube.Lost},
			{SQL: "'-infinity'::timestamptz", Type: cube.Instant, Want: cube.Lost},
			{SQL: "ARRAY[1, 2]", Type: cube.Text, Want: "{1,2}"},
			{SQL: `'{"a":1}'::jsonb`, Type: cube.Text, Want: `{"a": 1}`},
			{SQL: `'\x00ff'::bytea`, Type: cube.Text, Want: `\x00ff`},
			{SQL: "interval '1 day'", Type: cube.Text, Want: "1 day"},
		},
		Slow: "SELECT count(*) AS n FROM orders a, orders b, orders c WHERE a.amount + b.amount < c.amount - 1e9",
		Runaways: []string{
			"SELECT pg_sleep(60)::text AS n",
			"SELECT waits()::text AS n", // for a lock that somebody else has
			"SELECT count(*) AS n FROM generate_series(1, 100000) a, generate_series(1, 100000) b, generate_series(1, 100000) c",
			"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT count(*) AS n FROM r",
			"SELECT stubborn() AS n", // which catches a cancellation and continues
			"SELECT stubborn() AS n UNION SELECT stubborn()",
		},
		Endless: "SELECT a.id AS n FROM orders a, orders b, orders c",
		Long:    "SELECT repeat('x', 20000000) AS n",
		Mistakes: []warehousetest.Mistake{
			{SQL: "SELECT revenu FROM orders", Class: warehouse.Unknown, Line: 1, Names: `"revenu"`},
			{SQL: "SELECT 1\nFROM nowhere", Class: warehouse.Unknown, Line: 2, Names: `"nowhere"`},
			{SQL: "SELECT 1\n\nFROM orders WHER id = 1", Class: warehouse.Syntax, Line: 3, Names: `"id"`},
			{SQL: "SELECT note::int FROM orders", Class: warehouse.Type},
			{SQL: "SELECT 1e400::numeric AS v", Class: warehouse.Type, Names: `"v"`},
		},
		Attacks: attacks(escaped),
		State: func(t testing.TB) (all string) {
			// A session holds its locks until the server has noticed that its client left.
			for end := time.Now().Add(20 * time.Second); running(t, admin) > 0 && time.Now().Before(end); {
				time.Sleep(5 * time.Millisecond)
			}
			if err := admin.QueryRow(context.Background(), `
				SELECT concat_ws(' ', (SELECT concat(count(*), ' ', min(id), ' ', sum(amount), ' ', count(*) FILTER (WHERE paid)) FROM orders),
				(SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_roles),
				       (SELECT count(*) FROM pg_database), (SELECT last_value FROM seq), (SELECT count(*) FROM pg_proc), (SELECT count(*) FROM
				pg_extension), (SELECT count(*) FROM pg_largeobject_metadata),
				       (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'), (SELECT count(*) FROM pg_replication_slots), (SELECT count(*)
				FROM pg_prepared_xacts), (SELECT string_agg(concat(relname, relacl), ',' ORDER BY relname) FROM pg_class WHERE relname = 'orders'),
				       (SELECT string_agg(setting, ',' ORDER BY name) FROM pg_settings WHERE source = 'configuration file'), (SELECT
				string_agg(concat(setdatabase, setrole, setconfig), ',') FROM pg_db_role_setting))`).Scan(&all); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(escaped); err == nil {
				all += " a file was written"
			}
			return all
		},
		Running: func(t testing.TB) int { return running(t, admin) },
		Secrets: []string{"127.0.0.1", "usename"},
	})
}

// running counts the sessions of the suite's user.
func running(t testing.TB, admin *pgx.Conn) (n int) {
	t.Helper()
	if err := admin.QueryRow(context.Background(),
		"SELECT count(*) FROM pg_stat_activity WHERE usename = 'conformance'").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestConcurrency(t *testing.T) {
	t.Parallel()
	warehousetest.Concurrency(t, open(t), "SELECT pg_sleep(60)::text AS n")
}

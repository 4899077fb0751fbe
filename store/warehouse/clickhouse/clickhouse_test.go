package clickhouse_test

import (
	"context"
	"net"
	"os"
	"strconv"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/clickhouse"
	"service/store/warehouse/warehousetest"
)

// TestConformance needs a server to write to, as a user who may do anything:
// clickhouse://user:password@host:9000/database.
func TestConformance(t *testing.T) {
	dsn := os.Getenv("TEST_CLICKHOUSE_DSN")
	if dsn == "" {
		t.Skip("TEST_CLICKHOUSE_DSN names no ClickHouse to test against")
	}
	options, err := driver.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	admin, err := driver.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	const database = "conformance"
	for _, sql := range []string{
		"DROP DATABASE IF EXISTS " + database, "CREATE DATABASE " + database,
		"CREATE TABLE " + database + ".orders (id Int32, day Date, amount Decimal(12, 2), note String) ENGINE = MergeTree ORDER BY id",
		"INSERT INTO " + database + ".orders SELECT number + 1, toDate('2026-01-01') + (number + 1) % 30, toDecimal64(number + 1, 2) / 100, concat('n', toString(number + 1)) FROM numbers(20000)",
		"CREATE VIEW " + database + ".early AS SELECT * FROM " + database + ".orders WHERE day < '2026-01-10'",
	} {
		if err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		admin.Exec(context.Background(), "DROP DATABASE "+database)
		admin.Close()
	})
	host, port, err := net.SplitHostPort(options.Addr[0])
	if err != nil {
		t.Fatal(err)
	}
	to := warehouse.Target{Host: host, Database: database, User: options.Auth.Username, Password: options.Auth.Password, TLS: warehouse.TLSOff}
	to.Port, _ = strconv.Atoi(port)
	if options.TLS != nil {
		to.TLS = warehouse.TLSRequire
	}
	one := func(sql string) string {
		var s string
		if err := admin.QueryRow(context.Background(), sql).Scan(&s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	warehousetest.Run(t, warehousetest.Source{
		Open: func(t testing.TB) warehouse.Connector {
			c, err := clickhouse.Open(to, warehouse.Dialer{AllowPrivate: true})
			if err != nil {
				t.Fatal(err)
			}
			return c
		},
		Tables: []string{"early view"},
		Values: []warehousetest.Value{
			{SQL: "1", Type: cube.Integer, Want: int64(1)},
			{SQL: "toUInt64(5)", Type: cube.Integer, Want: int64(5)},
			{SQL: "toUInt64(18446744073709551615)", Type: cube.Number, Want: float64(18446744073709551615), Described: cube.Integer},
			{SQL: "1.5", Type: cube.Number, Want: 1.5},
			{SQL: "toDecimal64(1.25, 2)", Type: cube.Number, Want: 1.25},
			{SQL: "nan", Type: cube.Number, Want: nil},
			{SQL: "true", Type: cube.Boolean, Want: true},
			{SQL: "'it''s'", Type: cube.Text, Want: "it's"},
			{SQL: "CAST(NULL AS Nullable(Date))", Type: cube.Date, Want: nil},
			{SQL: "toDate('2026-02-03')", Type: cube.Date, Want: time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)},
			{SQL: "toDateTime64('2026-02-03 04:05:06.5', 3, 'UTC')", Type: cube.Timestamp, Want: time.Date(2026, 2, 3, 4, 5, 6, 5e8, time.UTC)},
			{SQL: "[1, 2]", Type: cube.Text, Want: "[1,2]"},
		},
		Slow:    "SELECT count() AS n FROM orders AS a, orders AS b, orders AS c WHERE a.id * b.id < c.id - 1000000000",
		Endless: "SELECT number AS n FROM numbers(1000000000000)",
		Long:    "SELECT repeat('x', 900000) || repeat('y', 900000) AS n",
		Mistakes: []warehousetest.Mistake{
			{SQL: "SELECT revenu FROM orders", Class: warehouse.Unknown},
			{SQL: "SELECT 1 FROM nowhere", Class: warehouse.Unknown},
			{SQL: "DELETE FROM orders", Class: warehouse.Refused, Line: 1},
		},
		Attacks: []warehousetest.Attack{
			{Name: "writes", SQL: []string{"INSERT INTO orders VALUES (0, '2026-01-01', 0, '')", "DROP TABLE orders", "ALTER TABLE orders DELETE WHERE 1", "TRUNCATE TABLE orders"}},
			{Name: "other systems", SQL: []string{"SELECT * FROM url('http://127.0.0.1:1/', CSV)", "SELECT * FROM remote('127.0.0.1', system.one)", "SELECT * FROM file('x')"}},
			{Name: "settings", SQL: []string{"SELECT 1 SETTINGS readonly = 0", "SET readonly = 0"}},
		},
		Strict: true,
		State: func(testing.TB) string {
			return one("SELECT concat(toString(count()), toString(sum(amount))) FROM "+database+".orders") + one("SELECT toString(groupArray(name)) FROM (SELECT name FROM system.tables WHERE database = '"+database+"' ORDER BY name)")
		},
		Secrets: []string{host + ":"},
	})
}

func TestReachingAWarehouse(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	port := silent.Addr().(*net.TCPAddr).Port
	for _, try := range []struct {
		target warehouse.Target
		dialer warehouse.Dialer
		want   string
	}{
		{warehouse.Target{Host: "127.0.0.1", Port: port, TLS: warehouse.TLSOff}, warehouse.Dialer{}, "The host leads to a private or local address, which this installation does not reach. The operator can allow it with SERVICE_ALLOW_PRIVATE_WAREHOUSES."},
		{warehouse.Target{Host: "127.0.0.1", Port: port, TLS: warehouse.TLSVerify}, warehouse.Dialer{}, "The host leads to a private or local address, which this installation does not reach. The operator can allow it with SERVICE_ALLOW_PRIVATE_WAREHOUSES."},
		{warehouse.Target{Host: "127.0.0.1", Port: port, TLS: warehouse.TLSOff}, warehouse.Dialer{AllowPrivate: true}, "The host did not answer in time. Check address, port and firewall."},
		{warehouse.Target{Host: "127.0.0.1", Port: port, TLS: warehouse.TLSVerify}, warehouse.Dialer{AllowPrivate: true}, "The host did not answer in time. Check address, port and firewall."},
	} {
		c, err := clickhouse.Open(try.target, try.dialer)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		start := time.Now()
		err = c.Ping(ctx)
		cancel()
		if err == nil || err.Error() != try.want {
			t.Errorf("%+v: %v", try.target, err)
		}
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("it took %s", took)
		}
	}
}

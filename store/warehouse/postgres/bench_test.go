package postgres_test

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"service/store/warehouse"
	"service/store/warehouse/postgres"
	"service/store/warehouse/warehousetest"
)

// BenchmarkAggregate compares a dashboard's query over a million rows with the same one by pgx alone, on a connection that is already open.
// The difference is the cost of the connection, the read-only transaction and the mapping of values.
//
// BenchmarkStream does the same with 100,000 rows that are read.
func BenchmarkAggregate(b *testing.B) {
	compare(b, "SELECT date '2026-01-01' + (i % 365)::int AS day, i % 7 AS channel, sum(i)::numeric / 100 AS revenue, "+
		"count(*) AS orders FROM million GROUP BY 1, 2", 2555)
}

func BenchmarkStream(b *testing.B) {
	compare(b, "SELECT i, i / 7.0 AS part, 'note ' || i AS note FROM million WHERE i <= 100000", 100_000)
}

// BenchmarkFar reads ten rows of a warehouse that is 10 ms away, such as one in another data centre: what counts are the round trips.
func BenchmarkFar(b *testing.B) {
	p := warehousetest.NewProxy(b, fmt.Sprint("127.0.0.1:", far.port))
	p.Delay(10 * time.Millisecond)
	const sql = "SELECT id, note FROM orders WHERE id <= 10"
	to := target()
	to.Port = int(netip.MustParseAddrPort(p.Address).Port())
	b.Run("connector", func(b *testing.B) {
		c, err := postgres.Open(to, warehouse.Dialer{AllowPrivate: true})
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			var got warehousetest.Table
			if _, err := c.Query(b.Context(), sql, nil, warehousetest.Wide, &got); err != nil || len(got.Rows) != 10 {
				b.Fatal(len(got.Rows), err)
			}
		}
	})
	b.Run("pgx, connecting", func(b *testing.B) {
		for b.Loop() {
			conn, err := pgx.Connect(b.Context(), fmt.Sprintf("postgres://postgres@%s/postgres?sslmode=disable", p.Address))
			if err != nil {
				b.Fatal(err)
			}
			rows, err := conn.Query(b.Context(), sql)
			if err != nil {
				b.Fatal(err)
			}
			if all, err := pgx.CollectRows(rows, pgx.RowToMap); err != nil || len(all) != 10 {
				b.Fatal(len(all), err)
			}
			conn.Close(b.Context())
		}
	})
}

// BenchmarkGivingUp is how long a query that runs away outlives its limit.
func BenchmarkGivingUp(b *testing.B) {
	conn, err := pgx.Connect(b.Context(), far.dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(context.Background())
	to := target()
	to.User = "conformance"
	c, err := postgres.Open(to, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		b.Fatal(err)
	}
	warehousetest.BenchmarkGivingUp(b, c, func(t testing.TB) int { return running(t, conn) },
		"SELECT pg_sleep(60)::text AS n", "SELECT count(*) AS n FROM orders a, orders b, orders c WHERE a.amount + b.amount < c.amount - 1e9",
		"SELECT stubborn() AS n")
}

func compare(b *testing.B, sql string, rows int) {
	conn, err := pgx.Connect(b.Context(), far.dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(b.Context(), "CREATE TABLE IF NOT EXISTS million AS SELECT i "+
		"FROM generate_series(1::bigint, 1000000) AS i; ANALYZE million"); err != nil {
		b.Fatal(err)
	}
	b.Run("connector", func(b *testing.B) {
		c := open(b)
		for b.Loop() {
			var s sink
			if _, err := c.Query(b.Context(), sql, nil, warehouse.Limits{Rows: 200_000, Bytes: 64 << 20, Time: time.Minute}, &s); err != nil ||
				len(s.rows) != rows {
				b.Fatal(len(s.rows), err)
			}
		}
	})
	b.Run("pgx", func(b *testing.B) {
		for b.Loop() {
			found, err := conn.Query(b.Context(), sql)
			if err != nil {
				b.Fatal(err)
			}
			all, err := pgx.CollectRows(found, func(row pgx.CollectableRow) ([]any, error) { return row.Values() })
			if err != nil || len(all) != rows {
				b.Fatal(len(all), err)
			}
		}
	})
}

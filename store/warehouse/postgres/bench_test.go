package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"service/store/warehouse"
)

// BenchmarkAggregate sets a dashboard's question over a million rows beside the
// same one asked by pgx alone, on a connection that is already open. What is
// ours are the connection, the read-only transaction and the mapping of values.
//
// BenchmarkStream does the same with 100,000 rows that are read.
func BenchmarkAggregate(b *testing.B) {
	compare(b, "SELECT date '2026-01-01' + (i % 365)::int AS day, i % 7 AS channel, sum(i)::numeric / 100 AS revenue, count(*) AS orders FROM million GROUP BY 1, 2", 2555)
}

func BenchmarkStream(b *testing.B) {
	compare(b, "SELECT i, i / 7.0 AS part, 'note ' || i AS note FROM million WHERE i <= 100000", 100_000)
}

func compare(b *testing.B, sql string, rows int) {
	conn, err := pgx.Connect(b.Context(), far.dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(b.Context(), "CREATE TABLE IF NOT EXISTS million AS SELECT i FROM generate_series(1::bigint, 1000000) AS i; ANALYZE million"); err != nil {
		b.Fatal(err)
	}
	b.Run("connector", func(b *testing.B) {
		c := open(b)
		for b.Loop() {
			var s sink
			if _, err := c.Query(b.Context(), sql, nil, warehouse.Limits{Rows: 200_000, Bytes: 64 << 20, Time: time.Minute}, &s); err != nil || len(s.rows) != rows {
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

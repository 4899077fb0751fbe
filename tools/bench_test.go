package tools_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store"
	"service/store/warehouse"
	"service/store/warehouse/duckdb"
	"service/store/warehouse/duckdb/worker"
	"service/store/warehouse/postgres"
	"service/store/warehouse/warehousetest"
)

// BenchmarkExploreData measures a call of a client over HTTP, without the check of its
// token. The file has the largest size of an upload. In cold there is no worker yet;
// warm is every call after the first.
func BenchmarkExploreData(b *testing.B) {
	const grouped = "SELECT channel, sum(amount) AS revenue, count(*) AS orders FROM %s GROUP BY channel ORDER BY channel"
	explore := func(b *testing.B, w *world, connection, upload uuid.UUID, sql string) {
		args := fmt.Sprintf(`{"connection":"%s","sql":"%s"}`, connection, sql)
		if upload != uuid.Nil {
			args = fmt.Sprintf(`{"connection":"%s","upload":"%s","sql":"%s"}`, connection, upload, sql)
		}
		call := func() {
			if r := w.call("explore_data", args); r.IsError || r.Internal != "" {
				b.Fatal(r.Text, r.Internal)
			}
		}
		call() // from here on, the caches are warm
		for b.Loop() {
			call()
		}
	}
	for name, idle := range map[string]time.Duration{"upload/warm": time.Minute, "upload/cold": 1} {
		b.Run(name, func(b *testing.B) {
			e, err := duckdb.New(duckdb.Config{
				Argv: []string{os.Args[0], worker.Command}, Dir: b.TempDir(), Log: slog.New(slog.DiscardHandler), Idle: idle,
			})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { e.Close() })
			w := newWorld(b, e)
			up, err := w.Uploads.AddUpload(b.Context(), w.members["ada@acme"], "sales.csv", sales())
			w.must(err)
			explore(b, w, up.Connection.ID, up.Upload.ID, fmt.Sprintf(grouped, "upload"))
		})
	}
	server, err := warehousetest.StartPostgres()
	if server != nil {
		b.Cleanup(server.Stop)
	}
	if err != nil {
		b.Fatal(err)
	}
	conn, err := pgx.Connect(b.Context(), server.DSN)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close(b.Context()) })
	if _, err := conn.Exec(b.Context(), "CREATE TABLE sales AS SELECT 'channel ' || i % 7 AS channel, i / 100.0 AS amount "+
		"FROM generate_series(1, 10000) AS i"); err != nil {
		b.Fatal(err)
	}
	sql := fmt.Sprintf(grouped, "sales")
	b.Run("postgres", func(b *testing.B) {
		w := newWorld(b, newEngine(b), func(o *store.Options) {
			o.Warehouses = map[string]store.Open{"postgres": func(warehouse.Target) (warehouse.Connector, error) {
				return postgres.Open(warehouse.Target{
					Host: "127.0.0.1", Port: server.Port, Database: "postgres", User: "postgres", TLS: warehouse.TLSOff,
				}, warehouse.Dialer{AllowPrivate: true})
			}}
		})
		explore(b, w, w.warehouse("ada@acme", "sales", "db.example"), uuid.Nil, sql)
	})
	alone := func(b *testing.B, conn *pgx.Conn) {
		rows, err := conn.Query(b.Context(), sql)
		if err == nil {
			_, err = pgx.CollectRows(rows, pgx.RowToMap)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Run("pgx/open", func(b *testing.B) {
		for b.Loop() {
			alone(b, conn)
		}
	})
	b.Run("pgx/connecting", func(b *testing.B) {
		for b.Loop() {
			conn, err := pgx.Connect(b.Context(), server.DSN)
			if err != nil {
				b.Fatal(err)
			}
			alone(b, conn)
			conn.Close(b.Context())
		}
	})
}

// sales returns a CSV of nearly 5 MiB that hardly compresses.
func sales() []byte {
	var s strings.Builder
	s.WriteString("day,channel,amount,note\n")
	r := rand.New(rand.NewPCG(1, 2))
	for i := 0; s.Len() < 5<<20-100; i++ {
		fmt.Fprintf(&s, "2026-%02d-%02d,channel %d,%d.%02d,%x\n", i%12+1, i%28+1, i%7, i%1000, i%100, r.Uint64())
	}
	return []byte(s.String())
}

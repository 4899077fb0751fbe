package worker_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/google/uuid"

	"service/store/warehouse"
	"service/store/warehouse/duckdb"
	"service/store/warehouse/duckdb/worker"
	"service/store/warehouse/warehousetest"
)

// These benchmarks compare a worker with the engine alone, in this process, with the same threads: of all packages, this one may open it.

func TestMain(m *testing.M) {
	worker.Dispatch()
	os.Exit(m.Run())
}

func engine(b *testing.B) *duckdb.Engine {
	b.Helper()
	e, err := duckdb.New(duckdb.Config{Argv: []string{os.Args[0], worker.Command}, Log: slog.New(slog.DiscardHandler), Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { e.Close() })
	return e
}

// plain opens the engine alone.
func plain(b *testing.B) *sql.DB {
	b.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	must(b, db, "SET threads = 2")
	return db
}

func must(b *testing.B, db *sql.DB, statement string) {
	b.Helper()
	if _, err := db.ExecContext(b.Context(), statement); err != nil {
		b.Fatal(err)
	}
}

// rows queries db and reads every value.
func rows(ctx context.Context, db *sql.DB, question string) (n int, err error) {
	found, err := db.QueryContext(ctx, question)
	if err != nil {
		return 0, err
	}
	defer found.Close()
	cols, err := found.Columns()
	if err != nil {
		return 0, err
	}
	row := make([]any, len(cols))
	for i := range row {
		row[i] = new(any)
	}
	for ; found.Next(); n++ {
		if err := found.Scan(row...); err != nil {
			return n, err
		}
	}
	return n, found.Err()
}

// million makes a file of 1,000,000 sales, as small as an upload has to be.
func million(b *testing.B) (path string, data []byte) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "million.parquet")
	must(b, plain(b), `COPY (SELECT DATE '2025-01-01' + CAST(i % 365 AS INTEGER) AS day, 'channel ' || i % 7 AS channel, i % 50 AS region,
		i * 7919 % 10007 / 100 AS amount
		FROM range(1000000) AS t(i)) TO '`+path+`' (FORMAT parquet, COMPRESSION zstd)`)
	data, err := os.ReadFile(path)
	if err != nil || len(data) > 5<<20 {
		b.Fatal(len(data), err)
	}
	return path, data
}

// uploaded takes data in and returns a connector to it, in a workspace of its own.
func uploaded(b *testing.B, e *duckdb.Engine, name string, data []byte) func() warehouse.Connector {
	b.Helper()
	in, err := e.Ingest(b.Context(), warehouse.Tenant{Workspace: uuid.Nil}, warehouse.DataFile{Name: name, Data: data})
	if err != nil {
		b.Fatal(err)
	}
	return func() warehouse.Connector {
		return e.Open(warehouse.Tenant{Workspace: uuid.New()}, "upload",
			[]warehouse.DataTable{{Name: "upload", Format: "parquet", Data: in.Parquet}})
	}
}

// BenchmarkQuestion queries 1,000,000 rows that are in memory, as they are from a client's second question on.
func BenchmarkQuestion(b *testing.B) {
	path, data := million(b)
	c := uploaded(b, engine(b), "million.parquet", data)()
	if err := c.Ping(b.Context()); err != nil { // it is warm from here on
		b.Fatal(err)
	}
	db := plain(b)
	must(b, db, "CREATE TABLE upload AS SELECT * FROM '"+path+"'")
	for _, q := range []struct {
		name, sql string
		rows      int
	}{
		{"aggregate", "SELECT day, channel, sum(amount) AS revenue, count(*) AS orders FROM upload GROUP BY ALL", 2555},
		{"rows", "SELECT * FROM upload LIMIT 1000", 1000},
		{"preview", "SELECT * FROM upload LIMIT 20", 20},
	} {
		b.Run(q.name+"/worker", func(b *testing.B) {
			for b.Loop() {
				var got warehousetest.Table
				if _, err := c.Query(b.Context(), q.sql, nil, warehousetest.Wide, &got); err != nil || len(got.Rows) != q.rows {
					b.Fatal(len(got.Rows), err)
				}
			}
		})
		b.Run(q.name+"/plain", func(b *testing.B) {
			for b.Loop() {
				if n, err := rows(b.Context(), db, q.sql); err != nil || n != q.rows {
					b.Fatal(n, err)
				}
			}
		})
	}
}

// BenchmarkFirstQuestion starts what answers and gives it the 1,000,000 rows.
func BenchmarkFirstQuestion(b *testing.B) {
	path, data := million(b)
	const question = "SELECT channel, sum(amount) AS revenue FROM upload GROUP BY channel"
	b.Run("worker", func(b *testing.B) {
		open := uploaded(b, engine(b), "million.parquet", data)
		for b.Loop() {
			var got warehousetest.Table
			if _, err := open().Query(b.Context(), question, nil, warehousetest.Wide, &got); err != nil || len(got.Rows) != 7 {
				b.Fatal(len(got.Rows), err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			db := plain(b)
			must(b, db, "CREATE TABLE upload AS SELECT * FROM '"+path+"'")
			if n, err := rows(b.Context(), db, question); err != nil || n != 7 {
				b.Fatal(n, err)
			}
			db.Close()
		}
	})
}

// BenchmarkIngest converts a file of the largest size of an upload, and compares that with the engine's own reader writing Parquet.
func BenchmarkIngest(b *testing.B) {
	var text []byte
	text = append(text, "id,day,channel,region,amount,paid,note\n"...)
	for i := 1; ; i++ {
		line := fmt.Appendf(nil, "%d,2025-%02d-%02d,channel %d,region %d,%d.%02d,%t,note %d of it\n",
			i, i%12+1, i%28+1, i%7, i%50, i*7919%10007, i%100, i%3 == 0, i)
		if len(text)+len(line) > 5<<20 {
			break
		}
		text = append(text, line...)
	}
	_, columns := million(b)
	for _, file := range []struct {
		name, read string
		data       []byte
	}{
		{"sales.csv", "read_csv", text},
		{"sales.parquet", "read_parquet", columns},
	} {
		b.Run(file.name+"/worker", func(b *testing.B) {
			e := engine(b)
			b.SetBytes(int64(len(file.data)))
			for b.Loop() {
				in := warehouse.DataFile{Name: file.name, Data: file.data}
				if _, err := e.Ingest(b.Context(), warehouse.Tenant{Workspace: uuid.Nil}, in); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(file.name+"/plain", func(b *testing.B) {
			dir := b.TempDir()
			from, to := filepath.Join(dir, file.name), filepath.Join(dir, "out.parquet")
			b.SetBytes(int64(len(file.data)))
			for b.Loop() {
				if err := os.WriteFile(from, file.data, 0o600); err != nil {
					b.Fatal(err)
				}
				db := plain(b)
				must(b, db, "COPY (SELECT * FROM "+file.read+"('"+from+"')) TO '"+to+"' (FORMAT parquet, COMPRESSION zstd)")
				if _, err := os.ReadFile(to); err != nil {
					b.Fatal(err)
				}
				db.Close()
			}
		})
	}
}

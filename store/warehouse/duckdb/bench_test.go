package duckdb_test

import (
	"testing"

	"github.com/google/uuid"

	"service/store/warehouse"
)

// BenchmarkWarm is a tool call on a worker that has the data.
func BenchmarkWarm(b *testing.B) {
	e := newEngine(b)
	in, err := e.Ingest(b.Context(), "birdstrikes.csv", real(b, "birdstrikes.csv"))
	if err != nil {
		b.Fatal(err)
	}
	c := e.Open(uuid.New(), "upload", upload(in.Parquet))
	if err := c.Ping(b.Context()); err != nil {
		b.Fatal(err)
	}
	for name, sql := range map[string]string{
		"aggregate": `SELECT "Origin State" AS state, count(*) AS n FROM upload GROUP BY ALL ORDER BY n DESC`,
		"rows":      "SELECT * FROM upload LIMIT 1000",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := ask(b.Context(), c, sql); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("describe", func(b *testing.B) {
		for b.Loop() {
			if _, err := c.Describe(b.Context(), "SELECT * FROM upload", nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkCold starts a process, loads 10,000 rows and asks one question.
func BenchmarkCold(b *testing.B) {
	e := newEngine(b)
	in, err := e.Ingest(b.Context(), "birdstrikes.csv", real(b, "birdstrikes.csv"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c := e.Open(uuid.New(), "upload", upload(in.Parquet))
		if _, _, err := ask(b.Context(), c, "SELECT count(*) FROM upload"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIngest reads 1.2 MB of CSV.
func BenchmarkIngest(b *testing.B) {
	e := newEngine(b)
	data := real(b, "birdstrikes.csv")
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := e.Ingest(b.Context(), "birdstrikes.csv", data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen is what a call pays to find its worker again: the hash of 5 MiB.
func BenchmarkOpen(b *testing.B) {
	e := newEngine(b)
	tables := []warehouse.DataTable{{Name: "upload", Format: "parquet", Data: make([]byte, 5<<20)}}
	for b.Loop() {
		e.Open(uuid.Nil, "k", tables)
	}
}

package storetest

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// State returns all stored rows by table, as text with a row on each line. It leaves out the tables of except, which must exist.
func State(t testing.TB, pool *pgxpool.Pool, except ...string) map[string]string {
	t.Helper()
	// the error is also that of the rows
	rows, _ := pool.Query(t.Context(), `
			SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 25 {
		t.Fatal(tables, err)
	}
	for _, table := range except {
		if !slices.Contains(tables, table) {
			t.Fatalf("there is no table %s", table)
		}
	}
	state := map[string]string{}
	var batch pgx.Batch
	for _, table := range tables {
		if slices.Contains(except, table) {
			continue
		}
		batch.Queue(`
				SELECT coalesce(string_agg(r::text, E'\n' ORDER BY r::text), '')
				FROM ` + pgx.Identifier{table}.Sanitize() + ` r`).QueryRow(func(row pgx.Row) error {
			var text string
			err := row.Scan(&text)
			state[table] = text
			return err
		})
	}
	if err := pool.SendBatch(t.Context(), &batch).Close(); err != nil {
		t.Fatal(err)
	}
	return state
}

package postgres_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"service/store/sqltext"
	"service/store/warehouse"
	"service/store/warehouse/warehousetest"
)

// TestNamesOfColumns: each of the server's keywords can be read as the name of a column as it is written for introspect_schema and drafts.
func TestNamesOfColumns(t *testing.T) {
	t.Parallel()
	rows, _ := connectTo(t, far.dsn).Query(t.Context(), "SELECT word FROM pg_get_keywords() ORDER BY 1") // the error is in rows
	words, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	warehousetest.Names(t, sqltext.Postgres, words, warehousetest.Asking(t, open(t)))
}

// TestNamesOfTables: a table is listed by the name that reads it.
func TestNamesOfTables(t *testing.T) {
	t.Parallel()
	if _, err := connectTo(t, far.dsn).Exec(t.Context(), "CREATE DATABASE names"); err != nil {
		t.Fatal(err)
	}
	if _, err := connectTo(t, strings.Replace(far.dsn, "/postgres?", "/names?", 1)).Exec(t.Context(), `
		CREATE TABLE "order" AS SELECT 1 AS "at"; CREATE TABLE "My table" AS SELECT 1 AS "at";
		CREATE SCHEMA "user"; CREATE TABLE "user"."say ""hi""" AS SELECT 1 AS "at"`); err != nil {
		t.Fatal(err)
	}
	c := asUser(t, "names", "postgres")
	tables, err := c.Introspect(t.Context(), warehouse.Introspection{})
	if err != nil || len(tables) != 3 {
		t.Fatalf("%v, %v", tables, err)
	}
	for _, table := range tables {
		_, row, err := warehousetest.Asking(t, c)("SELECT sum(\"at\") AS n FROM " + table.Name)
		if err != nil || row[0] != "1" {
			t.Errorf("%s cannot be read: %v, %v", table.Name, row, err)
		}
	}
}

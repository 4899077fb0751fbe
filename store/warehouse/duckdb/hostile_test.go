package duckdb_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/duckdb"
)

// TestHostileSQL runs what must not run. Each is refused, by Query and by
// Describe; afterwards no file has been written, the tables and their data are as
// before, and nothing of the secret file was told.
func TestHostileSQL(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.csv")
	if err := os.WriteFile(secret, []byte("word\nxyzzy\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	e := newEngine(t, func(c *duckdb.Config) { c.Workers, c.PerWorkspace = 4, 4 })
	c := e.Open(uuid.New(), "hostile", []warehouse.DataTable{sales})

	for _, tt := range []struct{ sql, class string }{
		// Reading files and addresses.
		{"SELECT * FROM 'SECRET'", "refused"},
		{`SELECT * FROM "SECRET"`, "refused"},
		{"FROM 'SECRET'", "refused"},
		{"SELECT * FROM read_csv('SECRET')", "refused"},
		{"SELECT * FROM read_csv_auto('SECRET')", "refused"},
		{"SELECT * FROM read_text('SECRET')", "refused"},
		{"SELECT * FROM read_blob('SECRET')", "refused"},
		{"SELECT * FROM read_json('SECRET')", "refused"},
		{"SELECT * FROM read_json_auto('SECRET')", "refused"},
		{"SELECT * FROM read_ndjson('SECRET')", "refused"},
		{"SELECT * FROM read_parquet('SECRET')", "refused"},
		{"SELECT * FROM parquet_scan('SECRET')", "refused"},
		{"SELECT * FROM parquet_metadata('SECRET')", "refused"},
		{"SELECT * FROM sniff_csv('SECRET')", "refused"},
		{"SELECT * FROM glob('DIR/*')", "refused"},
		{"SELECT * FROM main.read_csv('SECRET')", "refused"},
		{"SELECT * FROM system.main.read_csv('SECRET')", "refused"},
		{`SELECT * FROM "READ_CSV"('SECRET')`, "refused"},
		{"SELECT * FROM '/etc/passwd'", "refused"},
		{"SELECT * FROM 'https://example.com/x.csv'", "refused"},
		{"SELECT * FROM 's3://bucket/x.parquet'", "refused"},
		{"SELECT (SELECT content FROM read_text('SECRET'))", "refused"},
		{"SELECT 1 WHERE EXISTS (FROM read_text('SECRET'))", "refused"},
		{"WITH x AS (SELECT * FROM read_text('SECRET')) SELECT * FROM x", "refused"},
		{"WITH x AS MATERIALIZED (SELECT * FROM read_text('SECRET')) SELECT 1", "refused"},
		{"SELECT 1 UNION ALL SELECT content FROM read_text('SECRET')", "refused"},
		{"SELECT * FROM sales, LATERAL (SELECT * FROM read_text('SECRET'))", "refused"},
		{"SELECT 1 ORDER BY (SELECT content FROM read_text('SECRET'))", "refused"},
		{"SELECT 1 LIMIT (SELECT count(*) FROM read_text('SECRET'))", "refused"},
		{"SELECT sum(orders) FILTER (WHERE (SELECT true FROM read_text('SECRET'))) FROM sales", "refused"},
		{"SELECT sum(orders) OVER (ORDER BY (SELECT 1 FROM read_text('SECRET'))) FROM sales", "refused"},
		{"SELECT list_transform([1], lambda x: (SELECT content FROM read_text('SECRET')))", "refused"},
		{"VALUES ((SELECT content FROM read_text('SECRET')))", "refused"},
		{"SELECT CASE WHEN true THEN (SELECT content FROM read_text('SECRET')) END", "refused"},
		{"SELECT * FROM (PIVOT read_text('SECRET') ON filename IN ('a') USING count(*))", "refused"},
		{"SELECT 1 IN (SELECT content FROM read_text('SECRET'))", "refused"},
		{"SELECT COLUMNS(c -> (SELECT true FROM read_text('SECRET'))) FROM sales", "refused"},
		{"SELECT * REPLACE ((SELECT content FROM read_text('SECRET')) AS region) FROM sales", "refused"},
		{"SELECT * FROM unnest((SELECT [content] FROM read_text('SECRET')))", "refused"},
		{"SELECT * FROM sales GROUP BY ALL HAVING (SELECT true FROM read_text('SECRET'))", "refused"},
		{"SELECT 1 QUALIFY (SELECT true FROM read_text('SECRET'))", "refused"},
		{"SELECT * FROM sales JOIN sales s ON (SELECT true FROM read_text('SECRET'))", "refused"},
		{"SELECT * FROM sales TABLESAMPLE reservoir(10) , read_text('SECRET')", "refused"},
		{"SELECT * FROM sales AT (VERSION => 1)", "refused"},

		// SQL in strings.
		{"SELECT * FROM query('SELECT * FROM read_text(''SECRET'')')", "refused"},
		{"SELECT * FROM query_table('sales')", "refused"},
		{"SELECT * FROM query_table(['SECRET'])", "refused"},
		{"SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))", "refused"},
		{"SELECT json_serialize_sql('SELECT 1')", "refused"},
		{"SELECT json_deserialize_sql('{}')", "refused"},

		// Other statements.
		{"CREATE TABLE t AS SELECT 1", "refused"},
		{"CREATE MACRO m() AS 1", "refused"},
		{"CREATE OR REPLACE TEMP MACRO sum(x) AS TABLE SELECT * FROM read_text('SECRET')", "refused"},
		{"CREATE VIEW v AS SELECT 1", "refused"},
		{"create secret s (TYPE s3)", "refused"},
		{"INSERT INTO sales SELECT * FROM sales", "refused"},
		{"UPDATE sales SET orders = 0", "refused"},
		{"DELETE FROM sales", "refused"},
		{"DROP TABLE sales", "refused"},
		{"ALTER TABLE sales DROP COLUMN day", "refused"},
		{"COPY sales TO 'DIR/out.csv'", "refused"},
		{"COPY (SELECT 1) TO 'DIR/out.parquet' (FORMAT parquet)", "refused"},
		{"COPY sales FROM 'SECRET'", "refused"},
		{"EXPORT DATABASE 'DIR/export'", "refused"},
		{"IMPORT DATABASE 'DIR'", "refused"},
		{"ATTACH 'DIR/new.db' AS n", "refused"},
		{"DETACH memory", "refused"},
		{"USE memory", "refused"},
		{"INSTALL httpfs", "refused"},
		{"LOAD httpfs", "refused"},
		{"LOAD 'DIR/x.duckdb_extension'", "refused"},
		{"PRAGMA database_list", "refused"},
		{"PRAGMA enable_profiling", "refused"},
		{"SET memory_limit = '10GB'", "refused"},
		{"SET lock_configuration = false", "refused"},
		{"SET enable_external_access = true", "refused"},
		{"SET VARIABLE x = 1", "refused"},
		{"RESET memory_limit", "refused"},
		{"CHECKPOINT", "refused"},
		{"VACUUM", "refused"},
		{"BEGIN", "refused"},
		{"COMMIT", "refused"},
		{"CALL pragma_version()", "refused"},
		{"PREPARE p AS SELECT 1", "refused"},
		{"EXECUTE p", "refused"},
		{"EXPLAIN SELECT 1", "refused"},
		{"EXPLAIN ANALYZE SELECT 1", "refused"},
		{"DESCRIBE sales", "refused"},
		{"SUMMARIZE sales", "refused"},
		{"SHOW TABLES", "refused"},
		{"SELECT * FROM (DESCRIBE sales)", "refused"},
		{"SELECT * FROM (SHOW ALL TABLES)", "refused"},
		{"PIVOT sales ON region USING sum(orders)", "refused"},

		// Several statements, and statements in disguise.
		{"SELECT 1; SELECT 2", "refused"},
		{"SELECT 1; DROP TABLE sales", "refused"},
		{"DROP TABLE sales; SELECT 1", "refused"},
		{"SELECT 1; COPY sales TO 'DIR/out.csv'; SELECT 2", "refused"},
		{"SELECT 1) AS x; DROP TABLE sales; SELECT * FROM (SELECT 1", "syntax"},
		{"SELECT 1) UNION (SELECT 2", "syntax"},
		{"SELECT 1 /* ", "syntax"},
		{"SELECT 1 \x00; DROP TABLE sales", "refused"},
		{"", "refused"},
		{";;", "refused"},
		{"-- nothing", "refused"},

		// What the engine knows of itself.
		{"SELECT getenv('PATH')", "unknown"},
		{"SELECT current_setting('memory_limit')", "refused"},
		{"SELECT pg_catalog.current_setting('memory_limit')", "refused"},
		{"SELECT * FROM duckdb_settings()", "refused"},
		{"SELECT * FROM duckdb_secrets()", "refused"},
		{"SELECT * FROM duckdb_extensions()", "refused"},
		{"SELECT * FROM duckdb_functions()", "refused"},
		{"SELECT * FROM pragma_database_list()", "refused"},
		{"SELECT * FROM pragma_table_info('sales')", "refused"},
		{"SELECT * FROM pragma_database_list", "unknown"},
		{"SELECT * FROM duckdb_tables", "unknown"},
		{"SELECT * FROM sqlite_master", "unknown"},
		{"WITH sqlite_master AS (SELECT * FROM sqlite_master) SELECT * FROM sqlite_master", "unknown"},
		{"SELECT * FROM (WITH sqlite_master AS (SELECT 1) SELECT * FROM sqlite_master), sqlite_master", "unknown"},
		{"SELECT * FROM information_schema.tables", "refused"},
		{"SELECT * FROM pg_catalog.pg_tables", "refused"},
		{"SELECT * FROM system.main.duckdb_tables", "refused"},
		{"SELECT * FROM temp.main.x", "refused"},
		{"SELECT version()", "refused"},
		{"SELECT current_query()", "refused"},
		{"SELECT nextval('s')", "refused"},
		{"SELECT setseed(0.5)", "refused"},
		{"SELECT getvariable('x')", "refused"},
		{"SELECT write_log('x')", "refused"},
		{"SELECT error('x')", "refused"},
		{"SELECT sleep_ms(100000)", "refused"},
		{"SELECT pg_sleep(100000)", "refused"},
		{"SELECT * FROM enable_logging()", "refused"},
		{"SELECT * FROM repeat_row(1, num_rows := 1000000000000)", "refused"},
		{"SELECT * FROM repeat('x', 1000000000000)", "refused"},
		{"SELECT * FROM test_all_types()", "refused"},
		{"SELECT $2", "refused"},
		{"SELECT $name", "refused"},
	} {
		sql := strings.NewReplacer("SECRET", secret, "DIR", dir).Replace(tt.sql)
		_, _, err := ask(t.Context(), c, sql)
		bad, ok := errors.AsType[*warehouse.Error](err)
		if !ok || string(bad.Class) != tt.class {
			t.Errorf("%s\n got %v, want class %s", tt.sql, err, tt.class)
			continue
		}
		if strings.Contains(bad.Message, "xyzzy") {
			t.Errorf("%s told the secret: %s", tt.sql, bad.Message)
		}
		if cols, err := c.Describe(t.Context(), sql, nil); err == nil {
			t.Errorf("%s: Describe accepts it: %v", tt.sql, cols)
		}
	}

	if left, _ := filepath.Glob(filepath.Join(dir, "*")); !cmp.Equal(left, []string{secret}) {
		t.Errorf("files afterwards: %v", left)
	}
	tables, err := c.Introspect(t.Context(), warehouse.Introspection{})
	if err != nil || len(tables) != 1 || len(tables[0].Columns) != len(sales.Columns) {
		t.Errorf("tables afterwards: %v, %v", tables, err)
	}
	got, _, err := ask(t.Context(), c, "SELECT count(*) n, sum(orders) o FROM sales")
	want := &result{
		cols: []cube.Column{{Name: "n", Type: cube.Integer}, {Name: "o", Type: cube.Integer}},
		rows: [][]any{{int64(3), int64(7)}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{})); err != nil || diff != "" {
		t.Errorf("data afterwards: %v\n%s", err, diff)
	}
}

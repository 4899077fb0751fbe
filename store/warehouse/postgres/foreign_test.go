package postgres_test

import (
	"os"
	"strings"
	"testing"
)

// abroad makes foreign tables of postgres_fdw, whose server is the same database, and functions of ours that write through them.
const abroad = `
	CREATE SERVER abroad FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host 'HOST', port 'PORT', dbname 'abroad');
	CREATE USER MAPPING FOR public SERVER abroad OPTIONS (user 'postgres', password_required 'false');
	CREATE FOREIGN TABLE far_orders (id int, note text) SERVER abroad OPTIONS (table_name 'orders');
	CREATE FUNCTION adds_far(n int) RETURNS int LANGUAGE plpgsql AS 'BEGIN INSERT INTO far_orders VALUES (n, ''x''); RETURN n; END';
	CREATE FUNCTION cuts_far(n int) RETURNS int LANGUAGE sql AS 'DELETE FROM far_orders WHERE id = n RETURNING id';
	CREATE FUNCTION disconnects() RETURNS bool LANGUAGE c AS '$libdir/postgres_fdw', 'postgres_fdw_disconnect_all';
	CREATE VIEW near_orders AS SELECT id, upper(note) AS note FROM far_orders;
	GRANT SELECT, INSERT, UPDATE, DELETE ON far_orders, near_orders TO public`

// TestForeignTables: foreign tables are read. Nothing that a query contains is written or run on their server, although postgres_fdw
// begins a transaction there that may write.
func TestForeignTables(t *testing.T) {
	t.Parallel()
	owner, dsn := database(t, "abroad")
	host, port := "127.0.0.1", strings.Split(strings.SplitN(strings.SplitN(dsn, "@", 2)[1], "/", 2)[0], ":")[1]
	for _, extension := range []string{"pageinspect", "postgres_fdw", "tablefunc"} {
		if _, err := owner.Exec(t.Context(), "CREATE EXTENSION "+extension); err != nil {
			missing(t, extension, err)
			t.SkipNow()
		}
	}
	if _, err := owner.Exec(t.Context(), strings.NewReplacer("HOST", host, "PORT", port).Replace(abroad)); err != nil {
		t.Fatal(err)
	}
	rows := func() string { return answer(t, owner, "SELECT string_agg(id || note, ' ' ORDER BY id) FROM orders") }
	before := rows()
	for _, user := range []string{"postgres", "reads"} {
		c := asUser(t, "abroad", user)
		for _, sql := range []string{
			"SELECT id, note FROM far_orders WHERE note LIKE 'n%' ORDER BY id LIMIT 2", "SELECT count(*) AS n FROM near_orders",
			"SELECT o.id FROM orders o JOIN far_orders f USING (id)",
		} {
			if err := query(t, c, sql); err != nil && user == "postgres" {
				t.Errorf("%s: %s\n%v", user, sql, err)
			}
		}
		for _, sql := range []string{
			"INSERT INTO far_orders VALUES (9, 'x')", "DELETE FROM far_orders", "UPDATE near_orders SET note = 'x'", "TRUNCATE far_orders",
			"WITH w AS (DELETE FROM far_orders RETURNING id) SELECT id FROM w", "EXPLAIN ANALYZE DELETE FROM far_orders",
			"SELECT adds_far(9)", "SELECT cuts_far(1)", "SELECT id FROM far_orders WHERE cuts_far(id) IS NOT NULL",
			"SELECT id FROM far_orders WHERE run('DELETE FROM far_orders RETURNING 1') IS NOT NULL",
			"SELECT * FROM connectby('far_orders', 'id', '(adds_far(9))::text', '1', 1) AS c (a int, b int, l int)",
			"IMPORT FOREIGN SCHEMA public FROM SERVER abroad INTO jobs", "SELECT id FROM far_orders FOR UPDATE",
			"ALTER SERVER abroad OPTIONS (SET host '192.0.2.1')", "CREATE USER MAPPING FOR reads SERVER abroad",
		} {
			if err := query(t, c, sql); err == nil {
				t.Errorf("%s: %s runs", user, sql)
			}
			if now := rows(); now != before {
				t.Fatalf("%s: %s\nrows are %s, and were %s", user, sql, now, before)
			}
		}
	}
	super := asUser(t, "abroad", "postgres")
	if err := ungated(t, super, "SELECT cuts_far(1)"); err == nil || rows() != before {
		t.Errorf("the read-only transaction alone lets a function write through a foreign table: %v", err)
	}
	// Pages are what a superuser reads anyway; nothing changes them.
	for _, sql := range []string{
		"SELECT page_header(get_raw_page('orders', 0))::text AS h", "SELECT lp, t_ctid::text FROM heap_page_items(get_raw_page('orders', 0))",
	} {
		if err := query(t, super, sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
		if now := rows(); now != before {
			t.Fatalf("%s\nrows are %s, and were %s", sql, now, before)
		}
	}
}

// missing reports that the machine has no extension of postgresql-contrib, which CI must have. PostgreSQL 17 has no adminpack.
func missing(t *testing.T, extension string, err error) {
	t.Helper()
	if os.Getenv("CI") != "" && extension != "adminpack" {
		t.Errorf("CI has no %s: %v", extension, err)
		return
	}
	t.Logf("this machine has no %s, of postgresql-contrib: %v", extension, err)
}

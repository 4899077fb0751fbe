package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"service/store/warehouse"
	"service/store/warehouse/postgres"
	"service/store/warehouse/warehousetest"
)

// TestLeastPrivilege queries as a user who may read one table, some columns of another and some rows of a third: only these are listed, and
// only these can be read.
func TestLeastPrivilege(t *testing.T) {
	t.Parallel()
	admin, err := pgx.Connect(t.Context(), far.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.Background())
	// It has a database of its own, so that others see its tables nowhere.
	if _, err := admin.Exec(t.Context(), "CREATE DATABASE shop"); err != nil {
		t.Fatal(err)
	}
	owner, err := pgx.Connect(t.Context(), strings.Replace(far.dsn, "/postgres?", "/shop?", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.Background())
	if _, err := owner.Exec(t.Context(), `
		CREATE ROLE poor LOGIN;
		CREATE TABLE orders AS SELECT 1 AS id, 'mine' AS note;
		CREATE TABLE salaries AS SELECT 1 AS id, 'classified' AS note;
		CREATE TABLE people AS SELECT 1 AS id, 'mine' AS name, 'classified' AS address;
		CREATE TABLE visits AS SELECT * FROM (VALUES (1, 'mine'), (2, 'classified')) v (id, note);
		CREATE VIEW all_salaries AS SELECT * FROM salaries;
		CREATE MATERIALIZED VIEW old_salaries AS SELECT * FROM salaries;
		CREATE MATERIALIZED VIEW old_orders AS SELECT * FROM orders;
		CREATE SCHEMA hidden;
		CREATE TABLE hidden.salaries AS SELECT * FROM salaries;
		CREATE FUNCTION tell() RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT note FROM salaries';
		REVOKE EXECUTE ON FUNCTION tell() FROM public;
		CREATE SEQUENCE seq;
		ALTER TABLE visits ENABLE ROW LEVEL SECURITY;
		CREATE POLICY mine ON visits USING (note = 'mine');
		ANALYZE;
		SELECT lo_from_bytea(4711, 'classified');
		GRANT SELECT ON orders, old_orders, visits TO poor;
		GRANT SELECT (id, name) ON people TO poor;
		GRANT INSERT ON salaries TO poor`); err != nil {
		t.Fatal(err)
	}
	to := target()
	to.Database, to.User = "shop", "poor"
	c, err := postgres.Open(to, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}

	tables, err := c.Introspect(t.Context(), warehouse.Introspection{})
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, table := range tables {
		for _, column := range table.Columns {
			listed = append(listed, table.Name+"."+column.Name)
		}
	}
	want := "old_orders.id old_orders.note orders.id orders.note people.id people.name visits.id visits.note"
	if got := strings.Join(listed, " "); got != want {
		t.Errorf("it is told of\n%s\nwant\n%s", got, want)
	}

	// Queries that the gate would refuse are run too: here the server has to.
	ask := func(sql string) (string, error) {
		var table warehousetest.Table
		_, err := postgres.Ungated{Connector: c}.Query(t.Context(), sql, nil, warehousetest.Wide, &table)
		return fmt.Sprint(table.Rows), err
	}
	for sql, want := range map[string]string{
		"SELECT note FROM orders":     "[[mine]]",
		"SELECT note FROM old_orders": "[[mine]]",
		"SELECT id, name FROM people": "[[1 mine]]",
		"SELECT note FROM visits":     "[[mine]]",
	} {
		if got, err := ask(sql); got != want || err != nil {
			t.Errorf("%s: %s, %v", sql, got, err)
		}
	}
	for _, sql := range []string{
		"SELECT * FROM salaries", "SELECT count(*) AS n FROM salaries", "TABLE salaries", "SELECT s FROM salaries s",
		"SELECT * FROM all_salaries", "SELECT * FROM old_salaries", "SELECT * FROM hidden.salaries", "SELECT * FROM people",
		"SELECT address FROM people",
		"SELECT p::text FROM people p", "SELECT id FROM people WHERE address LIKE 'c%'", "SELECT id FROM people ORDER BY address",
		"SELECT tell()", "SELECT query_to_xml('SELECT * FROM salaries', true, true, '')", "SELECT table_to_xml('salaries', true, true, '')",
		"SELECT pg_read_file('/etc/hostname')", "SELECT pg_read_binary_file('PG_VERSION')", "SELECT pg_ls_dir('/')",
		"SELECT * FROM pg_stat_file('/etc/hostname')", "SELECT * FROM pg_ls_logdir()", "SELECT lo_import('/etc/hostname')", "SELECT lo_get(4711)",
		"SELECT * FROM pg_authid", "SELECT * FROM pg_shadow", "SELECT * FROM pg_statistic", "SELECT * FROM pg_largeobject",
		"SELECT * FROM pg_user_mapping", "SELECT * FROM pg_hba_file_rules", "SELECT * FROM pg_file_settings", "SELECT last_value FROM seq",
		"SELECT set_config('role', 'postgres', false)", "SELECT set_config('session_authorization', 'postgres', false)",
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'",
	} {
		got, err := ask(sql)
		if strings.Contains(got, "classified") {
			t.Errorf("%s\nit reads %s", sql, got)
		}
		if bad, ok := errors.AsType[*warehouse.Error](err); !ok || bad.Class != warehouse.Permission ||
			strings.Contains(bad.Message, "classified") {
			t.Errorf("%s\n%s, %v", sql, got, err)
		}
	}
	// These run, and return nothing of other users.
	for _, sql := range []string{
		"SELECT most_common_vals::text FROM pg_stats", "SELECT query FROM pg_stat_activity", "SELECT database_to_xml(true, true, '')",
		"SELECT schema_to_xml('public', true, true, '')", "SELECT query_to_xml('SELECT * FROM visits', true, true, '')",
		"SELECT set_config('row_security', 'off', false), note FROM visits",
	} {
		if got, err := ask(sql); strings.Contains(got, "classified") || err != nil {
			t.Errorf("%s\n%s, %v", sql, got, err)
		}
	}

	// A server without PostgreSQL's catalog is queried by the standard's.
	if _, err := owner.Exec(t.Context(), "CREATE SCHEMA odd; CREATE TABLE odd.pg_class (); GRANT USAGE ON SCHEMA odd TO poor; "+
		"ALTER ROLE poor SET search_path = odd, pg_catalog, public"); err != nil {
		t.Fatal(err)
	}
	tables, err = c.Introspect(t.Context(), warehouse.Introspection{Table: "orders"})
	if err != nil || len(tables) != 1 || tables[0].Name != "orders" || tables[0].Kind != "table" || len(tables[0].Columns) != 2 ||
		!tables[0].Columns[0].Nullable {
		t.Errorf("%+v, %v", tables, err)
	}
}

// TestWarning: a user who may do more than read causes a warning.
func TestWarning(t *testing.T) {
	t.Parallel()
	admin, err := pgx.Connect(t.Context(), far.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.Background())
	if _, err := admin.Exec(t.Context(), `
		CREATE ROLE reader LOGIN; GRANT SELECT ON orders TO reader;
		CREATE ROLE files LOGIN IN ROLE pg_read_server_files;
		CREATE ROLE writer LOGIN; GRANT SELECT, UPDATE ON orders TO writer;
		CREATE ROLE cells LOGIN; GRANT UPDATE (note) ON orders TO cells`); err != nil {
		t.Fatal(err)
	}
	for user, want := range map[string]string{
		"reader": "", "nobody": "",
		"conformance": "The warehouse user is a superuser, or may reach files and programs of the server, and so may a query. Use one that " +
			"may only SELECT.",
		"files": "The warehouse user is a superuser, or may reach files and programs of the server, and so may a query. Use one that " +
			"may only SELECT.",
		"writer": "The warehouse user may write to tables. Queries cannot, but one that may only SELECT is safer.",
		"cells":  "The warehouse user may write to tables. Queries cannot, but one that may only SELECT is safer.",
	} {
		to := target()
		to.User = user
		c, err := postgres.Open(to, warehouse.Dialer{AllowPrivate: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Warning(t.Context()); got != want {
			t.Errorf("%s: got %q, want %q", user, got, want)
		}
	}
}

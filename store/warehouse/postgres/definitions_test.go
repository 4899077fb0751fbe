package postgres_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"service/store/warehouse"
	"service/store/warehouse/postgres"
	"service/store/warehouse/warehousetest"
)

// makers are functions that run SQL made from their arguments, and objects that call such functions implicitly.
const makers = `
	CREATE SCHEMA jobs;
	CREATE FUNCTION run(q text) RETURNS text LANGUAGE plpgsql AS 'DECLARE v text; BEGIN EXECUTE q INTO v; RETURN v; END';
	CREATE FUNCTION run_now(q text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'DECLARE v text; BEGIN EXECUTE(q) INTO v; RETURN v; END';
	CREATE FUNCTION run_rows(a text, b text) RETURNS SETOF record LANGUAGE plpgsql STABLE AS
		'BEGIN RETURN QUERY EXECUTE ''SELECT '' || a || b; END';
	CREATE FUNCTION run_loop(q text) RETURNS text LANGUAGE plpgsql AS
		'DECLARE r record; BEGIN FOR r IN EXECUTE format(''SELECT %s'', q) LOOP NULL; END LOOP; RETURN 1; END';
	CREATE FUNCTION run_format(q text) RETURNS text LANGUAGE plpgsql AS
		'DECLARE v text; BEGIN EXECUTE format(''SELECT %L, %s'', 1, q) INTO v; RETURN v; END';
	CREATE FUNCTION run_in_quotes(q text) RETURNS text LANGUAGE plpgsql AS
		$f$DECLARE v text; BEGIN EXECUTE format('SELECT concat(''%L'')', q) INTO v; RETURN v; END$f$;
	CREATE FUNCTION run_joined(q text) RETURNS text LANGUAGE plpgsql AS
		'DECLARE v text; BEGIN EXECUTE format(''SELECT (%L)'', 1) || q INTO v; RETURN v; END';
	CREATE FUNCTION run_named(f text, q text) RETURNS text LANGUAGE plpgsql AS
		'DECLARE v text; BEGIN EXECUTE format(''SELECT %I(%L)'', f, q) INTO v; RETURN v; END';
	CREATE FUNCTION run_literal(q text) RETURNS text LANGUAGE plpgsql AS
		'DECLARE v text; BEGIN EXECUTE format(''SELECT run(%L)'', q) INTO v; RETURN v; END';
	CREATE FUNCTION reads_literal(t text) RETURNS text LANGUAGE plpgsql AS
		$f$DECLARE v text; BEGIN EXECUTE format('SELECT table_to_xml(%L, true, true, '''')', t) INTO v; RETURN v; END$f$;
	CREATE FUNCTION run_cursor(q text) RETURNS text LANGUAGE plpgsql AS
		'DECLARE c refcursor; r record; BEGIN OPEN c FOR /* x */ EXECUTE q; FETCH c INTO r; RETURN 1; END';
	CREATE FUNCTION jobs.schedule(name text, at text, command text) RETURNS text LANGUAGE plpgsql AS
		'BEGIN /* at once */ execute command; RETURN name; END';
	CREATE FUNCTION wrapped(q text) RETURNS text LANGUAGE sql AS 'SELECT public.run($1)';
	CREATE FUNCTION wrapped_twice(q text) RETURNS text LANGUAGE sql AS 'SELECT "wrapped" ( $1 )';
	CREATE FUNCTION wrapped_parsed(q text) RETURNS text BEGIN ATOMIC SELECT run(q); END;
	CREATE FUNCTION wrapped_xml(q text) RETURNS text LANGUAGE sql AS 'SELECT query_to_xml($1, true, true, '''')::text';
	CREATE FUNCTION wrapped_xml_parsed(q text) RETURNS text BEGIN ATOMIC SELECT query_to_xml(q, true, true, '')::text; END;
	CREATE FUNCTION wrapped_block(q text) RETURNS text LANGUAGE plpgsql AS 'BEGIN PERFORM wrapped(q); RETURN 1; END';
	CREATE FUNCTION ends(pid int) RETURNS bool LANGUAGE sql AS 'SELECT pg_terminate_backend($1)';
	CREATE FUNCTION xml_alias(text, bool, bool, text) RETURNS xml LANGUAGE internal AS 'query_to_xml';
	CREATE FUNCTION ends_alias(int, bigint) RETURNS bool LANGUAGE internal AS 'pg_terminate_backend';
	CREATE FUNCTION "Größe des Laufs, deren Name länger ist als dreiundsechzig By"(q text) RETURNS text LANGUAGE sql AS 'SELECT run(q)';
	CREATE TYPE pair AS (q text);
	CREATE FUNCTION ran(p pair) RETURNS text LANGUAGE sql AS 'SELECT run(p.q)';
	CREATE FUNCTION run_step(a text, q text) RETURNS text LANGUAGE sql AS 'SELECT run(q)';
	CREATE AGGREGATE run_all (text) (SFUNC = run_step, STYPE = text);
	CREATE AGGREGATE run_end (text) (SFUNC = textcat, STYPE = text, INITCOND = '', FINALFUNC = run);
	CREATE FUNCTION run_two(a text, b int) RETURNS text LANGUAGE sql AS 'SELECT run($1)';
	CREATE TYPE made AS (q text);
	CREATE FUNCTION run_made(a made, b int) RETURNS text LANGUAGE sql AS 'SELECT run($1.q)';
	CREATE OPERATOR @@! (LEFTARG = text, RIGHTARG = int, FUNCTION = run_two);
	CREATE OPERATOR = (LEFTARG = made, RIGHTARG = int, FUNCTION = run_made);
	CREATE OPERATOR ?! (RIGHTARG = text, FUNCTION = run);
	CREATE FUNCTION uses_operator(q text) RETURNS text LANGUAGE sql AS 'SELECT ?! q';
	CREATE FUNCTION passes(q text) RETURNS bool LANGUAGE plpgsql AS 'BEGIN PERFORM run(q); RETURN true; END';
	CREATE DOMAIN checked AS text CHECK (passes(VALUE));
	CREATE FUNCTION uses_domain(c checked) RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN c; END';
	CREATE FUNCTION made_of(q text) RETURNS made LANGUAGE sql AS 'SELECT ROW(run(q))::made';
	CREATE CAST (text AS made) WITH FUNCTION made_of(text);
	CREATE FUNCTION takes_made(m made) RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN m.q; END';
	CREATE TABLE queries (q text);
	CREATE VIEW runs_all AS SELECT q, run(q) AS v FROM queries;
	CREATE VIEW over_it AS SELECT v FROM runs_all;
	CREATE VIEW "over-it" AS SELECT v FROM runs_all;
	CREATE TABLE orders AS SELECT i AS id, 'n' || i AS note FROM generate_series(1, 3) i;
	CREATE FUNCTION xml_of(t text) RETURNS text LANGUAGE sql AS 'SELECT table_to_xml(t::regclass, true, true, '''')::text';
	CREATE FUNCTION xml_of_parsed(t text) RETURNS text BEGIN ATOMIC SELECT table_to_xml(t::regclass, true, true, '')::text; END;
	CREATE FUNCTION xml_of_all() RETURNS text LANGUAGE sql AS 'SELECT schema_to_xml(''public'', true, true, '''')::text';
	CREATE FUNCTION table_alias(regclass, bool, bool, text) RETURNS xml LANGUAGE internal AS 'table_to_xml';
	CREATE DOMAIN checked_twice AS checked;
	CREATE DOMAIN checks_in_turn AS text CHECK ((VALUE || '')::checked IS NOT NULL);
	CREATE TYPE of_checked AS (c checked);
	CREATE TYPE checked_range AS RANGE (SUBTYPE = checked);
	CREATE TABLE tagged (tags checked[]);
	CREATE FUNCTION tag_rows(OUT a checked[], OUT b int) LANGUAGE sql AS 'SELECT NULL::checked[], 1';
	CREATE VIEW twice_checked AS SELECT q::checked_twice AS c FROM queries;
	CREATE TRUSTED LANGUAGE plsh HANDLER plpgsql_call_handler;
	CREATE FUNCTION shell(pid text) RETURNS text LANGUAGE plsh AS 'BEGIN PERFORM pg_terminate_backend($1::int); RETURN 1; END';
	CREATE FUNCTION reads_view() RETURNS bigint LANGUAGE sql AS 'SELECT count(v) FROM over_it';
	GRANT USAGE ON SCHEMA jobs TO public;
	GRANT SELECT ON ALL TABLES IN SCHEMA public TO public`

// ending is SQL that ends the victim's session.
const ending = "SELECT pg_terminate_backend(VICTIM)"

// runners are queries that have Q, which is SQL, run.
var runners = []string{
	"SELECT run('Q')", "SELECT public . \"run\" ('Q')", "SELECT v FROM run('Q') AS v", "SELECT run(note) FROM (SELECT 'Q' AS note) s",
	"SELECT run_now('Q')", "SELECT 1 WHERE run_now('Q') IS NOT NULL",
	"SELECT * FROM run_rows('(Q)', '::text') AS x (a text)", "SELECT run_loop('(Q)')", "SELECT run_cursor('Q')",
	"SELECT run_format('(Q)')", "SELECT run_in_quotes(', (Q)::text, ')", "SELECT run_joined(', (Q)')", "SELECT run_named('run', 'Q')",
	"SELECT run_literal('Q')", "SELECT reads_literal('over_it')",
	"SELECT jobs.schedule('a', '* * * * *', 'Q')", "SELECT wrapped('Q')", "SELECT wrapped_twice('Q')", "SELECT wrapped_parsed('Q')",
	"SELECT wrapped_xml('Q')", "SELECT wrapped_xml_parsed('Q')", "SELECT wrapped_block('Q')", "SELECT ends(VICTIM)",
	"SELECT xml_alias('Q', true, true, '')::text", "SELECT ends_alias(VICTIM, 0)", "SELECT run_all('Q')",
	"SELECT run_all('Q') OVER ()", "SELECT run_end('Q')",
	`SELECT "Größe des Laufs, deren Name länger ist als dreiundsechzig Bytes"('Q')`,
	"SELECT p.ran FROM LATERAL (SELECT 'Q'::text) AS x (q), LATERAL (SELECT ROW(x.q)::pair AS p) s, LATERAL (SELECT (s.p).*) p",
	"SELECT (p).ran FROM (SELECT ROW('Q')::pair AS p) s",
	"SELECT 'Q'::text @@! 1", "SELECT 'Q'::text OPERATOR(public.@@!) 1", "SELECT ROW('Q')::made = 1",
	"SELECT 'Q'::text@@!1", "SELECT ?!'Q'::text",
	"SELECT uses_operator('Q')", "SELECT 'Q'::checked", "SELECT CAST('Q' AS public.checked)", "SELECT uses_domain('Q')",
	"SELECT ('Q'::text)::made::text", "SELECT takes_made(('Q'::text)::made)",
	"SELECT query_to_xml('SELECT run(''Q'')', true, true, '')::text", "SELECT ts_stat('SELECT run(''Q'')::tsvector')",
	"SELECT * FROM ROWS FROM (run('Q')) AS x", "WITH w AS MATERIALIZED (SELECT run('Q') AS v) SELECT v FROM w",
	"SELECT id FROM orders ORDER BY run('Q')", "SELECT count(*) FILTER (WHERE run('Q') IS NULL) FROM orders",
	// These run what somebody else has stored.
	"SELECT v FROM runs_all", "SELECT * FROM over_it", "TABLE over_it", "SELECT reads_view()",
	"SELECT table_to_xml('over_it', true, true, '')::text", "SELECT schema_to_xml('public', true, true, '')::text",
	"SELECT query_to_xml('SELECT * FROM over_it', true, true, '')::text",
	"SELECT query_to_xml('SELECT query_to_xml(''SELECT run(''''Q'''')'', true, true, '''')::text', true, true, '')::text",
	// Their names are made.
	"SELECT table_to_xml(('over' || '_it')::regclass, true, true, '')::text", `SELECT table_to_xml(E'over\x5fit', true, true, '')::text`,
	"SELECT table_to_xml('over'\n'_it', true, true, '')::text", "SELECT table_to_xml('over-it', true, true, '')::text",
	"SELECT table_to_xml(c.oid, true, true, '')::text FROM pg_class c WHERE c.relname LIKE 'over%'",
	"SELECT xml_of('over_it')", "SELECT xml_of_parsed('over_it')", "SELECT xml_of_all()",
	"SELECT table_alias('over_it', true, true, '')::text",
	// These types contain one whose check runs SQL.
	"SELECT 'Q'::checked_twice", "SELECT 'Q'::checks_in_turn", `SELECT tags || '{"Q"}' FROM tagged`, `SELECT a || '{"Q"}' FROM tag_rows()`,
	"SELECT '{Q}'::_checked", `SELECT '("Q")'::of_checked`, `SELECT '{"(\"Q\")"}'::of_checked[]`, `SELECT '["Q","Q"]'::checked_range`,
	`SELECT '{["Q","Q"]}'::checked_multirange`, "SELECT jsonb_populate_record(NULL::of_checked, '{\"c\": \"Q\"}')",
	"SELECT c FROM twice_checked",
	// A string or a number names the type.
	"SELECT domain_in('Q', 'checked'::regtype, -1) IS NULL", "SELECT domain_in('Q', ('che' || 'cked')::regtype, -1) IS NULL",
	`SELECT domain_in('Q', 'U&"ch!0065cked" UESCAPE ''!'''::regtype, -1) IS NULL`,
	"SELECT domain_in('Q', oid, -1) IS NULL FROM pg_type WHERE typname LIKE 'checke_'",
	`SELECT record_in('("Q")', 'of_checked'::regtype, -1)::text`, "SELECT array_in('{Q}', 'checked'::regtype, -1)::text",
	// Another language.
	"SELECT shell('VICTIM')",
	// pgRouting runs the query that it is given.
	"SELECT pgr_paths('SELECT run(''Q'')')", "SELECT pgr_paths('SELECT v FROM over_it')", "SELECT pgr_paths(note) FROM (SELECT 'Q' AS note) s",
	"SELECT _pgr_paths('SELECT run(''Q'')')", "SELECT _pgr_paths(note) FROM (SELECT 'Q' AS note) s",
}

// routing makes functions of the shape of pgRouting's, and the extension that they are of.
const routing = `
	CREATE FUNCTION _pgr_paths(q text) RETURNS text LANGUAGE plpgsql AS 'DECLARE v text; BEGIN EXECUTE q INTO v; RETURN v; END';
	CREATE FUNCTION pgr_paths(q text) RETURNS text LANGUAGE sql AS 'SELECT _pgr_paths($1)';
	INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
		VALUES (99999, 'pgrouting', 10, 'public'::regnamespace, false, '3');
	ALTER EXTENSION pgrouting ADD FUNCTION _pgr_paths;
	ALTER EXTENSION pgrouting ADD FUNCTION pgr_paths`

// contributed are such queries with the extensions of PostgreSQL.
var contributed = map[string][]string{
	"tablefunc": {
		// Each string alone reads; together they are another query.
		"SELECT * FROM connectby('queries', '1::text /*', '*/ , (Q)::text FROM (SELECT 1) a, (SELECT 1) b --', 'x', 1) AS " +
			"c (a text, b text, l int)",
		"SELECT * FROM connectby('queries', 'q', '(Q)::text', 'x', 1) AS c (a text, b text, l int)",
		"SELECT * FROM connectby('queries, LATERAL (SELECT run(''Q'')) r', 'q', 'q', 'x', 1) AS c (a text, b text, l int)",
		"SELECT * FROM crosstab('SELECT ''a''::text, ''b''::text, run(''Q'')') AS c (a text, b text)",
		"SELECT * FROM crosstab('SELECT ''a''::text, ''b''::text, 1 --', 'SELECT run(''Q'')') AS c (a text, b int)",
		"SELECT * FROM tree('q', '(Q)::text') AS c (a text, b text, l int)", "SELECT * FROM tree_alias('queries', 'q', '(Q)::text', 'x', 1) AS " +
			"c (a text, b text, l int)",
		"SELECT * FROM pivot('SELECT ''a''::text, ''b''::text, (Q)::text') AS c (a text, b text)",
	},
	"xml2": {
		"SELECT * FROM xpath_table('''a''', '''<a/>''', 'queries', '/a', '(Q) IS NULL') AS x (i text, a text)",
		"SELECT * FROM xpath_table('''a'' /*', '*/, (Q)::text', 'queries', '/a', 'true') AS x (i text, a text)",
	},
	"dblink": {
		"SELECT dblink_exec('DSN', 'DO ''BEGIN PERFORM pg_terminate_backend(VICTIM); END''')", "SELECT afar('DSN', 'Q')",
		"SELECT * FROM dblink('DSN', 'Q') AS x (a bool)", "SELECT * FROM afar_alias('DSN', 'Q') AS x (a bool)", "SELECT v FROM afar_view",
	},
	"adminpack": {"SELECT writes_file('escaped', 'x')", "SELECT writes_alias('escaped', 'x', false)"},
}

// contribution makes functions that lead to those of an extension.
var contribution = map[string]string{
	"tablefunc": `CREATE FUNCTION tree(a text, b text) RETURNS SETOF record LANGUAGE plpgsql AS
			'BEGIN RETURN QUERY SELECT * FROM connectby(''queries'', a, b, ''x'', 1) AS c (a text, b text, l int); END';
		CREATE FUNCTION tree_alias(text, text, text, text, int) RETURNS SETOF record LANGUAGE c AS '$libdir/tablefunc', 'connectby_text';
		CREATE FUNCTION pivot(q text) RETURNS SETOF record LANGUAGE c STRICT AS '$libdir/tablefunc', 'crosstab'`,
	"dblink": `CREATE FUNCTION afar(dsn text, q text) RETURNS text LANGUAGE sql AS 'SELECT v::text FROM dblink(dsn, q) AS x (v bool)';
		CREATE FUNCTION afar_alias(text, text) RETURNS SETOF record LANGUAGE c AS '$libdir/dblink', 'dblink_record';
		CREATE VIEW afar_view AS SELECT v FROM dblink('DSN', 'SELECT 1') AS x (v int)`,
	"adminpack": `CREATE FUNCTION writes_file(a text, b text) RETURNS bigint LANGUAGE sql AS 'SELECT pg_file_write(a, b, false)';
		CREATE FUNCTION writes_alias(text, text, bool) RETURNS bigint LANGUAGE c AS '$libdir/adminpack', 'pg_file_write_v1_1'`,
}

// TestMadeSQL: functions that run SQL made of their arguments have no effect, whatever they are called and however they are
// reached, as superuser, owner and reader. Without the check, they end another session.
func TestMadeSQL(t *testing.T) {
	t.Parallel()
	owner, dsn := database(t, "made")
	if _, err := owner.Exec(t.Context(), routing); err != nil {
		t.Fatal(err)
	}
	all := append([]string{}, runners...)
	for extension, queries := range contributed {
		if _, err := owner.Exec(t.Context(), "CREATE EXTENSION "+extension); err != nil {
			missing(t, extension, err)
			continue
		}
		if _, err := owner.Exec(t.Context(), strings.ReplaceAll(contribution[extension], "DSN", dsn)); err != nil {
			t.Fatal(extension, err)
		}
		all = append(all, queries...)
	}
	for _, user := range []string{"postgres", "keeper", "reads"} {
		c, victims := asUser(t, "made", user), strings.Replace(dsn, "postgres@", user+"@", 1)
		var victim *pgx.Conn
		for _, sql := range all {
			if victim == nil {
				victim = connectTo(t, victims)
				stored := strings.ReplaceAll(ending, "VICTIM", fmt.Sprint(victim.PgConn().PID()))
				if _, err := owner.Exec(t.Context(), "WITH old AS (DELETE FROM queries) INSERT INTO queries VALUES ($1)", stored); err != nil {
					t.Fatal(err)
				}
			}
			alive := func() bool { return victim.Ping(t.Context()) == nil }
			sql = fill(sql, victim.PgConn().PID(), dsn)
			if err := query(t, c, sql); !refused(err) || !alive() {
				t.Errorf("%s: %s\nit is asked: %v; the victim is there: %v", user, sql, err, alive())
			}
			if user != "postgres" {
				continue
			}
			if _, err := c.Describe(t.Context(), sql, nil); !refused(err) {
				t.Errorf("%s\nit is described: %v", sql, err)
			}
			err := ungated(t, c, sql)
			if alive() && !strings.Contains(sql, "writes_") && !strings.Contains(sql, "afar_view") {
				t.Errorf("%s\nwithout the gate it has no effect: %v", sql, err)
			} else if !alive() {
				victim = nil
			}
		}
	}
}

func ungated(t testing.TB, c *postgres.Connector, sql string) error {
	_, err := postgres.Ungated{Connector: c}.Query(t.Context(), sql, nil, warehousetest.Wide, &warehousetest.Table{})
	return err
}

// fill writes a query for one victim. Q is inside as many quotes as its nesting needs.
func fill(sql string, pid uint32, dsn string) string {
	q := strings.ReplaceAll(ending, "VICTIM", fmt.Sprint(pid))
	return strings.NewReplacer("VICTIM", fmt.Sprint(pid), "DSN", dsn, "''Q''", "''"+q+"''", "Q", q).Replace(sql)
}

// database is one with makers, whose owner is not a superuser, and a connection to it as one.
func database(t *testing.T, name string) (admin *pgx.Conn, dsn string) {
	t.Helper()
	first := connectTo(t, far.dsn)
	for _, sql := range []string{
		`DO $$BEGIN CREATE ROLE keeper LOGIN; CREATE ROLE reads LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END$$`,
		"CREATE DATABASE " + name + " OWNER keeper",
	} {
		if _, err := first.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	dsn = strings.Replace(far.dsn, "/postgres?", "/"+name+"?", 1)
	admin = connectTo(t, dsn)
	if _, err := admin.Exec(t.Context(), makers); err != nil {
		t.Fatal(err)
	}
	return admin, dsn
}

// asUser is a connector to a database as a user.
func asUser(t testing.TB, name, user string) *postgres.Connector {
	t.Helper()
	to := target()
	to.Database, to.User = name, user
	c, err := postgres.Open(to, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestOnlyTreesThatAreAskedFor: the definitions of views that a query does not name are not read, neither those of the server's own views
// nor those of the warehouse. To read all takes the server tens of milliseconds for each query, and more with each view of the warehouse.
func TestOnlyTreesThatAreAskedFor(t *testing.T) {
	t.Parallel()
	admin, _ := database(t, "trees")
	if _, err := admin.Exec(t.Context(), `
		DO $$BEGIN FOR i IN 1..100 LOOP EXECUTE format('CREATE VIEW seen_%s AS SELECT * FROM information_schema.columns', i); END LOOP; END$$;
		ANALYZE`); err != nil {
		t.Fatal(err)
	}
	blocks := func(names, oids []string, every bool) (read int) {
		t.Helper()
		var plans []struct {
			Plan struct {
				Hit  int `json:"Shared Hit Blocks"`
				Read int `json:"Shared Read Blocks"`
			}
		}
		sql := "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + postgres.ReadRelations
		for range 2 { // the first run also counts what the session learns of the catalog
			if err := admin.QueryRow(t.Context(), sql, names, oids, every).Scan(&plans); err != nil {
				t.Fatal(err)
			}
		}
		return plans[0].Plan.Hit + plans[0].Plan.Read
	}
	id := answer(t, admin, "SELECT 'seen_7'::regclass::oid::text")
	all := blocks(nil, nil, true)
	for name, read := range map[string]int{
		"no name": blocks(nil, nil, false), "a name that there is not": blocks([]string{"nowhere"}, nil, false),
		"a table": blocks([]string{"orders"}, nil, false), "a view": blocks([]string{"seen_7"}, nil, false),
		"an oid": blocks(nil, []string{id}, false),
	} {
		t.Logf("%s: %d blocks of %d", name, read, all)
		if read > all/10 {
			t.Errorf("%s: %d blocks, and %d for every relation", name, read, all)
		}
	}
}

// TestReadsRun: with all these functions in the catalog, functions that only read may be called, whoever made them.
func TestReadsRun(t *testing.T) {
	t.Parallel()
	admin, _ := database(t, "readings")
	if _, err := admin.Exec(t.Context(), `
		CREATE FUNCTION twice(n bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 2 * n /* not run(q) */';
		CREATE FUNCTION near(a text, b text) RETURNS SETOF orders LANGUAGE sql STABLE AS
			'SELECT * FROM orders WHERE note LIKE a || ''%'' AND note <> b -- EXECUTE';
		CREATE FUNCTION graded(n int) RETURNS text LANGUAGE plpgsql STABLE AS
			'BEGIN IF n > 1 THEN RETURN (SELECT note FROM orders WHERE id = n); END IF; RETURN ''run(1)''; END';
		CREATE FUNCTION counted() RETURNS bigint LANGUAGE plpgsql STABLE AS
			'DECLARE n bigint; BEGIN EXECUTE ''SELECT count(*) FROM orders WHERE id > $1'' INTO n USING 1; RETURN n; END';
		CREATE FUNCTION counted_of(v text) RETURNS bigint LANGUAGE plpgsql STABLE AS
			'DECLARE n bigint; BEGIN EXECUTE format(''SELECT count(*) FROM orders WHERE note IN (%L, %L)'', v, upper(v)) INTO n; RETURN n; END';
		CREATE FUNCTION as_tenant(v text) RETURNS text LANGUAGE sql AS 'SELECT set_config(''app.tenant'', v, true)';
		CREATE FUNCTION totals(p orders) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT p.id::bigint * 2';
		CREATE FUNCTION fac(n int) RETURNS int LANGUAGE sql AS 'SELECT CASE WHEN n < 2 THEN 1 ELSE n END';
		CREATE FUNCTION loops(n int) RETURNS int LANGUAGE plpgsql AS 'BEGIN IF n = 0 THEN RETURN 0; END IF; RETURN loops(n - 1); END';
		CREATE FUNCTION parsed(n int) RETURNS text BEGIN ATOMIC SELECT note FROM orders WHERE id = n; END;
		CREATE AGGREGATE longest (text) (SFUNC = textcat, STYPE = text, INITCOND = '');
		CREATE FUNCTION same(a orders, b orders) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT a.id = b.id';
		CREATE OPERATOR ==~ (LEFTARG = orders, RIGHTARG = orders, FUNCTION = same);
		CREATE DOMAIN positive AS int CHECK (VALUE > 0);
		CREATE VIEW nice AS SELECT twice(id) AS t, upper(note) AS u, query FROM orders, (SELECT 'x' AS query) s;
		CREATE VIEW nicer AS SELECT * FROM nice WHERE t > 1;
		CREATE VIEW waits AS SELECT * FROM pg_locks;
		CREATE DOMAIN positives AS positive[];
		CREATE TABLE counts (n positive, m positive[]);
		CREATE FUNCTION shell_twice(n int) RETURNS int LANGUAGE plsh AS 'BEGIN RETURN 2 * n; END';
		CREATE FUNCTION shell_upper(v text) RETURNS text LANGUAGE plsh IMMUTABLE AS 'BEGIN RETURN upper(v); END';
		DROP VIEW runs_all CASCADE;
		DROP VIEW twice_checked;
		GRANT SELECT ON ALL TABLES IN SCHEMA public TO public;`+routing); err != nil {
		t.Fatal(err)
	}
	for _, extension := range []string{
		"hstore", "citext", "pg_trgm", "ltree", "cube", "earthdistance", "intarray", "unaccent", "fuzzystrmatch", "tablefunc", "pgcrypto", "isn",
		"seg",
	} {
		if _, err := admin.Exec(t.Context(), "CREATE EXTENSION "+extension); err != nil {
			missing(t, extension, err)
		}
	}
	users := []string{"postgres", "keeper", "reads"} // in turns: the verdict does not depend on the user
	for i, sql := range []string{
		"SELECT id, note FROM orders", "SELECT count(*) AS run FROM orders WHERE note = 'n1' AND id = 1 AND note LIKE 'n%' AND id IN (1, 2)",
		"SELECT g, date_trunc('day', g) AS d FROM generate_series(timestamptz '2026-01-01Z', timestamptz '2026-01-03Z', '1 day') AS g",
		`SELECT jsonb_agg(note) AS a, jsonb_object_agg(id, note) AS b, '{"a": 1}'::jsonb @> '{}' AS c FROM orders`,
		`SELECT '{"a": 1}'::jsonb ->> 'a' AS d`,
		"SELECT regexp_replace(note, 'n', '') AS a, regexp_matches(note, '\\d') AS b, split_part(note, 'n', 2) AS c FROM orders",
		"SELECT id, row_number() OVER w AS n, lag(id) OVER w AS l, ntile(2) OVER w AS m FROM orders WINDOW w AS (ORDER BY id)",
		"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id) AS p, string_agg(note, ',' ORDER BY id) AS s FROM orders",
		"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r",
		"SELECT twice(id) AS t FROM orders", "SELECT id, note FROM near('n', 'n2')", "SELECT graded(id) AS g FROM orders",
		"SELECT counted() AS n", "SELECT counted_of('n1') AS n",
		"SELECT as_tenant('a') AS t", "SELECT o.totals AS t, totals(o) AS u, r.run FROM (SELECT 1 AS run) r, orders o",
		"SELECT fac(3) AS a, loops(3) AS b, parsed(1) AS c", "SELECT longest(note) AS l FROM orders", "SELECT 1::positive AS p",
		"SELECT a ==~ b AS same FROM orders a, orders b", "SELECT t, u, query FROM nicer", "SELECT count(*) AS n FROM waits",
		"SELECT (SELECT count(*) FROM orders)::int::text::numeric AS n, CAST('1' AS integer) AS i, date '2026-01-01' + 1 AS d",
		"SELECT 'run(1)' AS run, \"q\" AS jobs FROM (SELECT 1 AS q) wrapped",
		"SELECT query_to_xml('SELECT * FROM orders', true, true, '')::text AS x",
		"SELECT table_name, column_name FROM information_schema.columns LIMIT 1", "SELECT pg_size_pretty(pg_database_size('readings')) AS s",
		"SELECT extract(epoch FROM now()) AS e, to_char(now(), 'YYYY') AS y, coalesce(NULL, 1) AS c",
		"SELECT table_to_xml('orders'::regclass, true, true, '')::text AS x", "SELECT table_to_xml('nicer', true, true, '')::text AS x",
		"SELECT table_to_xml(('ord' || 'ers')::regclass, true, true, '')::text AS x", "SELECT '{1,2}'::positives AS p",
		"SELECT m || '{3}' AS m FROM counts", "SELECT shell_twice(2) AS n, shell_upper('a') AS u",
		"SELECT pgr_paths('SELECT note FROM orders') AS p",
		"SELECT greatest(1, 2) AS g, position('a' IN 'ba') AS p",
	} {
		user := users[i%len(users)]
		if err := query(t, asUser(t, "readings", user), sql); err != nil {
			t.Errorf("%s: %s\n%v", user, sql, err)
		}
	}
	c := asUser(t, "readings", "reads")
	for extension, sql := range map[string]string{
		"hstore":        "SELECT 'a=>1'::hstore -> 'a' AS a, akeys('a=>1'::hstore) AS k, (each('a=>1'::hstore)).key AS e",
		"citext":        "SELECT 'A'::citext = 'a'::citext AS same, replace('A'::citext, 'a', 'b') AS r, max(note::citext) AS m FROM orders",
		"pg_trgm":       "SELECT similarity('a', 'ab') AS s, note % 'n1' AS c, word_similarity('a', 'b') AS w FROM orders",
		"ltree":         "SELECT subpath('a.b.c'::ltree, 0, 1) AS s, 'a.b'::ltree <@ 'a'::ltree AS c",
		"earthdistance": "SELECT earth_distance(ll_to_earth(1, 2), ll_to_earth(3, 4)) AS d",
		"intarray":      "SELECT sort(ARRAY[2, 1]) AS s, ARRAY[1, 2] & ARRAY[2] AS b",
		"unaccent":      "SELECT unaccent('é') AS e", "fuzzystrmatch": "SELECT levenshtein('a', 'b') AS l, soundex('a') AS s",
		"tablefunc": "SELECT * FROM connectby('orders', 'id', 'id', '1', 1) AS c (a int, b int, l int)",
		"pgcrypto":  "SELECT encode(digest('a', 'sha256'), 'hex') AS d", "isn": "SELECT isbn('978-0-393-04002-9')::text AS i",
		"seg": "SELECT '1 .. 2'::seg @> '1'::seg AS s",
	} {
		var there bool
		if err := admin.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = $1)", extension).Scan(&there); err != nil {
			t.Fatal(err)
		}
		if err := query(t, c, sql); there && err != nil {
			t.Errorf("%s\n%v", sql, err)
		}
	}
}

// TestKnownLibraries: functions of known libraries may be called, except those that have effects or run SQL from their arguments. The
// libraries are not installed, which the server notices when a function is called.
func TestKnownLibraries(t *testing.T) {
	t.Parallel()
	admin, _ := database(t, "libraries")
	c := asUser(t, "libraries", "reads")
	for _, try := range []struct {
		library, source, arguments string
		sql                        string // CALL is the function
		want                       bool   // it is refused
	}{
		{"libpgrouting-3.4", "_pgr_dijkstra", "text, bigint", "SELECT CALL(note, 1) FROM orders", true},
		{"libpgrouting-3.4", "_pgr_dijkstra", "text, bigint", "SELECT CALL('SELECT run(''1'')', 1)", true},
		{"pgroonga", "pgroonga_command", "text", "SELECT CALL('shutdown')", true},
		{"pgroonga", "pgroonga_command", "text, text[]", "SELECT CALL('shutdown', NULL)", true},
		{"pgroonga", "pgroonga_set_writable", "bool", "SELECT CALL(false)", true},
		{"pgroonga", "pgroonga_vacuum", "", "SELECT CALL()", true},
		{"pgroonga", "pgroonga_wal_truncate", "text", "SELECT CALL('i')", true},
		{"pgroonga_database", "pgroonga_database_remove", "", "SELECT CALL()", true},
		{"pgroonga", "pgroonga_escape_string", "text", "SELECT CALL('a')", false},
		{"timescaledb", "ts_bgw_db_workers_stop", "", "SELECT CALL()", true},
		{"timescaledb-2.14.2", "ts_timestamptz_bucket", "interval, timestamptz", "SELECT CALL('1 day', now())", false},
		{"address_standardizer-3", "standardize_address", "text, text, text, text", "SELECT CALL('over_it', 'orders', 'orders', 'a')", true},
		{"mystery", "takes_number", "bigint", "SELECT CALL(1)", false},
		{"mystery", "takes_text", "text", "SELECT CALL('a')", true},
	} {
		for _, name := range []string{try.source, "another_name"} {
			if _, err := admin.Exec(t.Context(), fmt.Sprintf(`
				CREATE FUNCTION %[1]s(%[2]s) RETURNS text LANGUAGE c AS '$libdir/tablefunc', 'crosstab';
				UPDATE pg_proc SET prosrc = '%[3]s', probin = '$libdir/%[4]s' WHERE proname = '%[1]s'`,
				name, try.arguments, try.source, try.library)); err != nil {
				t.Fatal(err)
			}
			sql := strings.ReplaceAll(try.sql, "CALL", name)
			if err := query(t, c, sql); refused(err) != try.want || !try.want && !strings.Contains(fmt.Sprint(err), "58P01") {
				t.Errorf("%s in %s\n%s\n%v", try.source, try.library, sql, err)
			}
			if _, err := admin.Exec(t.Context(), "DROP FUNCTION "+name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestNamesBeyondTheEncoding: a name whose small letters the encoding of the warehouse lacks does not let the query pass.
func TestNamesBeyondTheEncoding(t *testing.T) {
	t.Parallel()
	admin := connectTo(t, far.dsn)
	if _, err := admin.Exec(t.Context(), "CREATE DATABASE chinese ENCODING 'EUC_CN' LOCALE 'C' TEMPLATE template0"); err != nil {
		t.Fatal(err)
	}
	owner := connectTo(t, strings.Replace(far.dsn, "/postgres?", "/chinese?", 1))
	if _, err := owner.Exec(t.Context(), `CREATE FUNCTION run(q text) RETURNS text LANGUAGE plpgsql AS
		'DECLARE v text; BEGIN EXECUTE q INTO v; RETURN v; END'`); err != nil {
		t.Fatal(err)
	}
	c := asUser(t, "chinese", "postgres")
	victim := connectTo(t, far.dsn)
	sql := fill("SELECT run('Q') AS Ⅰ", victim.PgConn().PID(), "")
	if err := query(t, c, sql); err == nil || victim.Ping(t.Context()) != nil {
		t.Errorf("%s\nit is asked: %v", sql, err)
	}
	if err := query(t, c, "SELECT 1 AS Ш, 2 AS 城市"); err != nil {
		t.Error(err)
	}
	if err := ungated(t, c, sql); victim.Ping(t.Context()) == nil {
		t.Errorf("%s\nwithout the gate it has no effect: %v", sql, err)
	}
}

// TestOtherCatalogs: a member of the family without a catalog like PostgreSQL's is queried. One that hides its catalog is not.
func TestOtherCatalogs(t *testing.T) {
	t.Parallel()
	owner, _ := database(t, "catalogs")
	if _, err := owner.Exec(t.Context(), `
		CREATE SCHEMA odd;
		CREATE FUNCTION odd.regexp_matches(text, text, text) RETURNS int LANGUAGE sql AS 'SELECT 1';
		CREATE ROLE elsewhere LOGIN; GRANT USAGE ON SCHEMA odd TO elsewhere;
		ALTER ROLE elsewhere SET search_path = odd, pg_catalog, public`); err != nil {
		t.Fatal(err)
	}
	var table warehousetest.Table
	sql := "SELECT id, upper(note) AS n FROM orders WHERE id = 1"
	c := asUser(t, "catalogs", "elsewhere")
	if _, err := c.Query(t.Context(), sql, nil, warehousetest.Wide, &table); err != nil || fmt.Sprint(table.Rows) != "[[1 N1]]" {
		t.Errorf("without the catalog: %v, %v", table.Rows, err)
	}
	if _, err := owner.Exec(t.Context(), "REVOKE SELECT ON pg_catalog.pg_proc FROM public"); err != nil {
		t.Fatal(err)
	}
	err := query(t, asUser(t, "catalogs", "reads"), sql)
	if bad, ok := errors.AsType[*warehouse.Error](err); !ok || bad.Class != warehouse.Permission {
		t.Errorf("with the catalog hidden: %v", err)
	}
}

// TestPoliciesRun: a table is refused if its row security calls a function that runs SQL made from the rows; policies that only read
// are followed.
func TestPoliciesRun(t *testing.T) {
	t.Parallel()
	owner, dsn := database(t, "policies")
	if _, err := owner.Exec(t.Context(), `
		CREATE TABLE guarded (q text);
		ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
		CREATE POLICY p ON guarded FOR SELECT USING (passes(q));
		CREATE VIEW over_guarded WITH (security_barrier) AS SELECT q FROM guarded;
		ALTER VIEW over_guarded OWNER TO keeper;
		CREATE TABLE written (q text);
		ALTER TABLE written ENABLE ROW LEVEL SECURITY;
		CREATE POLICY p ON written FOR INSERT WITH CHECK (passes(q));
		CREATE POLICY r ON written FOR SELECT USING (length(q) > 0);
		CREATE TABLE unguarded (q text);
		CREATE POLICY p ON unguarded USING (passes(q));
		GRANT SELECT ON guarded, over_guarded, written, unguarded TO public`); err != nil {
		t.Fatal(err)
	}
	for _, user := range []string{"keeper", "reads", "postgres"} {
		c := asUser(t, "policies", user)
		for _, sql := range []string{
			"SELECT q FROM guarded", "TABLE public.guarded", "SELECT q FROM over_guarded", "SELECT table_to_xml('guarded', true, true, '')::text",
			"SELECT table_to_xml(('guar' || 'ded')::regclass, true, true, '')::text",
		} {
			victim := connectTo(t, strings.Replace(dsn, "postgres@", user+"@", 1))
			stored := strings.ReplaceAll(ending, "VICTIM", fmt.Sprint(victim.PgConn().PID()))
			if _, err := owner.Exec(t.Context(), "WITH old AS (DELETE FROM guarded) INSERT INTO guarded VALUES ($1)", stored); err != nil {
				t.Fatal(err)
			}
			if err := query(t, c, sql); !refused(err) || victim.Ping(t.Context()) != nil {
				t.Errorf("%s: %s\nit is asked: %v", user, sql, err)
			}
			if err := ungated(t, c, sql); user != "postgres" && victim.Ping(t.Context()) == nil {
				t.Errorf("%s: %s\nwithout the gate it has no effect: %v", user, sql, err)
			}
		}
		for _, sql := range []string{"SELECT q FROM written", "SELECT q FROM unguarded"} {
			if err := query(t, c, sql); err != nil {
				t.Errorf("%s: %s: %v", user, sql, err)
			}
		}
	}
}

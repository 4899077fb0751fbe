package postgres_test

import "service/store/warehouse/warehousetest"

// attacks are statements that must change nothing, as a user who may do anything.
// Some of them run, to no effect. escaped is a file that none may write.
func attacks(escaped string) []warehousetest.Attack {
	return []warehousetest.Attack{
		{Name: "writes", SQL: []string{
			"INSERT INTO orders (id) VALUES (-2)", "INSERT INTO orders (id) VALUES (-2) RETURNING id", "INSERT INTO orders (id) SELECT -2",
			"INSERT INTO orders (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET paid = true",
			"UPDATE orders SET paid = true", "UPDATE orders SET paid = true RETURNING id", "DELETE FROM orders", "DELETE FROM orders RETURNING id",
			"TRUNCATE orders", "MERGE INTO orders o USING orders p ON o.id = p.id WHEN MATCHED THEN DELETE",
			"UPDATE orders SET paid = true WHERE CURRENT OF c", "INSERT INTO paid (id) VALUES (-2)",
		}},
		{Name: "writes within a query", SQL: []string{
			"WITH x AS (INSERT INTO orders (id) VALUES (-2) RETURNING id) SELECT * FROM x",
			"WITH x AS (DELETE FROM orders RETURNING id) SELECT * FROM x", "WITH x AS (UPDATE orders SET paid = true RETURNING id) SELECT * FROM x",
			"WITH x AS (SELECT 1) INSERT INTO orders (id) SELECT -2 FROM x", "SELECT * INTO t FROM orders", "SELECT * INTO TEMP t FROM orders",
			"SELECT 1 AS a INTO UNLOGGED t", "CREATE TABLE t AS SELECT 1",
		}},
		{Name: "several statements", SQL: []string{
			"select 1; commit; begin read write; insert into orders (id) values (-2); commit; begin; declare d cursor for select 1",
			"SELECT 1; DROP TABLE orders", "SELECT 1; SELECT 2", "; SELECT 1", "SELECT 1 /* */ ; /* */ DELETE FROM orders",
			"SELECT 1 -- \n; DELETE FROM orders",
			"SELECT $$a$$; DELETE FROM orders", "SELECT $a$;$a$; DELETE FROM orders", "SELECT 'a\\'; DELETE FROM orders; --'",
			"SELECT E'a\\''; DELETE FROM orders; --'", "TABLE orders; DELETE FROM orders", "SELECT 1;;;DELETE FROM orders",
			"SELECT 1 /* /* */ */; DELETE FROM orders",
			"SELECT U&'\\0027'; DELETE FROM orders", "SELECT 1\x00; DELETE FROM orders",
		}},
		{Name: "transactions", SQL: []string{
			"COMMIT", "ROLLBACK", "BEGIN READ WRITE", "END; INSERT INTO orders (id) VALUES (-2)", "ABORT", "SAVEPOINT s", "RELEASE s",
			"ROLLBACK TO s", "PREPARE TRANSACTION 'x'", "COMMIT PREPARED 'x'", "START TRANSACTION READ WRITE", "COMMIT AND CHAIN",
			"SELECT txid_current()", "SELECT pg_current_xact_id()",
		}},
		{Name: "settings", SQL: []string{
			"SET transaction_read_only = off", "SET default_transaction_read_only = off", "RESET ALL", "SET ROLE postgres", "DISCARD ALL",
			"SELECT set_config('transaction_read_only', 'off', false)", "SELECT set_config('transaction_read_only', 'off', true), writes()",
			"SELECT set_config('default_transaction_read_only', 'off', false)", "SELECT set_config('statement_timeout', '0', false)",
			"SELECT set_config('role', 'postgres', false), writes()", "SELECT set_config('session_authorization', 'postgres', false), writes()",
			"SET TRANSACTION READ WRITE", "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE", "SET LOCAL statement_timeout = 0",
			"SET statement_timeout = 0", "SET SESSION AUTHORIZATION postgres", "ALTER SYSTEM SET work_mem = '1GB'",
			"ALTER ROLE postgres SET default_transaction_read_only = off",
			"ALTER DATABASE postgres SET default_transaction_read_only = off",
			"UPDATE pg_settings SET setting = 'off' WHERE name = 'transaction_read_only'", "SELECT pg_reload_conf()", "SHOW ALL",
		}},
		{Name: "functions that write", SQL: []string{
			"SELECT writes()", "SELECT * FROM writes()", "SELECT 1 UNION SELECT writes()", "VALUES (writes())", "SELECT (SELECT writes())",
			"SELECT id FROM orders ORDER BY writes()", "SELECT id FROM orders WHERE writes() = 1", "SELECT count(*) FROM orders GROUP BY writes()",
			"SELECT 1 LIMIT writes()",
			"SELECT query_to_xml('INSERT INTO orders (id) VALUES (-2)', true, true, '')", "SELECT query_to_xml('SELECT writes()', true, true, '')",
			"SELECT cursor_to_xml('c', 1, true, true, '')", "SELECT ts_stat('SELECT writes()::text::tsvector')",
			"SELECT * FROM ts_rewrite('a'::tsquery, 'SELECT writes()::text::tsquery, 1::text::tsquery')",
			"SELECT table_to_xml('orders', true, true, '') FROM writes()", "WITH x AS MATERIALIZED (SELECT writes()) SELECT * FROM x",
		}},
		{Name: "sequences", SQL: []string{
			"SELECT nextval('seq')", "SELECT setval('seq', 99)", "SELECT setval('seq', 99, false)",
			"SELECT currval('seq')", "ALTER SEQUENCE seq RESTART", "DROP SEQUENCE seq", "SELECT nextval('seq') FROM generate_series(1, 10)",
		}},
		{Name: "locks", SQL: []string{
			"SELECT id FROM orders FOR UPDATE", "SELECT id FROM orders FOR SHARE", "SELECT id FROM orders FOR NO KEY UPDATE",
			"SELECT id FROM orders FOR KEY SHARE", "SELECT * FROM (SELECT id FROM orders FOR UPDATE) x", "LOCK TABLE orders",
			"LOCK orders IN ACCESS SHARE MODE", "SELECT pg_advisory_lock(1)", "SELECT pg_try_advisory_lock(2)",
		}},
		{Name: "files and programs", SQL: []string{
			"COPY orders TO '" + escaped + "'", "COPY orders FROM '" + escaped + "'", "COPY orders TO PROGRAM 'touch " + escaped + "'",
			"COPY (SELECT 1) TO PROGRAM 'touch " + escaped + "'", "COPY orders FROM PROGRAM 'touch " + escaped + "'", "COPY orders FROM STDIN",
			"COPY orders TO STDOUT",
			"SELECT lo_import('/etc/hostname')", "SELECT lo_export(1, '" + escaped + "')", "SELECT pg_file_write('" + escaped + "', 'x', false)",
			"LOAD 'x'", "SELECT pg_file_rename('" + escaped + "', 'x')", "SELECT pg_file_unlink('" + escaped + "')",
			"SELECT dblink('', 'DELETE FROM orders')",
		}},
		{Name: "large objects", SQL: []string{
			"SELECT lo_put(1, 0, 'x')", "SELECT lo_creat(-1)", "SELECT lo_create(0)",
			"SELECT lo_from_bytea(0, 'x')", "SELECT lo_unlink(1)", "SELECT lo_truncate(1, 0)", "SELECT lo_open(1, 131072)",
		}},
		{Name: "replication and the log", SQL: []string{
			"SELECT pg_create_physical_replication_slot('s')", "SELECT pg_create_logical_replication_slot('s', 'test_decoding')",
			"SELECT pg_drop_replication_slot('s')", "SELECT pg_switch_wal()", "SELECT pg_create_restore_point('x')",
			"SELECT pg_logical_emit_message(true, 'a', 'b')",
			"CREATE PUBLICATION p", "CREATE SUBSCRIPTION s CONNECTION '' PUBLICATION p", "SELECT pg_replication_origin_create('x')", "CHECKPOINT",
		}},
		{Name: "definitions", SQL: []string{
			"CREATE TABLE t (i int)", "CREATE TEMP TABLE t (i int)", "CREATE VIEW v AS SELECT 1", "CREATE MATERIALIZED VIEW v AS SELECT 1",
			"CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", "CREATE EXTENSION dblink", "CREATE DATABASE d", "DROP TABLE orders",
			"ALTER TABLE orders ADD COLUMN x int",
			"COMMENT ON TABLE orders IS 'x'", "CREATE INDEX ON orders (day)", "DROP DATABASE postgres", "CREATE SCHEMA s",
			"CREATE TRIGGER t AFTER INSERT ON orders EXECUTE FUNCTION f()", "CREATE RULE r AS ON INSERT TO orders DO NOTHING",
			"CREATE POLICY p ON orders", "CREATE SERVER s FOREIGN DATA WRAPPER w",
			"CREATE EVENT TRIGGER e ON ddl_command_start EXECUTE FUNCTION f()", "CREATE CAST (int AS text) WITH INOUT", "CREATE TYPE y AS (i int)",
			"CREATE DOMAIN y AS int", "CREATE OPERATOR === (FUNCTION = int4eq, LEFTARG = int, RIGHTARG = int)",
			"CREATE AGGREGATE g (int) (SFUNC = int4pl, STYPE = int)",
			"CREATE LANGUAGE l", "CREATE TABLESPACE t LOCATION '/tmp'", "ALTER FUNCTION writes() RENAME TO w", "ALTER VIEW paid RENAME TO p",
			"DROP VIEW paid", "DROP FUNCTION writes()", "IMPORT FOREIGN SCHEMA x FROM SERVER y INTO z", "SECURITY LABEL ON TABLE orders IS 'x'",
			"REFRESH MATERIALIZED VIEW v",
		}},
		{Name: "roles", SQL: []string{
			"CREATE ROLE r", "GRANT ALL ON orders TO public", "REVOKE ALL ON orders FROM public", "ALTER ROLE postgres PASSWORD 'x'",
			"REASSIGN OWNED BY postgres TO r", "DROP OWNED BY postgres", "GRANT postgres TO postgres",
			"ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO public", "DROP ROLE conformance",
			"ALTER ROLE conformance RENAME TO c",
		}},
		{Name: "maintenance", SQL: []string{
			"VACUUM", "ANALYZE", "CLUSTER", "REINDEX TABLE orders", "SELECT pg_stat_reset()",
			"SELECT pg_rotate_logfile()",
		}},
		// plant makes the server read strings differently while the cursor is planned, so that the statement that runs differs from the declared
		// one.
		{Name: "read otherwise the second time", SQL: []string{
			`SELECT plant() AS a, '\'', writes() AS b --'`, `SELECT plant() AS a, '\'', nextval('seq') AS b --'`,
			`SELECT plant() AS a, '\'' AS b INTO t --'`, `SELECT plant() AS a, '\'' FROM orders FOR UPDATE --'`,
			`SELECT plant() AS a, '\''; COMMIT; DELETE FROM orders --'`,
			`SELECT plant() AS a, '\'', set_config('transaction_read_only', 'off', false), writes() AS b --'`,
			`SELECT plant() AS a, '\'' UNION SELECT writes(), 'b' --'`,
		}},
		{Name: "other statements", SQL: []string{
			"DO 'BEGIN INSERT INTO orders (id) VALUES (-2); END'", "CALL p()", "EXECUTE s", "PREPARE s AS SELECT 1", "DEALLOCATE ALL",
			"EXPLAIN ANALYZE INSERT INTO orders (id) VALUES (-2)", "EXPLAIN SELECT 1", "LISTEN x", "NOTIFY x", "UNLISTEN *", "FETCH ALL FROM c",
			"CLOSE c", "MOVE ALL FROM c",
			"DECLARE d CURSOR FOR SELECT 1", "IMPORT", "", "(DELETE FROM orders)", "SELECT pg_notify('x', 'y')",
		}},
	}
}

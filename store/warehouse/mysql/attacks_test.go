package mysql_test

import (
	"path/filepath"

	"service/store/warehouse"
	"service/store/warehouse/warehousetest"
)

// attacks are statements that must change nothing, as a user who may do anything.
func attacks() []warehousetest.Attack {
	file := filepath.Join(far.out, "escaped")
	if far.out == "" {
		file = "escaped"
	}
	return []warehousetest.Attack{
		{Name: "writes", SQL: []string{
			"INSERT INTO orders VALUES (-2, '2026-01-01', 0, '')", "INSERT INTO orders VALUES (-2, '2026-01-01', 0, '') RETURNING id",
			"INSERT INTO orders SELECT -2, day, 0, '' FROM orders LIMIT 1",
			"INSERT IGNORE INTO orders VALUES (-2, '2026-01-01', 0, '')",
			"INSERT INTO orders VALUES (1, '2026-01-01', 0, '') ON DUPLICATE KEY UPDATE amount = 0",
			"REPLACE INTO orders VALUES (1, '2026-01-01', 0, '')", "UPDATE orders SET amount = 0", "UPDATE LOW_PRIORITY orders SET amount = 0",
			"DELETE FROM orders", "DELETE FROM orders RETURNING id",
			"DELETE o FROM orders o JOIN kinds", "TRUNCATE orders", "TRUNCATE TABLE orders", "insert into orders values (-2, '2026-01-01', 0, '')",
			"(INSERT INTO orders VALUES (-2, '2026-01-01', 0, ''))",
		}},
		{Name: "writes behind WITH", SQL: []string{
			"WITH x AS (SELECT 1) DELETE FROM orders", "WITH x AS (SELECT 1) UPDATE orders SET amount = 0",
			"WITH x AS (SELECT 1 AS a) DELETE orders FROM orders, x",
			"WITH x AS (DELETE FROM orders RETURNING id) SELECT * FROM x",
			"WITH x AS (SELECT 1) INSERT INTO orders VALUES (-2, '2026-01-01', 0, '')",
			"WITH x AS (SELECT 1) REPLACE INTO orders SELECT 1, day, 0, '' FROM orders LIMIT 1",
		}},
		{Name: "several statements", SQL: []string{
			"SELECT 1; DROP TABLE orders", "SELECT 1; SELECT 2", "SELECT 1;;DELETE FROM orders", "; DELETE FROM orders",
			"SELECT 1 /* ; */ ; /* */ DELETE FROM orders", "SELECT 1 -- \n; DELETE FROM orders",
			"SELECT 1 # \n; DELETE FROM orders", "SELECT 'a\\'; DELETE FROM orders; -- '; DELETE FROM orders",
			"SELECT 1; COMMIT; BEGIN; DELETE FROM orders; COMMIT", "BEGIN NOT ATOMIC DELETE FROM orders; END",
			"SELECT `a`; DELETE FROM orders", "DELIMITER //\nDELETE FROM orders//",
		}},
		{Name: "executed comments", SQL: []string{
			"/*! DELETE FROM orders */", "/*!50000 DELETE FROM orders */", "/*M!100000 DELETE FROM orders */",
			"SELECT 1 /*! INTO OUTFILE '" + file + "' */", "SELECT 1 /*M! INTO OUTFILE '" + file + "' */",
			"SELECT /*!99999 1, */ 2", "SELECT /*+ SET_VAR(max_execution_time=0) */ 1", "SELECT /* /*! 1 */ writes() */ 1",
			"/*!*/ DELETE FROM orders", "SELECT 1 /*!00000, SLEEP(2) */", "SELECT 1/*!,writes()*/",
		}},
		{Name: "files written", SQL: []string{
			"SELECT 1 INTO OUTFILE '" + file + "'", "SELECT 1 INTO DUMPFILE '" + file + "'", "SELECT * INTO OUTFILE '" + file + "' FROM orders",
			"SELECT * FROM orders INTO OUTFILE '" + file + "' FIELDS TERMINATED BY ','",
			"(SELECT 1 INTO OUTFILE '" + file + "')", "(SELECT 1) INTO OUTFILE '" + file + "'",
			"SELECT 1 UNION SELECT 2 INTO OUTFILE '" + file + "'", "VALUES (1) INTO OUTFILE '" + file + "'",
			"TABLE orders INTO OUTFILE '" + file + "'",
			"WITH x AS (SELECT 1) SELECT * FROM x INTO OUTFILE '" + file + "'", "SELECT 1 into/**/outfile '" + file + "'",
			"SELECT 1\nINTO\nOUTFILE\n'" + file + "'", "SELECT 1e5INTO OUTFILE '" + file + "'",
			"SELECT 1.5INTO OUTFILE '" + file + "'", "SELECT 1.INTO OUTFILE '" + file + "'", "SELECT .5INTO OUTFILE '" + file + "'",
			"SELECT \\NINTO OUTFILE '" + file + "'", "SELECT 'a'INTO OUTFILE '" + file + "'",
			"SELECT `id`INTO OUTFILE '" + file + "' FROM orders", "SELECT (SELECT 1 INTO OUTFILE '" + file + "')",
			"SELECT 1 FROM orders PROCEDURE ANALYSE() INTO OUTFILE '" + file + "'", "SELECT 1 --1 INTO OUTFILE '" + file + "'",
			"SELECT 0x41INTO OUTFILE '" + file + "'", "SELECT x'41'INTO OUTFILE '" + file + "'", "BACKUP STAGE START",
			"FLUSH TABLES orders FOR EXPORT", "SELECT orders.id INTO OUTFILE '" + file + "' FROM orders",
		}},
		{Name: "files read", SQL: []string{
			"SELECT LOAD_FILE('/etc/hostname')", "SELECT load_file('/etc/hostname')", "SELECT LOAD_FILE ('/etc/hostname')",
			"SELECT LOAD_FILE/**/('/etc/hostname')", "SELECT LOAD_FILE(0x2f6574632f686f73746e616d65)", "SELECT `LOAD_FILE`('/etc/hostname')",
			"LOAD DATA INFILE '/etc/hostname' INTO TABLE orders", "LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE orders",
			"LOAD XML LOCAL INFILE '/etc/hostname' INTO TABLE orders", "SELECT HEX(LOAD_FILE('/etc/passwd')) FROM orders",
			"SELECT 1 WHERE LOAD_FILE('/etc/passwd') IS NOT NULL", "LOAD INDEX INTO CACHE orders",
			"SELECT * FROM orders ORDER BY LOAD_FILE('/etc/passwd')",
		}},
		{Name: "functions that write", Run: true, SQL: []string{
			"SELECT writes()", "SELECT `writes`()", "SELECT " + database + ".writes()", "SELECT `" + database + "`.`writes`()",
			"SELECT * FROM orders WHERE writes() = 1", "SELECT 1 FROM orders GROUP BY writes()", "SELECT COUNT(*) FROM orders HAVING writes() > 0",
			"VALUES (writes())", "SELECT (SELECT writes())", "WITH x AS (SELECT writes()) SELECT * FROM x", "SELECT writes ()",
			"SELECT writes/**/()", "SELECT WrItEs()", "SELECT MAX(writes()) OVER ()", "SELECT CASE WHEN writes() THEN 1 END",
			"SELECT {fn writes()}", "SELECT sys_exec('touch " + file + "')", "SELECT sys_eval('id')", "SELECT lib_mysqludf_sys_info()",
			"SELECT NULLIF(writes(), 1)", "SELECT 1 LIMIT writes()",
			"WITH writes (a) AS (SELECT 1) SELECT writes() FROM writes",
		}},
		{Name: "sequences", Run: true, SQL: []string{
			"SELECT NEXTVAL(seq)", "SELECT NEXT VALUE FOR seq", "SELECT next/**/value for seq",
			"SELECT SETVAL(seq, 99)", "SELECT seq.nextval", "ALTER SEQUENCE seq RESTART 50", "DROP SEQUENCE seq",
		}},
		{Name: "locks", SQL: []string{
			"SELECT GET_LOCK('taken', 0)", "SELECT get_lock('taken', 0) FROM orders", "SELECT id FROM orders FOR UPDATE",
			"SELECT id FROM orders FOR UPDATE NOWAIT",
			"SELECT id FROM orders FOR UPDATE SKIP LOCKED", "SELECT id FROM orders FOR SHARE", "SELECT id FROM orders LOCK IN SHARE MODE",
			"(SELECT id FROM orders FOR UPDATE)", "SELECT * FROM (SELECT id FROM orders FOR UPDATE) AS x",
			"SELECT id FROM orders for/**/update", "LOCK TABLES orders WRITE", "UNLOCK TABLES", "FLUSH TABLES WITH READ LOCK",
			"LOCK INSTANCE FOR BACKUP", "HANDLER orders OPEN", "HANDLER orders READ FIRST", "SELECT service_get_write_locks('a', 'b', 0)",
		}},
		{Name: "functions of plugins with lasting effects", Class: warehouse.Refused, SQL: []string{
			"SELECT keyring_aws_rotate_cmk()", "SELECT KEYRING_HASHICORP_UPDATE_CONFIG()", "SELECT set_firewall_mode('a@b', 'OFF')",
			"SELECT `set_firewall_group_mode`('g', 'OFF')", "SELECT firewall_group_enlist('g', 'a@b')", "SELECT mysql_firewall_flush_status()",
			"SELECT masking_dictionary_term_add('d', 't')", "SELECT masking_dictionaries_flush()", "SELECT gen_dictionary_drop('d')",
			"SELECT gen_dictionary_load('/etc/passwd', 'd')", "SELECT load_rewrite_rules()", "SELECT mysqlbackup_page_track_set(true)",
			"SELECT mysqlbackup_page_track_purge_up_to(9)", "SELECT innodb_redo_log_consumer_register()", "SELECT audit_api_message_emit_udf('a')",
		}},
		{Name: "variables", SQL: []string{
			"SELECT @a := 1", "SELECT @a:=1", "SELECT @@global.max_connections", "SELECT @@version", "SET @a = 1", "SET GLOBAL max_connections = 77",
			"SET @@global.max_connections = 77", "SET PERSIST max_connections = 77", "SET SESSION max_statement_time = 0",
			"SET STATEMENT max_statement_time = 0 FOR SELECT 1", "SET NAMES gbk", "SET CHARACTER SET gbk", "SET PASSWORD = ''",
			"SET DEFAULT ROLE NONE", "SET ROLE NONE", "SET TRANSACTION READ WRITE", "SET SESSION TRANSACTION READ WRITE", "SET tx_read_only = 0",
			"SELECT 1 INTO @a", "SELECT id INTO @a FROM orders LIMIT 1", "SELECT `a`:=1", "SELECT 1 AS a, @b", "RESET QUERY CACHE", "RESET MASTER",
			"SELECT @'a'", "SELECT @`a` := 2", "SET GLOBAL general_log = 1", "SET GLOBAL init_connect = 'DELETE FROM orders'",
		}},
		{Name: "transactions", SQL: []string{
			"COMMIT", "ROLLBACK", "BEGIN", "START TRANSACTION READ WRITE", "COMMIT AND CHAIN", "SAVEPOINT s",
			"RELEASE SAVEPOINT s", "XA START 'a'", "XA RECOVER", "XA COMMIT 'a'", "(COMMIT)",
		}},
		{Name: "definitions", SQL: []string{
			"CREATE TABLE t (i int)", "CREATE TEMPORARY TABLE t (i int)", "CREATE TABLE t AS SELECT 1", "CREATE OR REPLACE TABLE orders (i int)",
			"CREATE VIEW v AS SELECT 1", "CREATE FUNCTION f() RETURNS int RETURN 1", "CREATE PROCEDURE p() SELECT 1",
			"CREATE TRIGGER tr BEFORE INSERT ON orders FOR EACH ROW SET NEW.id = 1",
			"CREATE EVENT e ON SCHEDULE EVERY 1 SECOND DO DELETE FROM orders", "CREATE DATABASE d", "CREATE INDEX i ON orders (day)",
			"CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST 'x')",
			"CREATE FUNCTION sys_exec RETURNS int SONAME 'x.so'", "ALTER TABLE orders ADD COLUMN x int", "ALTER TABLE orders ENGINE = MyISAM",
			"ALTER DATABASE " + database + " CHARACTER SET latin1", "ALTER VIEW early AS SELECT 1", "DROP TABLE orders", "DROP DATABASE " + database,
			"DROP VIEW early", "DROP FUNCTION writes", "DROP PROCEDURE proc", "DROP INDEX i ON orders", "RENAME TABLE orders TO o",
			"CREATE TABLESPACE ts", "CREATE SPATIAL REFERENCE SYSTEM 1 NAME 'x'",
		}},
		{Name: "accounts", SQL: []string{
			"CREATE USER eve", "DROP USER poor", "ALTER USER conformance IDENTIFIED BY ''", "RENAME USER poor TO rich", "GRANT ALL ON *.* TO poor",
			"REVOKE ALL ON *.* FROM poor", "CREATE ROLE r", "DROP ROLE r", "FLUSH PRIVILEGES", "GRANT PROXY ON root TO poor",
			"SHOW GRANTS",
		}},
		{Name: "administration", SQL: []string{
			"KILL 1", "KILL QUERY 1", "KILL USER poor", "SHUTDOWN", "RESTART", "PURGE BINARY LOGS BEFORE '2030-01-01'",
			"CHANGE MASTER TO MASTER_HOST = 'x'", "START SLAVE", "STOP SLAVE", "INSTALL PLUGIN p SONAME 'x.so'", "INSTALL SONAME 'x'",
			"UNINSTALL PLUGIN p",
			"FLUSH TABLES", "FLUSH LOGS", "FLUSH HOSTS", "OPTIMIZE TABLE orders", "REPAIR TABLE orders", "ANALYZE TABLE orders",
			"CHECK TABLE orders", "CHECKSUM TABLE orders", "CACHE INDEX orders IN c", "CLONE LOCAL DATA DIRECTORY '" + file + "'", "BINLOG 'x'",
			"ALTER INSTANCE ROTATE INNODB MASTER KEY", "IMPORT TABLE FROM '" + file + "'",
		}},
		{Name: "other statements", SQL: []string{
			"CALL proc()", "DO writes()", "PREPARE s FROM 'DELETE FROM orders'", "EXECUTE s", "EXECUTE IMMEDIATE 'DELETE FROM orders'",
			"DEALLOCATE PREPARE s", "EXPLAIN DELETE FROM orders", "EXPLAIN SELECT 1", "ANALYZE DELETE FROM orders",
			"ANALYZE UPDATE orders SET amount = 0",
			"EXPLAIN ANALYZE SELECT 1", "DESCRIBE orders", "SHOW TABLES", "SHOW PROCESSLIST", "USE mysql", "HELP 'x'", "SIGNAL SQLSTATE '45000'",
			"GET DIAGNOSTICS @a = NUMBER", "IF 1 THEN DELETE FROM orders; END IF", "LOOP DELETE FROM orders; END LOOP", "RETURN 1", "TABLE",
			"SELECT", "WITH", "(", "()", "((SELECT 1)", "SELECT 1)", "SELECT 1) AS q, (SELECT 2", "SELECT 1) AS q UNION (SELECT 2",
		}},
		{Name: "places where the readers might differ", SQL: []string{
			"SELECT 'a''; DELETE FROM orders; --", "SELECT `a``; DELETE FROM orders; --", "SELECT 1 --\x01 \n; DELETE FROM orders",
			"SELECT $$ ' $$, writes(), $$ ' $$", "SELECT 1 /* ' */, writes() /* ' */",
			"SELECT 1\x00; DELETE FROM orders", "SELECT '\x00'", "SELECT \xbf\x27; DELETE FROM orders -- '", "SELECT _gbk'\xbf\x27 OR writes() -- '",
			"SELECT 1 -- \r; DELETE FROM orders", "SELECT 1 /*", "SELECT 1 */ , writes()", "SELECT '", "SELECT \"", "SELECT `",
			"SELECT 1--writes()", "SELECT 1 # ' \n , writes() # '", "SELECT ?", "SELECT ſleep(1)",
		}},
	}
}

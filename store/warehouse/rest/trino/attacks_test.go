package trino_test

import (
	"fmt"
	"strings"

	"service/store/warehouse"
	"service/store/warehouse/warehousetest"
)

// disguised are statements that begin as a query does. The server does not take them as a subquery.
var disguised = []string{
	"WITH FUNCTION f() RETURNS bigint RETURN 1 SELECT f()",
	"WITH x AS (SELECT 1 AS id) INSERT INTO orders SELECT id FROM x",
	"SELECT 1) LIMIT 0 UNION ALL (SELECT 2",
}

// attacks are the statements of Trino that do more than read ("SQL statement syntax"), and functions that reach other systems.
func attacks() []warehousetest.Attack {
	refused := func(name string, sql ...string) warehousetest.Attack {
		return warehousetest.Attack{Name: name, Class: warehouse.Refused, SQL: sql}
	}
	var definitions, several, functions []string
	for _, object := range strings.Fields("TABLE VIEW SCHEMA CATALOG FUNCTION ROLE BRANCH") {
		for _, form := range []string{
			"CREATE %s x AS SELECT 1", "CREATE OR REPLACE %s orders AS SELECT 1", "DROP %s IF EXISTS orders", "ALTER %s orders RENAME TO x",
			"SHOW CREATE %s orders",
		} {
			definitions = append(definitions, fmt.Sprintf(form, object))
		}
	}
	definitions = append(definitions, "CREATE MATERIALIZED VIEW x AS SELECT 1", "REFRESH MATERIALIZED VIEW daily",
		"DROP MATERIALIZED VIEW daily", "ALTER MATERIALIZED VIEW daily EXECUTE optimize")
	changes := []string{
		"INSERT INTO orders VALUES (1)", "INSERT INTO orders SELECT 1", "UPDATE orders SET id = 1", "DELETE FROM orders", "TRUNCATE TABLE orders",
		"MERGE INTO orders USING orders AS b ON true WHEN MATCHED THEN DELETE", "ALTER TABLE orders EXECUTE optimize",
		"COMMENT ON TABLE orders IS 'x'", "ANALYZE orders", "GRANT SELECT ON orders TO USER x", "REVOKE SELECT ON orders FROM USER x",
		"DENY SELECT ON orders TO USER x", "SET ROLE admin", "SET SESSION query_max_run_time = '1h'", "RESET SESSION query_max_run_time",
		"SET SESSION AUTHORIZATION alice", "RESET SESSION AUTHORIZATION", "SET PATH a.b", "SET TIME ZONE 'UTC'",
		"START TRANSACTION", "COMMIT", "ROLLBACK", "USE hive.other", "CALL system.runtime.kill_query(query_id => 'x')",
		"CALL hive.system.unregister_table('a', 'b')", "PREPARE x FROM SELECT 1", "EXECUTE x", "EXECUTE IMMEDIATE 'DROP TABLE orders'",
		"DEALLOCATE PREPARE x", "DESCRIBE orders", "DESCRIBE OUTPUT x", "EXPLAIN SELECT 1", "EXPLAIN ANALYZE SELECT 1", "SHOW TABLES",
		"SHOW GRANTS ON TABLE orders",
	}
	for _, sql := range changes {
		several = append(several, "SELECT 1; "+sql, sql+"; SELECT 1", sql)
	}
	const remote = "(query => 'DELETE FROM orders')"
	for _, name := range strings.Fields(`mysql.system.query postgresql.system.query elastic.system.raw_query sqlserver.system.procedure
		"mysql".system."query" mysql.system.QUERY mysql."system".Query`) {
		functions = append(functions, "SELECT * FROM TABLE("+name+remote+")", "SELECT * FROM TABLE ( "+name+" /* ( */ "+remote+")",
			"WITH x AS (SELECT * FROM TABLE("+name+" -- (\n"+remote+")) SELECT * FROM x")
	}
	for _, name := range strings.Fields(`ai_analyze_sentiment ai_classify ai_extract ai_fix_grammar ai_gen ai_mask ai_translate AI_GEN "ai_gen"
		ai.ai.ai_gen`) {
		functions = append(functions, "SELECT "+name+"('x')", "SELECT * FROM orders WHERE "+name+" (note) = 'x'")
	}
	settings := []string{
		"WITH SESSION query_max_run_time = '1h' SELECT 1", "with session hive.a = 1 SELECT 1", "WITH/* */SESSION a = 1 SELECT 1",
		"SELECT `a` FROM orders", "SELECT 'a' , \"b' , mysql.system.query", "SELECT U&'\\0027 , 1", "SELECT $$ ' $$", "SELECT ‘a’",
	}
	return []warehousetest.Attack{
		refused("definitions", definitions...), refused("changes", several...), refused("functions", functions...),
		refused("settings and quotes", settings...),
		{Name: "disguised", SQL: disguised},
	}
}

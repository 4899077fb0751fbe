package databricks_test

import (
	"fmt"
	"strings"

	"service/store/warehouse"
	"service/store/warehouse/warehousetest"
)

// disguised are statements that begin as a query does. The server does not take them as a subquery.
var disguised = []string{
	"WITH x AS (SELECT 1 AS id) INSERT INTO orders SELECT id FROM x",
	"WITH x AS (SELECT 1 AS id) DELETE FROM orders WHERE id IN (SELECT id FROM x)",
	"SELECT 1) LIMIT 0 UNION ALL (SELECT 2",
}

// attacks are the statements of Databricks that do more than read ("SQL language reference"), and functions that act on more than rows.
func attacks() []warehousetest.Attack {
	refused := func(name string, sql ...string) warehousetest.Attack {
		return warehousetest.Attack{Name: name, Class: warehouse.Refused, SQL: sql}
	}
	var definitions, several, functions []string
	for _, object := range strings.Fields("TABLE VIEW SCHEMA CATALOG FUNCTION VOLUME CONNECTION SHARE RECIPIENT PROVIDER") {
		for _, form := range []string{
			"CREATE %s x AS SELECT 1", "CREATE OR REPLACE %s orders AS SELECT 1", "DROP %s IF EXISTS orders", "ALTER %s orders OWNER TO x",
			"DESCRIBE %s orders",
		} {
			definitions = append(definitions, fmt.Sprintf(form, object))
		}
	}
	changes := []string{
		"INSERT INTO orders VALUES (1)", "INSERT OVERWRITE orders SELECT 1", "UPDATE orders SET id = 1", "DELETE FROM orders",
		"TRUNCATE TABLE orders", "MERGE INTO orders USING orders AS b ON true WHEN MATCHED THEN DELETE", "COPY INTO orders FROM 's3://b/a'",
		"INSERT OVERWRITE DIRECTORY 's3://b/a' SELECT 1", "LOAD DATA INPATH 's3://b/a' INTO TABLE orders", "OPTIMIZE orders", "VACUUM orders",
		"RESTORE TABLE orders TO VERSION AS OF 1", "GRANT SELECT ON TABLE orders TO x", "REVOKE SELECT ON TABLE orders FROM x",
		"SET TIME ZONE 'UTC'", "SET use_cached_result = false", "RESET use_cached_result", "USE CATALOG other", "DECLARE VARIABLE x INT",
		"CACHE SELECT * FROM orders", "REFRESH TABLE orders", "MSCK REPAIR TABLE orders", "ANALYZE TABLE orders COMPUTE STATISTICS",
		"CALL cleanup()", "EXECUTE IMMEDIATE 'DROP TABLE orders'", "BEGIN DROP TABLE orders; END", "EXPLAIN SELECT 1", "SHOW TABLES",
		"COMMENT ON TABLE orders IS 'x'", "PUT '/etc/passwd' INTO '/Volumes/a/b/c'", "GET '/Volumes/a/b/c' TO '/tmp/x'",
		"REMOVE '/Volumes/a/b/c'", "FROM orders INSERT INTO orders SELECT id", "UNDROP TABLE orders",
	}
	for _, sql := range changes {
		several = append(several, "SELECT 1; "+sql, sql+"; SELECT 1", sql)
	}
	for _, name := range strings.Fields(`ai_query ai_gen ai_classify AI_FORECAST vector_search remote_query http_request secret try_secret
		java_method reflect try_reflect read_kafka read_kinesis read_pubsub read_pulsar system.ai.ai_gen`) {
		functions = append(functions, "SELECT "+name+"('x')", "SELECT * FROM "+name+" ('x')")
	}
	functions = append(functions, "SELECT `ai_query`('a', 'b')", "SELECT ai_query /* ( */ ('a', 'b')", "SELECT secret -- (\n('a', 'b')",
		"SELECT IDENTIFIER('ai_' || 'query')('a', 'b')", "SELECT * FROM identifier ('a')", "SELECT `Identifier`('a')",
		`SELECT r'\', secret('a', 'b') --'`, `SELECT R"\", secret("a", "b") --"`, `SELECT 'a\\', secret('a', 'b') --'`,
		"SELECT 1 -- \\\n' \n, secret('a', 'b') --'", "SELECT /* /* */ 1, secret('a', 'b') --*/", "SELECT /*+ BROADCAST(a) */ 1",
		"SELECT ‘a’", "SELECT $$ ' $$", `SELECT "a", secret('a', 'b')`)
	return []warehousetest.Attack{
		refused("definitions", definitions...), refused("changes", several...), refused("functions and quotes", functions...),
		{Name: "disguised", SQL: disguised},
	}
}

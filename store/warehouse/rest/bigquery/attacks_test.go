package bigquery_test

import (
	"fmt"
	"strings"

	"service/store/warehouse"
	"service/store/warehouse/warehousetest"
)

// piped are statements that begin like queries. The dry run recognizes them.
var piped = []string{
	"FROM orders |> CREATE TABLE stolen",
	"FROM orders |> INSERT INTO orders",
	"FROM orders |> EXPORT DATA OPTIONS (uri = 'gs://b/*.csv', format = 'CSV')",
	"SELECT 1 AS id |> CREATE TEMP TABLE t",
	"WITH x AS (SELECT 1 AS id) FROM x |> INSERT INTO orders",
	"(SELECT 1) |> CREATE TABLE stolen",
}

// attacks are the statements of GoogleSQL that do more than read, and functions that reach other systems.
func attacks() []warehousetest.Attack {
	refused := func(name string, sql ...string) warehousetest.Attack {
		return warehousetest.Attack{Name: name, Class: warehouse.Refused, SQL: sql}
	}
	var definitions, several []string
	for _, object := range []string{
		"TABLE", "VIEW", "MATERIALIZED VIEW", "SCHEMA", "FUNCTION", "TABLE FUNCTION", "PROCEDURE", "MODEL", "SEARCH INDEX", "VECTOR INDEX",
		"SNAPSHOT TABLE", "EXTERNAL TABLE", "EXTERNAL SCHEMA", "ROW ACCESS POLICY", "CAPACITY", "RESERVATION", "ASSIGNMENT", "BI_CAPACITY",
		"CONNECTION", "PROPERTY GRAPH",
	} {
		for _, form := range []string{
			"CREATE %s x AS SELECT 1", "CREATE OR REPLACE %s x AS SELECT 1", "DROP %s IF EXISTS orders",
			"ALTER %s orders SET OPTIONS (description = 'x')",
		} {
			definitions = append(definitions, fmt.Sprintf(form, object))
		}
	}
	changes := []string{
		"INSERT INTO orders (id) VALUES (1)", "INSERT orders SELECT * FROM orders", "UPDATE orders SET id = 1 WHERE true",
		"DELETE FROM orders WHERE true",
		"DELETE orders WHERE true", "TRUNCATE TABLE orders", "MERGE orders AS a USING orders AS b ON a.id = b.id WHEN MATCHED THEN DELETE",
		"LOAD DATA INTO orders FROM FILES (uris = ['gs://b/a.csv'], format = 'CSV')", "EXPORT DATA OPTIONS (uri = 'gs://b/*') AS SELECT 1",
		"EXPORT MODEL m OPTIONS (uri = 'gs://b')", "UNDROP SCHEMA shop",
		"GRANT `roles/bigquery.dataOwner` ON SCHEMA shop TO 'user:a@example.com'",
		"REVOKE `roles/bigquery.dataViewer` ON SCHEMA shop FROM 'user:a@example.com'",
	}
	scripts := []string{
		"BEGIN DROP TABLE orders; END", "DECLARE x INT64", "SET x = 1", "SET @@dataset_id = 'other'", "EXECUTE IMMEDIATE 'DROP TABLE orders'",
		"CALL shop.cleanup()", "CALL BQ.REFRESH_MATERIALIZED_VIEW('shop.daily')", "CALL BQ.ABORT_SESSION()",
		"IF true THEN SELECT 1; END IF",
		"LOOP SELECT 1; END LOOP", "WHILE true DO SELECT 1; END WHILE", "REPEAT SELECT 1; UNTIL true END REPEAT",
		"FOR r IN (SELECT 1) DO SELECT 1; END FOR", "CASE WHEN true THEN SELECT 1; END CASE", "RAISE USING MESSAGE = 'x'", "RETURN",
		"BEGIN TRANSACTION", "COMMIT TRANSACTION", "ROLLBACK TRANSACTION", "ASSERT true",
		"CREATE TEMP FUNCTION f() AS (1)", "EXPLAIN SELECT 1", "SHOW TABLES",
	}
	for _, sql := range append(append([]string{}, changes...), scripts...) {
		several = append(several, "SELECT 1; "+sql, sql+"; SELECT 1")
	}
	several = append(several, "CREATE TEMP FUNCTION f(x INT64) RETURNS INT64 LANGUAGE js AS 'return x'; SELECT f(1)")
	const remote = `('acme-prod.eu.other', 'DELETE FROM orders')`
	elsewhere := []string{
		"SELECT * FROM EXTERNAL_QUERY" + remote, "SELECT * FROM external_query " + remote,
		"SELECT * FROM `EXTERNAL_QUERY`" + remote,
		"SELECT * FROM (SELECT * FROM External_Query" + remote + ")", "WITH x AS (SELECT * FROM EXTERNAL_QUERY" + remote + ") SELECT * FROM x",
		"SELECT * FROM EXTERNAL_QUERY/* ( */" + remote, "SELECT * FROM EXTERNAL_QUERY -- (\n" + remote, "FROM EXTERNAL_QUERY" + remote,
		"SELECT * FROM orders JOIN EXTERNAL_QUERY" + remote + " AS e ON true", "SELECT ARRAY(SELECT id FROM EXTERNAL_QUERY" + remote + ")",
		"SELECT * FROM `\\x45XTERNAL_QUERY`" + remote, "SELECT 'a' \"b\", * FROM EXTERNAL_QUERY" + remote,
		"SELECT '''it's''', * FROM EXTERNAL_QUERY" + remote, "SELECT r'\\\\', * FROM EXTERNAL_QUERY" + remote,
	}
	var models []string
	for _, name := range strings.Fields(`AI.GENERATE AI.GENERATE_TEXT AI.GENERATE_BOOL AI.GENERATE_TABLE AI.IF AI.SCORE AI.CLASSIFY AI.EMBED
		AI.SIMILARITY ai.generate AI.AGG AI.PARSE_DOCUMENT ML.GENERATE_TEXT ML.GENERATE_TABLE ML.GENERATE_EMBEDDING ML.UNDERSTAND_TEXT
		ML.TRANSLATE ML.TRANSCRIBE ML.PROCESS_DOCUMENT ML.ANNOTATE_IMAGE ml.generate_text`) {
		models = append(models, "SELECT "+name+"('x')", "SELECT * FROM "+name+" (MODEL shop.m, TABLE orders)")
	}
	models = append(models, "SELECT `AI`.`GENERATE`('x')", "SELECT AI . /* x */ GENERATE ('x')", "SELECT `AI.GENERATE`('x')",
		"SELECT * FROM `ml.generate_text` (MODEL shop.m, TABLE orders)", "SELECT `ai`.`generate`('x')", "SELECT `AI . GENERATE`('x')",
		"SELECT * FROM ML.GENERATE_IMAGE(MODEL shop.m, TABLE orders)")
	return []warehousetest.Attack{
		refused("definitions", definitions...), refused("changes", changes...), refused("scripts", scripts...), refused("several", several...),
		refused("pipes", piped...), refused("other systems", elsewhere...), refused("models", models...),
	}
}

package snowflake_test

import (
	"fmt"
	"strings"

	"service/store/warehouse"
	"service/store/warehouse/warehousetest"
)

// disguised are statements that begin as a query does. The server does not take them as a subquery.
var disguised = []string{
	"WITH x AS (SELECT 1) INSERT INTO orders SELECT * FROM x",
	"WITH x AS PROCEDURE () RETURNS INT LANGUAGE SQL AS 'BEGIN DROP TABLE orders; END' CALL x()",
	"SELECT 1) LIMIT 0 UNION ALL (SELECT 2",
}

// attacks are the statements of Snowflake that do more than read, and functions that act on more than rows.
func attacks() []warehousetest.Attack {
	refused := func(name string, sql ...string) warehousetest.Attack {
		return warehousetest.Attack{Name: name, Class: warehouse.Refused, SQL: sql}
	}
	var definitions, several, functions []string
	for _, object := range strings.Fields(`TABLE VIEW SCHEMA DATABASE FUNCTION PROCEDURE STAGE PIPE STREAM TASK SEQUENCE WAREHOUSE USER ROLE
		INTEGRATION SHARE ALERT SECRET TAG`) {
		for _, form := range []string{
			"CREATE %s x", "CREATE OR REPLACE %s orders", "DROP %s IF EXISTS orders", "ALTER %s orders RENAME TO x", "DESCRIBE %s orders",
		} {
			definitions = append(definitions, fmt.Sprintf(form, object))
		}
	}
	changes := []string{
		"INSERT INTO orders (id) VALUES (1)", "INSERT ALL INTO orders SELECT 1", "UPDATE orders SET id = 1", "DELETE FROM orders",
		"TRUNCATE TABLE orders", "MERGE INTO orders USING orders AS b ON true WHEN MATCHED THEN DELETE", "COPY INTO orders FROM @s",
		"COPY INTO @s FROM orders", "PUT file:///etc/passwd @s", "GET @s file:///tmp", "REMOVE @s", "LIST @s", "UNDROP TABLE orders",
		"GRANT SELECT ON orders TO ROLE x", "REVOKE SELECT ON orders FROM ROLE x", "USE ROLE ACCOUNTADMIN", "SET x = 1", "UNSET x",
		"ALTER SESSION SET QUERY_TAG = 'x'", "BEGIN", "COMMIT", "ROLLBACK", "CALL cleanup()", "EXECUTE IMMEDIATE 'DROP TABLE orders'",
		"EXECUTE TASK t", "SHOW TABLES", "EXPLAIN SELECT 1", "COMMENT ON TABLE orders IS 'x'", "DECLARE x INT; BEGIN DROP TABLE orders; END",
	}
	for _, sql := range changes {
		several = append(several, "SELECT 1; "+sql, sql+"; SELECT 1")
	}
	for _, name := range strings.Fields(`SYSTEM$CANCEL_ALL_QUERIES SYSTEM$ABORT_SESSION SYSTEM$ABORT_TRANSACTION SYSTEM$SEND_EMAIL SYSTEM$WAIT
		SYSTEM$PIPE_FORCE_RESUME SYSTEM$SET_RETURN_VALUE system$send_snowflake_notification AI_COMPLETE AI_CLASSIFY ai_filter AI_EMBED
		SNOWFLAKE.CORTEX.COMPLETE cortex.translate CORTEX.SUMMARIZE`) {
		functions = append(functions, "SELECT "+name+"('x')", "SELECT * FROM orders WHERE "+name+" ('x') = 1")
	}
	functions = append(functions, `SELECT "SYSTEM$WAIT"(1)`, "SELECT SYSTEM$WAIT/* ( */(1)",
		"SELECT counter.NEXTVAL", "SELECT counter . nextval",
		`SELECT counter."NEXTVAL"`, "SELECT 1 INTO :x FROM orders",
		"SELECT 1 ->> INSERT INTO orders SELECT * FROM $1", "SELECT $$ x $$, SYSTEM$WAIT(1)",
		"SELECT 1 // ' \n, SYSTEM$WAIT(1) // '", `SELECT 'a\\', SYSTEM$WAIT(1) --'`)
	// SQL and names that are made of a text.
	functions = append(functions, "SELECT * FROM TABLE(TO_QUERY('SELECT SYSTEM$WAIT(1)'))", "SELECT * FROM TABLE(to_query(SQL => 'SELECT 1'))",
		`SELECT * FROM TABLE ( "TO_QUERY" /* ( */ ('SELECT AI_' || 'COMPLETE(1)'))`, "SELECT IDENTIFIER('SYSTEM$CANCEL_ALL_QUERIES')(1)",
		"SELECT identifier ( $$SNOWFLAKE.CORTEX.COMPLETE$$ )('m', 'x')", "SELECT * FROM TABLE(IDENTIFIER('f')(1))",
		"SELECT IDENTIFIER('counter.nextval')")
	return []warehousetest.Attack{
		refused("definitions", definitions...), refused("changes", changes...), refused("several", several...),
		refused("functions", functions...),
		{Name: "disguised", SQL: disguised},
	}
}

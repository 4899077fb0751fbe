package snowflake_test

import (
	"testing"

	"service/store/warehouse/rest/snowflake"
)

// likely are queries as AI clients write them in the dialect of Snowflake for dashboards: "Query syntax", "Date & time functions",
// "Conditional expression functions", "Window functions" and "Semi-structured data functions".
var likely = []string{
	"SELECT DATE_TRUNC('month', order_date) AS month, SUM(amount) AS revenue FROM SALES.SHOP.ORDERS GROUP BY 1 ORDER BY 1",
	"SELECT DATE_TRUNC(month, order_date)::DATE AS month, COUNT(DISTINCT customer_id) AS customers FROM orders GROUP BY ALL",
	"SELECT TO_DATE(created_at) AS day, COUNT_IF(status = 'paid') AS paid, DIV0(COUNT_IF(status = 'paid'), COUNT(*)) AS share FROM orders " +
		"WHERE created_at >= DATEADD(day, -90, CURRENT_DATE()) GROUP BY day",
	"SELECT CONVERT_TIMEZONE('UTC', 'Europe/Berlin', created_at)::DATE AS day, SUM(amount) AS revenue FROM orders GROUP BY 1",
	"SELECT day, region, amount FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY region ORDER BY amount DESC) <= 3",
	"WITH daily AS (SELECT day, SUM(amount) AS revenue FROM orders GROUP BY day) SELECT day, revenue, AVG(revenue) OVER (ORDER BY day ROWS " +
		"BETWEEN 6 PRECEDING AND CURRENT ROW) AS average, LAG(revenue, 7) OVER (ORDER BY day) AS week_before FROM daily",
	"SELECT f.value:sku::STRING AS sku, SUM(f.value:quantity::NUMBER) AS sold FROM orders, LATERAL FLATTEN(input => items) f GROUP BY 1",
	"SELECT payload:plan.name::VARCHAR AS plan, payload['tier'] AS tier, COUNT(*) AS n FROM events GROUP BY 1, 2",
	"SELECT DATEADD(day, SEQ4(), '2026-01-01'::DATE) AS day FROM TABLE(GENERATOR(ROWCOUNT => 365))",
	"SELECT IFF(channel = 'web', 'online', 'shop') AS kind, ZEROIFNULL(SUM(amount)) AS amount, MEDIAN(amount) AS median, " +
		"PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY amount) AS p90 FROM orders GROUP BY kind",
	"SELECT region, NVL(SUM(amount), 0) AS amount, RATIO_TO_REPORT(SUM(amount)) OVER () AS share FROM orders GROUP BY ROLLUP (region)",
	"SELECT * FROM (SELECT region, quarter, amount FROM sales) PIVOT (SUM(amount) FOR quarter IN ('Q1', 'Q2')) AS p",
	"SELECT o.id, t.* EXCLUDE (note) FROM orders o JOIN orders t USING (id)",
	"SELECT TO_CHAR(day, 'YYYY-MM') AS month, LISTAGG(DISTINCT name, ', ') WITHIN GROUP (ORDER BY name) AS names FROM people GROUP BY 1",
	"SELECT DATEDIFF('day', MAX(day), CURRENT_DATE) AS age, DAYNAME(MAX(day)) AS weekday, WEEKISO(MAX(day)) AS week FROM orders",
	"SELECT TIME_SLICE(at, 15, 'MINUTE') AS slot, APPROX_COUNT_DISTINCT(person) AS people FROM clicks GROUP BY slot",
	"SELECT TRY_TO_NUMBER(note) AS n, NULLIFZERO(amount) AS a, \"order\", \"Group\" FROM \"SHOP\".\"Orders\" WHERE note ILIKE '%o''hare%'",
	"SELECT ARRAY_AGG(name) WITHIN GROUP (ORDER BY name)[0]::STRING AS first, OBJECT_CONSTRUCT('a', 1) AS o FROM people",
	"SELECT day, amount FROM orders AT (OFFSET => -3600) WHERE note = 'insert; drop' -- an hour ago",
	"SELECT day, MAX_BY(name, amount) AS best, BOOLOR_AGG(late) AS late FROM orders SAMPLE (10) GROUP BY day",
	"SELECT week, REGEXP_SUBSTR(url, '^https?://([^/]+)', 1, 1, 'e') AS host, COUNT(*) AS n FROM visits GROUP BY 1, 2",
	"SELECT value AS id FROM TABLE(SPLIT_TO_TABLE('a,b', ',')) UNION ALL SELECT column1 FROM VALUES ('c'), ('d')",
	"SELECT a.day, b.rate FROM orders a ASOF JOIN rates b MATCH_CONDITION (a.day >= b.day) ON a.currency = b.currency",
}

// TestLikelyQueries: the gate accepts the queries that clients are likely to write.
func TestLikelyQueries(t *testing.T) {
	t.Parallel()
	for _, sql := range likely {
		if err := snowflake.Gate(sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

package bigquery_test

import (
	"testing"

	"service/store/warehouse/rest/bigquery"
)

// likely are queries as AI clients write them in the dialect of BigQuery for dashboards: "GoogleSQL query syntax", "Date functions",
// "Timestamp functions", "Aggregate functions", "Navigation functions", "Working with arrays" and "JSON functions".
var likely = []string{
	"SELECT DATE_TRUNC(order_date, MONTH) AS month, SUM(amount) AS revenue FROM `acme-prod.shop.orders` GROUP BY month ORDER BY month",
	"SELECT DATE(created_at, 'Europe/Berlin') AS day, COUNT(*) AS orders FROM orders GROUP BY 1 ORDER BY 1",
	"SELECT DATE(created_at, @@time_zone) AS day, COUNT(DISTINCT customer_id) AS customers FROM shop.orders WHERE created_at >= " +
		"TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 90 DAY) GROUP BY day",
	"SELECT FORMAT_DATE('%Y-%m', day) AS month, COUNTIF(status = 'paid') AS paid, SAFE_DIVIDE(COUNTIF(status = 'paid'), COUNT(*)) AS share " +
		"FROM orders GROUP BY month",
	"SELECT APPROX_QUANTILES(amount, 100)[OFFSET(50)] AS median, APPROX_COUNT_DISTINCT(customer_id) AS customers FROM orders",
	"SELECT * EXCEPT (rank) FROM (SELECT day, region, amount, ROW_NUMBER() OVER (PARTITION BY region ORDER BY amount DESC) AS rank FROM " +
		"orders) WHERE rank <= 10",
	"SELECT day, region, amount FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY region ORDER BY amount DESC) = 1",
	"WITH daily AS (SELECT day, SUM(amount) AS revenue FROM orders GROUP BY day) SELECT day, revenue, AVG(revenue) OVER (ORDER BY day ROWS " +
		"BETWEEN 6 PRECEDING AND CURRENT ROW) AS average, LAG(revenue, 7) OVER (ORDER BY day) AS week_before FROM daily",
	"SELECT d AS day, COALESCE(SUM(o.amount), 0) AS revenue FROM UNNEST(GENERATE_DATE_ARRAY('2026-01-01', CURRENT_DATE())) AS d LEFT JOIN " +
		"orders AS o ON o.day = d GROUP BY d",
	"SELECT item.sku, SUM(item.quantity) AS sold FROM orders, UNNEST(items) AS item GROUP BY item.sku",
	"SELECT JSON_VALUE(payload, '$.plan') AS plan, COUNT(*) AS n FROM `events_*` WHERE _TABLE_SUFFIX BETWEEN '20260101' AND " +
		"'20261231' GROUP BY plan",
	"SELECT event_name, (SELECT value.int_value FROM UNNEST(event_params) WHERE key = 'ga_session_id') AS s FROM analytics.events_20261101",
	"SELECT PARSE_DATE('%Y%m%d', event_date) AS day, COUNT(*) AS events FROM analytics.events GROUP BY day",
	"SELECT region, SUM(IF(channel = 'web', amount, 0)) AS web, SUM(CASE WHEN channel = 'shop' THEN amount END) AS shop FROM orders " +
		"GROUP BY ROLLUP (region)",
	"SELECT * FROM (SELECT region, quarter, amount FROM sales) PIVOT (SUM(amount) FOR quarter IN ('Q1', 'Q2'))",
	"SELECT DATE_DIFF(CURRENT_DATE(), MAX(day), DAY) AS age, EXTRACT(ISOWEEK FROM MAX(day)) AS week, MAX(_PARTITIONTIME) AS at FROM orders",
	"SELECT TIMESTAMP_TRUNC(at, HOUR, 'America/New_York') AS hour, SUM(n) AS n FROM clicks WHERE DATE(at) = DATE_SUB(CURRENT_DATE(), " +
		"INTERVAL 1 DAY) GROUP BY hour",
	"SELECT r'\\d+' AS pattern, REGEXP_EXTRACT(url, r'^https?://([^/]+)') AS host, COUNT(*) AS n FROM visits GROUP BY host # by host",
	"SELECT STRING_AGG(DISTINCT name, ', ' ORDER BY name LIMIT 5) AS names, ANY_VALUE(name HAVING MAX day) AS last FROM people",
	"SELECT week, ST_GEOGPOINT(lon, lat) AS place FROM places WHERE name LIKE '%O\\'Hare%' OR name = \"update; drop\"",
	"SELECT CAST(amount AS NUMERIC) AS amount, SAFE_CAST(note AS INT64) AS n, `group`, `order` FROM `shop`.`orders` WHERE deleted IS NOT TRUE",
	"FROM orders |> WHERE status = 'paid' |> AGGREGATE SUM(amount) AS revenue GROUP BY region",
}

// TestLikelyQueries: the gate accepts the queries that clients are likely to write.
func TestLikelyQueries(t *testing.T) {
	t.Parallel()
	for _, sql := range likely {
		if err := bigquery.Gate(sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

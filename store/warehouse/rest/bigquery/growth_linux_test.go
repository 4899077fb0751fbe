package bigquery_test

import (
	"testing"

	"service/store/warehouse/rest/bigquery"
	"service/store/warehouse/warehousetest"
)

// The gate reads SQL in time that grows no faster than n log n.
func TestGateGrowsSlowly(t *testing.T) {
	warehousetest.Growth(t, 1<<18, func(sql string) { _ = bigquery.Gate(sql) }, map[string]func(n int) string{
		"strings in three quotes": warehousetest.Repeated("SELECT ", `"""a""" `, ""),
		"an open string":          warehousetest.Repeated("SELECT '''", `a''`, ""),
		"schemas of functions":    warehousetest.Repeated("SELECT ", "AI.", "x()"),
		"directives":              warehousetest.Repeated("SELECT ", "# legacysq", ""),
	})
}

package databricks_test

import (
	"testing"

	"service/store/warehouse/rest/databricks"
	"service/store/warehouse/warehousetest"
)

// The gate reads SQL in time that grows no faster than n log n.
func TestGateGrowsSlowly(t *testing.T) {
	warehousetest.Growth(t, 1<<18, func(sql string) { _ = databricks.Gate(sql) }, map[string]func(n int) string{
		"raw strings":            warehousetest.Repeated("SELECT ", "r'a' ", ""),
		"comments and backslash": warehousetest.Repeated("SELECT 1", "-- a\\\n", ""),
		"identifiers":            warehousetest.Repeated("SELECT ", "identifier(a),", "1"),
	})
}

package trino_test

import (
	"testing"

	"service/store/warehouse/rest/trino"
	"service/store/warehouse/warehousetest"
)

// The gate reads SQL in time that grows no faster than n log n.
func TestGateGrowsSlowly(t *testing.T) {
	warehousetest.Growth(t, 1<<18, func(sql string) { _ = trino.Gate(sql) }, map[string]func(n int) string{
		"functions of other databases": warehousetest.Repeated("SELECT ", "a.b.query,", "1"),
		"settings":                     warehousetest.Repeated("WITH ", "session ", "1"),
	})
}

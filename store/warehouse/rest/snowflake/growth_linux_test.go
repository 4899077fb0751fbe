package snowflake_test

import (
	"testing"

	"service/store/warehouse/rest/snowflake"
	"service/store/warehouse/warehousetest"
)

// The gate reads SQL in time that grows no faster than n log n.
func TestGateGrowsSlowly(t *testing.T) {
	warehousetest.Growth(t, 1<<18, func(sql string) { _ = snowflake.Gate(sql) }, map[string]func(n int) string{
		"functions of the system": warehousetest.Repeated("SELECT ", "system$", "x()"),
		"sequences":               warehousetest.Repeated("SELECT ", "a.nextval,", "1"),
	})
}

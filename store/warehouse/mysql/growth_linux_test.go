package mysql_test

import (
	"testing"

	"service/store/warehouse/mysql"
	"service/store/warehouse/warehousetest"
)

// The gate reads SQL in time that grows no faster than n log n.
func TestGateGrowsSlowly(t *testing.T) {
	warehousetest.Growth(t, 1<<18, func(sql string) { _ = mysql.Gate(sql, 0) }, nil)
}

package postgres_test

import (
	"testing"

	"service/store/warehouse/postgres"
	"service/store/warehouse/warehousetest"
)

// The gate reads SQL in time that grows no faster than n log n.
func TestGateGrowsSlowly(t *testing.T) {
	warehousetest.Growth(t, 1<<18, func(sql string) { _ = postgres.Gate(sql) }, nil)
}

// So does that of Redshift, which also reads the strings.
func TestRedshiftGateGrowsSlowly(t *testing.T) {
	warehousetest.Growth(t, 1<<18, func(sql string) { _ = postgres.RedshiftGate(sql) }, nil)
}

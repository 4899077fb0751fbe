package clickhouse_test

import (
	"strings"
	"testing"

	"service/store/sqltext"
	"service/store/warehouse/warehousetest"
)

// TestNamesOfColumns: each of the server's keywords can be read as the name of a column as it is written for introspect_schema and drafts.
func TestNamesOfColumns(t *testing.T) {
	t.Parallel()
	c := open(t)
	words := strings.Fields(one(t, "SELECT arrayStringConcat(arraySort(arrayDistinct(groupArray(lower(keyword)))), ' ') "+
		"FROM system.keywords WHERE match(keyword, '^[A-Za-z_]+$')"))
	warehousetest.Names(t, sqltext.ClickHouse, words, warehousetest.Asking(t, c))
}

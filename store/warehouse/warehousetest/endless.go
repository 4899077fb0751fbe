package warehousetest

import (
	"fmt"
	"strings"
	"testing"

	"service/store/warehouse"
)

// Endless is how many bytes of tables an endless server sends unless the client closes the connection.
const Endless = 256 << 20

// EndlessCatalogs checks what a connector keeps if such a server sends more tables, or more columns of one table, than fit into a
// [warehouse.Catalog]. introspect queries a server that sends row after row until it has sent [Endless] bytes or the client has closed the
// connection, and returns how many it has sent. That may be all of them.
func EndlessCatalogs(
	t *testing.T, enough int,
	introspect func(t *testing.T, row func(i int) (table, column string), sent chan<- int) ([]warehouse.Table, error),
) {
	for name, endless := range map[string]struct {
		row             func(i int) (table, column string)
		tables, columns int // that are kept; columns is approximate
	}{
		"tables":  {func(i int) (string, string) { return fmt.Sprint("t", i), "c" }, warehouse.MaxTables, warehouse.MaxTables},
		"columns": {func(int) (string, string) { return "t", strings.Repeat("c", 1<<13) }, 1, warehouse.MaxCatalog >> 13},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := make(chan int, 1)
			tables, err := introspect(t, endless.row, sent)
			columns := 0
			for _, table := range tables {
				columns += len(table.Columns)
			}
			if err != nil || len(tables) != endless.tables || columns > endless.columns || columns < endless.columns*9/10 {
				t.Errorf("%d tables with %d columns, want %d with %d: %v", len(tables), columns, endless.tables, endless.columns, err)
			}
			if n := <-sent; n > enough {
				t.Errorf("the client took %d bytes", n)
			}
		})
	}
}

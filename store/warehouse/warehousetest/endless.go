package warehousetest

import (
	"fmt"
	"strings"
	"testing"

	"service/store/warehouse"
)

// Endless is how many bytes a server sends that is asked for its tables and does not end, unless the client hangs up.
const Endless = 256 << 20

// EndlessCatalogs looks at what a connector keeps when such a server tells of more tables, or of more columns of one, than a
// [warehouse.Catalog] takes. introspect asks a server that tells row after row until it has sent [Endless] bytes or the client has hung
// up, and then says how many it has sent. There may be enough of them.
func EndlessCatalogs(
	t *testing.T, enough int,
	introspect func(t *testing.T, row func(i int) (table, column string), sent chan<- int) ([]warehouse.Table, error),
) {
	for name, endless := range map[string]struct {
		row             func(i int) (table, column string)
		tables, columns int // that are kept, the latter about
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

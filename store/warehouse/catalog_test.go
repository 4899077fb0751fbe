package warehouse_test

import (
	"fmt"
	"strings"
	"testing"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// endless is more columns than any catalog takes.
const endless = 10_000_000

// TestCatalogEnds: the memory of a catalog is bounded for any answer of a server, and Add reports when to stop.
func TestCatalogEnds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	for name, tell := range map[string]struct {
		row             func(i int) (table, column string)
		tables, columns int // that are kept
	}{
		"tables":         {func(i int) (string, string) { return fmt.Sprint(i), "c" }, warehouse.MaxTables, warehouse.MaxTables},
		"turns":          {func(i int) (string, string) { return fmt.Sprint(i % 2), "c" }, warehouse.MaxTables, warehouse.MaxTables},
		"columns":        {func(int) (string, string) { return "t", "" }, 1, warehouse.MaxColumns},
		"long columns":   {func(int) (string, string) { return "t", long }, 1, 15},
		"long tables":    {func(i int) (string, string) { return fmt.Sprint(i) + long, "" }, 15, 15},
		"a long name":    {func(int) (string, string) { return "t", strings.Repeat(long, 16) }, 0, 0},
		"a long comment": {func(int) (string, string) { return strings.Repeat(long, 16), "c" }, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c warehouse.Catalog
			told, more := 0, true
			for ; more && told < endless; told++ {
				table, column := tell.row(told)
				more = c.Add(warehouse.Table{Name: table}, warehouse.TableColumn{Column: cube.Column{Name: column}})
			}
			if more {
				t.Errorf("it takes %d columns, and more", told)
			}
			tables, columns := c.Tables(), 0
			for _, table := range tables {
				columns += len(table.Columns)
			}
			if len(tables) != tell.tables || columns != tell.columns {
				t.Errorf("it keeps %d tables with %d columns, want %d with %d", len(tables), columns, tell.tables, tell.columns)
			}
		})
	}
}

// TestCatalogGoesOn: after a table with too many columns there are others.
func TestCatalogGoesOn(t *testing.T) {
	t.Parallel()
	var c warehouse.Catalog
	if tables := c.Tables(); tables == nil || len(tables) != 0 {
		t.Errorf("an empty catalog is %v", tables)
	}
	for i := range warehouse.MaxColumns + 1 {
		if !c.Add(warehouse.Table{Name: "wide", Kind: "view", Comment: "about"}, warehouse.TableColumn{Comment: fmt.Sprint(i)}) {
			t.Fatalf("there is no room after column %d", i)
		}
	}
	more := c.Add(warehouse.Table{Name: "narrow"}, warehouse.TableColumn{})
	tables := c.Tables()
	if !more || len(tables) != 2 || len(tables[0].Columns) != warehouse.MaxColumns || len(tables[1].Columns) != 1 ||
		tables[0].Kind != "view" || tables[0].Comment != "about" || tables[0].Columns[1].Comment != "1" {
		t.Errorf("%t, %d tables", more, len(tables))
	}
}

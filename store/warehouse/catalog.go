package warehouse

// Bounds of a [Catalog]. They keep a server that answers an introspection with endless rows from using much memory.
const (
	MaxColumns = 4096     // of one table
	MaxCatalog = 16 << 20 // bytes of a catalog: its texts, and columnCost for each column
)

// columnCost is roughly the memory of a column without its texts, so that a column without a name counts too.
const columnCost = 64

// A Catalog collects the tables and columns that a server reports, for [Connector.Introspect]. The zero Catalog is empty.
type Catalog struct {
	tables []Table
	size   int // bytes, as MaxCatalog counts them
}

// Add adds a column of table t to the last table, if that has the name of t, or adds t first: a server lists columns table by table. It
// leaves out columns after the first MaxColumns of a table. It reports whether more columns fit. If not, the caller must stop reading,
// because a server may send rows without end.
//
// Leaving columns out is not an error, just as more than MaxTables tables are not.
func (c *Catalog) Add(t Table, column TableColumn) (more bool) {
	cost := columnCost + len(column.Name) + len(column.Type) + len(column.Comment)
	known := len(c.tables) > 0 && c.tables[len(c.tables)-1].Name == t.Name
	if !known {
		cost += len(t.Name) + len(t.Kind) + len(t.Comment)
	}
	if c.size += cost; c.size > MaxCatalog || !known && len(c.tables) == MaxTables {
		return false
	}
	if !known {
		c.tables = append(c.tables, t)
	}
	if last := &c.tables[len(c.tables)-1]; len(last.Columns) < MaxColumns {
		last.Columns = append(last.Columns, column)
	}
	return true
}

// Tables returns the tables in the order in which they were added. The result is not nil.
func (c *Catalog) Tables() []Table {
	return append([]Table{}, c.tables...)
}

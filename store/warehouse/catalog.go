package warehouse

// Bounds of a [Catalog]. With them a server that answers an introspection with far more than it was asked for
// costs little.
const (
	MaxColumns = 4096     // of one table
	MaxCatalog = 16 << 20 // bytes of a catalog: of its texts, and columnCost for each column it is told of
)

// columnCost is about what a column takes beside its texts. It makes a column without a name cost something.
const columnCost = 64

// A Catalog collects what a server tells of its tables, for [Connector.Introspect]. The zero Catalog is empty.
type Catalog struct {
	tables []Table
	size   int // bytes, as MaxCatalog counts them
}

// Add adds a column of table t to the last table, if that has the name of t, or adds t first: a server lists
// columns table by table. It leaves out columns after the first MaxColumns of a table. It reports whether
// there is room for more. When there is not, the caller must stop reading, because a server may go on for
// as long as it is listened to.
//
// That there was more is not an error, as it is none that a server has more than MaxTables tables.
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

// Tables are the tables in the order in which they came. They are not nil.
func (c *Catalog) Tables() []Table {
	return append([]Table{}, c.tables...)
}

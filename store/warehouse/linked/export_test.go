package linked

import (
	"service/store/warehouse"
	"service/store/warehouse/duckdb"
)

// NewWith returns Files that dial the hosts of connections and others by different dialers.
func NewWith(e *duckdb.Engine, own, others warehouse.Dialer) *Files {
	f := New(e, own, DefaultMost)
	f.others = others
	return f
}

package duckdb_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/duckdb"
	"service/store/warehouse/duckdb/duckdbtest"
	"service/store/warehouse/warehousetest"
)

// TestConformance runs the suite of every warehouse against the engine, over an uploaded file and over tables like those of self.
func TestConformance(t *testing.T) {
	orders := warehouse.DataTable{
		Name: "orders", Format: "csv", Data: duckdbtest.Orders(),
		Columns: []cube.Column{
			{Name: "id", Type: cube.Integer},
			{Name: "day", Type: cube.Date},
			{Name: "amount", Type: cube.Number},
			{Name: "note", Type: cube.Text},
		},
	}
	t.Run("upload", func(t *testing.T) {
		e := newEngine(t)
		in, err := e.Ingest(t.Context(), warehouse.Tenant{Workspace: uuid.Nil}, warehouse.DataFile{Name: "orders.csv", Data: orders.Data})
		if err != nil {
			t.Fatal(err)
		}
		conform(t, e, warehouse.DataTable{Name: "orders", Format: "parquet", Data: in.Parquet})
	})
	t.Run("self", func(t *testing.T) { conform(t, newEngine(t), orders, sales) })
}

func conform(t *testing.T, e *duckdb.Engine, tables ...warehouse.DataTable) {
	workspace := uuid.New()
	s := duckdbtest.Source(t, func(testing.TB) warehouse.Connector {
		return e.Open(warehouse.Tenant{Workspace: workspace}, "conformance", tables)
	})
	for _, table := range tables[1:] {
		s.Tables = append(s.Tables, table.Name+" table")
	}
	if len(s.Tables) > 0 { // they read no table: the same worker stops them the same way
		s.Runaways = s.Runaways[:1]
	}
	s.Running = func(t testing.TB) int { return processes(t) - len(e.Idle()) }
	warehousetest.Run(t, s)
}

// BenchmarkGivingUp is how long a query that runs away outlives its limit.
func BenchmarkGivingUp(b *testing.B) {
	e := newEngine(b)
	c := open(b, e)
	warehousetest.BenchmarkGivingUp(b, c, func(t testing.TB) int { return processes(t) - len(e.Idle()) },
		"SELECT count(*) AS n FROM range(1000000000000) a, range(1000000) b",
		"SELECT max(levenshtein(repeat('a', 20000), repeat('b', 20000) || range)) AS n FROM range(100000)")
}

// processes counts the workers of this process that have not ended: the children of those that
// it started to start them.
func processes(t testing.TB) (n int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(all) == 0 {
		t.Fatal("processes are counted on Linux only: ", err)
	}
	self := strconv.Itoa(os.Getpid())
	parents := map[string]string{} // of those that have not ended
	for _, name := range all {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		_, after, _ := bytes.Cut(stat, []byte(") "))
		if f := strings.Fields(string(after)); len(f) > 1 && f[0] != "Z" {
			parents[filepath.Base(filepath.Dir(name))] = f[1]
		}
	}
	for _, parent := range parents {
		if parents[parent] == self {
			n++
		}
	}
	return n
}

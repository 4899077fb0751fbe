package duckdb_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/duckdb"
)

// TestSeveralFiles joins as many files as a dataset can have, in one worker, under names that are those of the engine's own views too.
// Afterwards the worker no longer has any of the files.
func TestSeveralFiles(t *testing.T) {
	t.Parallel()
	e := newEngine(t, func(c *duckdb.Config) { c.Sealed = true })
	if layers, err := e.Seal(t.Context()); err != nil {
		t.Skip("this machine cannot seal workers", layers, err)
	}
	tenant := warehouse.Tenant{Workspace: uuid.New()}
	names := []string{
		dashboard.UploadTable, "tables", "views", "schemata", "Character_Sets", "sum", "range", "main", "memory", "upload_2", "x",
	}
	if len(names) != dashboard.MaxUploads+1 {
		t.Fatalf("%d names", len(names))
	}
	var tables []warehouse.DataTable
	for i, name := range names {
		in, err := e.Ingest(t.Context(), tenant, warehouse.DataFile{
			Name: "a.csv", Data: fmt.Appendf(nil, "id,n_%d\n1,%d\n2,%d\n", i, i+1, 10*(i+1)),
		})
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, warehouse.DataTable{Name: name, Format: "parquet", Data: in.Parquet})
	}
	c := e.Open(tenant, "uploads", tables)
	sql, sum := "FROM upload", "n_0"
	for i, name := range names[1:] {
		sql += " JOIN " + name + " USING (id)"
		sum += fmt.Sprintf(" + n_%d", i+1)
	}
	got, _, err := ask(t.Context(), c, "SELECT id, "+sum+" AS n "+sql+" ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]any{{int64(1), int64(66)}, {int64(2), int64(660)}}, got.rows); diff != "" {
		t.Error(diff)
	}
	listed, err := c.Introspect(t.Context(), warehouse.Introspection{})
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for _, table := range listed {
		line := table.Name
		for _, column := range table.Columns {
			line += " " + column.Name
		}
		columns = append(columns, line)
	}
	var want []string
	for i, name := range names {
		want = append(want, fmt.Sprintf("%s id n_%d", name, i))
	}
	if diff := cmp.Diff(want, columns); diff != "" {
		t.Error(diff)
	}
	pids := e.Pids()
	if len(pids) != 1 {
		t.Fatalf("%d workers", len(pids))
	}
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pids[0]))
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if target, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pids[0], fd.Name())); bytes.HasPrefix([]byte(target), []byte("/memfd")) {
			t.Errorf("the worker still has %s", target)
		}
	}
}

// TestFilesThatAreTooLargeTogether shows that loading such files fails with a message, and that the server and other sources keep working.
func TestFilesThatAreTooLargeTogether(t *testing.T) {
	t.Parallel()
	e := newEngine(t, func(c *duckdb.Config) { c.MemoryMB = 128 })
	var data bytes.Buffer
	for i := range 100_000 {
		fmt.Fprintf(&data, "%0100d\n", i*7919)
	}
	var tables []warehouse.DataTable
	for i := range dashboard.MaxUploads {
		tables = append(tables, warehouse.DataTable{
			Name: fmt.Sprintf("t%d", i), Format: "csv", Columns: []cube.Column{{Name: "s", Type: cube.Text}}, Data: data.Bytes(),
		})
	}
	tenant := warehouse.Tenant{Workspace: uuid.New()}
	_, _, err := ask(t.Context(), e.Open(tenant, "many", tables), "SELECT 1")
	const says = "the data of this source need more memory than is allowed, before any query; " +
		"read fewer files at once, or upload them with fewer rows or columns"
	if class(err) != warehouse.TooLarge || err.Error() != says {
		t.Errorf("%v", err)
	}
	one := e.Open(tenant, "one", tables[:1])
	if got, _, err := ask(t.Context(), one, "SELECT count(*) FROM t0"); err != nil || got.rows[0][0] != int64(100_000) {
		t.Errorf("%v, %v", got, err)
	}
	if got, _, err := ask(t.Context(), e.Open(tenant, "none", nil), "SELECT 1"); err != nil || got.rows[0][0] != int64(1) {
		t.Errorf("without files: %v, %v", got, err)
	}
}

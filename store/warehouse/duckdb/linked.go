package duckdb

import (
	"context"
	"fmt"
	"os"

	"service/store/warehouse"
	"service/store/warehouse/duckdb/wire"
)

// A Part is a part of a linked file: of the file with a number among those of all linked tables, in order, its bytes from From up to To,
// which is excluded. A worker that has been taken over may name any number and any bytes.
type Part = wire.Range

// A Linked is a connector over tables of which some are linked files, for queries in one time zone. The caller gets the list of the parts
// that a query reads, adds them to the files, and runs the query.
type Linked struct{ connector }

// OpenLinked is [Engine.Open] for tables of which some have the format linked. zone is empty for UTC.
func (e *Engine) OpenLinked(tenant warehouse.Tenant, key, zone string, tables []warehouse.DataTable) *Linked {
	return &Linked{connector{engine: e, tenant: tenant, set: set{tenant.Workspace, identify(key, tables), zone}, tables: tables}}
}

// Plan returns the parts of linked files that a run of a query reads. pruned reports that parts are left out because of their rows' least
// and greatest values; [Linked.Whole] reads them too.
func (c *Linked) Plan(ctx context.Context, sql string, args []any, rows int) (parts []Part, pruned bool, err error) {
	call, err := newCall(wire.Plan, sql, args)
	if err != nil {
		return nil, false, err
	}
	call.Rows, call.Whole = max(rows, 0), c.whole
	result, err := c.ask(ctx, 0, call, nothing)
	return result.Ranges, result.Pruned, err
}

// Whole returns a connector whose queries read all row groups.
func (c *Linked) Whole() *Linked {
	whole := *c
	whole.whole = true
	return &whole
}

// Scratch makes a file without a name in the engine's scratch directory, for the parts of a linked file. The caller closes it.
func (e *Engine) Scratch() (*os.File, error) {
	f, err := os.CreateTemp(e.dir, "linked-")
	if err != nil {
		return nil, fmt.Errorf("duckdb: make a file for parts: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, fmt.Errorf("duckdb: make a file for parts: %w", err)
	}
	return f, nil
}

// reopen opens a file without a name again, for reading only.
func reopen(f *os.File) (*os.File, error) {
	again, err := os.Open(fmt.Sprintf(descriptors, f.Fd()))
	if err != nil {
		return nil, fmt.Errorf("duckdb: open a file for a worker: %w", err)
	}
	return again, nil
}

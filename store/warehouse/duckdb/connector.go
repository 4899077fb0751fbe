package duckdb

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/duckdb/wire"
)

// A connector runs calls on the workers of one set.
type connector struct {
	engine *Engine
	tenant warehouse.Tenant
	set    set
	tables []warehouse.DataTable
	whole  bool // no row group of linked files is left out
}

// In returns a connector for a time zone. It uses other workers, because a worker has one zone for its whole life.
func (c *connector) In(zone *time.Location) warehouse.Connector {
	in := *c
	in.set.zone = zone.String()
	return &in
}

func (c *connector) Dialect() string          { return "duckdb" }
func (c *connector) Placeholder(n int) string { return fmt.Sprintf("$%d", n) }

func (c *connector) Ping(ctx context.Context) error {
	_, err := c.ask(ctx, 0, wire.Call{Op: wire.Ping}, nothing)
	return err
}

func (c *connector) Introspect(ctx context.Context, q warehouse.Introspection) ([]warehouse.Table, error) {
	result, err := c.ask(ctx, 0, wire.Call{Op: wire.Introspect, Find: &q}, nothing)
	if err != nil {
		return nil, err
	}
	if result.Tables == nil {
		return []warehouse.Table{}, nil // not nil, which JSON would write as null
	}
	return result.Tables, nil
}

func (c *connector) Describe(ctx context.Context, sql string, args []any) ([]cube.Column, error) {
	call, err := newCall(wire.Describe, sql, args)
	if err != nil {
		return nil, err
	}
	var cols []cube.Column
	_, err = c.ask(ctx, 0, call, func(kind wire.Kind, payload []byte) (err error) {
		if kind != wire.Columns || cols != nil {
			return wire.ErrGarbage
		}
		cols, err = wire.DecodeColumns(payload)
		return err
	})
	return cols, err
}

func (c *connector) Query(ctx context.Context, sql string, args []any, l warehouse.Limits, sink warehouse.Sink) (warehouse.Stats, error) {
	call, err := newCall(wire.Query, sql, args)
	if err != nil {
		return warehouse.Stats{}, err
	}
	call.Rows, call.Bytes = max(l.Rows, 0), max(l.Bytes, 0)
	call.Whole = c.whole
	r := receiver{sink: sink, limits: l}
	result, err := c.ask(ctx, l.Time, call, r.take)
	if err != nil {
		return warehouse.Stats{}, err
	}
	return warehouse.Stats{Rows: r.rows, Truncated: result.Truncated}, nil
}

func newCall(op wire.Op, sql string, args []any) (wire.Call, error) {
	call := wire.Call{Op: op, SQL: sql}
	if len(sql) > wire.MaxSQL { // the gate's limit, checked before anything is written to a worker
		return call, warehouse.Errorf(warehouse.Refused, "the SQL is longer than %d bytes", wire.MaxSQL)
	}
	for _, v := range args {
		arg, err := wire.NewArg(v)
		if err != nil {
			return call, err
		}
		call.Args = append(call.Args, arg)
	}
	return call, nil
}

// nothing refuses every frame, for answers without frames.
func nothing(wire.Kind, []byte) error { return wire.ErrGarbage }

// A receiver passes rows to a sink. Rows beyond the limits are garbage, because the worker
// should have stopped.
type receiver struct {
	sink   warehouse.Sink
	limits warehouse.Limits
	cols   []cube.Column
	rows   int
	bytes  int
}

func (r *receiver) take(kind wire.Kind, payload []byte) (err error) {
	switch {
	case kind == wire.Columns && r.cols == nil:
		if r.cols, err = wire.DecodeColumns(payload); err != nil {
			return err
		}
		return r.sink.Columns(slices.Clone(r.cols))
	case kind != wire.Rows || r.cols == nil:
		return wire.ErrGarbage
	}
	// The worker never counts fewer bytes for a value than this does.
	if r.bytes += len(payload); r.bytes > r.limits.Bytes {
		return wire.ErrGarbage
	}
	for len(payload) > 0 {
		var row []any
		if row, payload, err = wire.DecodeRow(payload, r.cols); err != nil {
			return err
		}
		if r.rows++; r.rows > r.limits.Rows {
			return wire.ErrGarbage
		}
		if err := r.sink.Row(row); err != nil {
			return err
		}
	}
	return nil
}

// ask sends a call to a worker of the set, after loading one if necessary. The
// call takes no longer than limit, or than the configured time when limit is 0.
func (c *connector) ask(ctx context.Context, limit time.Duration, call wire.Call, take func(wire.Kind, []byte) error) (wire.Result, error) {
	if limit <= 0 {
		limit = c.engine.cfg.CallTime
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		result, again, err := c.once(ctx, call, take)
		if !again {
			return result, err
		}
	}
}

// once sends the call to one worker. again reports whether that was an idle worker that had died before the call.
func (c *connector) once(
	ctx context.Context, call wire.Call, take func(wire.Kind, []byte) error,
) (result wire.Result, again bool, err error) {
	w, err := c.engine.acquire(ctx, c.tenant.Account, c.set, false)
	if err != nil {
		return wire.Result{}, false, waited(ctx, err)
	}
	// release forgets a worker that died or was killed.
	defer c.engine.release(w)
	w.reused = w.process != nil
	if !w.reused {
		if err := c.load(ctx, w); err != nil {
			w.kill(nil)
			return wire.Result{}, false, err
		}
	}
	result, err = w.ask(ctx, call, take)
	return result, err != nil && w.again(ctx), err
}

// waited returns the error of a call that got no worker.
func waited(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return warehouse.Errorf(warehouse.Timeout, "other queries took all the time that this one had; try again")
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return ctx.Err()
	}
	return err
}

// load starts a worker with the data in files that have no name.
func (c *connector) load(ctx context.Context, w *worker) error {
	e := c.engine
	call := wire.Call{Op: wire.Load, MemoryMB: plannable(e.cfg.MemoryMB), Threads: e.cfg.Threads, Zone: c.set.zone, Sealed: e.cfg.Sealed}
	var files []*os.File
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	for _, t := range c.tables {
		if t.Read != nil {
			var err error
			if t.Data, err = t.Read(ctx); ctx.Err() != nil {
				return w.failure(ctx, err)
			} else if err != nil {
				return fmt.Errorf("duckdb: read a table: %w", err)
			}
		}
		table := wire.Table{Name: t.Name, Format: t.Format, Columns: t.Columns, Header: t.Format == "csv" && hasHeader(t)}
		for _, part := range t.Parts {
			f, err := reopen(part)
			if err != nil {
				return err
			}
			table.Parts = append(table.Parts, descriptor(len(files)))
			files = append(files, f)
		}
		if t.Format != "linked" {
			f, err := e.handOver(t.Data)
			if err != nil {
				return err
			}
			table.Path = descriptor(len(files))
			files = append(files, f)
		}
		call.Tables = append(call.Tables, table)
	}
	if err := w.start(ctx, files...); err != nil {
		return err
	}
	_, err := w.ask(ctx, call, nothing)
	if no, ok := errors.AsType[*warehouse.Error](err); ok && no.Class == warehouse.TooLarge {
		return warehouse.Errorf(warehouse.TooLarge, "the data of this source need more memory than is allowed, before any query; "+
			"read fewer files at once, or upload them with fewer rows or columns")
	}
	return err
}

// hasHeader reports whether the first row of a CSV table is its column names.
func hasHeader(t warehouse.DataTable) bool {
	first, err := csv.NewReader(strings.NewReader(string(t.Data[:min(len(t.Data), 64<<10)]))).Read()
	if err != nil || len(first) != len(t.Columns) {
		return false
	}
	for i, c := range t.Columns {
		if first[i] != c.Name {
			return false
		}
	}
	return true
}

// plannable is how much of a worker's memory the query engine may use, in MB. The program itself,
// and memory that the engine does not count, need the rest.
func plannable(memoryMB int) int { return memoryMB * 6 / 10 }

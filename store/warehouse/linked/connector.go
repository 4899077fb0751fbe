package linked

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"service/store/dashboard/cube"
	"service/store/sqltext"
	"service/store/warehouse"
	"service/store/warehouse/duckdb"
)

// askTime is how long every call but Query may take: files may have to be fetched and converted.
const askTime = 30 * time.Second

// A connector reads the files of one connection for one tenant.
type connector struct {
	files    *Files
	source   *source
	identity [sha256.Size]byte // of the target
	tenant   warehouse.Tenant
	zone     string
	seen     *visit
}

// For returns the connector of a tenant.
func (c *connector) For(t warehouse.Tenant) warehouse.Connector {
	of := *c
	of.tenant, of.seen = t, c.files.visit()
	return &of
}

// In returns a connector for a time zone, which shares what c has fetched.
func (c *connector) In(zone *time.Location) warehouse.Connector {
	in := *c
	if in.zone = zone.String(); in.zone == "UTC" {
		in.zone = ""
	}
	return &in
}

// Dialect returns the dialect of the engine that reads the files.
func (c *connector) Dialect() string          { return "duckdb" }
func (c *connector) Placeholder(n int) string { return fmt.Sprintf("$%d", n) }

// Ping reads all files as far as Introspect needs.
func (c *connector) Ping(ctx context.Context) error {
	_, err := c.Introspect(ctx, warehouse.Introspection{})
	return err
}

func (c *connector) Introspect(ctx context.Context, q warehouse.Introspection) (tables []warehouse.Table, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	err = c.with(ctx, c.source.tables, func(_ *session, engine *duckdb.Linked, _ []*entry) error {
		tables, err = engine.Introspect(ctx, q)
		return err
	})
	return tables, err
}

func (c *connector) Describe(ctx context.Context, sql string, args []any) (cols []cube.Column, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	err = c.over(ctx, sql, func(_ *session, engine *duckdb.Linked, _ []*entry) error {
		cols, err = engine.Describe(ctx, sql, args)
		return err
	})
	return cols, err
}

// Query fetches the parts of files that the query reads, and runs it.
func (c *connector) Query(
	ctx context.Context, sql string, args []any, l warehouse.Limits, sink warehouse.Sink,
) (stats warehouse.Stats, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.Time)
	defer cancel()
	err = c.over(ctx, sql, func(s *session, engine *duckdb.Linked, entries []*entry) error {
		stats, err = c.run(ctx, s, engine, entries, sql, args, l, sink)
		return err
	})
	return stats, err
}

// run fetches the parts that the worker names for the query, and runs it. If the worker left out a row group that the engine reads after
// all, the query fails before its first row, and runs again over all row groups.
func (c *connector) run(
	ctx context.Context, s *session, engine *duckdb.Linked, entries []*entry, sql string, args []any, l warehouse.Limits, sink warehouse.Sink,
) (warehouse.Stats, error) {
	for whole := false; ; whole = true {
		parts, pruned, err := engine.Plan(ctx, sql, args, l.Rows)
		if err == nil {
			err = c.fetch(ctx, s, entries, parts)
		}
		if err != nil {
			return warehouse.Stats{}, err
		}
		first := &firstRow{Sink: sink}
		left := l
		if end, ok := ctx.Deadline(); ok {
			left.Time = max(time.Until(end), time.Millisecond)
		}
		stats, err := engine.Query(ctx, sql, args, left, first)
		bad, ok := errors.AsType[*warehouse.Error](err)
		if ok && pruned && !whole && !first.row && (bad.Class == warehouse.Failed || bad.Class == warehouse.Syntax) {
			engine = engine.Whole()
			continue
		}
		stats.Read = s.fetched.Load()
		return stats, err
	}
}

// A firstRow is a sink that records whether a row has arrived.
type firstRow struct {
	warehouse.Sink
	row bool
}

func (f *firstRow) Row(row []any) error {
	f.row = true
	return f.Sink.Row(row)
}

// fetch adds parts to entries. The parts were named by a worker, so they are checked.
func (c *connector) fetch(ctx context.Context, s *session, entries []*entry, parts []duckdb.Part) error {
	of := make([][]span, len(entries))
	for _, p := range parts {
		if p.File >= len(entries) || p.To > entries[p.File].size {
			return warehouse.Errorf(warehouse.Failed, "the query engine stopped unexpectedly; the query may be too demanding")
		}
		of[p.File] = append(of[p.File], span{p.From, p.To})
	}
	need := int64(0)
	for i, e := range entries {
		for _, part := range of[i] {
			if !e.whole {
				for _, m := range c.files.cache.missing(e, part) {
					need += m.to - m.from
				}
			}
		}
	}
	if need > s.left.Load() {
		return s.over(need)
	}
	for i, e := range entries {
		if err := c.files.fetch(ctx, s, e, of[i], "the table"); err != nil {
			if errors.Is(err, errChanged) {
				c.files.cache.forget(e)
			}
			return err
		}
	}
	return nil
}

// over calls use for the tables whose names the SQL contains. If none of the names in it are tables of the engine, it calls use for all
// tables, so that the error lists them.
func (c *connector) over(ctx context.Context, sql string, use func(*session, *duckdb.Linked, []*entry) error) error {
	var read []table
	for _, t := range c.source.tables {
		if sqltext.Mentions(sql, t.name) {
			read = append(read, t)
		}
	}
	if len(read) > 0 {
		err := c.with(ctx, read, use)
		if bad, ok := errors.AsType[*warehouse.Error](err); !ok || bad.Class != warehouse.Unknown || len(read) == len(c.source.tables) {
			return err
		}
	}
	return c.with(ctx, c.source.tables, use)
}

// with calls use with a connector over tables, and the files of all tables in order. If a file changes meanwhile, it does so once more.
func (c *connector) with(ctx context.Context, tables []table, use func(*session, *duckdb.Linked, []*entry) error) error {
	s := c.files.session(c.source, c.seen.left)
	defer s.close()
	for try := 0; ; try++ {
		err := c.once(ctx, s, tables, use)
		if try > 0 || !errors.Is(err, errChanged) {
			return translate(ctx, err)
		}
		c.seen.forget()
	}
}

func (c *connector) once(ctx context.Context, s *session, tables []table, use func(*session, *duckdb.Linked, []*entry) error) error {
	all, err := c.entries(ctx, s, tables)
	var entries []*entry
	for _, of := range all {
		entries = append(entries, of...)
	}
	defer func() {
		for _, e := range entries {
			if e != nil {
				c.files.cache.release(e)
			}
		}
	}()
	if err != nil {
		return err
	}
	data, key := make([]warehouse.DataTable, len(tables)), "linked"
	for i, t := range tables {
		parts := make([]*os.File, len(all[i]))
		for j, e := range all[i] {
			parts[j] = e.file
			key += fmt.Sprintf(" %d", e.id)
		}
		data[i] = warehouse.DataTable{Name: t.name, Format: "linked", Parts: parts}
	}
	return use(s, c.files.engine.OpenLinked(c.tenant, key, c.zone, data), entries)
}

// entries returns the entries of the files of each table, for use. They are as this connector saw them first. The caller releases them,
// with an error too.
func (c *connector) entries(ctx context.Context, s *session, tables []table) ([][]*entry, error) {
	c.seen.mu.Lock()
	defer c.seen.mu.Unlock()
	all := make([][]*entry, len(tables))
	left := MaxFiles
	for i, t := range tables {
		if known := c.seen.failed[t.name]; known != nil {
			return all, known
		}
		seen, ok := c.again(t)
		if !ok {
			var err error
			if seen, err = c.ask(ctx, s, t, left); err != nil {
				all[i] = seen
				c.seen.fail(t, err)
				return all, err
			}
			c.seen.entries[t.name] = seen
		}
		all[i] = seen
		left -= len(seen)
	}
	return all, nil
}

// ask asks for the present state of the files of a table. It returns entries with an error too, of which some are nil.
func (c *connector) ask(ctx context.Context, s *session, t table, most int) ([]*entry, error) {
	paths, err := c.paths(ctx, s, t, most)
	if err != nil {
		return nil, err
	}
	found := make([]*entry, len(paths))
	asks, ctx := errgroup.WithContext(ctx)
	asks.SetLimit(parallel)
	for i, path := range paths {
		asks.Go(func() (err error) {
			found[i], err = c.files.look(ctx, s, c, path, t.format, `table "`+t.name+`"`)
			return err
		})
	}
	return found, asks.Wait()
}

// fail remembers an error that the next query would meet too. The caller holds mu.
func (v *visit) fail(t table, err error) {
	if bad, ok := errors.AsType[*warehouse.Error](err); ok && bad.Class != warehouse.Busy && bad.Class != warehouse.Timeout {
		v.failed[t.name] = bad
	}
}

// again returns the entries of a table that were seen before, for use.
func (c *connector) again(t table) ([]*entry, bool) {
	seen, ok := c.seen.entries[t.name]
	for i, e := range seen {
		if !c.files.cache.again(e) {
			for _, other := range seen[:i] {
				c.files.cache.release(other)
			}
			return nil, false
		}
	}
	return seen, ok
}

// forget makes the connector ask for the state of all files again.
func (v *visit) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.entries)
	clear(v.failed)
}

// Negotiated returns facts about the connection.
func (c *connector) Negotiated(ctx context.Context) ([]warehouse.Fact, error) {
	if err := c.Ping(ctx); err != nil {
		return nil, err
	}
	how := "none"
	switch {
	case c.source.keys != nil && c.source.keys.Assumes():
		how = "role, assumed with an access key, region " + c.source.keys.Base.Region
	case c.source.keys != nil:
		how = "access key, Signature Version 4, region " + c.source.keys.Base.Region
	case c.source.google != nil:
		how = "service account of Google"
	case c.source.bearer != "":
		how = "bearer token"
	}
	return []warehouse.Fact{
		{Name: "sign-in", Value: how},
		{Name: "files", Value: fmt.Sprint(len(c.source.tables))},
		{Name: "limit of a call", Value: warehouse.Size(c.files.most)},
		{Name: "read-only", Value: "requests are GET alone"},
	}, nil
}

package rest

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync"
	"time"

	"service/store/dashboard/cube"
	"service/store/rawjson"
	"service/store/warehouse"
)

// A Connector queries one engine.
type Connector struct {
	engine  Engine
	target  warehouse.Target
	dialer  warehouse.Dialer
	leaving *sync.WaitGroup // running cancellations
	zone    string
}

// New returns a connector to t, whose engine is e, dialled by d. It does not connect yet.
func New(e Engine, t warehouse.Target, d warehouse.Dialer) *Connector {
	return &Connector{e, t, d, &sync.WaitGroup{}, "UTC"}
}

// In returns a connector whose statements run in a time zone.
func (c *Connector) In(zone *time.Location) warehouse.Connector {
	other := *c
	other.zone = zone.String()
	return &other
}

// Dialect names the SQL.
func (c *Connector) Dialect() string { return c.engine.Dialect() }

// Placeholder returns the placeholder of argument n.
func (c *Connector) Placeholder(n int) string { return c.engine.Placeholder(n) }

// Leave waits until the statements of callers that have left are cancelled, at most [warehouse.LeaveTime].
func (c *Connector) Leave() { c.leaving.Wait() }

// Ping signs in and checks that the warehouse accepts statements.
func (c *Connector) Ping(ctx context.Context) error {
	_, err := c.describe(ctx, c.own(c.engine.Probe(), warehouse.Limits{Time: warehouse.AskTime}))
	return err
}

// Describe returns the columns of a query without running it.
func (c *Connector) Describe(ctx context.Context, sql string, args []any) ([]cube.Column, error) {
	cols, _, err := c.Estimate(ctx, sql, args)
	return cols, err
}

// Estimate returns the columns of a query without running it, and the number of bytes that a run reads, or -1 if it is not known.
func (c *Connector) Estimate(ctx context.Context, sql string, args []any) (cols []cube.Column, bytes int64, err error) {
	st, err := c.statement(ctx, sql, args, warehouse.Limits{Time: warehouse.AskTime})
	if err != nil {
		return nil, -1, err
	}
	p, err := c.describe(ctx, st)
	return named(p.Columns), p.Bytes, err
}

func (c *Connector) describe(ctx context.Context, st Statement) (Plan, error) {
	ctx, cancel := context.WithTimeout(ctx, warehouse.AskTime)
	defer cancel()
	s := open(ctx, c.engine, c.target, c.dialer)
	defer s.close()
	p, err := c.plan(s, st)
	if err != nil {
		return Plan{Bytes: -1}, c.failed(s, err, st)
	}
	return p, nil
}

// statement returns sql as a statement that may be sent.
func (c *Connector) statement(ctx context.Context, sql string, args []any, l warehouse.Limits) (Statement, error) {
	checked, err := c.engine.Check(sql)
	return Statement{SQL: checked, Args: args, Zone: c.zone, Tags: warehouse.TagsOf(ctx), Most: l, Scan: c.most()}, err
}

// most returns how many bytes a run may read.
func (c *Connector) most() int64 { return c.target.Most(c.engine.Dialect()) }

// own marks a statement as ours, in UTC.
func (c *Connector) own(st Statement, most warehouse.Limits) Statement {
	st.Own, st.Zone, st.Most, st.Scan = true, "UTC", most, c.most()
	return st
}

// plan describes a statement, and refuses a result that cannot be shown.
func (c *Connector) plan(s *Session, st Statement) (Plan, error) {
	p, err := c.engine.Describe(s, st)
	if err != nil {
		return p, err
	}
	if len(p.Columns) > warehouse.MaxColumns {
		return p, warehouse.Errorf(warehouse.Refused, "The query has %d columns. At most %d can be shown.", len(p.Columns), warehouse.MaxColumns)
	}
	if !st.Own && p.Bytes > st.Scan {
		return p, warehouse.Errorf(warehouse.TooLarge, warehouse.SayCost, warehouse.Size(p.Bytes), warehouse.Size(st.Scan))
	}
	seen := map[string]bool{}
	for _, col := range p.Columns {
		if seen[col.Name] {
			return p, warehouse.SameColumn(col.Name)
		}
		seen[col.Name] = true
	}
	return p, nil
}

// failed translates an error of a call about a statement into our own message.
func (c *Connector) failed(s *Session, err error, st Statement) error {
	err = s.translate(err)
	if bad, ok := errors.AsType[*warehouse.Error](err); ok && !st.Own {
		return warehouse.Advise(bad, c.engine.Lexer(), st.SQL)
	}
	return err
}

// Query runs sql and hands its rows to sink.
func (c *Connector) Query(
	ctx context.Context, sql string, args []any, l warehouse.Limits, sink warehouse.Sink,
) (warehouse.Stats, error) {
	st, err := c.statement(ctx, sql, args, l)
	if err != nil {
		return warehouse.Stats{}, err
	}
	return c.query(ctx, st, sink)
}

func (c *Connector) query(ctx context.Context, st Statement, sink warehouse.Sink) (warehouse.Stats, error) {
	ctx, cancel := context.WithTimeout(ctx, st.Most.Time)
	defer cancel()
	s := open(ctx, c.engine, c.target, c.dialer)
	r := reader{sink: sink, most: st.Most}
	run, err := c.run(s, st, &r)
	if counter, ok := run.(Counter); ok && counter.Read() >= 0 {
		r.stats.Read = counter.Read()
	}
	switch {
	case errors.Is(err, errStarting): // start continues, and closes the session
		return r.stats, c.failed(s, s.ctx.Err(), st)
	case err != nil && r.failed == nil:
		err = c.failed(s, err, st)
	}
	if run == nil || r.last {
		s.close()
		return r.stats, err
	}
	// The caller does not wait for the cancellation.
	c.leaving.Go(func() {
		ctx, cancel := s.outlive()
		defer cancel()
		end(ctx, s, run)
	})
	return r.stats, err
}

// end cancels a run, if there is one, and closes its session.
func end(ctx context.Context, s *Session, run Run) {
	if run != nil {
		_ = run.Cancel(s.with(ctx)) // on failure the statement's own limits end it
	}
	s.close()
}

// errStarting means that the caller has left before the warehouse has answered to the submission of the statement.
var errStarting = errors.New("rest: the statement is starting")

// start submits a statement. A caller who leaves meanwhile does not wait for the answer, and start returns errStarting. The answer may have
// the only id of the statement, so the request continues for [warehouse.LeaveTime] at most, and the statement is then cancelled.
func (c *Connector) start(s *Session, st Statement, p Plan) (Run, error) {
	var run Run
	var err error
	ctx, cancel := s.outlive()
	late := *s
	late.requests, late.body = ctx, nil
	started := make(chan struct{})
	c.leaving.Go(func() {
		defer cancel()
		run, err = c.engine.Start(&late, st, p)
		select {
		case started <- struct{}{}:
		case <-s.ctx.Done():
			end(ctx, &late, run)
		}
	})
	select {
	case <-started:
		late.requests = nil
		*s = late
		return run, err
	case <-s.ctx.Done():
		return nil, errStarting
	}
}

// run plans, starts and reads a statement. The run is nil if the warehouse has no statement to cancel.
func (c *Connector) run(s *Session, st Statement, r *reader) (Run, error) {
	p, err := c.plan(s, st)
	if err != nil {
		return nil, err
	}
	if st.Most.Reserve != nil {
		most, err := st.Most.Reserve(s.ctx, p.Bytes)
		if err != nil {
			return nil, err
		}
		st.Scan = min(st.Scan, most)
	}
	if err := r.begin(p.Columns); err != nil {
		return nil, err
	}
	run, err := c.start(s, st, p)
	if run != nil || errors.Is(err, errStarting) {
		r.stats.Read = max(0, p.Bytes)
	}
	if err != nil {
		return run, err
	}
	for !r.last && !r.stats.Truncated {
		asked := time.Now()
		page, err := run.Next(s, st.Most.Rows+1-r.stats.Rows)
		if err != nil {
			return run, err
		}
		before := r.stats.Rows
		if err := r.read(page); err != nil {
			return run, err
		}
		if r.last = page.Last; r.last && page.Cut {
			r.stats.Truncated = true
		}
		if r.stats.Rows == before && !r.last && !r.stats.Truncated {
			if err := s.Rest(asked); err != nil {
				return run, err
			}
		}
	}
	return run, nil
}

// A reader hands rows to a sink.
type reader struct {
	sink   warehouse.Sink
	most   warehouse.Limits
	cols   []Column
	cells  [][]byte
	size   int
	stats  warehouse.Stats
	last   bool
	failed error // of the sink
}

func (r *reader) begin(cols []Column) error {
	r.cols, r.cells = cols, make([][]byte, 0, len(cols))
	r.failed = r.sink.Columns(named(cols))
	return r.failed
}

// read passes on the rows of a page, until a limit is reached.
func (r *reader) read(p Page) error {
	if p.Long != nil {
		defer p.Long.Close()
	}
	if p.Columns != nil && !same(p.Columns, r.cols) {
		return warehouse.Errorf(warehouse.Failed, "The warehouse answered with other columns than it had announced. Try again.")
	}
	for raw, err := range p.rows() {
		if err != nil {
			return err
		}
		if p.Head {
			p.Head = false
			continue
		}
		if err := r.row(p, raw); err != nil || r.stats.Truncated {
			return err
		}
	}
	return nil
}

// rows iterates over the rows of a page. An error is the last element.
func (p Page) rows() iter.Seq2[[]byte, error] {
	return func(yield func(raw []byte, err error) bool) {
		for raw := range rawjson.Elements(p.Rows) {
			if !yield(raw, nil) {
				return
			}
		}
		for p.Long != nil {
			raw, err := p.Long.Next()
			if errors.Is(err, io.EOF) || !yield(raw, err) || err != nil {
				return
			}
		}
	}
}

// row passes on a row of a page, unless a limit is reached.
func (r *reader) row(p Page, raw []byte) error {
	if r.stats.Rows == r.most.Rows {
		r.stats.Truncated = true
		return nil
	}
	cells, err := p.Cells(raw, r.cells[:0])
	if err != nil {
		return err
	}
	if len(cells) != len(r.cols) {
		return ErrForm
	}
	row, length := make([]any, len(cells)), 0
	for i, cell := range cells {
		v, n, err := r.cols[i].Read(cell)
		if err != nil {
			return err
		}
		row[i], length = v, length+n+4
	}
	if length > warehouse.MaxRow {
		return warehouse.Errorf(warehouse.TooLarge, warehouse.SayLongRow)
	}
	if r.size += length; r.size > r.most.Bytes {
		r.stats.Truncated = true
		return nil
	}
	if r.failed = r.sink.Row(row); r.failed != nil {
		return r.failed
	}
	r.stats.Rows++
	return nil
}

// ErrForm is returned for an answer that does not have the form of the vendor's reference.
var ErrForm = warehouse.Errorf(warehouse.Failed, "The warehouse answered in a form that is not known. Try again.")

func named(cols []Column) []cube.Column {
	if cols == nil {
		return nil
	}
	all := make([]cube.Column, len(cols))
	for i, c := range cols {
		all[i] = c.Column
	}
	return all
}

func same(a, b []Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Column != b[i].Column {
			return false
		}
	}
	return true
}

// Introspect lists tables, in the order in which the engine lists them.
func (c *Connector) Introspect(ctx context.Context, q warehouse.Introspection) ([]warehouse.Table, error) {
	st := c.own(c.engine.Catalog(q), warehouse.Limits{
		Rows: warehouse.MaxTables * warehouse.MaxColumns, Bytes: 4 * warehouse.MaxCatalog, Time: warehouse.AskTime,
	})
	list := catalog{engine: c.engine}
	if _, err := c.query(ctx, st, &list); err != nil && !errors.Is(err, errFull) {
		return nil, err
	}
	return list.Tables(), nil
}

// errFull ends a list that has reached the bounds of a catalog.
var errFull = errors.New("rest: enough tables")

// A catalog is the sink of a list of columns.
type catalog struct {
	warehouse.Catalog
	engine Engine
}

// Columns checks that there are as many columns as in a [Listing].
func (l *catalog) Columns(cols []cube.Column) error {
	if len(cols) != 7 {
		return ErrForm
	}
	return nil
}

// Row adds a column. It returns errFull once the catalog is full.
func (l *catalog) Row(row []any) error {
	var r Listing
	for i, to := range []*string{&r.Schema, &r.Table, &r.Kind, &r.Column, &r.Type, &r.Nullable, &r.Comment} {
		*to, _ = row[i].(string)
	}
	if t, column := l.engine.Listed(r); !l.Add(t, column) {
		return errFull
	}
	return nil
}

package isolate

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/duckdb/wire"
)

// Open makes a connector of one kind. It does not connect.
type Open func(warehouse.Target, warehouse.Dialer) (warehouse.Connector, error)

// Config configures [Processes].
type Config struct {
	Argv         []string        // the command of a process, such as the server's own executable and [Command]
	Kinds        map[string]Open // the command must have the same
	AllowPrivate bool            // see [warehouse.Dialer]
}

// Processes starts the processes of calls. It is safe for concurrent use.
type Processes struct {
	cfg     Config
	leaving chan struct{} // its capacity is the number of processes that may exit by themselves
}

// maxLeaving is how many processes whose caller has left may run on to cancel the query on the server. Further ones are killed at once, and
// the server's time limit ends their queries. The number is bounded because the limits of calls do not count such processes.
const maxLeaving = 32

// New returns Processes for cfg. It starts no process yet.
func New(cfg Config) *Processes {
	return &Processes{cfg, make(chan struct{}, maxLeaving)}
}

// Open returns a connector of a kind to t. It does not connect yet.
func (p *Processes) Open(kind string, t warehouse.Target) (*Connector, error) {
	open, ok := p.cfg.Kinds[kind]
	if !ok {
		return nil, fmt.Errorf("apart: there is no kind %s", kind)
	}
	local, err := open(t, warehouse.Dialer{AllowPrivate: p.cfg.AllowPrivate})
	if err != nil {
		return nil, err
	}
	return &Connector{processes: p, kind: kind, target: t, local: local}, nil
}

// A Connector does each call in a process of its own.
type Connector struct {
	processes *Processes
	kind      string
	target    warehouse.Target
	zone      string              // of the sessions; empty for UTC
	local     warehouse.Connector // for methods that need no connection
}

// Dialect names the SQL.
func (c *Connector) Dialect() string { return c.local.Dialect() }

// Placeholder is how argument n is written.
func (c *Connector) Placeholder(n int) string { return c.local.Placeholder(n) }

// In returns a connector whose sessions are in a time zone.
func (c *Connector) In(zone *time.Location) warehouse.Connector {
	in := *c
	in.zone, in.local = zone.String(), c.local.In(zone)
	return &in
}

// Ping connects and checks that the server answers.
func (c *Connector) Ping(ctx context.Context) error {
	_, err := c.ask(ctx, call{Call: wire.Call{Op: wire.Ping}, Time: warehouse.AskTime}, nothing)
	return err
}

// Warning returns the warning of the kind's connector. It is empty for a kind that is not a [warehouse.Warner].
func (c *Connector) Warning(ctx context.Context) string {
	if _, ok := c.local.(warehouse.Warner); !ok {
		return ""
	}
	a, _ := c.ask(ctx, call{Call: wire.Call{Op: warning}, Time: warehouse.AskTime}, nothing)
	return a.Warning
}

// Introspect lists the tables and views that the user may read.
func (c *Connector) Introspect(ctx context.Context, q warehouse.Introspection) ([]warehouse.Table, error) {
	var catalog warehouse.Catalog
	_, err := c.ask(ctx, call{Call: wire.Call{Op: wire.Introspect, Find: &q}, Time: warehouse.AskTime},
		func(kind wire.Kind, payload []byte) error {
			var t warehouse.Table
			if kind != wire.Tables || json.Unmarshal(payload, &t) != nil {
				return wire.ErrGarbage
			}
			columns := t.Columns
			t.Columns = nil
			for _, column := range columns {
				catalog.Add(t, column)
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	return catalog.Tables(), nil
}

// Describe returns the columns of a query without running it.
func (c *Connector) Describe(ctx context.Context, sql string, args []any) ([]cube.Column, error) {
	values, err := encode(args)
	if err != nil {
		return nil, err
	}
	var cols []cube.Column
	_, err = c.ask(ctx, call{Call: wire.Call{Op: wire.Describe, SQL: sql, Args: values}, Time: warehouse.AskTime},
		func(kind wire.Kind, payload []byte) (err error) {
			if kind != wire.Columns {
				return wire.ErrGarbage
			}
			cols, err = wire.ParseColumns(payload, warehouse.MaxColumns)
			return err
		})
	if err != nil {
		return nil, err
	}
	return cols, nil
}

// Query runs sql and hands its rows to sink.
func (c *Connector) Query(
	ctx context.Context, sql string, args []any, l warehouse.Limits, sink warehouse.Sink,
) (warehouse.Stats, error) {
	var stats warehouse.Stats
	values, err := encode(args)
	if err != nil {
		return stats, err
	}
	var cols []cube.Column
	a, err := c.ask(ctx, call{Call: wire.Call{Op: wire.Query, SQL: sql, Args: values, Rows: l.Rows, Bytes: l.Bytes}, Time: l.Time},
		func(kind wire.Kind, payload []byte) (err error) {
			switch {
			case kind == wire.Columns && cols == nil:
				if cols, err = wire.ParseColumns(payload, warehouse.MaxColumns); err != nil {
					return err
				}
				return sink.Columns(cols)
			case kind != wire.Rows || cols == nil:
				return wire.ErrGarbage
			}
			for len(payload) > 0 {
				var row []any
				if row, payload, err = wire.DecodeRow(payload, cols); err != nil {
					return err
				}
				if err := sink.Row(row); err != nil {
					return err
				}
				stats.Rows++
			}
			return nil
		})
	stats.Truncated = a.Truncated
	return stats, err
}

func encode(args []any) ([]wire.Arg, error) {
	values := make([]wire.Arg, len(args))
	for i, a := range args {
		var err error
		if values[i], err = wire.NewArg(a); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// nothing refuses every frame, for answers without frames.
func nothing(wire.Kind, []byte) error { return wire.ErrGarbage }

// grace is how long after the call's time limit the process may still report the timeout itself.
const grace = 50 * time.Millisecond

// ask starts a process for one call, and passes the frames of the answer, except the last, to take. It returns as soon as ctx ends, take
// fails or the answer is complete. The process may then run on for as long as leave allows.
func (c *Connector) ask(ctx context.Context, call call, take func(wire.Kind, []byte) error) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, call.Time)
	defer cancel()
	if ctx.Err() != nil {
		return answer{}, broken(ctx)
	}
	call.Kind, call.Target, call.Private, call.Zone = c.kind, c.target, c.processes.cfg.AllowPrivate, c.zone
	call.Deadline, _ = ctx.Deadline()
	p, err := c.processes.start()
	if err != nil {
		return answer{}, fmt.Errorf("apart: start the process of a call: %w", err)
	}
	defer c.processes.leave(p)
	stop := context.AfterFunc(ctx, func() {
		end := time.Now()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			end = end.Add(grace)
		}
		_, _ = p.stdin.SetDeadline(end), p.stdout.SetDeadline(end) // these fail if the pipes are closed
	})
	defer stop()
	if err := wire.WriteJSON(p.stdin, wire.Request, call); err != nil {
		return answer{}, broken(ctx)
	}
	for in := bufio.NewReaderSize(p.stdout, 64<<10); ; {
		kind, payload, err := wire.Read(in, wire.MaxFrame)
		if err != nil {
			return answer{}, broken(ctx)
		}
		if kind == wire.End {
			var a answer
			if json.Unmarshal(payload, &a) != nil {
				return answer{}, broken(ctx)
			}
			return a, a.err(ctx)
		}
		if err := take(kind, payload); errors.Is(err, wire.ErrGarbage) {
			return answer{}, broken(ctx)
		} else if err != nil {
			return answer{}, err
		}
	}
}

// broken returns the error of a call without an answer.
func broken(ctx context.Context) error {
	if ended := warehouse.Ended(ctx, nil, false); ended != nil {
		return ended
	}
	no := warehouse.Errorf(warehouse.Connect, warehouse.SayBroken)
	no.Cause = errors.New("apart: the process of the call ended without an answer")
	return no
}

// err returns the error with which the call ended, if any.
func (a answer) err(ctx context.Context) error {
	if a.Fault == "" {
		return a.Error.OfSource()
	}
	if ended := warehouse.Ended(ctx, nil, false); ended != nil {
		return ended
	}
	return errors.New(wire.Clean(a.Fault, maxFault))
}

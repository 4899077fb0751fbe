package store

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// How many questions are asked of warehouses at once by this process. A
// connector opens one connection for each, so these bound connections too.
const (
	placesPerWorkspace = 4
	placesPerHost      = 8
)

// errNoPlace says nothing of the warehouse: it was not asked.
var errNoPlace = warehouse.Errorf(warehouse.Busy, "Too many queries run on the warehouse at the moment. Try again in a little while.")

// places bound what runs at once, by name. A name is forgotten when nobody holds
// a place under it, or waits for one.
type places struct {
	mu sync.Mutex
	by map[string]*slots
}

// slots are the places under one name.
type slots struct {
	taken chan struct{}
	users int // who hold a place or wait for one
}

// take waits for a place under a name, and returns how to give it back.
func (p *places) take(ctx context.Context, name string, most int) (free func(), err error) {
	p.mu.Lock()
	if p.by == nil {
		p.by = map[string]*slots{}
	}
	s := p.by[name]
	if s == nil {
		s = &slots{taken: make(chan struct{}, most)}
		p.by[name] = s
	}
	s.users++
	p.mu.Unlock()
	leave := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if s.users--; s.users == 0 {
			delete(p.by, name)
		}
	}
	select {
	case s.taken <- struct{}{}:
		return func() { <-s.taken; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, errNoPlace
	}
}

// A placed connector asks its warehouse only with a place of its workspace and
// one of its host, so that neither a workspace nor a warehouse is swamped.
type placed struct {
	warehouse.Connector
	places          *places
	workspace, host string
}

// placedAt gives a connector its places. However a host's name is written, it is
// one.
func placedAt(c warehouse.Connector, p *places, workspace uuid.UUID, host string) placed {
	return placed{c, p, workspace.String(), strings.TrimSuffix(strings.ToLower(host), ".")}
}

// with waits for places and asks. Who waits leaves enough of the time that ctx
// has to reach the warehouse, or half of what is short: a warehouse that is given
// a moment to answer looks like one that does not.
func (c placed) with(ctx context.Context, ask func() error) error {
	if end, ok := ctx.Deadline(); ok {
		left := time.Until(end)
		waiting, cancel := context.WithTimeout(ctx, max(left-warehouse.DialTime, left/2))
		defer cancel()
		ctx = waiting
	}
	mine, err := c.places.take(ctx, "workspace "+c.workspace, placesPerWorkspace)
	if err != nil {
		return err
	}
	defer mine()
	theirs, err := c.places.take(ctx, "host "+c.host, placesPerHost)
	if err != nil {
		return err
	}
	defer theirs()
	return ask()
}

// In keeps the places.
func (c placed) In(zone *time.Location) warehouse.Connector {
	c.Connector = c.Connector.In(zone)
	return c
}

func (c placed) Ping(ctx context.Context) error {
	return c.with(ctx, func() error { return c.Connector.Ping(ctx) })
}

// Warning is empty for a connector that is no [warehouse.Warner].
func (c placed) Warning(ctx context.Context) (warning string) {
	w, ok := c.Connector.(warehouse.Warner)
	if !ok {
		return ""
	}
	if err := c.with(ctx, func() error { warning = w.Warning(ctx); return nil }); err != nil {
		return "" // no place to ask from
	}
	return warning
}

func (c placed) Introspect(ctx context.Context, q warehouse.Introspection) (tables []warehouse.Table, err error) {
	err = c.with(ctx, func() error {
		tables, err = c.Connector.Introspect(ctx, q)
		return err
	})
	return tables, err
}

func (c placed) Describe(ctx context.Context, sql string, args []any) (cols []cube.Column, err error) {
	err = c.with(ctx, func() error {
		cols, err = c.Connector.Describe(ctx, sql, args)
		return err
	})
	return cols, err
}

// Query counts the time that it waits for places to that of the query.
func (c placed) Query(ctx context.Context, sql string, args []any, l warehouse.Limits, sink warehouse.Sink) (stats warehouse.Stats, err error) {
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, l.Time)
	defer cancel()
	err = c.with(limited, func() error {
		l.Time -= time.Since(start)
		stats, err = c.Connector.Query(ctx, sql, args, l, sink)
		return err
	})
	return stats, err
}

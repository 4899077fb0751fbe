package store

import (
	"context"
	"sync"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// How many questions are asked of warehouses at once by this process. A
// connector opens one connection for each, so these bound connections too.
const (
	placesPerWorkspace = 4
	placesPerHost      = 8
)

// places bound what runs at once, by name.
type places struct {
	mu sync.Mutex
	by map[string]chan struct{}
}

// take waits for a place under a name, and returns how to give it back.
func (p *places) take(ctx context.Context, name string, most int) (free func(), err error) {
	p.mu.Lock()
	if p.by == nil {
		p.by = map[string]chan struct{}{}
	}
	c := p.by[name]
	if c == nil {
		c = make(chan struct{}, most)
		p.by[name] = c
	}
	p.mu.Unlock()
	select {
	case c <- struct{}{}:
		return func() { <-c }, nil
	case <-ctx.Done():
		return nil, warehouse.Errorf(warehouse.Failed, "Too many queries run on the warehouse at the moment. Try again in a little while.")
	}
}

// A placed connector asks its warehouse only with a place of its workspace and
// one of its host, so that neither a workspace nor a warehouse is swamped.
type placed struct {
	warehouse.Connector
	places          *places
	workspace, host string
}

func (c placed) with(ctx context.Context, ask func() error) error {
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

func (c placed) Ping(ctx context.Context) error {
	return c.with(ctx, func() error { return c.Connector.Ping(ctx) })
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

func (c placed) Query(ctx context.Context, sql string, args []any, l warehouse.Limits, sink warehouse.Sink) (stats warehouse.Stats, err error) {
	err = c.with(ctx, func() error {
		stats, err = c.Connector.Query(ctx, sql, args, l, sink)
		return err
	})
	return stats, err
}

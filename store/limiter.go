package store

import (
	"context"
	"sync"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// How many questions are asked of warehouses at once by this process. A connector
// opens one connection for each, so these bound connections too. Nothing here is
// shared by two accounts: none can keep another from a warehouse, not even from the
// same one.
const (
	perWorkspace = 4 // by one workspace
	perAccount   = 8 // by one account, from all its workspaces
)

// errBusy says nothing of the warehouse: it was not asked.
var errBusy = warehouse.Errorf(warehouse.Busy, "Too many queries run on the warehouse at the moment. Try again in a little while.")

// A limiter bounds what runs at once, by name. A name is forgotten when nobody runs
// anything under it, or waits to.
type limiter struct {
	mu sync.Mutex
	by map[string]*tickets
}

// tickets are those of one name.
type tickets struct {
	out   chan struct{}
	users int // who hold a ticket or wait for one
}

// take waits for one of a name's tickets, and returns how to give it back.
func (l *limiter) take(ctx context.Context, name string, most int) (giveBack func(), err error) {
	l.mu.Lock()
	if l.by == nil {
		l.by = map[string]*tickets{}
	}
	t := l.by[name]
	if t == nil {
		t = &tickets{out: make(chan struct{}, most)}
		l.by[name] = t
	}
	t.users++
	l.mu.Unlock()
	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(l.by, name)
		}
	}
	select {
	case t.out <- struct{}{}:
		return func() { <-t.out; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, errBusy
	}
}

// A limited connector asks its warehouse only with a ticket of its workspace and one
// of its account.
type limited struct {
	warehouse.Connector
	limiter            *limiter
	workspace, account string
}

// limit bounds what a tenant asks through a connector.
func (l *limiter) limit(c warehouse.Connector, by warehouse.Tenant) limited {
	return limited{c, l, "workspace " + by.Workspace.String(), "account " + by.Account.String()}
}

// with waits for tickets and asks. Who waits leaves enough of the time that ctx
// has to reach the warehouse, or half of what is short: a warehouse that is given
// a moment to answer looks like one that does not. The account's ticket comes last,
// so that nobody holds one while those of the workspace are out.
func (c limited) with(ctx context.Context, ask func() error) error {
	if end, ok := ctx.Deadline(); ok {
		left := time.Until(end)
		waiting, cancel := context.WithTimeout(ctx, max(left-warehouse.DialTime, left/2))
		defer cancel()
		ctx = waiting
	}
	workspace, err := c.limiter.take(ctx, c.workspace, perWorkspace)
	if err != nil {
		return err
	}
	defer workspace()
	account, err := c.limiter.take(ctx, c.account, perAccount)
	if err != nil {
		return err
	}
	defer account()
	return ask()
}

// In keeps the bounds.
func (c limited) In(zone *time.Location) warehouse.Connector {
	c.Connector = c.Connector.In(zone)
	return c
}

func (c limited) Ping(ctx context.Context) error {
	return c.with(ctx, func() error { return c.Connector.Ping(ctx) })
}

// Warning is empty for a connector that is no [warehouse.Warner].
func (c limited) Warning(ctx context.Context) (warning string) {
	w, ok := c.Connector.(warehouse.Warner)
	if !ok {
		return ""
	}
	if err := c.with(ctx, func() error { warning = w.Warning(ctx); return nil }); err != nil {
		return "" // busy
	}
	return warning
}

func (c limited) Introspect(ctx context.Context, q warehouse.Introspection) (tables []warehouse.Table, err error) {
	err = c.with(ctx, func() error {
		tables, err = c.Connector.Introspect(ctx, q)
		return err
	})
	return tables, err
}

func (c limited) Describe(ctx context.Context, sql string, args []any) (cols []cube.Column, err error) {
	err = c.with(ctx, func() error {
		cols, err = c.Connector.Describe(ctx, sql, args)
		return err
	})
	return cols, err
}

// Query counts the time that it waits for tickets to that of the query.
func (c limited) Query(
	ctx context.Context, sql string, args []any, l warehouse.Limits, sink warehouse.Sink,
) (stats warehouse.Stats, err error) {
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

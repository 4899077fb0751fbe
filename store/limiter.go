package store

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// How many requests this process sends to warehouses at once. A connector opens one connection
// for each, so these limit connections too. Accounts share no limit, so that none can keep
// another from a warehouse, even from the same one.
const (
	perWorkspace = 4 // by one workspace, to one server: one that is slow keeps none of its others waiting, two that are slow do
	perAccount   = 8 // by one account, from all its workspaces, to all servers
)

// errBusy is returned when no ticket is free. The warehouse was not asked.
var errBusy = warehouse.Errorf(warehouse.Busy, "Too many queries run on the warehouse at the moment. Try again in a little while.")

// A limiter limits how many requests run at once under a name. It forgets a name that nobody
// uses or waits for.
type limiter struct {
	mu    sync.Mutex
	by    map[string]*tickets
	spare *tickets // of the name that was forgotten last, for the next: every call that asks who it is takes one
}

// tickets are the tickets of one name.
type tickets struct {
	out   chan struct{}
	users int // holders of a ticket and those who wait for one
}

// take waits for a ticket of a name, of which there are most, and returns the function that gives
// it back.
func (l *limiter) take(ctx context.Context, name string, most int) (giveBack func(), err error) {
	l.mu.Lock()
	if l.by == nil {
		l.by = map[string]*tickets{}
	}
	t := l.by[name]
	if t == nil {
		if t, l.spare = l.spare, nil; t == nil || cap(t.out) != most {
			t = &tickets{out: make(chan struct{}, most)}
		}
		l.by[name] = t
	}
	t.users++
	l.mu.Unlock()
	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(l.by, name)
			l.spare = t
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

// users are how many hold a ticket of a name or wait for one.
func (l *limiter) users(name string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.by[name]; t != nil {
		return t.users
	}
	return 0
}

// A limited connector needs a ticket of its workspace for its server and one of its account to ask its
// warehouse.
type limited struct {
	warehouse.Connector
	limiter            *limiter
	workspace, account string
}

// limit returns c, which asks the server at, with the limits of a tenant.
func (l *limiter) limit(c warehouse.Connector, at warehouse.Target, by warehouse.Tenant) limited {
	server := fmt.Sprintf("%s port %d", strings.TrimSuffix(strings.ToLower(at.Host), "."), at.Port)
	return limited{c, l, "workspace " + by.Workspace.String() + " at " + server, "account " + by.Account.String()}
}

// with waits for tickets and calls ask. It stops waiting while ctx still has enough time left to
// reach the warehouse, or half of a short time, because a warehouse with too little time looks
// like one that does not answer. It takes the account's ticket last, so that a caller who waits
// for the workspace's ticket does not hold one.
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

// In returns a connector with the same limits.
func (c limited) In(zone *time.Location) warehouse.Connector {
	c.Connector = c.Connector.In(zone)
	return c
}

func (c limited) Ping(ctx context.Context) error {
	return c.with(ctx, func() error { return c.Connector.Ping(ctx) })
}

// Warning is empty for a connector that is not a [warehouse.Warner].
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

// Query counts the wait for tickets as part of the query's time.
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

package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"service/store/dashboard/cube"
	"service/store/limit"
	"service/store/warehouse"
)

// How many requests this process sends to warehouses at once. A connector opens one connection
// for each, so these limit connections too. Accounts share no limit, so that none can keep
// another from a warehouse, even from the same one.
const (
	perWorkspace = 4 // by one workspace, to one server: one slow server does not delay its others, two slow ones do
	perAccount   = 8 // by one account, from all its workspaces, to all servers
)

// errBusy is returned when no slot is free in time. The warehouse was not asked.
var errBusy = warehouse.Errorf(warehouse.Busy, "Too many queries run on the warehouse at the moment. Try again in a little while.")

// A limited connector acquires a slot of its workspace for the server, and a slot of its account, for each query.
type limited struct {
	warehouse.Connector
	limiter            *limit.Keyed[string]
	workspace, account string
	tags               map[string]string // of queries
	budget             *budget           // nil if the bytes of queries are not counted
}

// limitTo returns c, a connector to the server at, with the limits of a tenant. l has the slots.
func limitTo(l *limit.Keyed[string], c warehouse.Connector, at warehouse.Target, by warehouse.Tenant) limited {
	server := fmt.Sprintf("%s port %d", strings.TrimSuffix(strings.ToLower(at.Host), "."), at.Port)
	return limited{
		c, l, "workspace " + by.Workspace.String() + " at " + server, "account " + by.Account.String(),
		map[string]string{"workspace": by.Workspace.String()},
		nil,
	}
}

// with waits for slots and calls ask. It stops waiting while ctx still has enough time left to
// reach the warehouse, or half of a short time, because a warehouse with too little time looks
// like one that does not answer. It acquires the account's slot last, so that a caller who waits
// for the workspace's slot does not hold one.
func (c limited) with(ctx context.Context, ask func() error) error {
	if end, ok := ctx.Deadline(); ok {
		left := time.Until(end)
		waiting, cancel := context.WithTimeout(ctx, max(left-warehouse.DialTime, left/2))
		defer cancel()
		ctx = waiting
	}
	releaseWorkspace, err := c.limiter.Acquire(ctx, c.workspace, perWorkspace)
	if err != nil {
		return errBusy
	}
	defer releaseWorkspace()
	releaseAccount, err := c.limiter.Acquire(ctx, c.account, perAccount)
	if err != nil {
		return errBusy
	}
	defer releaseAccount()
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

// Estimate is [warehouse.Estimate] of the connector.
func (c limited) Estimate(ctx context.Context, sql string, args []any) (cols []cube.Column, bytes int64, err error) {
	bytes = -1
	err = c.with(ctx, func() error {
		cols, bytes, err = warehouse.Estimate(ctx, c.Connector, sql, args)
		return err
	})
	return cols, bytes, err
}

// Query counts the wait for slots as part of the query's time.
func (c limited) Query(
	ctx context.Context, sql string, args []any, l warehouse.Limits, sink warehouse.Sink,
) (stats warehouse.Stats, err error) {
	start := time.Now()
	ctx = warehouse.WithTags(ctx, c.tags)
	limited, cancel := context.WithTimeout(ctx, l.Time)
	defer cancel()
	err = c.with(limited, func() error {
		l.Time -= time.Since(start)
		stats, err = c.budget.query(ctx, c.Connector, sql, args, l, sink)
		return err
	})
	return stats, err
}

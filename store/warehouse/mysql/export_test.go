package mysql

import (
	"context"

	"service/store/warehouse"
)

// Gate is the gate alone.
func Gate(sql string, args int) error {
	_, err := check(sql, args)
	return err
}

// Effects are the functions that the gate refuses.
func Effects() []string { return gate.Effects }

// ZoneWarning is the warning of a server that does not know a time zone.
func (c *Connector) ZoneWarning(ctx context.Context, zone string) string {
	return c.zoneWarning(ctx, zone)
}

// Ungated runs a query that the gate has not seen.
func (c *Connector) Ungated(ctx context.Context, sql string, l warehouse.Limits, sink warehouse.Sink) (warehouse.Stats, error) {
	return c.run(ctx, sql, nil, l, sink)
}

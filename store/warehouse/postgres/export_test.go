package postgres

import (
	"context"
	"slices"

	"service/store/warehouse"
)

// Gate is the gate alone.
func Gate(sql string) error {
	_, err := gate.Check(sql)
	return err
}

// Effects are the functions that the gate refuses.
func Effects() []string {
	return slices.Concat(gate.Effects, gate.Runs, gate.Joins)
}

// An Ungated connector runs queries that the gate has not seen.
type Ungated struct{ *Connector }

// Query runs sql.
func (c Ungated) Query(
	ctx context.Context, sql string, args []any, l warehouse.Limits, sink warehouse.Sink,
) (warehouse.Stats, error) {
	return c.run(ctx, sql, args, l, sink, func(context.Context, *line) error { return nil })
}

// Tagged is tagged, for tests.
var Tagged = tagged

// RedshiftGate is the check of Redshift's gate, for tests.
func RedshiftGate(sql string) error {
	_, err := redshiftGate.Check(sql)
	return err
}

// OpenRedshiftIAM is OpenRedshift for a database whose endpoint has another name than the host of t, and services of AWS at base.
func OpenRedshiftIAM(t warehouse.Target, d warehouse.Dialer, named, base string) (*Redshift, error) {
	return openRedshift(t, d, named, base)
}

// ReadRelations is the statement that reads views, policies and generated columns by their names and oids, or every relation.
var ReadRelations = readRelations

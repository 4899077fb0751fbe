package clickhouse

import (
	"context"

	"service/store/warehouse"
)

// Gate is the check of a query before it is sent.
func Gate(sql string) error {
	_, _, err := check(sql, nil)
	return err
}

// Effects are the functions that the gate refuses.
func Effects() []string { return gate.Effects }

// Ungated runs sql without the gate: only the settings of the session remain.
func (c *Connector) Ungated(ctx context.Context, sql string, l warehouse.Limits) error {
	ctx, cancel := context.WithTimeout(ctx, l.Time)
	defer cancel()
	s, err := c.connect(ctx, l)
	if err != nil {
		return err
	}
	defer s.close()
	rows, err := s.query(sql, nil)
	if err != nil {
		return s.translateError(ctx, err, "", "")
	}
	defer rows.Close()
	defer s.stop()
	for rows.Next() {
	}
	return s.translateError(ctx, rows.Err(), "", "")
}

// Settings are the settings of a query within l.
func (c *Connector) Settings(ctx context.Context, l warehouse.Limits) (map[string]any, error) {
	s, err := c.connect(ctx, l)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return s.settings, nil
}

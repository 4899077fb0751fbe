package store

import "context"

// DemoSeeded reports whether this installation has been given its demo.
func (s *Store) DemoSeeded(ctx context.Context) (seeded bool, err error) {
	err = s.pool.QueryRow(ctx, `SELECT demo_seeded_at IS NOT NULL FROM instance`).Scan(&seeded)
	return seeded, err
}

// MarkDemoSeeded remembers that the demo is there, so that what people delete
// of it does not come back.
func (s *Store) MarkDemoSeeded(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, `UPDATE instance SET demo_seeded_at = $1`, s.now())
	return err
}

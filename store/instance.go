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

// MoveDevelopmentAccounts gives the accounts of development identity providers
// to the one at issuer. A development provider is at a port of this machine and
// names people by their e-mail address alone: on another port it is still the
// same, and who signs in is not a stranger.
func (s *Store) MoveDevelopmentAccounts(ctx context.Context, issuer string) error {
	_, err := s.pool.Exec(ctx, `
		UPDATE account a SET issuer = $1
		 WHERE a.issuer <> $1 AND a.issuer ~ '^http://(127\.0\.0\.1|localhost|\[::1\]):[0-9]+$'
		   AND a.id = (SELECT b.id FROM account b WHERE b.subject = a.subject AND b.issuer ~ '^http://(127\.0\.0\.1|localhost|\[::1\]):[0-9]+$'
		                ORDER BY b.issuer = $1 DESC, b.id LIMIT 1)`, issuer)
	return err
}

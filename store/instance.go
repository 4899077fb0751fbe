package store

import "context"

// DemoSeeded reports whether the demo was created in this installation.
func (s *Store) DemoSeeded(ctx context.Context) (seeded bool, err error) {
	err = s.pool.QueryRow(ctx, `SELECT demo_seeded_at IS NOT NULL FROM instance`).Scan(&seeded)
	return seeded, err
}

// MarkDemoSeeded records that the demo was created, so that it is not created again after people
// delete parts of it.
func (s *Store) MarkDemoSeeded(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, `UPDATE instance SET demo_seeded_at = $1`, s.now())
	return err
}

// MoveDevelopmentAccounts changes the issuer of accounts of development identity providers to
// issuer. Such a provider runs at a port of this machine and identifies people by their e-mail
// address, so that on another port the same address is still the same person.
func (s *Store) MoveDevelopmentAccounts(ctx context.Context, issuer string) error {
	_, err := s.pool.Exec(ctx, `
		UPDATE account a SET issuer = $1
		 WHERE a.issuer <> $1 AND a.issuer ~ '^http://(127\.0\.0\.1|localhost|\[::1\]):[0-9]+$'
		   AND a.id = (SELECT b.id FROM account b WHERE b.subject = a.subject AND b.issuer ~ '^http://(127\.0\.0\.1|localhost|\[::1\]):[0-9]+$'
		                ORDER BY b.issuer = $1 DESC, b.id LIMIT 1)`, issuer)
	return err
}

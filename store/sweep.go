package store

import (
	"context"
	"fmt"
	"time"
)

// How long what is over stays, and why.
const (
	keptClient = 90 * 24 * time.Hour // a registration that nobody ever allowed; the others stay for ever
	keptCode   = 24 * time.Hour      // a spent code that comes again still revokes its grant
	keptGrant  = 90 * 24 * time.Hour // a grant that has ended, for the operator's questions
)

// Sweep deletes what has expired: requests, codes, tokens, grants, sign-ins,
// tickets, sessions, and registrations that were never authorized. A registration
// that a person once allowed is never deleted: its client would be stuck. It
// returns how many rows went.
func (s *Store) Sweep(ctx context.Context) (int64, error) {
	now := s.now()
	var gone int64
	for _, d := range []struct {
		sql    string
		before time.Time
	}{
		{`DELETE FROM oauth_request WHERE expires_at <= $1`, now},
		{`DELETE FROM oauth_token WHERE kind <> 'code' AND expires_at <= $1`, now},
		{`DELETE FROM oauth_token WHERE kind = 'code' AND expires_at <= $1`, now.Add(-keptCode)},
		{`DELETE FROM oauth_grant WHERE expires_at <= $1 OR revoked_at <= $1`, now.Add(-keptGrant)},
		{`DELETE FROM sign_in WHERE expires_at <= $1`, now},
		{`DELETE FROM host_ticket WHERE expires_at <= $1`, now},
		{`DELETE FROM host_session WHERE expires_at <= $1`, now},
		{`DELETE FROM web_session WHERE expires_at <= $1`, now},
		{`DELETE FROM oauth_client c WHERE authorized_at IS NULL AND created_at <= $1
		    AND NOT EXISTS (SELECT FROM oauth_request r WHERE r.client_id = c.id)`, now.Add(-keptClient)},
	} {
		tag, err := s.pool.Exec(ctx, d.sql, d.before)
		if err != nil {
			return gone, fmt.Errorf("sweep: %w", err)
		}
		gone += tag.RowsAffected()
	}
	return gone, nil
}

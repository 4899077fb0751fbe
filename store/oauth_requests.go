package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// RequestLifetime is how long a stored authorization request waits for consent
// (specification, "Limits").
const RequestLifetime = 30 * time.Minute

// A Request is a stored authorization request: a client sent it to GET /authorize, and the person has not decided yet.
type Request struct {
	ClientID    string
	ClientName  string // filled by the store
	RedirectURI string // exactly as the client sent it
	Scope       string
	State       *string // nil if the client sent none
	Challenge   string  // PKCE, S256
	Resource    string
	Expires     time.Time // filled by the store
}

// StoreRequest stores r under the hash of the handle that the browser has.
func (s OAuth) StoreRequest(ctx context.Context, hash []byte, r Request) error {
	now := s.now()
	_, err := s.pool.Exec(ctx, `
		INSERT INTO oauth_request (hash, client_id, redirect_uri, scope, state, challenge, resource, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		hash, r.ClientID, r.RedirectURI, r.Scope, r.State, r.Challenge, r.Resource, now, now.Add(RequestLifetime))
	return err
}

// PendingRequest returns the request under a hash, or [ErrNotFound] once it has expired or was
// decided.
func (s OAuth) PendingRequest(ctx context.Context, hash []byte) (Request, error) {
	r, err := s.request(ctx, s.pool, hash, "")
	if err == nil && r.decided {
		err = ErrNotFound
	}
	return r.Request, err
}

// AnswerableRequest returns the request under a hash while it is pending, and for [CodeLifetime]
// after the decision, during which the same decision may be posted again.
func (s OAuth) AnswerableRequest(ctx context.Context, hash []byte) (Request, error) {
	r, err := s.request(ctx, s.pool, hash, "")
	return r.Request, err
}

// DenyRequest consumes the request under a hash and returns it. It also returns a request that was
// denied a moment ago. It returns [ErrNotFound] when the request has expired or was allowed.
func (s OAuth) DenyRequest(ctx context.Context, hash []byte) (Request, error) {
	var r answerable
	err := s.tx(ctx, func(tx pgx.Tx) (err error) {
		if r, err = s.request(ctx, tx, hash, "FOR UPDATE OF r"); err != nil {
			return err
		}
		switch {
		case r.grant != uuid.Nil:
			return ErrNotFound
		case r.decided:
			return nil
		}
		return s.consume(ctx, tx, hash, uuid.Nil)
	})
	return r.Request, err
}

// An answerable request is pending, or was decided less than [CodeLifetime] ago.
type answerable struct {
	Request
	decided bool
	grant   uuid.UUID // zero while it is pending, or if it was denied
}

func (s *core) request(ctx context.Context, q querier, hash []byte, lock string) (r answerable, err error) {
	now := s.now()
	err = q.QueryRow(ctx, `
		SELECT r.client_id, c.name, r.redirect_uri, r.scope, r.state, r.challenge, r.resource, r.expires_at,
		       r.consumed_at IS NOT NULL, coalesce(r.grant_id, '00000000-0000-0000-0000-000000000000')
		  FROM oauth_request r JOIN oauth_client c ON c.id = r.client_id
		 WHERE r.hash = $1 AND (r.consumed_at IS NULL AND r.expires_at > $2 OR r.consumed_at > $3) `+lock,
		hash, now, now.Add(-CodeLifetime)).
		Scan(&r.ClientID, &r.ClientName, &r.RedirectURI, &r.Scope, &r.State, &r.Challenge, &r.Resource, &r.Expires, &r.decided, &r.grant)
	return r, plain(err)
}

// consume marks a request as decided. grant is zero for a denied one. It is the last step of its
// transaction.
func (s *core) consume(ctx context.Context, tx pgx.Tx, hash []byte, grant uuid.UUID) error {
	tag, err := tx.Exec(ctx, `
			UPDATE oauth_request SET consumed_at = $2, grant_id = $3 WHERE hash = $1 AND consumed_at IS NULL`, hash, s.now(), optional(grant))
	if err == nil && tag.RowsAffected() != 1 {
		return ErrNotFound
	}
	return err
}

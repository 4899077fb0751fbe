package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Client is a registration of an OAuth client (RFC 7591). Anybody can register one, so
// nothing in it is verified.
type Client struct {
	ID           string
	Name         string
	RedirectURIs []string
	GrantTypes   []string // authorization_code, and refresh_token when it may refresh
	AuthMethod   string   // none, client_secret_post or client_secret_basic
	SecretHash   []byte   // nil if and only if AuthMethod is "none"
	CreatedAt    time.Time
	FetchedAt    *time.Time // of the document at the address that is its id; nil: the client was registered
}

// RegisterClient stores c, whose CreatedAt is set.
func (s OAuth) RegisterClient(ctx context.Context, c Client) error {
	_, err := s.pool.Exec(ctx, `
		INSERT INTO oauth_client (id, name, redirect_uris, grant_types, auth_method, secret_hash, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		c.ID, c.Name, c.RedirectURIs, c.GrantTypes, c.AuthMethod, c.SecretHash, c.CreatedAt)
	return plain(err)
}

// KeepClient stores a client whose id is the address of its document, in place of an earlier document.
func (s OAuth) KeepClient(ctx context.Context, c Client) error {
	_, err := s.pool.Exec(ctx, `
		INSERT INTO oauth_client (id, name, redirect_uris, grant_types, auth_method, created_at, fetched_at)
		VALUES ($1, $2, $3, $4, 'none', $5, $5)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, redirect_uris = excluded.redirect_uris, grant_types = excluded.grant_types,
		       fetched_at = excluded.fetched_at WHERE oauth_client.fetched_at IS NOT NULL`,
		c.ID, c.Name, c.RedirectURIs, c.GrantTypes, c.CreatedAt)
	return err
}

// Client returns the registration with an id, or [ErrNotFound].
func (s OAuth) Client(ctx context.Context, id string) (Client, error) {
	rows, _ := s.pool.Query(ctx, `
		SELECT id, name, redirect_uris, grant_types, auth_method, secret_hash, created_at, fetched_at FROM oauth_client WHERE id = $1`, id)
	c, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Client])
	return c, plain(err)
}

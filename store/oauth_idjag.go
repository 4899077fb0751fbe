package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// ErrWhichWorkspace is returned to a person of several workspaces who named none of them.
var ErrWhichWorkspace = errors.New("the person belongs to several workspaces")

// GrantAsserted makes a grant of a client to a person whom the identity provider asserts, locked to the workspace called slug or, if slug
// is empty, to the only one of which the person is a member. It has one access token, whose hash is given. It returns [ErrReplayed] for an
// assertion that was used before, [ErrNotFound] for a person without an account, [ErrRemoved], [ErrNotMember] and [ErrWhichWorkspace].
func (s OAuth) GrantAsserted(
	ctx context.Context, c Client, id Identity, a Assertion, slug, scope, resource string, access []byte,
) (out Issued, err error) {
	err = s.tx(ctx, func(tx pgx.Tx) error {
		now := s.now()
		tag, err := tx.Exec(ctx, `INSERT INTO used_assertion (hash, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
			a.ID, a.IssuedAt.Add(AssertionAge+2*AssertionSkew))
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return ErrReplayed
		}
		if err := claimProvisioned(ctx, tx, id, ""); err != nil {
			return err
		}
		var account uuid.UUID
		if err := tx.QueryRow(ctx, `SELECT id FROM account WHERE issuer = $1 AND subject = $2 FOR SHARE`, id.Issuer, id.Subject).
			Scan(&account); err != nil {
			return plain(err)
		}
		if err := refuseRemoved(ctx, tx, account); err != nil {
			return err
		}
		workspace, err := onlyWorkspace(ctx, tx, account, slug)
		if err != nil {
			return err
		}
		out = Issued{Grant: newID(), Scope: scope, Expires: now.Add(TrustLifetime)}
		if err := insertAsserted(ctx, tx, c, account, workspace, out, resource, access, now); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{
			Workspace: workspace, Account: account, ClientID: c.ID, Action: "grant.create", Subject: out.Grant.String(),
			Detail: map[string]any{"client": c.Name, "lock": LockWorkspace, "asserted": true},
		})
	})
	return out, err
}

// onlyWorkspace returns the workspace of an account that slug names, or its only one. The membership cannot end before the transaction
// does.
func onlyWorkspace(ctx context.Context, tx pgx.Tx, account uuid.UUID, slug string) (uuid.UUID, error) {
	rows, _ := tx.Query(ctx, `
		SELECT w.id FROM workspace w WHERE ($2 = '' OR w.slug = $2)
		   AND w.id IN (SELECT workspace_id FROM membership WHERE account_id = $1)
		 ORDER BY w.id LIMIT 2 FOR KEY SHARE`, account, slug)
	found, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	switch {
	case err != nil:
		return uuid.Nil, err
	case len(found) == 0:
		return uuid.Nil, ErrNotMember
	case len(found) > 1:
		return uuid.Nil, ErrWhichWorkspace
	}
	err = tx.QueryRow(ctx, `SELECT workspace_id FROM membership WHERE workspace_id = $1 AND account_id = $2 FOR SHARE`, found[0], account).
		Scan(&found[0])
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrNotMember
	}
	return found[0], err
}

func insertAsserted(
	ctx context.Context, tx pgx.Tx, c Client, account, workspace uuid.UUID, out Issued, resource string, access []byte, now time.Time,
) error {
	ends := out.Expires.Add(time.Second) // a token ends before its grant's session
	if _, err := tx.Exec(ctx, `
		INSERT INTO oauth_grant (id, client_id, account_id, lock, workspace_id, scope, resource, created_at, expires_at, ends_at)
		VALUES ($1, $2, $3, 'workspace', $4, $5, $6, $7, $8, $8)`,
		out.Grant, c.ID, account, workspace, out.Scope, resource, now, ends); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `
		INSERT INTO oauth_token (hash, grant_id, kind, created_at, expires_at) VALUES ($1, $2, 'access', $3, $4)`,
		access, out.Grant, now, out.Expires); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE oauth_client SET authorized_at = $2 WHERE id = $1 AND authorized_at IS NULL`, c.ID, now)
	return err
}

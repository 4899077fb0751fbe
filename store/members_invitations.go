package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// invitationLife is how long the link of an invitation works.
const invitationLife = 7 * 24 * time.Hour

// ErrMember is returned to an account that is already a member.
var ErrMember = errors.New("a member already")

// LinkInvitation stores the hash of the token of a link for the waiting membership of email. The link replaces an earlier one. Such links
// are for people whose identity provider does not verify addresses, and people who sign in with another address.
func (s Members) LinkInvitation(ctx context.Context, m Member, email string, tokenHash []byte) error {
	email = strings.ToLower(strings.TrimSpace(email))
	return s.tx(ctx, func(tx pgx.Tx) error {
		if err := mayChange(ctx, tx, m.workspace, m.account); err != nil {
			return err
		}
		var role string
		if err := tx.QueryRow(ctx, `
			UPDATE invitation SET token_hash = $3, created_at = $4 WHERE workspace_id = $1 AND email = $2 RETURNING role`,
			m.workspace, email, tokenHash, s.now()).Scan(&role); err != nil {
			return plain(err)
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "member.link", Subject: email,
			Detail: map[string]any{"role": role},
		})
	})
}

// An Invitation is the waiting membership of an invitation's link.
type Invitation struct {
	Workspace string // slug
	Name      string // of the workspace
	Role      string
	Email     string // of the invited person
	By        string // who invited; empty for the operator, and for an account that was deleted
}

// Invitation returns the invitation whose link has the token with this hash.
func (s Members) Invitation(ctx context.Context, tokenHash []byte) (Invitation, error) {
	rows, _ := s.pool.Query(ctx, `
		SELECT w.slug, w.name, i.role, i.email, CASE WHEN a.id IS NULL THEN '' ELSE `+calledSQL+` END
		  FROM invitation i JOIN workspace w ON w.id = i.workspace_id LEFT JOIN account a ON a.id = i.created_by
		 WHERE i.token_hash = $1 AND i.created_at > $2`, tokenHash, s.now().Add(-invitationLife))
	in, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Invitation])
	return in, plain(err)
}

// AcceptInvitation makes account a member and uses up the invitation's link. For a member it
// returns [ErrMember] and leaves the link valid.
func (s Members) AcceptInvitation(ctx context.Context, account uuid.UUID, tokenHash []byte) (Invitation, error) {
	in, err := s.Invitation(ctx, tokenHash)
	if err != nil {
		return in, err
	}
	err = s.tx(ctx, func(tx pgx.Tx) error {
		var workspace uuid.UUID
		if err := tx.QueryRow(ctx, `
				DELETE FROM invitation WHERE token_hash = $1 RETURNING workspace_id`, tokenHash).Scan(&workspace); err != nil {
			return plain(err)
		}
		tag, err := tx.Exec(ctx, `
			INSERT INTO membership (account_id, workspace_id, role) VALUES ($1, $2, $3) ON CONFLICT (account_id, workspace_id) DO NOTHING`,
			account, workspace, in.Role)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return ErrMember
		}
		return s.audit(ctx, tx, Event{
			Workspace: workspace, Account: account, Action: "member.join", Subject: in.Email, Detail: map[string]any{"role": in.Role},
		})
	})
	return in, err
}

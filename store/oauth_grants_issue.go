package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Lifetimes of a grant. Each refresh extends its session, but not beyond the absolute limit.
const (
	GrantIdle     = 30 * 24 * time.Hour
	GrantAbsolute = 180 * 24 * time.Hour
)

// Why a grant was revoked, in the detail of its event. With any other reason, the service revoked it automatically.
const (
	AskedFor      = "asked for"
	LeftWorkspace = "left the workspace"
)

// ApproveRequest turns the stored request under hash into a grant of account, locked to the
// workspace called slug or, if slug is empty, to none. It stores the hash of the code that the
// client will exchange.
//
// It is one transaction, so that after a failure the request is still open. After a success it may be called again in the same way for
// [CodeLifetime], until a code is exchanged: after a double click the browser follows only the second answer, so the grant gets another
// code. It returns [ErrNotFound] when the request has expired, or was decided otherwise or earlier, and [ErrNotMember] when account is not
// a member of the workspace.
func (s OAuth) ApproveRequest(ctx context.Context, hash []byte, account uuid.UUID, slug string, code []byte) (Request, error) {
	var r answerable
	err := s.tx(ctx, func(tx pgx.Tx) (err error) {
		if r, err = s.request(ctx, tx, hash, "FOR UPDATE OF r"); err != nil {
			return err
		}
		if r.decided {
			return s.anotherCode(ctx, tx, r, account, slug, code)
		}
		lock, workspace := LockNone, uuid.Nil
		if slug != "" {
			lock = LockWorkspace
			// The removal of a member locks the workspace too. It waits for this transaction,
			// and then revokes the grant.
			err := tx.QueryRow(ctx, `SELECT id FROM workspace WHERE slug = $1 FOR KEY SHARE`, slug).Scan(&workspace)
			if err == nil {
				err = tx.QueryRow(ctx, `
					SELECT workspace_id FROM membership WHERE workspace_id = $1 AND account_id = $2 FOR SHARE`,
					workspace, account).Scan(&workspace)
			}
			if errors.Is(err, pgx.ErrNoRows) {
				return ErrNotMember
			}
			if err != nil {
				return err
			}
		}
		now, id := s.now(), newID()
		if _, err := tx.Exec(ctx, `
			INSERT INTO oauth_grant (id, client_id, account_id, lock, workspace_id, scope, resource, created_at, expires_at, ends_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
			id, r.ClientID, account, lock, optional(workspace), r.Scope, r.Resource, now, now.Add(GrantIdle), now.Add(GrantAbsolute)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			INSERT INTO oauth_token (hash, grant_id, kind, challenge, redirect_uri, created_at, expires_at)
			VALUES ($1, $2, 'code', $3, $4, $5, $6)`,
			code, id, r.Challenge, r.RedirectURI, now, now.Add(CodeLifetime)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
				UPDATE oauth_client SET authorized_at = $2 WHERE id = $1 AND authorized_at IS NULL`, r.ClientID, now); err != nil {
			return err
		}
		if err := s.audit(ctx, tx, Event{
			Workspace: workspace, Account: account, Action: "grant.create", Subject: id.String(),
			Detail: map[string]any{"client": r.ClientName, "lock": lock},
		}); err != nil {
			return err
		}
		return s.consume(ctx, tx, hash, id)
	})
	return r.Request, err
}

// anotherCode stores another code for the grant of an approved request, which expires with the
// first. Only one of a grant's codes can be exchanged.
func (s *core) anotherCode(ctx context.Context, tx pgx.Tx, r answerable, account uuid.UUID, slug string, code []byte) error {
	// The lock waits for an exchange under way, which the next statement then sees.
	if _, err := tx.Exec(ctx, `SELECT FROM oauth_grant WHERE id = $1 FOR UPDATE`, r.grant); err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, `
		INSERT INTO oauth_token (hash, grant_id, kind, challenge, redirect_uri, created_at, expires_at)
		SELECT $1, g.id, 'code', $2, $3, $4, g.created_at + $5::interval
		  FROM oauth_grant g LEFT JOIN workspace w ON w.id = g.workspace_id
		 WHERE g.id = $6 AND g.account_id = $7 AND coalesce(w.slug, '') = $8 AND g.revoked_at IS NULL
		   AND NOT EXISTS (SELECT FROM oauth_token t WHERE t.grant_id = g.id AND t.used_at IS NOT NULL)`,
		code, r.Challenge, r.RedirectURI, s.now(), CodeLifetime, r.grant, account, slug)
	if err == nil && tag.RowsAffected() != 1 {
		return ErrNotFound
	}
	return err
}

// A GrantInfo is a live grant as a person or the operator sees it.
type GrantInfo struct {
	ID         uuid.UUID
	Account    uuid.UUID
	Email      string
	ClientID   string
	ClientName string
	Lock       Lock
	Workspace  string // slug; empty unless Lock is [LockWorkspace]
	CreatedAt  time.Time
	UsedAt     *time.Time // last call, to the minute; nil for none
	ExpiresAt  time.Time  // end of its session unless it is refreshed
}

// ListGrants lists live grants, newest first: those of an account, those locked to a workspace, or those that are both. A zero id matches
// all.
func (s OAuth) ListGrants(ctx context.Context, account, workspace uuid.UUID) ([]GrantInfo, error) {
	rows, _ := s.pool.Query(ctx, `
		SELECT g.id, g.account_id, a.email, g.client_id, c.name, g.lock, coalesce(w.slug, ''), g.created_at, g.used_at, g.expires_at
		  FROM oauth_grant g JOIN account a ON a.id = g.account_id JOIN oauth_client c ON c.id = g.client_id
		  LEFT JOIN workspace w ON w.id = g.workspace_id
		 WHERE g.revoked_at IS NULL AND g.expires_at > $1
		   AND ($2::uuid IS NULL OR g.account_id = $2) AND ($3::uuid IS NULL OR g.workspace_id = $3)
		 ORDER BY g.id DESC`, s.now(), optional(account), optional(workspace))
	return pgx.CollectRows(rows, pgx.RowToStructByPos[GrantInfo])
}

// RevokeGrant ends a grant and all its tokens. actor must be the grant's account, or zero for
// the operator, who may end any. It returns [ErrNotFound] when there is no such live grant.
func (s OAuth) RevokeGrant(ctx context.Context, actor, id uuid.UUID) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		var live bool
		err := tx.QueryRow(ctx, `
			SELECT revoked_at IS NULL FROM oauth_grant WHERE id = $1 AND ($2::uuid IS NULL OR account_id = $2) FOR UPDATE`,
			id, optional(actor)).Scan(&live)
		if err != nil {
			return plain(err)
		}
		if !live {
			return ErrNotFound
		}
		return s.revoke(ctx, tx, actor, id, AskedFor)
	})
}

// revoke ends one grant in tx and writes the reason to the audit log.
func (s *core) revoke(ctx context.Context, tx pgx.Tx, actor, id uuid.UUID, reason string) error {
	var g endedGrant
	var workspace *uuid.UUID
	err := tx.QueryRow(ctx, `
		UPDATE oauth_grant g SET revoked_at = $2 FROM account a, oauth_client c
		 WHERE g.id = $1 AND g.revoked_at IS NULL AND a.id = g.account_id AND c.id = g.client_id
		RETURNING `+endedColumns+`, g.workspace_id`, id, s.now()).Scan(&g.ID, &g.Account, &g.Person, &g.Client, &workspace)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // it has ended already
	}
	if err != nil {
		return err
	}
	if workspace != nil {
		g.Workspace = *workspace
	}
	return s.auditEnded(ctx, tx, actor, g, reason)
}

// An endedGrant is a grant that has just been revoked, with the names that the audit log stores
// because they may be deleted later.
type endedGrant struct {
	ID, Account    uuid.UUID
	Person, Client string
	Workspace      uuid.UUID // zero if it was locked to none
}

// endedColumns are the columns of an endedGrant except its workspace, from a grant g, its
// account a and its client c.
const endedColumns = `g.id, g.account_id, ` + calledSQL + `, c.name`

// auditEnded writes to the audit log that actor ended g. actor is zero for the operator.
func (s *core) auditEnded(ctx context.Context, q querier, actor uuid.UUID, g endedGrant, reason string) error {
	return s.audit(ctx, q, Event{
		Workspace: g.Workspace, Account: actor, Action: "grant.revoke", Subject: g.ID.String(),
		Detail: map[string]any{"reason": reason, "of": g.Account, "person": g.Person, "self": actor == g.Account, "client": g.Client},
	})
}

// revokeWorkspaceGrants ends, for actor, the grants of account that are locked to workspace, and its sessions on the workspace's host. A
// zero actor is the operator, a zero account matches all accounts. q is the transaction that ends the membership or deletes the workspace.
func (s *core) revokeWorkspaceGrants(ctx context.Context, q querier, actor, workspace, account uuid.UUID) error {
	rows, _ := q.Query(ctx, `
		UPDATE oauth_grant g SET revoked_at = $3 FROM account a, oauth_client c
		 WHERE g.workspace_id = $1 AND ($2::uuid IS NULL OR g.account_id = $2) AND g.revoked_at IS NULL
		   AND a.id = g.account_id AND c.id = g.client_id
		RETURNING `+endedColumns+`, g.workspace_id`, workspace, optional(account), s.now())
	grants, err := pgx.CollectRows(rows, pgx.RowToStructByPos[endedGrant])
	if err != nil {
		return err
	}
	for _, g := range grants {
		if err := s.auditEnded(ctx, q, actor, g, LeftWorkspace); err != nil {
			return err
		}
	}
	for _, table := range []string{"host_session", "host_ticket"} {
		if _, err := q.Exec(ctx, `
			DELETE FROM `+table+` h USING web_session b, workspace w
			 WHERE b.hash = h.session_hash AND w.id = $1 AND split_part(h.host, '.', 1) = w.slug
			   AND ($2::uuid IS NULL OR b.account_id = $2)`, workspace, optional(account)); err != nil {
			return err
		}
	}
	return nil
}

package store

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/message"
)

// The roles of a member.
const (
	RoleOwner  = "owner"
	RoleMember = "member"
)

// A Member is proof that an account belongs to a workspace. Only a membership
// check makes one ([Store.Member], [Store.HostVisit], [Store.Verify],
// [Store.CreateWorkspace]).
type Member struct {
	account, workspace     uuid.UUID
	slug, name, role, plan string
}

// Account is the member's account id.
func (m Member) Account() uuid.UUID { return m.account }

// WorkspaceID is the id of the workspace.
func (m Member) WorkspaceID() uuid.UUID { return m.workspace }

// Workspace is the slug of the workspace.
func (m Member) Workspace() string { return m.slug }

// WorkspaceName is what people call the workspace.
func (m Member) WorkspaceName() string { return m.name }

// Role is owner or member.
func (m Member) Role() string { return m.role }

// Plan is free or paid.
func (m Member) Plan() string { return m.plan }

// Member checks that account belongs to the workspace called slug. It returns
// [ErrNotFound] when there is no such workspace and [ErrNotMember] otherwise.
func (s *Store) Member(ctx context.Context, account uuid.UUID, slug string) (Member, error) {
	m := Member{account: account, slug: slug}
	var role *string
	err := s.pool.QueryRow(ctx, `
		SELECT w.id, w.name, w.plan, m.role
		  FROM workspace w
		  LEFT JOIN membership m ON m.workspace_id = w.id AND m.account_id = $1
		 WHERE w.slug = $2`, account, slug).Scan(&m.workspace, &m.name, &m.plan, &role)
	switch {
	case err != nil:
		return Member{}, plain(err)
	case role == nil:
		return Member{}, ErrNotMember
	}
	m.role = *role
	return m, nil
}

// Memberships lists the workspaces of account, by name.
func (s *Store) Memberships(ctx context.Context, account uuid.UUID) ([]Member, error) {
	rows, _ := s.pool.Query(ctx, `
		SELECT w.id, w.slug, w.name, m.role, w.plan
		  FROM membership m JOIN workspace w ON w.id = m.workspace_id
		 WHERE m.account_id = $1 ORDER BY w.name, w.slug`, account)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Member, error) {
		m := Member{account: account}
		return m, row.Scan(&m.workspace, &m.slug, &m.name, &m.role, &m.plan)
	})
}

// A Person is a member of a workspace, or somebody invited to it, as the
// members of the workspace see them.
type Person struct {
	Account uuid.UUID // zero: invited, and not signed in yet
	Email   string
	Name    string
	Role    string
	Since   time.Time
}

// People lists the members of m's workspace and those invited to it.
func (s *Store) People(ctx context.Context, m Member) ([]Person, error) {
	rows, _ := s.pool.Query(ctx, `
		SELECT a.id, a.email, a.name, p.role, p.created_at
		  FROM membership p JOIN account a ON a.id = p.account_id WHERE p.workspace_id = $1
		 UNION ALL
		SELECT '00000000-0000-0000-0000-000000000000', i.email, '', i.role, i.created_at
		  FROM invitation i WHERE i.workspace_id = $1
		 ORDER BY 2`, m.workspace)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Person])
}

// AddMember makes the person with email a member of the workspace called slug,
// or changes their role, or lets the membership wait for their first verified
// sign-in: it reports whether it waits. actor is an owner, or zero for the
// operator. The last owner stays one.
func (s *Store) AddMember(ctx context.Context, actor uuid.UUID, slug, email, role string) (waits bool, err error) {
	email = strings.ToLower(strings.TrimSpace(email))
	if at := strings.IndexByte(email, '@'); at < 1 || at == len(email)-1 {
		return false, message.Refuse(`email "%s" is not an e-mail address`, email)
	}
	if role != RoleOwner && role != RoleMember {
		return false, message.Refuse(`role "%s" must be owner or member`, role)
	}
	err = s.tx(ctx, func(tx pgx.Tx) error {
		waits = false
		var workspace uuid.UUID
		if err := tx.QueryRow(ctx, `SELECT id FROM workspace WHERE slug = $1 FOR UPDATE`, slug).Scan(&workspace); err != nil {
			return plain(err)
		}
		if err := mayChange(ctx, tx, workspace, actor, ""); err != nil {
			return err
		}
		before, err := owners(ctx, tx, workspace)
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `
			INSERT INTO membership (account_id, workspace_id, role)
			SELECT id, $2, $3 FROM account WHERE email = $1
			ON CONFLICT (account_id, workspace_id) DO UPDATE SET role = excluded.role`, email, workspace, role)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			waits = true
			if _, err := tx.Exec(ctx, `
				INSERT INTO invitation (workspace_id, email, role, created_by, created_at) VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT (workspace_id, email) DO UPDATE SET role = excluded.role`,
				workspace, email, role, optional(actor), s.now()); err != nil {
				return err
			}
		} else if err := keepOwner(ctx, tx, workspace, before, slug, email); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{
			Workspace: workspace, Account: actor, Action: "member.add", Subject: email,
			Detail: map[string]any{"role": role, "waits": waits},
		})
	})
	return waits, err
}

// RemoveMember ends the membership, or the waiting one, of the person with
// email in the workspace called slug, and with it at once their grants locked
// to it, their sessions on its host and the refreshes they asked for. actor is
// an owner, that person, or zero for the operator. The last owner stays.
func (s *Store) RemoveMember(ctx context.Context, actor uuid.UUID, slug, email string) error {
	email = strings.ToLower(strings.TrimSpace(email))
	return s.tx(ctx, func(tx pgx.Tx) error {
		var workspace uuid.UUID
		if err := tx.QueryRow(ctx, `SELECT id FROM workspace WHERE slug = $1 FOR UPDATE`, slug).Scan(&workspace); err != nil {
			return plain(err)
		}
		if err := mayChange(ctx, tx, workspace, actor, email); err != nil {
			return err
		}
		before, err := owners(ctx, tx, workspace)
		if err != nil {
			return err
		}
		invited, err := tx.Exec(ctx, `DELETE FROM invitation WHERE workspace_id = $1 AND email = $2`, workspace, email)
		if err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, `
			DELETE FROM membership p USING account a
			 WHERE p.workspace_id = $1 AND a.id = p.account_id AND a.email = $2
			RETURNING a.id`, workspace, email)
		gone, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		if err != nil {
			return err
		}
		if len(gone) == 0 && invited.RowsAffected() == 0 {
			return ErrNotFound
		}
		for _, account := range gone {
			if err := s.endAccess(ctx, tx, workspace, account); err != nil {
				return err
			}
		}
		if err := keepOwner(ctx, tx, workspace, before, slug, email); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{Workspace: workspace, Account: actor, Action: "member.remove", Subject: email})
	})
}

// mayChange refuses a change of the members of a workspace by actor, unless that
// is the operator (zero), an owner, or the person with the e-mail self.
func mayChange(ctx context.Context, tx pgx.Tx, workspace, actor uuid.UUID, self string) error {
	if actor == uuid.Nil {
		return nil
	}
	var allowed bool
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM membership m JOIN account a ON a.id = m.account_id
		                WHERE m.workspace_id = $1 AND m.account_id = $2 AND (m.role = 'owner' OR a.email = $3))`,
		workspace, actor, self).Scan(&allowed)
	if err == nil && !allowed {
		err = message.Refuse("Only an owner of the workspace can change its members.")
	}
	return err
}

// owners counts the owners of a workspace who have signed in.
func owners(ctx context.Context, tx pgx.Tx, workspace uuid.UUID) (n int, err error) {
	err = tx.QueryRow(ctx, `SELECT count(*) FROM membership WHERE workspace_id = $1 AND role = 'owner'`, workspace).Scan(&n)
	return n, err
}

// keepOwner refuses a change that took the last of the owners that there were
// before it. A workspace whose first owner has yet to sign in has none to lose.
func keepOwner(ctx context.Context, tx pgx.Tx, workspace uuid.UUID, before int, slug, email string) error {
	after, err := owners(ctx, tx, workspace)
	if err == nil && after == 0 && before > 0 {
		err = message.Refuse(`%s is the last owner of workspace "%s". Make somebody else an owner first.`, email, slug)
	}
	return err
}

// endAccess ends what an account could still do in a workspace it has left
// (decisions, "Ends of access").
func (s *Store) endAccess(ctx context.Context, tx pgx.Tx, workspace, account uuid.UUID) error {
	if err := s.revokeWorkspaceGrants(ctx, tx, workspace, account); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `
		UPDATE refresh_run r SET state = 'cancelled', finished_at = $3, error = 'The owner of its connection is no longer a member.'
		  FROM version v JOIN connection c ON c.id = v.connection_id
		 WHERE r.workspace_id = $1 AND r.state = 'queued' AND v.workspace_id = r.workspace_id AND v.id = r.version_id AND c.owner_id = $2`,
		workspace, account, s.now())
	return err
}

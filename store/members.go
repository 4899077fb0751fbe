package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/message"
	"service/store/warehouse"
)

// The roles of a member. A role counts as it is at the moment of a request.
const (
	RoleOwner  = "owner"  // manages members and everything in the workspace
	RoleEditor = "editor" // publishes; deletes and renames dashboards that they published first
	RoleViewer = "viewer" // opens dashboards and changes nothing
)

// formerEditor is the name that editors had up to release 0.6.0. Forms and commands still take it.
const formerEditor = "member"

// A Member proves that an account is a member of a workspace. Only a membership check makes one ([Members.Member], [Sessions.HostVisit],
// [OAuth.Verify], [Workspaces.CreateWorkspace]).
type Member struct {
	account, workspace     uuid.UUID
	slug, name, role, plan string
	client                 string // id of the client that acts for the account; empty: the account itself does
	attributes             string // as the database writes them, such as {"region": ["EMEA"]}; empty for none
	channel                string // slug of the channel for which the member reads; empty: they read themselves
	cap                    string // the most that role may be, by a trust; empty: no limit
}

// Through returns m as the client of a grant acts for them, which the audit log then records. [OAuth.Verify] already returns such a member.
func (m Member) Through(g Grant) Member {
	m.client = g.ClientID
	return m
}

// capRole lowers the role to the cap.
func (m *Member) capRole() {
	rank := []string{RoleViewer, RoleEditor, RoleOwner}
	if m.cap != "" && slices.Index(rank, m.cap) < slices.Index(rank, m.role) {
		m.role = m.cap
	}
}

// Account is the member's account id.
func (m Member) Account() uuid.UUID { return m.account }

// tenant is the tenant to whom the member's requests count.
func (m Member) tenant() warehouse.Tenant {
	return warehouse.Tenant{Account: m.account, Workspace: m.workspace}
}

// WorkspaceID is the id of the workspace.
func (m Member) WorkspaceID() uuid.UUID { return m.workspace }

// Workspace is the slug of the workspace.
func (m Member) Workspace() string { return m.slug }

// WorkspaceName is the name of the workspace, for people.
func (m Member) WorkspaceName() string { return m.name }

// Role is owner, editor or viewer.
func (m Member) Role() string { return m.role }

// Edits reports whether the member may publish, and see SQL, data sources and the audit log: owners and editors may.
func (m Member) Edits() bool { return m.role == RoleOwner || m.role == RoleEditor }

// Plan is free or paid.
func (m Member) Plan() string { return m.plan }

// Member checks that account belongs to the workspace called slug. It returns
// [ErrNotFound] when there is no such workspace and [ErrNotMember] otherwise.
func (s Members) Member(ctx context.Context, account uuid.UUID, slug string) (Member, error) {
	m := Member{account: account, slug: slug}
	var role *string
	err := s.pool.QueryRow(ctx, `
		SELECT w.id, w.name, w.plan, m.role, coalesce((m.provided || m.attributes)::text, '')
		  FROM workspace w
		  LEFT JOIN membership m ON m.workspace_id = w.id AND m.account_id = $1
		 WHERE w.slug = $2`, account, slug).Scan(&m.workspace, &m.name, &m.plan, &role, (*attributes)(&m.attributes))
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
func (s Members) Memberships(ctx context.Context, account uuid.UUID) ([]Member, error) {
	ctx, cancel := context.WithTimeout(ctx, gateWithin)
	defer cancel()
	rows, _ := s.gate.Query(ctx, `
		SELECT w.id, w.slug, w.name, m.role, w.plan, (m.provided || m.attributes)::text
		  FROM membership m JOIN workspace w ON w.id = m.workspace_id
		 WHERE m.account_id = $1 ORDER BY w.name, w.slug`, account)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Member, error) {
		m := Member{account: account}
		return m, row.Scan(&m.workspace, &m.slug, &m.name, &m.role, &m.plan, (*attributes)(&m.attributes))
	})
}

// A Person is a member of a workspace, or somebody invited to it, as the
// members of the workspace see them.
type Person struct {
	Account     uuid.UUID // zero for an invited person who has not signed in yet
	Email       string    // empty if the identity provider never verified one
	Name        string
	Called      string // e-mail, or name, to show to members
	Role        string
	Since       time.Time
	Grants      int // clients that they allowed in the workspace
	Connections int // their own in the workspace
	Bound       int // dashboards that stop refreshing without those connections

	Attributes map[string][]string // that row rules compare, as owners set them
	Provided   map[string][]string // the same, as the identity provider sets them; of one name, Attributes count
	ByGroups   bool                // groups of the identity provider made the membership
}

// PeopleOf is [Members.People] for the operator, who identifies workspaces by slug.
func (s Members) PeopleOf(ctx context.Context, slug string) ([]Person, error) {
	var m Member
	if err := s.pool.QueryRow(ctx, `SELECT id FROM workspace WHERE slug = $1`, slug).Scan(&m.workspace); err != nil {
		return nil, plain(err)
	}
	return s.People(ctx, m)
}

// People lists the members of m's workspace and those invited to it.
func (s Members) People(ctx context.Context, m Member) ([]Person, error) {
	rows, _ := s.pool.Query(ctx, `
		SELECT a.id, a.email, a.name, `+calledSQL+`, p.role, p.created_at,
		       (SELECT count(*) FROM oauth_grant g
		         WHERE g.workspace_id = p.workspace_id AND g.account_id = p.account_id AND g.revoked_at IS NULL AND g.expires_at > $2),
		       (SELECT count(*) FROM connection c WHERE c.workspace_id = p.workspace_id AND c.owner_id = p.account_id),
		       (SELECT count(*) FROM dashboard d JOIN version v ON v.workspace_id = d.workspace_id AND v.id = d.version_id
		          JOIN connection c ON c.id = v.connection_id
		         WHERE d.workspace_id = p.workspace_id AND c.workspace_id = p.workspace_id AND c.owner_id = p.account_id),
		       p.attributes, p.provided, p.by_groups
		  FROM membership p JOIN account a ON a.id = p.account_id WHERE p.workspace_id = $1
		 UNION ALL
		SELECT '00000000-0000-0000-0000-000000000000', i.email, '', i.email, i.role, i.created_at, 0, 0, 0, '{}'::jsonb, '{}'::jsonb, false
		  FROM invitation i WHERE i.workspace_id = $1
		 ORDER BY 2, 3, 1`, m.workspace, s.now())
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Person])
}

// AddMember makes the person with email a member of the workspace called slug. If no account has that address, the membership waits for the
// first verified sign-in, and waits is true. actor is an owner, or zero for the operator, for whom it also changes the role of a member.
// The last owner keeps that role.
func (s Members) AddMember(ctx context.Context, actor uuid.UUID, slug, email, role string) (waits bool, err error) {
	err = s.tx(ctx, func(tx pgx.Tx) (err error) {
		waits, err = s.addMember(ctx, tx, actor, slug, email, role)
		return err
	})
	return waits, err
}

// addMember is AddMember within a transaction.
func (s Members) addMember(ctx context.Context, tx pgx.Tx, actor uuid.UUID, slug, email, role string) (waits bool, err error) {
	email = strings.ToLower(strings.TrimSpace(email))
	if at := strings.IndexByte(email, '@'); at < 1 || at == len(email)-1 {
		return false, message.Refuse(`email "%s" is not an e-mail address`, email)
	}
	if err := checkRole(&role); err != nil {
		return false, err
	}
	var workspace uuid.UUID
	if err := tx.QueryRow(ctx, `SELECT id FROM workspace WHERE slug = $1 FOR UPDATE`, slug).Scan(&workspace); err != nil {
		return false, plain(err)
	}
	if err := mayChange(ctx, tx, workspace, actor); err != nil {
		return false, err
	}
	var removed bool
	if err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM account WHERE email = $1 AND removed_at IS NOT NULL)`, email).Scan(&removed); err != nil {
		return false, err
	}
	if removed {
		return false, message.Refuse("The identity provider removed %s. They can be a member once it has them again.", email)
	}
	var member bool
	if err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM membership m JOIN account a ON a.id = m.account_id WHERE m.workspace_id = $1 AND a.email = $2)`,
		workspace, email).Scan(&member); err != nil {
		return false, err
	}
	if member && actor != uuid.Nil { // owners change roles in the list of members
		return false, message.Refuse("%s is already a member. You can change their role in the list.", email)
	}
	var owned bool // false while the workspace's first owner has not signed in yet
	if err := tx.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM membership WHERE workspace_id = $1 AND role = 'owner')`, workspace).Scan(&owned); err != nil {
		return false, err
	}
	tag, err := tx.Exec(ctx, `
		INSERT INTO membership (account_id, workspace_id, role)
		SELECT id, $2, $3 FROM account WHERE email = $1
		ON CONFLICT (account_id, workspace_id) DO UPDATE SET role = excluded.role, by_groups = false`, email, workspace, role)
	if err != nil {
		return false, err
	}
	if _, err := tx.Exec(ctx, `
		DELETE FROM group_exclusion WHERE workspace_id = $1 AND account_id IN (SELECT id FROM account WHERE email = $2)`,
		workspace, email); err != nil {
		return false, err
	}
	if tag.RowsAffected() == 0 {
		waits = true
		if _, err := tx.Exec(ctx, `
			INSERT INTO invitation (workspace_id, email, role, created_by, created_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (workspace_id, email) DO UPDATE SET role = excluded.role`,
			workspace, email, role, optional(actor), s.now()); err != nil {
			return false, err
		}
	} else if owned && role != RoleOwner {
		if err := keepOwner(ctx, tx, workspace, slug, email); err != nil {
			return false, err
		}
	}
	return waits, s.audit(ctx, tx, Event{
		Workspace: workspace, Account: actor, Action: "member.add", Subject: email,
		Detail: map[string]any{"role": role, "waits": waits},
	})
}

// RemoveMember ends the memberships of email in the workspace called slug, and a waiting one. It is for the operator, who identifies people
// by address. [Members.EndMembership] lists what ends with them. The last owner cannot be removed.
func (s Members) RemoveMember(ctx context.Context, slug, email string) error {
	email = strings.ToLower(strings.TrimSpace(email))
	return s.tx(ctx, func(tx pgx.Tx) error {
		var workspace uuid.UUID
		if err := tx.QueryRow(ctx, `SELECT id FROM workspace WHERE slug = $1 FOR UPDATE`, slug).Scan(&workspace); err != nil {
			return plain(err)
		}
		invited, err := tx.Exec(ctx, `DELETE FROM invitation WHERE workspace_id = $1 AND email = $2`, workspace, email)
		if err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, `
			SELECT a.id FROM membership p JOIN account a ON a.id = p.account_id WHERE p.workspace_id = $1 AND a.email = $2`, workspace, email)
		members, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		if err != nil {
			return err
		}
		if len(members) == 0 {
			if invited.RowsAffected() == 0 {
				return ErrNotFound
			}
			return s.audit(ctx, tx, Event{Workspace: workspace, Action: "member.remove", Subject: email})
		}
		for _, account := range members {
			if err := s.endMembership(ctx, tx, workspace, slug, uuid.Nil, account, byHand); err != nil {
				return err
			}
		}
		return nil
	})
}

// EndMembership ends the membership of account in m's workspace, with the account's grants that
// are locked to it, sessions on its host and refreshes through connections in it. m must be an
// owner or the account itself. The last owner cannot be removed.
func (s Members) EndMembership(ctx context.Context, m Member, account uuid.UUID) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		if err := lockWorkspace(ctx, tx, m); err != nil {
			return err
		}
		if account != m.account {
			if err := mayChange(ctx, tx, m.workspace, m.account); err != nil {
				return err
			}
		}
		return s.endMembership(ctx, tx, m.workspace, m.slug, m.account, account, byHand)
	})
}

// Reasons for the end of a membership.
type endReason bool

const (
	byHand   endReason = false // somebody ended it, so groups do not make it again
	byGroups endReason = true  // the person left the group that made it
)

// endMembership ends one membership in tx, which has locked the workspace.
func (s *core) endMembership(
	ctx context.Context, tx pgx.Tx, workspace uuid.UUID, slug string, actor, account uuid.UUID, why endReason,
) error {
	var who, role string
	var grouped bool
	if err := tx.QueryRow(ctx, `
		DELETE FROM membership p USING account a
		 WHERE p.workspace_id = $1 AND p.account_id = $2 AND a.id = p.account_id
		RETURNING `+calledSQL+`, p.role, p.by_groups`, workspace, account).Scan(&who, &role, &grouped); err != nil {
		return plain(err)
	}
	if role == RoleOwner {
		if err := keepOwner(ctx, tx, workspace, slug, who); err != nil {
			return err
		}
	}
	if err := s.endAccess(ctx, tx, actor, workspace, account); err != nil {
		return err
	}
	detail := map[string]any{"self": actor == account}
	if why == byGroups {
		detail["groups"] = true
	} else if grouped {
		if _, err := tx.Exec(ctx, `INSERT INTO group_exclusion (workspace_id, account_id, created_at) VALUES ($1, $2, $3)`,
			workspace, account, s.now()); err != nil {
			return err
		}
	}
	return s.audit(ctx, tx, Event{Workspace: workspace, Account: actor, Action: "member.remove", Subject: who, Detail: detail})
}

// SetRole gives the member with account a role in m's workspace. m is an owner. The last owner
// keeps that role.
func (s Members) SetRole(ctx context.Context, m Member, account uuid.UUID, role string) error {
	if err := checkRole(&role); err != nil {
		return err
	}
	return s.tx(ctx, func(tx pgx.Tx) error {
		if err := lockWorkspace(ctx, tx, m); err != nil {
			return err
		}
		if err := mayChange(ctx, tx, m.workspace, m.account); err != nil {
			return err
		}
		var who string
		var grouped bool
		if err := tx.QueryRow(ctx, `
			UPDATE membership p SET role = $3 FROM account a
			 WHERE p.workspace_id = $1 AND p.account_id = $2 AND a.id = p.account_id
			RETURNING `+calledSQL+`, p.by_groups`, m.workspace, account, role).Scan(&who, &grouped); err != nil {
			return plain(err)
		}
		if grouped {
			return message.Refuse("%s has this role by a group of the identity provider. Change the role of the group, "+
				"or remove and add them by hand.", who)
		}
		if role != RoleOwner {
			if err := keepOwner(ctx, tx, m.workspace, m.slug, who); err != nil {
				return err
			}
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "member.role", Subject: who,
			Detail: map[string]any{"role": role},
		})
	})
}

// WithdrawInvitation deletes the waiting membership of email in m's workspace, and its link. m
// must be an owner. It returns [ErrNotFound] without such a member.
func (s Members) WithdrawInvitation(ctx context.Context, m Member, email string) error {
	email = strings.ToLower(strings.TrimSpace(email))
	return s.tx(ctx, func(tx pgx.Tx) error {
		if err := mayChange(ctx, tx, m.workspace, m.account); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `DELETE FROM invitation WHERE workspace_id = $1 AND email = $2`, m.workspace, email)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return ErrNotFound
		}
		return s.audit(ctx, tx, Event{Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "member.withdraw", Subject: email})
	})
}

// calledSQL is the name to show for an account a: not everybody has a verified address.
const calledSQL = `coalesce(nullif(a.email, ''), nullif(a.name, ''), 'Somebody without an e-mail address')`

// checkRole refuses an unknown role, and replaces the former name of one.
func checkRole(role *string) error {
	switch *role {
	case RoleOwner, RoleEditor, RoleViewer:
		return nil
	case formerEditor:
		*role = RoleEditor
		return nil
	}
	return message.Refuse(`role "%s" must be owner, editor or viewer`, *role)
}

// lockWorkspace serializes changes of a workspace's members, so that each change sees the remaining members.
func lockWorkspace(ctx context.Context, tx pgx.Tx, m Member) error {
	var id uuid.UUID
	return plain(tx.QueryRow(ctx, `SELECT id FROM workspace WHERE id = $1 FOR UPDATE`, m.workspace).Scan(&id))
}

// mayChange refuses a change of a workspace's members unless actor is the operator (zero) or an
// owner.
func mayChange(ctx context.Context, tx pgx.Tx, workspace, actor uuid.UUID) error {
	if actor == uuid.Nil {
		return nil
	}
	allowed, err := isOwner(ctx, tx, workspace, actor)
	if err == nil && !allowed {
		err = message.Refuse("Only an owner of the workspace can change its members.")
	}
	return err
}

// isOwner reports whether an account is an owner of a workspace now.
func isOwner(ctx context.Context, q querier, workspace, account uuid.UUID) (owner bool, err error) {
	err = q.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM membership WHERE workspace_id = $1 AND account_id = $2 AND role = 'owner')`, workspace, account).Scan(&owner)
	return owner, err
}

// keepOwner refuses a change, already made in tx, that leaves a workspace without an owner. who was the last one.
func keepOwner(ctx context.Context, tx pgx.Tx, workspace uuid.UUID, slug, who string) error {
	var left bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM membership WHERE workspace_id = $1 AND role = 'owner')`, workspace).Scan(&left)
	if err == nil && !left {
		err = message.Refuse(`%s is the last owner of workspace "%s". Make somebody else an owner first.`, who, slug)
	}
	return err
}

// endAccess ends, for actor, the access that an account still has to a workspace that it has left
// (decisions, "Ends of access").
func (s *core) endAccess(ctx context.Context, tx pgx.Tx, actor, workspace, account uuid.UUID) error {
	if err := s.revokeWorkspaceGrants(ctx, tx, actor, workspace, account); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `
		UPDATE refresh_run r SET state = 'cancelled', finished_at = $3, error = 'The owner of its connection is no longer a member.'
		  FROM version v JOIN connection c ON c.id = v.connection_id
		 WHERE r.workspace_id = $1 AND r.state = 'queued' AND v.workspace_id = r.workspace_id AND v.id = r.version_id AND c.owner_id = $2`,
		workspace, account, s.now())
	return err
}

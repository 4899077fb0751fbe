package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard"
	"service/store/message"
)

// reservedWorkspaces are host names that the service uses or may use itself.
var reservedWorkspaces = []string{
	"admin", "api", "app", "assets", "auth", "cdn", "docs", "ftp", "help", "idp", "login", "localhost", "mail", "mcp",
	"oauth", "ops", "service", "smtp", "static", "status", "support", "www",
}

// maxOwned is how many workspaces one account may own. It limits only the workspaces that people create
// themselves, not those that the operator creates.
const maxOwned = 20

// A Workspace is a workspace, as the operator sees it.
type Workspace struct {
	Slug, Name, Plan    string
	Members, Dashboards int
	CreatedAt           time.Time
}

// CheckWorkspaceSlug checks the slug of a new workspace. It must be a DNS label of at most 63
// characters, and not reserved. The error is a *message.Refusal.
func CheckWorkspaceSlug(slug string) error {
	label := strings.Trim(slug, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && len(slug) >= 1 && len(slug) <= 63 &&
		slug[0] != '-' && slug[len(slug)-1] != '-'
	switch {
	case !label:
		return message.Refuse(`workspace slug "%s" must be 1 to 63 characters of a-z, 0-9 and -, and neither start nor end with -`, slug)
	case len(slug) > 3 && slug[2:4] == "--": // xn--… is how addresses write other letters; all such labels are reserved (RFC 5891, 4.2.3.1)
		return message.Refuse(`workspace slug "%s" is reserved: names with "--" in the third and fourth place stand for other letters`, slug)
	case slices.Contains(reservedWorkspaces, slug):
		return message.Refuse(`workspace slug "%s" is reserved`, slug)
	}
	return nil
}

// CreateWorkspace creates a workspace with account as its owner. It refuses if account already owns
// [maxOwned].
func (s Workspaces) CreateWorkspace(ctx context.Context, account uuid.UUID, slug, name string) (Member, error) {
	m := Member{account: account, slug: slug, role: RoleOwner}
	err := s.tx(ctx, func(tx pgx.Tx) (err error) {
		// Lock the account, so that workspaces created at the same time are counted.
		var email string
		if err := tx.QueryRow(ctx, `SELECT email FROM account WHERE id = $1 FOR UPDATE`, account).Scan(&email); err != nil {
			return plain(err)
		}
		if err := s.opt.Creators.Refuse(email); err != nil {
			return err
		}
		var owned int
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM membership WHERE account_id = $1 AND role = 'owner'`, account).Scan(&owned); err != nil {
			return err
		}
		if owned >= maxOwned {
			return message.Refuse("You own %d workspaces, and one account can own %d. "+
				"Delete one or make somebody else its owner, then try again.", owned, maxOwned)
		}
		if m.workspace, m.name, m.plan, err = s.insertWorkspace(ctx, tx, account, slug, name); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO membership (account_id, workspace_id, role) VALUES ($1, $2, $3)`, account, m.workspace, m.role)
		return err
	})
	if err != nil {
		return Member{}, err
	}
	return m, nil
}

// CreateWorkspaceFor creates a workspace for the operator. Its owner is the person with email, who need
// not have signed in yet.
func (s Workspaces) CreateWorkspaceFor(ctx context.Context, slug, name, email string) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		if _, _, _, err := s.insertWorkspace(ctx, tx, uuid.Nil, slug, name); err != nil {
			return err
		}
		_, err := Members(s).addMember(ctx, tx, uuid.Nil, slug, email, RoleOwner) // nobody could enter a workspace without an owner
		return err
	})
}

func (s *core) insertWorkspace(ctx context.Context, tx pgx.Tx, actor uuid.UUID, slug, name string) (uuid.UUID, string, string, error) {
	name = strings.TrimSpace(name)
	if err := CheckWorkspaceSlug(slug); err != nil {
		return uuid.Nil, "", "", err
	}
	if err := dashboard.CheckName(name); err != nil {
		return uuid.Nil, "", "", err
	}
	id := newID()
	_, err := tx.Exec(ctx, `INSERT INTO workspace (id, slug, name, plan, created_at) VALUES ($1, $2, $3, $4, $5)`,
		id, slug, name, s.opt.DefaultPlan, s.now())
	if errors.Is(plain(err), ErrTaken) {
		return uuid.Nil, "", "", message.Refuse(`workspace slug "%s" is already taken`, slug)
	}
	if err != nil {
		return uuid.Nil, "", "", err
	}
	return id, name, s.opt.DefaultPlan, s.audit(ctx, tx, Event{Workspace: id, Account: actor, Action: "workspace.create", Subject: slug})
}

// Workspaces lists all workspaces, by slug, for the operator.
func (s Workspaces) Workspaces(ctx context.Context) ([]Workspace, error) {
	rows, _ := s.pool.Query(ctx, `
		SELECT w.slug, w.name, w.plan,
		       (SELECT count(*) FROM membership m WHERE m.workspace_id = w.id),
		       (SELECT count(*) FROM dashboard d WHERE d.workspace_id = w.id), w.created_at
		  FROM workspace w ORDER BY w.slug`)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Workspace])
}

// SetPlan sets the plan of the workspace called slug: free or paid.
func (s Workspaces) SetPlan(ctx context.Context, slug, plan string) error {
	if plan != "free" && plan != "paid" {
		return message.Refuse(`plan "%s" must be free or paid`, plan)
	}
	return s.tx(ctx, func(tx pgx.Tx) error {
		var id uuid.UUID
		if err := tx.QueryRow(ctx, `UPDATE workspace SET plan = $2 WHERE slug = $1 RETURNING id`, slug, plan).Scan(&id); err != nil {
			return plain(err)
		}
		return s.audit(ctx, tx, Event{Workspace: id, Action: "workspace.plan", Subject: slug, Detail: map[string]any{"plan": plan}})
	})
}

// RenameWorkspace changes the name of m's workspace. Its slug stays.
func (s Workspaces) RenameWorkspace(ctx context.Context, m Member, name string) error {
	name = strings.TrimSpace(name)
	if m.role != RoleOwner {
		return message.Refuse("only an owner can rename a workspace")
	}
	if err := dashboard.CheckName(name); err != nil {
		return err
	}
	return s.tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE workspace SET name = $2 WHERE id = $1`, m.workspace, name); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "workspace.rename", Subject: m.slug,
			Detail: map[string]any{"name": name},
		})
	})
}

// DeleteWorkspace deletes m's workspace and everything in it. Grants locked to it end, so that their
// next call is answered 401.
func (s Workspaces) DeleteWorkspace(ctx context.Context, m Member) error {
	if m.role != RoleOwner {
		return message.Refuse("only an owner can delete a workspace")
	}
	return s.tx(ctx, func(tx pgx.Tx) error { return s.deleteWorkspace(ctx, tx, m.workspace, m.slug, m.account) })
}

// deleteWorkspace deletes a workspace in tx. It deletes the sessions on its host explicitly, because no
// foreign key does.
func (s *core) deleteWorkspace(ctx context.Context, tx pgx.Tx, id uuid.UUID, slug string, actor uuid.UUID) error {
	if err := s.revokeWorkspaceGrants(ctx, tx, actor, id, uuid.Nil); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM workspace WHERE id = $1`, id); err != nil {
		return err
	}
	return s.audit(ctx, tx, Event{Account: actor, Action: "workspace.delete", Subject: slug})
}

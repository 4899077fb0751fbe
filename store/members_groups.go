package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/message"
)

// maxGroupName is the longest name of a group, in characters.
const maxGroupName = 300

// A GroupMap makes the members of a group of the identity provider members of a workspace.
type GroupMap struct {
	Workspace string // slug
	Group     string // its name, exactly as the provider writes it
	Role      string
	People    int // members of this group who are members of the workspace by a group
	CreatedAt time.Time
}

// A Provided is the data that the identity provider reports about a person besides their identity.
type Provided struct {
	Groups     []string
	Attributes map[string][]string // that row rules compare
	Refresh    string              // a token by which the provider is asked again; empty for none
}

// MapGroup makes the members of a group members of the workspace called slug, with a role. A member of several groups has the
// highest of their roles. actor is an owner, or zero for the operator.
func (s Members) MapGroup(ctx context.Context, actor uuid.UUID, slug, group, role string) error {
	if err := checkRole(&role); err != nil {
		return err
	}
	if group = strings.TrimSpace(group); group == "" || utf8.RuneCountInString(group) > maxGroupName ||
		strings.ContainsAny(group, "\x00\r\n") {
		return message.Refuse("The name of a group must be one line of 1 to %d characters.", maxGroupName)
	}
	return s.changeGroups(ctx, actor, slug, group, func(tx pgx.Tx, workspace uuid.UUID) error {
		if _, err := tx.Exec(ctx, `
			INSERT INTO group_map (workspace_id, name, role, created_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (workspace_id, name) DO UPDATE SET role = excluded.role`, workspace, group, role, s.now()); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{
			Workspace: workspace, Account: actor, Action: "member.map", Subject: group, Detail: map[string]any{"role": role},
		})
	})
}

// UnmapGroup undoes MapGroup: memberships that no other group gives end, as by [Members.EndMembership]. It returns [ErrNotFound] if the
// group is not mapped.
func (s Members) UnmapGroup(ctx context.Context, actor uuid.UUID, slug, group string) error {
	group = strings.TrimSpace(group)
	return s.changeGroups(ctx, actor, slug, group, func(tx pgx.Tx, workspace uuid.UUID) error {
		tag, err := tx.Exec(ctx, `DELETE FROM group_map WHERE workspace_id = $1 AND name = $2`, workspace, group)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return ErrNotFound
		}
		return s.audit(ctx, tx, Event{Workspace: workspace, Account: actor, Action: "member.unmap", Subject: group})
	})
}

// changeGroups changes the map of one group in a workspace, and then the memberships of everybody in the group.
func (s *core) changeGroups(ctx context.Context, actor uuid.UUID, slug, group string, change func(pgx.Tx, uuid.UUID) error) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `
			SELECT a.id FROM account a WHERE a.id IN (SELECT account_id FROM account_group WHERE name = $1) ORDER BY a.id FOR NO KEY UPDATE`, group)
		people, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		if err != nil {
			return err
		}
		var workspace uuid.UUID
		if err := tx.QueryRow(ctx, `SELECT id FROM workspace WHERE slug = $1 FOR UPDATE`, slug).Scan(&workspace); err != nil {
			return plain(err)
		}
		if err := mayChange(ctx, tx, workspace, actor); err != nil {
			return err
		}
		if err := change(tx, workspace); err != nil {
			return err
		}
		return s.regroup(ctx, tx, people)
	})
}

// GroupMaps lists the mapped groups of the workspace called slug, by name; of all workspaces if slug is empty.
func (s Members) GroupMaps(ctx context.Context, slug string) ([]GroupMap, error) {
	rows, _ := s.pool.Query(ctx, `
		SELECT w.slug, g.name, g.role,
		       (SELECT count(*) FROM account_group i JOIN membership p ON p.account_id = i.account_id
		         WHERE i.name = g.name AND p.workspace_id = g.workspace_id AND p.by_groups), g.created_at
		  FROM group_map g JOIN workspace w ON w.id = g.workspace_id WHERE $1 = '' OR w.slug = $1 ORDER BY w.slug, g.name`, slug)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[GroupMap])
}

// A regrouped is a membership that differs from the role that the person's groups give.
type regrouped struct {
	Account, Workspace uuid.UUID
	Slug, Who          string
	Has, Gets          string // roles; empty for no membership
}

// regroup makes the memberships of people follow their groups. It changes only memberships that groups made, and neither ends nor lowers
// that of the last owner. tx has locked the accounts.
func (s *core) regroup(ctx context.Context, tx pgx.Tx, people []uuid.UUID) error {
	changes, err := regroupings(ctx, tx, people)
	if err != nil || len(changes) == 0 {
		return err
	}
	workspaces := make([]uuid.UUID, len(changes))
	for i, c := range changes {
		workspaces[i] = c.Workspace
	}
	if _, err := tx.Exec(ctx, `SELECT FROM workspace WHERE id = ANY($1) ORDER BY id FOR UPDATE`, workspaces); err != nil {
		return err
	}
	if changes, err = regroupings(ctx, tx, people); err != nil { // read again, now that nobody else can change it
		return err
	}
	for _, c := range changes {
		if slices.Contains(workspaces, c.Workspace) {
			if err := s.regroupOne(ctx, tx, c); err != nil {
				return err
			}
		}
	}
	return nil
}

func regroupings(ctx context.Context, tx pgx.Tx, people []uuid.UUID) ([]regrouped, error) {
	rows, _ := tx.Query(ctx, `
		WITH gets AS (
		       SELECT g.account_id, m.workspace_id,
		              (array_agg(m.role ORDER BY array_position('{owner,editor,viewer}'::text[], m.role)))[1] AS role
		         FROM account_group g JOIN group_map m ON m.name = g.name WHERE g.account_id = ANY($1) GROUP BY 1, 2),
		     has AS (SELECT account_id, workspace_id, role, by_groups FROM membership WHERE account_id = ANY($1))
		SELECT a.id, w.id, w.slug, `+calledSQL+`, coalesce(has.role, ''), coalesce(gets.role, '')
		  FROM gets FULL JOIN has ON has.account_id = gets.account_id AND has.workspace_id = gets.workspace_id
		  JOIN account a ON a.id = coalesce(gets.account_id, has.account_id)
		  JOIN workspace w ON w.id = coalesce(gets.workspace_id, has.workspace_id)
		 WHERE coalesce(has.by_groups, true) AND has.role IS DISTINCT FROM gets.role
		   AND (has.role IS NOT NULL
		        OR NOT EXISTS (SELECT FROM group_exclusion x WHERE x.workspace_id = gets.workspace_id AND x.account_id = gets.account_id))
		 ORDER BY w.id, a.id`, people)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[regrouped])
}

func (s *core) regroupOne(ctx context.Context, tx pgx.Tx, c regrouped) error {
	event := Event{Workspace: c.Workspace, Subject: c.Who, Detail: map[string]any{"role": c.Gets, "groups": true}}
	if c.Has == RoleOwner {
		var another bool
		if err := tx.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM membership WHERE workspace_id = $1 AND role = 'owner' AND account_id <> $2)`,
			c.Workspace, c.Account).Scan(&another); err != nil {
			return err
		}
		if !another {
			s.opt.Log.WarnContext(ctx, "the last owner of a workspace left the group that made them one, and stays", "workspace", c.Slug)
			return nil
		}
	}
	switch {
	case c.Gets == "":
		return s.endMembership(ctx, tx, c.Workspace, c.Slug, uuid.Nil, c.Account, byGroups)
	case c.Has == "":
		if _, err := tx.Exec(ctx, `
			INSERT INTO membership (account_id, workspace_id, role, by_groups, created_at) VALUES ($1, $2, $3, true, $4)`,
			c.Account, c.Workspace, c.Gets, s.now()); err != nil {
			return err
		}
		event.Action, event.Account = "member.join", c.Account
	default:
		if _, err := tx.Exec(ctx, `UPDATE membership SET role = $3 WHERE account_id = $1 AND workspace_id = $2`,
			c.Account, c.Workspace, c.Gets); err != nil {
			return err
		}
		event.Action = "member.role"
	}
	return s.audit(ctx, tx, event)
}

// provide stores what the identity provider reports about the account, and lets its memberships follow. tx has locked the account.
func (s *core) provide(ctx context.Context, tx pgx.Tx, account uuid.UUID, p Provided) error {
	groups := append([]string{}, p.Groups...)
	slices.Sort(groups)
	groups = slices.DeleteFunc(slices.Compact(groups), func(g string) bool {
		return g == "" || utf8.RuneCountInString(g) > maxGroupName || strings.ContainsRune(g, 0) || !utf8.ValidString(g)
	})
	attributes := map[string][]string{}
	for name, values := range p.Attributes {
		values = slices.Compact(slices.Sorted(slices.Values(values)))
		if err := checkAttribute(name, values); err != nil { // skips all of its values: without the attribute the person gets no rows
			s.opt.Log.WarnContext(ctx, "an attribute of the identity provider is not usable", "attribute", name)
			continue
		}
		if len(values) > 0 {
			attributes[name] = values
		}
	}
	provided, err := json.Marshal(attributes)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE account SET groups = $2, provided = $3 WHERE id = $1 AND (groups, provided) IS DISTINCT FROM ($2, $3)`,
		account, groups, string(provided)); err != nil {
		return err
	}
	return s.regroup(ctx, tx, []uuid.UUID{account})
}

package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// A ScimGroup is a group that the identity provider provisions.
type ScimGroup struct {
	ID         uuid.UUID
	Name       string
	ExternalID string
	CreatedAt  time.Time
	UpdatedAt  time.Time
	Members    []uuid.UUID // ids of provisioned people
}

const scimGroupColumns = `g.id, g.display_name, coalesce(g.external_id, ''), g.created_at, g.updated_at,
	coalesce((SELECT array_agg(m.user_id ORDER BY m.user_id) FROM scim_group_member m WHERE m.group_id = g.id), '{}')`

// ScimGroup returns a provisioned group, or [ErrNotFound].
func (s Scim) ScimGroup(ctx context.Context, id uuid.UUID) (ScimGroup, error) {
	rows, _ := s.pool.Query(ctx, `SELECT `+scimGroupColumns+` FROM scim_group g WHERE g.id = $1`, id)
	g, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[ScimGroup])
	return g, plain(err)
}

// ScimGroups lists the provisioned groups, oldest first; only the one with a name unless that is empty.
func (s Scim) ScimGroups(ctx context.Context, name string) ([]ScimGroup, error) {
	rows, _ := s.pool.Query(ctx, `SELECT `+scimGroupColumns+` FROM scim_group g WHERE $1 = '' OR g.display_name = $1 ORDER BY g.id`, name)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[ScimGroup])
}

// PutScimGroup stores a provisioned group; a zero ID makes one. The memberships of everybody whom the change concerns follow in the same
// transaction. It returns [ErrTaken] if another group has the name, and [ErrNotFound] for a group or member that is not there.
func (s Scim) PutScimGroup(ctx context.Context, given ScimGroup) (g ScimGroup, err error) {
	members := slices.Clone(given.Members)
	slices.SortFunc(members, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	given.Members = append([]uuid.UUID{}, slices.Compact(members)...)
	err = s.tx(ctx, func(tx pgx.Tx) error {
		g = given // a transaction may be tried again
		created := g.ID == uuid.Nil
		if created {
			g.ID, g.CreatedAt = newID(), s.now()
		}
		g.UpdatedAt = s.now()
		people, err := scimConcerned(ctx, tx, g.ID, g.Name, g.Members)
		if err != nil {
			return err
		}
		var known int
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM scim_user WHERE id = ANY($1)`, g.Members).Scan(&known); err != nil {
			return err
		}
		if known != len(g.Members) {
			return ErrNotFound
		}
		if created {
			_, err = tx.Exec(ctx, `
				INSERT INTO scim_group (id, display_name, external_id, created_at, updated_at) VALUES ($1, $2, nullif($3, ''), $4, $5)`,
				g.ID, g.Name, g.ExternalID, g.CreatedAt, g.UpdatedAt)
		} else {
			err = plain(tx.QueryRow(ctx, `
				UPDATE scim_group SET display_name = $2, external_id = nullif($3, ''), updated_at = $4 WHERE id = $1 RETURNING id`,
				g.ID, g.Name, g.ExternalID, g.UpdatedAt).Scan(&g.ID))
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM scim_group_member WHERE group_id = $1 AND user_id <> ALL($2)`, g.ID, g.Members); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			INSERT INTO scim_group_member (group_id, user_id) SELECT $1, unnest($2::uuid[]) ON CONFLICT DO NOTHING`, g.ID, g.Members); err != nil {
			return err
		}
		return s.regroup(ctx, tx, people)
	})
	return g, plain(err)
}

// DeleteScimGroup deletes a provisioned group. It returns [ErrNotFound] if no group has the id.
func (s Scim) DeleteScimGroup(ctx context.Context, id uuid.UUID) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		people, err := scimConcerned(ctx, tx, id, "", nil)
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `DELETE FROM scim_group WHERE id = $1`, id)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return ErrNotFound
		}
		return s.regroup(ctx, tx, people)
	})
}

// scimConcerned locks the accounts whose groups a change of one group may change: its members before and after, and people whose claims
// name it by its old or new name.
func scimConcerned(ctx context.Context, tx pgx.Tx, id uuid.UUID, name string, members []uuid.UUID) ([]uuid.UUID, error) {
	rows, _ := tx.Query(ctx, `
		SELECT a.id FROM account a
		 WHERE a.id IN (SELECT u.account_id FROM scim_user u
		                 WHERE u.id = ANY($3) OR u.id IN (SELECT user_id FROM scim_group_member WHERE group_id = $1))
		    OR a.groups && ARRAY[$2, coalesce((SELECT display_name FROM scim_group WHERE id = $1), $2)]
		 ORDER BY a.id FOR NO KEY UPDATE`, id, name, members)
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

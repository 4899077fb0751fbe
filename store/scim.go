package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// ErrRemoved is returned for a person whom the identity provider removed by SCIM.
var ErrRemoved = errors.New("the identity provider removed this person")

// placeholder begins the subject of an account that SCIM made for a person who has not signed in yet.
const placeholder = "scim:"

// A ScimUser is a person whom the identity provider provisions. It has an account from the start.
type ScimUser struct {
	ID         uuid.UUID
	UserName   string
	ExternalID string // the provider's own id; empty for none
	Account    uuid.UUID
	Active     bool
	Body       json.RawMessage // the attributes as they were written
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// A ScimPerson identifies a provisioned person in the service.
type ScimPerson struct {
	Issuer string // the identity provider, at which they sign in
	Email  string // in lower case; empty for none
	Name   string
}

const scimUserColumns = `id, user_name, coalesce(external_id, ''), account_id, active, body, created_at, updated_at`

// ScimUser returns a provisioned person, or [ErrNotFound].
func (s Scim) ScimUser(ctx context.Context, id uuid.UUID) (ScimUser, error) {
	rows, _ := s.pool.Query(ctx, `SELECT `+scimUserColumns+` FROM scim_user WHERE id = $1`, id)
	u, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[ScimUser])
	return u, plain(err)
}

// ScimUsers lists the provisioned people, oldest first; if userName or externalID is not empty, only those with that value.
func (s Scim) ScimUsers(ctx context.Context, userName, externalID string) ([]ScimUser, error) {
	rows, _ := s.pool.Query(ctx, `
		SELECT `+scimUserColumns+` FROM scim_user
		 WHERE ($1 = '' OR lower(user_name) = lower($1)) AND ($2 = '' OR external_id = $2) ORDER BY id`, userName, externalID)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[ScimUser])
}

// PutScimUser stores a provisioned person; a zero ID creates one. An active person can sign in, and is a member of the workspaces of their
// groups; an inactive person is removed: see [Scim.DeleteScimUser]. It returns [ErrTaken] if another person has the user name or the
// external id.
func (s Scim) PutScimUser(ctx context.Context, given ScimUser, p ScimPerson) (u ScimUser, err error) {
	err = s.tx(ctx, func(tx pgx.Tx) error {
		u = given // a transaction may be tried again
		now := s.now()
		created := u.ID == uuid.Nil
		if created {
			u.ID, u.CreatedAt = newID(), now
		}
		u.UpdatedAt = now
		if err := s.scimAccount(ctx, tx, &u, p, created); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			INSERT INTO scim_user (id, user_name, external_id, account_id, active, body, created_at, updated_at)
			VALUES ($1, $2, nullif($3, ''), $4, $5, $6, $7, $8)
			ON CONFLICT (id) DO UPDATE SET user_name = excluded.user_name, external_id = excluded.external_id, active = excluded.active,
			       body = excluded.body, updated_at = excluded.updated_at`,
			u.ID, u.UserName, u.ExternalID, u.Account, u.Active, string(u.Body), u.CreatedAt, u.UpdatedAt); err != nil {
			return err
		}
		if !u.Active {
			return s.removePerson(ctx, tx, u.Account)
		}
		a := Account{ID: u.Account}
		if _, err := tx.Exec(ctx, `
			UPDATE account SET removed_at = NULL, email = coalesce(nullif($2, ''), email), name = coalesce(nullif($3, ''), name)
			 WHERE id = $1`,
			u.Account, p.Email, p.Name); err != nil {
			return err
		}
		if p.Email != "" {
			if err := s.bindInvitations(ctx, tx, a, p.Email); err != nil {
				return err
			}
		}
		return s.regroup(ctx, tx, []uuid.UUID{u.Account})
	})
	return u, plain(err)
}

// scimAccount finds, locks or makes the account of a provisioned person. A person who signed in before keeps their account, if the
// provider's id is their subject, or else if exactly one account that SCIM does not manage has their verified address.
func (s *core) scimAccount(ctx context.Context, tx pgx.Tx, u *ScimUser, p ScimPerson, created bool) error {
	if !created {
		return plain(tx.QueryRow(ctx, `
			SELECT a.id FROM scim_user u JOIN account a ON a.id = u.account_id WHERE u.id = $1 FOR NO KEY UPDATE OF a, u`, u.ID).Scan(&u.Account))
	}
	rows, _ := tx.Query(ctx, `
		SELECT a.id FROM account a
		 WHERE a.issuer = $1 AND (a.subject = $2 AND $2 <> '' OR a.email = $3 AND $3 <> '')
		   AND NOT EXISTS (SELECT FROM scim_user u WHERE u.account_id = a.id)
		 ORDER BY a.subject = $2 DESC LIMIT 2 FOR NO KEY UPDATE`, p.Issuer, u.ExternalID, p.Email)
	found, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return err
	}
	var exact bool
	if len(found) > 0 {
		if err := tx.QueryRow(ctx, `SELECT subject = $2 FROM account WHERE id = $1`, found[0], u.ExternalID).Scan(&exact); err != nil {
			return err
		}
	}
	if exact || len(found) == 1 {
		u.Account = found[0]
		return nil
	}
	u.Account = newID()
	_, err = tx.Exec(ctx, `INSERT INTO account (id, issuer, subject, email, name, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		u.Account, p.Issuer, placeholder+u.ID.String(), p.Email, p.Name, s.now())
	return err
}

// DeleteScimUser removes a person: all their sessions and grants end, and their memberships, except where they are the last owner. They
// cannot sign in until the provider provisions them again. It returns [ErrNotFound] if no person has the id.
func (s Scim) DeleteScimUser(ctx context.Context, id uuid.UUID) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		var account uuid.UUID
		if err := tx.QueryRow(ctx, `
			SELECT a.id FROM scim_user u JOIN account a ON a.id = u.account_id WHERE u.id = $1 FOR NO KEY UPDATE OF a, u`, id).
			Scan(&account); err != nil {
			return plain(err)
		}
		if _, err := tx.Exec(ctx, `DELETE FROM scim_user WHERE id = $1`, id); err != nil {
			return err
		}
		return s.removePerson(ctx, tx, account)
	})
}

// removePerson ends everything that an account can do. tx has locked it.
func (s *core) removePerson(ctx context.Context, tx pgx.Tx, account uuid.UUID) error {
	if _, err := tx.Exec(ctx, `UPDATE account SET removed_at = coalesce(removed_at, $2), groups = '{}', provided = '{}' WHERE id = $1`,
		account, s.now()); err != nil {
		return err
	}
	rows, _ := tx.Query(ctx, `
		SELECT w.id, w.slug FROM workspace w WHERE w.id IN (SELECT workspace_id FROM membership WHERE account_id = $1)
		 ORDER BY w.id FOR UPDATE`, account)
	type workspace struct {
		ID   uuid.UUID
		Slug string
	}
	in, err := pgx.CollectRows(rows, pgx.RowToStructByPos[workspace])
	if err != nil {
		return err
	}
	for _, w := range in {
		var stays bool
		if err := tx.QueryRow(ctx, `
			SELECT NOT EXISTS (SELECT FROM membership WHERE workspace_id = $1 AND role = 'owner' AND account_id <> $2)
			   AND EXISTS (SELECT FROM membership WHERE workspace_id = $1 AND role = 'owner' AND account_id = $2)`, w.ID, account).
			Scan(&stays); err != nil {
			return err
		}
		if stays {
			s.opt.Log.WarnContext(ctx, "the identity provider removed the last owner of a workspace: "+
				"service admin member add makes another one", "workspace", w.Slug)
			continue
		}
		if err := s.endMembership(ctx, tx, w.ID, w.Slug, uuid.Nil, account, byGroups); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, `
		WITH ended AS (DELETE FROM trust WHERE account_id = $1 RETURNING client_id)
		DELETE FROM oauth_client c USING ended WHERE c.id = ended.client_id`, account); err != nil {
		return err
	}
	rows, _ = tx.Query(ctx, `SELECT id FROM oauth_grant WHERE account_id = $1 AND revoked_at IS NULL ORDER BY id FOR UPDATE`, account)
	grants, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return err
	}
	for _, id := range grants {
		if err := s.revoke(ctx, tx, uuid.Nil, id, "the identity provider removed the person"); err != nil {
			return err
		}
	}
	for _, table := range []string{"web_session", "subscription", "channel_member"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE account_id = $1`, account); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, `DELETE FROM provider_token WHERE id = $1`, account)
	return err
}

// claimProvisioned gives a person who signs in for the first time the account that SCIM made for them: by the provider's id, or else by
// their verified address, if exactly one account has it.
func claimProvisioned(ctx context.Context, tx pgx.Tx, id Identity, email string) error {
	for _, by := range []struct{ condition, value string }{{"u.external_id = $3", id.External}, {"a.email = $3", email}} {
		if by.value == "" {
			continue
		}
		tag, err := tx.Exec(ctx, `
			UPDATE account SET subject = $2
			 WHERE (SELECT count(*) FROM account a JOIN scim_user u ON u.account_id = a.id WHERE `+by.condition+`) = 1
			   AND id = (SELECT a.id FROM account a JOIN scim_user u ON u.account_id = a.id
			              WHERE a.issuer = $1 AND a.subject = '`+placeholder+`' || u.id AND `+by.condition+` LIMIT 1)
			   AND NOT EXISTS (SELECT FROM account o WHERE o.issuer = $1 AND o.subject = $2)`, id.Issuer, id.Subject, by.value)
		if err != nil || tag.RowsAffected() > 0 {
			return err
		}
	}
	return nil
}

// refuseRemoved returns [ErrRemoved] for an account whose person the provider removed.
func refuseRemoved(ctx context.Context, tx pgx.Tx, account uuid.UUID) error {
	var removed bool
	if err := tx.QueryRow(ctx, `SELECT removed_at IS NOT NULL FROM account WHERE id = $1`, account).Scan(&removed); err != nil {
		return err
	}
	if removed {
		return ErrRemoved
	}
	return nil
}

package store

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/message"
)

// An Account is a person, as the identity provider knows them. The pair of
// issuer and subject is the key; an e-mail address never is.
type Account struct {
	ID        uuid.UUID
	Issuer    string
	Subject   string
	Email     string // the last one the provider verified, lower case; empty when it never did
	Name      string
	Timezone  string // IANA name
	Theme     string // auto, light or dark
	CreatedAt time.Time
}

// An Identity is what the identity provider says of somebody who signs in.
type Identity struct {
	Issuer, Subject string
	Email           string
	Verified        bool // the provider vouches for Email; else it is not kept
	Name            string
}

const accountColumns = `id, issuer, subject, email, name, timezone, theme, created_at`

// EnsureAccount returns the account of an identity, which is made when there
// is none, and with a verified e-mail address makes it a member wherever that
// address was waited for.
func (s *Store) EnsureAccount(ctx context.Context, id Identity) (Account, error) {
	var a Account
	err := s.tx(ctx, func(tx pgx.Tx) (err error) {
		a, err = s.identify(ctx, tx, id)
		return err
	})
	return a, err
}

// identify makes or updates the account of an identity in tx. An address that
// is not verified opens nothing, so it is neither kept nor looked up; one that was
// verified earlier stays, as the name by which members find the person.
func (s *Store) identify(ctx context.Context, tx pgx.Tx, id Identity) (Account, error) {
	email := strings.ToLower(strings.TrimSpace(id.Email))
	if !id.Verified {
		email = ""
	}
	rows, _ := tx.Query(ctx, `
		INSERT INTO account AS a (id, issuer, subject, email, name, created_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (issuer, subject) DO UPDATE
		   SET email = coalesce(nullif(excluded.email, ''), a.email), name = coalesce(nullif(excluded.name, ''), a.name)
		RETURNING `+accountColumns, newID(), id.Issuer, id.Subject, email, strings.TrimSpace(id.Name), s.now())
	a, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Account])
	if err != nil || email == "" {
		return a, err
	}
	// Workspaces are locked before what is in them, as everywhere.
	if _, err := tx.Exec(ctx, `
		SELECT FROM workspace WHERE id IN (SELECT workspace_id FROM invitation WHERE email = $1) ORDER BY id FOR KEY SHARE`, email); err != nil {
		return a, err
	}
	rows, _ = tx.Query(ctx, `
		WITH bound AS (DELETE FROM invitation WHERE email = $1 RETURNING workspace_id, role)
		INSERT INTO membership (account_id, workspace_id, role, created_at)
		SELECT $2, workspace_id, role, $3 FROM bound
		ON CONFLICT (account_id, workspace_id) DO NOTHING
		RETURNING workspace_id`, email, a.ID, s.now())
	joined, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return a, err
	}
	for _, workspace := range joined {
		if err := s.audit(ctx, tx, Event{Workspace: workspace, Account: a.ID, Action: "member.join", Subject: email}); err != nil {
			return a, err
		}
	}
	return a, nil
}

// Account returns the account with an id, or [ErrNotFound].
func (s *Store) Account(ctx context.Context, id uuid.UUID) (Account, error) {
	return s.account(ctx, `SELECT `+accountColumns+` FROM account WHERE id = $1`, id)
}

// AccountByEmail returns the newest account whose verified address is email, or
// [ErrNotFound].
func (s *Store) AccountByEmail(ctx context.Context, email string) (Account, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	if email == "" {
		return Account{}, ErrNotFound
	}
	return s.account(ctx, `SELECT `+accountColumns+` FROM account WHERE email = $1 ORDER BY id DESC LIMIT 1`, email)
}

func (s *Store) account(ctx context.Context, sql string, arg any) (Account, error) {
	rows, _ := s.pool.Query(ctx, sql, arg)
	a, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Account])
	return a, plain(err)
}

// ListAccounts lists everybody, oldest first: the operator's view.
func (s *Store) ListAccounts(ctx context.Context) ([]Account, error) {
	rows, _ := s.pool.Query(ctx, `SELECT `+accountColumns+` FROM account ORDER BY id`)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Account])
}

// SetPreferences sets how the web app looks to an account: an IANA time zone
// and a theme (auto, light or dark).
func (s *Store) SetPreferences(ctx context.Context, account uuid.UUID, timezone, theme string) error {
	if _, err := time.LoadLocation(timezone); err != nil || timezone == "" || timezone == "Local" {
		return message.Refuse(`time zone "%s" is not an IANA name such as Europe/Paris`, timezone)
	}
	if theme != "auto" && theme != "light" && theme != "dark" {
		return message.Refuse(`theme "%s" must be auto, light or dark`, theme)
	}
	tag, err := s.pool.Exec(ctx, `UPDATE account SET timezone = $2, theme = $3 WHERE id = $1`, account, timezone, theme)
	if err == nil && tag.RowsAffected() == 0 {
		return ErrNotFound
	}
	return err
}

// DeleteAccount deletes an account with its memberships, grants, sessions and
// connections. It is refused to the last owner of a workspace.
func (s *Store) DeleteAccount(ctx context.Context, account uuid.UUID) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `
			SELECT w.id, w.slug FROM workspace w JOIN membership m ON m.workspace_id = w.id
			 WHERE m.account_id = $1 ORDER BY w.id FOR UPDATE OF w`, account)
		type workspace struct {
			ID   uuid.UUID
			Slug string
		}
		left, err := pgx.CollectRows(rows, pgx.RowToStructByPos[workspace])
		if err != nil {
			return err
		}
		for _, w := range left {
			var owned bool
			if err := tx.QueryRow(ctx, `
				SELECT EXISTS (SELECT FROM membership WHERE workspace_id = $1 AND role = 'owner' AND account_id <> $2)`,
				w.ID, account).Scan(&owned); err != nil {
				return err
			}
			if !owned {
				return message.Refuse(`This account is the last owner of workspace "%s". Make somebody else an owner first, or delete the workspace.`, w.Slug)
			}
			if err := s.endAccess(ctx, tx, w.ID, account); err != nil {
				return err
			}
		}
		var email string
		if err := tx.QueryRow(ctx, `DELETE FROM account WHERE id = $1 RETURNING email`, account).Scan(&email); err != nil {
			return plain(err)
		}
		for _, w := range left {
			if err := s.audit(ctx, tx, Event{Workspace: w.ID, Action: "account.delete", Subject: email}); err != nil {
				return err
			}
		}
		return nil
	})
}

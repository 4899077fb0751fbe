package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/message"
)

// An Account is a person, as the identity provider knows them. Issuer and subject together
// are the key, never the e-mail address.
type Account struct {
	ID        uuid.UUID
	Issuer    string
	Subject   string
	Email     string // the last one that the provider verified, in lower case; empty for none
	Name      string
	Timezone  string // IANA name; "" until the person, or their browser, names one
	Theme     string // auto, light or dark
	Shortcuts bool   // keyboard shortcuts of the web app are on
	CreatedAt time.Time

	renewed bool // see Renewed
}

// Renewed reports whether the request was recorded with the session, which happens at least once an hour and at most twice.
func (a Account) Renewed() bool { return a.renewed }

// An Identity has the facts that the identity provider reports about a person who signs in.
type Identity struct {
	Issuer, Subject string
	Email           string
	Verified        bool // the provider has verified Email; otherwise it is not stored
	Name            string
	External        string // the id of the person in SCIM; empty for none
	Provided        Provided
}

const accountColumns = `id, issuer, subject, email, name, timezone, theme, shortcuts, created_at`

// EnsureAccount returns the account of an identity, and creates a missing one. If the
// e-mail address is verified, it turns waiting memberships of that address into memberships.
func (s Accounts) EnsureAccount(ctx context.Context, id Identity) (Account, error) {
	var a Account
	err := s.tx(ctx, func(tx pgx.Tx) (err error) {
		a, err = s.identify(ctx, tx, id)
		return err
	})
	return a, err
}

// identify creates or updates the account of an identity in tx. An address that is not verified is neither stored nor looked up. An address
// that was verified earlier stays: members recognize the person by it.
func (s *core) identify(ctx context.Context, tx pgx.Tx, id Identity) (Account, error) {
	email := strings.ToLower(strings.TrimSpace(id.Email))
	if !id.Verified {
		email = ""
	}
	if err := claimProvisioned(ctx, tx, id, email); err != nil {
		return Account{}, err
	}
	rows, _ := tx.Query(ctx, `
		INSERT INTO account AS a (id, issuer, subject, email, name, created_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (issuer, subject) DO UPDATE
		   SET email = coalesce(nullif(excluded.email, ''), a.email), name = coalesce(nullif(excluded.name, ''), a.name)
		RETURNING `+accountColumns, newID(), id.Issuer, id.Subject, email, strings.TrimSpace(id.Name), s.now())
	a, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Account])
	if err == nil {
		err = refuseRemoved(ctx, tx, a.ID)
	}
	if err != nil {
		return a, err
	}
	if email != "" {
		if err := s.bindInvitations(ctx, tx, a, email); err != nil {
			return a, err
		}
	}
	if err := s.keepProviderToken(ctx, tx, a.ID, id.Provided.Refresh); err != nil {
		return a, err
	}
	return a, s.provide(ctx, tx, a.ID, id.Provided)
}

// bindInvitations makes the account a member of the workspaces that wait for its verified address.
func (s *core) bindInvitations(ctx context.Context, tx pgx.Tx, a Account, email string) error {
	// Workspaces are locked before their rows, as everywhere: see doc.go.
	if _, err := tx.Exec(ctx, `
		SELECT FROM workspace WHERE id IN (SELECT workspace_id FROM invitation WHERE email = $1) ORDER BY id FOR KEY SHARE`, email); err != nil {
		return err
	}
	rows, _ := tx.Query(ctx, `
		WITH bound AS (DELETE FROM invitation WHERE email = $1 RETURNING workspace_id, role)
		INSERT INTO membership (account_id, workspace_id, role, created_at)
		SELECT $2, workspace_id, role, $3 FROM bound
		ON CONFLICT (account_id, workspace_id) DO NOTHING
		RETURNING workspace_id`, email, a.ID, s.now())
	joined, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return err
	}
	for _, workspace := range joined {
		if err := s.audit(ctx, tx, Event{Workspace: workspace, Account: a.ID, Action: "member.join", Subject: email}); err != nil {
			return err
		}
	}
	return nil
}

// Account returns the account with an id, or [ErrNotFound].
func (s Accounts) Account(ctx context.Context, id uuid.UUID) (Account, error) {
	return s.account(ctx, `SELECT `+accountColumns+` FROM account WHERE id = $1`, id)
}

// AccountByEmail returns the newest account whose verified address is email, or
// [ErrNotFound].
func (s Accounts) AccountByEmail(ctx context.Context, email string) (Account, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	if email == "" {
		return Account{}, ErrNotFound
	}
	return s.account(ctx, `SELECT `+accountColumns+` FROM account WHERE email = $1 ORDER BY id DESC LIMIT 1`, email)
}

func (s *core) account(ctx context.Context, sql string, arg any) (Account, error) {
	rows, _ := s.pool.Query(ctx, sql, arg)
	a, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Account])
	return a, plain(err)
}

// ListAccounts lists all accounts, oldest first, for the operator.
func (s Accounts) ListAccounts(ctx context.Context) ([]Account, error) {
	rows, _ := s.pool.Query(ctx, `SELECT `+accountColumns+` FROM account ORDER BY id`)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Account])
}

// SetTimezone sets the IANA time zone in which the web app writes times for an
// account.
func (s Accounts) SetTimezone(ctx context.Context, account uuid.UUID, zone string) error {
	return s.setTimezone(ctx, `UPDATE account SET timezone = $2 WHERE id = $1`, account, zone)
}

// OfferTimezone is [Accounts.SetTimezone] for an account without a zone. It changes no other.
func (s Accounts) OfferTimezone(ctx context.Context, account uuid.UUID, zone string) error {
	return s.setTimezone(ctx, `UPDATE account SET timezone = coalesce(nullif(timezone, ''), $2) WHERE id = $1`, account, zone)
}

func (s *core) setTimezone(ctx context.Context, sql string, account uuid.UUID, zone string) error {
	if _, err := time.LoadLocation(zone); err != nil || zone == "" || zone == "Local" {
		return message.Refuse(`time zone "%s" is not an IANA name such as Europe/Paris`, zone)
	}
	return s.setPreference(ctx, sql, account, zone)
}

// SetTheme sets how the web app looks to an account: auto, light or dark.
func (s Accounts) SetTheme(ctx context.Context, account uuid.UUID, theme string) error {
	if theme != "auto" && theme != "light" && theme != "dark" {
		return message.Refuse(`theme "%s" must be auto, light or dark`, theme)
	}
	return s.setPreference(ctx, `UPDATE account SET theme = $2 WHERE id = $1`, account, theme)
}

// SetShortcuts switches the web app's keyboard shortcuts on or off for an account. People who
// dictate must be able to switch them off (WCAG 2.2, 2.1.4).
func (s Accounts) SetShortcuts(ctx context.Context, account uuid.UUID, on bool) error {
	return s.setPreference(ctx, `UPDATE account SET shortcuts = $2 WHERE id = $1`, account, on)
}

func (s *core) setPreference(ctx context.Context, sql string, account uuid.UUID, value any) error {
	tag, err := s.pool.Exec(ctx, sql, account, value)
	if err == nil && tag.RowsAffected() == 0 {
		return ErrNotFound
	}
	return err
}

// An AccountEnd lists the things that are deleted with an account.
type AccountEnd struct {
	Memberships, Grants, Sessions int
	Connections                   int             // the account's own, in all workspaces
	Bound                         int             // dashboards in other people's workspaces that stop refreshing without those
	Alone                         []WorkspaceName // workspaces without other members, which are deleted too
	Owned                         []WorkspaceName // workspaces with other members but no other owner, which prevent the deletion
}

// A WorkspaceName is a workspace's slug and name.
type WorkspaceName struct{ Slug, Name string }

// AccountEnd lists the things that [Accounts.DeleteAccount] would delete. It returns [ErrNotFound] if there is no such account.
func (s Accounts) AccountEnd(ctx context.Context, account uuid.UUID) (AccountEnd, error) {
	var e AccountEnd
	err := s.pool.QueryRow(ctx, `
		SELECT (SELECT count(*) FROM membership m WHERE m.account_id = a.id),
		       (SELECT count(*) FROM oauth_grant g WHERE g.account_id = a.id AND g.revoked_at IS NULL AND g.expires_at > $2),
		       (SELECT count(*) FROM web_session b WHERE b.account_id = a.id AND b.expires_at > $2),
		       (SELECT count(*) FROM connection c WHERE c.owner_id = a.id),
		       (SELECT count(*) FROM connection c JOIN version v ON v.workspace_id = c.workspace_id AND v.connection_id = c.id
		          JOIN dashboard d ON d.workspace_id = v.workspace_id AND d.version_id = v.id
		         WHERE c.owner_id = a.id
		           AND EXISTS (SELECT FROM membership o WHERE o.workspace_id = c.workspace_id AND o.account_id <> a.id))
		  FROM account a WHERE a.id = $1`, account, s.now()).Scan(&e.Memberships, &e.Grants, &e.Sessions, &e.Connections, &e.Bound)
	if err != nil {
		return e, plain(err)
	}
	left, err := leftBy(ctx, s.pool, account)
	for _, w := range left {
		switch {
		case w.Members == 1:
			e.Alone = append(e.Alone, WorkspaceName{w.Slug, w.Name})
		case w.Owners == 0:
			e.Owned = append(e.Owned, WorkspaceName{w.Slug, w.Name})
		}
	}
	return e, err
}

// leftWorkspace is a workspace of an account, with the members who would remain without the account.
type leftWorkspace struct {
	ID         uuid.UUID
	Slug, Name string
	Members    int // with the account
	Owners     int // without it
}

func leftBy(ctx context.Context, q querier, account uuid.UUID) ([]leftWorkspace, error) {
	rows, _ := q.Query(ctx, `
		SELECT w.id, w.slug, w.name,
		       (SELECT count(*) FROM membership o WHERE o.workspace_id = w.id),
		       (SELECT count(*) FROM membership o WHERE o.workspace_id = w.id AND o.role = 'owner' AND o.account_id <> $1)
		  FROM workspace w JOIN membership m ON m.workspace_id = w.id WHERE m.account_id = $1 ORDER BY w.slug`, account)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[leftWorkspace])
}

// DeleteAccount deletes an account with its memberships, grants, sessions, connections and uploads. actor is the account itself, or zero
// for the operator. Dashboards stay in workspaces with other members; those bound to the account's connections no longer refresh
// (decisions, "Ends of access"). Workspaces without other members are deleted too, but only if alone lists their slugs, which proves that
// the caller is aware of it. It refuses to delete the last owner of a workspace with other members.
func (s Accounts) DeleteAccount(ctx context.Context, actor, account uuid.UUID, alone ...string) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		// With the account and its workspaces locked, nobody joins or leaves.
		var who string
		if err := tx.QueryRow(ctx, `SELECT `+calledSQL+` FROM account a WHERE id = $1 FOR UPDATE`, account).Scan(&who); err != nil {
			return plain(err)
		}
		if _, err := tx.Exec(ctx, `
			SELECT FROM workspace WHERE id IN (SELECT workspace_id FROM membership WHERE account_id = $1) ORDER BY id
			FOR UPDATE`, account); err != nil {
			return err
		}
		left, err := leftBy(ctx, tx, account)
		if err != nil {
			return err
		}
		var owned, unsaid []string
		for _, w := range left {
			switch {
			case w.Members == 1 && !slices.Contains(alone, w.Slug):
				unsaid = append(unsaid, w.Slug)
			case w.Members > 1 && w.Owners == 0:
				owned = append(owned, w.Slug)
			}
		}
		if len(owned) > 0 {
			return message.Refuse("This account is the last owner of %s. Make somebody else an owner there first.", quoted(owned))
		}
		if len(unsaid) > 0 {
			return message.Refuse("There is nobody else in %s, which would be deleted with the account. "+
				"Say so, or add an owner there first.", quoted(unsaid))
		}
		for _, w := range left {
			if w.Members == 1 {
				if err := s.deleteWorkspace(ctx, tx, w.ID, w.Slug, actor); err != nil {
					return err
				}
				continue
			}
			if err := s.endAccess(ctx, tx, actor, w.ID, account); err != nil {
				return err
			}
			if err := s.audit(ctx, tx, Event{Workspace: w.ID, Account: actor, Action: "account.delete", Subject: who}); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, `DELETE FROM account WHERE id = $1`, account)
		return err
	})
}

// quoted lists the slugs of workspaces for a sentence.
func quoted(slugs []string) string {
	word := "workspace"
	if len(slugs) > 1 {
		word = "workspaces"
	}
	return word + ` "` + strings.Join(slugs, `", "`) + `"`
}

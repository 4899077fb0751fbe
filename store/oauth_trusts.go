package store

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/message"
)

// A Trust lets tokens of an issuer act for a member of a workspace.
type Trust struct {
	ID          uuid.UUID
	Issuer      string // as the tokens name it
	Audience    string // that the tokens must name
	Subject     string // pattern of the tokens' subject: * matches any text without a colon
	Workspace   string // slug
	Email       string // of the member
	Role        string // the highest role of its calls: owner, editor or viewer; empty: the role of the member
	DryRunOnly  bool   // reads and dry runs, nothing else
	CreatedAt   time.Time
	UsedAt      *time.Time // of the last token; nil for none
	WorkspaceID uuid.UUID
	Account     uuid.UUID
	ClientID    string // as which its grants act
}

// Limits of the tokens of a trust.
const (
	AssertionAge  = 10 * time.Minute // the oldest token that is accepted, by its iat
	AssertionSkew = time.Minute      // by which the clock of an issuer may be ahead
	TrustLifetime = 10 * time.Minute // of an access token
)

// Matches reports whether the trust's pattern matches a subject.
func (t Trust) Matches(subject string) bool {
	parts := strings.Split(t.Subject, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	ok, err := regexp.MatchString(`\A`+strings.Join(parts, `[^:]*`)+`\z`, subject)
	return err == nil && ok
}

// AddTrust stores a trust for a member, whose issuer, audience and subject are checked.
func (s OAuth) AddTrust(ctx context.Context, m Member, t Trust) (Trust, error) {
	if t.Role != "" {
		if err := checkRole(&t.Role); err != nil {
			return t, err
		}
	}
	t.ID, t.Workspace, t.WorkspaceID, t.Account, t.CreatedAt = newID(), m.slug, m.workspace, m.account, s.now()
	t.ClientID = "trust-" + t.ID.String()
	err := s.tx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			INSERT INTO trust (id, issuer, audience, subject, workspace_id, account_id, role, dry_run_only, client_id, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, nullif($7, ''), $8, $9, $10)`,
			t.ID, t.Issuer, t.Audience, t.Subject, t.WorkspaceID, t.Account, t.Role, t.DryRunOnly, t.ClientID, t.CreatedAt)
		if err != nil {
			return err
		}
		return s.auditTrust(ctx, tx, "grant.trust", t.ID)
	})
	if errors.Is(plain(err), ErrTaken) {
		return t, message.Refuse(`workspace %s has a trust of issuer %s with the subject "%s" already: remove it first`,
			t.Workspace, t.Issuer, t.Subject)
	}
	return t, err
}

// RemoveTrust ends a trust and its grants at once. It returns [ErrNotFound] if no trust has the id.
func (s OAuth) RemoveTrust(ctx context.Context, id uuid.UUID) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		if err := s.auditTrust(ctx, tx, "grant.distrust", id); err != nil {
			return err
		}
		// Its client is deleted too, and with it the grants.
		_, err := tx.Exec(ctx, `
			WITH ended AS (DELETE FROM trust WHERE id = $1 RETURNING client_id)
			DELETE FROM oauth_client c USING ended WHERE c.id = ended.client_id`, id)
		return err
	})
}

// auditTrust records in the audit log an action of the operator on an existing trust. It returns [ErrNotFound] if there is no such trust.
func (s *core) auditTrust(ctx context.Context, tx pgx.Tx, action string, id uuid.UUID) error {
	var workspace uuid.UUID
	var issuer, subject, role, person string
	var dry bool
	err := tx.QueryRow(ctx, `
		SELECT t.workspace_id, t.issuer, t.subject, coalesce(t.role, ''), t.dry_run_only, `+calledSQL+`
		  FROM trust t JOIN account a ON a.id = t.account_id WHERE t.id = $1 FOR UPDATE OF t`, id).
		Scan(&workspace, &issuer, &subject, &role, &dry, &person)
	if err != nil {
		return plain(err)
	}
	return s.audit(ctx, tx, Event{Workspace: workspace, Action: action, Subject: id.String(), Detail: map[string]any{
		"issuer": issuer, "subject": subject, "person": person, "role": role, "dry_run_only": dry,
	}})
}

const selectTrust = `
	SELECT t.id, t.issuer, t.audience, t.subject, w.slug, coalesce(a.email, ''), coalesce(t.role, ''), t.dry_run_only, t.created_at, t.used_at,
	       t.workspace_id, t.account_id, t.client_id
	  FROM trust t JOIN workspace w ON w.id = t.workspace_id JOIN account a ON a.id = t.account_id`

// Trusts lists all trusts, oldest first.
func (s OAuth) Trusts(ctx context.Context) ([]Trust, error) {
	rows, _ := s.pool.Query(ctx, selectTrust+` ORDER BY t.id`)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Trust])
}

// TrustsOf lists the trusts of an issuer; of one workspace, unless the slug is empty.
func (s OAuth) TrustsOf(ctx context.Context, issuer, workspace string) ([]Trust, error) {
	rows, _ := s.pool.Query(ctx, selectTrust+` WHERE t.issuer = $1 AND ($2 = '' OR w.slug = $2) ORDER BY t.id`, issuer, workspace)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Trust])
}

// AnyTrust reports whether there is a trust.
func (s OAuth) AnyTrust(ctx context.Context) (any bool, err error) {
	return any, s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM trust)`).Scan(&any)
}

// An Assertion is a token of an issuer whose signature and claims were checked.
type Assertion struct {
	ID       []byte    // hash of issuer and jti
	IssuedAt time.Time // its iat
	Subject  string
}

// ErrReplayed is returned for an assertion that was presented before.
var ErrReplayed = errors.New("the assertion was used before")

// GrantTrust makes a grant of a trust, with one access token, whose hash is given. It returns [ErrReplayed] for an assertion that was used
// before, and [ErrNotFound] if the trust has ended.
func (s OAuth) GrantTrust(ctx context.Context, t Trust, a Assertion, scope, resource string, access []byte) (out Issued, err error) {
	err = s.tx(ctx, func(tx pgx.Tx) error {
		now := s.now()
		tag, err := tx.Exec(ctx, `INSERT INTO used_assertion (hash, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
			a.ID, a.IssuedAt.Add(AssertionAge+2*AssertionSkew))
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return ErrReplayed
		}
		// The row is locked, so that a removal waits, and then ends the grant.
		tag, err = tx.Exec(ctx, `UPDATE trust SET used_at = $2 WHERE id = $1`, t.ID, now)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return ErrNotFound
		}
		name := "CI: " + t.Subject
		if _, err := tx.Exec(ctx, `
			INSERT INTO oauth_client (id, name, redirect_uris, grant_types, auth_method, created_at, authorized_at)
			VALUES ($1, $2, '{}', '{}', 'none', $3, $3) ON CONFLICT (id) DO NOTHING`, t.ClientID, name, now); err != nil {
			return err
		}
		out = Issued{Grant: newID(), Scope: scope, Expires: now.Add(TrustLifetime)}
		ends := out.Expires.Add(time.Second) // a token ends before its grant's session
		if _, err := tx.Exec(ctx, `
			INSERT INTO oauth_grant (id, client_id, account_id, lock, workspace_id, scope, resource, created_at, expires_at, ends_at,
			                         trust_id, role_cap, dry_run_only)
			VALUES ($1, $2, $3, 'workspace', $4, $5, $6, $7, $8, $8, $9, nullif($10, ''), $11)`,
			out.Grant, t.ClientID, t.Account, t.WorkspaceID, scope, resource, now, ends, t.ID, t.Role, t.DryRunOnly); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			INSERT INTO oauth_token (hash, grant_id, kind, created_at, expires_at) VALUES ($1, $2, 'access', $3, $4)`,
			access, out.Grant, now, out.Expires); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{
			Workspace: t.WorkspaceID, Account: t.Account, ClientID: t.ClientID, Action: "grant.create", Subject: out.Grant.String(),
			Detail: map[string]any{"client": name, "lock": LockWorkspace, "trust": t.ID, "of": a.Subject},
		})
	})
	return out, err
}

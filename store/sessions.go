package store

import (
	"context"
	"crypto/subtle"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
)

// Lifetimes of sign-ins, tickets and sessions.
const (
	SignInLifetime  = 10 * time.Minute    // a sign-in at the identity provider
	SessionIdle     = 7 * 24 * time.Hour  // a session since its last use
	SessionAbsolute = 30 * 24 * time.Hour // any session
	TicketLifetime  = time.Minute
)

// sessionTouch is how often the use of a session is recorded.
const sessionTouch = time.Hour

// A SignIn is a sign-in under way at the identity provider.
type SignIn struct {
	Nonce    string
	Verifier string // PKCE
	ReturnTo string
}

// StartSignIn stores a sign-in under the hashes of its state and of the cookie that ties it to one
// browser.
func (s Sessions) StartSignIn(ctx context.Context, state, browser []byte, in SignIn) error {
	_, err := s.pool.Exec(ctx, `
		INSERT INTO sign_in (state_hash, browser_hash, nonce, verifier, return_to, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		state, browser, in.Nonce, in.Verifier, in.ReturnTo, s.now().Add(SignInLifetime))
	return err
}

// TakeSignIn returns a sign-in and deletes it. It returns [ErrNotFound] in another browser, after
// [SignInLifetime], or the second time.
func (s Sessions) TakeSignIn(ctx context.Context, state, browser []byte) (SignIn, error) {
	rows, _ := s.pool.Query(ctx, `
		DELETE FROM sign_in WHERE state_hash = $1 AND browser_hash = $2 AND expires_at > $3
		RETURNING nonce, verifier, return_to`, state, browser, s.now())
	in, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[SignIn])
	return in, plain(err)
}

// StartSession signs an identity in on one browser. One transaction creates or updates the account,
// its waiting memberships and the session, and ends the session that the browser had before.
// previous is the hash of that; nil for none.
func (s Sessions) StartSession(ctx context.Context, id Identity, session, previous []byte, userAgent string) (Account, error) {
	var a Account
	err := s.tx(ctx, func(tx pgx.Tx) (err error) {
		if a, err = s.identify(ctx, tx, id); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM web_session WHERE hash = $1`, previous); err != nil {
			return err
		}
		now := s.now()
		_, err = tx.Exec(ctx, `
			INSERT INTO web_session (hash, account_id, user_agent, created_at, used_at, expires_at) VALUES ($1, $2, $3, $4, $4, $5)`,
			session, a.ID, userAgent, now, now.Add(SessionIdle))
		return err
	})
	return a, err
}

// Session returns the account of a session by its hash, or [ErrNotFound]. It extends the session, at
// most once an hour.
func (s Sessions) Session(ctx context.Context, hash []byte) (Account, error) {
	return s.session(ctx, hash, true, nil, `
		SELECT `+sessionColumns+` FROM web_session b JOIN account a ON a.id = b.account_id
		 WHERE b.hash = $1 AND b.expires_at > $2`, s.now())
}

const sessionColumns = `a.id, a.issuer, a.subject, a.email, a.name, a.timezone, a.theme, a.shortcuts, a.created_at, ` +
	`b.hash, b.used_at, b.created_at, b.expires_at`

// session returns the account of the session that sql selects by the hash given, which is $1, and records
// the request, at most twice an hour. Only a use extends the session. args are those after $1, and more are
// the destinations of the columns after sessionColumns.
func (s *core) session(ctx context.Context, given []byte, use bool, more []any, sql string, args ...any) (Account, error) {
	ctx, cancel := context.WithTimeout(ctx, gateWithin)
	defer cancel()
	var a Account
	var hash []byte
	var used, created, expires time.Time
	to := []any{
		&a.ID, &a.Issuer, &a.Subject, &a.Email, &a.Name, &a.Timezone, &a.Theme, &a.Shortcuts, &a.CreatedAt,
		&hash, &used, &created, &expires,
	}
	err := s.asking(given).QueryRow(ctx, sql, append([]any{given}, args...)...).Scan(append(to, more...)...)
	if err != nil {
		return Account{}, plain(err)
	}
	now, ends := s.now(), expires
	if use {
		ends = now.Add(SessionIdle)
		if last := created.Add(SessionAbsolute); ends.After(last) {
			ends = last
		}
	}
	if now.Sub(used) >= sessionTouch || ends.Sub(expires) >= sessionTouch {
		a.renewed = true
		if _, err := s.pool.Exec(ctx, `UPDATE web_session SET used_at = $2, expires_at = $3 WHERE hash = $1`, hash, now, ends); err != nil {
			return Account{}, err
		}
	}
	return a, nil
}

// EndSession ends one session, with its sessions on workspace hosts.
func (s Sessions) EndSession(ctx context.Context, hash []byte) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM web_session WHERE hash = $1`, hash)
	return err
}

// EndSessions signs an account out everywhere.
func (s Sessions) EndSessions(ctx context.Context, account uuid.UUID) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM web_session WHERE account_id = $1`, account)
	return err
}

// A SessionInfo is a browser that is signed in, as its account sees it.
type SessionInfo struct {
	Hash      []byte
	UserAgent string
	CreatedAt time.Time
	UsedAt    time.Time // to the hour
	ExpiresAt time.Time
}

// ListSessions lists an account's sessions, the last used first.
func (s Sessions) ListSessions(ctx context.Context, account uuid.UUID) ([]SessionInfo, error) {
	rows, _ := s.pool.Query(ctx, `
		SELECT hash, user_agent, created_at, used_at, expires_at FROM web_session
		 WHERE account_id = $1 AND expires_at > $2 ORDER BY used_at DESC, hash`, account, s.now())
	return pgx.CollectRows(rows, pgx.RowToStructByPos[SessionInfo])
}

// A Ticket carries a session from the app host to one workspace host.
type Ticket struct {
	Host     string
	Nonce    []byte // hash of the cookie that the workspace host set
	ReturnTo string // raw path and query on Host
}

// IssueTicket stores a ticket of a session under the ticket's hash. It returns [ErrNotFound] when the
// session has ended.
func (s Sessions) IssueTicket(ctx context.Context, ticket, session []byte, t Ticket) error {
	now := s.now()
	tag, err := s.pool.Exec(ctx, `
		INSERT INTO host_ticket (hash, session_hash, host, nonce_hash, return_to, expires_at)
		SELECT $1, hash, $3, $4, $5, $6 FROM web_session WHERE hash = $2 AND expires_at > $7`,
		ticket, session, t.Host, t.Nonce, t.ReturnTo, now.Add(TicketLifetime), now)
	if err == nil && tag.RowsAffected() == 0 {
		return ErrNotFound
	}
	return err
}

// RedeemTicket exchanges a ticket for a session on host and returns the path to go to. It returns
// [ErrNotFound] on another host, in another browser or too late, and in any case uses the ticket up.
func (s Sessions) RedeemTicket(ctx context.Context, ticket []byte, host string, nonce, hostSession []byte) (returnTo string, err error) {
	good := false
	err = s.tx(ctx, func(tx pgx.Tx) error {
		var session, bound []byte
		var forHost string
		var expires time.Time
		err := tx.QueryRow(ctx, `
			DELETE FROM host_ticket WHERE hash = $1 RETURNING session_hash, host, nonce_hash, return_to, expires_at`, ticket).
			Scan(&session, &forHost, &bound, &returnTo, &expires)
		if err != nil {
			return plain(err)
		}
		if forHost != host || subtle.ConstantTimeCompare(bound, nonce) != 1 || !s.now().Before(expires) {
			return nil
		}
		// It expires with the session on the app host, and ends when that ends.
		tag, err := tx.Exec(ctx, `
			INSERT INTO host_session (hash, session_hash, host, expires_at)
			SELECT $1, hash, $3, created_at + $5::interval FROM web_session WHERE hash = $2 AND expires_at > $4`,
			hostSession, session, host, s.now(), SessionAbsolute)
		good = tag.RowsAffected() == 1
		return err
	})
	if err == nil && !good {
		err = ErrNotFound
	}
	return returnTo, err
}

// A HostVisit has the account that is signed in on a workspace's host, and its rights there.
type HostVisit struct {
	Account   Account
	Member    *Member    // nil if there is no such workspace or the account is not a member
	Dashboard *Dashboard // nil if Member is, or if the workspace has no such dashboard
}

// HostVisit returns the account that is signed in on host, its membership in a workspace, and the workspace's dashboard with the current
// slug or alias slug. It is one statement because every page needs it. It returns [ErrNotFound] on another host, and after the session on
// the app host has ended. The session is extended only if use is true: when a person opened the page, not when an open page looks for newer
// data.
func (s Sessions) HostVisit(ctx context.Context, session []byte, host, workspace, slug string, use bool) (HostVisit, error) {
	var id *uuid.UUID
	m, d := Member{slug: workspace}, Dashboard{}
	a, err := s.session(ctx, session, use, append(
		[]any{
			&id, (*zeronull.Text)(&m.name), (*zeronull.Text)(&m.plan), (*zeronull.Text)(&m.role), (*attributes)(&m.attributes),
		}, d.fields()...), `
		SELECT `+sessionColumns+`, m.id, m.name, m.plan, m.role, m.attributes, d.*
		  FROM host_session h JOIN web_session b ON b.hash = h.session_hash JOIN account a ON a.id = b.account_id
		  LEFT JOIN LATERAL (
		       SELECT w.id, w.name, w.plan, p.role, (p.provided || p.attributes)::text AS attributes
		         FROM workspace w JOIN membership p ON p.workspace_id = w.id
		        WHERE w.slug = $4 AND p.account_id = a.id) m ON true
		  LEFT JOIN LATERAL (
		       SELECT d.workspace_id, $4::text, `+ownColumns+`, `+rowsTag+`
		         FROM slug s JOIN dashboard d ON d.workspace_id = s.workspace_id AND d.id = s.dashboard_id`+ownJoins+`
		        WHERE s.workspace_id = m.id AND s.slug = $5) d ON true
		 WHERE h.hash = $1 AND h.host = $2 AND h.expires_at > $3 AND b.expires_at > $3`, host, s.now(), workspace, slug)
	v := HostVisit{Account: a}
	if err != nil || id == nil {
		return v, err
	}
	m.account, m.workspace = a.ID, *id
	v.Member = &m
	if d.ID != uuid.Nil {
		v.Dashboard = &d
	}
	return v, nil
}

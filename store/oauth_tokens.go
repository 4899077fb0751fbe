package store

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
)

// Lifetimes of codes and tokens.
const (
	CodeLifetime   = time.Minute
	AccessLifetime = 50 * time.Minute // at most: a token always ends before its grant's session
)

// Verify returns the grant of an access token by its hash. It is one statement, over only the tables that decide, and nothing is cached.
// Calls with the same token that wait at the same time share a statement that begins after them, so that thousands of them cost the
// database no more than two. It returns [ErrNotFound] if the token, its grant or its session has ended, or if the person is no longer a
// member of the workspace to which the grant is locked. Any other error means that the check failed, and the caller must refuse.
func (s OAuth) Verify(ctx context.Context, tokenHash []byte) (Grant, error) {
	limited, cancel := context.WithTimeout(ctx, gateWithin)
	defer cancel()
	g, err := s.checks.Do(limited, string(tokenHash), func() (Grant, error) {
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), gateWithin) // others may wait for it when the caller has left
		defer cancel()
		return s.verify(own, tokenHash)
	})
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w: the token was not checked within %v", ErrUnavailable, gateWithin)
	}
	return g, err
}

func (s *core) verify(ctx context.Context, tokenHash []byte) (Grant, error) {
	var g Grant
	var m Member
	err := s.gate.QueryRow(ctx, `
		SELECT g.id, g.account_id, g.client_id, g.lock, g.scope, g.resource, g.used_at, g.dry_run_only, w.id, w.slug, w.name, w.plan,
		       m.role, g.role_cap, (m.provided || m.attributes)::text
		  FROM oauth_token t
		  JOIN oauth_grant g ON g.id = t.grant_id
		  LEFT JOIN membership m ON m.workspace_id = g.workspace_id AND m.account_id = g.account_id
		  LEFT JOIN workspace w ON w.id = m.workspace_id
		 WHERE t.hash = $1 AND t.kind = 'access' AND t.expires_at > $2
		   AND g.expires_at > $2 AND g.ends_at > $2 AND g.revoked_at IS NULL
		   AND (g.lock IN ('none', 'legacy') OR w.id IS NOT NULL)`, tokenHash, s.now()).
		Scan(&g.ID, &g.Account, &g.ClientID, (*string)(&g.Lock), &g.Scope, &g.Resource, (*zeronull.Timestamptz)(&g.UsedAt),
			&g.DryRunOnly,
			(*zeronull.UUID)(&m.workspace), (*zeronull.Text)(&m.slug), (*zeronull.Text)(&m.name), (*zeronull.Text)(&m.plan),
			(*zeronull.Text)(&m.role), (*zeronull.Text)(&m.cap), (*attributes)(&m.attributes))
	if err != nil {
		return Grant{}, plain(err)
	}
	if g.Lock == LockWorkspace {
		m.account, m.client = g.Account, g.ClientID
		m.capRole()
		g.Member = m
	}
	return g, nil
}

// grantTouch is how often the use of a grant is recorded.
const grantTouch = time.Minute

// NoteCall records a call under g, at most once a minute. Other calls run no statement, and calls at the same time share one.
func (s OAuth) NoteCall(ctx context.Context, g Grant) error {
	now := s.now()
	if now.Sub(g.UsedAt) < grantTouch {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, noteWithin)
	defer cancel()
	_, err := s.notes.Do(limited, g.ID, func() (struct{}, error) {
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteWithin)
		defer cancel()
		_, err := s.pool.Exec(own, `UPDATE oauth_grant SET used_at = $2 WHERE id = $1 AND (used_at IS NULL OR used_at <= $3)`,
			g.ID, now, now.Add(-grantTouch))
		return struct{}{}, err
	})
	return err
}

// Issued describes the tokens that were issued for a code or a refresh token.
type Issued struct {
	Grant   uuid.UUID
	Scope   string
	Expires time.Time // of the access token
}

// A CodeExchange is a code with the data that a client presents with it, and the hashes of the tokens to issue. Refresh is nil for a client
// that may not refresh.
type CodeExchange struct {
	Code            []byte
	ClientID        string
	RedirectURI     string // empty if not sent, since OAuth 2.1 does not require it
	Challenge       string // S256 of the verifier that was sent
	Access, Refresh []byte
}

// RedeemCode exchanges a code once. It returns [ErrNotFound] if the code is not valid. A code that is presented with the wrong client,
// redirect URI or verifier is used up; a code that is presented a second time revokes its grant (RFC 9700, section 4.5). Only one code of a
// grant can be exchanged (see [OAuth.ApproveRequest]).
func (s OAuth) RedeemCode(ctx context.Context, x CodeExchange) (Issued, error) {
	var out Issued
	refused := false // unlike an error, this commits what the transaction wrote
	err := s.tx(ctx, func(tx pgx.Tx) error {
		out, refused = Issued{}, false
		t, err := s.presented(ctx, tx, "code", x.Code)
		if err != nil {
			return err
		}
		now := s.now()
		switch {
		case t.UsedAt != nil:
			refused = true
			return s.replayed(ctx, tx, t, "code")
		case !t.live(now):
			refused = true
			return nil
		}
		if _, err := tx.Exec(ctx, `UPDATE oauth_token SET used_at = $2 WHERE hash = $1`, x.Code, now); err != nil {
			return err
		}
		if t.ClientID != x.ClientID || x.RedirectURI != "" && x.RedirectURI != *t.RedirectURI ||
			subtle.ConstantTimeCompare([]byte(*t.Challenge), []byte(x.Challenge)) != 1 {
			refused = true
			return nil
		}
		// Delete the other codes of the grant, from a double click on Allow.
		if _, err := tx.Exec(ctx, `DELETE FROM oauth_token WHERE grant_id = $1 AND kind = 'code' AND used_at IS NULL`, t.Grant); err != nil {
			return err
		}
		out, err = s.issue(ctx, tx, t, t.SessionEnds, x.Access, x.Refresh)
		return err
	})
	if err == nil && refused {
		err = ErrNotFound
	}
	return out, err
}

// A RefreshExchange is a refresh token with the client that presents it, and the hashes of the tokens to issue.
type RefreshExchange struct {
	Token           []byte
	ClientID        string
	Access, Refresh []byte
	Grace           time.Duration                // how long a used token gets its answer again; 0 for never
	Seal            func(Issued) ([]byte, error) // encrypts the answer with the old token
}

// Refresh rotates a refresh token and extends the session of its grant. It returns [ErrNotFound] when
// the token is not valid. A token that was used before revokes its grant. Within Grace, and while its
// successor is unused, it returns the sealed answer again instead, for clients whose processes share
// one token and race.
func (s OAuth) Refresh(ctx context.Context, x RefreshExchange) (out Issued, again []byte, err error) {
	refused := false
	err = s.tx(ctx, func(tx pgx.Tx) error {
		out, again, refused = Issued{}, nil, false
		t, err := s.presented(ctx, tx, "refresh", x.Token)
		if err != nil {
			return err
		}
		now := s.now()
		switch {
		case t.ClientID != x.ClientID || !t.live(now):
			refused = true
			return nil
		case t.UsedAt != nil:
			var unused bool
			if err := tx.QueryRow(ctx, `
					SELECT EXISTS (SELECT FROM oauth_token WHERE hash = $1 AND used_at IS NULL)`, t.Successor).Scan(&unused); err != nil {
				return err
			}
			if unused && now.Before(t.UsedAt.Add(x.Grace)) {
				again = t.Sealed
				return nil
			}
			refused = true
			return s.replayed(ctx, tx, t, "refresh token")
		}
		ends := now.Add(GrantIdle)
		if ends.After(t.GrantEnds) {
			ends = t.GrantEnds
		}
		if out, err = s.issue(ctx, tx, t, ends, x.Access, x.Refresh); err != nil {
			return err
		}
		sealed, err := x.Seal(out)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE oauth_token SET used_at = $2, successor = $3, sealed = $4 WHERE hash = $1`, x.Token, now, x.Refresh, sealed)
		return err
	})
	if err == nil && refused {
		err = ErrNotFound
	}
	return out, again, err
}

// presented is a presented code or refresh token, with its grant.
type presented struct {
	Grant                  uuid.UUID
	Expires                time.Time
	UsedAt                 *time.Time
	Challenge, RedirectURI *string
	Successor, Sealed      []byte
	ClientID, Scope        string
	SessionEnds, GrantEnds time.Time
	RevokedAt              *time.Time
}

// RevokeToken ends the grant of one of client's access or refresh tokens, in the name of its
// account. It does nothing when client has no such token.
func (s OAuth) RevokeToken(ctx context.Context, client string, hash []byte) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		var grant, account uuid.UUID
		err := tx.QueryRow(ctx, `
			SELECT g.id, g.account_id FROM oauth_token t JOIN oauth_grant g ON g.id = t.grant_id
			 WHERE t.hash = $1 AND t.kind IN ('access', 'refresh') AND g.client_id = $2 FOR UPDATE OF g`,
			hash, client).Scan(&grant, &account)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return s.revoke(ctx, tx, account, grant, AskedFor)
	})
}

// presented locks a token and its grant, so that others who present the same token wait for the
// outcome.
func (s *core) presented(ctx context.Context, tx pgx.Tx, kind string, hash []byte) (presented, error) {
	rows, _ := tx.Query(ctx, `
		SELECT t.grant_id, t.expires_at, t.used_at, t.challenge, t.redirect_uri, t.successor, t.sealed,
		       g.client_id, g.scope, g.expires_at, g.ends_at, g.revoked_at
		  FROM oauth_token t JOIN oauth_grant g ON g.id = t.grant_id
		 WHERE t.hash = $1 AND t.kind = $2 FOR UPDATE OF g, t`, hash, kind)
	t, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[presented])
	return t, plain(err)
}

// live reports whether neither the token nor its grant has ended.
func (t presented) live(now time.Time) bool {
	return t.RevokedAt == nil && now.Before(t.Expires) && now.Before(t.SessionEnds) && now.Before(t.GrantEnds)
}

// replayed revokes the grant of a token that was presented twice, because another party than the client may have it.
func (s *core) replayed(ctx context.Context, tx pgx.Tx, t presented, what string) error {
	s.opt.Log.WarnContext(ctx, "used a second time: the grant is revoked", "what", what, "grant", t.Grant)
	return s.revoke(ctx, tx, uuid.Nil, t.Grant, "replay of a "+what)
}

// issue stores the next tokens of the grant of t, whose session ends at ends.
func (s *core) issue(ctx context.Context, tx pgx.Tx, t presented, ends time.Time, access, refresh []byte) (Issued, error) {
	now := s.now()
	out := Issued{Grant: t.Grant, Scope: t.Scope, Expires: now.Add(AccessLifetime)}
	if last := ends.Add(-time.Second); out.Expires.After(last) {
		out.Expires = last
	}
	if !out.Expires.After(now) {
		return Issued{}, ErrNotFound // the session ends now, so no token can be issued
	}
	if _, err := tx.Exec(ctx, `UPDATE oauth_grant SET expires_at = $2 WHERE id = $1`, t.Grant, ends); err != nil {
		return Issued{}, err
	}
	const insert = `INSERT INTO oauth_token (hash, grant_id, kind, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)`
	if _, err := tx.Exec(ctx, insert, access, t.Grant, "access", now, out.Expires); err != nil {
		return Issued{}, err
	}
	if refresh == nil {
		return out, nil
	}
	_, err := tx.Exec(ctx, insert, refresh, t.Grant, "refresh", now, ends)
	return out, err
}

package store

import (
	"context"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// unsubscribing is the purpose of the key that signs links that end a subscription.
const unsubscribing = "unsubscribe"

// endingAlert is the purpose of the key that signs links that end a member's mails of an alert.
const endingAlert = "end the mails of an alert"

// Sizes in bytes of the content of a link (three ids) and of the part of its MAC that is kept.
const (
	plainSize = 3 * 16
	macSize   = 16
)

// UnsubscribeToken signs a link that ends a member's subscription (of is its id, and member is zero), or one that removes a member from a
// channel of mails (of is the channel's id). It works without signing in, so only mails to that person contain it.
func (s Messages) UnsubscribeToken(workspace, of, member uuid.UUID) string {
	plain := make([]byte, 0, plainSize+macSize)
	plain = append(plain, workspace[:]...)
	plain = append(plain, of[:]...)
	plain = append(plain, member[:]...)
	return base64.RawURLEncoding.EncodeToString(append(plain, macOf(s.opt.Keys.Derive(unsubscribing), plain)...))
}

// AlertToken signs a link that ends the mails of an alert to a member. It has the limits of [Messages.UnsubscribeToken].
func (s Messages) AlertToken(workspace, dashboard uuid.UUID, alert string, member uuid.UUID) string {
	of := uuid.UUID(md5.Sum([]byte(dashboard.String() + "/" + alert))) // as in SQL: a name for the two ids, and no secret
	plain := slices.Concat(workspace[:], of[:], member[:])
	return base64.RawURLEncoding.EncodeToString(append(plain, macOf(s.opt.Keys.Derive(endingAlert), plain)...))
}

func macOf(key, plain []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(plain)
	return mac.Sum(nil)[:macSize]
}

// An Unsubscription is the subscription, membership or alert that the link of a mail ends.
type Unsubscription struct {
	workspace, of, member uuid.UUID
	alert                 bool

	Name      string // of the dashboard, of the channel, or of the alert with its dashboard
	Workspace string // its name
	Channel   bool   // the member leaves a channel
	Over      bool   // there is nothing left to end
}

// Unsubscription returns the subscription that a link ends, also if the link was used already. It returns [ErrNotFound] for a link that
// this installation has not signed.
func (s Messages) Unsubscription(ctx context.Context, token string) (Unsubscription, error) {
	u, err := s.readUnsubscription(token)
	if err != nil {
		return u, err
	}
	args := []any{u.workspace, u.of}
	sql := `
		SELECT d.name, w.name
		  FROM subscription u
		  JOIN dashboard d ON d.workspace_id = u.workspace_id AND d.id = u.dashboard_id
		  JOIN workspace w ON w.id = u.workspace_id
		 WHERE u.workspace_id = $1 AND u.id = $2 AND u.account_id IS NOT NULL AND u.allowed`
	if u.alert {
		args = append(args, u.member)
		sql = `
		SELECT a.title || ' · ' || d.name, w.name
		  FROM alert a
		  JOIN dashboard d ON d.workspace_id = a.workspace_id AND d.id = a.dashboard_id
		  JOIN membership p ON p.workspace_id = a.workspace_id AND p.account_id = $3
		  JOIN workspace w ON w.id = a.workspace_id
		 WHERE a.workspace_id = $1 AND ` + alertNamed + `
		   AND NOT EXISTS (SELECT FROM alert_ended e WHERE e.workspace_id = $1 AND e.dashboard_id = a.dashboard_id AND e.alert = a.id
		                      AND e.account_id = $3)`
	}
	if u.Channel = u.member != uuid.Nil && !u.alert; u.Channel {
		args = append(args, u.member)
		sql = `
		SELECT c.name, w.name
		  FROM channel_member p
		  JOIN channel c ON c.workspace_id = p.workspace_id AND c.id = p.channel_id
		  JOIN workspace w ON w.id = p.workspace_id
		 WHERE p.workspace_id = $1 AND p.channel_id = $2 AND p.account_id = $3`
	}
	err = s.pool.QueryRow(ctx, sql, args...).Scan(&u.Name, &u.Workspace)
	if errors.Is(err, pgx.ErrNoRows) {
		u.Over = true
		return u, nil
	}
	return u, err
}

// readUnsubscription checks the signature of a link, with any of the keys: mails may be older than the newest key.
func (s *core) readUnsubscription(token string) (Unsubscription, error) {
	var u Unsubscription
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(b) != plainSize+macSize {
		return u, ErrNotFound
	}
	plain, mac := b[:plainSize], b[plainSize:]
	for i := range s.opt.Keys.keys {
		keys := &Keys{keys: s.opt.Keys.keys[i:]}
		if u.alert = hmac.Equal(mac, macOf(keys.Derive(endingAlert), plain)); u.alert ||
			hmac.Equal(mac, macOf(keys.Derive(unsubscribing), plain)) {
			copy(u.workspace[:], plain)
			copy(u.of[:], plain[16:])
			copy(u.member[:], plain[32:])
			return u, nil
		}
	}
	return u, ErrNotFound
}

// Unsubscribe ends the messages that a link is for. Messages that have ended already stay ended. It returns [ErrNotFound] as
// [Messages.Unsubscription] does.
func (s Messages) Unsubscribe(ctx context.Context, token string) error {
	u, err := s.readUnsubscription(token)
	if err != nil {
		return err
	}
	switch {
	case u.alert:
		err = s.endAlert(ctx, u)
	case u.member != uuid.Nil:
		err = s.LeaveChannel(ctx, u.workspace, u.of, u.member)
	default:
		err = s.endByLink(ctx, u)
	}
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// alertNamed is a condition on an alert a: its id is the one of a link, $2.
const alertNamed = `md5(a.dashboard_id::text || '/' || a.id)::uuid = $2`

// endAlert ends the mails of an alert to a member. They begin again with an alert of another id.
func (s *core) endAlert(ctx context.Context, u Unsubscription) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		var subject string
		if err := tx.QueryRow(ctx, `
			WITH ended AS (
			  INSERT INTO alert_ended (workspace_id, dashboard_id, alert, account_id, at)
			  SELECT a.workspace_id, a.dashboard_id, a.id, p.account_id, $4
			    FROM alert a JOIN membership p ON p.workspace_id = a.workspace_id AND p.account_id = $3
			   WHERE a.workspace_id = $1 AND `+alertNamed+`
			  ON CONFLICT DO NOTHING RETURNING dashboard_id, alert)
			SELECT d.slug || '/' || e.alert FROM ended e JOIN dashboard d ON d.workspace_id = $1 AND d.id = e.dashboard_id`,
			u.workspace, u.of, u.member, s.now()).Scan(&subject); err != nil {
			return plain(err)
		}
		return s.audit(ctx, tx, Event{
			Workspace: u.workspace, Account: u.member, Action: "subscription.end", Subject: subject, Detail: map[string]any{"link": true},
		})
	})
}

func (s *core) endByLink(ctx context.Context, u Unsubscription) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		var slug string
		var by uuid.UUID // the recipient of the mail
		// A subscription of a spec stays as a proposal; otherwise the next publish would start it again.
		err := tx.QueryRow(ctx, `
			UPDATE subscription u SET allowed = false, due_at = NULL, look_at = NULL FROM dashboard d
			 WHERE u.workspace_id = $1 AND u.id = $2 AND u.account_id IS NOT NULL AND u.proposal IS NOT NULL AND u.allowed
			   AND d.workspace_id = u.workspace_id AND d.id = u.dashboard_id
			RETURNING d.slug, u.account_id`, u.workspace, u.of).Scan(&slug, &by)
		if errors.Is(err, pgx.ErrNoRows) {
			err = tx.QueryRow(ctx, `
				DELETE FROM subscription u USING dashboard d
				 WHERE u.workspace_id = $1 AND u.id = $2 AND u.account_id IS NOT NULL AND u.proposal IS NULL
				   AND d.workspace_id = u.workspace_id AND d.id = u.dashboard_id
				RETURNING d.slug, u.account_id`, u.workspace, u.of).Scan(&slug, &by)
		}
		if err != nil {
			return plain(err)
		}
		return s.audit(ctx, tx, Event{
			Workspace: u.workspace, Account: by, Action: "subscription.end", Subject: slug, Detail: map[string]any{"link": true},
		})
	})
}

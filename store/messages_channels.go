package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/channel"
	"service/store/dashboard"
	"service/store/message"
)

// maxChannels is how many channels a workspace may have.
const maxChannels = 50

// unreadableChannel is the error of a channel whose secret no key opens.
const unreadableChannel = "The URL of this channel can no longer be read. Type it again."

// A Channel is a destination of messages. Members see its slug, name and kind; only owners see the rest, and nobody sees the secret.
type Channel struct {
	ID         uuid.UUID
	Slug       string
	Name       string
	Kind       string // one of channel.Kinds
	CreatedAt  time.Time
	TestedAt   *time.Time
	Error      string     // why the last message did not arrive; empty when it did
	MutedUntil *time.Time // until then alerts are not sent
	Host       string     // of its address; empty for mail
	Members    []uuid.UUID
	secret     []byte
}

// Muted reports whether alerts are not sent to the channel at a time.
func (c Channel) Muted(at time.Time) bool { return c.MutedUntil != nil && at.Before(*c.MutedUntil) }

const selectChannel = `
	SELECT c.id, c.slug, c.name, c.kind, c.created_at, c.tested_at, c.error, c.muted_until, c.secret,
	       ARRAY (SELECT p.account_id FROM channel_member p
	               WHERE p.workspace_id = c.workspace_id AND p.channel_id = c.id ORDER BY p.account_id)
	  FROM channel c`

func scanChannel(row pgx.CollectableRow) (c Channel, err error) {
	err = row.Scan(&c.ID, &c.Slug, &c.Name, &c.Kind, &c.CreatedAt, &c.TestedAt, &c.Error, &c.MutedUntil, &c.secret, &c.Members)
	return c, err
}

// Channels lists the channels of m's workspace, by name.
func (s Messages) Channels(ctx context.Context, m Member) ([]Channel, error) {
	rows, _ := s.pool.Query(ctx, selectChannel+` WHERE c.workspace_id = $1 ORDER BY c.name, c.slug`, m.workspace)
	all, err := pgx.CollectRows(rows, scanChannel)
	for i := range all {
		all[i] = s.seen(ctx, m, all[i])
	}
	return all, err
}

// Channel returns the channel of m's workspace called slug, or [ErrNotFound].
func (s Messages) Channel(ctx context.Context, m Member, slug string) (Channel, error) {
	c, err := findChannel(ctx, s.pool, m, slug, "")
	return s.seen(ctx, m, c), err
}

// findChannel finds a channel. lock is the clause that locks it, or empty.
func findChannel(ctx context.Context, q querier, m Member, slug, lock string) (Channel, error) {
	rows, _ := q.Query(ctx, selectChannel+` WHERE c.workspace_id = $1 AND c.slug = $2`+lock, m.workspace, slug)
	c, err := pgx.CollectExactlyOneRow(rows, scanChannel)
	return c, plain(err)
}

// seen returns the part of c that m may see.
func (s *core) seen(ctx context.Context, m Member, c Channel) Channel {
	if m.role != RoleOwner {
		out := Channel{ID: c.ID, Slug: c.Slug, Name: c.Name, Kind: c.Kind, CreatedAt: c.CreatedAt, MutedUntil: c.MutedUntil}
		if slices.Contains(c.Members, m.account) { // members do not see the other recipients
			out.Members = []uuid.UUID{m.account}
		}
		return out
	}
	if c.secret != nil {
		t, err := s.channelTarget(ctx, c)
		if err != nil {
			c.Error = unreadableChannel
		}
		c.Host = t.Host()
	}
	return c
}

// channelPlace is the place of a channel's secret: see [Keys.seal].
func channelPlace(id uuid.UUID) string { return "channel/" + id.String() + "/secret" }

// channelTarget decrypts the address of c.
func (s *core) channelTarget(ctx context.Context, c Channel) (t channel.Target, err error) {
	text, err := s.opt.Keys.open(c.secret, channelPlace(c.ID))
	if err != nil {
		s.opt.Log.ErrorContext(ctx, "the secret of a channel does not open", "channel", c.ID, "err", err)
		return t, err
	}
	return t, json.Unmarshal(text, &t)
}

// A ChannelEdit is the input of an owner about a channel.
type ChannelEdit struct {
	Slug    string // of a new one
	Kind    string // of a new one
	Name    string
	URL     string      // of the kinds that have one; empty keeps the stored one
	Members []uuid.UUID // of mail
	NewKey  bool        // of a webhook: a new signing key in place of the stored one
}

// AddChannel adds a channel to m's workspace. m must be an owner. key is the signing key of a webhook; it is returned only this once.
func (s Messages) AddChannel(ctx context.Context, m Member, e ChannelEdit) (c Channel, key string, err error) {
	id := newID()
	t := channel.Target{URL: strings.TrimSpace(e.URL)}
	if k, _ := channel.KindOf(e.Kind); k.Signed {
		t.Key = channel.NewKey()
	}
	if err := dashboard.CheckSlug(e.Slug); err != nil {
		return Channel{}, "", err
	}
	if e.Slug == dashboard.Me { // in a spec
		return Channel{}, "", message.Refuse(`slug "me" is reserved`)
	}
	if e.Slug == "new" { // the address of the form
		return Channel{}, "", message.Refuse(`slug "new" is reserved`)
	}
	if err := checkChannel(e, t); err != nil {
		return Channel{}, "", err
	}
	sealed, err := s.sealChannel(id, e.Kind, t)
	if err != nil {
		return Channel{}, "", err
	}
	err = s.tx(ctx, func(tx pgx.Tx) error {
		if err := s.mayChannel(ctx, tx, m); err != nil {
			return err
		}
		var n int
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM channel WHERE workspace_id = $1`, m.workspace).Scan(&n); err != nil {
			return err
		}
		if n >= maxChannels {
			return message.Refuse("The workspace has %d channels, and can have %d. Delete one first.", n, maxChannels)
		}
		_, err := tx.Exec(ctx, `
			INSERT INTO channel (workspace_id, id, slug, name, kind, secret, created_by, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			m.workspace, id, e.Slug, strings.TrimSpace(e.Name), e.Kind, sealed, m.account, s.now())
		if errors.Is(plain(err), ErrTaken) {
			return message.Refuse(`channel slug "%s" is already taken`, e.Slug)
		}
		if err != nil {
			return err
		}
		if err := setChannelMembers(ctx, tx, m, id, e.Members); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "channel.add", Subject: e.Slug,
			Detail: map[string]any{"kind": e.Kind, "name": e.Name, "host": t.Host(), "members": len(e.Members)},
		})
	})
	if err != nil {
		return Channel{}, "", err
	}
	c, err = s.Channel(ctx, m, e.Slug)
	return c, t.Key, err
}

// UpdateChannel changes name, URL, key or members of the channel called slug. m must be an owner. key is
// the new signing key, or empty.
func (s Messages) UpdateChannel(ctx context.Context, m Member, slug string, e ChannelEdit) (c Channel, key string, err error) {
	err = s.tx(ctx, func(tx pgx.Tx) error {
		key = ""
		if err := s.mayChannel(ctx, tx, m); err != nil {
			return err
		}
		c, err := findChannel(ctx, tx, m, slug, ` FOR UPDATE`)
		if err != nil {
			return err
		}
		e.Kind = c.Kind
		var t channel.Target
		if kind, _ := channel.KindOf(c.Kind); !kind.ByMail {
			t, err = s.channelTarget(ctx, c)
			lost := err != nil
			if kind.Signed && (e.NewKey || lost) {
				t.Key = channel.NewKey()
				key = t.Key
			}
			if lost && e.URL == "" {
				return message.Refuse("url must be typed again: the stored one can no longer be read")
			}
		}
		before := t.URL
		if e.URL = strings.TrimSpace(e.URL); e.URL != "" {
			t.URL = e.URL
		}
		if err := checkChannel(e, t); err != nil {
			return err
		}
		sealed, err := s.sealChannel(c.ID, c.Kind, t)
		if err != nil {
			return err
		}
		moved := t.URL != before || key != ""
		if _, err := tx.Exec(ctx, `
			UPDATE channel SET name = $3, secret = $4, error = CASE WHEN $5 THEN '' ELSE error END,
			       tested_at = CASE WHEN $5 THEN NULL ELSE tested_at END
			 WHERE workspace_id = $1 AND id = $2`, m.workspace, c.ID, strings.TrimSpace(e.Name), sealed, moved); err != nil {
			return err
		}
		if err := setChannelMembers(ctx, tx, m, c.ID, e.Members); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "channel.update", Subject: slug,
			Detail: map[string]any{
				"name": e.Name, "before": c.Name, "target": t.URL != before, "key": key != "", "host": t.Host(), "members": len(e.Members),
			},
		})
	})
	if err != nil {
		return Channel{}, "", err
	}
	c, err = s.Channel(ctx, m, slug)
	return c, key, err
}

// MuteChannel mutes the alerts of the channel called slug until a time, or unmutes them if the time is zero. m must be an owner.
func (s Messages) MuteChannel(ctx context.Context, m Member, slug string, until time.Time) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		if err := s.mayChannel(ctx, tx, m); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `UPDATE channel SET muted_until = $3 WHERE workspace_id = $1 AND slug = $2`,
			m.workspace, slug, optionalTime(until))
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return ErrNotFound
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "channel.mute", Subject: slug,
			Detail: map[string]any{"until": optionalTime(until)},
		})
	})
}

// optionalTime is t, or nil (NULL) for the zero time.
func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// A ChannelUse is a dashboard whose current version notifies a channel by alerts, or that is sent to the channel.
type ChannelUse struct {
	Slug, Name string
	Alerts     int // that name the channel
	Deliveries int
}

// ChannelUses lists the dashboards that use the channel called slug, by name, and at most limit of them; all is how many there
// are.
func (s Messages) ChannelUses(ctx context.Context, m Member, slug string, limit int) (uses []ChannelUse, all int, err error) {
	rows, _ := s.pool.Query(ctx, `
		WITH used AS (
		       SELECT dashboard_id, 1 AS alerts, 0 AS deliveries FROM alert WHERE workspace_id = $1 AND $2 = ANY(channels)
		        UNION ALL
		       SELECT u.dashboard_id, 0, 1 FROM subscription u JOIN channel c ON c.workspace_id = u.workspace_id AND c.id = u.channel_id
		        WHERE u.workspace_id = $1 AND c.slug = $2)
		SELECT d.slug, d.name, sum(u.alerts), sum(u.deliveries), count(*) OVER ()
		  FROM used u JOIN dashboard d ON d.workspace_id = $1 AND d.id = u.dashboard_id
		 GROUP BY d.id, d.slug, d.name ORDER BY d.name, d.slug LIMIT $3`, m.workspace, slug, limit)
	var u ChannelUse
	_, err = pgx.ForEachRow(rows, []any{&u.Slug, &u.Name, &u.Alerts, &u.Deliveries, &all}, func() error {
		uses = append(uses, u)
		return nil
	})
	return uses, all, err
}

// DeleteChannel deletes the channel called slug, and the messages queued for it. m must be an owner.
func (s Messages) DeleteChannel(ctx context.Context, m Member, slug string) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		if err := s.mayChannel(ctx, tx, m); err != nil {
			return err
		}
		var name string
		if err := tx.QueryRow(ctx, `DELETE FROM channel WHERE workspace_id = $1 AND slug = $2 RETURNING name`, m.workspace, slug).
			Scan(&name); err != nil {
			return plain(err)
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "channel.delete", Subject: slug,
			Detail: map[string]any{"name": name},
		})
	})
}

// LeaveToken returns the token of the link in a channel's mail by which its recipient leaves the channel without signing in. It identifies
// the recipient, and works until they have left.
func (s Messages) LeaveToken(m OutMessage) string {
	return base64.RawURLEncoding.EncodeToString(s.leaveToken(m.Workspace, m.Channel.ID, m.Recipient.ID))
}

func (s *core) leaveToken(workspace, id, account uuid.UUID) []byte {
	token := slices.Concat(workspace[:], id[:], account[:])
	mac := hmac.New(sha256.New, s.opt.Keys.Derive("leave a channel"))
	mac.Write(token)
	return mac.Sum(token)
}

// A Leaving is the content of a [Messages.LeaveToken].
type Leaving struct {
	Channel   string // name
	Workspace string // name
	Slug      string // of the workspace
	channel   uuid.UUID
	workspace uuid.UUID
	account   uuid.UUID
}

// Leaving reads a token. It returns [ErrNotFound] for one that is not ours, or whose recipient is not in the
// channel.
func (s Messages) Leaving(ctx context.Context, token string) (l Leaving, err error) {
	given, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(given) != 3*16+sha256.Size {
		return l, ErrNotFound
	}
	l.workspace, l.channel, l.account = uuid.UUID(given[:16]), uuid.UUID(given[16:32]), uuid.UUID(given[32:48])
	if !hmac.Equal(given, s.leaveToken(l.workspace, l.channel, l.account)) {
		return l, ErrNotFound
	}
	err = s.pool.QueryRow(ctx, `
		SELECT c.name, w.name, w.slug FROM channel_member p
		  JOIN channel c ON c.workspace_id = p.workspace_id AND c.id = p.channel_id JOIN workspace w ON w.id = p.workspace_id
		 WHERE p.workspace_id = $1 AND p.channel_id = $2 AND p.account_id = $3`, l.workspace, l.channel, l.account).
		Scan(&l.Channel, &l.Workspace, &l.Slug)
	return l, plain(err)
}

// Leave removes the recipient that a token names from the members of its channel.
func (s Messages) Leave(ctx context.Context, l Leaving) error {
	return s.LeaveChannel(ctx, l.workspace, l.channel, l.account)
}

// LeaveChannel removes account from the members of a mail channel, as the link in each of its mails does. Messages queued for them are not
// sent.
func (s Messages) LeaveChannel(ctx context.Context, workspace, id, account uuid.UUID) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		var slug string
		err := tx.QueryRow(ctx, `
			DELETE FROM channel_member p USING channel c
			 WHERE p.workspace_id = $1 AND p.channel_id = $2 AND p.account_id = $3 AND c.workspace_id = p.workspace_id AND c.id = p.channel_id
			RETURNING c.slug`, workspace, id, account).Scan(&slug)
		if err != nil {
			return plain(err)
		}
		return s.audit(ctx, tx, Event{Workspace: workspace, Account: account, Action: "channel.leave", Subject: slug})
	})
}

// StartTest makes a test message to the channel called slug. The caller sends it now and ends it with [Messages.EndMessage]. m must be an
// owner. The test of a mail channel goes to m alone.
func (s Messages) StartTest(ctx context.Context, m Member, slug string) (OutMessage, error) {
	out := OutMessage{Workspace: m.workspace, ID: newID(), Kind: MessageTest, Body: []byte(`{}`), Attempts: 1, QueuedAt: s.jobNow(), Member: m}
	err := s.tx(ctx, func(tx pgx.Tx) error {
		if err := s.mayChannel(ctx, tx, m); err != nil {
			return err
		}
		c, err := findChannel(ctx, tx, m, slug, "")
		if err != nil {
			return err
		}
		out.Channel = &c
		to, account := &c.ID, (*uuid.UUID)(nil)
		if c.Kind == channel.Mail {
			to, account = nil, &m.account
			rows, _ := tx.Query(ctx, `SELECT `+accountColumns+` FROM account WHERE id = $1`, m.account)
			if out.Recipient, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Account]); err != nil {
				return plain(err)
			}
			if out.Recipient.Email == "" {
				return message.Refuse("Your account has no verified e-mail address, so that no test can be sent to you.")
			}
		} else if out.target, err = s.channelTarget(ctx, c); err != nil {
			return message.Refuse(unreadableChannel)
		}
		if _, err := tx.Exec(ctx, `
			INSERT INTO message (workspace_id, id, kind, channel_id, account_id, body, attempts, queued_at)
			VALUES ($1, $2, 'test', $3, $4, '{}', 1, $5)`,
			m.workspace, out.ID, to, account, out.QueuedAt); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "channel.test", Subject: slug})
	})
	return out, err
}

// checkChannel checks the input of a person.
func checkChannel(e ChannelEdit, t channel.Target) error {
	if err := t.Check(e.Kind); err != nil {
		return err
	}
	if e.Kind == channel.Mail && len(e.Members) == 0 {
		return message.Refuse("members must not be empty: choose at least one who gets the mails")
	}
	if e.Kind != channel.Mail && len(e.Members) > 0 {
		return message.Refuse("only a mail channel has members")
	}
	return dashboard.CheckName(strings.TrimSpace(e.Name))
}

// sealChannel encrypts the address of a channel. It returns nil for mail.
func (s *core) sealChannel(id uuid.UUID, kind string, t channel.Target) ([]byte, error) {
	if kind == channel.Mail {
		return nil, nil
	}
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	return s.opt.Keys.seal(text, channelPlace(id))
}

// mayChannel lets only owners change a workspace's channels, and serializes their changes.
func (s *core) mayChannel(ctx context.Context, tx pgx.Tx, m Member) error {
	if err := lockWorkspace(ctx, tx, m); err != nil {
		return err
	}
	allowed, err := isOwner(ctx, tx, m.workspace, m.account)
	if err == nil && !allowed {
		err = message.Refuse("Only an owner of the workspace can change its channels.")
	}
	return err
}

// setChannelMembers sets the members of the workspace to whom a mail channel sends. Other people are refused.
func setChannelMembers(ctx context.Context, tx pgx.Tx, m Member, id uuid.UUID, members []uuid.UUID) error {
	slices.SortFunc(members, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	members = slices.Compact(members)
	if _, err := tx.Exec(ctx, `
		DELETE FROM channel_member WHERE workspace_id = $1 AND channel_id = $2 AND account_id <> ALL ($3)`,
		m.workspace, id, members); err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, `
		INSERT INTO channel_member (workspace_id, channel_id, account_id)
		SELECT p.workspace_id, $2, p.account_id FROM membership p WHERE p.workspace_id = $1 AND p.account_id = ANY ($3)
		ON CONFLICT (workspace_id, channel_id, account_id) DO UPDATE SET account_id = excluded.account_id`, m.workspace, id, members)
	if err == nil && int(tag.RowsAffected()) != len(members) {
		err = message.Refuse("members must be members of the workspace")
	}
	return err
}

package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/channel"
)

// SendFor is for how long a message is tried again. One that has not arrived by then is failed.
const SendFor = 24 * time.Hour

// SendTimeout is how long one attempt may take, including drawing.
const SendTimeout = 45 * time.Second

// SendArgs identify a message.
type SendArgs struct {
	Workspace uuid.UUID
	Message   uuid.UUID
}

// The kinds of messages.
const (
	MessageAlert    = "alert"    // its body is a [Notice]
	MessageDelivery = "delivery" // its body is a [Delivery]
	MessageTest     = "test"     // its body is empty
)

// The states of a message.
const (
	MessageQueued = "queued"
	MessageSent   = "sent"
	MessageFailed = "failed"
)

// Messages of alerts.
const (
	NoticeFired     = "fired"
	NoticeAgain     = "again" // it still is so
	NoticeRecovered = "recovered"
)

// A Notice is the notification of one alert: one message for each alert and recipient, however many values of its dimension it lists.
type Notice struct {
	Alert    string        `json:"alert"` // its id
	Title    string        `json:"title"`
	Severity string        `json:"severity"` // info, warning or critical
	Event    string        `json:"event"`    // fired, again or recovered
	Run      uuid.UUID     `json:"run"`
	At       time.Time     `json:"at"`
	Sentence string        `json:"sentence"`         // whole, in the spec's language
	Values   []NoticeValue `json:"values,omitempty"` // of its dimension, the first 20
	More     int           `json:"more,omitempty"`   // how many further values there are
	Query    string        `json:"query,omitempty"`  // of the link: filters as in the page's address, without "?"
	Panel    int           `json:"panel,omitempty"`  // that it marks: the number of its anchor; 0 for the top of the page
	Locale   string        `json:"locale,omitempty"` // of the spec; English by default
}

// A NoticeValue is one value of an alert's dimension in a notice.
type NoticeValue struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// A Delivery is the page to send. It is drawn when it is sent.
type Delivery struct {
	Subscription uuid.UUID `json:"subscription"`
	Query        string    `json:"query,omitempty"`  // filters as in the page's address
	Attach       string    `json:"attach,omitempty"` // csv, xlsx, pdf, or empty
	Due          time.Time `json:"due"`
}

// A Message is something to be sent to a channel, or to a member: exactly one of them.
type Message struct {
	Workspace uuid.UUID
	ID        uuid.UUID // zero: a new one. The receiver gets it, so that it can recognize a message that arrives twice
	Kind      string
	Dashboard uuid.UUID // zero for a test
	Channel   uuid.UUID
	Account   uuid.UUID
	Body      any // a Notice or a Delivery
}

// QueueMessages queues messages in the transaction that causes them, so that they are sent if and
// only if that is committed: at least once, each with the same id at each attempt.
func (s Messages) QueueMessages(ctx context.Context, tx pgx.Tx, all []Message) (err error) {
	if len(all) == 0 {
		return nil
	}
	ctx, span, traceparent := s.opt.Traces.Queue(ctx, "send", len(all))
	defer func() { span.EndQueue(err) }()
	at := s.jobNow()
	rows := make([][]any, len(all))
	for i, m := range all {
		if m.ID == uuid.Nil {
			m.ID = newID()
		}
		body, err := json.Marshal(m.Body)
		if err != nil {
			return err
		}
		rows[i] = []any{m.Workspace, m.ID, m.Kind, optional(m.Dashboard), optional(m.Channel), optional(m.Account), body, at, at, traceparent}
	}
	_, err = tx.CopyFrom(ctx, pgx.Identifier{"message"},
		[]string{"workspace_id", "id", "kind", "dashboard_id", "channel_id", "account_id", "body", "queued_at", "due_at", "traceparent"},
		pgx.CopyFromRows(rows))
	return err
}

// An OutMessage is a message that is about to be sent, with further data for the receiver.
type OutMessage struct {
	Workspace uuid.UUID
	ID        uuid.UUID
	Kind      string
	Body      []byte // JSON
	Attempts  int    // with this one
	QueuedAt  time.Time
	Dashboard OutDashboard
	Channel   *Channel  // nil: to a member, by their own wish
	Recipient Account   // of a mail; zero for the other kinds
	Member    Member    // by whose rights the dashboard is read: the recipient, or the owner responsible for the channel
	Account   uuid.UUID // the account responsible for the workspace: its longest-serving owner; zero if there is no owner
	target    channel.Target
}

// An OutDashboard is the dashboard that a message is about.
type OutDashboard struct {
	ID   uuid.UUID
	Slug string
	Name string
}

// Target is the address of the message's channel.
func (m OutMessage) Target() channel.Target { return m.target }

// Expired reports whether, at a time, the message has been tried for [SendFor].
func (m OutMessage) Expired(at time.Time) bool { return at.Sub(m.QueuedAt) >= SendFor }

// ErrMessageOver is returned for a message that is not to be sent, or not any more.
var ErrMessageOver = errors.New("the message is over")

// Sentences of messages that are not sent.
const (
	sayNobody    = "The channel has no member with a verified e-mail address."
	sayNoAddress = "The member has no verified e-mail address."
	sayMuted     = "The channel was muted."
	sayNoOwner   = "The workspace has no owner who answers for the channel."
	sayDeleted   = "The dashboard was deleted."
)

// A member who publishes can send alerts and deliveries to the channels of owners, under another name at each publish. Therefore
// messages are counted by their channel, and by their workspace, within an hour.
const (
	maxOfChannel   = 120
	maxOfWorkspace = 600
)

var (
	sayChannelFull   = fmt.Sprintf("The channel got %d messages within an hour. More are not sent to it.", maxOfChannel)
	sayWorkspaceFull = fmt.Sprintf("The channels of the workspace got %d messages within an hour. More are not sent.", maxOfWorkspace)
)

// full returns why a message is not sent to a channel that has had too many, or "". Mails to its members are one message.
func (s *core) full(ctx context.Context, tx pgx.Tx, m OutMessage) (reason string, err error) {
	var ofChannel, all int
	err = tx.QueryRow(ctx, `
		SELECT (SELECT count(*) FROM (
		          SELECT FROM message WHERE workspace_id = $1 AND channel_id = $2 AND account_id IS NULL AND kind <> $3 AND sent_at > $4
		           LIMIT $5) own),
		       (SELECT count(*) FROM (
		          SELECT FROM message WHERE workspace_id = $1 AND channel_id IS NOT NULL AND account_id IS NULL AND kind <> $3 AND sent_at > $4
		           LIMIT $6) every)`, m.Workspace, m.Channel.ID, MessageTest, s.jobNow().Add(-time.Hour), maxOfChannel, maxOfWorkspace).
		Scan(&ofChannel, &all)
	switch {
	case err != nil:
		return "", err
	case ofChannel >= maxOfChannel:
		return sayChannelFull, nil
	case all >= maxOfWorkspace:
		return sayWorkspaceFull, nil
	}
	return "", nil
}

// NextMessage takes the message that has been due for longest for this process. The caller claims it with [Messages.ClaimMessage], and
// ends it or puts it back; until then it is among the held ones of [Jobs.TakeOver]. The error is [ErrNotFound] if no message is due.
func (s Messages) NextMessage(ctx context.Context) (args SendArgs, queuedBy string, err error) {
	err = s.pool.QueryRow(ctx, `
		WITH next AS MATERIALIZED (
		  SELECT workspace_id, id FROM message WHERE state = 'queued' AND process IS NULL AND due_at <= $2
		   ORDER BY due_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
		UPDATE message m SET process = $1 FROM next WHERE m.workspace_id = next.workspace_id AND m.id = next.id
		RETURNING m.workspace_id, m.id, m.traceparent`, s.process, s.jobNow()).Scan(&args.Workspace, &args.Message, &queuedBy)
	return args, queuedBy, plain(err)
}

// ClaimMessage begins an attempt to send a message. Access is checked now: the message of a former member, of a deleted dashboard or of a
// deleted channel was deleted with them ([ErrNotFound]), and a message without an address or to a muted channel ends ([ErrMessageOver]). A
// message to a mail channel becomes one message for each of its members, in the same transaction.
func (s Messages) ClaimMessage(ctx context.Context, args SendArgs) (out OutMessage, err error) {
	over := false
	err = s.tx(ctx, func(tx pgx.Tx) error {
		over = false
		var err error
		var reason string
		if out, reason, err = s.claimMessage(ctx, tx, args); err != nil {
			return err
		}
		switch {
		case reason != "":
			over = true
			return s.endMessage(ctx, tx, out, MessageFailed, reason)
		case out.Channel != nil && out.Channel.Kind == channel.Mail && out.Recipient.ID == uuid.Nil:
			over = true
			return s.fanOut(ctx, tx, out)
		}
		_, err = tx.Exec(ctx, `UPDATE message SET attempts = $3 WHERE workspace_id = $1 AND id = $2`, out.Workspace, out.ID, out.Attempts)
		return err
	})
	if err == nil && over {
		err = ErrMessageOver
	}
	return out, err
}

// Posted reports whether m goes to a URL that an owner of its workspace has chosen, rather than by mail.
func (m OutMessage) Posted() bool { return m.Channel != nil && m.Channel.Kind != channel.Mail }

const (
	putBack   = 1000 // how many messages one statement puts back at most,
	putBackOf = 5000 // of so many that are due first
)

// PutBackMessage undoes the beginning of an attempt at m, which was not made because there was no free slot. m is due again after wait.
// Other due messages would find no slot either, and would delay messages that do, so they are put back too: those to m's channel
// (ofChannel), or else those of its workspace that are posted, or mailed, like m. The first of them is due a step after m, each further one
// a step later. It returns how many these are, at most a thousand. It considers only the 5,000 messages of the workspace that are due
// first: it runs again for each message that is due again, and the messages behind these do not delay others yet.
func (s Messages) PutBackMessage(ctx context.Context, m OutMessage, ofChannel bool, wait, step time.Duration) (others int, err error) {
	var to *uuid.UUID
	if ofChannel {
		to = &m.Channel.ID
	}
	err = s.tx(ctx, func(tx pgx.Tx) error {
		at := s.jobNow()
		if _, err := tx.Exec(ctx, `
			UPDATE message SET attempts = attempts - 1, due_at = $3, process = NULL
			 WHERE workspace_id = $1 AND id = $2 AND state = 'queued' AND attempts > 0`, m.Workspace, m.ID, at.Add(wait)); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `
			WITH head AS MATERIALIZED (
			  SELECT id, channel_id, due_at FROM message
			   WHERE workspace_id = $1 AND state = 'queued' AND process IS NULL AND due_at <= $2 AND id <> $10
			   ORDER BY due_at, id LIMIT $9),
			picked AS (
			  SELECT id FROM head h
			   WHERE CASE WHEN $3::uuid IS NOT NULL THEN channel_id = $3
			              ELSE EXISTS (SELECT FROM channel c WHERE c.workspace_id = $1 AND c.id = h.channel_id AND c.kind <> $4) = $5 END
			   ORDER BY due_at, id LIMIT $6),
			due AS MATERIALIZED (
			  SELECT id, due_at FROM message
			   WHERE workspace_id = $1 AND id = ANY (ARRAY (SELECT id FROM picked)) AND state = 'queued' AND process IS NULL AND due_at <= $2
			   ORDER BY id FOR NO KEY UPDATE SKIP LOCKED),
			line AS MATERIALIZED (SELECT ARRAY (SELECT id FROM due ORDER BY due_at, id) AS ids)
			UPDATE message SET due_at = $7::timestamptz + array_position((SELECT ids FROM line), id) * $8::interval
			 WHERE workspace_id = $1 AND id = ANY ((SELECT ids FROM line)::uuid[])`, // the planner expects short arrays, so it uses the primary key
			m.Workspace, at, to, channel.Mail, m.Posted(), putBack, at.Add(wait), step, putBackOf, m.ID)
		others = int(tag.RowsAffected())
		return err
	})
	return others, err
}

// claimMessage reads a message. reason is why it may not be sent.
func (s *core) claimMessage(ctx context.Context, tx pgx.Tx, args SendArgs) (out OutMessage, reason string, err error) {
	var channelID, account *uuid.UUID
	var state string
	out = OutMessage{Workspace: args.Workspace, ID: args.Message}
	if err := tx.QueryRow(ctx, `
		SELECT kind, state, body, attempts + 1, queued_at, channel_id, account_id
		  FROM message WHERE workspace_id = $1 AND id = $2`, args.Workspace, args.Message).
		Scan(&out.Kind, &state, &out.Body, &out.Attempts, &out.QueuedAt, &channelID, &account); err != nil {
		return out, "", plain(err)
	}
	if state != MessageQueued {
		return out, "", ErrMessageOver
	}
	if err := tx.QueryRow(ctx, `
		SELECT coalesce(d.id, '00000000-0000-0000-0000-000000000000'), coalesce(d.slug, ''), coalesce(d.name, '')
		  FROM message m LEFT JOIN dashboard d ON d.workspace_id = m.workspace_id AND d.id = m.dashboard_id
		 WHERE m.workspace_id = $1 AND m.id = $2`, out.Workspace, out.ID).
		Scan(&out.Dashboard.ID, &out.Dashboard.Slug, &out.Dashboard.Name); err != nil {
		return out, "", plain(err)
	}
	if out.Kind != MessageTest && out.Dashboard.ID == uuid.Nil {
		return out, sayDeleted, nil
	}
	if channelID != nil {
		rows, _ := tx.Query(ctx, selectChannel+` WHERE c.workspace_id = $1 AND c.id = $2`, out.Workspace, *channelID)
		c, err := pgx.CollectExactlyOneRow(rows, scanChannel)
		if err != nil {
			return out, "", plain(err)
		}
		out.Channel = &c
		if out.Kind == MessageAlert && c.Muted(s.jobNow()) {
			return out, sayMuted, nil
		}
		if out.Kind != MessageTest && account == nil {
			if reason, err := s.full(ctx, tx, out); reason != "" || err != nil {
				return out, reason, err
			}
		}
		if c.Kind != channel.Mail {
			if out.target, err = s.channelTarget(ctx, c); err != nil {
				return out, unreadableChannel, nil //nolint:nilerr // it is logged, and the reason is returned
			}
		}
	}
	if account != nil {
		rows, _ := tx.Query(ctx, `SELECT `+accountColumns+` FROM account WHERE id = $1 AND removed_at IS NULL`, *account)
		if out.Recipient, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Account]); errors.Is(err, pgx.ErrNoRows) {
			return out, sayNoAddress, nil // the identity provider removed them
		} else if err != nil {
			return out, "", plain(err)
		}
		if out.Recipient.Email == "" {
			return out, sayNoAddress, nil
		}
	}
	// The member by whose rights the dashboard is read for the message: its recipient, or the longest-serving owner.
	err = tx.QueryRow(ctx, `
		SELECT p.account_id, w.id, w.slug, w.name, p.role, w.plan, (p.provided || p.attributes)::text,
		       coalesce((SELECT o.account_id FROM membership o WHERE o.workspace_id = w.id AND o.role = 'owner'
		                  ORDER BY o.created_at, o.account_id LIMIT 1), '00000000-0000-0000-0000-000000000000')
		  FROM membership p JOIN workspace w ON w.id = p.workspace_id
		 WHERE p.workspace_id = $1 AND (p.account_id = $2 OR $2 IS NULL AND p.role = 'owner')
		 ORDER BY p.created_at, p.account_id LIMIT 1`, out.Workspace, account).
		Scan(&out.Member.account, &out.Member.workspace, &out.Member.slug, &out.Member.name, &out.Member.role, &out.Member.plan,
			(*attributes)(&out.Member.attributes), &out.Account)
	if errors.Is(err, pgx.ErrNoRows) {
		return out, sayNoOwner, nil
	}
	return out, "", err
}

// fanOut replaces the message to a mail channel by one for each of the channel's members with an address.
func (s *core) fanOut(ctx context.Context, tx pgx.Tx, m OutMessage) error {
	rows, _ := tx.Query(ctx, `
		SELECT c.account_id FROM channel_member c JOIN account a ON a.id = c.account_id
		 WHERE c.workspace_id = $1 AND c.channel_id = $2 AND a.email <> '' ORDER BY c.account_id`, m.Workspace, m.Channel.ID)
	people, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return err
	}
	if len(people) == 0 {
		return s.endMessage(ctx, tx, m, MessageFailed, sayNobody)
	}
	mails := make([]Message, len(people))
	for i, account := range people {
		mails[i] = Message{
			Workspace: m.Workspace, Kind: m.Kind, Dashboard: m.Dashboard.ID, Channel: m.Channel.ID, Account: account,
			Body: json.RawMessage(m.Body),
		}
	}
	if err := s.endMessage(ctx, tx, m, MessageSent, ""); err != nil {
		return err
	}
	return Messages{s}.QueueMessages(ctx, tx, mails)
}

// EndMessage ends an attempt at m: it is sent, or failed for a reason that is safe to show, or stays queued
// and is due again after wait.
func (s Messages) EndMessage(ctx context.Context, m OutMessage, state, reason string, wait time.Duration) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		if err := s.endMessage(ctx, tx, m, state, reason); err != nil {
			if errors.Is(err, ErrMessageOver) {
				err = nil
			}
			return err
		}
		if state != MessageQueued {
			return nil
		}
		_, err := tx.Exec(ctx, `UPDATE message SET due_at = $3 WHERE workspace_id = $1 AND id = $2`, m.Workspace, m.ID, s.jobNow().Add(wait))
		return err
	})
}

// endMessage returns [ErrMessageOver] when another process has ended m, or it was deleted.
func (s *core) endMessage(ctx context.Context, tx pgx.Tx, m OutMessage, state, reason string) error {
	if m.Channel != nil && (reason != "" || !m.mailOfChannel()) && reason != sayMuted {
		// The channel before its messages, as everywhere: see doc.go.
		if _, err := tx.Exec(ctx, `
			UPDATE channel SET error = $3, tested_at = CASE WHEN $4 THEN $5 ELSE tested_at END
			 WHERE workspace_id = $1 AND id = $2 AND (error <> $3 OR $4)`,
			m.Workspace, m.Channel.ID, reason, m.Kind == MessageTest, s.jobNow()); err != nil {
			return err
		}
	}
	tag, err := tx.Exec(ctx, `
		UPDATE message SET state = $3, error = $4, sent_at = CASE WHEN $3 = 'sent' THEN $5::timestamptz END, process = NULL
		 WHERE workspace_id = $1 AND id = $2 AND state = 'queued'`, m.Workspace, m.ID, state, reason, s.jobNow())
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrMessageOver
	}
	return err
}

// mailOfChannel reports whether m is one of several mails of a channel. Its arrival does not imply that the others arrived.
func (m OutMessage) mailOfChannel() bool {
	return m.Channel.Kind == channel.Mail && m.Recipient.ID != uuid.Nil && m.Kind != MessageTest
}

// FailLostMessages ends messages that no process will send: tests whose process ended, and messages that were claimed too often or are
// older than [SendFor].
func (s Messages) FailLostMessages(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, `
		UPDATE message SET state = 'failed', error = 'The message could not be delivered.', process = NULL
		 WHERE state = 'queued' AND queued_at < $1 AND (kind = $2 OR process IS NULL AND (attempts >= $3 OR queued_at < $4))`,
		s.jobNow().Add(-2*SendTimeout), MessageTest, maxSends, s.jobNow().Add(-SendFor-time.Hour))
	return err
}

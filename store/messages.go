package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"service/store/channel"
)

// SendQueue is the queue of messages, beside that of refreshes.
const SendQueue = "send"

// SendFor is for how long a message is tried again. One that has not arrived by then is failed.
const SendFor = 24 * time.Hour

// SendTimeout is how long one attempt may take, with what is drawn for it. The queue gives a job to another
// process a while after a refresh could have ended, which is later.
const SendTimeout = 45 * time.Second

// SendArgs are the arguments of a job that sends a message.
type SendArgs struct {
	Workspace uuid.UUID `json:"workspace"`
	Message   uuid.UUID `json:"message"`
}

// Kind names the job in the queue.
func (SendArgs) Kind() string { return "send" }

// InsertOpts gives a job its own queue. Its attempts are for failures of our own and for replicas
// that died: a receiver that does not answer has the job wait, which is no attempt.
func (SendArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: SendQueue, MaxAttempts: 25}
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

// What an alert tells.
const (
	NoticeFired     = "fired"
	NoticeAgain     = "again" // it still is so
	NoticeRecovered = "recovered"
)

// A Notice is what one alert tells: one message for each alert and recipient, however many
// values of its dimension it has.
type Notice struct {
	Alert    string        `json:"alert"` // its id
	Title    string        `json:"title"`
	Severity string        `json:"severity"` // info, warning or critical
	Event    string        `json:"event"`    // fired, again or recovered
	Run      uuid.UUID     `json:"run"`
	At       time.Time     `json:"at"`
	Sentence string        `json:"sentence"`         // whole, in the spec's language
	Values   []NoticeValue `json:"values,omitempty"` // of its dimension, the first 20
	More     int           `json:"more,omitempty"`   // how many values there are besides
	Query    string        `json:"query,omitempty"`  // of the link: filters as in the page's address, without "?"
	Panel    int           `json:"panel,omitempty"`  // that it marks: the number of its anchor; 0 for the top of the page
	Locale   string        `json:"locale,omitempty"` // of the spec; English by default
}

// A NoticeValue is what an alert tells of one value of its dimension.
type NoticeValue struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// A Delivery says which page to send. It is drawn when it is sent.
type Delivery struct {
	Subscription uuid.UUID `json:"subscription"`
	Query        string    `json:"query,omitempty"`  // filters as in the page's address
	Attach       string    `json:"attach,omitempty"` // csv, xlsx, or empty
	Due          time.Time `json:"due"`
}

// A Message is something to be sent to a channel, or to a member: exactly one of them.
type Message struct {
	Workspace uuid.UUID
	ID        uuid.UUID // zero: a new one. Told to the receiver, so that a message that comes twice can be known
	Kind      string
	Dashboard uuid.UUID // zero for a test
	Channel   uuid.UUID
	Account   uuid.UUID
	Body      any // a Notice or a Delivery
}

// QueueMessages queues messages in the transaction that causes them, so that they are sent if and
// only if that is committed: at least once, each with the same id at each attempt.
func (s *Store) QueueMessages(ctx context.Context, tx pgx.Tx, all []Message) error {
	if len(all) == 0 {
		return nil
	}
	at := s.jobNow()
	jobs := make([]river.InsertManyParams, len(all))
	rows := make([][]any, len(all))
	for i, m := range all {
		if m.ID == uuid.Nil {
			m.ID = newID()
		}
		body, err := json.Marshal(m.Body)
		if err != nil {
			return err
		}
		jobs[i].Args = SendArgs{Workspace: m.Workspace, Message: m.ID}
		rows[i] = []any{m.Workspace, m.ID, m.Kind, optional(m.Dashboard), optional(m.Channel), optional(m.Account), body, at}
	}
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"message"},
		[]string{"workspace_id", "id", "kind", "dashboard_id", "channel_id", "account_id", "body", "queued_at"},
		pgx.CopyFromRows(rows)); err != nil {
		return err
	}
	_, err := s.queue.InsertManyFastTx(ctx, tx, jobs)
	return err
}

// An OutMessage is a message that is about to be sent, with what the receiver is told besides.
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
	Member    Member    // as whom the dashboard is read: the recipient, or who answers for the channel
	Account   uuid.UUID // who answers for the workspace: the owner who has been one for longest; zero if there is none
	target    channel.Target
}

// An OutDashboard is the dashboard that a message is about.
type OutDashboard struct {
	ID   uuid.UUID
	Slug string
	Name string
}

// Target is where the message's channel leads.
func (m OutMessage) Target() channel.Target { return m.target }

// Expired reports whether the message has been tried for as long as it is, at a time.
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
func (s *Store) full(ctx context.Context, tx pgx.Tx, m OutMessage) (reason string, err error) {
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

// ClaimMessage begins an attempt to send a message. Whoever may not get it at this moment does not:
// the message of a member who has left, of a dashboard or a channel that is gone went with them
// ([ErrNotFound]), and one without an address or to a muted channel is over ([ErrMessageOver]). A
// message to a mail channel becomes one for each of its members, in the same transaction.
func (s *Store) ClaimMessage(ctx context.Context, args SendArgs) (out OutMessage, err error) {
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

// Posted reports whether m goes to an address that an owner of its workspace has chosen, rather than by mail.
func (m OutMessage) Posted() bool { return m.Channel != nil && m.Channel.Kind != channel.Mail }

const (
	putBack   = 1000 // how many messages one statement puts back at most,
	putBackOf = 5000 // of so many that are due first
)

// PutBackMessage takes back that an attempt at m has begun: it was not made, since there was no slot for it. The caller has m claimed
// again later. Others that are due would find no slot either and keep the queue from those who do, so they are put back too: those to
// its channel (ofChannel) or else those of its workspace that are posted, or mailed, as m is. The first comes again after wait, each
// other a step after the one before. It returns how many these are, a thousand at most. It looks only at the 5,000 that are due first, of
// all workspaces: no index finds those of one that are due, each message that comes again asks, and those behind hold up nobody yet.
func (s *Store) PutBackMessage(ctx context.Context, m OutMessage, ofChannel bool, wait, step time.Duration) (others int, err error) {
	var to *uuid.UUID
	if ofChannel {
		to = &m.Channel.ID
	}
	err = s.tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `
			UPDATE message SET attempts = attempts - 1 WHERE workspace_id = $1 AND id = $2 AND state = 'queued' AND attempts > 0`,
			m.Workspace, m.ID); err != nil {
			return err
		}
		at := s.jobNow()
		tag, err := tx.Exec(ctx, `
			WITH head AS MATERIALIZED (
			  SELECT id, args FROM river_job
			   WHERE queue = $2 AND state = 'available' AND priority = $10 AND scheduled_at <= $3
			   ORDER BY scheduled_at, id LIMIT $11),
			due AS (
			  SELECT q.id, q.scheduled_at
			    FROM head h JOIN river_job q ON q.id = h.id
			   WHERE h.args->>'workspace' = $1::uuid::text AND q.state = 'available' AND q.scheduled_at <= $3
			     AND (SELECT c.id = $4 OR $4 IS NULL AND (c.id IS NOT NULL AND c.kind <> $5) = $6
			            FROM message m LEFT JOIN channel c ON c.workspace_id = m.workspace_id AND c.id = m.channel_id
			           WHERE m.workspace_id = $1 AND m.id = (h.args->>'message')::uuid)
			   ORDER BY q.scheduled_at, q.id LIMIT $7 FOR UPDATE OF q SKIP LOCKED),
			line AS (SELECT id, row_number() OVER (ORDER BY scheduled_at, id) - 1 AS place FROM due)
			UPDATE river_job q SET scheduled_at = $8::timestamptz + line.place * $9::interval FROM line WHERE q.id = line.id`,
			m.Workspace, SendQueue, at, to, channel.Mail, m.Posted(), putBack, at.Add(wait), step, river.PriorityDefault, putBackOf)
		others = int(tag.RowsAffected())
		return err
	})
	return others, err
}

// claimMessage reads a message. reason says why it may not be sent.
func (s *Store) claimMessage(ctx context.Context, tx pgx.Tx, args SendArgs) (out OutMessage, reason string, err error) {
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
				return out, unreadableChannel, nil //nolint:nilerr // it is logged, and the sentence says it
			}
		}
	}
	if account != nil {
		rows, _ := tx.Query(ctx, `SELECT `+accountColumns+` FROM account WHERE id = $1`, *account)
		if out.Recipient, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Account]); err != nil {
			return out, "", plain(err)
		}
		if out.Recipient.Email == "" {
			return out, sayNoAddress, nil
		}
	}
	// Whoever reads the dashboard for the message: its recipient, or the owner who has been one for longest.
	err = tx.QueryRow(ctx, `
		SELECT p.account_id, w.id, w.slug, w.name, p.role, w.plan,
		       coalesce((SELECT o.account_id FROM membership o WHERE o.workspace_id = w.id AND o.role = 'owner'
		                  ORDER BY o.created_at, o.account_id LIMIT 1), '00000000-0000-0000-0000-000000000000')
		  FROM membership p JOIN workspace w ON w.id = p.workspace_id
		 WHERE p.workspace_id = $1 AND (p.account_id = $2 OR $2 IS NULL AND p.role = 'owner')
		 ORDER BY p.created_at, p.account_id LIMIT 1`, out.Workspace, account).
		Scan(&out.Member.account, &out.Member.workspace, &out.Member.slug, &out.Member.name, &out.Member.role, &out.Member.plan,
			&out.Account)
	if errors.Is(err, pgx.ErrNoRows) {
		return out, sayNoOwner, nil
	}
	return out, "", err
}

// fanOut makes of the message to a mail channel one for each member of it who has an address.
func (s *Store) fanOut(ctx context.Context, tx pgx.Tx, m OutMessage) error {
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
	return s.QueueMessages(ctx, tx, mails)
}

// EndMessage ends an attempt at m: it is sent, or failed for a reason that is safe to show, or stays queued
// for another attempt. complete ends the job in the same transaction; nil for none.
func (s *Store) EndMessage(ctx context.Context, m OutMessage, state, reason string, complete func(pgx.Tx) error) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		if err := s.endMessage(ctx, tx, m, state, reason); err != nil && !errors.Is(err, ErrMessageOver) {
			return err
		}
		if complete == nil {
			return nil
		}
		return complete(tx)
	})
}

// endMessage returns [ErrMessageOver] when another process has ended m, or it was deleted.
func (s *Store) endMessage(ctx context.Context, tx pgx.Tx, m OutMessage, state, reason string) error {
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
		UPDATE message SET state = $3, error = $4, sent_at = CASE WHEN $3 = 'sent' THEN $5::timestamptz END
		 WHERE workspace_id = $1 AND id = $2 AND state = 'queued'`, m.Workspace, m.ID, state, reason, s.jobNow())
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrMessageOver
	}
	return err
}

// mailOfChannel reports whether m is one of several mails of a channel. That it has arrived says nothing of
// the others.
func (m OutMessage) mailOfChannel() bool {
	return m.Channel.Kind == channel.Mail && m.Recipient.ID != uuid.Nil && m.Kind != MessageTest
}

// FailLostMessages ends messages that are no longer in the queue: their last attempt died, or somebody
// closed the program during a test.
func (s *Store) FailLostMessages(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, `
		UPDATE message m SET state = 'failed', error = 'The message could not be sent.'
		 WHERE m.state = 'queued' AND m.queued_at < $1
		   AND NOT EXISTS (
		       SELECT FROM river_job q
		        WHERE q.kind = 'send' AND q.state IN ('available', 'pending', 'running', 'retryable', 'scheduled')
		          AND q.args->>'message' = m.id::text)`, s.jobNow().Add(-2*SendTimeout))
	return err
}

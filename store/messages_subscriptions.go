package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"service/store/dashboard"
	"service/store/message"
)

// Limits of subscriptions.
const (
	MaxOwnSubscriptions     = 10 // of a member to one dashboard
	MaxChannelSubscriptions = 20 // of channels to one dashboard
	maxSubscribedQuery      = 4096
)

// Attachments are the files that a delivery can have.
var Attachments = []string{"", "csv", "xlsx", dashboard.AttachPDF}

// A Wish is a subscription that a person requests.
type Wish struct {
	Rhythm  dashboard.Rhythm
	Changed bool                // only when something has changed
	Query   map[string][]string // of the page's address; only filters are stored
	Attach  string              // one of Attachments
	Channel uuid.UUID           // zero: to the member
}

// A Subscription is a stored [Wish], or a proposal of a spec.
type Subscription struct {
	ID          uuid.UUID
	Dashboard   uuid.UUID
	Account     uuid.UUID // zero for a channel's
	Channel     uuid.UUID // zero for a member's
	ChannelSlug string
	ChannelName string
	Rhythm      dashboard.Rhythm
	Timezone    string // of the spec
	Changed     bool
	Query       string // filters, as in the page's address
	Attach      string
	Proposed    bool // by the spec
	Allowed     bool // false: it waits for an owner's approval
	CreatedBy   string
	CreatedAt   time.Time
	DueAt       *time.Time // the next time, or one that waits for a refresh
	Last        *Delivered // the outcome of the last due time; nil for none
}

// Zone is the time zone of the rhythm.
func (u Subscription) Zone() *time.Location {
	if zone, ok := dashboard.Zone(u.Timezone); ok {
		return zone
	}
	return time.UTC
}

// Waits reports whether a due delivery waits for a refresh that succeeds.
func (u Subscription) Waits(now time.Time) bool {
	return u.Allowed && u.DueAt != nil && u.DueAt.Before(now.Add(-time.Minute))
}

// The outcomes of a due time.
const (
	DeliverySent    = "sent"    // given to the outbox
	DeliverySame    = "same"    // nothing had changed
	DeliveryDropped = "dropped" // for a day no refresh succeeded
)

// A Delivered is a due time with its outcome.
type Delivered struct {
	DueAt   time.Time
	At      time.Time
	Outcome string
	State   string // of the message, while the outbox has it: queued, sent or failed
	Error   string // of the message; safe to show
}

const selectSubscription = `
	SELECT u.id, u.dashboard_id, coalesce(u.account_id, '00000000-0000-0000-0000-000000000000'),
	       coalesce(u.channel_id, '00000000-0000-0000-0000-000000000000'), coalesce(c.slug, ''), coalesce(c.name, ''),
	       u.every, u.day, u.minute, u.timezone, u.changed, u.query, u.attach, u.proposal IS NOT NULL, u.allowed,
	       CASE WHEN a.id IS NULL THEN '' ELSE ` + calledSQL + ` END, u.created_at, u.due_at,
	       l.due_at, l.at, l.outcome, l.state, l.error
	  FROM subscription u
	  LEFT JOIN channel c ON c.workspace_id = u.workspace_id AND c.id = u.channel_id
	  LEFT JOIN account a ON a.id = u.created_by
	  LEFT JOIN LATERAL (
	       SELECT e.due_at, e.at, e.outcome, m.state, m.error
	         FROM delivery e LEFT JOIN message m ON m.workspace_id = e.workspace_id AND m.id = e.message_id
	        WHERE e.workspace_id = u.workspace_id AND e.subscription_id = u.id ORDER BY e.due_at DESC LIMIT 1) l ON true`

func scanSubscription(row pgx.CollectableRow) (u Subscription, err error) {
	var due, at *time.Time
	var last Delivered
	if err := row.Scan(&u.ID, &u.Dashboard, &u.Account, &u.Channel, &u.ChannelSlug, &u.ChannelName,
		&u.Rhythm.Every, &u.Rhythm.Day, &u.Rhythm.Minute, &u.Timezone, &u.Changed, &u.Query, &u.Attach, &u.Proposed, &u.Allowed,
		&u.CreatedBy, &u.CreatedAt, &u.DueAt,
		&due, &at, (*zeronull.Text)(&last.Outcome), (*zeronull.Text)(&last.State), (*zeronull.Text)(&last.Error)); err != nil {
		return u, err
	}
	if due != nil {
		last.DueAt, last.At = *due, *at
		u.Last = &last
	}
	return u, nil
}

// Subscriptions lists the subscriptions of the member m and of channels to the dashboard d, the oldest first. Other members do not see a
// member's subscriptions.
func (s Messages) Subscriptions(ctx context.Context, m Member, d Dashboard) ([]Subscription, error) {
	rows, _ := s.pool.Query(ctx, selectSubscription+`
		 WHERE u.workspace_id = $1 AND u.dashboard_id = $2 AND (u.account_id = $3 OR u.channel_id IS NOT NULL) ORDER BY u.id`,
		m.workspace, d.ID, m.account)
	return pgx.CollectRows(rows, scanSubscription)
}

// Subscription returns a subscription that m may see, or [ErrNotFound].
func (s Messages) Subscription(ctx context.Context, m Member, d Dashboard, id uuid.UUID) (Subscription, error) {
	rows, _ := s.pool.Query(ctx, selectSubscription+`
		 WHERE u.workspace_id = $1 AND u.dashboard_id = $2 AND (u.account_id = $3 OR u.channel_id IS NOT NULL) AND u.id = $4`,
		m.workspace, d.ID, m.account, id)
	u, err := pgx.CollectExactlyOneRow(rows, scanSubscription)
	return u, plain(err)
}

// Subscribe subscribes m, or a channel, to the dashboard called slug. It returns [ErrStatic] for a dashboard without a spec, and
// [ErrNotFound] for an unknown channel. A wish for the same filters at the same times replaces the one before.
func (s Messages) Subscribe(ctx context.Context, m Member, slug string, w Wish) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		if w.Channel != uuid.Nil {
			if err := mayDeliver(ctx, tx, m); err != nil {
				return err
			}
		}
		d, err := lockDashboard(ctx, tx, m.workspace, slug)
		if err != nil {
			return err
		}
		if !d.Refreshable() {
			return ErrStatic
		}
		u := subscriber{workspace: m.workspace, dashboard: d, by: m.account, wish: w, allowed: true}
		spec, err := s.specOf(ctx, tx, m.workspace, d)
		if err != nil {
			return err
		}
		if u.query = spec.Chosen(w.Query); len(u.query) > maxSubscribedQuery {
			return message.Refuse("The filters are too long to be kept. Choose fewer values.")
		}
		u.zone = spec.Location()
		if err := s.addSubscription(ctx, tx, u); err != nil {
			return err
		}
		if err := roomFor(ctx, tx, m, d, w.Channel); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "subscription.add", Subject: d.Slug,
			Detail: map[string]any{"every": w.Rhythm.Every, "channel": w.Channel != uuid.Nil},
		})
	})
}

// mayDeliver refuses to send a dashboard to channels unless m is an owner now.
func mayDeliver(ctx context.Context, tx pgx.Tx, m Member) error {
	owner, err := isOwner(ctx, tx, m.workspace, m.account)
	if err == nil && !owner {
		err = message.Refuse("Only an owner of the workspace decides what its channels are sent.")
	}
	return err
}

// roomFor refuses one subscription too many, which has been written already.
func roomFor(ctx context.Context, tx pgx.Tx, m Member, d Dashboard, channel uuid.UUID) error {
	var own, channels int
	if err := tx.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE account_id = $3), count(channel_id) FROM subscription WHERE workspace_id = $1 AND dashboard_id = $2`,
		m.workspace, d.ID, m.account).Scan(&own, &channels); err != nil {
		return err
	}
	switch {
	case channel == uuid.Nil && own > MaxOwnSubscriptions:
		return message.Refuse("You are sent this dashboard in %d ways, the most there can be. End one of them first.", MaxOwnSubscriptions)
	case channel != uuid.Nil && channels > MaxChannelSubscriptions:
		return message.Refuse("Channels are sent this dashboard in %d ways, the most there can be. End one of them first.",
			MaxChannelSubscriptions)
	}
	return nil
}

// specOf is the current spec of d.
func (s *core) specOf(ctx context.Context, tx pgx.Tx, workspace uuid.UUID, d Dashboard) (*dashboard.Spec, error) {
	content, err := s.blob(ctx, tx, workspace, d.SHA256)
	if err != nil {
		return nil, err
	}
	spec, err := dashboard.ParseStored(content)
	if err != nil {
		return nil, fmt.Errorf("version %s: %w", d.VersionID, err)
	}
	return spec, nil
}

// A subscriber is a subscription that is being written.
type subscriber struct {
	workspace uuid.UUID
	dashboard Dashboard
	by        uuid.UUID
	wish      Wish
	query     string
	zone      *time.Location
	proposal  []byte    // nil: people made it
	account   uuid.UUID // of a proposal for a member
	allowed   bool
}

// addSubscription writes a subscription, which is due from now on. Later changes are found by comparing with the
// present state, which the subscriber has seen.
func (s *core) addSubscription(ctx context.Context, tx pgx.Tx, u subscriber) error {
	r := u.wish.Rhythm
	if !slices.Contains(Attachments, u.wish.Attach) {
		return noAttachment(u.wish.Attach)
	}
	var due, look *time.Time
	if u.allowed {
		due = s.firstDue(r, u.zone)
		look = due
	}
	account := u.by
	switch {
	case u.wish.Channel != uuid.Nil:
		account = uuid.Nil
	case u.proposal != nil:
		account = u.account
	}
	again := `UPDATE SET changed = excluded.changed, attach = excluded.attach`
	if u.proposal != nil { // the member has subscribed to the same
		again = `NOTHING`
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO subscription (workspace_id, id, dashboard_id, account_id, channel_id, every, day, minute, timezone, changed, query, attach,
		                          proposal, allowed, created_by, created_at, due_at, look_at, sent_hash)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, `+contentHash+`
		  FROM dashboard d JOIN version v ON v.workspace_id = d.workspace_id AND v.id = d.version_id
		 WHERE d.workspace_id = $1 AND d.id = $3
		ON CONFLICT (workspace_id, dashboard_id, account_id, every, day, minute, md5(query)) WHERE account_id IS NOT NULL DO `+again,
		u.workspace, newID(), u.dashboard.ID, optional(account), optional(u.wish.Channel), r.Every, r.Day, r.Minute, u.zone.String(),
		u.wish.Changed, u.query, u.wish.Attach, u.proposal, u.allowed, u.by, s.now(), due, look)
	if isForeign(err) { // the channel, or the membership, was deleted
		return ErrNotFound
	}
	return err
}

// contentHash shows whether a version v and its rows have changed.
const contentHash = `
	md5(encode(v.sha256, 'hex') || coalesce((SELECT string_agg(x.dataset || ' ' || encode(x.sha256, 'hex'), ' ' ORDER BY x.dataset)
	      FROM dataset x WHERE x.workspace_id = v.workspace_id AND x.version_id = v.id), ''))`

// ChangeSubscription sets the rhythm, the attachment and the condition of w for a subscription that m may change; the subscription keeps
// its filters and its receiver. A subscription that a spec proposed is changed in the spec.
func (s Messages) ChangeSubscription(ctx context.Context, m Member, slug string, id uuid.UUID, w Wish) error {
	if !slices.Contains(Attachments, w.Attach) {
		return noAttachment(w.Attach)
	}
	return s.tx(ctx, func(tx pgx.Tx) error {
		d, u, err := lockOwn(ctx, tx, m, slug, id)
		if err != nil {
			return err
		}
		if u.Proposed {
			return message.Refuse("The spec of the dashboard says what this channel is sent: deliver in it changes that.")
		}
		due := u.DueAt
		if w.Rhythm != u.Rhythm { // a delivery that waits for a refresh was due in the rhythm before
			due = s.firstDue(w.Rhythm, u.Zone())
		}
		if _, err := tx.Exec(ctx, `
			UPDATE subscription SET every = $3, day = $4, minute = $5, changed = $6, attach = $7, due_at = $8, look_at = $8
			 WHERE workspace_id = $1 AND id = $2`,
			m.workspace, id, w.Rhythm.Every, w.Rhythm.Day, w.Rhythm.Minute, w.Changed, w.Attach, due); errors.Is(plain(err), ErrTaken) {
			return message.Refuse("You are sent the same at these times already.")
		} else if err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "subscription.change", Subject: d.Slug,
			Detail: map[string]any{"every": w.Rhythm.Every, "channel": u.Channel != uuid.Nil},
		})
	})
}

// lockOwn locks a dashboard and one of its subscriptions that m may change: only owners may change a channel's.
func lockOwn(ctx context.Context, tx pgx.Tx, m Member, slug string, id uuid.UUID) (d Dashboard, u Subscription, err error) {
	if d, err = lockDashboard(ctx, tx, m.workspace, slug); err != nil {
		return d, u, err
	}
	if u, err = lockSubscription(ctx, tx, m, d, id); err != nil || u.Channel == uuid.Nil {
		return d, u, err
	}
	return d, u, mayDeliver(ctx, tx, m)
}

// lockSubscription reads and locks a subscription that m may see, of a dashboard that is locked.
func lockSubscription(ctx context.Context, tx pgx.Tx, m Member, d Dashboard, id uuid.UUID) (Subscription, error) {
	rows, _ := tx.Query(ctx, selectSubscription+`
		 WHERE u.workspace_id = $1 AND u.dashboard_id = $2 AND (u.account_id = $3 OR u.channel_id IS NOT NULL) AND u.id = $4
		   FOR UPDATE OF u`, m.workspace, d.ID, m.account, id)
	u, err := pgx.CollectExactlyOneRow(rows, scanSubscription)
	return u, plain(err)
}

// firstDue returns when a subscription that begins now is first due; nil if it is due after the next refresh.
func (s *core) firstDue(r dashboard.Rhythm, zone *time.Location) *time.Time {
	if !r.Timed() {
		return nil
	}
	return new(r.Next(s.jobNow(), zone))
}

func noAttachment(name string) error {
	return message.Refuse(`"%s" cannot be attached: csv, xlsx or pdf can`, name)
}

// isForeign reports whether the error is about a row that refers to a deleted one.
func isForeign(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "23503"
}

// EndSubscription ends a subscription of m or of a channel. Only owners may end a channel's; a proposal of a spec stays as a proposal.
func (s Messages) EndSubscription(ctx context.Context, m Member, slug string, id uuid.UUID) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		d, u, err := lockOwn(ctx, tx, m, slug, id)
		if err != nil {
			return err
		}
		end := `DELETE FROM subscription WHERE workspace_id = $1 AND id = $2`
		if u.Proposed { // otherwise the next publish would start it again
			end = `UPDATE subscription SET allowed = false, due_at = NULL, look_at = NULL WHERE workspace_id = $1 AND id = $2`
		}
		if _, err := tx.Exec(ctx, end, m.workspace, id); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "subscription.end", Subject: d.Slug,
			Detail: map[string]any{"channel": u.Channel != uuid.Nil},
		})
	})
}

// AllowSubscription allows the delivery to a channel that a spec proposes. m must be an owner.
func (s Messages) AllowSubscription(ctx context.Context, m Member, slug string, id uuid.UUID) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		d, err := lockDashboard(ctx, tx, m.workspace, slug)
		if err != nil {
			return err
		}
		u, err := lockSubscription(ctx, tx, m, d, id)
		if err != nil {
			return err
		}
		if u.Channel != uuid.Nil { // the subscriptions of a member are the member's to change
			if err := mayDeliver(ctx, tx, m); err != nil {
				return err
			}
		}
		if u.Allowed {
			return nil
		}
		if _, err := tx.Exec(ctx, `
			UPDATE subscription SET allowed = true, due_at = $3, look_at = $3 WHERE workspace_id = $1 AND id = $2`,
			m.workspace, id, s.firstDue(u.Rhythm, u.Zone())); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "subscription.allow", Subject: d.Slug,
			Detail: map[string]any{"channel": u.ChannelSlug},
		})
	})
}

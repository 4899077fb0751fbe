package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard"
)

// WaitsFor is how long a due delivery waits for a refresh that succeeds. Then it is dropped.
const WaitsFor = 24 * time.Hour

// deliverBatch is how many subscriptions one transaction looks at.
const deliverBatch = 200

// Deliver queues the deliveries that are due, and returns how many messages it queued. Each due time becomes at most one message, however
// many replicas call it. Workspaces take turns.
//
// A due delivery waits while the last refresh of its dashboard failed or its rows are older than they should be: after a refresh that
// succeeds it is looked at again. After [WaitsFor] it is dropped.
func (s Messages) Deliver(ctx context.Context) (sent int, err error) {
	for {
		n, all, err := s.deliver(ctx)
		sent += n
		if err != nil || all < deliverBatch {
			return sent, err
		}
	}
}

// A dueRow is a subscription that is due, with the state of its dashboard.
type dueRow struct {
	Workspace, ID, Dashboard uuid.UUID
	Account, Channel         *uuid.UUID
	Every                    string
	Day, Minute              int
	Timezone                 string
	Changed                  bool
	Query, Attach            string
	DueAt                    time.Time
	SentHash                 string
	Kind                     string     // of the dashboard's version
	State                    *string    // of its last run that has ended; nil for none
	FinishedAt               *time.Time // that run
	Hash                     string     // see contentHash
	Expression, ScheduleZone *string    // of its refreshes; nil: it has no schedule
	ScheduledAt              *time.Time // when that schedule was made
	rhythm                   dashboard.Rhythm
	zone                     *time.Location
}

func (s *core) deliver(ctx context.Context) (sent, all int, err error) {
	err = s.tx(ctx, func(tx pgx.Tx) error {
		sent, all = 0, 0
		now := s.jobNow()
		rows, _ := tx.Query(ctx, `
			SELECT u.workspace_id, u.id, u.dashboard_id, u.account_id, u.channel_id, u.every, u.day, u.minute, u.timezone, u.changed,
			       u.query, u.attach, u.due_at, u.sent_hash, v.kind, r.state, r.finished_at, `+contentHash+`,
			       c.expression, c.timezone, c.updated_at
			  FROM subscription u
			  JOIN dashboard d ON d.workspace_id = u.workspace_id AND d.id = u.dashboard_id
			  JOIN version v ON v.workspace_id = d.workspace_id AND v.id = d.version_id
			  LEFT JOIN schedule c ON c.workspace_id = d.workspace_id AND c.dashboard_id = d.id
			  LEFT JOIN LATERAL (
			       SELECT state, finished_at FROM refresh_run r
			        WHERE r.workspace_id = v.workspace_id AND r.version_id = v.id AND r.state IN ('succeeded', 'partial', 'failed')
			        ORDER BY r.id DESC LIMIT 1) r ON true
			 WHERE u.look_at <= $1 AND (u.workspace_id, u.id) IN (
			       SELECT workspace_id, id FROM (
			              SELECT workspace_id, id, look_at, row_number() OVER (PARTITION BY workspace_id ORDER BY look_at, id) AS turn
			                FROM subscription WHERE look_at <= $1) w
			        ORDER BY turn, look_at, id LIMIT $2)
			   FOR UPDATE OF u SKIP LOCKED`, now, deliverBatch)
		due, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (d dueRow, err error) {
			err = row.Scan(&d.Workspace, &d.ID, &d.Dashboard, &d.Account, &d.Channel, &d.Every, &d.Day, &d.Minute, &d.Timezone, &d.Changed,
				&d.Query, &d.Attach, &d.DueAt, &d.SentHash, &d.Kind, &d.State, &d.FinishedAt, &d.Hash,
				&d.Expression, &d.ScheduleZone, &d.ScheduledAt)
			d.rhythm = dashboard.Rhythm{Every: d.Every, Day: d.Day, Minute: d.Minute}
			d.zone = Subscription{Timezone: d.Timezone}.Zone()
			return d, err
		})
		if err != nil {
			return err
		}
		all = len(due)
		var out []Message
		var batch pgx.Batch
		for _, d := range due {
			outcome, next, look := d.judge(now)
			hash, message := d.SentHash, uuid.Nil
			if outcome == DeliverySent {
				hash, message = d.Hash, newID()
				out = append(out, Message{
					Workspace: d.Workspace, ID: message, Kind: MessageDelivery, Dashboard: d.Dashboard,
					Channel: deref(d.Channel), Account: deref(d.Account),
					Body: Delivery{Subscription: d.ID, Query: d.Query, Attach: d.Attach, Due: d.DueAt},
				})
			}
			batch.Queue(`UPDATE subscription SET due_at = $3, look_at = $4, sent_hash = $5 WHERE workspace_id = $1 AND id = $2`,
				d.Workspace, d.ID, next, look, hash)
			if outcome == DeliverySent || outcome != "" && d.rhythm.Timed() { // "nothing changed" is not recorded for each refresh
				batch.Queue(`
					INSERT INTO delivery (workspace_id, subscription_id, due_at, at, outcome, message_id) VALUES ($1, $2, $3, $4, $5, $6)`,
					d.Workspace, d.ID, d.DueAt, now, outcome, optional(message))
			}
		}
		if err := tx.SendBatch(ctx, &batch).Close(); err != nil {
			return err
		}
		sent = len(out)
		return Messages{s}.QueueMessages(ctx, tx, out)
	})
	return sent, all, err
}

// judge decides on a due time. outcome is empty while the delivery waits, and if its dashboard is not a spec. due is when the subscription
// is due next, and look when it is looked at again.
func (d dueRow) judge(now time.Time) (outcome string, due, look *time.Time) {
	next := func() *time.Time {
		if t := d.rhythm.Following(d.DueAt, now, d.zone); !t.IsZero() {
			return &t
		}
		return nil
	}
	switch {
	case d.Kind != KindSpec: // a static document replaced it
		due = next()
		return "", due, due
	case now.Sub(d.DueAt) >= WaitsFor:
		due = next()
		return DeliveryDropped, due, due
	case !d.fresh():
		return "", &d.DueAt, new(d.DueAt.Add(WaitsFor))
	case d.Changed && d.Hash == d.SentHash:
		due = next()
		return DeliverySame, due, due
	}
	due = next()
	return DeliverySent, due, due
}

// fresh reports whether the rows may be sent: the last refresh has succeeded, and it ended after the
// schedule's last time before the due one. Without a schedule, it ended after the time that was due before
// this one.
func (d dueRow) fresh() bool {
	if d.State == nil || *d.State != RunSucceeded {
		return false
	}
	if !d.rhythm.Timed() {
		return true // a refresh has made it due
	}
	since := d.rhythm.Before(d.DueAt, d.zone)
	if d.Expression != nil {
		if c, err := readSchedule(*d.Expression, *d.ScheduleZone); err == nil {
			if last := c.Last(d.DueAt); last.After(*d.ScheduledAt) {
				since = last
			}
		}
	}
	return !d.FinishedAt.Before(since)
}

func deref(id *uuid.UUID) uuid.UUID {
	if id == nil {
		return uuid.Nil
	}
	return *id
}

// followZone moves the times of a dashboard's subscriptions to the time zone of its spec, if that has changed.
func (s *core) followZone(ctx context.Context, tx pgx.Tx, workspace, id uuid.UUID, zone *time.Location) error {
	rows, _ := tx.Query(ctx, selectSubscription+`
		 WHERE u.workspace_id = $1 AND u.dashboard_id = $2 AND u.timezone <> $3 ORDER BY u.id FOR UPDATE OF u`, workspace, id, zone.String())
	all, err := pgx.CollectRows(rows, scanSubscription)
	if err != nil {
		return err
	}
	now := s.jobNow()
	for _, u := range all {
		due := u.DueAt
		if due != nil && due.After(now) && u.Rhythm.Timed() { // not what waits already
			due = s.firstDue(u.Rhythm, zone)
		}
		if _, err := tx.Exec(ctx, `
			UPDATE subscription SET timezone = $3, due_at = $4, look_at = CASE WHEN look_at = due_at THEN $4 ELSE look_at END
			 WHERE workspace_id = $1 AND id = $2`, workspace, u.ID, zone.String(), due); err != nil {
			return err
		}
	}
	return nil
}

// refreshed makes [Messages.Deliver] look at the deliveries that wait for a refresh of a dashboard, or are sent after each. tx ends a
// refresh that has succeeded.
func (s *core) refreshed(ctx context.Context, tx pgx.Tx, j Job) error {
	_, err := tx.Exec(ctx, `
		UPDATE subscription u SET due_at = coalesce(u.due_at, $4), look_at = $4
		  FROM dashboard d
		 WHERE u.workspace_id = $1 AND u.dashboard_id = $2 AND d.workspace_id = $1 AND d.id = $2 AND d.version_id = $3
		   AND u.allowed AND (u.due_at <= $4 OR u.due_at IS NULL AND u.every = 'refresh')`,
		j.Workspace, j.Dashboard, j.Version, s.jobNow())
	return err
}

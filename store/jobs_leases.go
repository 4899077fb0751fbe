package store

import (
	"context"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// A process that refreshes dashboards renews its lease every RenewEvery. If a lease is not renewed for LeaseLasts, other processes may take
// its runs.
const (
	RenewEvery = 2 * time.Second
	LeaseLasts = 8 * time.Second
)

// SyncClock finds out how far this process's clock is from the database's. Times of
// refreshes are the database's, so that all replicas have the same.
// It asks a few times and uses the quickest answer: one that waited for a connection is inexact by half of the wait.
func (s Jobs) SyncClock(ctx context.Context) error {
	quickest := time.Duration(math.MaxInt64)
	for range 3 {
		before := s.opt.Now()
		var now time.Time
		if err := s.gate.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now); err != nil {
			return err
		}
		if took := s.opt.Now().Sub(before); took < quickest {
			quickest = took
			s.ahead.Store(int64(before.Add(took / 2).Sub(now)))
		}
	}
	return nil
}

// DatabaseNow is the time by the database's clock, as of the last [Jobs.SyncClock].
// Before the first it is the process's own.
func (s Jobs) DatabaseNow() time.Time { return s.opt.Now().Add(-time.Duration(s.ahead.Load())) }

// jobNow is DatabaseNow at the database's precision.
func (s *core) jobNow() time.Time { return Jobs{s}.DatabaseNow().UTC().Truncate(time.Microsecond) }

// RenewLease records that this process is alive.
func (s Jobs) RenewLease(ctx context.Context) error {
	_, err := s.gate.Exec(ctx, `
		INSERT INTO refresh_process AS p (id, renewed_at) VALUES ($1, clock_timestamp())
		ON CONFLICT (id) DO UPDATE SET renewed_at = excluded.renewed_at`, s.process)
	return err
}

// EndLease records that this process no longer refreshes.
func (s Jobs) EndLease(ctx context.Context) error {
	_, err := s.gate.Exec(ctx, `DELETE FROM refresh_process WHERE id = $1`, s.process)
	return err
}

// maxAttempts and maxSends limit how often a run is started and a message is claimed: one that kills its process each time ends. A
// failed run is not started again; further attempts follow dead processes and internal errors.
const (
	maxAttempts = 5
	maxSends    = 50
)

// Taken counts the results of [Jobs.TakeOver].
type Taken struct {
	Runs     int // that are queued again
	Failed   int // runs that ended, because they had been started too often
	Messages int // that are queued again
}

// TakeOver queues again the runs and messages of dead processes: those without a lease, or all other processes if alone. held are the
// runs and messages under way in this process; attempts at its other ones have failed, and these are queued again too.
func (s Jobs) TakeOver(ctx context.Context, alone bool, held []uuid.UUID) (t Taken, err error) {
	const lost = `(CASE WHEN r.process = $1 THEN r.id <> ALL ($2) WHEN $3 THEN true
	                    ELSE r.process IS NOT NULL AND NOT EXISTS (
	                         SELECT FROM refresh_process p WHERE p.id = r.process AND p.renewed_at > clock_timestamp() - $4::interval) END)`
	if held == nil {
		held = []uuid.UUID{}
	}
	// A run that takes twice its time hangs. Its share is free already.
	rows, _ := s.pool.Query(ctx, `
		UPDATE refresh_run u
		   SET state = CASE WHEN attempts < $6 THEN 'queued' ELSE 'failed' END,
		       started_at = CASE WHEN attempts < $6 THEN NULL ELSE started_at END, process = NULL,
		       finished_at = CASE WHEN attempts < $6 THEN NULL ELSE $7::timestamptz END,
		       error = CASE WHEN attempts < $6 THEN '' ELSE 'The refresh was interrupted too often. Trigger it again.' END
		  FROM (SELECT workspace_id, id FROM refresh_run r WHERE state = 'running' AND (`+lost+` OR started_at <= $5)
		         ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) l
		 WHERE u.workspace_id = l.workspace_id AND u.id = l.id AND u.state = 'running' RETURNING u.state`,
		s.process, held, alone, LeaseLasts, s.jobNow().Add(-2*RefreshTimeout), maxAttempts, s.jobNow())
	var state string
	if _, err := pgx.ForEachRow(rows, []any{&state}, func() error {
		if t.Runs++; state == RunFailed {
			t.Runs, t.Failed = t.Runs-1, t.Failed+1
		}
		return nil
	}); err != nil {
		return t, err
	}
	tag, err := s.pool.Exec(ctx, `
		UPDATE message u
		   SET process = NULL,
		       due_at = CASE WHEN l.process = $1 THEN $5::timestamptz + interval '10 s' WHEN l.process IS NULL THEN $5 ELSE u.due_at END,
		       attempts = attempts + (l.process IS NOT DISTINCT FROM $1)::integer
		  FROM (SELECT workspace_id, id, process FROM message r
		         WHERE state = 'queued' AND kind <> $6 AND (process IS NOT NULL AND `+lost+` OR due_at IS NULL AND ($3 OR queued_at <= $7))
		         ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) l
		 WHERE u.workspace_id = l.workspace_id AND u.id = l.id`,
		s.process, held, alone, LeaseLasts, s.jobNow(), MessageTest, s.jobNow().Add(-2*SendTimeout))
	if err != nil {
		return t, err
	}
	t.Messages = int(tag.RowsAffected())
	_, err = s.pool.Exec(ctx, `
		DELETE FROM refresh_process WHERE id <> $1 AND renewed_at <= clock_timestamp() - $2::interval`, s.process, LeaseLasts)
	return t, err
}

// queueChannel is the channel of notifications. Their payload is the name of a table with new rows.
const queueChannel = "service_queue"

// The tables that announce new work.
const (
	RefreshQueue = "refresh_run"
	SendQueue    = "message"
)

// Listen calls on with [RefreshQueue] or [SendQueue] when rows are queued there, until ctx or the connection ends. It keeps a
// connection of the pool.
func (s Jobs) Listen(ctx context.Context, on func(queue string)) error {
	pooled, err := s.gate.Acquire(ctx)
	if err != nil {
		return err
	}
	defer pooled.Release() // which drops a connection that is closed
	conn := pooled.Conn()
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		conn.Close(end)
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+queueChannel); err != nil {
		return err
	}
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		on(n.Payload)
	}
}

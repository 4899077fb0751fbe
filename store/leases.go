package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// A process that refreshes dashboards says every RenewEvery that it is alive. After
// LeaseLasts without a word its runs are anybody's.
const (
	RenewEvery = 2 * time.Second
	LeaseLasts = 8 * time.Second
)

// SyncClock finds out how far this process's clock is from the database's. Times of
// refreshes are the database's, so that all replicas have the same.
func (s *Store) SyncClock(ctx context.Context) error {
	before := s.opt.Now()
	var now time.Time
	if err := s.gate.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now); err != nil {
		return err
	}
	between := before.Add(s.opt.Now().Sub(before) / 2)
	s.ahead.Store(int64(between.Sub(now)))
	return nil
}

// DatabaseNow is the time by the database's clock, as of the last [Store.SyncClock].
// Before the first it is the process's own.
func (s *Store) DatabaseNow() time.Time { return s.opt.Now().Add(-time.Duration(s.ahead.Load())) }

// jobNow is DatabaseNow at the database's precision.
func (s *Store) jobNow() time.Time { return s.DatabaseNow().UTC().Truncate(time.Microsecond) }

// RenewLease says that this process is alive.
func (s *Store) RenewLease(ctx context.Context) error {
	_, err := s.gate.Exec(ctx, `
		INSERT INTO refresh_process AS p (id, renewed_at) VALUES ($1, clock_timestamp())
		ON CONFLICT (id) DO UPDATE SET renewed_at = excluded.renewed_at`, s.process)
	return err
}

// EndLease says that this process refreshes no more.
func (s *Store) EndLease(ctx context.Context) error {
	_, err := s.gate.Exec(ctx, `DELETE FROM refresh_process WHERE id = $1`, s.process)
	return err
}

// TakeOver queues again what processes were performing that are dead: all others, when
// this one is alone. It returns how many runs those are. A run counts as another attempt
// of its job, of which the last is not queued again: [Store.FailLostRuns] ends that run.
func (s *Store) TakeOver(ctx context.Context, alone bool) (runs int, err error) {
	const dead = `
		SELECT r.id FROM refresh_run r
		 WHERE r.state = 'running'
		   AND CASE WHEN $1 THEN r.process IS DISTINCT FROM $2
		       ELSE r.process IS NOT NULL AND NOT EXISTS (
		            SELECT FROM refresh_process p WHERE p.id = r.process AND p.renewed_at > clock_timestamp() - $3::interval) END`
	args := []any{alone, s.process, LeaseLasts}
	var some bool
	if err := s.pool.QueryRow(ctx, `SELECT EXISTS (`+dead+`)`, args...).Scan(&some); err != nil || !some {
		return 0, err
	}
	err = s.tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, turnsLock); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, `
			UPDATE refresh_run SET state = 'queued', started_at = NULL, process = NULL
			 WHERE id IN (`+dead+` FOR NO KEY UPDATE SKIP LOCKED) AND state = 'running' RETURNING id::text`, args...)
		lost, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		runs = len(lost)
		if _, err := tx.Exec(ctx, `
			UPDATE river_job
			   SET state = CASE WHEN attempt < max_attempts THEN 'available' ELSE 'discarded' END::river_job_state,
			       scheduled_at = now(), finalized_at = CASE WHEN attempt < max_attempts THEN NULL ELSE now() END
			 WHERE kind = 'refresh' AND state = 'running' AND args->>'run' = ANY ($1)`, lost); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			DELETE FROM refresh_process WHERE id <> $1 AND renewed_at <= clock_timestamp() - $2::interval`, s.process, LeaseLasts)
		return err
	})
	return runs, err
}

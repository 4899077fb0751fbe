package store

import (
	"context"
	"slices"
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

// Process names this process among those that refresh, and is the name that the queue notes with the jobs it gives it.
func (s *Store) Process() string { return s.process.String() }

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

// TakeOver queues again what processes were performing, or about to, that are dead: all others, when
// this one is alone. It returns how many runs those are. A run counts as another attempt
// of its job, of which the last is not queued again: [Store.FailLostRuns] ends that run.
func (s *Store) TakeOver(ctx context.Context, alone bool) (runs int, err error) {
	const dead = `
		SELECT r.id FROM refresh_run r
		 WHERE r.state = 'running'
		   AND CASE WHEN $1 THEN r.process IS DISTINCT FROM $2
		       ELSE r.process IS NOT NULL AND NOT EXISTS (
		            SELECT FROM refresh_process p WHERE p.id = r.process AND p.renewed_at > clock_timestamp() - $3::interval) END`
	if alone { // messages that were under way; elsewhere the queue finds them by the time
		if _, err := s.pool.Exec(ctx, `
			UPDATE river_job
			   SET state = CASE WHEN attempt < max_attempts THEN 'available' ELSE 'discarded' END::river_job_state,
			       scheduled_at = now(), finalized_at = CASE WHEN attempt < max_attempts THEN NULL ELSE now() END
			 WHERE kind = 'send' AND state = 'running'`); err != nil {
			return 0, err
		}
	}
	// Jobs that such a process had got from the queue, and whose runs it had not started. The queue would
	// give them up after a minute.
	const fetched = `
		SELECT q.id FROM river_job q
		  JOIN refresh_run r ON r.workspace_id = (q.args->>'workspace')::uuid AND r.id = (q.args->>'run')::uuid AND r.state = 'queued'
		 WHERE q.kind = 'refresh' AND q.state = 'running' AND q.attempted_by[cardinality(q.attempted_by)] ~ '^[0-9a-f]{8}-[0-9a-f-]{27}$'
		   AND CASE WHEN $1 THEN q.attempted_by[cardinality(q.attempted_by)] <> $2::text
		       ELSE NOT EXISTS (SELECT FROM refresh_process p WHERE p.id::text = q.attempted_by[cardinality(q.attempted_by)]
		                           AND p.renewed_at > clock_timestamp() - $3::interval) END`
	args := []any{alone, s.process, LeaseLasts}
	names := []any{alone, s.Process(), LeaseLasts}
	var some, more bool
	if err := s.pool.QueryRow(ctx, `SELECT EXISTS (`+fetched+`)`, names...).Scan(&more); err != nil {
		return 0, err
	}
	if err := s.pool.QueryRow(ctx, `SELECT EXISTS (`+dead+`)`, args...).Scan(&some); err != nil || !some && !more {
		return 0, err
	}
	err = s.tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, turnsLock); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, `
			UPDATE refresh_run SET state = 'queued', started_at = NULL, process = NULL
			 WHERE id IN (`+dead+` FOR NO KEY UPDATE SKIP LOCKED) AND state = 'running' RETURNING workspace_id, id`, args...)
		lost, err := pgx.CollectRows(rows, pgx.RowToStructByPos[RefreshArgs])
		if err != nil {
			return err
		}
		runs = len(lost)
		ids := make([]string, len(lost))
		for i, l := range lost {
			ids[i] = l.Run.String()
		}
		rows, _ = tx.Query(ctx, `
			UPDATE river_job
			   SET state = CASE WHEN attempt < max_attempts THEN 'available' ELSE 'discarded' END::river_job_state,
			       scheduled_at = now(), finalized_at = CASE WHEN attempt < max_attempts THEN NULL ELSE now() END
			 WHERE kind = 'refresh' AND state = 'running' AND args->>'run' = ANY ($1)
			RETURNING args->>'run'`, ids)
		again, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for i, l := range lost { // its job was ended by a process that had lost the run before
			if slices.Contains(again, ids[i]) {
				continue
			}
			var waits bool // the queue itself has given the job up and has it wait
			if err := tx.QueryRow(ctx, `
				SELECT EXISTS (SELECT FROM river_job
				                WHERE kind = 'refresh' AND args->>'run' = $1 AND state IN ('available', 'pending', 'retryable', 'scheduled'))`,
				ids[i]).Scan(&waits); err != nil {
				return err
			}
			if !waits {
				if _, err := s.queue.InsertTx(ctx, tx, l, nil); err != nil {
					return err
				}
			}
		}
		tag, err := tx.Exec(ctx, `
			UPDATE river_job
			   SET state = CASE WHEN attempt < max_attempts THEN 'available' ELSE 'discarded' END::river_job_state,
			       scheduled_at = now(), finalized_at = CASE WHEN attempt < max_attempts THEN NULL ELSE now() END
			 WHERE id IN (`+fetched+`)`, names...)
		if err != nil {
			return err
		}
		runs += int(tag.RowsAffected())
		_, err = tx.Exec(ctx, `
			DELETE FROM refresh_process WHERE id <> $1 AND renewed_at <= clock_timestamp() - $2::interval`, s.process, LeaseLasts)
		return err
	})
	return runs, err
}

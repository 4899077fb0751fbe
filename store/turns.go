package store

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"service/store/traces"
)

// Shares are how many refreshes run at once.
type Shares struct {
	Workspace int // of one workspace
	Account   int // of all workspaces that one account has owned for longest
}

// turnsLock is the advisory lock under which a worker picks the next run, so that two cannot count the
// same free share or exchange the same job.
const turnsLock = 0x72656672 // "refr"

// StartNext starts the run whose turn it is, for a worker that has got a job from the queue. Of the
// accounts with a free share it takes the one that was served longest ago, of its workspaces likewise,
// and of that workspace's runs the oldest. The queue hands out jobs in order, so a job only says that
// there is work: the two jobs exchange their runs. A job whose run was started by a worker that died
// keeps it.
//
// It returns [ErrBusy] when nobody with a waiting run has a free share, and [ErrRunOver] or
// [ErrNotFound] when the job's own run has ended or was deleted, so that the job is done.
func (s *Store) StartNext(ctx context.Context, job int64, most Shares) (Job, error) {
	var j Job
	err := s.tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, turnsLock); err != nil {
			return err
		}
		// Another worker may have exchanged the job's run before this one got the lock.
		var own RefreshArgs
		var raw, metadata []byte
		if err := tx.QueryRow(ctx, `SELECT args, metadata FROM river_job WHERE id = $1 FOR UPDATE`, job).Scan(&raw, &metadata); err != nil {
			return plain(err)
		}
		if err := json.Unmarshal(raw, &own); err != nil {
			return err
		}
		var state string
		if err := tx.QueryRow(ctx, `
			SELECT state FROM refresh_run WHERE workspace_id = $1 AND id = $2`, own.Workspace, own.Run).Scan(&state); err != nil {
			return plain(err)
		}
		next, queuedBy := own, traces.QueuedBy(metadata)
		if state == RunQueued {
			var err error
			if next, err = s.nextRun(ctx, tx, most); err != nil {
				return err
			}
			if next != own {
				if queuedBy, err = s.exchange(ctx, tx, job, own, next, queuedBy); err != nil {
					return err
				}
			}
		}
		var err error
		j, err = s.startRun(ctx, tx, next, most.Workspace)
		j.QueuedBy = queuedBy
		return err
	})
	return j, err
}

// nextRun is the run whose turn it is. It locks the workspace, then the run, and skips those that
// others have locked, such as a publish that is about to cancel the run.
func (s *Store) nextRun(ctx context.Context, tx pgx.Tx, most Shares) (next RefreshArgs, err error) {
	rows, _ := tx.Query(ctx, `
		WITH RECURSIVE waiting AS ( -- the workspaces with queued runs, a step in the index for each
		  (SELECT workspace_id AS id FROM refresh_run WHERE state = 'queued' ORDER BY workspace_id LIMIT 1)
		  UNION ALL
		  SELECT (SELECT workspace_id FROM refresh_run WHERE state = 'queued' AND workspace_id > w.id ORDER BY workspace_id LIMIT 1)
		    FROM waiting w WHERE w.id IS NOT NULL),
		running AS (
		  SELECT workspace_id AS id, count(*) AS n FROM refresh_run WHERE state = 'running' AND started_at > $3 GROUP BY workspace_id),
		tenant AS (
		  SELECT w.id, w.served_at, coalesce(r.n, 0) AS n, q.id IS NOT NULL AS waits,
		         coalesce((SELECT m.account_id FROM membership m WHERE m.workspace_id = w.id AND m.role = 'owner'
		                    ORDER BY m.created_at, m.account_id LIMIT 1), w.id) AS account
		    FROM workspace w LEFT JOIN waiting q ON q.id = w.id LEFT JOIN running r ON r.id = w.id
		   WHERE q.id IS NOT NULL OR r.id IS NOT NULL),
		account AS (SELECT account AS id, sum(n) AS n, max(served_at) AS served_at FROM tenant GROUP BY account)
		SELECT t.id FROM tenant t JOIN account a ON a.id = t.account
		 WHERE t.waits AND t.n < $1 AND a.n < $2
		 ORDER BY a.served_at NULLS FIRST, t.served_at NULLS FIRST, t.id`,
		most.Workspace, most.Account, s.jobNow().Add(-2*RefreshTimeout))
	workspaces, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return next, err
	}
	for _, next.Workspace = range workspaces {
		var free uuid.UUID
		err := tx.QueryRow(ctx, `SELECT id FROM workspace WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED`, next.Workspace).Scan(&free)
		if errors.Is(err, pgx.ErrNoRows) {
			continue
		}
		if err != nil {
			return next, err
		}
		err = tx.QueryRow(ctx, `
			SELECT id FROM refresh_run WHERE workspace_id = $1 AND state = 'queued' ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
			next.Workspace).Scan(&next.Run)
		if !errors.Is(err, pgx.ErrNoRows) {
			return next, err
		}
	}
	return next, ErrBusy
}

// exchange exchanges the run of a job, which queuedBy has queued, with that of another job. It returns the span that queued
// the other run.
func (s *Store) exchange(ctx context.Context, tx pgx.Tx, job int64, own, next RefreshArgs, queuedBy string) (string, error) {
	mine, err := json.Marshal(next)
	if err != nil {
		return "", err
	}
	theirs, err := json.Marshal(own)
	if err != nil {
		return "", err
	}
	var nextBy string
	err = tx.QueryRow(ctx, `
		UPDATE river_job j SET args = $1, metadata = (j.metadata - 'traceparent') || $4
		  FROM (SELECT id, coalesce(metadata->>'traceparent', '') AS queued_by FROM river_job
		         WHERE kind = 'refresh' AND args @> $2 AND id <> $3
		           AND state IN ('available', 'pending', 'running', 'retryable', 'scheduled') FOR UPDATE) other
		 WHERE j.id = other.id
		RETURNING other.queued_by`,
		theirs, mine, job, traces.Metadata(queuedBy)).Scan(&nextBy)
	if errors.Is(err, pgx.ErrNoRows) { // the other job is no longer in the queue
		_, err = s.queue.InsertTx(ctx, tx, own, &river.InsertOpts{Metadata: traces.Metadata(queuedBy)})
	}
	if err != nil {
		return "", err
	}
	_, err = tx.Exec(ctx, `UPDATE river_job SET args = $2, metadata = (metadata - 'traceparent') || $3 WHERE id = $1`,
		job, mine, traces.Metadata(nextBy))
	return nextBy, err
}

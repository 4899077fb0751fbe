package store

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Shares are how many refreshes run at once.
type Shares struct {
	Workspace int // of one workspace
	Account   int // of all workspaces that one account has owned for longest
}

// turnsLock is the advisory lock under which a worker picks the next run, so that two cannot count the
// same free share.
const turnsLock = 0x72656672 // "refr"

// StartNext starts the run whose turn it is. Of the accounts with a free share it takes the one that was served longest ago, of its
// workspaces likewise, and of that workspace's runs the oldest.
//
// It returns [ErrNotFound] if no run is queued, and [ErrBusy] if no account with a queued run has a free share.
func (s Refreshes) StartNext(ctx context.Context, most Shares) (Job, error) {
	var j Job
	var some bool
	if err := s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM refresh_run WHERE state = 'queued')`).Scan(&some); err != nil || !some {
		return j, cmp.Or(err, ErrNotFound)
	}
	err := s.tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, turnsLock); err != nil {
			return err
		}
		next, err := s.nextRun(ctx, tx, most)
		if err != nil {
			return err
		}
		j, err = s.startRun(ctx, tx, next, most.Workspace)
		return err
	})
	return j, err
}

// feedPatience is how long a run waits for the runs of the dashboards that it reads.
const feedPatience = 10 * time.Minute

// fedBefore is a condition on a run r: no dashboard whose rows it reads, directly or through others, is queued or being refreshed.
const fedBefore = `NOT EXISTS (
			       WITH RECURSIVE below AS (
			         SELECT f.dashboard_id AS id FROM feed f
			          WHERE f.workspace_id = r.workspace_id AND f.version_id = r.version_id AND f.dashboard_id IS NOT NULL
			         UNION
			         SELECT f.dashboard_id FROM below b
			           JOIN dashboard d ON d.workspace_id = r.workspace_id AND d.id = b.id
			           JOIN feed f ON f.workspace_id = d.workspace_id AND f.version_id = d.version_id AND f.dashboard_id IS NOT NULL)
			       SELECT FROM below b
			         JOIN dashboard d ON d.workspace_id = r.workspace_id AND d.id = b.id
			         JOIN refresh_run a ON a.workspace_id = d.workspace_id AND a.version_id = d.version_id AND a.state IN ('queued', 'running'))`

// nextRun is the run whose turn it is. It locks the workspace, then the run, and skips those that
// others have locked, such as a publish that is about to cancel the run.
func (s *core) nextRun(ctx context.Context, tx pgx.Tx, most Shares) (next RefreshArgs, err error) {
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
			SELECT r.id FROM refresh_run r
			 WHERE r.workspace_id = $1 AND r.state = 'queued' AND (r.queued_at < $2 OR `+fedBefore+`)
			 ORDER BY r.id LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED`,
			next.Workspace, s.jobNow().Add(-feedPatience)).Scan(&next.Run)
		if !errors.Is(err, pgx.ErrNoRows) {
			return next, err
		}
	}
	return next, ErrBusy
}

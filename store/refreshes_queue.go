package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/message"
)

// RefreshTimeout is how long one refresh may take, all its datasets together.
const RefreshTimeout = 60 * time.Second

// RefreshArgs identify a run.
type RefreshArgs struct {
	Workspace uuid.UUID
	Run       uuid.UUID
}

// The causes of a run.
const (
	CausePublish  = "publish"
	CauseRestore  = "restore"
	CauseTrigger  = "trigger"
	CauseSchedule = "schedule"
	CauseUpload   = "upload"
	CauseFeed     = "feed" // rows that it reads have changed
)

// enqueue queues a refresh of a version, in the transaction that causes it. If the version has an
// active run, it returns that one, and second is true.
func (s *core) enqueue(
	ctx context.Context, tx pgx.Tx, workspace, dashboard, version, requester uuid.UUID, cause string,
) (run uuid.UUID, second bool, err error) {
	run = newID()
	ctx, span, traceparent := s.opt.Traces.Queue(ctx, "refresh", 1)
	defer func() { span.EndQueue(err) }()
	tag, err := tx.Exec(ctx, `
		INSERT INTO refresh_run (workspace_id, id, dashboard_id, version_id, cause, requested_by, queued_at, traceparent)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (workspace_id, version_id) WHERE state IN ('queued', 'running') DO NOTHING`,
		workspace, run, dashboard, version, cause, optional(requester), s.jobNow(), traceparent)
	if err != nil {
		return uuid.Nil, false, err
	}
	if tag.RowsAffected() == 0 {
		err := tx.QueryRow(ctx, `
			SELECT id FROM refresh_run WHERE workspace_id = $1 AND version_id = $2 AND state IN ('queued', 'running')`,
			workspace, version).Scan(&run)
		return run, true, plain(err)
	}
	return run, false, nil
}

// A QueueState is the amount of work of the service's replicas.
type QueueState struct {
	Waiting int           // refreshes that are queued
	Running int           // refreshes under way
	Oldest  time.Duration // how long the oldest queued refresh has waited; 0 for none
	Late    time.Duration // by how much the schedule is late that has been due longest; 0 for none
	Backup  time.Time     // of the last good backup by service backup; zero for none
}

// QueueState counts the active refreshes of all workspaces, and reads the other values of the database that metrics show, in one statement
// over the indexes of active runs and of schedules.
func (s Refreshes) QueueState(ctx context.Context) (QueueState, error) {
	var q QueueState
	var oldest, due, backup *time.Time
	err := s.pool.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE state = 'queued'), count(*) FILTER (WHERE state = 'running'),
		       min(queued_at) FILTER (WHERE state = 'queued'),
		       (SELECT min(next_run_at) FROM schedule), (SELECT finished_at FROM backup)
		  FROM refresh_run WHERE state IN ('queued', 'running')`).Scan(&q.Waiting, &q.Running, &oldest, &due, &backup)
	if oldest != nil {
		q.Oldest = max(s.jobNow().Sub(*oldest), 0)
	}
	if due != nil {
		q.Late = max(s.jobNow().Sub(*due), 0)
	}
	if backup != nil {
		q.Backup = *backup
	}
	return q, err
}

// A Trigger is the answer to a refresh that somebody asked for.
type Trigger struct {
	Run           Run
	Deduplicated  bool // the returned run was already active
	UserLeft      int  // triggers left to the user this minute
	WorkspaceLeft int  // and to the workspace
}

// ErrStatic is returned for a dashboard that has no spec to refresh.
var ErrStatic = errors.New("the dashboard is static")

// ErrRefreshBudget is in the chain of the refusal of a trigger over the
// workspace's budget.
var ErrRefreshBudget = errors.New("over the refresh budget")

// TriggerRefresh queues a refresh of the current version of the dashboard called slug. It counts
// towards the workspace's budget, which is the authoritative limit for all callers (specification,
// "Limits"). A refresh that would fail at once, because the connection is not active, was deleted or
// may not be used, or because a file is missing, is refused and counts for nothing: the error is then a
// *message.Refusal, and no run is made.
func (s Refreshes) TriggerRefresh(ctx context.Context, m Member, slug string) (Trigger, error) {
	d, err := Dashboards(s).Dashboard(ctx, m, slug)
	if err != nil {
		return Trigger{}, err
	}
	if !d.Refreshable() {
		return Trigger{}, ErrStatic
	}
	if err := s.checkTrigger(ctx, d); err != nil {
		return Trigger{}, err
	}
	ok, left := Rates(s).Allow(ctx, Rates(s).RefreshBudget(), m.workspace.String())
	if !ok {
		return Trigger{}, fmt.Errorf("%w: %w", ErrRefreshBudget, message.RefreshBudgetSpent())
	}
	t := Trigger{WorkspaceLeft: left}
	err = s.tx(ctx, func(tx pgx.Tx) error {
		var version uuid.UUID
		var kind string
		err := tx.QueryRow(ctx, `
			SELECT v.id, v.kind FROM dashboard d JOIN version v ON v.workspace_id = d.workspace_id AND v.id = d.version_id
			 WHERE d.workspace_id = $1 AND d.id = $2 FOR SHARE OF d`, m.workspace, d.ID).Scan(&version, &kind)
		if err != nil {
			return plain(err)
		}
		if kind != KindSpec { // a static dashboard was published meanwhile
			return ErrStatic
		}
		id, second, err := s.enqueue(ctx, tx, m.workspace, d.ID, version, m.account, CauseTrigger)
		if err != nil {
			return err
		}
		t.Deduplicated = second
		t.Run, err = findRun(ctx, tx, m.workspace, id)
		return err
	})
	t.UserLeft = Rates(s).Left(ctx, RateTrigger, m.account.String())
	return t, err
}

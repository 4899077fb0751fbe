package store

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/rawjson"
)

// The states of a run. Queued and running ones are active.
const (
	RunQueued    = "queued"
	RunRunning   = "running"
	RunSucceeded = "succeeded" // all datasets
	RunPartial   = "partial"   // some datasets
	RunFailed    = "failed"    // none
	RunCancelled = "cancelled" // the version was replaced, or the connection's owner left
)

// A Run is one refresh.
type Run struct {
	ID         uuid.UUID
	Version    uuid.UUID
	Cause      string
	State      string
	QueuedAt   time.Time
	StartedAt  *time.Time
	FinishedAt *time.Time
	Error      string // safe to show; empty for none
	Datasets   []RunDataset
}

// Active reports whether the run has not ended yet.
func (r Run) Active() bool { return r.State == RunQueued || r.State == RunRunning }

// A RunDataset is the outcome of one dataset in a run.
type RunDataset struct {
	ID        string `json:"id"`
	State     string `json:"state"` // succeeded or failed
	Rows      int    `json:"rows"`
	ElapsedMS int    `json:"elapsed_ms"`
	Truncated bool   `json:"truncated"`
	Read      int64  `json:"read,omitempty"` // bytes, of warehouses that count them
	Error     string `json:"error,omitempty"`
}

// readRunDatasets reads them as refresh_run has them.
func readRunDatasets(stored []byte) []RunDataset {
	var all []RunDataset
	for one := range rawjson.Elements(stored) {
		var d RunDataset
		for name, value := range rawjson.Members(one) {
			switch string(name) {
			case `"id"`:
				d.ID = rawjson.String(value)
			case `"state"`:
				d.State = rawjson.String(value)
			case `"rows"`:
				d.Rows, _ = strconv.Atoi(string(value)) // we wrote a number
			case `"elapsed_ms"`:
				d.ElapsedMS, _ = strconv.Atoi(string(value))
			case `"truncated"`:
				d.Truncated = string(value) == "true"
			case `"read"`:
				d.Read, _ = strconv.ParseInt(string(value), 10, 64)
			case `"error"`:
				d.Error = rawjson.String(value)
			}
		}
		all = append(all, d)
	}
	return all
}

const selectRun = `
	SELECT r.id, r.version_id, r.cause, r.state, r.queued_at, r.started_at, r.finished_at, r.error, r.datasets
	  FROM refresh_run r`

func findRun(ctx context.Context, q querier, workspace, id uuid.UUID) (Run, error) {
	rows, _ := q.Query(ctx, selectRun+` WHERE r.workspace_id = $1 AND r.id = $2`, workspace, id)
	r, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Run])
	return r, plain(err)
}

// Runs lists the runs of the dashboard called slug, newest first.
func (s Refreshes) Runs(ctx context.Context, m Member, slug string, limit int) ([]Run, error) {
	d, err := Dashboards(s).Dashboard(ctx, m, slug)
	if err != nil {
		return nil, err
	}
	rows, _ := s.pool.Query(ctx, selectRun+`
		 WHERE r.workspace_id = $1 AND r.dashboard_id = $2 ORDER BY r.id DESC LIMIT $3`, m.workspace, d.ID, limit)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Run])
}

// A RefreshStatus is the state of a dashboard's refreshes.
type RefreshStatus struct {
	Dashboard Dashboard
	Run       *Run     // the newest of the current version; nil for none
	Results   []Result // the rows that the page is drawn from
}

// RefreshStatus returns the status of the dashboard called slug.
func (s Refreshes) RefreshStatus(ctx context.Context, m Member, slug string) (RefreshStatus, error) {
	d, err := Dashboards(s).DetailWith(ctx, m, slug, 0)
	return d.Status(), err
}

// A Job is a run that a worker has taken.
type Job struct {
	Workspace  uuid.UUID
	Dashboard  uuid.UUID
	Slug       string
	Run        uuid.UUID
	Version    uuid.UUID
	Spec       []byte
	Connection uuid.UUID // zero: self
	Files      Files
	Account    uuid.UUID // who triggered it, or else the workspace's longest-standing owner
	QueuedBy   string    // the span that queued it; "" if that was not traced
	attempt    int       // of the run; it shows a worker that the run was restarted
}

// Errors for a run that is not to be performed now.
var (
	ErrRunOver = errors.New("the run is over")
	ErrBusy    = errors.New("the workspace runs as many refreshes as it may")

	// ErrTakenOver is returned by FinishRun of a process that has not renewed its lease for too long: another process performs the run, and
	// the result of this one is not stored.
	ErrTakenOver = errors.New("another process has taken the run over")
)

// StartRun starts a run for a worker. share is how many of a workspace may run at once. A run whose
// worker died is started again.
func (s Refreshes) StartRun(ctx context.Context, args RefreshArgs, share int) (j Job, err error) {
	err = s.tx(ctx, func(tx pgx.Tx) (err error) {
		j, err = s.startRun(ctx, tx, args, share)
		return err
	})
	return j, err
}

func (s *core) startRun(ctx context.Context, tx pgx.Tx, args RefreshArgs, share int) (Job, error) {
	j := Job{Workspace: args.Workspace, Run: args.Run}
	// One at a time per workspace, so that two workers do not count the same free share.
	if _, err := tx.Exec(ctx, `SELECT FROM workspace WHERE id = $1 FOR NO KEY UPDATE`, j.Workspace); err != nil {
		return j, err
	}
	var state string
	var hash []byte
	err := tx.QueryRow(ctx, `
		SELECT r.state, d.id, d.slug, v.id, v.sha256,
		       coalesce(v.connection_id, '00000000-0000-0000-0000-000000000000'), `+filesOf+`,
		       coalesce(r.requested_by, (SELECT account_id FROM membership WHERE workspace_id = $1 AND role = 'owner'
		                                  ORDER BY created_at, account_id LIMIT 1), '00000000-0000-0000-0000-000000000000'),
		       r.attempts + 1, r.traceparent
		  FROM refresh_run r
		  JOIN dashboard d ON d.workspace_id = r.workspace_id AND d.id = r.dashboard_id
		  JOIN version v ON v.workspace_id = r.workspace_id AND v.id = r.version_id
		 WHERE r.workspace_id = $1 AND r.id = $2 FOR NO KEY UPDATE OF r`, j.Workspace, j.Run).
		Scan(&state, &j.Dashboard, &j.Slug, &j.Version, &hash, &j.Connection, &j.Files, &j.Account, &j.attempt, &j.QueuedBy)
	if err != nil {
		return j, plain(err)
	}
	if state != RunQueued && state != RunRunning {
		return j, ErrRunOver
	}
	var running int
	if err := tx.QueryRow(ctx, `
		SELECT count(*) FROM refresh_run WHERE workspace_id = $1 AND state = 'running' AND id <> $2 AND started_at > $3`,
		j.Workspace, j.Run, s.jobNow().Add(-2*RefreshTimeout)).Scan(&running); err != nil {
		return j, err
	}
	if running >= share {
		return j, ErrBusy
	}
	// Processes know the database's clock only to within some milliseconds: a run does not start before another process queued it, or ended
	// the dashboard's run before.
	if _, err := tx.Exec(ctx, `
		UPDATE refresh_run r
		   SET state = 'running', process = $4, attempts = $5, started_at = greatest($3, r.queued_at, (
		         SELECT b.finished_at FROM refresh_run b WHERE b.workspace_id = $1 AND b.dashboard_id = r.dashboard_id AND b.id < $2
		          ORDER BY b.id DESC LIMIT 1))
		 WHERE workspace_id = $1 AND id = $2`,
		j.Workspace, j.Run, s.jobNow(), s.process, j.attempt); err != nil {
		return j, err
	}
	if _, err := tx.Exec(ctx, `UPDATE workspace SET served_at = $2 WHERE id = $1`, j.Workspace, s.jobNow()); err != nil {
		return j, err
	}
	j.Spec, err = s.blob(ctx, tx, j.Workspace, hash)
	return j, err
}

// ours is a condition on a run: this process still performs it, at the same attempt.
const ours = `state = 'running' AND process = $3 AND attempts = $4`

// ReleaseRun returns a run to the queue, because its worker stops. That is not an attempt.
func (s Refreshes) ReleaseRun(ctx context.Context, j Job) error {
	_, err := s.pool.Exec(ctx, `
		UPDATE refresh_run SET state = 'queued', started_at = NULL, process = NULL, attempts = attempts - 1
		 WHERE workspace_id = $1 AND id = $2 AND `+ours, j.Workspace, j.Run, s.process, j.attempt)
	return err
}

// An Outcome is the result of a run.
type Outcome struct {
	Error     string          // why all datasets failed; safe to show
	Datasets  []DatasetResult // in the spec's order
	Answered  bool            // the source answered, if only with an error
	Unreached string          // why the source could not be reached, or refused the credentials; safe to show
	Took      time.Duration
	Fed       []Fed // the feeds that the datasets read; nil: the run ended before

	Colors func(kept dashboard.Colors) dashboard.Colors // gives the values in the rows their colours; nil for none
	Alerts func(Judging) []Judged                       // judges the alerts by the rows; nil for none
}

// A DatasetResult is the result of one dataset: rows, or an error.
type DatasetResult struct {
	RunDataset
	Definition []byte
	Cube       *cube.Cube // nil when it failed
	AsOf       time.Time  // of the oldest rows that it read of other datasets; zero: it is of this run
	Said       []byte     // its columns as its feeds describe them; nil for none
}

// FinishRun stores the rows and ends the run, in one transaction, so that a run takes effect once. A dataset that failed keeps its
// earlier rows. It returns [RunCancelled] for a run that was cancelled or deleted while it ran.
func (s Refreshes) FinishRun(ctx context.Context, j Job, o Outcome) (state string, err error) {
	err = s.tx(ctx, func(tx pgx.Tx) error {
		// The order of locks is in doc.go.
		fed, err := lockIfFed(ctx, tx, j)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			SELECT FROM dashboard WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE`, j.Workspace, j.Dashboard); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `
			SELECT FROM refresh_run WHERE workspace_id = $1 AND id = $2 AND `+ours+` FOR UPDATE`, j.Workspace, j.Run, s.process, j.attempt)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 { // deleted, or cancelled while it ran, or taken over by another process
			var theirs bool
			if err := tx.QueryRow(ctx, `
				SELECT EXISTS (SELECT FROM refresh_run WHERE workspace_id = $1 AND id = $2 AND state IN ('queued', 'running'))`,
				j.Workspace, j.Run).Scan(&theirs); err != nil {
				return err
			}
			if theirs {
				return ErrTakenOver
			}
			state = RunCancelled
			return nil
		}
		o, err := s.putResults(ctx, tx, j, o)
		if err != nil {
			return err
		}
		state = o.state()
		if err := s.endRun(ctx, tx, j, o); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			UPDATE dashboard
			   SET refreshed_at = CASE WHEN $4 = 'succeeded' THEN $5 ELSE refreshed_at END,
			       failing_since = CASE WHEN $4 = 'succeeded' THEN NULL ELSE coalesce(failing_since, $5) END
			 WHERE workspace_id = $1 AND id = $2 AND version_id = $3`, j.Workspace, j.Dashboard, j.Version, state, s.jobNow()); err != nil {
			return err
		}
		if fed {
			if err := s.follow(ctx, tx, j, o.Fed); err != nil {
				return err
			}
		}
		if err := s.noteConnection(ctx, tx, j, o); err != nil {
			return err
		}
		if err := giveColors(ctx, tx, j.Workspace, j.Dashboard, o.Colors); err != nil {
			return err
		}
		if err := s.judgeAlerts(ctx, tx, j.Workspace, j.Dashboard, j.Version, j.Run, o, o.Alerts); err != nil {
			return err
		}
		if state == RunSucceeded {
			if err := s.refreshed(ctx, tx, j); err != nil {
				return err
			}
		}
		event := EventRefresh
		if state != RunSucceeded {
			event = EventRefreshFailed
		}
		return s.countActivity(ctx, tx, j.Workspace, j.Dashboard, Activity{Event: event, Duration: o.Took})
	})
	return state, err
}

// endRun records how the run ended.
func (s *core) endRun(ctx context.Context, tx pgx.Tx, j Job, o Outcome) error {
	datasets := make([]RunDataset, len(o.Datasets))
	for i, d := range o.Datasets {
		datasets[i] = d.RunDataset
	}
	detail, err := json.Marshal(datasets)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		UPDATE refresh_run SET state = $3, finished_at = $4, error = $5, datasets = $6 WHERE workspace_id = $1 AND id = $2`,
		j.Workspace, j.Run, o.state(), s.jobNow(), o.Error, detail)
	return err
}

func (o Outcome) state() string {
	good := 0
	for _, d := range o.Datasets {
		if d.Cube != nil {
			good++
		}
	}
	switch {
	case good == 0:
		return RunFailed
	case good < len(o.Datasets):
		return RunPartial
	}
	return RunSucceeded
}

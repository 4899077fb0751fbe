package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store"
	"service/store/dashboard/cube"
	"service/store/storetest"
)

// takesOver has b take over, and compares how many runs are queued again, and how many end. held are under way in b.
func (b bench) takesOver(t *testing.T, alone bool, again, failed int, held ...uuid.UUID) {
	t.Helper()
	if n, err := b.Jobs.TakeOver(t.Context(), alone, held); err != nil || n.Runs != again || n.Failed != failed {
		t.Errorf("%+v were taken over, want %d runs and %d that end (%v)", n, again, failed, err)
	}
}

// TestTakeOver: the run of a process that has not renewed its lease for 8 s returns to the queue, and its slot is free. Later results of
// that process are not stored. A process that is alive, or late by less, keeps its runs.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	other, err := store.New(b.pool, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*store.Store{b.Store, other} {
		if err := s.Jobs.RenewLease(ctx); err != nil {
			t.Fatal(err)
		}
	}
	run := b.spec(t, b.owner, "sales", `{}`).Run.ID
	one := store.Shares{Workspace: 1, Account: 1}
	held, err := other.Refreshes.StartNext(ctx, one)
	if err != nil {
		t.Fatal(err)
	}
	later := func(by string) {
		t.Helper()
		if _, err := b.pool.Exec(ctx, `UPDATE refresh_process SET renewed_at = renewed_at - $1::interval`, by); err != nil {
			t.Fatal(err)
		}
	}
	b.takesOver(t, false, 0, 0)
	later("6 s")
	b.takesOver(t, false, 0, 0)
	later("2 s")
	b.takesOver(t, false, 1, 0)
	b.takesOver(t, false, 0, 0)
	if n := b.queued(t); n != 1 {
		t.Errorf("%d runs are queued, want 1", n)
	}
	if _, err := other.Refreshes.FinishRun(ctx, held, store.Outcome{}); !errors.Is(err, store.ErrTakenOver) {
		t.Errorf("who was taken for dead ends the run: %v", err)
	}
	again, err := b.Refreshes.StartNext(ctx, one) // the place is free
	if err != nil || again.Run != run {
		t.Fatalf("%+v, %v", again, err)
	}
	if _, err := other.Refreshes.FinishRun(ctx, held, store.Outcome{}); !errors.Is(err, store.ErrTakenOver) {
		t.Errorf("who was taken for dead ends another's run: %v", err)
	}
	b.takesOver(t, true, 0, 0, run) // its own
	b.end(t, again)

	b.spec(t, b.owner, "next", `{}`) // a database that was started just now: at once
	if _, err := other.Refreshes.StartNext(ctx, one); err != nil {
		t.Fatal(err)
	}
	if err := other.Jobs.RenewLease(ctx); err != nil {
		t.Fatal(err)
	}
	b.takesOver(t, false, 0, 0)
	b.takesOver(t, true, 1, 0)
}

// TestFailedAttemptsAreTakenOver: a run that this process has started and no longer performs, because it could not be ended, is queued
// again, and the attempt before changes nothing. The same is true of a run that has lasted twice its time, in any process.
func TestFailedAttemptsAreTakenOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	if err := b.Jobs.RenewLease(ctx); err != nil {
		t.Fatal(err)
	}
	b.spec(t, b.owner, "sales", `{}`)
	first := b.next(t)
	b.takesOver(t, false, 0, 0, first.Run)
	b.takesOver(t, false, 1, 0)
	second := b.next(t)
	if _, err := b.Refreshes.FinishRun(ctx, first, store.Outcome{}); !errors.Is(err, store.ErrTakenOver) {
		t.Errorf("the attempt before ends the run: %v", err)
	}
	if err := b.Refreshes.ReleaseRun(ctx, first); err != nil || b.queued(t) != 0 {
		t.Errorf("the attempt before releases the run: %v", err)
	}
	b.takesOver(t, false, 0, 0, second.Run)
	if _, err := b.pool.Exec(ctx, `UPDATE refresh_run SET started_at = started_at - $1::interval`, 2*store.RefreshTimeout); err != nil {
		t.Fatal(err)
	}
	b.takesOver(t, false, 1, 0, second.Run)
}

// TestLastAttemptIsNotTakenOver: a refresh that ends its process each time does not go on for ever. One whose process is only stopped
// does.
func TestLastAttemptIsNotTakenOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	p := b.spec(t, b.owner, "sales", `{}`)
	for range 10 {
		if err := b.Refreshes.ReleaseRun(ctx, b.next(t)); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 {
		b.next(t)
		b.takesOver(t, false, 1, 0)
	}
	b.next(t)
	b.takesOver(t, false, 0, 1)
	d, err := b.Refreshes.RefreshStatus(ctx, b.owner, "sales")
	if err != nil || d.Run.ID != p.Run.ID || d.Run.State != store.RunFailed ||
		d.Run.Error != "The refresh was interrupted too often. Trigger it again." || d.Run.FinishedAt == nil {
		t.Errorf("%+v, %v", d.Run, err)
	}
	if r, err := b.Refreshes.TriggerRefresh(ctx, b.owner, "sales"); err != nil || r.Deduplicated {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestQueuesAreAnnounced: a process hears of runs and messages that others queue, and of nothing that was not committed.
func TestQueuesAreAnnounced(t *testing.T) {
	t.Parallel()
	b := setup(t)
	heard := make(chan string, 10)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- b.Jobs.Listen(ctx, func(queue string) { heard <- queue }) }()
	for n := 0; n == 0; { // until it listens
		n = b.count(t, `SELECT count(*) FROM pg_stat_activity, pg_sleep(0.01) WHERE datname = current_database() AND query LIKE 'LISTEN%'`)
	}
	sales := b.spec(t, b.owner, "sales", `{}`).Dashboard
	if q := <-heard; q != store.RefreshQueue {
		t.Errorf("%q was announced, want the queue of refreshes", q)
	}
	m := store.Message{
		Workspace: b.owner.WorkspaceID(), Kind: store.MessageAlert, Dashboard: sales.ID, Account: b.owner.Account(), Body: store.Notice{},
	}
	lost := errors.New("rolled back")
	if err := pgx.BeginFunc(ctx, b.pool, func(tx pgx.Tx) error {
		return errors.Join(b.Messages.QueueMessages(ctx, tx, []store.Message{m}), lost)
	}); !errors.Is(err, lost) {
		t.Fatal(err)
	}
	if _, err := b.Refreshes.TriggerRefresh(ctx, b.owner, "sales"); err != nil { // deduplicated: nothing is new
		t.Fatal(err)
	}
	b.queue(t, m)
	for {
		if q := <-heard; q == store.SendQueue {
			break
		} else if q != store.RefreshQueue {
			t.Errorf("%q was announced", q)
		}
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if len(heard) > 0 {
		t.Errorf("%q was announced", <-heard)
	}
}

// TestTimesOfJobsAreTheDatabases: a program whose clock is an hour ahead, or behind, writes the database's time, and starts a schedule at
// that time.
func TestTimesOfJobsAreTheDatabases(t *testing.T) {
	t.Parallel()
	for name, off := range map[string]time.Duration{"ahead": time.Hour, "behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(o *store.Options) { o.Now = func() time.Time { return time.Now().Add(off) } })
			ctx := t.Context()
			if err := b.Jobs.SyncClock(ctx); err != nil {
				t.Fatal(err)
			}
			p := b.spec(t, b.owner, "sales", `{}`)
			b.finish(t, p, 1)
			hourly, err := store.ParseSchedule("1h", "")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.Refreshes.SetSchedule(ctx, b.owner, "sales", hourly); err != nil {
				t.Fatal(err)
			}
			var queued, started, finished, next time.Duration
			for column, into := range map[string]*time.Duration{
				"queued_at": &queued, "started_at": &started, "finished_at": &finished,
				"(SELECT next_run_at FROM schedule)": &next,
			} {
				if err := b.pool.QueryRow(ctx, `SELECT now() - `+column+` FROM refresh_run`).Scan(into); err != nil {
					t.Fatal(err)
				}
			}
			for what, is := range map[string]time.Duration{"queued": queued, "started": started, "finished": finished} {
				if is.Abs() > time.Minute {
					t.Errorf("%s %v ago", what, is)
				}
			}
			if next > time.Minute || next < -time.Hour-time.Minute {
				t.Errorf("the next run is in %v, want at most an hour", -next)
			}
			tick := func(what string, due time.Duration, want int) {
				t.Helper()
				if _, err := b.pool.Exec(ctx, `UPDATE schedule SET next_run_at = now() + $1::interval`, due); err != nil {
					t.Fatal(err)
				}
				if n, err := b.Refreshes.Tick(ctx); err != nil || n != want {
					t.Errorf("%s: %d runs, want %d (%v)", what, n, want, err)
				}
			}
			tick("due in half an hour", 30*time.Minute, 0)
			tick("due half an hour ago", -30*time.Minute, 1)
		})
	}
}

// TestStaleWorkerChangesNothing: a worker whose lease was lost, and whose run another has taken over,
// changes nothing by finishing or releasing it, neither while the other works nor after it has ended:
// not the run, the rows, the dashboard, the connection, or the counts.
func TestStaleWorkerChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	stale, err := store.New(b.pool, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := b.spec(t, b.owner, "sales", `{}`)
	if err := stale.Jobs.RenewLease(ctx); err != nil {
		t.Fatal(err)
	}
	held, err := stale.Refreshes.StartNext(ctx, shares)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.pool.Exec(ctx, `UPDATE refresh_process SET renewed_at = renewed_at - interval '1 minute'`); err != nil {
		t.Fatal(err)
	}
	b.takesOver(t, false, 1, 0)
	rows := func(n int64) store.Outcome {
		builder := cube.NewBuilder([]cube.Column{{Name: "n", Type: cube.Integer}})
		if err := builder.Add([]any{n}); err != nil {
			t.Fatal(err)
		}
		return store.Outcome{Answered: true, Took: time.Second, Datasets: []store.DatasetResult{{
			RunDataset: store.RunDataset{ID: "d", State: store.RunSucceeded, Rows: 1}, Definition: []byte("same"), Cube: builder.Cube(),
		}}}
	}
	without := func(when string) {
		t.Helper()
		before := storetest.State(t, b.pool)
		for name, outcome := range map[string]store.Outcome{"rows": rows(1), "a failure": {Error: "unreachable", Unreached: "no"}} {
			if _, err := stale.Refreshes.FinishRun(ctx, held, outcome); err != nil && !errors.Is(err, store.ErrTakenOver) {
				t.Errorf("%s, with %s: %v", when, name, err)
			}
		}
		if err := stale.Refreshes.ReleaseRun(ctx, held); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(before, storetest.State(t, b.pool)); diff != "" {
			t.Errorf("%s, the stale worker has changed (-before +after):\n%s", when, diff)
		}
	}
	without("while the run waits again")
	again, err := b.Refreshes.StartNext(ctx, shares)
	if err != nil || again.Run != held.Run {
		t.Fatal(again.Run, err)
	}
	without("while another performs it")
	if state, err := b.Refreshes.FinishRun(ctx, again, rows(2)); err != nil || state != store.RunSucceeded {
		t.Fatal(state, err)
	}
	without("when another has ended it")
	results, err := b.Dashboards.Results(ctx, b.owner, p.Dashboard.VersionID)
	if err != nil || len(results) != 1 {
		t.Fatal(results, err)
	}
}

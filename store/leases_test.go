package store_test

import (
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

// TestTakeOver: the run of a process that has not said for 8 s that it is alive goes back
// to the queue with its job, and its place with it. What that process finds later is not
// stored. One that is alive, or late by less, keeps its runs.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	other, err := store.New(b.pool, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*store.Store{b.Store, other} {
		if err := s.RenewLease(ctx); err != nil {
			t.Fatal(err)
		}
	}
	run := b.spec(t, b.owner, "sales", `{}`).Run.ID
	job := b.jobs(t)[0]
	one := store.Shares{Workspace: 1, Account: 1}
	held, err := other.StartNext(ctx, job, one)
	if err != nil {
		t.Fatal(err)
	}
	work := func(sql string, args ...any) {
		t.Helper()
		if _, err := b.pool.Exec(ctx, sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	work(`UPDATE river_job SET state = 'running', attempt = 1, attempted_at = now() WHERE id = $1`, job)
	taken := func(alone bool, want int) {
		t.Helper()
		if n, err := b.TakeOver(ctx, alone); err != nil || n != want {
			t.Errorf("%d runs were taken over, want %d (%v)", n, want, err)
		}
	}
	taken(false, 0)
	work(`UPDATE refresh_process SET renewed_at = renewed_at - interval '6 s'`)
	taken(false, 0)
	work(`UPDATE refresh_process SET renewed_at = renewed_at - interval '2 s'`)
	taken(false, 1)
	taken(false, 0)
	if jobs := b.jobs(t); len(jobs) != 1 {
		t.Errorf("%d jobs wait, want 1", len(jobs))
	}
	if _, err := other.FinishRun(ctx, held, store.Outcome{}, func(pgx.Tx) error { return nil }); !errors.Is(err, store.ErrTakenOver) {
		t.Errorf("who was taken for dead ends the run: %v", err)
	}
	again, err := b.StartNext(ctx, job, one) // the place is free
	if err != nil || again.Run != run {
		t.Fatalf("%+v, %v", again, err)
	}
	if _, err := other.FinishRun(ctx, held, store.Outcome{}, func(pgx.Tx) error { return nil }); !errors.Is(err, store.ErrTakenOver) {
		t.Errorf("who was taken for dead ends another's run: %v", err)
	}
	taken(true, 0) // its own
	b.end(t, again, job)

	b.spec(t, b.owner, "next", `{}`) // a database that was started just now: at once
	if _, err := other.StartNext(ctx, b.jobs(t)[0], one); err != nil {
		t.Fatal(err)
	}
	if err := other.RenewLease(ctx); err != nil {
		t.Fatal(err)
	}
	taken(false, 0)
	taken(true, 1)
}

// TestTakenOverTwice: the queue of a process that lost a run ends the job when it comes back,
// while another performs the run. When that one dies too, the run has a job again.
func TestTakenOverTwice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	run := b.spec(t, b.owner, "sales", `{}`).Run.ID
	job := b.jobs(t)[0]
	if _, err := b.StartNext(ctx, job, shares); err != nil { // it has no lease
		t.Fatal(err)
	}
	if _, err := b.pool.Exec(ctx, `UPDATE river_job SET state = 'completed', finalized_at = now() WHERE id = $1`, job); err != nil {
		t.Fatal(err)
	}
	if n, err := b.TakeOver(ctx, false); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	jobs := b.jobs(t)
	if len(jobs) != 1 {
		t.Fatalf("%d jobs wait, want 1", len(jobs))
	}
	if j, err := b.StartNext(ctx, jobs[0], shares); err != nil || j.Run != run {
		t.Errorf("%+v, %v", j.Run, err)
	}
}

// TestFetchedJobsAreTakenOver: a process that was killed after it had got jobs from the queue, and before it started their
// runs, does not keep them for the minute after which the queue gives them up. Jobs of one that is alive, and
// of a release whose processes have other names, stay.
func TestFetchedJobsAreTakenOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	alive, err := store.New(b.pool, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := alive.RenewLease(ctx); err != nil {
		t.Fatal(err)
	}
	b.spec(t, b.owner, "sales", `{}`)
	job := b.jobs(t)[0]
	for by, want := range map[string]int{alive.Process(): 0, "host_2026_01_01": 0, uuid.NewString(): 1} {
		if _, err := b.pool.Exec(ctx, `
			UPDATE river_job SET state = 'running', attempt = 1, attempted_at = now(), attempted_by = ARRAY['earlier', $2] WHERE id = $1`,
			job, by); err != nil {
			t.Fatal(err)
		}
		if n, err := b.TakeOver(ctx, false); err != nil || n != want || len(b.jobs(t)) != want {
			t.Errorf("%s: %d jobs were taken over and %d wait, want %d (%v)", by, n, len(b.jobs(t)), want, err)
		}
	}
}

// TestLastAttemptIsNotTakenOver: a refresh that ends its process each time does not go on
// for ever.
func TestLastAttemptIsNotTakenOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	b.spec(t, b.owner, "sales", `{}`)
	job := b.jobs(t)[0]
	if _, err := b.StartNext(ctx, job, shares); err != nil { // it has no lease
		t.Fatal(err)
	}
	if _, err := b.pool.Exec(ctx, `UPDATE river_job SET state = 'running', attempt = max_attempts WHERE id = $1`, job); err != nil {
		t.Fatal(err)
	}
	if n, err := b.TakeOver(ctx, false); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	var state string
	if err := b.pool.QueryRow(ctx, `SELECT state FROM river_job WHERE id = $1`, job).Scan(&state); err != nil || state != "discarded" {
		t.Errorf("the job is %s, %v", state, err)
	}
}

// TestTimesOfJobsAreTheDatabases: a program whose clock is an hour ahead, or behind,
// writes the database's time, and starts a schedule when that has come.
func TestTimesOfJobsAreTheDatabases(t *testing.T) {
	t.Parallel()
	for name, off := range map[string]time.Duration{"ahead": time.Hour, "behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(o *store.Options) { o.Now = func() time.Time { return time.Now().Add(off) } })
			ctx := t.Context()
			if err := b.SyncClock(ctx); err != nil {
				t.Fatal(err)
			}
			p := b.spec(t, b.owner, "sales", `{}`)
			b.finish(t, p, 1)
			hourly, err := store.ParseSchedule("1h", "")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.SetSchedule(ctx, b.owner, "sales", hourly); err != nil {
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
				if n, err := b.Tick(ctx); err != nil || n != want {
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
// not the run, the rows, the dashboard, the connection, the counts or the job.
func TestStaleWorkerChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	stale, err := store.New(b.pool, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := b.spec(t, b.owner, "sales", `{}`)
	job := b.jobs(t)[0]
	if err := stale.RenewLease(ctx); err != nil {
		t.Fatal(err)
	}
	held, err := stale.StartNext(ctx, job, shares)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.pool.Exec(ctx, `UPDATE refresh_process SET renewed_at = renewed_at - interval '1 minute'`); err != nil {
		t.Fatal(err)
	}
	if n, err := b.TakeOver(ctx, false); err != nil || n != 1 {
		t.Fatal(n, err)
	}
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
			_, err := stale.FinishRun(ctx, held, outcome, func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, `DELETE FROM river_job WHERE kind = 'refresh' AND id <> $1`, job) // of nobody
				return err
			})
			if err != nil && !errors.Is(err, store.ErrTakenOver) {
				t.Errorf("%s, with %s: %v", when, name, err)
			}
		}
		if err := stale.ReleaseRun(ctx, held); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(before, storetest.State(t, b.pool)); diff != "" {
			t.Errorf("%s, the stale worker has changed (-before +after):\n%s", when, diff)
		}
	}
	without("while the run waits again")
	again, err := b.StartNext(ctx, job, shares)
	if err != nil || again.Run != held.Run {
		t.Fatal(again.Run, err)
	}
	without("while another performs it")
	if state, err := b.FinishRun(ctx, again, rows(2), func(pgx.Tx) error { return nil }); err != nil || state != store.RunSucceeded {
		t.Fatal(state, err)
	}
	without("when another has ended it")
	results, err := b.Results(ctx, b.owner, p.Dashboard.VersionID)
	if err != nil || len(results) != 1 {
		t.Fatal(results, err)
	}
}

package store_test

import (
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"service/store"
)

// TestDeadlockIsTriedAgain: a deletion that the database ends, because it waits in a
// circle with somebody else, is done all the same.
func TestDeadlockIsTriedAgain(t *testing.T) {
	t.Parallel()
	retried, closed := 0, make(chan struct{})
	var log strings.Builder
	b := setup(t, func(o *store.Options) {
		o.Retried = func() { // the deletion is not to be quicker to the dashboard than the other
			retried++
			<-closed
		}
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	ctx := t.Context()
	b.spec(t, b.owner, "sales", `{}`)
	other, err := b.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Rollback(ctx) }()
	exec := func(sql string) {
		t.Helper()
		if _, err := other.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	exec(`SET LOCAL deadlock_timeout = '1 min'`) // so that it is the deletion that is ended
	exec(`SELECT FROM slug FOR UPDATE`)          // the deletion takes the dashboard first, and then this
	done := make(chan error)
	go func() {
		_, err := b.Dashboards.DeleteDashboard(ctx, b.owner, "sales")
		done <- err
	}()
	for waiting := false; !waiting; {
		err := b.pool.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM pg_stat_activity a WHERE datname = current_database() AND pid <> pg_backend_pid()
			                 AND cardinality(pg_blocking_pids(pid)) > 0) FROM pg_sleep(0.01)`).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
	}
	exec(`SELECT FROM dashboard FOR UPDATE`) // closes the circle
	close(closed)
	if err := other.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := b.Dashboards.Dashboard(ctx, b.owner, "sales"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the dashboard is still there: %v", err)
	}
	if retried != 1 || strings.Count(log.String(), "deadlock") != 1 {
		t.Errorf("counted %d times, and logged: %s", retried, log.String())
	}
}

// TestTriggersAndEndsOfRunsLockInOneOrder: callers who trigger without a pause, while
// refreshes of the same dashboard start and end, never wait in a circle.
func TestTriggersAndEndsOfRunsLockInOneOrder(t *testing.T) {
	t.Parallel()
	const callers, calls = 10, 40
	var retried atomic.Int64
	b := setup(t, func(o *store.Options) {
		o.Retried = func() { retried.Add(1) }
		o.RefreshBudget = callers * calls
	})
	ctx := t.Context()
	b.spec(t, b.owner, "sales", `{}`)
	var triggers, worker sync.WaitGroup
	stop := make(chan struct{})
	worker.Go(func() { // ends active refreshes, again and again
		for {
			status, err := b.Refreshes.RefreshStatus(ctx, b.owner, "sales")
			if err != nil {
				t.Error(err)
				return
			}
			if status.Run.Active() {
				j, err := b.Refreshes.StartRun(ctx, store.RefreshArgs{Workspace: b.owner.WorkspaceID(), Run: status.Run.ID}, 2)
				if err == nil {
					_, err = b.Refreshes.FinishRun(ctx, j, store.Outcome{})
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	for range callers {
		triggers.Go(func() {
			for range calls {
				if _, err := b.Refreshes.TriggerRefresh(ctx, b.owner, "sales"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	triggers.Wait()
	close(stop)
	worker.Wait()
	var deadlocks int
	if err := b.pool.QueryRow(ctx, `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`).Scan(&deadlocks); err != nil {
		t.Fatal(err)
	}
	if deadlocks != 0 || retried.Load() != 0 {
		t.Errorf("%d deadlocks, %d transactions tried again", deadlocks, retried.Load())
	}
}

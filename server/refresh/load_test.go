package refresh_test

import (
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/storetest"
	"service/store/warehouse"
)

var triggersFor = flag.Duration("triggers", time.Second, "how long TestTriggersBesideRefreshes triggers")

// TestTriggersBesideRefreshes: ten callers trigger refreshes of a dashboard without a pause, and its schedule fires, while workers refresh
// it. No call ends in a deadlock, and no call is refused.
func TestTriggersBesideRefreshes(t *testing.T) {
	t.Parallel()
	var retried, triggered atomic.Int64
	b := setup(t, func(o *store.Options) {
		o.Retried = func() { retried.Add(1) }
		o.RefreshBudget = 1_000_000
	})
	b.publish(t, b.member, "s", one, uuid.Nil, uuid.Nil)
	hourly, err := store.ParseSchedule("1h", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Refreshes.SetSchedule(t.Context(), b.member, "s", hourly); err != nil {
		t.Fatal(err)
	}
	var refreshed atomic.Int64
	var counting sync.WaitGroup
	counting.Go(func() {
		for range b.done {
			refreshed.Add(1)
		}
	})
	t.Run("load", func(t *testing.T) { // the worker stops at its end
		b.start(t)
		begin := time.Now()
		goesOn := func() bool { // until some refreshes have ended meanwhile, however busy the machine is
			took := time.Since(begin)
			return took < *triggersFor || refreshed.Load() < 3 && took < time.Minute
		}
		var callers sync.WaitGroup
		for range 10 {
			callers.Go(func() {
				for goesOn() {
					if _, err := b.Refreshes.TriggerRefresh(t.Context(), b.member, "s"); err != nil {
						t.Error(err)
						return
					}
					triggered.Add(1)
				}
			})
		}
		for goesOn() {
			if _, err := b.Pool().Exec(t.Context(), `UPDATE schedule SET next_run_at = now()`); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond)
		}
		callers.Wait()
	})
	close(b.done)
	counting.Wait()
	var deadlocks int
	if err := b.Pool().QueryRow(t.Context(), `
		SELECT deadlocks FROM pg_stat_database, pg_sleep(1) WHERE datname = current_database()`).Scan(&deadlocks); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d triggers, %d refreshes, %d deadlocks, %d transactions tried again",
		triggered.Load(), refreshed.Load(), deadlocks, retried.Load())
	if deadlocks > 0 || retried.Load() > 0 || refreshed.Load() < 3 {
		t.Errorf("%d deadlocks, %d transactions tried again, %d refreshes", deadlocks, retried.Load(), refreshed.Load())
	}
}

// BenchmarkStartBehind is how long a refresh waits for its start behind 10,000 of another workspace, which has its share of
// refreshes under way.
func BenchmarkStartBehind(b *testing.B) {
	far := slow{began: make(chan struct{}, 100), end: make(chan struct{})}
	w := setup(b, func(o *store.Options) {
		o.Warehouses = map[string]store.Open{"postgres": func(warehouse.Target) (warehouse.Connector, error) { return far, nil }}
	})
	p := w.publish(b, w.member, "flood", one, w.busy(b, w.member), uuid.Nil)
	storetest.Flood(b, w.Pool(), p.Dashboard.VersionID, 10_000)
	w.start(b)
	<-far.began
	<-far.began
	other := w.workspace(b, "other")
	var worst time.Duration
	var sum time.Duration
	n := 0
	for b.Loop() {
		slug := fmt.Sprint("quick-", n)
		w.publish(b, other, slug, one, uuid.Nil, uuid.Nil)
		if got := w.wait(b); got != store.RunSucceeded {
			b.Fatal(got)
		}
		run := w.status(b, other, slug).Run
		lag := run.StartedAt.Sub(run.QueuedAt)
		worst, sum = max(worst, lag), sum+lag
		n++
	}
	b.ReportMetric(float64(sum.Microseconds())/1000/float64(n), "ms-until-it-starts")
	b.ReportMetric(float64(worst.Microseconds())/1000, "ms-at-worst")
	close(far.end)
	go func() { // the rest of the flood
		for range w.done {
		}
	}()
}

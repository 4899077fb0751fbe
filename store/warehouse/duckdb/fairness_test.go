package duckdb

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"service/store/warehouse"
)

// quiet is an engine whose workers have no process: who gets one is all that counts.
func quiet(workers int) *Engine {
	c := Config{Workers: workers, PerWorkspace: max(1, workers/2), Processes: 4 * workers, Waiting: 64}
	return &Engine{cfg: c, queue: newQueue(c), workers: map[*worker]struct{}{}}
}

// hold takes a worker for a while.
func (e *Engine) hold(ctx context.Context, tenant warehouse.Tenant, took time.Duration) error {
	w, err := e.acquire(ctx, tenant.Account, set{workspace: tenant.Workspace}, false)
	if err != nil {
		return err
	}
	time.Sleep(took)
	e.release(w)
	return nil
}

// One account calls from five workspaces, 18 times at once from each: half of the
// workers and three quarters of the queue stay free, so that a call of another account
// does not wait at all.
func TestOneAccountLeavesWorkersToOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := quiet(4)
		greedy := uuid.New()
		var refused int
		var mu sync.Mutex
		for range 5 {
			tenant := warehouse.Tenant{Account: greedy, Workspace: uuid.New()}
			for range 18 {
				go func() {
					if err := e.hold(t.Context(), tenant, time.Second); err != nil {
						if bad, ok := errors.AsType[*warehouse.Error](err); !ok || bad.Class != warehouse.Busy {
							t.Error(err)
						}
						mu.Lock()
						refused++
						mu.Unlock()
					}
				}()
			}
		}
		synctest.Wait()
		if busy, waiting := len(e.workers), e.queue.Stats().Waiting; busy != 2 || waiting != 16 || refused != 90-2-16 {
			t.Errorf("%d workers, %d wait, %d refused; want 2, 16 and the rest", busy, waiting, refused)
		}
		for range 4 {
			start := time.Now()
			err := e.hold(t.Context(), warehouse.Tenant{Account: uuid.New(), Workspace: uuid.New()}, time.Millisecond)
			if err != nil || time.Since(start) != time.Millisecond {
				t.Errorf("another account: %v after %v", err, time.Since(start))
			}
		}
		time.Sleep(time.Minute) // all have had their turn
	})
}

// Accounts take turns, and then the workspaces of each; the first caller does not have all of its many calls served first.
func TestAccountsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := quiet(1)
		accounts := map[byte]uuid.UUID{'A': uuid.New(), 'B': uuid.New(), 'C': uuid.New()}
		workspaces := map[string]uuid.UUID{}
		var order []string
		call := func(name string) { // such as A2: account A, from its second workspace
			if workspaces[name] == uuid.Nil {
				workspaces[name] = uuid.New()
			}
			tenant := warehouse.Tenant{Account: accounts[name[0]], Workspace: workspaces[name]}
			go func() {
				w, err := e.acquire(t.Context(), tenant.Account, set{workspace: tenant.Workspace}, false)
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, name)
				time.Sleep(time.Second)
				e.release(w)
			}()
			synctest.Wait()
		}
		for _, name := range strings.Fields("A1 A1 A1 A1 A1 A2 A2 B1 B1 C1") {
			call(name)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		want := strings.Fields("A1 B1 C1 A2 B1 A1 A2 A1 A1 A1")
		if !slices.Equal(order, want) {
			t.Errorf("%v, want %v", order, want)
		}
		if q := e.queue.Stats(); q.Accounts != 0 || q.Waiting != 0 {
			t.Errorf("%d accounts are known, %d calls wait", q.Accounts, q.Waiting)
		}
	})
}

// A call that waits when the engine is closed ends as soon as a worker is released, as those behind it do.
func TestClosedWhileWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := quiet(1)
		tenant := warehouse.Tenant{Account: uuid.New(), Workspace: uuid.New()}
		go e.hold(t.Context(), tenant, time.Second) //nolint:errcheck // it has the worker
		synctest.Wait()
		errs := make(chan error, 3)
		for range 3 {
			go func() { errs <- e.hold(t.Context(), tenant, time.Hour) }()
		}
		synctest.Wait()
		e.mu.Lock()
		e.closed = true
		e.mu.Unlock()
		start := time.Now()
		for range 3 {
			if err := <-errs; !errors.Is(err, errClosed) || time.Since(start) != time.Second {
				t.Errorf("%v after %v", err, time.Since(start))
			}
		}
		synctest.Wait()
		if q := e.queue.Stats(); q.Accounts+q.Held != 0 || len(e.workers) != 0 {
			t.Errorf("%+v and %d workers are left", q, len(e.workers))
		}
	})
}

// Idle workers together hold no more memory than one of them may, and are not more than may be kept. The workers that have been idle for
// longest are ended first.
func TestIdleWorkersAreThinned(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		held []int64 // MiB of idle workers, the one that has been idle for longest first
		want []int64
	}{
		"little":       {[]int64{20, 20, 20}, []int64{20, 20, 20}},
		"much":         {[]int64{60, 30, 40, 20}, []int64{30, 40, 20}},
		"one too much": {[]int64{150}, nil},
		"many":         {[]int64{1, 2, 3, 4, 5}, []int64{2, 3, 4, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			e := quiet(1)
			e.cfg.MemoryMB = 100
			for i, mib := range tt.held {
				w := &worker{engine: e, state: idleState, held: mib << 20, since: time.Unix(int64(i), 0), idle: time.NewTimer(time.Hour)}
				e.workers[w] = struct{}{}
				e.ended.Add(1)
			}
			e.thin()
			var left []int64
			for w := range e.workers {
				left = append(left, w.held>>20)
			}
			slices.SortFunc(left, func(a, b int64) int { return slices.Index(tt.held, a) - slices.Index(tt.held, b) })
			if !slices.Equal(left, tt.want) {
				t.Errorf("%v are left, want %v", left, tt.want)
			}
		})
	}
}

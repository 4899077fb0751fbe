package duckdb

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"service/store/limit"
	"service/store/warehouse"
)

// newQueue returns the queue of calls that wait for a worker. Accounts take turns, then each account's workspaces. A workspace, and an
// account, may have at most a quarter of the queue, so that it cannot block others.
func newQueue(c Config) *limit.Fair[uuid.UUID] {
	return limit.NewFair[uuid.UUID](limit.Config{
		Slots: c.Workers, Alone: c.PerWorkspace, Beside: c.PerWorkspace, Group: c.PerWorkspace,
		Queue: c.Waiting, QueueOf: max(1, c.Waiting/4),
	})
}

// acquire waits for a slot. It returns an idle worker of the set or, if there is no idle worker or fresh is set, a new worker whose process
// is not started yet: see [Engine.Ingest]. The caller releases the worker. The work counts for the account; for the zero account, it counts
// for the set's workspace.
func (e *Engine) acquire(ctx context.Context, account uuid.UUID, s set, fresh bool) (*worker, error) {
	if account == uuid.Nil {
		account = s.workspace
	}
	release, err := e.queue.Acquire(ctx, limit.Request[uuid.UUID]{Account: account, Group: s.workspace})
	if errors.Is(err, limit.ErrFull) {
		return nil, warehouse.Errorf(warehouse.Busy, "too many queries are waiting; try again in a few seconds")
	}
	if err != nil {
		return nil, err
	}
	w := e.pick(s, fresh)
	if w == nil {
		release()
		return nil, errClosed
	}
	w.leave = release
	return w, nil
}

// pick returns a worker for a call that has a slot, or nil if the engine is closed.
func (e *Engine) pick(s set, fresh bool) *worker {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	for w := range e.workers {
		if w.state == idleState && w.set == s && !fresh && !w.dead() {
			w.state = busyState
			w.idle.Stop()
			return w
		}
	}
	w := &worker{engine: e, set: s, state: busyState}
	e.workers[w] = struct{}{}
	e.started++
	e.ended.Add(1) // until its process has ended
	e.thin()
	return w
}

// thin ends idle workers, longest idle first, while there are too many or their memory together exceeds the limit of one worker. The caller
// holds e.mu.
func (e *Engine) thin() {
	var idle []*worker
	var held int64
	for w := range e.workers {
		if w.state == idleState {
			idle = append(idle, w)
			held += w.held
		}
	}
	slices.SortFunc(idle, func(a, b *worker) int { return a.since.Compare(b.since) })
	for _, w := range idle {
		if len(e.workers) <= e.cfg.Processes && held <= int64(e.cfg.MemoryMB)<<20 {
			return
		}
		held -= w.held
		e.forget(w)
	}
}

// release makes a worker idle, or forgets it if its process has ended, and then releases its slot. A worker whose caller left while it
// started keeps its slot until it has ended, so that no more workers start at once than may be busy.
func (e *Engine) release(w *worker) {
	if w.late != nil {
		go func() {
			<-w.late.Exited()
			w.late = nil
			e.release(w)
		}()
		return
	}
	defer w.leave()
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case w.process == nil, w.dead(), e.closed:
		e.forget(w)
	default:
		w.state, w.since = idleState, time.Now()
		w.idle = time.AfterFunc(e.cfg.Idle, func() { e.retire(w) })
		if w.statm != nil {
			_, w.held = memory(w.statm)
		}
		e.thin()
	}
}

// retire ends a worker that was idle for too long.
func (e *Engine) retire(w *worker) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if w.state == idleState {
		e.forget(w)
	}
}

// forget ends an unused worker. It counts as ended at once, although the process may take a while. The caller holds e.mu.
func (e *Engine) forget(w *worker) {
	delete(e.workers, w)
	if w.idle != nil {
		w.idle.Stop()
	}
	w.kill(nil)
	if w.process == nil {
		e.ended.Done()
		return
	}
	w.stdout.Close()
}

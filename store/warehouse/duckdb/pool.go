package duckdb

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"service/store/warehouse"
)

// A ticket is a call's wait for a worker of its set.
type ticket struct {
	set   set
	fresh bool         // a new process that is not kept: see Engine.Ingest
	done  chan granted // has room for the only answer
}

// granted is the end of a wait: an idle worker, or a new one that has not been
// started yet (its process is nil), or an error.
type granted struct {
	worker *worker
	err    error
}

func (p *ticket) answer(w *worker, err error) { p.done <- granted{w, err} }

// acquire waits until the set has an idle worker or may have a new one. The caller
// returns the worker with release. A workspace may have a quarter of the queue, so
// that none keeps the others out.
func (e *Engine) acquire(ctx context.Context, s set, fresh bool) (*worker, error) {
	p := &ticket{set: s, fresh: fresh, done: make(chan granted, 1)}
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, errClosed
	}
	// The calls that wait could not be served before, and a worker that fits p
	// fits none of them.
	if w := e.grant(p); w != nil {
		e.mu.Unlock()
		return w, nil
	}
	if len(e.queue) >= e.cfg.Waiting || e.waiting(s.workspace) >= max(1, e.cfg.Waiting/4) {
		e.mu.Unlock()
		return nil, warehouse.Errorf(warehouse.Busy, "too many queries are waiting; try again in a few seconds")
	}
	e.queue = append(e.queue, p)
	e.mu.Unlock()

	select {
	case g := <-p.done:
		return g.worker, g.err
	case <-ctx.Done():
	}
	e.mu.Lock()
	e.queue = slices.DeleteFunc(e.queue, func(q *ticket) bool { return q == p })
	e.mu.Unlock()
	select {
	case g := <-p.done: // granted meanwhile
		if g.worker != nil {
			e.release(g.worker)
		}
	default:
	}
	return nil, ctx.Err()
}

// waiting counts the calls of a workspace that wait. e.mu is held.
func (e *Engine) waiting(workspace uuid.UUID) int {
	n := 0
	for _, p := range e.queue {
		if p.set.workspace == workspace {
			n++
		}
	}
	return n
}

// dispatch finds workers for the calls that wait, the oldest first. e.mu is held.
func (e *Engine) dispatch() {
	e.queue = slices.DeleteFunc(e.queue, func(p *ticket) bool {
		w := e.grant(p)
		if w == nil {
			return false
		}
		p.answer(w, nil)
		return true
	})
}

// grant finds a worker for p: an idle one of its set, else a new one, for which
// the worker of another set that is idle for longest may have to end. It is nil
// when the call must wait. e.mu is held.
func (e *Engine) grant(p *ticket) *worker {
	busy := 0 // workers at work for the workspace
	var spare *worker
	for w := range e.workers {
		switch {
		case w.state == busyState && w.set.workspace == p.set.workspace:
			busy++
		case w.state == idleState && w.set == p.set && !p.fresh && !w.dead():
			w.use()
			return w
		case w.state == idleState && (spare == nil || w.since.Before(spare.since)):
			spare = w
		}
	}
	if busy >= e.cfg.PerWorkspace {
		return nil
	}
	if len(e.workers) >= e.cfg.Workers {
		if spare == nil {
			return nil
		}
		e.forget(spare)
	}
	w := &worker{engine: e, set: p.set, state: busyState, exited: make(chan struct{})}
	e.workers[w] = struct{}{}
	e.ended.Add(1) // until its process is gone
	return w
}

// release makes a worker idle, or forgets it when its process is gone.
func (e *Engine) release(w *worker) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case w.process == nil, w.dead(), e.closed:
		e.forget(w)
	default:
		w.state, w.since = idleState, time.Now()
		w.idle = time.AfterFunc(e.cfg.Idle, func() { e.retire(w) })
	}
	e.dispatch()
}

// retire ends a worker that was idle for too long.
func (e *Engine) retire(w *worker) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if w.state == idleState {
		e.forget(w)
		e.dispatch()
	}
}

// forget ends a worker that nobody uses. Another may start at once, even if the
// process takes its time to end. e.mu is held.
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

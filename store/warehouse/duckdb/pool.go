package duckdb

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"service/store/warehouse"
)

// A ticket is a call's wait for a worker of its set.
type ticket struct {
	account uuid.UUID
	set     set
	fresh   bool         // a new process that is not kept: see Engine.Ingest
	done    chan granted // has room for the only answer
}

// granted is the end of a wait: an idle worker, or a new one that has not been
// started yet (its process is nil), or an error.
type granted struct {
	worker *worker
	err    error
}

func (p *ticket) answer(w *worker, err error) { p.done <- granted{w, err} }

// acquire waits until the set has an idle worker or may have a new one. The caller
// returns the worker with release. A workspace may have a quarter of the queue, and so
// may an account, so that none keeps the others out.
func (e *Engine) acquire(ctx context.Context, tenant warehouse.Tenant, s set, fresh bool) (*worker, error) {
	p := &ticket{account: tenant.Account, set: s, fresh: fresh, done: make(chan granted, 1)}
	if p.account == uuid.Nil {
		p.account = s.workspace
	}
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, errClosed
	}
	// The calls that wait could not be served before, and a worker that fits p
	// fits none of them.
	if w := e.grant(p); w != nil {
		e.turns.take(p)
		e.mu.Unlock()
		return w, nil
	}
	if most := max(1, e.cfg.Waiting/4); len(e.queue) >= e.cfg.Waiting ||
		e.waiting(func(q *ticket) bool { return q.set.workspace == s.workspace }) >= most ||
		e.waiting(func(q *ticket) bool { return q.account == p.account }) >= most {
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

// waiting counts the calls of a kind that wait. e.mu is held.
func (e *Engine) waiting(kind func(*ticket) bool) int {
	n := 0
	for _, p := range e.queue {
		if kind(p) {
			n++
		}
	}
	return n
}

// dispatch finds workers for the calls that wait: accounts take turns, then the
// workspaces of each, and then the oldest call is next. e.mu is held.
func (e *Engine) dispatch() {
	slices.SortStableFunc(e.queue, e.turns.compare)
	for i := 0; i < len(e.queue); {
		p := e.queue[i]
		w := e.grant(p)
		if w == nil {
			i++
			continue
		}
		p.answer(w, nil)
		e.turns.take(p)
		e.queue = slices.Delete(e.queue, i, i+1)
		slices.SortStableFunc(e.queue, e.turns.compare)
		i = 0
	}
	if len(e.queue) == 0 {
		e.turns = turns{} // nobody waits, so nobody has had less than another
	}
}

// turns are when accounts and workspaces last had a worker, in the order of the
// turns, while anybody waits.
type turns struct {
	last uint64
	of   map[uuid.UUID]uint64
}

// take is p's turn.
func (t *turns) take(p *ticket) {
	if t.of == nil {
		t.of = map[uuid.UUID]uint64{}
	}
	t.last++
	t.of[p.account], t.of[p.set.workspace] = t.last, t.last
}

// compare orders tickets by whose account, and then whose workspace, has waited for
// a turn longest. Those who had none come first, as they came.
func (t *turns) compare(a, b *ticket) int {
	return cmp.Or(cmp.Compare(t.of[a.account], t.of[b.account]), cmp.Compare(t.of[a.set.workspace], t.of[b.set.workspace]))
}

// grant finds a worker for p: an idle one of its set, else a new one, for which
// the worker of another set that is idle for longest may have to end. It is nil
// when the call must wait. e.mu is held.
func (e *Engine) grant(p *ticket) *worker {
	workspace, account := 0, 0 // workers at work for them
	var warm, spare *worker
	for w := range e.workers {
		switch {
		case w.state == busyState:
			if w.set.workspace == p.set.workspace {
				workspace++
			}
			if w.account == p.account {
				account++
			}
		case w.set == p.set && !p.fresh && !w.dead():
			warm = w
		case spare == nil || w.since.Before(spare.since):
			spare = w
		}
	}
	if max(workspace, account) >= e.cfg.PerWorkspace {
		return nil
	}
	if warm != nil {
		warm.use(p.account)
		return warm
	}
	if len(e.workers) >= e.cfg.Workers {
		if spare == nil {
			return nil
		}
		e.forget(spare)
	}
	w := &worker{engine: e, set: p.set, account: p.account, state: busyState, exited: make(chan struct{})}
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

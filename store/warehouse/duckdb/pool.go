package duckdb

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"service/store/warehouse"
)

// A ticket is a call that waits for a worker of its set.
type ticket struct {
	account uuid.UUID
	set     set
	fresh   bool         // a new process that is not kept: see Engine.Ingest
	done    chan granted // with a buffer for the one answer
}

// granted ends a wait: with an idle worker, with a new one that is not started yet (its process is
// nil), or with an error.
type granted struct {
	worker *worker
	err    error
}

func (p *ticket) answer(w *worker, err error) { p.done <- granted{w, err} }

// acquire waits until the set has an idle worker or may have a new one. The caller returns it with
// release. account is whose work it is; zero: the set's workspace has it done for itself. A workspace,
// and an account, may have at most a quarter of the queue, so that none keeps others out.
func (e *Engine) acquire(ctx context.Context, account uuid.UUID, s set, fresh bool) (*worker, error) {
	p := &ticket{account: account, set: s, fresh: fresh, done: make(chan granted, 1)}
	if p.account == uuid.Nil {
		p.account = s.workspace
	}
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, errClosed
	}
	// p need not wait behind others: they could not be served, and a worker for p's set does
	// not fit theirs.
	if w := e.grant(p); w != nil {
		e.turns.take(p)
		e.mu.Unlock()
		return w, nil
	}
	if most := max(1, e.cfg.Waiting/4); len(e.queue) >= e.cfg.Waiting ||
		e.waiting(func(q *ticket) bool { return q.set.workspace == s.workspace }) >= most ||
		e.waiting(func(q *ticket) bool { return q.account == p.account }) >= most {
		e.refused++
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

// waiting counts the waiting calls for which kind is true. e.mu is held.
func (e *Engine) waiting(kind func(*ticket) bool) int {
	n := 0
	for _, p := range e.queue {
		if kind(p) {
			n++
		}
	}
	return n
}

// dispatch finds workers for waiting calls: accounts take turns, then each account's workspaces, and
// then the oldest call comes first. e.mu is held.
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
		e.turns = turns{} // nobody waits, so turns start again
	}
}

// turns are the numbers of the last turns of accounts and workspaces, since somebody began to wait.
type turns struct {
	last uint64
	of   map[uuid.UUID]uint64
}

// take records that it was p's turn.
func (t *turns) take(p *ticket) {
	if t.of == nil {
		t.of = map[uuid.UUID]uint64{}
	}
	t.last++
	t.of[p.account], t.of[p.set.workspace] = t.last, t.last
}

// compare orders tickets by the last turn of their account, then of their workspace. Those without a
// turn come first, in the order of the queue.
func (t *turns) compare(a, b *ticket) int {
	return cmp.Or(cmp.Compare(t.of[a.account], t.of[b.account]), cmp.Compare(t.of[a.set.workspace], t.of[b.set.workspace]))
}

// grant finds a worker for p: an idle one of its set, or a new one. It is nil when the call must wait. e.mu is held.
func (e *Engine) grant(p *ticket) *worker {
	busy, workspace, account := 0, 0, 0 // busy workers: all, and those of p's workspace and account
	var warm *worker
	for w := range e.workers {
		switch {
		case w.state == busyState:
			busy++
			if w.set.workspace == p.set.workspace {
				workspace++
			}
			if w.account == p.account {
				account++
			}
		case w.set == p.set && !p.fresh && !w.dead():
			warm = w
		}
	}
	if busy >= e.cfg.Workers || max(workspace, account) >= e.cfg.PerWorkspace {
		return nil
	}
	if warm != nil {
		warm.use(p.account)
		return warm
	}
	w := &worker{engine: e, set: p.set, account: p.account, state: busyState}
	e.workers[w] = struct{}{}
	e.started++
	e.ended.Add(1) // until its process is gone
	e.thin()
	return w
}

// thin ends idle workers, those that have been idle for longest first, while there are too many, or they
// hold more memory together than one of them may. e.mu is held.
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

// release makes a worker idle, or forgets it when its process is gone. One that nobody waited for has its
// place among the busy ones until it is gone, so that no more start at once than may work.
func (e *Engine) release(w *worker) {
	if w.late != nil {
		go func() {
			<-w.late.Exited()
			w.late = nil
			e.release(w)
		}()
		return
	}
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

// forget ends an unused worker. It counts as ended at once, although the process may take a while.
// e.mu is held.
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

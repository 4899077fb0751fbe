package duckdb

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"service/store/warehouse"
	"service/store/warehouse/duckdb/wire"
)

// Pids are the processes of the workers that have one, in order.
func (e *Engine) Pids() []int {
	e.mu.Lock()
	defer e.mu.Unlock()
	var pids []int
	for w := range e.workers {
		w.mu.Lock()
		if w.process != nil && !w.killed {
			pids = append(pids, w.process.Pid)
		}
		w.mu.Unlock()
	}
	slices.Sort(pids)
	return pids
}

// Idle are the processes of the workers that nobody uses, in order.
func (e *Engine) Idle() []int {
	e.mu.Lock()
	defer e.mu.Unlock()
	var pids []int
	for w := range e.workers {
		if w.state == idleState {
			pids = append(pids, w.process.Pid)
		}
	}
	slices.Sort(pids)
	return pids
}

// Waiting is how many calls wait for a worker.
func (e *Engine) Waiting() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.queue)
}

// Dir is the engine's scratch directory.
func (e *Engine) Dir() string { return e.dir }

// WithoutNamespaces has workers start as where the system has none to give.
func (e *Engine) WithoutNamespaces() { e.starter.WithoutNamespaces() }

// Reader starts a worker with an upload and a file for its rows, as Ingest does, and
// waits until it is ready for them. It is the caller's to end.
func (e *Engine) Reader(ctx context.Context) (pid int, end func(), err error) {
	w, err := e.acquire(ctx, warehouse.Tenant{Workspace: uuid.New()}, set{}, true)
	if err != nil {
		return 0, nil, err
	}
	end = func() { w.kill(nil); e.release(w) }
	upload, err := e.handOver([]byte("a\n1\n"))
	if err != nil {
		return 0, end, err
	}
	defer upload.Close()
	if err := w.start(upload, upload); err != nil {
		return 0, end, err
	}
	_, err = w.ask(ctx, wire.Call{Op: wire.Probe}, nothing)
	return w.process.Pid, end, err
}

package duckdb

import (
	"os"
	"slices"
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

// Idle returns the ids of the processes of idle workers, in order.
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
	return e.queue.Stats().Waiting
}

// Dir is the engine's scratch directory.
func (e *Engine) Dir() string { return e.dir }

// WithoutNamespaces makes workers start as on a system without namespaces.
func (e *Engine) WithoutNamespaces() { e.starter.WithoutNamespaces() }

// WatchBy has the memory of workers watched by the files that open returns.
func (e *Engine) WatchBy(open func(pid int) (*os.File, error)) { e.openStatm = open }

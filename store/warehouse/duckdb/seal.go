package duckdb

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/google/uuid"

	"service/store/warehouse/duckdb/wire"
)

// Namespaces is the layer that exists when a worker starts. The worker applies the other layers itself.
const Namespaces = "namespaces"

// Seal starts a worker and returns which layers work on this machine: those of [wire.Layers], and [Namespaces]. In containers, namespaces
// often cannot be created. The other layers forbid the same actions to the worker.
func (e *Engine) Seal(ctx context.Context) (map[string]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, e.cfg.CallTime)
	defer cancel()
	w, err := e.acquire(ctx, uuid.Nil, set{}, true)
	if err != nil {
		return nil, err
	}
	defer e.release(w)
	defer w.kill(nil)
	if err := w.start(ctx); err != nil {
		return nil, err
	}
	result, err := w.ask(ctx, wire.Call{Op: wire.Probe}, nothing)
	if err != nil {
		return nil, err
	}
	layers := map[string]bool{Namespaces: w.process.Namespaces}
	for _, layer := range wire.Layers {
		layers[layer] = !slices.Contains(result.Missing, layer)
	}
	return layers, nil
}

// Namespaces reports whether the worker that was started last has namespaces. If resources are scarce, one worker may get no namespaces.
// After a change of the system's rules, all later workers may get none.
func (e *Engine) Namespaces() bool { return e.starter.Namespaces() }

// descriptor returns the path of the n-th file that a worker was started with.
func descriptor(n int) string { return fmt.Sprintf(descriptors, 3+n) }

// handOver writes data to a file without a name, for a worker to read.
func (e *Engine) handOver(data []byte) (*os.File, error) {
	f, err := e.scratch()
	if err != nil {
		return nil, err
	}
	if _, err := f.WriteAt(data, 0); err != nil {
		f.Close()
		return nil, fmt.Errorf("duckdb: write a file for a worker: %w", err)
	}
	return f, nil
}

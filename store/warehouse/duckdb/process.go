package duckdb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/duckdb/forkserver"
	"service/store/warehouse/duckdb/wire"
)

// A worker is a process for one set.
type worker struct {
	engine *Engine
	set    set

	// Guarded by the engine's mutex.
	state state
	since time.Time   // when it became idle
	held  int64       // bytes of memory that it did not share then, if known
	idle  *time.Timer // ends it

	leave func() // releases the slot of its call

	// Set by start, then fixed.
	reads   bool // only for reading one upload
	process *forkserver.Process
	late    *forkserver.Process // in place of process: its caller left before it started, and it is killed once it has
	stdin   *os.File
	stdout  *os.File
	reader  *bufio.Reader
	statm   *os.File // nil if resident memory cannot be watched, as on systems other than Linux
	reused  bool     // it was idle before this call
	unasked bool     // the call could not be sent completely, because the process had ended

	mu     sync.Mutex
	killed bool
	reason error // the reason for killing it, if known
}

type state int

const (
	busyState state = iota // starting counts as busy
	idleState
)

// dead reports whether the process has ended or is being ended.
func (w *worker) dead() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.killed {
		return true
	}
	if w.process == nil {
		return false
	}
	select {
	case <-w.process.Exited():
		return true
	default:
		return false
	}
}

// kill ends the process at once. It keeps the first reason.
func (w *worker) kill(reason error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reason == nil {
		w.reason = reason
	}
	if w.killed {
		return
	}
	w.killed = true
	if w.process == nil {
		return // not started; start looks at killed
	}
	w.process.Kill()
	// The process's end of the pipes is closed only after its memory is released, which can take a while on a busy machine. The deadlines end
	// the waiting.
	past := time.Unix(1, 0)
	_, _ = w.stdin.SetDeadline(past), w.stdout.SetDeadline(past) // these fail if the pipes are closed
}

func (w *worker) why() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.reason
}

// start runs the process. The process has only its pipes and these files.
func (w *worker) start(ctx context.Context, files ...*os.File) error {
	e := w.engine
	childIn, stdin, err := os.Pipe()
	if err != nil {
		return err
	}
	defer childIn.Close()
	stdout, childOut, err := os.Pipe()
	if err != nil {
		stdin.Close()
		return err
	}
	defer childOut.Close()
	process, err := e.starter.Start(ctx, append([]*os.File{childIn, childOut}, files...)...)
	if err != nil {
		stdin.Close()
		stdout.Close()
		if process != nil {
			w.late = process
			return w.failure(ctx, err)
		}
		return fmt.Errorf("duckdb: start a worker: %w", err)
	}
	w.mu.Lock()
	w.process, w.stdin, w.stdout = process, stdin, stdout
	w.reader = bufio.NewReaderSize(stdout, 64<<10)
	statm, err := e.openStatm(process.Pid)
	w.statm = statm
	killed := w.killed
	w.mu.Unlock()

	go func() {
		defer e.ended.Done()
		<-process.Exited()
		stdin.Close()
		if statm != nil {
			statm.Close()
		}
	}()
	// Without them its memory limit could not be enforced.
	if err != nil && !errors.Is(syscall.Kill(process.Pid, 0), syscall.ESRCH) {
		process.Kill()
		return fmt.Errorf("duckdb: a worker's memory cannot be watched: %w", err)
	}
	if killed { // while it was starting
		process.Kill()
		return errClosed
	}
	return nil
}

var errMemory = errors.New("duckdb: over the memory limit")

// watch kills the process when its resident memory exceeds the limit, until stop is closed.
func (w *worker) watch(stop <-chan struct{}) {
	if w.statm == nil {
		return
	}
	limit := int64(w.engine.cfg.MemoryMB) << 20
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-w.process.Exited():
			return
		case <-tick.C:
			if resident, _ := memory(w.statm); resident > limit {
				w.kill(errMemory)
				return
			}
		}
	}
}

// ask sends a call and passes the frames of the answer, except the last, to take. Any failure kills the process, after which the worker is
// dead. If take fails, ask still reads the answer to its end.
func (w *worker) ask(ctx context.Context, call wire.Call, take func(kind wire.Kind, payload []byte) error) (wire.Result, error) {
	result, taken, err := w.exchange(ctx, call, take)
	switch {
	case err != nil:
		w.kill(nil)
		return wire.Result{}, w.failure(ctx, err)
	case taken != nil:
		return wire.Result{}, taken
	}
	return result, result.Error.Err()
}

func (w *worker) exchange(ctx context.Context, call wire.Call, take func(wire.Kind, []byte) error) (result wire.Result, taken, err error) {
	stop := context.AfterFunc(ctx, func() { w.kill(context.Cause(ctx)) })
	watched := make(chan struct{})
	go w.watch(watched)
	defer func() {
		close(watched)
		if !stop() {
			w.kill(context.Cause(ctx)) // now, before it may serve another call
		}
	}()
	if err := wire.WriteJSON(w.stdin, wire.Request, call); err != nil {
		w.unasked = true
		return result, nil, err
	}
	for {
		kind, payload, err := wire.Read(w.reader, wire.MaxFrame)
		if err != nil {
			return result, nil, err
		}
		switch kind {
		case wire.End:
			result, err = wire.DecodeResult(payload)
			return result, taken, err
		case wire.Request:
			return result, nil, wire.ErrGarbage
		}
		if taken != nil {
			continue
		}
		if taken = take(kind, payload); errors.Is(taken, wire.ErrGarbage) {
			return result, nil, taken
		}
	}
}

// again reports whether the call is sent to another worker: this one died while it was idle, before the call had any effect.
func (w *worker) again(ctx context.Context) bool { return w.reused && w.unasked && ctx.Err() == nil }

// failure returns the error of a worker that did not answer.
func (w *worker) failure(ctx context.Context, err error) error {
	switch reason := w.why(); {
	case errors.Is(reason, errMemory) && w.reads:
		return warehouse.Errorf(warehouse.TooLarge, "reading the file needs more memory than is allowed; split it, or leave out columns")
	case errors.Is(reason, errMemory):
		return warehouse.Errorf(warehouse.TooLarge,
			"the query needed more memory than is allowed and was stopped; read fewer rows or columns, or aggregate earlier")
	case errors.Is(reason, errClosed):
		return errClosed
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && w.reads:
		return warehouse.Errorf(warehouse.Timeout, "reading the file took too long; split it, or save it as .csv")
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return warehouse.Errorf(warehouse.Timeout, "the query took too long and was stopped; read fewer rows, or aggregate earlier")
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if !w.again(ctx) {
		w.engine.cfg.Log.Warn("duckdb: a worker ended in the middle of a call", "garbage", errors.Is(err, wire.ErrGarbage))
	}
	if w.reads {
		return warehouse.Errorf(warehouse.Failed, "the file cannot be read; it may be damaged")
	}
	return warehouse.Errorf(warehouse.Failed, "the query engine stopped unexpectedly; the query may be too demanding")
}

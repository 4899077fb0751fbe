package duckdb_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store/warehouse"
	"service/store/warehouse/duckdb"
	"service/store/warehouse/warehousetest"
)

// TestWorkerThatDiedIdle shows that a caller does not notice the death of an idle worker, although it is only detected at the next call:
// that call is sent to another worker. One that dies in the middle of a call is logged.
func TestWorkerThatDiedIdle(t *testing.T) {
	t.Parallel()
	var logged strings.Builder
	e := newEngine(t, func(c *duckdb.Config) { c.Log = slog.New(slog.NewTextHandler(&logged, nil)) })
	c := e.Open(warehouse.Tenant{Workspace: uuid.New()}, "k", []warehouse.DataTable{sales})
	if err := c.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	pid := e.Pids()[0]
	goOn := stopStarter(t, e) // so that it cannot report the worker's end
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for threads := 2; threads > 1 || stat(t, pid)[0] != "Z"; { // the last one closes its files
		all, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil {
			t.Fatal(err)
		}
		threads = len(all)
	}
	before := e.Stats().Started
	var wg sync.WaitGroup
	defer wg.Wait()
	call := begin(&wg, func() {
		if _, _, err := ask(t.Context(), c, "SELECT 1"); err != nil {
			t.Errorf("after the death of an idle worker: %v", err)
		}
	})
	await(t, call, func() bool { return e.Stats().Started > before })
	goOn()
	<-call
	const ended = "a worker ended in the middle of a call"
	if strings.Contains(logged.String(), ended) {
		t.Errorf("a call that went to another worker is logged: %s", &logged)
	}
	if _, err := c.Query(t.Context(), "SELECT repeat('x', 1000) FROM range(1000)", nil, usual, &killer{pid: e.Pids()[0]}); err == nil {
		t.Error("the query came back")
	}
	if n := strings.Count(logged.String(), ended); n != 1 {
		t.Errorf("%d lines of a worker that died at work: %s", n, &logged)
	}
}

// TestCallsDoNotWaitForAStart shows that a call ends when it is cancelled or its time is over, however long its worker takes to start,
// and that the worker has its place until it is gone.
func TestCallsDoNotWaitForAStart(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	if err := open(t, e).Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	goOn := stopStarter(t, e)
	brief := usual
	brief.Time = 50 * time.Millisecond
	if _, err := open(t, e).Query(t.Context(), "SELECT 1 AS n", nil, brief, &result{}); class(err) != warehouse.Timeout {
		t.Errorf("over its time: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	before := e.Stats().Started
	call := begin(&wg, func() {
		if _, err := open(t, e).Query(ctx, "SELECT 1 AS n", nil, usual, &result{}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
	await(t, call, func() bool { return e.Stats().Started > before })
	cancel()
	<-call
	if s := e.Stats(); s.Busy != 2 || s.Idle != 1 {
		t.Errorf("while they start: %+v", s)
	}
	goOn()
	for deadline := time.Now().Add(20 * time.Second); e.Stats().Busy > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after they have started: %+v", e.Stats())
		}
	}
}

// stopStarter stops the process that started the engine's only worker, until the function that it returns is called or the test ends.
func stopStarter(t *testing.T, e *duckdb.Engine) (goOn func()) {
	t.Helper()
	starter, err := strconv.Atoi(stat(t, e.Pids()[0])[1])
	if err != nil {
		t.Fatal(err)
	}
	return warehousetest.Stop(t, starter)
}

// stat are the fields of a process after its name (proc_pid_stat(5)): its state, its parent and so on.
func stat(t *testing.T, pid int) []string {
	t.Helper()
	_, after, _ := strings.Cut(read(t, fmt.Sprintf("/proc/%d/stat", pid)), ") ")
	return strings.Fields(after)
}

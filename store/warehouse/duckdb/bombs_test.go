package duckdb_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store/warehouse"
	"service/store/warehouse/duckdb"
)

// gone waits until a process has ended.
func gone(t testing.TB, pid int) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for syscall.Kill(pid, 0) == nil {
		if time.Now().After(deadline) {
			t.Fatalf("process %d is still there", pid)
		}
		runtime.Gosched() // there is no notification of another process's end
	}
}

func class(err error) warehouse.Class {
	if e, ok := errors.AsType[*warehouse.Error](err); ok {
		return e.Class
	}
	return ""
}

// patient is time enough for memory to run out first, on a machine with other things to
// do: some bombs fill it for ten seconds before they want more.
var patient = func() warehouse.Limits {
	l := usual
	l.Time = 10 * time.Minute
	return l
}()

// TestMemoryBombs shows that a query that takes memory beyond the engine's own limit ends without harm to the machine, and that the next
// query works.
func TestMemoryBombs(t *testing.T) {
	t.Parallel()
	e := newEngine(t, func(c *duckdb.Config) { c.MemoryMB = 256 }) // which takes less time to fill than 512
	c := open(t, e)
	for _, sql := range []string{
		"SELECT length(repeat('x', 4000000000))",
		"SELECT length(repeat(repeat('x', 1000000), 4000))",
		"SELECT repeat('x', 1000000000) || repeat('y', 1000000000)",
		"SELECT string_agg(repeat('x', 1000000), ',') FROM range(10000)",
		"SELECT list(range) FROM range(1000000000)",
		"SELECT length(lpad('x', 2000000000, 'y'))",
		"SELECT list_resize([1], 2000000000)",
		"SELECT histogram(range) FROM range(200000000)",
		"SELECT count(*) FROM (SELECT DISTINCT range::VARCHAR || 'x' FROM range(200000000))",
		"SELECT repeat('x', 1000000) FROM range(1000)",
		"SELECT a.range FROM range(100000) a, range(100000) b ORDER BY a.range * b.range % 7919, b.range LIMIT 1 OFFSET 900000000",
		"WITH RECURSIVE r(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM r) SELECT length(s) FROM r",
		"SELECT array_agg(x) FROM (SELECT unnest(range(100000)) x, unnest(range(100000)) y FROM range(10000))",
	} {
		t.Run(sql, func(t *testing.T) {
			_, err := c.Query(t.Context(), sql, nil, patient, &result{})
			if got := class(err); got != warehouse.TooLarge {
				t.Errorf("got %v (%s), want too_large", err, got)
			}
			if _, _, err := ask(t.Context(), c, "SELECT 1"); err != nil {
				t.Errorf("the next query: %v", err)
			}
		})
	}
}

// TestMemoryIsBounded measures the memory of a bomb before it is killed.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		t.Skip("memory is watched on Linux only")
	}
	const limit = 256
	e := newEngine(t, func(c *duckdb.Config) { c.MemoryMB = limit })
	c := open(t, e)
	if err := c.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	pid := e.Pids()[0]
	done := make(chan error, 1)
	go func() {
		_, err := c.Query(context.Background(), "SELECT length(repeat('x', 4000000000))", nil, patient, &result{})
		done <- err
	}()
	peak := 0
	for {
		if status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status"); err == nil {
			for line := range strings.Lines(string(status)) {
				if f := strings.Fields(line); len(f) > 1 && f[0] == "VmHWM:" {
					kb, _ := strconv.Atoi(f[1])
					peak = max(peak, kb/1024)
				}
			}
		}
		select {
		case err := <-done:
			if class(err) != warehouse.TooLarge {
				t.Errorf("got %v, want too_large", err)
			}
			t.Logf("peak %d MB of %d", peak, limit)
			if peak > 2*limit {
				t.Errorf("it took %d MB before it was killed at %d", peak, limit)
			}
			return
		default:
		}
	}
}

// TestEndlessResult shows that a result without end is cut, not computed.
func TestEndlessResult(t *testing.T) {
	t.Parallel()
	c := open(t, newEngine(t))
	for _, sql := range []string{
		"SELECT * FROM range(1000000000000)",
		"SELECT * FROM range(1000000000000);",
		"SELECT * FROM range(1000000000000) -- to the end",
		"SELECT * FROM range(1000000000000) ; -- to the end; really /* ; */",
	} {
		got, stats, err := ask(t.Context(), c, sql)
		if err != nil || !stats.Truncated || len(got.rows) != usual.Rows || stats.Rows != usual.Rows {
			t.Errorf("%s: %d rows, %+v, %v", sql, len(got.rows), stats, err)
		}
	}
	_, stats, err := ask(t.Context(), c, "SELECT repeat('x', 1000) FROM range(2000)")
	if err != nil || !stats.Truncated || stats.Rows != usual.Rows {
		t.Errorf("by rows: %+v, %v", stats, err)
	}
	_, stats, err = ask(t.Context(), c, "SELECT repeat('x', 10000) FROM range(900)")
	if err != nil || !stats.Truncated || stats.Rows != usual.Bytes/10006 {
		t.Errorf("by bytes: %+v, %v", stats, err)
	}
	for _, sql := range []string{
		"SELECT hash(range), -hash(range)::HUGEINT, TIMESTAMP '9999-12-31 00:00:00', DATE '0001-01-01', true, 0.1, NULL, 'x' FROM range(100000)",
		"SELECT repeat('x', 200) FROM range(100000)",
		"SELECT repeat('x', 20000) FROM range(9000)",
	} {
		wide := warehouse.Limits{Rows: 100000, Bytes: 2 << 20, Time: 20 * time.Second}
		stats, err := c.Query(t.Context(), sql, nil, wide, &result{})
		if err != nil || !stats.Truncated || stats.Rows == 0 {
			t.Errorf("%s: %+v, %v", sql, stats, err)
		}
	}
	_, _, err = ask(t.Context(), c, "SELECT repeat('x', 2000000)")
	if class(err) != warehouse.TooLarge {
		t.Errorf("one row over the limit: %v", err)
	}
	var r result
	stats, err = c.Query(t.Context(), "SELECT day FROM sales", nil, warehouse.Limits{Time: time.Second}, &r)
	if err != nil || len(r.rows) != 0 || len(r.cols) != 1 || !stats.Truncated {
		t.Errorf("no rows wanted: %+v, %+v, %v", r, stats, err)
	}
}

// A killer is a sink that kills a process at the first row.
type killer struct {
	result
	pid int
}

func (k *killer) Row(row []any) error {
	if len(k.rows) == 0 {
		syscall.Kill(k.pid, syscall.SIGKILL)
	}
	return k.result.Row(row)
}

// TestKilled shows the result of a caller whose worker is killed from outside.
func TestKilled(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	c := e.Open(warehouse.Tenant{Workspace: uuid.New()}, "k", []warehouse.DataTable{sales})
	if err := c.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	pid := e.Pids()[0]
	// It is in the middle of the call: the rows after the first do not fit into the pipe.
	_, err := c.Query(t.Context(), "SELECT repeat('x', 1000) FROM range(1000)", nil, usual, &killer{pid: pid})
	if class(err) != warehouse.Failed {
		t.Errorf("got %v, want failed", err)
	}
	if _, _, err := ask(t.Context(), c, "SELECT 1"); err != nil {
		t.Errorf("the next query: %v", err)
	}
	// The death of an idle worker has no effect on callers, however soon the next call follows.
	for range 20 {
		idle := e.Pids()[0]
		syscall.Kill(idle, syscall.SIGKILL)
		gone(t, idle)
		if _, _, err := ask(t.Context(), c, "SELECT 1"); err != nil {
			t.Fatalf("after the death of an idle worker: %v", err)
		}
	}
}

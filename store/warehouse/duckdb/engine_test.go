package duckdb_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/duckdb"
	"service/store/warehouse/duckdb/worker"
)

// small is the smallest file.
var small = warehouse.DataFile{Name: "a.csv", Data: []byte("a\n1\n")}

func numbers(n int) warehouse.DataTable {
	return warehouse.DataTable{
		Name: "t", Format: "csv", Columns: []cube.Column{{Name: "n", Type: cube.Integer}},
		Data: fmt.Appendf(nil, "n\n%d\n", n),
	}
}

// TestWorkersAreNotShared shows that a worker serves one workspace and one data
// set: the same key with other data, and the same data in another workspace, get
// their own, while the same of both get the warm one.
func TestWorkersAreNotShared(t *testing.T) {
	t.Parallel()
	e := newEngine(t, func(c *duckdb.Config) { c.Workers, c.Processes = 2, 4 })
	a, b := uuid.New(), uuid.New()
	for _, tt := range []struct {
		workspace uuid.UUID
		key       string
		n         int
		pids      int // afterwards
	}{
		{a, "k", 1, 1},
		{a, "k", 1, 1},
		{a, "k", 2, 2},
		{b, "k", 1, 3},
		{a, "other", 1, 4},
		{a, "k", 2, 4},
	} {
		c := e.Open(warehouse.Tenant{Workspace: tt.workspace}, tt.key, []warehouse.DataTable{numbers(tt.n)})
		got, _, err := ask(t.Context(), c, "SELECT n FROM t")
		if err != nil || len(got.rows) != 1 || got.rows[0][0] != int64(tt.n) {
			t.Fatalf("%+v: got %v, %v", tt, got, err)
		}
		if pids := e.Pids(); len(pids) != tt.pids {
			t.Errorf("%+v: %d workers", tt, len(pids))
		}
	}
	// All workers are idle: the one that is idle for longest ends.
	c := e.Open(warehouse.Tenant{Workspace: b}, "one more", []warehouse.DataTable{numbers(9)})
	if _, _, err := ask(t.Context(), c, "SELECT n FROM t"); err != nil {
		t.Fatal(err)
	}
	if pids := e.Pids(); len(pids) != 4 {
		t.Errorf("%d workers, want the 4 that may be kept", len(pids))
	}
}

// TestWorkersAreKept shows that questions about several sets in turns each find the worker that answered the one before, though
// only one may work at a time.
func TestWorkersAreKept(t *testing.T) {
	t.Parallel()
	e := newEngine(t, func(c *duckdb.Config) { c.Workers = 1 })
	var sets []warehouse.Connector
	for range 4 {
		sets = append(sets, e.Open(warehouse.Tenant{Workspace: uuid.New()}, "k", []warehouse.DataTable{numbers(1)}))
	}
	for range 3 {
		for _, c := range sets {
			if err := c.Ping(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := e.Stats().Started; n != 4 {
		t.Errorf("%d workers were started for 4 sets", n)
	}
}

// TestDataIsReadOnce shows that data is read once for each worker, not for each query, and that data with another hash has another worker.
func TestDataIsReadOnce(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	workspace, reads := uuid.New(), 0
	ask := func(hash string, n int, err error) (any, error) {
		table := numbers(0)
		table.Data, table.SHA256 = nil, []byte(hash)
		table.Read = func(context.Context) ([]byte, error) { reads++; return numbers(n).Data, err }
		got, _, err := ask(t.Context(), e.Open(warehouse.Tenant{Workspace: workspace}, "k", []warehouse.DataTable{table}), "SELECT n FROM t")
		if err != nil {
			return nil, err
		}
		return got.rows[0][0], nil
	}
	for range 3 {
		if n, err := ask("a", 1, nil); err != nil || n != int64(1) || reads != 1 {
			t.Errorf("%v after %d reads, %v", n, reads, err)
		}
	}
	if n, err := ask("b", 2, nil); err != nil || n != int64(2) || reads != 2 {
		t.Errorf("%v after %d reads, %v", n, reads, err)
	}
	gone := errors.New("gone")
	if _, err := ask("c", 3, gone); !errors.Is(err, gone) {
		t.Error(err)
	}
	if all, idle := e.Pids(), e.Idle(); len(all) != len(idle) || len(idle) != 2 {
		t.Errorf("%d workers, %d of them idle, want 2", len(all), len(idle))
	}
}

// TestIdle shows that an unused worker ends.
func TestIdle(t *testing.T) {
	t.Parallel()
	e := newEngine(t, func(c *duckdb.Config) { c.Idle = 50 * time.Millisecond })
	c := open(t, e)
	if err := c.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, pid := range e.Pids() {
		gone(t, pid)
	}
	if pids := e.Pids(); len(pids) != 0 {
		t.Errorf("workers left: %v", pids)
	}
	if err := c.Ping(t.Context()); err != nil {
		t.Errorf("after the end of the idle worker: %v", err)
	}
}

// TestConcurrency runs many queries at once over few workers: every caller gets
// its own answer, and a workspace never has more than its share.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	e := newEngine(t, func(c *duckdb.Config) { c.Workers, c.PerWorkspace, c.Waiting = 3, 2, 4*40 })
	busy := uuid.New()
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			workspace, n := busy, i%2
			if i%8 == 7 {
				workspace = uuid.New()
			}
			c := e.Open(warehouse.Tenant{Workspace: workspace}, "k", []warehouse.DataTable{numbers(n)})
			got, _, err := ask(context.Background(), c, "SELECT n, $1 FROM t, range(1000) ORDER BY 1 LIMIT 1", int64(i))
			if err != nil || !cmp.Equal(got.rows, [][]any{{int64(n), int64(i)}}) {
				t.Errorf("query %d: %v, %v", i, got.rows, err)
			}
			if busy, all := e.Stats().Busy, len(e.Pids()); busy > 3 || all > 4*3 {
				t.Errorf("%d workers at once, of %d", busy, all)
			}
		})
	}
	wg.Wait()
}

// TestWaiting shows the queue: one worker, calls that wait for it until their
// time is over, and one call too many.
func TestWaiting(t *testing.T) {
	t.Parallel()
	e := newEngine(t, func(c *duckdb.Config) { c.Workers, c.Waiting = 1, 1 })
	c := open(t, e)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	long := begin(&wg, func() {
		if _, _, err := ask(ctx, c, "SELECT count(*) FROM range(1000000000000) a, range(1000000) b"); !errors.Is(err, context.Canceled) {
			t.Errorf("the long query: %v", err)
		}
	})
	await(t, long, func() bool { return len(e.Pids()) > 0 })
	short := usual
	short.Time = 50 * time.Millisecond
	if _, err := c.Query(t.Context(), "SELECT 1", nil, short, &result{}); class(err) != warehouse.Timeout {
		t.Errorf("waiting longer than there is time: %v", err)
	}
	waiting := begin(&wg, func() {
		if _, _, err := ask(t.Context(), c, "SELECT 1"); err != nil {
			t.Errorf("the waiting query: %v", err)
		}
	})
	await(t, waiting, func() bool { return e.Waiting() > 0 })
	if err := c.Ping(t.Context()); class(err) != warehouse.Busy {
		t.Errorf("one call too many: %v", err)
	}
}

// begin calls f concurrently with the test; ended is closed when f has returned.
func begin(wg *sync.WaitGroup, f func()) (ended <-chan struct{}) {
	done := make(chan struct{})
	wg.Go(func() { defer close(done); f() })
	return done
}

// await returns when reached does. It fails the test when the call that leads there has ended before.
func await(t *testing.T, ended <-chan struct{}, reached func() bool) {
	t.Helper()
	for !reached() {
		select {
		case <-ended:
			t.Fatal("the call has ended too early")
		default:
			runtime.Gosched()
		}
	}
}

// TestShareOfQueue shows that a workspace cannot fill the queue for others: it has
// a quarter of it, and a call that finds a free worker does not wait at all.
func TestShareOfQueue(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		config func(*duckdb.Config)
		waits  bool // the other workspace's call
	}{
		"no worker is free": {func(c *duckdb.Config) { c.Workers, c.Waiting = 1, 7 }, true},
		"one is free":       {func(c *duckdb.Config) { c.Workers, c.PerWorkspace, c.Waiting = 2, 1, 1 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, tt.config)
			workspace := uuid.New()
			greedy, other := e.Open(warehouse.Tenant{Workspace: workspace}, "", nil), open(t, e)
			ctx, cancel := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			defer wg.Wait()
			defer cancel()
			long := begin(&wg, func() { ask(ctx, greedy, "SELECT count(*) FROM range(1000000000000) a, range(1000000) b") })
			await(t, long, func() bool { return len(e.Pids()) > 0 })
			waiting := begin(&wg, func() {
				if _, _, err := ask(t.Context(), greedy, "SELECT 1"); err != nil {
					t.Errorf("the waiting query: %v", err)
				}
			})
			await(t, waiting, func() bool { return e.Waiting() > 0 })
			if err := greedy.Ping(t.Context()); err == nil {
				t.Error("a workspace waits for more than its share")
			}
			if !tt.waits {
				if err := other.Ping(t.Context()); err != nil {
					t.Errorf("another workspace, with a free worker: %v", err)
				}
				if _, err := e.Ingest(t.Context(), warehouse.Tenant{Workspace: workspace}, small); class(err) != warehouse.Busy {
					t.Errorf("a file of the workspace that has its share: %v", err)
				}
				if _, err := e.Ingest(t.Context(), warehouse.Tenant{Workspace: uuid.New()}, small); err != nil {
					t.Errorf("a file of another workspace: %v", err)
				}
				return
			}
			done := make(chan error, 1)
			go func() { done <- other.Ping(t.Context()) }()
			for e.Waiting() == 1 && len(done) == 0 {
				runtime.Gosched()
			}
			cancel()
			if err := <-done; err != nil {
				t.Errorf("another workspace: %v", err)
			}
		})
	}
}

// TestProcess checks the arguments, environment and files of a worker: nothing.
func TestProcess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("processes are locked in on Linux only")
	}
	leak, err := os.Open("testdata/README.md")
	if err != nil {
		t.Fatal(err)
	}
	defer leak.Close()
	e := newEngine(t)
	if err := open(t, e).Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	proc := fmt.Sprintf("/proc/%d/", e.Pids()[0])

	if environ, err := os.ReadFile(proc + "environ"); err != nil || len(environ) > 0 {
		t.Errorf("environment %q, %v", environ, err)
	}
	fds, err := os.ReadDir(proc + "fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		target, _ := os.Readlink(proc + "fd/" + fd.Name())
		if !strings.HasPrefix(target, "pipe:") && !strings.HasPrefix(target, "anon_inode:") && target != "/dev/null" {
			t.Errorf("descriptor %s is %s", fd.Name(), target)
		}
	}
	limits, err := os.ReadFile(proc + "limits")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Max open files", "Max file size", "Max core file size"} {
		i := bytes.Index(limits, []byte(name))
		if fields := strings.Fields(string(limits[i+len(name):])); i < 0 || fields[0] != "0" || fields[1] != "0" {
			t.Errorf("%s is %v", name, fields[:2])
		}
	}
	if pgid, err := syscall.Getpgid(e.Pids()[0]); err != nil || pgid != e.Pids()[0] {
		t.Errorf("process group %d, %v", pgid, err)
	}
	if files, _ := filepath.Glob(filepath.Join(e.Dir(), "*", "*")); len(files) > 0 {
		t.Errorf("data files stay after loading: %v", files)
	}
	// Whether the system allows namespaces is its own decision; if it does, the
	// worker is in one without network.
	if exec.Command("unshare", "--user", "--net", "true").Run() == nil {
		ours, _ := os.Readlink("/proc/self/ns/net")
		if theirs, err := os.Readlink(proc + "ns/net"); err != nil || theirs == ours {
			t.Errorf("the worker is in our network, %v", err)
		}
	}
}

// TestClose shows that nothing is left.
func TestClose(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	c := open(t, e)
	idle := e.Open(warehouse.Tenant{Workspace: uuid.New()}, "idle", []warehouse.DataTable{numbers(1)})
	if err := errors.Join(c.Ping(t.Context()), idle.Ping(t.Context())); err != nil {
		t.Fatal(err)
	}
	pids := e.Pids()
	var wg sync.WaitGroup
	long := begin(&wg, func() {
		if _, _, err := ask(t.Context(), c, "SELECT count(*) FROM range(1000000000000) a, range(1000000) b"); err == nil {
			t.Error("the query came back")
		}
	})
	await(t, long, func() bool { return e.Stats().Busy > 0 })
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	for _, pid := range pids {
		gone(t, pid)
	}
	if _, err := os.Stat(e.Dir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("scratch stays: %v", err)
	}
	if err := c.Ping(t.Context()); err == nil {
		t.Error("a closed engine answers")
	}
}

// TestSweep shows that the scratch directory of a killed engine is removed when the next starts, and that of a running engine is not.
func TestSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	left := filepath.Join(dir, "engine-left")
	if err := os.MkdirAll(filepath.Join(left, "worker-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	same := func(c *duckdb.Config) { c.Dir = dir }
	first := newEngine(t, same)
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the dead engine's directory stays: %v", err)
	}
	newEngine(t, same)
	if _, err := os.Stat(first.Dir()); err != nil {
		t.Errorf("the living engine's directory is gone: %v", err)
	}
}

// TestServerDies shows that workers do not outlive a server that is killed.
func TestServerDies(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs the parent death signal")
	}
	cmd := exec.Command(os.Args[0], "server-that-dies", t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Kill()
	io.Copy(io.Discard, out)
	cmd.Wait()
	gone(t, pid)
}

// serverThatDies starts a worker, prints its process and waits for its own end.
func serverThatDies(dir string) {
	e, err := duckdb.New(duckdb.Config{Argv: []string{os.Args[0], worker.Command}, Log: silent, Dir: dir})
	if err != nil {
		return
	}
	if e.Open(warehouse.Tenant{Workspace: uuid.New()}, "k", []warehouse.DataTable{numbers(1)}).Ping(context.Background()) == nil {
		fmt.Println(e.Pids()[0])
	}
	time.Sleep(time.Minute)
}

// TestGarbage runs programs that break the protocol instead of a worker. The caller gets one error and nothing else.
func TestGarbage(t *testing.T) {
	t.Parallel()
	ok := `E\0\0\0\2{}`
	for name, script := range map[string]string{
		"ends at once":          `exit 0`,
		"ends in the middle":    `head -c 5 >/dev/null; printf 'E\0\0'`,
		"speaks HTTP":           `printf 'HTTP/1.1 200 OK\r\n\r\n'; sleep 60`,
		"endless noise":         `cat /dev/urandom`,
		"endless zeros":         `cat /dev/zero`,
		"a frame of 4 GB":       `printf 'R\377\377\377\377'; cat /dev/zero`,
		"a result that is none": `printf 'E\0\0\0\2[]'; sleep 60`,
		"asks back":             `printf 'Q\0\0\0\2{}'; sleep 60`,
		"rows without columns":  `printf '` + ok + `R\0\0\0\2ab'; sleep 60`,
		"a type of its own":     `printf '` + ok + `C\0\0\0\045[{"name":"a","type":"<script>evil"}]  '; sleep 60`,
		"rows that are none":    `printf '` + ok + `C\0\0\0\036[{"name":"a","type":"integer"}]R\0\0\0\2zz'; sleep 60`,
		"columns twice": `printf '` + ok + `C\0\0\0\036[{"name":"a","type":"integer"}]` +
			`C\0\0\0\036[{"name":"a","type":"integer"}]'; sleep 60`,
		"more rows than asked": `printf '` + ok + `C\0\0\0\036[{"name":"a","type":"integer"}]'; while :; do printf 'R\0\0\0\2\1\2'; done`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, func(c *duckdb.Config) { c.Argv = []string{"/bin/sh", "-c", script} })
			c := e.Open(warehouse.Tenant{Workspace: uuid.New()}, "k", nil)
			var r result
			_, err := c.Query(t.Context(), "SELECT 1", nil, usual, &r)
			if class(err) != warehouse.Failed {
				t.Errorf("got %v, want failed", err)
			}
			if len(r.rows) > usual.Rows {
				t.Errorf("%d rows got through", len(r.rows))
			}
			if pids := e.Pids(); len(pids) > 0 {
				t.Errorf("the worker was kept: %v", pids)
			}
		})
	}

	t.Run("says too much", func(t *testing.T) {
		t.Parallel()
		long := strings.Repeat("x", 5000)
		result := `{"error":{"class":"auth","message":"a\u001b[31mb` + long + `","line":-4,"suggestions":["` + strings.Repeat(`","`, 50) + `"]}}`
		size := len(result) + 1
		script := fmt.Sprintf(`printf 'E\000\000\%03o\%03o'; cat <<'END'`+"\n%s\nEND\nsleep 60\n", size>>8, size&0xff, result)
		e := newEngine(t, func(c *duckdb.Config) { c.Argv = []string{"/bin/sh", "-c", script} })
		err := e.Open(warehouse.Tenant{Workspace: uuid.New()}, "k", nil).Ping(t.Context())
		bad, ok := errors.AsType[*warehouse.Error](err)
		if !ok || bad.Class != warehouse.Failed || len(bad.Message) > 1000 || strings.ContainsRune(bad.Message, '\x1b') ||
			!strings.HasPrefix(bad.Message, "a [31mb") || bad.Line != 0 || len(bad.Suggestions) > 10 {
			t.Errorf("got %+v", bad)
		}
	})
}

// TestWorkerThatCannotBeWatched shows that no call is sent to a worker whose memory cannot be watched, and that a worker which ended before
// it could be watched is reported as ended.
func TestWorkerThatCannotBeWatched(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	var pids []int
	e.WatchBy(func(pid int) (*os.File, error) {
		pids = append(pids, pid)
		return nil, syscall.EMFILE
	})
	c := open(t, e)
	if err := c.Ping(t.Context()); !errors.Is(err, syscall.EMFILE) || class(err) != "" {
		t.Errorf("got %v, want an error of ours", err)
	}
	if _, err := e.Ingest(t.Context(), warehouse.Tenant{Workspace: uuid.New()}, small); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("a file: %v", err)
	}
	for _, pid := range pids {
		gone(t, pid)
	}
	if n := len(e.Pids()); n != 0 || len(pids) != 2 {
		t.Errorf("%d of %d left", n, len(pids))
	}
	e.WatchBy(func(pid int) (*os.File, error) {
		syscall.Kill(pid, syscall.SIGKILL)
		gone(t, pid)
		return nil, os.ErrNotExist
	})
	if err := c.Ping(t.Context()); class(err) != warehouse.Failed {
		t.Errorf("one that has ended: %v", err)
	}
}

// TestDoesNotStart shows a worker that cannot be started at all.
func TestDoesNotStart(t *testing.T) {
	t.Parallel()
	e := newEngine(t, func(c *duckdb.Config) { c.Argv = []string{"/does/not/exist"} })
	err := e.Open(warehouse.Tenant{Workspace: uuid.New()}, "k", nil).Ping(t.Context())
	if err == nil || class(err) != "" {
		t.Errorf("got %v, want an error of ours", err)
	}
	if n := e.Waiting() + len(e.Pids()); n != 0 {
		t.Errorf("%d left", n)
	}
}

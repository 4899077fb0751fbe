package duckdb_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"

	"service/store/warehouse"
	"service/store/warehouse/duckdb"
	"service/store/warehouse/duckdb/wire"
)

// TestWorkersAreSealed looks at both kinds of worker from outside, with namespaces and
// without: at one that waits for queries, and at one in the middle of a large file.
func TestWorkersAreSealed(t *testing.T) {
	t.Parallel()
	for _, namespaces := range []bool{true, false} {
		e := newEngine(t, func(c *duckdb.Config) { c.Sealed = true })
		if !namespaces {
			e.WithoutNamespaces()
		}
		layers, err := e.Seal(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, layer := range wire.Layers {
			if layers[layer] {
				continue
			}
			if abi, _, _ := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION); int(abi) < 1 {
				t.Skip("this kernel has no Landlock")
			}
			t.Fatalf("workers have no %s", layer)
		}
		if layers[duckdb.Namespaces] && !namespaces {
			t.Error("namespaces are told of that are not there")
		}
		if err := open(t, e).Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		query := e.Idle()[0]
		reader, end := reading(t, e)
		for kind, pid := range map[string]int{"query": query, "ingest": reader} {
			proc := fmt.Sprintf("/proc/%d/", pid)
			threads, err := os.ReadDir(proc + "task")
			if err != nil {
				t.Fatal(err)
			}
			for _, thread := range threads {
				status := read(t, proc+"task/"+thread.Name()+"/status")
				if !strings.Contains(status, "\nSeccomp:\t2\n") || !strings.Contains(status, "\nNoNewPrivs:\t1\n") {
					t.Errorf("%s, a thread: %s", kind, status)
				}
			}
			_, line, _ := strings.Cut(read(t, proc+"limits"), "Max open files")
			if n, err := strconv.Atoi(strings.Fields(line)[1]); err != nil || n > 40 {
				t.Errorf("%s may open %d files", kind, n)
			}
			fds, err := os.ReadDir(proc + "fd")
			if err != nil {
				t.Fatal(err)
			}
			files := 0
			for _, fd := range fds {
				switch target, _ := os.Readlink(proc + "fd/" + fd.Name()); {
				case strings.HasPrefix(target, "/memfd:worker"):
					files++
				case strings.HasPrefix(target, "pipe:"), strings.HasPrefix(target, "anon_inode:"), target == "/dev/null":
				case target == proc+"cgroup", strings.HasPrefix(target, "/sys/fs/cgroup/"): // its own limits, which Go and the engine look up
				default:
					t.Errorf("%s has %s", kind, target)
				}
			}
			if kind == "ingest" && files < 2 { // the engine opens them again
				t.Errorf("it has %d files", files)
			}
		}
		end()
	}
}

// reading returns a worker that is stopped while it reads a large file, and a function that ends it.
func reading(t *testing.T, e *duckdb.Engine) (pid int, end func()) {
	t.Helper()
	rows := []byte("a,b\n" + strings.Repeat("1,a word\n", 500_000))
	before := e.Pids()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := e.Ingest(ctx, warehouse.Tenant{Workspace: uuid.New()}, warehouse.DataFile{Name: "a.csv", Data: rows})
		done <- err
	}()
	for has := 0; has < len(rows); { // once it has them in memory
		select {
		case err := <-done:
			t.Fatalf("it ended before anybody looked: %v", err)
		default:
		}
		for _, p := range e.Pids() {
			if slices.Contains(before, p) {
				continue
			}
			pid = p
			io, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid)) // it may be starting still
			_, line, _ := strings.Cut(string(io), "rchar: ")
			line, _, _ = strings.Cut(line, "\n")
			has, _ = strconv.Atoi(line)
		}
	}
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	return pid, func() {
		t.Helper()
		cancel()
		if err := <-done; err == nil {
			t.Error("it had ended before it was looked at")
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

package isolate_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/warehousetest"
)

// processOf is the process that has the other end of a TCP connection on this machine.
func processOf(t *testing.T, conn net.Conn) string {
	t.Helper()
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	port := func(a net.Addr) string {
		return "0100007F:" + string(bytes.ToUpper([]byte(strconv.FormatInt(int64(a.(*net.TCPAddr).Port)+1<<16, 16)[1:])))
	}
	var inode string
	for line := range bytes.Lines(table) {
		fields := bytes.Fields(line)
		if len(fields) > 9 && string(fields[1]) == port(conn.RemoteAddr()) && string(fields[2]) == port(conn.LocalAddr()) {
			inode = string(fields[9])
		}
	}
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if to, _ := os.Readlink(link); inode != "" && to == "socket:["+inode+"]" {
			return filepath.Dir(filepath.Dir(link))
		}
	}
	t.Fatal("nobody has the other end of the connection")
	return ""
}

// TestSilentServers: a call of a server that never answers ends with its context, and with it the process and its connection.
// While the process is there, the password is neither among its arguments nor in its environment.
func TestSilentServers(t *testing.T) {
	t.Setenv("SECRET_OF_THE_SERVER", secret)
	for _, kind := range []string{"mysql", "clickhouse"} {
		t.Run(kind, func(t *testing.T) {
			arrived, gone := make(chan net.Conn), make(chan struct{})
			c := open(t, kind, serve(t, func(n int, conn net.Conn) {
				if n == 0 {
					arrived <- conn
				}
				io.Copy(io.Discard, conn)
				if n == 0 {
					close(gone)
				}
			}))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			returned := make(chan error)
			go func() {
				_, err := c.Query(ctx, "SELECT 1", nil, wide, &warehousetest.Table{})
				returned <- err
			}()
			process := processOf(t, <-arrived)
			for _, name := range []string{"cmdline", "environ"} {
				text, err := os.ReadFile(filepath.Join(process, name))
				if err != nil || bytes.Contains(text, []byte(secret)) {
					t.Errorf("%s: %q, %v", name, text, err)
				}
			}
			if text, err := os.ReadFile(filepath.Join(process, "oom_score_adj")); err != nil || string(text) != "1000\n" {
				t.Errorf("oom_score_adj %q, %v", text, err)
			}
			threads, err := filepath.Glob(filepath.Join(process, "task/*/status"))
			if err != nil || len(threads) < 2 {
				t.Errorf("threads %v, %v", threads, err)
			}
			for _, thread := range threads {
				status, err := os.ReadFile(thread)
				if err == nil && !(bytes.Contains(status, []byte("\nSeccomp:\t2\n")) && bytes.Contains(status, []byte("\nNoNewPrivs:\t1\n"))) {
					t.Errorf("%s is not sealed:\n%s", thread, status)
				}
			}
			cancel()
			if err := <-returned; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			<-gone
			awaitEnd(t, process)
		})
	}
}

// TestDeafProcess: a process that does not end by itself is killed.
func TestDeafProcess(t *testing.T) {
	before := children(t)
	l := wide
	l.Time = 200 * time.Millisecond
	_, err := open(t, "fake", warehouse.Target{}).Query(t.Context(), "deaf", nil, l, &warehousetest.Table{})
	if classOf(err) != warehouse.Timeout {
		t.Error(err)
	}
	for pid := range children(t) {
		if !before[pid] {
			awaitEnd(t, "/proc/"+pid)
		}
	}
}

// children are the children of this process, including zombies.
func children(t *testing.T) map[string]bool {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, pid := range bytes.Fields(text) {
			all[string(pid)] = true
		}
	}
	return all
}

// awaitEnd waits until a process has ended and is no longer a zombie.
func awaitEnd(t *testing.T, process string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(process); errors.Is(err, os.ErrNotExist) {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the process is still there")
		}
	}
}

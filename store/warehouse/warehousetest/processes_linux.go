package warehousetest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
)

// Stop stops a process, until the function that it returns is called or the test ends. All its threads have stopped when Stop returns.
func Stop(t testing.TB, pid int) (goOn func()) {
	t.Helper()
	signal := func(s syscall.Signal) {
		if err := syscall.Kill(pid, s); err != nil {
			t.Error(os.NewSyscallError("kill", err))
		}
	}
	signal(syscall.SIGSTOP)
	goOn = sync.OnceFunc(func() { signal(syscall.SIGCONT) })
	t.Cleanup(goOn)
	for stopped := false; !stopped; runtime.Gosched() { // each thread does so when it gets a processor
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		if err != nil || len(threads) == 0 {
			t.Fatalf("process %d has no threads: %v", pid, err)
		}
		stopped = !slices.ContainsFunc(threads, func(path string) bool {
			stat, err := os.ReadFile(path)
			return err == nil && !bytes.Contains(stat, []byte(") T ")) // or the thread has ended
		})
	}
	return goOn
}

package worker

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"service/store/seccomp"
	"service/store/warehouse/duckdb/wire"
)

// spareFiles is how many files the process may have open besides those that it was given: the engine opens each of these again for every
// thread.
const spareFiles = 24

// perFile is how many more descriptors each linked file may have: a query over linked files opens all of a table, once for its columns and
// once for each thread that reads them.
const perFile = 4

// seal drops, for the rest of the process's life and before it reads anything, the rights that a worker does not need: core dumps, files
// other than those it was given, large files, network, other programs and other processes. It returns the layers of [wire.Layers] that this
// machine does not support.
func seal() (missing []string) {
	noNewPrivs, landlock := begun()
	open, linked := files()
	held := map[string]bool{wire.NoNewPrivs: noNewPrivs, wire.Landlock: landlock, wire.Seccomp: seccomp.Apply(seccomp.Alone) == nil}
	for _, layer := range wire.Layers {
		if !held[layer] {
			missing = append(missing, layer)
		}
	}
	// Go waits for timers with descriptors that it opens at the first timer. After sealFiles that would fail and end the process.
	time.AfterFunc(time.Hour, func() {}).Stop()
	limit(unix.RLIMIT_CORE, 0)
	limit(unix.RLIMIT_FSIZE, 64<<20)
	limit(unix.RLIMIT_NOFILE, uint64(open+linked*perFile+spareFiles))
	return missing
}

// sealFiles closes the n files that a query worker was given, after they are read, and drops the right to open and write files altogether.
func sealFiles(n int) error {
	for fd := range n {
		unix.Close(3 + fd)
	}
	if err := limit(unix.RLIMIT_FSIZE, 0); err != nil {
		return err
	}
	return limit(unix.RLIMIT_NOFILE, 0)
}

// sealWrites drops the right to write files. Linked files stay open, and can be opened again.
func sealWrites() error { return limit(unix.RLIMIT_FSIZE, 0) }

func limit(resource int, n uint64) error {
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: n, Max: n})
}

// files returns the first unused descriptor, and how many files with names or on disk the process was given: linked ones.
func files() (unused, linked int) {
	for fd := 0; ; fd++ {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
			return fd, linked
		}
		if name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil && fd > 2 && strings.HasPrefix(name, "/") &&
			!strings.HasPrefix(name, "/memfd:") {
			linked++
		}
	}
}

package worker

import (
	"time"

	"golang.org/x/sys/unix"

	"service/store/seccomp"
	"service/store/warehouse/duckdb/wire"
)

// spareFiles is how many files the process may have open besides those that it was given: the engine opens each of these again for every
// thread.
const spareFiles = 24

// seal drops, for the rest of the process's life and before it reads anything, the rights that a worker does not need: core dumps, files
// other than those it was given, large files, network, other programs and other processes. It returns the layers of [wire.Layers] that this
// machine does not support.
func seal() (missing []string) {
	noNewPrivs, landlock := begun()
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
	limit(unix.RLIMIT_NOFILE, uint64(files()+spareFiles))
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

func limit(resource int, n uint64) error {
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: n, Max: n})
}

// files returns the first unused descriptor.
func files() int {
	for fd := 0; ; fd++ {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
			return fd
		}
	}
}

package worker

import (
	"time"

	"golang.org/x/sys/unix"

	"service/store/seccomp"
	"service/store/warehouse/duckdb/wire"
)

// spareFiles is how many files the process may have open besides those that it was
// given: the engine opens each of these again, for every thread.
const spareFiles = 24

// seal gives up, for the rest of the process's life and before it reads anything, what
// a worker does not need: a dump of its memory, other files than those it was given,
// large files, network, other programs and other processes. It returns the layers
// of [wire.Layers] that this machine does not have.
func seal() (missing []string) {
	noNewPrivs, landlock := begun()
	held := map[string]bool{wire.NoNewPrivs: noNewPrivs, wire.Landlock: landlock, wire.Seccomp: seccomp.Apply(seccomp.Alone) == nil}
	for _, layer := range wire.Layers {
		if !held[layer] {
			missing = append(missing, layer)
		}
	}
	// Go waits for timers with descriptors of its own, which it opens at the first one. After
	// sealFiles it could not, and would end the process.
	time.AfterFunc(time.Hour, func() {}).Stop()
	limit(unix.RLIMIT_CORE, 0)
	limit(unix.RLIMIT_FSIZE, 64<<20)
	limit(unix.RLIMIT_NOFILE, uint64(files()+spareFiles))
	return missing
}

// sealFiles gives up the n files that a query worker was given, which it has read, and
// opening and writing files altogether.
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

// files is one more than the highest descriptor of those that lie side by side.
func files() int {
	for fd := 0; ; fd++ {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
			return fd
		}
	}
}

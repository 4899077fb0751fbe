package worker

import (
	"os"
	"syscall"
)

// harden prepares the process before it reads anything: it makes no core dump, which would contain
// data, and is killed first when the machine runs out of memory.
func harden() {
	limit(syscall.RLIMIT_CORE, 0)
	os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
}

// seal gives up files for good: the process can no longer open files, sockets or pipes, or make a
// file grow.
func seal() error {
	if err := limit(syscall.RLIMIT_FSIZE, 0); err != nil {
		return err
	}
	return limit(syscall.RLIMIT_NOFILE, 0)
}

// confine limits the size of the file that an ingestion writes.
func confine() error { return limit(syscall.RLIMIT_FSIZE, 64<<20) }

func limit(resource int, n uint64) error {
	return syscall.Setrlimit(resource, &syscall.Rlimit{Cur: n, Max: n})
}

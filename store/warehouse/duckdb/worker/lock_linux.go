package worker

import (
	"os"
	"syscall"
)

// harden prepares the process before it reads anything: no core dump of the
// data, and the first to go when the machine runs out of memory.
func harden() {
	limit(syscall.RLIMIT_CORE, 0)
	os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
}

// seal gives up files for the rest of the process's life: it can open no file,
// socket or pipe any more, and no file can grow.
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

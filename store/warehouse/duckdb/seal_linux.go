package duckdb

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const descriptors = "/proc/self/fd/%d"

// scratch makes a file that has no name. It lies in memory, where Landlock, which holds
// what has a place in a directory, lets a worker open its descriptor again.
func (e *Engine) scratch() (*os.File, error) {
	fd, err := unix.MemfdCreate("worker", unix.MFD_CLOEXEC|unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3
		fd, err = unix.MemfdCreate("worker", unix.MFD_CLOEXEC)
	}
	if err != nil {
		return nil, fmt.Errorf("duckdb: make a file for a worker: %w", err)
	}
	return os.NewFile(uintptr(fd), "worker"), nil
}

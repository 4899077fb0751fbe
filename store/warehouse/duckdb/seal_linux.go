package duckdb

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const descriptors = "/proc/self/fd/%d"

// scratch creates a file without a name. The file is in memory: Landlock restricts files in directories, so a worker can still open this
// one's descriptor again.
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

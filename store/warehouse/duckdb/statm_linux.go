package duckdb

import (
	"bytes"
	"os"
	"strconv"
)

// openStatm opens the memory statistics of a process.
func openStatm(pid int) (*os.File, error) { return os.Open("/proc/" + strconv.Itoa(pid) + "/statm") }

// memory returns the resident bytes of a process, and how many of them it shares with no file or other process (proc_pid_statm(5)). Both
// are 0 if the process has ended.
func memory(statm *os.File) (resident, own int64) {
	var buf [128]byte
	n, _ := statm.ReadAt(buf[:], 0)
	fields := bytes.Fields(buf[:n])
	if len(fields) < 3 {
		return 0, 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	shared, _ := strconv.ParseInt(string(fields[2]), 10, 64)
	size := int64(os.Getpagesize())
	return pages * size, (pages - shared) * size
}

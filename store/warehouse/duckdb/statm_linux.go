package duckdb

import (
	"bytes"
	"os"
	"strconv"
)

// openStatm opens the memory statistics of a process. It is nil when the process
// is gone.
func openStatm(pid int) *os.File {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return nil
	}
	return f
}

// resident reads the resident memory in bytes. It is 0 when the process is gone.
func resident(statm *os.File) int64 {
	var buf [128]byte
	n, _ := statm.ReadAt(buf[:], 0)
	fields := bytes.Fields(buf[:n])
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}

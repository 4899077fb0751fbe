//go:build !linux

package duckdb

import (
	"os"
	"syscall"
)

// attributes put a worker into a process group of its own.
func attributes(bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// openStatm has nothing to open: memory is watched on Linux only.
func openStatm(int) *os.File { return nil }

func resident(*os.File) int64 { return 0 }

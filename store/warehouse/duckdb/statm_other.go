//go:build !linux

package duckdb

import "os"

// openStatm has nothing to open: memory is watched on Linux only.
func openStatm(int) *os.File { return nil }

func resident(*os.File) int64 { return 0 }

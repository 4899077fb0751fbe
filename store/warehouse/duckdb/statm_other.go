//go:build !linux

package duckdb

import "os"

// openStatm returns nil: memory is watched on Linux only.
func openStatm(int) (*os.File, error) { return nil, nil }

func memory(*os.File) (resident, own int64) { return 0, 0 }

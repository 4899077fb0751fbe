//go:build !linux

package duckdb

import (
	"fmt"
	"os"
)

const descriptors = "/dev/fd/%d"

// scratch creates a file and removes its name.
func (e *Engine) scratch() (*os.File, error) {
	f, err := os.CreateTemp(e.dir, "")
	if err != nil {
		return nil, fmt.Errorf("duckdb: make a file for a worker: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, fmt.Errorf("duckdb: make a file for a worker: %w", err)
	}
	return f, nil
}

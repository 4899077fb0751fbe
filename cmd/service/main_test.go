package main

import (
	"os"
	"testing"

	"service/store/warehouse/duckdb/worker"
)

// TestMain lets the test binary be its own query worker, as the program is.
func TestMain(m *testing.M) {
	if worker.Dispatch() {
		return
	}
	os.Exit(m.Run())
}

//go:build !linux

package growthtest

import (
	"testing"
	"time"
)

// Check runs the larger input once. How long it takes is measured on Linux only.
func Check(t *testing.T, most int, _ time.Duration, prepare func(n int) (run func())) {
	t.Helper()
	prepare(most)()
}

// Within runs once. How long it takes is measured on Linux only.
func Within(t *testing.T, _ time.Duration, run func()) {
	t.Helper()
	run()
}

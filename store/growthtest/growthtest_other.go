//go:build !linux

package growthtest

import (
	"testing"
	"time"
)

// Check runs the larger input once. Its time is measured only on Linux.
func Check(t *testing.T, most int, _ time.Duration, prepare func(n int) (run func())) {
	t.Helper()
	prepare(most)()
}

// Within runs once. Its time is measured only on Linux.
func Within(t *testing.T, _ time.Duration, run func()) {
	t.Helper()
	run()
}

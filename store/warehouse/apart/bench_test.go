package apart_test

import (
	"testing"

	"service/store/warehouse"
)

// BenchmarkCall is the cost of a process for a call that asks nobody. Here the process is this test binary, which is smaller than the
// server's.
func BenchmarkCall(b *testing.B) {
	c := open(b, "fake", warehouse.Target{})
	for b.Loop() {
		if err := c.Ping(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

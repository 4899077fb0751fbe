package warehousetest

import (
	"os"
	"testing"
)

// Reserve returns a TCP port of 127.0.0.1 on which no process listens. Until it is released, only a process that requests the port by its
// number gets it.
func Reserve() (port int, release func(), err error) { return reserve() }

// Port is [Reserve] until the test ends.
func Port(t testing.TB) int {
	t.Helper()
	port, release, err := Reserve()
	if err != nil {
		t.Fatal(os.NewSyscallError("bind", err))
	}
	t.Cleanup(release)
	return port
}

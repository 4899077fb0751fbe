package warehousetest

import (
	"net"
	"strconv"
	"testing"
)

// TestPort: no process listens on a reserved port, the kernel does not assign it as a free port, and it can be opened by its number
// repeatedly.
func TestPort(t *testing.T) {
	t.Parallel()
	reserved := map[int]bool{}
	for range 300 {
		reserved[Port(t)] = true
	}
	if len(reserved) != 300 {
		t.Errorf("300 reservations are %d ports", len(reserved))
	}
	for range 3000 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if port := l.Addr().(*net.TCPAddr).Port; reserved[port] {
			t.Errorf("the reserved port %d is somebody's", port)
		}
		l.Close()
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(Port(t)))
	if _, err := net.Dial("tcp", address); err == nil {
		t.Error("somebody answers at a reserved port")
	}
	for range 2 {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := net.Listen("tcp", address); err == nil {
			t.Error("a port has two listeners")
		}
		l.Close()
	}
}

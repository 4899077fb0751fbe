package warehousetest

import (
	"net"
	"testing"

	"service/store/warehouse"
)

// Serve is the target of a server that is no warehouse: serve answers each connection, the first of which is number 0, and it is
// closed then. The server is gone when the test ends.
func Serve(t testing.TB, serve func(n int, conn net.Conn)) warehouse.Target {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for n := 0; ; n++ {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(n, conn)
			}()
		}
	}()
	return warehouse.Target{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, User: "u", Password: "p", TLS: warehouse.TLSOff}
}

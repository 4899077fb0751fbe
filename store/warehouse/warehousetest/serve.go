package warehousetest

import (
	"net"
	"testing"

	"service/store/warehouse"
)

// Serve starts a server that is not a warehouse and returns its target: it calls serve for each connection, with its number from 0, and
// then closes the connection. The server ends with the test.
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

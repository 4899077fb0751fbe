package isolate_test

import (
	"net"
	"testing"

	"service/store/warehouse"
)

// BenchmarkCall measures the cost of a call without an answer, with a process and without. Here the process is this test binary, which is
// smaller than the server's.
func BenchmarkCall(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	to := warehouse.Target{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, User: "u", TLS: warehouse.TLSOff}
	l.Close()
	near, err := kinds["mysql"](to, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		b.Fatal(err)
	}
	for name, c := range map[string]warehouse.Connector{"near": near, "far": open(b, "mysql", to)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := c.Ping(b.Context()); classOf(err) != warehouse.Connect {
					b.Fatal(err)
				}
			}
		})
	}
}

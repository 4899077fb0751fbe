package main

import (
	"net"
	"os"
	"strings"
	"testing"

	"service/store/warehouse"
	"service/store/warehouse/isolate"
)

// TestWarehousesApart: connectors whose drivers trust servers are used only in separate processes, which know their kinds.
func TestWarehousesApart(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	open := warehouses(&config{AllowPrivateWarehouses: true}, os.Args[0], nil)
	for _, kind := range []string{"mysql", "clickhouse"} {
		c, err := open[kind](warehouse.Target{Host: "127.0.0.1", Port: port, User: "u", TLS: warehouse.TLSOff})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := c.(*isolate.Connector); !ok {
			t.Errorf("%s: a %T", kind, c)
		}
		if err := c.Ping(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "Nothing answers on that port") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

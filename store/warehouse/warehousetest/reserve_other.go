//go:build !linux

package warehousetest

import "net"

// reserve finds a free port. Other kernels do not allow opening a bound port again, even by its number, so it is closed, and another
// process on a busy machine may take it.
func reserve() (port int, release func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, nil, err
	}
	return l.Addr().(*net.TCPAddr).Port, func() {}, l.Close()
}

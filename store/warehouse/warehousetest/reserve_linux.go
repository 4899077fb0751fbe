package warehousetest

import (
	"errors"
	"syscall"
)

// reserve binds a socket to a free port, and never listens on it. The kernel uses such a port neither as any free port nor for an outgoing
// connection, but it can be opened by its number, since both sockets have SO_REUSEADDR (Go and database servers set it). So another process
// can never take the port.
func reserve() (port int, release func(), err error) {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, nil, err
	}
	release = func() { _ = syscall.Close(socket) } // nothing was written to it
	err = errors.Join(
		syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1),
		syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}),
	)
	var bound syscall.Sockaddr
	if err == nil {
		bound, err = syscall.Getsockname(socket)
	}
	if err != nil {
		release()
		return 0, nil, err
	}
	return bound.(*syscall.SockaddrInet4).Port, release, nil
}

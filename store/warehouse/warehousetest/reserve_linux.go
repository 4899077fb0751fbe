package warehousetest

import (
	"errors"
	"syscall"
)

// reserve binds a socket to a free port, and never listens on it. The kernel gives
// such a port neither to who asks for any port nor to an outgoing connection, but
// gives it to who asks for it by number, since both have SO_REUSEADDR (Go and database
// servers set it). So there is no moment at which somebody else may take the port.
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

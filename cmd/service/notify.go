package main

import (
	"net"
	"strings"
)

// notify tells the service manager that started this process how it is, such as READY=1. Without one it does nothing;
// one that does not listen is no reason to stop.
func (p *program) notify(state string) {
	for _, entry := range p.environ {
		path, ok := strings.CutPrefix(entry, "NOTIFY_SOCKET=")
		if !ok || path == "" {
			continue
		}
		if path[0] == '@' { // an abstract socket
			path = "\x00" + path[1:]
		}
		conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
		if err != nil {
			return
		}
		_, _ = conn.Write([]byte(state))
		_ = conn.Close()
		return
	}
}

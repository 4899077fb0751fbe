package main

import (
	"net"
	"strings"
)

// notify sends the state of this process, such as READY=1, to the service manager that started it. Without a service
// manager it does nothing; a failure to send is ignored.
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

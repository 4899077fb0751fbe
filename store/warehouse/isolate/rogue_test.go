package isolate_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"

	"service/store/warehouse"
	"service/store/warehouse/warehousetest"
)

// serve starts a server that calls answer for each connection, with its number from 0, and returns its target.
func serve(t *testing.T, answer func(n int, conn net.Conn)) warehouse.Target {
	t.Helper()
	at := warehousetest.Serve(t, answer)
	at.Password = secret
	return at
}

const secret = "correct horse battery"

// said waits until the client has sent text on a connection.
func said(conn io.Reader, text string) bool {
	var all []byte
	for buf := make([]byte, 64<<10); !bytes.Contains(all, []byte(text)); {
		n, err := conn.Read(buf)
		if err != nil {
			return false
		}
		all = append(all, buf[:n]...)
	}
	return true
}

// packets are packets of MySQL's protocol, numbered from number on.
func packets(number byte, bodies ...string) []byte {
	var all []byte
	for _, body := range bodies {
		all = append(all, byte(len(body)), byte(len(body)>>8), byte(len(body)>>16), number)
		all = append(all, body...)
		number++
	}
	return all
}

const (
	okPacket  = "\x00\x00\x00\x02\x00\x00\x00"
	eofPacket = "\xfe\x00\x00\x02\x00"
)

// greet signs a client of MySQL in.
func greet(conn net.Conn) {
	conn.Write(packets(0, "\x0a8.0.0\x00\x01\x00\x00\x0012345678\x00\xff\xf7\x2d\x02\x00\x08\x00\x15"+
		strings.Repeat("\x00", 10)+"123456789012\x00mysql_native_password\x00"))
	conn.Read(make([]byte, 64<<10))
	conn.Write(packets(2, okPacket))
}

// liars are servers that announce more rows or columns than can exist.
var liars = map[string]func(conn net.Conn){
	"mysql": func(conn net.Conn) {
		greet(conn)
		if said(conn, "SELECT CONNECTION_ID") {
			conn.Write(packets(1, "\xfe\x00\x00\x00\x00\x00\x01\x00\x00")) // columns
		}
	},
	"clickhouse": func(conn net.Conn) {
		hello := binary.AppendUvarint([]byte("\x00\x0aClickHouse\x19\x01"), 54460)
		conn.Write(append(hello, "\x03UTC\x05rogue\x01"...))
		if said(conn, "system.settings") {
			block := binary.AppendUvarint([]byte("\x01\x00\x01\x00\x02\xff\xff\xff\xff\x00\x01"), 1_000_000_000) // rows
			conn.Write(append(block, "\x01c\x17FixedString(8000000000)\x00"...))
		}
	},
}

package mysql_test

import (
	"io"
	"net"
	"strings"
	"testing"

	"service/store/warehouse"
	"service/store/warehouse/mysql"
	"service/store/warehouse/warehousetest"
)

// rogue is the server's end of a connection; a test decides what the server sends.
type rogue struct {
	net.Conn
	number byte // of the next packet
}

// rogues is a connector to a server that has serve answer each connection, the first of which is number 0.
func rogues(t *testing.T, serve func(n int, r *rogue)) *mysql.Connector {
	t.Helper()
	at := warehousetest.Serve(t, func(n int, conn net.Conn) { serve(n, &rogue{Conn: conn}) })
	c, err := mysql.Open(at, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// raw are packets of one write.
func (r *rogue) raw(bodies ...string) error {
	var all []byte
	for _, body := range bodies {
		all = append(all, byte(len(body)), byte(len(body)>>8), byte(len(body)>>16), r.number)
		all = append(all, body...)
		r.number++
	}
	_, err := r.Write(all)
	return err
}

// next reads a packet of the client's.
func (r *rogue) next() (string, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return "", err
	}
	body := make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
	_, err := io.ReadFull(r, body)
	r.number = head[3] + 1
	return string(body), err
}

const (
	okPacket  = "\x00\x00\x00\x02\x00\x00\x00"
	eofPacket = "\xfe\x00\x00\x02\x00"
)

// lengthy is a string of less than 16 MiB with its length before it.
func lengthy(s string) string {
	if len(s) < 251 {
		return string([]byte{byte(len(s))}) + s
	}
	return string([]byte{0xfd, byte(len(s)), byte(len(s) >> 8), byte(len(s) >> 16)}) + s
}

// texts are the definitions of n columns of texts.
func texts(n int) []string {
	one := lengthy("def") + lengthy("") + lengthy("") + lengthy("") + lengthy("c") + lengthy("") +
		"\x0c\x2d\x00\xff\xff\xff\x00\xfd\x00\x00\x00\x00\x00"
	var out []string
	for range n {
		out = append(out, one)
	}
	return append(out, eofPacket)
}

// answer greets, signs in, and answers the statements of a session until the client prepares one, which has
// params parameters. Then it hands over to executed, when the statement is executed.
func (r *rogue) answer(params int, executed func()) {
	r.raw("\x0a8.0.0\x00\x01\x00\x00\x0012345678\x00\xff\xf7\x2d\x02\x00\x08\x00\x15" +
		strings.Repeat("\x00", 10) + "123456789012\x00mysql_native_password\x00")
	if _, err := r.next(); err != nil {
		return
	}
	r.raw(okPacket)
	for {
		said, err := r.next()
		if err != nil {
			return
		}
		switch {
		case strings.HasPrefix(said, "\x03SELECT CONNECTION_ID"):
			r.raw(append(append([]string{"\x03"}, texts(3)...), lengthy("7")+lengthy("8.0.0")+lengthy(""), eofPacket)...)
		case said[0] == 0x03:
			r.raw(okPacket)
		case said[0] == 0x16: // prepare
			r.raw("\x00\x01\x00\x00\x00\x00\x00" + string([]byte{byte(params)}) + "\x00\x00\x00\x00")
			if params > 0 {
				r.raw(texts(params)...)
			}
		case said[0] == 0x17: // execute
			executed()
			return
		}
	}
}

// malformed is an error that is too short to be one, for which the driver panics.
const malformed = "\xff\x00\x00"

// TestKillSurvivesARogueServer: the connection that ends an abandoned query is read on a goroutine of its own,
// where a panic would end the process, and no more is read from it than a greeting needs.
func TestKillSurvivesARogueServer(t *testing.T) {
	t.Parallel()
	const most, buffers = 128 << 20, 16 << 20
	for name, greet := range map[string]func(r *rogue) (sent int){
		"malformed": func(r *rogue) int { r.raw(malformed); return len(malformed) },
		"endless": func(r *rogue) (sent int) {
			packet := make([]byte, 4+1<<24-1) // the longest, after which the driver expects another
			for copy(packet, "\xff\xff\xff"); sent < most; packet[3]++ {
				n, err := r.Write(packet)
				if sent += n; err != nil {
					break
				}
			}
			return sent
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := make(chan int, 1)
			c := rogues(t, func(n int, r *rogue) {
				switch n {
				case 0:
					r.answer(6, func() {}) // and hang up in the middle of the query
				case 1:
					n := greet(r)
					io.Copy(io.Discard, r) // until the client has hung up
					sent <- n
				}
			})
			if _, err := c.Introspect(t.Context(), warehouse.Introspection{}); !strings.HasPrefix(told(err), "connect: ") {
				t.Error(err)
			}
			if n := <-sent; n > buffers {
				t.Errorf("the client took %d bytes", n)
			}
		})
	}
}

// TestIntrospectEnds: the connector soon stops reading from a server that sends far more tables or columns than requested.
func TestIntrospectEnds(t *testing.T) {
	t.Parallel()
	introspect := func(t *testing.T, row func(i int) (table, column string), sent chan<- int) ([]warehouse.Table, error) {
		c := rogues(t, func(n int, r *rogue) {
			if n > 0 {
				return // the client ends the query on another connection
			}
			r.answer(6, func() {
				r.raw(append([]string{"\x09"}, texts(9)...)...)
				n := 0
				for i := 0; n < warehousetest.Endless; i++ {
					packet := "\x00\x00\x00"
					table, column := row(i)
					for _, value := range []string{"db", "1", table, "BASE TABLE", "", column, "int", "NO", ""} {
						packet += lengthy(value)
					}
					if r.raw(packet) != nil {
						break
					}
					n += len(packet)
				}
				sent <- n
			})
		})
		return c.Introspect(t.Context(), warehouse.Introspection{})
	}
	warehousetest.EndlessCatalogs(t, 48<<20, introspect)
}

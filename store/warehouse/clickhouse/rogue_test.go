package clickhouse_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"testing"

	"service/store/warehouse"
	"service/store/warehouse/clickhouse"
	"service/store/warehouse/warehousetest"
)

// rogue is the server's end of a connection; a test decides what the server sends.
type rogue struct {
	net.Conn
	sent int
}

// rogues is a connector to a server that has serve answer each connection.
func rogues(t *testing.T, serve func(r *rogue)) *clickhouse.Connector {
	t.Helper()
	at := warehousetest.Serve(t, func(_ int, conn net.Conn) { serve(&rogue{Conn: conn}) })
	c, err := clickhouse.Open(at, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// asked waits for a query that contains text.
func (r *rogue) asked(text string) bool {
	var all []byte
	buf := make([]byte, 64<<10)
	for !bytes.Contains(all, []byte(text)) {
		n, err := r.Read(buf)
		if err != nil {
			return false
		}
		all = append(all, buf[:n]...)
	}
	return true
}

// texts are texts with their lengths before them.
func texts(texts ...string) []byte {
	var out []byte
	for _, s := range texts {
		out = append(binary.AppendUvarint(out, uint64(len(s))), s...)
	}
	return out
}

const (
	data     = "\x01\x00\x01\x00\x02\xff\xff\xff\xff\x00" // precedes a block
	ending   = "\x05"                                     // of an answer
	revision = 54460                                      // of the protocol
)

// block sends rows. A column whose first value is an uint8 is of these, another of texts. It reports whether the
// client still listens.
func (r *rogue) block(rows ...[]any) bool {
	out := binary.AppendUvarint([]byte(data), uint64(len(rows[0])))
	out = binary.AppendUvarint(out, uint64(len(rows)))
	for i := range rows[0] {
		kind := "String"
		if _, ok := rows[0][i].(uint8); ok {
			kind = "UInt8"
		}
		out = append(append(out, texts(fmt.Sprint("c", i), kind)...), 0)
		for _, row := range rows {
			switch v := row[i].(type) {
			case uint8:
				out = append(out, v)
			case string:
				out = append(out, texts(v)...)
			}
		}
	}
	n, err := r.Write(out)
	r.sent += n
	return err == nil
}

// answer signs in, sends the settings of a session in which nothing can be set, and waits for a query that contains text.
func (r *rogue) answer(text string) bool {
	hello := append([]byte{0}, texts("ClickHouse")...)
	hello = binary.AppendUvarint(append(hello, 25, 1), revision)
	r.Write(append(append(hello, texts("UTC", "rogue")...), 1))
	if !r.asked("system.settings") {
		return false
	}
	r.block([]any{"readonly", "1", uint8(0), "", "25.1.1"})
	r.Write([]byte(ending))
	return r.asked(text)
}

// TestIntrospectEnds: the connector soon stops reading from a server that sends far more tables or columns than requested.
func TestIntrospectEnds(t *testing.T) {
	t.Parallel()
	const buffers = 16 << 20 // how much of it may be under way
	introspect := func(t *testing.T, row func(i int) (table, column string), sent chan<- int) ([]warehouse.Table, error) {
		c := rogues(t, func(r *rogue) {
			if !r.answer("system.tables") {
				return
			}
			rows := make([][]any, 100)
			for i := 0; r.sent < warehousetest.Endless; i += len(rows) {
				for n := range rows {
					table, column := row(i + n)
					rows[n] = []any{"default", uint8(1), table, "MergeTree", "", column, "Int32", ""}
				}
				if !r.block(rows...) {
					break
				}
			}
			sent <- r.sent
		})
		return c.Introspect(t.Context(), warehouse.Introspection{})
	}
	warehousetest.EndlessCatalogs(t, warehouse.MaxCatalog+buffers, introspect)
}

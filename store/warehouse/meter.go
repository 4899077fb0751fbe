package warehouse

import (
	"errors"
	"net"
	"sync/atomic"
)

// A Meter is a connection that limits the bytes that may be read, because drivers read messages of any length into memory.
type Meter struct {
	net.Conn
	left atomic.Int64
	over atomic.Bool
}

// Allow sets how many bytes may be read from now on.
func (m *Meter) Allow(n int64) { m.left.Store(n) }

// Add allows n bytes more.
func (m *Meter) Add(n int64) { m.left.Add(n) }

// Over reports whether the other side has sent more bytes than allowed.
func (m *Meter) Over() bool { return m.over.Load() }

var errOver = errors.New("warehouse: more was sent than is allowed")

// Close closes the connection, if there is one yet.
func (m *Meter) Close() error {
	if m.Conn == nil {
		return nil
	}
	return m.Conn.Close()
}

// Read reads no more than is allowed.
func (m *Meter) Read(b []byte) (int, error) {
	left := m.left.Load()
	if left <= 0 {
		m.over.Store(true)
		return 0, errOver
	}
	n, err := m.Conn.Read(b[:min(int64(len(b)), left)])
	m.left.Add(-int64(n))
	return n, err
}

package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"service/store/warehouse"
)

// A line is a connection that serves one call.
type line struct {
	*pgx.Conn
	meter   *warehouse.Meter
	unwatch func() bool
	leaving *sync.WaitGroup // of the connector
	cutting sync.Once
}

// maxAside is how many bytes a server may send in addition to the rows that took has counted. It must be larger than a row. The driver
// keeps some of them for as long as the connection lasts: settings and notifications.
const maxAside = 2 * warehouse.MaxRow

// connect opens a line. The line is cut when ctx ends.
func (c *Connector) connect(ctx context.Context) (*line, error) {
	l := &line{leaving: c.leaving}
	config := c.config.Copy()
	if c.iam != nil {
		var err error
		if config.User, config.Password, err = c.iam.login(ctx); err != nil {
			return nil, err
		}
	}
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if l.Conn == nil {
			conn, err := c.config.DialFunc(ctx, network, address)
			if err != nil {
				return nil, err
			}
			l.meter = &warehouse.Meter{Conn: conn}
			l.meter.Allow(maxAside)
			return l.meter, nil
		}
		// pgx sends the cancel request through another connection, which may take longer than we want to wait.
		deadline := time.Now().Add(warehouse.LeaveTime)
		ctx, cancel := context.WithDeadline(ctx, deadline)
		defer cancel()
		conn, err := c.config.DialFunc(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return conn, conn.SetDeadline(deadline)
	}
	rounds := new(atomic.Int64)
	rounds.Store(maxRounds)
	config.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		return pgproto3.NewFrontend(&handshake{Reader: r, rounds: rounds}, w)
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, connectError(ctx, err)
	}
	l.Conn = conn
	l.unwatch = context.AfterFunc(ctx, l.cut)
	return l, nil
}

// cut ends a line in the middle of a query. Then pgx cannot read the remaining rows, and sends a cancel request. A server with
// client_connection_check_interval also notices the loss by itself.
func (l *line) cut() {
	l.cutting.Do(func() {
		socket, err := duplicate(l.meter.Conn)
		l.meter.Close()
		if err == nil {
			l.leaving.Go(func() { l.end(socket) })
		}
	})
}

// duplicate returns the socket of a connection, which stays open when the connection is closed.
func duplicate(conn net.Conn) (*net.TCPConn, error) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return nil, net.ErrClosed
	}
	file, err := tcp.File()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	other, err := net.FileConn(file)
	if err != nil {
		return nil, err
	}
	return other.(*net.TCPConn), nil
}

// maxLate is how many bytes the server may still send on a line that was cut. It notices the end of the socket when it sends more.
const maxLate = 64 << 10

// end waits until the server has closed a line that was cut, at most [warehouse.LeaveTime]. It repeats the cancel request, which has no
// effect if it arrives before the server begins the statement.
func (l *line) end(socket *net.TCPConn) {
	defer socket.Close()
	_ = socket.CloseWrite()
	ctx, cancel := context.WithTimeout(context.Background(), warehouse.LeaveTime)
	defer cancel()
	for pause := 50 * time.Millisecond; ctx.Err() == nil; pause *= 2 {
		_ = socket.SetReadDeadline(time.Now().Add(pause))
		if n, err := io.CopyN(io.Discard, socket, maxLate); n == maxLate || !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		_ = l.PgConn().CancelRequest(ctx)
	}
}

// leave closes a line without waiting for a server that does not answer.
func (l *line) leave() {
	l.unwatch()
	ctx, cancel := context.WithTimeout(context.Background(), warehouse.LeaveTime)
	defer cancel()
	l.Close(ctx)
	l.leaving.Go(func() { // pgx may send a cancel request
		select {
		case <-l.PgConn().CleanupDone():
		case <-time.After(warehouse.LeaveTime):
		}
	})
}

// took returns the size in bytes of a row that was read. The driver does not keep the row, so it allows as many bytes again.
func (l *line) took(row [][]byte) (size int) {
	for _, v := range row {
		size += len(v) + 4
	}
	l.meter.Add(int64(size + size/8 + 32)) // with the message around it and TLS records, of which each may hold one row
	return size
}

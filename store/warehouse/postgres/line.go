package postgres

import (
	"context"
	"io"
	"net"
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
}

// maxAside is how many bytes a server may send in addition to the rows that took has counted. It must be larger than a row. The driver
// keeps some of them for as long as the connection lasts: settings and notifications.
const maxAside = 2 * warehouse.MaxRow

// connect opens a line. The line is cut when ctx ends.
func (c *Connector) connect(ctx context.Context) (*line, error) {
	l := &line{}
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
func (l *line) cut() { l.meter.Close() }

// leave closes a line without waiting for a server that does not answer.
func (l *line) leave() {
	l.unwatch()
	ctx, cancel := context.WithTimeout(context.Background(), warehouse.LeaveTime)
	defer cancel()
	l.Close(ctx)
}

// took returns the size in bytes of a row that was read. The driver does not keep the row, so it allows as many bytes again.
func (l *line) took(row [][]byte) (size int) {
	for _, v := range row {
		size += len(v) + 4
	}
	l.meter.Add(int64(size + size/8 + 32)) // with the message around it and TLS records, of which each may hold one row
	return size
}

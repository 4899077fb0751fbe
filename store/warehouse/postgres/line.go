package postgres

import (
	"context"
	"net"
	"time"

	"github.com/jackc/pgx/v5"

	"service/store/warehouse"
)

// A line is a connection that serves one call.
type line struct {
	*pgx.Conn
	raw     net.Conn
	unwatch func() bool
}

// connect opens a line, which is cut when ctx ends.
func (c *Connector) connect(ctx context.Context) (*line, error) {
	l := &line{}
	config := c.config.Copy()
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if l.Conn == nil {
			conn, err := c.config.DialFunc(ctx, network, address)
			l.raw = conn
			return conn, err
		}
		// pgx asks the server to cancel through another connection, which may take longer than
		// we want to wait.
		deadline := time.Now().Add(warehouse.LeaveTime)
		ctx, cancel := context.WithDeadline(ctx, deadline)
		defer cancel()
		conn, err := c.config.DialFunc(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return conn, conn.SetDeadline(deadline)
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, connectError(ctx, err)
	}
	l.Conn = conn
	l.unwatch = context.AfterFunc(ctx, l.cut)
	return l, nil
}

// cut ends a line in the middle of a query. pgx can then not read the remaining rows, and asks the
// server to cancel. A server with client_connection_check_interval also notices by itself.
func (l *line) cut() { l.raw.Close() }

// leave closes a line without waiting for a server that does not answer.
func (l *line) leave() {
	l.unwatch()
	ctx, cancel := context.WithTimeout(context.Background(), warehouse.LeaveTime)
	defer cancel()
	l.Close(ctx)
}

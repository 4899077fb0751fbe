package postgres

import (
	"context"
	"net"
	"time"

	"github.com/jackc/pgx/v5"

	"service/store/warehouse"
)

// A line is a connection of its own for one question.
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
		// pgx asks the server to cancel, on a connection of its own, for which it
		// has more patience than we.
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

// cut ends a line in the middle of a question. What was asked is over for us at
// once: pgx, which would read what there is to read, cannot, and asks the server
// to cancel. A server that has been told to looks for its client each second.
func (l *line) cut() { l.raw.Close() }

// leave closes a line without waiting for a server that does not answer.
func (l *line) leave() {
	l.unwatch()
	ctx, cancel := context.WithTimeout(context.Background(), warehouse.LeaveTime)
	defer cancel()
	l.Close(ctx)
}

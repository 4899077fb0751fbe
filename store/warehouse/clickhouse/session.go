package clickhouse

import (
	"context"
	"crypto/tls"
	"math"
	"net"
	"strconv"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	rowser "github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"service/store/warehouse"
)

// A session is a connection that serves one question.
type session struct {
	conn     driver.Conn
	meter    *warehouse.Meter
	running  context.Context // without the deadline, which the driver would make a setting of
	stop     context.CancelFunc
	unwatch  func() bool
	settings driver.Settings
}

// connect opens a connection of its own, and settles how the server can be kept
// to l.
func (c *Connector) connect(ctx context.Context, l warehouse.Limits) (*session, error) {
	s := &session{meter: &warehouse.Meter{}}
	s.meter.Allow(int64(2*l.Bytes) + 32<<20) // the last block may be one too many
	s.running, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.unwatch = context.AfterFunc(ctx, s.stop)
	host := net.JoinHostPort(c.target.Host, strconv.Itoa(c.target.Port))
	var dialled func() bool // stops the watch over a connection that does not speak yet
	var err error
	s.conn, err = driver.Open(&driver.Options{
		Addr:         []string{host},
		Auth:         driver.Auth{Database: c.target.Database, Username: c.target.User, Password: c.target.Password},
		MaxOpenConns: 1,
		MaxIdleConns: 1,
		DialTimeout:  askTime,
		ReadTimeout:  max(askTime, 2*l.Time),
		DialContext: func(ctx context.Context, address string) (net.Conn, error) {
			conn, err := c.dialer.DialTarget(c.target)(ctx, "tcp", address)
			if err != nil {
				return nil, err
			}
			s.meter.Conn = conn
			dialled = context.AfterFunc(s.running, func() { conn.Close() })
			config := c.target.TLSConfig()
			if config == nil {
				return quiet{s.meter}, nil
			}
			secure := tls.Client(s.meter, config) // the driver leaves it to who dials
			if err := secure.HandshakeContext(ctx); err != nil {
				conn.Close()
				return nil, err
			}
			return quiet{secure}, nil
		},
	})
	if err != nil {
		s.stop()
		return nil, connectError(ctx, err)
	}
	// What the user's profile says decides what may be set at all.
	var mode string
	err = s.conn.QueryRow(s.running, "SELECT value FROM system.settings WHERE name = 'readonly'").Scan(&mode)
	if dialled != nil {
		dialled()
	}
	if err != nil {
		s.close()
		return nil, connectError(ctx, err)
	}
	if mode != "1" {
		s.settings = driver.Settings{
			"max_execution_time":   int(math.Ceil(l.Time.Seconds())),
			"max_result_rows":      l.Rows + 1, // tells whether there are more
			"max_result_bytes":     l.Bytes + maxRow,
			"result_overflow_mode": "break",
		}
	}
	if mode == "0" {
		s.settings["readonly"] = 1
	}
	return s, nil
}

// quiet closes without an error. On one, the driver does not wait for its reader,
// which then sends on a closed channel and ends the program.
type quiet struct{ net.Conn }

func (q quiet) Close() error {
	q.Conn.Close()
	return nil
}

// query asks with values, which are bound by name.
func (s *session) query(sql string, values map[string]string) (rowser.Rows, error) {
	ctx := driver.Context(s.running, driver.WithSettings(s.settings))
	args := make([]any, 0, len(values))
	for name, value := range values {
		if value == null {
			args = append(args, driver.Named(name, nil))
			continue
		}
		args = append(args, driver.Named(name, value))
	}
	return s.conn.Query(ctx, sql, args...)
}

// describe asks for the columns of a query, as of a subquery: the server's parser
// agrees that it is one.
func (s *session) describe(ctx context.Context, sql string, values map[string]string) ([]cell, error) {
	rows, err := s.query(describing+sql+"\n)", values)
	if err != nil {
		return nil, s.word(ctx, err, sql, describing)
	}
	defer rows.Close()
	names := rows.Columns()
	var cells []cell
	seen := map[string]bool{}
	for rows.Next() {
		// name, type, and more with each version
		row := make([]string, len(names))
		dest := make([]any, len(names))
		for i := range row {
			dest[i] = &row[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		if seen[row[0]] {
			return nil, warehouse.Errorf(warehouse.Refused, `Two columns of the query are called "%s". Give one of them another name with AS.`, row[0])
		}
		seen[row[0]] = true
		cells = append(cells, cellOf(row[0], row[1]))
	}
	return cells, s.word(ctx, rows.Err(), sql, describing)
}

const describing = "DESCRIBE TABLE (\n"

// close ends the session. A query that has not ended is cancelled by the driver.
func (s *session) close() {
	s.unwatch()
	s.stop()
	s.conn.Close()
	if s.meter.Conn != nil {
		s.meter.Close()
	}
}

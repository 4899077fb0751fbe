package mysql

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// A Connector queries one server.
type Connector struct {
	config  *driver.Config
	leaving *sync.WaitGroup // running kills
	loc     *time.Location  // of the sessions; nil is UTC
}

// Leave waits until the queries of callers that have left are killed on the server, at most [warehouse.LeaveTime]. If the process ends
// earlier, the server's time limit ends them.
func (c *Connector) Leave() { c.leaving.Wait() }

// In returns a connector whose sessions are in a time zone, which the server must have loaded. An
// instant in the hour that a clock change repeats is read as the first of the two, because the server
// sends no offset.
func (c *Connector) In(zone *time.Location) warehouse.Connector {
	return &Connector{c.config, c.leaving, zone}
}

// zone returns the time zone of the sessions, as SQL.
func (c *Connector) zone() string {
	if c.loc == nil {
		return "'+00:00'"
	}
	return "'" + strings.ReplaceAll(c.loc.String(), "'", "''") + "'"
}

// Open returns a connector to t, dialled by d. It does not connect yet.
func Open(t warehouse.Target, d warehouse.Dialer) (*Connector, error) {
	c := driver.NewConfig()
	c.Net, c.Addr = "tcp", net.JoinHostPort(t.Host, strconv.Itoa(t.Port))
	c.User, c.Passwd, c.DBName = t.User, t.Password, t.Database
	c.TLS = t.TLSConfig()
	c.DialFunc = d.DialTarget(t)
	c.Timeout, c.WriteTimeout = warehouse.AskTime, warehouse.AskTime
	c.Logger = &driver.NopLogger{} // its texts must not be in our log
	c.ConnectionAttributes = "program_name:service"
	// Options that are not set are off: multiple statements, local files, passwords in clear text, a fallback to no TLS, and values
	// interpolated into the SQL.
	return &Connector{config: c, leaving: &sync.WaitGroup{}}, nil
}

// Dialect names the SQL.
func (c *Connector) Dialect() string { return "mysql" }

// Placeholder returns the placeholder of every argument.
func (c *Connector) Placeholder(int) string { return "?" }

// Ping connects and checks that the server answers.
func (c *Connector) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, warehouse.AskTime)
	defer cancel()
	s, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer s.close(ctx)
	return s.done(ctx, s.begin(ctx, warehouse.AskTime, 1))
}

// Warning warns of a server whose only time zone is UTC, before a dashboard is refused because of it.
func (c *Connector) Warning(ctx context.Context) string { return c.zoneWarning(ctx, "Europe/Berlin") }

func (c *Connector) zoneWarning(ctx context.Context, name string) string {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return ""
	}
	no, ok := errors.AsType[*warehouse.Error](c.In(zone).Ping(ctx))
	if !ok || no.Class != warehouse.Refused {
		return ""
	}
	return "This server does not know the names of time zones, so dashboards over it can only have the timezone UTC. " + loadZones
}

// Describe returns the columns of a query without running it. The driver does not show the columns
// of a prepared statement, so Describe runs a statement with the query's columns and none of its rows.
// The query is one half of a UNION, so that the optimizer does not compute it as a constant. It still
// computes inner SELECTs without FROM, within the time limit.
func (c *Connector) Describe(ctx context.Context, query string, args []any) ([]cube.Column, error) {
	ctx, cancel := context.WithTimeout(ctx, warehouse.AskTime)
	defer cancel()
	q, err := check(query, len(args))
	if err != nil {
		return nil, err
	}
	query = q.SQL
	values, err := encode(args)
	if err != nil {
		return nil, err
	}
	s, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer s.close(ctx)
	if err := s.done(ctx, s.begin(ctx, warehouse.AskTime, 1)); err != nil {
		return nil, err
	}
	stmt, err := s.prepare(ctx, query)
	if err != nil {
		return nil, s.done(ctx, err)
	}
	stmt.Close()
	inner := "(" + query + "\n) UNION ALL (" + query + "\n)"
	if values = append(values, values...); q.Is(0, "with") {
		inner, values = query+"\n", values[:len(args)] // MariaDB does not accept WITH in the halves of a UNION
	}
	rows, err := s.conn.QueryContext(ctx, "SELECT * FROM ("+inner+") AS q WHERE FALSE", values...)
	if err != nil {
		return nil, s.done(ctx, translateError(ctx, err, query))
	}
	defer rows.Close()
	cells, err := cellsOf(rows, c.loc)
	if err != nil {
		return nil, translateError(ctx, err, query)
	}
	for rows.Next() { // the result is empty; this ends the statement
	}
	return columns(cells), s.done(ctx, translateError(ctx, rows.Err(), query))
}

// Query runs query and hands its rows to sink.
func (c *Connector) Query(
	ctx context.Context, query string, args []any, l warehouse.Limits, sink warehouse.Sink,
) (warehouse.Stats, error) {
	q, err := check(query, len(args))
	if err != nil {
		return warehouse.Stats{}, err
	}
	return c.run(ctx, q.SQL, args, l, sink)
}

// run runs a query that has passed the gate.
func (c *Connector) run(
	ctx context.Context, query string, args []any, l warehouse.Limits, sink warehouse.Sink,
) (warehouse.Stats, error) {
	var stats warehouse.Stats
	values, err := encode(args)
	if err != nil {
		return stats, err
	}
	ctx, cancel := context.WithTimeout(ctx, l.Time)
	defer cancel()
	s, err := c.connect(ctx)
	if err != nil {
		return stats, err
	}
	defer s.close(ctx)
	// One row more than the limit shows whether there are more.
	if err := s.done(ctx, s.begin(ctx, l.Time, l.Rows+1)); err != nil {
		return stats, err
	}
	stmt, err := s.prepare(ctx, query)
	if err != nil {
		return stats, s.done(ctx, err)
	}
	defer stmt.Close()
	rows, err := stmt.QueryContext(ctx, values...)
	if err != nil {
		return stats, s.done(ctx, translateError(ctx, err, query))
	}
	defer rows.Close()
	defer s.abandon() // before the rows are closed, which would read them all
	cells, err := cellsOf(rows, c.loc)
	if err != nil {
		return stats, translateError(ctx, err, query)
	}
	if err := sink.Columns(columns(cells)); err != nil {
		return stats, err
	}
	dest, size := make([]any, len(cells)), 0
	for i := range cells {
		dest[i] = &cells[i]
	}
	for s.allow(); rows.Next(); s.allow() {
		if err := rows.Scan(dest...); err != nil {
			if known, ok := errors.AsType[*warehouse.Error](err); ok {
				return stats, known
			}
			return stats, fmt.Errorf("mysql: read a row: %w", err)
		}
		row := make([]any, len(cells))
		for i := range cells {
			row[i] = cells[i].value
			size += cells[i].size + 4
		}
		if stats.Rows == l.Rows || size > l.Bytes {
			stats.Truncated = true
			return stats, nil
		}
		if err := sink.Row(row); err != nil {
			return stats, err
		}
		stats.Rows++
	}
	if err := rows.Err(); err != nil {
		if s.meter.Over() {
			err = warehouse.Errorf(warehouse.TooLarge, warehouse.SayLongRow)
		}
		return stats, s.done(ctx, translateError(ctx, err, query))
	}
	s.ended = true
	return stats, nil
}

// encode converts arguments for the driver. A time at midnight becomes a date, as comparisons with a
// DATE need it.
func encode(args []any) ([]any, error) {
	for i, a := range args {
		switch a := a.(type) {
		case nil, string, int64, bool, time.Time:
		case float64:
			if math.IsNaN(a) || math.IsInf(a, 0) {
				return nil, warehouse.Errorf(warehouse.Type, "Parameter %d is no number that MySQL knows.", i+1)
			}
		default:
			return nil, fmt.Errorf("argument %d is a %T", i+1, a)
		}
	}
	return args[:len(args):len(args)], nil
}

package clickhouse

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"slices"
	"strconv"
	"sync/atomic"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	rowser "github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"service/store/warehouse"
)

// maxMemory is how many bytes one query may use on the server, unless the user's profile sets another limit.
const maxMemory = 10_000_000_000

// A session is a connection that serves one call.
type session struct {
	conn     driver.Conn
	meters   []*warehouse.Meter // of its connections; the driver may open a second before it knows that the first is idle
	running  context.Context    // without a deadline, which the driver would turn into a setting
	stop     context.CancelFunc
	unwatch  func() bool
	spoken   atomic.Bool
	greeting func() bool // ends the watch over a connection on which the server has not sent anything yet
	settings driver.Settings
}

// connect opens a connection, and determines which of the limits l the server can enforce.
func (c *Connector) connect(ctx context.Context, l warehouse.Limits) (*session, error) {
	s := &session{}
	s.running, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.unwatch = context.AfterFunc(ctx, s.stop)
	host := net.JoinHostPort(c.target.Host, strconv.Itoa(c.target.Port))
	var err error
	s.conn, err = driver.Open(&driver.Options{
		Addr:         []string{host},
		Auth:         driver.Auth{Database: c.target.Database, Username: c.target.User, Password: c.target.Password},
		MaxOpenConns: 1,
		MaxIdleConns: 1,
		DialTimeout:  warehouse.AskTime,
		ReadTimeout:  max(warehouse.AskTime, 2*l.Time),
		DialContext: func(ctx context.Context, address string) (net.Conn, error) {
			conn, err := c.dialer.DialTarget(c.target)(ctx, "tcp", address)
			if err != nil {
				return nil, err
			}
			meter := &warehouse.Meter{Conn: conn}
			meter.Allow(int64(2*l.Bytes) + 32<<20) // the last block may be one too many
			s.meters = append(s.meters, meter)
			s.greeting = context.AfterFunc(s.running, func() { conn.Close() })
			config := c.target.TLSConfig()
			if config == nil {
				return quiet{meter, &s.spoken}, nil
			}
			secure := tls.Client(meter, config) // the driver leaves TLS to the dialer
			if err := secure.HandshakeContext(ctx); err != nil {
				conn.Close()
				return nil, err
			}
			return quiet{secure, &s.spoken}, nil
		},
	})
	if err != nil {
		s.stop()
		return nil, connectError(ctx, err)
	}
	if err := s.configure(l, cmp.Or(c.zone, "UTC")); err != nil {
		s.close()
		if s.spoken.Load() && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, warehouse.Errorf(warehouse.Timeout, warehouse.SayTimeout)
		}
		return nil, connectError(ctx, err)
	}
	return s, nil
}

// configure reads the server's version and the settings that the user's profile allows. It sets every limit that it can to l, unless the
// profile is stricter.
func (s *session) configure(l warehouse.Limits, zone string) error {
	rows, err := s.query(`SELECT name, value, readonly, ifNull(max, ''), version() FROM system.settings WHERE name IN ('readonly',
		'max_execution_time', 'timeout_overflow_mode',
		'max_result_rows', 'max_result_bytes', 'result_overflow_mode', 'max_memory_usage', 'union_default_mode',
		'stream_like_engine_allow_direct_select', 'session_timezone')`, nil)
	if bad, ok := errors.AsType[*driver.Exception](err); ok && bad.Code == 47 {
		return tooOld() // it lacks these columns
	} else if err != nil {
		return err
	}
	defer rows.Close()
	own := map[string]string{} // the profile's values
	most := map[string]int{}   // the largest values that it allows
	fixed := map[string]bool{}
	for rows.Next() {
		var name, value, highest, version string
		var constant uint8
		if err := rows.Scan(&name, &value, &constant, &highest, &version); err != nil {
			return err
		}
		own[name], fixed[name] = value, constant == 1
		if old(version) {
			return tooOld()
		}
		if n, err := strconv.ParseFloat(highest, 64); err == nil {
			most[name] = int(n)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if own["readonly"] == "" {
		return errors.New("clickhouse: the server does not tell its settings")
	}
	s.settings = driver.Settings{}
	if own["readonly"] == "1" { // nothing can be set
		if zone != "UTC" && own["session_timezone"] != zone {
			return noZone(zone)
		}
		return nil
	}
	can := func(name string) bool { _, known := own[name]; return known && !fixed[name] }
	lower := func(name string, limit int) {
		n, _ := strconv.ParseFloat(own[name], 64)
		if most, ok := most[name]; ok {
			limit = min(limit, most)
		}
		if can(name) && (n <= 0 || n > float64(limit)) {
			s.settings[name] = limit
		}
	}
	lower("max_execution_time", int(math.Ceil(l.Time.Seconds())))
	if n, _ := strconv.ParseFloat(own["max_memory_usage"], 64); n == 0 {
		lower("max_memory_usage", maxMemory)
	}
	if can("timeout_overflow_mode") {
		s.settings["timeout_overflow_mode"] = "throw" // the default may return a part of the result
	}
	if can("union_default_mode") && own["union_default_mode"] == "" {
		s.settings["union_default_mode"] = "DISTINCT" // as the standard has it
	}
	if can("stream_like_engine_allow_direct_select") {
		s.settings["stream_like_engine_allow_direct_select"] = 0 // such a SELECT removes messages from a queue
	}
	// With all three settings the server stops after the first block over a limit, which shows that there are more rows. Without one of them
	// the query would fail, or the rows would be cut without a sign.
	result := driver.Settings{"max_result_rows": l.Rows + 1, "max_result_bytes": l.Bytes + warehouse.MaxRow, "result_overflow_mode": "break"}
	all := true
	for name, value := range result {
		n, _ := value.(int)
		limit, limited := most[name]
		all = all && can(name) && (!limited || n <= limit)
	}
	if all {
		maps.Copy(s.settings, result)
	}
	if can("session_timezone") {
		s.settings["session_timezone"] = zone
	} else if zone != "UTC" && own["session_timezone"] != zone {
		return noZone(zone)
	}
	if own["readonly"] == "0" {
		s.settings["readonly"] = 1
	}
	return nil
}

// noZone is the refusal of a time zone that the user's profile does not allow to be set.
func noZone(zone string) error {
	no := warehouse.SayZone(zone)
	no.Message = "The warehouse user may not set the time zone, which has to be \"" + zone + "\". " +
		"Let its profile change session_timezone, or set the timezone UTC."
	return no
}

func tooOld() error {
	return warehouse.Errorf(warehouse.Connect, "The warehouse is too old a ClickHouse. It has to be 23.8 or newer.")
}

// old reports whether a version is before 23.8.
func old(version string) bool {
	var year, release int
	_, err := fmt.Sscanf(version, "%d.%d", &year, &release)
	return err == nil && (year < 23 || year == 23 && release < 8)
}

// quiet closes without an error. After an error from Close the driver does not wait for its
// reader, which then sends on a closed channel and panics.
type quiet struct {
	net.Conn
	spoken *atomic.Bool // whether the server has sent anything
}

func (q quiet) Read(b []byte) (int, error) {
	n, err := q.Conn.Read(b)
	if n > 0 {
		q.spoken.Store(true)
	}
	return n, err
}

func (q quiet) Close() error {
	q.Conn.Close()
	return nil
}

// query runs sql with values for its named placeholders.
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
	rows, err := s.conn.Query(ctx, sql, args...)
	if s.greeting != nil {
		s.greeting()
	}
	return rows, err
}

// describe returns the columns of a query. It sends the query as a subquery, so that the server's
// parser must accept it as a query.
func (s *session) describe(ctx context.Context, sql string, values map[string]string) ([]cell, error) {
	rows, err := s.query(describing+sql+"\n)", values)
	if err != nil {
		return nil, s.translateError(ctx, err, sql, describing)
	}
	defer rows.Close()
	names := rows.Columns()
	var cells []cell
	seen := map[string]bool{}
	for rows.Next() {
		// Name and type are the first columns; later versions add more.
		row := make([]string, len(names))
		dest := make([]any, len(names))
		for i := range row {
			dest[i] = &row[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		if seen[row[0]] {
			return nil, warehouse.SameColumn(row[0])
		}
		seen[row[0]] = true
		cells = append(cells, cellOf(row[0], row[1]))
	}
	return cells, s.translateError(ctx, rows.Err(), sql, describing)
}

const describing = "DESCRIBE TABLE (\n"

// over reports whether the server has sent more bytes than allowed.
func (s *session) over() bool {
	return slices.ContainsFunc(s.meters, (*warehouse.Meter).Over)
}

// close ends the session. The driver cancels a query that has not ended.
func (s *session) close() {
	s.unwatch()
	s.stop()
	s.conn.Close()
	for _, m := range s.meters {
		m.Close()
	}
}

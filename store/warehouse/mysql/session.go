package mysql

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"service/store/warehouse"
)

// A session is a connection that serves one call.
type session struct {
	connector *Connector
	db        *sql.DB
	conn      *sql.Conn
	meter     *warehouse.Meter
	id        uint64 // of the connection, on the server
	maria     bool
	mode      string // the server's sql_mode
	ended     bool   // no query of ours runs on the server
	unwatch   func() bool
}

// open returns a pool of one connection, which is read through meter. It does not connect yet.
func (c *Connector) open(meter *warehouse.Meter) (*sql.DB, error) {
	config := c.config.Clone()
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := c.config.DialFunc(ctx, network, address)
		if err != nil {
			return nil, err
		}
		meter.Conn = conn
		return meter, nil
	}
	connector, err := driver.NewConnector(config)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	return db, nil
}

// connect opens a new connection.
func (c *Connector) connect(ctx context.Context) (*session, error) {
	s := &session{connector: c, meter: &warehouse.Meter{}, ended: true}
	s.allow()
	var err error
	if s.db, err = c.open(s.meter); err != nil {
		return nil, connectError(ctx, err)
	}
	connected := false
	defer func() {
		if !connected { // or the driver has panicked over an answer of the server
			s.db.Close()
			s.meter.Close()
		}
	}()
	if s.conn, err = s.db.Conn(ctx); err != nil {
		return nil, connectError(ctx, err)
	}
	// The driver closes a connection when the context ends, except while database/sql closes the
	// rows, which would read them all.
	s.unwatch = context.AfterFunc(ctx, func() { s.meter.Close() })
	var version string
	if err := s.conn.QueryRowContext(ctx, "SELECT CONNECTION_ID(), VERSION(), @@SESSION.sql_mode").Scan(&s.id, &version, &s.mode); err != nil {
		s.close(ctx)
		return nil, connectError(ctx, err)
	}
	s.maria, connected = strings.Contains(version, "MariaDB"), true
	return s, nil
}

// readings are SQL modes in which the server reads quotes and backslashes differently from gate. ORACLE is a different language.
var readings = []string{"ANSI", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "ORACLE", "MSSQL", "DB2", "MAXDB", "POSTGRESQL"}

const loadZones = "Its administrator can load the names of zones with mysql_tzinfo_to_sql."

// begin starts a transaction that cannot write, in a session whose queries end
// after limit and have at most rows rows.
func (s *session) begin(ctx context.Context, limit time.Duration, rows int) error {
	limit = max(limit, time.Millisecond) // 0 would mean no limit
	modes := slices.DeleteFunc(strings.Split(s.mode, ","), func(m string) bool { return slices.Contains(readings, strings.ToUpper(m)) })
	readOnly, slow := "transaction_read_only", "max_execution_time = "+strconv.FormatInt(limit.Milliseconds(), 10)
	if s.maria {
		readOnly, slow = "tx_read_only", "max_statement_time = "+strconv.FormatFloat(limit.Seconds(), 'f', 3, 64)
	}
	reading := "SET NAMES utf8mb4, SESSION sql_mode = '" + strings.Join(modes, ",") +
		"', SESSION time_zone = " + s.connector.zone() + ", SESSION " + readOnly + " = 1"
	limits := ", SESSION " + slow + ", SESSION lock_wait_timeout = 5, SESSION innodb_lock_wait_timeout = 5" +
		", SESSION wait_timeout = 60, SESSION sql_select_limit = " + strconv.Itoa(rows)
	_, err := s.conn.ExecContext(ctx, reading+limits)
	if bad, ok := errors.AsType[*driver.MySQLError](err); ok && bad.Number == 1193 {
		_, err = s.conn.ExecContext(ctx, reading) // not every member of the family has every limit
	}
	if bad, ok := errors.AsType[*driver.MySQLError](err); ok && bad.Number == 1298 {
		no := warehouse.SayZone(s.connector.loc.String())
		no.Message += " " + loadZones + " Until then, the timezone UTC can be used."
		return no
	}
	if err == nil {
		_, err = s.conn.ExecContext(ctx, "START TRANSACTION READ ONLY")
	}
	return translateError(ctx, err, "")
}

// prepare first prepares query in brackets, which the server accepts only for queries, and then query itself. Neither runs the query.
func (s *session) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	stmt, err := s.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, translateError(ctx, err, query)
	}
	inner, err := s.conn.PrepareContext(ctx, "SELECT * FROM ("+query+"\n) AS q")
	if err != nil {
		stmt.Close()
		return nil, translateError(ctx, err, query)
	}
	inner.Close()
	s.ended = false
	return stmt, nil
}

// done records whether the server has ended the statement: it has if it answered with an error or without rows. It returns err.
func (s *session) done(ctx context.Context, err error) error {
	bad, ok := errors.AsType[*warehouse.Error](err)
	s.ended = err == nil || ok && bad.Class != warehouse.Connect && ctx.Err() == nil && !s.meter.Over()
	return err
}

// abandon closes the connection of a session whose query has not ended.
func (s *session) abandon() {
	if !s.ended {
		s.meter.Close()
	}
}

// close ends the session. If a query may still run on the server, where the loss of the client does not stop it, close kills it in the
// background.
func (s *session) close(ctx context.Context) {
	s.unwatch()
	s.abandon()
	s.conn.Close()
	s.db.Close()
	if !s.ended {
		s.connector.leaving.Go(func() { s.kill(context.WithoutCancel(ctx)) })
	}
}

// maxKill is how many bytes the server may send on a connection for a kill: a greeting, with certificates, and an answer.
const maxKill = 64 << 10

// kill ends the session on the server through another connection. If that fails, the server's time
// limit ends the query.
func (s *session) kill(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, warehouse.LeaveTime)
	defer cancel()
	meter := &warehouse.Meter{}
	meter.Allow(maxKill)
	db, err := s.connector.open(meter)
	if err != nil {
		return
	}
	defer func() {
		_ = recover() // the driver panics on a malformed answer; on this goroutine that would end the process
		db.Close()
		meter.Close()
	}()
	db.ExecContext(ctx, "KILL "+strconv.FormatUint(s.id, 10))
}

// allow permits reading one row, and the bytes that a buffer may read ahead.
func (s *session) allow() { s.meter.Allow(2 * warehouse.MaxRow) }

package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"

	"service/store/limit"
)

// How long to wait for the database. The rest of a request is bounded by its own context, and a statement by the pool's statement_timeout
// and lock_timeout.
const (
	connectWithin = 2 * time.Second        // for a connection of the pool that answers
	gateWithin    = 3 * time.Second        // to identify the caller
	noteWithin    = 250 * time.Millisecond // to record what can be omitted: a use, a count
)

// The reasons why the store cannot fulfil a valid request. [Outage] finds them.
var (
	ErrUnavailable = errors.New("the database does not answer, or has too much to do")
	ErrStorageFull = errors.New("the storage is full")

	// ErrOverloaded is an [ErrUnavailable] for a caller with too many simultaneous requests. Metrics count it: a log line for each would add
	// to the flood.
	ErrOverloaded = fmt.Errorf("%w: too much is under way", ErrUnavailable)
)

// Outage returns [ErrStorageFull] or [ErrUnavailable] if err is from a database that is unreachable, overloaded, locked or full, and nil
// for any other error, such as a deadline that passed while the caller did not wait for the database. The code that answers a caller
// distinguishes these errors from a fault of ours: such a call is worth another try.
func Outage(err error) error {
	if err == nil {
		return nil
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch class := pg.Code[:min(2, len(pg.Code))]; {
		case pg.Code == "53100": // disk_full
			return ErrStorageFull
		case class == "08", class == "53", strings.HasPrefix(pg.Code, "57P"), // connections, resources, shutdown
			pg.Code == "55P03", pg.Code == "57014", // lock_timeout, statement_timeout
			pg.Code == "40P01", pg.Code == "40001": // deadlocks to the end
			return ErrUnavailable
		}
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[interface { // a net.Error, which a deadline is as well
		error
		Timeout() bool
		Temporary() bool
	}](err)
	network = network && !errors.Is(err, context.DeadlineExceeded)
	switch {
	case errors.Is(err, ErrStorageFull), errors.Is(err, syscall.ENOSPC):
		return ErrStorageFull
	case errors.Is(err, ErrUnavailable), errors.Is(err, io.ErrUnexpectedEOF),
		connecting, network, pgconn.Timeout(err), pgconn.SafeToRetry(err):
		return ErrUnavailable
	}
	return nil
}

// A database is the pool, with a limit on how long a caller waits for a connection, and on how many connections are used at once: one is
// reserved for the gate, so that a process whose calls wait for the database can still identify callers.
type database struct {
	*pgxpool.Pool
	slots  *semaphore.Weighted  // one for each connection; nil: the gate
	failed func(err error)      // called with each error
	askers *limit.Keyed[string] // callers with one name, who wait for each other first; nil: no caller does
	asker  string
}

// askedAtOnce is how many requests with one session a process verifies at once.
const askedAtOnce = 2

// asking returns the gate for a request with the session of a hash. Requests with the same hash wait for each other before they wait for a
// connection with all others: otherwise thousands of simultaneous requests of one account would delay the others.
func (s *core) asking(hash []byte) database {
	d := s.gate
	d.askers, d.asker = &s.askers, string(hash)
	return d
}

// acquire returns a connection, and its release function.
func (d database) acquire(ctx context.Context) (*pgxpool.Conn, func(), error) {
	limited, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	leave, err := func() {}, error(nil)
	switch {
	case d.askers != nil:
		leave, err = d.askers.Acquire(limited, d.asker, askedAtOnce)
	case d.slots != nil:
		leave, err = func() { d.slots.Release(1) }, d.slots.Acquire(limited, 1)
	}
	if err != nil {
		return nil, nil, late(ctx, err)
	}
	c, err := d.Acquire(limited)
	if err != nil {
		leave()
		return nil, nil, late(ctx, err)
	}
	return c, sync.OnceFunc(func() { c.Release(); leave() }), nil
}

// late returns the error of a caller that got no connection: [ErrUnavailable] if only the wait timed out, and err otherwise.
func late(ctx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: no connection within %v", ErrUnavailable, connectWithin)
	}
	return err
}

func (d database) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	c, release, err := d.acquire(ctx)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	defer release()
	tag, err := c.Exec(ctx, sql, args...)
	d.failed(err)
	return tag, err
}

func (d database) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	c, release, err := d.acquire(ctx)
	if err != nil {
		return noRows{err: err}, err
	}
	rows, err := c.Query(ctx, sql, args...)
	if err != nil {
		release()
		d.failed(err)
		return rows, err
	}
	return &heldRows{rows, release}, nil
}

func (d database) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	c, release, err := d.acquire(ctx)
	if err != nil {
		return noRows{err: err}
	}
	rows, _ := c.Query(ctx, sql, args...) // its error is one of rows too
	return heldRow{rows, release, d.failed}
}

// begin runs f in a transaction.
func (d database) begin(ctx context.Context, f func(pgx.Tx) error) error {
	c, release, err := d.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	err = pgx.BeginFunc(ctx, c, f)
	d.failed(err)
	return err
}

// heldRows release their connection when they are closed or have been read.
type heldRows struct {
	pgx.Rows
	release func()
}

func (r *heldRows) Close() {
	r.Rows.Close()
	r.release()
}

func (r *heldRows) Scan(dest ...any) error { return scanRow(r.Rows, dest) }

func (r *heldRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.Close()
	return false
}

// A heldRow releases its connection when it is scanned.
type heldRow struct {
	rows    pgx.Rows
	release func()
	failed  func(error)
}

func (r heldRow) Scan(dest ...any) error {
	defer r.release()
	err := pgx.ErrNoRows
	if r.rows.Next() {
		err = scanRow(r.rows, dest)
	}
	r.rows.Close()
	if failed := r.rows.Err(); failed != nil {
		err = failed
	}
	r.failed(err)
	return err
}

// noRows are the rows of a query that got no connection.
type noRows struct {
	pgx.Rows
	err error
}

func (noRows) Close()              {}
func (noRows) Next() bool          { return false }
func (r noRows) Err() error        { return r.err }
func (r noRows) Scan(...any) error { return r.err }

// fullFor is how long the storage counts as full after it refused a write.
const fullFor = time.Minute

// noteFull remembers that the storage refused a write.
func (s *core) noteFull(err error) {
	if errors.Is(Outage(err), ErrStorageFull) {
		s.fullAt.Store(s.opt.Now().UnixNano())
	}
}

// Room returns [ErrStorageFull] if the database refused a write within the last minute because its disk was full. The readiness check uses
// it.
func (s *Store) Room(context.Context) error {
	if at := s.fullAt.Load(); at != 0 && s.opt.Now().Sub(time.Unix(0, at)) < fullFor {
		return ErrStorageFull
	}
	return nil
}

package isolate_test

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/warehousetest"
)

var wide = warehouse.Limits{Rows: 1_000_000, Bytes: 64 << 20, Time: time.Minute}

// classOf is the class of err; empty if err is not a [warehouse.Error].
func classOf(err error) warehouse.Class {
	if e, ok := errors.AsType[*warehouse.Error](err); ok {
		return e.Class
	}
	return ""
}

// TestServersThatLie: a server that announces more rows or columns than can exist ends one call, but not the process of the caller.
func TestServersThatLie(t *testing.T) {
	t.Parallel()
	for kind, lie := range liars {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			c := open(t, kind, serve(t, func(_ int, conn net.Conn) {
				lie(conn)
				io.Copy(io.Discard, conn)
			}))
			for name, err := range map[string]error{
				"ping":       c.Ping(t.Context()),
				"introspect": second(c.Introspect(t.Context(), warehouse.Introspection{})),
				"describe":   second(c.Describe(t.Context(), "SELECT 1", nil)),
				"query":      second(c.Query(t.Context(), "SELECT 1", nil, wide, &warehousetest.Table{})),
			} {
				if classOf(err) != warehouse.Connect || err.Error() != warehouse.SayBroken {
					t.Errorf("%s: %v", name, err)
				}
			}
			if said := c.Warning(t.Context()); said != "" {
				t.Errorf("a warning: %s", said)
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

// TestProcessesThatBreak: however a process ends, its call returns an error of the source.
func TestProcessesThatBreak(t *testing.T) {
	t.Parallel()
	c := open(t, "fake", warehouse.Target{})
	for _, sql := range []string{"memory", "panic", "wrong"} {
		_, err := c.Query(t.Context(), sql, nil, wide, &warehousetest.Table{})
		if classOf(err) != warehouse.Connect {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestRoundTrip: a connector returns the same results directly and from its process.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	classes := []string{
		"", "plain", "connect", "auth", "permission", "syntax", "unknown", "type", "refused", "timeout", "too_large", "busy", "failed",
	}
	for _, class := range classes {
		t.Run(class, func(t *testing.T) {
			t.Parallel()
			to := warehouse.Target{Host: "h", Port: 1, Database: class, User: "u", Password: secret, TLS: warehouse.TLSOff}
			near, far := fake{target: to}, open(t, "fake", to)
			same := func(name string, want, got any, wantErr, gotErr error) {
				t.Helper()
				if diff := cmp.Diff(want, got, cmpopts.EquateComparable()); diff != "" {
					t.Errorf("%s (-near +far):\n%s", name, diff)
				}
				if diff := cmp.Diff(spelled(wantErr), spelled(gotErr)); diff != "" {
					t.Errorf("%s: errors (-near +far):\n%s", name, diff)
				}
			}
			same("dialect", near.Dialect()+near.Placeholder(7), far.Dialect()+far.Placeholder(7), nil, nil)
			same("ping", nil, nil, near.Ping(t.Context()), far.Ping(t.Context()))
			same("warning", near.Warning(t.Context()), far.Warning(t.Context()), nil, nil)

			q := warehouse.Introspection{Table: "a", Pattern: "b"}
			wantTables, wantErr := near.Introspect(t.Context(), q)
			tables, err := far.Introspect(t.Context(), q)
			if wantErr != nil {
				wantTables = nil
			}
			same("introspect", wantTables, tables, wantErr, err)

			wantColumns, wantErr := near.Describe(t.Context(), "", nil)
			cols, err := far.Describe(t.Context(), "", nil)
			if wantErr != nil {
				wantColumns = nil
			}
			same("describe", wantColumns, cols, wantErr, err)

			args := []any{nil, "é\x00", true, int64(math.MaxInt64), 0.1, day.Add(time.Nanosecond)}
			zone, err := time.LoadLocation("Europe/Berlin")
			if err != nil {
				t.Fatal(err)
			}
			for _, sql := range []string{"values", "echo"} {
				var want, got warehousetest.Table
				wantStats, wantErr := near.In(zone).Query(t.Context(), sql, args, wide, &want)
				stats, err := far.In(zone).Query(t.Context(), sql, args, wide, &got)
				same(sql, want, got, wantErr, err)
				if wantErr == nil && sql == "values" {
					same("stats", wantStats, stats, nil, nil)
				}
			}
		})
	}
}

// spelled is the content of an error.
func spelled(err error) any {
	if e, ok := errors.AsType[*warehouse.Error](err); ok {
		return *e
	}
	if err != nil {
		return err.Error()
	}
	return nil
}

// TestOddValues: a value that cannot be sent means the same to a cube as the value sent instead.
func TestOddValues(t *testing.T) {
	t.Parallel()
	var got warehousetest.Table
	if _, err := open(t, "fake", warehouse.Target{}).Query(t.Context(), "odd", nil, wide, &got); err != nil {
		t.Fatal(err)
	}
	want := [][]any{
		{"\uFFFD", true, int64(1), 7.0, cube.Lost, cube.Lost, day},
		{"\uFFFD", true, int64(1), cube.Lost, cube.Lost, cube.Lost, day},
		{"\uFFFD", true, int64(1), cube.Decimal("9223372036854775807"), cube.Lost, cube.Lost, day},
	}
	if diff := cmp.Diff(want, got.Rows, cmpopts.EquateComparable()); diff != "" {
		t.Error(diff)
	}
}

// A sum is a sink that checks that its rows are the numbers from 0 on. It fails at one of them.
type sum struct {
	rows, fails int
}

func (*sum) Columns([]cube.Column) error { return nil }

func (s *sum) Row(row []any) error {
	if s.rows == s.fails || row[0] != int64(s.rows) {
		return errFull
	}
	s.rows++
	return nil
}

var errFull = errors.New("the sink is full")

// TestManyRows: a large result arrives complete, and a sink that fails ends it.
func TestManyRows(t *testing.T) {
	t.Parallel()
	c := open(t, "fake", warehouse.Target{})
	all := &sum{fails: -1}
	stats, err := c.Query(t.Context(), "count", nil, warehouse.Limits{Rows: 200_000, Bytes: 1 << 30, Time: time.Minute}, all)
	if err != nil || stats.Rows != 200_000 || all.rows != 200_000 {
		t.Errorf("%d rows, the sink has %d: %v", stats.Rows, all.rows, err)
	}
	some := &sum{fails: 1000}
	stats, err = c.Query(t.Context(), "count", nil, warehouse.Limits{Rows: math.MaxInt, Bytes: math.MaxInt, Time: time.Hour}, some)
	if !errors.Is(err, errFull) || stats.Rows != 1000 {
		t.Errorf("%d rows: %v", stats.Rows, err)
	}
}

// TestTimes: a call ends at its time limit, with the error of its connector, whether or not the process reacts.
func TestTimes(t *testing.T) {
	t.Parallel()
	c := open(t, "fake", warehouse.Target{})
	for _, sql := range []string{"waits", "deaf"} {
		l := wide
		l.Time = 500 * time.Millisecond
		_, err := c.Query(t.Context(), sql, nil, l, &warehousetest.Table{})
		if classOf(err) != warehouse.Timeout || err.Error() != warehouse.SayTimeout {
			t.Errorf("%s, by its limit: %v", sql, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), l.Time)
		_, err = c.Query(ctx, sql, nil, wide, &warehousetest.Table{})
		if cancel(); classOf(err) != warehouse.Timeout {
			t.Errorf("%s, by its caller's: %v", sql, err)
		}
		cause := errors.New("the reader has left")
		left, leave := context.WithCancelCause(t.Context())
		time.AfterFunc(l.Time, func() { leave(cause) })
		if _, err = c.Query(left, sql, nil, wide, &warehousetest.Table{}); !errors.Is(err, cause) {
			t.Errorf("%s, cancelled: %v", sql, err)
		}
		if err := c.Ping(left); !errors.Is(err, cause) {
			t.Errorf("%s, cancelled before: %v", sql, err)
		}
	}
}

// TestKill: if the caller of a query has left, the process that began the query cancels it on the server.
func TestKill(t *testing.T) {
	t.Parallel()
	begun, killed := make(chan struct{}), make(chan bool, 1)
	c := open(t, "mysql", serve(t, func(n int, conn net.Conn) {
		greet(conn)
		if n > 0 {
			killed <- said(conn, "KILL 7")
			return
		}
		if !said(conn, "SELECT CONNECTION_ID") {
			return
		}
		column := "\x03def\x00\x00\x00\x01c\x00\x0c\x2d\x00\xff\xff\xff\x00\xfd\x00\x00\x00\x00\x00"
		conn.Write(packets(1, "\x03", column, column, column, eofPacket, "\x017\x058.0.0\x00", eofPacket))
		for _, own := range []string{"SET NAMES", "START TRANSACTION"} {
			if !said(conn, own) {
				return
			}
			conn.Write(packets(1, okPacket))
		}
		if said(conn, "TABLE_SCHEMA") {
			close(begun)
			io.Copy(io.Discard, conn)
		}
	}))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := c.Introspect(ctx, warehouse.Introspection{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	select {
	case ok := <-killed:
		if !ok {
			t.Error("the query goes on")
		}
	case <-time.After(time.Minute):
		t.Error("nobody ends the query")
	}
}

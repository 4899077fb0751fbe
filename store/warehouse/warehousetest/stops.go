package warehousetest

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// stops checks that nothing of a query continues, however the query ends.
func stops(t *testing.T, s Source) {
	c := s.Open(t)
	for _, sql := range append([]string{s.Slow}, s.Runaways...) {
		t.Run(sql, func(t *testing.T) {
			onTime(t, s, func(limit time.Duration) (time.Duration, error) {
				start := time.Now()
				_, err := c.Query(t.Context(), sql, nil, warehouse.Limits{Rows: 1, Bytes: 100, Time: limit}, &Table{})
				return time.Since(start) - limit, err
			}, warehouse.Timeout)
			onTime(t, s, func(limit time.Duration) (time.Duration, error) {
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				_, err := c.Query(ctx, sql, nil, Wide, &Table{})
				return time.Since(start) - limit, err
			}, warehouse.Timeout)
			onTime(t, s, func(time.Duration) (time.Duration, error) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				failed := make(chan error, 1)
				go func() {
					_, err := c.Query(ctx, sql, nil, Wide, &Table{})
					failed <- err
				}()
				for s.Running != nil && s.Running(t) == 0 {
					select {
					case err := <-failed:
						t.Fatalf("the query ended: %v", err)
					case <-time.After(5 * time.Millisecond):
					}
				}
				start := time.Now()
				cancel()
				err := <-failed
				return time.Since(start), err
			})
		})
	}
	t.Run("at any moment", func(t *testing.T) {
		// Callers leave while the connector connects, plans and submits, and when the query has just begun.
		var all sync.WaitGroup
		for i := range 60 {
			all.Go(func() {
				ctx, leave := context.WithTimeout(t.Context(), time.Duration(i)*2*time.Millisecond)
				defer leave()
				if _, err := c.Query(ctx, s.Slow, nil, Wide, &Table{}); err == nil {
					t.Error("it ended")
				}
			})
			if i%4 == 3 {
				all.Wait()
			}
		}
		all.Wait()
		gone(t, s)
	})
	t.Run("before the source has received it", func(t *testing.T) {
		if s.At == nil {
			t.Skip("the source is not a server")
		}
		// On a slow way, a request to cancel overtakes the text, which is sent up to three times: to be planned, to be explained, to run.
		for nth := range 3 {
			p, seen := NewProxy(t, s.Address), 0
			ctx, leave := context.WithTimeout(t.Context(), 2*time.Second)
			defer leave()
			p.when(s.Slow, func(p *Proxy) {
				if seen++; seen == nth+1 {
					leave()
					time.Sleep(300 * time.Millisecond)
				}
			})
			if _, err := s.At(t, p.Address).Query(ctx, s.Slow, nil, Wide, &Table{}); err == nil {
				t.Error("it ended")
			}
			gone(t, s)
		}
	})
	t.Run("a context that has ended", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Query(ctx, "SELECT 1 AS n", nil, Wide, &Table{}); err == nil {
			t.Error("it ran")
		}
		gone(t, s)
	})
	quick := func(t *testing.T, start time.Time) {
		t.Helper()
		if took := time.Since(start); took > patience {
			t.Errorf("it took %s", took)
		}
		gone(t, s)
	}
	t.Run("enough rows", func(t *testing.T) {
		start := time.Now()
		var table Table
		stats, err := c.Query(t.Context(), s.Endless, nil, warehouse.Limits{Rows: 10, Bytes: 1 << 20, Time: time.Minute}, &table)
		if err != nil || len(table.Rows) != 10 || !stats.Truncated {
			t.Errorf("%d rows, %+v, %v", len(table.Rows), stats, err)
		}
		quick(t, start)
	})
	t.Run("enough bytes", func(t *testing.T) {
		start := time.Now()
		var table Table
		stats, err := c.Query(t.Context(), s.Endless, nil, warehouse.Limits{Rows: 10_000, Bytes: 100, Time: time.Minute}, &table)
		if err != nil || len(table.Rows) == 0 || len(table.Rows) > 50 || !stats.Truncated {
			t.Errorf("%d rows, %+v, %v", len(table.Rows), stats, err)
		}
		quick(t, start)
	})
	t.Run("a sink that fails", func(t *testing.T) {
		start := time.Now()
		full := errors.New("full")
		for _, sink := range []warehouse.Sink{&broken{at: -1, err: full}, &broken{at: 5, err: full}} {
			if _, err := c.Query(t.Context(), s.Endless, nil, Wide, sink); !errors.Is(err, full) {
				t.Errorf("%v", err)
			}
		}
		quick(t, start)
	})
	t.Run("a row that is too long", func(t *testing.T) {
		start := time.Now()
		_, err := c.Query(t.Context(), s.Long, nil, Wide, &Table{})
		if class := classOf(t, s, s.Long, err); class != warehouse.TooLarge {
			t.Errorf("class %q: %v", class, err)
		}
		quick(t, start)
	})
	t.Run("describing", func(t *testing.T) {
		start := time.Now()
		cols, err := c.Describe(t.Context(), s.Slow, nil)
		if err != nil || len(cols) != 1 || cols[0].Name != "n" {
			t.Errorf("%v, %v", cols, err)
		}
		quick(t, start)
	})
	t.Run("its end", func(t *testing.T) {
		if err := c.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		ask(t, c, "SELECT id FROM orders")
		gone(t, s)
	})
}

// tolerance is how long after its limit a query may return.
const tolerance = 50 * time.Millisecond

// onTime runs a query that does not end by itself, and checks that it returns within the tolerance after its limit and is ended on the
// source. ask runs the query with the limit and returns how late it was. Its error must be of one of classes or, without classes, that of a
// cancelled context.
//
// Two tries must be in time before four are late. A late try does not count if the machine itself was late, which feel measures. A
// connector that waits for the source after the limit is late every time. Each try also checks that the source has ended the query. The
// limit is raised if it expired before the query was sent.
func onTime(t *testing.T, s Source, ask func(limit time.Duration) (time.Duration, error), classes ...warehouse.Class) {
	t.Helper()
	limits := []time.Duration{300 * time.Millisecond, time.Second, 5 * time.Second, 20 * time.Second}
	var late []time.Duration
	inTime, began := 0, time.Now()
	for time.Since(began) < patience {
		pulse := feel()
		took, err := ask(limits[0])
		lag := pulse()
		class := warehouse.Class("")
		if len(classes) > 0 {
			class = classOf(t, s, "", err)
		}
		gone(t, s)
		switch {
		case len(classes) == 0 && !errors.Is(err, context.Canceled):
			t.Fatalf("%v, want that it was cancelled", err)
		case class == warehouse.Connect && !slices.Contains(classes, class):
			if limits = limits[1:]; len(limits) == 0 {
				t.Fatalf("the source could not be asked: %v", err)
			}
			continue
		case len(classes) > 0 && !slices.Contains(classes, class):
			t.Fatalf("%v, want class %v", err, classes)
		case took < -tolerance:
			t.Fatalf("it came back %s before its limit", -took)
		case took <= tolerance:
			inTime++
		case lag <= tolerance/2:
			late = append(late, took)
		}
		if inTime == 2 {
			return
		}
		if len(late) == 4 {
			t.Fatalf("it came back %s after its limits, while the machine was in time", late)
		}
	}
	t.Fatalf("%d times in time, %s after its limits: the machine is too busy to tell", inTime, late)
}

// feel measures how busy the machine is. The function that it returns ends the measurement and returns the greatest delay of a short sleep.
func feel() func() time.Duration {
	const beat = 5 * time.Millisecond
	stop, worst := make(chan struct{}), make(chan time.Duration, 1)
	go func() {
		var lag time.Duration
		for {
			select {
			case <-stop:
				worst <- lag
				return
			default:
			}
			start := time.Now()
			time.Sleep(beat)
			lag = max(lag, time.Since(start)-beat)
		}
	}()
	return func() time.Duration {
		close(stop)
		return <-worst
	}
}

// gone waits until the source has ended everything of the connector.
func gone(t *testing.T, s Source) {
	t.Helper()
	if s.Running == nil {
		return
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		n := s.Running(t)
		if n == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d are left", n)
		}
	}
}

// servers checks that a server that answers slowly or not at all does not keep callers waiting. Each try waits for its limit and then for
// the end of its connection, so all run at once, and what they leave behind is counted after the last.
func servers(t *testing.T, s Source) {
	if s.At == nil {
		return // the source is not a server
	}
	before := runtime.NumGoroutine()
	alone := s
	alone.Running = nil // it would count the queries of the other tries
	var all sync.WaitGroup
	for _, way := range []struct {
		name string
		turn func(*Proxy)
	}{
		{"falls silent", (*Proxy).silence},
		{"says a byte at a time", (*Proxy).trickle},
	} {
		for _, try := range []struct {
			name string
			at   string // the client's text at which the proxy changes; empty for the start
			ask  func(context.Context, warehouse.Connector) error
		}{
			{"from the start", "", func(ctx context.Context, c warehouse.Connector) error { return c.Ping(ctx) }},
			{"in a query", "turning", func(ctx context.Context, c warehouse.Connector) error {
				_, err := c.Query(ctx, "SELECT id AS turning FROM orders", nil, Wide, &Table{})
				return err
			}},
			{"in a description", "turning", func(ctx context.Context, c warehouse.Connector) error {
				_, err := c.Describe(ctx, "SELECT id AS turning FROM orders", nil)
				return err
			}},
			{"in a look around", "turning", func(ctx context.Context, c warehouse.Connector) error {
				_, err := c.Introspect(ctx, warehouse.Introspection{Pattern: "turning"})
				return err
			}},
		} {
			all.Go(func() {
				t.Run(way.name+" "+try.name, func(t *testing.T) {
					onTime(t, alone, func(limit time.Duration) (time.Duration, error) {
						p := NewProxy(t, s.Address)
						defer p.Close()
						if try.at == "" {
							way.turn(p)
						} else {
							p.when(try.at, way.turn)
						}
						start := time.Now()
						ctx, cancel := context.WithTimeout(t.Context(), limit)
						defer cancel()
						err := try.ask(ctx, s.At(t, p.Address))
						late := time.Since(start) - limit
						cancel()
						deadline := time.Now().Add(patience)
						for p.connections() > 0 {
							if time.Now().After(deadline) {
								t.Fatalf("%d connections are left", p.connections())
							}
							time.Sleep(time.Millisecond)
						}
						return late, err
					}, warehouse.Timeout, warehouse.Connect)
				})
			})
		}
	}
	all.Wait()
	gone(t, s)
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines more than before", runtime.NumGoroutine()-before)
		}
	}
}

// broken is a sink that fails at its columns (-1) or a row.
type broken struct {
	at, rows int
	err      error
}

func (b *broken) Columns([]cube.Column) error {
	if b.at < 0 {
		return b.err
	}
	return nil
}

func (b *broken) Row([]any) error {
	if b.rows++; b.rows > b.at {
		return b.err
	}
	return nil
}

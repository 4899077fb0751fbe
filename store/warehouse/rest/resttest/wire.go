package resttest

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/warehousetest"
)

// A Starter starts a stand-in with all its statements.
type Starter[C any] func(t testing.TB) *Server[C]

// One is the statement of the tests of the wire. Its only row is 1.
const One = "SELECT 1 AS n"

// Ask runs a query with a time limit.
func Ask(t *testing.T, c warehouse.Connector, sql string, limit time.Duration) (warehousetest.Table, *warehouse.Error) {
	t.Helper()
	var table warehousetest.Table
	_, err := c.Query(t.Context(), sql, nil, warehouse.Limits{Rows: 50_000, Bytes: 16 << 20, Time: limit}, &table)
	bad, ok := errors.AsType[*warehouse.Error](err)
	if err != nil && !ok {
		t.Fatalf("its error is not in our words: %v", err)
	}
	return table, bad
}

// Throttled checks that a request that a busy service refuses is repeated at the time that it names, and no sooner. The service refuses the
// first request of each operation with each of the faults.
func Throttled[C any](t *testing.T, start Starter[C], operations []string, busy ...Fault) {
	t.Parallel()
	in := func(wait time.Duration) string { return time.Now().Add(wait).UTC().Format(http.TimeFormat) }
	for name, try := range map[string]struct { // RFC 9110, 10.2.3: Retry-After is seconds or a date
		after func() string
		least time.Duration
	}{
		"seconds": {func() string { return "1" }, time.Second},
		"a date":  {func() string { return in(2 * time.Second) }, time.Second},
		"nothing": {func() string { return "" }, 500 * time.Millisecond},
	} {
		for _, fault := range busy {
			for _, operation := range operations {
				t.Run(http.StatusText(fault.Status)+fault.Code+", "+name+", "+operation, func(t *testing.T) {
					t.Parallel()
					s := start(t)
					s.Disturb(operation, 1, func(w http.ResponseWriter, _ *http.Request) {
						if after := try.after(); after != "" {
							w.Header().Set("Retry-After", after)
						}
						s.Refuse(w, fault)
					})
					began := time.Now()
					table, bad := Ask(t, s.At(""), One, time.Minute)
					if took := time.Since(began); bad != nil || len(table.Rows) != 1 || took < try.least {
						t.Errorf("%v after %s: %v", table.Rows, took, bad)
					}
				})
			}
		}
	}
	t.Run("for longer than the call may take", func(t *testing.T) {
		t.Parallel()
		s := start(t)
		met := s.Disturb(operations[0], 100, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			s.Refuse(w, busy[0])
		})
		began := time.Now()
		_, bad := Ask(t, s.At(""), One, time.Minute)
		if bad == nil || bad.Class != warehouse.Busy || time.Since(began) > 30*time.Second || met.Load() != 1 {
			t.Errorf("%v after %s and %d requests", bad, time.Since(began), met.Load())
		}
	})
}

// Expired checks that credentials which the service refuses once are made anew, and only once.
func Expired[C any](t *testing.T, start Starter[C], operation string, fault Fault) {
	t.Parallel()
	for n, want := range map[int32]warehouse.Class{1: "", 100: warehouse.Auth} {
		s := start(t)
		met := s.Disturb(operation, n, func(w http.ResponseWriter, _ *http.Request) { s.Refuse(w, fault) })
		table, bad := Ask(t, s.At(""), One, time.Minute)
		switch {
		case want == "" && (bad != nil || len(table.Rows) != 1):
			t.Errorf("%v, %v", table.Rows, bad)
		case want != "" && (bad == nil || bad.Class != want || met.Load() != 2):
			t.Errorf("%v after %d requests", bad, met.Load())
		}
	}
}

// A Break is an answer that breaks off.
type Break struct {
	Operation string
	Served    bool // the service has fulfilled the request
	Runs      int  // that there are in the end
}

// BrokenAnswers checks that a request whose answer breaks off is repeated, that a query then runs as often as it should, and that an answer
// that breaks off each time ends the call.
func BrokenAnswers[C any](t *testing.T, start Starter[C], breaks ...Break) {
	t.Parallel()
	for _, b := range breaks {
		t.Run(b.Operation, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.Disturb(b.Operation, 1, func(w http.ResponseWriter, r *http.Request) {
				if b.Served {
					s.Serve(httptest.NewRecorder(), r)
				}
				hangUp(w)
			})
			table, bad := Ask(t, s.At(""), One, time.Minute)
			if bad != nil || len(table.Rows) != 1 || len(s.Runs()) != b.Runs {
				t.Errorf("%v, %v, %d runs", table.Rows, bad, len(s.Runs()))
			}
		})
	}
	t.Run("each time", func(t *testing.T) {
		t.Parallel()
		s := start(t)
		met := s.Disturb(breaks[len(breaks)-1].Operation, 100, func(w http.ResponseWriter, _ *http.Request) { hangUp(w) })
		_, bad := Ask(t, s.At(""), One, time.Minute)
		if bad == nil || bad.Class != warehouse.Connect || bad.Message != warehouse.SayBroken || met.Load() != 3 {
			t.Errorf("%v after %d requests", bad, met.Load())
		}
	})
}

// hangUp sends a part of an answer.
func hangUp(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "1000")
	w.Write([]byte(`{"data":[["1`))
	w.(http.Flusher).Flush()
	if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
		conn.Close()
	}
}

// Lost checks the messages about a statement that the service no longer has, and about one that another user has cancelled. operation is
// that of a request about a running statement, whose id is returned by id.
func Lost[C any](t *testing.T, start Starter[C], operation string, id func(r *http.Request) string, slow, lost, cancelled string) {
	t.Parallel()
	for want, end := range map[string]func(s *Server[C], id string){lost: (*Server[C]).Forget, cancelled: (*Server[C]).Cancel} {
		s := start(t)
		s.Disturb(operation, 1, func(w http.ResponseWriter, r *http.Request) {
			end(s, id(r))
			s.Serve(w, r)
		})
		if _, bad := Ask(t, s.At(""), slow, time.Minute); bad == nil || bad.Class != warehouse.Failed || bad.Message != want {
			t.Errorf("%v, want %s", bad, want)
		}
	}
}

// LeftEarly checks that a caller who leaves before the answer to the submission of a statement does not wait for it, and that the statement
// is then cancelled although the answer is late: it may have the only id of the statement. operation is that of the submission.
func LeftEarly[C any](t *testing.T, start Starter[C], operation, slow string) {
	t.Parallel()
	s := start(t)
	c := s.At("")
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	s.Disturb(operation, 1, func(w http.ResponseWriter, r *http.Request) {
		late := httptest.NewRecorder()
		s.Serve(late, r)
		if s.Running() != 1 {
			t.Errorf("%d statements run", s.Running())
		}
		leave()
		<-left
		maps.Copy(w.Header(), late.Header())
		w.WriteHeader(late.Code)
		late.Body.WriteTo(w)
	})
	_, err := c.Query(ctx, slow, nil, warehousetest.Wide, &warehousetest.Table{})
	close(left)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	c.Leave()
	if s.Running() != 0 || len(s.Runs()) == 0 {
		t.Errorf("%d of %d statements are left", s.Running(), len(s.Runs()))
	}
}

// Private checks that without permission of the operator no private address is dialled, under any name.
func Private[C any](t *testing.T, start Starter[C]) {
	t.Parallel()
	s := start(t)
	var met atomic.Int32
	s.Before(func(http.ResponseWriter, *http.Request) bool { met.Add(1); return false })
	for _, host := range []string{"127.0.0.1", "localhost", "::1"} {
		target := s.TargetAt("")
		target.Host = host
		c, err := s.Connect(target, warehouse.Dialer{})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "private or local address") || met.Load() > 0 {
			t.Errorf("%s: %v after %d requests", host, err, met.Load())
		}
	}
}

// A Row has the names of a row of a [rest.Listing]. The test of the vendor adds a type.
type Row struct{ Table, Column string }

// EndlessCatalog checks that the connector soon stops reading from a service that sends far more tables or columns than requested. page
// returns the answer to a request of the operation, with rows from number from on.
func EndlessCatalog[C any](t *testing.T, start Starter[C], operation string, page func(r *http.Request, from int, rows []Row) []byte) {
	t.Parallel()
	introspect := func(t *testing.T, row func(i int) (table, column string), sent chan<- int) ([]warehouse.Table, error) {
		s := start(t)
		total, from := 0, 0
		s.Disturb(operation, 1<<30, func(w http.ResponseWriter, r *http.Request) {
			rows := make([]Row, 400)
			for i := range rows {
				rows[i].Table, rows[i].Column = row(from + i)
			}
			n, _ := w.Write(page(r, from, rows))
			from += len(rows)
			total += n
		})
		tables, err := s.At("").Introspect(t.Context(), warehouse.Introspection{})
		sent <- total
		return tables, err
	}
	warehousetest.EndlessCatalogs(t, warehouse.MaxCatalog+(16<<20), introspect)
}

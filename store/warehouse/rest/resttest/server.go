package resttest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"service/store/warehouse"
	"service/store/warehouse/rest"
	"service/store/warehouse/warehousetest"
)

// A Server is the part of a stand-in that does not depend on the vendor. Its fields are set before it is started.
type Server[C any] struct {
	testing.TB
	Recorded map[string]Recorded[C]
	// Serve answers a request, and Refuse answers one with a fault.
	Serve  http.HandlerFunc
	Refuse func(w http.ResponseWriter, f Fault)
	// Operation returns the vendor's name of the operation that a request asks for.
	Operation func(r *http.Request) string
	// Target completes the target of a connection to the stand-in, whose host, port and TLS are set. Connect opens it.
	Target  func(t *warehouse.Target)
	Connect func(t warehouse.Target, d warehouse.Dialer) (*rest.Connector, error)

	http    *httptest.Server
	mu      sync.Mutex
	runs    map[string]*Run[C]
	effects []string
	before  func(w http.ResponseWriter, r *http.Request) (answered bool)
}

// A Run is a statement that was submitted.
type Run[C any] struct {
	Recorded[C]
	Params
	SQL       string
	Sent      any           // the request that submitted it, as the stand-in decoded it
	Cancelled chan struct{} // closed when it is cancelled
	Tokens    map[string]int
	ended     bool
}

// Start starts the server, which ends with the test.
func (s *Server[C]) Start() {
	s.runs = map[string]*Run[C]{}
	s.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		before := s.before
		s.mu.Unlock()
		if before == nil || !before(w, r) {
			s.Serve(w, r)
		}
	}))
	s.Cleanup(func() {
		s.http.CloseClientConnections()
		s.http.Close()
	})
}

// Address is the host:port of the server.
func (s *Server[C]) Address() string { return s.http.Listener.Addr().String() }

// TargetAt returns a target at an address; empty means that of the server.
func (s *Server[C]) TargetAt(address string) warehouse.Target {
	if address == "" {
		address = s.Address()
	}
	at := netip.MustParseAddrPort(address)
	t := warehouse.Target{Host: at.Addr().String(), Port: int(at.Port()), TLS: warehouse.TLSOff}
	s.Target(&t)
	return t
}

// At opens a connector to an address; empty means that of the server.
func (s *Server[C]) At(address string) *rest.Connector {
	s.Helper()
	c, err := s.Connect(s.TargetAt(address), warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		s.Fatal(err)
	}
	return c
}

// Source returns the subject of the conformance suite without what differs between vendors.
func (s *Server[C]) Source(v Tongue[C], values []Value[C]) warehousetest.Source {
	all := make([]warehousetest.Value, len(values))
	for i, value := range values {
		all[i] = value.Value
	}
	return warehousetest.Source{
		Open:    func(testing.TB) warehouse.Connector { return s.At("") },
		Address: s.Address(),
		At:      func(_ testing.TB, address string) warehouse.Connector { return s.At(address) },
		Values:  all, Clock: v.Clock, Slow: v.Slow, Endless: v.Endless, Long: v.Long,
		Strict:  true,
		State:   func(testing.TB) string { return s.Effects() },
		Running: func(testing.TB) int { return s.Running() },
	}
}

// Begin adds a run under an id. It returns false if the id has a run already.
func (s *Server[C]) Begin(id string, run *Run[C]) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs[id] != nil {
		return false
	}
	run.Cancelled, run.ended = make(chan struct{}), !run.Slow
	if run.Tokens == nil {
		run.Tokens = map[string]int{}
	}
	if run.Effect != "" {
		s.effects = append(s.effects, run.SQL)
	}
	s.runs[id] = run
	return true
}

// Run returns the run of an id, or nil.
func (s *Server[C]) Run(id string) *Run[C] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[id]
}

// Runs returns all runs, in no order.
func (s *Server[C]) Runs() (all []*Run[C]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, run := range s.runs {
		all = append(all, run)
	}
	return all
}

// Cancel cancels the run of an id, unless it has ended.
func (s *Server[C]) Cancel(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if run := s.runs[id]; run != nil && !run.ended {
		run.ended = true
		close(run.Cancelled)
	}
}

// Forget removes the run of an id.
func (s *Server[C]) Forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, id)
}

// Token remembers the row at which the page of a token begins, and RowAt returns it.
func (s *Server[C]) Token(run *Run[C], token string, row int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	run.Tokens[token] = row
}

// RowAt: see Token.
func (s *Server[C]) RowAt(run *Run[C], token string) (row int, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row, known = run.Tokens[token]
	return row, known
}

// Running counts the runs that have not ended.
func (s *Server[C]) Running() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, run := range s.runs {
		if !run.ended {
			n++
		}
	}
	return n
}

// Effects returns the statements that ran and are not queries.
func (s *Server[C]) Effects() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.effects, "\n")
}

// Before passes every request to f first. f reports whether it has answered the request.
func (s *Server[C]) Before(f func(w http.ResponseWriter, r *http.Request) (answered bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = f
}

// Disturb has f answer the first n requests of an operation. It counts all of them.
func (s *Server[C]) Disturb(operation string, n int32, f func(w http.ResponseWriter, r *http.Request)) *atomic.Int32 {
	var met atomic.Int32
	s.Before(func(w http.ResponseWriter, r *http.Request) bool {
		if s.Operation(r) != operation || met.Add(1) > n {
			return false
		}
		f(w, r)
		return true
	})
	return &met
}

// Answer writes a body as JSON.
func Answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

// Decode reads the body of a request strictly: a field that the stand-in lacks is a mistake. A body may be read again.
func Decode(r *http.Request, to any) error {
	body := Body(r)
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// Body returns the body of a request, which may be read again.
func Body(r *http.Request) []byte {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body
}

// Only fails the test if a request has a parameter that is not allowed, or has one twice.
func (s *Server[C]) Only(r *http.Request, allowed ...string) {
	query := r.URL.Query()
	for name := range query {
		if !slices.Contains(allowed, name) || len(query[name]) != 1 {
			s.Errorf("%s %s has the parameter %s: %v", r.Method, r.URL.Path, name, query[name])
		}
	}
}

// Bodiless fails the test if a request has a body.
func (s *Server[C]) Bodiless(r *http.Request) {
	if body := Body(r); len(body) > 0 {
		s.Errorf("%s %s has a body: %s", r.Method, r.URL.Path, body)
	}
}

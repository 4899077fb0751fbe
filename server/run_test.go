package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// running is a fixture's server under Run, on ports of its own.
type running struct {
	*fixture
	url, ops string
	stop     context.CancelFunc
	done     chan error
}

func run(t *testing.T, change ...func(*Config)) *running {
	t.Helper()
	r := &running{done: make(chan error, 1)}
	r.fixture = setup(t, append(change, func(c *Config) {
		c.Listener, c.OpsListener = local(t), local(t)
		r.url, r.ops = "http://"+c.Listener.Addr().String(), "http://"+c.OpsListener.Addr().String()
	})...)
	ctx, cancel := context.WithCancel(t.Context())
	r.stop = cancel
	go func() { r.done <- r.server.Run(ctx) }()
	return r
}

func local(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// status sends a request to one of the listeners, over a new connection.
func status(t *testing.T, url string) int {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	res, err := client.Get(url)
	if err != nil {
		return 0
	}
	res.Body.Close()
	return res.StatusCode
}

// begin sends a call that does not end by itself. The channel gets the status of its
// answer.
func (r *running) begin(t *testing.T, text string) chan int {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, r.url+"/mcp", strings.NewReader(act("1", text)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer acme")
	got := make(chan int, 1)
	go func() {
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		res, err := client.Do(req)
		if err != nil {
			got <- 0
			return
		}
		defer res.Body.Close()
		got <- res.StatusCode
	}()
	return got
}

func TestRunServesUntilItsContextEnds(t *testing.T) {
	t.Parallel()
	r := run(t)
	if got := status(t, r.url+"/healthz"); got != 200 {
		t.Errorf("healthz: %d", got)
	}
	for _, path := range []string{"/livez", "/readyz", "/metrics"} {
		if got := status(t, r.ops+path); got != 200 {
			t.Errorf("%s: %d", path, got)
		}
		if got := status(t, r.url+path); got != 404 {
			t.Errorf("%s is public: %d", path, got)
		}
	}
	r.stop()
	if err := <-r.done; err != nil {
		t.Error(err)
	}
	if status(t, r.url+"/healthz") != 0 || status(t, r.ops+"/livez") != 0 {
		t.Error("still listening")
	}
}

func TestRunDrains(t *testing.T) {
	t.Parallel()
	r := run(t)
	r.crowd.Add(2) // the call ends when a second one joins it
	got := r.begin(t, "meet")
	for !strings.Contains(r.probe("/metrics").body, "service_http_requests_in_flight 1") {
	}
	r.stop()
	for status(t, r.ops+"/readyz") != 503 {
	}
	for status(t, r.url+"/healthz") != 0 { // until new connections are refused
	}
	r.crowd.Done()
	if code := <-got; code != 200 {
		t.Errorf("the request under way got %d", code)
	}
	if err := <-r.done; err != nil {
		t.Error(err)
	}
}

func TestRunDoesNotDrainForEver(t *testing.T) {
	t.Parallel()
	r := run(t, func(c *Config) { c.ShutdownTimeout = 20 * time.Millisecond })
	got := r.begin(t, "wait")
	<-r.started
	r.stop()
	if err := <-r.done; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Run returned %v", err)
	}
	if code := <-got; code != 0 {
		t.Errorf("the request got %d", code)
	}
	if err := <-r.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the handler saw %v", err)
	}
}

func TestRunReturnsAListenersError(t *testing.T) {
	t.Parallel()
	taken := local(t)
	defer taken.Close()
	for _, change := range []func(*Config){
		func(c *Config) { c.Listener, c.Addr = nil, taken.Addr().String() },
		func(c *Config) { c.Listener, c.OpsAddr = local(t), taken.Addr().String() },
	} {
		f := setup(t, change)
		if err := f.server.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "address already in use") {
			t.Errorf("%v", err)
		}
	}
	r := run(t)
	r.server.config.Listener.Close()
	if err := <-r.done; !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v", err)
	}
}

package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"service/store"
)

// probe sends a request to the operators' listener.
func (f *fixture) probe(path string) reply {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", path, nil)
	r.Host = "localhost:9090"
	f.server.ops.routes(true).ServeHTTP(w, r)
	return reply{w.Code, w.Header(), w.Body.String()}
}

func TestLivezDependsOnNothing(t *testing.T) {
	t.Parallel()
	f := setup(t, func(c *Config) {
		c.Checks = map[string]func(context.Context) error{"database": func(context.Context) error { return errors.New("down") }}
	})
	if r := f.probe("/livez"); r.status != 200 || r.body != "ok" {
		t.Errorf("%d %q", r.status, r.body)
	}
	if r := f.do(t, "GET", "/healthz", ""); r.status != 200 {
		t.Errorf("healthz: %d", r.status)
	}
}

func TestReadyzNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	var database error
	f := setup(t, func(c *Config) {
		c.Checks = map[string]func(context.Context) error{
			"database": func(ctx context.Context) error {
				if _, bounded := ctx.Deadline(); !bounded {
					t.Error("a check without a deadline")
				}
				return database
			},
			"migrations": func(context.Context) error { return nil },
		}
	})
	same(t, f.probe("/readyz"), 200, `{"ready":true,"checks":{"database":"ok","migrations":"ok"}}`)
	database = errors.New("pq: password authentication failed")
	same(t, f.probe("/readyz"), 503, `{"ready":false,"checks":{"database":"failed","migrations":"ok"}}`)
	database = fmt.Errorf("%w: 5 bytes are free", store.ErrStorageFull)
	same(t, f.probe("/readyz"), 503, `{"ready":false,"checks":{"database":"failed: the storage is full","migrations":"ok"}}`)
	database = nil
	f.server.ops.Drain()
	same(t, f.probe("/readyz"), 503, `{"ready":false,"draining":true,"checks":{"database":"ok","migrations":"ok"}}`)
}

func TestPprofIsOptional(t *testing.T) {
	t.Parallel()
	if r := setup(t).probe("/debug/pprof/"); r.status != 404 {
		t.Errorf("off: %d", r.status)
	}
	f := setup(t, func(c *Config) { c.Pprof = true })
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/goroutine?debug=1", "/debug/pprof/cmdline"} {
		if r := f.probe(path); r.status != 200 {
			t.Errorf("%s: %d", path, r.status)
		}
	}
}

// TestOpsAnswersToAddresses: profiles and, on loopback, all routes answer only if the Host header is an IP address, localhost or the name
// of a container, so that a web page cannot read them by a name that resolves to this listener.
func TestOpsAnswersToAddresses(t *testing.T) {
	t.Parallel()
	f := setup(t, func(c *Config) { c.Pprof = true })
	for host, want := range map[string][3]int{ // profiles, metrics, metrics on loopback
		"127.0.0.1:9090": {200, 200, 200}, "[::1]:9090": {200, 200, 200}, "localhost": {200, 200, 200}, "worker:9090": {200, 200, 200},
		"node1.example.com:9090": {421, 200, 421}, "127.0.0.1.evil.example": {421, 200, 421}, "localhost.evil.example": {421, 200, 421},
	} {
		var got [3]int
		for i, ask := range []struct {
			loopback bool
			path     string
		}{{false, "/debug/pprof/cmdline"}, {false, "/metrics"}, {true, "/metrics"}} {
			r := httptest.NewRequest("GET", ask.path, nil)
			r.Host = host
			w := httptest.NewRecorder()
			f.server.ops.routes(ask.loopback).ServeHTTP(w, r)
			got[i] = w.Code
		}
		if got != want {
			t.Errorf("%s: %v, want %v", host, got, want)
		}
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	f := setup(t, func(c *Config) { c.Auth = gate{register: tooMany} })
	send := func(method, path, body string) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer acme")
		r.Header.Set("User-Agent", "claude-code/2.1.328")
		f.serve(r)
	}
	for _, outcome := range []string{"ok", "ok", "refused", "throttled", "over_budget", "error", "error", "error"} {
		send("POST", "/mcp", act("1", "hi"))
		f.server.config.Metrics.ToolCall("act", outcome, time.Millisecond) // as the tools do
	}
	send("POST", "/mcp", request("1", "tools/call", `{"name":"made-up-name"}`))
	send("BREW", "/made-up-path", "")
	send("POST", "/register", "")
	f.server.config.Metrics.LimiterFailed()
	f.server.config.Metrics.Retried()
	pool, err := pgxpool.New(t.Context(), "postgres://nobody@127.0.0.1:1/none?pool_max_conns=7") // never connected
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	f.server.config.Metrics.Pool(pool.Stat)

	r := f.probe("/metrics")
	for _, want := range []string{
		`service_http_requests_total{code="200",method="POST",route="/mcp"} 9`,
		`service_http_requests_total{code="404",method="other",route="unmatched"} 1`,
		`service_http_request_duration_seconds_count{route="/mcp"} 9`,
		`service_http_requests_in_flight 0`,
		`service_http_panics_total 0`,
		`service_tool_calls_total{outcome="ok",tool="act"} 2`,
		`service_tool_calls_total{outcome="refused",tool="act"} 1`,
		`service_tool_calls_total{outcome="throttled",tool="act"} 1`,
		`service_tool_calls_total{outcome="over_budget",tool="act"} 1`,
		`service_tool_calls_total{outcome="error",tool="act"} 3`,
		`service_tool_calls_total{outcome="refused",tool="unknown"} 1`,
		`service_tool_call_duration_seconds_count{tool="act"} 8`,
		`service_oauth_requests_total{client="claude-code",code="429",endpoint="/register"} 1`,
		`service_rate_limit_denials_total{surface="act"} 1`,
		`service_rate_limit_denials_total{surface="refresh_budget"} 1`,
		`service_rate_limit_denials_total{surface="register"} 1`,
		`service_rate_limit_fail_open_total 1`,
		`service_db_transactions_retried_total 1`,
		`service_db_pool_max_connections 7`,
		`service_db_pool_acquires_total 0`,
		`version="0.7.0"`,
		`go_goroutines `,
	} {
		if !strings.Contains(r.body, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(r.body, "made-up") {
		t.Error("a caller's word is a label")
	}
	if t.Failed() {
		t.Log(r.body)
	}
}

// TestQueueMetrics shows that while the database is unreachable, only its own metrics
// are missing.
func TestQueueMetrics(t *testing.T) {
	t.Parallel()
	f := setup(t)
	var away error
	f.server.config.Metrics.Queue(func(ctx context.Context) (store.QueueState, error) {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("a scrape without a deadline")
		}
		return store.QueueState{
			Waiting: 3, Running: 2, Oldest: 90 * time.Second, Late: 7 * time.Second, Backup: time.UnixMilli(1_700_000_000_500),
		}, away
	})
	r := f.probe("/metrics")
	for _, want := range []string{
		"service_refresh_queue_waiting 3\n", "service_refresh_queue_running 2\n", "service_refresh_queue_oldest_seconds 90\n",
		"service_backup_last_success_timestamp_seconds 1.7000000005e+09\n",
	} {
		if !strings.Contains(r.body, want) {
			t.Errorf("no %s", want)
		}
	}
	away = errors.New("connection refused")
	if r = f.probe("/metrics"); r.status != 200 || strings.Contains(r.body, "service_refresh_queue") ||
		!strings.Contains(r.body, "go_goroutines ") {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// TestOpsAlone serves operators without a server.
func TestOpsAlone(t *testing.T) { // before tests that fill the memory of the process: its metrics wait for the collector
	o := &Ops{
		Log: slog.New(slog.DiscardHandler), Metrics: NewMetrics(nil),
		Checks: map[string]func(context.Context) error{"database": func(context.Context) error { return nil }},
	}
	l := local(t)
	done := make(chan error, 1)
	go func() { done <- o.Serve(l) }()
	url := "http://" + l.Addr().String()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "rebound.example"
	if res, err := http.DefaultClient.Do(r); err != nil || res.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("a name that points here: %v, %v", res, err)
	}
	for path, want := range map[string]int{"/livez": 200, "/readyz": 200, "/metrics": 200, "/debug/pprof/": 404, "/mcp": 404} {
		if got := status(t, url+path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	o.Drain()
	if got := status(t, url+"/readyz"); got != 503 {
		t.Errorf("draining: %d", got)
	}
	if got := status(t, url+"/livez"); got != 200 {
		t.Errorf("draining is not a reason to restart: %d", got)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func tooMany(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusTooManyRequests)
}

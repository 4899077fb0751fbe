package main

import (
	"context"
	"net"
	"net/url"
	"strings"
	"testing"
)

// TestWorkerAnswersOperators checks a worker's health, with probes and with the
// program's own health check.
func TestWorkerAnswersOperators(t *testing.T) {
	t.Parallel()
	in := install(t, "DATABASE_URL="+migratedDatabase(t))
	ctx, cancel := context.WithCancel(t.Context())
	var out output
	errs := &signalled{want: `"msg":"refreshing"`, found: make(chan struct{})}
	done := make(chan error, 1)
	go func() { done <- run(ctx, []string{"worker"}, in.environ, &out, errs) }()
	select {
	case <-errs.found:
	case err := <-done:
		t.Fatalf("it did not start: %v\n%s", err, errs)
	}
	if code, body := get(t, in.ops, "/livez"); code != 200 || body != "ok" {
		t.Errorf("/livez: %d %q", code, body)
	}
	const ready = `{"ready":true,"checks":{"database":"ok","schema":"ok","storage":"ok"}}`
	if code, body := get(t, in.ops, "/readyz"); code != 200 || body != ready {
		t.Errorf("/readyz: %d %q", code, body)
	}
	_, body := get(t, in.ops, "/metrics")
	for _, want := range []string{
		"service_refresh_queue_waiting 0\n", "service_refresh_queue_running 0\n", "service_refresh_queue_oldest_seconds 0\n",
		"service_refresh_duration_seconds_count 0\n", "service_db_pool_max_connections 8\n", "service_build_info{",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	in.must("healthcheck", "--ready")
	in.must("healthcheck") // as the image's HEALTHCHECK, though a worker has no public listener
	if l, err := net.Listen("tcp", "127.0.0.1:"+in.port); err != nil {
		t.Errorf("the public port is taken: %v", err)
	} else if err := l.Close(); err != nil {
		t.Error(err)
	}
	if code, _, stderr := in.command("worker"); code != 1 || !strings.Contains(stderr, "SERVICE_OPS_ADDR: ") {
		t.Errorf("a second worker on the same port: status %d\n%s", code, stderr)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("%v\n%s", err, errs)
	}
	in.left()
}

// A server without refresh workers also counts views.
func TestServeWithoutWorkersCountsViews(t *testing.T) {
	t.Parallel()
	s := startSiteAs(t, []string{"serve", "--workers", "0"})
	ada := s.browser(t)
	ada.signIn(s.app+"/", "ada@example.com")
	ada.submit("/workspaces", url.Values{"name": {"Acme"}, "slug": {"acme"}})
	c := s.connect(t, ada, "acme")
	if got := c.call("publish_dashboard", map[string]any{"path": "page", "body": "# A page"}); got.failed {
		t.Fatal(got.text)
	}
	for range 3 {
		if got := ada.get(s.workspace("acme") + "/page"); got.status != 200 {
			t.Fatalf("%d %s", got.status, got.text)
		}
	}
	s.stop()
	var views int
	if err := s.db.QueryRow(t.Context(), `SELECT count FROM activity WHERE event = 'view'`).Scan(&views); err != nil || views != 3 {
		t.Errorf("%d views are counted (%v), want 3", views, err)
	}
}

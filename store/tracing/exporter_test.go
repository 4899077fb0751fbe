package tracing

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

func TestCollectorURL(t *testing.T) {
	t.Parallel()
	for endpoint, want := range map[string]string{
		"http://localhost:4318":          "http://localhost:4318/v1/traces",
		"https://otel.example.com/a/":    "https://otel.example.com/a/v1/traces",
		"localhost:4318":                 "",
		"http://ann:secret@localhost":    "",
		"http://localhost:4318/?k=v":     "",
		"ftp://localhost":                "",
		"http://":                        "",
		"http://localhost:4318/%zz":      "",
		"http://[::1]:4318":              "http://[::1]:4318/v1/traces",
		"http://localhost:4318/#section": "",
	} {
		got, err := CollectorURL(endpoint)
		if got != want || (err == nil) != (want != "") || err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %s, %v", endpoint, got, err)
		}
	}
}

func TestParseHeaders(t *testing.T) {
	t.Parallel()
	got, err := ParseHeaders("authorization=Bearer%20" + secret + ", X-Team = blue,,")
	if want := "map[Authorization:[Bearer " + secret + "] X-Team:[blue]]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []string{secret, "a=%zz" + secret, "=" + secret, "a=b%0d%0a" + secret + ": 1"} {
		if _, err := ParseHeaders(bad); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// answering is a collector that gives one answer after the other, the last one for ever, and an uploader to it that
// waits a moment where another waits a second.
func answering(t *testing.T, statuses ...int) (u *uploader, asked *atomic.Int32, log *bytes.Buffer) {
	t.Helper()
	asked, log = &atomic.Int32{}, &bytes.Buffer{}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(asked.Add(1))
		body, _ := io.ReadAll(r.Body)
		if err := proto.Unmarshal(body, &tracepb.TracesData{}); err != nil || r.Header.Get("Authorization") != secret {
			t.Errorf("%v, %v", r.Header, err)
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(statuses[min(n, len(statuses))-1])
		_, _ = io.WriteString(w, secret)
	}))
	srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0) // one test is not trusted, which it would print
	srv.StartTLS()
	t.Cleanup(srv.Close)
	authorities, err := ParseCertificates(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}))
	if err != nil {
		t.Fatal(err)
	}
	c := Collector{URL: srv.URL, Headers: http.Header{"Authorization": {secret}}, Timeout: time.Minute, Authorities: authorities}
	u = newUploader(c, slog.New(slog.NewTextHandler(log, nil)))
	u.pause = time.Millisecond
	return u, asked, log
}

func TestUpload(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		statuses []int
		asked    int32
		lost     bool
	}{
		{[]int{200}, 1, false},
		{[]int{503, 429, 502, 200}, 4, false}, // it was away for a moment
		{[]int{400}, 1, true},                 // another attempt is in vain
		{[]int{307, 200}, 1, true},            // no other host gets the headers
	} {
		u, asked, log := answering(t, tc.statuses...)
		if err := u.UploadTraces(t.Context(), nil); err != nil { // the SDK would print it
			t.Error(err)
		}
		if asked.Load() != tc.asked || strings.Contains(log.String(), "lost") != tc.lost || strings.Contains(log.String(), secret) ||
			strings.Contains(log.String(), "127.0.0.1") {
			t.Errorf("%d: asked %d times\n%s", tc.statuses, asked.Load(), log)
		}
	}
	u, _, log := answering(t, 503)
	u.Timeout = 20 * time.Millisecond
	_ = u.UploadTraces(t.Context(), nil)
	if !strings.Contains(log.String(), "lost") {
		t.Errorf("a collector that stays away: %s", log)
	}
	u, _, log = answering(t, 200)
	u.Authorities = nil
	_ = newUploader(u.Collector, u.log).UploadTraces(t.Context(), nil)
	if !strings.Contains(log.String(), "certificate") {
		t.Errorf("a collector that nobody has vouched for: %s", log)
	}
	if _, err := ParseCertificates([]byte(secret)); err == nil {
		t.Error("no certificate is one")
	}
}

// TestCollectorHangs: a collector that accepts a batch and never answers delays no request. Spans beyond the queue are dropped, and the
// program ends although no span was sent.
func TestCollectorHangs(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	t.Cleanup(srv.Close)
	t.Cleanup(func() { close(hang) })
	var log bytes.Buffer
	c := Collector{URL: srv.URL, Timeout: time.Hour}
	tracer := New(c.Exporter(slog.New(slog.NewTextHandler(&log, nil))), "1")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // of which spans that wait would need more
	defer cancel()
	for i := range 20_000 {
		_, span := tracer.Request(httptest.NewRequestWithContext(ctx, http.MethodGet, "/"+strconv.Itoa(i), nil))
		span.EndRequest("GET", "/healthz", "", 200)
	}
	tracer.patience = 50 * time.Millisecond
	tracer.Close()
	if ctx.Err() != nil {
		t.Error("20,000 spans and the end took longer than 20 s")
	}
}

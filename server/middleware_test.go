package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
)

// serve runs one request to its end, access line included.
func (f *fixture) serve(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	f.server.Handler().ServeHTTP(w, r)
	return w
}

func TestRequestIDIsTakenOrMade(t *testing.T) {
	t.Parallel()
	f := setup(t, func(c *Config) {
		c.Web = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Header.Get("X-Request-Id")) })
	})
	for _, id := range []string{"req-1", "0190a1b2.C_3", strings.Repeat("a", 64)} {
		if r := f.do(t, "GET", "/", "", "Host", "app.example.test", "X-Request-Id", id); r.header.Get("X-Request-Id") != id || r.body != id {
			t.Errorf("%s became %s, and %s for the handler", id, r.header.Get("X-Request-Id"), r.body)
		}
	}
	for _, id := range []string{"-", "a b", `"x"`, "<script>", "é", strings.Repeat("a", 65)} {
		r := f.do(t, "GET", "/", "", "Host", "app.example.test", "X-Request-Id", id)
		if uuid.Validate(r.body) != nil || r.header.Get("X-Request-Id") != r.body {
			t.Errorf("%s became %s", id, r.body)
		}
	}
}

func TestAccessLine(t *testing.T) {
	t.Parallel()
	f := setup(t)
	r := httptest.NewRequest("POST", "/mcp?access_token=SECRET", strings.NewReader(act("1", "SECRET")))
	r.Header.Set("Authorization", "Bearer acme")
	r.Header.Set("Cookie", "session=SECRET")
	r.Header.Set("X-Request-Id", "req-7")
	r.Header.Set("User-Agent", "claude-code/2.1")
	f.serve(r)
	r = httptest.NewRequest("POST", "/mcp", strings.NewReader(request("1", "tools/call", `{"name":"SECRET"}`)))
	r.Header.Set("Authorization", "Bearer acme")
	r.Header.Set("X-Request-Id", "req-8")
	f.serve(r)
	r = httptest.NewRequest("GET", "/authorize?code=SECRET&state=SECRET", nil)
	r.Header.Set("Authorization", "Bearer SECRET")
	r.Header.Set("Referer", "https://x/?code=SECRET")
	f.serve(r)

	lines := f.logs.lines(t, "request")
	if len(lines) != 3 {
		t.Fatalf("%d access lines: %s", len(lines), f.logs)
	}
	for key, want := range map[string]any{
		"request_id": "req-7", "method": "POST", "path": "/mcp", "route": "/mcp",
		"status": 200.0, "rpc": "tools/call", "grant_id": grants["acme"].ID.String(),
		"peer": "192.0.2.1", "user_agent": "claude-code/2.1", "host": "example.com",
	} {
		if lines[0][key] != want {
			t.Errorf("%s is %v, want %v", key, lines[0][key], want)
		}
	}
	calls := f.logs.lines(t, "tool call")
	if len(calls) != 1 || calls[0]["tool"] != "unknown" || calls[0]["outcome"] != "refused" ||
		calls[0]["request_id"] != "req-8" || calls[0]["grant_id"] != grants["acme"].ID.String() {
		t.Errorf("tool lines: %v", calls)
	}
	if strings.Contains(f.logs.String(), "SECRET") {
		t.Errorf("a secret is in the log: %s", f.logs)
	}
}

func TestStrangersWordsDoNotFillTheLog(t *testing.T) {
	t.Parallel()
	f := setup(t)
	r := httptest.NewRequest("POST", "/"+strings.Repeat("a", 9000), strings.NewReader(""))
	r.Header.Set("User-Agent", strings.Repeat("b", 9000))
	r.Host = strings.Repeat("c", 9000)
	f.serve(r)
	if n := len(f.logs.String()); n > 1500 {
		t.Errorf("a line of %d bytes", n)
	}
}

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	pages := headers{"Cross-Origin-Resource-Policy": "same-origin", "Permissions-Policy": "camera=(), geolocation=(), microphone=()"}
	for base, hsts := range map[string]string{"https://mcp.example.test": "max-age=31536000", "http://localhost:8080": ""} {
		f := setup(t, func(c *Config) { c.BaseURL = base })
		for host, differences := range map[string]headers{
			"example.test": {
				"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Cache-Control": "no-store",
			},
			"app.example.test":  pages,
			"acme.example.test": pages,
		} {
			want := headers{
				"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "X-Frame-Options": "DENY",
				"Cross-Origin-Opener-Policy": "same-origin", "Strict-Transport-Security": hsts,
			}
			maps.Copy(want, differences)
			for _, path := range []string{"/healthz", "/nothing", "/mcp", "/authorize"} {
				r := f.do(t, "GET", path, "", "Host", host)
				for name, value := range want {
					if got := r.header.Get(name); got != value {
						t.Errorf("%s of %s on %s: %q, want %q", name, path, host, got, value)
					}
				}
			}
		}
		if r := f.post(t, request("1", "ping", "")); r.header.Get("Cache-Control") != "no-store" ||
			r.header.Get("Content-Security-Policy") == "" {
			t.Errorf("headers of /mcp: %v", r.header)
		}
	}
}

func TestPanicOfAHandlerIsOneRequests500(t *testing.T) {
	t.Parallel()
	f := setup(t, func(c *Config) {
		c.Web = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("kaboom") })
		c.Host = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "half")
			panic("kaboom")
		})
		c.Auth = gate{token: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }}
	})
	r := f.do(t, "GET", "/", "", "Host", "app.example.test")
	if r.status != 500 || strings.Contains(r.body, "kaboom") || !strings.Contains(r.body, "req-1") {
		t.Errorf("%d %q", r.status, r.body)
	}
	if lines := f.logs.lines(t, "panic"); len(lines) != 1 || lines[0]["err"] != "kaboom" || lines[0]["request_id"] != "req-1" {
		t.Errorf("log: %v", lines)
	}
	for host, path := range map[string]string{"acme.example.test": "/", "mcp.example.test": "/token"} {
		func() {
			defer func() {
				if p := recover(); p != http.ErrAbortHandler {
					t.Errorf("%s: recovered %v, want the connection to be cut", host, p)
				}
			}()
			req := httptest.NewRequest("POST", path, nil)
			req.Host = host
			f.serve(req)
		}()
	}
}

func TestPanicOfTheBearerCheckIsA500(t *testing.T) {
	t.Parallel()
	f := setup(t, func(c *Config) {
		c.Auth = gate{check: func(http.ResponseWriter, *http.Request) { panic("kaboom") }}
	})
	if r := f.post(t, request("1", "ping", "")); r.status != 500 {
		t.Errorf("%d", r.status)
	}
}

func TestEveryHandlerHasADeadline(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	waits := func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		ended <- r.Context().Err()
	}
	f := setup(t, func(c *Config) {
		c.RequestTimeout = 10 * time.Millisecond
		c.Web, c.Host, c.Auth = http.HandlerFunc(waits), http.HandlerFunc(waits), gate{token: waits}
	})
	for _, host := range []string{"mcp.example.test", "app.example.test", "acme.example.test"} {
		f.do(t, "POST", "/token", "", "Host", host)
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", host, err)
		}
	}
}

func TestRoutesOfOtherHostsAreNamed(t *testing.T) {
	t.Parallel()
	f := setup(t, func(c *Config) {
		r := chi.NewRouter()
		r.Get("/w/{workspace}", says("x"))
		c.Web = r
	})
	for host, want := range map[string]string{"app.example.test": "app /w/{workspace}", "acme.example.test": "workspace"} {
		r := httptest.NewRequest("GET", "/w/acme", nil)
		r.Host = host
		f.serve(r)
		if lines := f.logs.lines(t, "request"); lines[len(lines)-1]["route"] != want {
			t.Errorf("route %v, want %s", lines[len(lines)-1]["route"], want)
		}
	}
}

func TestEveryLineOfARequestNamesIt(t *testing.T) {
	t.Parallel()
	var l logs
	log := slog.New(LogRequests(slog.NewJSONHandler(&l, nil))).With("part", "x")
	f := setup(t, func(c *Config) {
		c.Log = log // wrapped twice, but not logged twice
		c.Web = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			log.InfoContext(r.Context(), "from elsewhere", "id", RequestID(r.Context()))
		})
	})
	f.do(t, "GET", "/", "", "Host", "app.example.test")
	lines := l.lines(t, "from elsewhere")
	if len(lines) != 1 || lines[0]["request_id"] != "req-1" || lines[0]["id"] != "req-1" {
		t.Errorf("%v", lines)
	}
	log.Info("outside")
	if lines := l.lines(t, "outside"); lines[0]["request_id"] != nil {
		t.Errorf("%v", lines)
	}
	for line := range strings.Lines(l.String()) {
		if strings.Count(line, "request_id") > 1 {
			t.Errorf("named twice: %s", line)
		}
	}
}

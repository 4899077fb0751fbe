package server

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"

	"service/auth"
)

// requestIDHeader is the header with the request's id, which log, answers and proxies
// share. Handlers read it from the request's header.
const requestIDHeader = "X-Request-Id"

// entry collects the content of a request's access line while it is served. Only the
// goroutine that serves the request writes to it.
type entry struct {
	id     string // id of the request
	route  string // pattern of the route, one of few
	method string // the JSON-RPC method
	grant  string
}

type entryKey struct{}

// entryOf returns the entry of the request of ctx, or an empty one outside a
// request.
func entryOf(ctx context.Context) *entry {
	if e, ok := ctx.Value(entryKey{}).(*entry); ok {
		return e
	}
	return &entry{}
}

// RequestID returns the id of the request of ctx, which pages may show and the log
// contains. It returns "" outside a request.
func RequestID(ctx context.Context) string { return entryOf(ctx).id }

// grantID returns the id of the grant of the call of ctx, or "".
func grantID(ctx context.Context) string {
	if grant, ok := auth.GrantFrom(ctx); ok {
		return grant.ID.String()
	}
	return ""
}

// LogRequests returns a log handler that adds the request id to each record that is
// logged with a request's context.
func LogRequests(h slog.Handler) slog.Handler {
	if already, ok := h.(requestLog); ok {
		return already
	}
	return requestLog{h}
}

type requestLog struct{ slog.Handler }

func (l requestLog) Handle(ctx context.Context, r slog.Record) error {
	if id := RequestID(ctx); id != "" {
		r.AddAttrs(slog.String("request_id", id))
	}
	return l.Handler.Handle(ctx, r)
}

func (l requestLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestLog{l.Handler.WithAttrs(attrs)}
}

func (l requestLog) WithGroup(name string) slog.Handler { return requestLog{l.Handler.WithGroup(name)} }

// observed gives each request an id, and writes its access line and its metrics. Neither
// contains queries, bodies or headers except the user agent, because those may contain
// codes and tokens.
func (s *Server) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		e := &entry{id: acceptID(r.Header.Get(requestIDHeader)), route: "unmatched"}
		ctx, span := s.config.Traces.Request(r)
		r = r.WithContext(context.WithValue(ctx, entryKey{}, e))
		r.Header.Set(requestIDHeader, e.id)
		w.Header().Set(requestIDHeader, e.id)
		ww := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		s.config.Metrics.inFlight.Inc()
		defer func() {
			took := time.Since(start)
			s.config.Metrics.inFlight.Dec()
			status := ww.Status()
			if status == 0 {
				status = http.StatusOK // net/http sends this for a handler that wrote nothing
			}
			s.config.Metrics.request(r, e.route, status, took)
			span.EndRequest(methodLabel(r.Method), e.route, e.method, status)
			peer, _, err := net.SplitHostPort(r.RemoteAddr)
			if err != nil {
				peer = r.RemoteAddr
			}
			attrs := []slog.Attr{
				slog.String("method", clip(r.Method, 20)),
				slog.String("host", clip(r.Host, 260)), slog.String("path", clip(r.URL.Path, 200)), slog.String("route", e.route),
				slog.Int("status", status), slog.Int("bytes", ww.BytesWritten()), slog.Int64("ms", took.Milliseconds()),
				slog.String("peer", peer), slog.String("user_agent", clip(r.UserAgent(), 200)),
			}
			if e.method != "" {
				attrs = append(attrs, slog.String("rpc", e.method))
			}
			if e.grant != "" {
				attrs = append(attrs, slog.String("grant_id", e.grant))
			}
			s.config.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", attrs...)
		}()
		next.ServeHTTP(ww, r)
	})
}

// acceptID returns the id that a proxy gave the request if it is safe to log, and a new
// id otherwise.
func acceptID(given string) string {
	safe := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.'
	}
	if given == "" || len(given) > 64 || strings.ContainsFunc(given, func(c rune) bool { return !safe(c) }) {
		return uuid.Must(uuid.NewV7()).String()
	}
	return given
}

// clip cuts a caller's text for the log.
func clip(s string, most int) string {
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// headers are the headers of every answer of a kind of host. Handlers may replace them,
// and set those that depend on the answer, such as its policy and its caching.
type headers map[string]string

// values returns the headers as an http.Header, which is made once and shared by all answers. That is safe: each slice has
// length and capacity 1, so that appending to it copies it.
func (h headers) values() http.Header {
	all := http.Header{}
	for name, value := range h {
		all.Set(name, value)
	}
	return all
}

// The security headers, by kind of host.
var (
	everyHost = headers{
		"X-Content-Type-Options":     "nosniff",
		"X-Frame-Options":            "DENY",
		"Referrer-Policy":            "same-origin",
		"Cross-Origin-Opener-Policy": "same-origin",
	}
	everyHTTPSHost = headers{
		"Strict-Transport-Security": "max-age=31536000",
	}
	hostWithPages = headers{ // the app host and the workspace hosts
		"Cross-Origin-Resource-Policy": "same-origin",
		"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
	}
	hostWithoutPages = headers{ // the MCP host: each answer is for one caller
		"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		"Cache-Control":           "no-store",
	}
)

func (h headers) on(next http.Handler) http.Handler {
	all := h.values()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), all)
		next.ServeHTTP(w, r)
	})
}

// recovered turns a panic into a 500. If the answer has begun it closes the connection,
// so that the client does not mistake the part for the whole.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p)
			}
			id := RequestID(r.Context())
			s.config.Log.ErrorContext(r.Context(), "panic", "err", fmt.Sprint(p), "stack", string(debug.Stack()))
			s.config.Metrics.panics.Inc()
			if ww, ok := w.(middleware.WrapResponseWriter); ok && ww.Status() != 0 {
				panic(http.ErrAbortHandler)
			}
			http.Error(w, "Internal Server Error (request "+id+")", http.StatusInternalServerError)
		}()
		next.ServeHTTP(w, r)
	})
}

// timely cancels a request's context after the request timeout.
func (s *Server) timely(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.config.RequestTimeout)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// named records the pattern of an MCP host's route for log and metrics.
func named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		patterns := chi.RouteContext(r.Context()).RoutePatterns
		entryOf(r.Context()).route = patterns[len(patterns)-1]
		next.ServeHTTP(w, r)
	})
}

// labelled is like named, for other hosts. If the host uses chi, it uses the pattern of
// the routing context.
func labelled(host string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rctx := chi.NewRouteContext()
		rctx.Routes = chi.NewRouter()
		defer func() {
			entryOf(r.Context()).route = strings.TrimSpace(host + " " + rctx.RoutePattern())
		}()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), chi.RouteCtxKey, rctx)))
	})
}

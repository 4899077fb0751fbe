package server

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"service/store"
)

// checkTimeout is the time limit of a readiness check, because a probe must not hang.
const checkTimeout = 2 * time.Second

// Ops serves operators: health, metrics and profiles of the process. All fields except
// Checks and Pprof are required.
type Ops struct {
	Log     *slog.Logger
	Metrics *Metrics
	Checks  map[string]func(ctx context.Context) error // the dependencies of readiness, by name
	Pprof   bool                                       // serve /debug/pprof

	draining atomic.Bool
}

// Drain makes /readyz report that the process is about to stop.
func (o *Ops) Drain() { o.draining.Store(true) }

// Serve serves on l until l is closed, and then cuts off running requests.
func (o *Ops) Serve(l net.Listener) error {
	addr, _ := netip.ParseAddrPort(l.Addr().String())
	srv := &http.Server{
		Handler:           o.routes(addr.IsValid() && addr.Addr().IsLoopback()),
		ErrorLog:          slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn),
		MaxHeaderBytes:    64 << 10,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       120 * time.Second,
	}
	if err := srv.Serve(l); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return srv.Close()
}

// routes lists every route of the operators' listener. It must not be public, because it
// exposes internals of the process. loopback means that only this machine can reach it.
func (o *Ops) routes(loopback bool) http.Handler {
	r := chi.NewRouter()
	if loopback {
		r.Use(byAddress)
	}
	r.Get("/livez", healthz)
	r.Get("/readyz", o.readyz)
	r.Method(http.MethodGet, "/metrics", promhttp.HandlerFor(o.Metrics.registry, promhttp.HandlerOpts{}))
	if o.Pprof {
		r := r.With(byAddress)
		r.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		r.HandleFunc("/debug/pprof/profile", pprof.Profile)
		r.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		r.HandleFunc("/debug/pprof/trace", pprof.Trace)
		r.HandleFunc("/debug/pprof/*", pprof.Index)
	}
	return r
}

// byAddress refuses requests to domain names: a web page could make its own name resolve
// to this listener, and read it in an operator's browser (DNS rebinding). People and
// probes use an IP address, localhost or the name of a container.
func byAddress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostname(r.Host)
		if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err != nil && strings.Contains(host, ".") {
			http.Error(w, "421 this listener answers to addresses and to localhost", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// readiness is the answer of /readyz. The value of a check is "ok", "failed" (the log
// has the reason) or "failed: the storage is full".
type readiness struct {
	Ready    bool              `json:"ready"`
	Draining bool              `json:"draining,omitzero"`
	Checks   map[string]string `json:"checks"`
}

// readyz reports whether the process can serve requests. It answers 503 while a check
// fails, and once the process begins to stop.
func (o *Ops) readyz(w http.ResponseWriter, r *http.Request) {
	answer := readiness{Ready: true, Checks: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(o.Checks)) {
		ctx, cancel := context.WithTimeout(r.Context(), checkTimeout)
		err := o.Checks[name](ctx)
		cancel()
		answer.Checks[name] = "ok"
		if err != nil {
			answer.Ready, answer.Checks[name] = false, "failed"
			if errors.Is(err, store.ErrStorageFull) { // a failure that an operator can fix at once
				answer.Checks[name] = "failed: " + store.ErrStorageFull.Error()
			}
			o.Log.WarnContext(r.Context(), "not ready", "check", name, "err", err)
		}
	}
	if o.draining.Load() {
		answer.Ready, answer.Draining = false, true
	}
	status := http.StatusOK
	if !answer.Ready {
		status = http.StatusServiceUnavailable
	}
	body, err := encode(answer)
	if err != nil {
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	send(w, status, body)
}

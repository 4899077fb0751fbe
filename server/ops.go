package server

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/pprof"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// checkTimeout bounds each readiness check: a probe that hangs says nothing.
const checkTimeout = 2 * time.Second

// Ops answers operators: what a process needs to be watched. All fields but Checks
// and Pprof are required.
type Ops struct {
	Log     *slog.Logger
	Metrics *Metrics
	Checks  map[string]func(ctx context.Context) error // what readiness depends on, by name
	Pprof   bool                                       // serve /debug/pprof

	draining atomic.Bool
}

// Drain makes /readyz say that the process is about to stop.
func (o *Ops) Drain() { o.draining.Store(true) }

// Serve answers on l until it is closed. Then it cuts requests under way off: a
// probe is no loss.
func (o *Ops) Serve(l net.Listener) error {
	srv := &http.Server{
		Handler:           o.routes(),
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

// routes is every route of an operators' listener, which is not for the public:
// it tells of the process's inside.
func (o *Ops) routes() http.Handler {
	r := chi.NewRouter()
	r.Get("/livez", healthz)
	r.Get("/readyz", o.readyz)
	r.Method(http.MethodGet, "/metrics", promhttp.HandlerFor(o.Metrics.registry, promhttp.HandlerOpts{}))
	if o.Pprof {
		r.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		r.HandleFunc("/debug/pprof/profile", pprof.Profile)
		r.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		r.HandleFunc("/debug/pprof/trace", pprof.Trace)
		r.HandleFunc("/debug/pprof/*", pprof.Index)
	}
	return r
}

// readiness is the answer of /readyz. Checks are "ok" or "failed": the reason is
// in the log.
type readiness struct {
	Ready    bool              `json:"ready"`
	Draining bool              `json:"draining,omitzero"`
	Checks   map[string]string `json:"checks"`
}

// readyz says whether to send work here: 503 while something it depends on is
// missing, and from the moment the process begins to stop.
func (o *Ops) readyz(w http.ResponseWriter, r *http.Request) {
	answer := readiness{Ready: true, Checks: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(o.Checks)) {
		ctx, cancel := context.WithTimeout(r.Context(), checkTimeout)
		err := o.Checks[name](ctx)
		cancel()
		answer.Checks[name] = "ok"
		if err != nil {
			answer.Ready, answer.Checks[name] = false, "failed"
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

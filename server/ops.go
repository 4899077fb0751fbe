package server

import (
	"context"
	"maps"
	"net/http"
	"net/http/pprof"
	"slices"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// checkTimeout bounds each readiness check: a probe that hangs says nothing.
const checkTimeout = 2 * time.Second

// opsRoutes is every route of the operators' listener, which is not for the
// public: it tells of the process's inside.
func (s *Server) opsRoutes() http.Handler {
	r := chi.NewRouter()
	r.Get("/livez", healthz)
	r.Get("/readyz", s.readyz)
	r.Method(http.MethodGet, "/metrics", promhttp.HandlerFor(s.config.Metrics.registry, promhttp.HandlerOpts{}))
	if s.config.Pprof {
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

// readyz says whether to send requests here: 503 while something they depend on
// is missing, and from the moment the server begins to stop.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	answer := readiness{Ready: true, Checks: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(s.config.Checks)) {
		ctx, cancel := context.WithTimeout(r.Context(), checkTimeout)
		err := s.config.Checks[name](ctx)
		cancel()
		answer.Checks[name] = "ok"
		if err != nil {
			answer.Ready, answer.Checks[name] = false, "failed"
			s.config.Log.WarnContext(r.Context(), "not ready", "check", name, "err", err)
		}
	}
	if s.draining.Load() {
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

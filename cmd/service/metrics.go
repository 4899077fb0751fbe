package main

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// refreshMetrics registers the numbers of the refresh worker, and returns what is
// to be told of each refresh that ended.
func refreshMetrics(registry prometheus.Registerer) func(state string, took time.Duration) {
	total := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "service_refreshes_total", Help: "Refreshes that this process has performed, by how they ended.",
	}, []string{"state"})
	durations := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "service_refresh_duration_seconds", Help: "Time to perform a refresh.",
		Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
	})
	registry.MustRegister(total, durations)
	return func(state string, took time.Duration) {
		total.WithLabelValues(state).Inc()
		durations.Observe(took.Seconds())
	}
}

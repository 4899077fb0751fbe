package main

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"service/server/notify"
	"service/server/refresh"
	"service/store"
)

// watchRefreshes registers the metrics of the refresh worker, and sets the callbacks of
// c that update them.
func watchRefreshes(registry prometheus.Registerer, c *refresh.Config) {
	total := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "service_refreshes_total", Help: "Refreshes performed by this process, by outcome.",
	}, []string{"state"})
	durations := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "service_refresh_duration_seconds", Help: "Time to perform a refresh.",
		Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
	})
	jobs := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "service_job_attempts_total",
		Help: "Attempts at jobs of the queue that this process has made: completed, snoozed (not its turn yet), failed (tried again), " +
			"discarded (given up) or cancelled.",
	}, []string{"outcome"})
	for _, outcome := range refresh.Outcomes {
		jobs.WithLabelValues(outcome)
	}
	tasks := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "service_periodic_tasks_total", Help: "Runs of periodic tasks, by outcome: ok or failed.",
	}, []string{"task", "outcome"})
	last := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "service_periodic_task_last_success_timestamp_seconds", Help: "Time of a task's last success.",
	}, []string{"task"})
	swept := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "service_swept_rows_total", Help: "Rows deleted because they had expired or were too old.",
	})
	registry.MustRegister(total, durations, jobs, tasks, last, swept)
	c.Done = func(state string, took time.Duration) {
		total.WithLabelValues(state).Inc()
		durations.Observe(took.Seconds())
	}
	c.Attempted = func(outcome string) { jobs.WithLabelValues(outcome).Inc() }
	c.Swept = func(rows int64) { swept.Add(float64(rows)) }
	c.Ran = func(task string, err error) {
		if err != nil {
			tasks.WithLabelValues(task, "failed").Inc()
			return
		}
		tasks.WithLabelValues(task, "ok").Inc()
		last.WithLabelValues(task).SetToCurrentTime()
	}
}

// watchMessages registers the metrics of sent messages, and sets the callbacks of c that update them.
func watchMessages(registry prometheus.Registerer, c *notify.Config) {
	attempts := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "service_message_attempts_total",
		Help: "Attempts of this process to send a message, by its kind (alert, delivery, test) and outcome: sent, waits (tried again) or failed.",
	}, []string{"kind", "outcome"})
	for _, kind := range []string{store.MessageAlert, store.MessageDelivery, store.MessageTest} {
		for _, outcome := range notify.Outcomes {
			attempts.WithLabelValues(kind, outcome)
		}
	}
	registry.MustRegister(attempts)
	c.Ended = func(kind, outcome string) { attempts.WithLabelValues(kind, outcome).Inc() }
}

// watchCore registers the metrics of the query workers and, if there is one, of the
// embedded database, which are read at each scrape.
func watchCore(registry prometheus.Registerer, k *core) {
	engine := k.engine.Stats
	gauge := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	total := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value))
	}
	gauge("service_query_workers_busy", "Query workers at work.", func() float64 { return float64(engine().Busy) })
	gauge("service_query_workers_idle", "Query workers that wait for more of the same data.", func() float64 { return float64(engine().Idle) })
	gauge("service_query_calls_waiting", "Calls that wait for a query worker.", func() float64 { return float64(engine().Waiting) })
	total("service_query_workers_started_total", "Query workers started.", func() float64 { return float64(engine().Started) })
	total("service_query_calls_refused_total", "Calls refused because too many waited for a query worker.",
		func() float64 { return float64(engine().Refused) })
	if k.embedded == nil {
		return
	}
	total("service_embedded_restarts_total", "Restarts of the embedded database after it had ended by itself.",
		func() float64 { return float64(k.embedded.Restarts()) })
	gauge("service_embedded_free_bytes", "Bytes free on the disk of the embedded database.", func() float64 {
		free, err := k.free()
		if err != nil {
			return 0
		}
		return float64(free)
	})
}

package server

import (
	"context"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"service/store"
	"service/store/limit"
)

// Metrics are the metrics of /metrics. Labels are routes, tools and outcomes, which have
// few values; they never contain a slug, a user or another value that a caller chooses.
type Metrics struct {
	registry *prometheus.Registry

	requests  *prometheus.CounterVec   // route, method, code
	durations *prometheus.HistogramVec // route
	inFlight  prometheus.Gauge
	panics    prometheus.Counter
	calls     *prometheus.CounterVec   // tool, outcome
	callTimes *prometheus.HistogramVec // tool
	oauth     *prometheus.CounterVec   // endpoint, client, code
	denials   *prometheus.CounterVec   // surface
	failOpen  prometheus.Counter
	retried   prometheus.Counter
}

// NewMetrics registers the metrics of the server, the process and the build on registry,
// or on a new one if it is nil. It is separate from [New] because the store reports to
// it too.
func NewMetrics(registry *prometheus.Registry) *Metrics {
	if registry == nil {
		registry = prometheus.NewRegistry()
	}
	latency := []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
	m := &Metrics{
		registry: registry,
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "service_http_requests_total", Help: "HTTP requests answered.",
		}, []string{"route", "method", "code"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "service_http_request_duration_seconds", Help: "Time to answer an HTTP request.", Buckets: latency,
		}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "service_http_requests_in_flight", Help: "HTTP requests in progress.",
		}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "service_http_panics_total", Help: "Panics of HTTP handlers, outside JSON-RPC calls.",
		}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "service_tool_calls_total", Help: "Tool calls by outcome: ok, refused, throttled, over_budget or error.",
		}, []string{"tool", "outcome"}),
		callTimes: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "service_tool_call_duration_seconds", Help: "Time to run a tool.", Buckets: latency,
		}, []string{"tool"}),
		oauth: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "service_oauth_requests_total", Help: "Requests to the authorization server by family of client.",
		}, []string{"endpoint", "client", "code"}),
		denials: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "service_rate_limit_denials_total", Help: "Requests refused by a rate limit: a tool, register, or the refresh budget.",
		}, []string{"surface"}),
		failOpen: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "service_rate_limit_fail_open_total", Help: "Requests allowed because the rate limiter did not answer.",
		}),
		retried: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "service_db_transactions_retried_total", Help: "Transactions tried again after a deadlock.",
		}),
	}
	registry.MustRegister(m.requests, m.durations, m.inFlight, m.panics, m.calls, m.callTimes, m.oauth, m.denials, m.failOpen, m.retried,
		buildInfo(), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Registry returns the registry, on which other parts of the program register their
// metrics.
func (m *Metrics) Registry() *prometheus.Registry { return m.registry }

// LimiterFailed counts a request that was allowed because the rate limiter failed. It is
// for store.Options.LimiterFailed.
func (m *Metrics) LimiterFailed() { m.failOpen.Inc() }

// Sandbox publishes the layers of the sandbox that confine query workers on this machine, read at each
// scrape.
func (m *Metrics) Sandbox(layers func() map[string]bool) { m.registry.MustRegister(sandbox(layers)) }

// A sandbox is the collector of the metric of its layers.
type sandbox func() map[string]bool

var sandboxDesc = prometheus.NewDesc("service_worker_sandbox",
	"Whether a layer of the sandbox holds query workers: 1, or 0 where the machine lacks it.", []string{"layer"}, nil)

func (sandbox) Describe(to chan<- *prometheus.Desc) { to <- sandboxDesc }

func (layers sandbox) Collect(to chan<- prometheus.Metric) {
	for layer, on := range layers() {
		held := 0.0
		if on {
			held = 1
		}
		to <- prometheus.MustNewConstMetric(sandboxDesc, prometheus.GaugeValue, held, layer)
	}
}

// Retried counts a transaction that is tried again after a deadlock. It is for
// store.Options.Retried.
func (m *Metrics) Retried() { m.retried.Inc() }

// Pool publishes the statistics of a database pool, read at each scrape.
func (m *Metrics) Pool(stat func() *pgxpool.Stat) {
	gauge := func(name, help string, value func(*pgxpool.Stat) float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "service_db_pool_" + name, Help: help},
			func() float64 { return value(stat()) }))
	}
	total := func(name, help string, value func(*pgxpool.Stat) float64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "service_db_pool_" + name + "_total", Help: help},
			func() float64 { return value(stat()) }))
	}
	type stats = pgxpool.Stat
	gauge("max_connections", "Size of the pool.", func(s *stats) float64 { return float64(s.MaxConns()) })
	gauge("connections", "Open connections.", func(s *stats) float64 { return float64(s.TotalConns()) })
	gauge("acquired_connections", "Connections in use.", func(s *stats) float64 { return float64(s.AcquiredConns()) })
	gauge("idle_connections", "Connections not in use.", func(s *stats) float64 { return float64(s.IdleConns()) })
	total("acquires", "Connections taken from the pool.", func(s *stats) float64 { return float64(s.AcquireCount()) })
	total("empty_acquires", "Acquires that had to wait for a connection.",
		func(s *stats) float64 { return float64(s.EmptyAcquireCount()) })
	total("canceled_acquires", "Acquires that were cancelled while waiting for a connection.",
		func(s *stats) float64 { return float64(s.CanceledAcquireCount()) })
	total("acquire_seconds", "Time spent on acquires.", func(s *stats) float64 { return s.AcquireDuration().Seconds() })
}

// Requests publishes the numbers of running and waiting calls and pages, read at each
// scrape.
func (m *Metrics) Requests(all ...*Queue) {
	sum := func(pick func(limit.Stats) int) func() float64 {
		return func() float64 {
			n := 0
			for _, q := range all {
				n += pick(q.fair.Stats())
			}
			return float64(n)
		}
	}
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "service_calls_running", Help: "MCP calls, pages of dashboards and requests to the web app that hold a slot.",
		}, sum(func(s limit.Stats) int { return s.Held })),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "service_calls_waiting", Help: "MCP calls, pages of dashboards and requests to the web app that wait for a slot.",
		}, sum(func(s limit.Stats) int { return s.Waiting })),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "service_calls_turned_away_total", Help: "MCP calls, pages of dashboards and requests to the web app that got no slot in time.",
		}, sum(func(s limit.Stats) int { return int(s.Refused) })))
}

// queueTimeout is the time limit of a scrape's database query.
const queueTimeout = 2 * time.Second

// Queue publishes the state of the refresh queue and the time of the last backup, read at each scrape, which are the same
// on every replica. If the database does not answer, only these metrics are missing.
func (m *Metrics) Queue(state func(context.Context) (store.QueueState, error)) {
	m.registry.MustRegister(queueCollector(state))
}

type queueCollector func(context.Context) (store.QueueState, error)

var (
	queueWaiting = queueDesc("waiting", "Refreshes that wait for a worker, of all replicas.")
	queueRunning = queueDesc("running", "Running refreshes, of all replicas.")
	queueOldest  = queueDesc("oldest_seconds", "Seconds that the oldest waiting refresh has waited; 0 if none waits.")
	scheduleLate = prometheus.NewDesc("service_schedule_late_seconds",
		"Seconds by which the most overdue schedule is late; 0 if none is.", nil, nil)
	lastBackup = prometheus.NewDesc("service_backup_last_success_timestamp_seconds",
		"When service backup last wrote a complete backup of the database; 0 if it never has.", nil, nil)
)

func queueDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("service_refresh_queue_"+name, help, nil, nil)
}

func (queueCollector) Describe(out chan<- *prometheus.Desc) {
	out <- queueWaiting
	out <- queueRunning
	out <- queueOldest
	out <- scheduleLate
	out <- lastBackup
}

func (ask queueCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), queueTimeout)
	defer cancel()
	q, err := ask(ctx)
	if err != nil {
		return // the database is unreachable: /readyz reports that, and logs why
	}
	out <- prometheus.MustNewConstMetric(queueWaiting, prometheus.GaugeValue, float64(q.Waiting))
	out <- prometheus.MustNewConstMetric(queueRunning, prometheus.GaugeValue, float64(q.Running))
	out <- prometheus.MustNewConstMetric(queueOldest, prometheus.GaugeValue, q.Oldest.Seconds())
	out <- prometheus.MustNewConstMetric(scheduleLate, prometheus.GaugeValue, q.Late.Seconds())
	var backup float64
	if !q.Backup.IsZero() {
		backup = float64(q.Backup.UnixMilli()) / 1000
	}
	out <- prometheus.MustNewConstMetric(lastBackup, prometheus.GaugeValue, backup)
}

// request counts one HTTP request.
func (m *Metrics) request(r *http.Request, route string, status int, took time.Duration) {
	code := strconv.Itoa(status)
	m.requests.WithLabelValues(route, methodLabel(r.Method), code).Inc()
	m.durations.WithLabelValues(route).Observe(took.Seconds())
	switch route {
	case "/register", "/authorize", "/token":
		m.oauth.WithLabelValues(route, clientFamily(r.UserAgent()), code).Inc()
		if status == http.StatusTooManyRequests {
			m.denials.WithLabelValues(strings.TrimPrefix(route, "/")).Inc()
		}
	}
}

// ToolCall counts one call of a tool. Its outcome is ok, refused, throttled, over_budget
// or error. It is for tools.Config.Called.
func (m *Metrics) ToolCall(tool, outcome string, took time.Duration) {
	m.calls.WithLabelValues(tool, outcome).Inc()
	m.callTimes.WithLabelValues(tool).Observe(took.Seconds())
	switch outcome {
	case "throttled":
		m.denials.WithLabelValues(tool).Inc()
	case "over_budget":
		m.denials.WithLabelValues("refresh_budget").Inc()
	}
}

// methodLabel returns method as a label, or one word for all unknown methods.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// clientFamily returns the label of a client: the name of a well-known program, found by
// its user agent.
func clientFamily(agent string) string {
	agent = strings.ToLower(agent)
	for _, family := range []struct{ in, name string }{
		{"claude-code", "claude-code"},
		{"claude", "claude"},
		{"cursor", "cursor"},
		{"codex", "codex"},
		{"chatgpt", "chatgpt"},
		{"openai", "chatgpt"},
		{"gemini", "gemini"},
		{"visual studio code", "vscode"},
		{"vscode", "vscode"},
		{"copilot", "copilot"},
		{"windsurf", "windsurf"},
		{"zed/", "zed"},
		{"mcp-remote", "mcp-remote"},
		{"mozilla", "browser"},
		{"go-http-client", "go"},
		{"node", "node"},
		{"python", "python"},
	} {
		if strings.Contains(agent, family.in) {
			return family.name
		}
	}
	return "other"
}

// buildInfo returns a metric that is always 1; its labels have the information.
func buildInfo() prometheus.Collector {
	revision, _ := Build()
	labels := prometheus.Labels{"version": Release, "go": runtime.Version(), "revision": revision}
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "service_build_info", Help: "Version of the running program.", ConstLabels: labels,
	}, func() float64 { return 1 })
}

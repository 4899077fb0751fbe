package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"service/store/tracing"
)

// Config is the configuration of a [Server]. Fields are required unless stated
// otherwise.
type Config struct {
	Addr    string // of the public listener, such as 127.0.0.1:8080
	OpsAddr string // of the operators' listener; "": no such listener

	// Listener and OpsListener are used in place of the addresses when set.
	// The server closes them.
	Listener, OpsListener net.Listener

	BaseURL         string // origin of the MCP host, without a trailing slash
	AppHost         string // host of the web application; a port is ignored
	DashboardDomain string // workspaces are at <slug>.<domain>; a port is ignored

	Auth Auth
	Web  http.Handler // serves the app host; optional
	SCIM http.Handler // serves /scim/ on the app host; optional
	Host http.Handler // serves the workspace hosts; optional

	Tools        func(*mcp.Server) // registers the tools
	Slow         []string          // names of the tools that wait for data sources; optional
	Prompts      func(*mcp.Server) // registers the prompts
	Resources    Resources
	Instructions string // for initialize

	Log     *slog.Logger                               // slog.Default by default
	Metrics *Metrics                                   // NewMetrics(nil) by default
	Checks  map[string]func(ctx context.Context) error // the dependencies of readiness, by name; optional
	Pprof   bool                                       // serve /debug/pprof to operators
	Traces  *tracing.Tracer                            // nil: requests are not traced

	Queue           *Queue        // of calls that do not wait for data sources; [NewQueue] by default
	SlowQueue       *Queue        // of calls that do; [NewSlowQueue] by default
	DrawQueues      []*Queue      // of pictures, for the metrics
	Bodies          *Bodies       // memory for large bodies of calls; [NewBodies] by default
	Answers         *Answers      // memory for the answers to requests of these queues; a new one by default
	RequestTimeout  time.Duration // after which a request is cancelled; 60 s by default
	Grace           time.Duration // for a handler to answer after that; 2 s by default
	ShutdownTimeout time.Duration // for requests to end when the server stops; 5 s by default
}

// A Server serves all hosts of the product. [New] makes one.
type Server struct {
	config  Config
	handler http.Handler
	ops     *Ops
}

// New builds the routes. It returns an error if the configuration is invalid.
func New(c Config) (*Server, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("server: base URL %q is not an http or https origin", c.BaseURL)
	}
	if c.Auth == nil || c.Tools == nil || c.Prompts == nil || c.Resources == nil {
		return nil, errors.New("server: Auth, Tools, Prompts and Resources are required")
	}
	if c.Web == nil {
		c.Web = http.NotFoundHandler()
	}
	if c.Host == nil {
		c.Host = http.NotFoundHandler()
	}
	c.Log = slog.New(LogRequests(cmp.Or(c.Log, slog.Default()).Handler()))
	if c.Metrics == nil {
		c.Metrics = NewMetrics(nil)
	}
	if c.Queue == nil {
		c.Queue = NewQueue()
	}
	if c.SlowQueue == nil {
		c.SlowQueue = NewSlowQueue()
	}
	if c.Bodies == nil {
		c.Bodies = NewBodies()
	}
	if c.Answers == nil {
		c.Answers = NewAnswers(c.Queue, c.SlowQueue)
	}
	c.RequestTimeout = cmp.Or(c.RequestTimeout, 60*time.Second)
	c.Grace = cmp.Or(c.Grace, 2*time.Second)
	c.ShutdownTimeout = cmp.Or(c.ShutdownTimeout, 5*time.Second)

	s := &Server{config: c, ops: &Ops{Log: c.Log, Metrics: c.Metrics, Checks: c.Checks, Pprof: c.Pprof}}
	s.handler = s.routes(base)
	return s, nil
}

// Handler serves the public listener.
func (s *Server) Handler() http.Handler { return s.handler }

// Run listens and serves until ctx ends. Then /readyz reports that the process is
// stopping, and Run accepts no more connections, waits for running requests for at most
// ShutdownTimeout, and returns. An error is that of a listener, or reports that requests
// were cut off.
func (s *Server) Run(ctx context.Context) error {
	public, err := listen(s.config.Listener, s.config.Addr)
	if err != nil {
		return err
	}
	failed := make(chan error, 2)
	if s.config.OpsListener != nil || s.config.OpsAddr != "" {
		private, err := listen(s.config.OpsListener, s.config.OpsAddr)
		if err != nil {
			return errors.Join(err, public.Close())
		}
		defer private.Close() // last, so that probes are answered in the meantime
		go func() { failed <- s.ops.Serve(private) }()
		s.config.Log.InfoContext(ctx, "operators' listener", "addr", private.Addr().String())
	}
	main := s.httpServer(ctx)
	go func() {
		if err := main.Serve(public); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	}()
	s.config.Log.InfoContext(ctx, "listening", "addr", public.Addr().String(), "base_url", s.config.BaseURL)

	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	s.ops.Drain()
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.ShutdownTimeout)
	defer cancel()
	if late := main.Shutdown(patience); late != nil {
		err = errors.Join(err, fmt.Errorf("server: requests were cut off after %s: %w", s.config.ShutdownTimeout, late), main.Close())
	}
	return err
}

// httpServer returns a server with a time limit for each part of a request. Requests may
// outlive ctx, so that they can finish while the server drains.
func (s *Server) httpServer(ctx context.Context) *http.Server {
	outlive := context.WithoutCancel(ctx)
	return &http.Server{
		Handler:                      s.handler,
		BaseContext:                  func(net.Listener) context.Context { return outlive },
		DisableGeneralOptionsHandler: true, // OPTIONS * is handled like any other path: 404
		ErrorLog:                     slog.NewLogLogger(s.config.Log.Handler(), slog.LevelWarn),
		MaxHeaderBytes:               64 << 10,
		ReadHeaderTimeout:            10 * time.Second,
		// This must exceed the time of the work: after this timeout, net/http assumes that the
		// caller has disconnected and cancels the request, even if its body was read long ago.
		ReadTimeout:  s.config.RequestTimeout + s.config.Grace + 30*time.Second,
		WriteTimeout: s.config.RequestTimeout + s.config.Grace + 60*time.Second,
		IdleTimeout:  120 * time.Second,
	}
}

func listen(given net.Listener, addr string) (net.Listener, error) {
	if given != nil {
		return given, nil
	}
	return net.Listen("tcp", addr)
}

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"service/auth"
	"service/auth/devidp"
	"service/prompts"
	"service/resources"
	"service/server"
	"service/server/host"
	"service/server/jobs"
	"service/server/notify"
	"service/server/refresh"
	"service/server/scim"
	"service/server/web"
	"service/store"
	"service/store/warehouse/duckdb"
	"service/store/warehouse/duckdb/wire"
	"service/tools"
)

// stopWithin is the time for running requests, refreshes and messages to end when the program stops, all at once. After that requests
// are cut off, and refreshes and messages return to the queue. It leaves room in the ten seconds after which Docker kills a container.
const stopWithin = 5 * time.Second

func (p *program) serve() *cobra.Command {
	var workers int
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the server: MCP endpoint, web app, dashboards and refreshes",
		Long: "Run the server: the MCP endpoint for AI clients, the web app and the dashboards. It also\n" +
			"refreshes dashboards and sends alerts and deliveries.\n\n" +
			"Any number of servers may share one database. With --workers 0, this process neither\n" +
			"refreshes nor sends messages: run service worker for that.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if workers < 0 {
				return usageError{fmt.Errorf("--workers must be at least 0")}
			}
			return p.runServer(cmd.Context(), workers)
		},
	}
	cmd.Flags().IntVar(&workers, "workers", 4, "number of refreshes that this process runs at the same time; 0: run no "+
		"refreshes and send no messages")
	return cmd
}

// runServer opens what the server needs, and closes it in reverse order: first it stops answering
// requests and refreshing, then it closes query workers, pool and database.
func (p *program) runServer(ctx context.Context, workers int) (err error) {
	r, err := p.begin(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	provider, err := r.ports.identityProvider(r.config, mailbox(r.dir))
	if err != nil {
		return err
	}
	if r.ports.idp != nil {
		if err := r.store.MoveDevelopmentAccounts(ctx, provider.Issuer); err != nil {
			return err
		}
	}
	if workers > 0 {
		worker, err := r.startWorker(ctx, workers)
		if err != nil {
			return err
		}
		stop := sync.OnceValue(func() error { return stopWorker(ctx, worker) })
		context.AfterFunc(ctx, func() { _ = stop() }) // while requests end
		defer func() { err = errors.Join(err, stop()) }()
	} else {
		defer r.flushViews(ctx)()
	}
	srv, err := r.newServer(ctx, provider)
	if err != nil {
		return err
	}
	if r.config.Demo {
		if err := r.seedDemo(ctx, provider.Issuer); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	p.welcome(r.config)
	context.AfterFunc(ctx, func() {
		r.log.Info("stopping")
		p.notify("STOPPING=1")
	})
	p.notify("READY=1") // new connections wait in the listener for a moment
	return srv.Run(ctx)
}

// A replica is a process that runs until it is stopped: a server or a worker. It has a
// core, ports and metrics.
type replica struct {
	*core
	ports   *listeners
	metrics *server.Metrics
	notify  *notify.Notifier
}

// begin opens what servers and workers share. It opens the ports first, so that a port in use is
// reported before a database is started.
func (p *program) begin(ctx context.Context, public bool) (*replica, error) {
	c, log, err := p.load()
	if err != nil {
		return nil, err
	}
	if err := c.checkServing(); err != nil {
		return nil, err
	}
	log.Info("starting", "version", server.Release, "memory_limit", tuneMemory(os.Getenv))
	r := &replica{metrics: server.NewMetrics(nil)}
	if r.ports, err = listen(c, public); err != nil {
		return nil, err
	}
	r.core, err = openMigrating(ctx, c, log, c.newTracer(log), func(o *store.Options) {
		o.LimiterFailed, o.Retried = r.metrics.LimiterFailed, r.metrics.Retried
	})
	if err != nil {
		r.ports.close()
		return nil, err
	}
	if r.notify, err = r.newNotifier(); err != nil {
		return nil, errors.Join(err, r.close())
	}
	r.metrics.Pool(r.pool.Stat)
	r.metrics.Queue(r.store.Refreshes.QueueState)
	watchCore(r.metrics.Registry(), r.core)
	if err := r.store.CheckKey(ctx); err != nil {
		return nil, errors.Join(err, r.close())
	}
	layers, err := r.engine.Seal(ctx)
	switch {
	case err == nil:
		r.metrics.Sandbox(sandboxNow(layers, r.engine.Namespaces))
		r.seals, err = checkSandbox(layers, c.RequireSandbox, log)
	case !c.RequireSandbox && ctx.Err() == nil:
		log.Warn("query workers do not start", "err", err) // uploads and queries over them fail, everything else works
		err = nil
	}
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// sandboxNow returns a function that returns the current layers. Only namespaces can
// change while the program runs.
func sandboxNow(layers map[string]bool, namespaces func() bool) func() map[string]bool {
	return func() map[string]bool {
		now := maps.Clone(layers)
		now[duckdb.Namespaces] = namespaces()
		return now
	}
}

// checkSandbox reports whether query workers have all layers on this machine. It warns of missing layers, or
// returns an error if they are required. Namespaces are not required, because the other layers forbid the same.
func checkSandbox(layers map[string]bool, required bool, log *slog.Logger) (seals bool, err error) {
	missing := slices.DeleteFunc(slices.Clone(wire.Layers), func(layer string) bool { return layers[layer] })
	switch {
	case len(missing) == 0:
		return true, nil
	case required:
		return false, fmt.Errorf("SERVICE_REQUIRE_SANDBOX: query workers cannot be sealed, since this kernel or container does not allow %s",
			strings.Join(missing, ", "))
	}
	log.Warn("query workers are not sealed: this kernel or container does not allow all of it", "missing", strings.Join(missing, ", "))
	return false, nil
}

// newNotifier returns the sender of messages: through the mail server or, on loopback, into a mailbox.
func (r *replica) newNotifier() (*notify.Notifier, error) {
	c := r.config
	n := notify.Config{
		Store: r.store, Views: r.views, Log: r.log, AllowPrivate: c.AllowPrivateChannels, URL: c.dashboardURL, AppURL: c.appURL(),
		Traces: r.traces,
	}
	switch {
	case c.SMTPURL != "":
		smtp, err := notify.NewSMTP(c.SMTPURL, c.from)
		if err != nil {
			return nil, fmt.Errorf("SERVICE_SMTP_URL: %w", err)
		}
		n.Mail = smtp
	case c.local():
		n.Mail = notify.NewMailbox(mailbox(r.dir), c.from)
	}
	watchMessages(r.metrics.Registry(), &n)
	return notify.New(n), nil
}

// mailbox returns the folder of mails that are not sent.
func mailbox(dataDir string) string { return filepath.Join(dataDir, "mail") }

func (r *replica) close() error {
	defer r.ports.close()
	if r.notify != nil {
		r.notify.Close()
	}
	err := r.core.close()
	r.traces.Close()
	return err
}

// checks returns the readiness checks of a replica.
func (k *core) checks() map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"database": k.store.Ping,
		"schema":   k.checkSchema,
		"storage":  k.checkStorage,
	}
}

// newServer makes the HTTP server and its handlers.
func (r *replica) newServer(ctx context.Context, provider auth.OIDC) (*server.Server, error) {
	gate, err := auth.New(ctx, r.authConfig(provider))
	if err != nil {
		return nil, err
	}
	config := r.serverConfig(gate, newLimits())
	if tokens := r.config.scimTokens(); tokens != nil {
		if config.SCIM, err = scim.New(scim.Config{
			Store: r.store, Tokens: tokens, Issuer: provider.Issuer, URL: r.config.appURL() + "/scim/v2", Log: r.log,
		}); err != nil {
			return nil, err
		}
	}
	return server.New(config)
}

// limits are the queues and budgets that all requests of an account share, on all hosts.
type limits struct {
	quick, slow          *server.Queue
	pictures, thumbnails *server.Queue
	bodies               *server.Bodies
	answers              *server.Answers
}

func newLimits() limits {
	l := limits{
		quick: server.NewQueue(), slow: server.NewSlowQueue(),
		pictures: server.NewDrawQueue(), thumbnails: server.NewDrawQueue(), // a list of thumbnails does not wait for a large picture
		bodies: server.NewBodies(),
	}
	l.answers = server.NewAnswers(l.quick, l.slow, l.pictures, l.thumbnails)
	return l
}

func (r *replica) serverConfig(gate *auth.Server, l limits) server.Config {
	k, c := r.core, r.config
	return server.Config{
		Queue:           l.quick,
		SlowQueue:       l.slow,
		DrawQueues:      []*server.Queue{l.pictures, l.thumbnails},
		Bodies:          l.bodies,
		Answers:         l.answers,
		Listener:        r.ports.public,
		OpsListener:     r.ports.ops,
		BaseURL:         c.BaseURL,
		AppHost:         "app." + c.DashboardDomain,
		DashboardDomain: c.DashboardDomain,
		Auth:            gate,
		Web:             web.New(r.webConfig(gate, l)),
		Host:            host.New(r.hostConfig(gate, l)),
		Tools:           func(srv *mcp.Server) { k.registerTools(srv, r.metrics.ToolCall) },
		Slow:            tools.OpenWorld(),
		Prompts:         prompts.Register,
		Resources:       resources.New(resources.Config{Store: k.store, Views: k.views}),
		Instructions:    tools.Instructions,
		Log:             r.log,
		Metrics:         r.metrics,
		Checks:          k.checks(),
		Pprof:           true,
		Traces:          r.traces,
		ShutdownTimeout: stopWithin,
	}
}

func (r *replica) authConfig(provider auth.OIDC) auth.Config {
	c := r.config
	return auth.Config{
		BaseURL:         c.BaseURL,
		AppURL:          c.appURL(),
		DashboardDomain: c.DashboardDomain,
		OIDC:            provider,
		TrustedProxies:  c.TrustedProxies,
		RedirectSchemes: c.Schemes,
		RefreshGrace:    c.RefreshGrace,
		Store:           r.store,
		Log:             r.log,
		Delay:           server.Delay,

		AllowPrivateIssuers: c.AllowPrivateIssuers,
		ClientDocuments:     c.Documents,
		IDJAG:               c.IDJAG,
	}
}

// webConfig returns the configuration of the web app, in which a person's requests share
// a queue with their calls and pages.
func (r *replica) webConfig(gate *auth.Server, l limits) web.Config {
	c := r.config
	return web.Config{
		Store:  r.store,
		Views:  r.views,
		Auth:   gate,
		AppURL: c.appURL(),
		MCPURL: c.BaseURL + "/mcp",
		Groups: c.OIDCGroups != "" || c.SCIMToken != "",
		URL:    c.dashboardURL,
		Kept:   server.Kept,
		Log:    r.log,

		Acquire:     l.quick.Of(server.Screens),
		AcquireSlow: l.slow.Of(server.Screens),
		AcquireDraw: l.thumbnails.Of(server.Screens),
		AcquireBody: l.bodies.Acquire,

		TestChannel: r.notify.Test,
		Mail:        r.notify.MailReady(),
		Invite:      r.notify.Invite,
	}
}

func (r *replica) hostConfig(gate *auth.Server, l limits) host.Config {
	return host.Config{
		Store:  r.store,
		Views:  r.views,
		Auth:   gate,
		AppURL: r.config.appURL(),
		URL:    r.config.dashboardURL,
		Kept:   server.Kept,
		Log:    r.log,

		Acquire:     l.quick.Of(server.Pages),
		AcquireDraw: l.pictures.Of(server.Pages),
	}
}

// registerTools adds the tools to srv; called, if not nil, is called after each call.
func (k *core) registerTools(srv *mcp.Server, called func(tool, outcome string, took time.Duration)) {
	tools.Register(srv, k.toolsConfig(called))
}

func (k *core) toolsConfig(called func(tool, outcome string, took time.Duration)) tools.Config {
	return tools.Config{
		Store: k.store, Views: k.views, Log: k.log, URL: k.config.dashboardURL,
		Called: func(ctx context.Context, tool, outcome string, took time.Duration) {
			k.traces.Called(ctx, tool, outcome)
			if called != nil {
				called(tool, outcome, took)
			}
		},
		Delay: server.Delay,
		Mail:  k.config.SMTPURL != "" || k.config.local(),
		Seals: k.seals,
	}
}

// leastRoom is the free disk space in bytes that the embedded database needs.
const leastRoom = 64 << 20

// checkStorage fails while there is too little disk space to write.
func (k *core) checkStorage(ctx context.Context) error {
	if k.free != nil {
		if free, err := k.free(); err == nil && free < leastRoom {
			return fmt.Errorf("%w: %d bytes are free", store.ErrStorageFull, free)
		}
	}
	return k.store.Room(ctx)
}

// checkSchema fails while the database's schema is not the program's.
func (k *core) checkSchema(ctx context.Context) error {
	current, err := store.Migrated(ctx, k.pool)
	if err == nil && !current {
		err = errors.New("migrations are missing")
	}
	return err
}

// listeners are the open ports of a replica.
type listeners struct {
	public net.Listener // nil for a worker
	ops    net.Listener // nil if it is off
	idp    net.Listener // nil if another identity provider is configured
}

// listen opens the ports that c names; only the operators' one unless public is set.
// After an error no port is open.
func listen(c *config, public bool) (*listeners, error) {
	l := &listeners{}
	for _, port := range []struct {
		variable, addr string
		wanted         bool
		listener       *net.Listener
	}{
		{"SERVICE_LISTEN_ADDR", c.ListenAddr, public, &l.public},
		{"SERVICE_OPS_ADDR", c.OpsAddr, c.OpsAddr != "off", &l.ops},
		{"SERVICE_DEV_IDP_ADDR", c.DevIDPAddr, public && c.OIDCIssuer == "", &l.idp},
	} {
		if !port.wanted {
			continue
		}
		opened, err := net.Listen("tcp", port.addr)
		if err != nil {
			l.close()
			return nil, fmt.Errorf("%s: %s: %w", port.variable, port.addr, plain(err))
		}
		*port.listener = opened
	}
	return l, nil
}

// close closes the listeners that the server has not closed.
func (l *listeners) close() {
	for _, listener := range []net.Listener{l.public, l.ops, l.idp} {
		if listener != nil {
			_ = listener.Close() // usually closed before
		}
	}
}

// identityProvider is the configured identity provider or, on loopback, the development one, which it
// starts and which ends with its listener. That one also shows the mails in a folder.
func (l *listeners) identityProvider(c *config, mails string) (auth.OIDC, error) {
	if l.idp == nil {
		return auth.OIDC{
			Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: c.OIDCClientSecret,
			GroupsClaim: c.OIDCGroups, Attributes: c.OIDCAttributes, IDClaim: c.SCIMClaim,
		}, nil
	}
	oidc := auth.OIDC{Issuer: "http://" + l.idp.Addr().String(), ClientID: "service", ClientSecret: rand.Text()}
	var people []devidp.Person
	if c.Demo {
		people = demoPeople()
	}
	provider, err := devidp.New(devidp.Config{
		Issuer:       oidc.Issuer,
		ClientID:     oidc.ClientID,
		ClientSecret: oidc.ClientSecret,
		RedirectURIs: []string{c.appURL() + "/sign-in/callback"},
		People:       people,
		Mail:         mails,
	})
	if err != nil {
		return auth.OIDC{}, err
	}
	srv := &http.Server{Handler: provider, ReadHeaderTimeout: 10 * time.Second}
	go srv.Serve(l.idp) //nolint:errcheck // it ends when the listener is closed
	return oidc, nil
}

// startWorker begins to refresh dashboards.
func (r *replica) startWorker(ctx context.Context, workers int) (*refresh.Worker, error) {
	c := refresh.Config{
		Store: r.store, Log: r.log, Workers: workers, Alone: r.embedded != nil && r.embedded.Started(),
		Traces: r.traces,
		Queues: []jobs.Queue{{Name: store.SendQueue, Workers: notify.Workers, Claim: r.notify.Claim}},
	}
	watchRefreshes(r.metrics.Registry(), &c)
	w, err := refresh.New(c)
	if err != nil {
		return nil, err
	}
	return w, w.Start(ctx)
}

// flushViews writes the views that this process counts. A process with a worker does not
// need it. The returned function writes the last views.
func (r *replica) flushViews(ctx context.Context) (stop func()) {
	flush := func(ctx context.Context) {
		if err := r.store.Dashboards.FlushViews(ctx); err != nil {
			r.log.WarnContext(ctx, "counted views are not written yet", "err", err)
		}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for t := time.NewTicker(refresh.FlushEvery); ; {
			select {
			case <-ctx.Done():
				t.Stop()
				return
			case <-t.C:
				flush(ctx)
			}
		}
	}()
	return func() {
		cancel()
		<-done
		last, end := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer end()
		flush(last)
	}
}

func stopWorker(ctx context.Context, w *refresh.Worker) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	return w.Stop(ctx)
}

// welcome prints the addresses, once at the start.
func (p *program) welcome(c *config) {
	lines := []string{
		"",
		"  service " + server.Release + " is running",
		"",
		"  Web app      " + c.appURL() + "/",
	}
	if c.Demo {
		lines = append(lines, "  Dashboard    "+c.dashboardURL(demoWorkspace, demoSlug))
	}
	lines = append(lines, "  MCP          "+c.BaseURL+"/mcp")
	switch {
	case c.Demo:
		lines = append(lines, "  Sign in as   "+demoPeople()[0].Email+", or anybody: this is the development identity provider")
	case c.OIDCIssuer == "":
		lines = append(lines, "  Sign in      as anybody: this is the development identity provider")
	}
	if c.SMTPURL == "" && c.local() && c.OIDCIssuer == "" {
		lines = append(lines, "  Mail         http://"+c.DevIDPAddr+"/mail shows the mails that would be sent")
	}
	lines = append(lines,
		"",
		"  Connect a client:",
		"    claude mcp add --transport http service "+c.BaseURL+"/mcp",
		"    claude mcp login service",
		"", "")
	fmt.Fprint(p.stdout, strings.Join(lines, "\n"))
}

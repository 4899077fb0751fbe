package web

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/auth/authtest"
	"service/server/browsertest"
	"service/store"
	"service/store/storetest"
	"service/store/view"
	"service/store/warehouse"
	"service/store/warehouse/duckdb"
	"service/store/warehouse/duckdb/worker"
)

func TestMain(m *testing.M) {
	worker.Dispatch() // the test binary is its own query worker
	storetest.Main(m, browsertest.Stop)
}

// A site is the app and the MCP host's OAuth endpoints on one listener, with a
// real authorization server, identity provider and database behind them.
type site struct {
	store *store.Store
	pool  *pgxpool.Pool
	app   *App
	base  string       // origin of the MCP host
	url   string       // origin of the app
	ahead atomic.Int64 // difference of the clock to the real time, as a time.Duration

	acquire, acquireSlow, acquireDraw func(context.Context, uuid.UUID) (func(), error)                                // as in [Config]
	acquireBody                       func(w http.ResponseWriter, r *http.Request, account uuid.UUID) (func(), error) // the same
}

func (s *site) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

// lazyEngine starts the engine of data files for a test that uploads one.
type lazyEngine struct{ t *testing.T }

func (e lazyEngine) engine() *duckdb.Engine {
	e.t.Helper()
	d, err := duckdb.New(duckdb.Config{Argv: []string{os.Args[0], worker.Command}, Dir: e.t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { _ = d.Close() })
	return d
}

func (e lazyEngine) Open(tenant warehouse.Tenant, key string, tables []warehouse.DataTable) warehouse.Connector {
	return e.engine().Open(tenant, key, tables)
}

func (e lazyEngine) Ingest(ctx context.Context, tenant warehouse.Tenant, f warehouse.DataFile) (*warehouse.Ingested, error) {
	return e.engine().Ingest(ctx, tenant, f)
}

func newSite(t *testing.T, with ...func(*store.Options)) *site {
	t.Helper()
	s := &site{}
	s.store, s.pool = storetest.New(t, func(o *store.Options) {
		o.Now = s.now
		o.DefaultPlan = "paid"
		o.Warehouses = map[string]store.Open{"postgres": openFar}
		o.Engine = lazyEngine{t}
		for _, set := range with {
			set(o)
		}
	})

	at := authtest.New(t, s.store, s.now)
	s.base, s.url = at.Base, at.App
	s.app = New(Config{
		Store: s.store, Views: view.New(view.Config{Store: s.store, Now: s.now}),
		Auth: at.Auth, AppURL: s.url, MCPURL: s.base + "/mcp", Log: slog.New(slog.DiscardHandler), Now: s.now,
		URL:    func(workspace, slug string) string { return "http://" + workspace + "." + at.Domain + "/" + slug },
		Groups: true, Mail: true, TestChannel: s.testChannel,
		Acquire: s.from(&s.acquire), AcquireSlow: s.from(&s.acquireSlow), AcquireDraw: s.from(&s.acquireDraw),
		AcquireBody: func(w http.ResponseWriter, r *http.Request, account uuid.UUID) (func(), error) {
			if s.acquireBody == nil {
				return func() {}, nil
			}
			return s.acquireBody(w, r, account)
		},
	})
	mux := http.NewServeMux()
	mux.Handle("app.localhost/", s.app)
	mux.HandleFunc("localhost/register", at.Auth.Register)
	mux.HandleFunc("localhost/authorize", at.Auth.Authorize)
	at.Handler = mux
	return s
}

// from returns an acquire function that calls *of at each request, and that has no limit
// while *of is nil.
func (s *site) from(of *func(context.Context, uuid.UUID) (func(), error)) func(context.Context, uuid.UUID) (func(), error) {
	return func(ctx context.Context, account uuid.UUID) (func(), error) {
		if *of == nil {
			return func() {}, nil
		}
		return (*of)(ctx, account)
	}
}

// testChannel reports that a test arrived, except for channels whose slug begins with "broken".
func (s *site) testChannel(ctx context.Context, m store.Member, slug string) (string, error) {
	out, err := s.store.Messages.StartTest(ctx, m, slug)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(slug, "broken") {
		const reason = "The receiver refused the message (404)."
		return reason, s.store.Messages.EndMessage(ctx, out, store.MessageFailed, reason, 0)
	}
	return "", s.store.Messages.EndMessage(ctx, out, store.MessageSent, "", 0)
}

// A person is a browser with its cookies.
type person struct {
	*http.Client
	t *testing.T
	s *site
}

// browser returns a browser in which nobody is signed in.
func (s *site) browser(t *testing.T) *person {
	t.Helper()
	return &person{authtest.Browser(t), t, s}
}

// signIn returns a browser in which the person with email is signed in.
func (s *site) signIn(t *testing.T, email string) *person {
	t.Helper()
	p := s.browser(t)
	p.signIn(s.url+"/sign-in", email).want(http.StatusOK)
	return p
}

// signIn follows a link that leads to the identity provider, signs in there,
// and returns where the browser ends up.
func (p *person) signIn(link, email string) reply {
	p.t.Helper()
	at := p.get(link).want(http.StatusOK)
	return p.post(at.url.String(), url.Values{"email": {email}})
}

// owner returns a browser in which the owner of a new workspace is signed in.
func (s *site) owner(t *testing.T, email, workspace string) (*person, store.Member) {
	t.Helper()
	p := s.signIn(t, email)
	account, err := s.store.Accounts.AccountByEmail(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.store.Workspaces.CreateWorkspace(t.Context(), account.ID, workspace, strings.ToUpper(workspace[:1])+workspace[1:])
	if err != nil {
		t.Fatal(err)
	}
	return p, m
}

// account returns the id of the person with email.
func (s *site) account(t *testing.T, email string) string {
	t.Helper()
	account, err := s.store.Accounts.AccountByEmail(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	return account.ID.String()
}

// once returns p without following redirects.
func (p *person) once() *person {
	c := *p.Client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &person{&c, p.t, p.s}
}

// A reply is an answer with its whole body.
type reply struct {
	t      *testing.T
	status int
	header http.Header
	body   string
	url    *url.URL // after redirects
}

func (p *person) do(r *http.Request) reply {
	p.t.Helper()
	res, err := p.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return reply{p.t, res.StatusCode, res.Header, string(body), res.Request.URL}
}

// get opens a path of the app, or a whole URL.
func (p *person) get(to string) reply {
	p.t.Helper()
	return p.do(p.request(http.MethodGet, to, nil))
}

func (p *person) post(to string, form url.Values) reply {
	p.t.Helper()
	return p.do(p.request(http.MethodPost, to, form))
}

func (p *person) request(method, to string, form url.Values) *http.Request {
	p.t.Helper()
	if strings.HasPrefix(to, "/") {
		to = p.s.url + to
	}
	r, err := http.NewRequestWithContext(p.t.Context(), method, to, strings.NewReader(form.Encode()))
	if err != nil {
		p.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r
}

func (r reply) want(status int, texts ...string) reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("%s: status %d, want %d\n%s", r.url, r.status, status, r.body)
	}
	for _, text := range texts {
		if !strings.Contains(r.body, text) {
			r.t.Errorf("%s: the page lacks %q\n%s", r.url, text, r.body)
		}
	}
	return r
}

func (r reply) lacks(texts ...string) reply {
	r.t.Helper()
	for _, text := range texts {
		if strings.Contains(r.body, text) {
			r.t.Errorf("%s: the page holds %q\n%s", r.url, text, r.body)
		}
	}
	return r
}

package auth_test

import (
	"encoding/json"
	"errors"
	"html"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"service/auth"
	"service/auth/authtest"
	"service/auth/devidp"
	"service/store"
	"service/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// clock is the time of one test.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// world is a whole installation over real HTTP: MCP host, app host with a small consent screen,
// workspace hosts, identity provider and database. The hosts share a listener and are distinguished by
// the Host header, as in production.
type world struct {
	t        *testing.T
	clock    *clock
	store    *store.Store
	pool     *pgxpool.Pool
	auth     *auth.Server
	idp      *devidp.Provider
	provider http.Handler // answers for the provider: idp or a failure
	idpUp    func(bool)
	logs     *logs
	http     *http.Client // of an MCP client: no cookies, no redirects
	mcp      http.Handler // answers /mcp

	base, app, domain, issuer string
}

type logs struct {
	mu  sync.Mutex
	buf strings.Builder
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func setup(t *testing.T, opts ...func(*auth.Config)) *world {
	t.Helper()
	w := &world{t: t, clock: &clock{now: time.Now().Truncate(time.Second)}, logs: &logs{}}
	log := slog.New(slog.NewTextHandler(w.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w.store, w.pool = storetest.New(t, func(o *store.Options) { o.Now, o.Log = w.clock.Now, log })

	site := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { w.route(rw, r) }))
	_, port, err := net.SplitHostPort(site.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	w.domain = "localhost:" + port
	w.base, w.app = "http://"+w.domain, "http://app."+w.domain

	var down sync.Map
	w.idpUp = func(up bool) { down.Store("down", !up) }
	idp := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if d, _ := down.Load("down"); d == true {
			http.Error(rw, "down", http.StatusServiceUnavailable)
			return
		}
		w.provider.ServeHTTP(rw, r)
	}))
	oidc := auth.OIDC{Issuer: "http://" + idp.Listener.Addr().String(), ClientID: "service", ClientSecret: "a secret & more"}
	w.issuer = oidc.Issuer
	w.idp, err = devidp.New(devidp.Config{
		Issuer: oidc.Issuer, ClientID: oidc.ClientID, ClientSecret: oidc.ClientSecret, Now: w.clock.Now,
		RedirectURIs: []string{w.app + "/sign-in/callback"},
		People:       []devidp.Person{{Email: "ana@example.com", Name: "Ana"}},
		Offline:      true,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.provider = w.idp
	cfg := auth.Config{
		BaseURL: w.base, AppURL: w.app, DashboardDomain: w.domain, OIDC: oidc,
		RefreshGrace: 10 * time.Second, Store: w.store, Log: log, Now: w.clock.Now,
	}
	for _, o := range opts {
		o(&cfg)
	}
	if w.auth, err = auth.New(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	w.mcp = w.auth.Bearer(http.HandlerFunc(whoami))
	w.http = &http.Client{Transport: authtest.Transport(t), CheckRedirect: noRedirect}
	site.Start()
	t.Cleanup(site.Close)
	idp.Start()
	t.Cleanup(idp.Close)
	return w
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// route routes requests to auth's handlers as the server does.
func (w *world) route(rw http.ResponseWriter, r *http.Request) {
	type route struct{ host, path string }
	host := "workspace"
	switch r.Host {
	case w.domain:
		host = "mcp"
	case "app." + w.domain:
		host = "app"
	}
	handlers := map[route]http.HandlerFunc{
		{"mcp", "/.well-known/oauth-authorization-server"}:    w.auth.ServerMetadata,
		{"mcp", "/.well-known/oauth-protected-resource"}:      w.auth.ResourceMetadata,
		{"mcp", "/.well-known/oauth-protected-resource/mcp"}:  w.auth.ResourceMetadata,
		{"mcp", "/.well-known/oauth-protected-resource/mcp/"}: w.auth.ResourceMetadata,
		{"mcp", "/mcp/"}:             w.mcp.ServeHTTP,
		{"mcp", "/register"}:         w.auth.Register,
		{"mcp", "/authorize"}:        w.auth.Authorize,
		{"mcp", "/token"}:            w.auth.Token,
		{"mcp", "/mcp"}:              w.mcp.ServeHTTP,
		{"app", "/sign-in"}:          w.auth.SignIn,
		{"app", "/sign-in/callback"}: w.auth.SignInCallback,
		{"app", "/sign-out"}:         w.auth.SignOut,
		{"app", "/revoke"}:           w.auth.Revoke,
		{"app", "/visit"}:            w.auth.Visit,
		{"app", "/consent"}:          http.NewCrossOriginProtection().Handler(http.HandlerFunc(w.consent)).ServeHTTP,
		{"workspace", "/.session"}:   w.auth.FinishVisit,
	}
	if h, ok := handlers[route{host, r.URL.Path}]; ok {
		h(rw, r)
		return
	}
	switch host {
	case "mcp":
		http.NotFound(rw, r)
	case "app":
		session, ok, err := w.auth.Session(r)
		w.show(rw, session.Account, ok, err)
	default:
		visit, ok, err := w.auth.HostVisit(r, "", "", true)
		if err == nil && !ok {
			w.auth.StartVisit(rw, r)
			return
		}
		w.show(rw, visit.Account, ok, err)
	}
}

func (w *world) show(rw http.ResponseWriter, a store.Account, ok bool, err error) {
	switch {
	case err != nil:
		http.Error(rw, "unavailable", http.StatusServiceUnavailable)
	case !ok:
		http.Error(rw, "signed out", http.StatusUnauthorized)
	default:
		_, _ = io.WriteString(rw, "signed in as "+a.Email)
	}
}

// whoami is behind the gate.
func whoami(rw http.ResponseWriter, r *http.Request) {
	g, ok := auth.GrantFrom(r.Context())
	if !ok {
		http.Error(rw, "no grant", http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(rw).Encode(map[string]any{
		"account": g.Account, "lock": g.Lock, "workspace": g.Member.Workspace(), "client": g.ClientID, "scope": g.Scope,
	})
}

// consent is a minimal consent screen.
func (w *world) consent(rw http.ResponseWriter, r *http.Request) {
	session, ok, err := w.auth.Session(r)
	if err == nil && !ok {
		http.Redirect(rw, r, "/sign-in?"+url.Values{"return_to": {r.RequestURI}}.Encode(), http.StatusSeeOther)
		return
	}
	handle, to := r.FormValue("request"), ""
	if err == nil {
		var p auth.Pending
		switch {
		case r.Method == http.MethodGet:
			if p, err = w.auth.PendingRequest(r.Context(), handle); err == nil {
				_, _ = io.WriteString(rw, "<p>"+html.EscapeString(p.ClientName+" "+p.RedirectURI+" "+p.Scope))
				return
			}
		case r.PostFormValue("decision") == "allow":
			to, err = w.auth.Approve(r.Context(), handle, session.Account.ID, r.PostFormValue("workspace"))
		default:
			to, err = w.auth.Deny(r.Context(), handle)
		}
	}
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrNotMember):
		http.Error(rw, err.Error(), http.StatusBadRequest)
	case err != nil:
		http.Error(rw, "try again", http.StatusServiceUnavailable)
	default:
		http.Redirect(rw, r, to, http.StatusSeeOther)
	}
}

// answer is a response whose body was read.
type answer struct {
	*http.Response
	body string
}

func (a answer) json(t *testing.T) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		t.Fatalf("status %d, body %q: %v", a.StatusCode, a.body, err)
	}
	return v
}

// to returns the target of a redirect.
func (a answer) to(t *testing.T) *url.URL {
	t.Helper()
	u, err := url.Parse(a.Header.Get("Location"))
	if err != nil || a.Header.Get("Location") == "" {
		t.Fatalf("status %d, no redirect: %s", a.StatusCode, a.body)
	}
	return u
}

func do(t *testing.T, c *http.Client, r *http.Request) answer {
	t.Helper()
	res, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res, string(body)}
}

func request(t *testing.T, method, target string, body io.Reader, header ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, target, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return r
}

// browser is a person's browser: it keeps cookies and, unless it is configured to, does not follow
// redirects.
type browser struct {
	*world
	t *testing.T
	c *http.Client
}

func (w *world) browser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{w, t, &http.Client{Transport: authtest.Transport(t), Jar: jar, CheckRedirect: noRedirect}}
}

func (b *browser) get(target string) answer {
	b.t.Helper()
	return do(b.t, b.c, request(b.t, http.MethodGet, target, nil))
}

func (b *browser) post(target string, form url.Values, header ...string) answer {
	b.t.Helper()
	header = append([]string{"Content-Type", "application/x-www-form-urlencoded"}, header...)
	return do(b.t, b.c, request(b.t, http.MethodPost, target, strings.NewReader(form.Encode()), header...))
}

// follow follows redirects until the answer is a page.
func (b *browser) follow(a answer) answer {
	b.t.Helper()
	for range 10 {
		if a.StatusCode < 300 || a.StatusCode > 399 {
			return a
		}
		u, err := a.Request.URL.Parse(a.Header.Get("Location"))
		if err != nil {
			b.t.Fatal(err)
		}
		a = b.get(u.String())
	}
	b.t.Fatal("too many redirects")
	return a
}

// signIn opens a page that requires a sign-in, signs in, and returns to the page.
func (b *browser) signIn(start, email string) answer {
	b.t.Helper()
	return b.follow(b.atProvider(start, email))
}

// atProvider opens the identity provider and submits its form; the answer redirects the browser back.
func (b *browser) atProvider(start, email string) answer {
	b.t.Helper()
	form := b.follow(b.get(start))
	if form.StatusCode != http.StatusOK || !strings.Contains(form.body, "Development sign-in") {
		b.t.Fatalf("no sign-in page, but status %d at %s: %s", form.StatusCode, form.Request.URL, form.body)
	}
	return b.post(form.Request.URL.String(), url.Values{"email": {email}})
}

func (w *world) signedIn(t *testing.T, email string) *browser {
	t.Helper()
	b := w.browser(t)
	if a := b.signIn(w.app+"/sign-in", email); a.body != "signed in as "+email {
		t.Fatalf("sign-in: status %d: %s", a.StatusCode, a.body)
	}
	return b
}

func (w *world) account(t *testing.T, email string) store.Account {
	t.Helper()
	a, err := w.store.Accounts.AccountByEmail(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (w *world) workspace(t *testing.T, slug, email string) {
	t.Helper()
	if _, err := w.store.Workspaces.CreateWorkspace(t.Context(), w.account(t, email).ID, slug, "Workspace "+slug); err != nil {
		t.Fatal(err)
	}
}

func (w *world) sql(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := w.pool.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func (w *world) count(t *testing.T, sql string, args ...any) (n int) {
	t.Helper()
	if err := w.pool.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

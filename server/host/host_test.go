package host

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/auth/authtest"
	"service/store"
	"service/store/dashboard/page"
	"service/store/storetest"
	"service/store/view"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// A site is the workspace hosts and the sign-in of the app host on one listener,
// with a real authorization server, identity provider and database behind them.
type site struct {
	store                *store.Store
	pool                 *pgxpool.Pool
	domain               string
	acquire, acquireDraw func(context.Context, uuid.UUID) (func(), error) // as in [Config]; nil: no limit
}

func newSite(t testing.TB) *site {
	t.Helper()
	s := &site{}
	s.store, s.pool = storetest.New(t)
	at := authtest.New(t, s.store, nil)
	s.domain = at.Domain
	app := http.NewServeMux()
	app.HandleFunc("GET /sign-in", at.Auth.SignIn)
	app.HandleFunc("GET /sign-in/callback", at.Auth.SignInCallback)
	app.HandleFunc("GET /visit", at.Auth.Visit)
	app.HandleFunc("GET /{$}", func(http.ResponseWriter, *http.Request) {})
	app.HandleFunc("POST /sign-out", at.Auth.SignOut)
	url := func(workspace, slug string) string { return s.url(workspace, "/"+slug) }
	hosts := New(Config{
		Store: s.store, Views: view.New(view.Config{Store: s.store, URL: url, App: func(string, string) string { return "" }}),
		Auth: at.Auth, AppURL: at.App, Log: slog.New(slog.DiscardHandler), URL: url,
		Acquire: s.from(&s.acquire), AcquireDraw: s.from(&s.acquireDraw),
	})
	at.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("X-Request-Id", uuid.NewString())
		w.Header().Set("X-Request-Id", r.Header.Get("X-Request-Id"))
		if strings.HasPrefix(r.Host, "app.") {
			app.ServeHTTP(w, r)
		} else {
			hosts.ServeHTTP(w, r)
		}
	})
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

// url returns the address of a path on a workspace's host.
func (s *site) url(workspace, path string) string {
	return "http://" + workspace + "." + s.domain + path
}

// A visitor is a browser with its cookies.
type visitor struct {
	*http.Client
	t testing.TB
	s *site
}

func (s *site) visitor(t testing.TB) *visitor {
	t.Helper()
	c := authtest.Browser(t)
	c.Transport.(*http.Transport).DisableCompression = true
	return &visitor{c, t, s}
}

// signIn returns a visitor who is signed in at the app host.
func (s *site) signIn(t testing.TB, email string) *visitor {
	t.Helper()
	v := s.visitor(t)
	v.identify("http://app."+s.domain+"/sign-in", email)
	return v
}

// identify opens a link that ends at the identity provider, signs in there, and
// returns where the browser ends up.
func (v *visitor) identify(link, email string) reply {
	v.t.Helper()
	at := v.get(link)
	body := strings.NewReader(url.Values{"email": {email}}.Encode())
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, at.url.String(), body)
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return v.do(r)
}

// once returns v without following redirects.
func (v *visitor) once() *visitor {
	c := *v.Client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &visitor{&c, v.t, v.s}
}

type reply struct {
	status int
	header http.Header
	body   string
	url    *url.URL
	raw    []byte // status line and headers
}

func (v *visitor) do(r *http.Request) reply {
	v.t.Helper()
	res, err := v.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	res.Header.Del("Date")
	raw, err := httputil.DumpResponse(res, false)
	if err != nil {
		v.t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(body), res.Request.URL, raw}
}

func (v *visitor) get(address string) reply { return v.send(http.MethodGet, address, nil) }

func (v *visitor) send(method, address string, header http.Header) reply {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, address, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	return v.do(r)
}

// owner returns a visitor who is signed in and owns a new workspace.
func (s *site) owner(t testing.TB, email, slug string) (*visitor, store.Member) {
	t.Helper()
	v := s.signIn(t, email)
	account, err := s.store.Accounts.AccountByEmail(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.store.Workspaces.CreateWorkspace(t.Context(), account.ID, slug, strings.ToUpper(slug))
	if err != nil {
		t.Fatal(err)
	}
	return v, m
}

// publish publishes a refreshable dashboard.
func (s *site) publish(t testing.TB, m store.Member, slug, name string) store.Dashboard {
	t.Helper()
	content := fmt.Appendf(nil, `{"version": 1, "title": "%s",
			"datasets": [{"id": "orders", "sql": "SELECT day, sum(amount) AS revenue FROM orders GROUP BY 1"}],
			"panels": [{"type": "table", "columns": ["day", "revenue"]}]}`, name)
	p, err := s.store.Dashboards.Publish(t.Context(), m, store.Publication{
		Slug: slug, Filename: "index.html", Name: &name, DefaultChart: "table", Spec: storetest.Spec(content), ContentType: "application/json",
		Content:     content,
		Definitions: map[string][]byte{"orders": []byte(name)}, Panels: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p.Dashboard
}

// A signed-out visitor signs in and returns to the exact path and query.
func TestSignedOutVisitorComesBack(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	const path = "/sales?country=%5bDE%5D&x=a+b%20c&&y"

	v := s.visitor(t)
	if away := v.once().get(s.url("engine", path)); away.status != http.StatusFound ||
		!strings.HasPrefix(away.header.Get("Location"), "http://app."+s.domain+"/visit?") {
		t.Fatalf("signed out: %d %s", away.status, away.header.Get("Location"))
	}
	at := v.identify(s.url("engine", path), "ada@lovelace.org")
	if at.status != http.StatusOK || at.url.String() != s.url("engine", path) || !strings.Contains(at.body, "Sales") {
		t.Errorf("back at %s: %d", at.url, at.status)
	}
	if again := v.once().get(s.url("engine", "/sales")); again.status != http.StatusOK { // no second sign-in
		t.Errorf("a second page: %d", again.status)
	}
	for _, unknown := range []string{s.url("engine", "/none"), s.url("nowhere", "/sales"), s.url("engine", "/")} {
		if away := s.visitor(t).once().get(unknown); away.status != http.StatusFound {
			t.Errorf("signed out at %s: %d; whoever is not signed in learns nothing but that", unknown, away.status)
		}
	}
}

// The filter form of a page that was open when the session ended leads to the sign-in by
// a page, because the policy of the form's page forbids the redirect.
func TestSignedOutAtAFilter(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	at := s.visitor(t).once().send(http.MethodGet, s.url("engine", "/sales?country=DE"), http.Header{"Sec-Fetch-Site": {"same-origin"}})
	to, ok := strings.CutPrefix(at.header.Get("Refresh"), "0;url=http://app."+s.domain+"/visit?")
	if at.status != http.StatusForbidden || !ok || at.header.Get("Location") != "" ||
		!strings.Contains(to, url.QueryEscape("/sales?country=DE")) ||
		len(at.header.Values("Set-Cookie")) != 1 || !strings.Contains(at.body, "You are signed out") {
		t.Errorf("%d, %v\n%s", at.status, at.header, at.body)
	}
}

func TestSignOutEndsTheVisit(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	if at := v.get(s.url("engine", "/sales")); at.status != http.StatusOK {
		t.Fatalf("signed in: %d", at.status)
	}
	v.send(http.MethodPost, "http://app."+s.domain+"/sign-out", nil)
	if at := v.once().get(s.url("engine", "/sales")); at.status != http.StatusFound {
		t.Errorf("signed out: %d", at.status)
	}
}

// Every refusal is the same answer, byte for byte, in head and body.
func TestNotFoundIsOnePage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, m := s.owner(t, "ada@lovelace.org", "engine")
	sales := s.publish(t, m, "sales", "Sales")
	stranger, _ := s.owner(t, "mallory@evil.example", "lair")
	nobody := s.signIn(t, "nobody@evil.example")
	for _, v := range []*visitor{stranger, nobody} { // sessions on both hosts
		v.get(s.url("engine", "/sales"))
		v.get(s.url("lair", "/sales"))
		v.get(s.url("nowhere", "/sales"))
	}
	want := stranger.get(s.url("lair", "/missing"))
	if want.status != http.StatusNotFound || !strings.Contains(want.body, "Not found") {
		t.Fatalf("%d\n%s", want.status, want.body)
	}
	for _, no := range []struct {
		what string
		v    *visitor
		at   string
	}{
		{"another workspace's dashboard", stranger, s.url("engine", "/sales")},
		{"another workspace's missing dashboard", stranger, s.url("engine", "/missing")},
		{"another workspace's home", stranger, s.url("engine", "/")},
		{"another workspace's version", stranger, s.url("engine", "/sales?version="+sales.VersionID.String())},
		{"a workspace that does not exist", stranger, s.url("nowhere", "/sales")},
		{"a member of nothing", nobody, s.url("engine", "/sales")},
		{"a bad slug", stranger, s.url("lair", "/Sales")},
		{"a path too deep", stranger, s.url("lair", "/a/b/c")},
		{"a trailing slash", stranger, s.url("lair", "/a/")},
		{"an escaped path", stranger, s.url("lair", "/%73ales")},
		{"an unclean path", stranger, s.url("lair", "//sales")},
		{"an unknown asset", stranger, s.url("lair", "/assets/none.js")},
	} {
		got := no.v.once().get(no.at)
		if diff := cmp.Diff(string(want.raw)+want.body, string(got.raw)+got.body); diff != "" {
			t.Errorf("%s (-want +got):\n%s", no.what, diff)
		}
		head := no.v.once().send(http.MethodHead, no.at, nil)
		if diff := cmp.Diff(string(want.raw), string(head.raw)); diff != "" {
			t.Errorf("HEAD of %s (-want +got):\n%s", no.what, diff)
		}
	}
}

// A former slug redirects to the current one, with the same query byte for byte.
func TestAliasRedirects(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	slug := "revenue"
	if _, err := s.store.Dashboards.UpdateDashboard(t.Context(), m, "sales", store.Update{NewSlug: &slug}); err != nil {
		t.Fatal(err)
	}
	v.get(s.url("engine", "/revenue"))
	for from, to := range map[string]string{
		"/sales":                       "/revenue",
		"/sales?":                      "/revenue?",
		"/sales?a=%5bx%5D&b=c+d%20&&e": "/revenue?a=%5bx%5D&b=c+d%20&&e",
		"/sales/index.html?x=1":        "/revenue/index.html?x=1",
	} {
		got := v.once().get(s.url("engine", from))
		if got.status != http.StatusMovedPermanently || got.header.Get("Location") != s.url("engine", to) {
			t.Errorf("%s: %d to %s, want 301 to %s", from, got.status, got.header.Get("Location"), s.url("engine", to))
		}
	}
	stranger := s.signIn(t, "mallory@evil.example")
	if got := stranger.get(s.url("engine", "/sales")); got.status != http.StatusNotFound {
		t.Errorf("a stranger at an alias: %d", got.status)
	}
}

func TestPageHeadersAndCaching(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	got := v.get(s.url("engine", "/sales"))
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": page.CSP, "Cache-Control": "private, no-cache",
	} {
		if got.header.Get(name) != want {
			t.Errorf("%s: %s, want %s", name, got.header.Get(name), want)
		}
	}
	tag := got.header.Get("ETag")
	if tag == "" {
		t.Fatal("no ETag")
	}
	same := v.send(http.MethodGet, s.url("engine", "/sales"), http.Header{"If-None-Match": {tag}})
	if same.status != http.StatusNotModified || same.body != "" {
		t.Errorf("the same page again: %d, %d bytes", same.status, len(same.body))
	}
	head := v.send(http.MethodHead, s.url("engine", "/sales"), nil)
	if head.status != http.StatusOK || head.body != "" || head.header.Get("ETag") != tag {
		t.Errorf("HEAD: %d, %d bytes, %s", head.status, len(head.body), head.header.Get("ETag"))
	}
	s.publish(t, m, "sales", "Sales 2")
	if now := v.send(http.MethodGet, s.url("engine", "/sales"), http.Header{"If-None-Match": {tag}}); now.status != http.StatusOK {
		t.Errorf("a new version: %d", now.status)
	}
}

// TestPagesHaveASlot shows that a page is drawn with a slot of its reader, which is then released, and that a reader
// without a slot is asked to retry. Visitors who are not members get no slot.
func TestPagesHaveASlot(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ana@example.com", "acme")
	s.publish(t, m, "sales", "Sales")
	stranger := s.signIn(t, "eve@example.com")
	held, given, drawn, full := 0, 0, 0, false
	give := func(given *int) func(context.Context, uuid.UUID) (func(), error) {
		return func(_ context.Context, account uuid.UUID) (func(), error) {
			if account != m.Account() {
				t.Errorf("account %s has a slot", account)
			}
			if full {
				return nil, store.ErrOverloaded
			}
			held++
			*given++
			return func() { held-- }, nil
		}
	}
	s.acquire, s.acquireDraw = give(&given), give(&drawn)
	for _, path := range []string{"/sales", "/sales.png"} { // a picture has a slot of another queue, and does not delay pages
		if a := v.get(s.url("acme", path)); a.status != http.StatusOK || held != 0 {
			t.Errorf("%s: status %d, %d slots still held", path, a.status, held)
		}
	}
	if given != 1 || drawn != 1 {
		t.Errorf("the page had %d slots, and the picture %d", given, drawn)
	}
	stranger.get(s.url("acme", "/sales"))
	full = true
	for _, path := range []string{"/sales", "/sales.png"} {
		if a := v.get(s.url("acme", path)); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
			t.Errorf("%s without a slot: %d %v", path, a.status, a.header)
		}
	}
}

func TestMethods(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"} {
		for _, path := range []string{"/", "/sales", "/.session", "/nothing"} {
			got := v.send(method, s.url("engine", path), nil)
			if got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: %d, Allow %s", method, path, got.status, got.header.Get("Allow"))
			}
		}
	}
}

func TestFilesOfEveryHost(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v := s.visitor(t).once()
	script := v.get(s.url("engine", "/assets/"+page.ScriptName))
	if script.status != http.StatusOK || !bytes.Equal([]byte(script.body), page.Script) ||
		!strings.Contains(script.header.Get("Cache-Control"), "immutable") {
		t.Errorf("script: %d, %s", script.status, script.header.Get("Cache-Control"))
	}
	for path, contentType := range map[string]string{"/favicon.ico": "image/svg+xml", "/robots.txt": "text/plain; charset=utf-8"} {
		if got := v.get(s.url("engine", path)); got.status != http.StatusOK || got.header.Get("Content-Type") != contentType {
			t.Errorf("%s: %d, %s", path, got.status, got.header.Get("Content-Type"))
		}
	}
}

func TestHomeOfAWorkspaceIsInTheApp(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, _ := s.owner(t, "ada@lovelace.org", "engine")
	v.get(s.url("engine", "/x"))
	got := v.once().get(s.url("engine", "/"))
	if want := "http://app." + s.domain + "/w/engine/"; got.status != http.StatusFound || got.header.Get("Location") != want {
		t.Errorf("%d to %s, want %s", got.status, got.header.Get("Location"), want)
	}
}

// If the visitor cannot be identified, the answer is a failure.
func TestFailure(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	v.get(s.url("engine", "/sales"))
	s.pool.Close()
	got := v.get(s.url("engine", "/sales"))
	if got.status != http.StatusInternalServerError ||
		!strings.Contains(got.body, got.header.Get("X-Request-Id")) || strings.Contains(got.body, "pool") {
		t.Errorf("%d\n%s", got.status, got.body)
	}
}

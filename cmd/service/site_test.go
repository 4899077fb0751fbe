package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/net/html"
	"golang.org/x/oauth2"

	"service/auth/authtest"
	"service/store/storetest"
	"service/store/warehouse/warehousetest"
)

// A site is a running program.
type site struct {
	base, app string // origins
	idp       string // of the development identity provider, with its mailbox; only in a site of startSite
	port      string
	environ   []string
	db        *pgxpool.Pool // the program's database, for the test to inspect
	log       *output
	stop      func()            // stops it and waits for its end
	via       http.RoundTripper // the way to it; nil for the direct one
}

// dataDir is the program's data directory.
func (s *site) dataDir() string {
	for _, e := range s.environ {
		if dir, ok := strings.CutPrefix(e, "SERVICE_DATA_DIR="); ok {
			return dir
		}
	}
	return ""
}

func (s *site) workspace(slug string) string { return "http://" + slug + ".localhost:" + s.port }

// startSite runs the program until the test ends, on a migrated database of the tests'
// server. [installation] runs it on its embedded database.
func startSite(t *testing.T, more ...string) *site {
	t.Helper()
	return startSiteAs(t, []string{"serve"}, more...)
}

// startSiteAs is startSite with a command and its flags.
func startSiteAs(t *testing.T, args []string, more ...string) *site {
	t.Helper()
	return startSiteOn(t, freePort(t), args, more...)
}

// startSiteOn is startSiteAs on a port of this machine.
func startSiteOn(t *testing.T, port string, args []string, more ...string) *site {
	t.Helper()
	idp, db := freePort(t), storetest.Pool(t)
	s := siteAt(port, append([]string{
		"SERVICE_LISTEN_ADDR=127.0.0.1:" + port, "SERVICE_BASE_URL=http://localhost:" + port,
		"SERVICE_DEV_IDP_ADDR=127.0.0.1:" + idp, "SERVICE_OPS_ADDR=off",
		"SERVICE_DATA_DIR=" + dataDir(t), "SERVICE_LOG_LEVEL=warn", "PATH=" + os.Getenv("PATH"), "DATABASE_URL=" + databaseURL(db),
	}, more...))
	s.db, s.idp = db, "http://127.0.0.1:"+idp
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- run(ctx, args, s.environ, io.Discard, s.log) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the program ended with %v\n%s", err, s.log)
		}
	})
	t.Cleanup(s.stop)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		res, err := http.Get("http://localhost:" + port + "/healthz")
		if err == nil {
			res.Body.Close()
			return s
		}
		select {
		case err := <-done:
			done <- nil
			t.Fatalf("the program did not start: %v\n%s", err, s.log)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("the program did not answer: %v\n%s", err, s.log)
		}
	}
}

// siteAt returns the program that runs at a port of this machine.
func siteAt(port string, environ []string) *site {
	return &site{base: "http://localhost:" + port, app: "http://app.localhost:" + port, port: port, environ: environ, log: &output{}}
}

// dataDir returns a directory that the database's own account can enter.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "service-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// freePort returns a port that only the program under test will listen on.
func freePort(t *testing.T) string {
	t.Helper()
	return strconv.Itoa(warehousetest.Port(t))
}

// A browser follows redirects, keeps cookies and submits forms, without
// JavaScript.
type browser struct {
	t      *testing.T
	client *http.Client
	last   page
	hops   []int // statuses of the redirects of the last request
	away   *url.URL
	given  []string // secrets in the cookies that it got
	passed []string // secrets in the addresses of its redirects
	read   strings.Builder
}

type page struct {
	status, first int // first is the status before any redirect
	url           *url.URL
	header        http.Header
	text          string
}

func (s *site) browser(t *testing.T) *browser {
	t.Helper()
	b := &browser{t: t, client: authtest.Browser(t)}
	if s.via != nil {
		b.client.Transport = s.via
	}
	b.client.CheckRedirect = func(req *http.Request, _ []*http.Request) error {
		b.hops = append(b.hops, req.Response.StatusCode)
		b.note(req.Response)
		for _, values := range req.URL.Query() {
			b.passed = append(b.passed, slices.DeleteFunc(values, func(v string) bool { return !aSecret.MatchString(v) })...)
		}
		if req.URL.Path == "/callback" && req.URL.Host == "127.0.0.1:1" { // a client listens there
			b.away = req.URL
			return http.ErrUseLastResponse
		}
		if len(b.hops) > 20 {
			return fmt.Errorf("too many redirects, to %s", req.URL)
		}
		return nil
	}
	return b
}

func (b *browser) do(req *http.Request) page {
	b.t.Helper()
	b.hops, b.away = nil, nil
	res, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	b.note(res)
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	b.read.Write(text)
	b.last = page{status: res.StatusCode, first: res.StatusCode, url: res.Request.URL, header: res.Header, text: string(text)}
	if len(b.hops) > 0 {
		b.last.first = b.hops[0]
	}
	return b.last
}

// aSecret looks like 256 random bits.
var aSecret = regexp.MustCompile(`^([a-z]+_)*[A-Za-z0-9_-]{40,}$`)

func (b *browser) note(res *http.Response) {
	for _, c := range res.Cookies() {
		if aSecret.MatchString(c.Value) {
			b.given = append(b.given, c.Value)
		}
	}
}

func (b *browser) get(address string) page {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.do(req)
}

// submit fills in and sends the form of the last page whose action ends in
// action. A value without a field, such as that of a button, is sent as well.
func (b *browser) submit(action string, values url.Values) page {
	b.t.Helper()
	doc, err := html.Parse(strings.NewReader(b.last.text))
	if err != nil {
		b.t.Fatal(err)
	}
	for form := range doc.Descendants() {
		target, err := b.last.url.Parse(attr(form, "action"))
		if form.Data != "form" || err != nil || !strings.HasSuffix(target.Path, action) {
			continue
		}
		sent := url.Values{}
		for field := range form.Descendants() {
			if field.Data == "input" && attr(field, "type") == "hidden" {
				sent.Set(attr(field, "name"), attr(field, "value"))
			}
		}
		for k, v := range values {
			sent[k] = v
		}
		return b.send(target.String(), sent)
	}
	b.t.Fatalf("no form with action %s on %s:\n%s", action, b.last.url, b.last.text)
	return page{}
}

func attr(n *html.Node, key string) string {
	if i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key }); i >= 0 {
		return n.Attr[i].Val
	}
	return ""
}

// send sends a form, as from a page of the same origin.
func (b *browser) send(address string, values url.Values) page {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, address, strings.NewReader(values.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", req.URL.Scheme+"://"+req.URL.Host)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(req)
}

// signIn opens an address and signs in on the way.
func (b *browser) signIn(address, email string) {
	b.t.Helper()
	p := b.get(address)
	if !strings.Contains(p.text, `name="email"`) { // the app's own page precedes the identity provider's
		doc, err := html.Parse(strings.NewReader(p.text))
		if err != nil {
			b.t.Fatal(err)
		}
		for n := range doc.Descendants() {
			for _, a := range n.Attr {
				if n.Data == "a" && a.Key == "href" && strings.Contains(a.Val, "/sign-in") {
					to, err := p.url.Parse(a.Val)
					if err != nil {
						b.t.Fatal(err)
					}
					b.get(to.String())
					b.submit("", url.Values{"email": {email}})
					return
				}
			}
		}
		b.t.Fatalf("nowhere to sign in on %s:\n%s", p.url, p.text)
	}
	b.submit("", url.Values{"email": {email}})
}

// A client is an MCP client with its own session.
type client struct {
	t       *testing.T
	site    *site
	session *mcp.ClientSession
	config  *oauth2.Config
	token   *oauth2.Token
	code    string
}

// connect connects a client that knows only the URL, and has b consent.
func (s *site) connect(t *testing.T, b *browser, workspace string) *client {
	t.Helper()
	const name, redirect = "Journey <client>", "http://127.0.0.1:1/callback"
	return s.connectBy(t, name, redirect, func(address string) (*url.URL, error) {
		consent := b.get(address)
		for _, want := range []string{"Journey &lt;client&gt;", redirect, `name="workspace"`} {
			if !strings.Contains(consent.text, want) {
				return nil, fmt.Errorf("the consent screen does not show %s:\n%s", want, consent.text)
			}
		}
		b.submit("/consent", url.Values{"workspace": {workspace}, "decision": {"allow"}})
		if b.away == nil {
			return nil, fmt.Errorf("Allow led to %s (%d)", b.last.url, b.last.status)
		}
		return b.away, nil
	})
}

// connectBy connects a client with a name and a redirect URI. consent opens the address
// of its authorization request and returns the address of the redirect.
func (s *site) connectBy(t *testing.T, name, redirect string, consent func(address string) (*url.URL, error)) *client {
	t.Helper()
	c := &client{t: t, site: s}
	by := &http.Client{Transport: s.via}
	handler, err := sdkauth.NewAuthorizationCodeHandler(&sdkauth.AuthorizationCodeHandlerConfig{
		RedirectURL: redirect,
		Client:      by,
		DynamicClientRegistrationConfig: &sdkauth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: name, RedirectURIs: []string{redirect}, GrantTypes: []string{"authorization_code", "refresh_token"},
		}},
		AuthorizationCodeFetcher: func(_ context.Context, args *sdkauth.AuthorizationArgs) (*sdkauth.AuthorizationResult, error) {
			led, err := consent(args.URL)
			if err != nil {
				return nil, err
			}
			q := led.Query()
			c.code = q.Get("code")
			return &sdkauth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
		},
		NewTokenSource: func(ctx context.Context, config *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			c.config, c.token = config, token
			return config.TokenSource(ctx, token), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.session, err = mcp.NewClient(&mcp.Implementation{Name: "journey", Version: "1"}, nil).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.base + "/mcp", HTTPClient: by, OAuthHandler: handler}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.session.Close() })
	return c
}

// An answer is the answer of a tool.
type answer struct {
	failed bool
	text   string
	data   map[string]any // from between BEGIN_JSON and END_JSON
}

func (c *client) call(tool string, args map[string]any) answer {
	c.t.Helper()
	res, err := c.session.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	a := answer{failed: res.IsError}
	for _, content := range res.Content {
		a.text += content.(*mcp.TextContent).Text
	}
	if _, rest, ok := strings.Cut(a.text, "BEGIN_JSON\n"); ok {
		line, _, _ := strings.Cut(rest, "\nEND_JSON")
		if err := json.Unmarshal([]byte(line), &a.data); err != nil {
			c.t.Errorf("%s: %v in %s", tool, err, line)
		}
	}
	return a
}

// refreshed waits until the newest refresh of a dashboard has succeeded.
func (c *client) refreshed(slug string) {
	c.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		got := c.call("get_refresh_status", map[string]any{"slug": slug})
		switch state := got.data["state"]; {
		case state == "succeeded":
			return
		case state == "failed" || state == "partial" || time.Now().After(deadline):
			c.t.Fatalf("refresh of %s: %s", slug, got.text)
		}
	}
}

// refreshToken gets a new access token with the refresh token.
func (c *client) refreshToken() {
	c.t.Helper()
	res, err := http.PostForm(c.site.base+"/token",
		url.Values{"grant_type": {"refresh_token"}, "refresh_token": {c.token.RefreshToken}, "client_id": {c.config.ClientID}})
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	var token struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int    `json:"expires_in"`
	}
	if err := json.NewDecoder(res.Body).Decode(&token); err != nil || res.StatusCode != 200 ||
		token.AccessToken == "" || token.AccessToken == c.token.AccessToken || token.ExpiresIn > 3000 {
		c.t.Errorf("refreshing: %d, %+v, %v", res.StatusCode, token, err)
	}
}

// failures returns the lines of the log, without those of the rate limiter about its own time limit: if the database needs more than a
// quarter of a second, as on a busy machine, the limiter lets the request pass, which is no failure.
func (s *site) failures() string {
	var out strings.Builder
	for line := range strings.Lines(s.log.String()) {
		if !strings.Contains(line, `msg="rate limiter unavailable: the use is allowed"`) || !strings.Contains(line, "deadline exceeded") {
			out.WriteString(line)
		}
	}
	return out.String()
}

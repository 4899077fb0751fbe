package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/net/html"
	"golang.org/x/oauth2"
)

// TestJourney is a stranger's path through the whole program over HTTP: sign in,
// make a workspace, connect a client that knows nothing but the URL, publish,
// refresh, look at the page, and take it down.
func TestJourney(t *testing.T) {
	t.Parallel()
	site := startSite(t)

	// A person signs in and makes a workspace.
	ada := site.browser(t)
	ada.signIn(site.app+"/", "ada@example.com")
	page := ada.submit("/workspaces", url.Values{"name": {"Journey"}, "slug": {"journey"}})
	if page.status != 200 || !strings.HasSuffix(page.url.Path, "/w/journey/") || !strings.Contains(page.text, "claude mcp add --transport http service "+site.base+"/mcp") {
		t.Fatalf("after creating a workspace: %d %s\n%s", page.status, page.url, page.text)
	}

	// A client goes from 401 to tools.
	c := site.connect(t, ada, "journey")
	if init := c.session.InitializeResult(); init.ServerInfo.Name != "service" || init.ServerInfo.Version != "0.6.0" || init.ProtocolVersion != "2025-06-18" {
		t.Errorf("initialize: %+v", init)
	}
	list, err := c.session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 20 {
		t.Fatalf("%d tools, %v", len(list.Tools), err)
	}
	prompt, err := c.session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "refreshable_dashboard", Arguments: map[string]string{"connection": "self"}})
	if err != nil || len(prompt.Messages) != 1 {
		t.Fatal(prompt, err)
	}
	if ready := c.call("check_readiness", nil); ready.data["ready"] != true {
		t.Errorf("%+v", ready)
	}
	if none := c.call("list_connections", nil); !strings.Contains(none.text, "You have no warehouse connections.") {
		t.Errorf("%s", none.text)
	}
	if tables := c.call("introspect_schema", nil); !strings.Contains(tables.text, `"metrics"`) {
		t.Errorf("%s", tables.text)
	}
	sql := "SELECT day, event, sum(count) AS events FROM metrics GROUP BY day, event"
	if valid := c.call("validate_cube_sql", map[string]any{"sql": sql}); valid.data["valid"] != true {
		t.Errorf("%s", valid.text)
	}
	spec := map[string]any{
		"version": 1, "title": "What happened",
		"datasets": []any{map[string]any{"id": "events", "sql": sql}},
		"panels": []any{
			map[string]any{"type": "kpi", "value": "events"},
			map[string]any{"type": "bar", "x": "event", "y": "events"},
			map[string]any{"type": "table", "columns": []string{"day", "event", "events"}},
		},
	}
	publish := map[string]any{"path": "what", "spec": spec, "dry_run": true}
	if dry := c.call("publish_dashboard", publish); dry.failed {
		t.Fatal(dry.text)
	}
	if got := c.call("list_dashboards", nil).data["dashboards"]; len(got.([]any)) != 0 {
		t.Errorf("a dry run published: %v", got)
	}
	delete(publish, "dry_run")
	start := time.Now()
	published := c.call("publish_dashboard", publish)
	address := site.workspace("journey") + "/what"
	if published.failed || !strings.Contains(published.text, address) {
		t.Fatal(published.text)
	}
	c.refreshed("what")
	viewer := site.browser(t)
	viewer.signIn(address+"?from=afar&x=%20y", "ada@example.com")
	if viewer.last.url.String() != address+"?from=afar&x=%20y" || viewer.last.status != 200 || !strings.Contains(viewer.last.text, "What happened") {
		t.Errorf("a signed-out visitor came back to %s (%d)", viewer.last.url, viewer.last.status)
	}
	t.Logf("from publish_dashboard to a page, sign-in included: %s", time.Since(start).Round(time.Millisecond))

	// Read it the ways there are.
	if got := c.call("get_dashboard", map[string]any{"path": "what"}); got.failed || !strings.Contains(got.text, address) {
		t.Error(got.text)
	}
	resources, err := c.session.ListResources(t.Context(), nil)
	if err != nil || len(resources.Resources) != 1 || resources.Resources[0].URI != "service://journey/what" {
		t.Fatalf("%+v, %v", resources, err)
	}
	body, err := c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "service://journey/what"})
	if err != nil || len(body.Contents) != 1 || body.Contents[0].MIMEType != "text/html" || !strings.Contains(body.Contents[0].Text, "What happened") {
		t.Errorf("%+v, %v", body, err)
	}
	if got := c.call("trigger_refresh", map[string]any{"slug": "what"}); got.failed {
		t.Error(got.text)
	}
	c.refreshed("what")

	// Rename: the old address leads on. Versions: two publishes and a restore are three.
	if got := c.call("update_dashboard", map[string]any{"slug": "what", "new_slug": "news", "name": "News"}); got.failed {
		t.Error(got.text)
	}
	moved := viewer.get(address + "?a=b%2Fc")
	if moved.url.String() != site.workspace("journey")+"/news?a=b%2Fc" || moved.first != http.StatusMovedPermanently || moved.status != 200 {
		t.Errorf("an alias answered %d and led to %s (%d)", moved.first, moved.url, moved.status)
	}
	spec["title"] = "Second"
	if got := c.call("publish_dashboard", map[string]any{"path": "news", "spec": spec}); got.failed {
		t.Error(got.text)
	}
	versions := c.call("list_dashboard_versions", map[string]any{"slug": "news"}).data["versions"].([]any)
	if len(versions) != 2 {
		t.Errorf("%d versions", len(versions))
	}
	oldest := versions[len(versions)-1].(map[string]any)["version_id"]
	if got := c.call("restore_dashboard_version", map[string]any{"slug": "news", "version_id": oldest}); got.failed {
		t.Error(got.text)
	}
	if got := c.call("set_refresh_schedule", map[string]any{"slug": "news", "schedule": "daily 07:00", "timezone": "Europe/Berlin"}); got.failed || len(got.data["next_runs"].([]any)) != 3 {
		t.Error(got.text)
	}

	// An upload, added by the operator beside the running server.
	csv := filepath.Join(t.TempDir(), "rain.csv")
	if err := os.WriteFile(csv, []byte("day,mm\n2026-01-01,3\n2026-01-02,4.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if err := run(t.Context(), []string{"admin", "upload", "add", "journey", "ada@example.com", csv}, site.environ, &out, &errs); err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	connections := c.call("list_connections", nil).data["connections"].([]any)
	if len(connections) != 1 {
		t.Fatalf("%v", connections)
	}
	connection := connections[0].(map[string]any)
	upload := connection["uploads"].([]any)[0].(map[string]any)
	rain := c.call("publish_dashboard", map[string]any{
		"path": "rain", "connection": connection["id"], "upload": upload["id"],
		"spec": map[string]any{
			"version": 1, "title": "Rain", "datasets": []any{map[string]any{"id": "rain", "sql": "SELECT day, sum(mm) AS mm FROM upload GROUP BY day"}},
			"panels": []any{map[string]any{"type": "line", "x": "day", "y": "mm"}, map[string]any{"type": "kpi", "value": "mm"}},
		},
	})
	if rain.failed {
		t.Fatal(rain.text)
	}
	c.refreshed("rain")
	if got := viewer.get(site.workspace("journey") + "/rain"); got.status != 200 || !strings.Contains(got.text, "7.5") {
		t.Errorf("%d: the sum of the upload is not on its page", got.status)
	}

	// A document and a data file.
	if got := c.call("publish_dashboard", map[string]any{"path": "notes", "body": "# Notes\n\nAll *well*."}); got.failed {
		t.Error(got.text)
	}
	if got := viewer.get(site.workspace("journey") + "/notes"); got.status != 200 || !strings.Contains(got.text, "<em>well</em>") {
		t.Errorf("%d: %s", got.status, got.text)
	}
	if got := c.call("publish_dashboard", map[string]any{"path": "raw/data.csv", "body": "a,b\n1,2\n"}); got.failed {
		t.Error(got.text)
	}
	if got := viewer.get(site.workspace("journey") + "/raw/data.csv"); got.status != 200 || got.text != "a,b\n1,2\n" || !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%d %v %q", got.status, got.header, got.text)
	}

	// A stranger sees the page of what does not exist, and nothing else.
	eve := site.browser(t)
	eve.signIn(site.workspace("journey")+"/news", "eve@example.com")
	foreign, missing := eve.last, eve.get(site.workspace("journey")+"/no-such")
	if nowhere := eve.get(site.workspace("nowhere") + "/news"); foreign.status != 404 || foreign.text != missing.text || foreign.text != nowhere.text {
		t.Errorf("a stranger can tell: %d %d %d", foreign.status, missing.status, nowhere.status)
	}

	if got := c.call("delete_dashboard", map[string]any{"slug": "news"}); got.failed {
		t.Error(got.text)
	}
	for _, gone := range []string{"/news", "/what"} {
		if got := viewer.get(site.workspace("journey") + gone); got.status != 404 {
			t.Errorf("%s after deletion: %d", gone, got.status)
		}
	}

	// The grant goes on by its refresh token, and ends when it is revoked.
	c.refreshToken()
	if err := run(t.Context(), []string{"admin", "member", "remove", "journey", "ada@example.com"}, site.environ, &out, &errs); err == nil {
		t.Error("the last owner was removed")
	}
	if got := viewer.get(site.workspace("journey") + "/rain"); got.status != 200 {
		t.Error(got.status)
	}
}

// A site is a running program.
type site struct {
	base, app string // origins
	port      string
	environ   []string
}

func (s *site) workspace(slug string) string { return "http://" + slug + ".localhost:" + s.port }

// startSite runs the program, with an embedded database, until the test ends.
func startSite(t *testing.T, more ...string) *site {
	t.Helper()
	port, idp := freePort(t), freePort(t)
	s := &site{base: "http://localhost:" + port, app: "http://app.localhost:" + port, port: port}
	s.environ = append([]string{
		"SERVICE_LISTEN_ADDR=127.0.0.1:" + port, "SERVICE_BASE_URL=" + s.base, "SERVICE_DEV_IDP_ADDR=127.0.0.1:" + idp, "SERVICE_OPS_ADDR=off",
		"SERVICE_DATA_DIR=" + dataDir(t), "SERVICE_LOG_LEVEL=warn", "PATH=" + os.Getenv("PATH"),
	}, more...)
	ctx, stop := context.WithCancel(context.Background())
	var out, errs bytes.Buffer
	done := make(chan error, 1)
	go func() { done <- run(ctx, []string{"serve"}, s.environ, &out, &errs) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the program ended with %v\n%s", err, &errs)
		}
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		res, err := http.Get(s.base + "/healthz")
		if err == nil {
			res.Body.Close()
			return s
		}
		select {
		case err := <-done:
			done <- nil
			t.Fatalf("the program did not start: %v\n%s", err, &errs)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("the program did not answer: %v\n%s", err, &errs)
		}
	}
}

// dataDir is a directory that the database's own account can enter.
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

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// A browser follows redirects, keeps cookies and submits forms, without
// JavaScript.
type browser struct {
	t      *testing.T
	client *http.Client
	last   page
	hops   []int // statuses of the redirects of the last request
	away   *url.URL
}

type page struct {
	status, first int // first: of the first answer, before any redirect
	url           *url.URL
	header        http.Header
	text          string
}

func (s *site) browser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{t: t}
	b.client = &http.Client{
		Jar:     jar,
		Timeout: 30 * time.Second,
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(addr) // every *.localhost is this machine
			if err != nil {
				return nil, err
			}
			return (&net.Dialer{}).DialContext(ctx, network, "127.0.0.1:"+port)
		}},
		CheckRedirect: func(req *http.Request, _ []*http.Request) error {
			b.hops = append(b.hops, req.Response.StatusCode)
			if req.URL.Path == "/callback" && req.URL.Host == "127.0.0.1:1" { // a client waits there
				b.away = req.URL
				return http.ErrUseLastResponse
			}
			if len(b.hops) > 20 {
				return fmt.Errorf("too many redirects, to %s", req.URL)
			}
			return nil
		},
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
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	b.last = page{status: res.StatusCode, first: res.StatusCode, url: res.Request.URL, header: res.Header, text: string(text)}
	if len(b.hops) > 0 {
		b.last.first = b.hops[0]
	}
	return b.last
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
	attr := func(n *html.Node, key string) string {
		if i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key }); i >= 0 {
			return n.Attr[i].Val
		}
		return ""
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
		req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, target.String(), strings.NewReader(sent.Encode()))
		if err != nil {
			b.t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", b.last.url.Scheme+"://"+b.last.url.Host)
		req.Header.Set("Sec-Fetch-Site", "same-origin")
		return b.do(req)
	}
	b.t.Fatalf("no form with action %s on %s:\n%s", action, b.last.url, b.last.text)
	return page{}
}

// signIn opens an address and signs in on the way.
func (b *browser) signIn(address, email string) {
	b.t.Helper()
	p := b.get(address)
	if !strings.Contains(p.text, `name="email"`) { // the app's own page comes first
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

// A client is an MCP client with a session of its own.
type client struct {
	t       *testing.T
	site    *site
	session *mcp.ClientSession
	config  *oauth2.Config
	token   *oauth2.Token
}

// connect connects a client that knows the URL alone, and has b consent.
func (s *site) connect(t *testing.T, b *browser, workspace string) *client {
	t.Helper()
	c := &client{t: t, site: s}
	handler, err := sdkauth.NewAuthorizationCodeHandler(&sdkauth.AuthorizationCodeHandlerConfig{
		RedirectURL: "http://127.0.0.1:1/callback",
		DynamicClientRegistrationConfig: &sdkauth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Journey <client>", RedirectURIs: []string{"http://127.0.0.1:1/callback"}, GrantTypes: []string{"authorization_code", "refresh_token"},
		}},
		AuthorizationCodeFetcher: func(_ context.Context, args *sdkauth.AuthorizationArgs) (*sdkauth.AuthorizationResult, error) {
			consent := b.get(args.URL)
			for _, want := range []string{"Journey &lt;client&gt;", "http://127.0.0.1:1/callback", `name="workspace"`} {
				if !strings.Contains(consent.text, want) {
					return nil, fmt.Errorf("the consent screen does not show %s:\n%s", want, consent.text)
				}
			}
			b.submit("/consent", url.Values{"workspace": {workspace}, "decision": {"allow"}})
			if b.away == nil {
				return nil, fmt.Errorf("Allow led to %s (%d)", b.last.url, b.last.status)
			}
			q := b.away.Query()
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
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.base + "/mcp", OAuthHandler: handler}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.session.Close() })
	return c
}

// An answer is what a tool said.
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

// refreshToken takes a new access token by the refresh token.
func (c *client) refreshToken() {
	c.t.Helper()
	res, err := http.PostForm(c.site.base+"/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {c.token.RefreshToken}, "client_id": {c.config.ClientID}})
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	var token struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int    `json:"expires_in"`
	}
	if err := json.NewDecoder(res.Body).Decode(&token); err != nil || res.StatusCode != 200 || token.AccessToken == "" || token.AccessToken == c.token.AccessToken || token.ExpiresIn > 3000 {
		c.t.Errorf("refreshing: %d, %+v, %v", res.StatusCode, token, err)
	}
}

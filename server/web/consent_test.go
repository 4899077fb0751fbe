package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/auth"
	"service/store/dashboard/locale"
)

// A client is an AI client that has registered itself.
type client struct {
	id, redirect string
}

// register registers a client over the network, as anybody can.
func (s *site) register(t *testing.T, name, redirect string) client {
	t.Helper()
	body, err := json.Marshal(map[string]any{"client_name": name, "redirect_uris": []string{redirect}, "token_endpoint_auth_method": "none"})
	if err != nil {
		t.Fatal(err)
	}
	p := s.browser(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+"/register", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	var made struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal([]byte(p.do(r).want(http.StatusCreated).body), &made); err != nil {
		t.Fatal(err)
	}
	return client{made.ID, redirect}
}

// authorize opens the client's authorization request in p's browser, and
// returns the consent page and the request's handle.
func (p *person) authorize(c client) (page reply, handle string) {
	p.t.Helper()
	page = p.get(p.s.base + "/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {c.id}, "redirect_uri": {c.redirect}, "scope": {"dashboards"}, "state": {"st&te"},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"},
	}.Encode())
	return page, page.url.Query().Get("request")
}

// The consent screen shows the full address of an app, and the browser may be redirected to it.
func TestConsentShowsAddressesOfApps(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, _ := s.owner(t, "ada@lovelace.org", "engine")
	for uri, scheme := range map[string]string{
		"workbuddy://workbuddy/mcp/connector%3Asales/oauth/callback":     "workbuddy:",
		"com.example.app:/oauth2redirect/" + strings.Repeat("long/", 60): "com.example.app:",
	} {
		page, _ := p.authorize(s.register(t, "An app", uri))
		page.want(http.StatusOK, "<code>"+uri+"</code>", "redirected to <strong>"+scheme+"</strong>, an app on this computer")
	}
}

func TestConsentShowsWhoAsksForWhat(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	c := s.register(t, "Evil \u202e<b>Bank</b>\u0007 "+strings.Repeat("long ", 40), "http://localhost:33418/callback?x=1&y=2")

	page, _ := p.authorize(c)
	page.want(http.StatusOK,
		"Evil &lt;b&gt;Bank&lt;/b&gt;", "…", "unverified",
		"<code>http://localhost:33418/callback?x=1&amp;y=2</code>", "redirected to <strong>localhost", "a program on this computer",
		"<code>dashboards</code>", "ada@lovelace.org", "Use a different account", "prompt=select_account",
		`value="engine" required checked`, "owner", `name="workspace" value=""`,
		"The client can use only the workspace that you choose. To use another one, connect the client again.",
		`name="decision" value="allow"`, `name="decision" value="deny"`, "It cannot",
	).lacks("<b>Bank", "\u202e", "\u0007", strings.Repeat("long ", 20))
	if n := strings.Count(page.body, "<form"); n != 1 { // no other form that could be sent by mistake
		t.Errorf("the page has %d forms, want one", n)
	}
	for name, want := range map[string]string{
		"Cache-Control": "no-store", "Content-Security-Policy": csp("'self' http://localhost:33418"),
	} {
		if got := page.header.Get(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if !strings.Contains(page.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		t.Error("the page can be framed")
	}

	// With two workspaces the person must choose; there is no default.
	if _, err := s.store.Workspaces.CreateWorkspace(t.Context(), m.Account(), "zoo", "Zoo"); err != nil {
		t.Fatal(err)
	}
	page, handle := p.authorize(c)
	page.want(http.StatusOK, `value="engine" required>`, `value="zoo" required>`).lacks("checked")
	p.post("/consent", url.Values{"request": {handle}, "decision": {"allow"}}).
		want(http.StatusUnprocessableEntity, "Choose a workspace, or choose to go on without one.", "Your answer was not sent yet")
	p.post("/consent", url.Values{"request": {handle}, "workspace": {"zoo"}}).want(http.StatusBadRequest) // neither allowed nor declined
}

func TestConsentAllow(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, _ := s.owner(t, "ada@lovelace.org", "engine")
	s.owner(t, "grace@navy.mil", "navy")
	c := s.register(t, "Claude Code", "https://client.example/cb")

	page, handle := p.authorize(c)
	if got, want := page.header.Get("Content-Security-Policy"), csp("'self' https://client.example"); got != want {
		t.Errorf("policy %s, want %s", got, want)
	}
	answer := url.Values{"request": {handle}, "workspace": {"navy"}, "decision": {"allow"}}
	p.post("/consent", answer).want(http.StatusBadRequest, "You are not a member of that workspace.") // the request is still open

	answer.Set("workspace", "engine")
	done := p.once().post("/consent", answer).want(http.StatusSeeOther)
	to, err := url.Parse(done.header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	q := to.Query()
	if to.Host != "client.example" || q.Get("code") == "" || q.Get("state") != "st&te" || q.Get("iss") != s.base {
		t.Errorf("redirected to %s", to)
	}
	p.once().post("/consent", answer).want(http.StatusSeeOther) // a second click
	answer.Set("workspace", "")
	p.once().post("/consent", answer).want(http.StatusBadRequest,
		"This request has expired", "Start again in your client.", "your client may already be connected")
	p.get("/consent?request="+handle).want(http.StatusBadRequest, "This request has expired")
	p.get("/clients").want(http.StatusOK, "Claude Code", "Locked to engine")
	if again, _ := p.authorize(c); again.status != http.StatusOK { // requested again: the answer is never remembered
		t.Errorf("a second request: %d", again.status)
	}
}

func TestConsentNoneAndDeny(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, _ := s.owner(t, "ada@lovelace.org", "engine")
	c := s.register(t, "Codex", "http://127.0.0.1:4000/callback")

	_, handle := p.authorize(c)
	p.once().post("/consent", url.Values{"request": {handle}, "workspace": {""}, "decision": {"allow"}}).want(http.StatusSeeOther)
	p.get("/clients").want(http.StatusOK, "Codex", "No workspace")

	_, handle = p.authorize(c)
	denied := p.once().post("/consent", url.Values{"request": {handle}, "decision": {"deny"}}).want(http.StatusSeeOther)
	to := denied.header.Get("Location")
	if !strings.HasPrefix(to, "http://127.0.0.1:4000/callback?") || !strings.Contains(to, "error=access_denied") ||
		!strings.Contains(to, url.QueryEscape("The user declined the authorization request.")) {
		t.Errorf("redirected to %s", to)
	}
	p.once().post("/consent", url.Values{"request": {handle}, "workspace": {"engine"}, "decision": {"allow"}}).
		want(http.StatusBadRequest, "This request has expired") // declined requests stay declined
}

// A failure of the service decides nothing: the same answer can be sent again.
func TestConsentIsRetryable(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, _ := s.owner(t, "ada@lovelace.org", "engine")
	_, handle := p.authorize(s.register(t, "Codex", "http://127.0.0.1:4000/callback"))
	answer := url.Values{"request": {handle}, "workspace": {"engine"}, "decision": {"allow"}}
	s.exec(t, `CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'disk full'; END $$`)
	s.exec(t, `CREATE TRIGGER broken BEFORE INSERT ON oauth_token FOR EACH ROW EXECUTE FUNCTION broken()`)
	p.once().post("/consent", answer).want(http.StatusServiceUnavailable, "Your answer was not saved", "still open").lacks("disk full")
	s.exec(t, `DROP TRIGGER broken ON oauth_token`)
	p.once().post("/consent", answer).want(http.StatusSeeOther)

	_, handle = p.authorize(s.register(t, "Codex", "http://127.0.0.1:4000/callback"))
	s.pool.Close()
	p.once().post("/consent", url.Values{"request": {handle}, "workspace": {"engine"}, "decision": {"allow"}}).
		want(http.StatusServiceUnavailable, "Your answer was not saved")
}

// Several concurrent Allow answers make one grant.
func TestConsentAllowedThreeTimesAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	_, handle := p.authorize(s.register(t, "Codex", "http://127.0.0.1:4000/callback"))
	answer := url.Values{"request": {handle}, "workspace": {"engine"}, "decision": {"allow"}}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { p.once().post("/consent", answer).want(http.StatusSeeOther) })
	}
	wg.Wait()
	grants, err := s.store.OAuth.ListGrants(t.Context(), m.Account(), uuid.Nil)
	if err != nil || len(grants) != 1 {
		t.Errorf("%d grants, %v", len(grants), err)
	}
}

func TestConsentExpires(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, _ := s.owner(t, "ada@lovelace.org", "engine")
	_, handle := p.authorize(s.register(t, "Codex", "http://127.0.0.1:4000/callback"))
	s.ahead.Store(int64(29 * time.Minute))
	p.get("/consent?request="+handle).want(http.StatusOK, "in a moment</time>")
	s.ahead.Store(int64(31 * time.Minute))
	for _, at := range []string{"/consent?request=" + handle, "/consent?request=nonsense", "/consent"} {
		p.get(at).want(http.StatusBadRequest, "This request has expired", "Start again in your client.")
	}
}

// A person who is not signed in sees the request, signs in, and returns to the same request.
func TestConsentSignedOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.owner(t, "ada@lovelace.org", "engine")
	p := s.browser(t)
	page, handle := p.authorize(s.register(t, "Codex", "http://127.0.0.1:4000/callback"))
	page.want(http.StatusOK, "Codex", "http://127.0.0.1:4000/callback", "dashboards", "Sign in to continue").lacks(`value="allow"`, "engine")

	link := regexp.MustCompile(`href="(/sign-in\?[^"]+)"`).FindStringSubmatch(page.body)
	back := p.signIn(strings.ReplaceAll(link[1], "&amp;", "&"), "ada@lovelace.org").want(http.StatusOK, `value="allow"`, "Engine")
	if got := back.url.RequestURI(); got != "/consent?request="+handle {
		t.Errorf("back at %s", got)
	}

	p.post("/sign-out", nil).want(http.StatusOK)
	p.post("/consent", url.Values{"request": {handle}, "workspace": {"engine"}, "decision": {"allow"}}).
		want(http.StatusOK, "Sign in to continue")
}

// A person without a workspace can create one and return to the request.
func TestConsentWithoutWorkspace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.signIn(t, "ada@lovelace.org")
	page, handle := p.authorize(s.register(t, "Codex", "http://127.0.0.1:4000/callback"))
	page.want(http.StatusOK, "You have no workspace yet.", "/workspaces/new?return_to=")
	p.get("/workspaces/new?return_to="+url.QueryEscape("/consent?request="+handle)).
		want(http.StatusOK, `name="return_to" value="/consent?request=`+handle+`"`)
	p.post("/workspaces", url.Values{"name": {"Engine"}, "slug": {"engine"}, "return_to": {"/consent?request=" + handle}}).
		want(http.StatusOK, "Workspace Engine is ready.", `value="engine" required checked`, `value="allow"`)
}

// A private scheme opens an app and leaves the browser where it is, so a person gets a
// page that explains it; other programs get only the redirect.
func TestConsentPrivateScheme(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, _ := s.owner(t, "ada@lovelace.org", "engine")
	c := s.register(t, "Cursor", "cursor://anysphere.cursor-mcp/oauth/callback")
	page, handle := p.authorize(c)
	page.want(http.StatusOK, "<strong>cursor:</strong>, an app on this computer")
	if got, want := page.header.Get("Content-Security-Policy"), csp("'self' cursor:"); got != want {
		t.Errorf("policy %s, want %s", got, want)
	}
	answer := url.Values{"request": {handle}, "workspace": {"engine"}, "decision": {"allow"}}
	r := p.request(http.MethodPost, "/consent", answer)
	r.Header.Set("Sec-Fetch-Dest", "document")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	done := p.do(r).want(http.StatusOK, "You can close this tab", `href="cursor://anysphere.cursor-mcp/oauth/callback?code=`)
	if got := done.header.Get("Refresh"); !strings.HasPrefix(got, "0;url=cursor://anysphere.cursor-mcp/oauth/callback?code=") {
		t.Errorf("Refresh: %s", got)
	}

	_, handle = p.authorize(c)
	answer.Set("request", handle)
	bare := p.once().post("/consent", answer).want(http.StatusSeeOther)
	if got := bare.header.Get("Location"); !strings.HasPrefix(got, "cursor://anysphere.cursor-mcp/oauth/callback?code=") {
		t.Errorf("Location: %s", got)
	}
}

// The name that a client gives itself is in quotes, on one line and without brackets, in which only the host of a metadata document is. The
// host of the redirect is shown in full.
func TestConsentQuotesNames(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, _ := s.owner(t, "ada@lovelace.org", "engine")
	for name, want := range map[string]string{
		"Claude (claude.ai)":                     "Claude claude.ai",
		"Claude Code (plugin:service:acme)":      "Claude Code (plugin:service:acme)",
		"Claude ((claude.ai) (x":                 "Claude claude.ai x",
		"Claude \uff08claude.ai\uff09":           "Claude claude.ai",
		"Claude \u2768claude\u2024ai\u2769":      "Claude claude\u2024ai",
		"Claude\n\r\u2028[claude.ai]":            "Claude claude.ai",
		"\u202eedualC\u202c \u2067{claude.ai}":   "edualC claude.ai",
		"Cl\u0430ude (\u0441laude.ai)":           "Cl\u0430ude \u0441laude.ai",
		"Claude (" + strings.Repeat("w", 200):    "Claude " + strings.Repeat("w", 92) + "…",
		"()\u27ee\u27ef":                         "A client without a name",
		"\" verified: claude.ai</bdi></q> <q>\"": "&#34; verified: claude.ai&lt;/bdi&gt;&lt;/q&gt; &lt;q&gt;&#34;",
	} {
		page, _ := p.authorize(s.register(t, name, "https://claude.ai.attacker.example.com/callback"))
		page.want(http.StatusOK, "<q><bdi>"+want+"</bdi></q>", "<dd><q><bdi>"+want+"</bdi></q></dd>", "unverified",
			"redirected to <strong>claude.ai.attacker.example.com</strong>").lacks("Client id")
	}
}

func TestClientOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Claude Code":        "Claude Code",
		"":                   "Ein Client ohne Namen",
		"\u200b\u202e\u2066": "Ein Client ohne Namen",
		"\u3164 \ufe0f":      "Ein Client ohne Namen",
		auth.Unnamed:         "Ein Client ohne Namen",
		"safe\u202etxt.exe":  "safetxt.exe",
	} {
		if got := clientOf(locale.For("de"), name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"service/server/browsertest"
)

// A person uses the whole program in a Chromium whose console must not report errors,
// such as a violated policy or a failed request.
type person struct {
	*browsertest.Tab
	t *testing.T
	s *site
}

// person returns a person with an empty page.
func (s *site) person(t *testing.T) *person {
	t.Helper()
	return &person{browsertest.Open(t), t, s}
}

// at opens a path of the app, and signs in on the way.
func (p *person) at(path, email string) *person {
	p.t.Helper()
	p.Visit(p.s.app + "/sign-in?" + url.Values{"return_to": {path}}.Encode())
	p.signIn(email)
	return p
}

// signIn fills in the form of the identity provider.
func (p *person) signIn(email string) {
	p.t.Helper()
	if status := p.Follow(chromedp.SendKeys(`#email`, email+"\r")); status != http.StatusOK {
		p.t.Fatalf("signing in led to %s: %d", p.Address(), status)
	}
}

// founder returns a person who has just made a workspace.
func (s *site) founder(t *testing.T, email, workspace string) *person {
	t.Helper()
	p := s.person(t).at("/", email)
	p.fill("#name", "The "+workspace, "#slug", workspace)
	p.click(`form[action="/workspaces"] button`)
	return p
}

// fill replaces the values of fields. Its arguments are alternating selectors and values.
func (p *person) fill(fieldsAndValues ...string) {
	p.t.Helper()
	for i := 0; i < len(fieldsAndValues); i += 2 {
		field := chromedp.CSS(fieldsAndValues[i])
		p.Do(chromedp.Clear(field), chromedp.SendKeys(field, fieldsAndValues[i+1]))
	}
}

// click clicks an element that opens another page, and fails the test if that page is an error.
func (p *person) click(selector string) {
	p.t.Helper()
	if status := p.Follow(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible)); status >= 300 {
		p.t.Fatalf("%s led to %s: %d", selector, p.Address(), status)
	}
}

// press clicks an element that does not open another page.
func (p *person) press(selector string) {
	p.t.Helper()
	p.Do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// tab opens a section of the workspace.
func (p *person) tab(name string) {
	p.t.Helper()
	if place, within := map[string]string{
		"uploads": "connections", "clients": "connect", "members": "settings", "audit": "settings",
	}[name]; within {
		p.click(`.tabs a[href$="/` + place + `"]`)
		p.click(`.screens a[href$="/` + name + `"]`)
		return
	}
	p.click(`.tabs a[href$="/` + name + `"]`)
}

// open opens a dashboard on its workspace's host, and returns its first number.
func (p *person) open(workspace, slug string) string {
	p.t.Helper()
	if status := p.Visit(p.s.workspace(workspace) + "/" + slug); status != http.StatusOK {
		p.t.Fatalf("/%s: %d", slug, status)
	}
	return p.Text(`.kpi .big`)
}

// source returns the HTML of the whole current page.
func (p *person) source() string {
	p.t.Helper()
	return browsertest.Eval[string](p.Tab, `document.documentElement.outerHTML`)
}

// drop uploads a file on the page of the uploads, or of the upload that it replaces. The
// page must then show want.
func (p *person) drop(name, text, want string) {
	p.t.Helper()
	path := filepath.Join(p.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.Do(chromedp.SetUploadFiles(`#file`, []string{path}))
	p.click(`.drop button`)
	if said := p.Text(`.flash`); said != want {
		p.t.Errorf("for %s it shows %s", name, said)
	}
}

// connect connects a client that listens on a port of this machine, and allows it in the browser.
func (p *person) connect(name, workspace string) *client {
	p.t.Helper()
	return p.s.connectVia(p.t, name, func(address string) {
		p.Visit(address)
		p.press(`input[name="workspace"][value="` + workspace + `"]`)
		p.click(`button[value="allow"]`)
	})
}

// connectVia connects a client that listens on a port of this machine. decide opens the
// address of its request and leads the browser to that port.
func (s *site) connectVia(t *testing.T, name string, decide func(address string)) *client {
	t.Helper()
	arrived := make(chan *url.URL, 1)
	waiting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/callback" {
			arrived <- r.URL
		}
		fmt.Fprint(w, `<!doctype html><title>Done</title><p id="done">You can close this tab.`)
	}))
	t.Cleanup(waiting.Close)
	redirect := "http://localhost:" + waiting.URL[strings.LastIndex(waiting.URL, ":")+1:] + "/callback"
	return s.connectBy(t, name, redirect, func(address string) (*url.URL, error) {
		decide(address)
		select {
		case led := <-arrived:
			return led, nil
		case <-time.After(time.Minute):
			return nil, fmt.Errorf("nobody came to %s", redirect)
		}
	})
}

// publish publishes a dashboard of one number, and waits for its rows. more has further arguments.
func (c *client) publish(slug, title, sql string, more map[string]any) {
	c.t.Helper()
	args := map[string]any{"path": slug, "spec": map[string]any{
		"version": 1, "title": title,
		"datasets": []any{map[string]any{"id": "numbers", "sql": sql}},
		"panels":   []any{map[string]any{"type": "kpi", "value": "number"}},
	}}
	for name, value := range more {
		args[name] = value
	}
	if got := c.call("publish_dashboard", args); got.failed {
		c.t.Fatal(got.text)
	}
	c.refreshed(slug)
}

// upload returns the arguments for reading the client's only upload.
func (c *client) upload() map[string]any {
	c.t.Helper()
	connection := c.call("list_connections", nil).data["connections"].([]any)[0].(map[string]any)
	return map[string]any{"connection": connection["id"], "upload": connection["uploads"].([]any)[0].(map[string]any)["id"]}
}

// lockedOut fails the test unless the client's next call gets the answer of RFC 6750,
// section 3.1, and its refresh token is refused.
func (c *client) lockedOut() {
	c.t.Helper()
	r := c.site.call(c.t, c.token.AccessToken, "list_dashboards", `{}`)
	if challenge := r.header.Get("WWW-Authenticate"); r.status != http.StatusUnauthorized ||
		!strings.HasPrefix(challenge, "Bearer ") || !strings.Contains(challenge, `error="invalid_token"`) {
		c.t.Errorf("its next call: %d, %s\n%s", r.status, challenge, r.body)
	}
	res, err := http.PostForm(c.site.base+"/token",
		url.Values{"grant_type": {"refresh_token"}, "refresh_token": {c.token.RefreshToken}, "client_id": {c.config.ClientID}})
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusBadRequest {
		c.t.Errorf("its refresh token: %d", res.StatusCode)
	}
}

// A file is uploaded, a client publishes a dashboard over it, and the dashboard
// refreshes when the file is replaced.
func TestStoryOfAnUpload(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	ada := s.founder(t, "ada@example.com", "acme")
	ada.tab("uploads")
	ada.drop("rain.csv", "day,mm\n2026-01-01,3\n2026-01-02,4.5\n", "rain.csv is uploaded.")

	c := ada.connect("Claude Code", "acme")
	c.publish("rain", "Rain", "SELECT sum(mm) AS number FROM upload", c.upload())
	s.exec(t, `UPDATE dataset SET refreshed_at = refreshed_at - interval '1 hour'`) // so that the age visibly changes
	if sum := ada.open("acme", "rain"); sum != "7.5" {
		t.Errorf("the page shows %s", sum)
	}
	const age = `document.querySelector(".fresh time").dateTime`
	before := browsertest.Eval[string](ada.Tab, age)

	ada.Visit(s.app + "/w/acme/uploads")
	ada.click(`.rows a[href$="#replace"]`)
	if named := ada.Text(`section[aria-labelledby="replace"] ul`); named != "Rain" {
		t.Errorf("before the replacement it names %s", named)
	}
	ada.drop("new.csv", "day,mm\n2026-01-01,40\n2026-01-02,2\n", "new.csv has replaced the file. 1 dashboard that reads it refreshes now.")
	c.refreshed("rain")
	if sum := ada.open("acme", "rain"); sum != "42" {
		t.Errorf("after the replacement the page shows %s", sum)
	}
	if after := browsertest.Eval[string](ada.Tab, age); after <= before {
		t.Errorf("the data is shown as of %s, before the replacement of %s", after, before)
	}
}

// A client that is revoked is locked out with its next call; others go on.
func TestStoryOfARevokedClient(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	ada := s.founder(t, "ada@example.com", "acme")
	first, second := ada.connect("Claude Code", "acme"), ada.connect("Codex", "acme")
	for _, c := range []*client{first, second} {
		if got := c.call("check_readiness", nil); got.failed {
			t.Fatal(got.text)
		}
	}
	ada.Visit(s.app + "/w/acme/")
	ada.tab("clients")
	ada.Follow(chromedp.Click(`//form[contains(@action, "/revoke")]/button[contains(., "Claude Code")]`))
	if said := ada.Text(`.flash`); said != "Access of Claude Code is revoked." {
		t.Errorf("it shows %s", said)
	}
	if list := ada.Text(`.rows`); strings.Contains(list, "Claude Code") || !strings.Contains(list, "Codex") {
		t.Errorf("the list shows %s", list)
	}
	first.lockedOut()
	if got := second.call("check_readiness", nil); got.failed || got.data["ready"] != true {
		t.Error(got.text)
	}
}

// An older version is previewed; nothing changes until it is restored.
func TestStoryOfAVersion(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	ada := s.founder(t, "ada@example.com", "acme")
	c := ada.connect("Claude Code", "acme")
	c.publish("answer", "The old answer", "SELECT 41 AS number", nil)
	c.publish("answer", "The new answer", "SELECT 42 AS number", nil)
	const row = `#versions .rows > li:nth-child(2) `

	ada.Visit(s.app + "/w/acme/d/answer")
	ada.click(row + `a[href*="?version="]`)
	if said, number := ada.Text(`.preview`), ada.Text(`.kpi .big`); !strings.HasPrefix(said, "Preview of the version of ") ||
		number != "41" || ada.Text(`h1`) != "The old answer" {
		t.Errorf("the preview has %s and shows %s", said, number)
	}
	ada.click(`.preview a`)
	if number := ada.Text(`.kpi .big`); number != "42" || strings.Contains(ada.source(), "Preview of") {
		t.Errorf("beside the preview the page shows %s", number)
	}

	ada.Visit(s.app + "/w/acme/d/answer")
	ada.press(row + `details:has(form[action$="/restore"]) summary`)
	ada.click(row + `form[action$="/restore"] button`)
	if said := ada.Text(`.flash`); !strings.HasPrefix(said, "The version is restored.") {
		t.Errorf("it shows %s", said)
	}
	versions := browsertest.Eval[[]string](ada.Tab, `[...document.querySelectorAll("#versions .rows > li .what")].map((e) => e.innerText)`)
	if len(versions) != 3 || !strings.Contains(versions[0], "Current") ||
		!strings.Contains(versions[0], "restored") || !strings.Contains(versions[1], "published") {
		t.Errorf("the versions are %q", versions)
	}
	if number := ada.open("acme", "answer"); number != "41" || ada.Text(`h1`) != "The old answer" {
		t.Errorf("after the restore the page shows %s", number)
	}
	ada.Visit(s.app + "/w/acme/d/answer")
	ada.click(row + `a[href*="?version="]`)
	if number := ada.Text(`.kpi .big`); number != "42" {
		t.Errorf("the version that was replaced shows %s", number)
	}
}

// A stranger becomes a member by a link and opens a dashboard; once removed, they lose
// its page, the app and their client at once.
func TestStoryOfAMember(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	ada := s.founder(t, "ada@example.com", "acme")
	ada.connect("Claude Code", "acme").publish("answer", "The answer", "SELECT 42 AS number", nil)
	ada.Visit(s.app + "/w/acme/")
	ada.tab("members")
	ada.fill(`#email`, "bob@work.example")
	ada.click(`form[action$="/members"] button.primary`)
	ada.click(`form[action$="/members/link"] button`)
	link := browsertest.Eval[string](ada.Tab, `document.querySelector('[aria-label="Invitation link"]').firstChild.textContent`)

	bob := s.person(t)
	bob.Visit(link)
	if said := bob.Text(`main`); !strings.Contains(said, "ada@example.com invites you.") || !strings.Contains(said, "The acme") {
		t.Errorf("the invitation shows %s", said)
	}
	bob.click(`main a.button.primary`)
	bob.signIn("bob@home.example")
	bob.click(`form[action="/invitations"] button`)
	bob.click(`.board .what > a`)
	if at, number := bob.Address(), bob.Text(`.kpi .big`); at != s.workspace("acme")+"/answer" || number != "42" {
		t.Errorf("%s shows %s", at, number)
	}
	c := bob.connect("Codex", "acme")
	if got := c.call("get_dashboard", map[string]any{"path": "answer"}); got.failed {
		t.Fatal(got.text)
	}
	bob.open("acme", "answer")

	ada.Visit(s.app + "/w/acme/members")
	ada.Do(chromedp.Click(`//summary[contains(., "Remove") and contains(., "bob@home.example")]`, chromedp.NodeVisible))
	ada.click(`details[open] form[action$="/members/remove"] button`)
	if list := ada.Text(`[aria-label="Members"]`); strings.Contains(list, "bob@") {
		t.Errorf("the members are %s", list)
	}
	c.lockedOut()
	bob.Expect("404")
	if status := bob.Follow(chromedp.Reload()); status != http.StatusNotFound {
		t.Errorf("reloaded, the page is answered %d", status)
	}
	eve := s.person(t).at("/account", "eve@example.com")
	eve.Expect("404")
	eve.Visit(s.workspace("nowhere") + "/nothing")
	if mine, theirs := bob.source(), eve.source(); mine != theirs || !strings.Contains(mine, "Not found") {
		t.Errorf("the page is\n%s\nand a stranger's of nothing is\n%s", mine, theirs)
	}
	if status := bob.Visit(s.app + "/w/acme/"); status != http.StatusNotFound {
		t.Errorf("the app answers %d", status)
	}
}

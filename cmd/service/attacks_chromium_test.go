package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"golang.org/x/net/html"

	"service/server/browsertest"
)

// tab returns a tab of a real browser that accepts the proxy's certificate.
func (r *realm) tab(t *testing.T) *browsertest.Tab {
	t.Helper()
	b := browsertest.Open(t)
	b.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		return target.Call(ctx, "Security.setIgnoreCertificateErrors", map[string]bool{"ignore": true}, nil)
	}))
	return b
}

// enter signs somebody in, in a real browser.
func (r *realm) enter(b *browsertest.Tab, email string) {
	b.Helper()
	b.Visit(r.app + "/sign-in?return_to=/account")
	b.Follow(chromedp.SendKeys(`#email`, email+"\r"))
	if !strings.Contains(b.Text("body"), email) {
		b.Fatalf("%s is not signed in at %s", email, b.Address())
	}
}

// A lureForm is a form of the app, as another page would send it.
type lureForm struct {
	Action string            `json:"action"`
	Fields map[string]string `json:"fields"`
}

// forms returns the filled-in forms of ada's pages.
func (r *realm) forms(t *testing.T) []lureForm {
	t.Helper()
	pages := []string{
		"/account", "/workspaces/new", "/clients", "/w/acme/members", "/w/acme/settings", "/w/acme/uploads",
		"/w/acme/connections/new?kind=postgres", "/w/acme/d/notes", "/w/acme/d/notes/delete",
	}
	pages = append(pages, strings.TrimPrefix(r.request(t, r.ada, r.register(t)).url.String(), r.app))
	values := map[string]string{
		"name": "Mine", "slug": "acme", "email": "mallory@example.com", "role": "owner",
		"workspace": "acme", "decision": "allow", "theme": "dark", "timezone": "Asia/Tokyo",
		"schedule": "1h", "host": "db.evil.example", "user": "x", "label": "Mine", "confirm": "notes",
	}
	var all []lureForm
	seen := map[string]bool{} // by address without ids
	id := regexp.MustCompile(`[0-9a-f-]{36}`)
	for _, path := range pages {
		p := r.ada.get(r.app + path)
		doc, err := html.Parse(strings.NewReader(p.text))
		if err != nil || p.status != http.StatusOK {
			t.Fatal(path, p.status, err)
		}
		for form := range doc.Descendants() {
			if form.Data != "form" || !strings.EqualFold(attr(form, "method"), "post") || seen[id.ReplaceAllString(attr(form, "action"), "")] {
				continue
			}
			seen[id.ReplaceAllString(attr(form, "action"), "")] = true
			f := lureForm{Action: r.app + attr(form, "action"), Fields: map[string]string{}}
			for field := range form.Descendants() {
				if name := attr(field, "name"); name != "" {
					f.Fields[name] = attr(field, "value")
					if values[name] != "" {
						f.Fields[name] = values[name]
					}
				}
			}
			all = append(all, f)
		}
	}
	if len(all) < 15 {
		t.Fatalf("only %d forms were found: %v", len(all), all)
	}
	return all
}

// forge sends every form in every way that a page can, and ends when all are answered.
const forge = `<!doctype html><title>lure</title><script>
const forms = FORMS;
const frame = (make) => new Promise((done) => {
	const f = document.createElement("iframe");
	setTimeout(done, 3000);
	let loads = 0;
	f.onload = () => { if (++loads == 2) { f.remove(); done(); } };
	make(f);
});
const escaped = (s) => s.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
const inputs = (f) => Object.entries(f.fields).map(([k, v]) =>
	'<input type=hidden name="' + escaped(k) + '" value="' + escaped(v) + '">').join("");
async function attack(f) {
	const body = new URLSearchParams(f.fields), parts = new FormData();
	for (const [k, v] of Object.entries(f.fields)) parts.append(k, v);
	parts.append("file", new Blob(["n\n1\n"]), "attack.csv");
	const tries = [
		() => fetch(f.action, {method: "POST", credentials: "include", mode: "no-cors", body}),
		() => fetch(f.action, {method: "POST", credentials: "include", mode: "cors", body}),
		() => fetch(f.action, {method: "POST", credentials: "include", mode: "no-cors", body: body.toString()}),
		() => fetch(f.action, {method: "POST", credentials: "include", mode: "no-cors", body: parts}),
		() => fetch(f.action, {method: "POST", credentials: "include", mode: "cors",
			headers: {"Content-Type": "application/json"}, body: JSON.stringify(f.fields)}),
		() => fetch(f.action, {method: "POST", credentials: "include", mode: "no-cors", referrerPolicy: "no-referrer", body}),
		() => fetch(f.action + "?" + body, {credentials: "include", mode: "no-cors"}),
		() => navigator.sendBeacon(f.action, body),
	];
	await Promise.allSettled(tries.map(async (t) => t()));
	await frame((i) => {
		i.name = "target"; i.srcdoc = "<p>";
		document.body.append(i);
		i.addEventListener("load", () => {
			const form = document.createElement("form");
			form.method = "post"; form.action = f.action; form.target = "target"; form.innerHTML = inputs(f);
			document.body.append(form); form.submit(); form.remove();
		}, {once: true});
	});
	await frame((i) => { // its origin is null
		i.sandbox = "allow-scripts allow-forms";
		i.srcdoc = '<form method=post action="' + escaped(f.action) + '">' + inputs(f) +
			"</form><script>HTMLFormElement.prototype.submit.call(document.forms[0])<" + "/script>";
		document.body.append(i);
	});
}
</script><body>`

// forgeries has ada open mallory's page, which sends all forms of the app with her cookies.
func (r *realm) forgeries(t *testing.T) {
	b := r.tab(t)
	b.Expect("Failed to load resource")
	b.Expect("CORS policy")
	b.Expect("frame")
	r.ada.get(r.app + "/account")
	r.ada.submit("/account/timezone", url.Values{"timezone": {"Europe/Berlin"}}) // otherwise the browser would send its own zone at any time
	r.enter(b, "ada@example.com")
	forms := r.forms(t)
	list, err := json.Marshal(forms)
	if err != nil {
		t.Fatal(err)
	}
	b.Visit(r.lure("/forge", strings.Replace(forge, "FORMS", string(list), 1)))
	before := r.state(t)
	r.visited()
	browsertest.Eval[bool](b, `window.attacks = forms.map(attack), true`)
	for i := range forms { // each gets the time limit of a step
		browsertest.Eval[bool](b, fmt.Sprintf(`attacks[%d].then(() => true)`, i))
	}
	came := r.visited()
	for _, f := range forms {
		path := strings.TrimPrefix(f.Action, r.app)
		if !slices.Contains(came, "POST "+path+" "+r.evil) { // browsers send no session from a sandboxed frame
			t.Errorf("%s was not sent from evil with ada's session: the attack was none", path)
		}
	}
	r.unchanged(t, "mallory's page", before)
	// The same form from the app itself has its effect.
	b.Visit(r.app + "/account")
	browsertest.Eval[int](b,
		`fetch("/account/timezone", {method: "POST", body: new URLSearchParams({timezone: "Asia/Tokyo"})}).then((r) => r.status)`)
	if now := r.state(t); now["account"] == before["account"] {
		t.Error("a form of the app changes nothing, so the attacks prove nothing")
	}
}

// tossed has mallory's page plant cookies for the whole domain, before and after ada
// signs in: she never gets into mallory's account, and stays in her own.
func (r *realm) tossed(t *testing.T) {
	b := r.tab(t)
	b.Expect("400")
	hers := r.cookies(t, r.mallory, r.app)["__Host-session"]
	// Mallory's own sign-in, which only the browser that started it can finish.
	m := r.browser(t)
	p := m.get(r.app + "/sign-in")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url.String(), strings.NewReader("email=mallory@example.com"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	callback := send(t, &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, req).
		header.Get("Location")
	ticket, visit := r.ticket(t, r.mallory, "lair", "/notes")
	r.mallory.get(r.at("lair", "/notes"))

	planted := map[string]string{
		"session": hers, "sign-in": r.cookies(t, m, r.app)["__Host-sign-in"],
		"visit": visit["__Host-visit"], "host": r.cookies(t, r.mallory, r.at("lair", ""))["__Host-host"],
		"flash": base64.RawURLEncoding.EncodeToString([]byte("Call 0900")), "theme": "dark", "workspace": "lair",
	}
	_, port, err := net.SplitHostPort(r.domain)
	if err != nil {
		t.Fatal(err)
	}
	var cookies []string
	for name, value := range planted {
		if value == "" {
			t.Fatalf("there is no cookie %s to plant", name)
		}
		for _, as := range []string{
			"__Host-" + name, "__HOST-" + name, "__Secure-" + name, name, name + "_" + port,
			"=__Host-" + name, "\u2000__Host-" + name, " __Host-" + name,
		} {
			for _, path := range []string{"/", "/account"} { // not so many that browsers drop other cookies, such as ada's
				cookies = append(cookies, as+"="+value+"; Domain=dash.localhost; Secure; Path="+path)
			}
			cookies = append(cookies, as+"="+value+"; Secure; Path=/", as+"="+value+"; Domain=localhost; Secure; Path=/",
				as+"="+value+"; Domain=app.dash.localhost; Secure; Path=/")
		}
	}
	script, err := json.Marshal(cookies)
	if err != nil {
		t.Fatal(err)
	}
	lure := r.lure("/toss", `<!doctype html><title>lure</title><script>for (const c of `+string(script)+`) document.cookie = c</script>`)
	toss := func() {
		t.Helper()
		for plants := range slices.Chunk(cookies, 40) {
			r.plant(plants...)
			b.Visit(lure)
		}
		r.plant()
	}
	// shows opens an address, which must not show anything of mallory's.
	shows := func(address, want string) {
		t.Helper()
		b.Visit(address)
		text := b.Text("body")
		if strings.Contains(text, "mallory") || strings.Contains(text, "0900") ||
			strings.Contains(text, "Lair") || want != "" && !strings.Contains(text, want) {
			t.Errorf("%s shows, and not %s:\n%s", address, want, text)
		}
	}
	toss()
	if n := browsertest.Eval[int](b, `document.cookie.split(";").length`); n < 5 {
		t.Errorf("only %d cookies were planted: the attack was none", n)
	}
	shows(r.app+"/", "Sign in")
	if theme := browsertest.Eval[string](b, `document.documentElement.dataset.theme`); theme != "auto" {
		t.Errorf("the theme is %s", theme)
	}
	shows(callback, "This sign-in is no longer valid")
	shows(ticket, "This link is no longer valid")
	shows(r.app+"/account", "")
	if browsertest.Eval[bool](b, `document.querySelector("form[action^='/account']") !== null`) {
		t.Error("nobody has signed in, and the account page opens")
	}

	r.enter(b, "ada@example.com")
	shows(r.at("acme", "/notes"), canary)
	toss()
	shows(r.app+"/account", "ada@example.com")
	shows(r.app+"/", "Acme")
	shows(r.at("acme", "/notes"), canary)
	shows(r.app+"/account", "ada@example.com")
}

// On this machine's own address there is no TLS, and so no cookie prefix that prevents
// planting, but browsers do not let a host below localhost set a cookie for all of them.
func TestCookiesOfLocalhost(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	mallory := s.browser(t)
	mallory.signIn(s.app+"/", "mallory@example.com")
	app, err := url.Parse(s.app)
	if err != nil {
		t.Fatal(err)
	}
	var cookies []string
	for _, c := range mallory.client.Jar.Cookies(app) {
		cookies = append(cookies, c.Name+"="+c.Value+"; Domain=localhost",
			c.Name+"="+c.Value+"; Domain=.localhost; Path=/account", c.Name+"="+c.Value)
	}
	if !strings.HasPrefix(strings.Join(cookies, "\n"), "session_") && !strings.Contains(strings.Join(cookies, "\n"), "\nsession_") {
		t.Fatalf("no session to plant: %s", cookies)
	}
	script, err := json.Marshal(cookies)
	if err != nil {
		t.Fatal(err)
	}
	sibling := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, c := range cookies {
			w.Header().Add("Set-Cookie", c)
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>lure</title><script>for (const c of %s) document.cookie = c</script>", script)
	}))
	t.Cleanup(sibling.Close)
	b := browsertest.Open(t)
	lure := strings.Replace(sibling.URL, "127.0.0.1", "evil.localhost", 1)
	b.Visit(lure)
	if n := browsertest.Eval[int](b, `document.cookie.split(";").length`); n < 2 {
		t.Errorf("only %d cookies were planted: the attack was none", n)
	}
	b.Visit(s.app + "/")
	if text := b.Text("body"); strings.Contains(text, "mallory") || !strings.Contains(text, "Sign in") {
		t.Errorf("signed out, the app shows\n%s", text)
	}
	b.Visit(s.app + "/sign-in?return_to=/account")
	b.Follow(chromedp.SendKeys(`#email`, "ada@example.com\r"))
	b.Visit(lure)
	b.Visit(s.app + "/account")
	if text := b.Text("body"); strings.Contains(text, "mallory") || !strings.Contains(text, "ada@example.com") {
		t.Errorf("signed in as ada, the app shows\n%s", text)
	}
}

// framed has mallory's page show ada's pages in frames.
func (r *realm) framed(t *testing.T) {
	b := r.tab(t)
	b.Expect("frame")
	b.Expect("Failed to load resource")
	r.enter(b, "ada@example.com")
	b.Visit(r.at("acme", "/notes")) // signs in there
	consent := r.request(t, r.ada, r.register(t)).url.String()
	addresses := []string{
		consent, r.app + "/account", r.app + "/w/acme/members", r.app + "/w/acme/settings",
		r.app + "/nothing", r.app + "/visit", r.at("acme", "/notes"), r.at("acme", "/nothing"),
		r.at("acme", "/data/data.csv"), r.at("acme", "/.session"), r.mcp + "/authorize", r.mcp + "/nothing", r.app + "/sign-out",
	}
	page := "<!doctype html><title>lure</title>"
	for _, address := range addresses {
		page += `<iframe src="` + html.EscapeString(address) + `"></iframe>`
	}
	r.visited()
	b.Visit(r.lure("/frames", page))
	type frame struct {
		Frame struct {
			URL         string `json:"url"`
			Unreachable string `json:"unreachableUrl"`
		} `json:"frame"`
		Children []frame `json:"childFrames"`
	}
	var tree struct {
		Tree frame `json:"frameTree"`
	}
	b.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		return target.Call(ctx, "Page.getFrameTree", nil, &tree)
	}))
	if len(tree.Tree.Children) != len(addresses) {
		t.Fatalf("%d frames: %+v", len(tree.Tree.Children), tree)
	}
	for i, child := range tree.Tree.Children {
		if child.Frame.Unreachable == "" && child.Frame.URL != "about:blank" &&
			child.Frame.URL != "" && !strings.HasPrefix(child.Frame.URL, "chrome-error:") {
			t.Errorf("%s is shown in a frame: %+v", addresses[i], child)
		}
	}
	if !slices.Contains(r.visited(), "GET /consent") {
		t.Error("the consent page was not asked for with ada's session: the attack was none")
	}
}

// ran has ada open dashboards that were published to run scripts, and go back to pages
// that she saw when she was signed in.
func (r *realm) ran(t *testing.T) {
	b := r.tab(t)
	r.enter(b, "ada@example.com")
	b.Visit(r.at("acme", "/hostile"))
	if got := browsertest.Eval[[]string](b, `(async () => {
		for (const a of document.querySelectorAll("main a"))
			if (!a.getAttribute("href") || !/^(\?|#|\/|https:)/.test(a.getAttribute("href"))) a.click();
		await new Promise((done) => setTimeout(done, 200));
		return [document.title, location.href,
			String(document.querySelectorAll("main form input[name=password], iframe, object, embed, base").length)];
	})()`); got[0] == "ran" || got[1] != r.at("acme", "/hostile") || got[2] != "0" {
		t.Errorf("the page ran: %s", got)
	}
	file := `fetch("/data/data.csv").then((r) => r.headers.get("Content-Disposition") + " " + r.headers.get("Content-Type"))`
	if got := browsertest.Eval[string](b, file); got != "attachment; filename=data.csv text/csv; charset=utf-8" {
		t.Errorf("the file is %s", got)
	}

	b.Visit(r.request(t, r.ada, r.register(t)).url.String())
	if text := b.Text("body"); !strings.Contains(text, "ada@example.com") || !strings.Contains(text, "Acme") {
		t.Fatalf("the consent page shows\n%s", text)
	}
	b.Visit(r.app + "/account")
	b.Do(chromedp.Click(`details.push summary`))
	b.Follow(chromedp.Click(`form[action="/sign-out"] button`))
	for range 2 {
		b.Do(chromedp.NavigateBack())
		if text := b.Text("body"); strings.Contains(text, "ada@example.com") || strings.Contains(text, "Acme") {
			t.Errorf("after the sign-out, going back to %s shows\n%s", b.Address(), text)
		}
	}
}

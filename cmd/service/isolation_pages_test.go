package main

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// addresses returns the addresses of pages of the foreign workspace, and of things that do not exist.
func (v *vault) addresses(a aim) []string {
	return []string{
		"/" + a.slug, "/" + a.slug + "/index.html", "/" + a.slug + "/data.csv", "/" + a.slug + "?panel=0&format=csv",
		"/" + a.slug + "?version=" + a.version, "/" + a.slug + "?format=csv&panel=0&version=" + a.version,
	}
}

// strange fails the test unless a browser gets the 404 page from the whole host, the
// same as from a workspace that does not exist.
func (v *vault) strange(t *testing.T, b *browser) {
	t.Helper()
	want := b.get(v.workspace("nowhere") + "/nothing")
	all := slices.Concat(v.addresses(v.there), v.addresses(v.files), v.addresses(missing),
		[]string{"/former", "/former/index.html", "/" + hiddenSlug, "/"})
	for _, path := range all {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			req, err := http.NewRequestWithContext(t.Context(), method, v.workspace("vault")+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Range", "bytes=0-99")
			got := b.do(req)
			if method == http.MethodHead {
				got.text = want.text
			}
			if got.status != 404 || got.visible() != want.visible() {
				t.Errorf("%s %s: %s\nbut of what does not exist: %s", method, path, got.visible(), want.visible())
			}
			clean(t, path, got.text)
		}
	}
}

func (p page) visible() string { return reply{p.status, p.header, p.text}.visible() }

func (v *vault) pages(t *testing.T) {
	for _, a := range []aim{v.there, v.files} { // members can open them
		if got := v.bob.get(v.workspace("vault") + "/" + a.slug); got.status != 200 || !strings.Contains(got.text, canary) {
			t.Fatalf("/%s for a member: %d", a.slug, got.status)
		}
	}
	if got := v.bob.get(v.workspace("vault") + "/secrets?panel=0&format=csv"); got.status != 200 ||
		!strings.Contains(got.text, canary+" north") {
		t.Fatalf("CSV for a member: %d %s", got.status, got.text)
	}
	v.strange(t, v.ada)

	// A signed-out visitor is redirected before anything is looked up.
	nobody := &http.Client{
		Transport:     v.ada.client.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	ask := func(host, path string) string {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.workspace(host)+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := send(t, nobody, req)
		if to, err := url.Parse(r.header.Get("Location")); err != nil ||
			r.status != http.StatusFound || to.Query().Get("to") != v.workspace(host)+path {
			t.Errorf("signed out, %s: %d %v", path, r.status, r.header)
		}
		clean(t, path, r.visible())
		r.header.Del("Set-Cookie") // random
		r.header.Del("Location")   // names the requested address, and a nonce
		r.header.Del("Content-Length")
		return r.visible()
	}
	want := ask("nowhere", "/nothing")
	for _, path := range append(v.addresses(v.there), "/former", "/nothing") {
		if got := ask("vault", path); got != want {
			t.Errorf("signed out, %s:\n%s\nbut of what does not exist:\n%s", path, got, want)
		}
	}
}

// screens visits the app and the pages as a member, and then has a stranger open every
// address and send every form that was found.
func (v *vault) screens(t *testing.T) {
	found, forms := v.walk(t, v.vic)
	if len(found) < 12 || len(forms) < 5 {
		t.Fatalf("found only %d pages and %d forms: %s %s", len(found), len(forms), found, forms)
	}
	elsewhere := strings.NewReplacer("/w/vault", "/w/other", "//vault.", "//other.")
	for _, address := range found {
		got, want := v.ada.get(address), v.ada.get(elsewhere.Replace(address))
		if got.status != 404 || elsewhere.Replace(got.visible()) != want.visible() { // answers repeat their own address
			t.Errorf("a stranger opens %s: %s\nbut of what does not exist: %s", address, got.visible(), want.visible())
		}
		if !strings.Contains(address, canary) && !strings.Contains(address, hiddenSlug) { // unless the request itself has it
			clean(t, address, got.visible())
		}
	}
	for _, action := range forms {
		got := v.ada.send(action, url.Values{"confirm": {"secrets"}})
		want := v.ada.send(elsewhere.Replace(action), url.Values{"confirm": {"secrets"}})
		if got.status != 404 || elsewhere.Replace(got.visible()) != want.visible() { // answers repeat their own address
			t.Errorf("a stranger sends a form to %s: %s\nbut of what does not exist: %s", action, got.visible(), want.visible())
		}
		clean(t, action, got.visible())
	}
	for _, address := range []string{"/", "/connect", "/clients", "/account"} {
		clean(t, address, v.ada.get(v.app+address).text)
	}
}

// walk follows all links into vault, and returns them and the actions of forms.
func (v *vault) walk(t *testing.T, b *browser) (found, forms []string) {
	t.Helper()
	queue := []string{v.app + "/"}
	seen := map[string]bool{queue[0]: true}
	for len(queue) > 0 {
		address := queue[0]
		queue = queue[1:]
		p := b.get(address)
		if p.status != 200 {
			t.Errorf("a link to %s: %d", address, p.status)
		}
		if strings.Contains(address, "vault") {
			found = append(found, address)
		}
		if !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
			continue
		}
		if len(found) > 200 {
			t.Fatal("too many pages")
		}
		doc, err := html.Parse(strings.NewReader(p.text))
		if err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			link := attr(n, "href")
			if n.Data == "form" {
				link = attr(n, "action")
			} else if n.Data != "a" {
				continue
			}
			to, err := p.url.Parse(link)
			if err != nil {
				t.Fatal(err)
			}
			to.Fragment = ""
			if !strings.HasPrefix(to.Path, "/w/vault") && !strings.HasPrefix(to.Host, "vault.") || seen[to.String()] {
				continue
			}
			seen[to.String()] = true
			if n.Data == "form" && strings.EqualFold(attr(n, "method"), "post") {
				forms = append(forms, to.String())
			} else {
				queue = append(queue, to.String())
			}
		}
	}
	return found, forms
}

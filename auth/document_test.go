package auth_test

import (
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"service/auth"
)

// documents is a world with a site that has the document of a client.
type documents struct {
	*world
	url   string // of the site
	asked atomic.Int32
	serve atomic.Pointer[http.HandlerFunc]
}

func newDocuments(t *testing.T) *documents {
	t.Helper()
	d := &documents{}
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.asked.Add(1)
		(*d.serve.Load())(w, r)
	}))
	t.Cleanup(site.Close)
	d.url = site.URL
	d.world = setup(t, func(c *auth.Config) {
		c.ClientDocuments, c.DocumentClient = true, site.Client()
		c.DocumentClient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	})
	return d
}

func (d *documents) document(id string, other map[string]any) map[string]any {
	doc := map[string]any{
		"client_id": id, "client_name": "Agent", "redirect_uris": []string{"http://127.0.0.1/callback"},
		"grant_types": []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"}, "token_endpoint_auth_method": "none",
	}
	maps.Copy(doc, other)
	maps.DeleteFunc(doc, func(_ string, v any) bool { return v == nil })
	return doc
}

func (d *documents) answers(kind string, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		d.t.Fatal(err)
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write(raw)
	})
	d.serve.Store(&h)
}

// A client that nobody registered is authorized by the document at the address that is its id.
func TestClientDocuments(t *testing.T) {
	t.Parallel()
	d := newDocuments(t)
	id := d.url + "/client.json"
	d.answers("application/json; charset=utf-8", http.StatusOK, d.document(id, nil))
	b := d.signedIn(t, "ana@example.com")
	d.workspace(t, "acme", "ana@example.com")
	c := d.client(t)
	c.id, c.redirect = id, "http://127.0.0.1:4567/callback"
	handle := b.follow(b.get(c.authorizeURL()))
	if handle.StatusCode != http.StatusOK || !strings.Contains(handle.body, "Agent (127.0.0.1:") {
		t.Fatalf("status %d: %s", handle.StatusCode, handle.body)
	}
	p := c.pair(c.redeem(c.code(b, "acme")))
	if who := d.call(t, p.access).json(t); who["client"] != id || who["workspace"] != "acme" {
		t.Errorf("%v", who)
	}
	if n := d.asked.Load(); n != 1 {
		t.Errorf("the document was fetched %d times within minutes", n)
	}
	// Its site is not needed for tokens that were given.
	d.answers("text/html", http.StatusInternalServerError, "")
	d.clock.advance(11 * time.Minute)
	p = c.pair(c.refresh(p.refresh))
	wantStatus(t, "a call", d.call(t, p.access), http.StatusOK)
	wantStatus(t, "a new authorization", b.get(c.authorizeURL()), http.StatusUnauthorized)
	// A redirect URI that the document no longer has is not used.
	d.answers("application/json", http.StatusOK, d.document(id, map[string]any{"redirect_uris": []string{"https://new.example/cb"}}))
	wantStatus(t, "an old redirect URI", b.get(c.authorizeURL()), http.StatusBadRequest)
	meta := do(t, d.http, request(t, http.MethodGet, d.base+"/.well-known/oauth-authorization-server", nil)).json(t)
	if meta["client_id_metadata_document_supported"] != true {
		t.Errorf("%v", meta)
	}
}

// Unclear documents and addresses are of nobody.
func TestClientDocumentsRefused(t *testing.T) {
	t.Parallel()
	d := newDocuments(t)
	id := d.url + "/client.json"
	c := d.client(t)
	b := d.browser(t)
	refused := func(name, id string) {
		t.Helper()
		c.id = id
		wantStatus(t, name, b.get(c.authorizeURL()), http.StatusUnauthorized)
	}
	for name, other := range map[string]map[string]any{
		"another id":         {"client_id": d.url + "/other.json"},
		"a similar id":       {"client_id": id + "/"},
		"no id":              {"client_id": nil},
		"a secret":           {"client_secret": "x"},
		"a method":           {"token_endpoint_auth_method": "client_secret_post"},
		"a key":              {"token_endpoint_auth_method": "private_key_jwt"},
		"no redirect":        {"redirect_uris": nil},
		"a script":           {"redirect_uris": []string{"javascript:alert(1)"}},
		"another grant":      {"grant_types": []string{"client_credentials"}},
		"another response":   {"response_types": []string{"token"}},
		"too large":          {"x": strings.Repeat("x", 16<<10)},
		"a name of a number": {"client_name": 7},
	} {
		d.answers("application/json", http.StatusOK, d.document(id, other))
		refused(name, id)
	}
	good := d.document(id, nil)
	d.answers("text/html", http.StatusOK, good)
	refused("another type", id)
	d.answers("application/json", http.StatusNotFound, good)
	refused("not found", id)
	redirects := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) })
	d.serve.Store(&redirects)
	refused("a redirect", id)
	d.answers("application/json", http.StatusOK, good)
	before := d.asked.Load()
	host := strings.TrimPrefix(d.url, "https://")
	for _, address := range []string{
		d.url, d.url + "/", id + "?a=b", id + "?", id + "#f", "https://user@" + host + "/client.json", d.url + "/a/../client.json",
		d.url + "/./client.json", d.url + "//client.json", "http://" + host + "/client.json", "HTTPS://" + host + "/client.json",
		d.url + "/" + strings.Repeat("x", 500), "https:///client.json", "https://" + host + "/%2e%2e/client.json\x00",
	} {
		refused(address, address)
	}
	if d.asked.Load() != before {
		t.Error("an address that is refused was fetched")
	}
	// A registration cannot be replaced by a document, nor is a document fetched to exchange tokens.
	c.id = id
	wantError(t, "a token for a client that was never authorized", c.refresh("svc_rt_x"), http.StatusUnauthorized, "invalid_client")
	if d.asked.Load() != before {
		t.Error("the token endpoint fetched a document")
	}
}

// Documents are fetched from public addresses only, and only if the operator allows it.
func TestClientDocumentsAreGuarded(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			_ = conn.Close()
		}
	}()
	site := "https://" + listener.Addr().String()
	for _, on := range []bool{true, false} {
		w := setup(t, func(c *auth.Config) { c.ClientDocuments = on; c.AllowPrivateIssuers = true })
		c := w.client(t)
		for _, host := range []string{site, strings.Replace(site, "127.0.0.1", "localhost", 1), "https://[::1]:1", "https://169.254.169.254"} {
			c.id = host + "/client.json"
			wantStatus(t, c.id, w.browser(t).get(c.authorizeURL()), http.StatusUnauthorized)
		}
		meta := do(t, w.http, request(t, http.MethodGet, w.base+"/.well-known/oauth-authorization-server", nil)).json(t)
		if (meta["client_id_metadata_document_supported"] == true) != on {
			t.Errorf("on %t: %v", on, meta)
		}
	}
	if asked.Load() != 0 {
		t.Error("a private address was asked")
	}
}

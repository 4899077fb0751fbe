package authtest

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"service/auth"
	"service/auth/devidp"
	"service/store"
)

// A Site is one listener for all hosts below localhost, which are distinguished by the Host header as
// in production.
type Site struct {
	Handler   http.Handler // must be set before the first request
	Auth      *auth.Server // the test mounts its handlers
	Domain    string       // of dashboards: localhost and the port
	Base, App string       // origins of the MCP host and of the app
}

// New starts a site, and an identity provider that lets anybody sign in. Both stop with
// the test. now may be nil for the machine's time.
func New(t testing.TB, s *store.Store, now func() time.Time) *Site {
	t.Helper()
	site := &Site{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { site.Handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	site.Domain = "localhost:" + port
	site.Base, site.App = "http://"+site.Domain, "http://app."+site.Domain
	site.Auth, err = auth.New(t.Context(), auth.Config{
		BaseURL: site.Base, AppURL: site.App, DashboardDomain: site.Domain, OIDC: provider(t, site.App+"/sign-in/callback"),
		Store: s, Log: slog.New(slog.DiscardHandler), Now: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// provider starts an identity provider that knows one client.
func provider(t testing.TB, callback string) auth.OIDC {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	at := auth.OIDC{Issuer: "http://" + server.Listener.Addr().String(), ClientID: "service", ClientSecret: "secret"}
	idp, err := devidp.New(devidp.Config{
		Issuer: at.Issuer, ClientID: at.ClientID, ClientSecret: at.ClientSecret, RedirectURIs: []string{callback},
	})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = idp
	server.Start()
	t.Cleanup(server.Close)
	return at
}

// Browser returns a client that keeps cookies, and follows redirects.
func Browser(t testing.TB) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, Transport: Transport(t), Timeout: 30 * time.Second}
}

// Transport returns a transport that connects to this machine for every host below
// localhost.
func Transport(t testing.TB) *http.Transport {
	transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if host, port, err := net.SplitHostPort(addr); err == nil && strings.HasSuffix(host, "localhost") {
			addr = net.JoinHostPort("127.0.0.1", port)
		}
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

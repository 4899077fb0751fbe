package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"service/auth/authtest"
	"service/auth/devidp"
)

// A proxy is a program that docs/operations/proxies has an example for.
type proxy struct {
	program string
	files   []string // its examples
	brought bool     // by .ci/programs
	// start writes the files with the ports of a test to a folder, and returns the command that serves them.
	start func(p *proxied) []string
}

var proxies = []proxy{
	{"nginx", []string{"nginx.conf"}, true, func(p *proxied) []string {
		user := ""
		if os.Geteuid() == 0 {
			user = "user root;\n"
		}
		temps := ""
		for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
			temps += fmt.Sprintf("  %s_temp_path %s/%s;\n", kind, p.dir, kind)
		}
		p.write("main.conf", user+"daemon off;\npid "+p.dir+"/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\n  access_log off;\n"+
			temps+"  include "+p.dir+"/nginx.conf;\n}\n")
		return []string{"-c", p.dir + "/main.conf", "-p", p.dir}
	}},
	{"caddy", []string{"Caddyfile"}, true, func(p *proxied) []string {
		file := filepath.Join(p.dir, "Caddyfile")
		site, err := os.ReadFile(file)
		if err != nil {
			p.t.Fatal(err)
		}
		p.write("Caddyfile", "{\n\tadmin off\n\thttp_port "+p.plain+"\n\thttps_port "+p.secure+"\n}\n"+string(site))
		return []string{"run", "--config", file}
	}},
	{"traefik", []string{"traefik.yaml", "service.yaml"}, false, func(p *proxied) []string {
		return []string{"--configFile=" + p.dir + "/traefik.yaml"}
	}},
}

// proxied is a site behind a proxy.
type proxied struct {
	t                    *testing.T
	dir                  string
	plain, secure, inner string // ports
}

func (p *proxied) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// Each example of a proxy carries a person and a client through all that the service does: sign-in, consent, the largest publish, a page
// whose address is long. A proxy that does not pass on the Host header gets the name of the setting.
func TestProxies(t *testing.T) {
	t.Parallel()
	named := []string{"README.md"}
	for _, x := range proxies {
		named = append(named, x.files...)
	}
	files, err := os.ReadDir("../../docs/operations/proxies")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(named, f.Name()) {
			t.Errorf("%s is not tried", f.Name())
		}
	}
	for _, x := range proxies {
		t.Run(x.program, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(x.program)
			if err != nil {
				if x.brought && os.Getenv("CI") == "true" {
					t.Fatalf("%s is not installed: .ci/programs brings it", x.program)
				}
				t.Skipf("%s is not installed", x.program)
			}
			p := &proxied{t: t, dir: dataDir(t), plain: freePort(t), secure: freePort(t), inner: freePort(t)}
			roots := p.certify()
			for _, name := range x.files {
				text := string(readFile(t, "docs/operations/proxies/"+name))
				for _, r := range [][2]string{
					{"127.0.0.1:8080", "127.0.0.1:" + p.inner},
					{"listen 80;", "listen 127.0.0.1:" + p.plain + ";"},
					{"listen 443 ", "listen 127.0.0.1:" + p.secure + " "},
					{`":80"`, `"127.0.0.1:` + p.plain + `"`},
					{`":443"`, `"127.0.0.1:` + p.secure + `"`},
					{"/etc/ssl/service/", p.dir + "/"},
					{"/etc/traefik/", p.dir + "/"},
				} {
					text = strings.ReplaceAll(text, r[0], r[1])
				}
				p.write(name, text)
			}
			cmd := exec.CommandContext(t.Context(), program, x.start(p)...)
			cmd.Env = append(os.Environ(), "HOME="+p.dir, "XDG_DATA_HOME="+p.dir, "XDG_CONFIG_HOME="+p.dir)
			var log output
			cmd.Stdout, cmd.Stderr = &log, &log
			cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = cmd.Wait() // ended by the signal
				if t.Failed() {
					t.Logf("%s:\n%s", x.program, &log)
				}
			})
			p.journey(roots)
		})
	}
}

// certify writes a certificate for the names of the examples, and returns what verifies it.
func (p *proxied) certify() *x509.CertPool {
	p.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "proxies"}, NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"mcp.example.com", "*.dashboards.example.com"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		p.t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		p.t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	p.write("fullchain.pem", string(cert))
	p.write("privkey.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	return pool
}

func (p *proxied) journey(roots *x509.CertPool) {
	t := p.t
	idp := httptest.NewUnstartedServer(nil)
	issuer := "http://" + idp.Listener.Addr().String()
	provider, err := devidp.New(devidp.Config{
		Issuer: issuer, ClientID: "service", ClientSecret: "secret",
		RedirectURIs: []string{"https://app.dashboards.example.com/sign-in/callback"},
	})
	if err != nil {
		t.Fatal(err)
	}
	idp.Config.Handler = provider
	idp.Start()
	t.Cleanup(idp.Close)
	s := startSiteOn(t, p.inner, []string{"serve"},
		"SERVICE_BASE_URL=https://mcp.example.com", "SERVICE_DASHBOARD_DOMAIN=dashboards.example.com",
		"SERVICE_OIDC_ISSUER="+issuer, "SERVICE_OIDC_CLIENT_ID=service", "SERVICE_OIDC_CLIENT_SECRET=secret",
		"SERVICE_SECRET_KEY="+someKey, "SERVICE_TRUSTED_PROXIES=127.0.0.1", "SERVICE_OPS_ADDR=127.0.0.1:"+freePort(t))
	s.base, s.app = "https://mcp.example.com", "https://app.dashboards.example.com"
	transport := authtest.Transport(t)
	transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		host, port, _ := net.SplitHostPort(addr)
		if strings.HasSuffix(host, ".example.com") {
			addr = "127.0.0.1:" + map[string]string{"443": p.secure, "80": p.plain}[port]
		}
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	s.via = transport
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	eventually(t, func() error {
		res, err := client.Get(s.base + "/healthz")
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if body, err := io.ReadAll(res.Body); err != nil || string(body) != "ok" {
			return fmt.Errorf("%s %q %w", res.Status, body, err)
		}
		return nil
	})
	res, err := client.Get("http://app.dashboards.example.com/sign-in?x=1")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if to := strings.Replace(res.Header.Get("Location"), ":"+p.secure, "", 1); res.StatusCode != 308 ||
		to != "https://app.dashboards.example.com/sign-in?x=1" {
		t.Errorf("http leads to %s (%d)", to, res.StatusCode)
	}

	ada := s.browser(t)
	ada.signIn(s.app+"/", "ada@example.com")
	ada.submit("/workspaces", url.Values{"name": {"Acme"}, "slug": {"acme"}})
	c := s.connect(t, ada, "acme")
	if got := c.call("publish_dashboard", map[string]any{
		"path": "large/a.txt", "content_type": "text/plain", "body": strings.Repeat("\x01", 5<<20),
	}); got.failed || !strings.Contains(got.text, "https://acme.dashboards.example.com/large") {
		t.Errorf("the largest publish: %.500s", got.text)
	}
	if got := c.call("publish_dashboard", map[string]any{"path": "page", "body": "# A page"}); got.failed {
		t.Error(got.text)
	}
	for _, n := range []int{5_000, 60_000} { // the first is redirected to sign in, and back
		if got := ada.get("https://acme.dashboards.example.com/page?f.city=" + strings.Repeat("x", n)); got.status != 200 ||
			!strings.Contains(got.text, "A page") {
			t.Errorf("a page with an address of %d bytes: %d %.500s", n, got.status, got.text)
		}
	}

	// As nginx passes requests on without proxy_set_header.
	direct, err := http.NewRequest(http.MethodGet, "http://127.0.0.1:"+p.inner+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	direct.Host = "service"
	res, err = http.DefaultClient.Do(direct)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != 404 || !strings.Contains(string(body), "SERVICE_DASHBOARD_DOMAIN") {
		t.Errorf("another Host: %d %s %v", res.StatusCode, body, err)
	}

	// The health checks of the image fit an https base URL, which no request from this machine has.
	in := &installation{t: t, environ: s.environ}
	if got := in.must("healthcheck"); got != "ok\n" {
		t.Errorf("healthcheck: %q", got)
	}
	if got := in.must("healthcheck", "--ready"); !strings.Contains(got, `"ready":true`) {
		t.Errorf("healthcheck --ready: %q", got)
	}
}

package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// probed is the address that a child process of TestProbeUsesNoProxy asks.
const probed = "TEST_PROBED"

// TestProbeUsesNoProxy: healthcheck asks the server itself, even if the environment names a proxy and the server listens on an address for
// which proxies are used, unlike loopback ones.
func TestProbeUsesNoProxy(t *testing.T) {
	if addr := os.Getenv(probed); addr != "" { // a process of its own, because programs read the variables of proxies once
		var out bytes.Buffer
		if err := probe(t.Context(), addr, "/healthz", "localhost", &out); err != nil {
			t.Fatal(err)
		}
		fmt.Println(out.String())
		return
	}
	answers := func(addr, text string) string {
		l, err := net.Listen("tcp", net.JoinHostPort(addr, "0"))
		if err != nil {
			t.Skipf("%s cannot be listened on: %v", addr, err)
		}
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }))
		s.Listener.Close()
		s.Listener = l
		s.Start()
		t.Cleanup(s.Close)
		return l.Addr().String()
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	own := ""
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && !ip.IP.IsLinkLocalUnicast() {
			own = ip.IP.String()
		}
	}
	if own == "" {
		t.Skip("this machine has only loopback addresses")
	}
	child := exec.Command(os.Args[0], "-test.run=^TestProbeUsesNoProxy$")
	server, proxy := answers(own, "the server"), answers("127.0.0.1", "the proxy")
	child.Env = append(os.Environ(), probed+"="+server, "HTTP_PROXY=http://"+proxy, "NO_PROXY=")
	if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), "the server") {
		t.Errorf("%v\n%s", err, out)
	}
}

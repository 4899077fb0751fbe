package rest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"service/store/sqltext"
	"service/store/warehouse"
)

// TestFetchIsGuarded: a host of a known storage service whose name leads to a private address is not reached, and neither is any other
// host.
func TestFetchIsGuarded(t *testing.T) {
	t.Parallel()
	var met atomic.Int32
	inside := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { met.Add(1) }))
	defer inside.Close()
	var asked atomic.Int32
	dns := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		asked.Add(1)
		client, server := net.Pipe()
		go loopback(server)
		return client, nil
	}}
	at := netip.MustParseAddrPort(inside.Listener.Addr().String())
	target := warehouse.Target{Host: "127.0.0.1", Port: int(at.Port()), TLS: warehouse.TLSOff}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	s := open(ctx, nil, target, warehouse.Dialer{Resolver: dns})
	for address, class := range map[string]warehouse.Class{
		"https://rows.amazonaws.com/a":         warehouse.Connect, // dialled, and refused
		"https://rows.example.com/a":           warehouse.Refused,
		"https://amazonaws.com.example.com/a":  warehouse.Refused,
		"https://127.0.0.1/a":                  warehouse.Refused,
		"http://rows.amazonaws.com/a":          warehouse.Refused,
		"https://rows.amazonaws.com:8443/a":    warehouse.Refused,
		"https://u:p@rows.amazonaws.com/a":     warehouse.Failed,
		"https://rows.amazonaws.com/a#b":       warehouse.Failed,
		"ftp://rows.amazonaws.com/a":           warehouse.Refused,
		"/a":                                   warehouse.Refused,
		"https://[::ffff:169.254.169.254]/a":   warehouse.Refused,
		"https://rows.amazonaws.com.\u2024x/a": warehouse.Refused,
	} {
		_, err := s.Fetch(address, "amazonaws.com")
		bad, ok := errors.AsType[*warehouse.Error](s.translate(err))
		if !ok || bad.Class != class || class == warehouse.Connect && !strings.Contains(bad.Message, "private or local address") {
			t.Errorf("%s: %v, want class %s", address, err, class)
		}
	}
	if met.Load() > 0 || asked.Load() == 0 {
		t.Errorf("%d requests have arrived, %d names were asked for", met.Load(), asked.Load())
	}
}

// loopback answers questions of DNS over a stream with 127.0.0.1.
func loopback(conn net.Conn) {
	defer conn.Close()
	for {
		head := make([]byte, 2)
		if _, err := conn.Read(head); err != nil {
			return
		}
		question := make([]byte, int(head[0])<<8|int(head[1]))
		if _, err := conn.Read(question); err != nil {
			return
		}
		end := 12
		for question[end] != 0 {
			end += int(question[end]) + 1
		}
		end += 5
		answer := append([]byte{question[0], question[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, question[12:end]...)
		if question[end-3] == 1 { // an address of IPv4
			answer[7] = 1
			answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1)
		}
		if _, err := conn.Write(append([]byte{byte(len(answer) >> 8), byte(len(answer))}, answer...)); err != nil {
			return
		}
	}
}

// TestZoned: calls of current_timezone() become the zone, wherever a call can be and nowhere else, and lines stay the same.
func TestZoned(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"SELECT current_timezone()":                            "SELECT 'Europe/Berlin'",
		"SELECT f(m, CURRENT_TIMEZONE ( ))\nFROM t":            "SELECT f(m, 'Europe/Berlin')\nFROM t",
		"SELECT 'current_timezone()', a -- current_timezone()": "SELECT 'current_timezone()', a -- current_timezone()",
		"SELECT current_timezone, t.current_timezone()":        "SELECT current_timezone, t.current_timezone()",
		"SELECT `current_timezone`()":                          "SELECT `current_timezone`()",
	} {
		if got, err := Zoned(sql, sqltext.Databricks, "Europe/Berlin"); got != want || err != nil {
			t.Errorf("%s: %s, %v", sql, got, err)
		}
	}
	for _, zone := range []string{"Mars/Olympus_Mons", "'; DROP TABLE orders; --", "../../etc/passwd"} {
		if sql, err := Zoned("SELECT 1", sqltext.Databricks, zone); err == nil || !strings.Contains(err.Error(), "time zone") {
			t.Errorf("%s: %s, %v", zone, sql, err)
		}
	}
}

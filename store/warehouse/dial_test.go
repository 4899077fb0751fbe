package warehouse_test

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"service/store/warehouse"
)

// trap is a listener that must get no connection.
func trap(t *testing.T) (port string, caught func() bool) {
	t.Helper()
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var any bool
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Close()
			mu.Lock()
			any = true
			mu.Unlock()
		}
	}()
	t.Cleanup(func() { l.Close() })
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port, func() bool { mu.Lock(); defer mu.Unlock(); return any }
}

// refused dials, and reports whether the address was refused as private without an attempt to connect.
func refused(t *testing.T, d warehouse.Dialer, host, port string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if err == nil {
		conn.Close()
		return false
	}
	known := warehouse.DialError(err)
	return known != nil && strings.Contains(known.Message, "private or local address")
}

func TestPrivateAddressesAreNotDialled(t *testing.T) {
	t.Parallel()
	port, caught := trap(t)
	for _, host := range []string{
		"127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1",
		"100.64.0.1", "169.254.1.1",
		"169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16", "198.18.0.1", "192.0.2.1", "198.51.100.1",
		"203.0.113.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255",
		"::", "::1", "fe80::1", "fe80::1%lo", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "2001:db8::1", "2002:7f00:1::", "2001:0:7f00:1::",
		"64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1",
		"64:ff9b::10.0.0.1", "64:ff9b:1:7f00:1::", "2002:a9fe:a9fe::1", "2002:c0a8:101::", "::ffff:0:127.0.0.1", "::ffff:0:a9fe:a9fe",
		"fe80::5efe:7f00:1", "fe80::a9fe:a9fe%eth0", "::1%lo", "::ffff:127.0.0.1%lo",
		"3fff::1", "2001:2::1", "100::1", "5f00::1", "192.88.99.1",
		"::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "::ffff:192.168.1.1",
		"0:0:0:0:0:ffff:7f00:0001", "::127.0.0.1", "::ffff:0.0.0.0",
	} {
		if _, err := netip.ParseAddr(host); err != nil {
			t.Fatal(err)
		}
		if !refused(t, warehouse.Dialer{}, host, port) {
			t.Errorf("%s was tried", host)
		}
	}
	if caught() {
		t.Error("the listener was reached")
	}
}

// TestForeignFormsOfAddresses: some texts that other programs read as addresses are names here. If a resolver returns an address for one,
// that address is checked.
func TestForeignFormsOfAddresses(t *testing.T) {
	t.Parallel()
	port, caught := trap(t)
	for _, host := range []string{
		"2130706433", "0x7f000001", "017700000001", "0177.0.0.1", "0x7f.0.0.1", "127.1", "127.0.1", "2852039166", "0xa9fea9fe",
		"0251.0376.0251.0376", "127.0.0.1.", "localhost", "localhost.", "LOCALHOST",
		"①②⑦.0.0.1", "127.0.0.1%00.example.com", "127.0.0.1@example.com", "example.com#127.0.0.1", "", " 127.0.0.1", "127。0。0。1",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		conn, err := warehouse.Dialer{}.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
		cancel()
		if err == nil {
			t.Errorf("%q is dialled: %s", host, conn.RemoteAddr())
			conn.Close()
		}
	}
	if caught() {
		t.Error("the listener was reached")
	}
}

// TestNamesThatLeadInside: the address that is dialled is checked, also if the answers for a name are in another order or change.
func TestNamesThatLeadInside(t *testing.T) {
	t.Parallel()
	port, caught := trap(t)
	for name, answers := range map[string][]string{
		"loopback":      {"127.0.0.1"},
		"metadata":      {"169.254.169.254"},
		"private":       {"10.1.2.3", "192.168.7.7"},
		"six":           {"::1"},
		"mapped":        {"::ffff:127.0.0.1"},
		"several":       {"127.0.0.1", "::1", "10.0.0.1"},
		"this-network":  {"0.0.0.0"},
		"six-to-four":   {"2002:7f00:1::"},
		"unique-local":  {"fd00:ec2::254"},
		"carrier-grade": {"100.64.0.1"},
	} {
		d := warehouse.Dialer{Resolver: names(t, func(int) []string { return answers })}
		if !refused(t, d, name+".example.com", port) {
			t.Errorf("%s was tried", name)
		}
	}
	if caught() {
		t.Error("the listener was reached")
	}
}

// TestMixedAnswers: if a name has public and private addresses, in any order, only the public ones are dialled.
func TestMixedAnswers(t *testing.T) {
	t.Parallel()
	for _, answers := range [][]string{
		{"93.184.215.14", "127.0.0.1"},
		{"127.0.0.1", "93.184.215.14"},
		{"93.184.215.14", "::1"},
		{"2606:2800:220:1::1", "127.0.0.1", "10.0.0.1", "::1"},
	} {
		d := warehouse.Dialer{Resolver: names(t, func(int) []string { return answers })}
		// A dial by UDP sends no packet.
		conn, err := d.DialContext(t.Context(), "udp", "mixed.example.com:5432")
		if err == nil { // there is a way outside
			if a := netip.MustParseAddrPort(conn.RemoteAddr().String()).Addr(); a.IsLoopback() || a.IsPrivate() {
				t.Errorf("%v: %s was dialled", answers, a)
			}
			conn.Close()
		}
	}
}

func TestRebinding(t *testing.T) {
	t.Parallel()
	port, caught := trap(t)
	// The name has a public address when it is checked, and a private one when it is dialled.
	resolver := names(t, func(asked int) []string {
		if asked == 0 {
			return []string{"93.184.215.14"}
		}
		return []string{"127.0.0.1"}
	})
	checked, err := resolver.LookupNetIP(t.Context(), "ip4", "rebind.example.com")
	if err != nil || len(checked) != 1 || checked[0].Unmap() != netip.MustParseAddr("93.184.215.14") {
		t.Fatal(checked, err)
	}
	if !refused(t, warehouse.Dialer{Resolver: resolver}, "rebind.example.com", port) || caught() {
		t.Error("the second answer was dialled")
	}
}

func TestAllowedPrivateAddresses(t *testing.T) {
	t.Parallel()
	port, _ := trap(t)
	d := warehouse.Dialer{AllowPrivate: true, Resolver: names(t, func(int) []string { return []string{"127.0.0.1"} })}
	for _, host := range []string{"127.0.0.1", "inside.example.com"} {
		conn, err := d.DialTarget(warehouse.Target{TLS: warehouse.TLSOff})(t.Context(), "tcp", net.JoinHostPort(host, port))
		if err != nil {
			t.Errorf("%s: %v", host, err)
			continue
		}
		conn.Close()
	}
}

func TestTLSOfATarget(t *testing.T) {
	t.Parallel()
	if c := (warehouse.Target{Host: "db.example.com", TLS: warehouse.TLSOff}).TLSConfig(); c != nil {
		t.Error("off is not off")
	}
	for mode, unverified := range map[string]bool{"": false, warehouse.TLSVerify: false, warehouse.TLSRequire: true} {
		c := warehouse.Target{Host: "db.example.com", TLS: mode}.TLSConfig()
		if c == nil || c.InsecureSkipVerify != unverified || c.ServerName != "db.example.com" {
			t.Errorf("%q: %+v", mode, c)
		}
	}
}

func TestDialErrorsOfOthers(t *testing.T) {
	t.Parallel()
	if known := warehouse.DialError(errors.New("secret")); known != nil {
		t.Errorf("%v", known)
	}
}

// names is a resolver that returns the addresses of answer for every name. It counts the questions for IPv4 addresses.
func names(t *testing.T, answer func(asked int) []string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		asked := 0
		for {
			buf := make([]byte, 512)
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			end := 12 // of the question: its name, then type and class (RFC 1035, section 4.1.2)
			for end < n && buf[end] != 0 {
				end += int(buf[end]) + 1
			}
			kind := binary.BigEndian.Uint16(buf[end+1:])
			reply := append([]byte{buf[0], buf[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, buf[12:end+5]...)
			count := uint16(0)
			for _, text := range answer(asked) {
				addr := netip.MustParseAddr(text)
				if want := map[uint16]bool{1: true, 28: false}; addr.Is4() != want[kind] {
					continue
				}
				reply = append(reply, 0xc0, 12, byte(kind>>8), byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(len(addr.AsSlice())))
				reply = append(reply, addr.AsSlice()...)
				count++
			}
			if kind == 1 {
				asked++
			}
			binary.BigEndian.PutUint16(reply[6:], count)
			conn.WriteTo(reply, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

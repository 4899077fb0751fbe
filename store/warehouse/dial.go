package warehouse

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// DialTime is how long reaching a warehouse may take.
const DialTime = 5 * time.Second

// A Dialer connects to warehouses. It checks addresses when they are dialled, after the name was resolved, so that a name cannot have one
// address when checked and another when dialled.
type Dialer struct {
	AllowPrivate bool          // loopback, private and link-local addresses too
	Resolver     *net.Resolver // of names; nil for the system's
}

// errPrivate is the reason for a refused dial.
var errPrivate = errors.New("the address is not a public one")

// DialContext is [net.Dialer.DialContext] for warehouses.
func (d Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	n := net.Dialer{Timeout: DialTime, Resolver: d.Resolver}
	n.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil {
			return errPrivate
		}
		if !d.AllowPrivate && !public(ap.Addr()) {
			return errPrivate
		}
		return nil
	}
	return n.DialContext(ctx, network, address)
}

// IsPrivate reports whether a dial failed with err because the address is not public.
func IsPrivate(err error) bool { return errors.Is(err, errPrivate) }

// IsInClear reports whether a dial failed with err because a public address needs TLS.
func IsInClear(err error) bool { return errors.Is(err, errInClear) }

// special are the ranges that are not public, though netip does not report that.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),        // this network
	netip.MustParsePrefix("100.64.0.0/10"),    // carrier-grade NAT
	netip.MustParsePrefix("192.0.0.0/24"),     // protocol assignments
	netip.MustParsePrefix("198.18.0.0/15"),    // benchmarking
	netip.MustParsePrefix("168.63.129.16/32"), // Azure's platform service, reachable from within
	netip.MustParsePrefix("240.0.0.0/4"),      // reserved, and broadcast
	netip.MustParsePrefix("64:ff9b::/96"),     // NAT64: may lead to any IPv4 address
	netip.MustParsePrefix("64:ff9b:1::/48"),   // local NAT64
	netip.MustParsePrefix("2002::/16"),        // 6to4: the same
	netip.MustParsePrefix("2001::/32"),        // Teredo: the same
	netip.MustParsePrefix("fec0::/10"),        // site-local
	netip.MustParsePrefix("::/96"),            // IPv4-compatible
	netip.MustParsePrefix("2001:db8::/32"),    // documentation
	netip.MustParsePrefix("3fff::/20"),        // documentation
	netip.MustParsePrefix("::ffff:0:0:0/96"),  // IPv4-translated (RFC 2765)
	netip.MustParsePrefix("2001:2::/48"),      // benchmarking
	netip.MustParsePrefix("100::/64"),         // discard-only
	netip.MustParsePrefix("5f00::/16"),        // segment identifiers
	netip.MustParsePrefix("192.88.99.0/24"),   // relays of 6to4
	netip.MustParsePrefix("192.0.2.0/24"),     // documentation
	netip.MustParsePrefix("198.51.100.0/24"),  // documentation
	netip.MustParsePrefix("203.0.113.0/24"),   // documentation
}

// public reports whether a is an address on the public internet. Cloud metadata
// services are link-local or private, so they are not.
func public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// TLSConfig is the TLS configuration for t. It is nil for no TLS, which [Dialer.DialTarget]
// allows only for loopback and private addresses.
func (t Target) TLSConfig() *tls.Config {
	switch t.TLS {
	case TLSOff:
		return nil
	case TLSRequire:
		// The connection's owner chose to encrypt without checking the certificate.
		return &tls.Config{ServerName: t.Host, InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}
	}
	return &tls.Config{ServerName: t.Host, MinVersion: tls.VersionTLS12}
}

// DialTarget dials t. It refuses a connection without TLS to a public address.
func (d Dialer) DialTarget(t Target) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := d.DialContext(ctx, network, address)
		if err != nil || t.TLS != TLSOff {
			return conn, err
		}
		if ap, perr := netip.ParseAddrPort(conn.RemoteAddr().String()); perr != nil || public(ap.Addr()) {
			conn.Close()
			return nil, errInClear
		}
		return conn, nil
	}
}

var errInClear = errors.New("a public address needs TLS")

// DialError translates the error of a failed dial. It returns nil for other errors.
func DialError(err error) *Error {
	var dns *net.DNSError
	var op *net.OpError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.Is(err, errPrivate):
		return Errorf(Connect, "The host leads to a private or local address, which this installation does not reach. "+
			"The operator can allow it with SERVICE_ALLOW_PRIVATE_WAREHOUSES.")
	case errors.Is(err, errInClear):
		return Errorf(Connect, SayInClear)
	case errors.As(err, &dns):
		return Errorf(Connect, "The name of the host cannot be resolved. Check its spelling.")
	case errors.As(err, &cert):
		return Errorf(Connect, SayCert)
	case errors.Is(err, syscall.ECONNREFUSED):
		return Errorf(Connect, "Nothing answers on that port of the host: the connection was refused.")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &op) && op.Timeout():
		return Errorf(Connect, "The host did not answer in time. Check address, port and firewall.")
	case errors.As(err, &op):
		return Errorf(Connect, "The host cannot be reached. Check address, port and firewall.")
	}
	return nil
}

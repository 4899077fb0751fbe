package warehouse

import (
	"cmp"
	"math"
	"strings"

	"service/store/message"
)

// A Target is the address of a warehouse and the credentials for it. It is stored encrypted, and its password is never shown again.
type Target struct {
	Host     string `json:"host"`
	Port     int    `json:"port"`
	Database string `json:"database"`
	User     string `json:"user"`
	Password string `json:"password"`
	Place    string `json:"place,omitempty"` // the part of the service that runs queries, for kinds that need it
	Role     string `json:"role,omitempty"`  // a role of AWS that the user's access key assumes, for kinds that sign in with one
	TLS      string `json:"tls"`             // verify (default), require (no check of the certificate), off (only local hosts)
	// MaxBytes limits the bytes that one run of a query may read, for kinds whose bytes are counted; 0 is the default. See [Target.Most].
	MaxBytes int64 `json:"max_bytes,omitempty"`
	// MaxMonth limits the bytes that all runs of a month may read; 0 for no limit.
	MaxMonth int64 `json:"max_month,omitempty"`
}

// defaultMost is the number of bytes that cost about a dollar at the prices of 2026.
const defaultMost = 150_000_000_000

// Most returns how many bytes one run of a query may read, if t is of a kind.
func (t Target) Most(kind string) int64 {
	if Kinds[kind].Metered {
		return cmp.Or(t.MaxBytes, defaultMost)
	}
	return cmp.Or(t.MaxBytes, math.MaxInt64)
}

// NeedsKey reports whether t, a target of a kind, has no credentials and is to get a key pair of [NewKey].
func (t Target) NeedsKey(kind string) bool {
	k := Kinds[kind]
	return t.Password == "" && (k.MakesKeys && t.Place == "" || k.Federated && t.Place != "")
}

// The ways to use TLS.
const (
	TLSVerify  = "verify"
	TLSRequire = "require"
	TLSOff     = "off"
)

// Check refuses a target of a kind that is incomplete or malformed.
func (t Target) Check(kind string) error {
	switch {
	case t.Host == "":
		return message.Refuse("host must not be empty")
	case strings.ContainsAny(t.Host, " /?#@") || strings.Count(t.Host, ":") == 1: // an IPv6 address has more colons
		return message.Refuse("host must be a name or an address alone, without https://, port and path")
	case t.Port < 1 || t.Port > 65535:
		return message.Refuse("port must be from 1 to 65535")
	case t.User == "" && !Kinds[kind].NoUser:
		return message.Refuse("user must not be empty")
	case Kinds[kind].Issued && t.Place != "" && IsKey(t.Password):
		return message.Refuse("place must be empty to sign in by a key pair: with a token endpoint, the key is the secret of an OAuth client")
	case t.MaxBytes < 0:
		return message.Refuse("limit must be a number of gigabytes")
	case t.MaxMonth < 0:
		return message.Refuse("month must be a number of gigabytes, or empty for no limit")
	case t.MaxBytes > 0 && t.MaxMonth > 0 && t.MaxMonth < t.MaxBytes:
		return message.Refuse("month must not be less than the limit of a run")
	case t.TLS != TLSVerify && t.TLS != TLSRequire && t.TLS != TLSOff:
		return message.Refuse(`tls "%s" must be verify, require or off`, t.TLS)
	case t.TLS == TLSOff && Kinds[kind].OnlyTLS:
		return message.Refuse("tls must not be off: this kind is reached over HTTPS only")
	}
	return nil
}

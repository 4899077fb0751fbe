package warehouse

import (
	"cmp"

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
	TLS      string `json:"tls"`             // verify (default), require (no check of the certificate), off (only local hosts)
	// MaxBytes limits the bytes that one run of a query may read, for kinds that are metered; 0 is the default. See [Target.Most].
	MaxBytes int64 `json:"max_bytes,omitempty"`
}

// defaultMost is the number of bytes that cost about a dollar at the prices of 2026.
const defaultMost = 150_000_000_000

// Most returns how many bytes one run of a query may read.
func (t Target) Most() int64 { return cmp.Or(t.MaxBytes, defaultMost) }

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
	case t.Port < 1 || t.Port > 65535:
		return message.Refuse("port must be from 1 to 65535")
	case t.User == "" && !Kinds[kind].NoUser:
		return message.Refuse("user must not be empty")
	case t.MaxBytes < 0:
		return message.Refuse("limit must be a number of gigabytes")
	case t.TLS != TLSVerify && t.TLS != TLSRequire && t.TLS != TLSOff:
		return message.Refuse(`tls "%s" must be verify, require or off`, t.TLS)
	}
	return nil
}

package channel

import (
	"crypto/rand"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"service/store/message"
)

// The kinds of channels.
const (
	Mail    = "mail"    // to members who were chosen, at their verified addresses
	Slack   = "slack"   // an incoming webhook of Slack, or of a compatible service
	Teams   = "teams"   // a workflow of Microsoft Teams
	Webhook = "webhook" // a signed request (Standard Webhooks)
)

// Kinds are all kinds.
var Kinds = []string{Mail, Slack, Teams, Webhook}

// maxURL is the length of a URL, in bytes. URLs of Teams have several hundred.
const maxURL = 2000

// keyPrefix marks a signing key, as receivers expect it.
const keyPrefix = "whsec_"

// A Target is the destination of a channel. It is secret: anyone who knows it can send messages there.
type Target struct {
	URL string `json:"url"`
	Key string `json:"key,omitempty"` // signs the requests of a webhook: whsec_ and base64
}

// NewKey makes a signing key.
func NewKey() string {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	return keyPrefix + base64.StdEncoding.EncodeToString(key)
}

// Check refuses a target that a channel of a kind cannot have.
func (t Target) Check(kind string) error {
	if !slices.Contains(Kinds, kind) {
		return message.Refuse(`kind "%s" must be mail, slack, teams or webhook`, kind)
	}
	if kind == Mail {
		if t != (Target{}) {
			return message.Refuse("a mail channel has members, and no URL")
		}
		return nil
	}
	u, err := url.Parse(t.URL)
	switch {
	case t.URL == "":
		return message.Refuse("url must not be empty")
	case len(t.URL) > maxURL:
		return message.Refuse("url exceeds %d-byte limit (got %d)", maxURL, len(t.URL))
	case err != nil || u.Hostname() == "" || u.Opaque != "":
		return message.Refuse("url must be a complete URL, such as https://hooks.example.com/…")
	case u.Scheme != "https" && u.Scheme != "http":
		return message.Refuse("url must begin with https://")
	case u.User != nil:
		return message.Refuse("url must not have a user or a password in front of the host")
	case u.Fragment != "":
		return message.Refuse("url must not have a part after #, which is not sent")
	}
	if kind != Webhook {
		if t.Key != "" {
			return message.Refuse("only a webhook has a signing key")
		}
		return nil
	}
	if _, err := t.Signer(); err != nil {
		return err
	}
	return nil
}

// Signer returns the bytes of the key.
func (t Target) Signer() ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(t.Key, keyPrefix))
	if !strings.HasPrefix(t.Key, keyPrefix) || err != nil || len(key) < 24 || len(key) > 64 {
		return nil, message.Refuse("key must be %s and 24 to 64 bytes in base64", keyPrefix)
	}
	return key, nil
}

// Host returns the part of the URL that may be shown, or "" without a URL.
func (t Target) Host() string {
	u, err := url.Parse(t.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

package channel

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/store/dashboard/locale"
	"service/store/message"
)

// A Kind has everything that differs between the kinds of channels. Each kind is a file with a line in [Kinds]. A kind makes no
// connection: the caller sends the request, through the guard against private addresses.
type Kind struct {
	ID       string     // in the database and in forms
	Name     locale.Key // for people
	URLLabel locale.Key // of the form's field
	Hint     locale.Key // where owners get the URL; empty for no hint
	ByMail   bool       // messages go to members by mail, without a URL
	Signed   bool       // requests are signed with a key of the channel

	// Check refuses URLs beyond the general rules; nil for no further rules.
	Check func(u *url.URL) error
	// Write returns the request for a message, within the receiver's limits and with inert texts. Nil for mail.
	Write func(c *Content, to Target, at Attempt) (Post, error)
	// Refused returns a sentence that names the fix, for the status and the answer of a refusal, or ""; nil for no such answers.
	Refused func(code int, answer string) string
}

// An Attempt is one attempt to send a message.
type Attempt struct {
	Message uuid.UUID
	At      time.Time
}

// A Post is a request with a body of JSON.
type Post struct {
	URL    string
	Header http.Header // in addition to the common ones; nil for none
	Body   []byte
}

// Kinds are all kinds, in the order in which the web app offers them.
var Kinds = []Kind{mailKind(), slackKind(), teamsKind(), discordKind(), webhookKind()}

// KindOf returns the kind with an id.
func KindOf(id string) (k Kind, ok bool) {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.ID == id })
	if i < 0 {
		return k, false
	}
	return Kinds[i], true
}

// plainly returns the Write of a kind that needs only a body.
func plainly(body func(c *Content) ([]byte, error)) func(*Content, Target, Attempt) (Post, error) {
	return func(c *Content, to Target, _ Attempt) (Post, error) {
		b, err := body(c)
		return Post{URL: to.URL, Body: b}, err
	}
}

// maxURL is the length of a URL, in bytes. Those of Teams have several hundred.
const maxURL = 2000

// keyPrefix marks a signing key, as receivers expect it.
const keyPrefix = "whsec_"

// A Target is the address of a channel. It is secret: everyone who has it can write there.
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
	k, ok := KindOf(kind)
	if !ok {
		ids := make([]string, len(Kinds))
		for i, k := range Kinds {
			ids[i] = k.ID
		}
		last := len(ids) - 1
		return message.Refuse(`kind "%s" must be %s or %s`, kind, strings.Join(ids[:last], ", "), ids[last])
	}
	if k.ByMail {
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
	if k.Check != nil {
		if err := k.Check(u); err != nil {
			return err
		}
	}
	if k.Signed {
		_, err := t.Signer()
		return err
	}
	if t.Key != "" {
		return message.Refuse("only a webhook has a signing key")
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

// Host returns the part of the URL that may be shown; empty for a URL without one.
func (t Target) Host() string {
	u, err := url.Parse(t.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

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

// A Kind is a kind of channels: everything that differs from the others'. It is a file of its own with a line in [Kinds]. It makes no
// connection: the caller sends what it writes, through the guard against private addresses.
type Kind struct {
	ID       string     // as it is stored, and as forms and specs name it
	Name     locale.Key // what people call it
	URLLabel locale.Key // of the form's field
	Hint     locale.Key // where its URL comes from; empty for nothing to say
	ByMail   bool       // it goes to members, and has no URL
	Signed   bool       // its requests are signed with a key of the channel

	// Check refuses a URL that the general rules take; nil for no further rules.
	Check func(u *url.URL) error
	// Write writes a message as the receiver takes it, within its limits. Texts of people and of data are inert there. Nil for mail.
	Write func(c *Content, to Target, at Attempt) (Post, error)
	// Refused is the sentence for a status and an answer that refuse a message, or empty; nil for a kind whose answers have no meaning.
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
	Header http.Header // beside those that all have; nil for none
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

// plainly is the Write of a kind whose body has all that a receiver needs.
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

// A Target is where a channel leads. It is secret: who knows it can write there.
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

// Signer is the key's bytes.
func (t Target) Signer() ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(t.Key, keyPrefix))
	if !strings.HasPrefix(t.Key, keyPrefix) || err != nil || len(key) < 24 || len(key) > 64 {
		return nil, message.Refuse("key must be %s and 24 to 64 bytes in base64", keyPrefix)
	}
	return key, nil
}

// Host is what may be shown of the URL: empty for none.
func (t Target) Host() string {
	u, err := url.Parse(t.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

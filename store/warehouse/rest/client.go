package rest

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Client signs in by the id and the secret of a client of OAuth 2.0: RFC 6749, 4.4. It keeps its token, and is safe for concurrent use.
type Client struct {
	ID, Secret string
	Scope      string // that is requested; empty for none

	mu    sync.Mutex
	token string
	until time.Time
}

// spare is how long before its expiry a token is no longer used.
const spare = time.Minute

// Token returns an access token. It sends a request for one, whose address is that of r, if it has none or if the warehouse has refused
// the last one.
func (c *Client) Token(s *Session, r Request) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token != "" && !s.Anew() && time.Now().Before(c.until) {
		return c.token, nil
	}
	form := url.Values{"grant_type": {"client_credentials"}}
	if c.Scope != "" {
		form.Set("scope", c.Scope)
	}
	r.Method, r.Unsigned, r.Type, r.Body = http.MethodPost, true, "application/x-www-form-urlencoded", []byte(form.Encode())
	pair := url.QueryEscape(c.ID) + ":" + url.QueryEscape(c.Secret) // RFC 6749, 2.3.1
	r.Header = http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(pair))}}
	a, err := s.Send(r, Statement{Own: true})
	if err != nil {
		return "", err
	}
	token := PickText(a.Body, "access_token")
	if !sendable(token) || !strings.EqualFold(PickText(a.Body, "token_type"), "bearer") {
		return "", ErrForm
	}
	c.token, c.until = token, time.Now().Add(min(lifetime(a.Body), time.Hour)-spare)
	return token, nil
}

// lifetime returns how long the token of an answer is valid: RFC 6749, 5.1. Some servers write it as a text. It is zero if the answer lacks
// it.
func lifetime(body []byte) time.Duration {
	seconds, err := strconv.ParseUint(strings.Trim(string(Pick(body, "expires_in")), `"`), 10, 31)
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// sendable reports whether a text can be sent in a header.
func sendable(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

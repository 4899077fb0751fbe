package auth

import (
	"net/http"
	"strings"
	"time"
)

// The cookies. They have no Domain attribute, because dashboards run scripts on workspace hosts, which
// are the same site as the app. These scripts must not read or set a cookie of another host.
const (
	sessionCookie = "session" // on the app host
	signInCookie  = "sign-in" // on the app host: ties a sign-in to one browser
	hostCookie    = "host"    // on a workspace host
	visitCookie   = "visit"   // on a workspace host: ties a ticket to one browser
)

// cookieName returns the name of a cookie in the browser. On https it has the prefix
// __Host-, so browsers refuse it from other hosts. On http, in development, it ends in
// the port, because browsers share cookies between ports.
func (s *Server) cookieName(name string) string {
	if s.secure {
		return "__Host-" + name
	}
	return name + s.suffix
}

// SetCookie sets a cookie for the answering host only, which scripts cannot read. If life is 0, it
// deletes the cookie.
func (s *Server) SetCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	c := &http.Cookie{
		Name: s.cookieName(name), Value: value, Path: "/", MaxAge: int(life / time.Second),
		Secure: s.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	if life == 0 {
		c.MaxAge = -1 // delete
	}
	http.SetCookie(w, c)
}

// Cookie returns the value of a cookie that [Server.SetCookie] set. ok is false if the browser sent no
// such cookie, or several, of which at least one was set by somebody else.
func (s *Server) Cookie(r *http.Request, name string) (value string, ok bool) {
	sent := r.CookiesNamed(s.cookieName(name))
	if len(sent) != 1 || sent[0].Value == "" {
		return "", false
	}
	return sent[0].Value, true
}

// browser returns the secret that ties a sign-in or a visit to this browser, and sets one if the
// browser has none. Tabs share it, so that several can sign in at the same time.
func (s *Server) browser(w http.ResponseWriter, r *http.Request, name string, life time.Duration) string {
	value, ok := s.Cookie(r, name)
	if !ok || len(value) != 43 || strings.Trim(value, base64URL) != "" {
		value = newSecret("")
	}
	s.SetCookie(w, name, value, life)
	return value
}

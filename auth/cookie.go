package auth

import (
	"net/http"
	"strings"
	"time"
)

// The cookies. None has a Domain: dashboards run script on workspace hosts,
// which are the same site as the app, and must neither read nor plant a cookie of
// another host.
const (
	sessionCookie = "session" // on the app host
	signInCookie  = "sign-in" // on the app host: ties a sign-in to one browser
	hostCookie    = "host"    // on a workspace host
	visitCookie   = "visit"   // on a workspace host: ties a ticket to one browser
)

// cookieName is the name under which a cookie is set. __Host- makes browsers
// refuse one that was planted from elsewhere; it needs https. On http, in
// development, the port keeps instances on one machine apart.
func (s *Server) cookieName(name string) string {
	if s.secure {
		return "__Host-" + name
	}
	return name + s.suffix
}

// SetCookie sets a cookie of the host that answers, which scripts cannot read; a
// life of 0 deletes it.
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

// Cookie returns the value of a cookie that [Server.SetCookie] set; ok is false
// when the browser sent none, or several, which only a planted one explains.
func (s *Server) Cookie(r *http.Request, name string) (value string, ok bool) {
	sent := r.CookiesNamed(s.cookieName(name))
	if len(sent) != 1 || sent[0].Value == "" {
		return "", false
	}
	return sent[0].Value, true
}

// browser returns the secret that ties something to this browser, set now when
// it has none: tabs share one, so that they do not undo each other.
func (s *Server) browser(w http.ResponseWriter, r *http.Request, name string, life time.Duration) string {
	value, ok := s.Cookie(r, name)
	if !ok || len(value) != 43 || strings.Trim(value, base64URL) != "" {
		value = newSecret("")
	}
	s.SetCookie(w, name, value, life)
	return value
}

package auth

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"service/store"
)

const (
	// FinishVisitPath is the path of [Server.FinishVisit] on a workspace host. It
	// cannot be the slug of a dashboard.
	FinishVisitPath = "/.session"

	visitLifetime = time.Hour // of the cookie on the workspace host, while its visitor signs in
)

// StartVisit sends a visitor who is not signed in on a workspace host to the app host,
// from where they return to the same raw path and query.
func (s *Server) StartVisit(w http.ResponseWriter, r *http.Request) {
	nonce := s.browser(w, r, visitCookie, visitLifetime)
	to := s.scheme() + "://" + r.Host + rawPath(r)
	redirect(w, http.StatusFound, s.cfg.AppURL+"/visit?"+url.Values{
		"to": {to}, "nonce": {base64.RawURLEncoding.EncodeToString(hashed(nonce))},
	}.Encode())
}

// Visit answers GET /visit?to= on the app host. It redirects people who are signed in to a workspace
// host, with a ticket that works once, on that host and in that browser. Other people sign in first.
// It never redirects to a host that is not a workspace's.
func (s *Server) Visit(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	host, path, ok := s.VisitTarget(q.Get("to"))
	if !ok || len(q["to"]) != 1 {
		s.WritePage(w, r, Page{
			Status: http.StatusBadRequest, Title: "This link does not work",
			Text: "It does not lead to a workspace of this service. Check the address, or ask the person who sent it to you.",
		})
		return
	}
	session, ok, err := s.Session(r)
	if err != nil {
		s.cfg.Log.ErrorContext(r.Context(), "finding a session failed", "err", err)
		s.WritePage(w, r, tryAgain())
		return
	}
	if !ok {
		seeOther(w, s.cfg.AppURL+signInPath(rawPath(r)))
		return
	}
	nonce, err := base64.RawURLEncoding.DecodeString(q.Get("nonce"))
	if err != nil || len(nonce) != 32 {
		seeOther(w, q.Get("to")) // a link without a nonce: the host starts the visit if needed
		return
	}
	ticket := newSecret("")
	err = s.cfg.Store.Sessions.IssueTicket(r.Context(), hashed(ticket), session.Hash, store.Ticket{Host: host, Nonce: nonce, ReturnTo: path})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		s.cfg.Log.ErrorContext(r.Context(), "issuing a ticket failed", "err", err)
		s.WritePage(w, r, tryAgain())
		return
	}
	if err != nil { // the session ended between two statements
		seeOther(w, s.cfg.AppURL+signInPath(rawPath(r)))
		return
	}
	seeOther(w, s.scheme()+"://"+host+FinishVisitPath+"?ticket="+ticket)
}

// FinishVisit answers GET /.session on a workspace host: it exchanges a ticket for a
// session on this host and redirects to the page that the visitor wanted.
func (s *Server) FinishVisit(w http.ResponseWriter, r *http.Request) {
	nonce, ok := s.Cookie(r, visitCookie)
	err := store.ErrNotFound
	var path string
	session := newSecret("")
	if ticket := r.URL.Query().Get("ticket"); ticket != "" && ok {
		path, err = s.cfg.Store.Sessions.RedeemTicket(r.Context(), hashed(ticket), r.Host, hashed(nonce), hashed(session))
	}
	if errors.Is(err, store.ErrNotFound) {
		s.WritePage(w, r, Page{
			Status: http.StatusBadRequest, Title: "This link is no longer valid",
			Text: "It was already used, was opened in another browser, or took too long. Open the dashboard again.",
			Link: "Your workspaces", Href: s.cfg.AppURL + "/",
		})
		return
	}
	if err != nil {
		s.cfg.Log.ErrorContext(r.Context(), "redeeming a ticket failed", "err", err)
		s.WritePage(w, r, tryAgain())
		return
	}
	s.SetCookie(w, hostCookie, session, store.SessionAbsolute)
	seeOther(w, s.scheme()+"://"+r.Host+path)
}

// HostVisit returns the person who is signed in on the workspace host of r, with their rights to
// workspace and to its dashboard called slug. ok is false if nobody is signed in. After an error this
// is unknown, and the caller must not show any data. Only a use extends the session: see [store.Sessions.HostVisit].
func (s *Server) HostVisit(r *http.Request, workspace, slug string, use bool) (visit store.HostVisit, ok bool, err error) {
	value, ok := s.Cookie(r, hostCookie)
	if !ok {
		return store.HostVisit{}, false, nil
	}
	visit, err = s.cfg.Store.Sessions.HostVisit(r.Context(), hashed(value), r.Host, workspace, slug, use)
	if err == nil {
		var again bool
		if again, err = s.askSession(r, visit.Account); again && err == nil {
			visit, err = s.cfg.Store.Sessions.HostVisit(r.Context(), hashed(value), r.Host, workspace, slug, use)
		}
	}
	if errors.Is(err, store.ErrNotFound) {
		return store.HostVisit{}, false, nil
	}
	return visit, err == nil, err
}

func (s *Server) scheme() string {
	if s.secure {
		return "https"
	}
	return "http"
}

// rawPath returns the path and query of r, byte for byte.
func rawPath(r *http.Request) string {
	if isRawPath(r.RequestURI) {
		return r.RequestURI
	}
	return r.URL.RequestURI() // r.RequestURI has the absolute form that proxies send
}

// VisitTarget splits the URL of a workspace host into host and raw path. It splits the text itself, so
// that its reading of a URL cannot differ from that of browsers.
func (s *Server) VisitTarget(raw string) (host, path string, ok bool) {
	rest, ok := strings.CutPrefix(raw, s.scheme()+"://")
	if !ok {
		return "", "", false
	}
	slash := strings.IndexByte(rest, '/')
	if slash < 0 {
		rest, slash = rest+"/", len(rest)
	}
	host, path = rest[:slash], rest[slash:]
	label, ok := strings.CutSuffix(host, "."+s.cfg.DashboardDomain)
	if !ok || label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" ||
		s.scheme()+"://"+host == s.cfg.AppURL || !isRawPath(path) {
		return "", "", false
	}
	return host, path, true
}

package auth

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/message"
)

// Pending is a stored authorization request as the consent screen shows it.
type Pending struct {
	ClientName   string // as the client named itself, made fit for one line; with the host of Document in brackets
	Document     string // the URL of the client's metadata document, from which we fetched its name; "" if it registered itself
	RedirectURI  string // exactly as requested
	RedirectHost string // where the browser goes after Allow: host, or scheme of a private-use URI
	Loopback     bool   // RedirectHost is this machine, where any program could listen
	PrivateUse   bool   // RedirectURI opens an app, so the browser stays on our page
	Scope        string
	FormAction   string // what the page's form-action directive must allow in addition to 'self'
	Expires      time.Time
}

// PendingRequest returns the request with a handle, or [store.ErrNotFound] once it has
// expired or was decided.
func (s *Server) PendingRequest(ctx context.Context, handle string) (Pending, error) {
	return pending(s.cfg.Store.OAuth.PendingRequest(ctx, hashed(handle)))
}

// AnswerableRequest is [Server.PendingRequest] for posted answers: it also finds a
// request that was decided a moment ago, in case a form was sent twice.
func (s *Server) AnswerableRequest(ctx context.Context, handle string) (Pending, error) {
	return pending(s.cfg.Store.OAuth.AnswerableRequest(ctx, hashed(handle)))
}

func pending(r store.Request, err error) (Pending, error) {
	if err != nil {
		return Pending{}, err
	}
	p := Pending{ClientName: r.ClientName, RedirectURI: r.RedirectURI, Scope: r.Scope, Expires: r.Expires}
	if checkClientID(r.ClientID) == nil {
		p.Document = r.ClientID
	} else {
		p.ClientName = chosenName(r.ClientName) // older releases stored brackets
	}
	u, err := url.Parse(r.RedirectURI)
	if err != nil { // the URI was checked at registration
		return Pending{}, err
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		p.RedirectHost, p.FormAction, p.PrivateUse = u.Scheme+":", u.Scheme+":", true
		return p, nil
	}
	p.RedirectHost, p.FormAction, p.Loopback = u.Host, u.Scheme+"://"+u.Host, isLoopback(u.Hostname())
	if strings.Contains(u.Hostname(), ":") {
		p.FormAction = u.Scheme + ":" // a source expression cannot name an IPv6 address
	}
	return p, nil
}

// Approve grants account's access to the client of a stored request, locked to the workspace called
// slug or, if slug is empty, to no workspace. It returns the redirect URI with the code. Approving
// again in the same way is safe for a minute, until the client has exchanged a code. The error is
// [store.ErrNotFound] when the request has expired or has another decision, and [store.ErrNotMember]
// when account is not in that workspace; after any other error the request is still open.
func (s *Server) Approve(ctx context.Context, handle string, account uuid.UUID, slug string) (string, error) {
	code := newSecret("")
	r, err := s.cfg.Store.OAuth.ApproveRequest(ctx, hashed(handle), account, slug, hashed(code))
	if err != nil {
		return "", err
	}
	return s.answerRedirect(r.RedirectURI, r.State, url.Values{"code": {code}}), nil
}

// Deny refuses a stored request and returns the redirect URI with the error. Its errors are those of
// [Server.AnswerableRequest].
func (s *Server) Deny(ctx context.Context, handle string) (string, error) {
	r, err := s.cfg.Store.OAuth.DenyRequest(ctx, hashed(handle))
	if err != nil {
		return "", err
	}
	return s.errorRedirect(r.RedirectURI, r.State, "access_denied", message.DeclinedAuthorization), nil
}

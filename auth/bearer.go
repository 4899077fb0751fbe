package auth

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"service/store"
)

type grantKey struct{}

// WithGrant returns a context that carries a verified grant.
func WithGrant(ctx context.Context, g store.Grant) context.Context {
	return context.WithValue(ctx, grantKey{}, g)
}

// GrantFrom returns the verified grant of a call. ok is false for a call without one.
func GrantFrom(ctx context.Context) (g store.Grant, ok bool) {
	g, ok = ctx.Value(grantKey{}).(store.Grant)
	return g, ok
}

// Grant verifies the bearer token of r and records the call with its grant. ok is false when the token
// is missing or not valid; an error means that it could not be checked. The token must be in the
// Authorization header (RFC 6750, section 2.1), which must be sent once.
func (s *Server) Grant(r *http.Request) (g store.Grant, ok bool, err error) {
	if g, ok := GrantFrom(r.Context()); ok {
		return g, true, nil // already verified for this request
	}
	header := r.Header.Values("Authorization")
	if len(header) != 1 {
		return store.Grant{}, false, nil
	}
	scheme, token, _ := strings.Cut(header[0], " ")
	token = strings.TrimLeft(token, " ")
	if !strings.EqualFold(scheme, "Bearer") || !strings.HasPrefix(token, accessPrefix) {
		return store.Grant{}, false, nil
	}
	g, err = s.cfg.Store.OAuth.Verify(r.Context(), hashed(token))
	if errors.Is(err, store.ErrNotFound) {
		return store.Grant{}, false, nil
	}
	if err != nil {
		return store.Grant{}, false, err
	}
	if g.Resource != s.resource() {
		return store.Grant{}, false, nil // issued while the server had another address
	}
	if err := s.cfg.Store.OAuth.NoteCall(r.Context(), g); err != nil {
		s.cfg.Log.WarnContext(r.Context(), "the use of a grant was not recorded", "grant", g.ID, "err", err) // not a reason to refuse the call
	}
	return g, true, nil
}

// Bearer passes calls with a valid access token to next, with the grant in their
// context. It answers others with 401, or with 503 when the check itself failed.
func (s *Server) Bearer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g, ok, err := s.Grant(r)
		switch {
		case err != nil:
			s.Unavailable(w, r, err)
		case !ok:
			s.refuse.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r.WithContext(WithGrant(r.Context(), g)))
		}
	})
}

// handleStranger refuses a request without a good token, and delays the answer if its address has sent many bad ones.
// Good tokens are not delayed, so that other clients at the same address are not affected.
func (s *Server) handleStranger(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "" {
		if ok, _ := s.cfg.Store.Rates.Allow(r.Context(), store.RateBearer, clientKey(r.Context())); !ok {
			s.cfg.Delay(r.Context())
		}
	}
	s.Unauthorized(w, r)
}

// Unauthorized answers 401 with the URL of the metadata with which a client can
// authorize (RFC 9728, section 5.1).
func (s *Server) Unauthorized(w http.ResponseWriter, r *http.Request) {
	path := resourceMetadataPath
	if r.URL.Path == "/mcp/" {
		path += "/mcp/" // names the address that the client uses
	}
	challenge := `Bearer resource_metadata="` + s.cfg.BaseURL + path + `"`
	e := &oauthError{http.StatusUnauthorized, "unauthorized", "This endpoint needs an access token."}
	if r.Header.Get("Authorization") != "" {
		e = &oauthError{http.StatusUnauthorized, "invalid_token", "The access token has expired or is not valid here. Authorize again."}
		challenge += `, error="invalid_token"`
	}
	w.Header().Set("WWW-Authenticate", challenge)
	writeError(w, e)
}

// Unavailable logs err and answers 503, for a token that could not be checked. The
// call does not pass, but the client keeps its token.
func (s *Server) Unavailable(w http.ResponseWriter, r *http.Request, err error) {
	writeError(w, s.failed(r, "checking a bearer token", err))
}

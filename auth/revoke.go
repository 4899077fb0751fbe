package auth

import (
	"errors"
	"net/http"
)

// Revoke answers POST /revoke of the app's host (RFC 7009): it ends the grant of an access or refresh
// token, with all its tokens. The client authenticates as at the token endpoint. A token that is
// unknown, has ended or belongs to another client gets 200 too and changes nothing, so that the answer
// does not reveal which tokens exist.
func (s *Server) Revoke(w http.ResponseWriter, r *http.Request) {
	if cross(w, r, http.MethodPost) {
		s.revoke.ServeHTTP(w, r)
	}
}

func (s *Server) handleRevoke(w http.ResponseWriter, r *http.Request) {
	err := s.endToken(w, r)
	if refused, ok := errors.AsType[*oauthError](err); ok {
		if _, _, basic := r.BasicAuth(); basic && refused.status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Basic realm="revoke"`)
		}
		writeError(w, refused)
		return
	}
	if err != nil {
		writeError(w, s.failed(r, "revocation of a token", err))
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
}

// endToken ends the grant of the token in the form. token_type_hint is not needed: one query finds
// tokens of both types.
func (s *Server) endToken(w http.ResponseWriter, r *http.Request) error {
	form, err := readForm(w, r)
	if err != nil {
		return err
	}
	client, err := s.authenticate(r, form)
	if err != nil {
		return err
	}
	token := form.Get("token")
	if token == "" {
		return badRequest("invalid_request", "token is missing.")
	}
	return s.cfg.Store.OAuth.RevokeToken(r.Context(), client.ID, hashed(token))
}

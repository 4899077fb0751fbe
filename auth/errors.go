package auth

import (
	"encoding/json"
	"net/http"
)

// An oauthError is an error response of the JSON endpoints (RFC 6749, section 5.2; RFC 7591, section
// 3.2.2). Clients act on its code: after invalid_client they register again, after invalid_grant they
// ask the person again.
type oauthError struct {
	status      int
	code        string
	description string
}

func (e *oauthError) Error() string { return e.code + ": " + e.description }

func badRequest(code, description string) *oauthError {
	return &oauthError{http.StatusBadRequest, code, description}
}

// unavailable is the answer when a check itself failed. It grants nothing, and the client keeps its
// tokens.
func unavailable() *oauthError {
	return &oauthError{http.StatusServiceUnavailable, "temporarily_unavailable", "The request could not be checked right now. Try again."}
}

// failed logs err, an internal error, and returns [unavailable].
func (s *Server) failed(r *http.Request, what string, err error) *oauthError {
	s.cfg.Log.ErrorContext(r.Context(), what+" failed", "err", err)
	return unavailable()
}

func writeError(w http.ResponseWriter, e *oauthError) {
	setRetryAfter(w, e.status)
	writeJSON(w, e.status, struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{e.code, e.description})
}

// setRetryAfter sets the Retry-After header for the statuses that have one.
func setRetryAfter(w http.ResponseWriter, status int) {
	switch status {
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "5")
	case http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "60")
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil { // an internal type that cannot be marshalled
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

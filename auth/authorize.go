package auth

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"service/store"
)

// maxQuery is the limit of an authorization request's query, because its parts are stored.
const maxQuery = 16 << 10 // bytes

// Authorize answers GET /authorize (OAuth 2.1, section 4.1.1): it stores the request and sends the
// browser to the consent screen. It redirects with an error only if the redirect URI is known to be
// the client's; otherwise it shows a page, so that nobody can use this endpoint to send people
// elsewhere. See also [Server.turnBack].
func (s *Server) Authorize(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		s.WritePage(w, r, Page{
			Status: http.StatusMethodNotAllowed, Title: "Method not allowed",
			Text: "Only a browser on its way to sign in opens this address. Start again in your client.",
		})
		return
	}
	s.start.ServeHTTP(w, r)
}

func (s *Server) handleAuthorize(w http.ResponseWriter, r *http.Request) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || len(r.URL.RawQuery) > maxQuery || len(q["client_id"]) > 1 || len(q["redirect_uri"]) > 1 {
		s.WritePage(w, r, Page{
			Status: http.StatusBadRequest, Title: "This authorization link is broken",
			Text: "invalid_request: the link that your client opened is malformed. Start again in your client.",
		})
		return
	}
	client, err := s.client(r, q.Get("client_id"), true)
	if errors.Is(err, store.ErrNotFound) {
		s.WritePage(w, r, Page{
			Status: http.StatusUnauthorized, Title: "This client is not registered here",
			Text: "invalid_client: the registration of your client is unknown. Remove this connection in your client and add it again.",
		})
		return
	}
	if err != nil {
		s.cfg.Log.ErrorContext(r.Context(), "client look-up failed", "err", err)
		s.WritePage(w, r, tryAgain())
		return
	}
	to := q.Get("redirect_uri")
	if !allowedRedirect(client.RedirectURIs, to) || s.checkRedirectURI(to) != nil { // earlier releases accepted more redirect URIs
		s.WritePage(w, r, Page{
			Status: http.StatusBadRequest, Title: "This client asked to return to an address that it did not register",
			Text: "invalid_request: the redirect URI is not one that the client registered, so you were not sent there. " +
				"Remove this connection in your client and add it again.",
		})
		return
	}
	state, refused := s.checkRequest(q)
	if refused != nil {
		s.turnBack(w, r, to, state, refused)
		return
	}
	handle := newSecret("")
	err = s.cfg.Store.OAuth.StoreRequest(r.Context(), hashed(handle), store.Request{
		ClientID: client.ID, RedirectURI: to, Scope: scope, State: state, Challenge: q.Get("code_challenge"), Resource: s.resource(),
	})
	if err != nil {
		s.turnBack(w, r, to, state, s.failed(r, "storing an authorization request", err))
		return
	}
	seeOther(w, s.cfg.AppURL+"/consent?request="+handle)
}

// turnBack returns an error to the client. Anybody may register a client with a redirect URI on a site
// of their own, so an automatic redirect would make this address an open redirector. A site is
// therefore opened by a click (RFC 9700, section 4.11.2); programs on the person's machine get the
// error at once.
func (s *Server) turnBack(w http.ResponseWriter, r *http.Request, to string, state *string, e *oauthError) {
	back := s.errorRedirect(to, state, e.code, e.description)
	if u, err := url.Parse(to); err == nil && (u.Scheme != "https" || isLoopback(u.Hostname())) {
		seeOther(w, back)
		return
	}
	s.WritePage(w, r, Page{
		Status: e.status, Title: "Your client's request cannot be granted",
		Text: "Your client requested something that this service does not do, or not now. Return to your client, so that it receives the reason.",
		Code: e.Error(), Link: "Back to your client", Href: back,
	})
}

// client looks up a registration. It does not query the database for an id that is not a UUID, because
// all ids that the service issues are UUIDs.
// fetch allows to fetch the document of a client whose id is an address.
func (s *Server) client(r *http.Request, id string, fetch bool) (store.Client, error) {
	if isDocument(id) {
		return s.described(r, id, fetch)
	}
	if len(id) != 36 || uuid.Validate(id) != nil {
		return store.Client{}, store.ErrNotFound
	}
	return s.cfg.Store.OAuth.Client(r.Context(), id)
}

// checkRequest checks the parameters of an authorization request other than the client and its
// redirect URI. state is the value that the answer must repeat; nil if there is no state.
func (s *Server) checkRequest(q url.Values) (state *string, refused *oauthError) {
	if sent := q["state"]; len(sent) == 1 {
		if !utf8.ValidString(sent[0]) || strings.ContainsRune(sent[0], 0) {
			return nil, badRequest("invalid_request", "state must be text.")
		}
		state = &sent[0]
	}
	for name, values := range q {
		if len(values) > 1 && name != "resource" {
			return state, badRequest("invalid_request", "A parameter was sent more than once.")
		}
	}
	challenge := q.Get("code_challenge")
	switch {
	case q.Has("request") || q.Has("request_uri"):
		return state, badRequest("invalid_request", "Request objects are not supported.")
	case q.Get("response_type") == "":
		return state, badRequest("invalid_request", "response_type is missing.")
	case q.Get("response_type") != "code":
		return state, badRequest("unsupported_response_type", "response_type must be code.")
	case q.Has("response_mode") && q.Get("response_mode") != "query":
		return state, badRequest("invalid_request", "response_mode must be query.")
	case challenge == "":
		return state, badRequest("invalid_request", "PKCE is required: code_challenge is missing.")
	case q.Get("code_challenge_method") != "S256":
		return state, badRequest("invalid_request", "PKCE is required with code_challenge_method S256.")
	case len(challenge) != 43 || strings.Trim(challenge, base64URL) != "":
		return state, badRequest("invalid_request", "code_challenge must be a SHA-256 in base64url, 43 characters.")
	case !s.audience(q["resource"]):
		return state, badRequest("invalid_target", "resource must be "+s.resource()+".")
	}
	return state, nil
}

const base64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// errorRedirect returns the redirect URI with the parameters of an error (RFC 6749, section 4.1.2.1;
// iss: RFC 9207).
func (s *Server) errorRedirect(to string, state *string, code, description string) string {
	return s.answerRedirect(to, state, url.Values{"error": {code}, "error_description": {description}})
}

func (s *Server) answerRedirect(to string, state *string, params url.Values) string {
	if state != nil {
		params.Set("state", *state)
	}
	params.Set("iss", s.cfg.BaseURL)
	return withParams(to, params)
}

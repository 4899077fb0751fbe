package auth

import (
	"crypto/subtle"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"service/store"
)

// tokens is the answer of POST /token (RFC 6749, section 5.1).
type tokens struct {
	Access    string `json:"access_token"`
	Type      string `json:"token_type"`
	ExpiresIn int64  `json:"expires_in"` // seconds
	Refresh   string `json:"refresh_token,omitempty"`
	Scope     string `json:"scope"`
}

// Token answers POST /token: it exchanges a code or a refresh token for an access token.
func (s *Server) Token(w http.ResponseWriter, r *http.Request) {
	if cross(w, r, http.MethodPost) {
		s.token.ServeHTTP(w, r)
	}
}

func (s *Server) handleToken(w http.ResponseWriter, r *http.Request) {
	answer, err := s.exchange(w, r)
	if refused, ok := errors.AsType[*oauthError](err); ok {
		if _, _, basic := r.BasicAuth(); basic && refused.status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Basic realm="token"`)
		}
		writeError(w, refused)
		return
	}
	if err != nil {
		writeError(w, s.failed(r, "token exchange", err))
		return
	}
	w.Header().Set("Pragma", "no-cache")
	writeJSON(w, http.StatusOK, answer)
}

func (s *Server) exchange(w http.ResponseWriter, r *http.Request) (*tokens, error) {
	form, err := readForm(w, r)
	if err != nil {
		return nil, err
	}
	var grant func(*http.Request, store.Client, url.Values) (*tokens, error)
	switch form.Get("grant_type") {
	case "authorization_code":
		grant = s.redeemCode
	case "refresh_token":
		grant = s.refresh
	case grantAssertion:
		return s.exchangeAssertion(r, form)
	case "":
		return nil, badRequest("invalid_request", "grant_type is missing.")
	default:
		return nil, badRequest("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.")
	}
	client, err := s.authenticate(r, form)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(client.GrantTypes, form.Get("grant_type")) {
		return nil, badRequest("unauthorized_client", "The client did not register for this grant_type.")
	}
	if !s.audience(form["resource"]) {
		return nil, badRequest("invalid_target", "resource must be "+s.resource()+".")
	}
	return grant(r, client, form)
}

// readForm reads the parameters from the body only, because URLs end up in logs.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, badRequest("invalid_request", "The body must be application/x-www-form-urlencoded.")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, badRequest("invalid_request", "The body could not be read: it must be a form of at most 64 KiB.")
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, badRequest("invalid_request", "The body is not a form.")
	}
	for name, values := range form {
		if len(values) > 1 && name != "resource" {
			return nil, badRequest("invalid_request", "A parameter was sent more than once.")
		}
	}
	return form, nil
}

// authenticate finds the calling client and checks its secret, which must be in the header or in the
// body, as it was registered. A client without a secret sends only its id, and is protected by PKCE.
func (s *Server) authenticate(r *http.Request, form url.Values) (store.Client, error) {
	wrong := &oauthError{http.StatusUnauthorized, "invalid_client", "The client is unknown, or its secret is wrong. Register it again."}
	id, secret := form.Get("client_id"), form.Get("client_secret")
	if user, password, basic := r.BasicAuth(); basic {
		user, err := url.QueryUnescape(user)
		if err != nil {
			return store.Client{}, wrong
		}
		password, err := url.QueryUnescape(password)
		if err != nil {
			return store.Client{}, wrong
		}
		if secret != "" || id != "" && id != user {
			return store.Client{}, badRequest("invalid_request", "The client authenticated in two ways.")
		}
		id, secret = user, password
	}
	c, err := s.client(r, id, false)
	if errors.Is(err, store.ErrNotFound) {
		return store.Client{}, wrong
	}
	if err != nil {
		return store.Client{}, err
	}
	if c.AuthMethod == "none" {
		if secret != "" {
			return store.Client{}, wrong
		}
		return c, nil
	}
	if subtle.ConstantTimeCompare(c.SecretHash, hashed(secret)) != 1 {
		return store.Client{}, wrong
	}
	return c, nil
}

var errInvalidGrant = badRequest("invalid_grant",
	"The code or refresh token has ended, was used, or is not this client's. Authorize again.")

func (s *Server) redeemCode(r *http.Request, c store.Client, form url.Values) (*tokens, error) {
	code, verifier := form.Get("code"), form.Get("code_verifier")
	if code == "" || verifier == "" {
		return nil, badRequest("invalid_request", "code and code_verifier are required.")
	}
	out := tokens{Access: newSecret(accessPrefix)}
	x := store.CodeExchange{
		Code: hashed(code), ClientID: c.ID, RedirectURI: form.Get("redirect_uri"),
		Challenge: oauth2.S256ChallengeFromVerifier(verifier), Access: hashed(out.Access),
	}
	if slices.Contains(c.GrantTypes, "refresh_token") {
		out.Refresh = newSecret(refreshPrefix)
		x.Refresh = hashed(out.Refresh)
	}
	issued, err := s.cfg.Store.OAuth.RedeemCode(r.Context(), x)
	if errors.Is(err, store.ErrNotFound) {
		return nil, errInvalidGrant
	}
	if err != nil {
		return nil, err
	}
	return s.answer(out, issued.Scope, issued.Expires), nil
}

// A sealedAnswer is the answer to a refresh token that has been rotated, kept for the
// grace period in case the client did not receive it.
type sealedAnswer struct {
	Access, Refresh, Scope string
	Expires                time.Time
}

func (s *Server) refresh(r *http.Request, c store.Client, form url.Values) (*tokens, error) {
	token := form.Get("refresh_token")
	if token == "" {
		return nil, badRequest("invalid_request", "refresh_token is required.")
	}
	if asked := strings.Fields(form.Get("scope")); len(asked) > 0 && !slices.Contains(asked, scope) {
		return nil, badRequest("invalid_scope", "The grant is for the scope "+scope+".")
	}
	if !strings.HasPrefix(token, refreshPrefix) {
		return nil, errInvalidGrant
	}
	if err := s.askForRefresh(r, c, token); err != nil {
		return nil, err
	}
	out := tokens{Access: newSecret(accessPrefix), Refresh: newSecret(refreshPrefix)}
	issued, again, err := s.cfg.Store.OAuth.Refresh(r.Context(), store.RefreshExchange{
		Token: hashed(token), ClientID: c.ID, Access: hashed(out.Access), Refresh: hashed(out.Refresh), Grace: s.cfg.RefreshGrace,
		Seal: func(i store.Issued) ([]byte, error) {
			return seal(token, sealedAnswer{out.Access, out.Refresh, i.Scope, i.Expires})
		},
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, errInvalidGrant
	}
	if err != nil {
		return nil, err
	}
	if again != nil {
		var a sealedAnswer
		if err := open(token, again, &a); err != nil {
			return nil, err
		}
		return s.answer(tokens{Access: a.Access, Refresh: a.Refresh}, a.Scope, a.Expires), nil
	}
	return s.answer(out, issued.Scope, issued.Expires), nil
}

// askForRefresh asks the identity provider about the person whose client refreshes a token. A person who no longer exists there must sign
// in.
func (s *Server) askForRefresh(r *http.Request, c store.Client, token string) error {
	if !s.cfg.OIDC.provides() {
		return nil
	}
	account, err := s.cfg.Store.Sessions.AccountOfRefresh(r.Context(), c.ID, hashed(token))
	if err == nil {
		err = s.askAgain(r.Context(), account)
	}
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrSignInAgain) {
		return errInvalidGrant
	}
	return err
}

func (s *Server) answer(t tokens, scope string, expires time.Time) *tokens {
	t.Type, t.Scope = "Bearer", scope
	t.ExpiresIn = int64(expires.Sub(s.cfg.Now()) / time.Second)
	return &t
}

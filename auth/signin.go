package auth

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"service/store"
)

// SignIn answers GET /sign-in?return_to= on the app host: it sends the browser to the
// identity provider, after which it returns to a path of the app. With
// prompt=select_account the provider asks which account to use.
func (s *Server) SignIn(w http.ResponseWriter, r *http.Request) {
	s.signIn.ServeHTTP(w, r)
}

func (s *Server) handleSignIn(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back := LocalPath(q.Get("return_to"))
	_, client, err := s.discover(r.Context())
	if err != nil {
		s.signInFailed(w, r, back, err)
		return
	}
	in := store.SignIn{Nonce: newSecret(""), Verifier: oauth2.GenerateVerifier(), ReturnTo: back}
	state, browser := newSecret(""), s.browser(w, r, signInCookie, store.SignInLifetime)
	if err := s.cfg.Store.Sessions.StartSignIn(r.Context(), hashed(state), hashed(browser), in); err != nil {
		s.cfg.Log.ErrorContext(r.Context(), "starting a sign-in failed", "err", err)
		s.WritePage(w, r, tryAgain())
		return
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(in.Nonce), oauth2.S256ChallengeOption(in.Verifier)}
	if q.Get("prompt") == "select_account" {
		options = append(options, oauth2.SetAuthURLParam("prompt", "select_account"))
	}
	seeOther(w, client.AuthCodeURL(state, options...))
}

// SignInCallback answers GET /sign-in/callback on the app host, to which the identity provider sends
// the browser back. It always starts a new session, so that a session id that an attacker planted
// before is worthless.
func (s *Server) SignInCallback(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	browser, ok := s.Cookie(r, signInCookie)
	var in store.SignIn
	err := store.ErrNotFound
	if ok && len(q["state"]) == 1 {
		in, err = s.cfg.Store.Sessions.TakeSignIn(r.Context(), hashed(q.Get("state")), hashed(browser))
	}
	if errors.Is(err, store.ErrNotFound) {
		s.WritePage(w, r, Page{
			Status: http.StatusBadRequest, Title: "This sign-in is no longer valid",
			Text: "It was started in another browser, took too long, or is already complete.", Link: "Sign in", Href: "/sign-in",
		})
		return
	}
	if err != nil {
		s.cfg.Log.ErrorContext(r.Context(), "finding a sign-in failed", "err", err)
		s.WritePage(w, r, tryAgain())
		return
	}
	if q.Get("code") == "" {
		s.signInFailed(w, r, in.ReturnTo, errors.New("the identity provider refused the sign-in"))
		return
	}
	id, err := s.identity(r.Context(), q.Get("code"), in)
	if err != nil {
		s.signInFailed(w, r, in.ReturnTo, err)
		return
	}
	session := newSecret("")
	var previous []byte
	if old, ok := s.Cookie(r, sessionCookie); ok {
		previous = hashed(old)
	}
	_, err = s.cfg.Store.Sessions.StartSession(r.Context(), id, hashed(session), previous, userAgent(r))
	if errors.Is(err, store.ErrRemoved) {
		s.WritePage(w, r, Page{
			Status: http.StatusForbidden, Title: "You are not signed in",
			Text: "Your organization's identity provider removed you from this service. Ask the people who manage it to add you again.",
		})
		return
	}
	if err != nil {
		s.cfg.Log.ErrorContext(r.Context(), "starting a session failed", "err", err)
		p := tryAgain()
		p.Link, p.Href = "Sign in again", signInPath(in.ReturnTo)
		p.Text = "Something on our side did not answer, so you are not signed in."
		s.WritePage(w, r, p)
		return
	}
	s.SetCookie(w, sessionCookie, session, store.SessionAbsolute)
	seeOther(w, s.cfg.AppURL+in.ReturnTo)
}

// signInFailed shows a page that the identity provider is down (502) or that its answer could not be
// verified (400), with a link to try again and then return to back.
func (s *Server) signInFailed(w http.ResponseWriter, r *http.Request, back string, err error) {
	s.cfg.Log.WarnContext(r.Context(), "sign-in failed", "err", err)
	p := Page{
		Status: http.StatusBadRequest, Title: "You are not signed in",
		Text: "The sign-in was cancelled, or its answer could not be verified.", Link: "Try again", Href: signInPath(back),
	}
	if errors.Is(err, errProvider) {
		p.Status = http.StatusBadGateway
		p.Text = "The identity provider is not answering. Nothing was lost: try again in a moment."
	}
	s.WritePage(w, r, p)
}

func signInPath(back string) string {
	return "/sign-in?" + url.Values{"return_to": {back}}.Encode()
}

// userAgent is the user agent that is stored with a session, at most 200 bytes.
func userAgent(r *http.Request) string {
	ua := strings.ToValidUTF8(strings.ReplaceAll(r.UserAgent(), "\x00", ""), "")
	for len(ua) > 200 {
		_, n := utf8.DecodeLastRuneInString(ua)
		ua = ua[:len(ua)-n]
	}
	return ua
}

// LocalPath returns target unchanged if it is a path, with or without a query, and "/" otherwise. It
// also returns "/" for paths that a browser could read as the address of another site.
func LocalPath(target string) string {
	path, _, _ := strings.Cut(target, "?")
	if !isRawPath(target) || strings.HasPrefix(path, "//") || strings.Contains(path, `\`) { // browsers read a backslash as a slash
		return "/"
	}
	return target
}

// isRawPath reports whether target can be appended unchanged to an origin in a Location header, and
// stored in the database.
func isRawPath(target string) bool {
	return strings.HasPrefix(target, "/") && len(target) <= maxQuery && utf8.ValidString(target) &&
		!strings.ContainsFunc(target, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '#' })
}

// A Session is a browser's session on the app host.
type Session struct {
	Account store.Account
	Hash    []byte // identifies the session in [store.Sessions.ListSessions]
}

// Session returns the session of r on the app host. ok is false if nobody is signed in. After an error
// this is unknown, and the caller must not show any data.
func (s *Server) Session(r *http.Request) (session Session, ok bool, err error) {
	value, ok := s.Cookie(r, sessionCookie)
	if !ok {
		return Session{}, false, nil
	}
	hash := hashed(value)
	account, err := s.cfg.Store.Sessions.Session(r.Context(), hash)
	if err == nil {
		var again bool
		if again, err = s.askSession(r, account); again && err == nil {
			account, err = s.cfg.Store.Sessions.Session(r.Context(), hash)
		}
	}
	if errors.Is(err, store.ErrNotFound) {
		return Session{}, false, nil
	}
	if err != nil {
		return Session{}, false, err
	}
	return Session{account, hash}, true, nil
}

// SignOut answers POST /sign-out on the app host: it ends the session, and its sessions on the
// workspace hosts, and redirects to the form's return_to. It refuses posts from other origins,
// including workspace hosts.
func (s *Server) SignOut(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		s.WritePage(w, r, Page{
			Status: http.StatusMethodNotAllowed, Title: "Method not allowed",
			Text: "To sign out, use the account menu of the app.",
		})
		return
	}
	if err := s.csrf.Check(r); err != nil {
		s.WritePage(w, r, Page{
			Status: http.StatusForbidden, Title: "Not signed out",
			Text: "The request came from another site, so you are still signed in. To sign out, use the account menu of the app.",
		})
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if value, ok := s.Cookie(r, sessionCookie); ok {
		if err := s.cfg.Store.Sessions.EndSession(r.Context(), hashed(value)); err != nil {
			s.cfg.Log.ErrorContext(r.Context(), "ending a session failed", "err", err)
			s.WritePage(w, r, tryAgain())
			return
		}
	}
	s.SetCookie(w, sessionCookie, "", 0)
	seeOther(w, s.cfg.AppURL+LocalPath(r.PostFormValue("return_to")))
}

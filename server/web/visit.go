package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"service/auth"
	"service/store"
	"service/store/message"
)

// A visit is one request by one person, or by somebody who is not signed in.
type visit struct {
	w http.ResponseWriter
	r *http.Request

	session     auth.Session // valid when signedIn
	signedIn    bool
	memberships []store.Member // of the person
	in          *store.Member  // the workspace that the address names; nil elsewhere
}

// param is a parameter in the address of v, or empty.
func (v *visit) param(name string) string { return chi.URLParam(v.r, name) }

// A handler answers a visit. What it returns as an error, answer turns into a
// page.
type handler func(*visit) error

// anyone lets everybody to h.
func (a *App) anyone(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := &visit{w: w, r: r}
		a.answer(v, func() error {
			if err := legible(r); err != nil {
				return err
			}
			if err := a.identify(v); err != nil {
				return err
			}
			return h(v)
		}())
	}
}

// consenting is anyone for the consent page, which tells a client's person that
// nothing was decided when it cannot be found out who they are.
func (a *App) consenting(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := &visit{w: w, r: r}
		if err := legible(r); err != nil {
			a.answer(v, err)
			return
		}
		if err := a.identify(v); err != nil {
			a.answer(v, a.consentFailed(v, err))
			return
		}
		a.answer(v, h(v))
	}
}

// errIllegible is the error of a request that no page of the app makes.
var errIllegible = errors.New("web: the request holds what is not text")

// legible reads a form, unless it holds a file, and returns errIllegible for one
// that is broken, or when it or the address hold bytes that are not text. The
// database could not keep those, nor compare with them.
func legible(r *http.Request) error {
	values := r.URL.Query() // without what is malformed, as handlers get it
	if r.Method == http.MethodPost {
		if err := r.ParseForm(); isTooLarge(err) {
			return err
		} else if err != nil {
			return errIllegible
		}
		values = r.Form
	}
	if !isText(r.URL.Path) {
		return errIllegible
	}
	for _, all := range values {
		if !isText(strings.Join(all, "")) {
			return errIllegible
		}
	}
	return nil
}

func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// person lets those who are signed in to h, and sends others to sign in and
// back.
func (a *App) person(h handler) http.HandlerFunc {
	return a.anyone(func(v *visit) error {
		if !v.signedIn {
			return a.toSignIn(v)
		}
		return h(v)
	})
}

// member lets the members of the workspace in the address to h. Strangers get
// the page of a workspace that does not exist.
func (a *App) member(h handler) http.HandlerFunc {
	return a.person(func(v *visit) error {
		slug := chi.URLParam(v.r, "workspace")
		for i, m := range v.memberships {
			if m.Workspace() == slug {
				v.in = &v.memberships[i]
				return h(v)
			}
		}
		return store.ErrNotFound
	})
}

func (a *App) identify(v *visit) error {
	session, ok, err := a.Auth.Session(v.r)
	if err != nil || !ok {
		return err
	}
	v.session, v.signedIn = session, true
	v.memberships, err = a.Store.Memberships(v.r.Context(), session.Account.ID)
	return err
}

// toSignIn sends a person who is not signed in to sign in, and back to the same
// address. A form that was sent without a session is answered with a link: the
// policy's form-action holds for redirects too, so one to the identity provider
// would be dropped without a word. It leads back to the page of the form.
func (a *App) toSignIn(v *visit) error {
	if v.r.Method == http.MethodGet || v.r.Method == http.MethodHead {
		http.Redirect(v.w, v.r, signInURL(v.r.RequestURI), http.StatusFound) // raw: it must come back byte for byte
		return nil
	}
	back := "/"
	if from, err := url.Parse(v.r.Referer()); err == nil && from.Host == v.r.Host {
		back = from.RequestURI()
	}
	return a.render(v, http.StatusForbidden, screen{
		name: "problem", title: "You are signed out", narrow: true,
		data: problem{Text: "Nothing was changed. Sign in, and send the form again.", Back: back},
	})
}

// signInURL is where a person signs in and then returns to a path of the app.
func signInURL(back string) string {
	return "/sign-in?" + url.Values{"return_to": {back}}.Encode()
}

// redirect answers a change: the browser gets the page at path, which says
// flash.
func (a *App) redirect(v *visit, path, flash string) error {
	a.setFlash(v.w, flash)
	v.w.Header().Set("Location", path) // as it is: one that was tidied up could lead elsewhere
	v.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// answer is the one place where errors become pages.
func (a *App) answer(v *visit, err error) {
	if err == nil {
		return
	}
	refusal, refused := message.As(err)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrNotMember):
		err = a.notFound(v)
	case refused:
		err = a.render(v, http.StatusUnprocessableEntity, screen{
			name: "problem", title: titleNo, narrow: true,
			data: problem{Text: refusal.Error()},
		})
	case errors.Is(err, errIllegible):
		err = a.render(v, http.StatusBadRequest, screen{
			name: "problem", title: "This could not be read", narrow: true,
			data: problem{Text: "The address or the form contains something that is not text, so nothing was changed. Go back, remove it and try again."},
		})
	case isTooLarge(err):
		err = a.render(v, http.StatusRequestEntityTooLarge, screen{
			name: "problem", title: "This is too large", narrow: true,
			data: problem{Text: "What you sent is larger than this page accepts, so nothing was changed. Go back, shorten it and try again."},
		})
	default:
		a.failed(v, err)
		return
	}
	if err != nil {
		a.failed(v, err)
	}
}

func isTooLarge(err error) bool {
	_, ok := errors.AsType[*http.MaxBytesError](err)
	return ok
}

// failed logs what went wrong and shows the page that names the request. That a
// visitor has left is no failure.
func (a *App) failed(v *visit, err error) {
	ctx := v.r.Context()
	if ctx.Err() == context.Canceled {
		return
	}
	id := requestID(v.r)
	a.Log.ErrorContext(ctx, "web page failed", "path", v.r.URL.Path, "err", err)
	v.memberships, v.in = nil, nil
	if err := a.render(v, http.StatusInternalServerError, screen{
		name: "problem", title: titleFailed, narrow: true,
		data: problem{Text: "The problem is on our side, and it has been logged. Try again in a moment.", RequestID: id},
	}); err != nil {
		a.Log.ErrorContext(ctx, "error page failed", "err", err)
		http.Error(v.w, titleFailed+" ("+id+")", http.StatusInternalServerError)
	}
}

// requestID is what the access log calls a request; the server in front sets it.
func requestID(r *http.Request) string { return r.Header.Get("X-Request-Id") }

// recovered turns a panic into the page that any other failure gets.
func (a *App) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch p := recover(); p {
			case nil:
			case http.ErrAbortHandler:
				panic(p)
			default:
				a.Log.ErrorContext(r.Context(), "panic", "value", p, "stack", string(debug.Stack()))
				a.failed(&visit{w: w, r: r}, errors.New("panic"))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// problem is the data of problem.html: every page that is only a message.
type problem struct {
	Text      string
	RequestID string
	Back      string // path to return to after signing in; empty: this one
}

func (a *App) notFound(v *visit) error {
	return a.render(v, http.StatusNotFound, screen{
		name: "problem", title: "Not found", narrow: true,
		data: problem{Text: "This page does not exist, or your account cannot open it. Check the address, or ask an owner of the workspace to add you."},
	})
}

// wrongMethod answers a method that the address does not take with those that it
// does.
func (a *App) wrongMethod(routes chi.Routes, w http.ResponseWriter, r *http.Request) {
	var allow []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		as := strings.Replace(method, http.MethodHead, http.MethodGet, 1)
		if routes.Match(chi.NewRouteContext(), as, r.URL.Path) {
			allow = append(allow, method)
		}
	}
	w.Header().Set("Allow", strings.Join(allow, ", "))
	a.anyone(func(v *visit) error {
		return a.render(v, http.StatusMethodNotAllowed, screen{
			name: "problem", title: "This address cannot do that", narrow: true,
			data: problem{Text: "The address exists, but not for this kind of request. Start from the home page."},
		})
	})(w, r)
}

func (a *App) crossOrigin(v *visit) error {
	return a.render(v, http.StatusForbidden, screen{
		name: "problem", title: "Refused", narrow: true,
		data: problem{Text: "This request came from another site, so nothing was changed. Open the page here and try again."},
	})
}

// Titles of pages that are only a message, wherever they are made.
const (
	titleFailed = "Something went wrong"
	titleNo     = "That did not work"
)

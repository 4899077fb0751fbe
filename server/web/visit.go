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
	"service/store/dashboard/locale"
	"service/store/message"
)

// A visit is one request, by a person or by a visitor who is not signed in.
type visit struct {
	w http.ResponseWriter
	r *http.Request

	session     auth.Session // valid if signedIn
	signedIn    bool
	memberships []store.Member // of the person
	in          *store.Member  // the workspace in the address; nil if there is no workspace in it
	release     func()         // of the person's slot; called before the answer is written, and may be called again

	*locale.Locale // locale of the pages: the browser's first language that has a catalogue
}

func newVisit(w http.ResponseWriter, r *http.Request) *visit {
	return &visit{w: w, r: r, release: func() {}, Locale: locale.Negotiate(r.Header.Get("Accept-Language"))}
}

// param returns a parameter of the route, or "".
func (v *visit) param(name string) string { return chi.URLParam(v.r, name) }

// A handler answers a visit. [App.answer] turns its error into a page.
type handler func(*visit) error

// anyone passes every visit to h.
func (a *App) anyone(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := newVisit(w, r)
		defer func() { v.release() }()
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

// consenting is like anyone, for the consent page. If the session cannot be read, the
// answer is that the authorization request is still open.
func (a *App) consenting(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := newVisit(w, r)
		defer func() { v.release() }()
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

// errIllegible is returned for a request whose address or form is not valid text.
var errIllegible = errors.New("web: the request holds what is not text")

// legible parses the form, unless it is multipart. It returns errIllegible if the form
// is malformed, or if the form or the address contains invalid UTF-8 or a NUL, which
// the database can neither store nor compare.
func legible(r *http.Request) error {
	values := r.URL.Query() // drops malformed pairs, as handlers do
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

// person passes visits of people who are signed in to h, and sends others to sign in
// and back.
func (a *App) person(h handler) http.HandlerFunc {
	return a.anyone(func(v *visit) error {
		if !v.signedIn {
			return a.toSignIn(v)
		}
		return h(v)
	})
}

// member passes visits of members of the workspace in the address to h. Others get the
// same page as for a workspace that does not exist.
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

// editor passes visits of editors and owners of the workspace in the address to h, as their role is now.
func (a *App) editor(h handler) http.HandlerFunc {
	return a.member(func(v *visit) error {
		if !v.in.Edits() {
			return a.refuseViewer(v)
		}
		return h(v)
	})
}

// refuseViewer answers a viewer who requested a page that viewers may not see.
func (a *App) refuseViewer(v *visit) error {
	owners, err := a.Store.Members.Owners(v.r.Context(), *v.in)
	if err != nil {
		return err
	}
	role := v.Text("Your role here is viewer: you open dashboards, and neither change anything nor see where the data comes from.")
	ask := v.Text("An owner can make you an editor: %s.", strings.Join(owners, ", "))
	if len(owners) == 0 {
		ask = ""
	}
	return a.render(v, http.StatusForbidden, screen{
		name: "problem", title: v.Text("This is not for viewers"), narrow: true,
		data: problem{Text: strings.TrimSpace(role + " " + ask)},
	})
}

// queue makes requests of routes wait in the queue of a instead of that of
// [Config.Acquire].
func queue(a acquire) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), acquireKey{}, a)))
		})
	}
}

type acquireKey struct{} // an acquire

// identify identifies the visitor and, if they are signed in, waits for a slot. The form has been read before, except for uploaded
// files.
func (a *App) identify(v *visit) error {
	session, ok, err := a.Auth.Session(v.r)
	if err != nil || !ok {
		return err
	}
	from := a.Acquire
	if other, ok := v.r.Context().Value(acquireKey{}).(acquire); ok {
		from = other
	}
	release, err := from(v.r.Context(), session.Account.ID)
	if err != nil {
		return err
	}
	v.release = release
	v.session, v.signedIn = session, true
	v.memberships, err = a.Store.Members.Memberships(v.r.Context(), session.Account.ID)
	return err
}

// toSignIn sends the browser to sign in and back to the same address. A form that was
// sent without a session gets a page with a link instead, which leads back to the
// form's page: browsers apply form-action to redirects too, and would silently block
// one to the identity provider.
func (a *App) toSignIn(v *visit) error {
	if v.r.Method == http.MethodGet || v.r.Method == http.MethodHead {
		if a.strange(v) {
			return a.greet(v, v.r.Host+v.r.URL.EscapedPath())
		}
		http.Redirect(v.w, v.r, signInURL(v.r.RequestURI), http.StatusFound) // the raw URI, in order to return to exactly that
		return nil
	}
	back := "/"
	if from, err := url.Parse(v.r.Referer()); err == nil && from.Host == v.r.Host {
		back = from.RequestURI()
	}
	return a.render(v, http.StatusForbidden, screen{
		name: "problem", title: v.Text("You are signed out"), narrow: true,
		data: problem{Text: v.Text("Nothing was changed. Sign in, and send the form again."), Back: back},
	})
}

// signInURL is the address at which a person signs in, and then returns to the path back.
func signInURL(back string) string {
	return "/sign-in?" + url.Values{"return_to": {back}}.Encode()
}

// redirect answers a change with 303 to the page at path, which then shows flash.
func (a *App) redirect(v *visit, path, flash string) error {
	a.setFlash(v.w, flash)
	v.w.Header().Set("Location", path) // not http.Redirect, which cleans the path and could change its target
	v.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// answer is the only place that turns errors into pages.
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
			name: "problem", title: v.Text(titleNo), narrow: true,
			data: problem{Text: refusal.Error()},
		})
	case errors.Is(err, errIllegible):
		err = a.render(v, http.StatusBadRequest, screen{
			name: "problem", title: v.Text("This could not be read"), narrow: true,
			data: problem{Text: v.Text(
				"The address or the form contains something that is not text, so nothing was changed. Go back, remove it and try again.")},
		})
	case isTooLarge(err):
		err = a.render(v, http.StatusRequestEntityTooLarge, screen{
			name: "problem", title: v.Text("This is too large"), narrow: true,
			data: problem{Text: v.Text(
				"What you sent is larger than this page accepts, so nothing was changed. Go back, shorten it and try again.")},
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

// failed logs err and shows the error page with the request's id. A visitor who has
// disconnected is not an error, and a request without a slot is not logged.
func (a *App) failed(v *visit, err error) {
	ctx := v.r.Context()
	if ctx.Err() == context.Canceled && !errors.Is(err, store.ErrOverloaded) { // a visitor whose wait was ended has not disconnected
		return
	}
	id := requestID(v.r)
	if !errors.Is(err, store.ErrOverloaded) {
		a.Log.ErrorContext(ctx, "web page failed", "path", v.r.URL.Path, "err", err)
	}
	v.memberships, v.in = nil, nil
	p := auth.Failure(err)
	if err := a.render(v, p.Status, screen{
		name: "problem", title: v.Text(p.Title), narrow: true, data: problem{Text: v.Text(p.Text), RequestID: id},
	}); err != nil {
		a.Log.ErrorContext(ctx, "error page failed", "err", err)
		http.Error(v.w, "Something went wrong ("+id+")", http.StatusInternalServerError)
	}
}

// requestID returns the request's id in the access log, which the server in front sets.
func requestID(r *http.Request) string { return r.Header.Get("X-Request-Id") }

// recovered turns a panic into the same page as other errors.
func (a *App) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch p := recover(); p {
			case nil:
			case http.ErrAbortHandler:
				panic(p)
			default:
				a.Log.ErrorContext(r.Context(), "panic", "value", p, "stack", string(debug.Stack()))
				a.failed(newVisit(w, r), errors.New("panic"))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// problem is the data of problem.html, the page that only shows a message.
type problem struct {
	Text      string
	RequestID string
	Back      string // path to return to after the sign-in; empty for this one
}

func (a *App) notFound(v *visit) error {
	return a.render(v, http.StatusNotFound, screen{
		name: "problem", title: v.Text("Not found"), narrow: true,
		data: problem{Text: v.Text(
			"This page does not exist, or your account cannot open it. Check the address, or ask an owner of the workspace to add you.")},
	})
}

// wrongMethod answers 405 with the methods that the address accepts.
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
			name: "problem", title: v.Text("This address cannot do that"), narrow: true,
			data: problem{Text: v.Text("The address exists, but not for this kind of request. Start from the home page.")},
		})
	})(w, r)
}

func (a *App) crossOrigin(v *visit) error {
	return a.render(v, http.StatusForbidden, screen{
		name: "problem", title: v.Text("Refused"), narrow: true,
		data: problem{Text: v.Text("This request came from another site, so nothing was changed. Open the page here and try again.")},
	})
}

// titleNo is the title of several message pages.
const titleNo locale.Key = "That did not work"

package web

import (
	"net/http"
	"strings"
)

// strange reports whether the visit follows a link to a page in a browser that has not opened a workspace yet. Its person
// gets a page about this service before the identity provider's. Programs, and browsers that do not send Sec-Fetch headers,
// are redirected to the identity provider at once.
func (a *App) strange(v *visit) bool {
	_, known := a.Auth.Cookie(v.r, workspaceCookie)
	return !known && v.r.Header.Get("Sec-Fetch-Dest") == "document"
}

// strangerPage shows where a link leads. It shows nothing that is not in the link, so that it does not reveal whether
// the page exists.
type strangerPage struct {
	To     string // host and path
	SignIn string // address that leads there after a sign-in
}

// greet asks a visitor who followed a link to sign in. to is the link's address without its query.
func (a *App) greet(v *visit, to string) error {
	return a.render(v, http.StatusOK, screen{
		name: "stranger", title: v.Text("Sign in to open this page"), narrow: true,
		data: strangerPage{To: to, SignIn: signInURL(v.r.RequestURI)},
	})
}

// visit handles visitors from workspace hosts who must sign in. Package auth signs them in and sends them back. New visitors
// are greeted first.
func (a *App) visit(w http.ResponseWriter, r *http.Request) {
	host, path, ok := a.Auth.VisitTarget(r.URL.Query().Get("to"))
	if v := newVisit(w, r); !ok || !a.strange(v) {
		a.Auth.Visit(w, r)
		return
	}
	a.anyone(func(v *visit) error {
		if v.signedIn {
			a.Auth.Visit(w, r)
			return nil
		}
		path, _, _ = strings.Cut(path, "?")
		return a.greet(v, host+path)
	})(w, r)
}

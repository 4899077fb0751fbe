package web

import (
	"net/http"
	"strings"
)

// strange reports whether the visit is that of a browser in which nobody has opened a workspace yet, and that follows a link
// to a page. Its person is told where they are before they come to an identity provider. Programs, and browsers that do not
// say what they ask for, are sent there at once.
func (a *App) strange(v *visit) bool {
	_, known := a.Auth.Cookie(v.r, workspaceCookie)
	return !known && v.r.Header.Get("Sec-Fetch-Dest") == "document"
}

// strangerPage says where a link leads. It says nothing that is not in the link, so that nobody learns what is there.
type strangerPage struct {
	To     string // host and path
	SignIn string // address that leads there by way of sign-in
}

// greet asks a stranger who followed a link to the address to, without its query, to sign in.
func (a *App) greet(v *visit, to string) error {
	return a.render(v, http.StatusOK, screen{
		name: "stranger", title: v.Text("Sign in to open this page"), narrow: true,
		data: strangerPage{To: to, SignIn: signInURL(v.r.RequestURI)},
	})
}

// visit is where workspaces' hosts send visitors: on to sign in and back, for which package auth cares. Strangers are greeted
// first.
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

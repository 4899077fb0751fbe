package web

import (
	"net/http"
	"slices"

	"service/store"
)

// home shows the landing page to visitors who are not signed in. It redirects others to
// the workspace that they used last, or to the form that creates their first one.
func (a *App) home(v *visit) error {
	if !v.signedIn {
		return a.render(v, http.StatusOK, screen{name: "home", title: v.Text("Sign in"), narrow: true, data: signInURL("/")})
	}
	if len(v.memberships) == 0 {
		return a.newWorkspace(v)
	}
	to := v.memberships[0]
	if slug, ok := a.Auth.Cookie(v.r, workspaceCookie); ok {
		if i := slices.IndexFunc(v.memberships, func(m store.Member) bool { return m.Workspace() == slug }); i >= 0 {
			to = v.memberships[i]
		}
	}
	http.Redirect(v.w, v.r, "/w/"+to.Workspace()+"/", http.StatusFound)
	return nil
}

func (a *App) toWorkspace(v *visit) error {
	http.Redirect(v.w, v.r, "/w/"+v.in.Workspace()+"/", http.StatusFound)
	return nil
}

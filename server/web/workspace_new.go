package web

import (
	"net/http"
	"slices"
	"strings"

	"service/auth"
	"service/store"
	"service/store/dashboard"
	"service/store/message"
)

// workspacePage is the form of a new workspace.
type workspacePage struct {
	Form     form // name, slug
	First    bool
	Refused  bool   // the visitor may not make one
	ReturnTo string // path to return to once the workspace exists; empty for the workspace's own page
	Example  string // address of a dashboard in the workspace
}

func (a *App) newWorkspace(v *visit) error {
	return a.showNewWorkspace(v, filled("slug", suggestSlug(v.session.Account.Email)), v.r.URL.Query().Get("return_to"), "")
}

func (a *App) showNewWorkspace(v *visit, f form, returnTo, problem string) error {
	page := workspacePage{Form: f, First: len(v.memberships) == 0, ReturnTo: returnTo, Example: a.URL("your-slug", "sales")}
	if refusal, ok := message.As(a.Store.Workspaces.RefuseWorkspace(v.session.Account.Email)); ok {
		page.Refused, problem = true, refusal.Error()
	}
	s := screen{name: "workspace_new", title: v.Text("New workspace"), narrow: true, err: problem, data: page}
	if page.First && !page.Refused {
		s.title = v.Text("Create your workspace")
	}
	if page.Refused && v.r.Method == http.MethodGet {
		return a.render(v, http.StatusOK, s)
	}
	return a.renderForm(v, f, s)
}

func (a *App) createWorkspace(v *visit) error {
	f := typedIn(v, "name", "slug")
	returnTo := v.r.PostForm.Get("return_to")
	if f.Typed("name") == "" {
		f.refuse("name", v.Text("Give the workspace a name."))
	} else if refusal, ok := message.As(dashboard.CheckName(f.Typed("name"))); ok {
		f.refuse("name", refusal.Error())
	}
	if f.Typed("slug") == "" {
		f.typed["slug"] = suggestSlug(f.Typed("name"))
	}
	if refusal, ok := message.As(store.CheckWorkspaceSlug(f.Typed("slug"))); ok {
		f.refuse("slug", refusal.Error())
	}
	if f.Refused() {
		return a.showNewWorkspace(v, f, returnTo, "")
	}
	m, err := a.Store.Workspaces.CreateWorkspace(v.r.Context(), v.session.Account.ID, f.Typed("slug"), f.Typed("name"))
	switch refusal, ok := message.As(err); {
	case ok && strings.HasPrefix(refusal.Error(), "workspace slug "):
		f.refuse("slug", refusal.Error())
		return a.showNewWorkspace(v, f, returnTo, "")
	case ok: // about the account, not about a field
		return a.showNewWorkspace(v, f, returnTo, refusal.Error())
	case err != nil:
		return err
	}
	to := "/w/" + m.Workspace() + "/"
	if back := auth.LocalPath(returnTo); back != "/" {
		to = back
	}
	return a.redirect(v, to, v.Text("Workspace %s is ready.", m.WorkspaceName()))
}

// publicMail are e-mail providers, whose names are not those of a person's organization.
var publicMail = []string{"gmail", "googlemail", "outlook", "hotmail", "live", "yahoo", "icloud", "proton", "protonmail", "gmx", "web"}

// suggestSlug derives a slug from a name, or from the organization in an e-mail address.
// The slug may be empty, and may already be taken.
func suggestSlug(from string) string {
	if person, host, ok := strings.Cut(from, "@"); ok {
		if from, _, _ = strings.Cut(host, "."); slices.Contains(publicMail, from) {
			from = person
		}
	}
	var slug strings.Builder
	for _, c := range strings.ToLower(from) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			slug.WriteRune(c)
		case slug.Len() > 0 && !strings.HasSuffix(slug.String(), "-"):
			slug.WriteByte('-')
		}
	}
	return strings.Trim(slug.String()[:min(slug.Len(), 63)], "-")
}

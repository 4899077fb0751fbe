package web

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"service/auth"
	"service/store"
	"service/store/message"
)

// workspaceForm is the form of a new workspace as it was typed, and what was
// wrong with it.
type workspaceForm struct {
	Name, Slug               string
	NameProblem, SlugProblem string
	First                    bool
	ReturnTo                 string // path that waits for the workspace; empty: none
	Example                  string // address of a dashboard in the workspace
}

func (a *App) newWorkspace(v *visit) error {
	return a.showWorkspaceForm(v, http.StatusOK, workspaceForm{
		Slug: suggestSlug(v.session.Account.Email), ReturnTo: v.r.URL.Query().Get("return_to"),
	})
}

func (a *App) showWorkspaceForm(v *visit, status int, f workspaceForm) error {
	f.First = len(v.memberships) == 0
	f.Example = a.URL("your-slug", "sales")
	s := screen{name: "workspace_new", title: "New workspace", narrow: true, data: f}
	if f.First {
		s.title = "Create your workspace"
	}
	if status != http.StatusOK {
		s.err = "The workspace was not created. See the field below."
	}
	return a.render(v, status, s)
}

func (a *App) createWorkspace(v *visit) error {
	f := workspaceForm{
		Name: strings.TrimSpace(v.r.PostForm.Get("name")),
		Slug: strings.TrimSpace(v.r.PostForm.Get("slug")), ReturnTo: v.r.PostForm.Get("return_to"),
	}
	if f.Name == "" {
		f.NameProblem = "Give the workspace a name."
	}
	if f.Slug == "" {
		f.Slug = suggestSlug(f.Name)
	}
	if refusal, ok := errors.AsType[*message.Refusal](store.CheckWorkspaceSlug(f.Slug)); ok {
		f.SlugProblem = refusal.Error()
	}
	if f.NameProblem != "" || f.SlugProblem != "" {
		return a.showWorkspaceForm(v, http.StatusUnprocessableEntity, f)
	}
	m, err := a.Store.CreateWorkspace(v.r.Context(), v.session.Account.ID, f.Slug, f.Name)
	if refusal, ok := message.As(err); ok {
		f.SlugProblem = refusal.Error()
		return a.showWorkspaceForm(v, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	to := "/w/" + m.Workspace() + "/"
	if back := auth.LocalPath(f.ReturnTo); back != "/" {
		to = back
	}
	return a.redirect(v, to, "Workspace "+m.WorkspaceName()+" is ready.")
}

// publicMail are providers whose name says nothing of a person's organization.
var publicMail = []string{"gmail", "googlemail", "outlook", "hotmail", "live", "yahoo", "icloud", "proton", "protonmail", "gmx", "web"}

// suggestSlug makes a slug out of a name, or of the organization in an e-mail
// address. It may be empty, and it may be taken.
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

package web

import (
	"net/http"

	"service/store"
	"service/store/message"
)

// settingsPage is what can be changed about a workspace, by its owners.
type settingsPage struct {
	Name, NameProblem string
	SlugProblem       string
	Owner             bool
}

func (a *App) settings(v *visit) error {
	return a.showSettings(v, http.StatusOK, settingsPage{Name: v.in.WorkspaceName()})
}

func (a *App) showSettings(v *visit, status int, page settingsPage) error {
	page.Owner = v.in.Role() == store.RoleOwner
	s := screen{name: "settings", title: "Settings", tab: tabSettings, narrow: true, data: page}
	if status != http.StatusOK {
		s.err = "Nothing was changed. See the field below."
	}
	return a.render(v, status, s)
}

func (a *App) renameWorkspace(v *visit) error {
	name := v.r.PostForm.Get("name")
	err := a.Store.RenameWorkspace(v.r.Context(), *v.in, name)
	if refusal, ok := message.As(err); ok {
		return a.showSettings(v, http.StatusUnprocessableEntity, settingsPage{Name: name, NameProblem: refusal.Error()})
	}
	if err != nil {
		return err
	}
	return a.redirect(v, "/w/"+v.in.Workspace()+"/settings", "The workspace has its new name.")
}

// deleteWorkspace deletes the workspace once its slug was typed: a click is too
// little for what cannot be undone.
func (a *App) deleteWorkspace(v *visit) error {
	page := settingsPage{Name: v.in.WorkspaceName()}
	if v.r.PostForm.Get("slug") != v.in.Workspace() {
		page.SlugProblem = `Type "` + v.in.Workspace() + `" to delete the workspace.`
		return a.showSettings(v, http.StatusUnprocessableEntity, page)
	}
	err := a.Store.DeleteWorkspace(v.r.Context(), *v.in)
	if refusal, ok := message.As(err); ok {
		page.SlugProblem = refusal.Error()
		return a.showSettings(v, http.StatusUnprocessableEntity, page)
	}
	if err != nil {
		return err
	}
	return a.redirect(v, "/", "Workspace "+v.in.WorkspaceName()+" is deleted.")
}

package web

import (
	"service/store"
	"service/store/message"
)

// settingsPage is the page on which owners change a workspace.
type settingsPage struct {
	Form    form // name; slug, to confirm the deletion
	Owner   bool
	Storage store.Storage
}

func (a *App) settings(v *visit) error {
	return a.showSettings(v, filled("name", v.in.WorkspaceName()))
}

func (a *App) showSettings(v *visit, f form) error {
	stored, err := a.Store.Workspaces.Storage(v.r.Context(), *v.in)
	if err != nil {
		return err
	}
	page := settingsPage{Form: f, Owner: v.in.Role() == store.RoleOwner, Storage: stored}
	return a.renderForm(v, f, screen{name: "settings", title: v.Text("Settings"), tab: tabSettings, narrow: true, data: page})
}

func (a *App) renameWorkspace(v *visit) error {
	f := typedIn(v, "name")
	err := a.Store.Workspaces.RenameWorkspace(v.r.Context(), *v.in, f.Typed("name"))
	if refusal, ok := message.As(err); ok {
		f.refuse("name", refusal.Error())
		return a.showSettings(v, f)
	}
	if err != nil {
		return err
	}
	return a.redirect(v, "/w/"+v.in.Workspace()+"/settings", v.Text("The workspace has its new name."))
}

// deleteWorkspace deletes the workspace once its slug is typed, because this cannot be undone.
func (a *App) deleteWorkspace(v *visit) error {
	f := typedIn(v, "slug")
	f.typed["name"] = v.in.WorkspaceName()
	if f.Typed("slug") != v.in.Workspace() {
		f.refuse("slug", v.Text(`Type "%s" to delete the workspace.`, v.in.Workspace()))
		return a.showSettings(v, f)
	}
	err := a.Store.Workspaces.DeleteWorkspace(v.r.Context(), *v.in)
	if refusal, ok := message.As(err); ok {
		f.refuse("slug", refusal.Error())
		return a.showSettings(v, f)
	}
	if err != nil {
		return err
	}
	return a.redirect(v, "/", v.Text("Workspace %s is deleted.", v.in.WorkspaceName()))
}

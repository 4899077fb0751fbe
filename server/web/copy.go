package web

import (
	"slices"
	"strings"

	"service/store"
	"service/store/message"
)

// copyPage asks for the workspace, the name and the slug of a copy of a dashboard.
type copyPage struct {
	Dashboard store.Dashboard
	Base      string // address of the dashboard's page
	Form      form   // workspace, title, slug
}

// askCopy shows the form for a copy of the dashboard, by default in this workspace.
func (a *App) askCopy(v *visit) error {
	d, err := a.Store.Dashboards.Dashboard(v.r.Context(), *v.in, v.param("dashboard"))
	if err != nil {
		return err
	}
	slug := d.Slug[:min(len(d.Slug), 64-len("-copy"))] + "-copy"
	return a.showCopy(v, d, filled("workspace", v.in.Workspace(), "title", v.Text("Copy of %s", d.Name), "slug", slug), "")
}

func (a *App) showCopy(v *visit, d store.Dashboard, f form, problem string) error {
	return a.renderForm(v, f, screen{
		name: "dashboard_copy", title: v.Text("Duplicate %s", d.Name), tab: tabDashboards, narrow: true, err: problem,
		data: copyPage{Dashboard: d, Base: dashboardURL(v, d.Slug), Form: f},
	})
}

// makeCopy makes the copy in a workspace of the person, and redirects to its page.
func (a *App) makeCopy(v *visit) error {
	d, err := a.Store.Dashboards.Dashboard(v.r.Context(), *v.in, v.param("dashboard"))
	if err != nil {
		return err
	}
	f := typedIn(v, "workspace", "title", "slug")
	i := slices.IndexFunc(v.memberships, func(m store.Member) bool { return m.Workspace() == f.Typed("workspace") && m.Edits() })
	if i < 0 {
		f.refuse("workspace", v.Text("Choose one of the list."))
		return a.showCopy(v, d, f, "")
	}
	to := v.memberships[i]
	_, err = a.Store.Dashboards.Duplicate(v.r.Context(), *v.in, d.Slug, to, store.Copy{Slug: f.Typed("slug"), Name: f.Typed("title")})
	if refusal, ok := message.As(err); ok {
		switch text := refusal.Error(); {
		case strings.HasPrefix(text, "slug "):
			f.refuse("slug", text)
		case strings.HasPrefix(text, "name "):
			f.refuse("title", text)
		default:
			return a.showCopy(v, d, f, text)
		}
		return a.showCopy(v, d, f, "")
	}
	if err != nil {
		return err
	}
	return a.redirect(v, "/w/"+to.Workspace()+"/d/"+f.Typed("slug"), v.Text("This is the copy. It has no schedule yet."))
}

package web

import (
	"html/template"
	"net/http"
	"time"

	"github.com/google/uuid"

	"service/store"
)

// deletePage asks the person to confirm the deletion of a dashboard.
type deletePage struct {
	Dashboard store.Dashboard
	Base      string // address of the dashboard's page
	Versions  int
	Aliases   []string
	Until     time.Time // when it would be erased; zero: at once
}

// Slugs returns the slug and the aliases of the dashboard.
func (p deletePage) Slugs() template.HTML {
	slugs := element("code", p.Dashboard.Slug)
	for _, alias := range p.Aliases {
		slugs += ", " + element("code", alias)
	}
	return slugs
}

func (a *App) confirmDelete(v *visit) error {
	ctx := v.r.Context()
	d, err := a.Store.Dashboards.Dashboard(ctx, *v.in, v.param("dashboard"))
	if err != nil {
		return err
	}
	if err := a.Store.Members.RefuseRemoval(ctx, *v.in, d); err != nil {
		return err
	}
	versions, err := a.Store.Dashboards.Versions(ctx, *v.in, d.Slug)
	if err != nil {
		return err
	}
	page := deletePage{Dashboard: d, Base: dashboardURL(v, d.Slug), Versions: len(versions)}
	if n := a.Store.Dashboards.BinDays(); n > 0 && d.VersionID != uuid.Nil {
		page.Until = a.Now().AddDate(0, 0, n)
	}
	if page.Aliases, err = a.Store.Dashboards.Aliases(ctx, *v.in, d); err != nil {
		return err
	}
	return a.render(v, http.StatusOK, screen{
		name: "dashboard_delete", title: v.Text("Delete %s", d.Name), tab: tabDashboards, narrow: true, data: page,
	})
}

func (a *App) deleteDashboard(v *visit) error {
	if _, err := a.Store.Dashboards.DeleteDashboard(v.r.Context(), *v.in, v.param("dashboard")); err != nil {
		return err
	}
	return a.redirect(v, "/w/"+v.in.Workspace()+"/", v.Text("The dashboard is deleted."))
}

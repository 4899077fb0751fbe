package web

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"service/store"
	"service/store/message"
)

// binPage lists the deleted dashboards of a workspace that are kept.
type binPage struct {
	Dashboards []binnedRow
	Kept       bool // deleted dashboards are kept here
	Owner      bool // the visitor is one, and may erase
	Pages      pages
}

// A binnedRow is a deleted dashboard with the form that restores it.
type binnedRow struct {
	store.Binned
	Form form // slug, if another dashboard has its former one
}

func binURL(v *visit) string { return "/w/" + v.in.Workspace() + "/bin" }

func (a *App) bin(v *visit) error { return a.showBin(v, uuid.Nil, form{}) }

// showBin lists the bin. The form of the dashboard refused, if any, is shown as it was typed.
func (a *App) showBin(v *visit, refused uuid.UUID, f form) error {
	cursor := v.r.URL.Query().Get("after")
	found, err := a.Store.Dashboards.Bin(v.r.Context(), *v.in, cursor, rowsPerPage)
	if errors.Is(err, store.ErrCursor) {
		return store.ErrNotFound
	}
	if err != nil {
		return err
	}
	page := binPage{
		Kept: a.Store.Dashboards.BinDays() > 0, Owner: v.in.Role() == store.RoleOwner,
		Pages: pages{reader: a.readerOf(v), Left: found.Left},
	}
	if cursor != "" {
		page.Pages.First = binURL(v)
	}
	if found.Next != "" {
		page.Pages.Next = binURL(v) + "?" + url.Values{"after": {found.Next}}.Encode()
	}
	for _, d := range found.Dashboards {
		row := binnedRow{Binned: d, Form: filled("slug", otherSlug(d.Slug))}
		if d.ID == refused {
			row.Form, row.Taken = f, true
		}
		row.Form.suffix = d.ID.String()
		page.Dashboards = append(page.Dashboards, row)
	}
	return a.renderForm(v, f, screen{name: "bin", title: v.Text("Deleted dashboards"), tab: tabBin, data: page})
}

// otherSlug returns the slug to suggest if a slug is taken.
func otherSlug(slug string) string {
	const end = "-2"
	return slug[:min(len(slug), 64-len(end))] + end
}

// binned returns the deleted dashboard in the address.
func (a *App) binned(v *visit) (store.Binned, error) {
	id, err := uuid.Parse(chi.URLParam(v.r, "binned"))
	if err != nil {
		return store.Binned{}, store.ErrNotFound
	}
	return a.Store.Dashboards.BinnedDashboard(v.r.Context(), *v.in, id)
}

// reviveDashboard restores a dashboard from the bin, and redirects to its page.
func (a *App) reviveDashboard(v *visit) error {
	d, err := a.binned(v)
	if err != nil {
		return err
	}
	f := typedIn(v, "slug")
	back, err := a.Store.Dashboards.Revive(v.r.Context(), *v.in, store.Revival{Slug: d.Slug, Version: d.VersionID, NewSlug: f.Typed("slug")})
	if errors.Is(err, store.ErrTaken) {
		taken := f.Typed("slug")
		if taken == "" {
			taken = d.Slug
			f = filled("slug", otherSlug(d.Slug))
		}
		f.refuse("slug", v.Text("Another dashboard has the slug %s now.", taken))
		return a.showBin(v, d.ID, f)
	}
	if refusal, ok := message.As(err); ok {
		f.refuse("slug", refusal.Error())
		return a.showBin(v, d.ID, f)
	}
	if err != nil {
		return err
	}
	return a.redirect(v, dashboardURL(v, back.Dashboard.Slug),
		v.Text("The dashboard is back. It has no schedule, its alerts are muted, and nothing of it is sent until somebody allows that."))
}

// confirmErase asks an owner to confirm that a deleted dashboard is to be erased.
func (a *App) confirmErase(v *visit) error {
	d, err := a.binned(v)
	if err != nil {
		return err
	}
	return a.render(v, http.StatusOK, screen{
		name: "bin_erase", title: v.Text("Erase %s?", d.Name), tab: tabBin, narrow: true, data: d,
	})
}

func (a *App) eraseDashboard(v *visit) error {
	d, err := a.binned(v)
	if err != nil {
		return err
	}
	if err := a.Store.Dashboards.EraseDashboard(v.r.Context(), *v.in, d.ID); err != nil {
		return err
	}
	return a.redirect(v, binURL(v), v.Text("The dashboard is erased."))
}

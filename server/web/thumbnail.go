package web

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"service/auth"
	"service/store"
	"service/store/dashboard"
	"service/store/view"
)

// thumbnailURL returns the address of a dashboard's thumbnail. It is different for each version and
// after each refresh, so that browsers may cache the picture. It is empty if there is nothing to draw.
func thumbnailURL(d store.Dashboard) string {
	at := d.UpdatedAt
	switch {
	case d.Refreshable() && d.RefreshedAt == nil, !d.Refreshable() && d.Filename != dashboard.DefaultFile:
		return ""
	case d.RefreshedAt != nil:
		at = *d.RefreshedAt
	}
	of := strconv.FormatInt(at.UnixMicro(), 36) + d.VersionID.String()[24:]
	return "/w/" + d.Workspace + "/d/" + url.PathEscape(d.Slug) + "/thumbnail.png?of=" + of
}

// thumbnail answers with a small picture of a dashboard for members of its workspace, drawn on the
// server from stored rows.
func (a *App) thumbnail(v *visit) error {
	d, err := a.Store.Dashboards.Dashboard(v.r.Context(), *v.in, v.param("dashboard"))
	if err != nil {
		return err
	}
	p, err := a.Views.Thumbnail(v.r.Context(), *v.in, d, v.r.URL.Query().Get("theme") == "dark")
	if errors.Is(err, view.ErrBusy) {
		v.w.Header().Set("Retry-After", "5")
		http.Error(v.w, v.Text("Too many pictures are being drawn. Try again in a moment."), http.StatusServiceUnavailable)
		return nil
	}
	if err != nil {
		return err
	}
	v.release()
	a.Kept(v.r.Context(), len(p.Body))
	h := v.w.Header()
	h.Set("Content-Type", p.ContentType)
	h.Set("ETag", p.ETag)
	h.Set("Cache-Control", "private, no-cache") // revalidated each time, because the person may have signed out or lost the membership
	http.ServeContent(v.w, v.r, "", time.Time{}, bytes.NewReader(p.Body))
	return nil
}

// star adds a dashboard to the person's favourites, or removes it.
func (a *App) star(v *visit) error {
	err := a.Store.Dashboards.Star(v.r.Context(), *v.in, v.param("dashboard"), v.r.PostForm.Get("star") != "")
	back := auth.LocalPath(v.r.PostForm.Get("return_to"))
	if errors.Is(err, store.ErrStarred) {
		return a.redirect(v, back, v.Text("You can have %s favourites in a workspace. Remove the star of another one first.",
			v.Number(store.MaxStarred, 0)))
	}
	if err != nil {
		return err
	}
	return a.redirect(v, back, "")
}

package web

import (
	"errors"
	"net/http"

	"github.com/google/uuid"

	"service/store"
	"service/store/linediff"
)

// comparePage shows how two versions of a dashboard differ. It also confirms the restore of the first.
type comparePage struct {
	Dashboard store.Dashboard
	Base      string       // address of the dashboard's page
	Sides     []versionRow // the two versions: Lines are the changes from the first to the second
	Others    []versionRow // versions that the first can be compared with
	Changes   []string     // in words
	Lines     []linediff.Line
	More      int  // number of lines that are not shown
	Unlike    bool // one of the two is not text, so there are no lines
}

// Label returns the version's name, or the time when it was made.
func (r versionRow) Label() string {
	if r.Name != nil {
		return *r.Name
	}
	return r.Text("Version of %s", r.moment(r.CreatedAt))
}

// Restorable returns the versions of the two that can be restored.
func (p comparePage) Restorable() []versionRow {
	var out []versionRow
	for i, row := range p.Sides {
		if !row.Current && (i == 0 || row.ID != p.Sides[0].ID) {
			out = append(out, row)
		}
	}
	return out
}

// compareVersions shows how the version in the address differs from another one: the one in the parameter "with", or the current one.
func (a *App) compareVersions(v *visit) error {
	ctx := v.r.Context()
	d, err := a.Store.Dashboards.Dashboard(ctx, *v.in, v.param("dashboard"))
	if err != nil {
		return err
	}
	first, err := versionID(v)
	if err != nil {
		return store.ErrNotFound
	}
	second := d.VersionID
	if with := v.r.URL.Query().Get("with"); with != "" {
		if second, err = uuid.Parse(with); err != nil {
			return store.ErrNotFound
		}
	}
	page := comparePage{Dashboard: d, Base: dashboardURL(v, d.Slug)}
	for _, id := range []uuid.UUID{first, second} {
		version, err := a.Store.Dashboards.Version(ctx, *v.in, d.Slug, id)
		if errors.Is(err, store.ErrNoVersion) {
			return store.ErrNotFound
		}
		if err != nil {
			return err
		}
		page.Sides = append(page.Sides, a.versionRow(v, d, version))
	}
	versions, err := a.Store.Dashboards.Versions(ctx, *v.in, d.Slug)
	if err != nil {
		return err
	}
	for _, version := range versions {
		if version.ID != first {
			page.Others = append(page.Others, a.versionRow(v, d, version))
		}
	}
	if err := a.addDifferences(v, &page); err != nil {
		return err
	}
	return a.render(v, http.StatusOK, screen{name: "compare", title: v.Text("Compare versions"), tab: tabDashboards, data: page})
}

// addDifferences fills in the differences between the two versions.
func (a *App) addDifferences(v *visit, page *comparePage) (err error) {
	ctx, before, after := v.r.Context(), page.Sides[0].Version, page.Sides[1].Version
	if page.Changes, err = a.Store.Dashboards.CompareVersions(ctx, *v.in, page.Dashboard, before, after); err != nil {
		return err
	}
	var contents [2][]byte
	for i, version := range []store.Version{before, after} {
		if contents[i], err = a.Store.Dashboards.VersionContent(ctx, *v.in, version); err != nil {
			return err
		}
	}
	var text bool
	page.Lines, page.More, text = linediff.Compare(contents[0], contents[1])
	page.Unlike = !text
	return nil
}

func (a *App) versionRow(v *visit, d store.Dashboard, version store.Version) versionRow {
	return versionRow{
		reader: a.readerOf(v), Version: version, Base: dashboardURL(v, d.Slug),
		Preview: a.URL(d.Workspace, d.Slug) + "?version=" + version.ID.String(),
	}
}

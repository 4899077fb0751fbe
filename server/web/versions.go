package web

import (
	"github.com/google/uuid"

	"github.com/go-chi/chi/v5"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/locale"
	"service/store/message"
)

// A versionRow is a version with the form of its name.
type versionRow struct {
	reader
	store.Version
	Base, Preview string // addresses of the dashboard's page and of the version
	Form          form   // name
}

// addVersions fills in the list of versions. m has the form of the version whose name was refused.
func (p *dashboardPage) addVersions(r reader, versions []store.Version, m mend) {
	var rows []versionRow
	for i, version := range versions {
		row := versionRow{reader: r, Version: version, Base: p.Base, Preview: p.URL + "?version=" + version.ID.String()}
		switch {
		case version.ID == m.version:
			row.Form = m.name
			p.Refused = i >= newestShown
		case version.Name != nil:
			row.Form = filled("name", *version.Name)
		}
		row.Form.suffix = version.ID.String()
		rows = append(rows, row)
	}
	p.Versions, p.Older = newest(rows)
}

func versionID(v *visit) (uuid.UUID, error) {
	id, err := uuid.Parse(chi.URLParam(v.r, "version"))
	if err != nil {
		return uuid.Nil, store.ErrNoVersion
	}
	return id, nil
}

func (a *App) restoreVersion(v *visit, slug string) (string, error) {
	id, err := versionID(v)
	if err != nil {
		return "", err
	}
	_, err = a.Store.Dashboards.RestoreVersion(v.r.Context(), *v.in, slug, id)
	return v.Text("The version is restored. The one shown before is kept below it in the list."), err
}

// nameVersion names a version, or removes its name if the new name is empty.
func (a *App) nameVersion(v *visit) error {
	f := typedIn(v, "name")
	id, err := versionID(v)
	if err != nil {
		return a.showDashboard(v, mend{problem: v.Text(versionGone)})
	}
	name, said := new(f.Typed("name")), v.Text("The version is now called %s and will be kept.", f.Typed("name"))
	if *name == "" {
		name, said = nil, v.Text("The version no longer has a name. Only the newest unnamed versions are kept.")
	} else if refusal, ok := message.As(dashboard.CheckName(*name)); ok {
		f.refuse("name", refusal.Error())
		return a.showDashboard(v, mend{version: id, name: f})
	}
	return a.change("versions", func(v *visit, slug string) (string, error) {
		_, err := a.Store.Dashboards.NameVersion(v.r.Context(), *v.in, slug, id, name)
		return said, err
	})(v)
}

const versionGone locale.Key = "That version no longer exists: only the newest unnamed versions are kept."

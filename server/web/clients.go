package web

import (
	"net/http"
	"slices"

	"github.com/google/uuid"

	"service/store"
)

// clientsPage lists the clients that the person has allowed.
type clientsPage struct {
	Grants []grantRow
	Pages  pages
	MCPURL string
	Base   string // address of this page
}

type grantRow struct {
	store.GrantInfo
	Client string // name, safe to display
}

func (a *App) clients(v *visit) error {
	grants, err := a.grants(v)
	if err != nil {
		return err
	}
	page := clientsPage{MCPURL: a.MCPURL, Base: clientsURL(v)}
	page.Grants, page.Pages = cut(v, a.readerOf(v), page.Base, grants, func(g grantRow) string { return g.ID.String() })
	return a.render(v, http.StatusOK, screen{name: "clients", title: v.Text(tabClients), tab: tabClients, data: page})
}

// grants returns the person's active grants, newest first.
func (a *App) grants(v *visit) ([]grantRow, error) {
	grants, err := a.Store.OAuth.ListGrants(v.r.Context(), v.session.Account.ID, uuid.Nil)
	rows := make([]grantRow, len(grants))
	for i, g := range grants {
		rows[i] = grantRow{g, clientOf(v.Locale, g.ClientName)}
	}
	return rows, err
}

// revoke ends one of the person's grants. A grant that has already ended is not an
// error.
func (a *App) revoke(v *visit) error {
	id, err := uuid.Parse(v.r.PostForm.Get("grant"))
	if err != nil {
		return store.ErrNotFound
	}
	ctx, account := v.r.Context(), v.session.Account.ID
	grants, err := a.grants(v)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(grants, func(g grantRow) bool { return g.ID == id })
	if i < 0 {
		return a.redirect(v, clientsURL(v), v.Text("That client no longer had access."))
	}
	if err := a.Store.OAuth.RevokeGrant(ctx, account, id); err != nil {
		return err
	}
	return a.redirect(v, clientsURL(v), v.Text("Access of %s is revoked.", grants[i].Client))
}

func clientsURL(v *visit) string {
	if v.in != nil {
		return "/w/" + v.in.Workspace() + "/clients"
	}
	return "/clients"
}

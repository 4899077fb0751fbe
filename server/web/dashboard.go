package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/message"
	"service/store/view"
)

// runsShown is the number of refreshes in the history.
const runsShown = 20

// newestShown is the number of rows of a history that are always visible; the others are folded.
const newestShown = 5

// newest splits a history, newest first, into the visible and the folded rows.
func newest[T any](rows []T) (open, folded []T) {
	n := min(len(rows), newestShown)
	return rows[:n], rows[n:]
}

// dashboardPage is the page with the details and settings of one dashboard.
type dashboardPage struct {
	Dashboard store.Dashboard
	Fresh     freshness
	URL       string
	Base      string // address of this page
	Picture   string // address of its thumbnail; empty if there is nothing to draw
	Theme     string // theme of the thumbnail
	Aliases   []string
	Versions  []versionRow // the newest versions
	Older     []versionRow
	Refused   bool     // the name of an older version was refused
	Recent    []runRow // the newest refreshes
	Earlier   []runRow
	Source    *sourceView // nil for a static dashboard
	Details   form        // name and tags
	Schedule  scheduleView
	Sent      []deliveryRow
	Removable bool // the person may delete it
	Others    []other
}

// other is a member as whom the person can look at the page.
type other struct{ Called, URL string }

// maxOthers is the largest number of members in the menu.
const maxOthers = 100

// others returns the other members with an account as whom the person may look at d.
func (a *App) others(v *visit, d store.Dashboard) (list []other, err error) {
	if !v.in.MayLookAs(d) {
		return nil, nil
	}
	people, err := a.Store.Members.People(v.r.Context(), *v.in)
	for _, p := range people {
		if p.Account != uuid.Nil && p.Account != v.in.Account() && len(list) < maxOthers {
			list = append(list, other{p.Called, a.URL(d.Workspace, d.Slug) + "?as=" + p.Account.String()})
		}
	}
	return list, err
}

// sourceView is the data source of a dashboard. It has no secrets and no data of another workspace.
type sourceView struct {
	*dashboard.Spec
	Connection string // label of a connection of this workspace; self, or an id
	Kind       string // kind of that connection; may be empty
	Blocker    string // why refreshes cannot succeed; empty if they can
}

type runRow struct {
	reader
	store.Run
	Tone   string
	Lasted string // empty while it has not ended
	Rows   int

	Counted bool // the person may read all rows, so their number is shown
}

// A mend is a refused form of the page, which is shown again as it was typed. At most
// one of its forms is set.
type mend struct {
	details, schedule *form
	version           uuid.UUID // version whose name was refused
	name              form
	problem           string // of an action without fields
}

func (m mend) form() form {
	switch {
	case m.details != nil:
		return *m.details
	case m.schedule != nil:
		return *m.schedule
	}
	return m.name
}

func (a *App) dashboard(v *visit) error { return a.showDashboard(v, mend{}) }

func (a *App) showDashboard(v *visit, m mend) error {
	ctx, slug := v.r.Context(), chi.URLParam(v.r, "dashboard")
	d, err := a.Store.Dashboards.Dashboard(ctx, *v.in, slug)
	if err != nil {
		return err
	}
	page := dashboardPage{
		Dashboard: d, Fresh: freshnessOf(d, a.readerOf(v)), URL: a.URL(d.Workspace, d.Slug), Base: dashboardURL(v, d.Slug),
		Picture: thumbnailURL(d), Theme: a.theme(v), Removable: v.in.MayRemove(d),
	}
	if d.Slug != slug && v.r.Method == http.MethodGet { // an alias
		http.Redirect(v.w, v.r, page.Base, http.StatusMovedPermanently)
		return nil
	}
	if page.Aliases, err = a.Store.Dashboards.Aliases(ctx, *v.in, d); err != nil {
		return err
	}
	versions, err := a.Store.Dashboards.Versions(ctx, *v.in, d.Slug)
	if err != nil {
		return err
	}
	if page.Others, err = a.others(v, d); err != nil {
		return err
	}
	page.addVersions(a.readerOf(v), versions, m)
	page.Details = filled("title", d.Name, "tags", strings.Join(d.Tags, ", "))
	if m.details != nil {
		page.Details = *m.details
	}
	if d.Refreshable() {
		if err := a.addRefreshes(v, &page, m.schedule); err != nil {
			return err
		}
	}
	return a.renderForm(v, m.form(), screen{name: "dashboard", title: d.Name, tab: tabDashboards, err: m.problem, data: page})
}

// addRefreshes fills in the parts for refreshable dashboards.
func (a *App) addRefreshes(v *visit, page *dashboardPage, typed *form) error {
	ctx, d := v.r.Context(), page.Dashboard
	source, err := a.sourceOf(v, d)
	if err != nil {
		return err
	}
	if v.in.Edits() { // viewers see neither the source of the data nor the reason why data are missing
		runs, err := a.Store.Refreshes.Runs(ctx, *v.in, d.Slug, runsShown)
		if err != nil {
			return err
		}
		whole := v.in.Cut(d).All
		withheld := view.Withheld(*v.in, d)
		for _, r := range runs {
			if withheld != "" && r.Error != "" {
				r.Error = withheld
			}
			for i := range r.Datasets {
				if withheld != "" && r.Datasets[i].Error != "" {
					r.Datasets[i].Error = withheld
				}
			}
			row := runRowOf(a.readerOf(v), r)
			row.Counted = whole
			page.Recent = append(page.Recent, row)
		}
		page.Recent, page.Earlier = newest(page.Recent)
		page.Source = source
	}
	if page.Sent, err = a.deliveries(v, d, source.Spec); err != nil {
		return err
	}
	page.Schedule, err = a.scheduleOf(v, d, typed)
	return err
}

func (a *App) sourceOf(v *visit, d store.Dashboard) (*sourceView, error) {
	ctx := v.r.Context()
	content, err := a.Store.Dashboards.Content(ctx, *v.in, d)
	if err != nil {
		return nil, err
	}
	source := &sourceView{Connection: d.ConnectionName()}
	if source.Spec, err = dashboard.ParseStored(content); err != nil {
		return nil, fmt.Errorf("version %s: %w", d.VersionID, err)
	}
	if d.Connection == uuid.Nil {
		return source, nil
	}
	c, err := a.Store.Connections.BoundConnection(ctx, *v.in, d)
	if errors.Is(err, store.ErrNotFound) {
		source.Blocker = v.Text("The connection was deleted. Publish the dashboard again with another one.")
		return source, nil
	}
	if err != nil {
		return nil, err
	}
	if source.Blocker = store.Unbound(c, d.WorkspaceID, d.Files); c.WorkspaceID != d.WorkspaceID {
		return source, nil
	}
	source.Connection, source.Kind = c.Label, c.Kind
	if refusal, ok := message.As(store.Usable(c, d.Files)); ok && source.Blocker == "" {
		source.Blocker = refusal.Error()
	}
	return source, nil
}

func runRowOf(reader reader, r store.Run) runRow {
	row := runRow{reader: reader, Run: r, Tone: "plain"}
	switch r.State {
	case store.RunSucceeded:
		row.Tone = "good"
	case store.RunPartial, store.RunQueued, store.RunRunning:
		row.Tone = "warn"
	case store.RunFailed:
		row.Tone = "bad"
	}
	if r.StartedAt != nil && r.FinishedAt != nil {
		row.Lasted = reader.Took(r.FinishedAt.Sub(*r.StartedAt).Round(time.Millisecond))
	}
	for _, d := range r.Datasets {
		row.Rows += d.Rows
	}
	return row
}

func dashboardURL(v *visit, slug string) string {
	return "/w/" + v.in.Workspace() + "/d/" + url.PathEscape(slug)
}

// change returns a handler that applies do to the dashboard in the address, and
// redirects to the section of its page from which the person sent the form.
func (a *App) change(section string, do func(v *visit, slug string) (flash string, err error)) handler {
	return func(v *visit) error {
		if err := v.r.ParseForm(); err != nil {
			return err
		}
		slug := chi.URLParam(v.r, "dashboard")
		flash, err := do(v, slug)
		if refusal, ok := message.As(err); ok {
			return a.showDashboard(v, mend{problem: refusal.Error()})
		}
		switch {
		case errors.Is(err, store.ErrNoVersion):
			return a.showDashboard(v, mend{problem: v.Text(versionGone)})
		case errors.Is(err, store.ErrStatic):
			return a.showDashboard(v, mend{problem: v.Text("This dashboard is static: there is nothing to refresh.")})
		case err != nil:
			return err
		}
		return a.redirect(v, dashboardURL(v, slug)+"#"+section, flash)
	}
}

func (a *App) refreshNow(v *visit, slug string) (string, error) {
	ctx := v.r.Context()
	if ok, _ := a.Store.Rates.Allow(ctx, store.RateTrigger, v.in.Account().String()); !ok {
		return "", message.RefreshBudgetSpent()
	}
	t, err := a.Store.Refreshes.TriggerRefresh(ctx, *v.in, slug)
	if t.Deduplicated {
		return v.Text("A refresh is already under way."), err
	}
	return v.Text("A refresh is queued. Reload this page to see how it goes."), err
}

// setDetails changes the dashboard's name and tags.
func (a *App) setDetails(v *visit) error {
	f := typedIn(v, "title", "tags")
	d, err := a.Store.Dashboards.Dashboard(v.r.Context(), *v.in, chi.URLParam(v.r, "dashboard"))
	if err != nil {
		return err
	}
	name := f.Typed("title")
	if refusal, ok := message.As(dashboard.CheckName(name)); ok {
		f.refuse("title", refusal.Error())
	}
	var tags []string // nil keeps the tags: a client's tags may contain commas, which this form cannot express
	if f.Typed("tags") != strings.TrimSpace(strings.Join(d.Tags, ", ")) {
		tags = []string{}
		for tag := range strings.SplitSeq(f.Typed("tags"), ",") {
			if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(tags, tag) {
				tags = append(tags, tag)
			}
		}
	}
	if refusal, ok := message.As(dashboard.CheckTags(tags)); ok {
		f.refuse("tags", refusal.Error())
	}
	if f.Refused() {
		return a.showDashboard(v, mend{details: &f})
	}
	return a.change("details", func(v *visit, slug string) (string, error) {
		_, err := a.Store.Dashboards.UpdateDashboard(v.r.Context(), *v.in, slug, store.Update{Name: &name, Tags: tags})
		return v.Text("Name and tags are saved."), err
	})(v)
}

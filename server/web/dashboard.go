package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard/spec"
	"service/store/message"
)

// runsShown is how many refreshes the history shows.
const runsShown = 20

// dashboardPage is all that there is to know and to do about one dashboard.
type dashboardPage struct {
	Dashboard store.Dashboard
	Fresh     freshness
	URL       string
	Base      string // address of this page
	Aliases   []string
	Versions  []store.Version
	Runs      []runRow
	Source    *sourceView // nil: static
	Schedule  scheduleForm
	Budget    int // triggers left to the workspace this minute
}

// sourceView is where the rows of a dashboard come from. It holds no secret and
// nothing of another workspace.
type sourceView struct {
	*spec.Spec
	Connection string // label of a connection of this workspace; self, or an id
	Kind       string // of a connection of this workspace
	Blocker    string // why no refresh can succeed; empty: nothing is in the way
}

type runRow struct {
	store.Run
	Tone string
	Took time.Duration // zero: has not ended
	Rows int
}

// scheduleForm is the schedule as it was typed, and what was wrong with it.
type scheduleForm struct {
	Expression, Timezone string
	Problem              string
	Next                 []nextRun
}

// A nextRun is a time in the schedule's zone and in UTC.
type nextRun struct{ UTC, Local time.Time }

func (a *App) dashboard(v *visit) error {
	return a.showDashboard(v, http.StatusOK, "", nil)
}

func (a *App) showDashboard(v *visit, status int, problem string, typed *scheduleForm) error {
	ctx, slug := v.r.Context(), chi.URLParam(v.r, "dashboard")
	d, err := a.Store.Dashboard(ctx, *v.in, slug)
	if err != nil {
		return err
	}
	page := dashboardPage{
		Dashboard: d, Fresh: freshnessOf(d), URL: a.URL(d.Workspace, d.Slug), Base: dashboardURL(v, d.Slug),
	}
	if d.Slug != slug && v.r.Method == http.MethodGet { // an alias
		http.Redirect(v.w, v.r, page.Base, http.StatusMovedPermanently)
		return nil
	}
	if page.Aliases, err = a.Store.Aliases(ctx, *v.in, d); err != nil {
		return err
	}
	if page.Versions, err = a.Store.Versions(ctx, *v.in, d.Slug); err != nil {
		return err
	}
	if d.Refreshable() {
		if err := a.addRefreshes(v, &page, typed); err != nil {
			return err
		}
	}
	return a.render(v, status, screen{name: "dashboard", title: d.Name, tab: tabDashboards, err: problem, data: page})
}

// addRefreshes fills in what only a refreshable dashboard has.
func (a *App) addRefreshes(v *visit, page *dashboardPage, typed *scheduleForm) error {
	ctx, d := v.r.Context(), page.Dashboard
	runs, err := a.Store.Runs(ctx, *v.in, d.Slug, runsShown)
	if err != nil {
		return err
	}
	for _, r := range runs {
		page.Runs = append(page.Runs, runRowOf(r))
	}
	page.Budget = a.Store.Left(ctx, a.Store.RefreshBudget(), d.WorkspaceID.String())
	if page.Source, err = a.sourceOf(v, d); err != nil {
		return err
	}
	if typed != nil {
		page.Schedule = *typed
		return nil
	}
	c, err := a.Store.Schedule(ctx, *v.in, d)
	if err != nil {
		return err
	}
	page.Schedule = scheduleForm{Expression: c.Expression, Timezone: c.Timezone}
	if c.Off() {
		page.Schedule.Timezone = v.session.Account.Timezone
	}
	location, err := time.LoadLocation(c.Timezone)
	if err != nil {
		return err
	}
	for _, at := range c.Next(a.Now(), 3) {
		page.Schedule.Next = append(page.Schedule.Next, nextRun{at, at.In(location)})
	}
	return nil
}

func (a *App) sourceOf(v *visit, d store.Dashboard) (*sourceView, error) {
	ctx := v.r.Context()
	content, err := a.Store.Content(ctx, *v.in, d)
	if err != nil {
		return nil, err
	}
	source := &sourceView{Connection: d.ConnectionName()}
	if source.Spec, err = spec.Parse(content); err != nil {
		return nil, err // it was checked when it was published
	}
	if d.Connection == uuid.Nil {
		return source, nil
	}
	c, err := a.Store.BoundConnection(ctx, *v.in, d)
	if errors.Is(err, store.ErrNotFound) {
		source.Blocker = "The connection is gone. Publish again with another one."
		return source, nil
	}
	if err != nil {
		return nil, err
	}
	if source.Blocker = store.Unbound(c, d.WorkspaceID); c.WorkspaceID != d.WorkspaceID {
		return source, nil
	}
	source.Connection, source.Kind = c.Label, c.Kind
	if refusal, ok := message.As(store.Usable(c, d.Upload)); ok && source.Blocker == "" {
		source.Blocker = refusal.Error()
	}
	return source, nil
}

func runRowOf(r store.Run) runRow {
	row := runRow{Run: r, Tone: "plain"}
	switch r.State {
	case store.RunSucceeded:
		row.Tone = "good"
	case store.RunPartial, store.RunQueued, store.RunRunning:
		row.Tone = "warn"
	case store.RunFailed:
		row.Tone = "bad"
	}
	if r.StartedAt != nil && r.FinishedAt != nil {
		row.Took = r.FinishedAt.Sub(*r.StartedAt).Round(time.Millisecond)
	}
	for _, d := range r.Datasets {
		row.Rows += d.Rows
	}
	return row
}

func dashboardURL(v *visit, slug string) string {
	return "/w/" + v.in.Workspace() + "/d/" + url.PathEscape(slug)
}

// change does one change to the dashboard in the address and returns to its
// page, at section, where the person was.
func (a *App) change(section string, do func(v *visit, slug string) (flash string, err error)) handler {
	return func(v *visit) error {
		slug := chi.URLParam(v.r, "dashboard")
		flash, err := do(v, slug)
		if refusal, ok := message.As(err); ok {
			return a.showDashboard(v, http.StatusUnprocessableEntity, refusal.Error(), nil)
		}
		switch {
		case errors.Is(err, store.ErrNoVersion):
			return a.showDashboard(v, http.StatusUnprocessableEntity, "That version is gone: unnamed versions are kept for a while only.", nil)
		case errors.Is(err, store.ErrStatic):
			return a.showDashboard(v, http.StatusUnprocessableEntity, "This dashboard is static: there is nothing to refresh.", nil)
		case err != nil:
			return err
		}
		return a.redirect(v, dashboardURL(v, slug)+"#"+section, flash)
	}
}

func (a *App) refreshNow(v *visit, slug string) (string, error) {
	ctx := v.r.Context()
	if ok, _ := a.Store.Allow(ctx, store.RateTrigger, v.in.Account().String()); !ok {
		return "", message.RefreshBudgetSpent()
	}
	t, err := a.Store.TriggerRefresh(ctx, *v.in, slug)
	if t.Deduplicated {
		return "A refresh is under way already.", err
	}
	return "A refresh is queued. Reload this page to see how it goes.", err
}

// setSchedule keeps what was typed when it is refused, at its field.
func (a *App) setSchedule(v *visit) error {
	typed := scheduleForm{
		Expression: strings.TrimSpace(v.r.PostForm.Get("schedule")), Timezone: strings.TrimSpace(v.r.PostForm.Get("timezone")),
	}
	c, err := store.ParseSchedule(typed.Expression, typed.Timezone)
	if refusal, ok := message.As(err); ok {
		typed.Problem = refusal.Error()
		return a.showDashboard(v, http.StatusUnprocessableEntity, "The schedule was not changed. See the field below.", &typed)
	}
	return a.change("refresh", func(v *visit, slug string) (string, error) {
		if _, err := a.Store.SetSchedule(v.r.Context(), *v.in, slug, c); err != nil {
			return "", err
		}
		if c.Off() {
			return "The schedule is off.", nil
		}
		return "The schedule is set: " + c.Expression + " (" + c.Timezone + ").", nil
	})(v)
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
	_, err = a.Store.RestoreVersion(v.r.Context(), *v.in, slug, id)
	return "The version is restored. The current version is kept: it is the one below.", err
}

func (a *App) nameVersion(v *visit, slug string) (string, error) {
	id, err := versionID(v)
	if err != nil {
		return "", err
	}
	name := strings.TrimSpace(v.r.PostForm.Get("name"))
	if name == "" {
		_, err = a.Store.NameVersion(v.r.Context(), *v.in, slug, id, nil)
		return "The version has no name now. Unnamed versions are pruned, the oldest first.", err
	}
	if len(name) > 200 || strings.ContainsFunc(name, func(c rune) bool { return c < ' ' }) {
		return "", message.Refuse("A version's name is one line of at most 200 bytes.")
	}
	_, err = a.Store.NameVersion(v.r.Context(), *v.in, slug, id, &name)
	return "The version is called " + name + " now, and is kept.", err
}

// zones are time zones that forms offer; any other can be typed.
var zones = []string{
	"UTC", "America/Chicago", "America/Los_Angeles", "America/New_York", "America/Sao_Paulo", "Asia/Kolkata", "Asia/Shanghai",
	"Asia/Singapore", "Asia/Tokyo", "Australia/Sydney", "Europe/Berlin", "Europe/London", "Europe/Paris",
}

// Zones are the offered time zones.
func (scheduleForm) Zones() []string { return zones }

// Forms are the offered schedules; any other can be typed.
func (scheduleForm) Forms() []string {
	return []string{"off", "15m", "1h", "6h", "daily 07:00", "weekly mon 07:00", "0 7 * * 1-5"}
}

package view

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/page"
	"service/store/limit"
)

// Config configures a [Renderer]. Store is required.
type Config struct {
	Store *store.Store
	Now   func() time.Time                    // time.Now by default
	URL   func(workspace, slug string) string // canonical URL of a dashboard; a path by default
	App   func(workspace, slug string) string // the app's page about a dashboard, or the list of dashboards for an empty slug; "" by default
	Log   *slog.Logger                        // slog.Default() by default

	// Memory is how many bytes of rows a page may have, counted by a [cube.Shelf]. Beyond that, further datasets are not read, and their
	// panels show a notice. dashboard.MaxMemory by default.
	Memory int
}

// A Renderer reads and draws dashboards. It is safe for concurrent use.
type Renderer struct {
	Config
	cubes  *cache[*cube.Cube]
	pages  *cache[*Page]
	params *cache[page.Params] // by version
	read   *cache[content]     // by hash and form
	said   *cache[[]page.Summary]

	pictures, thumbnails *limit.Fair[struct{}] // separate queues, so that a list of thumbnails does not wait for a large picture
	hinted               atomic.Bool           // missing fonts have been logged
}

// New returns a renderer with empty caches.
func New(c Config) *Renderer {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.URL == nil {
		c.URL = func(_, slug string) string { return "/" + slug }
	}
	if c.App == nil {
		c.App = func(_, _ string) string { return "" }
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Memory == 0 {
		c.Memory = dashboard.MaxMemory
	}
	return &Renderer{
		Config: c,
		cubes:  newCache[*cube.Cube](cubeCacheBytes, unused),
		pages:  newCache[*Page](pageCacheBytes, unusedPage),
		params: newCache[page.Params](paramCacheBytes, unused),
		read:   newCache[content](readCacheBytes, unused),
		said:   newCache[[]page.Summary](saidCacheBytes, unused),

		pictures:   limit.NewFair[struct{}](limit.Config{Slots: picturesAtOnce, Queue: picturesWaiting}),
		thumbnails: limit.NewFair[struct{}](limit.Config{Slots: picturesAtOnce, Queue: thumbnailsWaiting}),
	}
}

// now returns the time of a page, with the database's precision.
func (r *Renderer) now() time.Time { return r.Now().UTC().Truncate(time.Microsecond) }

// A contentKind is the way in which the content of a version is shown.
type contentKind int

const (
	contentPanels contentKind = iota // a spec or a JSON report
	contentMarkdown
	contentFile
)

// A View is a dashboard with all data for drawing its page.
type View struct {
	page.View          // of a spec or a report; otherwise only the header
	Filename    string // of the version
	ContentType string
	Content     []byte // the spec or the body
	Results     []store.Result

	kind   contentKind
	sha256 []byte
}

// params returns the parameters of a URL that the page reads.
func (v View) params() page.Params {
	if v.kind != contentPanels {
		return page.ParamsOf(nil)
	}
	return page.ParamsOf(v.Spec)
}

// Drawn reports whether the view has panels.
func (v View) Drawn() bool { return v.kind == contentPanels }

// View returns the data for drawing the page of d, or of one of its versions. Spec, Content and Cubes are shared and must not be changed.
func (r *Renderer) View(ctx context.Context, m store.Member, d store.Dashboard, id uuid.UUID, query url.Values) (v View, err error) {
	return r.view(ctx, m, store.Detail{Dashboard: d}, false, id, query)
}

// Of is View of the current version, for a caller that has already read its details.
func (r *Renderer) Of(ctx context.Context, m store.Member, d store.Detail, query url.Values) (v View, err error) {
	return r.view(ctx, m, d, true, uuid.Nil, query)
}

// Said returns the summaries of the panels of v, the result of [Renderer.Of] for d without a query. They are shared and must not be
// changed.
func (r *Renderer) Said(m store.Member, d store.Detail, v View) []page.Summary {
	if v.Spec == nil || len(v.Spec.Alerts) > 0 || v.Header.State == store.RunFailed || v.Header.State == store.RunPartial {
		return page.Summaries(v.View) // depends on more than the key
	}
	key := m.Cut(d.Dashboard).Key() + fmt.Sprint(m.WorkspaceID(), d.VersionID, d.RowsTag, v.Header.State, d.FailingSince != nil,
		v.Now.Truncate(15*time.Minute).Unix())
	if all, ok := r.said.get(key); ok {
		return all
	}
	all, size := page.Summaries(v.View), 0
	for _, s := range all {
		size += 128 + len(s.Title) + len(s.Text) + len(s.Sketch)
	}
	r.said.put(key, all, size)
	return all
}

// view implements View and Of. If known is false, only the dashboard of d is set, and the rest is read as needed.
func (r *Renderer) view(
	ctx context.Context, m store.Member, d store.Detail, known bool, id uuid.UUID, query url.Values,
) (v View, err error) {
	v = View{Filename: d.Filename, ContentType: d.ContentType, sha256: d.SHA256}
	kind, name, made, code := d.Kind, d.Name, d.UpdatedAt, d.Code
	var text content
	preview := id != uuid.Nil && id != d.VersionID
	cut := m.Cut(d.Dashboard)
	if preview {
		var of store.Version
		if of, err = r.Store.Dashboards.Version(ctx, m, d.Slug, id); err != nil {
			return v, err
		}
		if !cut.All || !m.CutOf(d.Dashboard, of).All { // the current rules may not fit its rows
			return v, store.ErrNoVersion
		}
		v.Filename, v.ContentType, v.sha256 = of.Filename, of.ContentType, of.SHA256
		kind, name, made, code = of.Kind, of.Title, of.CreatedAt, of.Code
		if text.raw, err = r.Store.Dashboards.VersionContent(ctx, m, of); err == nil {
			text, err = read(text.raw, kind, v.Filename, v.ContentType)
		}
	} else {
		id = d.VersionID
		text, err = r.content(ctx, m, d.Dashboard)
	}
	if _, ok := errors.AsType[*dashboard.Unread](err); ok {
		return v, fmt.Errorf("version %s: %w", id, err)
	}
	if err != nil {
		return v, err
	}
	v.Content, v.kind, v.Spec = text.raw, text.kind, text.spec
	if kind != store.KindSpec {
		v.Cubes = text.cubes
	}
	v.Query, v.Log = query, r.Log
	v.Now = r.now()
	v.Header = page.Header{
		Workspace: m.WorkspaceName(), WorkspaceSlug: m.Workspace(), Slug: d.Slug, Name: name, Version: id.String(), State: "static",
		URL: r.URL(m.Workspace(), d.Slug), Home: r.App(m.Workspace(), ""), Details: r.App(m.Workspace(), d.Slug),
		Preview: preview, VersionTime: made, Wall: page.WallOf(query),
	}
	v.Header.Lacks = cut.Lacks()
	if code != nil {
		v.Header.CodePath, v.Header.CodeCommit = code.Path, code.Short()
	}
	if v.Colors = d.Colors; !cut.All {
		v.Colors = nil // they reveal which values exist
	} else if v.Spec != nil && !known {
		if v.Colors, err = r.Store.Dashboards.Colors(ctx, m, d.Dashboard); err != nil {
			return v, err
		}
	}
	if kind == store.KindSpec {
		if to := r.App(m.Workspace(), d.Slug); to != "" {
			v.Header.Send = to + "/send"
		}
		if v.Results = d.Results; !known {
			if v.Results, err = r.Store.Dashboards.Results(ctx, m, id); err != nil {
				return v, err
			}
		}
		return v, r.fill(ctx, m, d, cut, known, preview, &v)
	}
	v.Header.AsOf = made
	return v, nil
}

// content is the parsed content of a version, cached by content. It is shared and must not be changed.
type content struct {
	raw   []byte // the spec or the body
	kind  contentKind
	spec  *dashboard.Spec       // of a spec or a report
	cubes map[string]*cube.Cube // of a report
}

// read determines the kind of content, and parses it. The error is *[dashboard.Unread].
func read(raw []byte, kind, filename, contentType string) (c content, err error) {
	c.raw = raw
	switch {
	case kind == store.KindSpec:
		c.spec, err = dashboard.ParseStored(raw)
	case filename != dashboard.DefaultFile:
		c.kind = contentFile
	case contentType == dashboard.TypeMarkdown:
		c.kind = contentMarkdown
	default:
		c.spec, c.cubes, err = dashboard.ParseStoredReport(raw)
	}
	return c, err
}

// content reads the content of the current version of d, from the cache if it is there.
func (r *Renderer) content(ctx context.Context, m store.Member, d store.Dashboard) (content, error) {
	key := m.WorkspaceID().String() + hex.EncodeToString(d.SHA256) + d.Kind + " " + d.Filename + " " + d.ContentType
	if c, ok := r.read.get(key); ok {
		return c, nil
	}
	raw, err := r.Store.Dashboards.Content(ctx, m, d)
	if err != nil {
		return content{}, err
	}
	c, err := read(raw, d.Kind, d.Filename, d.ContentType)
	if err != nil {
		return content{}, err
	}
	r.read.put(key, c, readFactor*len(raw))
	return c, nil
}

// Spec returns the current spec of a refreshable dashboard. It is shared and must not be changed.
func (r *Renderer) Spec(ctx context.Context, m store.Member, d store.Dashboard) (*dashboard.Spec, error) {
	c, err := r.content(ctx, m, d)
	if err != nil {
		return nil, fmt.Errorf("the spec of %s: %w", d.ID, err)
	}
	return c.spec, nil
}

// fill adds the rows of a spec's datasets, and the state of its refreshes.
func (r *Renderer) fill(ctx context.Context, m store.Member, d store.Detail, cut store.Cut, known, preview bool, v *View) (err error) {
	v.Cubes = map[string]*cube.Cube{}
	v.Truncated = map[string]bool{}
	v.LeftOut = map[string]bool{}
	v.Spec = v.Spec.Heard(said(v.Results))
	shelf := cube.Shelf{Most: int64(r.Memory)}
	shown := map[string]string{} // datasets by the ids of the runs that the address chooses
	for i := range v.Spec.Datasets {
		set := &v.Spec.Datasets[i]
		shown[v.Spec.ChosenRun(set, v.Query)] = set.ID
	}
	for _, result := range lastFirst(v.Results, v.Spec) {
		set, ok := shown[result.Dataset]
		if !ok {
			continue
		}
		// A refresh stores the rows that fit, and keeps the earlier rows of datasets that failed. Together these may exceed the limit, and so may
		// rows stored by an earlier release.
		if shelf.Full() {
			v.LeftOut[set] = true
			continue
		}
		c, err := r.cube(ctx, m, result)
		if err != nil {
			return err
		}
		if !cut.All {
			c = r.only(m, cut, set, result, c)
		}
		shelf.Put(c)
		v.Cubes[set] = c
		v.Truncated[set] = result.Truncated
		if at := v.Header.AsOf; at.IsZero() || result.RefreshedAt.Before(at) {
			v.Header.AsOf = result.RefreshedAt // the page is as old as its oldest rows
		}
	}
	if preview { // a preview has no running refresh
		v.Header.State = store.RunSucceeded
		return nil
	}
	if len(v.Spec.Alerts) > 0 && cut.All { // they are judged over all rows
		if err := r.alerts(ctx, m, d.ID, v); err != nil {
			return err
		}
	}
	v.Header.State = "never"
	if d.RunState != nil {
		v.Header.State = *d.RunState
	}
	if d.FailingSince != nil {
		v.Header.FailingSince = *d.FailingSince
	}
	if d.NextRunAt != nil {
		v.Header.NextRun = *d.NextRunAt
	}
	if v.Header.State == store.RunFailed || v.Header.State == store.RunPartial {
		run := d.Run
		if !known {
			status, err := r.Store.Refreshes.RefreshStatus(ctx, m, d.Slug)
			if err != nil {
				return err
			}
			run = status.Run
		}
		if run == nil {
			return nil
		}
		v.Header.Errors = map[string]string{}
		defer func() {
			if reason := Withheld(m, d.Dashboard); reason != "" {
				withhold(v.Header.Errors, reason)
			}
		}()
		for _, dataset := range v.Spec.Datasets {
			v.Header.Errors[dataset.ID] = run.Error // the error of all datasets, if no query was sent
		}
		for _, of := range run.Datasets {
			if set, ok := shown[of.ID]; ok && of.Error != "" {
				v.Header.Errors[set] = of.Error
			} else if ok {
				delete(v.Header.Errors, set)
			}
		}
	}
	return nil
}

// said returns the descriptions by feeds of the columns of datasets, by the ids of these datasets.
func said(results []store.Result) map[string]dashboard.Said {
	var out map[string]dashboard.Said
	for _, result := range results {
		if len(result.Said) == 0 || dashboard.DatasetOf(result.Dataset) != result.Dataset {
			continue
		}
		if out == nil {
			out = map[string]dashboard.Said{}
		}
		out[result.Dataset] = dashboard.ReadSaid(result.Said)
	}
	return out
}

// Reasons that members see for a failed refresh in place of the real one: see [store.Member.SeesReasons].
const (
	FailedForViewers = "An editor of this workspace sees the reason."
	FailedForSome    = "An editor who sees all rows of this dashboard sees the reason."
)

// Withheld is the reason that m sees for each failed refresh of d; empty for the real one.
func Withheld(m store.Member, d store.Dashboard) string {
	switch {
	case m.SeesReasons(d):
		return ""
	case m.Edits():
		return FailedForSome
	}
	return FailedForViewers
}

// withhold replaces the reasons of failed refreshes.
func withhold(errors map[string]string, by string) {
	for id, reason := range errors {
		if reason != "" {
			errors[id] = by
		}
	}
}

// lastFirst sorts results by the time of their refresh, latest first; those of one time are in the order of the spec.
func lastFirst(results []store.Result, s *dashboard.Spec) []store.Result {
	place := make(map[string]int, len(s.Datasets))
	for i := range s.Datasets {
		place[s.Datasets[i].ID] = i
	}
	return slices.SortedFunc(slices.Values(results), func(a, b store.Result) int {
		return cmp.Or(b.RefreshedAt.Compare(a.RefreshedAt), cmp.Compare(place[a.Dataset], place[b.Dataset]))
	})
}

// alerts adds the alerts that fire.
func (r *Renderer) alerts(ctx context.Context, m store.Member, dashboardID uuid.UUID, v *View) error {
	all, err := r.Store.Alerts.DashboardAlerts(ctx, m, dashboardID)
	for _, a := range all {
		if a.Firing > 0 && a.Since != nil {
			v.Alerts = append(v.Alerts, page.FiringAlert{
				ID: a.ID, Title: a.Title, Severity: a.Severity, Texts: a.Texts, More: a.Firing - len(a.Texts), Since: *a.Since, Muted: a.Muted(v.Now),
			})
		}
	}
	return err
}

// cube decodes rows, cached by content. The cube is shared and must not be changed.
func (r *Renderer) cube(ctx context.Context, m store.Member, rows store.Result) (*cube.Cube, error) {
	key := m.WorkspaceID().String() + hex.EncodeToString(rows.SHA256)
	if c, ok := r.cubes.get(key); ok {
		return c, nil
	}
	b, err := r.Store.Dashboards.Rows(ctx, m, rows)
	if err != nil {
		return nil, err
	}
	c, err := cube.Decode(b)
	if err != nil {
		return nil, err
	}
	r.cubes.put(key, c, c.Size())
	return c, nil
}

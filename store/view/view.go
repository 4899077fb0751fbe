package view

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/page"
)

// Config is what a [Renderer] works with. Store is required.
type Config struct {
	Store *store.Store
	Now   func() time.Time                    // time.Now by default
	URL   func(workspace, slug string) string // canonical URL of a dashboard; a path by default
	App   func(workspace, slug string) string // where the app tells of a dashboard or, of none, lists them; "" by default
}

// A Renderer reads and draws dashboards. It is safe for concurrent use.
type Renderer struct {
	Config
	cubes  *cache[*cube.Cube]
	pages  *cache[*Page]
	params *cache[page.Params] // by version
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
	return &Renderer{
		Config: c, cubes: newCache[*cube.Cube](cubeCacheBytes), pages: newCache[*Page](pageCacheBytes),
		params: newCache[page.Params](paramCacheBytes),
	}
}

// now is the time of a page, at the database's precision.
func (r *Renderer) now() time.Time { return r.Now().UTC().Truncate(time.Microsecond) }

// How the content of a version is shown.
type contentKind int

const (
	contentPanels contentKind = iota // a spec or a JSON report
	contentMarkdown
	contentFile
)

// A View is a dashboard and all that its page is drawn from.
type View struct {
	page.View          // of a spec or a report; the header alone otherwise
	Filename    string // of the version
	ContentType string
	Content     []byte // the spec or the body
	Results     []store.Result

	kind   contentKind
	sha256 []byte
}

// params are the parameters of a URL that the page reads.
func (v View) params() page.Params {
	if v.kind != contentPanels {
		return page.ParamsOf(nil)
	}
	return page.ParamsOf(v.Spec)
}

// Drawn reports whether the view has panels.
func (v View) Drawn() bool { return v.kind == contentPanels }

// View returns what the page of d, or of one of its versions, is drawn from.
func (r *Renderer) View(ctx context.Context, m store.Member, d store.Dashboard, id uuid.UUID, query url.Values) (v View, err error) {
	v = View{Filename: d.Filename, ContentType: d.ContentType, sha256: d.SHA256}
	kind, name, made := d.Kind, d.Name, d.UpdatedAt
	preview := id != uuid.Nil && id != d.VersionID
	if preview {
		var of store.Version
		if of, err = r.Store.Version(ctx, m, d.Slug, id); err != nil {
			return v, err
		}
		v.Filename, v.ContentType, v.sha256 = of.Filename, of.ContentType, of.SHA256
		kind, name, made = of.Kind, of.Title, of.CreatedAt
		v.Content, err = r.Store.VersionContent(ctx, m, of)
	} else {
		id = d.VersionID
		v.Content, err = r.Store.Content(ctx, m, d)
	}
	if err != nil {
		return v, err
	}
	v.Query = query
	v.Now = r.now()
	v.Header = page.Header{
		Workspace: m.WorkspaceName(), WorkspaceSlug: m.Workspace(), Slug: d.Slug, Name: name, Version: id.String(), State: "static",
		URL: r.URL(m.Workspace(), d.Slug), Home: r.App(m.Workspace(), ""), Details: r.App(m.Workspace(), d.Slug),
		Preview: preview, VersionTime: made,
	}
	if err := v.read(kind); err != nil {
		return v, fmt.Errorf("version %s: what is stored does not parse", id)
	}
	if v.Spec != nil {
		if v.Colors, err = r.Store.Colors(ctx, m, d); err != nil {
			return v, err
		}
	}
	if kind == store.KindSpec {
		return v, r.fill(ctx, m, d, id, preview, &v)
	}
	v.Header.AsOf = made
	return v, nil
}

// read finds out how the content is shown, and parses it.
func (v *View) read(kind string) (err error) {
	switch {
	case kind == store.KindSpec:
		v.Spec, err = dashboard.Parse(v.Content)
	case v.Filename != dashboard.DefaultFile:
		v.kind = contentFile
	case v.ContentType == dashboard.TypeMarkdown:
		v.kind = contentMarkdown
	default:
		v.Spec, v.Cubes, err = dashboard.ParseReport(v.Content)
	}
	return err
}

// fill adds the rows of a spec's datasets, and how its refreshes go.
func (r *Renderer) fill(ctx context.Context, m store.Member, d store.Dashboard, id uuid.UUID, preview bool, v *View) (err error) {
	if v.Results, err = r.Store.Results(ctx, m, id); err != nil {
		return err
	}
	v.Cubes = map[string]*cube.Cube{}
	v.Truncated = map[string]bool{}
	for _, result := range v.Results {
		if v.Cubes[result.Dataset], err = r.cube(ctx, m, result); err != nil {
			return err
		}
		v.Truncated[result.Dataset] = result.Truncated
		if at := v.Header.AsOf; at.IsZero() || result.RefreshedAt.Before(at) {
			v.Header.AsOf = result.RefreshedAt // the page is as old as its oldest rows
		}
	}
	if preview { // as it was: nothing is under way there
		v.Header.State = store.RunSucceeded
		return nil
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
		status, err := r.Store.RefreshStatus(ctx, m, d.Slug)
		if err != nil || status.Run == nil {
			return err
		}
		v.Header.Errors = map[string]string{}
		for _, dataset := range v.Spec.Datasets {
			v.Header.Errors[dataset.ID] = status.Run.Error // of all, when none was even asked
		}
		for _, r := range status.Run.Datasets {
			if v.Header.Errors[r.ID] = r.Error; r.Error == "" {
				delete(v.Header.Errors, r.ID)
			}
		}
	}
	return nil
}

// cube decodes rows, once for each content. It is shared: nobody changes it.
func (r *Renderer) cube(ctx context.Context, m store.Member, rows store.Result) (*cube.Cube, error) {
	key := m.WorkspaceID().String() + hex.EncodeToString(rows.SHA256)
	if c, ok := r.cubes.get(key); ok {
		return c, nil
	}
	b, err := r.Store.Rows(ctx, m, rows)
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

package page

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/panel"
	"service/store/pattern"
)

// A View contains everything that a page depends on.
type View struct {
	Spec      *dashboard.Spec
	Cubes     map[string]*cube.Cube // by dataset; missing if it was never refreshed, or is left out
	LeftOut   map[string]bool       // datasets whose stored rows were not read: together with the others they are too large
	Truncated map[string]bool       // datasets whose rows were cut at a limit
	Colors    dashboard.Colors      // kept with the dashboard; if nil, they are assigned anew
	Header    Header
	Query     url.Values // of the request: the viewer's choices in the filters
	Now       time.Time  // a page uses only its day in the spec's zone, and timelines its quarter of an hour
	Alerts    []FiringAlert
	Log       *slog.Logger // of faults; slog.Default() by default

	figures map[string]panel.Figure // see [panel.Input]
}

// A Header describes the page around its panels.
type Header struct {
	Workspace     string // its name
	WorkspaceSlug string
	Slug          string
	Name          string // the page's heading
	URL           string // canonical
	AsOf          time.Time
	State         string // never, queued, running, succeeded, partial, failed; static for a published document
	FailingSince  time.Time
	Errors        map[string]string // by dataset: why its last refresh failed, in words that may be shown
	NextRun       time.Time
	Version       string
	Home          string // URL of the workspace's list of dashboards; "" for none
	Details       string // URL of the app's page about this dashboard and its versions; "" for none
	Send          string // URL at which the app schedules deliveries of this dashboard; "" if it cannot be sent

	CodePath   string // of the file in Git from which the version was published; "" for none
	CodeCommit string // its commit, short

	Wall string // colours of a page on a wall: see [WallOf]; "" for others

	Preview     bool      // of a version that is not the current one
	VersionTime time.Time // when the version was made; shown in a preview

	As    string   // name of the member whose view is shown to somebody else; "" for the reader's own page
	Lacks []string // attributes without a value, so that row rules hide all rows of a dataset from the reader
}

// A page is one drawing of a View.
type page struct {
	*panel.Env
	Header Header
	Alerts []FiringAlert
	panels []*panel.Panel
}

// open applies the filters; panels are computed later, one by one or all.
func open(v View) *page { return openFor(v, false) }

// openFor is [open] for a page that its author or a reader looks at.
func openFor(v View, author bool) *page {
	hd := &v.Header
	in := panel.Input{
		Spec: v.Spec, Cubes: v.Cubes, LeftOut: v.LeftOut, Truncated: v.Truncated, Colors: v.Colors, Query: v.Query, Now: v.Now,
		AsOf: hd.AsOf, URL: hd.URL, Errors: map[string]string{}, Log: v.Log, Figures: v.figures,
		Failing: !hd.FailingSince.IsZero() || hd.State == "failed", Running: hd.underWay(), Wall: hd.Wall != "", Author: author,
	}
	for id, text := range hd.Errors {
		in.Errors[id] = forPeople(text)
	}
	if in.Log == nil {
		in.Log = slog.Default()
	}
	in.Log = in.Log.With("workspace", hd.WorkspaceSlug, "dashboard", hd.Slug, "version", hd.Version)
	return &page{Env: panel.Open(in), Header: v.Header, Alerts: v.Alerts}
}

// workOut computes all panels.
func (p *page) workOut() { _ = p.workOutIn(context.Background()) } // which does not end

// workOutIn computes all panels. It returns the error of ctx if that ends before: then no caller waits for the page.
func (p *page) workOutIn(ctx context.Context) error {
	for i := range p.Spec.Panels {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.panels = append(p.panels, p.Panel(i))
	}
	return nil
}

// hint matches a sentence of an error that tells a model which tool to call next.
var hint = pattern.New(`\s*\bintrospect_schema\b[^.]*\.`)

// forPeople returns an error without the sentences that are meant for models.
func forPeople(text string) string { return strings.TrimSpace(hint.ReplaceAllString(text, "")) }

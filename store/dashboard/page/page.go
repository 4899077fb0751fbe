package page

import (
	"context"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/panel"
)

// A View is everything that a page depends on.
type View struct {
	Spec      *dashboard.Spec
	Cubes     map[string]*cube.Cube // by dataset; a missing one was never refreshed, or is left out
	LeftOut   map[string]bool       // datasets whose rows are stored, but not read: they are too much beside the others
	Truncated map[string]bool       // datasets whose rows were cut at a limit
	Colors    dashboard.Colors      // that are kept with the dashboard; nil gives them anew
	Header    Header
	Query     url.Values // of the request: what the viewer chose in the filters
	Now       time.Time  // only its day, in the spec's zone, is used, and its quarter of an hour by timelines
	Alerts    []FiringAlert
	Log       *slog.Logger // of faults; slog.Default() by default

	figures map[string]panel.Figure // see [panel.Input]
}

// A Header is what a page says around its panels.
type Header struct {
	Workspace     string // its name
	WorkspaceSlug string
	Slug          string
	Name          string // the page's heading
	URL           string // canonical
	AsOf          time.Time
	State         string // never, queued, running, succeeded, partial, failed; static for a published document
	FailingSince  time.Time
	Errors        map[string]string // by dataset: why its last refresh failed, in words that are safe to show
	NextRun       time.Time
	Version       string
	Home          string // URL of the workspace's list of dashboards; "" for none
	Details       string // URL of what the app tells of this dashboard, its versions among it; "" for none
	Send          string // URL where the app asks when to send this dashboard; "" for one that is not sent

	CodePath   string // of the file in Git from which the version was published; "" for none
	CodeCommit string // its commit, short

	Wall string // colours of a page that hangs on a wall: see [WallOf]; "" for others

	Preview     bool      // of a version that is not the current one
	VersionTime time.Time // when the version was made; shown in a preview

	As    string   // name of the member as whom somebody else looks; "" for the reader's own page
	Lacks []string // attributes without a value, so that row rules hide all rows of a dataset from the reader
}

// A page is one drawing of a View.
type page struct {
	*panel.Env
	Header Header
	Alerts []FiringAlert
	panels []*panel.Panel
}

// open applies the filters; panels are worked out later, one by one or all.
func open(v View) *page { return openFor(v, false) }

// openFor is [open] of a page that its author looks at, or a reader.
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

// workOut works out all panels.
func (p *page) workOut() { _ = p.workOutIn(context.Background()) } // which does not end

// workOutIn works out all panels, unless ctx ends before: nobody waits for the page then. The
// error is that of ctx.
func (p *page) workOutIn(ctx context.Context) error {
	for i := range p.Spec.Panels {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.panels = append(p.panels, p.Panel(i))
	}
	return nil
}

// hint is a sentence of an error that tells a model which tool to call next.
var hint = regexp.MustCompile(`\s*\bintrospect_schema\b[^.]*\.`)

// forPeople is an error without the sentences that are meant for models.
func forPeople(text string) string { return strings.TrimSpace(hint.ReplaceAllString(text, "")) }

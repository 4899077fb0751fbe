package page

import (
	"context"
	"log/slog"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
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

	figures map[string]figure // of types, in place of those that all pages have: a test's
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
}

// A page is one drawing of a View.
type page struct {
	View
	format.Formatter
	zone    *time.Location
	week    cube.Weekday // on which weeks begin
	data    []*encode.Dataset
	filters []filter
	choices []choice // of parameters of the SQL
	panels  []*panel
	refused map[int]dashboard.Problem // of panels that the checks refuse
	unread  []string                  // of the address: see [Params.Unread]
	marked  *events                   // once they are known: see [page.events]
	rowsOf  map[int]*dashboard.Panel  // what the spec has in place of tables of rows: see [page.showRows]
	given   dashboard.Colors          // see [page.colors]
	author  bool                      // it is worked out for its author, who reads its warnings
	linked  int                       // see maxLinked
	sorting int                       // see maxSorting
	listed  int                       // see maxListed
	spent   int                       // see mostGroups
	// spentUnfiltered is spent of panels that are worked out over all rows for their domain: see [panel.unfiltered].
	spentUnfiltered int
}

// open applies the filters; panels are worked out later, one by one or all.
func open(v View) *page { return openIn(v, format.New(v.Spec)) }

func openIn(v View, f format.Formatter) *page {
	params := ParamsOf(v.Spec)
	unread := params.Unread(v.Query)
	v.Query = params.Read(v.Query)
	p := &page{View: v, unread: unread, Formatter: f, zone: v.Spec.Location(), week: v.Spec.Week()}
	p.refused = v.refused()
	p.showRows()
	e := &encode.Env{Formatter: &p.Formatter, Spec: v.Spec, Zone: p.zone, Week: p.week}
	for i := range v.Spec.Datasets {
		def := &v.Spec.Datasets[i]
		d := &encode.Dataset{
			Dataset: def, Cube: v.Cubes[def.ID], LeftOut: v.LeftOut[def.ID], Truncated: v.Truncated[def.ID], Env: e,
			Failed: forPeople(v.Header.Errors[def.ID]), Spent: &p.spent,
		}
		if d.Cube != nil {
			d.Cols = def.Resolve(d.Cube.Columns())
			for i := range d.Cols { // midnight is a time like any other where there are others
				if c := &d.Cols[i]; c.Format == "" && c.Type.IsTime() && d.Cube.Clock(c.Name, p.zone) {
					c.Format = "datetime"
				}
			}
		}
		p.data = append(p.data, d)
		p.findOther(d)
	}
	p.choices, p.filters = p.readChoices(), p.readFilters()
	for _, d := range p.data {
		if d.Cube != nil {
			d.Filters = p.cubeFilters(d)
			d.Rows = d.Cube.Select(d.Filters...)
		}
	}
	return p
}

// refused are the problems of the panels that the checks refuse, by place.
func (v *View) refused() map[int]dashboard.Problem {
	columns := map[string][]cube.Column{}
	for id, c := range v.Cubes {
		if c != nil {
			columns[id] = c.Columns()
		}
	}
	return v.Spec.PanelProblems(columns)
}

// findOther finds the columns of a dataset of which a value has the name of what is merged.
func (p *page) findOther(d *encode.Dataset) {
	for _, c := range d.Cols {
		if c.Type != cube.Text || !slices.ContainsFunc(d.Cube.Texts(c.Name), func(s string) bool {
			return strings.EqualFold(strings.TrimSpace(s), p.Text(format.Other))
		}) {
			continue
		}
		if p.Called == nil {
			p.Called = map[string]bool{}
		}
		p.Called[c.Name] = true
	}
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
		p.panels = append(p.panels, p.panel(i))
	}
	return nil
}

// dataset returns the dataset called id; the only one for "".
func (p *page) dataset(id string) *encode.Dataset {
	if id == "" && len(p.data) == 1 {
		return p.data[0]
	}
	i := slices.IndexFunc(p.data, func(d *encode.Dataset) bool { return d.ID == id })
	if i < 0 {
		return nil
	}
	return p.data[i]
}

// hint is a sentence of an error that tells a model which tool to call next.
var hint = regexp.MustCompile(`\s*\bintrospect_schema\b[^.]*\.`)

// forPeople is an error without the sentences that are meant for models.
func forPeople(text string) string { return strings.TrimSpace(hint.ReplaceAllString(text, "")) }

// waiting says why a dataset has no rows yet.
func (p *page) waiting(d *encode.Dataset) string {
	switch {
	case d.Failed != "", !p.Header.FailingSince.IsZero():
		return p.Text("No data yet: the last refresh failed.")
	case p.Header.underWay():
		return p.Text("The first refresh is running. Reload this page in a moment.")
	case p.Header.State == "failed":
		return p.Text("No data yet: the last refresh failed.")
	}
	return p.Text("No data yet. It appears after the first refresh.")
}

// nothing says why a dataset has no rows to draw.
func (p *page) nothing(d *encode.Dataset) string {
	if d.Cube.Rows() == 0 {
		return p.Text("The query returned no rows.")
	}
	for i := range p.filters {
		f := &p.filters[i]
		if !f.date || f.from == nil || !f.of(d) {
			continue
		}
		if s := d.Span(f.Column); s.OK && (s.Max < *f.from || s.Min > *f.to) {
			return p.Text("No data in this period. The data runs from %s to %s.", p.Date(s.Min.Time()), abbreviated(p.Date(s.Max.Time())))
		}
	}
	return p.Text("No data for these filters.")
}

// missing says that the rows have no values.
func (p *page) missing() string {
	if len(p.filters) == 0 {
		return p.Text("Every value is missing.")
	}
	return p.Text("Every value is missing for these filters.")
}

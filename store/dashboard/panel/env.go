package panel

import (
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// An Input contains everything that the panels of a page depend on.
type Input struct {
	Spec      *dashboard.Spec
	Cubes     map[string]*cube.Cube // by dataset; missing if it was never refreshed, or is left out
	LeftOut   map[string]bool       // datasets whose stored rows were not read: together with the others they are too large
	Truncated map[string]bool       // datasets whose rows were cut at a limit
	Colors    dashboard.Colors      // kept with the dashboard; if nil, they are assigned anew
	Query     url.Values            // of the request: the viewer's choices in the filters
	Now       time.Time             // a page uses only its day in the spec's zone, and timelines its quarter of an hour
	AsOf      time.Time             // when the data was read; the zero time before the first refresh
	URL       string                // of the page
	Errors    map[string]string     // by dataset: why its last refresh failed, in words that may be shown
	Failing   bool                  // the last refresh failed
	Running   bool                  // a refresh is queued or running
	Wall      bool                  // the page is a wall, on which nobody pages through tables
	Author    bool                  // the panels are computed for the author, with warnings
	Log       *slog.Logger          // of faults
	Figures   map[string]Figure     // by type, instead of the figures of all pages; for tests
}

// An Env is an Input with the filters of the address applied, and the state that the panels of a page share.
type Env struct {
	Input
	format.Formatter
	Zone    *time.Location
	week    cube.Weekday // the first day of weeks
	Data    []*encode.Dataset
	Filters []Filter
	Choices []Choice                  // of parameters of the SQL
	refused map[int]dashboard.Problem // of panels that the checks refuse, by index
	unread  []string                  // of the address: see [Params.Unread]
	marked  *events                   // nil until they are needed: see [Env.events]
	RowsOf  map[int]*dashboard.Panel  // the panels of the spec that tables of rows replace: see [Env.showRows]
	given   dashboard.Colors          // see [Env.colors]
	linked  int                       // see maxLinked
	sorting int                       // see maxSorting
	listed  int                       // see maxListed
	spent   int                       // see mostGroups
	// spentUnfiltered is spent for panels that are computed over all rows for their domain: see [Panel.unfiltered].
	spentUnfiltered int
}

// Open returns the env of an input, with the filters of its address applied.
func Open(v Input) *Env { return openWith(v, format.New(v.Spec)) }

// inEnglish returns the env with English texts, and the dates and numbers of the page's language.
func (p *Env) inEnglish() *Env {
	f := format.New(p.Spec)
	f.Locale = f.English()
	return openWith(p.Input, f)
}

func openWith(v Input, f format.Formatter) *Env {
	params := ParamsOf(v.Spec)
	unread := params.Unread(v.Query)
	v.Query, v.Now = params.Read(v.Query), v.Spec.Today(v.Now)
	p := &Env{Input: v, unread: unread, Formatter: f, Zone: v.Spec.Location(), week: v.Spec.Week()}
	p.refused = v.refused()
	p.showRows()
	of := &encode.Env{Formatter: &p.Formatter, Spec: v.Spec, Zone: p.Zone, Week: p.week}
	for i := range v.Spec.Datasets {
		def := &v.Spec.Datasets[i]
		d := &encode.Dataset{
			Dataset: def, Cube: v.Cubes[def.ID], LeftOut: v.LeftOut[def.ID], Truncated: v.Truncated[def.ID], Env: of,
			Failed: v.Errors[def.ID], Spent: &p.spent,
		}
		if d.Cube != nil {
			d.Cols = def.Resolve(d.Cube.Columns())
			for i := range d.Cols { // midnight is an ordinary time of day if a column has other times, too
				if c := &d.Cols[i]; c.Format == "" && c.Type.IsTime() && d.Cube.Clock(c.Name, p.Zone) {
					c.Format = "datetime"
				}
			}
		}
		p.Data = append(p.Data, d)
		p.takeNames(d)
	}
	p.Choices, p.Filters = p.readChoices(), p.readFilters()
	for _, d := range p.Data {
		if d.Cube != nil {
			d.Filters = p.cubeFilters(d)
			d.Rows = d.Cube.Select(d.Filters...)
		}
	}
	return p
}

// refused returns the problems of the panels that the checks refuse, by index.
func (in *Input) refused() map[int]dashboard.Problem {
	columns := map[string][]cube.Column{}
	for id, c := range in.Cubes {
		if c != nil {
			columns[id] = c.Columns()
		}
	}
	return in.Spec.PanelProblems(columns)
}

// takeNames lets no text instead of a value of the dataset read like one of its values.
func (p *Env) takeNames(d *encode.Dataset) {
	for _, c := range d.Cols {
		if c.Type == cube.Text {
			p.Take(c.Name, d.Cube.Texts(c.Name))
			p.Take(c.Name, slices.Collect(maps.Values(c.Names)))
		}
	}
}

// dataset returns the dataset with an id; for "", the only one.
func (p *Env) dataset(id string) *encode.Dataset {
	if id == "" && len(p.Data) == 1 {
		return p.Data[0]
	}
	i := slices.IndexFunc(p.Data, func(d *encode.Dataset) bool { return d.ID == id })
	if i < 0 {
		return nil
	}
	return p.Data[i]
}

// waiting returns why a dataset has no rows yet.
func (p *Env) waiting(d *encode.Dataset) string {
	switch {
	case d.Failed != "", p.Failing:
		return p.Text("No data yet: the last refresh failed.")
	case p.Running:
		return p.Text("The first refresh is running. Reload this page in a moment.")
	}
	return p.Text("No data yet. It appears after the first refresh.")
}

// nothing returns why a dataset has no rows to draw.
func (p *Env) nothing(d *encode.Dataset) string {
	if d.Cube.Rows() == 0 {
		return p.Text("The query returned no rows.")
	}
	for i := range p.Filters {
		f := &p.Filters[i]
		if !f.Date || f.From == nil || !f.of(d) {
			continue
		}
		if s := d.Span(f.Column); s.OK && (s.Max < *f.From || s.Min > *f.To) {
			return p.Text("No data in this period. The data runs from %s to %s.", p.Date(s.Min.Time()), p.Date(s.Max.Time()))
		}
	}
	return p.Text("No data for these filters.")
}

// missing returns the message for rows without values.
func (p *Env) missing() string {
	if len(p.Filters) == 0 {
		return p.Text("Every value is missing.")
	}
	return p.Text("Every value is missing for these filters.")
}

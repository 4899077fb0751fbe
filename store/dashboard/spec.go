package dashboard

import (
	"encoding/json"
	"slices"
	"time"

	"service/store/dashboard/cube"
)

// Limits of a spec.
const (
	MaxDatasets    = 20
	MaxPanels      = 60
	MaxFilters     = 20
	DefaultRows    = 10_000  // rows per dataset by default
	MaxRows        = 200_000 // rows per dataset at most
	MaxResultBytes = 16 << 20
	MaxMemory      = 96 << 20 // bytes of the rows of all datasets of a page
	MaxProblems    = 20       // problems reported at once
	MaxParams      = 20
	MaxColumns     = 200 // named by the spec, of a dataset or a table
	MaxSeries      = 8   // measures of one chart
	MaxReferences  = 10  // lines of one chart
	MaxThresholds  = 20  // of one panel
	MaxValues      = 100 // of a filter's default
)

// A Spec is a parsed spec. [Parse] fills in every default.
type Spec struct {
	Version     int
	Title       string
	Description string
	Source      *Source  // whose data it is; nil for none
	Connection  string   // "self", a UUID, or "" when not given
	Upload      string   // UUID, or "" if not given
	Sheet       string   // of Upload, or "" for the first one with rows
	Uploads     []Upload // files with names, sorted by name
	Timezone    string   // IANA name; UTC by default
	WeekStarts  string   // monday, saturday or sunday; monday by default
	AsOf        string   // the last day of the data, as 2026-01-31; "" if they reach to each refresh
	Layout      string   // dashboard or article; dashboard by default
	Contents    *bool    // whether to show a list of the sections; nil shows it from three sections on
	Currency    string   // ISO 4217; USD by default
	Locale      string   // BCP 47; en-US by default
	Params      []Param
	Datasets    []Dataset
	Columns     []Appearance // order and colours of columns, on all of the page
	Filters     []Filter
	Events      Events // marks on axes of times
	Panels      []Panel
	Alerts      []Alert
	Deliver     []Delivery
	Access      []Access // who gets which rows; nil: every member gets all
}

// Zone returns the time zone with an IANA name, and whether it exists. It does not accept the zone of this machine.
func Zone(name string) (*time.Location, bool) {
	l, err := time.LoadLocation(name)
	return l, err == nil && name != "" && name != "Local"
}

// Article reports whether the page is a single column for reading.
func (s *Spec) Article() bool { return s.Layout == "article" }

// Location returns the spec's time zone.
func (s *Spec) Location() *time.Location {
	if l, ok := Zone(s.Timezone); ok {
		return l
	}
	return time.UTC
}

// Today returns the time that relative dates, such as last_7_days, mean at a time: it or, if that was before, the end of the last day of
// the data.
func (s *Spec) Today(now time.Time) time.Time {
	if over := s.dataOver(); !over.IsZero() && !over.After(now) {
		return over.Add(-time.Second)
	}
	return now
}

// DataEnd returns the time that data have reached which were read at a time: it or, if that was before, the time at which the last day of
// the data was over. Periods that go on then are incomplete.
func (s *Spec) DataEnd(read time.Time) time.Time {
	if over := s.dataOver(); !over.IsZero() && over.Before(read) {
		return over
	}
	return read
}

// dataOver returns the midnight after the last day of the data, or the zero time.
func (s *Spec) dataOver() time.Time {
	day, err := time.ParseInLocation(time.DateOnly, s.AsOf, s.Location())
	if err != nil {
		return time.Time{}
	}
	return day.AddDate(0, 0, 1)
}

// Week returns the first day of the spec's weeks.
func (s *Spec) Week() cube.Weekday {
	switch s.WeekStarts {
	case "saturday":
		return 5
	case "sunday":
		return 6
	}
	return 0
}

// Dataset returns the dataset called id, or nil.
func (s *Spec) Dataset(id string) *Dataset {
	for i := range s.Datasets {
		if s.Datasets[i].ID == id {
			return &s.Datasets[i]
		}
	}
	return nil
}

// A Param is a value bound to placeholders such as {{since.start}}.
type Param struct {
	ID      string
	Type    string // date_range, date, text, number
	Label   string // of its control; "" names it after the id
	Default json.RawMessage
	Options []json.RawMessage // the values that viewers choose from, in the form of Default, which is one of them; nil without options
}

// A Dataset is one query, whose rows are a cube.
type Dataset struct {
	ID      string
	SQL     string // as written, with {{placeholders}}
	From    []Ref  // the datasets whose stored rows it reads; nil: SQL runs on the connection
	Upload  string // UUID of a file that only this dataset reads, or "" for the spec's file
	Sheet   string // of that file, or "" for the first one with rows, of the spec's file for its own
	Rows    int    // row limit
	Columns []Meta // settings of columns, in the order written, including ratios

	Shared      bool   // other dashboards may read it
	Description string // of a shared one: the meaning of its rows

	names     map[string]map[string]string // by column: the spec's names of values; nil for none
	read      bool                         // whether list was read from SQL
	list      *selectList
	arbitrary bool // whether the rows have an accidental order although there is no list: see unordered
	inner     *keptInner
}

// A Role is the role of a column: dimension or measure.
type Role string

// The roles.
const (
	Dimension Role = "dimension"
	Measure   Role = "measure"
)

// An Agg is the way in which a measure is aggregated over rows.
type Agg string

// The aggregations. Last and First add up the values of one time only. With None, rows of the measure are never merged.
const (
	Sum   Agg = "sum"
	Min   Agg = "min"
	Max   Agg = "max"
	Avg   Agg = "avg"
	Last  Agg = "last"
	First Agg = "first"
	None  Agg = "none"

	Median Agg = "median" // as the percentiles, of all rows that are merged
	P90    Agg = "p90"
	P95    Agg = "p95"
	P99    Agg = "p99"
)

// A Meta has the spec's settings of a column of a dataset; empty fields are derived from the rows and the SQL.
type Meta struct {
	Name        string
	Label       string
	Description string
	Role        Role
	Agg         Agg
	Along       string            // of Last and First: the column of the times; "" if there is only one
	Ratio       [2]string         // numerator and denominator of a computed column
	Format      string            // one of formats: integer, …, bytes for numbers; date, month, … for dates
	Decimals    *int              // of a format of numbers without a digit: 0 to [MaxDecimals]; nil for its own
	Unit        string            // after each number, such as kg; at most [MaxUnit] characters
	Brackets    bool              // negative numbers are in brackets, without a sign
	Signed      bool              // positive numbers have a plus
	Hidden      bool              // no panel shows it
	Good        string            // up, down or ""
	Labels      map[string]string // of a dimension: names of its values, by value in the form of [ValueKey]; nil for those of the spec
	Currency    string            // of money from another spec; "" for that of the spec
}

// IsRatio reports whether the column is computed from two others.
func (m Meta) IsRatio() bool { return m.Ratio[0] != "" }

// A Column is a column of a dataset with its resolved meaning: see [Dataset.Resolve].
type Column struct {
	cube.Column
	Label       string            `json:"label,omitempty"`
	Description string            `json:"description,omitempty"`
	Role        Role              `json:"role"`
	Agg         Agg               `json:"agg,omitempty"`   // of a measure
	Along       string            `json:"along,omitempty"` // of Last and First: the column of the times; "" if it is unknown
	Ratio       [2]string         `json:"-"`
	Format      string            `json:"format,omitempty"` // with its decimals, such as number3: see [SplitFormat]
	Suffix      string            `json:"unit,omitempty"`   // the unit that the spec defines, written after each number
	Brackets    bool              `json:"-"`                // negative numbers are in brackets, without a sign
	Signed      bool              `json:"-"`                // positive numbers have a plus
	Hidden      bool              `json:"hidden,omitempty"` // no panel shows it
	Good        string            `json:"good,omitempty"`
	Names       map[string]string `json:"-"` // of a dimension: names of its values, by [ValueKey]; nil for none
	OfRows      bool              `json:"-"` // the SQL computes it of all rows of a group, as median does, so that no agg merges groups
	SQLEnd      Agg               `json:"-"` // of times: Min, Max or None by the SQL, see [Column.End], or ""
}

// IsRatio reports whether the column is computed from two others.
func (c Column) IsRatio() bool { return c.Ratio[0] != "" }

// End returns which of several times of the column represents them: Min, the earliest; Max, the latest; or None if the SQL chooses each by
// something else, as arg_min does, so that neither end is known to be meant. told reports whether the spec or a function in the SQL
// determines it; the default is the latest.
func (c Column) End() (end Agg, told bool) {
	switch {
	case c.Role == Measure && (c.Agg == Min || c.Agg == Max):
		return c.Agg, true
	case c.SQLEnd != "":
		return c.SQLEnd, true
	}
	return Max, false
}

// A Filter lets a viewer filter every dataset that has the column.
type Filter struct {
	Column  string
	Label   string   // "" for the column's label
	Default []string // a date range's name or its two dates; or the selected values
	Data    []string // ids of the datasets that it narrows; nil for all that have the column

	Single bool       // exactly one value is chosen
	Grain  cube.Grain // of dates: the periods that it lists; "" for those that the rows have
	Locked bool       // it keeps its default
}

// Narrows reports whether the filter applies to a dataset that has the column.
func (f *Filter) Narrows(dataset string) bool {
	return f.Data == nil || slices.Contains(f.Data, dataset)
}

// A Panel is one box of the page. Which fields are set depends on Type.
type Panel struct {
	Type        string
	Title       string // "" lets the page name it
	Subtitle    string
	Description string
	Source      *Source // whose data it is; nil for none
	Data        string  // dataset id; "" for text and section
	Where       []Where // of its rows, those that it shows; none for all
	Width       int     // 2 to 12
	OwnWidth    bool    // the spec has the width

	Value        string   // kpi, heatmap, calendar, pie, treemap, map: measure; of a kpi also a date
	Compare      []string // previous_period, previous_year or, of a kpi, measures
	Target       float64  // kpi: 0 for none
	TargetBy     string   // kpi: measure in place of Target
	Targets      []string // bar: measures to be reached, one for each of Y, or one for each stack
	Sparkline    string   // kpi: date dimension
	Grain        string   // of a time axis or the sparkline: auto, minute, …, year; "" is auto
	Partial      string   // periods that are not complete: mark, hide, show; "" is mark
	Gaps         string   // periods without rows in a line: one of the Gaps constants; "" is auto
	X            string
	Y            []string
	Bars         []string  // combo: measures
	Lines        []string  // combo: measures
	Y2           []string  // line, area: measures on the axis on the right
	Series       string    // dimension that splits y
	Facet        string    // dimension with a small plot for each value
	FacetScale   string    // shared or free; "" for shared
	FacetCols    int       // small plots beside each other on a desktop; 0 for the default
	Size         string    // scatter, map: measure
	Label        string    // scatter, pie, map: dimension
	Horizontal   bool      // bar, waterfall, histogram, box
	Upright      bool      // horizontal is false in so many words: bars stand whatever their names need
	OneAxis      bool      // combo: the lines are on the axis of the bars, with any units
	TwoAxes      bool      // combo: the lines are on an axis on the right, with any units
	Area         string    // map: countries or states
	Lat, Lon     string    // map: of points
	Region       string    // map: from geo.FindRegion; "" chooses by the data
	Share        string    // horizontal bars: the base of the percentages: none, total, first, previous, or "" for total if there is one
	Stack        bool      // bar, area
	Percent      bool      // bars as shares of each stack
	Diverging    bool      // which begin on the left of the middle of the series; then Percent is set too
	Search       *bool     // table: a search in the rows; nil for one from some rows on
	Labels       *bool     // values at the marks; nil lets the page choose
	LabelsOf     string    // combo: the key of the marks that have these, bars or lines; "" for both
	Scale        string    // "log", or of a scatter "log_x" or "log_y"; "" is linear
	Legend       string    // line: LegendEnds; "" is above
	Reverse      bool      // line, scatter, slope: low values are at the top
	RangeY2      AxisRange // of the axis on the right
	Range        [2]AxisRange
	Trend        string // line, scatter: "linear"; "" for no trend
	Average      int    // line: number of points of the moving average; 0 for none
	Reference    []Reference
	Band         *Band  // line: nil for none
	Events       Events // its own, beside those of the page
	Thresholds   []Threshold
	Columns      []TableColumn // table; of a pivot their names alone, the dimensions across
	Sort         string        // a column of the dataset; "-column" for descending
	Limit        int           // rows of a table, categories of a chart; 0 for the default
	PageSize     int           // rows of a table that are shown at a time; 0 for the default
	TotalRow     bool          // table: there is a row of totals, called by the first of Total or by the page
	Other        bool          // merge categories beyond Limit into "Other"
	Highlight    []string      // line, area, bar, scatter, slope: values of [Panel.HighlightOf] that keep their colours
	HighlightTop int           // how many of the largest such values keep their colours, in place of Highlight
	Names        string        // scatter: one of the Names constants; "" is auto
	Named        []string      // scatter: values of Label whose names are placed before others
	Connect      string        // scatter: dimension in whose order points are joined; also Label
	Tooltip      []string      // additional columns in the tooltips of its marks
	Markdown     string        // text
	Click        string        // action of its marks: filter, none; "" is filter
	Link         string        // link of its marks, in the form of a table column's link

	Total   []string // waterfall: rows that are totals, and name of the closing bar; table: of the row of totals; nil lets the page name it
	NoTotal bool     // waterfall: without a closing bar

	Levels []string // treemap: dimensions of its areas, the outer first

	Start, End string      // timeline: dates or times
	Window     [2]AxisTime // timeline: the ends of its axis

	Steps    []string // sankey: dimensions in the order of the flow
	From, To string   // sankey: dimensions, in place of Steps

	Rows     []string // pivot: dimensions down
	Values   []string // pivot: measures
	NoTotals bool     // pivot
	TotalsOf string   // pivot: one of the TotalsOf constants; "" for both
	Heat     string   // pivot: HeatRow, HeatColumn, HeatAll, or "" for no colours

	Ramp  *Ramp  // of cells, areas and points; nil for the default
	Color string // treemap: measure that the ramp colours; "" is Value
	Paint string // of [Palette] or gray: the colour of the marks of one measure; "" for that of the measure

	Bins   int       // histogram: approximate number; 0 lets the page choose
	Edges  []float64 // histogram: of the bins, ascending; nil lets the page choose
	Weight string    // histogram: measure; "" counts rows

	Low, Q1, Median, Q3, High string // box: measures that the query has computed, where it has no Value
	Open, Close               string // candlestick: measures, beside Low and High; "" of ranges

	faulty bool // Parse found a problem in it

	paintNear []string // words of [nearColor] on Paint
	problem   Problem  // the first one
}

// The axes of a plot, as indexes of [Panel.Range].
const (
	AxisY = 0 // of measures, even if bars are horizontal
	AxisX = 1 // of a scatter chart
)

// An AxisRange is the range of an axis; nil takes the range of the values.
type AxisRange struct{ Min, Max *float64 }

// Fixed reports whether the spec sets an end of the axis.
func (r AxisRange) Fixed() bool { return r.Min != nil || r.Max != nil }

// Outside reports whether a value is outside the range.
func (r AxisRange) Outside(v float64) bool {
	return r.Min != nil && v < *r.Min || r.Max != nil && v > *r.Max
}

// Log reports whether an axis is logarithmic.
func (p *Panel) Log(axis int) bool {
	return p.Scale == "log" || p.Scale == [...]string{AxisX: "log_x", AxisY: "log_y"}[axis]
}

// RefTarget is the kind of a reference line that a bar chart has instead of a target that is a number.
const RefTarget = "target"

// A Reference is a line across a chart, at a value of one of its axes, or a range of values that is shaded.
type Reference struct {
	Axis  int // AxisY or, of a scatter chart, AxisX
	Value float64
	Kind  string // "" for Value; average, median, min or max of the drawn values; RefTarget for a Value called target
	Label string
	Tone  string

	From, To *float64 // of a range, in place of Value and Kind; nil for the edge of the axis
}

// Shaded reports whether the reference is a range.
func (r *Reference) Shaded() bool { return r.From != nil || r.To != nil }

// A Band is the range between two measures, drawn behind a line.
type Band struct {
	Low, High string
	Label     string // "" for those of the measures
}

// A Threshold gives values a tone: good, warn, bad, info or neutral.
type Threshold struct {
	Column string // the compared column; "" for the only measure of the panel
	If     string // >=, >, <=, <, =
	Value  float64
	By     string // measure in place of Value; of a dimension the value that has the tone
	Tone   string
	Label  string // name of the values that meet it; "" for the condition
	Row    bool   // table: the whole row has the tone
	Cell   string // table: the column whose cells have the tone; "" for Column
}

// A TableColumn is a column of a table panel.
type TableColumn struct {
	Column    string
	Label     string
	Format    string
	Decimals  *int   // instead of those of the format; nil for its own
	Group     string // head over it and its neighbours of the same group; "" for none
	Bar       bool   // in-cell bar
	Heat      bool   // cells in colours by their values
	Ramp      *Ramp  // of Heat; nil for the default
	Sign      bool   // show + for positive numbers
	Sparkline string // date dimension of a small line in the cells
	Link      string // https://… with {{column}} in its path or query, a slug, or one {{column}}
}

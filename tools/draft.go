package tools

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/pattern"
	"service/store/sqltext"
)

// A draftSpec is a complete spec to start from, with its source. A dry run accepts it without a warning, or its note names what is missing.
type draftSpec struct {
	Title      string `json:"title,omitempty"`
	Connection string `json:"connection,omitempty"`
	boundFiles
	Currency string                `json:"currency,omitempty"`
	Locale   string                `json:"locale,omitempty"`
	Datasets []draftDataset        `json:"datasets"`
	Columns  map[string]draftOrder `json:"columns,omitempty"`
	Filters  []draftFilter         `json:"filters,omitempty"`
	Panels   []draftPanel          `json:"panels"`
}

// A draft is a dataset and panels over a query, before they are part of a spec.
type draft struct {
	Dataset draftDataset
	Filters []draftFilter
	Panels  []draftPanel
}

type draftDataset struct {
	ID      string               `json:"id"`
	SQL     string               `json:"sql"`
	Limit   int                  `json:"row_limit,omitempty"`
	Columns map[string]draftMeta `json:"columns,omitempty"`
}

type draftMeta struct {
	Label string   `json:"label,omitempty"`
	Ratio []string `json:"ratio,omitempty"`
	Agg   string   `json:"agg,omitempty"`
	Role  string   `json:"role,omitempty"`

	Along  string `json:"along,omitempty"`
	Format string `json:"format,omitempty"`
	Unit   string `json:"unit,omitempty"`
}

// empty reports whether the spec needs no entry for the column, because the defaults fit.
func (m draftMeta) empty() bool {
	return m.Label == "" && m.Agg == "" && m.Role == "" && m.Format == "" && m.Unit == "" && len(m.Ratio) == 0
}

// A draftOrder is the order of a column's values on the page, or their colours.
type draftOrder struct {
	Order []string `json:"order,omitempty"`

	Colors map[string]string `json:"colors,omitempty"`
}

type draftFilter struct {
	Column string `json:"column"`
}

// A draftPanel has the fields of a panel that drafts use.
type draftPanel struct {
	Type     string   `json:"type"`
	Title    string   `json:"title,omitempty"`
	Data     string   `json:"data,omitempty"`
	Value    string   `json:"value,omitempty"`
	X        string   `json:"x,omitempty"`
	Y        string   `json:"y,omitempty"`
	Partial  string   `json:"partial,omitempty"`
	Series   string   `json:"series,omitempty"`
	Columns  []string `json:"columns,omitempty"`
	Sort     string   `json:"sort,omitempty"`
	Limit    int      `json:"limit,omitempty"`
	Markdown string   `json:"markdown,omitempty"`

	Area       string   `json:"area,omitempty"`
	Lat        string   `json:"lat,omitempty"`
	Lon        string   `json:"lon,omitempty"`
	Label      string   `json:"label,omitempty"`
	Grain      string   `json:"grain,omitempty"`
	Sparkline  string   `json:"sparkline,omitempty"`
	Stack      string   `json:"stack,omitempty"`
	Start      string   `json:"start,omitempty"`
	End        string   `json:"end,omitempty"`
	Steps      []string `json:"steps,omitempty"`
	Horizontal bool     `json:"horizontal,omitempty"`
	Rows       []string `json:"rows,omitempty"`
	Values     []string `json:"values,omitempty"`
	PageSize   int      `json:"page_size,omitempty"`
	Width      int      `json:"width,omitempty"`
}

// The most dimensions and measures in a draft.
const (
	mostDims     = 3
	mostMeasures = 4
)

// A drafter drafts a dataset and panels over one query or table.
type drafter struct {
	dialect string
	unique  map[string]bool // columns with nearly as many values as rows, so that grouping by them is useless
	notes   []string
}

func (d *drafter) notef(format string, args ...any) {
	if len(d.notes) < 8 {
		d.notes = append(d.notes, fmt.Sprintf(format, args...))
	}
}

// note returns the tasks that the draft leaves to its author; "" if it leaves no task.
func (d *drafter) note() string { return strings.Join(d.notes, " ") }

// query drafts over a SELECT statement. It removes a LIMIT at its end, which was for
// exploring and would make totals on a page wrong.
func (d *drafter) query(sql string, columns []dashboard.Column) *draft {
	sql, limit := withoutLimit(sql)
	if limit != "" {
		d.notef(`The draft leaves out "%s": on a page it would cut the rows that totals are made of. A panel's limit shows the `+
			`largest.`, clip(limit, 60))
	}
	return d.over(sql, "("+sql+"\n)", columns) // the SQL may end in a comment
}

// over drafts over the columns of sql. from is sql as a table expression.
func (d *drafter) over(sql, from string, columns []dashboard.Column) *draft {
	p := d.pick(columns)
	if len(p.dims)+len(p.measures)+len(p.left) == 0 {
		d.notef("There is no draft: no column can be a dimension or a measure.")
		return nil
	}
	var out *draft
	var returned []cube.Column
	switch {
	case len(p.measures) > 0 && p.asIs:
		out = &draft{Dataset: draftDataset{ID: "data", SQL: sql}}
		for _, c := range columns {
			returned = append(returned, c.Column)
		}
		out.Panels = p.panels()
	case len(p.measures) == 0 && len(p.left) > 0 && len(p.dims) > 0 && len(p.dims) <= 2 && groups(sql):
		d.notef(`"%s" does not add up, so the draft shows it at the query's own grain.`, p.left[0].name)
		out = &draft{Dataset: draftDataset{ID: "data", SQL: sql}, Panels: p.ownGrain()}
		for _, c := range columns {
			returned = append(returned, c.Column)
		}
	default:
		if len(p.left) > 0 {
			var names []string
			for _, m := range p.left[:min(len(p.left), 5)] {
				names = append(names, quoted(clip(m.name, 60)))
			}
			d.notef("These were left out, because they most likely do not add up: %s. SQL that groups by all that a panel shows can "+
				"show them, or a ratio.", strings.Join(names, ", "))
		}
		out = &draft{}
		out.Dataset, returned = p.grouped(from)
		out.Panels = p.panels()
	}
	out.Dataset.levels(p)
	for _, c := range p.dims {
		out.Filters = append(out.Filters, draftFilter{Column: c.name})
	}
	return d.checked(out, returned)
}

// levels makes measures that are named like levels show the value of the latest time, if there is one column of
// times.
func (set *draftDataset) levels(p picked) {
	times := 0
	for _, c := range p.dims {
		if dashboard.HoldsTimes(c.name, c.typ) {
			times++
		}
	}
	for _, m := range p.measures {
		if times != 1 || m.how != dashboard.Sum || !dashboard.NamedLikeStock(m.name) {
			continue
		}
		if set.Columns == nil {
			set.Columns = map[string]draftMeta{}
		}
		set.Columns[m.shown()] = draftMeta{Agg: string(dashboard.Last)}
	}
}

// checked checks the draft as a publish does, as far as that is possible without the
// source.
func (d *drafter) checked(out *draft, returned []cube.Column) *draft {
	warnings, err := checkDraft(draftSpec{Datasets: []draftDataset{out.Dataset}, Filters: out.Filters, Panels: out.Panels},
		map[string][]cube.Column{out.Dataset.ID: returned})
	if problems, ok := errors.AsType[*dashboard.Problems](err); ok {
		d.notef("There is no draft: %s.", clip((*problems)[0].String(), 300))
		return nil
	}
	for _, w := range warnings {
		d.notef("A publish of the draft warns: %s", clip(w.String(), 300))
	}
	return out
}

// checkDraft parses a draft, and checks it against the columns of its datasets.
func checkDraft(spec draftSpec, columns map[string][]cube.Column) ([]dashboard.Warning, error) {
	s, err := dashboard.Parse(encode(spec))
	if s == nil {
		return nil, err
	}
	warnings, checkErr := s.Check(columns)
	return warnings, dashboard.Join(err, checkErr)
}

// A pickedColumn is a column that a draft uses.
type pickedColumn struct {
	name   string // as the query returns it
	sql    string // as SQL writes it
	label  string
	typ    cube.Type
	how    dashboard.Agg // for a measure: sum, min, max, or avg, which is drafted as a ratio
	asDate bool          // a timestamp or an instant, shown by day
}

// shown returns the column's name in panels.
func (c pickedColumn) shown() string {
	if c.how == dashboard.Avg {
		return "avg_" + c.name
	}
	return c.name
}

// picked has the columns that a draft uses.
type picked struct {
	dims     []pickedColumn // a date is first
	measures []pickedColumn
	left     []pickedColumn // measures with no known way to aggregate them
	asIs     bool           // the query groups already: its measures add up
}

// These match names of measures that most likely add up, unless they are values per item, and of measures that
// neither add up nor have a meaningful average. Other measures are averaged, since an average does not depend on the
// number of rows.
var (
	summed = pattern.New(`(?i)(^|[_ ])(amounts?|counts?|totals?|sum|revenue|sales|turnover|quantity|qty|units?|costs?|` +
		`spend|spent|fees?|taxe?s?|hours|minutes|seconds|bytes|views|clicks|visits|sessions|orders|events|rows|items|n|num|volume|` +
		`births|deaths|cases|passengers|population|goals|points|rain|rainfall|precipitation)($|[_ ])`)
	ofEach    = pattern.New(`(?i)(^|[_ ])(prices?|per|each|unit_costs?|discount|score|rating|age)($|[_ ])`) // per item
	notMerged = pattern.New(`(?i)(^|[_ ])(avg|average|mean|median|min|max|p\d+|rate|ratio|pct|percent|percentage|share|rank|` +
		`lat|lon|lng|latitude|longitude|distinct|unique)($|[_ ])`)
)

// identifies matches names of ids, which group rows only where nothing else does.
var identifies = pattern.New(`(?i)(^|[_ ])(id|uuid|guid|key)$`)

// boolOrder orders false before true.
func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (d *drafter) pick(columns []dashboard.Column) picked {
	p := picked{asIs: true}
	hasDate := false
	var ids []pickedColumn // of other rows, by which no panel or filter is useful
	for _, c := range columns {
		col := pickedColumn{name: c.Name, sql: quoteName(d.dialect, c.Name), label: c.Label, typ: c.Type, how: c.Agg}
		switch {
		case col.sql == "":
			d.notef(`Column "%s" was left out: give it a simpler name with AS.`, clip(c.Name, 100))
		case c.Role == dashboard.Measure && c.Agg != dashboard.None:
			p.measures = append(p.measures, col)
		case c.Role == dashboard.Measure && notMerged.MatchString(c.Name):
			p.left = append(p.left, col)
		case c.Role == dashboard.Measure:
			col.how = dashboard.Avg
			if (summed.MatchString(c.Name) || dashboard.NamedLikeStock(c.Name)) && !ofEach.MatchString(c.Name) {
				col.how = dashboard.Sum
			}
			p.asIs = false
			p.measures = append(p.measures, col)
		case !hasDate && c.Type.IsTime():
			hasDate, col.asDate = true, c.Type != cube.Date
			p.dims = append([]pickedColumn{col}, p.dims...)
		case d.unique[c.Name]:
		case identifies.MatchString(c.Name):
			ids = append(ids, col)
		default:
			p.dims = append(p.dims, col)
		}
	}
	if names := len(p.dims); names == 0 || names == 1 && hasDate {
		p.dims = append(p.dims, ids...)
	}
	// Measures that add up lead: the revenue before the average price.
	slices.SortStableFunc(p.measures, func(a, b pickedColumn) int { return boolOrder(a.how != dashboard.Sum, b.how != dashboard.Sum) })
	p.dims = p.dims[:min(len(p.dims), mostDims)]
	p.measures = p.measures[:min(len(p.measures), mostMeasures)]
	return p
}

// grouped returns a dataset that groups from by the picked dimensions, and the columns of
// the dataset. Without a measure it counts rows.
func (p *picked) grouped(from string) (draftDataset, []cube.Column) {
	set := draftDataset{ID: "data"}
	var items, keys []string
	var returned []cube.Column
	add := func(item, name string, typ cube.Type) {
		items = append(items, item)
		returned = append(returned, cube.Column{Name: name, Type: typ})
	}
	for i, c := range p.dims {
		keys = append(keys, fmt.Sprint(i+1))
		if c.asDate {
			add(fmt.Sprintf("CAST(t.%s AS date) AS %s", c.sql, c.sql), c.name, cube.Date)
			continue
		}
		add("t."+c.sql, c.name, c.typ) // after a dot, the name may be a reserved word
	}
	if len(p.measures) == 0 {
		p.measures = []pickedColumn{{name: "row_count", how: dashboard.Sum}}
		add("count(*) AS row_count", "row_count", cube.Integer)
	} else {
		for _, c := range p.measures {
			if c.how != dashboard.Avg {
				add(fmt.Sprintf("%s(t.%s) AS %s", c.how, c.sql, c.sql), c.name, cube.Number)
				continue
			}
			sum, n := partName(c, "sum"), partName(c, "count")
			add(fmt.Sprintf("sum(t.%s) AS %s", c.sql, sum), unquoted(sum), cube.Number)
			add(fmt.Sprintf("count(t.%s) AS %s", c.sql, n), unquoted(n), cube.Integer)
			if set.Columns == nil {
				set.Columns = map[string]draftMeta{}
			}
			set.Columns[c.shown()] = draftMeta{Label: "Average " + strings.ToLower(c.label), Ratio: []string{unquoted(sum), unquoted(n)}}
		}
	}
	set.SQL = "SELECT " + strings.Join(items, ", ") + " FROM " + from + " AS t"
	if len(keys) > 0 {
		set.SQL += " GROUP BY " + strings.Join(keys, ", ")
	}
	return set, returned
}

// partName returns the name of one of the two parts of an average, as SQL writes it.
func partName(c pickedColumn, part string) string {
	if c.sql == c.name {
		return c.name + "_" + part
	}
	return c.sql[:len(c.sql)-1] + "_" + part + c.sql[len(c.sql)-1:]
}

// unquoted removes the quotes of [quoteName].
func unquoted(name string) string {
	if mark := name[:1]; mark == `"` || mark == "`" {
		return strings.ReplaceAll(name[1:len(name)-1], mark+mark, mark)
	}
	return name
}

// panels drafts one panel of each kind that the columns allow.
func (p picked) panels() []draftPanel {
	var panels []draftPanel
	var names []string
	for _, c := range p.dims {
		names = append(names, c.name)
	}
	for i, m := range p.measures {
		if names = append(names, m.shown()); i < 2 {
			panels = append(panels, draftPanel{Type: dashboard.KPI, Data: "data", Value: m.shown()})
		}
	}
	first := p.measures[0].shown()
	if p.date() {
		panels = append(panels, draftPanel{Type: dashboard.Line, Data: "data", X: p.dims[0].name, Y: first, Partial: "mark"})
	}
	for i, c := range p.dims {
		if i > 0 || !p.date() {
			panels = append(panels, draftPanel{Type: dashboard.Bar, Data: "data", X: c.name, Y: first})
			break
		}
	}
	return append(panels, draftPanel{Type: dashboard.Table, Data: "data", Columns: names, Limit: 20})
}

// date reports whether the first dimension is a date.
func (p picked) date() bool {
	return len(p.dims) > 0 && p.dims[0].typ.IsTime()
}

// ownGrain drafts panels that show the rows of a grouped query unchanged, for a measure that does not add up.
func (p picked) ownGrain() []draftPanel {
	chart := draftPanel{Type: dashboard.Bar, Data: "data", X: p.dims[0].name, Y: p.left[0].name}
	if p.date() {
		chart.Type, chart.Partial = dashboard.Line, "mark"
	}
	columns := []string{p.dims[0].name}
	if len(p.dims) == 2 {
		chart.Series = p.dims[1].name
		columns = append(columns, chart.Series)
	}
	for _, m := range p.left {
		columns = append(columns, m.name)
	}
	return []draftPanel{chart, {Type: dashboard.Table, Data: "data", Columns: columns, Limit: 20}}
}

// quoteName returns a column's name in SQL of the dialect, in quotes if needed. It
// returns "" for a name that a draft cannot contain.
func quoteName(dialect, name string) string {
	if name == "" || strings.Contains(name, "{{") || strings.ContainsAny(name, "`\\\x00\n") {
		return ""
	}
	return sqltext.DialectOf(dialect).Write(name)
}

// withoutLimit returns sql without the semicolons and the LIMIT at its end, and that
// LIMIT.
func withoutLimit(sql string) (rest, limit string) {
	q := sqltext.Read(sql)
	end := len(q.Tokens)
	for end > 0 && q.Is(end-1, ";") {
		end--
	}
	if end == 0 {
		return sql, ""
	}
	rest = sql
	if end < len(q.Tokens) {
		rest = sql[:q.Tokens[end].From]
	}
	rest = strings.TrimSpace(rest)
	for _, words := range [][]string{{"limit", "offset"}, {"limit"}} {
		at := end - 2*len(words)
		if at <= 0 {
			continue
		}
		found := true
		for i, w := range words {
			found = found && q.Is(at+2*i, w) && q.Kind(at+2*i+1) == sqltext.Number
		}
		if found {
			return strings.TrimSpace(sql[:q.Tokens[at].From]), sql[q.Tokens[at].From:q.Tokens[end-1].To]
		}
	}
	return rest, ""
}

// groups reports whether the query groups its rows.
func groups(sql string) bool {
	q := sqltext.Read(sql)
	return slices.ContainsFunc(q.Tokens, func(t sqltext.Token) bool {
		return t.Kind == sqltext.Word && strings.EqualFold(sql[t.From:t.To], "group")
	})
}

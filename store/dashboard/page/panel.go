package page

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/locale"
)

// A panel is one panel of a page, worked out.
type panel struct {
	figure
	env   *env
	spec  *dashboard.Panel
	data  *encode.Dataset // nil for those that show none
	index int

	columns  int      // of the page's twelve, that it has when it is drawn; 0 when that is not known
	shows    []string // the columns that it names, ratios and their parts among them
	title    string
	notes    []string            // what a viewer must know to read it right
	vain     []string            // what its address asks for that only its rows show to be in vain
	warnings []dashboard.Warning // what its author may not have meant
	summary  string              // one sentence with the leading values
	problem  string              // why it cannot be shown
	empty    string              // why there is nothing to show
	grid     *grid               // the numbers behind it
	figureOf *dashboard.Panel    // of a table of rows: what it stands in for; else nil
	marks    []eventMark         // the events on its axis
	beside   map[int]string      // of rows of the grid: the events of their times
	before   *before             // the period before, to compare with; nil for none
	grains   *grainOffer         // by which its times can be seen; nil for no choice
	holes    []int               // of each row of the grid: how many periods are missing before it, where a line is broken
	totals   []string            // of each row of the grid, where its numbers are drawn on one another
	parts    [][]float64         // of each series, its numbers as shares of these totals, where shares are drawn
	wide     bool                // a phone should give it the whole width
	content  content             // nil when it has a problem or is empty
	lights   lights              // what it highlights
	family   *family             // what it shares with the other small plots of a facet, if it is one
	offset   int                 // of its rows in the table behind them
	value    cube.Category       // of the facet, if it is a small plot
	ofValue  cube.Selection      // the rows with that value, if it is worked out by the code of its type
}

// A grid is a table of values.
type grid struct {
	cols  []gridColumn
	rows  [][]any         // of the types in package cube, or a cube.Category; nil for one that only every has
	every iter.Seq[[]any] // all rows, where only a part of them is in rows; else nil
	count int             // of all rows, where rows does not have that length; else 0
	whole bool            // a table of it has all of rows: marks stand for them
}

// all returns all rows of the grid.
func (g *grid) all() iter.Seq[[]any] {
	if g.every != nil {
		return g.every
	}
	return slices.Values(g.rows)
}

// cells is how many cells all rows of the grid have.
func (g *grid) cells() int { return max(g.count, len(g.rows)) * len(g.cols) }

// A gridColumn is a column of a grid.
type gridColumn struct {
	dashboard.Column
	grain  cube.Grain
	every  cube.Grain // of times that are not rounded: what lies between neighbours, if that is known
	merged bool       // its cells are ranges, and no values of the column
	head   *mark      // what its heading stands for, if that is a value
	extra  bool       // the tooltip alone names it
	group  string     // of a table: the head over it and its neighbours; "" for none

	// values are what the rows have where the grid says it otherwise, by what the grid
	// says; what is not among them stands for several. It is nil where both are the same.
	values map[any]cube.Category
}

// heading is the label of the column, behind that of its group.
func (c *gridColumn) heading() string {
	if c.group == "" {
		return c.Label
	}
	return c.group + " · " + c.Label
}

// panel works out a panel of the spec.
func (p *env) panel(i int) *panel {
	spec := &p.Spec.Panels[i]
	out := &panel{env: p, spec: spec, figure: figures[spec.Type], index: i, title: spec.Title, figureOf: p.rowsOf[i]}
	if f, ok := p.Figures[spec.Type]; ok {
		out.figure = f
	}
	out.guard("work out", func() {
		out.workOut()
		out.noteUnread()
		out.keep()
	})
	if out.problem != "" {
		out.content, out.grid = nil, nil
	}
	return out
}

func (p *panel) workOut() {
	switch {
	case p.summarise == nil:
		p.problem = p.env.Text(`There is no panel of type "%s".`, p.spec.Type)
		return
	case !dashboard.NeedsData(p.spec.Type):
		if !p.refused() {
			p.content = p.summarise(p)
		}
		return
	}
	p.data = p.env.dataset(p.spec.Data)
	if p.data == nil {
		p.problem = p.env.Text(`There is no dataset "%s".`, p.spec.Data)
		return
	}
	if p.title == "" {
		spec := cmp.Or(p.figureOf, p.spec)
		if spec.Data == "" { // a spec that was not parsed may leave out the only dataset
			named := *spec
			named.Data, spec = p.data.ID, &named
		}
		p.title = spec.DefaultTitle(p.env.Locale, p.label)
	}
	if p.figureOf != nil {
		p.title = p.env.Text("Rows of %s", p.title)
	}
	if p.refused() {
		return
	}
	switch {
	case p.env.overspent(): // keep says so
	case p.data.LeftOut:
		p.problem = p.env.Text(tooMuch)
		p.report(encode.Warned(dashboard.WarnCut, "data",
			`the panel is not drawn, because the rows of all datasets take more than %d MiB of memory together, `+
				`and those of "%s" are left out; sql that groups by coarser dimensions, or returns fewer rows or columns, takes less.`,
			dashboard.MaxMemory>>20, p.data.ID))
	case p.data.Cube == nil:
		p.empty = p.env.waiting(p.data)
	case len(p.data.Rows) == 0:
		p.empty = p.env.nothing(p.data)
	default:
		p.content = p.contentOf()
		p.addTooltip()
		p.grid.evenShort(p.env.Formatter)
		p.noteLost()
		p.noteTaken()
	}
}

// refused reports whether the checks of a spec refuse the panel, and says so in its problem: what
// figures rely on, such as a pivot's rows, may be missing then.
func (p *panel) refused() bool {
	problem, ok := p.env.refused[p.index]
	switch {
	case !ok:
	case p.data != nil && problem.Missing != "":
		p.problem = p.env.Text(`The query of dataset "%s" returns no column "%s".`, p.data.ID, problem.Missing)
	case p.env.Author:
		p.problem = problem.String()
	default:
		p.problem = p.env.Text("This panel is not drawn because what it asks for does not fit its data.")
	}
	return ok
}

// noteLost says how many values of the panel's columns are none that can be shown.
// The author is warned of the dataset: see [env.warnings].
func (p *panel) noteLost() {
	cols := p.shows
	for _, name := range p.shows {
		if c := p.data.Column(name); c.IsRatio() {
			cols = append(cols, c.Ratio[:]...)
		}
	}
	slices.Sort(cols)
	for _, name := range slices.Compact(cols) {
		i := p.data.Cube.Index(name)
		if i < 0 || p.data.Cube.Lost(i) == 0 {
			continue
		}
		n, label := p.data.Cube.Lost(i), p.env.Inside(p.label(name))
		if p.data.Cube.Columns()[i].Type.IsTime() {
			p.report(encode.NotedCount(n, "%d value of %s missing: outside the years 1 to 9999.",
				"%d values of %s missing: outside the years 1 to 9999.", label))
		} else {
			p.report(encode.NotedCount(n, "%d value of %s missing: not a number, or infinite.",
				"%d values of %s missing: not a number, or infinite.", label))
		}
	}
}

// unshowable says why values of a type are lost.
func unshowable(t cube.Type) string {
	if t.IsTime() {
		return "outside the years 1 to 9999"
	}
	return "not a number, or infinite"
}

// report notes an issue for the readers, in the language of the page, and warns the author of it.
func (p *panel) report(i encode.Issue) {
	if i.Note != "" {
		p.notes = append(p.notes, p.env.note(i))
	}
	if i.Code != "" {
		p.warnings = append(p.warnings, dashboard.Warning{Code: i.Code, Path: fmt.Sprintf("panels[%d].%s", p.index, i.Key), Message: i.Advice})
	}
}

// run makes the table of a query of the panel's rows, and reports what becomes of these. It is nil where the panel has a
// problem with them.
func (p *panel) run(q encode.Query) *encode.Table {
	if p.family != nil && p.family.of != nil {
		return p.family.tableFor(p, q)
	}
	t := p.data.Run(q)
	for _, i := range t.Issues {
		p.report(i)
	}
	if p.problem = t.Problem; p.problem != "" {
		return nil
	}
	return t
}

// note is the note of an issue in the language of the page.
func (p *env) note(i encode.Issue) string {
	args := make([]string, len(i.Args))
	for k, a := range i.Args {
		switch a := a.(type) {
		case int:
			args[k] = p.Number(float64(a), 0)
		case encode.Inline:
			args[k] = p.Inside(string(a))
		case locale.Key:
			args[k] = p.Text(a)
		default:
			args[k] = fmt.Sprint(a)
		}
	}
	if i.Count != nil {
		return p.Count(*i.Count, i.One, i.Note, args...)
	}
	return p.Text(i.Note, args...)
}

// col returns a column of the panel's dataset; one that is not there is named
// in the panel's problem.
func (p *panel) col(name string) *dashboard.Column {
	if c := p.data.Column(name); c != nil {
		p.shows = append(p.shows, name)
		return c
	}
	if p.problem == "" {
		p.problem = p.env.Text(`The query of dataset "%s" returns no column "%s".`, p.data.ID, name)
	}
	return &dashboard.Column{Column: cube.Column{Name: name}, Label: name}
}

// label is a column's name for people.
func (p *panel) label(name string) string {
	if p.data != nil {
		if c := p.data.Column(name); c != nil {
			return c.Label
		}
	}
	return dashboard.Label(name)
}

// sortKey takes the sign off a column to sort by.
func sortKey(s string) (column string, descending bool) {
	column, descending = strings.CutPrefix(s, "-")
	return column, descending
}

// noteText returns the notes without which readers could misread the panel, or "".
func (p *panel) noteText() string {
	notes := p.notes
	if p.spec.Description != "" {
		notes = append([]string{p.spec.Description}, notes...)
	}
	if ds := p.data; ds != nil && ds.Cube != nil {
		if ds.Truncated {
			notes = append(notes, p.env.Count(ds.Cube.Rows(),
				"Not all rows: the result was cut at %d row.", "Not all rows: the result was cut at %d rows."))
		}
		if ds.Failed != "" && slices.ContainsFunc(p.env.data, func(d *encode.Dataset) bool { return d.Failed == "" }) {
			notes = append(notes, p.env.Text("Older data: the last refresh of this panel failed."))
		}
	}
	return strings.Join(notes, " ")
}

// measuredRows are the rows by whose texts the columns of a workbook get their widths: a grid keeps at least so many.
const measuredRows = 200

package panel

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

// Settings are the keys of a panel in the spec, and the env of its page. Methods of Settings read no rows; they report notes for readers
// and warnings for the author.
type Settings struct {
	Figure
	Env      *Env
	Spec     *dashboard.Panel
	FigureOf *dashboard.Panel // of a table of rows: the figure that it replaces; else nil
	Index    int
	Title    string
	Columns  int                  // its width in twelfths of the page while it is drawn; 0 if that is not known
	Notes    []string             // facts that a reader needs to understand it correctly
	Warnings []dashboard.Warning  // decisions that its author may not have intended
	vain     []string             // parameters of its address that turn out not to apply to its rows
	counted  map[int]encode.Issue // the notes that count things, by their index
	marked   *events              // the events of the page and of the panel; nil before they are read, or if the panel has no events
}

// Rows are the rows of a panel, with its settings. Methods of Rows group them. They use neither the table nor the figure that a panel makes
// of the groups.
type Rows struct {
	Settings
	Data    *encode.Dataset // nil for panels without a dataset
	Problem string          // why the panel cannot be shown
	Empty   string          // why there is nothing to show
	shows   []string        // the columns that it names, including ratios and their parts
	lights  lights          // its highlighted values
	grains  *grainOffer     // the grains that readers can choose; nil for no choice
	family  *family         // the state shared with the other small plots of a facet, if it is one
	value   cube.Category   // the value of the facet, if the panel is a small plot
	ofValue cube.Selection  // the rows with that value, if the code of the panel's type computes them
}

// A Panel is a computed panel of a page: its rows, and the content, the summary and the grid that are made of them.
type Panel struct {
	Rows
	Content Content        // nil if it has a problem or is empty
	Summary string         // one sentence with the leading values
	Grid    *Grid          // the numbers behind it
	Beside  map[int]string // for rows of the grid that are times: the events at that time
	Totals  []string       // for each row of the grid, if its numbers are stacked
	Parts   [][]float64    // for each series, its numbers as shares of these totals, if shares are drawn
	Wide    bool           // it should have the whole width of a phone
	holes   []int          // for each row of the grid, the number of missing periods before it that break a line
	marks   []eventMark    // the events on its axis
	before  *before        // the earlier period of a comparison; nil for none
	offset  int            // the position of its first row in the table behind all small plots
}

// A Grid is a table of values.
type Grid struct {
	Columns []Column
	Rows    [][]any         // of the types in package cube, or a cube.Category; nil for a row that only Every has
	Every   iter.Seq[[]any] // all rows, if Rows has only a part of them; else nil
	count   int             // number of all rows if it differs from the length of Rows; else 0
	Whole   bool            // a table of the grid must show all of Rows, because marks refer to them
}

// Each returns all rows of the grid.
func (g *Grid) Each() iter.Seq[[]any] {
	if g.Every != nil {
		return g.Every
	}
	return slices.Values(g.Rows)
}

// Cells returns the number of cells in all rows of the grid.
func (g *Grid) Cells() int { return max(g.count, len(g.Rows)) * len(g.Columns) }

// A Column is a column of a grid.
type Column struct {
	dashboard.Column
	Grain  cube.Grain
	every  cube.Grain // the interval between neighbours of times that are not rounded, if it is known
	merged bool       // its cells are ranges, not values of the column
	Head   *Mark      // the value that its heading represents, if there is one
	extra  bool       // only tooltips have it
	group  string     // of a table: the heading above it and its neighbours; "" for none

	// values maps a value of the grid to the value of the rows, if they differ. A value of the grid that is missing in the map represents
	// several values of rows. The map is nil if both are the same.
	values map[any]cube.Category
}

// Heading returns the label of the column, after the label of its group.
func (c *Column) Heading() string {
	if c.group == "" {
		return c.Label
	}
	return c.group + " · " + c.Label
}

// Panel computes a panel of the spec.
func (p *Env) Panel(i int) *Panel {
	spec := &p.Spec.Panels[i]
	out := &Panel{Rows: Rows{Settings: Settings{
		Figure: FigureOf(spec), Env: p, Spec: spec, FigureOf: p.RowsOf[i], Index: i, Title: spec.Title,
	}}}
	if f, ok := p.Figures[spec.Type]; ok {
		out.Figure = f
	}
	out.Guard("work out", func() {
		out.workOut()
		out.noteUnread()
		out.keep()
	})
	if out.Problem != "" {
		out.Content, out.Grid = nil, nil
	}
	return out
}

func (p *Panel) workOut() {
	switch {
	case p.Summarise == nil:
		p.Problem = p.Env.Text(`There is no panel of type "%s".`, p.Spec.Type)
		return
	case !dashboard.NeedsData(p.Spec.Type):
		if !p.refused() {
			p.Content = p.Summarise(p)
		}
		return
	}
	if p.Data = p.Env.dataset(p.Spec.Data); p.Data == nil {
		p.Problem = p.Env.Text(`There is no dataset "%s".`, p.Spec.Data)
		return
	}
	p.Data = p.Data.Only(p.Spec.Where)
	if p.Title == "" {
		spec := cmp.Or(p.FigureOf, p.Spec)
		if spec.Data == "" { // a spec that was not parsed may omit the only dataset
			named := *spec
			named.Data, spec = p.Data.ID, &named
		}
		p.Title = spec.DefaultTitle(p.Env.Locale, p.label)
	}
	if p.FigureOf != nil {
		p.Title = p.Env.Text("Rows of %s", p.Title)
	}
	if p.refused() {
		return
	}
	switch {
	case p.Env.Overspent(): // keep reports it
	case p.Data.LeftOut:
		p.Problem = p.Env.Text(tooMuch)
		p.report(encode.Warned(dashboard.WarnCut, "data",
			`the panel is not drawn, because the rows of all datasets take more than %d MiB of memory together, `+
				`and those of "%s" are left out; sql that groups by coarser dimensions, or returns fewer rows or columns, takes less.`,
			dashboard.MaxMemory>>20, p.Data.ID))
	case p.Data.Cube == nil:
		p.Empty = p.Env.waiting(p.Data)
	case len(p.Data.Rows) == 0:
		p.Empty = p.Env.nothing(p.Data)
	default:
		p.Content = p.contentOf()
		p.addTooltip()
		p.Grid.evenShort(p.Env.Formatter)
		p.noteLost()
		p.noteTaken()
	}
}

// refused reports whether the checks of the spec refused the panel, and sets its problem. Such a panel must not be drawn, because keys that
// its figure needs, such as a pivot's rows, may be missing.
func (p *Rows) refused() bool {
	problem, ok := p.Env.refused[p.Index]
	switch {
	case !ok:
	case p.Data != nil && problem.Missing != "":
		p.Problem = p.Env.Text(`The query of dataset "%s" returns no column "%s".`, p.Data.ID, problem.Missing)
	case p.Env.Author:
		p.Problem = problem.String()
	default:
		p.Problem = p.Env.Text("This panel is not drawn because what it asks for does not fit its data.")
	}
	return ok
}

// noteLost reports how many values of the panel's columns cannot be shown. The author is warned for the dataset: see [Env.warnings].
func (p *Rows) noteLost() {
	cols := p.shows
	for _, name := range p.shows {
		if c := p.Data.Column(name); c.IsRatio() {
			cols = append(cols, c.Ratio[:]...)
		}
	}
	slices.Sort(cols)
	for _, name := range slices.Compact(cols) {
		n := p.lost(name)
		if n == 0 {
			continue
		}
		i, label := p.Data.Cube.Index(name), p.Env.Inside(p.label(name))
		if p.Data.Cube.Columns()[i].Type.IsTime() {
			p.report(encode.NotedCount(n, "%d value of %s missing: outside the years 1 to 9999.",
				"%d values of %s missing: outside the years 1 to 9999.", label))
		} else {
			p.report(encode.NotedCount(n, "%d value of %s missing: not a number, or infinite.",
				"%d values of %s missing: not a number, or infinite.", label))
		}
	}
}

// lost returns how many values of a column cannot be shown among the rows of the panel. A cube has only their number in all of its rows. If
// it has other missing values, too, the result is the largest number that is possible. A comparison also has rows of an earlier period, so
// the result is then the number in all rows.
func (p *Rows) lost(name string) int {
	of := p.Data.Cube
	i := of.Index(name)
	switch {
	case i < 0:
		return 0
	case of.Lost(i) == 0 || len(p.Spec.Compare) > 0 || p.asked(askBefore) == yes:
		return of.Lost(i)
	}
	return min(of.Lost(i), len(p.Data.Rows)-len(of.Having(p.Data.Rows, name)))
}

// unshowable returns why values of a type are lost.
func unshowable(t cube.Type) string {
	if t.IsTime() {
		return "outside the years 1 to 9999"
	}
	return "not a number, or infinite"
}

// report adds the note of an issue for readers, in the language of the page, and its warning for the author.
func (p *Settings) report(i encode.Issue) {
	if i.Note != "" {
		if i.Count != nil {
			if p.counted == nil {
				p.counted = map[int]encode.Issue{}
			}
			p.counted[len(p.Notes)] = i
		}
		p.Notes = append(p.Notes, p.Env.note(i))
	}
	if i.Code != "" {
		p.Warnings = append(p.Warnings, dashboard.Warning{Code: i.Code, Path: fmt.Sprintf("panels[%d].%s", p.Index, i.Key), Message: i.Advice})
	}
}

// reportOnce is report for an issue that several parts of a panel may have.
func (p *Settings) reportOnce(i encode.Issue) {
	notes, warnings := len(p.Notes), len(p.Warnings)
	p.report(i)
	if len(p.Notes) > notes && slices.Contains(p.Notes[:notes], p.Notes[notes]) {
		p.Notes = p.Notes[:notes]
		delete(p.counted, notes)
	}
	if len(p.Warnings) > warnings && slices.Contains(p.Warnings[:warnings], p.Warnings[warnings]) {
		p.Warnings = p.Warnings[:warnings]
	}
}

// run makes the table of a query of the panel's rows, and reports its issues. It returns nil if the panel has a problem with the rows.
func (p *Rows) run(q encode.Query) *encode.Table {
	if p.family != nil {
		return p.family.tableFor(p, q)
	}
	t := p.Data.Run(q)
	for _, i := range t.Issues {
		p.report(i)
	}
	if p.Problem = t.Problem; p.Problem != "" {
		return nil
	}
	return t
}

// note returns the note of an issue in the language of the page.
func (p *Env) note(i encode.Issue) string {
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

// col returns a column of the panel's dataset. If there is no such column, it sets the panel's problem.
func (p *Rows) col(name string) *dashboard.Column {
	if c := p.Data.Column(name); c != nil {
		p.shows = append(p.shows, name)
		return c
	}
	if p.Problem == "" {
		p.Problem = p.Env.Text(`The query of dataset "%s" returns no column "%s".`, p.Data.ID, name)
	}
	return &dashboard.Column{Column: cube.Column{Name: name}, Label: name}
}

// label returns a column's label.
func (p *Rows) label(name string) string {
	if p.Data != nil {
		if c := p.Data.Column(name); c != nil {
			return c.Label
		}
	}
	return dashboard.Label(name)
}

// sortKey splits a sort key into its column and its sign.
func sortKey(s string) (column string, descending bool) {
	column, descending = strings.CutPrefix(s, "-")
	return column, descending
}

// NoteText returns the notes that readers need to understand the panel correctly, or "".
func (p *Rows) NoteText() string {
	notes := p.Notes
	if p.Spec.Description != "" {
		notes = append([]string{p.Spec.Description}, notes...)
	}
	if ds := p.Data; ds != nil && ds.Cube != nil {
		if ds.Truncated {
			notes = append(notes, p.Env.Count(ds.Cube.Rows(),
				"Not all rows: the result was cut at %d row.", "Not all rows: the result was cut at %d rows."))
		}
		if ds.Failed != "" && slices.ContainsFunc(p.Env.Data, func(d *encode.Dataset) bool { return d.Failed == "" }) {
			notes = append(notes, p.Env.Text("Older data: the last refresh of this panel failed."))
		}
	}
	return strings.Join(notes, " ")
}

// MeasuredRows is the number of rows whose texts determine the widths of columns in a workbook: a grid keeps at least that many.
const MeasuredRows = 200

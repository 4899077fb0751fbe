package panel

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

const (
	pivotLines   = 200 // the maximum drawn, without those of groups
	pivotAcross  = 30  // maximum of drawn keys of columns
	pivotTimes   = 62  // of a dimension down, before times are rounded down
	pivotPeriods = 24  // the same across
)

var pivotFigure = Figure{
	Summarise: summarisePivot,
	Frame:     inCard,
	Behind:    CSVBehind,
	asks:      grainAsks,
}

// A pivotPanel shows measures by dimensions down and across. Its totals are computed from the rows, and never from its cells.
type pivotPanel struct {
	*Panel
	dims   []pivotDim // down, then across
	down   int        // number of dimensions down
	values []dashboard.Column
	even   []dashboard.Column // values with formats in which all cells of one look alike
	adds   []bool             // for each value, whether its rows can be merged, so that it has totals
	groups *cube.Groups
	folds  map[[2]int]pivotFold // by the numbers of dimensions down and across that they keep

	lines  []pivotKey // the drawn lines, without totals and groups
	across []pivotKey // the keys of the drawn columns
	cut    [2]bool    // some lines, and some columns, are left out

	heat  heatScale
	tones *toner
}

// A pivotDim is a dimension of a pivot.
type pivotDim struct {
	dashboard.Column
	grain  cube.Grain
	merged bool           // its categories are ranges
	place  []int          // position of each category in its order
	open   map[any]string // the reasons of the incomplete periods, in words, by their times; nil for none
	hidden map[any]bool   // those that are not drawn, but are in totals
}

// A pivotKey is one category of each of some dimensions, from the first.
type pivotKey []int

// A pivotFold is the rows of a pivot, grouped by some of its dimensions: the first of those
// down, then the first of those across.
type pivotFold struct{ *cube.Groups }

// find returns the group of a line in a column. Groups are in the order of their categories, so the few that are drawn need no map of all.
func (f pivotFold) find(line, key pivotKey) (group int, ok bool) {
	return sort.Find(f.Len(), func(i int) int {
		for d, c := range line {
			if order := cmp.Compare(c, f.At(i, d)); order != 0 {
				return order
			}
		}
		for d, c := range key {
			if order := cmp.Compare(c, f.At(i, len(line)+d)); order != 0 {
				return order
			}
		}
		return 0
	})
}

func summarisePivot(p *Panel) Content {
	out := &pivotPanel{Panel: p, down: len(p.Spec.Rows), folds: map[[2]int]pivotFold{}}
	if !out.group() {
		return nil
	}
	out.findLines()
	out.findAcross()
	out.cutLines()
	if !out.anyValue() {
		p.Empty = p.Env.missing()
		return nil
	}
	if out.cut[0] && out.totalLines() || out.cut[1] && out.totalColumn() {
		p.report(encode.Noted("Totals include what is not drawn."))
	}
	if out.totals() {
		for m, adds := range out.adds {
			if !adds {
				p.report(encode.Noted("%s has no totals: nothing says how it adds up.", out.values[m].Label))
			}
		}
	}
	out.findHeat()
	out.findTones()
	if out.totals() {
		out.checkSums()
	}
	out.makeGrid()
	out.says()
	p.Summary += out.tones.says()
	return out
}

// group groups the rows, and reports whether they can be shown.
func (p *pivotPanel) group() bool {
	spec, d := p.Spec, p.Data
	for _, name := range slices.Concat(spec.Rows, spec.Across()) {
		p.dims = append(p.dims, pivotDim{Column: *p.col(name)})
	}
	query := encode.Query{}
	mergeable := true
	for _, name := range spec.Values {
		col := p.col(name)
		m := d.Measure(col)
		p.values, p.adds = append(p.values, *col), append(p.adds, encode.Additive(m))
		query.Measures = append(query.Measures, m)
		mergeable = mergeable && encode.Additive(m)
	}
	p.tones = p.toner()
	if p.Problem != "" {
		return false
	}
	for _, m := range p.tones.measures() {
		query.Measures = append(query.Measures, m)
		mergeable = mergeable && encode.Additive(m)
	}
	for i := range p.dims {
		dim := &p.dims[i]
		dim.Role = dashboard.Dimension
		if dim.Type.IsTime() {
			points := pivotTimes
			if i >= p.down {
				points = pivotPeriods
			}
			dim.grain, _ = p.grainWithin(dim.Name, points, mergeable)
			if dim.grain == cube.Exact && dim.Format == "" && p.grains != nil {
				dim.grain = p.grains.now // of the rows themselves: the first days of months are named as months
			}
		}
		by, descending := sortKey(spec.Sort)
		c := encode.Channel{Column: dim.Name, Key: "rows", Grain: dim.grain, Order: encode.Order{Descending: descending && by == dim.Name}}
		if i >= p.down {
			c.Key = "columns"
			if mergeable && !dim.Type.IsTime() { // the steps of a scale are merged, not left out
				c.Keep.Steps = pivotAcross
			}
		}
		query.By = append(query.By, c)
	}
	p.findOpen()
	if p.Empty != "" {
		return false
	}
	t := p.run(query)
	if t == nil {
		return false
	}
	p.groups = t.Groups
	for i := range p.dims {
		p.dims[i].merged, p.dims[i].place = t.Outcomes[i].Merged, t.Places(i)
	}
	return true
}

// totals reports whether the panel has totals.
func (p *pivotPanel) totals() bool { return p.totalLines() || p.totalColumn() }

// totalLines reports whether the panel has lines of totals, which are those of columns, also in groups.
func (p *pivotPanel) totalLines() bool {
	_, ofColumns := p.Spec.HasTotals()
	return ofColumns
}

// totalColumn reports whether the panel has a column of totals, which are those of rows.
func (p *pivotPanel) totalColumn() bool {
	ofRows, _ := p.Spec.HasTotals()
	return ofRows
}

// fold returns the rows grouped by the first dimensions down, and by those across.
func (p *pivotPanel) fold(down, across int) pivotFold {
	if f, ok := p.folds[[2]int{down, across}]; ok {
		return f
	}
	dims := stat.Indices(down)
	for i := range across {
		dims = append(dims, p.down+i)
	}
	f := pivotFold{p.groups}
	if len(dims) < len(p.dims) {
		f.Groups = p.groups.Fold(dims...)
		p.Data.Spend(f.Len())
	}
	p.folds[[2]int{down, across}] = f
	return f
}

// value returns a measure of a line, or of a group of lines, in a column, or in all of them if key is nil. An empty cell is nil.
func (p *pivotPanel) value(line, key pivotKey, measure int) any {
	if !p.adds[measure] && len(line)+len(key) < len(p.dims) {
		return nil
	}
	f := p.fold(len(line), len(key))
	group, ok := f.find(line, key)
	if !ok {
		return nil
	}
	return f.Exact(group, measure)
}

// keys returns the categories of the groups of a fold in n dimensions from first on, in the order of their categories.
func (p *pivotPanel) keys(f pivotFold, first, n int) []pivotKey {
	out, all := make([]pivotKey, 0, f.Len()), make(pivotKey, f.Len()*n)
	for i := range f.Len() {
		key, hidden := all[i*n:(i+1)*n:(i+1)*n], false
		for d := range n {
			key[d] = f.At(i, d)
			hidden = hidden || p.dims[first+d].hidden[p.groups.Axes[first+d][key[d]].Value]
		}
		if hidden {
			p.cut[stat.One(first >= p.down)] = true
			continue
		}
		out = append(out, key)
	}
	slices.SortFunc(out, func(a, b pivotKey) int {
		for i := range n {
			if order := cmp.Compare(p.dims[first+i].place[a[i]], p.dims[first+i].place[b[i]]); order != 0 {
				return order
			}
		}
		return 0
	})
	return out
}

// A rank is a value to sort by; missing values are last.
type rank struct {
	value float64
	ok    bool
}

// findLines sorts the lines: those of a group stay together, and groups are sorted like lines, by their totals.
func (p *pivotPanel) findLines() {
	p.lines = p.keys(p.fold(p.down, 0), 0, p.down)
	by, descending := sortKey(p.Spec.Sort)
	if m := slices.Index(p.Spec.Values, by); m >= 0 {
		p.sortLines(p.lines, 0, m, descending)
	}
}

// sortLines sorts lines by a measure. They have the same first dims categories, and are in the order of the others. Inside of groups that
// are never drawn, they stay in that order.
func (p *pivotPanel) sortLines(lines []pivotKey, dims, measure int, descending bool) {
	if dims == p.down || len(lines) < 2 {
		return
	}
	type group struct {
		first, n int
		rank
	}
	var groups []group
	for first := 0; first < len(lines); {
		n := 1
		for first+n < len(lines) && lines[first+n][dims] == lines[first][dims] {
			n++
		}
		g := group{first: first, n: n}
		g.value, g.ok = cube.Float(p.value(lines[first][:dims+1], nil, measure))
		groups, first = append(groups, g), first+n
	}
	slices.SortStableFunc(groups, func(a, b group) int { return compareRanks(a.rank, b.rank, descending) })
	from := slices.Clone(lines)
	sorted := 0
	for _, g := range groups {
		of := lines[sorted : sorted+g.n]
		copy(of, from[g.first:])
		if sorted < pivotLines {
			p.sortLines(of, dims+1, measure, descending)
		}
		sorted += g.n
	}
}

// compareRanks orders two values; missing values are last.
func compareRanks(a, b rank, descending bool) int {
	switch {
	case !a.ok || !b.ok:
		return cmp.Compare(stat.One(b.ok), stat.One(a.ok))
	case descending:
		return cmp.Compare(b.value, a.value)
	}
	return cmp.Compare(a.value, b.value)
}

// among returns the categories of dimension dim of some keys.
func among(keys []pivotKey, dim int) map[int]bool {
	out := map[int]bool{}
	for _, k := range keys {
		out[k[dim]] = true
	}
	return out
}

// chosen returns the n categories of a dimension that are kept, of more in all, those outside of hidden periods: of times the last, of
// names the largest if they have sums, or else the first. It reports that some are left out.
func (p *pivotPanel) chosen(dim, n int, all map[int]bool) map[int]bool {
	d, axis := &p.dims[dim], p.groups.Axes[dim]
	out := map[int]bool{}
	order := stat.Indices(len(axis))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(d.place[a], d.place[b]) })
	by, descending := sortKey(p.Spec.Sort)
	m := slices.Index(p.Spec.Values, by)
	text := encode.NotDrawn
	switch o := p.Data.Ordering(d.Name); {
	case dim == 0 && m >= 0:
		order = order[:0]
		for _, line := range p.lines {
			if len(order) == 0 || order[len(order)-1] != line[0] {
				order = append(order, line[0])
			}
		}
		if !descending {
			text = "The %s smallest of %s values of %s; the rest is not drawn."
		}
	case dim == 0 && by == d.Name, d.merged, !d.Type.IsTime() && !p.adds[0]:
		text = "The first %s of %s values of %s; the rest is not drawn."
	case d.Type.IsTime():
		slices.Reverse(order)
		text = "The last %s of %s values of %s; the rest is not drawn."
	default:
		order = o.Ranked(p.groups, dim, 0, true)
	}
	order = slices.DeleteFunc(order, func(c int) bool { return !all[c] })
	for _, c := range order[:n] {
		out[c] = true
	}
	left := encode.Noted(text, n, len(all), encode.Inline(d.Label))
	if dim == 0 && by != d.Name { // which is the order of the spec
		left = p.limitedTo(left, n, len(all), d.Name)
	}
	p.report(left)
	p.cut[stat.One(dim >= p.down)] = true
	return out
}

// findAcross finds the keys of the drawn columns.
func (p *pivotPanel) findAcross() {
	n := len(p.dims) - p.down
	if n == 0 {
		p.across = []pivotKey{{}}
		return
	}
	p.across = p.keys(p.fold(0, n), p.down, n)
	const advice = "a filter or sql that groups the others leaves fewer, and as rows there can be more"
	every := slices.Clone(p.across)
	for i := range n {
		if all := among(every, i); len(all) > pivotAcross {
			keep := p.chosen(p.down+i, pivotAcross, all)
			p.across = slices.DeleteFunc(p.across, func(k pivotKey) bool { return !keep[k[i]] })
			p.report(encode.Issue{}.Cut("columns", pivotAcross, len(all), p.dims[p.down+i].Name, advice))
		}
	}
	if all := len(p.across); all > pivotAcross {
		p.across, p.cut[1] = p.across[:pivotAcross], true
		both := p.dims[p.down].Label + " · " + p.dims[p.down+1].Label
		p.report(encode.Noted("The first %s of %s values of %s; the rest is not drawn.", pivotAcross, all, encode.Inline(both)).
			Cut("columns",
				pivotAcross, all, p.dims[p.down].Name+`" by "`+p.dims[p.down+1].Name, advice))
	}
}

// cutLines keeps the lines within limit and within the maximum of a page.
func (p *pivotPanel) cutLines() {
	if limit, all := p.Spec.Limit, among(p.lines, 0); limit > 0 && len(all) > limit {
		keep := p.chosen(0, limit, all)
		p.lines = slices.DeleteFunc(p.lines, func(k pivotKey) bool { return !keep[k[0]] })
	}
	columns := (len(p.across) + 1) * len(p.values)
	if fit, all := min(pivotLines, tableCells/columns), len(p.lines); all > fit {
		drawn := make([]pivotKey, fit) // so that the others are released
		for i := range drawn {
			drawn[i] = slices.Clone(p.lines[i])
		}
		p.lines, p.cut[0] = drawn, true
		p.report(encode.Noted("The first %s of %s rows are drawn.", fit, all).
			Warned(dashboard.WarnCut, "rows",
				`%d of %d rows {is|are} drawn, the first ones; limit keeps the largest of "%s", sort changes which are `+
					`first, and a table has pages.`, fit, all, p.dims[0].Name))
	}
}

func (p *pivotPanel) anyValue() bool {
	for _, line := range p.lines {
		for _, key := range p.across {
			for m := range p.values {
				if p.value(line, key, m) != nil {
					return true
				}
			}
		}
	}
	return false
}

// A heatScale is the domains of the colors of cells: of each value and, depending on heat, of each line, of each column, or of all.
type heatScale map[string]domain

// timeGrain returns the grain of the first dimension of times.
func (p *pivotPanel) timeGrain() cube.Grain {
	for i := range p.dims {
		if p.dims[i].grain != cube.Exact {
			return p.dims[i].grain
		}
	}
	return cube.Exact
}

// name returns a category of a dimension in words.
func (p *pivotPanel) name(dim, category int) string {
	return p.Env.Cell(p.dims[dim].Column, p.dims[dim].grain, p.groups.Axes[dim][category])
}

// head is name and, for an incomplete period, the reason.
func (p *pivotPanel) head(dim, category int) string {
	out := p.name(dim, category)
	if why := p.dims[dim].open[p.groups.Axes[dim][category].Value]; why != "" {
		out += " (" + why + ")"
	}
	return out
}

// path returns the names of a key's categories: "Germany · Web".
func (p *pivotPanel) path(first int, k pivotKey) string {
	names := make([]string, len(k))
	for i, c := range k {
		names[i] = p.name(first+i, c)
	}
	return strings.Join(names, " · ")
}

// mark returns the value that a category represents, if it is one value of its column.
func (p *pivotPanel) mark(dim, category int) *Mark {
	d := &p.dims[dim]
	if d.merged {
		return nil
	}
	return &Mark{d.Name, d.grain, p.groups.Axes[dim][category]}
}

// setEven sets the formats of the cells, as [Grid.even] does: readers compare cells across rows and columns.
func (p *pivotPanel) setEven() {
	p.even = slices.Clone(p.values)
	lines, columns := p.all(), p.columns()
	for m, c := range p.values {
		p.even[m].Format = evenFormat(p.Env.Formatter, c, func(yield func(any) bool) {
			for _, line := range lines {
				for _, key := range columns {
					if v := p.value(line.key, key, m); v != nil && !yield(v) {
						return
					}
				}
			}
		})
	}
}

// columnName returns the name of a column of a value under a key, or under the totals if that is nil.
func (p *pivotPanel) columnName(key pivotKey, measure int) string {
	name := p.path(p.down, key)
	switch label := p.values[measure].Label; {
	case len(p.dims) == p.down:
		return label
	case key == nil && len(p.values) == 1:
		return p.Env.Text("Total")
	case key == nil:
		return p.Env.Text("Total") + " · " + label
	case len(p.values) > 1:
		return name + " · " + label
	}
	return name
}

// says writes the summary: size, extremes and total of the first value.
func (p *pivotPanel) says() {
	p.setEven()
	var least, most any
	where := [2]string{}
	for _, line := range p.lines {
		for _, key := range p.across {
			v := p.value(line, key, 0)
			if v == nil {
				continue
			}
			if least == nil || lessNumber(v, least) {
				least = v
			}
			if most == nil || lessNumber(most, v) {
				most = v
				where = [2]string{canvas.Clip(p.path(0, line), 80), canvas.Clip(p.columnName(key, 0), 80)}
			}
		}
	}
	if least != nil {
		write := func(v any) string { return p.Env.Cell(p.values[0], cube.Exact, v) }
		p.Summary = p.Env.Text("%s by %s, from %s to %s (%s, %s).", p.Env.Count(len(p.across)*len(p.values), "%d column", "%d columns"),
			p.Env.Count(len(p.lines), "%d row", "%d rows"), write(least), write(most), where[0], where[1])
		if total := p.value(nil, nil, 0); total != nil && p.totalLines() && (p.totalColumn() || len(p.dims) == p.down) {
			p.Summary += " " + p.Env.Text("Total of %s: %s.", p.Env.Inside(p.values[0].Label), write(total))
		}
		return
	}
	p.Summary = p.Env.Count(len(p.lines), "%d row", "%d rows") + "."
}

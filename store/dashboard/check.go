package dashboard

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"service/store/dashboard/cube"
)

// Check checks the parts of the spec that depend on the datasets' columns, given by dataset id. It does not check parts about datasets that
// columns lacks. The error is *[Problems]. Warnings are about parts that work but may not be what the author meant; they may be returned
// with an error.
func (s *Spec) Check(columns map[string][]cube.Column) (warnings []Warning, err error) {
	return s.CheckRows(columns, nil)
}

// CheckRows is [Spec.Check] with known rows. For a dataset with rows, these rather than the SQL decide whether a panel merges values of a
// measure without an aggregation, under any filters.
func (s *Spec) CheckRows(columns map[string][]cube.Column, rows map[string]*cube.Cube) (warnings []Warning, err error) {
	c := newChecker(s, columns, rows)
	for i := range s.Datasets {
		if set := c.sets[s.Datasets[i].ID]; set != nil && set.Dataset == &s.Datasets[i] {
			c.dataset(set)
		}
	}
	for i := range s.Columns {
		c.appearance(&s.Columns[i])
	}
	for i := range s.Filters {
		c.filter(index("filters", i), &s.Filters[i])
	}
	for i := range s.Panels {
		c.panel(index("panels", i), &s.Panels[i])
	}
	c.heads()
	c.events(&s.Events)
	for i := range s.Alerts {
		c.alert(index("alerts", i), &s.Alerts[i])
	}
	c.access()
	c.blind()
	c.unused()
	return c.warnings, c.problems.err()
}

// newChecker returns a checker of a spec for the datasets in columns. rows may lack some of them, or be nil.
func newChecker(s *Spec, columns map[string][]cube.Column, rows map[string]*cube.Cube) *checker {
	c := &checker{spec: s, sets: map[string]*resolved{}, shown: s.shown(), warned: map[*Column]bool{}}
	for i := range s.Datasets {
		d := &s.Datasets[i]
		cols, ok := columns[d.ID]
		if !ok || c.sets[d.ID] != nil {
			continue
		}
		set := &resolved{Dataset: d, path: index("datasets", i), cols: cols, rows: rows[d.ID]}
		set.columns, set.keys = d.resolve(cols)
		c.sets[d.ID] = set
	}
	return c
}

// noRows are cubes of columns without rows.
func noRows(columns map[string][]cube.Column) map[string]*cube.Cube {
	none := map[string]*cube.Cube{}
	for id, cols := range columns {
		none[id] = cube.NewBuilder(cols).Cube()
	}
	return none
}

// CheckColumns is [Spec.Check] for stored rows: it does not report panels that merge rows which must not be merged, because the page shows
// that.
func (s *Spec) CheckColumns(columns map[string][]cube.Column) error {
	_, err := s.CheckRows(columns, noRows(columns))
	return err
}

// PanelProblems returns the first problem of each panel that Parse or Check refuses, by the panel's index in the spec. Such a panel must
// not be drawn. As in [Spec.CheckColumns], merged rows are not a problem; for panels of datasets that columns lacks, only the problems of
// Parse count.
func (s *Spec) PanelProblems(columns map[string][]cube.Column) map[int]Problem {
	c := newChecker(s, columns, noRows(columns))
	var out map[int]Problem
	for i := range s.Panels {
		p := &s.Panels[i]
		c.problems, c.warnings = nil, nil
		switch {
		case p.faulty:
			c.problems.add(p.problem)
		case NeedsData(p.Type): // a text shows by itself which of its values are missing
			c.panel(index("panels", i), p)
		}
		if len(c.problems) > 0 {
			if out == nil {
				out = map[int]Problem{}
			}
			out[i] = c.problems[0]
		}
	}
	return out
}

// A checker checks one spec against the columns of its datasets.
type checker struct {
	spec     *Spec
	sets     map[string]*resolved // the datasets whose columns are known
	shown    map[string]bool      // the datasets that panels show
	warned   map[*Column]bool     // the measures with a warning
	problems Problems
	warnings []Warning
}

// A resolved dataset is one whose columns are known.
type resolved struct {
	*Dataset
	path    string
	cols    []cube.Column // as returned
	columns []Column      // as resolved
	keys    []string      // the dimensions that distinguish its rows
	rows    *cube.Cube    // nil when they are not known
	chosen  []string      // see [checker.chosen]; nil until needed
}

// names returns the columns that keep accepts.
func (r *resolved) names(keep func(Column) bool) []string {
	var out []string
	for _, c := range r.columns {
		if keep(c) {
			out = append(out, c.Name)
		}
	}
	return out
}

func anyColumn(Column) bool   { return true }
func isMeasure(c Column) bool { return c.Role == Measure }

// isNumber reports whether a column is a measure of numbers, which charts can draw. A measure of dates has no length.
func isNumber(c Column) bool { return c.Role == Measure && !isTime(c.Type) }

// isNumeric reports whether the values of a column are numbers, in either role.
func isNumeric(c Column) bool { return c.Type == cube.Number || c.Type == cube.Integer }

func isDimension(c Column) bool {
	return c.Role == Dimension
}
func isTime(t cube.Type) bool { return t.IsTime() }
func isDate(c Column) bool    { return c.Role == Dimension && isTime(c.Type) }

func (c *checker) warnf(code, path, format string, args ...any) {
	c.warnings = append(c.warnings, Warnf(code, path, format, args...))
}

// column looks up name in a dataset. It returns nil for "", which was not given.
func (c *checker) column(path string, set *resolved, name string) *Column {
	if name == "" {
		return nil
	}
	if col := find(set.columns, name); col != nil {
		return col
	}
	all := set.names(anyColumn)
	c.problems.add(Problem{
		Path: path, Message: fmt.Sprintf("column %s is not returned by dataset %s", quote(name), quote(set.ID)) + computed(name, all),
		Noun: "columns", Allowed: all, Nearest: likeliest(name, all), Missing: name,
	})
	return nil
}

// computed explains that a name such as sum(revenue) is an expression, with the column in it; it returns "" for any other name.
func computed(name string, columns []string) string {
	if !strings.ContainsAny(name, "(*/+") {
		return ""
	}
	why := ": the sql computes columns, and panels name them"
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	if i := slices.IndexFunc(words, func(word string) bool { return slices.Contains(columns, word) }); i >= 0 {
		why += "; write " + quote(words[i])
	}
	return why
}

// measure and dimension are column for columns of that role. A measure must be of numbers.
func (c *checker) measure(path string, set *resolved, name string) *Column {
	col := c.column(path, set, name)
	if col == nil || isNumber(*col) {
		return col
	}
	p := Problem{
		Path: path, Message: fmt.Sprintf("%s is a dimension (%s), and this must be a measure", quote(name), col.Type),
		Noun: "measures", Allowed: set.names(isNumber),
	}
	if isMeasure(*col) {
		p.Message = fmt.Sprintf("%s is of type %s, and this must be a number; tables, texts and a kpi show it", quote(name), col.Type)
	}
	if set.textAmount(name) {
		p.Message += "; " + castHint
	}
	if col.Type == cube.Integer {
		p.Message += fmt.Sprintf(`; if it is one, write "role": "measure" in %s`, set.at(name))
	}
	c.problems.add(p)
	return nil
}

func (c *checker) dimension(path string, set *resolved, name string) *Column {
	col := c.column(path, set, name)
	if col == nil || isDimension(*col) {
		return col
	}
	p := Problem{
		Path: path, Message: fmt.Sprintf("%s is a measure, and this must be a dimension", quote(name)),
		Noun: "dimensions", Allowed: set.names(isDimension),
	}
	if !col.IsRatio() {
		p.Message += fmt.Sprintf(`; if it is one, write "role": "dimension" in %s`, set.at(name))
	}
	c.problems.add(p)
	return nil
}

// at returns the path of a column's settings in the spec, present or not.
func (r *resolved) at(column string) string { return join(join(r.path, "columns"), column) }

// dataset checks the settings of a dataset's columns.
func (c *checker) dataset(set *resolved) {
	for i, col := range set.cols {
		if slices.ContainsFunc(set.cols[:i], func(o cube.Column) bool { return o.Name == col.Name }) {
			c.problems.addf(set.path+".sql", "returns two columns called %s; give one another name with AS", quote(col.Name))
		}
	}
	for _, m := range set.Columns {
		path := set.at(m.Name)
		returned := slices.ContainsFunc(set.cols, func(o cube.Column) bool { return o.Name == m.Name })
		switch {
		case m.IsRatio() && returned:
			c.problems.addf(path, "the dataset returns a column of this name; give the ratio another")
			continue
		case m.IsRatio():
			for i, part := range m.Ratio {
				path := index(path+".ratio", i)
				if col := c.measure(path, set, part); col != nil && col.IsRatio() {
					c.problems.addf(path, "%s is a ratio itself; name two measures that the dataset returns", quote(part))
				}
			}
		case !returned:
			c.column(path, set, m.Name)
			continue
		}
		if m.Labels != nil {
			c.named(path+".labels", set, m.Name)
		}
		col := find(set.columns, m.Name)
		numeric := isNumeric(*col)
		switch {
		case isTime(col.Type) && (m.Role == Measure || m.Agg != "" && m.Role == ""):
			if m.Agg != Min && m.Agg != Max {
				c.problems.addf(path+".agg", `%s is of type %s: write "min" or "max" to make it a measure, or leave role and agg out`,
					quote(m.Name), col.Type)
			}
		case m.Role == Measure && !numeric:
			hint := ""
			if set.textAmount(m.Name) {
				hint = "; " + castHint
			}
			c.problems.addf(path+".role", "a measure must be a number, and %s is of type %s%s", quote(m.Name), col.Type, hint)
		case m.Agg != "" && col.Role == Dimension:
			c.problems.addf(path+".agg", "%s is a dimension (%s), and only measures add up", quote(m.Name), col.Type)
		case m.Agg.isStock():
			c.stock(set, &m)
		case m.Agg.IsQuantile():
			c.quantile(set, &m)
		}
		c.notation(path, col, m.Format, m.Decimals, m.Unit)
		for key, given := range map[string]bool{"negative": m.Brackets, "sign": m.Signed} {
			if given && !isNumeric(*col) {
				c.problems.addf(join(path, key), "is for numbers, and %s is of type %s", quote(col.Name), col.Type)
			}
		}
	}
	c.textSums(set)
	for _, name := range inclusiveEnds(set.SQL, c.spec.Params) {
		c.warnf(WarnRangeEnd, set.path+".sql",
			`{{%s}} is the day after the last one of the range, so compare with "< {{%s}}"; here that day is included.`, name, name)
	}
	if len(set.columns) > 0 && len(set.names(isDimension)) == 0 && c.split(set) {
		c.warnf(WarnNoDimension, set.path,
			"dataset %s has no dimension, so nothing names or splits its rows; its sql can GROUP BY a date or a category.",
			quote(set.ID))
	}
}

// quantile warns of a quantile of values that are means, quantiles or extremes of rows.
func (c *checker) quantile(set *resolved, m *Meta) {
	if f := set.function(m.Name); valuesOf(f) == noAmounts {
		c.warnf(WarnDoubtful, set.at(m.Name)+".agg", `"%s" is that of the rows of the dataset, and each of them has the %s() of a group; `+
			"return single rows.", m.Agg, f)
	}
}

// split reports whether a panel groups rows of a dataset, unlike panels that draw each row by itself.
func (c *checker) split(set *resolved) bool {
	return (set.rows == nil || set.rows.Rows() > 1) && slices.ContainsFunc(c.spec.Panels, func(p Panel) bool {
		each := p.Type == Scatter && p.Label == "" || p.Type == Histogram || p.Lat != ""
		return p.Data == set.ID && p.Type != KPI && p.Type != Text && !each
	})
}

// format checks that a format fits the type of a column.
func (c *checker) format(path string, col *Column, format string) {
	numeric := isNumeric(*col)
	switch {
	case format == "":
	case numeric && !slices.Contains(numberFormats, format):
		c.problems.add(Problem{
			Path:    path,
			Message: fmt.Sprintf("%s is for dates, and %s is of type %s", quote(format), quote(col.Name), col.Type),
			Allowed: numberFormats,
		})
	case isTime(col.Type) && !slices.Contains(dateFormats, format):
		c.problems.add(Problem{
			Path:    path,
			Message: fmt.Sprintf("%s is for numbers, and %s is of type %s", quote(format), quote(col.Name), col.Type),
			Allowed: dateFormats,
		})
	case col.Type == cube.Date && (format == "time" || format == "minute"):
		c.problems.addf(path, `%s is for times of the day, and %s is a date; write "date"`, quote(format), quote(col.Name))
	case format == "hours_minutes" && !numeric && !isTime(col.Type):
		c.problems.addf(path, `"hours_minutes" is for numbers of minutes, and %s is of type %s; a length of time is cast in the sql, `+
			"with extract(epoch FROM …) / 60", quote(col.Name), col.Type)
	case !numeric && !isTime(col.Type):
		c.problems.addf(path, "%s is of type %s, which is shown as it is; leave the format out", quote(col.Name), col.Type)
	}
}

// filter checks a filter against every dataset.
func (c *checker) filter(path string, f *Filter) {
	if f.Column == "" {
		return
	}
	var with, without, all []string
	var first *Column
	var sets []*resolved
	for i := range c.spec.Datasets {
		set := c.sets[c.spec.Datasets[i].ID]
		if set == nil {
			continue
		}
		for _, name := range set.names(isDimension) {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
		col := find(set.columns, f.Column)
		switch {
		case !f.Narrows(set.ID):
			continue
		case col == nil && f.Data != nil:
			c.column(path+".column", set, f.Column)
			return
		case col == nil:
			without = append(without, set.ID)
			continue
		}
		if c.dimension(path+".column", set, f.Column) == nil {
			return
		}
		if first != nil && isTime(first.Type) != isTime(col.Type) {
			c.problems.addf(path+".column", "%s is of type %s in dataset %s and of type %s in dataset %s; cast one of them",
				quote(f.Column), first.Type, quote(with[0]), col.Type, quote(set.ID))
			return
		}
		if first == nil {
			first = col
		}
		with, sets = append(with, set.ID), append(sets, set)
	}
	switch {
	case len(c.sets) == 0:
		return
	case first == nil && len(c.sets) < len(c.spec.Datasets):
		return // an unknown dataset may have it
	case first == nil:
		c.problems.add(Problem{
			Path: path + ".column", Message: fmt.Sprintf("no dataset returns a column %s", quote(f.Column)),
			Noun: "dimensions", Allowed: all, Nearest: likeliest(f.Column, all),
		})
		return
	}
	for _, id := range without {
		if c.shown[id] {
			locked := ""
			if f.Locked {
				locked = " The filter is locked, so readers would expect that no panel shows other rows."
			}
			c.warnf(WarnFilterSkips, path, "dataset %s has no column %s, so its panels do not follow this filter; its sql can return the "+
				`column, or "data" of the filter names the datasets that it is for.%s`, quote(id), quote(f.Column), locked)
		}
	}
	c.choice(path, f, first, sets)
	if isTime(first.Type) {
		if _, _, ok := Period(f.Default, time.UTC, 0, time.Time{}); !ok {
			c.problems.add(rangeProblem(path+".default", f.Default))
		}
	} else if len(f.Default) == 1 && isRangeName(f.Default[0]) {
		hint := ""
		if f.Default[0] == "all" {
			hint = "; leave the default out to select everything"
		}
		c.problems.addf(path+".default", "%s is a date range, and %s is of type %s%s", quote(f.Default[0]), quote(f.Column), first.Type, hint)
	}
}

// shown returns the ids of the datasets that panels show.
func (s *Spec) shown() map[string]bool {
	out := map[string]bool{}
	for i := range s.Panels {
		out[s.Panels[i].Data] = true
		for _, f := range fields(s.Panels[i].Markdown) {
			out[f.dataset] = true
		}
	}
	return out
}

// unused warns of datasets and other parts that nothing uses.
func (c *checker) unused() {
	for i, d := range c.spec.Datasets {
		used := c.shown[d.ID] || c.spec.marksRows(d.ID) || d.Shared || c.spec.isRead(d.ID)
		if d.ID != "" && !used && !slices.ContainsFunc(c.spec.Alerts, func(a Alert) bool { return a.Data == d.ID }) {
			c.warnf(WarnDatasetUnused, index("datasets", i), "no panel shows dataset %s.", quote(d.ID))
		}
	}
	used := map[string]bool{}
	for _, d := range c.spec.Datasets {
		var ignored Problems
		for _, u := range placeholders(&ignored, "", d.SQL, c.spec.Params) {
			used[u.param.ID] = true
		}
	}
	for i, p := range c.spec.Params {
		if p.Label != "" && len(p.Options) == 0 {
			c.warnf(WarnKeyIgnored, index("params", i)+".label",
				"viewers do not see it: only a parameter with options has a control; list options, or leave it out.")
		}
		if p.ID == "" || used[p.ID] {
			continue
		}
		how := "{{" + p.ID + "}}"
		if p.Type == ParamRange {
			how = fmt.Sprintf("{{%s.start}} and {{%s.end}}", p.ID, p.ID)
		}
		c.warnf(WarnParamUnused, index("params", i), "no SQL uses parameter %s; write %s where its value belongs.", quote(p.ID), how)
	}
}

// merged checks that a panel with the dimensions grain does not merge rows of a measure that does not add up. A table may merge equal
// values.
func (c *checker) merged(path string, set *resolved, col *Column, grain []string, table bool) {
	c.addedOver(set, col, grain, false)
	if col == nil || col.Agg != None {
		return
	}
	var dropped []string
	for _, key := range set.keys {
		if !slices.Contains(grain, key) {
			dropped = append(dropped, quote(key))
		}
	}
	if len(dropped) > 0 && (set.rows == nil || set.merges(col, grain, table)) {
		c.notAdditive(path, set, col, "over "+strings.Join(dropped, ", ")+", which this panel leaves out")
	}
}

// merges reports whether several rows agree in grain or, with equal, whether such rows have different values in a column.
func (r *resolved) merges(col *Column, grain []string, equal bool) bool {
	var by []cube.Dim
	for _, name := range grain {
		if r.rows.Index(name) >= 0 {
			by = append(by, cube.Dim{Column: name})
		}
	}
	if equal && !col.IsRatio() && r.rows.Constant(r.rows.Select(), by, col.Name) {
		return false
	}
	g := r.rows.Group(r.rows.Select(), cube.Query{By: by})
	return g.Len() < r.rows.Rows()
}

// notAdditive reports that a measure cannot be merged, with two remedies.
func (c *checker) notAdditive(path string, set *resolved, col *Column, why string) {
	names := []string{col.Name}
	if col.IsRatio() {
		names = nil
		for _, part := range col.Ratio {
			if p := find(set.columns, part); p != nil && p.Agg == None {
				names = append(names, part)
			}
		}
		if len(names) == 0 {
			return // a part is missing, which was reported
		}
	}
	if of := find(set.columns, names[0]); of != nil && of.OfRows {
		c.problems.addf(path, `%s cannot be merged %s: the %s() of groups is not that of their rows; %s`,
			quote(names[0]), why, set.function(names[0]), ofRows)
		return
	}
	subject := quote(names[0])
	if col.IsRatio() {
		subject += ", a part of " + quote(col.Name) + ","
	}
	unknown, aggs := "it is not known how its values add up", `"agg" (sum, min, max, avg, median or last)`
	if f := set.function(names[0]); picksRow(f) {
		unknown = fmt.Sprintf("%s() returns the value of one row of each group, and it is not known which group counts", f)
		if of := times(set.columns, set.keys); len(of) > 0 {
			aggs = fmt.Sprintf(`"agg" ("last" adds up the values of the latest "%s"; or sum, min, max, avg, median)`, of[0])
		}
	}
	c.problems.addf(path, `%s cannot be merged %s: %s. Either declare %s in %s, or show a "ratio" of two measures that add up`,
		subject, why, unknown, aggs, set.at(names[0]))
}

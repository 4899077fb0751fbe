package tools

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// A draftedPage is a draft over all rows of one table. Its dataset has the rows as they are, so each panel and filter can be of any column.
type draftedPage struct {
	draftSpec
	facts   []fact
	raw     [][]any
	times   []*fact
	groups  []*fact // categories and countries, the best for a chart first
	sums    []*fact // measures, the most telling first
	means   []*fact
	scores  []*fact // answers on one scale
	months  []*fact
	lead    string // the measure of most panels: its column
	leadAgg dashboard.Agg
	count   string // the column that counts rows
	noun    string
	events  bool // the rows are things that happened, not readings or sums by the other columns
	words   draftWords
	notes   []string
}

// mostRaw is the limit of rows of a draft without GROUP BY, which fits into every limit of a dataset.
const mostRaw = 50_000

// draftPage drafts a page over all rows of a table, which SQL calls from. It returns nil if the columns allow none.
func draftPage(
	dialect, from, title, noun string, columns []dashboard.Column, rows [][]any, units []warehouse.ColumnUnit,
) *draftedPage {
	p := &draftedPage{facts: factsOf(dialect, columns, rows, units), raw: rows, noun: noun}
	p.words = wordsOf(p.facts)
	p.Title, p.Locale, p.Currency = title, p.words.locale, currencyOf(units)
	for i := range p.facts {
		switch f := &p.facts[i]; f.use {
		case useTime:
			p.times = append(p.times, f)
		case useCategory, usePlace:
			p.groups = append(p.groups, f)
		case useMonth:
			p.months = append(p.months, f)
		case useMeasure:
			p.addMeasure(f)
		}
	}
	p.rank()
	p.dropTwins()
	p.events = p.areEvents()
	if len(p.months) > 0 {
		return p.wide(from)
	}
	if len(p.times)+len(p.groups)+len(p.sums)+len(p.means) == 0 {
		return nil
	}
	p.long(from)
	return p
}

func (p *draftedPage) addMeasure(f *fact) {
	switch f.agg {
	case dashboard.Sum:
		p.sums = append(p.sums, f)
	case dashboard.Avg:
		p.means = append(p.means, f)
	default:
		p.notes = append(p.notes, fmt.Sprintf(`"%s" is a level and was left out: "agg": "last" adds up those of the latest time.`,
			clip(f.Name, 60)))
	}
}

// rank puts the columns first that a page is most likely about.
func (p *draftedPage) rank() {
	money := func(f *fact) int {
		switch {
		case namesMoney.MatchString(f.Name):
			return 0
		case f.whole && strings.Contains(strings.ToLower(f.Name), "byte"):
			return 2
		}
		return 1
	}
	slices.SortStableFunc(p.sums, func(a, b *fact) int { return cmp.Compare(money(a), money(b)) })
	// From 3 to 12 bars are the easiest to read.
	fit := func(f *fact) int {
		switch {
		case f.chars > 28:
			return 4
		case f.use == usePlace, f.distinct >= 3 && f.distinct <= 12:
			return 0
		case f.distinct == 2:
			return 1
		case f.distinct <= 40:
			return 2
		}
		return 3
	}
	slices.SortStableFunc(p.groups, func(a, b *fact) int { return cmp.Compare(fit(a), fit(b)) })
	// The first column of times that most rows have.
	slices.SortStableFunc(p.times, func(a, b *fact) int { return cmp.Compare(b.rows*10/max(len(p.raw), 1), a.rows*10/max(len(p.raw), 1)) })
	for _, most := range []float64{5, 7, 10} { // nobody may have given the best answer
		var scores []*fact
		for _, f := range p.means {
			if f.isScore() && f.max <= most {
				scores = append(scores, f)
			}
		}
		if len(scores) >= 3 {
			p.scores = scores
			break
		}
	}
}

// time is the column of times of the page, or nil.
func (p *draftedPage) time() *fact {
	if len(p.times) == 0 {
		return nil
	}
	return p.times[0]
}

// dropTwins leaves out a category that says the same as another one, such as the number of an account beside its name.
func (p *draftedPage) dropTwins() {
	for i := 0; i < len(p.groups); i++ {
		for j := len(p.groups) - 1; j > i; j-- {
			if !p.areTwins(p.groups[i], p.groups[j]) {
				continue
			}
			if p.groups[j].chars > p.groups[i].chars { // a name is longer than its code
				p.groups[i] = p.groups[j]
			}
			p.groups = slices.Delete(p.groups, j, j+1)
		}
	}
}

// areTwins reports whether each value of one category goes with one of the other, and the other way round.
func (p *draftedPage) areTwins(a, b *fact) bool {
	if a.distinct != b.distinct || a.distinct < 2 {
		return false
	}
	i, j := p.index(a), p.index(b)
	pairs := map[[2]any]bool{}
	for _, row := range p.raw {
		pairs[[2]any{key(row[i]), key(row[j])}] = true
	}
	return len(pairs) <= a.distinct+1 // and rows with neither
}

func (p *draftedPage) index(f *fact) int {
	return slices.IndexFunc(p.facts, func(o fact) bool { return o.Name == f.Name })
}

// areEvents reports whether the rows are things that happened: there is an id or a text for each, or times and categories repeat.
func (p *draftedPage) areEvents() bool {
	if slices.ContainsFunc(p.facts, func(f fact) bool { return f.use == useID || f.use == useText || f.use == useName }) {
		return true
	}
	seen := map[string]bool{}
	for _, row := range p.raw {
		var at []any
		for _, f := range append(slices.Clone(p.times[:min(len(p.times), 1)]), p.groups[:min(len(p.groups), 3)]...) {
			at = append(at, key(row[p.index(f)]))
		}
		seen[fmt.Sprint(at...)] = true
	}
	return len(seen)*100 < len(p.raw)*97
}

// long drafts a page over a table with a row for each thing.
func (p *draftedPage) long(from string) {
	p.chooseLead()
	set := draftDataset{ID: "data", Columns: map[string]draftMeta{}}
	var items []string
	for i := range p.facts {
		f := &p.facts[i]
		if f.use == useNone || f.sql == "" || slices.Contains(p.scores, f) || f.use == useMeasure && f.agg == dashboard.Last {
			continue
		}
		items = append(items, "t."+f.sql)
		meta := draftMeta{}
		switch f.use {
		case useMeasure:
			meta.Agg, meta.Format, meta.Unit = string(f.agg), f.format, f.unit
			if f.label != f.Label {
				meta.Label = f.label
			}
		case useCategory, useID:
			if isNumber(f.Type) {
				meta.Role = "dimension"
			}
		case useText, useName, useTime, usePlace, useLat, useLon, useMonth, useNone:
		}
		if !meta.empty() {
			set.Columns[f.Name] = meta
		}
	}
	if p.count != "" {
		items = append(items, "1 AS "+p.count)
		set.Columns[p.count] = draftMeta{Agg: string(dashboard.Sum), Label: p.countLabel()}
	}
	set.SQL = "SELECT " + strings.Join(items, ", ") + " FROM " + from + " AS t"
	set.limit(len(p.raw))
	p.Datasets = append(p.Datasets, set)
	p.kpis()
	p.answers(from)
	p.overTime()
	p.bars()
	p.shapes()
	p.table()
	p.filters()
}

// limit sets the limit of rows above what the table has.
func (set *draftDataset) limit(rows int) {
	if rows > dashboard.DefaultRows*8/10 {
		set.Limit = min(dashboard.MaxRows, (rows*2/10_000+1)*10_000)
	}
}

// chooseLead chooses the measure that most panels show: money, or how many rows there are where rows are events, or another sum.
func (p *draftedPage) chooseLead() {
	counts := p.events || len(p.scores) > 0 || len(p.sums)+len(p.means) == 0 // the number of readings says nothing
	if counts {
		p.count = countColumn(p.countLabel(), p.facts)
	}
	switch {
	case len(p.sums) > 0 && (namesMoney.MatchString(p.sums[0].Name) || !counts):
		p.lead, p.leadAgg = p.sums[0].Name, dashboard.Sum
	case counts:
		p.lead, p.leadAgg = p.count, dashboard.Sum
	default:
		p.lead, p.leadAgg = p.means[0].Name, dashboard.Avg
	}
}

// isSeries reports whether the rows are readings at regular times.
func (p *draftedPage) isSeries() bool {
	t := p.time()
	return t != nil && t.distinct > 20 && !p.events && len(p.means) > 0
}

// kpis adds the numbers at the top: the lead, the number of rows, and averages or other sums.
func (p *draftedPage) kpis() {
	add := func(column string) {
		if len(p.Panels) == 4 || slices.ContainsFunc(p.Panels, func(k draftPanel) bool { return k.Value == column }) {
			return
		}
		k := draftPanel{Type: dashboard.KPI, Data: "data", Value: column, Title: p.label(column)}
		if t := p.time(); t != nil && p.grain() != "" {
			k.Sparkline, k.Grain, k.Partial = t.Name, p.grain(), "hide"
		}
		p.Panels = append(p.Panels, k)
	}
	add(p.lead)
	if p.count != "" {
		add(p.count)
	}
	for _, f := range p.sums[:min(len(p.sums), 2)] {
		add(f.Name)
	}
	for _, f := range p.means {
		if !slices.Contains(p.scores, f) {
			add(f.Name)
		}
	}
}

// grain is the step of the lines over the column of times: such that there are some 6 to 100 steps, and enough rows in each.
func (p *draftedPage) grain() string {
	t := p.time()
	if t == nil {
		return ""
	}
	perStep, most := 8.0, 130.0 // rows in each, and steps
	if !p.events {
		perStep, most = 1, 400
	}
	finer := ""
	days := math.Max(t.days(), 0.01)
	for _, g := range []struct {
		name string
		days float64
	}{{"minute", 1.0 / 1440}, {"hour", 1.0 / 24}, {"day", 1}, {"week", 7}, {"month", 30}, {"quarter", 91}} {
		steps := days / g.days
		if t.Type == cube.Date && g.days < 1 || float64(t.distinct)*1.5 < steps && g.days < 28 && steps > 20 {
			continue
		}
		switch enough := float64(t.rows)/math.Max(steps, 1) >= perStep; {
		case steps > most:
		case steps < 6 && finer != "":
			return finer
		case enough:
			return g.name
		default:
			finer = g.name
		}
	}
	if days < 400 {
		return cmp.Or(finer, "month")
	}
	return "year"
}

// overTime adds the lead over time.
func (p *draftedPage) overTime() {
	t := p.time()
	if t == nil || t.distinct < 3 {
		return
	}
	line := draftPanel{Type: dashboard.Line, Data: "data", X: t.Name, Y: p.lead, Grain: p.grain(), Partial: "mark", Width: 12}
	line.Title = fmt.Sprintf(p.words.overTime, p.label(p.lead))
	if p.leadAgg == dashboard.Avg {
		if i := slices.IndexFunc(p.groups, func(f *fact) bool { return f.distinct <= 6 }); i >= 0 {
			line.Series = p.groups[i].Name
		}
	}
	p.Panels = append(p.Panels, line)
	if !p.isSeries() || p.leadAgg != dashboard.Avg {
		return
	}
	for _, f := range p.means[1:min(len(p.means), 3)] { // the other readings
		p.Panels = append(p.Panels, draftPanel{
			Type: dashboard.Line, Data: "data", X: t.Name, Y: f.Name, Grain: line.Grain, Partial: "mark", Series: line.Series, Width: 6,
			Title: fmt.Sprintf(p.words.overTime, p.label(f.Name)),
		})
	}
}

// bars adds the lead by categories, and countries on a map.
func (p *draftedPage) bars() {
	n := 0
	for _, f := range p.groups {
		if n == 4 || f.chars > 28 {
			break
		}
		if p.leadAgg == dashboard.Avg && p.time() != nil && f.distinct <= 6 { // a line has it
			continue
		}
		title := fmt.Sprintf(p.words.by, p.label(p.lead), p.within(f.label))
		if isNumber(f.Type) && namesYear.MatchString(f.Name) && f.distinct > 4 { // an axis of times
			p.Panels = append(p.Panels, draftPanel{Type: dashboard.Line, Data: "data", X: f.Name, Y: p.lead, Width: 6, Title: title})
			n++
			continue
		}
		if f.use == usePlace && f.distinct >= 5 {
			p.Panels = append(p.Panels, draftPanel{Type: "map", Data: "data", Area: f.Name, Value: p.lead, Width: 6, Title: title})
			n++
			continue
		}
		bar := draftPanel{Type: dashboard.Bar, Data: "data", X: f.Name, Y: p.lead, Width: 6, Title: title}
		if !isNumber(f.Type) || !namesScore.MatchString(f.Name) {
			bar.Horizontal, bar.Sort = true, "-"+p.lead
			if f.distinct > 12 {
				bar.Limit = 10
			}
		}
		p.Panels = append(p.Panels, bar)
		n++
	}
}

// stars is a single score, such as a rating, or nil.
func (p *draftedPage) stars() *fact {
	if len(p.scores) > 0 {
		return nil
	}
	for _, f := range p.means {
		if f.isScore() && namesScore.MatchString(f.Name) {
			return f
		}
	}
	return nil
}

// answers adds the questions of a survey: how high each is, and how the answers to it are distributed.
func (p *draftedPage) answers(from string) {
	if len(p.scores) == 0 {
		return
	}
	var names, columns, keep []string
	for _, f := range p.scores {
		names, columns = append(names, f.Name), append(columns, "t."+f.sql)
	}
	for _, f := range p.groups {
		keep = append(keep, "t."+f.sql+", ")
	}
	if t := p.time(); t != nil {
		keep = append(keep, "t."+t.sql+", ")
	}
	set := draftDataset{ID: "answers", Columns: map[string]draftMeta{
		"score":   {Agg: string(dashboard.Avg), Label: p.words.score},
		"answer":  {Role: "dimension", Label: p.words.answer},
		"answers": {Agg: string(dashboard.Sum), Label: p.words.count},
	}}
	if slices.IndexFunc(p.scores, func(f *fact) bool { return f.max > 5 || f.min < 1 }) < 0 {
		p.Columns = map[string]draftOrder{"answer": {Colors: map[string]string{
			"1": "red", "2": "orange", "3": "gray", "4": "lime", "5": "green",
		}}}
	}
	set.SQL = "SELECT " + strings.Join(keep, "") + "unnest([" + literals(names) + "]) AS question, unnest([" + strings.Join(columns, ", ") +
		"]) AS score, unnest([" + strings.Join(columns, ", ") + "]) AS answer, 1 AS answers FROM " + from + " AS t"
	set.limit(len(p.raw) * len(names))
	p.Datasets = append(p.Datasets, set)
	p.Panels = append(p.Panels,
		draftPanel{Type: dashboard.KPI, Data: "answers", Value: "score"},
		draftPanel{Type: dashboard.Bar, Data: "answers", X: "question", Y: "score", Horizontal: true, Sort: "-score", Width: 6},
		draftPanel{
			Type: dashboard.Bar, Data: "answers", X: "question", Y: "answers", Series: "answer", Stack: "percent", Horizontal: true, Width: 6,
		})
	if len(p.groups) > 0 {
		p.Panels = append(p.Panels, draftPanel{
			Type: "heatmap", Data: "answers", X: p.groups[0].Name, Y: "question", Value: "score", Width: 12,
		})
	}
}

// points adds a map of the rows with coordinates.
func (p *draftedPage) points() {
	points := draftPanel{Type: "map", Data: "data", Width: 12}
	for _, f := range p.facts {
		switch {
		case f.use == useLat && points.Lat == "":
			points.Lat = f.Name
		case f.use == useLon && points.Lon == "":
			points.Lon = f.Name
		case (f.use == useID || f.use == useName) && points.Label == "":
			points.Label = f.Name
		}
	}
	if points.Lat != "" && points.Lon != "" {
		p.Panels = append(p.Panels, points)
	}
}

// shapes adds how a measure is distributed, and how two of them go together.
func (p *draftedPage) shapes() {
	p.points()
	if f := p.stars(); f != nil {
		p.Panels = append(p.Panels, draftPanel{Type: "histogram", Data: "data", Value: f.Name, Width: 6})
	}
	rest := p.rest()
	if a, b := p.related(rest); a != nil {
		s := draftPanel{Type: "scatter", Data: "data", X: a.Name, Y: b.Name, Width: 12, Title: a.label + " – " + b.label}
		if i := slices.IndexFunc(p.groups, func(f *fact) bool { return f.distinct <= 5 }); i >= 0 {
			s.Series = p.groups[i].Name
		}
		p.Panels = append(p.Panels, s)
		return
	}
	if p.hasHistogram() {
		p.Panels = append(p.Panels, draftPanel{Type: "histogram", Data: "data", Value: rest[0].Name, Width: 6})
	}
	p.fill()
}

// fill widens the last panel if it is alone in the half of a row.
func (p *draftedPage) fill() {
	n := 0
	for i := len(p.Panels) - 1; i >= 0 && p.Panels[i].Width == 6; i-- {
		n++
	}
	if n%2 == 1 {
		p.Panels[len(p.Panels)-1].Width = 12
	}
}

// rest are the measures that are averaged and have many values.
func (p *draftedPage) rest() []*fact {
	var out []*fact
	for _, f := range p.means {
		if !slices.Contains(p.scores, f) && f != p.stars() && f.distinct > 12 {
			out = append(out, f)
		}
	}
	return out
}

// hasHistogram reports whether the page shows how a measure is distributed.
func (p *draftedPage) hasHistogram() bool {
	rest := p.rest()
	a, _ := p.related(rest)
	return len(rest) > 0 && p.events && a == nil
}

// table adds the rows themselves, the latest or the largest first.
func (p *draftedPage) table() {
	t := draftPanel{Type: dashboard.Table, Data: "data", Width: 12, PageSize: 10}
	t.Title = fmt.Sprintf(p.words.all, p.words.rows)
	if p.events {
		t.Title = fmt.Sprintf(p.words.all, p.within(p.countLabel()))
	}
	text := ""
	if i := slices.IndexFunc(p.facts, func(f fact) bool { return f.use == useText }); i >= 0 && p.events { // what a person wrote
		text = p.facts[i].Name
	}
	for i := range p.facts {
		f := &p.facts[i]
		shown := f.use != useNone && f.use != useLat && f.use != useLon && (f.use != useText || f.Name == text) && f.sql != "" &&
			!slices.Contains(p.scores, f) &&
			(f.use != useMeasure || f.agg != dashboard.Last)
		if shown && !(f.use == useID && f.chars > 20) && len(t.Columns) < 8 {
			t.Columns = append(t.Columns, f.Name)
		}
	}
	if len(t.Columns) < 2 {
		return
	}
	switch f := p.time(); {
	case f != nil && slices.Contains(t.Columns, f.Name):
		t.Sort = "-" + f.Name
	case slices.Contains(t.Columns, p.lead):
		t.Sort = "-" + p.lead
	}
	p.Panels = append(p.Panels, t)
}

// filters adds the time and the categories that a reader would choose.
func (p *draftedPage) filters() {
	if t := p.time(); t != nil && t.distinct > 2 {
		p.Filters = append(p.Filters, draftFilter{Column: t.Name})
	}
	for _, f := range p.groups {
		if len(p.Filters) < 4 && f.chars <= 40 {
			p.Filters = append(p.Filters, draftFilter{Column: f.Name})
		}
	}
}

// wide drafts a page over a table with a column for each period, as budgets are.
func (p *draftedPage) wide(from string) *draftedPage {
	var names, columns, keep []string
	for _, f := range p.months {
		names, columns = append(names, f.Name), append(columns, "CAST(t."+f.sql+" AS DOUBLE)")
	}
	for _, f := range p.groups {
		keep = append(keep, "t."+f.sql+", ")
	}
	for i := range p.facts {
		if f := &p.facts[i]; f.use == useName || f.use == useID {
			p.groups, keep = append(p.groups, f), append(keep, "t."+f.sql+", ")
		}
	}
	period, amount := "period", "amount"
	set := draftDataset{ID: "data", Columns: map[string]draftMeta{amount: {Agg: string(dashboard.Sum)}}}
	set.SQL = "SELECT " + strings.Join(keep, "") +
		"unnest([" + literals(names) + "]) AS " + period + ", unnest([" + strings.Join(columns, ", ") +
		"]) AS " + amount + " FROM " + from + " AS t"
	set.limit(len(p.raw) * len(names))
	p.Datasets, p.lead, p.leadAgg = []draftDataset{set}, amount, dashboard.Sum
	p.Columns = map[string]draftOrder{period: {Order: names}}
	p.Panels = append(p.Panels, draftPanel{Type: dashboard.KPI, Data: "data", Value: amount, Width: 12})
	over := draftPanel{Type: dashboard.Bar, Data: "data", X: period, Y: amount, Width: 12}
	over.Title = fmt.Sprintf(p.words.overTime, dashboard.Label(amount))
	if i := slices.IndexFunc(p.groups, func(f *fact) bool { return f.distinct >= 2 && f.distinct <= 8 }); i >= 0 {
		over.Series, over.Stack = p.groups[i].Name, "normal"
	}
	p.Panels = append(p.Panels, over)
	p.bars()
	if len(p.groups) > 0 {
		p.Panels = append(p.Panels, draftPanel{
			Type: "pivot", Data: "data", Rows: []string{p.groups[0].Name}, Columns: []string{period}, Values: []string{amount}, Width: 12,
		})
	}
	p.filters()
	p.Filters = append(p.Filters, draftFilter{Column: period})
	return p
}

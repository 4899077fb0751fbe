package tools

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

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
	levels  []*fact // stocks: they add up over everything but time
	means   []*fact
	scores  []*fact // answers on one scale
	months  []*fact
	lead    string // the measure of most panels: its column
	leadAgg dashboard.Agg
	count   string // the column that counts rows
	noun    string
	events  bool // the rows are events, not readings or sums by the other columns
	words   draftWords
	notes   []string
}

// maxSpans is the largest number of rows that a draft shows on a timeline.
const maxSpans = 60

// mostRaw is the limit of rows of a draft without GROUP BY, which fits into every limit of a dataset.
const mostRaw = 50_000

// draftPage drafts a page over all rows of a table, which SQL calls from. It returns nil if the columns allow none.
func draftPage(
	dialect, from, title, noun string, columns []dashboard.Column, rows [][]any, units []warehouse.ColumnUnit,
) *draftedPage {
	p := &draftedPage{facts: factsOf(dialect, columns, rows, units), raw: rows, noun: noun}
	p.refine(title)
	p.words = wordsOf(p.facts, title)
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
	p.sortLevels()
	if len(p.months) > 0 {
		return p.wide(from)
	}
	if len(p.times)+len(p.groups)+len(p.sums)+len(p.levels)+len(p.means) == 0 {
		return nil
	}
	p.long(from)
	return p
}

// refine decides on numbers by the name of the table: the candidate of "candidates" is an id, and "loans" of "loans" add up. The score of
// "scores" is a measure by its own name.
func (p *draftedPage) refine(title string) {
	for i := range p.facts {
		switch f := &p.facts[i]; {
		case f.use != useMeasure || f.share:
		case f.whole && f.unnamed && strings.EqualFold(f.Name+"s", p.noun), f.whole && f.numbersRows():
			f.use, f.agg = useID, ""
		case f.agg == dashboard.Avg && slices.ContainsFunc(strings.Fields(title), func(w string) bool { return strings.EqualFold(w, f.Name) }):
			f.agg, f.unnamed = dashboard.Sum, false
		}
	}
	p.matchTargets()
}

// matchTargets makes a target and the measure that it is for aggregate alike, since they are compared. The name of the measure decides, or
// else that of the target. The measure of a target is the one whose values follow it most closely.
func (p *draftedPage) matchTargets() {
	for i := range p.facts {
		target := &p.facts[i]
		if target.use != useMeasure || !namesTarget.MatchString(target.Name) {
			continue
		}
		var of *fact
		best := 0.5
		for j := range p.facts {
			f := &p.facts[j]
			if f.use != useMeasure || f.share || namesTarget.MatchString(f.Name) {
				continue
			}
			if r := p.correlation(target, f); r > best {
				best, of = r, f
			}
		}
		switch {
		case of == nil:
		case of.unnamed:
			of.agg, of.unnamed = target.agg, target.unnamed
		default:
			target.agg, target.unnamed = of.agg, false
		}
	}
}

func (p *draftedPage) addMeasure(f *fact) {
	switch f.agg {
	case dashboard.Sum:
		p.sums = append(p.sums, f)
	case dashboard.Avg:
		p.means = append(p.means, f)
	default:
		p.levels = append(p.levels, f)
	}
}

// sortLevels adds the measures that are levels according to their values: numbers of people that hardly change from one time to the next.
// The levels of a table without times are of one time, so they become sums. If the rows are events, levels are left out.
func (p *draftedPage) sortLevels() {
	p.sums = slices.DeleteFunc(p.sums, func(f *fact) bool {
		level := !p.events && namesPeople.MatchString(f.Name) && p.isSmooth(f)
		if level {
			f.agg = dashboard.Last
			p.levels = append(p.levels, f)
		}
		return level
	})
	for _, f := range p.levels {
		switch {
		case len(p.times) == 0:
			f.agg = dashboard.Sum
			p.sums = append(p.sums, f)
		case p.events:
			f.use = useNone
			p.notes = append(p.notes, fmt.Sprintf(`"%s" is a level and was left out: "agg": "last" adds up those of the latest time.`,
				clip(f.Name, 60)))
		}
	}
	if len(p.times) == 0 || p.events {
		p.levels = nil
	}
}

// isSmooth reports whether a measure mostly changes by less than a sixth from one time to the next, in each group.
func (p *draftedPage) isSmooth(f *fact) bool {
	t := p.time()
	if t == nil {
		return false
	}
	type reading struct {
		at    time.Time
		value float64
	}
	at, of := p.index(t), p.index(f)
	series := map[string][]reading{}
	for _, row := range p.raw {
		when, ok := key(row[at]).(time.Time)
		v, isNumber := cube.Float(row[of])
		if !ok || !isNumber {
			continue
		}
		var group []any
		for _, g := range p.groups[:min(len(p.groups), 4)] {
			group = append(group, key(row[p.index(g)]))
		}
		name := fmt.Sprint(group...)
		series[name] = append(series[name], reading{when, v})
	}
	steps, small := 0, 0
	for _, s := range series {
		slices.SortFunc(s, func(a, b reading) int { return a.at.Compare(b.at) })
		for i, r := range s[1:] {
			steps++
			if math.Abs(r.value-s[i].value) < math.Max(math.Abs(r.value), math.Abs(s[i].value))/6 {
				small++
			}
		}
	}
	return steps > 3 && small*10 > steps*8
}

// rank orders the columns: first those that a page is most likely about.
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
	for _, list := range [][]*fact{p.sums, p.levels} {
		slices.SortStableFunc(list, func(a, b *fact) int { return cmp.Compare(money(a), money(b)) })
	}
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
	for _, most := range []float64{5, 7, 10} { // perhaps nobody gave the best answer
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

// time returns the column of times of the page, or nil.
func (p *draftedPage) time() *fact {
	if len(p.times) == 0 {
		return nil
	}
	return p.times[0]
}

// dropTwins leaves out a category that is equivalent to another one, such as the number of an account beside its name.
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

// areEvents reports whether the rows are events: each has an id or a text, or times and categories repeat.
func (p *draftedPage) areEvents() bool {
	if slices.ContainsFunc(p.facts, func(f fact) bool { return f.use == useID || f.use == useText || f.use == useName }) {
		return true
	}
	if t := p.time(); t != nil && len(p.groups) > 0 && t.distinct > 100 && !p.isRegular(t) {
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

// isRegular reports whether most of the intervals between times of a column are equal, as with readings, but not with events.
func (p *draftedPage) isRegular(t *fact) bool {
	i := p.index(t)
	var times []time.Time
	for _, row := range p.raw {
		if at, ok := key(row[i]).(time.Time); ok {
			times = append(times, at)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	times = slices.CompactFunc(times, time.Time.Equal)
	steps, most := map[time.Duration]int{}, 0
	for i := range max(len(times)-1, 0) {
		d := times[i+1].Sub(times[i])
		steps[d]++
		most = max(most, steps[d])
	}
	return most*2 > len(times)
}

// long drafts a page over a table with a row for each observation.
func (p *draftedPage) long(from string) {
	p.chooseLead()
	set := draftDataset{ID: "data", Columns: map[string]draftMeta{}}
	var items []string
	for i := range p.facts {
		f := &p.facts[i]
		if f.use == useNone || f.sql == "" || slices.Contains(p.scores, f) {
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
			if f.agg == dashboard.Last && len(p.times) > 1 {
				meta.Along = p.time().Name
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
	p.spans()
	if !p.hasSpans() {
		p.overTime()
	}
	p.flows()
	p.bars()
	p.shapes()
	p.table()
	p.even()
	p.filters()
}

// limit sets a limit above the number of rows of the table.
func (set *draftDataset) limit(rows int) {
	if rows > dashboard.DefaultRows*8/10 {
		set.Limit = min(dashboard.MaxRows, (rows*2/10_000+1)*10_000)
	}
}

// chooseLead chooses the measure that most panels show: money, or the number of rows if rows are events, or another sum.
func (p *draftedPage) chooseLead() {
	counts := p.events || len(p.scores) > 0 || len(p.sums)+len(p.levels)+len(p.means) == 0
	if counts {
		p.count = countColumn(p.countLabel(), p.facts)
	}
	switch {
	case len(p.levels) > 0 && !counts:
		p.lead, p.leadAgg = p.levels[0].Name, dashboard.Last
	case len(p.sums) > 0 && (namesMoney.MatchString(p.sums[0].Name) || !counts):
		p.lead, p.leadAgg = p.sums[0].Name, dashboard.Sum
	case counts:
		p.lead, p.leadAgg = p.count, dashboard.Sum
	default:
		p.lead, p.leadAgg = p.means[0].Name, dashboard.Avg
	}
}

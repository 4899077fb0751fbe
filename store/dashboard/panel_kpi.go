package dashboard

import (
	"fmt"
	"slices"
	"strings"

	"service/store/dashboard/cube"
)

// KPI is the type of panel that shows one number.
const KPI = "kpi"

var kpiPanel = panelType{
	name: KPI,
	also: []string{"number", "metric", "stat", "bignumber", "scorecard", "card", "value"},
	doc:  "one number, date or text, or one for each value of a dimension",
	required: []panelKey{keyValue.as("measure, or a date column (its latest date is shown without sort), " +
		"or a dimension (its first value by sort is shown)")},
	optional: []panelKey{
		keyData, keyFacet.as("dimension; each of its values gets a number, and the numbers are side by side"),
		keyFacetColumns, keyCompare, keyTarget, keySparkline,
		keyGrain, keyPartial, keyThresholds,
		keySort.as(`of a text or date: "-sales" shows the one with the largest sales; with facet: the measure of value, or facet`),
		keyPaint.as("colour of the sparkline and of the bar of target"),
	},
	hints: map[string]string{
		"x": "sparkline is the date of a small line", "y": "value is the measure",
		"label":  `title is the heading; the measure has its own "label" under "columns" of the dataset`,
		"series": aNumberOfEach, "groupby": aNumberOfEach, "group": aNumberOfEach, "by": aNumberOfEach, "breakdown": aNumberOfEach,
		"facet_scale": "numbers have no axes; leave it out",
		"reference":   "target is a goal, and compare has another number beside it",
		"max":         "target is a goal; leave the end of an axis out", "min": "a number has no axis; leave it out",
		"tooltip": "a number has no marks; leave it out, and describe it in description", "labels": "a number has no marks; leave it out",
		"events": "a number has no axis; leave it out", "highlight": "thresholds gives it a tone",
		"limit": "a number is of all rows; leave it out",
		"scale": "a number has no axis; leave it out",
	},
	width: 3,
	verify: func(o *object, p *Panel) {
		if p.Facet != "" && !o.has("width") {
			p.Width = 12
		}
	},
	check: checkKPI,
	title: func(p *Panel, label labeler) string { return label.by(label.of(p.Value), p.Facet) },
}

// aNumberOfEach is the remedy for a dimension of a single number.
const aNumberOfEach = `facet has a number for each value of a dimension`

var (
	keyCompare = panelKey{
		name: "compare", kind: kind{schema: aName.schema, words: fmt.Sprintf("name, or list of at most %d names", maxCompared)},
		doc: "previous_period or previous_year (of the period of a date filter, or else of the last complete period of grain), a measure, " +
			"or a list of these",
		read:  readCompare,
		brief: "kpi: previous_period, previous_year, measures. Others: earlier period.",
	}
	keyTarget = panelKey{
		name: "target", kind: kind{schema: aNumber.schema, words: "number, name, or list of names"},
		doc: "goal, a number other than 0, or a measure; an upper limit if good is down", read: readTarget,
		brief: "Number or measure.",
	}
	keySparkline = nameKey("sparkline", "date dimension of a small line", func(p *Panel) *string { return &p.Sparkline }).briefly("kpi: date.")
)

// The comparisons with earlier periods.
const (
	PreviousPeriod = "previous_period"
	PreviousYear   = "previous_year"
)

// otherPeriods are other names of earlier periods.
var otherPeriods = map[string]string{
	"yoy": PreviousYear, "yearoveryear": PreviousYear, "lastyear": PreviousYear, "prioryear": PreviousYear, "year": PreviousYear,
	"sameperiodlastyear": PreviousYear, "ly": PreviousYear, "py": PreviousYear, "1y": PreviousYear, "yearago": PreviousYear,
	"mom": PreviousPeriod, "wow": PreviousPeriod, "qoq": PreviousPeriod, "dod": PreviousPeriod, "pop": PreviousPeriod,
	"lastmonth": PreviousPeriod, "lastweek": PreviousPeriod, "lastperiod": PreviousPeriod, "priorperiod": PreviousPeriod,
	"previousmonth": PreviousPeriod, "previousweek": PreviousPeriod, "previousquarter": PreviousPeriod, "previousday": PreviousPeriod,
	"lastquarter": PreviousPeriod, "yesterday": PreviousPeriod, "previous": PreviousPeriod, "period": PreviousPeriod, "prior": PreviousPeriod,
	"monthovermonth": PreviousPeriod, "weekoverweek": PreviousPeriod, "last": PreviousPeriod,
}

// earlierPeriod describes the comparison of a chart along times.
const earlierPeriod = "previous_year, or previous_period of a date filter, whose values are drawn in gray"

// maxCompared is how many comparisons fit into a kpi.
const maxCompared = 3

// readCompare reads one comparison, or a list of them.
func readCompare(o *object, p *Panel, _ *panelType) {
	p.Compare = o.different("compare", maxCompared, true, "name a comparison")
}

// readTarget reads a number or the name of a measure; for bars and lines, also a list of names.
func readTarget(o *object, p *Panel, t *panelType) {
	if t.name == Bar || t.name == Line || t.name == Area {
		readTargets(o, p)
		return
	}
	if t.name == Combo {
		if kindOf(o.values["target"]) == "a number" {
			p.Target, _ = o.number("target")
		}
		return
	}
	if kindOf(o.values["target"]) != "a number" {
		p.TargetBy = o.name("target")
		return
	}
	if v, ok := o.number("target"); ok {
		if p.Target = v; v == 0 {
			o.problems.addf(o.at("target"), `must not be 0, of which there is no share; for a tone write `+
				`"thresholds": [{"if": "<=", "value": 0, "tone": "good"}]`)
		}
	}
}

func checkKPI(c *panelCheck) {
	p := c.panel
	if col := find(c.set.columns, p.Facet); col != nil && isTime(col.Type) {
		c.problems.addf(c.at("facet"), `%s is of type %s, and a number for each time is a line or bars with "x": "%s"; `+
			`sparkline draws them small below one number`, quote(p.Facet), col.Type, p.Facet)
	}
	col := find(c.set.columns, p.Value)
	if col != nil && isDimension(*col) && !isTime(col.Type) {
		switch {
		case p.Sort != "" || c.ordered(col) || c.isText(col) && c.ofOneThing():
			c.ofText(col)
			return
		case c.isText(col):
			c.noFirst(col)
			return
		}
	}
	if col != nil && isTime(col.Type) {
		c.ofDate(col)
		return
	}
	c.sortOfTiles()
	c.shows(c.at("value"), p.Value)
	for i, by := range p.Compare {
		c.compare(pathOf(c.at("compare"), p.Compare, i), by)
	}
	c.target()
	c.thresholds([]string{p.Value})
	switch {
	case p.Periodic():
		c.ownPeriod()
	case p.Sparkline == "" && p.Partial != "" && p.Grain == "" && !slices.ContainsFunc(p.Compare, Previous):
		c.partialOfAll()
	case p.Sparkline != "" || !slices.ContainsFunc(p.Compare, Previous) || !c.set.isLevel(p.Value) && c.filtersDates():
		c.times(p.Sparkline)
	}
	if col := c.column(c.at("sparkline"), c.set, p.Sparkline); col != nil && !isDate(*col) {
		c.problems.add(Problem{
			Path: c.at("sparkline"), Message: quote(p.Sparkline) + " is not a date", Noun: "dates", Allowed: c.set.names(isDate),
		})
	}
}

// Periodic reports whether a kpi that is not compared with an earlier period has partial beside its grain, and no sparkline that these
// could be about: its number is then that of one period.
func (p *Panel) Periodic() bool {
	return p.Type == KPI && p.Sparkline == "" && p.Grain != "" && p.Partial != "" && !slices.ContainsFunc(p.Compare, Previous)
}

// ownPeriod checks that the rows have times of which the period of the number can be, and that no filter selects it.
func (c *panelCheck) ownPeriod() {
	p := c.panel
	if g := p.Grain; g != "auto" && !slices.Contains(filterGrains, g) {
		c.problems.add(Problem{
			Path: c.at("grain"), Message: "is the period of the number, which is a day or longer",
			Allowed: append([]string{"auto"}, filterGrains...),
		})
	}
	dates := c.set.names(isDate)
	switch {
	case len(dates) == 0:
		c.problems.addf(c.at("grain"), "needs a date, and dataset %s returns none; group its SQL by a date too, or leave grain and partial out",
			quote(c.set.ID))
	case c.set.isLevel(p.Value): // it has a time of its own
	case c.filtersDates():
		c.partialOfAll()
	case len(dates) > 1:
		c.problems.add(Problem{
			Path: c.at("grain"), Noun: "dates", Allowed: dates,
			Message: "needs the date whose period counts; the dataset has several: leave the others out of its SQL, or add a filter on the date " +
				"and leave grain and partial out",
		})
	}
}

// partialOfAll refuses partial beside a number that is not of a period of its own. "show" is what such a number does: it counts all rows.
func (c *panelCheck) partialOfAll() {
	if c.panel.Partial == "show" {
		c.warnf(WarnKeyIgnored, c.at("partial"), "the number is of all rows, also of those of a period that is not over, so partial changes "+
			`nothing; "grain": "month" beside it makes it the number of the running month.`)
		return
	}
	switch dates := c.set.names(isDate); {
	case c.filtersDates():
		c.problems.addf(c.at("partial"), "is for a period, and a filter on a date selects that of the number, whose rows are all shown; "+
			"leave it out")
	case len(dates) == 0:
		c.problems.addf(c.at("partial"), "is for a period, and dataset %s returns no date; leave it out", quote(c.set.ID))
	default:
		c.problems.addf(c.at("partial"), "is for a period, and the number is of all rows, also of those of a period that is not over; "+
			`leave it out, or write "grain": "month" beside it for the number of the last complete month`)
	}
}

// ofDate checks a kpi of a date: it has no keys for numbers.
func (c *panelCheck) ofDate(col *Column) {
	p := c.panel
	if p.SortsDates() {
		c.firstBy()
	}
	c.ofNumbers(col)
	if len(p.Thresholds) > 0 {
		c.problems.addf(c.at("thresholds"), "is for numbers, and %s is of type %s; leave it out", quote(col.Name), col.Type)
	}
}

// SortsDates reports whether the sort of a kpi of a date determines which date it shows, and not the order of the tiles of its facet.
func (p *Panel) SortsDates() bool {
	return p.Sort != "" && (p.Facet == "" || p.Sort != p.Facet && strings.TrimPrefix(p.Sort, "-") != p.Facet)
}

// firstBy checks the column that determines which value of a dimension is shown.
func (c *panelCheck) firstBy() {
	c.sort()
	if by := find(c.set.columns, strings.TrimPrefix(c.panel.Sort, "-")); by != nil && isNumber(*by) {
		c.shows(c.at("sort"), by.Name)
	}
}

// ofNumbers refuses the keys that are for numbers alone.
func (c *panelCheck) ofNumbers(col *Column) {
	p := c.panel
	for _, k := range [...]struct {
		key   string
		given bool
	}{
		{"compare", len(p.Compare) > 0},
		{"target", p.Target != 0 || p.TargetBy != ""},
		{"sparkline", p.Sparkline != ""},
		{"grain", p.Grain != ""},
		{"partial", p.Partial != ""},
	} {
		if k.given {
			c.problems.addf(c.at(k.key), "is for numbers, and %s is of type %s; leave it out", quote(col.Name), col.Type)
		}
	}
}

// sortOfTiles checks the order of the numbers of facet.
func (c *panelCheck) sortOfTiles() {
	p := c.panel
	switch by := strings.TrimPrefix(p.Sort, "-"); {
	case p.Sort == "":
	case p.Facet == "":
		c.problems.addf(c.at("sort"), "is the order of the numbers of facet, and there is one number; "+
			"name a dimension in facet, or leave it out")
	case by != p.Value && by != p.Facet && p.Sort != p.Value && p.Sort != p.Facet:
		c.problems.addf(c.at("sort"), `must be %s or %s, with "-" before it for descending order`, quote(p.Value), quote(p.Facet))
	}
}

// isText reports whether a column has texts that are not amounts of money or lengths of time, as far as known.
func (c *panelCheck) isText(col *Column) bool {
	return col.Type == cube.Text && !c.set.textSum(col.Name) && (c.set.rows == nil || !c.set.textAmount(col.Name))
}

// ordered reports whether the rows of a kpi of a text have an intended order, or are one row.
func (c *panelCheck) ordered(col *Column) bool {
	list := c.set.selectList()
	if list == nil {
		return c.isText(col) && c.set.InOrder()
	}
	return c.isText(col) && (list.ordered || list.grouped && !list.groups)
}

// ofOneThing reports whether the rows behind each text of a kpi are those of one value of another dimension: of the facet, or of a filter
// of which exactly one value is chosen, as on a page about one customer.
func (c *panelCheck) ofOneThing() bool { return c.panel.Facet != "" || len(c.chosen(c.set)) > 0 }

// noFirst reports that nothing determines which of the texts of a dimension a kpi shows.
func (c *panelCheck) noFirst(col *Column) {
	measures, dates := c.set.names(isNumber), c.set.names(isDate)
	sort, first := quote(col.Name), "the first in alphabetical order"
	switch {
	case len(measures) > 0:
		sort, first = quote("-"+measures[0]), "the one with the largest "+quote(measures[0])
	case len(dates) > 0:
		sort, first = quote("-"+dates[0]), "the one with the latest "+quote(dates[0])
	}
	text := fmt.Sprintf(`%s is a dimension (%s) of several values: write "sort": %s beside it to show %s, or name a measure`,
		quote(col.Name), col.Type, sort, first)
	if c.set.textAmount(col.Name) {
		text += "; " + castHint
	}
	c.problems.add(Problem{Path: c.at("value"), Message: text, Noun: "measures", Allowed: measures})
}

// ofText checks a kpi of a dimension.
func (c *panelCheck) ofText(col *Column) {
	p := c.panel
	c.groups(c.at("value"), p.Value)
	if p.Sort != "" {
		c.firstBy()
	}
	c.ofNumbers(col)
	if p.Paint != "" {
		c.problems.addf(c.at("color"), "is for numbers, and %s is of type %s; thresholds give a text a tone", quote(col.Name), col.Type)
	}
	for i := range p.Thresholds {
		at, t := index(c.at("thresholds"), i), &p.Thresholds[i]
		if of := find(c.set.columns, t.Column); of == nil || !isNumber(*of) {
			c.toneOfText(at, t, col)
			continue
		}
		c.shows(at+".column", t.Column)
		c.limitBy(at, t, t.Column)
	}
}

// target checks that the target of a KPI, if it is a measure, is another measure with the same unit.
func (c *panelCheck) target() {
	p := c.panel
	if p.TargetBy == "" {
		return
	}
	if p.TargetBy == p.Value {
		c.problems.addf(c.at("target"), "is %s itself; name another measure, or a number", quote(p.Value))
		return
	}
	c.shows(c.at("target"), p.TargetBy)
	c.shareOf(c.at("target"), p.TargetBy, p.Value)
}

// shareOf checks that a target and the measure compared with it have the same unit.
func (c *panelCheck) shareOf(path, target, value string) {
	if of, col := c.unlike(target, value); of != nil {
		c.problems.addf(path, "%s, so their ratio is not a share", unlike(of, col))
	}
}

// sameAxis checks that two measures on one axis have one unit.
func (c *panelCheck) sameAxis(path, name, value string) {
	if of, col := c.unlike(name, value); of != nil {
		c.problems.addf(path, "%s, and both are on one axis; name a measure of the same unit", unlike(of, col))
	}
}

// unlike returns the columns of two measures whose formats have different units, and nil otherwise.
func (c *panelCheck) unlike(name, other string) (of, col *Column) {
	of, col = find(c.set.columns, name), find(c.set.columns, other)
	if col != nil && of != nil && isNumber(*of) && col.saysUnit() && of.saysUnit() && col.Unit() != of.Unit() {
		return of, col
	}
	return nil, nil
}

// Previous reports whether a comparison is with an earlier period.
func Previous(compare string) bool { return compare == PreviousPeriod || compare == PreviousYear }

// filtersDates reports whether a filter on a date of the panel's dataset defines the period of a comparison.
func (c *panelCheck) filtersDates() bool { return c.filteredDate() != "" }

// filteredDate returns the column of that filter, or "".
func (c *panelCheck) filteredDate() string {
	i := slices.IndexFunc(c.spec.Filters, func(f Filter) bool {
		col := find(c.set.columns, f.Column)
		return col != nil && isDate(*col) && f.Narrows(c.set.ID)
	})
	if i < 0 {
		return ""
	}
	return c.spec.Filters[i].Column
}

// isLevel reports whether a column is a stock, or a ratio of two.
func (r *resolved) isLevel(name string) bool {
	col := find(r.columns, name)
	if col == nil || !col.IsRatio() {
		return col != nil && col.IsStock()
	}
	a, b := find(r.columns, col.Ratio[0]), find(r.columns, col.Ratio[1])
	return a != nil && b != nil && a.IsStock() && b.IsStock()
}

// comparesLast reports whether panels of a type compare the last complete period if no filter on a date selects one.
func comparesLast(kind string) bool { return kind == KPI || kind == Table || kind == Funnel }

// compare checks one comparison of a panel.
func (c *panelCheck) compare(path, by string) {
	p, set := c.panel, c.set
	if !Previous(by) {
		if find(set.columns, by) == nil {
			all := append([]string{"previous_period", "previous_year"}, set.names(isNumber)...)
			c.problems.add(Problem{
				Path: path, Message: fmt.Sprintf("%s is neither an earlier period nor a measure of dataset %s", quote(by), quote(set.ID)),
				Allowed: all, Nearest: known(by, otherPeriods, all),
			})
			return
		}
		if by == p.Value {
			c.problems.addf(path, "compares %s with itself", quote(p.Value))
			return
		}
		c.shows(path, by)
		return
	}
	if p.Type == KPI && set.isLevel(p.Value) { // it is compared with an earlier time of its own
		return
	}
	if c.filtersDates() {
		return
	}
	dates := set.names(isDate)
	if len(dates) == 0 {
		instead := "compare with another measure"
		if p.Type != KPI {
			instead = "return the values of the other period as a column"
		}
		c.problems.addf(path, `"%s" needs a date, and dataset %s returns none; group its SQL by a date too, or %s`, by, quote(set.ID), instead)
		return
	}
	if comparesLast(p.Type) {
		if p.PeriodDate() == "" && len(dates) > 1 {
			where := map[string]string{KPI: "name it in sparkline, or ", Table: "name it in sparkline of a column, or "}[p.Type]
			c.problems.add(Problem{
				Path: path, Noun: "dates", Allowed: dates,
				Message: fmt.Sprintf(`"%s" needs the date whose last complete period counts; %sadd a filter on it`, by, where),
			})
		}
		return
	}
	if len(c.spec.Filters) > 0 { // otherwise Parse has reported it
		c.problems.add(Problem{
			Path:    path,
			Message: fmt.Sprintf(`"%s" needs a filter on a date of dataset %s, which defines the period`, by, quote(set.ID)),
			Noun:    "dates", Allowed: dates,
		})
	}
}

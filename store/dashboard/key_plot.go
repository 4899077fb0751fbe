package dashboard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"service/store/dashboard/cube"
	"service/store/suggest"
)

// Keys of panels that draw marks along axes.
var (
	keyLabels = panelKey{
		name: "labels", kind: aFlag, doc: "values written at the marks", note: "Default: labels are written if all of them fit.", terse: true,
		read: func(o *object, p *Panel, t *panelType) {
			if o.has("labels") {
				of := trimmed(o.values["labels"])
				if t.name == Combo && (of == `"bars"` || of == `"lines"`) {
					p.Labels, p.LabelsOf = new(true), strings.Trim(of, `"`)
					return
				}
				written := o.boolean("labels")
				p.Labels = &written
			}
		},
	}
	keyStack = panelKey{
		name: "stack", kind: oneOf(stacks), note: "true is normal.",
		doc:   "series on top of each other, percent as shares of each stack, diverging as shares around the middle series",
		terse: true,
		read: func(o *object, p *Panel, t *panelType) {
			kind := readStack(o)
			if kind == "diverging" && t.name != Bar && t.name != "" {
				o.problems.addf(o.at("stack"), `"diverging" is for bars; write "percent" or "normal"`)
				return
			}
			p.Stack = kind != "none"
			p.Diverging = kind == "diverging"
			p.Percent = kind == "percent" || p.Diverging
		},
	}
	keyScale = panelKey{
		name: "scale", kind: oneOf(scales), doc: "log of values above zero", note: "Default linear.", terse: true,
		read: func(o *object, p *Panel, _ *panelType) {
			if p.Scale = o.enum("scale", scales, otherScales); p.Scale == "linear" {
				p.Scale = ""
			}
		},
	}
	keyYReverse = panelKey{
		name: "y_reverse", kind: aFlag, doc: "low values at the top, as for ranks", terse: true,
		read: func(o *object, p *Panel, _ *panelType) { p.Reverse = o.boolean("y_reverse") },
	}
	keyLegend = panelKey{
		name: "legend", kind: oneOf(legends), doc: "names of the lines: in a legend, or at their right ends if there is room",
		note: "Default above.", terse: true,
		read: func(o *object, p *Panel, _ *panelType) {
			if p.Legend = o.enum("legend", legends, otherLegends); p.Legend == legends[0] {
				p.Legend = ""
			}
		},
	}
	keyGaps = panelKey{
		name: "gaps", kind: oneOf(gapsModes), doc: "periods without rows", note: "Default auto.", terse: true,
		read: func(o *object, p *Panel, _ *panelType) { p.Gaps = readGaps(o) },
	}
	keyTrend = panelKey{
		name: "trend", kind: oneOf(trends), doc: "straight line by least squares", terse: true,
		read: func(o *object, p *Panel, _ *panelType) { p.Trend = readTrend(o) },
	}
	keyAverage = panelKey{
		name: "average", kind: kind{
			schema: `"type": "object", "additionalProperties": false, "required": ["of"]`,
			tail:   `"properties": {` + property("of", kind{schema: `"type": "integer"`}, "Points.") + `}`,
			words:  fmt.Sprintf(`{"of": number of points, %d to %d}`, minAverage, maxAverage),
		},
		doc: "moving average over this number of points", note: "The number alone is also accepted.", terse: true,
		read: func(o *object, p *Panel, _ *panelType) { p.Average = readAverage(o) },
	}
	keyBand = panelKey{
		name: "band", kind: kind{
			schema: `"type": "object", "additionalProperties": false, "required": ["low", "high"]`,
			tail:   `"properties": {` + properties(bandMembers) + `}`,
			words:  `{"low": name, "high": name, "label": text}`,
		},
		doc: "range between two measures, behind the line", terse: true, read: readBand,
	}
	keyYMin  = boundKey("y_min", "start of the axis of the measures", func(p *Panel) **float64 { return &p.Range[AxisY].Min })
	keyYMax  = boundKey("y_max", "end of the axis of the measures", func(p *Panel) **float64 { return &p.Range[AxisY].Max })
	keyY2Min = boundKey("y2_min", "start of the axis on the right", func(p *Panel) **float64 { return &p.RangeY2.Min })
	keyY2Max = boundKey("y2_max", "end of the axis on the right", func(p *Panel) **float64 { return &p.RangeY2.Max })
	keyXMin  = boundKey("x_min", "start of the axis of x", func(p *Panel) **float64 { return &p.Range[AxisX].Min }).orTime(0)
	keyXMax  = boundKey("x_max", "end of the axis of x", func(p *Panel) **float64 { return &p.Range[AxisX].Max }).orTime(1)
)

// The values of gaps: how a line is drawn at a period of its axis without a row.
const (
	GapsAuto  = "auto"  // broken where gaps are rare
	GapsBreak = "break" // always broken
	GapsJoin  = "join"  // broken only at a row without a value
	GapsZero  = "zero"  // such periods have the value 0
)

// LegendEnds is the legend of lines that have their names at their right ends.
const LegendEnds = "ends"

var (
	legends      = []string{"above", LegendEnds}
	otherLegends = map[string]string{
		"end": LegendEnds, "right": LegendEnds, "direct": LegendEnds, "inline": LegendEnds, "lines": LegendEnds, "labels": LegendEnds,
		"top": "above", "default": "above", "auto": "above", "bottom": "above", "left": "above",
	}
	gapsModes = []string{GapsAuto, GapsBreak, GapsJoin, GapsZero}
	otherGaps = map[string]string{
		"connect": GapsJoin, "connected": GapsJoin, "span": GapsJoin, "bridge": GapsJoin, "interpolate": GapsJoin, "linear": GapsJoin,
		"line": GapsJoin, "always": GapsJoin, "broken": GapsBreak, "gap": GapsBreak, "null": GapsBreak, "none": GapsBreak, "never": GapsBreak,
		"zeros": GapsZero, "0": GapsZero, "fill": GapsZero, "default": GapsAuto,
	}
	stacks      = []string{"none", "normal", "percent", "diverging"}
	otherStacks = map[string]string{
		"stacked": "normal", "zero": "normal", "sum": "normal", "values": "normal", "true": "normal", "normalize": "percent",
		"normalized": "percent", "share": "percent", "shares": "percent", "100": "percent", "100%": "percent", "%": "percent", "false": "none",
		"group": "none", "grouped": "none", "clustered": "none", "dodge": "none", "beside": "none", "overlay": "none", "stack": "normal",
		"fill": "percent", "expand": "percent", "relative": "normal",
		"center": "diverging", "centered": "diverging", "divergent": "diverging", "likert": "diverging", "middle": "diverging",
	}
	trends      = []string{"linear"}
	otherTrends = map[string]string{
		"line": "linear", "ols": "linear", "regression": "linear", "leastsquares": "linear", "true": "linear", "straight": "linear",
	}
	scales      = []string{"linear", "log", "log_x", "log_y"}
	otherScales = map[string]string{"logarithmic": "log", "log10": "log", "symlog": "log", "lin": "linear"}
)

// The number of points of a moving average.
const (
	minAverage = 2
	maxAverage = 400
)

// noLog is the reason why marks whose length is their value have no logarithmic axis.
const noLog = "what is as long as its value begins at zero, which a logarithmic axis does not have; draw a line or a scatter"

// noReverse is the reason why marks whose length is their value have no axis upside down.
const noReverse = "what is as long as its value grows up from zero, and would hang from the top as if it were below zero; " +
	"draw a line or a scatter, which have it"

func boundKey(name, doc string, field func(*Panel) **float64) panelKey {
	return panelKey{name: name, kind: aNumber, doc: doc, terse: true, read: func(o *object, p *Panel, _ *panelType) {
		if v, ok := o.number(name); ok {
			*field(p) = &v
		}
	}}
}

// orTime returns the key of an end of an axis, 0 or 1, which is a time if the axis has times.
func (k panelKey) orTime(end int) panelKey {
	number := k.read
	k.kind = kind{schema: aNumber.schema, words: "number, date, or name of a date range"}
	k.read = func(o *object, p *Panel, t *panelType) {
		switch {
		case t.name == Timeline:
			p.Window[end] = readAxisTime(o, k.name, end == 1)
		case t.name != "" || kindOf(o.values[k.name]) != "a string": // the type is not known, and may have times
			number(o, p, t)
		}
	}
	return k
}

// readStack reads a kind of stack, or true or false. A missing key is "none".
func readStack(o *object) string {
	if o.has("stack") && kindOf(o.values["stack"]) == "a boolean" {
		if o.boolean("stack") {
			return "normal"
		}
		return "none"
	}
	return cmp.Or(o.enum("stack", stacks, otherStacks), "none")
}

// readGaps reads how lines are drawn over periods without rows. A boolean, which other tools accept, does not determine which of the four
// ways is meant.
func readGaps(o *object) string {
	if o.has("gaps") && kindOf(o.values["gaps"]) == "a boolean" {
		o.problems.add(Problem{Path: o.at("gaps"), Message: "must be a word, not a boolean", Allowed: gapsModes})
		return ""
	}
	return o.enum("gaps", gapsModes, otherGaps)
}

// readTrend reads a kind of trend, or true or false.
func readTrend(o *object) string {
	if o.has("trend") && kindOf(o.values["trend"]) == "a boolean" {
		if o.boolean("trend") {
			return "linear"
		}
		return ""
	}
	return o.enum("trend", trends, otherTrends)
}

// readAverage reads the number of points of a moving average: {"of": 7}, or 7.
func readAverage(o *object) int {
	if kindOf(o.values["average"]) == "a number" {
		return o.integer("average", minAverage, maxAverage, 0)
	}
	if !o.has("average") {
		return 0
	}
	of := o.problems.object(o.at("average"), o.values["average"])
	if of == nil {
		return 0
	}
	of.closed("a moving average", []string{"of"}, otherAverageKeys, nil)
	of.require("of")
	return of.integer("of", minAverage, maxAverage, 0)
}

var (
	bandMembers = []member{{"low", aName, "Measure."}, {"high", aName, "Measure."}, {"label", textOf(maxName), "Its name."}}
	bandKeys    = memberNames(bandMembers)

	otherBandKeys = map[string]string{
		"min": "low", "lower": "low", "lo": "low", "from": "low", "y0": "low", "y": "low", "max": "high", "upper": "high", "hi": "high",
		"to": "high", "y1": "high", "y2": "high", "name": "label", "title": "label",
	}
)

// readBand reads a band: {"low": …, "high": …}, two measures. Two numbers are a reference.
func readBand(o *object, p *Panel, _ *panelType) {
	if !o.has("band") {
		return
	}
	of := o.problems.object(o.at("band"), o.values["band"])
	if of == nil {
		return
	}
	of.closed("a band", bandKeys, otherBandKeys, nil)
	of.require("low", "high")
	for _, key := range bandKeys[:2] {
		if kindOf(of.values[key]) == "a number" {
			o.problems.addf(of.at(key), `must be a measure; write two numbers as a reference with "from" and "to"`)
			delete(of.values, key)
		}
	}
	p.Band = &Band{Low: of.name("low"), High: of.name("high"), Label: of.text("label", maxName)}
}

var otherAverageKeys = map[string]string{
	"window": "of", "points": "of", "n": "of", "size": "of", "periods": "of", "days": "of", "over": "of",
}

// maxFacetColumns is the largest number of small plots beside each other.
const maxFacetColumns = 6

// The scales of small plots.
const (
	FacetShared = "shared" // one for all plots
	FacetFree   = "free"   // each plot has its own
)

var (
	facetScales      = []string{FacetShared, FacetFree}
	otherFacetScales = map[string]string{
		"fixed": FacetShared, "same": FacetShared, "common": FacetShared, "true": FacetShared, "independent": FacetFree, "free_y": FacetFree,
		"free_x": FacetFree, "own": FacetFree, "separate": FacetFree, "false": FacetFree,
	}
)

// keysFacet are the keys of types that can have small plots.
var keysFacet = []panelKey{keyFacet, keyFacetColumns, keyFacetScale}

// verifyFacet checks that a panel of small plots has no keys that small plots do not support.
func verifyFacet(o *object, p *Panel) {
	if p.Facet == "" {
		for _, key := range keysFacet[1:] {
			if o.has(key.name) {
				o.problems.addf(o.at(key.name), "is about small plots; name a dimension in facet, or leave it out")
			}
		}
		return
	}
	if p.Type == Box && p.Sort != "" && strings.TrimPrefix(p.Sort, "-") == cmp.Or(p.Value, p.Median) {
		o.problems.addf(o.at("sort"), "does not go with facet: small plots have the same boxes in the same order, and other medians; "+
			"leave it out, or sort by x")
	}
	named := map[string][]string{"x": {p.X}, "series": {p.Series}, "label": append([]string{p.Label}, p.Levels...), "value": {p.Value}}
	if p.Type == Heatmap {
		named["y"] = p.Y
	}
	for key, names := range named {
		if slices.Contains(names, p.Facet) {
			remedy := "name another dimension"
			if key == "series" {
				remedy = "leave series out, or " + remedy
			}
			o.problems.addf(o.at("facet"), "%s is in %s already; %s", quote(p.Facet), key, remedy)
		}
	}
}

// verifyOver refuses a trend and a moving average over horizontal bars, which have no axis of x, and over shares.
func verifyOver(o *object, p *Panel) {
	for key, given := range map[string]bool{"trend": p.Trend != "", "average": p.Average > 0} {
		switch {
		case !given:
		case p.Horizontal:
			o.problems.addf(o.at(key), "does not go with horizontal bars, which are a list without an axis of x; leave horizontal out")
		case p.Percent:
			o.problems.addf(o.at(key), `is of values, and "stack": "percent" draws shares; write "normal", or leave it out`)
		}
	}
}

// Compared returns the measures of a chart that are compared with an earlier period, which must be one: those of the bars of a combo, that
// of the medians of boxes, or that of the closes of candles or of the upper ends of ranges.
func (p *Panel) Compared() []string {
	switch p.Type {
	case Combo:
		return p.Bars
	case Box:
		return []string{cmp.Or(p.Value, p.Median)}
	case Candlestick:
		return []string{cmp.Or(p.Close, p.High)}
	}
	return p.Y
}

// noRoomBefore is the reason why some small plots have no earlier period.
const noRoomBefore = "small plots of this type have no room for an earlier period"

// verifyCompare checks that a chart that compares with an earlier period has one measure, whose marks have room for those of that period.
func verifyCompare(o *object, p *Panel) {
	at := o.at("compare")
	switch {
	case len(p.Compare) != 1:
		verifyOnePeriod(o, p, "a chart", "")
	case p.Series != "":
		o.problems.addf(at, "is of one series, and series has several; leave series out")
	case len(p.Compared()) > 1:
		key := map[bool]string{true: "bars", false: "y"}[p.Type == Combo]
		o.problems.addf(at, "is of one measure, and %s has %d; name one in %s", key, len(p.Compared()), key)
	case p.Facet != "" && (p.Type == Box || p.Type == Candlestick):
		o.problems.addf(at, "does not go with facet: "+noRoomBefore)
	default:
		verifyOnePeriod(o, p, "a chart", "drawn by its name in y")
	}
}

// verifyOnePeriod checks that a panel compares with one earlier period. what is the panel, and measure what another measure in it is.
func verifyOnePeriod(o *object, p *Panel, what, measure string) {
	at := o.at("compare")
	switch {
	case len(p.Compare) > 1:
		o.problems.addf(at, "has %d comparisons, and %s has room for one; name %s or %s",
			len(p.Compare), what, quote(PreviousYear), quote(PreviousPeriod))
	case len(p.Compare) == 1 && !Previous(p.Compare[0]):
		o.problems.add(Problem{
			Path: at, Message: quote(p.Compare[0]) + " is not an earlier period; another measure is " + measure,
			Allowed: []string{PreviousYear, PreviousPeriod}, Nearest: otherPeriods[suggest.Plain(p.Compare[0])],
		})
	}
}

// earlier checks that a chart that compares with an earlier period has an axis of times, or is bars of categories.
func (c *panelCheck) earlier() {
	p := c.panel
	if len(p.Compare) != 1 || !Previous(p.Compare[0]) {
		return
	}
	if x := find(c.set.columns, p.X); x != nil && !isTime(x.Type) {
		c.earlierCategories(x)
		return
	}
	if p.Horizontal && p.Type == Bar {
		c.problems.addf(c.at("compare"), "does not go with horizontal bars of dates, which are a list; leave horizontal out")
		return
	}
	if p.Compare[0] == PreviousPeriod {
		c.compare(c.at("compare"), p.Compare[0])
	}
}

// earlierCategories checks that a chart along a column without times is bars, whose periods a filter on a date defines, and that these have
// no other keys for the colours and the texts that the earlier period needs.
func (c *panelCheck) earlierCategories(x *Column) {
	p := c.panel
	help := ""
	switch {
	case p.Type != Bar:
		help = "a bar compares categories over the period of a filter on a date"
	case !c.filtersDates():
		help = "add a filter on a date, which defines both periods"
	}
	if help != "" {
		c.problems.add(Problem{
			Path: c.at("compare"), Noun: "dates", Allowed: c.set.names(isDate),
			Message: fmt.Sprintf("is about an earlier period, and %s is of type %s; %s", quote(x.Name), x.Type, help),
		})
		return
	}
	if p.Facet != "" {
		c.problems.addf(c.at("compare"), "does not go with facet along categories; leave facet out")
	}
	if p.Share != "" && p.Share != "none" {
		c.problems.addf(c.at("share"), "is of one period, and compare writes the values of two beside the bars; leave share or compare out")
	}
	if p.Lights() {
		c.problems.addf(c.at("highlight"),
			"does not go with compare: the bars of the earlier period are gray already; leave one of them out")
	}
}

// zeroOnAxis is the reason why an axis of bars and areas does not begin above zero.
const zeroOnAxis = "bars and areas are as long as their values, so their axis has zero on it; draw a line to see a part of the values"

// verifyAxes checks that the keys of axes are consistent. The length of filled marks is their value.
func verifyAxes(o *object, p *Panel, filled bool) {
	verifyHighlight(o, p)
	for axis, name := range [...]string{AxisX: "x", AxisY: "y"} {
		r := p.Range[axis]
		if r.Min != nil && r.Max != nil && *r.Min >= *r.Max {
			o.problems.addf(o.at(name+"_max"), "must be above %s_min", name)
		}
		for key, bound := range map[string]*float64{name + "_min": r.Min, name + "_max": r.Max} {
			if bound != nil && p.Log(axis) && *bound <= 0 {
				o.problems.addf(o.at(key), "must be above zero: a logarithmic axis has neither zero nor what is below it")
			}
		}
	}
	if y := p.Range[AxisY]; filled {
		if y.Min != nil && *y.Min > 0 {
			o.problems.addf(o.at("y_min"), "must not be above zero: %s", zeroOnAxis)
		}
		if y.Max != nil && *y.Max < 0 {
			o.problems.addf(o.at("y_max"), "must not be below zero: %s", zeroOnAxis)
		}
	}
	if p.Type != Scatter && p.Type != Histogram && (p.Scale == "log_x" || p.Scale == "log_y") {
		o.problems.addf(o.at("scale"), `"%s" is for a scatter, which has two axes of numbers; write "log"`, p.Scale)
	}
	for i, r := range p.Reference {
		at := index(o.at("reference"), i)
		for key, v := range map[string]*float64{"value": &r.Value, "from": r.From, "to": r.To} {
			if given := key != "value" || r.Kind == "" && !r.Shaded(); given && v != nil && p.Log(r.Axis) && *v <= 0 {
				o.problems.addf(join(at, key), "must be above zero: a logarithmic axis has neither zero nor what is below it")
			}
		}
	}
	if p.Percent && p.Range[AxisY].Fixed() {
		o.problems.addf(o.at("stack"), `"percent" has an axis from 0 to 100 %%; leave y_min and y_max out`)
	}
	if p.Percent && p.Series == "" && len(p.Y) == 1 {
		o.problems.addf(o.at("stack"), `"percent" is about several series: name a series, or several measures in y`)
	}
}

// stacked checks that stacked measures add up.
func (c *panelCheck) stacked() {
	p := c.panel
	if !p.Stack || p.Series == "" && len(p.Y) < 2 {
		return
	}
	var first *Column
	for i, y := range p.Y {
		col := find(c.set.columns, y)
		if col == nil || !isMeasure(*col) {
			continue
		}
		if i == 0 {
			first = col
		}
		path := c.at("y")
		if len(p.Y) > 1 {
			path = index(path, i)
		}
		switch {
		case col.IsRatio(), col.Agg == Avg, col.Agg == Min, col.Agg == Max, col.Agg.IsQuantile():
			how := "a ratio"
			if !col.IsRatio() {
				how = fmt.Sprintf(`of agg "%s"`, col.Agg)
			}
			c.problems.addf(path, `%s is %s, and such do not add up to the height of a stack; leave stack out`, quote(y), how)
		case col.IsStock() && col.Along == p.Series:
			c.problems.addf(path, `%s is of "agg": "%s" along %s, and values of several times do not add up to the height of a stack; `+
				"leave stack out", quote(y), col.Agg, quote(p.Series))
		case first != nil && first.saysUnit() && col.saysUnit() && col.Unit() != first.Unit():
			c.problems.addf(path, "%s, and such do not add up; leave stack out", unlike(col, first))
		case col.Agg == None && p.Percent:
			c.problems.addf(path, `%s may not add up to the whole of which "percent" shows shares; write "agg": "sum" in %s if it does`,
				quote(y), c.set.at(y))
		}
	}
}

// gaps checks that the panel has periods, which gaps needs, and that measures filled with zero are sums: without rows a sum is zero, and an
// average does not exist.
func (c *panelCheck) gaps(measures ...string) {
	p := c.panel
	if x := find(c.set.columns, p.X); p.Gaps != "" && x != nil && !isTime(x.Type) && x.Type != cube.Integer {
		c.warnf(WarnKeyIgnored, c.at("gaps"), "gaps is about times without rows, and %s is of type %s, so it changes nothing.",
			quote(x.Name), x.Type)
		return
	}
	if how := c.notZero(measures...); how != "" {
		c.problems.add(Problem{Path: c.at("gaps"), Message: how, Allowed: gapsModes[:3]})
	}
}

// notZero returns the reason why the first of some measures that is not a sum cannot be filled with zero, if the panel asks for that; ""
// for none.
func (c *panelCheck) notZero(measures ...string) string {
	if c.panel.Gaps != GapsZero {
		return ""
	}
	for _, name := range measures {
		col := find(c.set.columns, name)
		if col == nil || !isMeasure(*col) || col.Agg == Sum && !col.IsRatio() {
			continue
		}
		how := "a ratio"
		if !col.IsRatio() {
			how = fmt.Sprintf(`of agg "%s"`, col.Agg)
		}
		return fmt.Sprintf(`"%s" is for sums, and %s is %s, which is not 0 where there are no rows`, GapsZero, quote(name), how)
	}
	return ""
}

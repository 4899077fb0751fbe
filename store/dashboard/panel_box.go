package dashboard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Box is the type of panel that compares how numbers are distributed.
const Box = "box"

var boxPanel = panelType{
	name: Box,
	also: []string{"boxplot", "boxandwhisker", "boxwhisker", "whisker", "quartiles"},
	doc:  "how numbers are distributed, side by side",
	either: [2][]panelKey{
		{keyValue.as("numeric column with one number per row")},
		fiveKeys,
	},
	optional: slices.Concat([]panelKey{keyData, keyValue.as("column of numbers, with one number in each row")}, fiveKeys, []panelKey{
		keyX, keyCompare.as(earlierMedians), keyGrain, keyPartial, keySeries.as("dimension with boxes beside each other at each x"),
		keyFacet, keyFacetColumns, keyFacetScale,
		keyScale, keyYMin, keyYMax, keyTrend.as("straight line through the medians, by least squares"),
		keyAverage.as("moving average of the medians over this number of boxes"), keyReference,
		keyPaint, keyThresholds.as("tones of the medians; if several conditions hold, the one with the closest number applies"),
		keyHorizontal.as("horizontal boxes, one below another"), keyLabels.as("medians in the boxes; default false"),
		keyHighlight.as("values of series or x that keep their colours, the others gray"),
		keySort, keyLimit, keyTooltip,
	}),
	hints: map[string]string{
		"y":     "value is the column whose numbers are drawn",
		"other": "what limit cuts has no box; the sql can give it one value of x",
		"min":   "it is low", "max": "it is high",
	},
	width:  chartWidth,
	verify: verifyBox,
	check:  checkBox,
	title: func(p *Panel, label labeler) string {
		if p.Value == "" {
			return label.by(label.of(p.Median), p.X, p.Series, p.Facet)
		}
		if of := label.of(p.Value); of != "" {
			return label.by(label.Text("Distribution of %s", InSentence(label.Locale, of)), p.X, p.Series, p.Facet)
		}
		return ""
	},
}

// earlierMedians describes the comparison of boxes along times.
const earlierMedians = "previous_year, or previous_period of a date filter, whose medians are a gray line"

var (
	keyLow    = nameKey("low", "measure of the lowest value", func(p *Panel) *string { return &p.Low }).tersely()
	keyQ1     = nameKey("q1", "measure of the first quartile", func(p *Panel) *string { return &p.Q1 }).tersely()
	keyMedian = nameKey("median", "measure of the median", func(p *Panel) *string { return &p.Median }).tersely()
	keyQ3     = nameKey("q3", "measure of the third quartile", func(p *Panel) *string { return &p.Q3 }).tersely()
	keyHigh   = nameKey("high", "measure of the highest value", func(p *Panel) *string { return &p.High }).tersely()

	fiveKeys = []panelKey{keyLow, keyQ1, keyMedian, keyQ3, keyHigh}
)

// Five returns the measures of a box that the query computes, from the lowest value to the highest.
func (p *Panel) Five() [5]string { return [...]string{p.Low, p.Q1, p.Median, p.Q3, p.High} }

// verifyBox checks that a box is of rows or of five measures.
func verifyBox(o *object, p *Panel) {
	verifyAxes(o, p, false)
	verifyTones(o, p, "boxes")
	verifyCompare(o, p)
	if p.Series != "" {
		for _, key := range []string{"trend", "average"} {
			if o.has(key) {
				o.problems.addf(o.at(key), "is of one box at each place, and series has several; leave one of them out")
			}
		}
	}
	names, keys := p.Five(), keyNames(fiveKeys)
	some := slices.ContainsFunc(keys, o.has)
	switch {
	case some && o.has("value"):
		o.problems.addf(o.at("value"), "a box is of rows, whose numbers value names, or of %s, which the sql has computed; "+
			"leave one of the two out", strings.Join(keys, ", "))
	case some:
		o.require(keys...)
		for i, name := range names {
			if name != "" && slices.Contains(names[:i], name) {
				o.problems.addf(o.at(keys[i]), "%s is there twice; each of the five is another measure", quote(name))
			}
		}
		for i, r := range p.Reference {
			if r.Kind == "average" || r.Kind == "median" {
				o.problems.addf(join(index(o.at("reference"), i), "kind"), "five numbers do not tell the %s of all; return the rows and name "+
					"value, or write the number as value of the line", r.Kind)
			}
		}
	case !o.has("value"):
		o.problems.addf(o.path, "must have value, a column of numbers of which each row has one, or %s, which the sql has computed",
			strings.Join(keys, ", "))
	}
	if !o.has("x") {
		if o.has("tooltip") {
			o.problems.addf(o.at("tooltip"), "is of boxes side by side, and one box has many rows; name the column in x that tells boxes apart")
		}
		for _, key := range []string{"compare", "grain", "partial", "series", "trend", "average", "sort", "limit"} {
			if o.has(key) {
				o.problems.addf(o.at(key), "is about boxes side by side; name the column in x that tells them apart")
			}
		}
	}
}

func checkBox(c *panelCheck) {
	p := c.panel
	if p.X != "" {
		c.groups(c.at("x"), p.X)
		c.times(p.X)
	}
	c.groups(c.at("series"), p.Series)
	if p.Series != "" && (p.Series == p.X || p.Series == p.Value) {
		c.problems.addf(c.at("series"), "is the column of %s already; name another dimension, or leave it out",
			map[bool]string{true: "x", false: "value"}[p.Series == p.X])
	}
	c.earlier()
	c.fixedThresholds(cmp.Or(p.Value, p.Median), "the column of the medians", "a box has many rows, each with its own %s")
	c.sort()
	c.followsTimes("a box")
	if p.Value == "" {
		c.five()
		return
	}
	if c.rowValue(c.at("value"), p.Value, "a box of it", "compute low, q1, median, q3 and high in SQL and name these") &&
		c.set.grouped() && !c.set.single(p.Value) {
		c.problems.addf(c.at("value"), `the query groups its rows, so that each stands for several, and quartiles would be those of groups. `+
			`Return the rows themselves, without GROUP BY; or compute low, q1, median, q3 and high in SQL and name these. `+
			`If each group is a thing of its own, write "agg": "none" in %s`, c.set.at(p.Value))
	}
}

// five checks that the five numbers of a box have one unit and are of one row.
func (c *panelCheck) five() {
	names := c.panel.Five()
	c.oneUnit(c.paths(fiveKeys), names[:], "a box")
	c.oneRow(c.at("low"), "a box")
}

// paths returns the paths of keys of the panel.
func (c *panelCheck) paths(keys []panelKey) []string {
	out := keyNames(keys)
	for i, name := range out {
		out[i] = c.at(name)
	}
	return out
}

// oneUnit checks that the keys at paths name measures of one unit, because they share an axis.
func (c *panelCheck) oneUnit(paths, names []string, what string) {
	var first *Column
	for i, name := range names {
		col := c.measure(paths[i], c.set, name)
		switch {
		case col == nil || !col.saysUnit():
		case first == nil:
			first = col
		case col.Unit() != first.Unit():
			c.problems.addf(paths[i], "%s; %s has one axis", unlike(col, first), what)
		}
	}
}

// oneRow checks that there is one row for each value of x, because the numbers of several rows cannot be combined.
func (c *panelCheck) oneRow(path, what string) {
	var dropped []string
	grain := slices.Concat(c.grain, c.fixed)
	for _, key := range c.set.keys {
		if !slices.Contains(grain, key) {
			dropped = append(dropped, quote(key))
		}
	}
	switch {
	case c.set.rows != nil && !c.set.merges(nil, grain, false), c.set.rows == nil && len(dropped) == 0:
		return
	}
	where := "there are several"
	if x := c.panel.X; x != "" {
		where = fmt.Sprintf("%s has several for a value", quote(x))
	}
	if len(dropped) > 0 {
		where += fmt.Sprintf(", which %s tells apart", strings.Join(dropped, ", "))
	}
	c.problems.addf(path, "%s is of one row, and %s; let the sql return one", what, where)
}

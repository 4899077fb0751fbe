package dashboard

import (
	"fmt"
	"slices"
)

// Combo is the type of panel that draws some measures as bars and others as lines.
const Combo = "combo"

var comboPanel = panelType{
	name:     Combo,
	also:     []string{"combochart", "combined", "mixed", "composed", "dualaxis", "dual", "linebar", "barline", "pareto"},
	doc:      "bars and lines along one dimension",
	required: []panelKey{keyX, keyBars, keyLines},
	optional: []panelKey{
		keyData, keyCompare.as(earlierBars), keyOneAxis, keyGrain, keyPartial, keyGaps, keyFacet, keyFacetColumns, keyFacetScale,
		keyStack.as("bars on top of each other"),
		keyLabels.as(comboLabels), keyYMin.as("start of the axis of the bars"), keyYMax.as("end of the axis of the bars"), keyY2Min, keyY2Max,
		keyTrend, keyAverage, keyReference, keyTarget.as("number: a line across the plot, called target"), keyThresholds, keySort, keyLimit,
		keyOther, keyTooltip,
	},
	hints: map[string]string{
		"scale": noLog, "log": noLog, "y_reverse": noReverse,
		"highlight":  "its marks are measures, not values of a dimension; a bar and a line with series have it",
		"horizontal": "bars and lines share an axis from left to right; a bar has it",
		"share":      "labels writes the values at the bars; a bar with horizontal has shares",
		"y":          "its measures are in bars and in lines",
		"y2":         "lines of another unit than the bars have the axis on the right",
		"series":     "it draws measures, in bars and in lines; a bar and a line have series",
	},
	width:  chartWidth,
	verify: verifyCombo,
	check:  checkCombo,
	title: func(p *Panel, label labeler) string {
		return label.by(label.of(slices.Concat(p.Bars, p.Lines)...), p.X, p.Facet)
	},
}

// comboLabels describes which values of a combo are written.
const comboLabels = `values written at the marks; "bars" and "lines" write those of one kind`

var (
	keyBars  = measuresKey("bars", "measures drawn as bars, all of one unit", func(p *Panel) *[]string { return &p.Bars })
	keyLines = measuresKey("lines", "measures drawn as lines; lines with another unit use an axis on the right",
		func(p *Panel) *[]string { return &p.Lines })
)

var keyOneAxis = panelKey{
	name: "one_axis", kind: aFlag, doc: "lines on the axis of the bars, also those of another unit",
	note: "false gives all lines an axis on the right, also those of the unit of the bars.", brief: "Lines on that of bars.",
	read: func(o *object, p *Panel, _ *panelType) {
		if o.has("one_axis") && kindOf(o.values["one_axis"]) == "a boolean" {
			p.TwoAxes = !o.boolean("one_axis")
		}
		p.OneAxis = o.boolean("one_axis")
	},
}

// measuresKey returns a key for a list of measures.
func measuresKey(name, doc string, field func(*Panel) *[]string) panelKey {
	return panelKey{name: name, kind: namesOf(MaxSeries), doc: doc, terse: true, read: func(o *object, p *Panel, _ *panelType) {
		*field(p) = o.texts(name, MaxSeries, true)
		if o.has(name) && len(*field(p)) == 0 && kindOf(o.values[name]) == "a list" {
			o.problems.addf(o.at(name), "is empty; name at least one measure")
		}
	}}
}

// earlierBars describes the comparison of combos along times.
const earlierBars = "previous_year, or previous_period of a date filter, whose bars are drawn in gray"

// toned returns the measure of a combo that its thresholds are about: the first of its bars, unless they name another.
func (p *Panel) toned() string {
	if len(p.Thresholds) > 0 && p.Thresholds[0].Column != "" {
		return p.Thresholds[0].Column
	}
	if len(p.Bars) == 0 {
		return ""
	}
	return p.Bars[0]
}

// verifyToned checks that the thresholds of a combo are about one measure.
func verifyToned(o *object, p *Panel) {
	for i, t := range p.Thresholds {
		about := t.Column
		if about == "" && len(p.Bars) > 0 {
			about = p.Bars[0]
		}
		if about != p.toned() {
			o.problems.addf(join(index(o.at("thresholds"), i), "column"), "is %s, and others are about %s; name one measure in all of them",
				quote(about), quote(p.toned()))
		}
	}
}

func verifyCombo(o *object, p *Panel) {
	verifyTargetOfCombo(o, p)
	verifyAxes(o, p, true)
	verifyToned(o, p)
	verifyCompare(o, p)
	verifyY2Range(o, p)
	if p.Percent {
		o.problems.addf(o.at("stack"), `"percent" is for bars and areas; write "normal"`)
	}
	all := slices.Concat(p.Bars, p.Lines)
	if len(all) > MaxSeries && len(p.Bars) <= MaxSeries && len(p.Lines) <= MaxSeries {
		o.problems.addf(o.at("lines"), "has %d measures beside %d bars, over the limit of %d together", len(p.Lines), len(p.Bars), MaxSeries)
	}
	for i, name := range all {
		path := pathOf(o.at("bars"), p.Bars, i)
		if i >= len(p.Bars) {
			path = pathOf(o.at("lines"), p.Lines, i-len(p.Bars))
		}
		if slices.Contains(all[:i], name) {
			o.problems.addf(path, "%s is there twice; keep one", quote(name))
		}
	}
}

// pathOf returns the path of a member of a list of names, which a single name may replace.
func pathOf(path string, names []string, i int) string {
	if len(names) == 1 {
		return path
	}
	return index(path, i)
}

// checkCombo checks that each axis has one unit, so there are at most two units, and that only measures that add up are stacked.
func checkCombo(c *panelCheck) {
	p := c.panel
	c.groups(c.at("x"), p.X)
	c.times(p.X)
	c.earlier()
	c.gaps(slices.Concat(p.Bars, p.Lines)...)
	var left, right *Column
	for i, name := range p.Bars {
		path := pathOf(c.at("bars"), p.Bars, i)
		c.shows(path, name)
		col := find(c.set.columns, name)
		switch {
		case col == nil || !isMeasure(*col):
		case left == nil:
			left = col
		case col.Unit() != left.Unit():
			c.problems.addf(path, "%s, and the bars have one axis; draw one as a line, or in another panel", unlike(col, left))
		}
		if col != nil && p.Stack && len(p.Bars) > 1 && isMeasure(*col) && !col.sums() {
			c.problems.addf(c.at("stack"), `%s does not add up with others; leave stack out, or its "agg" is "sum"`, quote(name))
		}
	}
	for i, name := range p.Lines {
		path := pathOf(c.at("lines"), p.Lines, i)
		c.shows(path, name)
		col := find(c.set.columns, name)
		switch {
		case col == nil || !isMeasure(*col) || left == nil || col.Unit() == left.Unit() && !p.TwoAxes || p.OneAxis:
		case right == nil:
			right = col
		case col.Unit() != right.Unit():
			c.problems.addf(path, "%s, and there is one axis beside that of the bars; draw it in another panel", unlike(col, right))
		}
	}
	for key, bound := range map[string]*float64{"y2_min": p.RangeY2.Min, "y2_max": p.RangeY2.Max} {
		if bound != nil && left != nil && right == nil {
			c.problems.addf(c.at(key), "is about the axis on the right, and all lines share the axis of the bars; "+
				`leave it out, or write "one_axis": false`)
		}
	}
	c.sort()
	if len(p.Thresholds) > 0 && !slices.Contains(slices.Concat(p.Bars, p.Lines), p.toned()) {
		c.thresholds(slices.Concat(p.Bars, p.Lines))
	} else {
		c.thresholds([]string{p.toned()})
	}
	c.followsTimes("a line")
}

// followsTimes checks that the marks of a panel along times, which what describes, are in the order of these.
func (c *panelCheck) followsTimes(what string) {
	p := c.panel
	if col := find(c.set.columns, p.X); col != nil && isTime(col.Type) && p.Sort != "" && p.Sort != p.X {
		c.problems.addf(c.at("sort"), "%s along times follows them; leave sort out", what)
	}
}

// unlike returns a text that two columns have different units.
func unlike(a, b *Column) string {
	return fmt.Sprintf("%s is %s and %s is %s", quote(a.Name), a.Unit(), quote(b.Name), b.Unit())
}

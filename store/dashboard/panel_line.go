package dashboard

import "slices"

// Line and Area are the types of panels that draw measures along an axis, as lines or as the areas under them.
const (
	Line = "line"
	Area = "area"
)

// lineLabels describes which values of a line are written.
const lineLabels = "values written at the points; if not all fit, only at the ends, the highest and the lowest"

// anArea is the remedy for lines that are to be filled.
const anArea = `write "type": "area"`

// lineTarget describes the target of a line or an area.
const lineTarget = "number, or measure to be reached by the one line"

// onLines is the remedy for a key that an area does not have.
const onLines = "draw a line, which has it"

var linePanel = panelType{
	name:     Line,
	also:     []string{"linechart", "timeseries", "trend"},
	doc:      "measures along a dimension, most often a date",
	required: []panelKey{keyX, keyY},
	optional: []panelKey{
		keyData, keyCompare.as(earlierPeriod),
		keyGrain, keyPartial, keyGaps, keySeries, keyFacet, keyFacetColumns, keyFacetScale,
		keyLabels.as(lineLabels), keyLegend, keyScale, keyYReverse, keyY2, keyYMin, keyYMax, keyY2Min, keyY2Max, keyTrend, keyAverage,
		keyReference, keyTarget.as(lineTarget), keyBand, keyPaint, keyThresholds, keyHighlight, keySort, keyLimit, keyOther, keyTooltip,
	},
	hints: map[string]string{
		"area": anArea, "filled": anArea, "stack": "lines are at their values; of an area, which has stacks, " + anArea,
	},
	width:  chartWidth,
	verify: verifyLine,
	check:  checkLine,
	title:  titleOfAxes,
}

var areaPanel = panelType{
	name:     Area,
	also:     []string{"areachart", "stackedarea"},
	doc:      "the same as filled areas",
	required: []panelKey{keyX, keyY},
	optional: []panelKey{
		keyData, keyCompare.as(earlierPeriod),
		keyGrain, keyPartial, keyGaps, keySeries, keyFacet, keyFacetColumns, keyFacetScale,
		keyStack, keyLabels.as(lineLabels), keyY2, keyYMin, keyYMax, keyY2Min, keyY2Max, keyTrend, keyAverage,
		keyReference, keyTarget.as(lineTarget), keyPaint, keyThresholds, keyHighlight, keySort, keyLimit, keyOther, keyTooltip,
	},
	hints: map[string]string{
		"scale": noLog, "log": noLog, "y_reverse": noReverse, "band": onLines, "legend": onLines,
	},
	width:  chartWidth,
	verify: verifyArea,
	check:  checkLine,
	title:  titleOfAxes,
}

var keyY2 = measuresKey("y2", "measures of one unit, drawn as lines on an axis on the right", func(p *Panel) *[]string { return &p.Y2 })

// verifyY2 checks that the measures of the axis on the right are not on the left too, and that the panel has room for them.
func verifyY2(o *object, p *Panel) {
	verifyY2Range(o, p)
	if len(p.Y2) == 0 {
		for _, key := range []string{"y2_min", "y2_max"} {
			if o.has(key) {
				o.problems.addf(o.at(key), "is about the axis of y2; name its measures in y2, or leave it out")
			}
		}
		return
	}
	if o.has("series") {
		o.problems.addf(o.at("y2"), "does not go with series, which splits one measure, and its lines have one axis; leave y2 out, "+
			"or make a panel for each measure")
	}
	if len(p.Y)+len(p.Y2) > MaxSeries && len(p.Y) <= MaxSeries && len(p.Y2) <= MaxSeries {
		o.problems.addf(o.at("y2"), "has %d measures beside %d in y, over the limit of %d together", len(p.Y2), len(p.Y), MaxSeries)
	}
	for i, name := range p.Y2 {
		if slices.Contains(p.Y, name) || slices.Contains(p.Y2[:i], name) {
			o.problems.addf(pathOf(o.at("y2"), p.Y2, i), "%s is there twice; keep one", quote(name))
		}
	}
}

// verifyY2Range checks that the axis on the right ends above where it begins.
func verifyY2Range(o *object, p *Panel) {
	if r := p.RangeY2; r.Min != nil && r.Max != nil && *r.Min >= *r.Max {
		o.problems.addf(o.at("y2_max"), "must be above y2_min")
	}
}

// y2 checks that each of the two axes has measures of one unit.
func (c *panelCheck) y2() {
	p := c.panel
	for i, name := range p.Y2 {
		c.shows(pathOf(c.at("y2"), p.Y2, i), name)
	}
	if len(p.Y2) == 0 {
		return
	}
	for key, names := range map[string][]string{"y": p.Y, "y2": p.Y2} {
		var first *Column
		for i, name := range names {
			switch col := find(c.set.columns, name); {
			case col == nil || !isMeasure(*col):
			case first == nil:
				first = col
			case col.Unit() != first.Unit():
				c.problems.addf(pathOf(c.at(key), names, i), "%s, and an axis has one unit; draw it in another panel", unlike(col, first))
			}
		}
	}
}

// verifyLine checks that a chart with a band has only one line.
func verifyLine(o *object, p *Panel) {
	verifyTargetOfLine(o, p)
	verifyAxes(o, p, false)
	verifyTones(o, p, "points")
	verifyCompare(o, p)
	verifyY2(o, p)
	verifyLegend(o, p)
	switch {
	case p.Band == nil:
	case p.Series != "" && p.Facet != "":
		o.problems.addf(o.at("band"), "is the range of one line, and series has several in each small plot; leave series out")
	case p.Series != "":
		o.problems.addf(o.at("band"), "is the range of one line, and series has several; write facet in place of series")
	case len(p.Y) > 1:
		o.problems.addf(o.at("band"), "is the range of one line, and y has %d measures; name one in y", len(p.Y))
	case p.Band.Low != "" && p.Band.Low == p.Band.High:
		o.problems.addf(join(o.at("band"), "high"), "is %s, as low is; name another measure", quote(p.Band.High))
	}
}

// verifyLegend checks that a panel with names at the ends of its lines has several, and room for the names on the right of its plot.
func verifyLegend(o *object, p *Panel) {
	at := o.at("legend")
	switch {
	case p.Legend == "":
	case p.Facet != "":
		o.problems.addf(at, `"%s" does not go with facet: small plots share one legend; leave legend out`, p.Legend)
	case len(p.Y2) > 0:
		o.problems.addf(at, `"%s" does not go with y2, whose axis is on the right, where the lines end; leave legend out`, p.Legend)
	case p.Series == "" && len(p.Y) < 2:
		o.problems.addf(at, "is about the names of several lines: name a series, or several measures in y, or leave it out")
	}
}

// verifyArea checks that the values of parts are not written without the whole.
func verifyArea(o *object, p *Panel) {
	verifyTargetOfLine(o, p)
	verifyAxes(o, p, true)
	verifyOver(o, p)
	verifyTones(o, p, "points")
	verifyCompare(o, p)
	verifyY2(o, p)
	if p.Percent && p.Labels != nil && *p.Labels {
		o.problems.addf(o.at("labels"), "are the totals of stacks, and those of shares are 100 %%; leave it out, or draw bars")
	}
}

func checkLine(c *panelCheck) {
	c.axes()
	c.earlier()
	c.y2()
	c.band()
	c.targets()
	c.thresholds(c.panel.Y)
	c.gaps(slices.Concat(c.panel.Y, c.panel.Y2)...)
	c.stacked()
	c.sort()
	c.followsTimes("a line")
}

// band checks that the ends of the band are measures of the unit of the line.
func (c *panelCheck) band() {
	b := c.panel.Band
	if b == nil {
		return
	}
	for key, name := range map[string]string{"low": b.Low, "high": b.High} {
		path := join(c.at("band"), key)
		c.shows(path, name)
		for _, y := range c.panel.Y {
			c.sameAxis(path, name, y)
		}
	}
}

// titleOfAxes names a chart that draws measures along a dimension.
func titleOfAxes(p *Panel, label labeler) string {
	return label.by(label.of(slices.Concat(p.Y, p.Y2)...), p.X, p.Series, p.Facet)
}

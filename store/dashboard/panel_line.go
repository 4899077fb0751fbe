package dashboard

// Line and Area are the types of panels that draw measures along an axis, as lines or as the areas under them.
const (
	Line = "line"
	Area = "area"
)

// lineLabels describes which values of a line are written.
const lineLabels = "values written at the points; if not all fit, only at the ends, the highest and the lowest"

// aGoal is the remedy for a target of lines.
const aGoal = `a goal that is one number is a "reference"; one that changes along x is another measure in "y"`

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
		keyLabels.as(lineLabels), keyScale, keyYMin, keyYMax, keyTrend, keyAverage,
		keyReference, keyBand, keyThresholds, keyHighlight, keyLimit, keyOther, keyTooltip,
	},
	hints:  map[string]string{"target": aGoal, "goal": aGoal},
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
		keyStack, keyLabels.as(lineLabels), keyYMin, keyYMax, keyTrend, keyAverage,
		keyReference, keyThresholds, keyHighlight, keyLimit, keyOther, keyTooltip,
	},
	hints: map[string]string{
		"scale": noLog, "log": noLog, "band": onLines, "target": aGoal,
	},
	width:  chartWidth,
	verify: verifyArea,
	check:  checkLine,
	title:  titleOfAxes,
}

// verifyLine checks that a chart with a band has only one line.
func verifyLine(o *object, p *Panel) {
	verifyAxes(o, p, false)
	verifyTones(o, p, "points")
	verifyCompare(o, p)
	switch {
	case p.Band == nil:
	case p.Series != "":
		o.problems.addf(o.at("band"), "is the range of one line, and series has several; leave series out, or use facet")
	case len(p.Y) > 1:
		o.problems.addf(o.at("band"), "is the range of one line, and y has %d measures; name one in y", len(p.Y))
	case p.Band.Low != "" && p.Band.Low == p.Band.High:
		o.problems.addf(join(o.at("band"), "high"), "is %s, as low is; name another measure", quote(p.Band.High))
	}
}

// verifyArea checks that the values of parts are not written without the whole.
func verifyArea(o *object, p *Panel) {
	verifyAxes(o, p, true)
	verifyOver(o, p)
	verifyTones(o, p, "points")
	verifyCompare(o, p)
	if p.Percent && p.Labels != nil && *p.Labels {
		o.problems.addf(o.at("labels"), "are the totals of stacks, and those of shares are 100 %%; leave it out, or draw bars")
	}
}

func checkLine(c *panelCheck) {
	c.axes()
	c.earlier()
	c.band()
	c.thresholds(c.panel.Y)
	c.gaps(c.panel.Y...)
	c.stacked()
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
	return label.by(label.of(p.Y...), p.X, p.Series, p.Facet)
}

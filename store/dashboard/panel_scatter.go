package dashboard

import (
	"slices"
	"strings"
)

// Scatter is the type of panel that draws points by two measures.
const Scatter = "scatter"

var scatterPanel = panelType{
	name:     Scatter,
	also:     []string{"scatterplot", "bubble"},
	doc:      "points by two measures",
	required: []panelKey{keyX.as("measure"), keyY.as("one measure")},
	optional: []panelKey{
		keyData, keySize, keyLabel.as("dimension with a point for each value"), keySeries, keyFacet, keyFacetColumns, keyFacetScale,
		keyColor.as("a measure that selects colours of ramp, a dimension (as in series), or the name of one colour"), keyRamp,
		keyLabels.as(`true is short for "names": "all", and false for "none"`),
		keySort.as("which points limit keeps, by a measure of the panel"),
		keyLimit.as("number of points, the largest by size or, without it, by y"),
		keyScale.as("log of both axes, log_x and log_y of one"), keyYReverse, keyYMin.as("start of the axis of y"),
		keyYMax.as("end of the axis of y"), keyXMin, keyXMax,
		keyTrend, keyReference, keyHighlight.as(spotHighlight), keyPointNames, keyConnect, keyTooltip,
	},
	hints: map[string]string{
		"events":     "its axes have numbers, and events are times; reference marks a number or a range",
		"compare":    "points have no axis of times; series colours them, and the sql can name the period of each in a column",
		"average":    "points have no order in which it could move; draw a line, or a trend",
		"value":      "a point has two measures, x and y; color is a third one, as a colour, and size as an area",
		"thresholds": "points have the colours of color, a measure, by ramp; reference marks ranges of x or y",
		"other":      "points that limit leaves out have no place together; the sql can merge them",
		"stack":      "points are at their values; an area or a bar has stacks",
	},
	width:  chartWidth,
	single: true,
	verify: verifyScatter,
	check:  checkScatter,
	title: func(p *Panel, label labeler) string {
		return label.by(label.of(append([]string{p.X}, p.Y...)...), p.Label, p.Facet)
	},
}

var keySize = nameKey("size", "measure of the points' size", func(p *Panel) *string { return &p.Size }).
	briefly("Measure of the points' size.")

// spotHighlight describes the values that points highlight.
const spotHighlight = "values of series, or of label, that keep their colours, the others gray"

func verifyScatter(o *object, p *Panel) {
	verifyAxes(o, p, false)
	if p.Labels != nil {
		switch {
		case o.has("names"):
			o.problems.addf(o.at("labels"), "is about the names, which names chooses; leave labels out")
		case p.Label == "" && p.Connect == "":
			o.problems.addf(o.at("labels"), "writes the names of label beside the points; name a dimension in label")
		case *p.Labels:
			p.Names = NamesAll
		default:
			p.Names = NamesNone
		}
		p.Labels = nil
	}
	verifyNames(o, p)
	switch {
	case p.Color != "" && p.Series != "":
		o.problems.addf(o.at("color"), "colours the points, and so does series; keep one of them")
	case p.Ramp != nil && p.Color == "":
		o.problems.addf(o.at("ramp"), "colours the values of a measure; name it in color")
	}
	if p.Sort != "" && p.Limit == 0 {
		o.problems.addf(o.at("sort"), "chooses the points that limit keeps; write limit, or leave it out: points are at their values")
	}
}

// colorOfMarks checks the column by which points or bars are coloured: a dimension, as series does, or a measure.
func (c *panelCheck) colorOfMarks() {
	p := c.panel
	col := find(c.set.columns, p.Color)
	switch {
	case col == nil || isMeasure(*col):
		c.shows(c.at("color"), p.Color)
	case p.Ramp != nil:
		c.problems.addf(c.at("ramp"), "is for measures, and %s is a dimension, whose values have colours; leave ramp out", quote(p.Color))
	default:
		c.groups(c.at("color"), p.Color)
	}
}

func checkScatter(c *panelCheck) {
	p := c.panel
	c.groups(c.at(map[bool]string{true: "connect", false: "label"}[p.Connect != ""]), p.Label)
	c.groups(c.at("series"), p.Series)
	c.shows(c.at("x"), p.X)
	if len(p.Y) > 0 {
		c.shows(c.at("y"), p.Y[0])
	}
	c.shows(c.at("size"), p.Size)
	if p.Color != "" {
		c.colorOfMarks()
	}
	if by := strings.TrimPrefix(p.Sort, "-"); by != "" {
		shown := slices.DeleteFunc(append([]string{p.X, p.Size}, p.Y...), func(name string) bool { return name == "" })
		if !slices.Contains(shown, by) {
			c.problems.add(Problem{
				Path: c.at("sort"), Message: quote(by) + " is not a measure of the points", Noun: "measures", Allowed: shown,
				Nearest: likeliest(by, shown),
			})
		}
	}
	if p.Label == "" { // a point for each row
		c.grain = c.set.keys
	} else { // x may be a dimension by mistake, and one problem is enough
		c.grain = append(c.grain, p.X)
	}
}

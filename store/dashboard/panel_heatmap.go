package dashboard

import (
	"fmt"
	"slices"
	"strings"

	"service/store/dashboard/cube"
	"service/store/suggest"
)

// MaxHeatRows is how many rows a heat map has at most.
const MaxHeatRows = 100

// Heatmap is the type of panel that colours the cells of two dimensions.
const Heatmap = "heatmap"

var heatmapPanel = panelType{
	name: Heatmap,
	also: []string{"matrix"},
	doc:  "a measure, or a text, by two dimensions",
	required: []panelKey{
		keyX, keyY.as("one dimension"),
		keyValue.as("measure, or a dimension of texts or of true and false, whose values are the colours"),
	},
	optional: []panelKey{
		keyData, keyGrain, keyPartial, keyGaps.as("zero: cells without rows are 0; auto: they are blank"),
		keyFacet, keyFacetColumns, keyFacetScale,
		keyLabels, keyRamp, keyScale.as("log is short for ramp with scale log"), keyColor, keyThresholds,
		keySort.as("order of the rows: by value, by y or by another column"),
		keyLimit.as(fmt.Sprintf("number of rows, the largest; at most %d", MaxHeatRows)), keyOther, keyTooltip,
	},
	hints: map[string]string{
		"colors":    rampHint,
		"totals":    "a pivot has totals, and colours its cells with heat",
		"tones":     "thresholds colour the cells",
		"series":    "y is the dimension of the rows, and value the measure of the colours",
		"reference": "cells have no axis of numbers, on which a line would be; thresholds colour the cells",
		"trend":     noValueAxis, "average": noValueAxis,
		"compare": "cells have no axis of values; a bar with compare has both periods",
		"y_min":   ofRamp, "y_max": ofRamp,
		"highlight": "cells have the colours of numbers; thresholds mark some, and a filter leaves those of some rows",
	},
	width:  chartWidth,
	single: true,
	verify: verifyHeatmap,
	check:  checkHeatmap,
	title: func(p *Panel, label labeler) string {
		return label.by(label.of(p.Value), slices.Concat([]string{p.X}, p.Y, []string{p.Facet})...)
	},
}

const (
	// noValueAxis is the reason why cells have no line over them.
	noValueAxis = "cells have no axis of values, on which a line would be; draw a line of the same measure"

	// ofRamp is the remedy for the ends of an axis of cells.
	ofRamp = "colours show the values; ramp has min and max"
)

func verifyHeatmap(o *object, p *Panel) {
	verifyRampScale(o, p)
	if p.Limit > MaxHeatRows {
		o.problems.addf(o.at("limit"), "must be at most %d, the largest number of rows that can be read", MaxHeatRows)
	}
	if p.Gaps == GapsBreak || p.Gaps == GapsJoin {
		o.problems.addf(o.at("gaps"), `"%s" is for lines, and cells without rows are blank; write "zero" to show 0 in them, or leave it out`,
			p.Gaps)
	}
	if p.Color != "" && p.Color == p.Value {
		o.problems.addf(o.at("color"), "is the measure of value, which has the colours anyway; leave it out")
	}
}

// verifyRampScale takes the scale of a panel whose values have colours as that of its ramp.
func verifyRampScale(o *object, p *Panel) {
	scale := p.Scale
	p.Scale = ""
	switch {
	case scale == "":
		return
	case scale != "log":
		o.problems.addf(o.at("scale"), `"%s" is for a scatter, which has two axes of numbers; write "log"`, scale)
		return
	case p.Ramp == nil:
		p.Ramp = &Ramp{}
	case p.Ramp.Scale != "" && p.Ramp.Scale != RampLog:
		o.problems.addf(o.at("scale"), `is that of the colours, and ramp has "%s"; leave one of them out`, p.Ramp.Scale)
		return
	case p.Ramp.Diverging():
		o.problems.addf(o.at("scale"), `"log" does not go with a ramp of two colours, since it has no middle; name one colour in ramp`)
		return
	case p.Ramp.Min != nil && *p.Ramp.Min <= 0, p.Ramp.Max != nil && *p.Ramp.Max <= 0:
		o.problems.addf(o.at("scale"), `"log" has neither zero nor what is below it; write min and max of ramp above zero`)
		return
	}
	p.Ramp.Scale = RampLog
}

func checkHeatmap(c *panelCheck) {
	p := c.panel
	c.shows(c.at("color"), p.Color)
	c.sort()
	c.groups(c.at("x"), p.X)
	if len(p.Y) > 0 {
		c.groups(c.at("y"), p.Y[0])
	}
	c.times(append([]string{p.X}, p.Y...)...)
	if col := find(c.set.columns, p.Value); col != nil && isDimension(*col) && (c.isText(col) || col.Type == cube.Boolean) {
		c.cellsOfText(col)
		return
	}
	c.shows(c.at("value"), p.Value)
	if how := c.notZero(p.Value); how != "" {
		c.problems.addf(c.at("gaps"), "%s; leave it out", how)
	}
	c.thresholds([]string{p.Value})
}

// totalWords are other words for totals of rows and columns, as in [suggest.Plain].
var totalWords = strings.Fields("total totals rowtotals columntotals coltotals rowtotal columntotal grandtotal grandtotals subtotals " +
	"subtotal margins showtotals sums summaryrow summarycolumn")

// asPivot adds to the hints of a heat map what to write for totals of its rows and columns: the pivot with the same cells.
func (t *panelType) asPivot(o *object, hints map[string]string) {
	name := func(key string) string {
		if names := namesIn(o.values[key]); len(names) == 1 {
			return names[0]
		}
		return unknownName
	}
	for _, key := range o.keys {
		if t.name == Heatmap && slices.Contains(totalWords, suggest.Plain(key)) {
			hints[key] = fmt.Sprintf(`a pivot has totals, and colours its cells: in place of "x", "y" and "value", write "type": "pivot", `+
				`"rows": [%s], "columns": [%s], "values": [%s], "heat": "all"`, name("y"), name("x"), name("value"))
		}
	}
}

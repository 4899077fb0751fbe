package dashboard

import (
	"slices"
	"strings"
)

// Bar is the type of panel that draws measures as bars.
const Bar = "bar"

var barPanel = panelType{
	name:     Bar,
	also:     []string{"barchart", "column", "columnchart", "hbar", "horizontalbar", "stackedbar"},
	doc:      "measures of the values of a dimension",
	required: []panelKey{keyX, keyY},
	optional: []panelKey{
		keyData, keyCompare.as(earlierPeriod),
		keyGrain, keyPartial, keyGaps.as("zero: periods without rows are 0; auto: they have no bar"), keySeries,
		keyFacet, keyFacetColumns, keyFacetScale,
		keyColor.as("a measure that selects colours of ramp, a dimension (as in series), or the name of one colour"), keyRamp,
		keyTarget.as(barTarget), keyStack, keyHorizontal, keyShare, keyLabels,
		keyYMin, keyYMax, keyTrend, keyAverage, keyReference, keyThresholds, keyHighlight.as(barHighlight),
		keySort, keyLimit, keyOther, keyTooltip,
	},
	hints:  map[string]string{"scale": noLog, "log": noLog, "y_reverse": noReverse},
	width:  chartWidth,
	verify: verifyBar,
	check:  checkBar,
	title:  titleOfAxes,
}

// barHighlight describes the values that bars highlight.
const barHighlight = "values of series, or of x without one, that keep their colours, the others gray"

// barTarget describes the targets of bars.
const barTarget = "number, or measures to be reached, one for each of y or for each stack"

var keyHorizontal = panelKey{
	name: "horizontal", kind: aFlag, doc: "horizontal bars",
	read: func(o *object, p *Panel, _ *panelType) {
		p.Horizontal = o.boolean("horizontal")
		p.Upright = o.has("horizontal") && !p.Horizontal
	},
}.tersely()

var keyShare = panelKey{
	name: "share", kind: oneOf(shares), doc: "base of the percentages next to horizontal bars; default total, if no bar is left out",
	brief: "Base of shares.",
	read:  func(o *object, p *Panel, _ *panelType) { p.Share = o.enum("share", shares, nil) },
}

// readTargets reads the targets of bars, or that of a line: a number, which is a reference line (see verifyTargets), or names of measures.
func readTargets(o *object, p *Panel) {
	switch kind := kindOf(o.values["target"]); {
	case !o.has("target"):
	case kind == "a number":
		p.Target, _ = o.number("target")
	case kind == "a string", kind == "a list":
		if p.Targets = o.texts("target", MaxSeries, true); len(p.Targets) == 0 && kind == "a list" {
			o.problems.addf(o.at("target"), "is empty; name a measure for each of y, or leave it out")
		}
	default:
		o.problems.addf(o.at("target"), "must be a number, the name of a measure or a list of names, not %s", kind)
	}
}

// verifyTargetOfCombo checks that the target of a combo is a number, and replaces it by a reference line. A measure has a line of its own.
func verifyTargetOfCombo(o *object, p *Panel) {
	if o.has("target") && kindOf(o.values["target"]) == "a string" {
		var names []string
		for _, name := range append(slices.Clone(p.Lines), o.name("target")) {
			names = append(names, quote(name))
		}
		o.problems.addf(o.at("target"), `must be a number; a measure has a line of its own: write "lines": [%s]`, strings.Join(names, ", "))
		return
	}
	verifyTargets(o, p)
}

// verifyTargetOfLine checks that a chart with a measure as target has only one line.
func verifyTargetOfLine(o *object, p *Panel) {
	at := o.at("target")
	switch {
	case len(p.Targets) == 0:
	case p.Series != "" && p.Facet != "":
		o.problems.addf(at, "is the target of one line, and series has several in each small plot; leave series out")
		return
	case p.Series != "":
		o.problems.addf(at, `is the target of one line, and series has several; write "facet": %s in place of series`, quote(p.Series))
		return
	case len(p.Y) > 1:
		o.problems.addf(at, "is the target of one line, and y has %d measures; name one in y, or draw bars, of which each has a target", len(p.Y))
		return
	}
	verifyTargets(o, p)
}

// piled reports whether several bars of the panel are on top of each other.
func (p *Panel) piled() bool { return p.Stack && (p.Series != "" || len(p.Y) > 1) }

// verifyTargets checks that there is a target for each bar or for each stack. It replaces a number by a reference line.
func verifyTargets(o *object, p *Panel) {
	switch n := len(p.Targets); {
	case o.has("target") && p.Percent:
		o.problems.addf(o.at("target"), `does not go with stack "percent", whose axis has shares; write "normal", or leave it out`)
	case n > 0 && p.piled() && n != 1:
		o.problems.addf(o.at("target"), "has %d measures, and a stack has one target, of all of it; name one, or leave stack out", n)
	case n > 0 && len(p.Y) > 0 && !p.piled() && n != len(p.Y):
		o.problems.addf(o.at("target"), "has %d measures and y has %d; name one for each, in the order of y", n, len(p.Y))
	}
	if len(p.Targets) == 0 && o.has("target") && kindOf(o.values["target"]) == "a number" {
		if p.Log(AxisY) && p.Target <= 0 {
			o.problems.addf(o.at("target"), "must be above zero: a logarithmic axis has neither zero nor what is below it")
		}
		p.Reference = append(p.Reference, Reference{Value: p.Target, Kind: RefTarget, Tone: "neutral"})
		p.Target = 0
	}
}

// verifyBar checks that percentages have horizontal bars next to which they are written.
func verifyBar(o *object, p *Panel) {
	if p.Share != "" && p.Share != "none" && (!p.Horizontal || p.Series != "" || len(p.Y) > 1) {
		o.problems.addf(o.at("share"), "is for horizontal bars of one measure: write horizontal, one measure in y and no series, or leave it out")
	}
	if p.Diverging {
		if p.Upright {
			o.problems.addf(o.at("horizontal"), `stack "diverging" has a left and a right side; leave horizontal out`)
		}
		p.Horizontal = true
	}
	verifyAxes(o, p, true)
	verifyOver(o, p)
	verifyCompare(o, p)
	verifyTargets(o, p)
	if p.Gaps == GapsBreak || p.Gaps == GapsJoin {
		o.problems.addf(o.at("gaps"), `"%s" is for lines, and periods without rows have no bar; write "zero" to count them as 0, or leave it out`,
			p.Gaps)
	}
	verifyTones(o, p, "bars")
	verifyBarColor(o, p)
}

// verifyBarColor checks that nothing else than the column in color gives bars their colours.
func verifyBarColor(o *object, p *Panel) {
	switch {
	case p.Ramp != nil && p.Color == "":
		o.problems.addf(o.at("ramp"), "colours the values of a measure; name it in color")
	case p.Color == "":
	case len(p.Y) > 1:
		o.problems.addf(o.at("color"), "colours the bars of one measure, and y has %d; name one in y", len(p.Y))
	default:
		for _, key := range []string{"series", "stack", "thresholds", "highlight", "compare"} {
			if o.has(key) {
				o.problems.addf(o.at("color"), "colours the bars, and so does %s; leave one of them out", key)
			}
		}
	}
}

// targets checks that the targets of bars, or of a line, are measures of the unit of these. The target of a stack is of all its series.
func (c *panelCheck) targets() {
	p := c.panel
	for i, name := range p.Targets {
		path := pathOf(c.at("target"), p.Targets, i)
		if slices.Contains(p.Y, name) {
			c.problems.addf(path, "%s is one of y too; name another measure, or a number", quote(name))
			continue
		}
		if col := c.measure(path, c.set, name); col != nil {
			m := shownMeasure{path: path, Column: col}
			if p.piled() {
				m.over = p.Series
			}
			c.measures = append(c.measures, m)
		}
		if i < len(p.Y) {
			c.shareOf(path, name, p.Y[i])
		}
	}
}

func checkBar(c *panelCheck) {
	c.axes()
	c.earlier()
	c.targets()
	c.thresholds(c.panel.Y)
	c.stacked()
	c.gaps(c.panel.Y...)
	if c.panel.Color != "" {
		c.colorOfMarks()
	}
	c.sort()
	if p := c.panel; p.Share == "total" && len(p.Y) == 1 {
		if col := find(c.set.columns, p.Y[0]); col != nil && isMeasure(*col) && !col.sums(p.X) {
			c.problems.addf(c.at("share"), `%s does not add up to a total; write "first" or "previous", or its "agg" if that is "sum"`,
				quote(col.Name))
		}
	}
}

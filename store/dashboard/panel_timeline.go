package dashboard

// Timeline is the type of panel that shows spans of time on rows.
const Timeline = "timeline"

var timelinePanel = panelType{
	name:     Timeline,
	also:     []string{"timelinechart", "timelines", "spans", "timespans"},
	doc:      "spans of time on rows, such as projects or outages",
	required: []panelKey{keyLabel.as("dimension with a row for each value"), keyStart, keyEnd},
	optional: []panelKey{
		keyData, keySeries.as("dimension that colours the spans"), keySort, keyTooltip, keyPaint,
		keyThresholds.as(spanTones), keyLabels.as(spanLabels),
		keyFacet, keyFacetColumns, keyFacetScale, keyXMin.as(timelineFrom), keyXMax.as(timelineTo),
	},
	hints: map[string]string{
		"x": "start and end are the columns of the times", "y": "label is the dimension of the rows",
		"value":     "a span is as long as from start to end; tooltip has more columns",
		"limit":     "it draws 80 rows at most; a filter, or sql, leaves those that matter",
		"duration":  "end is the column of the end, which the sql computes from a start and a duration",
		"grain":     "spans begin and end where their times are; the sql can round these",
		"progress":  "tooltip has more columns, thresholds colour spans by a column, and series has a colour for each state",
		"legend":    `only "series" and "thresholds" have a legend, which is above the spans; leave it out`,
		"group":     "facet has the rows of each group under a heading, and series colours the spans",
		"reference": `it marks today by itself; "events" at the top of the spec mark other moments and spans of its axis`,
		"today":     "it marks today by itself", "now": "it marks today by itself",
		"scale": ofTimes, "y_min": ofTimes, "y_max": ofTimes, "min": ofTimes, "max": ofTimes, "domain": ofTimes, "range": ofTimes,
		"window": ofTimes, "zoom": ofTimes,
		"trend": noSpanValues, "average": noSpanValues, "compare": noSpanValues,
		"other":     "it draws 80 rows at most; a filter, or sql, leaves those that matter",
		"highlight": "columns at the top of the spec can give values of series or label colours: gray for those in the background",
		"milestone": "a span that ends when it begins is a moment", "milestones": "a span that ends when it begins is a moment",
		"dependencies": "there are no arrows between spans; sort has them in the order of a column",
		"from":         "start is the column of the beginning of each span", "to": "end is the column of the end of each span",
	},
	width:  fullWidth,
	verify: verifyTimeline,
	check:  checkTimeline,
	title: func(p *Panel, label labeler) string {
		return label.by(label.Text("%s over time", label.of(p.Label)), p.Facet)
	},
}

const (
	// noSpanValues is the reason why spans have no line over them.
	noSpanValues = "spans have no values; count them in sql, and draw a line"

	// ofTimes is the remedy for the ends of an axis of times.
	ofTimes = `its axis has times, from the first to the last; "x_min" and "x_max" set others, such as "2026-05-01", "this_year" or "today+6w"`

	timelineFrom = "first day of its axis: a date, the name of a date range, such as last_90_days, or a day such as today-7d"
	timelineTo   = "last day of its axis, in the form of x_min; spans outside are left out, and others cut"
)

// spanLabels describes what is written in spans.
const spanLabels = "values of series, or how long the spans are, written in those that have room; default false"

// spanTones describes the thresholds of timelines.
const spanTones = "tones of spans by a column, in place of the colours of series: the nearest number, or a value of a dimension"

var (
	keyStart = nameKey("start", "date or time at which a span begins", func(p *Panel) *string { return &p.Start }).tersely()
	keyEnd   = nameKey("end", "date, included, or time at which the span ends; NULL means that it has not ended", func(p *Panel) *string {
		return &p.End
	}).tersely()
)

func verifyTimeline(o *object, p *Panel) {
	verifyWindow(o, p)
	if p.End != "" && p.End == p.Start {
		o.problems.addf(o.at("end"), "is the column of start; a span has two times")
	}
	for i, t := range p.Thresholds {
		if t.Column == "" {
			o.problems.addf(index(o.at("thresholds"), i)+".column", "is missing: name the column of the spans that the threshold is about")
		}
	}
}

func checkTimeline(c *panelCheck) {
	p := c.panel
	c.groups(c.at("label"), p.Label)
	if p.Series != p.Label {
		c.groups(c.at("series"), p.Series)
	}
	for _, of := range [...][2]string{{"start", p.Start}, {"end", p.End}} {
		c.grain = append(c.grain, of[1])
		if col := c.column(c.at(of[0]), c.set, of[1]); col != nil && !isTime(col.Type) {
			c.problems.add(Problem{
				Path: c.at(of[0]), Message: quote(of[1]) + " is of type " + string(col.Type) + ", and spans have a date or a time",
				Noun: "dates", Allowed: c.set.names(isDate),
			})
		}
	}
	c.sort()
	c.spanTones()
}

// spanTones checks the columns of thresholds: measures are compared with numbers or measures, and dimensions with one of their values.
func (c *panelCheck) spanTones() {
	for i := range c.panel.Thresholds {
		t := &c.panel.Thresholds[i]
		at := index(c.at("thresholds"), i)
		col := c.column(at+".column", c.set, t.Column)
		switch {
		case col == nil:
		case isMeasure(*col):
			c.shows(at+".column", t.Column)
			c.limitBy(at, t, t.Column)
		case t.If != ">=" && t.If != "=":
			c.problems.addf(at+".if", `"%s" compares numbers, and %s is a dimension; write "=", or leave it out`, t.If, quote(t.Column))
		}
	}
}

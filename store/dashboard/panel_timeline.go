package dashboard

// Timeline is the type of panel that shows spans of time on rows.
const Timeline = "timeline"

var timelinePanel = panelType{
	name:     Timeline,
	also:     []string{"timelinechart", "timelines", "spans", "timespans"},
	doc:      "spans of time on rows, such as projects or outages",
	required: []panelKey{keyLabel.as("dimension with a row for each value"), keyStart, keyEnd},
	optional: []panelKey{keyData, keySeries.as("dimension that colours the spans"), keySort, keyTooltip},
	hints: map[string]string{
		"x": "start and end are the columns of the times", "y": "label is the dimension of the rows",
		"value":     "a span is as long as from start to end; tooltip has more columns",
		"limit":     "it draws 80 rows at most; a filter, or sql, leaves those that matter",
		"duration":  "end is the column of the end, which the sql computes from a start and a duration",
		"grain":     "spans begin and end where their times are; the sql can round these",
		"progress":  "tooltip has more columns, and series a colour for each state",
		"milestone": "a span that ends when it begins is a moment", "milestones": "a span that ends when it begins is a moment",
		"dependencies": "there are no arrows between spans; sort has them in the order of a column",
		"from":         "start is the column of the beginning of each span", "to": "end is the column of the end of each span",
	},
	width:  fullWidth,
	verify: verifyTimeline,
	check:  checkTimeline,
	title:  func(p *Panel, label labeler) string { return label.Text("%s over time", label.of(p.Label)) },
}

var (
	keyStart = nameKey("start", "date or time at which a span begins", func(p *Panel) *string { return &p.Start }).tersely()
	keyEnd   = nameKey("end", "date, included, or time at which the span ends; NULL means that it has not ended", func(p *Panel) *string {
		return &p.End
	}).tersely()
)

func verifyTimeline(o *object, p *Panel) {
	if p.End != "" && p.End == p.Start {
		o.problems.addf(o.at("end"), "is the column of start; a span has two times")
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
}

package dashboard

import "fmt"

// Calendar is the type of panel that colours the days of years.
const Calendar = "calendar"

var calendarPanel = panelType{
	name:     Calendar,
	also:     []string{"calendarheatmap", "calendarchart", "heatmapcalendar", "contributions"},
	doc:      "a measure by day, in one block of weeks for each year",
	required: []panelKey{keyX.as("date or time"), keyValue},
	optional: []panelKey{
		keyData, keyPartial, keyFacet, keyFacetColumns, keyFacetScale,
		keyLabels.as("values in the days, where all have room; default false"), keyRamp,
		keyScale.as("log is short for ramp with scale log"), keyThresholds,
		keyTooltip,
	},
	hints: map[string]string{
		"colors": rampHint,
		"y":      "value is the measure that colours the days",
		"grain":  "each cell is a day; a heatmap or a line has steps of another length",
		"trend":  noValueAxis, "average": noValueAxis, "compare": noValueAxis,
		"reference": "cells have no axis of numbers; thresholds colour the days",
		"y_min":     ofRamp, "y_max": ofRamp,
		"sort": "days are in the order of the calendar", "other": "the newest years are drawn; a filter shows others",
		"highlight": "days have the colours of numbers; thresholds mark some, and events frame theirs",
		"color":     "value is the measure that colours the days",
		"limit":     "the newest years are drawn; a filter shows others",
	},
	width:  fullWidth,
	verify: verifyRampScale,
	check:  checkCalendar,
	title:  func(p *Panel, label labeler) string { return label.by(label.of(p.Value), p.X, p.Facet) },
}

func checkCalendar(c *panelCheck) {
	p := c.panel
	c.groups(c.at("x"), p.X)
	if col := find(c.set.columns, p.X); col != nil && !isMeasure(*col) && !isTime(col.Type) {
		c.problems.add(Problem{
			Path: c.at("x"), Message: fmt.Sprintf("%s is of type %s, and a calendar has days", quote(p.X), col.Type),
			Noun: "dates", Allowed: c.set.names(isDate),
		})
	}
	c.shows(c.at("value"), p.Value)
	c.thresholds([]string{p.Value})
}

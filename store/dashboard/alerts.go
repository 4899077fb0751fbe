package dashboard

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"service/store/dashboard/cube"
	"service/store/pattern"
)

// Limits of alerts.
const (
	MaxAlerts      = 20
	MaxAlertValues = 1000 // of the dimension that splits an alert
	MaxChannels    = 10   // of one alert
	MaxFor         = 100  // refreshes in a row
	MaxMean        = 100  // periods of a mean
)

// The conditions of an alert, named by their keys.
const (
	AlertThreshold = "if"
	AlertChange    = "change"
	AlertAnomaly   = "anomaly"
	AlertRows      = "rows"
	AlertStale     = "stale"
	AlertFailing   = "failing"
)

// The severities of an alert, from small to large.
const (
	SeverityInfo     = "info"
	SeverityWarning  = "warning"
	SeverityCritical = "critical"
)

// The values with which the value of a period is compared.
const (
	AgainstPeriod = "previous_period"
	AgainstWeek   = "previous_week"
	AgainstYear   = "previous_year"
	AgainstMean   = "mean"
)

// Default values of alerts.
const (
	DefaultAgain = 24 * time.Hour
	DefaultMean  = 7
	DefaultK     = 5
)

// An Alert is a condition of which people are notified. It is judged at the end of each refresh, by the rows that are then stored.
type Alert struct {
	ID        string
	Title     string // "" lets the page name it
	Condition string // AlertThreshold, …: determines which of the next fields are set

	If      string        // >=, >, <=, <, =
	Than    float64       // of If
	Change  Change        // of AlertChange
	Anomaly string        // high, low, any
	K       float64       // of Anomaly: how wide the band is
	Rows    string        // any, none
	Stale   time.Duration // since the last good refresh

	Data  string // dataset id; "" if the refresh itself is judged
	Value string // measure; "" for AlertRows
	X     string // date: the last complete period is judged; "" for all rows
	Grain cube.Grain
	By    string // dimension: each value is judged
	Where []Where

	For      int           // refreshes in a row for which it must hold
	Again    time.Duration // after which the notification is repeated; 0 for never
	Recover  bool          // whether the end is notified, too
	To       []string      // slugs of channels; empty for the publisher
	Severity string
}

// A Change is a limit of the difference between the value of a period and that of others.
type Change struct {
	Against string  // AgainstPeriod, …
	Of      int     // of AgainstMean: how many periods
	By      float64 // share; at most that much if negative, at least if positive
}

var (
	alertKeys = []string{
		"id", "title", "data", "value", "x", "grain", "if", "than", "change", "anomaly", "k", "rows", "stale", "failing", "by", "where",
		"for", "again", "recover", "to", "severity",
	}
	changeKeys = []string{"against", "of", "by"}

	anomalies   = []string{"high", "low", "any"}
	rowsAre     = []string{"any", "none"}
	severities  = []string{SeverityInfo, SeverityWarning, SeverityCritical}
	againsts    = []string{AgainstPeriod, AgainstWeek, AgainstYear, AgainstMean}
	alertGrains = grains[1:]

	otherAlertKeys = map[string]string{
		"name": "id", "key": "id", "label": "title", "heading": "title", "message": "title", "dataset": "data", "datasource": "data",
		"metric": "value", "measure": "value", "column": "value", "field": "value", "y": "value", "date": "x", "day": "x", "time": "x",
		"operator": "if", "op": "if", "condition": "if", "comparison": "if", "when": "if", "threshold": "than", "limit": "than", "level": "than",
		"groupby": "by", "group": "by", "dimension": "by", "series": "by", "split": "by", "filters": "where", "filter": "where",
		"sensitivity": "k", "mad": "k", "channel": "to", "channels": "to", "notify": "to", "recipients": "to", "recipient": "to", "send": "to",
		"repeat": "again", "renotify": "again", "every": "again", "interval": "again", "cooldown": "again", "priority": "severity",
		"resolve": "recover", "recovered": "recover", "duration": "for", "times": "for", "consecutive": "for", "norows": "rows",
		"trigger": "if", "forduration": "for", "pendingperiod": "for", "nodata": "rows", "nodatastate": "rows", "empty": "rows",
		"summary": "title", "description": "title", "runbook": "title", "zscore": "anomaly", "stddev": "anomaly", "outlier": "anomaly",
		"failed": "failing", "failure": "failing", "freshness": "stale", "period": "grain",
	}
	alertHints = map[string]string{
		"email":    `a spec carries no address; "to" names channels, which owners of the workspace make in the web application`,
		"emails":   `a spec carries no address; "to" names channels, which owners of the workspace make in the web application`,
		"webhook":  `a spec carries no address; "to" names channels, which owners of the workspace make in the web application`,
		"url":      `a spec carries no address; "to" names channels, which owners of the workspace make in the web application`,
		"schedule": "alerts are judged at each refresh; set_refresh_schedule sets when these are",
		"sql":      `alerts read the rows of a dataset, which "data" names`,
		"against":  `it belongs in "change": {"against": "previous_week", "by": -0.2}`,
		"type":     `the condition is one of the keys "if" with "than", "change", "anomaly", "rows", "stale" and "failing"`,
		"mute":     "people mute alerts in the web application",
		"muted":    "people mute alerts in the web application",
		"attach":   `an alert has no file; "attach" is a key of "deliver", which sends the page`,
	}
	otherAgainst = map[string]string{
		"previous": AgainstPeriod, "previousday": AgainstPeriod, "lastperiod": AgainstPeriod, "yesterday": AgainstPeriod, "before": AgainstPeriod,
		"lastweek": AgainstWeek, "weekago": AgainstWeek, "sameweekday": AgainstWeek, "lastyear": AgainstYear, "yearago": AgainstYear,
		"average": AgainstMean, "avg": AgainstMean, "movingaverage": AgainstMean,
	}
	otherAnomalies  = map[string]string{"true": "any", "both": "any", "up": "high", "above": "high", "down": "low", "below": "low"}
	otherSeverities = map[string]string{
		"low": SeverityInfo, "notice": SeverityInfo, "medium": SeverityWarning, "warn": SeverityWarning, "error": SeverityCritical,
		"high": SeverityCritical, "urgent": SeverityCritical, "bad": SeverityCritical, "page": SeverityCritical,
	}
	otherRows = map[string]string{"some": "any", "true": "any", "yes": "any", "false": "none", "no": "none", "empty": "none", "0": "none"}
)

// alertTakes are the keys of each condition, without those common to all. The first ones are required.
var alertTakes = map[string]struct{ required, optional []string }{
	AlertThreshold: {[]string{"value", "than"}, []string{"x", "grain"}},
	AlertChange:    {[]string{"value", "x"}, []string{"grain"}},
	AlertAnomaly:   {[]string{"value", "x"}, []string{"grain", "k"}},
	AlertRows:      {nil, []string{"x", "grain"}},
	AlertStale:     {},
	AlertFailing:   {},
}

// ofRefresh reports whether a condition is about the refreshes rather than their rows.
func ofRefresh(condition string) bool { return condition == AlertStale || condition == AlertFailing }

// OfRefresh reports whether the alert is about the refreshes rather than their rows.
func (a *Alert) OfRefresh() bool { return ofRefresh(a.Condition) }

// Alert returns the alert called id, or nil.
func (s *Spec) Alert(id string) *Alert {
	for i := range s.Alerts {
		if s.Alerts[i].ID == id {
			return &s.Alerts[i]
		}
	}
	return nil
}

func (p *parser) alerts(o *object, s *Spec) {
	for i, raw := range o.list("alerts", MaxAlerts) {
		o := p.problems.object(index("alerts", i), raw)
		if o == nil {
			s.Alerts = append(s.Alerts, Alert{})
			continue
		}
		a := p.alert(o, s)
		if a.ID != "" && s.Alert(a.ID) != nil {
			p.problems.addf(o.at("id"), "%s is the id of two alerts", quote(a.ID))
		}
		s.Alerts = append(s.Alerts, a)
	}
}

func (p *parser) alert(o *object, s *Spec) Alert {
	o.closed("an alert", alertKeys, otherAlertKeys, alertHints)
	o.require("id")
	a := Alert{
		ID: p.id(o), Title: o.text("title", maxName), Condition: p.condition(o),
		If: o.enum("if", comparisons, otherIfs), Anomaly: o.enum("anomaly", anomalies, otherAnomalies),
		K: DefaultK, Rows: o.enum("rows", rowsAre, otherRows),
		Value: o.name("value"), X: o.name("x"), Grain: cube.Grain(o.enum("grain", alertGrains, otherGrains)), By: o.name("by"),
		Where: readWhere(o), For: o.integer("for", 1, MaxFor, 1), Again: DefaultAgain, Recover: true, To: p.to(o),
		Severity: o.enum("severity", severities, otherSeverities),
	}
	if a.Severity == "" {
		a.Severity = SeverityWarning
	}
	if o.has("recover") {
		a.Recover = o.boolean("recover")
	}
	if v, ok := o.number("than"); ok {
		a.Than = v
	}
	if v, ok := o.number("k"); ok {
		if a.K = v; v < 1 || v > 100 {
			o.problems.addf(o.at("k"), "must be from 1 to 100: how many median deviations from the median are still usual")
		}
	}
	if o.has("change") {
		a.Change = p.change(o)
	}
	if o.has("failing") && !o.boolean("failing") && kindOf(o.values["failing"]) == "a boolean" {
		o.problems.addf(o.at("failing"), "is true or is left out")
	}
	if o.has("stale") {
		a.Stale = o.span("stale", 5*time.Minute, 366*day)
	}
	switch {
	case o.has("again") && string(o.values["again"]) == `"never"`:
		a.Again = 0
	case o.has("again"):
		a.Again = o.span("again", time.Hour, 366*day)
	}
	p.takes(o, &a)
	if a.Condition != "" && !a.OfRefresh() {
		a.Data = p.data(o, s)
	}
	return a
}

const day = 24 * time.Hour

// condition reads the condition of an alert.
func (p *parser) condition(o *object) string {
	given := ""
	for _, key := range []string{AlertThreshold, AlertChange, AlertAnomaly, AlertRows, AlertStale, AlertFailing} {
		switch {
		case !o.has(key):
		case given == "":
			given = key
		default:
			p.problems.addf(o.at(key), `is a second condition beside "%s"; an alert has one: make two alerts`, given)
		}
	}
	if given == "" && o.has("than") {
		p.problems.add(Problem{Path: o.at("if"), Message: "is missing", Allowed: comparisons})
	} else if given == "" && len(o.meant) == 0 {
		p.problems.addf(o.path, `has no condition: write one of "if" with "than", "change", "anomaly", "rows", "stale" and "failing"`)
	}
	return given
}

// takes checks that an alert has the keys of its condition and no others.
func (p *parser) takes(o *object, a *Alert) {
	if a.Condition == "" {
		return
	}
	t := alertTakes[a.Condition]
	for _, key := range t.required {
		o.require(key)
	}
	for _, key := range []string{"data", "value", "x", "grain", "than", "k", "by", "where"} {
		common := (key == "data" || key == "by" || key == "where") && !a.OfRefresh()
		if o.has(key) && !common && !slices.Contains(t.required, key) && !slices.Contains(t.optional, key) {
			p.problems.addf(o.at(key), `does not go with "%s"; leave it out`, a.Condition)
		}
	}
	switch {
	case o.has("grain") && !o.has("x") && slices.Contains(t.optional, "grain"):
		p.problems.addf(o.at("grain"), "is of the periods of x, and there is none; name a date in x")
	case a.Condition == AlertRows && a.Rows == "none" && a.By != "" && a.X == "":
		p.problems.addf(o.at("x"), "is missing: only values that have rows of other times can lack those of the last period")
	case a.Condition == AlertStale && o.has("for"), a.Condition == AlertStale && o.has("again") && a.Again > 0 && a.Again < time.Hour:
		p.problems.addf(o.at("for"), `does not go with "stale", which says itself how long; leave it out`)
	}
	if a.Change.Against == AgainstWeek && slices.Contains([]cube.Grain{cube.Monthly, cube.Quarterly, cube.Yearly}, a.Grain) {
		p.problems.add(Problem{
			Path: o.at("change") + ".against", Message: fmt.Sprintf("a %s has none a week before", a.Grain),
			Allowed: []string{AgainstPeriod, AgainstYear, AgainstMean},
		})
	}
}

// change reads a [Change].
func (p *parser) change(of *object) (c Change) {
	o := p.problems.object(of.at("change"), of.values["change"])
	if o == nil {
		return c
	}
	o.closed("a change", changeKeys, map[string]string{
		"to": "against", "from": "against", "compare": "against", "compared": "against", "than": "by", "share": "by", "percent": "by", "n": "of",
		"periods": "of", "last": "of",
	}, nil)
	o.require("against", "by")
	c = Change{Against: o.enum("against", againsts, otherAgainst), Of: o.integer("of", 2, MaxMean, DefaultMean)}
	if o.has("of") && c.Against != AgainstMean && c.Against != "" {
		p.problems.addf(o.at("of"), `is of a mean; leave it out, or write "against": "mean"`)
	}
	v, ok := o.number("by")
	switch {
	case !ok:
	case v == 0:
		p.problems.addf(o.at("by"), "is how much less or more, as a share: -0.2 is 20 %% less, 0.2 is 20 %% more")
	case v < -1 || v > 10:
		p.problems.addf(o.at("by"), "is a share, from -1 to 10: for %s %% write %s",
			strconv.FormatFloat(v, 'g', -1, 64), strconv.FormatFloat(v/100, 'g', -1, 64))
	}
	c.By = v
	return c
}

// to reads the channels of an alert. It accepts only slugs, so that a spec cannot send messages to a destination that no owner has allowed.
func (p *parser) to(o *object) []string {
	out := o.texts("to", MaxChannels, true)
	for i, slug := range out {
		path := o.at("to")
		if kindOf(o.values["to"]) == "a list" {
			path = index(path, i)
		}
		switch {
		case slug == "":
		case strings.ContainsAny(slug, "@:/#."):
			p.problems.addf(path, "%s is an address, and a spec carries none: name channels by their slugs, which owners of the workspace make "+
				"in the web application; without %s the publisher is told", quote(slug), quote("to"))
		case CheckSlug(slug) != nil:
			p.problems.addf(path, "%s is not the slug of a channel: small letters, digits and -, at most 64", quote(slug))
		case slices.Contains(out[:i], slug):
			p.problems.addf(path, "%s is there twice; keep one", quote(slug))
		}
	}
	return out
}

var spanForm = pattern.New(`^([1-9][0-9]{0,4})(m|h|d|w)$`)

// span reads a length of time such as "26h".
func (o *object) span(key string, lo, hi time.Duration) time.Duration {
	var text string
	if kindOf(o.values[key]) == "a string" {
		_ = json.Unmarshal(o.values[key], &text)
	}
	m := spanForm.FindStringSubmatch(text)
	d := time.Duration(0)
	if m != nil {
		n, _ := strconv.Atoi(m[1])
		unit := map[string]time.Duration{"m": time.Minute, "h": time.Hour, "d": day, "w": 7 * day}[m[2]]
		if d = hi + 1; time.Duration(n) <= hi/unit { // 30,501 weeks are more nanoseconds than a Duration has
			d = time.Duration(n) * unit
		}
	}
	if d < lo || d > hi {
		never := ""
		if key == "again" {
			never = `, or "never"`
		}
		o.problems.addf(o.at(key), `must be a length of time from %s to %s, such as "30m", "26h", "7d" or "2w"%s`,
			LengthOf(lo), LengthOf(hi), never)
		return 0
	}
	return d
}

// LengthOf writes a length of time in the form of a spec.
func LengthOf(d time.Duration) string {
	switch {
	case d%day == 0:
		return fmt.Sprintf("%dd", d/day)
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dm", d/time.Minute)
}

// alert checks the columns that an alert names.
func (c *checker) alert(path string, a *Alert) {
	set := c.sets[a.Data]
	if a.Condition == "" || a.OfRefresh() || set == nil {
		return
	}
	grain := []string{}
	if a.X != "" {
		grain = append(grain, a.X)
		if col := c.column(join(path, "x"), set, a.X); col != nil && !isDate(*col) {
			c.problems.add(Problem{
				Path: join(path, "x"), Message: fmt.Sprintf("%s is of type %s, and periods are those of a date", quote(a.X), col.Type),
				Noun: "dates", Allowed: set.names(isDate),
			})
		} else if col != nil && col.Type == cube.Date && (a.Grain == cube.Minutely || a.Grain == cube.Hourly) {
			c.problems.add(Problem{
				Path: join(path, "grain"), Message: fmt.Sprintf("%s is a date, which has no %s", quote(a.X), a.Grain), Allowed: alertGrains[2:],
			})
		}
	}
	if a.By != "" {
		grain = append(grain, a.By)
		if col := c.dimension(join(path, "by"), set, a.By); col != nil && isTime(col.Type) {
			c.problems.addf(join(path, "by"), `%s is of type %s; "x" names the date whose last complete period is judged`, quote(a.By), col.Type)
		}
	}
	c.where(join(path, "where"), set, a.Where, WarnAlertNever, `"x" names the date whose last complete period is judged`)
	for _, w := range a.Where {
		grain = append(grain, w.Column)
	}
	if a.Value == "" {
		return
	}
	if col := c.measure(join(path, "value"), set, a.Value); col != nil {
		c.addedOver(set, col, grain, a.Grain != "")
		c.merged(join(path, "value"), set, col, grain, false)
	}
}

// blind warns of alerts about rows if no alert is about the refreshes that fetch the rows.
func (c *checker) blind() {
	ofRows := slices.ContainsFunc(c.spec.Alerts, func(a Alert) bool { return a.Condition != "" && !a.OfRefresh() })
	failing := slices.ContainsFunc(c.spec.Alerts, func(a Alert) bool { return a.Condition == AlertFailing })
	if ofRows && !failing {
		c.warnf(WarnAlertBlind, "alerts", `no alert has "failing": while refreshes fail there are no new rows to judge, and these alerts tell `+
			`nothing; add one such as {"id": "no-refresh", "failing": true}, which tells people of that.`)
	}
}

// CheckChannels checks that the channels of alerts exist. The error is *[Problems].
func (s *Spec) CheckChannels(channels []string) error {
	var problems Problems
	for i, a := range s.Alerts {
		for j, slug := range a.To {
			problems.channel(index(join(index("alerts", i), "to"), j), slug, `without "to" the publisher is told`, channels)
		}
	}
	return problems.err()
}

// CheckRecipients checks that the channels of alerts, deliveries and row rules exist. The error is *[Problems].
func (s *Spec) CheckRecipients(channels []string) error {
	var problems Problems
	for i, d := range s.Deliver {
		problems.channel(join(index("deliver", i), "to"), d.To, `"me" sends to the publisher`, channels)
	}
	for i, a := range s.Access {
		for _, slug := range slices.Sorted(maps.Keys(a.Channels)) {
			problems.channel(join(join(index("access", i), "channels"), slug), slug, "a channel that the rule does not name gets no rows", channels)
		}
	}
	return Join(s.CheckChannels(channels), problems.err())
}

// channel adds a problem if a slug is not that of a channel. instead describes what a spec does without it.
func (p *Problems) channel(at, slug, instead string, channels []string) {
	switch {
	case slug == "" || slug == Me || CheckSlug(slug) != nil || slices.Contains(channels, slug): // an invalid slug was reported already
	case len(channels) == 0:
		p.addf(at, "%s is the slug of no channel, and the workspace has none yet: an owner makes one in the web application; %s",
			quote(slug), instead)
	default:
		p.add(Problem{
			Path: at, Message: quote(slug) + " is the slug of no channel", Noun: "channels", Allowed: channels,
			Nearest: likeliest(slug, channels),
		})
	}
}

package dashboard

import (
	"slices"
	"strconv"
	"strings"
)

// MaxDeliveries is the largest number of deliveries that a spec may propose.
const MaxDeliveries = 5

// Me, instead of a channel, is the person who publishes the spec, at their verified address.
const Me = "me"

// AttachPDF is the attachment that is the page itself, in place of the numbers of its panels.
const AttachPDF = "pdf"

// NamesMe reports whether an alert or a delivery of the spec goes to [Me].
func (s *Spec) NamesMe() bool {
	return slices.ContainsFunc(s.Alerts, func(a Alert) bool { return slices.Contains(a.To, Me) }) ||
		slices.ContainsFunc(s.Deliver, func(d Delivery) bool { return d.To == Me })
}

// A Delivery proposes sending the page to a channel. It has no effect until an owner of the workspace accepts it.
type Delivery struct {
	To      string // slug of a channel, or [Me]
	Rhythm  Rhythm
	Changed bool   // only if something has changed
	Attach  string // csv, xlsx, pdf, or empty
}

var (
	deliveryKeys = []string{"to", "every", "on", "at", "changed", "attach"}
	everies      = []string{EveryRefresh, EveryDay, EveryWeek, EveryMonth}
	attachments  = []string{"csv", "xlsx", AttachPDF}
	noAddress    = `a spec carries no address; "to" names a channel, which owners of the workspace make in the web application`
	otherEveries = map[string]string{
		"day": EveryDay, "week": EveryWeek, "month": EveryMonth,
		"refreshes": EveryRefresh, "update": EveryRefresh,
	}
	otherAttaching = map[string]string{"excel": "xlsx", "xls": "xlsx", "text": "csv", "document": AttachPDF, "page": AttachPDF}

	otherDeliveryKeys = map[string]string{
		"channel": "to", "channels": "to", "recipients": "to", "recipient": "to", "send": "to", "schedule": "every", "rhythm": "every",
		"frequency": "every", "cadence": "every", "interval": "every", "day": "on", "weekday": "on", "dayofweek": "on", "time": "at",
		"hour": "at", "days": "on", "dayofmonth": "on", "attachments": "attach", "fileformat": "attach", "if": "changed",
		"onlyif": "changed", "skipunchanged": "changed", "destination": "to", "onchange": "changed",
		"onlychanged": "changed", "attachment": "attach", "format": "attach", "file": "attach",
	}
	deliveryHints = map[string]string{
		"email": noAddress, "emails": noAddress, "webhook": noAddress, "url": noAddress, "user": noAddress, "users": noAddress,
		"timezone": "the time is that of the spec's timezone",
		"filters":  "a channel is sent the page with its default filters; people choose others when they subscribe",
		"cron":     `a rhythm is "every" with "on" and "at"`,
	}
)

func (p *parser) deliveries(o *object, s *Spec) {
	for i, raw := range o.list("deliver", MaxDeliveries) {
		o := p.problems.object(index("deliver", i), raw)
		if o == nil {
			continue
		}
		d := p.delivery(o)
		if slices.Contains(s.Deliver, d) {
			p.problems.addf(o.path, "is there twice; keep one")
		}
		s.Deliver = append(s.Deliver, d)
	}
}

// recipient reads the name of a channel, which may be in a list of one, the form that alerts have.
func (p *parser) recipient(o *object) string {
	if kindOf(o.values["to"]) == "a list" {
		of := o.list("to", MaxDeliveries)
		if len(of) != 1 {
			p.problems.addf(o.at("to"), "has %d names, and a delivery has one; write a delivery for each", len(of))
			return ""
		}
		o.values["to"] = of[0]
	}
	return o.text("to", 0)
}

func (p *parser) delivery(o *object) Delivery {
	o.closed("a delivery", deliveryKeys, otherDeliveryKeys, deliveryHints)
	o.require("to", "every")
	d := Delivery{To: p.recipient(o), Attach: o.enum("attach", attachments, otherAttaching)}
	switch {
	case d.To == "":
	case strings.ContainsAny(d.To, "@:/#."):
		p.problems.addf(o.at("to"), "%s is an address, and a spec carries none: name a channel by its slug, which owners of the workspace make "+
			"in the web application", quote(d.To))
	case CheckSlug(d.To) != nil:
		p.problems.addf(o.at("to"), "%s is not the slug of a channel: small letters, digits and -, at most 64", quote(d.To))
	}
	if o.has("changed") {
		d.Changed = o.boolean("changed")
	}
	d.Rhythm = Rhythm{Every: o.enum("every", everies, otherEveries)}
	switch d.Rhythm.Every {
	case "":
		return d
	case EveryWeek, EveryMonth:
		o.require("on", "at")
		d.Rhythm.Day = p.on(o, d.Rhythm.Every)
	case EveryDay:
		o.require("at")
	}
	if d.Rhythm.Day == 0 && d.Rhythm.Every != EveryWeek && o.has("on") && d.Rhythm.Every != EveryMonth {
		p.problems.addf(o.at("on"), `does not go with "%s"; leave it out`, d.Rhythm.Every)
	}
	switch {
	case !o.has("at"):
	case !d.Rhythm.Timed():
		p.problems.addf(o.at("at"), `does not go with "%s"; leave it out`, d.Rhythm.Every)
	default:
		text := o.text("at", 0)
		minute, ok := ParseClock(text)
		if !ok && text != "" {
			p.problems.addf(o.at("at"), `must be a time of the day from "00:00" to "23:59", not %s`, quote(text))
		}
		d.Rhythm.Minute = minute
	}
	return d
}

// on reads the day of a rhythm.
func (p *parser) on(o *object, every string) int {
	raw, ok := o.values["on"]
	if !ok {
		return 0
	}
	if every == EveryWeek {
		text := strings.ToLower(o.text("on", 0))
		day := slices.IndexFunc(Weekdays, func(d string) bool { return len(text) >= 3 && strings.HasPrefix(text, d) })
		if day < 0 && text != "" {
			p.problems.add(Problem{Path: o.at("on"), Message: quote(text) + " is no day of the week", Allowed: Weekdays})
		}
		return max(day, 0)
	}
	if kindOf(raw) == "a string" {
		if day, ok := ParseMonthDay(o.text("on", 0)); ok {
			return day
		}
	}
	day, err := strconv.Atoi(strings.Trim(strings.TrimSpace(string(raw)), `"`))
	if err != nil || day < 1 || day > 31 {
		p.problems.addf(o.at("on"),
			`must be a day of the month from 1 to 31, where 31 is the last day of each month, "first monday" to "last sunday", `+
				`or "first weekday" or "last weekday", of Monday to Friday`)
		return 1
	}
	return day
}

package dashboard

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// MaxEvents is the largest number of events on a page: those that a spec lists, or the newest of a dataset.
const MaxEvents = 100

// Events are marks on all axes of times: rows of a dataset, or a list.
type Events struct {
	Data  string // dataset id; "" for a list
	X     string // date of it
	Label string // dimension of it
	List  []Event
}

// An Event is a mark on axes of times.
type Event struct {
	On    time.Time // the wall clock as UTC; midnight for a day
	Label string
}

// Given reports whether there are events.
func (e *Events) Given() bool { return e.X != "" || len(e.List) > 0 }

var (
	eventsKeys = []string{"data", "x", "label"}
	eventKeys  = []string{"on", "label"}

	otherEventKeys = map[string]string{
		"dataset": "data", "date": "x", "day": "x", "at": "x", "on": "x", "time": "x", "name": "label", "title": "label", "text": "label",
	}
	otherListedKeys = map[string]string{
		"date": "on", "day": "on", "at": "on", "x": "on", "time": "on", "name": "label", "title": "label", "text": "label",
	}
)

// events reads the marks on axes of times.
func (p *parser) events(o *object, s *Spec) {
	raw, ok := o.values["events"]
	switch {
	case !ok:
	case kindOf(raw) == "a list":
		list := o.list("events", MaxEvents)
		if string(bytes.Join(bytes.Fields(raw), nil)) == "[]" {
			p.problems.addf(o.at("events"), `is empty; list some, each {"on", "label"}, or leave it out`)
		}
		for i, raw := range list {
			if o := p.problems.object(index("events", i), raw); o != nil {
				s.Events.List = append(s.Events.List, p.event(o))
			}
		}
	case kindOf(raw) != "an object":
		p.problems.addf(o.at("events"), `must be {"data", "x", "label"}, of a dataset, or a list of {"on", "label"}, not %s`, kindOf(raw))
	default:
		o := p.problems.object("events", raw)
		if o == nil {
			return
		}
		o.closed("events of a dataset", eventsKeys, otherEventKeys, nil)
		o.require("x", "label")
		s.Events = Events{Data: p.data(o, s), X: o.name("x"), Label: o.name("label")}
	}
}

// eventForms are the layouts of the time of an event.
var eventForms = []string{time.DateOnly, "2006-01-02 15:04", "2006-01-02T15:04"}

// event reads an event of a list.
func (p *parser) event(o *object) Event {
	o.closed("an event", eventKeys, otherListedKeys, nil)
	o.require(eventKeys...)
	e := Event{Label: o.name("label")}
	on := o.name("on")
	for _, form := range eventForms {
		if t, err := time.Parse(form, on); err == nil && t.Year() > 0 {
			e.On = t
			return e
		}
	}
	if raw := o.values["on"]; on != "" || raw != nil && kindOf(json.RawMessage(raw)) == "a string" {
		p.problems.addf(o.at("on"), `must be a date such as "2026-05-01", or with a time "2026-05-01 14:30"`)
	}
	return e
}

// events checks the columns named by the marks on axes of times.
func (c *checker) events(e *Events) {
	set := c.sets[e.Data]
	if e.X == "" || set == nil {
		return
	}
	c.column("events.label", set, e.Label)
	c.unseen("events.label", set, e.Label)
	if col := c.column("events.x", set, e.X); col != nil && !isTime(col.Type) {
		c.problems.add(Problem{
			Path: "events.x", Message: quote(e.X) + " is of type " + string(col.Type) + ", and events have a date",
			Noun: "dates", Allowed: set.names(isDate),
		})
	}
	if !slices.ContainsFunc(c.spec.Panels, func(p Panel) bool { return marksEvents(p.Type) }) {
		c.warnf(WarnKeyIgnored, "events", "no panel has an axis of times on which events could be marked: a line, an area, a bar or a combo has.")
	}
}

// marksEvents reports whether panels of a type have an axis on which events are marked.
func marksEvents(panelType string) bool {
	return slices.Contains([]string{Line, Area, Bar, Combo}, panelType)
}

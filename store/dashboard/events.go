package dashboard

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// MaxEvents is the largest number of events on a page: those that a spec lists, or the newest of a dataset.
const MaxEvents = 100

// Events are marks on all axes of times of a page, or on that of a panel: rows of a dataset, or a list.
type Events struct {
	Data  string // dataset id; "" for a list
	X     string // date of it
	To    string // date of it on which events end, or ""
	Label string // dimension of it
	List  []Event
	None  bool // a panel does not mark those of the page either
}

// An Event is a mark on axes of times, or a span of them.
type Event struct {
	On    time.Time // the wall clock as UTC; midnight for a day
	To    time.Time // the first moment after a span, in the form of On; zero for a moment
	Label string
}

// Given reports whether there are events.
func (e *Events) Given() bool { return e.X != "" || len(e.List) > 0 }

var (
	eventsKeys = []string{"data", "x", "to", "label"}
	eventKeys  = []string{"on", "to", "label"}

	otherEventKeys = map[string]string{
		"dataset": "data", "date": "x", "day": "x", "at": "x", "on": "x", "time": "x", "name": "label", "title": "label", "text": "label",
		"start": "x", "from": "x", "end": "to", "until": "to",
	}
	otherListedKeys = map[string]string{
		"date": "on", "day": "on", "at": "on", "x": "on", "time": "on", "name": "label", "title": "label", "text": "label",
		"start": "on", "from": "on", "begin": "on", "end": "to", "until": "to",
	}
)

// HasEvents reports whether the page or one of its panels has events.
func (s *Spec) HasEvents() bool {
	return s.Events.Given() || slices.ContainsFunc(s.Panels, func(p Panel) bool { return p.Events.Given() })
}

// keyEvents is the key of panels for their own events. The parser reads it, because it knows the datasets.
var keyEvents = panelKey{
	name: "events", kind: kind{schema: `"type": "object"`, words: `{"data", "x", "to", "label"}, list of {"on", "to", "label"}, or false`},
	doc: "marks on the axis of times of this panel, beside those of the page; false: no marks", terse: true,
}

// withEvents adds the key of events to the types whose panels mark them.
func withEvents(types []*panelType) []*panelType {
	for _, t := range types {
		if slices.Contains(eventTypes, t.name) {
			t.optional = append(slices.Clone(t.optional), keyEvents)
		}
	}
	return types
}

// events reads the marks on axes of times of a page or of a panel.
func (p *parser) events(o *object, s *Spec) (out Events) {
	raw, ok := o.values["events"]
	switch {
	case !ok:
	case kindOf(raw) == "a list":
		list := o.list("events", MaxEvents)
		out.None = string(bytes.Join(bytes.Fields(raw), nil)) == "[]"
		for i, raw := range list {
			if of := p.problems.object(index(o.at("events"), i), raw); of != nil {
				out.List = append(out.List, p.event(of, s.Location()))
			}
		}
	case string(raw) == "false":
		out.None = true
	case kindOf(raw) != "an object":
		p.problems.addf(o.at("events"), `must be {"data", "x", "label"}, of a dataset, or a list of {"on", "label"}, not %s`, kindOf(raw))
	default:
		of := p.problems.object(o.at("events"), raw)
		if of == nil {
			return out
		}
		of.closed("events of a dataset", eventsKeys, otherEventKeys, nil)
		of.require("x", "label")
		out = Events{Data: p.data(of, s), X: of.name("x"), To: of.name("to"), Label: of.name("label")}
	}
	return out
}

// eventForms are the layouts of the time of an event. One with an offset is an instant, which other tools write; it is marked at the page's
// wall clock.
var eventForms = []string{
	time.DateOnly, "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00",
	"2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07",
}

// event reads an event of a list.
func (p *parser) event(o *object, zone *time.Location) Event {
	o.closed("an event", eventKeys, otherListedKeys, nil)
	o.require("on", "label")
	e := Event{Label: o.name("label")}
	e.On, _ = p.eventTime(o, "on", zone)
	if to, day := p.eventTime(o, "to", zone); !to.IsZero() {
		if to.Before(e.On) {
			p.problems.addf(o.at("to"), "is before on; an event ends when it begins, or later")
		}
		if e.To = to.Add(time.Minute); day {
			e.To = to.AddDate(0, 0, 1)
		}
	}
	return e
}

// eventTime reads a time of an event, and whether it is a day. It returns the zero time if there is no time or it is not valid.
func (p *parser) eventTime(o *object, key string, zone *time.Location) (t time.Time, day bool) {
	text := o.name(key)
	for _, form := range eventForms {
		if t, err := time.Parse(form, text); err == nil && t.Year() > 0 {
			if strings.Contains(form, "Z") {
				t = t.In(zone)
				t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
			}
			return t.Truncate(time.Minute), form == time.DateOnly
		}
	}
	if raw := o.values[key]; text != "" || raw != nil && kindOf(json.RawMessage(raw)) == "a string" {
		hint := ""
		if now := strings.ToLower(text); now == "today" || now == "now" {
			hint = "; a timeline marks today by itself"
		}
		p.problems.addf(o.at(key), `must be a date such as "2026-05-01", or with a time "2026-05-01 14:30"%s`, hint)
	}
	return t, false
}

// events checks the columns named by the marks on the axes of times of the page.
func (c *checker) events(e *Events) {
	c.eventColumns("events", e)
	if e.X != "" && c.sets[e.Data] != nil && !slices.ContainsFunc(c.spec.Panels, func(p Panel) bool { return marksEvents(p.Type) }) {
		c.warnf(WarnKeyIgnored, "events", "no panel has an axis of times on which events could be marked: a line, an area, a bar or a combo has.")
	}
}

// eventColumns checks the columns named by events at a path.
func (c *checker) eventColumns(path string, e *Events) {
	set := c.sets[e.Data]
	if e.X == "" || set == nil {
		return
	}
	c.column(join(path, "label"), set, e.Label)
	c.unseen(join(path, "label"), set, e.Label)
	for _, of := range [...][2]string{{join(path, "x"), e.X}, {join(path, "to"), e.To}} {
		if col := c.column(of[0], set, of[1]); col != nil && !isTime(col.Type) {
			c.problems.add(Problem{
				Path: of[0], Message: quote(of[1]) + " is of type " + string(col.Type) + ", and events have a date",
				Noun: "dates", Allowed: set.names(isDate),
			})
		}
	}
}

// ownEvents checks the events of a panel, which need an axis of times.
func (c *panelCheck) ownEvents() {
	p := c.panel
	if !p.Events.Given() {
		return
	}
	c.eventColumns(c.at("events"), &p.Events)
	axis := p.X
	if p.Type == Waterfall {
		axis = p.Label
	}
	switch col := find(c.set.columns, axis); {
	case p.Type == Timeline || col == nil:
	case !isTime(col.Type):
		c.problems.add(Problem{
			Path: c.at("events"), Message: "are marked on an axis of times, and " + quote(axis) + " is of type " + string(col.Type),
			Noun: "dates", Allowed: c.set.names(isDate),
		})
	case p.Horizontal:
		c.problems.addf(c.at("events"), "are marked on upright axes of times; leave horizontal out")
	}
}

// eventTypes are the types of panels that mark events.
var eventTypes = []string{Line, Area, Bar, Combo, Box, Candlestick, Waterfall, Heatmap, Timeline, Calendar}

// marksEvents reports whether panels of a type have an axis on which events are marked.
func marksEvents(panelType string) bool { return slices.Contains(eventTypes, panelType) }

// marksRows reports whether rows of a dataset are events of the page or of a panel.
func (s *Spec) marksRows(dataset string) bool {
	return s.Events.Data == dataset || slices.ContainsFunc(s.Panels, func(p Panel) bool { return p.Events.Data == dataset })
}

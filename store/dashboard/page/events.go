package page

import (
	"slices"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// Events are marked on each axis of times that covers them, by a thin line with their name.
// Those that fall together on an axis are one mark.

const (
	eventLetters = 60 // of a name
	saidEvents   = 5  // in a summary
)

// An event is one of those that the spec names, or a row of a dataset.
type event struct {
	at    time.Time // as the clock of the page shows it, marked UTC
	label string
}

// events are what there is to mark on the page.
type events struct {
	list    []event // in order, the newest
	all     int
	undated int // rows without a time
}

// events are the events of the page. Rows of a dataset are those that the filters leave.
func (p *page) events() *events {
	if p.marked != nil {
		return p.marked
	}
	p.marked = &events{}
	for _, e := range p.Spec.Events.List {
		p.marked.list = append(p.marked.list, event{e.On, eventName(e.Label)})
	}
	if of := p.Spec.Events; of.X != "" {
		p.readEvents(p.dataset(of.Data), of)
	}
	list := p.marked.list
	slices.SortStableFunc(list, func(a, b event) int { return a.at.Compare(b.at) })
	p.marked.all = len(list)
	p.marked.list = list[max(len(list)-dashboard.MaxEvents, 0):]
	return p.marked
}

// readEvents reads the events of a dataset.
func (p *page) readEvents(d *dataset, of dashboard.Events) {
	if d == nil || d.cube == nil {
		return
	}
	x, label := d.column(of.X), d.column(of.Label)
	if x == nil || label == nil || !x.Type.IsTime() {
		return
	}
	g := d.cube.Group(d.rows, cube.Query{By: []cube.Dim{{Column: of.X, Zone: p.zone}, {Column: of.Label, Zone: p.zone}}})
	for i := range g.Len() {
		if at, ok := g.Category(i, 0).Value.(time.Time); ok {
			p.marked.list = append(p.marked.list, event{onWall(at), eventName(p.cell(*label, cube.Exact, g.Category(i, 1)))})
		} else {
			p.marked.undated += g.Rows(i)
		}
	}
}

func eventName(s string) string { return clip(oneLine(s), eventLetters) }

// onWall is a time as its clock shows it, marked UTC.
func onWall(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// warnings tell the author which events are not marked.
func (e *events) warnings() []dashboard.Warning {
	var out []dashboard.Warning
	if e.all > len(e.list) {
		out = append(out, dashboard.Warnf(dashboard.WarnCut, "events.data",
			"the last %d of %d events are marked; the sql can return fewer.", len(e.list), e.all))
	}
	if e.undated > 0 {
		out = append(out, dashboard.Warnf(dashboard.WarnLeftOut, "events.x", "%d events have no time, and are left out.", e.undated))
	}
	return out
}

// An eventMark is the events that lie at one place of an axis.
type eventMark struct {
	at     float64 // of the width
	row    int     // of the axis, in which they are or after which they come
	events []event
}

// markEvents finds where the events lie on the axis of a split, whose places are at fractions
// of the width. Between them lie those of a curve; those of columns belong to the one before.
func (p *panel) markEvents(s *split, at []float64, curve bool) {
	if !s.time || len(s.x) == 0 || !p.page.Spec.Events.Given() {
		return
	}
	step := s.step
	if step == cube.Exact && !s.span.Clock {
		step = cube.Daily
	}
	begins := make([]time.Time, len(s.x))
	for i, x := range s.x {
		begins[i] = onWall(x.Value.(time.Time))
	}
	for _, e := range p.page.events().list {
		row := -1
		for i, begun := range begins {
			if !begun.After(e.at) && (row < 0 || begun.After(begins[row])) {
				row = i
			}
		}
		if row < 0 {
			continue
		}
		place, inside := at[row], e.at.Before(ends(begins[row], step))
		if !inside {
			next := row + 1
			if next == len(s.x) || !begins[next].After(e.at) { // after the last, or on an axis that runs back
				continue
			}
			if curve {
				place += between(e.at, begins[row], begins[next]) * (at[next] - place)
			}
		}
		if n := len(p.marks); n > 0 && p.marks[n-1].row == row && int(p.marks[n-1].at*1000+0.5) == int(place*1000+0.5) {
			p.marks[n-1].events = append(p.marks[n-1].events, e)
		} else {
			p.marks = append(p.marks, eventMark{place, row, []event{e}})
		}
	}
	p.sayEvents(begins)
}

// ends is the moment after the period that begins at a time.
func ends(t time.Time, step cube.Grain) time.Time {
	switch step {
	case cube.Exact:
		return t.Add(1)
	case cube.Minutely:
		return t.Add(time.Minute)
	case cube.Hourly:
		return t.Add(time.Hour)
	}
	return step.Next(cube.DayOf(t)).Time()
}

// sayEvents names the events in the summary and beside the rows in the table behind, where
// tooltips find them.
func (p *panel) sayEvents(begins []time.Time) {
	var names []string
	count := 0
	for _, m := range p.marks {
		for _, e := range m.events {
			if count++; count <= saidEvents {
				names = append(names, e.label+" ("+p.page.Date(e.at)+")")
			}
			text := e.label
			if cube.DayOf(e.at) != cube.DayOf(begins[m.row]) {
				text = p.page.DayMonth(e.at) + " " + text
			}
			if p.beside == nil {
				p.beside = map[int]string{}
			}
			p.beside[m.row] += " · " + text
		}
	}
	if count == 0 {
		return
	}
	if more := count - saidEvents; more > 0 {
		names = append(names, p.page.Count(more, "and %d more", "and %d more"))
	}
	p.summary += " " + p.page.Text("Events: %s.", strings.Join(names, ", "))
	if e := p.page.events(); e.all > len(e.list) {
		p.report(noted("The last %s of %s events are marked.", len(e.list), e.all))
	}
}

// chartEvents are the events on the panel's axis as a chart marks them.
func (p *panel) chartEvents() []chartEvent {
	var out []chartEvent
	for _, m := range p.marks {
		text := m.events[0].label
		if n := len(m.events); n > 1 {
			text = p.page.Count(n, "%d event", "%d events")
		}
		out = append(out, chartEvent{m.at, text})
	}
	return out
}

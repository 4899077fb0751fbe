package panel

import (
	"slices"
	"sort"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// Events are marked on each axis of times that contains them, by a thin line with their name. Events at one place of an axis share a mark.

const (
	eventLetters = 60 // of a name
	saidEvents   = 5  // in a summary
)

// An event is listed in the spec, or is a row of a dataset.
type event struct {
	at    time.Time // the wall clock time on the page, marked UTC
	until time.Time // the first instant after a span, as at; the zero time for an instant
	label string
}

// events are the events of a page or of a panel.
type events struct {
	list    []event // in order; if there are too many, the newest
	all     int
	undated int // rows without a time
	ended   int // rows that end before they begin
}

// events returns the events of the page.
func (p *Env) events() *events {
	if p.marked == nil {
		p.marked = p.eventsOf(&p.Spec.Events)
	}
	return p.marked
}

// events returns the events of the page and those of the panel.
func (p *Settings) events() *events {
	if p.Spec.Events.None {
		return &events{}
	}
	page := p.Env.events()
	if !p.Spec.Events.Given() {
		return page
	}
	if p.marked == nil {
		own := p.Env.eventsOf(&p.Spec.Events)
		for _, w := range own.warnings() {
			p.report(encode.Warned(w.Code, w.Path, "%s", w.Message))
		}
		p.marked = &events{list: slices.Concat(page.list, own.list), all: page.all + own.all}
		slices.SortStableFunc(p.marked.list, func(a, b event) int { return a.at.Compare(b.at) })
	}
	return p.marked
}

// hasEvents reports whether the page or the panel has events.
func (p *Settings) hasEvents() bool {
	return !p.Spec.Events.None && (p.Env.Spec.Events.Given() || p.Spec.Events.Given())
}

// eventsOf reads events; if there are too many, the newest. Rows of a dataset are those that pass the filters.
func (p *Env) eventsOf(of *dashboard.Events) *events {
	out := &events{}
	for _, e := range of.List {
		out.list = append(out.list, event{e.On, e.To, eventName(e.Label)})
	}
	if of.X != "" {
		p.readEvents(out, p.dataset(of.Data), of)
	}
	slices.SortStableFunc(out.list, func(a, b event) int { return a.at.Compare(b.at) })
	out.all = len(out.list)
	out.list = out.list[max(len(out.list)-dashboard.MaxEvents, 0):]
	return out
}

// readEvents adds the events of a dataset.
func (p *Env) readEvents(out *events, d *encode.Dataset, of *dashboard.Events) {
	if d == nil || d.Cube == nil {
		return
	}
	x, label := d.Column(of.X), d.Column(of.Label)
	if x == nil || label == nil || !x.Type.IsTime() {
		return
	}
	by := []cube.Dim{{Column: of.X, Zone: p.Zone}, {Column: of.Label, Zone: p.Zone}}
	end := d.Column(of.To)
	if end != nil && end.Type.IsTime() {
		by = append(by, cube.Dim{Column: of.To, Zone: p.Zone})
	}
	g := d.Cube.Group(d.Rows, cube.Query{By: by})
	for i := range g.Len() {
		at, ok := g.Category(i, 0).Value.(time.Time)
		if !ok {
			out.undated += g.Rows(i)
			continue
		}
		e := event{at: onWall(at), label: eventName(p.Cell(*label, cube.Exact, g.Category(i, 1)))}
		if len(by) > 2 {
			switch to, ok := g.Category(i, 2).Value.(time.Time); {
			case !ok: // without an end
			case end.Type == cube.Date && cube.DayOf(to) >= cube.DayOf(e.at):
				e.until = onWall(to).AddDate(0, 0, 1)
			case end.Type == cube.Instant && x.Type == cube.Instant && !to.Before(at):
				if e.until = onWall(to); e.until.Before(e.at) { // the clock was put back in between
					e.until = e.at
				}
				e.until = e.until.Add(1)
			case end.Type == cube.Date, onWall(to).Before(e.at):
				out.ended += g.Rows(i)
			default:
				e.until = onWall(to).Add(1)
			}
		}
		out.list = append(out.list, e)
	}
}

func eventName(s string) string { return canvas.Clip(text.OneLine(s), eventLetters) }

// onWall returns the wall clock time of t, marked UTC.
func onWall(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// warnings reports to the author which events are not marked.
func (e *events) warnings() []dashboard.Warning {
	var out []dashboard.Warning
	if e.all > len(e.list) {
		out = append(out, dashboard.Warnf(dashboard.WarnCut, "events.data",
			"the last %d of %d events {is|are} marked; the sql can return fewer.", len(e.list), e.all))
	}
	if e.undated > 0 {
		out = append(out, dashboard.Warnf(dashboard.WarnLeftOut, "events.x", "%d {event has|events have} no time, "+
			"and {is|are} left out.", e.undated))
	}
	if e.ended > 0 {
		out = append(out, dashboard.Warnf(dashboard.WarnDoubtful, "events.to",
			"events that end before they begin: %d; they are marked as moments.", e.ended))
	}
	return out
}

// An eventMark is the mark of the events at one place of an axis, or of one event that is a span.
type eventMark struct {
	at     float64 // as a fraction of the width
	end    float64 // the end of a span, as a fraction of the width; 0 for none
	row    int     // the row of the axis in which the events are, or that precedes them
	last   int     // the last row of a span; row for others
	events []event
}

// markEvents finds the places of the events on the axis of a split, whose places are at fractions of the width. Columns extend half of
// their band to either side; half is 0 for a curve, whose events can be between two points.
func (p *Panel) markEvents(s *split, at []float64, half float64) {
	if !s.time || len(s.x) == 0 || !p.hasEvents() {
		return
	}
	p.sayEvents(p.findMarks(s, at, half))
}

// findMarks is [Panel.markEvents] without words. It returns the wall clock times at which the places begin.
func (p *Panel) findMarks(s *split, at []float64, half float64) (begins []time.Time) {
	step := s.step
	if step == cube.Exact && !s.span.Clock {
		step = cube.Daily
	}
	begins = make([]time.Time, len(s.x))
	for i, x := range s.x {
		begins[i] = onWall(x.Value.(time.Time))
	}
	for _, e := range p.events().list {
		if !e.until.IsZero() {
			if m, ok := markOfSpan(e, begins, step, at, half); ok {
				p.marks = append(p.marks, m)
			}
			continue
		}
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
			if next == len(s.x) || !begins[next].After(e.at) { // after the last place, or on a descending axis
				continue
			}
			if half == 0 {
				place += between(e.at, begins[row], begins[next]) * (at[next] - place)
			}
		}
		if n := len(p.marks); n > 0 && p.marks[n-1].end == 0 && p.marks[n-1].row == row && int(p.marks[n-1].at*1000+0.5) == int(place*1000+0.5) {
			p.marks[n-1].events = append(p.marks[n-1].events, e)
		} else {
			p.marks = append(p.marks, eventMark{at: place, row: row, last: row, events: []event{e}})
		}
	}
	return begins
}

// markOfSpan returns the mark of an event that is a span on an axis of times. ok is false if it is before or after the axis.
func markOfSpan(e event, begins []time.Time, step cube.Grain, at []float64, half float64) (m eventMark, ok bool) {
	m = eventMark{at: 1, row: -1, events: []event{e}}
	for i, begun := range begins {
		if begun.Before(e.until) && ends(begun, step).After(e.at) { // it overlaps the period
			if m.at, m.end, m.last = min(m.at, at[i]-half), max(m.end, at[i]+half), max(m.last, i); m.row < 0 {
				m.row = i
			}
		}
	}
	if half > 0 || !slices.IsSortedFunc(begins, time.Time.Compare) {
		return m, m.row >= 0
	}
	first, last := begins[0], begins[len(begins)-1]
	if !e.until.After(first) || !e.at.Before(ends(last, step)) {
		return m, false
	}
	place := func(t time.Time) float64 {
		i := sort.Search(len(begins), func(i int) bool { return !begins[i].Before(t) })
		switch {
		case i == 0:
			return at[0]
		case i == len(begins):
			return at[i-1]
		}
		return at[i-1] + between(t, begins[i-1], begins[i])*(at[i]-at[i-1])
	}
	if m.at, m.end = place(e.at), place(e.until); m.row < 0 { // between two points: it is listed at the one before
		m.row = max(sort.Search(len(begins), func(i int) bool { return begins[i].After(e.at) })-1, 0)
		m.last = m.row
	}
	return m, true
}

// ends returns the first instant after the period that begins at a time.
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

// sayEvents names the events in the summary and in the rows of the table behind, from which tooltips read them.
func (p *Panel) sayEvents(begins []time.Time) {
	for _, m := range p.marks {
		for _, e := range m.events {
			text := e.label
			if m.end == 0 && cube.DayOf(e.at) != cube.DayOf(begins[m.row]) {
				text = p.Env.DayMonth(e.at) + " " + text
			}
			if p.Beside == nil {
				p.Beside = map[int]string{}
			}
			for row := m.row; row <= m.last; row++ {
				p.Beside[row] += " · " + text
			}
		}
	}
	p.nameEvents()
}

// nameEvents names the events in the summary.
func (p *Panel) nameEvents() {
	var names []string
	count := 0
	for _, m := range p.marks {
		for _, e := range m.events {
			if count++; count <= saidEvents {
				names = append(names, e.label+" ("+p.Env.dates(e)+")")
			}
		}
	}
	if count == 0 {
		return
	}
	if more := count - saidEvents; more > 0 {
		names = append(names, p.Env.Count(more, "and %d more", "and %d more"))
	}
	p.Summary += " " + p.Env.Text("Events: %s.", strings.Join(names, ", "))
	if e := p.events(); e.all > len(e.list) {
		p.report(encode.Noted("The last %s of %s events are marked.", len(e.list), e.all))
	}
}

// dates returns the day of an event, or the first and the last day of a span.
func (p *Env) dates(e event) string {
	if e.until.IsZero() {
		return p.Date(e.at)
	}
	last := e.until.Add(-1)
	if cube.DayOf(last) == cube.DayOf(e.at) {
		return p.Date(e.at)
	}
	return p.Date(e.at) + " – " + p.Date(last)
}

// chartEvents returns the events on the panel's axis for a chart.
func (p *Panel) chartEvents() []chart.Event {
	var out []chart.Event
	for _, m := range p.marks {
		text := m.events[0].label
		if n := len(m.events); n > 1 {
			text = p.Env.Count(n, "%d event", "%d events")
		}
		out = append(out, chart.Event{At: m.at, End: m.end, Text: text})
	}
	return out
}

// marksEvents reports whether the panel marks events on an axis of times.
func (p *Rows) marksEvents() bool {
	switch p.Spec.Type {
	case dashboard.Timeline, dashboard.Calendar:
		return true
	case dashboard.Waterfall:
		if p.Data == nil {
			return false
		}
		label := p.Data.Column(p.Spec.Label)
		return label != nil && label.Type.IsTime() && !p.Spec.Horizontal && p.Spec.Sort == ""
	case dashboard.Line, dashboard.Area, dashboard.Bar, dashboard.Combo, dashboard.Box, dashboard.Candlestick, dashboard.Heatmap:
		if p.Data == nil || p.Spec.Horizontal {
			return false
		}
		x := p.Data.Column(p.Spec.X)
		return x != nil && x.Type.IsTime()
	}
	return false
}

package panel

import (
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// findWindow finds the ends of the axis that the spec sets. It returns false if the axis would end before it begins, which depends on the
// day if one of them is the name of a date range.
func (m *timelinePanel) findWindow() bool {
	for end, at := range m.Spec.Window {
		if at.Given() {
			t := at.Moment(end == 1, m.Env.Zone, m.Env.week, m.Env.Now)
			m.window[end], m.clock = t, m.clock || cube.DayOf(t).Time() != t
		}
	}
	if lo, hi := m.window[0], m.window[1]; lo.IsZero() || hi.IsZero() || lo.Before(hi) {
		return true
	}
	m.Empty = m.Env.Text("The axis ends before it begins.")
	m.report(encode.Warned(dashboard.WarnClipped, "x_max", "is before x_min today, so no span is on the axis; write a later day."))
	return false
}

// windowKey returns the key of the spec that sets an end of the axis.
func (m *timelinePanel) windowKey() string {
	if m.window[1].IsZero() {
		return "x_min"
	}
	return "x_max"
}

// inWindow returns a moment or, if the axis does not reach it, the end of the axis that the spec sets.
func (m *timelinePanel) inWindow(t time.Time) time.Time {
	switch lo, hi := m.window[0], m.window[1]; {
	case !lo.IsZero() && t.Before(lo):
		return lo
	case !hi.IsZero() && t.After(hi):
		return hi
	}
	return t
}

// setEnds gives the axis the ends that the spec sets.
func (m *timelinePanel) setEnds() {
	if !m.window[0].IsZero() {
		m.lo = m.window[0]
	}
	if !m.window[1].IsZero() {
		m.hi = m.window[1]
	}
}

// cutToWindow leaves out the spans that are outside of the axis that the spec sets, and reports how many these are, and how many others
// continue outside.
func (m *timelinePanel) cutToWindow() {
	lo, hi := m.window[0], m.window[1]
	if lo.IsZero() && hi.IsZero() {
		return
	}
	all, cut := len(m.spans), 0
	m.spans = slices.DeleteFunc(m.spans, func(s timeSpan) bool {
		before, after := m.beyond(&s, m.reach(&s))
		switch long := s.open(0) || m.reach(&s).After(s.from); { // a moment at an end is on the axis
		case !hi.IsZero() && !s.open(0) && (s.from.After(hi) || long && s.from.Equal(hi)),
			!lo.IsZero() && (m.reach(&s).Before(lo) || long && m.reach(&s).Equal(lo)):
			return true
		case before && !s.open(0) || after:
			cut++
		}
		return false
	})
	if n := all - len(m.spans); n > 0 {
		m.report(encode.NotedCount(n, "%d span outside of the axis is left out.", "%d spans outside of the axis are left out.").
			Warned(dashboard.WarnClipped, m.windowKey(),
				"%d {span is|spans are} outside of the axis, and {is|are} left out; another x_min or x_max shows {it|them}.", n))
	}
	if cut > 0 {
		m.report(encode.NotedCount(cut, "%d span continues outside of the axis.", "%d spans continue outside of the axis."))
	}
}

// beyond reports whether a bar that ends at a moment continues before the axis that the spec sets, and after it.
func (m *timelinePanel) beyond(s *timeSpan, end time.Time) (before, after bool) {
	lo, hi := m.window[0], m.window[1]
	return !lo.IsZero() && (s.open(0) || s.from.Before(lo)), !hi.IsZero() && end.After(hi)
}

// cutBar lets a bar fade at an end of the axis beyond which it continues. end is the moment at which the bar ends. A span that has not
// ended also fades there if the axis ends so soon after now that it has no room to fade after now.
func (m *timelinePanel) cutBar(b *chart.LaneBar, s *timeSpan, end time.Time) {
	before, after := m.beyond(s, end)
	if s.open(1) && end.Equal(m.reach(s)) && !m.window[1].IsZero() && 1-m.place(end) < timelineFade/2 {
		after = true
	}
	if !before && !after {
		return
	}
	from, to := m.place(m.begin(s)), m.place(end)
	fade := min(timelineFade, (to-from)/3)
	if before {
		b.Fades[0], b.From = fade, from+fade
	}
	if after {
		b.Fades[1], b.To = fade, to-fade
	}
}

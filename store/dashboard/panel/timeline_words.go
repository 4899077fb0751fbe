package panel

import (
	"slices"
	"strings"

	"service/store/dashboard/canvas"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/locale"
)

// when returns the beginning or the end of a span as text.
func (m *timelinePanel) when(s *timeSpan, end int) string {
	if s.open(end) {
		return "…"
	}
	return m.Env.Cell(*m.ends[end], cube.Exact, s.exact[end])
}

// long returns the length of a span in words.
func (m *timelinePanel) long(s *timeSpan) string {
	return m.Env.Value("duration", m.length(s))
}

// textIn returns the text in a span: the value of its series or, without one, its length; "" for a moment.
func (m *timelinePanel) textIn(s *timeSpan) string {
	switch {
	case m.series != nil:
		return canvas.Clip(m.Env.Cell(*m.series, cube.Exact, s.series), 60)
	case m.length(s) == 0:
		return ""
	}
	return m.long(s)
}

// length returns the length of a span in seconds; a span without an end lasts until now. It returns 0 for a span without a beginning, or
// one that has not begun. Between instants with times of day, these are the seconds that pass: on a day on which the clock changes, they
// are not those of the clock.
func (m *timelinePanel) length(s *timeSpan) float64 {
	instants := m.clock && m.ends[0].Type == cube.Instant
	switch {
	case s.open(0):
		return 0
	case s.open(1) && instants:
		at := m.Env.Now.In(m.Env.Zone)
		return max(secondsTo(s.moment(0), at.Add(m.now.Sub(onWall(at)))), 0)
	case s.open(1) && m.clock:
		return max(secondsTo(s.from, m.now), 0)
	case s.open(1): // in whole days, including today
		return max(secondsTo(s.from, cube.DayOf(m.now).Time().AddDate(0, 0, 1)), 0)
	case instants && m.ends[1].Type == cube.Instant:
		return secondsTo(s.moment(0), s.moment(1))
	}
	return secondsTo(s.from, s.to)
}

const saidSpans = 4 // names in a sentence

// say returns the sentence of a timeline: the number of spans, the longest one, the number of open ones, and the names of those that
// include now.
func (m *timelinePanel) say() string {
	first, last, longest, open := -1, -1, -1, 0
	var active []string
	more := 0
	for i := range m.spans {
		s := &m.spans[i]
		open += stat.One(s.open(1))
		if !s.open(0) && (first < 0 || s.from.Before(m.spans[first].from)) {
			first = i
		}
		if !s.open(1) && (last < 0 || s.to.After(m.spans[last].to)) {
			last = i
		}
		if m.length(s) > 0 && (longest < 0 || m.length(s) > m.length(&m.spans[longest])) {
			longest = i
		}
		if !m.begin(s).After(m.now) && (s.open(1) || s.to.After(m.now)) {
			name := m.named(s)
			switch {
			case slices.Contains(active, name):
			case len(active) < saidSpans:
				active = append(active, name)
			default:
				more++
			}
		}
	}
	when := func(i, end int) string {
		if i < 0 {
			return "…"
		}
		return m.when(&m.spans[i], end)
	}
	out := []string{m.Env.Count(len(m.spans), "%d span, from %s to %s.", "%d spans, from %s to %s.", when(first, 0), when(last, 1))}
	if longest >= 0 {
		out = append(out, m.Env.Text("Longest: %s (%s).", m.named(&m.spans[longest]), m.long(&m.spans[longest])))
	}
	if open > 0 {
		out = append(out, m.Env.Count(open, "%d has no end.", "%d have no end."))
	}
	if len(active) > 0 && m.nowAt() > 0 {
		if more > 0 {
			active = append(active, m.Env.Count(more, "and %d more", "and %d more"))
		}
		text := locale.Key("Now: %s.")
		if !m.clock {
			text = "Today: %s."
		}
		out = append(out, m.Env.Text(text, strings.Join(active, ", ")))
	}
	return strings.Join(out, " ")
}

// named returns the name of a span in a sentence.
func (m *timelinePanel) named(s *timeSpan) string {
	return canvas.Clip(m.Env.Cell(*m.label, cube.Exact, s.cat), 40)
}

// nowAt returns the position of the line for now; 0 if it is not on the axis.
func (m *timelinePanel) nowAt() float64 {
	if at := between(m.now, m.lo, m.hi); at > 0 && at < 1 {
		return at
	}
	return 0
}

// nowText returns the name of the line for now.
func (m *timelinePanel) nowText() string {
	text := locale.Key("Now")
	if !m.clock {
		text = "Today"
	}
	return m.Env.Text(text)
}

// title returns the tooltip of a span, in pieces.
func (m *timelinePanel) title(i int) []string {
	s := &m.spans[i]
	out := []string{canvas.Clip(m.Env.Cell(*m.label, cube.Exact, s.cat), 60)}
	if m.series != nil && m.series.Name != m.label.Name {
		out = append(out, "\n", m.series.Label, "  ", canvas.Clip(m.Env.Cell(*m.series, cube.Exact, s.series), 60))
	}
	out = append(out, "\n", m.when(s, 0), " – ", m.when(s, 1))
	if !s.open(1) && m.length(s) > 0 {
		out = append(out, " · ", m.long(s))
	}
	return append(out, m.extraTitle(i)...)
}

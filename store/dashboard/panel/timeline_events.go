package panel

// reachEvents widens the axis of a timeline so that it includes spans of events that begin or end on it, by at most a quarter of its length
// on each side. Longer spans are cut at the ends of the axis.
func (m *timelinePanel) reachEvents() {
	const most = 0.25
	lo, hi := m.lo, m.hi
	for _, e := range m.events().list {
		if e.until.IsZero() || !e.until.After(lo) || !e.at.Before(hi) {
			continue
		}
		if e.at.Before(m.lo) && between(e.at, lo, hi) >= -most {
			m.lo = e.at
		}
		if e.until.After(m.hi) && between(e.until, lo, hi) <= 1+most {
			m.hi = e.until
		}
	}
}

// markEvents finds the positions of the events on the axis of a timeline: moments within it, and the visible parts of spans.
func (m *timelinePanel) markEvents() {
	for _, e := range m.events().list {
		mark := eventMark{at: between(e.at, m.lo, m.hi), events: []event{e}}
		switch {
		case e.until.IsZero():
			if mark.at <= 0 || mark.at >= 1 {
				continue
			}
		case !e.until.After(m.lo) || !e.at.Before(m.hi):
			continue
		default:
			mark.at, mark.end = m.place(e.at), m.place(e.until)
		}
		m.marks = append(m.marks, mark)
	}
	m.nameEvents()
}

package panel

// markEvents finds where the events are on the axis of a timeline: moments that it reaches, and the part of spans that it shows.
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

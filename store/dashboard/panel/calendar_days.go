package panel

import (
	"time"

	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
)

// markDays marks the days of the events of the page and of the panel: instants have a frame, and the tooltips of the days of all events
// name them.
func (p *calendarPanel) markDays() {
	if !p.hasEvents() {
		return
	}
	rows, begins := map[cube.Day]int{}, make([]time.Time, len(p.Grid.Rows))
	for i, row := range p.Grid.Rows {
		begins[i] = row[0].(cube.Category).Value.(time.Time)
		rows[cube.DayOf(begins[i])] = i
	}
	p.framed = map[cube.Day]bool{}
	for _, e := range p.events().list {
		first, last := -1, -1
		for d := cube.DayOf(e.at); d == cube.DayOf(e.at) || d.Time().Before(e.until); d++ {
			row, ok := rows[d]
			if !ok {
				continue
			}
			p.framed[d] = true
			if last = row; first < 0 {
				first = row
			}
		}
		if first >= 0 {
			mark := eventMark{row: first, last: last, events: []event{e}}
			if !e.until.IsZero() {
				mark.end = 1
			}
			p.marks = append(p.marks, mark)
		}
	}
	p.sayEvents(begins)
}

// noteDays reports that the values do not fit into the days.
func (p *calendarPanel) noteDays() {
	left := p.weekdays()
	for i := range p.years {
		left = append(left, p.Env.Year(p.years[i].first.Time()))
	}
	var all chart.PlacedValues
	for i := range p.years {
		for half := range 2 {
			h := p.half(&p.years[i], half, left)
			t := h.Under[0].(*chart.CellOutline).Left(h.Lay())
			all.All += t.All
			for w := range t.Left {
				all.Left[w] += t.Left[w]
			}
		}
	}
	p.noteLabels(all)
}

package panel

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
)

// markDays marks the days of the events of the page and of the panel: instants have a frame, and the tooltips of the days of all events
// name them.
func (p *calendarPanel) markDays() {
	if !p.hasEvents() {
		return
	}
	begins := make([]time.Time, len(p.Grid.Rows))
	order := make([]int, len(begins)) // of the rows, by their days
	for i, row := range p.Grid.Rows {
		begins[i], order[i] = row[0].(cube.Category).Value.(time.Time), i
	}
	day := func(i int) cube.Day { return cube.DayOf(begins[order[i]]) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cube.DayOf(begins[a]), cube.DayOf(begins[b])) })
	covers := make([]int, len(order)+1) // how many events begin at the day of a row, less those that end before it
	for _, e := range p.events().list {
		at := cube.DayOf(e.at)
		from := sort.Search(len(order), func(i int) bool { return day(i) >= at })
		end := sort.Search(len(order), func(i int) bool { return day(i) > at && !day(i).Time().Before(e.until) })
		if from == end {
			continue
		}
		covers[from]++
		covers[end]--
		mark := eventMark{row: order[from], last: order[end-1], events: []event{e}}
		if !e.until.IsZero() {
			mark.end = 1
		}
		p.marks = append(p.marks, mark)
	}
	p.framed = map[cube.Day]bool{}
	for i, n := 0, 0; i < len(order); i++ {
		if n += covers[i]; n > 0 {
			p.framed[day(i)] = true
		}
	}
	p.sayEvents(begins)
}

// findOpen marks the days that are not over, reports them, and removes them if the panel hides them.
func (p *calendarPanel) findOpen(xcol *dashboard.Column) {
	s := &split{xcol: *xcol, time: true, grain: cube.Daily, step: cube.Daily}
	s.xcol.Format = "" // days are written as days
	for _, d := range slices.Sorted(maps.Keys(p.value)) {
		s.x = append(s.x, cube.Category{Value: d.Time()})
	}
	days := s.x
	s.findPartial(&p.Rows, true)
	p.open = map[cube.Day]bool{}
	for i, c := range days {
		switch day := cube.DayOf(c.Value.(time.Time)); {
		case len(s.x) < len(days) && !slices.Contains(s.x, c):
			delete(p.value, day)
		case s.isPartial(i):
			p.open[day] = true
		}
	}
}

// noteDays reports that the values do not fit into the days.
func (p *calendarPanel) noteDays() {
	left := p.weekdays()
	for i := range p.years {
		left = append(left, p.Env.Year(p.years[i].first.Time()))
	}
	var all chart.PlacedValues
	for i := range p.years {
		for half := range p.halves() {
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

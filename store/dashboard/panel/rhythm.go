package panel

import (
	"slices"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// A rhythm describes which periods of an axis of times are expected to have a value: all except days of the week, and for hours and minutes
// times of day, that never have one. Moving averages and the gaps of lines use the same periods.
type rhythm struct {
	step   cube.Grain     // from one period to the next; Exact for times that are finer than minutes
	days   int64          // of days: from one expected day to the next, if values are weeks or months apart; 0 for each day
	every  int64          // of hours and minutes: seconds from one expected time to the next
	walls  bool           // these seconds are counted on the clock of the zone, which changes, and not as they pass
	median int64          // of times that are finer: microseconds from one to the next
	wall   *time.Location // of times without a zone: the zone of their wall clock; nil for others

	clock     zoneClock // of the times
	wallClock zoneClock // of wall
	busy      busyTimes // of the last whole day

	counted int64 // hours or minutes without values
	find    func() *encode.Habits
	found   *encode.Habits
}

// habitDays is the minimum number of days with values from which habits are derived.
const habitDays = 10

// farFromMedian is the number of usual steps from which on a step between times that are finer than minutes is a gap.
const farFromMedian = 5

// rhythmOf computes the rhythm of an axis with a step and some times, on which measures are drawn.
func (p *Rows) rhythmOf(col dashboard.Column, step cube.Grain, times []time.Time, measures []cube.Measure) *rhythm {
	r := &rhythm{step: step}
	if col.Type == cube.Timestamp {
		r.wall = p.Env.Zone
	}
	if own := p.Data.GrainsOf(col.Name); step == cube.Exact && len(own) > 0 {
		if r.step = own[0]; r.step.Size() > cube.Daily.Size() {
			r.step = cube.Daily
		}
	}
	switch unit := secondsOf(r.step); {
	case r.step == cube.Exact:
		r.median, _ = usualStep(times, 1)
	case r.step == cube.Daily:
		r.days = usualDays(times)
	case unit > 0:
		r.every = unit
		if micros, alike := usualStep(times, unit*1e6); alike {
			r.every = micros / 1e6
			r.walls = r.every > 3600 && onWalls(times, r.every)
		}
	}
	r.find = func() *encode.Habits { return p.habitsOf(col.Name, r.step, measures) }
	return r
}

// secondsOf returns the length of periods of a grain finer than days in seconds; 0 for others.
func secondsOf(g cube.Grain) int64 {
	switch g {
	case cube.Minutely:
		return 60
	case cube.Hourly:
		return 3600
	}
	return 0
}

// usualStep returns the median of the steps between times, in microseconds, and whether it is a multiple of unit, and at least nine tenths
// of the steps are multiples of it. If values are ten minutes apart, the minutes between them are not missing.
func usualStep(times []time.Time, unit int64) (micros int64, alike bool) {
	if len(times) < 2 {
		return 0, false
	}
	steps := make([]int64, 0, len(times)-1)
	for i := 1; i < len(times); i++ {
		d := times[i].UnixMicro() - times[i-1].UnixMicro()
		steps = append(steps, max(d, -d))
	}
	slices.Sort(steps)
	micros = steps[len(steps)/2]
	if micros < unit || micros%unit != 0 {
		return micros, false
	}
	multiples := 0
	for _, d := range steps {
		multiples += stat.One(d%micros == 0)
	}
	return micros, multiples*10 >= len(steps)*9
}

// usualDays returns the median of the steps between times, in days, if it is more than one, and at least nine tenths of the steps are about
// a multiple of it, as those between readings of each second week, or of the end of each month. Otherwise it returns 0.
func usualDays(times []time.Time) int64 {
	var steps []int64
	for i := 1; i < len(times); i++ {
		d := int64(cube.DayOf(times[i]) - cube.DayOf(times[i-1]))
		steps = append(steps, max(d, -d))
	}
	if len(steps) < 2 {
		return 0
	}
	slices.Sort(steps)
	usual, multiples := steps[len(steps)/2], 0
	if usual < 2 {
		return 0
	}
	for _, d := range steps {
		off := d % usual
		multiples += stat.One(d > usual/2 && min(off, usual-off) <= usual/5)
	}
	if multiples*10 < len(steps)*9 {
		return 0
	}
	return usual
}

// onWalls reports whether more of some times are multiples of seconds apart on the clock of their zone than as time passes.
func onWalls(times []time.Time, seconds int64) bool {
	more := 0
	for _, t := range times {
		more += stat.One((onWall(t).Unix()-onWall(times[0]).Unix())%seconds == 0) - stat.One((t.Unix()-times[0].Unix())%seconds == 0)
	}
	return more > 0
}

// habitsOf returns the days and times at which measures have values, in all rows of the dataset.
func (p *Rows) habitsOf(column string, step cube.Grain, measures []cube.Measure) *encode.Habits {
	var names []string
	for _, m := range measures {
		names = append(names, m.Column)
	}
	d, of := p.Data, p.Data.Span(column)
	key := strings.Join(append(names, string(step)), "\x00")
	if h := of.Habits[key]; h != nil {
		return h
	}
	rows := d.Cube.Having(d.EveryRow(), names...)
	h := &encode.Habits{Days: dashboard.BusyDays(d.Cube, rows, column, p.Env.Zone)}
	if of.Habits == nil {
		of.Habits = map[string]*encode.Habits{}
	}
	of.Habits[key] = h
	unit := secondsOf(step)
	if unit == 0 {
		return h
	}
	slots := make([]bool, daySeconds/unit)
	days := map[cube.Day]struct{}{}
	g := d.Cube.Group(rows, cube.Query{By: []cube.Dim{{Column: column, Grain: step, Zone: p.Env.Zone}}})
	for _, c := range g.Axes[0] {
		if t, ok := c.Value.(time.Time); ok {
			slots[slotOf(t, unit)] = true
			if len(days) < habitDays {
				days[cube.DayOf(t)] = struct{}{}
			}
		}
	}
	if len(days) >= habitDays {
		h.Slots = slots
	}
	return h
}

// slotOf returns the index of a time in its day, divided into slots of unit seconds.
func slotOf(t time.Time, unit int64) int64 {
	hour, minute, second := t.Clock()
	return int64(hour*3600+minute*60+second) / unit
}

func (r *rhythm) habits() *encode.Habits {
	if r.found == nil {
		r.found = r.find()
	}
	return r.found
}

// expects reports whether the period that begins at a time is expected to have a value.
func (r *rhythm) expects(t time.Time) bool {
	switch unit := secondsOf(r.step); {
	case r.step == cube.Daily:
		return r.habits().Days[t.Weekday()]
	case unit > 0:
		h, shown := r.habits(), r.clock.shown(t)
		if !h.Days[shown.Weekday()] || h.Slots != nil && !h.Slots[slotOf(shown, unit)] {
			return false
		}
		return r.wall == nil || r.wallClock.shows(shown, r.wall)
	}
	return true
}

// A hole is the expected periods without a value between two points.
type hole struct {
	periods  int
	from, to time.Time // the first and the last of them; of times finer than minutes, the points
}

// between returns the expected periods between two points.
func (r *rhythm) between(a, b time.Time) hole {
	if b.Before(a) {
		a, b = b, a
	}
	switch {
	case r.step == cube.Exact:
		if long := b.UnixMicro() - a.UnixMicro(); r.median > 0 && long > farFromMedian*r.median {
			return hole{int(long/r.median) - 1, a, b}
		}
		return hole{}
	case r.every > 0:
		return r.betweenClock(a, b)
	}
	var out hole
	first, end := r.step.Next(cube.DayOf(a)), cube.DayOf(b)
	if r.step != cube.Daily {
		for d := first; d < end; d = r.step.Next(d) {
			out = out.with(d.Time())
		}
		return out
	}
	if first+1 == end && isSkipped(first, a.Location()) {
		return out
	}
	if first >= end {
		return out
	}
	weeks := (end - first) / 7
	for _, n := range r.habits().Days {
		out.periods += stat.One(n) * int(weeks)
	}
	for d := first + 7*weeks; d < end; d++ {
		out.periods += stat.One(r.expects(d.Time()))
	}
	if out.periods > 0 {
		for out.from = first.Time(); !r.expects(out.from); out.from = out.from.AddDate(0, 0, 1) {
		}
		for out.to = (end - 1).Time(); !r.expects(out.to); out.to = out.to.AddDate(0, 0, -1) {
		}
	}
	return out
}

// missing is [rhythm.between], except that the days between values which are usually weeks or months apart are not missing.
func (r *rhythm) missing(a, b time.Time) hole {
	if r.days == 0 {
		return r.between(a, b)
	}
	from, to := cube.DayOf(a), cube.DayOf(b)
	if to < from {
		from, to = to, from
	}
	n := (int64(to-from)+r.days/2)/r.days - 1
	if n <= 0 {
		return hole{}
	}
	return hole{int(n), (from + cube.Day(r.days)).Time(), (to - cube.Day(r.days)).Time()}
}

// mostCounted is the maximum number of hours or minutes without values that are counted one by one on an axis; of those after them, some of
// each hour are counted, and the others are assumed to be like these.
const (
	mostCounted = 1_000_000
	fewCounted  = 100
)

// betweenClock is [rhythm.between] for hours and minutes.
func (r *rhythm) betweenClock(a, b time.Time) hole {
	var out hole
	from, end := a.Unix(), b.Unix()
	every, n := r.every, (end-from)/r.every
	if r.counted += n; r.counted > mostCounted {
		every *= n/fewCounted + 1
	}
	for s := from + every; s+every/2 <= end; { // at a clock change, a step differs by an hour
		t := time.Unix(s, 0).In(a.Location())
		if h, ok := r.wholeDay(t, every); ok && s+daySeconds-every+every/2 <= end {
			out = out.and(h)
			s += daySeconds
			continue
		}
		if r.expects(t) && !r.clock.isTwice(t) {
			out = out.with(t)
		}
		s += every
	}
	out.periods *= int(every / r.every)
	return out
}

// daySeconds is the length of a day on which the clock does not change.
const daySeconds = 24 * 3600

// wholeDay returns the expected periods of a day, in steps of seconds. ok is false if t is not the first of them, if other days have other
// times of day, or if the clock changes.
func (r *rhythm) wholeDay(t time.Time, every int64) (h hole, ok bool) {
	shown := r.clock.shown(t)
	first := slotOf(shown, 1)
	if first >= every || daySeconds%every != 0 || !r.clock.isFar(t.Unix(), mostShift+daySeconds) {
		return hole{}, false
	}
	if r.wall != nil && (!r.wallClock.shows(shown, r.wall) || !r.wallClock.isFar(shown.Unix(), mostOffset+daySeconds)) {
		return hole{}, false
	}
	if !r.habits().Days[shown.Weekday()] {
		return hole{}, true
	}
	if r.busy.first != first || r.busy.every != every {
		r.busy = r.busyTimes(first, every)
	}
	if r.busy.times == 0 {
		return hole{}, true
	}
	return hole{r.busy.times, t.Add(r.busy.from), t.Add(r.busy.to)}, true
}

// busyTimes are the times of day that are expected on a day with values, in steps from the first.
type busyTimes struct {
	first, every int64 // seconds from midnight to the first step, and from one to the next
	times        int
	from, to     time.Duration // from the first step to the first expected time, and to the last
}

func (r *rhythm) busyTimes(first, every int64) busyTimes {
	out, unit, slots := busyTimes{first: first, every: every}, secondsOf(r.step), r.habits().Slots
	for s := first; s < daySeconds; s += every {
		if slots != nil && !slots[s/unit] {
			continue
		}
		if out.to = time.Duration(s-first) * time.Second; out.times == 0 {
			out.from = out.to
		}
		out.times++
	}
	return out
}

// isSkipped reports whether a zone lacks a day, because it moved across the date line.
func isSkipped(d cube.Day, zone *time.Location) bool {
	y, m, day := d.Time().Date()
	return time.Date(y, m, day, 12, 0, 0, 0, zone).Day() != day
}

// with returns the hole with one more period at its end.
func (h hole) with(t time.Time) hole {
	if h.periods == 0 {
		h.from = t
	}
	return hole{h.periods + 1, h.from, t}
}

// and returns the hole with those of a later one after it.
func (h hole) and(later hole) hole {
	switch {
	case h.periods == 0:
		return later
	case later.periods == 0:
		return h
	}
	return hole{h.periods + later.periods, h.from, later.to}
}

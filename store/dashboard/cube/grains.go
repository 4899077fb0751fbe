package cube

import "time"

// grains are all grains, from fine to coarse.
var grains = []Grain{Exact, Minutely, Hourly, Daily, Weekly, Monthly, Quarterly, Yearly}

const daily = 3 // its place in grains

// Grains returns the grains by which all times of a column can be grouped as they are or rounded
// down, of instants in a zone, from fine to coarse. The first is the grain of the times themselves:
// the coarsest whose periods all of them begin, or Exact for times that are finer than a minute.
// The others have periods that are whole numbers of its own: of weeks neither months nor years are
// made, so there are none beside times that are all whole weeks apart. It is nil where there are
// no times.
func (c *Cube) Grains(name string, loc *time.Location, week Weekday) []Grain {
	col := c.Index(name)
	if col < 0 || !c.cols[col].Type.IsTime() {
		return nil
	}
	k := &c.cols[col]
	z := zone{loc: time.UTC}
	if k.Type == Instant {
		z.loc = orUTC(loc)
	}
	own := len(grains) - 1 // place of the coarsest, but for weeks, that all times so far begin
	weeks, weekly := true, true
	var first, last Day
	days := 0
	for row, n := range k.ints {
		if !k.has(row) {
			continue
		}
		d := Day(n)
		if k.Type != Date {
			local := z.local(n)
			d = Day(floorDiv(local, 1e6*secondsPerDay))
			if own = clockGrain(own, local-int64(d)*1e6*secondsPerDay); own == 0 {
				return grains
			}
		}
		if days > 0 && d == last {
			continue
		}
		if days == 0 {
			first = d
		}
		last = d
		days++
		weeks = weeks && (d-first)%7 == 0
		weekly = weekly && Weekly.Floor(d, week) == d
		for own > daily && grains[own].Floor(d, week) != d {
			if own--; grains[own] == Weekly {
				own--
			}
		}
	}
	switch {
	case days == 0:
		return nil
	case own == daily && days > 2 && weekly:
		return []Grain{Weekly}
	case own == daily && days > 2 && weeks:
		return []Grain{Daily}
	}
	return grains[own:]
}

// clockGrain is the place of the coarsest grain, at most own, that begins so many microseconds
// after midnight.
func clockGrain(own int, micros int64) int {
	if micros == 0 {
		return own
	}
	for own = min(own, daily-1); own > 0 && micros%grains[own].clock() != 0; own-- {
	}
	return own
}

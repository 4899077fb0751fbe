package cube

import "time"

// grains are all grains, from fine to coarse.
var grains = []Grain{Exact, Minutely, Hourly, Daily, Weekly, Monthly, Quarterly, Yearly}

const daily = 3 // its position in grains

// Grains returns the grains by which all times of a column can be grouped as they are or rounded down, of instants in a zone, from fine to
// coarse. The first is the grain of the times themselves: the coarsest grain such that each time begins a period of it, or Exact for times
// finer than a minute. The periods of the others are whole multiples of that grain's: months and years do not consist of whole weeks, so
// they are not included if all times are whole weeks apart. It returns nil if there are no times.
func (c *Cube) Grains(name string, loc *time.Location, week Weekday) []Grain {
	col := c.Index(name)
	if col < 0 || !c.cols[col].Type.IsTime() {
		return nil
	}
	k := &c.cols[col]
	z := zoneOf(k.Type, loc)
	own := len(grains) - 1 // position of the coarsest grain, except weeks, whose periods all times so far begin
	weeks, weekly := true, true
	var first, last Day
	days := 0
	for row, n := range k.ints {
		if !k.has(row) {
			continue
		}
		d := Day(n)
		if k.Type != Date {
			var clock int64
			d, clock = z.day(n)
			if own = z.coarsest(own, n, clock); own == 0 {
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

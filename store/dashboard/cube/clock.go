package cube

import "time"

// A zone converts instants to local time. It caches the current offset, because successive rows are mostly close in time.
type zone struct {
	loc        *time.Location
	from, to   int64 // seconds between which offset is valid
	offset     int64 // seconds east of UTC
	begun, end bool  // whether from and to are bounds
	known      bool
}

// zoneOf returns the zone in which a column of type t is read: loc for instants, and UTC for timestamps, which have no zone.
func zoneOf(t Type, loc *time.Location) zone {
	if t == Instant {
		return zone{loc: orUTC(loc)}
	}
	return zone{loc: time.UTC}
}

// local converts an instant to the wall clock, both in microseconds since 1970.
func (z *zone) local(micros int64) int64 {
	s := floorDiv(micros, 1e6)
	if !z.known || z.begun && s < z.from || z.end && s >= z.to {
		t := time.Unix(s, 0).In(z.loc)
		_, off := t.Zone()
		from, to := t.ZoneBounds()
		z.offset, z.known = int64(off), true
		z.begun, z.end = !from.IsZero(), !to.IsZero()
		if z.begun {
			z.from = from.Unix()
		}
		if z.end {
			z.to = to.Unix()
		}
	}
	return micros + z.offset*1e6
}

// day returns the day of an instant, and the microseconds after midnight on the clock. They are 0 for the first instant of the day, even if
// the clock skips midnight.
func (z *zone) day(micros int64) (d Day, clock int64) {
	local := z.local(micros)
	d = Day(floorDiv(local, 1e6*secondsPerDay))
	if clock = local - int64(d)*1e6*secondsPerDay; clock != 0 && z.begun && micros == z.from*1e6 {
		if DayOf(time.Unix(z.from-1, 0).In(z.loc)) < d {
			clock = 0
		}
	}
	return d, clock
}

// coarsest returns the position of the coarsest grain, at most own, that begins at an instant whose [zone.day] has returned clock.
func (z *zone) coarsest(own int, micros, clock int64) int {
	if clock == 0 {
		return own
	}
	for own = min(own, daily-1); own > 0 && clock%grains[own].clock() != 0 && !z.atChange(micros, grains[own].clock()); own-- {
	}
	return own
}

// atChange reports whether an hour or a minute begins at an instant only because the clock changes by a fraction of it: at the change
// itself, or where it would begin if the later offset had applied before. Some engines round to the one, some to the other.
func (z *zone) atChange(micros, unit int64) bool {
	if z.begun && micros == z.from*1e6 {
		return true
	}
	if !z.end || z.to*1e6-micros >= unit {
		return false
	}
	_, next := time.Unix(z.to, 0).In(z.loc).Zone()
	return (micros+int64(next)*1e6)%unit == 0
}

// floor rounds an instant down to a multiple of unit microseconds on the clock. An hour in which the clock changes is not longer.
func (z *zone) floor(micros, unit int64) int64 {
	local := z.local(micros)
	micros -= local - floorDiv(local, unit)*unit
	if z.begun {
		micros = max(micros, z.from*1e6)
	}
	return micros
}

// After returns the beginning of the period, Minutely or Hourly, that follows the period of t, on the clock of t's zone. A period ends at
// each change of the clock, so an hour is shorter next to a change by a fraction of an hour.
func (g Grain) After(t time.Time) time.Time {
	unit := max(g.clock(), 1)
	z := zone{loc: t.Location()}
	micros := t.UnixMicro()
	z.local(micros)
	next := micros + unit
	if z.end && z.to*1e6 <= next {
		return time.Unix(z.to, 0).In(z.loc)
	}
	return time.UnixMicro(z.floor(next, unit)).In(z.loc)
}

// A clockKey is the key of a cached result about the times of a column.
type clockKey struct {
	col  int
	zone string
}

// own returns the position of the finest grain that the times of a column need, at most a day; for instants, on the clock of a zone. The
// result is cached, because each grouping needs it.
func (c *Cube) own(col int, loc *time.Location) int {
	k := &c.cols[col]
	if k.Type == Date {
		return daily
	}
	z := zoneOf(k.Type, loc)
	key := clockKey{col, z.loc.String()}
	if known, ok := c.clocks.Load(key); ok {
		return known.(int)
	}
	own := daily
	for row, n := range k.ints {
		if own == 0 {
			break
		}
		if k.has(row) {
			_, clock := z.day(n)
			own = z.coarsest(own, n, clock)
		}
	}
	c.clocks.Store(key, own)
	return own
}

// settled adjusts a dimension of a column of times for grouping: times that each begin a day are grouped as days, even if the days begin at
// different hours, and times that the SQL has rounded to hours or minutes are not rounded to these again, because engines round differently
// near a change of the clock.
func (c *Cube) settled(col int, dim Dim) Dim {
	own, asked := c.own(col, dim.Zone), dim.Grain.Size()
	switch {
	case own == daily && asked < daily:
		dim.Grain = Daily
	case asked < daily && own >= asked:
		dim.Grain = Exact
	}
	return dim
}

// Finest returns the finest grain that the times of a column need, for any selection of rows: Daily if each is a date or the first instant
// of a day in a zone; Hourly; Minutely; or Exact for finer times. digits is the number of decimals that their seconds need: 0, 3 or 6. It
// returns Exact for a column that has no times.
func (c *Cube) Finest(name string, loc *time.Location) (g Grain, digits int) {
	col := c.Index(name)
	if col < 0 || !c.cols[col].Type.IsTime() {
		return Exact, 0
	}
	g = grains[c.own(col, loc)]
	if g != Exact {
		return g, 0
	}
	k := &c.cols[col]
	for row, n := range k.ints {
		switch {
		case !k.has(row):
		case n%1e3 != 0:
			return g, 6
		case n%1e6 != 0:
			digits = 3
		}
	}
	return g, digits
}

package panel

import (
	"math"
	"time"
)

// A zoneClock is the wall clock of a zone. It remembers between which changes its last time was, since a search for the changes of a zone
// takes longer than everything else that is done with a minute.
type zoneClock struct {
	zone        *time.Location
	from, until int64 // the last change and the next one, in seconds since 1970
	offset      int64 // of the clock between them, in seconds
}

// find finds the changes around a time, in seconds since 1970.
func (c *zoneClock) find(s int64, zone *time.Location) {
	if c.zone == zone && c.from <= s && s < c.until {
		return
	}
	t := time.Unix(s, 0).In(zone)
	_, offset := t.Zone()
	*c = zoneClock{zone, math.MinInt64, math.MaxInt64, int64(offset)}
	from, until := t.ZoneBounds()
	if !from.IsZero() {
		c.from = from.Unix()
	}
	if !until.IsZero() {
		c.until = until.Unix()
	}
}

// shown returns the time, to the second, that the clock of the zone of t shows at t, marked UTC.
func (c *zoneClock) shown(t time.Time) time.Time {
	c.find(t.Unix(), t.Location())
	return time.Unix(t.Unix()+c.offset, 0).UTC()
}

// isTwice reports whether the clock of the zone of t shows t twice, because summer time ends. Engines that round by the clock have one of
// the two.
func (c *zoneClock) isTwice(t time.Time) bool {
	c.find(t.Unix(), t.Location())
	if c.isFar(t.Unix(), mostShift) {
		return false
	}
	_, ok := twin(t)
	return ok
}

// shows reports whether the clock of a zone ever shows the hour and minute of wall, which is marked UTC: it skips an hour when summer time
// begins, and shows another one instead.
func (c *zoneClock) shows(wall time.Time, zone *time.Location) bool {
	c.find(wall.Unix(), zone)
	if c.isFar(wall.Unix(), mostOffset) {
		return true
	}
	y, m, d := wall.Date()
	shown := time.Date(y, m, d, wall.Hour(), wall.Minute(), 0, 0, zone)
	return shown.Hour() == wall.Hour() && shown.Minute() == wall.Minute()
}

const (
	mostShift  = 2 * 3600  // seconds by which a clock is put forward or back, at most
	mostOffset = 26 * 3600 // more seconds than any zone is from UTC
)

// isFar reports whether the clock does not change within some seconds of a time.
func (c *zoneClock) isFar(s, seconds int64) bool { return c.from+seconds <= s && s < c.until-seconds }

// twin returns the other time at which a clock in the zone of a time shows the same; ok is false if no other time does.
func twin(t time.Time) (other time.Time, ok bool) {
	for _, shift := range [...]time.Duration{30 * time.Minute, time.Hour, mostShift * time.Second} {
		for _, other := range [...]time.Time{t.Add(-shift), t.Add(shift)} {
			if other.Hour() == t.Hour() && other.Minute() == t.Minute() {
				return other, true
			}
		}
	}
	return other, false
}

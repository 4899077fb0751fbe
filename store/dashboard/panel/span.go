package panel

import (
	"time"

	"service/store/dashboard/cube"
)

// Times on axes are counted in seconds: the difference of two times as a [time.Duration] ends at 292 years.

// secondsTo is how many seconds there are from one time to another.
func secondsTo(from, to time.Time) float64 {
	return float64(to.Unix()-from.Unix()) + float64(to.Nanosecond()-from.Nanosecond())/1e9
}

// between is where a time is between two others: 0 at from, 1 at to, which is another time.
func between(t, from, to time.Time) float64 { return secondsTo(from, t) / secondsTo(from, to) }

// beginsDay reports whether a day begins at a time on the clock of its zone: not at midnight where
// the clock skips it.
func beginsDay(t time.Time) bool { return cube.DayOf(t).In(t.Location()).Equal(t) }

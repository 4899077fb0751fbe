package panel

import (
	"time"

	"service/store/dashboard/cube"
)

// Differences of times on axes are float64 seconds, because a [time.Duration] cannot exceed 292 years.

// secondsTo returns the number of seconds from one time to another.
func secondsTo(from, to time.Time) float64 {
	return float64(to.Unix()-from.Unix()) + float64(to.Nanosecond()-from.Nanosecond())/1e9
}

// between returns the position of a time between two others: 0 at from, 1 at to. The two must differ.
func between(t, from, to time.Time) float64 { return secondsTo(from, t) / secondsTo(from, to) }

// beginsDay reports whether a day begins at a time on the clock of its zone. If the clock skips midnight, the day begins later.
func beginsDay(t time.Time) bool { return cube.DayOf(t).In(t.Location()).Equal(t) }

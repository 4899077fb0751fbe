package panel

import (
	"math/rand/v2"
	"testing"
	"time"

	"service/store/dashboard/chart/stat"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
)

// TestZoneClock: around every change of a clock, and far from it, a clock that remembers changes shows what package time shows.
func TestZoneClock(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"UTC", "Europe/Berlin", "America/Los_Angeles", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Chatham", "Asia/Kathmandu",
		"America/Sao_Paulo", "Africa/Casablanca", "Antarctica/Troll",
	} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		var clock, wall zoneClock
		check := func(at time.Time) {
			if got, want := clock.shown(at), onWall(at.Truncate(time.Second)); !got.Equal(want) {
				t.Errorf("%s shows %v, want %v", at, got, want)
			}
			if _, want := twin(at); clock.isTwice(at) != want {
				t.Errorf("%s is twice: %v, want %v", at, !want, want)
			}
			at = at.UTC() // what a clock would show
			y, m, d := at.Date()
			shown := time.Date(y, m, d, at.Hour(), at.Minute(), 0, 0, zone)
			if want := shown.Hour() == at.Hour() && shown.Minute() == at.Minute(); wall.shows(at, zone) != want {
				t.Errorf("the clock of %s shows %s: %v, want %v", zone, at, !want, want)
			}
		}
		for _, year := range []int{1890, 1950, 2011, 2026, 2099, 9999} {
			for at, end := time.Date(year, 1, 1, 0, 0, 0, 5, zone), time.Date(year+1, 1, 1, 0, 0, 0, 0, zone); at.Before(end); {
				check(at)
				_, next := at.ZoneBounds()
				for far := -30 * time.Hour; far <= 30*time.Hour && !next.IsZero() && next.Before(end); far += 15 * time.Minute {
					check(next.Add(far))
				}
				if at = at.Add(30 * 24 * time.Hour); !next.IsZero() && next.Before(at) {
					at = next
				}
			}
		}
	}
}

// TestWholeDaysOfHoles: a hole whose days are counted whole has the periods that are found one by one, in all zones, also where clocks
// change, and with steps that do not divide a day.
func TestWholeDaysOfHoles(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	long := 0
	for range 1000 {
		zone, err := time.LoadLocation([]string{
			"UTC", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Chatham", "America/Sao_Paulo", "Africa/Casablanca",
		}[r.IntN(7)])
		if err != nil {
			t.Fatal(err)
		}
		step := []cube.Grain{cube.Minutely, cube.Hourly}[r.IntN(2)]
		habits := encode.Habits{}
		for d := range habits.Days {
			habits.Days[d] = r.IntN(4) > 0
		}
		if r.IntN(2) == 0 {
			habits.Slots = make([]bool, daySeconds/secondsOf(step))
			for i, share := 0, 1+r.IntN(50); i < len(habits.Slots); i++ {
				habits.Slots[i] = r.IntN(share) == 0
			}
		}
		gaps := &rhythm{step: step, every: secondsOf(step) * []int64{1, 2, 3, 5, 7, 15}[r.IntN(6)], found: &habits}
		if r.IntN(2) == 0 {
			zone, gaps.wall = time.UTC, zone
		}
		a := time.Unix([]int64{1_325_200_000, 1_774_000_000, -2_500_000_000, 4_100_000_000}[r.IntN(4)]+
			r.Int64N(365*24)*3600+60*r.Int64N(60), 0).In(zone)
		b := a.Add(time.Duration(r.Int64N(6*24*60)) * time.Minute)
		var want hole
		for s := a.Unix() + gaps.every; s+gaps.every/2 <= b.Unix(); s += gaps.every {
			at := time.Unix(s, 0).In(zone)
			if _, twice := twin(at); !twice && expected(gaps, at) {
				want = want.with(at)
			}
		}
		if got := gaps.between(a, b); got != want {
			t.Fatalf("%s every %d s from %s to %s, wall %v: %v, want %v", step, gaps.every, a, b, gaps.wall, got, want)
		}
		long += stat.One(want.periods > 0 && b.Sub(a) > 48*time.Hour)
	}
	if long < 400 {
		t.Errorf("%d long holes: the test sees too little", long)
	}
}

// expected reports the same as [rhythm.expects] for hours and minutes, without a [zoneClock].
func expected(r *rhythm, t time.Time) bool {
	slot := int64(t.Hour()*3600+t.Minute()*60) / secondsOf(r.step)
	if !r.found.Days[t.Weekday()] || r.found.Slots != nil && !r.found.Slots[slot] {
		return false
	}
	if r.wall == nil {
		return true
	}
	y, m, d := t.Date()
	shown := time.Date(y, m, d, t.Hour(), t.Minute(), 0, 0, r.wall)
	return shown.Hour() == t.Hour() && shown.Minute() == t.Minute()
}

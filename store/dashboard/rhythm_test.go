package dashboard_test

import (
	"testing"
	"time"

	"service/store/dashboard"
)

// TestRhythmKeepsTheClock: a day has one time at which a delivery is due, also if the clocks change on it.
func TestRhythmKeepsTheClock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, zone, after string
		rhythm            dashboard.Rhythm
		want              []string
	}{
		{
			"the hour that is skipped", "Europe/Berlin", "2026-03-28T00:00:00Z",
			dashboard.Rhythm{Every: dashboard.EveryDay, Minute: 2*60 + 30},
			[]string{"2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"},
		},
		{
			"the hour that comes twice", "Europe/Berlin", "2026-10-24T00:00:00Z",
			dashboard.Rhythm{Every: dashboard.EveryDay, Minute: 2*60 + 30},
			[]string{"2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"},
		},
		{
			"behind UTC, skipped", "America/New_York", "2026-03-07T08:00:00Z",
			dashboard.Rhythm{Every: dashboard.EveryDay, Minute: 2*60 + 30},
			[]string{"2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"},
		},
		{
			"behind UTC, twice", "America/New_York", "2026-10-31T12:00:00Z",
			dashboard.Rhythm{Every: dashboard.EveryDay, Minute: 60 + 30},
			[]string{"2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"},
		},
		{
			"a change of half an hour", "Australia/Lord_Howe", "2026-10-03T00:00:00Z",
			dashboard.Rhythm{Every: dashboard.EveryDay, Minute: 2*60 + 15},
			[]string{"2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"},
		},
		{
			"a day that is missing", "Pacific/Apia", "2011-12-29T00:00:00Z",
			dashboard.Rhythm{Every: dashboard.EveryDay, Minute: 8 * 60},
			[]string{"2011-12-29T18:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T18:00:00Z"},
		},
		{
			"the morning at the other side of midnight", "Asia/Tokyo", "2026-11-22T22:00:00Z",
			dashboard.Rhythm{Every: dashboard.EveryWeek, Day: 1, Minute: 8 * 60},
			[]string{"2026-11-22T23:00:00Z", "2026-11-29T23:00:00Z"},
		},
		{
			"the last day of months", "UTC", "2027-12-31T08:00:00Z",
			dashboard.Rhythm{Every: dashboard.EveryMonth, Day: 31, Minute: 8 * 60},
			[]string{"2028-01-31T08:00:00Z", "2028-02-29T08:00:00Z", "2028-03-31T08:00:00Z", "2028-04-30T08:00:00Z"},
		},
		{
			"the first Monday of months", "Europe/Berlin", "2026-08-31T08:00:00Z",
			dashboard.Rhythm{Every: dashboard.EveryMonth, Day: dashboard.MonthWeekday(0, 1), Minute: 8 * 60},
			[]string{"2026-09-07T06:00:00Z", "2026-10-05T06:00:00Z", "2026-11-02T07:00:00Z", "2026-12-07T07:00:00Z"},
		},
		{
			"the fourth and not the last Sunday", "UTC", "2026-08-01T08:00:00Z",
			dashboard.Rhythm{Every: dashboard.EveryMonth, Day: dashboard.MonthWeekday(3, 0), Minute: 8 * 60},
			[]string{"2026-08-23T08:00:00Z", "2026-09-27T08:00:00Z"},
		},
		{
			"the last Friday", "UTC", "2026-01-01T08:00:00Z",
			dashboard.Rhythm{Every: dashboard.EveryMonth, Day: dashboard.MonthWeekday(4, 5), Minute: 8 * 60},
			[]string{"2026-01-30T08:00:00Z", "2026-02-27T08:00:00Z", "2026-03-27T08:00:00Z"},
		},
		{
			"after each refresh", "UTC", "2027-12-31T08:00:00Z",
			dashboard.Rhythm{Every: dashboard.EveryRefresh},
			[]string{"0001-01-01T00:00:00Z"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			zone, err := time.LoadLocation(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			at := instant(t, c.after)
			for _, want := range c.want {
				if at = c.rhythm.Next(at, zone); at.Format(time.RFC3339) != want {
					t.Fatalf("due %s (%s), want %s", at.Format(time.RFC3339), at.In(zone), want)
				}
			}
		})
	}
}

// Every time that is due is later than the one before, and shows the wall's time or is the moment of a change.
func TestRhythmOfYears(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kathmandu"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for minute := 0; minute < 24*60; minute += 30 {
			r := dashboard.Rhythm{Every: dashboard.EveryDay, Minute: minute}
			days := map[string]bool{}
			for at := instant(t, "2024-12-31T00:00:00Z"); at.Year() < 2027; {
				next := r.Next(at, zone)
				here := next.In(zone)
				start, _ := here.ZoneBounds()
				if !next.After(at) || next.Sub(at) > 26*time.Hour && at.Year() > 2024 {
					t.Fatalf("%s %s: %s follows %s", name, r.Clock(), next, at)
				}
				if here.Format("15:04") != r.Clock() && !start.Equal(next) {
					t.Fatalf("%s: due at %s, want %s", name, here, r.Clock())
				}
				if day := here.Format(time.DateOnly); days[day] {
					t.Fatalf("%s %s: twice on %s", name, r.Clock(), day)
				} else {
					days[day] = true
				}
				at = next
			}
		}
	}
}

// The last of several missed times is due, and a served time is not due again.
func TestRhythmFollowing(t *testing.T) {
	t.Parallel()
	r := dashboard.Rhythm{Every: dashboard.EveryDay, Minute: 8 * 60}
	for _, c := range []struct{ due, now, want string }{
		{"2026-11-01T08:00:00Z", "2026-11-01T08:00:05Z", "2026-11-02T08:00:00Z"},
		{"2026-11-01T08:00:00Z", "2026-11-02T08:00:05Z", "2026-11-02T08:00:00Z"},
		{"2026-11-01T08:00:00Z", "2026-11-09T07:00:00Z", "2026-11-08T08:00:00Z"},
		{"1970-01-01T08:00:00Z", "2026-11-09T09:00:00Z", "2026-11-09T08:00:00Z"},
	} {
		if got := r.Following(instant(t, c.due), instant(t, c.now), time.UTC); got.Format(time.RFC3339) != c.want {
			t.Errorf("after %s, at %s: %s, want %s", c.due, c.now, got.Format(time.RFC3339), c.want)
		}
	}
}

func TestClocks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"00:00": 0, "08:05": 485, "23:59": 1439, "24:00": -1, "8:05": -1, "08:60": -1, "": -1, "08:05:00": -1,
	} {
		got, ok := dashboard.ParseClock(text)
		if ok != (want >= 0) || ok && (got != want || (dashboard.Rhythm{Minute: got}).Clock() != text) {
			t.Errorf("%s: %d %t", text, got, ok)
		}
	}
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

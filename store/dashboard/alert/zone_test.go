package alert

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// turned are time zones and a day of each whose clock changes: where the day has no midnight, or two, by half an hour or by
// two, and where the day before is skipped.
var turned = []struct{ zone, day string }{
	{"America/Santiago", "2026-09-06"},
	{"America/Havana", "2026-03-08"},
	{"America/Havana", "2026-11-01"},
	{"America/Asuncion", "2023-10-01"},
	{"America/Sao_Paulo", "2018-11-04"},
	{"Asia/Beirut", "2026-03-29"},
	{"Asia/Beirut", "2026-10-25"},
	{"Africa/Cairo", "2026-04-24"},
	{"Asia/Amman", "2021-03-26"},
	{"Australia/Lord_Howe", "2026-10-04"},
	{"Australia/Lord_Howe", "2026-04-05"},
	{"Antarctica/Troll", "2026-03-29"},
	{"Pacific/Chatham", "2026-09-27"},
	{"Pacific/Apia", "2011-12-31"},
	{"Pacific/Kwajalein", "1993-08-22"},
	{"Africa/Casablanca", "2026-03-22"},
	{"Europe/Dublin", "2026-10-25"},
	{"UTC", "2026-10-25"},
}

// dated is a dataset d of instants in a zone, with the alerts.
func dated(t *testing.T, zone, alert string) *dashboard.Spec {
	t.Helper()
	s, err := dashboard.Parse([]byte(fmt.Sprintf(`{"timezone": "%s",
		"datasets": [{"id": "d", "sql": "SELECT at, sum(n) AS n FROM t GROUP BY 1"}],
		"alerts": [{"id": "a", "data": "d", "x": "at", %s}]}`, zone, alert)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// instants is a cube of instants with 100 each, but 1 for the last.
func instants(t *testing.T, times []time.Time) *cube.Cube {
	t.Helper()
	b := cube.NewBuilder([]cube.Column{{Name: "at", Type: cube.Instant}, {Name: "n", Type: cube.Integer}})
	for i, at := range times {
		n := int64(100)
		if i == len(times)-1 {
			n = 1
		}
		if err := b.Add([]any{at, n}); err != nil {
			t.Fatal(err)
		}
	}
	return b.Cube()
}

// TestDaysOfZones: in any zone and at any hour, the day that is not over is not judged, and the day before is. This includes the days on
// which the clock changes, and the days next to them.
func TestDaysOfZones(t *testing.T) {
	t.Parallel()
	for _, tc := range turned {
		spec := dated(t, tc.zone, `"value": "n", "if": "<", "than": 100`)
		loc := spec.Location()
		change, err := time.Parse(time.DateOnly, tc.day)
		if err != nil {
			t.Fatal(err)
		}
		for days := -2; days <= 12; days++ {
			var times []time.Time
			today := cube.DayOf(change) + cube.Day(days)
			for d := cube.DayOf(change) - 20; d <= today; d++ {
				if at := d.In(loc); len(times) == 0 || at.After(times[len(times)-1]) { // a day may be skipped
					times = append(times, at)
				}
			}
			begun, ended := times[len(times)-1], (cube.DayOf(times[len(times)-1]) + 1).In(loc)
			rows := instants(t, times)
			for now := begun; now.Before(ended); now = now.Add(30 * time.Minute) {
				in := Input{Spec: spec, Cubes: map[string]*cube.Cube{"d": rows}, AsOf: now, LastGood: now}
				r := Judge(in, &spec.Alerts[0])
				want := cube.DayOf(times[len(times)-2]).Time()
				if len(r.Findings) != 1 || r.Findings[0].Holds || !r.Findings[0].Period.Equal(want) || r.Grain != cube.Daily {
					t.Fatalf("%s at %s: by %q, %s %v, want %s", tc.zone, now.In(loc), r.Grain, told(r), r.Findings, want)
				}
			}
			in := Input{Spec: spec, Cubes: map[string]*cube.Cube{"d": rows}, AsOf: ended, LastGood: ended}
			if r := Judge(in, &spec.Alerts[0]); len(r.Findings) != 1 || !r.Findings[0].Holds {
				t.Errorf("%s after %s: %s", tc.zone, begun.In(loc), told(r))
			}
		}
	}
}

// A row of a future day is not judged before that day is over, west of Greenwich too.
func TestDaysToCome(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Pacific/Honolulu", "America/Santiago", "UTC", "Europe/Berlin", "Pacific/Kiritimati"} {
		spec := dated(t, zone, `"value": "n", "if": "<", "than": 100`)
		loc := spec.Location()
		today := cube.DayOf(time.Date(2026, 5, 5, 0, 0, 0, 0, time.UTC))
		rows := instants(t, []time.Time{(today - 2).In(loc), (today - 1).In(loc), today.In(loc), (today + 1).In(loc)})
		for now := today.In(loc); now.Before((today + 1).In(loc)); now = now.Add(30 * time.Minute) {
			r := Judge(Input{Spec: spec, Cubes: map[string]*cube.Cube{"d": rows}, AsOf: now, LastGood: now}, &spec.Alerts[0])
			if len(r.Findings) != 1 || r.Findings[0].Holds || !r.Findings[0].Period.Equal((today - 1).Time()) {
				t.Fatalf("%s at %s: %v", zone, now.In(loc), r.Findings)
			}
		}
	}
}

// If each hour, and each day, has its row, no period is missing: of hours that the clock shows twice, skips or cuts short, and of days that
// it skips. hours are as Postgres rounds them.
func TestNoPeriodOfZonesIsMissed(t *testing.T) {
	t.Parallel()
	for _, tc := range turned {
		change, err := time.Parse(time.DateOnly, tc.day)
		if err != nil {
			t.Fatal(err)
		}
		for _, grain := range []string{"hour", "day"} {
			spec := dated(t, tc.zone, `"rows": "none", "grain": "`+grain+`"`)
			loc := spec.Location()
			var times []time.Time
			for at := change.Add(-72 * time.Hour); at.Before(change.Add(72 * time.Hour)); at = at.Add(10 * time.Minute) {
				_, offset := at.In(loc).Zone()
				begun := at.Add(time.Duration(offset) * time.Second).Truncate(time.Hour).Add(-time.Duration(offset) * time.Second)
				if grain == "day" {
					begun = cube.DayOf(at.In(loc)).In(loc)
				}
				if !slices.ContainsFunc(times, begun.Equal) {
					times = append(times, begun)
				}
			}
			now := times[len(times)-1]
			in := Input{Spec: spec, Cubes: map[string]*cube.Cube{"d": instants(t, times)}, AsOf: now, LastGood: now}
			s := read(in, &spec.Alerts[0])
			if len(s.judged) < len(times)/2 {
				t.Errorf("%s: %d of %d %ss are judged: %s", tc.zone, len(s.judged), len(times), grain, s.Unknown)
			}
			for at, period := range s.judged {
				if at == 0 && grain == "hour" || period.Before(times[0]) { // the first day has no first hours
					continue
				}
				if f := s.finding(0, at); f.Holds {
					t.Errorf("%s: the %s of %s has rows, and is said to have none", tc.zone, grain, period)
				}
			}
		}
	}
}

// Rows of a day long ago cost no more than others, and the newest hours are judged.
func TestHoursOfCenturies(t *testing.T) {
	t.Parallel()
	for _, first := range []int{1, 1000, 1700, 1900} {
		spec := dated(t, "Europe/Berlin", `"rows": "none", "grain": "hour"`)
		now := time.Date(2026, 5, 5, 12, 30, 0, 0, time.UTC)
		rows := instants(t, []time.Time{time.Date(first, 2, 3, 4, 0, 0, 0, time.UTC), now.Truncate(time.Hour)})
		s := read(Input{Spec: spec, Cubes: map[string]*cube.Cube{"d": rows}, AsOf: now, LastGood: now}, &spec.Alerts[0])
		n := len(s.judged)
		if n != mostPeriods || !s.judged[n-1].Equal(now.Truncate(time.Hour).Add(-time.Hour)) {
			t.Errorf("since %d: %d periods", first, n)
		}
	}
}

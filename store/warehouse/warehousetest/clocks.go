package warehousetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// A Clock has the SQL by which a source rounds instants down in the time zone of its session.
type Clock struct {
	// Moments is the text after FROM. It has a column m: [Moments] instants, every half hour from [FirstMoment] on.
	Moments string
	// Hour, Day, Week (from a Monday) and Month are expressions of m.
	Hour, Day, Week, Month string
	// Midnight is an expression of the instant at which the day of m begins, or "" if the engine rounds only to dates.
	Midnight string
	// WholeHours is true of an engine that rounds to hours as if clocks changed by whole hours: its hours on Lord Howe
	// begin at half past the hour from one change to the next.
	WholeHours bool
}

// Moments is the number of instants: they include both clock changes of 2026, in either hemisphere.
const Moments = 264 * 48

// FirstMoment is the first of them.
var FirstMoment = time.Date(2026, 2, 25, 0, 0, 0, 0, time.UTC)

// Zones are the time zones of the test. In the last five the clock changes at midnight, or by half an hour.
var Zones = []string{
	"UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Pacific/Auckland",
	"America/Santiago", "Africa/Cairo", "Asia/Beirut", "America/Havana", "Australia/Lord_Howe",
}

// clocks compares the source's counts of the instants of each hour, day, week and month in every zone with those by Go.
func clocks(t *testing.T, s Source) {
	for _, name := range Zones {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		c := warehouse.In(s.Open(t), zone)
		for _, unit := range []struct {
			name, sql string
			begin     func(local time.Time) time.Time // on a clock that is marked UTC
		}{
			{"hour", s.Clock.Hour, func(l time.Time) time.Time { return l.Truncate(time.Hour) }},
			{"day", s.Clock.Day, func(l time.Time) time.Time { return l.Truncate(24 * time.Hour) }},
			{"week", s.Clock.Week, func(l time.Time) time.Time {
				return l.Truncate(24*time.Hour).AddDate(0, 0, -(int(l.Weekday())+6)%7)
			}},
			{"month", s.Clock.Month, func(l time.Time) time.Time {
				return time.Date(l.Year(), l.Month(), 1, 0, 0, 0, 0, time.UTC)
			}},
		} {
			if unit.name == "hour" && s.Clock.WholeHours && name == "Australia/Lord_Howe" {
				continue
			}
			table := ask(t, c, "SELECT "+unit.sql+" AS at, count(*) AS n FROM "+s.Clock.Moments+" GROUP BY 1")
			kind := table.Cols[0].Type
			got := map[string]int64{}
			for _, row := range table.Rows {
				at := row[0].(time.Time)
				if kind == cube.Instant && unit.name != "hour" { // if a day has two midnights, engines differ in the one they return
					at = cube.DayOf(at.In(zone)).Time()
				}
				got[at.UTC().Format(time.RFC3339)] += row[1].(int64)
			}
			want := map[string]int64{}
			for i := range Moments {
				m := FirstMoment.Add(time.Duration(i) * 30 * time.Minute)
				_, offset := m.In(zone).Zone()
				local := m.Add(time.Duration(offset) * time.Second)
				begin := unit.begin(local)
				if kind == cube.Instant && unit.name == "hour" {
					begin = m.Add(begin.Sub(local))
				}
				want[begin.UTC().Format(time.RFC3339)]++
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%ss in %s, of type %s (-want +got):\n%s", unit.name, name, kind, diff)
			}
		}
		if s.Clock.Midnight != "" {
			midnights(t, c, s.Clock, zone)
		}
	}
	nowhere := time.FixedZone("Mars/Olympus_Mons", 0)
	if _, err := warehouse.In(s.Open(t), nowhere).Query(t.Context(), "SELECT 1 AS n", nil, Wide, &Table{}); err == nil {
		t.Error("a time zone that there is not was taken")
	} else {
		classOf(t, s, "in a zone that there is not", err)
	}
}

// midnights makes the source round the instants down to days, and checks that a cube reads each as a different day.
func midnights(t *testing.T, c warehouse.Connector, clock Clock, zone *time.Location) {
	table := ask(t, c, "SELECT DISTINCT "+clock.Midnight+" AS at FROM "+clock.Moments)
	b := cube.NewBuilder([]cube.Column{{Name: "at", Type: table.Cols[0].Type}})
	for _, row := range table.Rows {
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	days := map[cube.Day]bool{}
	for i := range Moments {
		days[cube.DayOf(FirstMoment.Add(time.Duration(i)*30*time.Minute).In(zone))] = true
	}
	rounded := b.Cube()
	if got := rounded.Grains("at", zone, 0); len(got) == 0 || got[0] != cube.Daily {
		t.Errorf("midnights in %s are not days: their grains are %q", zone, got)
	}
	g := rounded.Group(rounded.Select(), cube.Query{By: []cube.Dim{{Column: "at", Zone: zone}}})
	if g.Len() != len(days) {
		t.Errorf("midnights in %s are %d groups, want %d", zone, g.Len(), len(days))
	}
	for i := range g.Len() {
		if at := g.Category(i, 0).Value.(time.Time); at.Hour()+at.Minute()+at.Second() > 0 || !days[cube.DayOf(at)] {
			t.Errorf("midnights in %s: %s is not a day", zone, at)
		}
	}
}

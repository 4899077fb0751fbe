package warehousetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// A Clock is how a source rounds moments down on the clock of its session.
type Clock struct {
	// Moments is what stands behind FROM and has a column m: [Moments] moments,
	// every half hour from [FirstMoment] on.
	Moments string
	// Hour, Day, Week (from a Monday) and Month are expressions of m.
	Hour, Day, Week, Month string
}

// Moments is how many moments there are: they hold both changes of the clock of
// 2026, in either half of the earth.
const Moments = 264 * 48

// FirstMoment is the first of them.
var FirstMoment = time.Date(2026, 2, 25, 0, 0, 0, 0, time.UTC)

// Zones are the time zones of the proof.
var Zones = []string{"UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Pacific/Auckland"}

// clocks has the source count the moments of each hour, day, week and month in every
// zone, and counts them by Go.
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
			table := ask(t, c, "SELECT "+unit.sql+" AS at, count(*) AS n FROM "+s.Clock.Moments+" GROUP BY 1")
			kind := table.Cols[0].Type
			got := map[string]int64{}
			for _, row := range table.Rows {
				got[row[0].(time.Time).UTC().Format(time.RFC3339)] += row[1].(int64)
			}
			want := map[string]int64{}
			for i := range Moments {
				m := FirstMoment.Add(time.Duration(i) * 30 * time.Minute)
				_, offset := m.In(zone).Zone()
				local := m.Add(time.Duration(offset) * time.Second)
				begin := unit.begin(local)
				switch {
				case kind != cube.Instant:
				case unit.name == "hour":
					begin = m.Add(begin.Sub(local))
				default:
					begin = cube.DayOf(begin).In(zone)
				}
				want[begin.UTC().Format(time.RFC3339)]++
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%ss in %s, of type %s (-want +got):\n%s", unit.name, name, kind, diff)
			}
		}
	}
	nowhere := time.FixedZone("Mars/Olympus_Mons", 0)
	if _, err := warehouse.In(s.Open(t), nowhere).Query(t.Context(), "SELECT 1 AS n", nil, Wide, &Table{}); err == nil {
		t.Error("a time zone that there is not was taken")
	} else {
		classOf(t, s, "in a zone that there is not", err)
	}
}

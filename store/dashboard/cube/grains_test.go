package cube

import (
	"slices"
	"testing"
	"time"
)

// The grains of a column are those whose periods consist of whole periods of the rows.
func TestGrains(t *testing.T) {
	t.Parallel()
	every := func(from string, n int, next func(time.Time) time.Time) []time.Time {
		at, err := time.Parse("2006-01-02 15:04:05", from)
		if err != nil {
			t.Fatal(err)
		}
		var out []time.Time
		for range n {
			out = append(out, at)
			at = next(at)
		}
		return out
	}
	step := func(d time.Duration) func(time.Time) time.Time {
		return func(t time.Time) time.Time { return t.Add(d) }
	}
	date := func(y, m, d int) func(time.Time) time.Time {
		return func(t time.Time) time.Time { return t.AddDate(y, m, d) }
	}
	berlin := location(t, "Europe/Berlin")
	for name, tc := range map[string]struct {
		times []time.Time
		kind  Type
		zone  *time.Location
		week  Weekday
		want  []Grain
	}{
		"seconds":      {every("2026-05-01 00:00:00", 99, step(61*time.Second)), Timestamp, nil, 0, grains},
		"minutes":      {every("2026-05-01 00:00:00", 99, step(15*time.Minute)), Timestamp, nil, 0, grains[1:]},
		"hours":        {every("2026-05-01 00:00:00", 99, step(time.Hour)), Timestamp, nil, 0, grains[2:]},
		"half hours":   {every("2026-05-01 00:30:00", 99, step(time.Hour)), Timestamp, nil, 0, grains[1:]},
		"days":         {every("2026-05-01 00:00:00", 99, date(0, 0, 1)), Date, nil, 0, grains[3:]},
		"midnights":    {every("2026-05-01 00:00:00", 99, date(0, 0, 1)), Timestamp, nil, 0, grains[3:]},
		"instants":     {every("2026-04-30 22:00:00", 99, date(0, 0, 1)), Instant, berlin, 0, grains[3:]},
		"of UTC":       {every("2026-05-01 00:00:00", 99, date(0, 0, 1)), Instant, berlin, 0, grains[2:]},
		"Mondays":      {every("2026-05-04 00:00:00", 20, date(0, 0, 7)), Date, nil, 0, []Grain{Weekly}},
		"Sundays":      {every("2026-05-03 00:00:00", 20, date(0, 0, 7)), Date, nil, 0, []Grain{Daily}},
		"their weeks":  {every("2026-05-03 00:00:00", 20, date(0, 0, 7)), Date, nil, 6, []Grain{Weekly}},
		"months":       {every("2026-05-01 00:00:00", 20, date(0, 1, 0)), Date, nil, 0, grains[5:]},
		"ends":         {every("2026-05-28 00:00:00", 20, date(0, 1, 0)), Date, nil, 0, grains[3:]},
		"quarters":     {every("2026-04-01 00:00:00", 20, date(0, 3, 0)), Date, nil, 0, grains[6:]},
		"years":        {every("2006-01-01 00:00:00", 20, date(1, 0, 0)), Date, nil, 0, grains[7:]},
		"before 1970":  {every("1906-01-01 00:00:00", 20, date(0, 1, 0)), Date, nil, 0, grains[5:]},
		"nothing":      {nil, Date, nil, 0, nil},
		"no times":     {nil, Text, nil, 0, nil},
		"not in order": {[]time.Time{Day(20600).Time(), Day(20575).Time(), Day(20574).Time()}, Date, nil, 0, grains[3:]},
	} {
		b := NewBuilder([]Column{{"at", tc.kind}})
		for _, at := range append(tc.times, time.Time{}) {
			row := []any{at}
			if at.IsZero() {
				row[0] = nil
			}
			if err := b.Add(row); err != nil {
				t.Fatal(err)
			}
		}
		if got := b.Cube().Grains("at", tc.zone, tc.week); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	if got := NewBuilder(nil).Cube().Grains("at", nil, 0); got != nil {
		t.Errorf("of a column that is not there: %q", got)
	}
}

package cube

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// zones are the time zones of the proof: without a change of the clock, with one on either half of the earth, with offsets that are not
// whole hours, with a change of half an hour, and with one at midnight.
var zones = []string{
	"UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Pacific/Auckland",
	"Australia/Lord_Howe", "America/Sao_Paulo", "America/Havana",
}

func location(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// begins is the first moment of d by trying every quarter of an hour.
func begins(d time.Time, loc *time.Location) time.Time {
	day := d.Format(time.DateOnly)
	for t := d.Add(-26 * time.Hour); ; t = t.Add(15 * time.Minute) {
		if t.In(loc).Format(time.DateOnly) >= day {
			return t
		}
	}
}

func TestDayBeginsOnce(t *testing.T) {
	t.Parallel()
	for _, name := range append([]string{"Pacific/Apia", "Africa/Cairo"}, zones...) {
		loc := location(t, name)
		for change := time.Date(2010, 1, 1, 0, 0, 0, 0, loc); change.Year() < 2027; {
			for i := -2; i <= 2; i++ {
				d := DayOf(change.AddDate(0, 0, i))
				if got, want := d.In(loc), begins(d.Time(), loc); !got.Equal(want) {
					t.Errorf("%s in %s begins at %s, want %s", d.Time().Format(time.DateOnly), name, got, want.In(loc))
				}
			}
			if _, change = change.ZoneBounds(); change.IsZero() {
				break // no more of them
			}
		}
	}
}

// A row every ten minutes of the weeks around every change of the clock, counted by
// the cube and by Go's own formatting of each moment.
func TestInstantsAreGroupedByTheClockOfTheZone(t *testing.T) {
	t.Parallel()
	label := map[Grain]func(time.Time) string{
		Minutely: func(t time.Time) string { return t.Format("2006-01-02 15:04 -0700") },
		Hourly:   func(t time.Time) string { return t.Format("2006-01-02 15 -0700") },
		Daily:    func(t time.Time) string { return t.Format(time.DateOnly) },
		Weekly: func(t time.Time) string {
			return t.AddDate(0, 0, -(int(t.Weekday())+6)%7).Format(time.DateOnly)
		},
		Monthly:   func(t time.Time) string { return t.Format("2006-01") },
		Quarterly: func(t time.Time) string { return fmt.Sprint(t.Year(), " Q", (int(t.Month())+2)/3) },
		Yearly:    func(t time.Time) string { return t.Format("2006") },
	}
	for _, name := range zones {
		loc := location(t, name)
		b := NewBuilder([]Column{{"at", Instant}, {"n", Integer}})
		var rows []time.Time
		for _, from := range []string{
			"2017-12-25", "2018-02-10", "2018-10-28", "2026-03-01", "2026-03-22", "2026-09-20", "2026-10-20", "2026-10-30",
		} {
			start, err := time.Parse(time.DateOnly, from)
			if err != nil {
				t.Fatal(err)
			}
			for at := start; at.Before(start.AddDate(0, 0, 14)); at = at.Add(10 * time.Minute) {
				rows = append(rows, at)
				if err := b.Add([]any{at, int64(1)}); err != nil {
					t.Fatal(err)
				}
			}
		}
		c := b.Cube()
		for grain, label := range label {
			want := map[string]float64{}
			for _, at := range rows {
				want[label(at.In(loc))]++
			}
			g := c.Group(c.Select(), Query{
				By: []Dim{{Column: "at", Grain: grain, Zone: loc}}, Measures: []Measure{{Column: "n", Agg: Sum}},
			})
			got := map[string]float64{}
			for i := range g.Len() {
				n, _ := g.Value(i, 0)
				got[label(g.Category(i, 0).Value.(time.Time))] += n
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s by %s (-want +got):\n%s", name, grain, diff)
			}
			if g.Len() != len(want) {
				t.Errorf("%s by %s: %d groups for %d labels", name, grain, g.Len(), len(want))
			}
		}
		perDay := map[string]int{}
		for _, at := range rows {
			perDay[at.In(loc).Format(time.DateOnly)]++
		}
		for day, want := range perDay {
			d, err := time.Parse(time.DateOnly, day)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(c.Select(Filter{Column: "at", From: DayOf(d), To: DayOf(d), Zone: loc})); got != want {
				t.Errorf("%s on %s: %d rows, want %d", name, day, got, want)
			}
		}
	}
}

// The end of summer time in Berlin: the hour from two to three occurs twice, and is two groups; a clock on a wall shows it once.
func TestHourThatComesTwice(t *testing.T) {
	t.Parallel()
	b := NewBuilder([]Column{{"moment", Instant}, {"wall", Timestamp}, {"n", Integer}})
	start := time.Date(2026, 10, 24, 22, 0, 0, 0, time.UTC)
	berlin := location(t, "Europe/Berlin")
	for at := start; !at.After(start.Add(5 * time.Hour)); at = at.Add(30 * time.Minute) {
		local := at.In(berlin)
		wall := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), 0, 0, time.UTC)
		if err := b.Add([]any{at, wall, int64(1)}); err != nil {
			t.Fatal(err)
		}
	}
	c := b.Cube()
	for column, want := range map[string][]string{
		"moment": {"00:00 CEST 2", "01:00 CEST 2", "02:00 CEST 2", "02:00 CET 2", "03:00 CET 2", "04:00 CET 1"},
		"wall":   {"00:00 UTC 2", "01:00 UTC 2", "02:00 UTC 4", "03:00 UTC 2", "04:00 UTC 1"},
	} {
		g := c.Group(c.Select(), Query{
			By: []Dim{{Column: column, Grain: Hourly, Zone: berlin}}, Measures: []Measure{{Column: "n", Agg: Sum}},
		})
		var got []string
		for i := range g.Len() {
			n, _ := g.Value(i, 0)
			got = append(got, fmt.Sprintf("%s %g", g.Category(i, 0).Value.(time.Time).Format("15:04 MST"), n))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", column, diff)
		}
	}
}

func TestWeeksBeginOnTheDayAskedFor(t *testing.T) {
	t.Parallel()
	for week, want := range map[Weekday]time.Weekday{0: time.Monday, 5: time.Saturday, 6: time.Sunday} {
		for d := Day(-400); d < 400; d++ {
			first := Weekly.Floor(d, week)
			if first.Time().Weekday() != want || first > d || d-first > 6 {
				t.Fatalf("the week of %s begins on %s, want a %s", d.Time().Format(time.DateOnly), first.Time().Format("Mon 2006-01-02"), want)
			}
		}
	}
}

// A database of 0.6.0 holds rows of version 2, whose timestamps were shown in the
// zone of the spec, as instants are.
func TestDecodeVersion2(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	old := []byte(magic2 + "\x01\x02" + "\x03day\x04\x00")
	old = binary.AppendVarint(old, int64(DayOf(at)))
	old = binary.AppendVarint(append(old, "\x02at\x05\x00"...), at.UnixMicro())
	c, err := Decode(old)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]Type{}
	for _, col := range c.Columns() {
		types[col.Name] = col.Type
	}
	if diff := cmp.Diff(map[string]Type{"day": Date, "at": Instant}, types); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
	if got := c.Value(0, 1); got != at {
		t.Errorf("got %v, want %v", got, at)
	}
	newer := []byte(magic2 + "\x01\x01" + "\x02at\x06\x00\x00") // instants have a code that version 2 lacks
	if _, err := Decode(newer); err == nil {
		t.Error("an instant of version 2 was decoded")
	}
}

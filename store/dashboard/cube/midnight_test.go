package cube

import (
	"slices"
	"testing"
	"time"
)

// oddZones are time zones whose clock changes at midnight, by other than an hour, or by a whole day.
var oddZones = []string{
	"Africa/Cairo", "Africa/Casablanca", "Africa/El_Aaiun", "Africa/Tripoli", "America/Asuncion", "America/Campo_Grande", "America/Cuiaba",
	"America/Fortaleza", "America/Godthab", "America/Havana", "America/Punta_Arenas", "America/Santiago", "America/Sao_Paulo",
	"America/Scoresbysund", "America/St_Johns", "Antarctica/Casey", "Antarctica/Troll", "Asia/Amman", "Asia/Beirut", "Asia/Damascus",
	"Asia/Gaza", "Asia/Hebron", "Asia/Pyongyang", "Asia/Tehran", "Atlantic/Azores", "Australia/Lord_Howe", "Europe/Dublin", "Pacific/Apia",
	"Pacific/Chatham", "Pacific/Easter", "Pacific/Fakaofo", "Pacific/Kiritimati", "Pacific/Kwajalein", "Pacific/Norfolk",
}

// changes are the moments of a zone at which the clock changes in some years.
func changes(loc *time.Location, from, to int) []time.Time {
	var out []time.Time
	for at := time.Date(from, 1, 1, 0, 0, 0, 0, loc); ; {
		_, end := at.ZoneBounds()
		if end.IsZero() || end.Year() > to {
			return out
		}
		out = append(out, end)
		at = end
	}
}

// truncated is date_trunc as Postgres has it: the clock is set back, and a time that the clock skips is read by the offset before
// the change, one that it shows twice by the offset after it.
func truncated(grain Grain, t time.Time) time.Time {
	wall := t
	switch grain {
	case Hourly, Minutely: // with the offset that t has
		_, offset := t.Zone()
		return time.UnixMicro(t.UnixMicro() - (t.UnixMicro()+int64(offset)*1e6)%grain.clock()).In(t.Location())
	default:
		wall = grain.Floor(DayOf(t), 0).Time()
	}
	return read(wall, t.Location())
}

// read returns the moment at which a clock shows the same time as wall, as Postgres and ICU read it.
func read(wall time.Time, loc *time.Location) time.Time {
	_, before := wall.Add(-26 * time.Hour).In(loc).Zone()
	_, after := wall.Add(26 * time.Hour).In(loc).Zone()
	first, last := wall.Add(-time.Duration(before)*time.Second), wall.Add(-time.Duration(after)*time.Second)
	_, offset := last.In(loc).Zone()
	if offset == after { // it is shown after the change
		return last.In(loc)
	}
	return first.In(loc)
}

// Times that the SQL has rounded to a grain have this grain, are not moved or merged by it, and have a clock only if it is
// finer than a day.
// Tried around each change of the clock in 1991 to 2028.
func TestRoundedBySQL(t *testing.T) {
	t.Parallel()
	for _, name := range append(slices.Clone(oddZones), zones...) {
		loc := location(t, name)
		for _, grain := range []Grain{Hourly, Daily, Weekly, Monthly, Quarterly, Yearly} {
			b := NewBuilder([]Column{{"at", Instant}, {"n", Integer}})
			var want []time.Time
			add := func(at time.Time) {
				// A clock that is put back over midnight shows a day twice.
				r := truncated(grain, at)
				if n := len(want); n == 0 || r.After(want[n-1]) && (grain == Hourly || DayOf(r) > DayOf(want[n-1])) {
					want = append(want, r)
					if err := b.Add([]any{r, int64(1)}); err != nil {
						t.Fatal(err)
					}
				}
			}
			for _, change := range changes(loc, 1991, 2028) {
				if n := len(want); n > 0 && !change.AddDate(0, 0, -3).After(want[n-1]) {
					continue
				}
				for i := -4 * 24; i < 4*24; i++ {
					add(change.Add(time.Duration(i)*20*time.Minute + 7*time.Second))
				}
			}
			if len(want) == 0 {
				continue
			}
			c := b.Cube()
			if got := c.Grains("at", loc, 0); len(got) == 0 || got[0] != grain && (grain == Hourly || got[0].Size() < Daily.Size()) {
				t.Errorf("%s by %s: grains %q", name, grain, got)
			}
			if got, _ := c.Finest("at", loc); got != min2(grain, Daily) {
				t.Errorf("%s by %s: the finest grain is %q", name, grain, got)
			}
			span, _ := c.Span(c.Select(), "at", loc, 0)
			if clock := grain == Hourly; c.Clock("at", loc) != clock || span.Clock != clock {
				t.Errorf("%s by %s: clock %t, of the span %t", name, grain, c.Clock("at", loc), span.Clock)
			}
			for _, by := range []Grain{Exact, grain} {
				g := c.Group(c.Select(), Query{
					By: []Dim{{Column: "at", Grain: by, Zone: loc}}, Measures: []Measure{{Column: "n", Agg: Sum}, {Column: "at", Agg: Max, Zone: loc}},
				})
				if g.Len() != len(want) {
					t.Errorf("%s by %s: %d groups by %q for %d times", name, grain, g.Len(), by, len(want))
					continue
				}
				for i, at := range want {
					shown := at
					if grain != Hourly {
						shown = grain.Floor(DayOf(at), 0).Time()
					}
					if got := g.Category(i, 0).Value.(time.Time); !got.Equal(shown) {
						t.Errorf("%s by %s, %s: is shown as %s", name, grain, at, got)
					}
					if last := g.Exact(i, 1).(time.Time); by == Exact && grain == Daily && !last.Equal(shown) {
						t.Errorf("%s by %s, %s: its latest is shown as %s", name, grain, at, last)
					}
				}
			}
		}
	}
}

func min2(a, b Grain) Grain {
	if a.Size() < b.Size() {
		return a
	}
	return b
}

// TestAfter: the hours of a clock follow one another as Group rounds to them, in each zone and around each change.
func TestAfter(t *testing.T) {
	t.Parallel()
	for _, name := range append(slices.Clone(oddZones), zones...) {
		loc := location(t, name)
		for _, change := range changes(loc, 1991, 2028) {
			b := NewBuilder([]Column{{"at", Instant}})
			for i := -5 * 60; i < 5*60; i++ {
				if err := b.Add([]any{change.Add(time.Duration(i)*time.Minute + time.Second)}); err != nil {
					t.Fatal(err)
				}
			}
			c := b.Cube()
			hours := c.Group(c.Select(), Query{By: []Dim{{Column: "at", Grain: Hourly, Zone: loc}}}).Axes[0]
			for i := range hours[1:] {
				from, next := hours[i].Value.(time.Time), hours[i+1].Value.(time.Time)
				if got := Hourly.After(from); !got.Equal(next) {
					t.Errorf("%s: after %s is %s, want %s", name, from, got, next)
				}
			}
		}
	}
}

// A moment that is not the begin of a day in one zone may be it in another.
func TestClockIsOfTheZone(t *testing.T) {
	t.Parallel()
	b := NewBuilder([]Column{{"at", Instant}, {"wall", Timestamp}})
	for _, s := range []string{"2026-09-05T04:00:00Z", "2026-09-06T04:00:00Z", "2026-09-07T03:00:00Z"} {
		at, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Add([]any{at, at}); err != nil {
			t.Fatal(err)
		}
	}
	c := b.Cube()
	santiago := location(t, "America/Santiago")
	for _, tc := range []struct {
		column string
		loc    *time.Location
		want   Grain
	}{{"at", santiago, Daily}, {"at", time.UTC, Hourly}, {"at", nil, Hourly}, {"wall", santiago, Hourly}} {
		if got, _ := c.Finest(tc.column, tc.loc); got != tc.want {
			t.Errorf("%s in %v: %q, want %q", tc.column, tc.loc, got, tc.want)
		}
	}
}

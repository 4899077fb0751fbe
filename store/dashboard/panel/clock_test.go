package panel

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// timed is a view of one chart over the times at, each counted once, in a column of the given type.
func timed(t *testing.T, kind cube.Type, zone, panel string, at ...time.Time) Input {
	t.Helper()
	s, err := dashboard.Parse([]byte(`{"version":1,"title":"T","timezone":"` + zone + `",
		"datasets":[{"id":"d","sql":"SELECT at, n FROM t","columns":{"n":{"agg":"sum"}}}],"panels":[` + panel + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	b := cube.NewBuilder([]cube.Column{{Name: "at", Type: kind}, {Name: "n", Type: cube.Integer}})
	for i, at := range at {
		if err := b.Add([]any{at, int64(i + 1)}); err != nil {
			t.Fatal(err)
		}
	}
	return Input{Spec: s, Cubes: map[string]*cube.Cube{"d": b.Cube()}, Now: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
}

// firsts returns the first cells of the rows of the first table of a page.
func firsts(t *testing.T, v Input) []string {
	t.Helper()
	b, err := renderPage(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(b), "<tbody>")
	body, _, _ = strings.Cut(body, "</tbody>")
	var out []string
	for _, m := range regexp.MustCompile(`<tr><t[hd][^>]*>([^<]*)<`).FindAllStringSubmatch(body, -1) {
		out = append(out, m[1])
	}
	return out
}

// TestMonthsHaveTheirNames: months that the database truncated in the zone of the spec have their own names (N1): the first of August in
// New York is not in July.
func TestMonthsHaveTheirNames(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []cube.Type{cube.Instant, cube.Timestamp, cube.Date} {
		in := zone
		if kind != cube.Instant {
			in = time.UTC
		}
		var at []time.Time
		for month := time.August; month <= time.December; month++ {
			at = append(at, time.Date(2026, month, 1, 0, 0, 0, 0, in))
		}
		want := []string{"Aug 2026", "Sep 2026", "Oct 2026", "Nov 2026", "Dec 2026"}
		for _, chart := range []string{"line", "bar"} {
			v := timed(t, kind, "America/New_York", `{"type":"`+chart+`","x":"at","y":"n"}`, at...)
			if diff := cmp.Diff(want, firsts(t, v)); diff != "" {
				t.Errorf("%s of %s (-want +got):\n%s", chart, kind, diff)
			}
			if s := summaries(v)[0].Text; !strings.Contains(s, "Aug 2026") || strings.Contains(s, "Jul") {
				t.Errorf("%s of %s says: %s", chart, kind, s)
			}
		}
	}
}

// TestHourThatComesTwiceIsTwoPoints: the hour that occurs twice is two points with different offsets, and midnight is one of the times
// (N2).
func TestHourThatComesTwiceIsTwoPoints(t *testing.T) {
	t.Parallel()
	var at []time.Time
	start := time.Date(2026, 10, 24, 22, 0, 0, 0, time.UTC) // midnight in Berlin
	for i := range 10 {
		at = append(at, start.Add(time.Duration(i)*30*time.Minute))
	}
	want := []string{
		"Oct 25, 2026 00:00", "Oct 25, 2026 00:30", "Oct 25, 2026 01:00", "Oct 25, 2026 01:30",
		"Oct 25, 2026 02:00 +02:00", "Oct 25, 2026 02:30 +02:00", "Oct 25, 2026 02:00 +01:00", "Oct 25, 2026 02:30 +01:00",
		"Oct 25, 2026 03:00", "Oct 25, 2026 03:30",
	}
	for _, panel := range []string{`{"type":"line","x":"at","y":"n"}`, `{"type":"table","sort":"at"}`} {
		if diff := cmp.Diff(want, firsts(t, timed(t, cube.Instant, "Europe/Berlin", panel, at...))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", panel, diff)
		}
	}
	// Times without a zone have no offset, and no hour occurs twice.
	var walls []time.Time
	for _, at := range at[:5] {
		walls = append(walls, at.Add(2*time.Hour))
	}
	v := timed(t, cube.Timestamp, "Europe/Berlin", `{"type":"table","sort":"at"}`, walls...)
	wall := slices.Clone(want[:5])
	wall[4] = "Oct 25, 2026 02:00"
	if diff := cmp.Diff(wall, firsts(t, v)); diff != "" {
		t.Errorf("timestamps (-want +got):\n%s", diff)
	}
}

// TestTicksFollowTheClock: ticks are at round hours of the zone's clock, also across clock changes.
func TestTicksFollowTheClock(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/Sao_Paulo"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for day := time.Date(2018, 1, 1, 10, 7, 0, 0, zone); day.Year() < 2019; day = day.AddDate(0, 0, 1) {
			for _, hours := range []int{1, 3, 6, 12} {
				tick := tickStep{hours: hours}.roundUp(day, 0)
				for range 30 / hours {
					next := tickStep{hours: hours}.after(tick)
					change, _ := tick.ZoneBounds()
					round := tick.Minute() == 0 && tick.Hour()%hours == 0
					if !round && !tick.Equal(change) && next.Sub(tick) == time.Duration(hours)*time.Hour || !next.After(tick) {
						t.Fatalf("%s: a tick every %d hours at %s, then %s", name, hours, tick, next)
					}
					tick = next
				}
			}
			for _, days := range []int{1, 2, 7, 14} {
				tick := tickStep{days: days}.roundUp(day, 0)
				next := tickStep{days: days}.after(tick)
				if tick.Before(day) || cube.DayOf(next)-cube.DayOf(tick) != cube.Day(days) {
					t.Fatalf("%s: a tick every %d days at %s, then %s", name, days, tick, next)
				}
			}
			for week := range cube.Weekday(7) {
				for _, days := range []int{7, 14} {
					tick := tickStep{days: days}.roundUp(day, week)
					if d := cube.DayOf(tick); tick.Before(day) || cube.Weekly.Floor(d, week) != d || int(d-cube.DayOf(day)) > days {
						t.Fatalf("%s: weeks that begin on day %d have a tick every %d days from %s at %s", name, week, days, day, tick)
					}
				}
			}
		}
	}
}

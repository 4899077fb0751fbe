package panel

import (
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/format"
)

// TestTimelinesOfClockChanges: a span of instants is as long as the time that passes, and is not left out because the clock is put back
// while it lasts.
func TestTimelinesOfClockChanges(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		zone, from, to, now string // "" of to: the span has no end
		long                string
	}{
		{"Europe/Berlin", "2026-03-29T00:30:00+01:00", "2026-03-29T06:30:00+02:00", "", "5 h"},
		{"Europe/Berlin", "2026-10-25T00:30:00+02:00", "2026-10-25T06:30:00+01:00", "", "7 h"},
		{"Europe/Berlin", "2026-10-25T02:50:00+02:00", "2026-10-25T02:10:00+01:00", "", "20 m"},
		{"Europe/Berlin", "2026-10-24T22:30:00+02:00", "", "2026-10-25T06:30:00+01:00", "9 h"},
		{"Australia/Lord_Howe", "2026-04-05T01:45:00+11:00", "2026-04-05T01:40:00+10:30", "", "25 m"},
		{"Europe/Berlin", "2026-03-28T00:00:00+01:00", "2026-03-30T00:00:00+02:00", "", "2 d"}, // days
		{"UTC", "2026-03-29T00:30:00Z", "2026-03-29T06:30:00Z", "", "6 h"},
	} {
		at := func(s string) any {
			if s == "" {
				return nil
			}
			v, err := time.Parse(time.RFC3339, s)
			if err != nil {
				t.Fatal(err)
			}
			return v.UTC()
		}
		v := timelines("instant", []any{"a", "s", at(tc.from), at(tc.to), int64(1)})
		if v.Spec.Timezone = tc.zone; tc.now != "" {
			v.Now, _ = at(tc.now).(time.Time)
		}
		p := open(v).Panel(0)
		m, ok := p.Content.(*timelinePanel)
		if !ok || len(p.Notes) > 0 {
			t.Errorf("%s: %s%s%q", tc.from, p.Problem, p.Empty, p.Notes)
			continue
		}
		if got := strings.ReplaceAll(m.long(&m.spans[0]), format.NBSP, " "); got != tc.long {
			t.Errorf("%s to %s: %s, want %s", tc.from, tc.to, got, tc.long)
		}
		if _, r := recorded(t, v, 0); len(r.Rects) == 0 {
			t.Errorf("%s: nothing is drawn", tc.from)
		}
	}
}

// TestTimelinesEndWithADate: a date in which a span ends is a part of it, also if the span begins at a time of that day.
func TestTimelinesEndWithADate(t *testing.T) {
	t.Parallel()
	for kind, begin := range map[string]string{"timestamp": "2026-01-05 14:00", "date": "2026-01-05"} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Timeline, Label: "k", Start: "a", End: "z"}},
			[]string{"k text", "s text", "a " + kind, "z date", "n integer sum"},
			spanOf("a", begin, "2026-01-05"), spanOf("b", begin, "2026-01-04"), spanOf("c", begin, "2026-01-06"))
		p := open(v).Panel(0)
		m, ok := p.Content.(*timelinePanel)
		if notes := strings.Join(p.Notes, " "); !ok || len(m.spans) != 2 || notes != "1 row that ends before it begins is left out." {
			t.Errorf("%s: notes %q %s%s", kind, notes, p.Problem, p.Empty)
		}
	}
}

// TestEventsEndWithADate: an event that begins at a time of its last day is a span until the end of that day.
func TestEventsEndWithADate(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Line, Data: "d", X: "at", Y: []string{"n"}}}, []string{"at date", "n number sum"},
		[]any{day("2026-01-01"), 1.0}, []any{day("2026-01-10"), 2.0})
	e := tiny(nil, []string{"begun timestamp", "ended date", "name text"},
		[]any{day("2026-01-05").Add(14 * time.Hour), day("2026-01-05"), "outage"},
		[]any{day("2026-01-07").Add(14 * time.Hour), day("2026-01-06"), "reversed"})
	e.Spec.Datasets[0].ID = "e"
	v.Spec.Datasets, v.Cubes["e"] = append(v.Spec.Datasets, e.Spec.Datasets[0]), e.Cubes["d"]
	v.Spec.Events = dashboard.Events{Data: "e", X: "begun", To: "ended", Label: "name"}
	all := open(v).events()
	if len(all.list) != 2 || all.ended != 1 || !all.list[0].until.Equal(day("2026-01-06")) || !all.list[1].until.IsZero() {
		t.Errorf("%v", *all)
	}
}

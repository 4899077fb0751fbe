package page

import (
	"math"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// TestEventsOfTimelines: a timeline has the events within its times: instants are lines, spans are shades, both with their names above the
// bars.
func TestEventsOfTimelines(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Timeline, Label: "task", Start: "from", End: "to"}},
		[]string{"task text", "from date", "to date"},
		[]any{"Audit", day("2026-11-02"), day("2026-11-20")}, []any{"Load test", day("2026-11-16"), day("2026-12-04")})
	at := func(date string) time.Time { return day(date) }
	v.Spec.Events = dashboard.Events{List: []dashboard.Event{
		{On: at("2026-11-23"), To: at("2026-12-01"), Label: "Freeze"},
		{On: at("2026-11-09"), Label: "Release"},
		{On: at("2027-03-01"), Label: "Later"},
		{On: at("2025-03-01"), To: at("2025-04-01"), Label: "Before"},
	}}
	p, drawn := recorded(t, v, 0)
	if !strings.Contains(p.Summary, "Events: Release (") || !strings.Contains(p.Summary, "Freeze (") || strings.Contains(p.Summary, "Later") {
		t.Error(p.Summary)
	}
	names := drawn.Texts(canvas.MarkedText, 2)
	if strings.Join(names, ", ") != "Freeze, Release" {
		t.Errorf("named: %q", names)
	}
	shades := 0
	for _, r := range drawn.Rects {
		if r.Shade {
			shades++
			if r.X.V < 0.5 || r.X.V+r.Width.V > 1 {
				t.Errorf("the shade is at %v, %v wide", r.X, r.Width)
			}
		}
	}
	if n := len(drawn.Strokes(canvas.EventLine)); shades != 1 || n != 1 {
		t.Errorf("%d shades, %d lines", shades, n)
	}
	var of []string
	for _, w := range Warnings(v) {
		if w.Path == "events" {
			of = append(of, w.String())
		}
	}
	want := `[left_out] events: 2 of 4 events are not marked, being outside of the times that the panels show: ` +
		`"Before" (Mar 1, 2025 – Mar 31, 2025), "Later" (Mar 1, 2027).`
	if got := strings.Join(of, "\n"); got != want {
		t.Errorf("warnings %q", got)
	}
	v.Spec.Panels = []dashboard.Panel{{Type: dashboard.Table}}
	if got := codes(v); got != "key_ignored events" {
		t.Errorf("without a time axis: %s", got)
	}
}

// TestTimelinesReachTheEndsOfEvents: the axis of a timeline has the whole of a span of events that begins or ends on it, unless it would be
// more than a quarter longer at that side.
func TestTimelinesReachTheEndsOfEvents(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, on, to string
		from, until  string  // of the tasks together
		first, last  float64 // where the first span of a task begins, and the last one ends
	}{
		{"after the last task", "2026-11-30", "2026-12-08", "2026-11-02", "2026-12-03", 0, 32.0 / 36},
		{"before the first task", "2026-10-28", "2026-11-05", "2026-11-02", "2026-12-03", 5.0 / 37, 1},
		{"too long", "2026-11-30", "2027-06-30", "2026-11-02", "2026-12-03", 0, 1},
		{"elsewhere", "2026-12-06", "2026-12-08", "2026-11-02", "2026-12-03", 0, 1},
		{"centuries after", "1900-01-01", "2199-12-31", "1000-01-01", "1999-12-31", 0, 1000.0 / 1200},
		{"centuries before", "0801-01-01", "1100-01-01", "1001-01-01", "2000-12-31", 200.0 / 1200, 1},
		{"too many centuries", "1900-01-01", "2299-12-31", "1000-01-01", "1999-12-31", 0, 1},
	} {
		from, until := day(tc.from), day(tc.until)
		half := int((until.Unix() - from.Unix()) / (24 * 60 * 60) / 2) // days
		v := tiny([]dashboard.Panel{{Type: dashboard.Timeline, Label: "task", Start: "from", End: "to"}},
			[]string{"task text", "from date", "to date"},
			[]any{"Audit", from, from.AddDate(0, 0, half)}, []any{"Load test", until.AddDate(0, 0, -half), until})
		v.Spec.Events = dashboard.Events{List: []dashboard.Event{{On: day(tc.on), To: day(tc.to), Label: "Freeze"}}}
		_, drawn := recorded(t, v, 0)
		first, last := 1.0, 0.0
		for _, r := range drawn.Rects {
			if !r.Shade {
				first, last = min(first, r.X.V), max(last, r.X.V+r.Width.V)
			}
		}
		if math.Abs(first-tc.first) > 0.001 || math.Abs(last-tc.last) > 0.001 {
			t.Errorf("%s: tasks from %.4f to %.4f, want %.4f to %.4f", tc.name, first, last, tc.first, tc.last)
		}
	}
}

// TestLongestSpanIsOpen: a span without an end counts as long as it has lasted, and can be the longest.
func TestLongestSpanIsOpen(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Timeline, Label: "task", Start: "from", End: "to"}},
		[]string{"task text", "from date", "to date"},
		[]any{"Audit", day("2026-11-02"), day("2026-11-04")}, []any{"Outage", day("2026-11-01"), nil})
	p, _ := recorded(t, v, 0)
	if !strings.Contains(p.Summary, "Longest: Outage (") {
		t.Error(p.Summary)
	}
}

// TestLegendOfAreasHasTheOrderOfTheSpec: the legend of areas has the order that the spec sets for their column.
func TestLegendOfAreasHasTheOrderOfTheSpec(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Treemap, Levels: []string{"plan"}, Series: "plan", Value: "n"}},
		[]string{"plan text", "n number sum"},
		[]any{"Free", 1.0}, []any{"Basic", 5.0}, []any{"Pro", 3.0})
	v.Spec.Columns = []dashboard.Appearance{{Column: "plan", Order: dashboard.Order{Values: []string{"Free", "Basic", "Pro"}}}}
	_, drawn := recorded(t, v, 0)
	var names []string
	for _, it := range drawn.Items {
		names = append(names, it.Name)
	}
	if strings.Join(names, ", ") != "Free, Basic, Pro" {
		t.Errorf("the legend has %q", names)
	}
}

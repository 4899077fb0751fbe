package panel

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/chart"
)

func lasted(from, to, label string) dashboard.Event {
	return dashboard.Event{On: day(from), To: day(to).AddDate(0, 0, 1), Label: label}
}

// spansOf returns the spans of a panel, in thousandths of its width.
func spansOf(p *Panel) string {
	var out []string
	for _, m := range p.marks {
		if m.end > 0 {
			out = append(out, fmt.Sprintf("%.0f-%.0f %s", m.at*1000, m.end*1000, m.events[0].label))
		}
	}
	return strings.Join(out, ", ")
}

// TestEventsWithAnEnd: an event with an end is shaded from its first to its last day, as far as the axis extends, over all columns that it
// touches, and is listed in the rows of all its days.
func TestEventsWithAnEnd(t *testing.T) {
	t.Parallel()
	list := []dashboard.Event{
		lasted("2025-12-01", "2026-01-03", "begun"), lasted("2026-02-01", "2026-02-10", "inside"), lasted("2026-04-05", "2026-06-01", "goes on"),
		lasted("2025-12-01", "2025-12-31", "before"), lasted("2026-05-01", "2026-06-01", "after"), happened("2026-02-01", "a moment"),
	}
	for name, tc := range map[string]struct {
		panel dashboard.Panel
		want  string
	}{
		"days":            {dashboard.Panel{Type: dashboard.Line}, "0-30 begun, 313-414 inside, 949-1000 goes on"},
		"months":          {dashboard.Panel{Type: dashboard.Line, Grain: "month"}, "0-33 begun, 344-456 inside, 1000-1000 goes on"},
		"columns":         {dashboard.Panel{Type: dashboard.Bar}, "0-30 begun, 310-410 inside, 940-1000 goes on"},
		"month bars":      {dashboard.Panel{Type: dashboard.Bar, Grain: "month"}, "0-250 begun, 250-500 inside, 750-1000 goes on"},
		"a combo":         {dashboard.Panel{Type: dashboard.Combo, Grain: "month"}, "0-250 begun, 250-500 inside, 750-1000 goes on"},
		"descending":      {dashboard.Panel{Type: dashboard.Bar, Grain: "month", Sort: "-at"}, "750-1000 begun, 500-750 inside, 0-250 goes on"},
		"horizontal bars": {dashboard.Panel{Type: dashboard.Bar, Grain: "month", Horizontal: true}, ""},
		"small plots":     {dashboard.Panel{Type: dashboard.Line, Facet: "name"}, ""},
	} {
		v := eventful(tc.panel, list...)
		if s := summaries(v)[0]; s.Empty {
			t.Fatalf("%s: %s", name, s.Text)
		}
		p, drawn := recorded(t, v, 0)
		if got := spansOf(p); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
		spans := strings.Count(tc.want, "-") // each with its start and its end
		if tc.panel.Facet != "" {            // in each plot
			spans = 3 * len(drawn.Plots)
		}
		if n := len(shadedOf(drawn)); n != spans {
			t.Errorf("%s: %d shades, want %d", name, n, spans)
		}
		for _, r := range shadedOf(drawn) {
			if r.X.V < 0 || r.X.V+r.Width.V > 1+1e-9 || r.Width.V < chart.LeastSpan-1e-9 {
				t.Errorf("%s: a shade from %v, %v wide", name, r.X, r.Width)
			}
		}
	}
	v := eventful(dashboard.Panel{Type: dashboard.Line}, list...)
	text := summaries(v)[0].Text
	for _, want := range []string{"begun (Dec 1, 2025 – Jan 3, 2026)", "inside (Feb 1, 2026 – Feb 10, 2026)", "a moment (Feb 1, 2026)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s, without %s", text, want)
		}
	}
	p := open(v).Panel(0)
	for row, want := range map[int]string{0: " · begun", 2: " · begun", 3: "", 30: "", 31: " · inside · a moment", 40: " · inside", 41: ""} {
		if p.Beside[row] != want {
			t.Errorf("beside row %d: %q, want %q", row, p.Beside[row], want)
		}
	}
}

// TestEventsOfRowsWithAnEnd: rows of a dataset are spans if they have an end, and instants otherwise; rows that end before they begin are
// counted.
func TestEventsOfRowsWithAnEnd(t *testing.T) {
	t.Parallel()
	v := eventful(dashboard.Panel{Type: dashboard.Line})
	rows := tiny(nil, []string{"at date", "until date", "what text"},
		[]any{day("2026-01-10"), day("2026-01-19"), "span"}, []any{day("2026-01-10"), nil, "moment"},
		[]any{day("2026-02-10"), day("2026-02-01"), "reversed"})
	v.Spec.Datasets = append(v.Spec.Datasets, dashboard.Dataset{ID: "e", SQL: "SELECT at, until, what FROM e"})
	v.Cubes["e"], v.Spec.Panels[0].Data = rows.Cubes["d"], "d"
	v.Spec.Events = dashboard.Events{Data: "e", X: "at", To: "until", Label: "what"}
	p := open(v).Panel(0)
	if got, want := spansOf(p), "91-192 span"; got != want || len(p.marks) != 3 {
		t.Errorf("%q of %d marks, want %q of 3", got, len(p.marks), want)
	}
	if got := codes(v); !strings.Contains(got, "doubtful events.to") {
		t.Errorf("warnings %q", got)
	}
}

// TestEventsOfHours: on an axis of hours, an outage of some hours is as long as its minutes.
func TestEventsOfHours(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for i := range 25 {
		rows = append(rows, []any{day("2026-03-01").Add(time.Duration(i) * time.Hour), int64(i)})
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "at", Y: []string{"n"}}}, []string{"at timestamp", "n integer sum"}, rows...)
	six := day("2026-03-01").Add(6 * time.Hour)
	v.Spec.Events.List = []dashboard.Event{{On: six, To: six.Add(6 * time.Hour), Label: "Outage"}}
	if got, want := spansOf(open(v).Panel(0)), "250-500 Outage"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

package dashboard

import (
	"strings"
	"testing"
	"time"

	"service/store/dashboard/cube"
)

// Events are a list, or rows of a dataset that has the columns, and nothing else.
func TestEvents(t *testing.T) {
	t.Parallel()
	columns := map[string][]cube.Column{
		"d": {{Name: "day", Type: cube.Date}, {Name: "n", Type: cube.Integer}},
		"r": {{Name: "at", Type: cube.Timestamp}, {Name: "name", Type: cube.Text}},
	}
	long := strings.Repeat("x", 201)
	for _, tc := range []struct{ events, want string }{
		{`{"data": "r", "x": "at", "label": "name"}`, ``},
		{`[{"on": "2026-05-01", "label": "v2"}, {"on": "2026-05-01 14:30", "label": "v3"}, {"on": "2026-05-01T14:30", "label": "v4"}]`, ``},
		{`null`, ``},
		{`[]`, ``},
		{`false`, ``},
		{`true`, `events: must be {"data", "x", "label"}, of a dataset, or a list of {"on", "label"}, not a boolean`},
		{`"releases"`, `events: must be {"data", "x", "label"}, of a dataset, or a list of {"on", "label"}, not a string`},
		{`{"x": "at", "label": "name"}`, `events.data: is missing, and there are several datasets; datasets: d, r`},
		{`{"data": "s", "x": "at", "label": "name"}`, `events.data: "s" is not the id of a dataset; datasets: d, r`},
		{
			`{"data": "r", "date": "at", "label": "name"}`,
			`events.date: "date" is not a key of events of a dataset; keys: data, x, to, label; did you mean "x"?`,
		},
		{`{"data": "r", "x": "at"}`, `events.label: is missing`},
		{`{"data": "r", "x": "day", "label": "name"}`, `events.x: column "day" is not returned by dataset "r"; columns: at, name`},
		{`{"data": "r", "x": "name", "label": "name"}`, `events.x: "name" is of type text, and events have a date; dates: at`},
		{
			`{"data": "r", "x": "at", "label": "names"}`,
			`events.label: column "names" is not returned by dataset "r"; columns: at, name; did you mean "name"?`,
		},
		{`["2026-05-01"]`, `events[0]: must be an object, not a string`},
		{`[{"on": "2026-05-01"}]`, `events[0].label: is missing`},
		{`[{"on": "2026-05-01", "label": ""}]`, `events[0].label: is empty`},
		{`[{"on": "2026-05-01", "label": "` + long + `"}]`, `events[0].label: has 201 characters, over the limit of 200`},
		{`[{"on": "2026-05-01", "to": "2026-05-01", "label": "a"}, {"on": "2026-05-01 14:30", "to": "2026-05-01 17:00", "label": "b"}]`, ``},
		{`[{"on": "2026-05-02", "to": "2026-05-01", "label": "a"}]`, `events[0].to: is before on; an event ends when it begins, or later`},
		{
			`[{"on": "2026-05-02", "until": "2026-05-03", "label": "a"}]`,
			`events[0].until: "until" is not a key of an event; keys: on, to, label; did you mean "to"?`,
		},
		{
			`[{"on": "2026-05-02", "to": "May", "label": "a"}]`,
			`events[0].to: must be a date such as "2026-05-01", or with a time "2026-05-01 14:30"`,
		},
		{`{"data": "r", "x": "at", "to": "name", "label": "name"}`, `events.to: "name" is of type text, and events have a date; dates: at`},
		{`[{"on": "2026-02-30", "label": "a"}]`, `events[0].on: must be a date such as "2026-05-01", or with a time "2026-05-01 14:30"`},
		{
			`[{"on": "Today", "label": "a"}]`,
			`events[0].on: must be a date such as "2026-05-01", or with a time "2026-05-01 14:30"; a timeline marks today by itself`,
		},
		{`[{"on": "1 May", "label": "a"}]`, `events[0].on: must be a date such as "2026-05-01", or with a time "2026-05-01 14:30"`},
		{`[{"date": "2026-05-01", "label": "a"}]`, `events[0].date: "date" is not a key of an event; keys: on, to, label; did you mean "on"?`},
		{
			`[` + strings.Repeat(`{"on": "2026-05-01", "label": "a"},`, 100) + `{"on": "2026-05-01", "label": "a"}]`,
			`events: has 101 members, over the limit of 100`,
		},
	} {
		s, err := Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT day, sum(n) AS n FROM t GROUP BY 1"},
			{"id": "r", "sql": "SELECT at, name FROM u"}], "events": ` + tc.events + `,
			"panels": [{"type": "line", "data": "d", "x": "day", "y": "n"}]}`))
		var warnings []Warning
		if err == nil {
			warnings, err = s.Check(columns)
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("%.90s:\n%s\nwant\n%s", tc.events, got, tc.want)
		}
		wanted := tc.events[0] == '{'
		if err == nil && wanted == strings.Contains(warningsText(warnings), "dataset_unused") {
			t.Errorf("%.60s: warnings %s", tc.events, warningsText(warnings))
		}
	}
	s, err := Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT 1"}],
		"events": [{"on": "2026-05-01 14:30", "label": "a"}], "panels": []}`))
	at := time.Date(2026, 5, 1, 14, 30, 0, 0, time.UTC)
	if err != nil || len(s.Events.List) != 1 || s.Events.List[0] != (Event{On: at, Label: "a"}) {
		t.Errorf("read as %+v, %v", s.Events, err)
	}
	for _, tc := range [][2]string{{"2026-05-03", "2026-05-04 00:00"}, {"2026-05-01 17:00", "2026-05-01 17:01"}} {
		s, err := Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT 1"}],
			"events": [{"on": "2026-05-01 14:30", "to": "` + tc[0] + `", "label": "a"}], "panels": []}`))
		if err != nil || s.Events.List[0].To.Format("2006-01-02 15:04") != tc[1] {
			t.Errorf("to %s: %+v, %v", tc[0], s.Events, err)
		}
	}
	if changes := Diff(s, &Spec{}); !strings.Contains(strings.Join(changes, "; "), "events changed") {
		t.Errorf("the changes are %q", changes)
	}
}

// If no panel has an axis for them, events have no effect, and a warning names that.
func TestEventsWithoutAnAxis(t *testing.T) {
	t.Parallel()
	s, err := Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT day, sum(n) AS n FROM t GROUP BY 1"}],
		"events": {"x": "day", "label": "day"}, "panels": [{"type": "kpi", "value": "n"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	warnings, err := s.Check(map[string][]cube.Column{"d": {{Name: "day", Type: cube.Date}, {Name: "n", Type: cube.Integer}}})
	if err != nil || !strings.Contains(warningsText(warnings), "[key_ignored] events: ") {
		t.Errorf("%s %v", warningsText(warnings), err)
	}
}

func warningsText(warnings []Warning) string {
	var out []string
	for _, w := range warnings {
		out = append(out, w.String())
	}
	return strings.Join(out, "\n")
}

// A dataset of which events alone are marked has no panel that could follow a filter, and is used.
func TestDatasetOfEvents(t *testing.T) {
	t.Parallel()
	s, err := Parse([]byte(`{"datasets": [{"id": "sales", "sql": "SELECT day, team, sum(n) AS n FROM t GROUP BY 1, 2"},
		{"id": "releases", "sql": "SELECT day, name FROM r"}], "filters": [{"column": "team"}],
		"events": {"data": "releases", "x": "day", "label": "name"}, "panels": [{"type": "line", "data": "sales", "x": "day", "y": "n"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	day := cube.Column{Name: "day", Type: cube.Date}
	warnings, err := s.Check(map[string][]cube.Column{
		"sales":    {day, {Name: "team", Type: cube.Text}, {Name: "n", Type: cube.Integer}},
		"releases": {day, {Name: "name", Type: cube.Text}},
	})
	if err != nil || len(warnings) > 0 {
		t.Errorf("%v %v", warnings, err)
	}
}

// The events of a panel have the forms of those of the page, and need an axis of times that is upright.
func TestEventsOfAPanel(t *testing.T) {
	t.Parallel()
	columns := map[string][]cube.Column{
		"d": {{Name: "day", Type: cube.Date}, {Name: "until", Type: cube.Date}, {Name: "team", Type: cube.Text}, {Name: "n", Type: cube.Integer}},
		"r": {{Name: "at", Type: cube.Timestamp}, {Name: "name", Type: cube.Text}},
	}
	for _, tc := range []struct{ panel, want string }{
		{`"type": "line", "x": "day", "y": "n", "events": {"data": "r", "x": "at", "label": "name"}`, ``},
		{`"type": "area", "x": "day", "y": "n", "events": [{"on": "2026-05-01", "to": "2026-05-03", "label": "Outage"}]`, ``},
		{`"type": "calendar", "x": "day", "value": "n", "events": [{"on": "2026-05-01", "label": "v2"}]`, ``},
		{`"type": "waterfall", "label": "day", "value": "n", "events": [{"on": "2026-05-01", "label": "v2"}]`, ``},
		{`"type": "timeline", "label": "team", "start": "day", "end": "until", "events": [{"on": "2026-05-01", "label": "v2"}]`, ``},
		{`"type": "line", "x": "day", "y": "n", "events": []`, ``},
		{`"type": "line", "x": "day", "y": "n", "events": false`, ``},
		{
			`"type": "line", "x": "day", "y": "n", "events": [{"date": "2026-05-01", "label": "v2"}]`,
			`panels[0].events[0].date: "date" is not a key of an event; keys: on, to, label; did you mean "on"?`,
		},
		{
			`"type": "line", "x": "day", "y": "n", "events": {"data": "r", "x": "name", "label": "name"}`,
			`panels[0].events.x: "name" is of type text, and events have a date; dates: at`,
		},
		{
			`"type": "line", "x": "day", "y": "n", "events": {"x": "at", "label": "name"}`,
			`panels[0].events.data: is missing, and there are several datasets; datasets: d, r`,
		},
		{
			`"type": "line", "x": "team", "y": "n", "events": [{"on": "2026-05-01", "label": "v2"}]`,
			`panels[0].events: are marked on an axis of times, and "team" is of type text; dates: day, until`,
		},
		{
			`"type": "bar", "x": "day", "y": "n", "horizontal": true, "events": [{"on": "2026-05-01", "label": "v2"}]`,
			`panels[0].events: are marked on upright axes of times; leave horizontal out`,
		},
		{`"type": "line", "x": "day", "y": "n", "vlines": []`, `did you mean "events"?`},
		{`"type": "pie", "label": "team", "value": "n", "events": []`, `events are marked on axes of times, by "events" at the top`},
	} {
		s, err := Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT day, until, team, sum(n) AS n FROM t GROUP BY 1, 2, 3"},
			{"id": "r", "sql": "SELECT at, name FROM u"}], "panels": [{"data": "d", ` + tc.panel + `}]}`))
		var warnings []Warning
		if err == nil {
			warnings, err = s.Check(columns)
		}
		if got := ""; err != nil {
			if got = err.Error(); tc.want == "" || !strings.Contains(got, tc.want) {
				t.Errorf("%s:\n%s\nwant\n%s", tc.panel, got, tc.want)
			}
		} else if tc.want != "" || strings.Contains(tc.panel, `"r"`) && strings.Contains(warningsText(warnings), "dataset_unused") {
			t.Errorf("%s: %v, want %s", tc.panel, warnings, tc.want)
		}
	}
}

// TestEventTimes: events take the forms of times that other tools and the service's own answers write. Those with an offset are at the wall
// clock of the page.
func TestEventTimes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-11-21":                "2026-11-21 00:00",
		"2026-11-21 09:05":          "2026-11-21 09:05",
		"2026-11-21T09:05:59":       "2026-11-21 09:05",
		"2026-11-21 09:05:59":       "2026-11-21 09:05",
		"2026-11-21T09:05:59Z":      "2026-11-21 04:05",
		"2026-11-21T09:05Z":         "2026-11-21 04:05",
		"2026-11-21T09:05:59.5Z":    "2026-11-21 04:05",
		"2026-11-21T01:05:00+02:00": "2026-11-20 18:05",
		"2026-11-21 01:05:00+02":    "2026-11-20 18:05",
	} {
		spec, err := Parse([]byte(`{"timezone": "America/New_York", "datasets": [{"id": "d", "sql": "SELECT day, n FROM t"}],
			"events": [{"on": "` + text + `", "label": "a"}], "panels": [{"type": "line", "x": "day", "y": "n"}]}`))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := spec.Events.List[0].On.Format("2006-01-02 15:04"); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

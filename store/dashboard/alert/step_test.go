package alert

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
)

// A play is an alert over refreshes: what of each value was found, such as "fr+ de- es?", an hour apart.
type play struct {
	alert dashboard.Alert
	steps []string
	want  []string // the events after each step, such as "fired fr"
}

// run steps through a play and returns the events after each step, and the last states.
func (p play) run(every time.Duration) (told []string, states []State) {
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for _, step := range p.steps {
		r := Reading{Alert: &p.alert}
		if step == "unknown" {
			r.Unknown = NoPeriod
		} else {
			for _, one := range strings.Fields(step) {
				f := Finding{Key: one[:len(one)-1]}
				switch one[len(one)-1] {
				case '+':
					f.Holds = true
				case '?':
					f.Unknown = NoValue
				}
				r.Findings = append(r.Findings, f)
			}
		}
		var events []Event
		states, events = r.Step(states, now, func(f Finding) string { return "text of " + f.Key })
		var said []string
		for _, e := range events {
			one := e.Kind
			for _, f := range e.Findings {
				one += " " + f.Key
			}
			said = append(said, one)
		}
		told = append(told, strings.Join(said, ", "))
		now = now.Add(every)
	}
	return told, states
}

func TestStep(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for name, tc := range map[string]struct {
		every time.Duration
		play
	}{
		"it fires once, and is over once": {time.Hour, play{
			dashboard.Alert{For: 1, Again: day},
			[]string{"fr+ de-", "fr+ de-", "fr- de-", "fr- de-"},
			[]string{"fired fr", "", "recovered fr", ""},
		}},
		"it holds for so many refreshes in a row": {time.Hour, play{
			dashboard.Alert{For: 3, Again: day},
			[]string{"fr+", "fr+", "fr-", "fr+", "fr+", "fr+", "fr+"},
			[]string{"", "", "", "", "", "fired fr", ""},
		}},
		"one message tells of all values": {time.Hour, play{
			dashboard.Alert{For: 1, Again: day},
			[]string{"fr+ de+ es-", "fr- de+ es+", "fr- de- es-"},
			[]string{"fired fr de", "fired es, recovered fr", "recovered de es"},
		}},
		"it is told again after a while": {day - time.Minute, play{ // refreshes of a daily schedule are not seconds apart
			dashboard.Alert{For: 1, Again: 2 * day},
			[]string{"fr+", "fr+", "fr+", "fr+", "fr+"},
			[]string{"fired fr", "", "again fr", "", "again fr"},
		}},
		"it is never told again": {40 * day, play{
			dashboard.Alert{For: 1},
			[]string{"fr+", "fr+", "fr+"},
			[]string{"fired fr", "", ""},
		}},
		"what cannot be judged changes nothing": {time.Hour, play{
			dashboard.Alert{For: 2, Again: day},
			[]string{"fr+", "fr?", "fr+", "unknown", "fr?", "fr-"},
			[]string{"", "", "fired fr", "", "", "recovered fr"},
		}},
		"a value that no row has any more is forgotten": {time.Hour, play{
			dashboard.Alert{For: 1, Again: day},
			[]string{"fr+ de+", "de+", "fr+ de+"},
			[]string{"fired fr de", "", "fired fr"},
		}},
		"rows that are gone are over": {time.Hour, play{
			dashboard.Alert{For: 1, Again: day, Condition: dashboard.AlertRows, Rows: "any"},
			[]string{"fr+ de+", "de+"},
			[]string{"fired fr de", "recovered fr"},
		}},
	} {
		got, _ := tc.run(tc.every)
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", tc.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, tc.want)
		}
	}
	_, states := play{dashboard.Alert{For: 2, Again: day}, []string{"fr+ de-", "fr+ de+"}, nil}.run(time.Hour)
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	want := []State{
		{Key: "fr", Text: "text of fr", Times: 2, Firing: true, Since: start, Told: start.Add(time.Hour)},
		{Key: "de", Text: "text of de", Times: 1, Since: start.Add(time.Hour)},
	}
	if fmt.Sprint(states) != fmt.Sprint(want) {
		t.Errorf("states\n got %v\nwant %v", states, want)
	}
}

// A message names the first values alone, and so the worst.
func TestWorstFirst(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		alert dashboard.Alert
		found []Finding
		want  string
	}{
		"above": {
			dashboard.Alert{Condition: dashboard.AlertThreshold, If: ">", Than: 10},
			[]Finding{{Key: "b", Value: 12.0}, {Key: "a", Value: 99.0}, {Key: "c", Value: 11.0}},
			"a b c",
		},
		"below": {
			dashboard.Alert{Condition: dashboard.AlertThreshold, If: "<=", Than: 10},
			[]Finding{{Key: "b", Value: 9.0}, {Key: "a", Value: -3.0}, {Key: "c", Value: 10.0}},
			"a b c",
		},
		"change": {
			dashboard.Alert{Condition: dashboard.AlertChange, Change: dashboard.Change{By: -0.1}},
			[]Finding{{Key: "b", Value: 80.0, Base: 100}, {Key: "a", Value: 1.0, Base: 10}, {Key: "c", Value: 85.0, Base: 100}},
			"a b c",
		},
		"anomaly": {
			dashboard.Alert{Condition: dashboard.AlertAnomaly},
			[]Finding{{Key: "b", Value: 7.0, Low: 1, High: 5}, {Key: "a", Value: -9.0, Low: 1, High: 5}},
			"a b",
		},
	} {
		tc.alert.For = 1
		for i := range tc.found {
			tc.found[i].Holds = true
		}
		r := Reading{Alert: &tc.alert, Findings: tc.found}
		_, events := r.Step(nil, time.Unix(0, 0), func(Finding) string { return "" })
		var got []string
		for _, f := range events[0].Findings {
			got = append(got, f.Key)
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("%s: told in the order %s, want %s", name, s, tc.want)
		}
	}
}

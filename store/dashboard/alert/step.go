package alert

import (
	"cmp"
	"math"
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// A State is what is kept of one value of an alert whose condition holds.
type State struct {
	Key    string
	Text   string // of the finding, in words
	Times  int    // refreshes in a row for which it held
	Firing bool
	Since  time.Time // when it began to hold
	Told   time.Time // when it was last told; zero for not yet
}

// What an [Event] tells.
const (
	Fired     = "fired"
	Again     = "again"
	Recovered = "recovered"
)

// An Event is something to tell of an alert: one thing of all the values that it is true of.
type Event struct {
	Kind     string
	Findings []Finding
}

// Step is what a reading makes of the states before it: those after it, with the text that words has of their findings,
// and what there is to tell. A value that cannot be judged keeps its state; one that no row has any more has none.
func (r *Reading) Step(before []State, now time.Time, words func(Finding) string) (after []State, events []Event) {
	if r.Unknown != "" {
		return before, nil
	}
	a := r.Alert
	kept := make(map[string]State, len(before))
	for _, s := range before {
		kept[s.Key] = s
	}
	var fired, firing, over []Finding
	due := false
	for _, f := range r.Findings {
		s, held := kept[f.Key]
		delete(kept, f.Key)
		switch {
		case f.Unknown != "":
			if held {
				after = append(after, s)
			}
			continue
		case !f.Holds:
			if s.Firing {
				over = append(over, f)
			}
			continue
		case !held:
			s = State{Key: f.Key, Since: now}
		}
		s.Times++
		s.Text = words(f)
		switch {
		case s.Firing:
			firing = append(firing, f)
			due = due || a.Again > 0 && !now.Before(s.Told.Add(a.Again-a.Again/24)) // refreshes of one schedule are not seconds apart
		case s.Times >= a.For:
			s.Firing, s.Told = true, now
			fired = append(fired, f)
		}
		after = append(after, s)
	}
	if a.Condition == dashboard.AlertRows && a.Rows == "any" { // a value without rows is over, and is none of the findings
		for _, s := range before {
			if _, gone := kept[s.Key]; gone && s.Firing {
				over = append(over, Finding{Key: s.Key})
			}
		}
	}
	if len(fired) > 0 {
		r.worstFirst(fired)
		events = append(events, Event{Fired, fired})
	}
	if due {
		r.worstFirst(firing)
		events = append(events, Event{Again, firing})
		told := make(map[string]bool, len(firing))
		for _, f := range firing {
			told[f.Key] = true
		}
		for i := range after {
			if told[after[i].Key] {
				after[i].Told = now
			}
		}
	}
	if len(over) > 0 {
		events = append(events, Event{Recovered, over})
	}
	return after, events
}

// worstFirst sorts what is told by how far it lies past what the alert allows, for a message names the first alone.
func (r *Reading) worstFirst(of []Finding) {
	slices.SortStableFunc(of, func(a, b Finding) int { return cmp.Compare(r.past(b), r.past(a)) })
}

// past is how far a finding lies past what the alert allows, in the unit of its condition.
func (r *Reading) past(f Finding) float64 {
	v, _ := cube.Float(f.Value)
	switch a := r.Alert; a.Condition {
	case dashboard.AlertThreshold:
		if a.If == "<" || a.If == "<=" {
			return a.Than - v
		}
		return v - a.Than
	case dashboard.AlertChange:
		if f.Base == 0 {
			return 0
		}
		return math.Abs(v/f.Base - 1)
	case dashboard.AlertAnomaly:
		return max(f.Low-v, v-f.High)
	}
	return float64(f.Rows)
}

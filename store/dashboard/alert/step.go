package alert

import (
	"cmp"
	"math"
	"slices"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// A State is the stored state of one value of an alert whose condition holds.
type State struct {
	Key    string
	Text   string // text of the finding
	Times  int    // refreshes in a row for which it held
	Firing bool
	Since  time.Time // when it began to hold
	Told   time.Time // time of the last notification; zero for none
}

// The kinds of an [Event].
const (
	Fired     = "fired"
	Again     = "again"
	Recovered = "recovered"
)

// An Event is a change of an alert to notify people of, with all values that it applies to.
type Event struct {
	Kind     string
	Findings []Finding
}

// Step returns the states that follow from a reading and the states before, with the texts that words returns for findings, and the events.
// A value that cannot be judged keeps its state; a value without rows loses it.
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
	if a.Condition == dashboard.AlertRows && a.Rows == "any" { // a value without rows is over, and has no finding
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

// worstFirst sorts findings by how far they exceed the limit, because a message names only the first.
func (r *Reading) worstFirst(of []Finding) {
	slices.SortStableFunc(of, func(a, b Finding) int { return cmp.Compare(r.past(b), r.past(a)) })
}

// past returns how far a finding exceeds the limit, in the unit of its condition.
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

package tools

import (
	"fmt"
	"reflect"
	"strings"

	"service/store"
	"service/store/dashboard"
)

// told has the recipients of an alert or a delivery of a dashboard.
type told struct {
	What string   `json:"what"` // alert and its id, or delivery and its rhythm
	To   []string `json:"to"`   // slugs of channels, and addresses of members
	Next string   `json:"next,omitempty"`
}

// toldShown lists the recipients from now on and, if that changes, those before.
func toldShown(p store.Published) (now, before []told) {
	now, before = toldOf(p.Told), toldOf(p.ToldBefore)
	if people := func(all []told) (out []told) {
		for _, t := range all {
			t.Next = ""
			out = append(out, t)
		}
		return out
	}; p.Created || reflect.DeepEqual(people(now), people(before)) {
		before = nil
	}
	return now, before
}

func toldOf(all []store.Told) []told {
	var out []told
	for _, t := range all {
		line := told{What: "alert " + t.Alert, To: list(t.To)}
		if t.Alert == "" {
			line.What = "delivery " + rhythmWords(t.Rhythm, t.Timezone)
			switch {
			case t.Waits:
				line.Next = "waits until somebody allows it"
			case !t.Rhythm.Timed():
				line.Next = "when a refresh succeeds"
			case t.Next != nil:
				line.Next = *t.Next
			}
		}
		if len(line.To) == 0 {
			line.To = []string{"nobody"}
		}
		out = append(out, line)
	}
	return out
}

// rhythmWords returns a rhythm in the form of a spec.
func rhythmWords(r dashboard.Rhythm, zone string) string {
	switch words := dashboard.MonthWeekdayWords(r.Day); {
	case !r.Timed():
		return "after each refresh"
	case r.Every == dashboard.EveryDay:
		return fmt.Sprintf("daily %s (%s)", r.Clock(), zone)
	case r.Every == dashboard.EveryWeek:
		return fmt.Sprintf("weekly %s %s (%s)", dashboard.Weekdays[r.Day], r.Clock(), zone)
	case words != "":
		return fmt.Sprintf("monthly %s %s (%s)", words, r.Clock(), zone)
	}
	return fmt.Sprintf("monthly %d %s (%s)", r.Day, r.Clock(), zone)
}

// maxTold is how many lines the sentence names; the JSON has all.
const maxTold = 3

// toldWords is the end of the sentence: the recipients now and before.
func toldWords(now, before []told) string {
	words := func(all []told) string {
		var out []string
		for i, t := range all {
			if i == maxTold {
				out = append(out, fmt.Sprintf("and %d more", len(all)-i))
				break
			}
			line := t.What + " to " + strings.Join(t.To, ", ")
			if t.Next != "" {
				line += " (" + t.Next + ")"
			}
			out = append(out, line)
		}
		return strings.Join(out, "; ")
	}
	switch {
	case len(now) == 0 && len(before) == 0:
		return ""
	case len(before) == 0:
		return " Sent automatically: " + words(now) + "."
	case len(now) == 0:
		return " Nothing is sent automatically now. Before: " + words(before) + "."
	}
	return " Sent automatically: " + words(now) + ". Before: " + words(before) + "."
}

package tools

import (
	"fmt"
	"slices"
	"strings"

	"service/store"
	"service/store/dashboard"
)

// byClock lists datasets whose rows change with the clock, and why.
func byClock(s *dashboard.Spec, clocked []dashboard.Clocked) string {
	var names, words []string
	for _, c := range clocked {
		names = append(names, `"`+s.Datasets[c.Dataset].ID+`"`)
		if !slices.Contains(words, c.Word) {
			words = append(words, c.Word)
		}
	}
	sets, its := "dataset", "its"
	if len(names) > 1 {
		sets, its = "datasets", "their"
	}
	return fmt.Sprintf("%s %s change with the clock, because %s SQL uses %s", sets, series(names, "and"), its, series(words, "or"))
}

// series returns items as a list of a sentence, with a word before the last one.
func series(items []string, word string) string {
	last := len(items) - 1
	if last < 1 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:last], ", ") + " " + word + " " + items[last]
}

// unscheduled asks for a schedule if the dashboard has none, and its rows change with the clock, or it is sent by the calendar, which does
// not refresh its rows.
func unscheduled(s *dashboard.Spec, d store.Dashboard) string {
	if d.Schedule != "" {
		return ""
	}
	if clocked := s.ByClock(); len(clocked) > 0 {
		return " set_refresh_schedule then keeps it current: the rows of " + byClock(s, clocked) + "."
	}
	sent := slices.IndexFunc(s.Deliver, func(d dashboard.Delivery) bool { return d.Rhythm.Every != dashboard.EveryRefresh })
	if sent < 0 || len(d.Files) > 0 || !s.Queries() {
		return ""
	}
	return fmt.Sprintf(" deliver[%d] sends the rows of the last refresh: set_refresh_schedule renews them before it.", sent)
}

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
	var names []string
	for _, c := range clocked {
		names = append(names, fmt.Sprintf(`dataset "%s" change with the clock, because its SQL uses %s`, s.Datasets[c.Dataset].ID, c.Word))
	}
	return strings.Join(names, ", and those of ")
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

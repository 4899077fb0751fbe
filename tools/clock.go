package tools

import (
	"fmt"
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

// unscheduled asks for a schedule if the dashboard has none and its rows change with the clock.
func unscheduled(s *dashboard.Spec, d store.Dashboard) string {
	clocked := s.ByClock()
	if d.Schedule != "" || len(clocked) == 0 {
		return ""
	}
	return " set_refresh_schedule then keeps it current: the rows of " + byClock(s, clocked) + "."
}

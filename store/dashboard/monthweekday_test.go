package dashboard_test

import (
	"testing"
	"time"

	"service/store/dashboard"
)

// A day of the week in a month is read in any case, written in full, and is not a day of the month.
func TestMonthWeekday(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"first monday": "first monday", "Last FRI": "last friday", "fourth sun": "fourth sunday", "fifth monday": "", "first": "", "monday": "",
		"first day": "", "first monday tuesday": "", "": "",
	} {
		day, ok := dashboard.ParseMonthWeekday(text)
		if ok != (want != "") || ok && dashboard.MonthWeekdayWords(day) != want {
			t.Errorf("%q is %d, %t: %q", text, day, ok, dashboard.MonthWeekdayWords(day))
		}
	}
	for day := -1; day <= 200; day++ {
		if _, _, ok := dashboard.SplitMonthWeekday(day); ok != (day >= 110 && day <= 156 && day%10 <= 6) {
			t.Errorf("%d: %t", day, ok)
		}
	}
	// Before is the time before, also over five weeks.
	r := dashboard.Rhythm{Every: dashboard.EveryMonth, Day: dashboard.MonthWeekday(1, 0), Minute: 60}
	at := r.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.UTC)
	for range 60 {
		next := r.Next(at, time.UTC)
		if got := r.Before(next, time.UTC); !got.Equal(at) {
			t.Fatalf("before %v is %v, want %v", next, got, at)
		}
		at = next
	}
}

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
		"first other": "", "first monday tuesday": "", "": "", "first weekday": "first weekday", "last working day": "last weekday",
		"First Business Day": "first weekday", "the 2nd workday": "second weekday", "3rd tuesday": "third tuesday", "second day": "",
	} {
		day, ok := dashboard.ParseMonthDay(text)
		if ok != (want != "") || ok && dashboard.MonthWeekdayWords(day) != want {
			t.Errorf("%q is %d, %t: %q", text, day, ok, dashboard.MonthWeekdayWords(day))
		}
	}
	for day := -1; day <= 200; day++ {
		if _, _, ok := dashboard.SplitMonthWeekday(day); ok != (day >= 110 && day <= 157 && day%10 <= 7) {
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

// The first and the last weekday of a month are of Monday to Friday, and the last day is that of each month.
func TestWeekdaysOfAMonth(t *testing.T) {
	t.Parallel()
	from := time.Date(2025, 12, 31, 20, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"first weekday": "01-01 02-02 03-02 04-01 05-01 06-01 07-01 08-03 09-01 10-01 11-02 12-01",
		"last weekday":  "01-30 02-27 03-31 04-30 05-29 06-30 07-31 08-31 09-30 10-30 11-30 12-31",
		"last day":      "01-31 02-28 03-31 04-30 05-31 06-30 07-31 08-31 09-30 10-31 11-30 12-31",
		"first day":     "01-01 02-01 03-01 04-01 05-01 06-01 07-01 08-01 09-01 10-01 11-01 12-01",
		"third weekday": "01-05 02-04 03-04 04-03 05-05 06-03 07-03 08-05 09-03 10-05 11-04 12-03",
		"last friday":   "01-30 02-27 03-27 04-24 05-29 06-26 07-31 08-28 09-25 10-30 11-27 12-25",
	} {
		day, _ := dashboard.ParseMonthDay(text)
		r := dashboard.Rhythm{Every: dashboard.EveryMonth, Day: day, Minute: 480}
		got, at := "", from
		for range 12 {
			at = r.Next(at, time.UTC)
			got += at.Format(" 01-02")
		}
		if got[1:] != want {
			t.Errorf("%s:%s, want %s", text, got, want)
		}
	}
}

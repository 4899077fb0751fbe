package web

import (
	"testing"
	"time"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0:                       "just now",
		-59 * time.Second:       "just now",
		-time.Minute:            "1 min ago",
		-59 * time.Minute:       "59 min ago",
		-47 * time.Hour:         "47 h ago",
		-48 * time.Hour:         "2 days ago",
		-100 * 24 * time.Hour:   "13 Aug 2026",
		30 * time.Second:        "in a moment",
		29 * time.Minute:        "in 29 min",
		30 * 24 * time.Hour:     "in 30 days",
		365 * 24 * time.Hour:    "21 Nov 2027",
		-(time.Hour - 1):        "59 min ago",
		-(48*time.Hour - 1):     "47 h ago",
		time.Hour + time.Minute: "in 1 h",
	} {
		if got := distance(now.Add(d), now); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := number(n); got != want {
			t.Errorf("number(%d) = %s, want %s", n, got, want)
		}
	}
}

package code

import (
	"math"
	"testing"
	"time"

	"service/store/growthtest"
)

// TestDaily counts the runs of four weeks, in little time also for a schedule that runs seldom.
func TestDaily(t *testing.T) {
	for schedule, want := range map[string]float64{
		"1m": 24 * 60, "6h": 4, "daily 06:00": 1, "weekly monday 06:00": 1.0 / 7, "monthly 1 06:00": 1.0 / 28, "0 6 29 2 *": 0, "off": 0, "?": 0,
	} {
		if got := daily(Head{Schedule: schedule, Timezone: "UTC"}); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s runs %v times a day, want %v", schedule, got, want)
		}
	}
	growthtest.Within(t, time.Millisecond, func() { daily(Head{Schedule: "monthly 1 06:00", Timezone: "UTC"}) })
}

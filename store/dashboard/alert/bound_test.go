package alert

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// A replay judges no more values than it may, those of the newest periods, and none once its caller has gone; it reports that there were
// more.
func TestReplayIsBounded(t *testing.T) {
	t.Parallel()
	var rows []row
	last := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	for i := range 100 {
		for k := range 20 {
			rows = append(rows, row{last.AddDate(0, 0, -i).Format(time.DateOnly), fmt.Sprint("c", k), float64(i % 7)})
		}
	}
	c := cubeOf(t, rows...)
	for _, text := range []string{
		`"value": "revenue", "x": "day", "by": "country", "anomaly": "any"`,
		`"value": "revenue", "x": "day", "by": "country", "if": "<", "than": 1`,
		`"value": "revenue", "x": "day", "by": "country", "change": {"against": "previous_week", "by": -0.2}`,
	} {
		in, a := inputOf(t, text, "", "2026-11-17 06:00", c)
		if r := Replay(in, a); r.Cut || r.Judged < 20*85 {
			t.Errorf("%s: %d values of all, cut: %v", text, r.Judged, r.Cut)
		}
		for _, most := range []int{0, 19, 200} {
			if r := ReplayUpTo(context.Background(), in, a, most); !r.Cut || r.Judged > most || r.Periods != most/20 {
				t.Errorf("%s: %d values in %d periods of at most %d, cut: %v", text, r.Judged, r.Periods, most, r.Cut)
			}
		}
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		if r := ReplayUpTo(gone, in, a, MostReplayed); !r.Cut || r.Judged > 0 {
			t.Errorf("%s: %d values for a caller that has gone", text, r.Judged)
		}
	}
}

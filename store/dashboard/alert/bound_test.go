package alert

import (
	"context"
	"fmt"
	"runtime"
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

// An alert on rows judges no more periods than it keeps, however old the first row is.
func TestRowsOfAllYearsCostLittle(t *testing.T) { // not parallel: it measures memory
	for _, grain := range []string{"day", "week", "month", "quarter", "year"} {
		text := `"rows": "none", "x": "day", "grain": "` + grain + `"`
		c := cubeOf(t, row{"0001-01-01", "DE", 1.0}, row{"2026-11-10", "DE", 1.0}, row{"2026-11-11", "DE", 1.0})
		in, a := inputOf(t, text, "", "2026-11-17 06:00", c)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := Judge(in, a)
		runtime.ReadMemStats(&after)
		if len(r.Findings) == 0 {
			t.Errorf("%s: nothing is judged", grain)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 2<<20 {
			t.Errorf("%s: %d bytes", grain, took)
		}
	}
}
